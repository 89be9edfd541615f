"""Real scores: random splits of the terms of Dixon et al. 2018 into groups; worlds as variable as a model's scores."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import special
from simulated_families import World

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.tasks import TASKS, Harm
from fairness_checklist.findings.compared import Compared
from fairness_checklist.findings.errors import HarmRows, clipped_logit
from fairness_checklist.findings.family import Counts, HarmFit, decided_family
from fairness_checklist.findings.rule import Status
from fairness_checklist.statistics.two_way import fit_figures

DIXON = Path(__file__).resolve().parents[2] / "shared" / "data" / "dixon" / "scored_phrases.csv"
# The terms of Dixon et al. 2018 that the phrases are made with.
# fmt: off
TERMS = (
    "lesbian", "gay", "bisexual", "transgender", "trans", "cis", "queer", "lgbt", "lgbtq", "homosexual",
    "straight", "heterosexual", "male", "female", "nonbinary", "african", "african american", "black", "white",
    "european", "hispanic", "latino", "latina", "latinx", "mexican", "canadian", "american", "asian", "indian",
    "middle eastern", "chinese", "japanese", "christian", "muslim", "jewish", "buddhist", "catholic",
    "protestant", "sikh", "taoist", "old", "older", "young", "younger", "teenage", "millenial", "middle aged",
    "elderly", "blind", "deaf", "paralyzed",
)
# fmt: on
Row = dict[str, Any]


def scored_terms(file: Path = DIXON) -> tuple[Compared, tuple[HarmFit, ...]]:
    """The terms of the phrases, and their effects on two errors; a source is a phrase without its term."""
    frame = pd.read_csv(file)
    pattern = re.compile(r"\b(" + "|".join(sorted(TERMS, key=len, reverse=True)) + r")\b", re.IGNORECASE)
    rows = [
        (match.group().lower(), f"{phrase[: match.start()]}*{phrase[match.end() :]}", gold == "toxic", score)
        for phrase, gold, score in zip(frame["phrase"], frame["toxicity"], frame["score"], strict=True)
        for match in pattern.finditer(phrase)
    ]
    term = np.array([TERMS.index(row[0]) for row in rows], dtype=np.int64)
    source = np.unique([row[1] for row in rows], return_inverse=True)[1].astype(np.int64)
    several = np.bincount(source)[source] > 1
    toxic = np.array([row[2] for row in rows])
    score = np.array([row[3] for row in rows], dtype=np.float64)
    size = len(TERMS)
    who = Compared(
        groups=("all",),
        terms=TERMS,
        term_group=np.zeros(size, dtype=np.int64),
        lexeme=np.arange(size),
        lexeme_group=np.zeros(size, dtype=np.int64),
        lexemes=TERMS,
        pos=("",) * size,
        named=np.ones(1, dtype=np.bool_),
        count=np.ones(size),
        term=term,
        cluster=source,
        block=source,
        sources=True,
    )
    fits = []
    for harm in TASKS["toxicity"].harms:
        kept = np.flatnonzero(several & (toxic == (harm.kind == "missed")))
        value: FloatArray = 1 - score[kept] if harm.kind == "missed" else score[kept]
        concerned = HarmRows(harm, kept, (value > 0.5).astype(np.float64), value)
        values = np.array([value, clipped_logit(value)])
        gap, tested = fit_figures(source[kept], term[kept], source[kept], values, np.ones(len(kept)), size)
        n = np.bincount(term[kept], minlength=size)
        figure, harmed = (
            np.bincount(term[kept], values, size).astype(np.float64) for values in (value, concerned.harmed)
        )
        fits.append(HarmFit(concerned, Counts(n, n.astype(np.float64), figure, harmed), gap, gap, tested, gap))
    return who, tuple(fits)


def dixon(repetitions: int, file: Path = DIXON) -> Iterator[Row]:
    """Random splits of the 51 terms into groups: the shares with a group that is worse, and better."""
    if not file.is_file():
        return
    who, fits = scored_terms(file)
    for groups in (2, 4, 8):
        random, found = np.random.default_rng(groups), []
        for _ in range(repetitions):
            labels = random.permutation(np.arange(who.size) % groups)
            names = tuple(f"group {g}" for g in range(groups))
            split = replace(
                who, groups=names, term_group=labels, lexeme_group=labels, named=np.ones(groups, dtype=np.bool_)
            )
            family = decided_family(split, fits, {}, margin=MARGIN)
            status = [one for decided in family.decided for one in decided.status]
            found.append([Status.WORSE in status, Status.BETTER in status])
        worse, better = np.mean(found, axis=0).tolist()
        yield {"groups": groups, "errors": len(fits), "splits": repetitions, "worse": worse, "better": better}


def as_scored(rows: pd.DataFrame, harm: Harm, sizes: tuple[int, ...]) -> World:
    """A world without gaps whose scores vary as the logits of the texts of a result that an error concerns."""
    rows = rows[(rows["group"] != "unmarked") & ((rows["label"] == harm.label) == (harm.kind == "missed"))]
    p = rows[f"p:{harm.label}"].to_numpy(dtype=np.float64)
    scores = rows.assign(score=special.logit(p.clip(0.001, 0.999)))
    table = scores.pivot(index="source", columns=["group", "term"], values="score")
    table = table.sub(table.mean(axis=1), axis=0)
    found = []
    for group in table.columns.unique("group"):
        own = table[group].dropna().to_numpy()
        count, n, of_source = len(own), len(own.T), (own - own.mean(axis=0)).mean(axis=1)
        cell = ((own - own.mean(axis=0) - of_source[:, None]) ** 2).sum() / ((count - 1) * (n - 1))
        pair = of_source.var(ddof=1) * len(sizes) / (len(sizes) - 1) - cell / n
        found.append((own.mean(axis=0).var(ddof=1) - cell / count, pair, cell, n - 1))
    *parts, weight = np.array(found).T
    words, pairs, cells = (float(np.sqrt(max(0.0, np.average(part, weights=weight)))) for part in parts)
    rate = float(p.mean() if harm.kind != "missed" else 1 - p.mean())
    return World(sizes, sources=len(table), words=words, source_group=pairs, cells=cells, rate=rate)

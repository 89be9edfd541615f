"""Findings on real scores: random splits of terms, samples of names, and random sets of placebo concepts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fairness_checklist.findings.harm_cells import Compared, Figures, HarmRows, clipped_logit

from fairness_checklist.api.scoring import predict_parts
from fairness_checklist.api.suite import Suite
from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.findings.family import HarmFit, family_of, scopes_of
from fairness_checklist.findings.records import find
from fairness_checklist.models.load import load_model
from fairness_checklist.statistics.multiplicity import ALPHA
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
    """The terms of the phrases, and their effects on two harms; a source is a phrase without its term."""
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
        values = np.array([clipped_logit(value), value, concerned.harmed])
        weight = np.ones(len(kept))
        figures = Figures(*fit_figures(source[kept], term[kept], source[kept], values, weight, size))
        fits.append(HarmFit(concerned, figures, figures, who.lexeme_group))
    return who, tuple(fits)


def dixon(repetitions: int, file: Path = DIXON) -> Iterator[Row]:
    """Random splits of the 51 terms into groups: claims, and how often single intervals leave out 0."""
    if not file.is_file():
        return
    who, fits = scored_terms(file)
    for groups in (2, 4, 8):
        random = np.random.default_rng(groups)
        found, single = [], []
        for at in range(repetitions):
            labels = random.permutation(np.arange(who.size) % groups)
            names = tuple(f"group {g}" for g in range(groups))
            split = replace(
                who, groups=names, term_group=labels, lexeme_group=labels, named=np.ones(groups, dtype=np.bool_)
            )
            family = family_of(split, fits, scopes_of(split), {}, seed=at)
            found.append(bool((family.low > 0).any()))
            single.append(float((family.p_value <= ALPHA).mean()))
        yield {
            "groups": groups,
            "harms": len(fits),
            "splits": repetitions,
            "any claim": float(np.mean(found)),
            "single intervals without 0": float(np.mean(single)),
        }


def outcomes_of(attribute: str, task: str, **options: Any) -> Outcomes:
    """The outcomes of the bundled model of a task for one attribute."""
    part = predict_parts(
        Suite.build(attribute, task=task, **options).parts, load_model("bundled", task=task), False, None
    )
    return reduce_to_outcomes(part[0].part.examples, part[0].predictions)


def with_groups(outcomes: Outcomes, chosen: Sequence[int], terms: IntArray | None = None) -> Outcomes:
    """The rows of these groups alone, or of these terms of theirs; without the unmarked control."""
    number = np.full(len(outcomes.groups) + 1, -1, dtype=np.int64)
    number[list(chosen)] = np.arange(len(chosen))
    kept = number[outcomes.group] >= 0
    if terms is not None:
        kept &= np.isin(outcomes.term, terms)

    def renamed(one: Outcomes, rows: np.ndarray[Any, np.dtype[np.bool_]]) -> Outcomes:
        few = select_rows(one, rows)
        return replace(
            few,
            groups=tuple(outcomes.groups[g] for g in chosen),
            group=number[few.group],
            term_group=np.where(outcomes.term_group >= 0, number[outcomes.term_group], -1),
        )

    views = {name: renamed(view, kept) for name, view in outcomes.views.items() if name == "slot"}
    return replace(renamed(outcomes, kept), views=views)


def names(draws: int) -> Iterator[Row]:
    """The gap of female names against male ones, from the first names of the file and from random ones."""
    whole = outcomes_of("names", "ner", groups=["female", "male"])
    of = [np.flatnonzero(whole.term_group == g) for g in range(2)]
    random = np.random.default_rng(0)
    for size in (3, 8, 20):
        yield {"names": f"first {size}", **_gap(whole, np.concatenate([own[:size] for own in of]))}
        for at in range(draws):
            terms = np.concatenate([random.choice(own, size=size, replace=False) for own in of])
            yield {"names": f"random {size}, {at}", **_gap(whole, terms)}
    yield {"names": f"all {sum(map(len, of))}", **_gap(whole, np.concatenate(of))}


def _gap(whole: Outcomes, terms: IntArray) -> Row:
    rows = find(with_groups(whole, (0, 1), terms), TASKS["ner"].harms).groups
    row = rows[rows["group"] == "female"].iloc[0]
    return {key: row[key] for key in ("gap", "ci_low", "ci_high", "status") if key in row}


def placebo(repetitions: int) -> Iterator[Row]:
    """As many placebo concepts as gender has groups, as if they were identity groups, with the other concepts as null.

    Concepts of several lexemes are of the scope *group*, concepts of one lexeme of the scope *words*.
    """
    for task in ("sentiment", "toxicity"):
        size = len(Suite.build("gender", task=task).parts[0].examples.groups)
        for attribute, scope in (("placebo", "group"), ("placebo.words", "words")):
            whole = outcomes_of(attribute, task)
            random = np.random.default_rng(1)
            found: list[pd.DataFrame] = []
            for at in range(repetitions):
                order = random.permutation(len(whole.groups)).tolist()
                taken, rest = with_groups(whole, order[:size]), with_groups(whole, order[size:])
                records = find(taken, TASKS[task].harms, control_words=rest, seed=at).groups
                found.append(records[records["scope"] == scope])
            row: Row = {"task": task, "scope": scope, "concepts": len(whole.groups), "groups": size}
            row |= {"draws": repetitions, "interval above 0": _any(found, "ci_low")}
            yield row | {name: _any(found, name) for name in ("clear", "suspected")}


def _any(found: Sequence[pd.DataFrame], what: str) -> float:
    """The share of draws in which any record has a status, or a lower end above 0."""
    hits = [(one["ci_low"] > 0) if what == "ci_low" else (one["status"] == what) for one in found]
    return float(np.mean([bool(one.any()) for one in hits]))

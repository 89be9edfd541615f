"""Dependence that is not recorded: forms of one word, topics and rewordings, as they are, declared, and found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from simulated_families import DRAWS, Design, design
from simulation import CLASSES, crossed

from fairness_checklist.core.examples import Source
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.family import group_family

HARM = parse_harm(f"predicted:{CLASSES[0]}")
SHIFT = 0.8
FOUND = 0.91
"""The share of the declared rewordings of the shipped sets that `core.near_duplicates` finds."""
SIX_OF_8, SIX_OF_20 = (8,) * 6, (20,) * 6


def dependence(repetitions: int) -> Iterator[dict[str, Any]]:
    """Claims where no group has an effect, coverage, and claims where one has, by what the run knows."""
    for title, chosen, known in (
        ("8 = 4 words x 2 forms, 30", replace(design(SIX_OF_8, 30), forms=2), ("lemma",)),
        ("8 = 2 words x 4 forms, 30", replace(design(SIX_OF_8, 30), forms=4), ("lemma",)),
        ("20 = 5 words x 4 forms, 30", replace(design(SIX_OF_20, 30), forms=4), ("lemma",)),
        *(
            (f"20, {sources} in {topics} topics, SD {sd}", _of_topics(sources, topics, sd), ("topic",))
            for sources, topics, sd in ((100, 2, 0.25), (100, 5, 0.25), (100, 5, 0.0), (100, 12, 0.25), (100, 12, 0.0))
        ),
        ("20, 30 in pairs", replace(design(SIX_OF_20, 30), wordings=2), ("found", "declared")),
        ("20, 100 in pairs", replace(design(SIX_OF_20, 100), wordings=2), ("found", "declared")),
    ):
        for told in ("", *known):
            yield {"lexemes, sources": title, "known": told or "nothing", **_shares(chosen, told, repetitions)}


def _of_topics(sources: int, topics: int, sd: float) -> Design:
    return replace(design(SIX_OF_20, sources), topics=topics, topic_sd=sd)


def _shares(chosen: Design, told: str, repetitions: int) -> dict[str, float]:
    random, shifted = np.random.default_rng(11), design(chosen.sizes, chosen.sources, shift=SHIFT)
    rows = []
    for at in range(repetitions):
        lexemes = chosen.lexemes(random)
        family = group_family(_outcomes(chosen, lexemes, told, random), [HARM], draws=DRAWS, seed=at)
        about = family.scope == 0
        truth = np.where(about, chosen.true_gap(), chosen.true_gap(lexemes))
        held = ((family.low[0] <= truth) & (truth <= family.high[0])).all()
        worse = chosen.lexemes(random) + shifted.shift[chosen.group] - chosen.shift[chosen.group]
        found = group_family(_outcomes(chosen, worse, told, random), [HARM], draws=DRAWS, seed=at)
        rows.append([((family.low[0] > 0) & about).any(), held, found.low[0, 0] > 0 and found.scope[0] == 0])
    names = ("clear without an effect", "intervals hold", "clear at 13 points")
    return dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))


def _outcomes(chosen: Design, lexemes: Any, told: str, random: np.random.Generator) -> Outcomes:
    """A run of the design, with what it is told about words and sources."""
    probability, _rate = chosen.scores(random, lexemes)
    n_sources, n_terms = probability.shape
    source, term = np.repeat(np.arange(n_sources), n_terms), np.tile(np.arange(n_terms), n_sources)
    figure = np.stack([probability.ravel(), 1 - probability.ravel()], axis=1)
    made = crossed(figure, np.ones(len(source), dtype=np.int64), source, chosen.group[term], term, len(chosen.sizes))
    original = np.arange(n_sources) // chosen.wordings * chosen.wordings
    reworded = np.repeat(random.random(-(-n_sources // chosen.wordings)) < FOUND, chosen.wordings)[:n_sources]
    if told in ("found", "declared"):
        joined = reworded if told == "found" else np.ones(n_sources, dtype=np.bool_)
        sources = (
            Source(f"s{s}", f"t{s}", paraphrase_of=f"t{original[s]}" if joined[s] else "") for s in range(n_sources)
        )
        return replace(made, sources=tuple(sources))
    if told == "topic":
        return replace(
            made, sources=tuple(Source(f"s{s}", f"t{s}", topic=f"{chosen.topic[s]}") for s in range(n_sources))
        )
    return (
        replace(made, lexemes=tuple(f"word {t // chosen.forms}" for t in range(n_terms))) if told == "lemma" else made
    )

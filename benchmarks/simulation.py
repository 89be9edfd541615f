"""Outcomes with template and term effects, whose true values are known: for coverage and for derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.examples import Source
from fairness_checklist.core.outcomes import Outcomes, Units, kinds_of_decisions

CLASSES = ("low", "middle", "high")
GAP = np.array([0.6, 0.2, 0.0, -0.5])


def simulated(
    random: np.random.Generator,
    *,
    templates: int,
    terms: int,
    effects: FloatArray | None = None,
    gap: FloatArray = GAP,
    classes: int = 3,
) -> Outcomes:
    """A crossed design: every template with every term of four groups.

    Args:
        random: draws templates, cells, and the terms where they are not given.
        templates, terms: how many, terms of each group.
        effects: (G * terms, C) of the terms; drawn where None.
        gap: (G,) what a group adds to the first class.
        classes: C.
    """
    size, n_terms = len(gap), len(gap) * terms
    if effects is None:
        effects = 0.35 * random.normal(size=(n_terms, classes))
    source = np.repeat(np.arange(templates), n_terms)
    term = np.tile(np.arange(n_terms), templates)
    group = term // terms
    gold = source % classes
    score = 0.6 * random.normal(size=(templates, classes))[source] + effects[term]
    score += 0.25 * random.normal(size=(templates, size, classes))[source, group]
    score += 0.5 * random.normal(size=score.shape)
    score[:, 0] += gap[group]
    score[np.arange(len(score)), gold] += 1.2
    probability = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return crossed(probability, gold, source, group, term, size)


def crossed(
    probability: FloatArray, gold: IntArray, source: IntArray, group: IntArray, term: IntArray, n_groups: int
) -> Outcomes:
    """Outcomes of a classifier from its arrays; decisions are the most probable classes."""
    n, size = probability.shape
    first = [int(gold[source == s][0]) for s in range(int(source.max()) + 1)]
    of_term = np.zeros(int(term.max()) + 1, dtype=np.int64)
    of_term[term[term >= 0]] = group[term >= 0]
    return Outcomes(
        attribute="trees",
        groups=tuple(f"group {g}" for g in range(n_groups)),
        classes=CLASSES[:size],
        positive=size - 1,
        sources=tuple(Source(f"s{s}", template=f"t{s}", label=CLASSES[k]) for s, k in enumerate(first)),
        terms=tuple(f"term {t}" for t in range(len(of_term))),
        term_group=of_term,
        group=group,
        source=source,
        term=term,
        weight=np.ones(n),
        **kinds_of_decisions(gold, probability.argmax(axis=1), size),
        units=Units(np.arange(n), np.zeros(n, dtype=np.int64), gold, probability, size - 1),
    )


def weighted(outcomes: Outcomes, weight: FloatArray) -> Outcomes:
    """The same rows with other weights."""
    return replace(outcomes, weight=weight)

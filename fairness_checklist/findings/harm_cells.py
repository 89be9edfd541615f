"""Outcomes seen as one harm: which rows it concerns, and how strongly each shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from scipy.special import logit

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.examples import families_of_sources, few_topics_of_sources
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.replicates import has_class, prompt_levels
from fairness_checklist.core.tasks import Harm
from fairness_checklist.statistics.two_way import TermEffects, fit_figures

CLIP = 0.001


class LeftOut(StrEnum):
    """Why a harm, or all of an attribute, has no records."""

    NO_CLASS = "no class"
    NO_SCORE = "no score"
    NO_LABELS = "no labels"
    NOT_CONCERNED = "not concerned"
    NOT_OF_TAGGERS = "not of taggers"
    SAME_FIGURES = "same figures"
    NO_DRAWS = "no draws"
    ONE_GROUP = "one group"


Levels = tuple[tuple[FloatArray, ...], ...]
"""For each random factor of the model, such as its prompts, a figure at each of its levels."""


@dataclass(frozen=True, eq=False)
class HarmRows:
    """The m rows that a harm concerns.

    Attributes:
        row: (m,) positions in the outcomes.
        harmed: (m,) in [0, 1]: 1 where the decision is the harmful one; of a tagger the share of entities missed.
        probability: (m,) of the harmful answer; None where there are no probabilities.
        levels: for each random factor of the model, such as its prompts, the figure (m,) at each of its levels.
    """

    harm: Harm
    row: IntArray
    harmed: FloatArray
    probability: FloatArray | None
    levels: Levels = ()

    @property
    def measure(self) -> str:
        """What decides: "probability", or "rate" without probabilities."""
        return "rate" if self.probability is None else "probability"

    @property
    def figure(self) -> FloatArray:
        """(m,) what the gap is of: the probability, else the decision."""
        return self.harmed if self.probability is None else self.probability


def harm_rows(outcomes: Outcomes, harm: Harm) -> HarmRows | LeftOut:
    """The rows that a harm concerns, or the code of why there are none.

    Rows of a weight of 0 and the unmarked control take no part. A tagger's are those with a gold entity at the slot.
    """
    marked = (outcomes.group < len(outcomes.groups)) & (outcomes.weight > 0)
    if outcomes.decisions is not None:
        return _entities(outcomes.views.get("slot", outcomes), harm, marked)
    if harm.kind == "outcome":
        return _outcome_rows(outcomes, harm, marked)
    answered = has_class(outcomes)
    marked = marked if answered is None else marked & answered
    if harm.label not in outcomes.classes:
        return LeftOut.NO_CLASS
    at = outcomes.classes.index(harm.label)
    gold = outcomes.gold[:, at] > 0
    if harm.kind != "predicted":
        marked = marked & outcomes.labelled & (gold if harm.kind == "missed" else ~gold)
    if not marked.any():
        return LeftOut.NOT_CONCERNED if outcomes.labelled.any() else LeftOut.NO_LABELS
    row = np.flatnonzero(marked)

    def harmful(of_class: FloatArray) -> FloatArray:
        return 1 - of_class[row] if harm.kind == "missed" else of_class[row]

    probability = np.full(len(outcomes), np.nan)
    if outcomes.units is not None:
        probability[outcomes.units.row] = outcomes.units.probability[:, at]
    harmed = harmful(outcomes.predicted[:, at]).astype(np.float64)
    if np.isnan(probability[row]).any():
        return HarmRows(harm, row, harmed, None)
    levels = tuple(tuple(map(harmful, way)) for way in prompt_levels(outcomes.scores, harm.label))
    return HarmRows(harm, row, harmed, harmful(probability), levels)


def _outcome_rows(outcomes: Outcomes, harm: Harm, marked: BoolArray) -> HarmRows | LeftOut:
    """The share of answers to each text that are an outcome other than a class, such as a refusal."""
    share = outcomes.scores.get(harm.label)
    if share is None:
        return LeftOut.NO_SCORE
    row = np.flatnonzero(marked & ~np.isnan(share))
    if not len(row):
        return LeftOut.NOT_CONCERNED
    levels = tuple(tuple(level[row] for level in way) for way in prompt_levels(outcomes.scores, harm.label))
    return HarmRows(harm, row, share[row], None, levels)


def _entities(slot: Outcomes, harm: Harm, marked: BoolArray) -> HarmRows | LeftOut:
    """The entities at the slot that a tagger misses; with a class only those of that type."""
    if harm.kind != "missed":
        return LeftOut.NOT_OF_TAGGERS
    wanted = np.ones(slot.gold.shape[1], dtype=np.bool_)
    if harm.label:
        wanted = np.array([name == harm.label for name in slot.decided_classes])
    expected = slot.gold[:, wanted].sum(axis=1)
    row = np.flatnonzero(marked & slot.labelled & (expected > 0))
    if not len(row):
        return LeftOut.NOT_CONCERNED
    harmed = 1 - divide(slot.correct[row][:, wanted].sum(axis=1), expected[row])
    probability = None
    if slot.units is not None:
        units = slot.units
        inside = (units.label >= 0) & (units.label < len(wanted))
        inside[inside] = wanted[units.label[inside]]
        p = units.probability[inside, units.label[inside]]
        size = len(slot)
        mean = divide(
            np.bincount(units.row[inside], weights=p, minlength=size), np.bincount(units.row[inside], minlength=size)
        )[row]
        probability = None if np.isnan(mean).any() else 1 - mean
    return HarmRows(harm, row, harmed, probability)


def distinct_harms(concerned: Sequence[HarmRows]) -> list[HarmRows]:
    """Without harms that are the same figure on the same rows as an earlier one, as in a task of two classes."""
    distinct: list[HarmRows] = []
    for rows in concerned:
        if not any(same_figures(rows, other) for other in distinct):
            distinct.append(rows)
    return distinct


def same_figures(one: HarmRows, other: HarmRows) -> bool:
    """Whether two harms are the same figure on the same rows."""
    return np.array_equal(one.row, other.row) and np.allclose(one.figure, other.figure, rtol=0, atol=1e-12)


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared: T terms of L lexemes of G groups, and the sources that they stand in.

    Attributes:
        groups: G names.
        terms: T names; the rows of a group that name no term are one term, with the group's name.
        term_group: (T,) the group of each.
        lexeme: (T,) the lexeme of each, in [0, L).
        lexeme_group: (L,) the group of each lexeme.
        lexemes: the shortest term of each lexeme.
        pos: T parts of speech, "" where not known.
        named: (G,) whether all rows of the group name their terms.
        term: (n,) the term of each row of the outcomes; -1 for the control.
        cluster: (n,) a number for the family that the row's source belongs to; a row of its own without.
        block: (n,) the source inside which terms are compared; 0 for all where sources hold one group each.
        sources: whether the rows have sources.
        topic: (n,) the topic of each row's source where topics are declared and too few to be clusters.
    """

    groups: tuple[str, ...]
    terms: tuple[str, ...]
    term_group: IntArray
    lexeme: IntArray
    lexeme_group: IntArray
    lexemes: tuple[str, ...]
    pos: tuple[str, ...]
    named: BoolArray
    term: IntArray
    cluster: IntArray
    block: IntArray
    sources: bool
    topic: IntArray | None = None

    @property
    def size(self) -> int:
        """L."""
        return len(self.lexemes)


def compared(outcomes: Outcomes) -> Compared:
    """The terms, lexemes and sources of the outcomes."""
    n_groups, n = len(outcomes.groups), len(outcomes)
    marked = outcomes.group < n_groups
    nameless = marked & (outcomes.term < 0)
    term = np.where(marked, np.where(nameless, len(outcomes.terms) + outcomes.group, outcomes.term), -1)
    used, code = np.unique(term[marked], return_inverse=True)
    number = np.full(n, -1, dtype=np.int64)
    number[marked] = code
    group = np.zeros(len(used), dtype=np.int64)
    group[code] = outcomes.group[marked]
    known = len(outcomes.terms)
    names = [outcomes.terms[t] if t < known else outcomes.groups[t - known] for t in used.tolist()]
    pos = [outcomes.pos[t] if outcomes.pos and t < known else "" for t in used.tolist()]
    lexemes = outcomes.lexemes or ("",) * known
    lexeme = [lexemes[t] or name if t < known else name for t, name in zip(used.tolist(), names, strict=True)]
    owners = list(zip(group.tolist(), lexeme, strict=True))
    terms_of: dict[tuple[int, str], list[str]] = {}
    for owner, name in zip(owners, names, strict=True):
        terms_of.setdefault(owner, []).append(name)
    at = {owner: i for i, owner in enumerate(terms_of)}
    families = np.unique(np.array(families_of_sources(outcomes.sources), dtype=object), return_inverse=True)[1]
    topics = few_topics_of_sources(outcomes.sources)
    alone = outcomes.source < 0
    cluster = np.where(alone, len(families) + np.arange(n), np.append(families, 0)[outcomes.source])
    return Compared(
        groups=outcomes.groups,
        terms=tuple(names),
        term_group=group,
        lexeme=np.array([at[owner] for owner in owners], dtype=np.int64),
        lexeme_group=np.array([g for g, _lexeme in terms_of], dtype=np.int64),
        lexemes=tuple(min(own, key=len) for own in terms_of.values()),
        pos=tuple(pos),
        named=np.bincount(outcomes.group[nameless], minlength=n_groups)[:n_groups] == 0,
        term=number,
        cluster=cluster.astype(np.int64),
        block=_blocks(outcomes, marked),
        sources=bool(len(outcomes.sources)),
        topic=np.unique(topics, return_inverse=True)[1][outcomes.source] if topics else None,
    )


def _blocks(outcomes: Outcomes, marked: BoolArray) -> IntArray:
    """(n,) the source of each row, or 0 for all where fewer than half of the rows share theirs with another group."""
    size = len(outcomes.sources)
    there = marked & (outcomes.source >= 0)
    pairs = np.unique(outcomes.source[there] * (len(outcomes.groups) + 1) + outcomes.group[there])
    several = np.bincount(pairs // (len(outcomes.groups) + 1), minlength=size) > 1
    shared = int(several[outcomes.source[there]].sum()) if size else 0
    if 2 * shared < int(marked.sum()):
        return np.zeros(len(outcomes), dtype=np.int64)
    return np.where(outcomes.source < 0, size + np.arange(len(outcomes)), outcomes.source).astype(np.int64)


class Figures(NamedTuple):
    """The effects of terms, or of lexemes, on the figures of a harm, which are fitted on the same cells.

    The test is on the logit of the probability, clipped at `CLIP`: a model that is sure of most answers hides gaps from
    a test on probabilities. Without probabilities all three are the effects on the decision.
    """

    tested: TermEffects
    gap: TermEffects
    rate: TermEffects


def clipped_logit(probability: FloatArray) -> FloatArray:
    """The logit of probabilities, clipped at `CLIP`.

    >>> clipped_logit(np.array([0.0, 0.5, 0.9999])).round(2).tolist()
    [-6.91, 0.0, 6.91]
    """
    return np.asarray(logit(np.clip(probability, CLIP, 1 - CLIP)))


def _figures_of(rows: HarmRows) -> list[tuple[FloatArray, Levels]]:
    """The figures (m,) of a harm in the order of `Figures`, with their levels; of decisions alone, one."""
    if rows.probability is None:
        return [(rows.harmed, rows.levels)]
    on_logit = tuple(tuple(map(clipped_logit, way)) for way in rows.levels)
    # of the model's random factors no decisions are known
    return [(clipped_logit(rows.probability), on_logit), (rows.probability, rows.levels), (rows.harmed, ())]


def fit_harm(outcomes: Outcomes, who: Compared, rows: HarmRows) -> Figures:
    """The effects of the T terms on the figures of a harm: a cell is the mean of a source's rows of one term.

    Topics that are too few to be clusters are one more random factor: their variance is added to that over sources.
    """
    return _fit(outcomes, who, rows.row, _figures_of(rows))


def fit_change(outcomes: Outcomes, who: Compared, base: HarmRows, new: HarmRows) -> Figures:
    """The effects of the T terms on the change of the figures from one model to another, on the same rows (m,).

    The rows are paired: what both models have in common takes no part in the change or its error.
    """
    both = zip(_figures_of(base), _figures_of(new), strict=True)
    return _fit(
        outcomes, who, new.row, [(after - before, _level_changes(old, own)) for (before, old), (after, own) in both]
    )


def _level_changes(base: Levels, new: Levels) -> Levels:
    """The changes at each level of the factors that both models have."""
    pairs = zip(base, new, strict=False)
    alike = [(old, own) for old, own in pairs if len(old) == len(own)]
    return tuple(tuple(b - a for a, b in zip(old, own, strict=True)) for old, own in alike)


def _fit(outcomes: Outcomes, who: Compared, row: IntArray, parts: Sequence[tuple[FloatArray, Levels]]) -> Figures:
    figures = [figure for figure, _levels in parts]
    fits = _fit_figures(outcomes, who, row, figures)
    levels = [_effects_at_levels(outcomes, who, row, ways) for _figure, ways in parts]
    if who.topic is not None:
        by_topics = _fit_figures(outcomes, replace(who, cluster=who.topic), row, figures)
        for own, by_topic in zip(levels, by_topics, strict=True):
            if by_topic.scores is not None and by_topic.clusters > 1:  # what each topic adds, as a level
                own.append(by_topic.scores * np.sqrt(by_topic.clusters * (by_topic.clusters - 1)))
    fits = [replace(fit, levels=tuple(own)) for fit, own in zip(fits, levels, strict=True)]
    return Figures(*(fits if len(fits) == 3 else 3 * fits))


def _effects_at_levels(outcomes: Outcomes, who: Compared, row: IntArray, ways: Levels) -> list[FloatArray]:
    """For each random factor of the model the effects (R, T) at each of its levels."""
    levels = []
    for way in ways:
        known = [(figure, ~np.isnan(figure)) for figure in way]
        fits = [_fit_figures(outcomes, who, row[there], [figure[there]])[0] for figure, there in known if there.any()]
        if len(fits) > 1:
            levels.append(np.array([of_level.effect for of_level in fits]))
    return levels


def _fit_figures(outcomes: Outcomes, who: Compared, row: IntArray, figures: Sequence[FloatArray]) -> list[TermEffects]:
    """The effects of the T terms on figures of some rows (m,)."""
    size = len(who.terms)
    block, cluster = (np.unique(codes[row], return_inverse=True)[1] for codes in (who.block, who.cluster))
    n_clusters = int(cluster.max(initial=-1)) + 1
    code = (block * n_clusters + cluster) * size + who.term[row]
    cells, at = np.unique(code, return_inverse=True)
    weight = np.bincount(at, weights=outcomes.weight[row], minlength=len(cells))
    values = [
        np.bincount(at, weights=outcomes.weight[row] * figure, minlength=len(cells)) / weight for figure in figures
    ]
    count = np.bincount(at, minlength=len(cells))
    return fit_figures(
        cells // size // n_clusters, cells % size, cells // size % n_clusters, np.array(values), weight / count, size
    )

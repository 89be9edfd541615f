"""The power of the rule for findings, simulated: each repetition draws sources and words anew, and decides."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.family import MIN_SOURCES
from fairness_checklist.findings.rule import FittedError, Status, Words, decide
from fairness_checklist.statistics.two_way import TermEffects, fit_figures, merge_terms

REPETITIONS = 600
_AT_ONCE = 200_000  # texts that are drawn at once


@dataclass(frozen=True, eq=False)
class HarmLayout:
    """The texts that a harm concerns: m cells, one of each source and term."""

    block: IntArray  # (m,) the source
    cluster: IntArray  # (m,) the source with its rewordings
    term: IntArray  # (m,) positions in the terms
    crossed: bool = False  # whether each source has each term, in order, each term is a word, and none is reworded

    @property
    def sources(self) -> int:
        """Sources, a source and its rewordings counted once."""
        return len(np.unique(self.cluster))


@dataclass(frozen=True, eq=False)
class Layout:
    """What is compared in a suite: T terms of L lexemes of G groups, and for each harm its texts."""

    groups: tuple[str, ...]  # G names
    lexeme: IntArray  # (T,) the lexeme of each term
    lexeme_group: IntArray  # (L,) the group of each lexeme
    harms: tuple[HarmLayout, ...]  # H of them

    @property
    def sizes(self) -> tuple[int, ...]:
        """Lexemes of each group."""
        return tuple(np.bincount(self.lexeme_group, minlength=len(self.groups)).tolist())

    @property
    def comparisons(self) -> int:
        """Groups times errors with enough sources, which share the level."""
        return max(1, len(self.groups) * sum(harm.sources >= MIN_SOURCES for harm in self.harms))


def crossed_layout(sizes: Sequence[int], sources: Sequence[int]) -> Layout:
    """A suite in which each word is in each source: lexemes of each group, sources of each harm."""
    total = sum(sizes)
    harms = []
    for count in sources:
        block = np.repeat(np.arange(count), total)
        harms.append(HarmLayout(block, block, np.tile(np.arange(total), count), crossed=True))
    names = tuple(f"group {g + 1}" for g in range(len(sizes)))
    return Layout(names, np.arange(total), np.repeat(np.arange(len(sizes)), sizes), tuple(harms))


@dataclass(frozen=True)
class SimulatedPower:
    """How often a true gap is found."""

    power: float  # the share of suites in which the group is *worse*
    small: float  # the share of suites in which it is *small*


def simulate_power(
    layout: Layout,
    effects: Effects,
    gap: float,
    *,
    group: int = 0,
    harm: int = 0,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> SimulatedPower:
    """The share of suites like this one in which one group with a true gap in one harm is *worse*, and *small*."""
    margin, shift = min(MARGIN, gap) if gap > 0 else MARGIN, effects.shift(gap)
    found = [status[group] for status in _statuses(layout, effects, shift, group, harm, margin, repetitions, seed)]
    return SimulatedPower(*(found.count(status) / repetitions for status in (Status.WORSE, Status.SMALL)))


def small_shares(
    layout: Layout,
    effects: Effects,
    *,
    harm: int = 0,
    margin: float = MARGIN,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> list[float]:
    """[G] the share of suites in which each group is *small*, where none has a gap."""
    found = list(_statuses(layout, effects, 0.0, None, harm, margin, repetitions, seed))
    return [list(of_group).count(Status.SMALL) / repetitions for of_group in zip(*found, strict=True)]


def _statuses(
    layout: Layout,
    effects: Effects,
    shift: float,
    group: int | None,
    harm: int,
    margin: float,
    repetitions: int,
    seed: int,
) -> Iterator[tuple[Status, ...]]:
    """The statuses of all groups in each of so many suites; with a group all others are left open."""
    texts = layout.harms[harm]
    random = np.random.default_rng(seed)
    words = Words(layout.lexeme_group, np.bincount(layout.lexeme).astype(np.float64), len(layout.groups))
    groups = np.arange(len(layout.groups))[None]
    asked = np.ones(groups.shape, dtype=np.bool_) if group is None else groups == group
    each = max(1, _AT_ONCE // len(texts.term))
    for start in followed(range(0, repetitions, each), "simulating", "parts"):
        scores = _scores(layout, texts, effects, group, shift, random, min(each, repetitions - start))
        gaps, tested = (_fits(layout, texts, values) for values in (effects.figures(scores), effects.tested(scores)))
        for of_gap, of_logit in zip(gaps, tested, strict=True):
            error = FittedError(gap=of_gap, tested=of_logit, adjusted=of_gap)
            yield decide([error], words, margin=margin, enough=asked, comparisons=layout.comparisons)[0].status


def _scores(
    layout: Layout,
    texts: HarmLayout,
    effects: Effects,
    group: int | None,
    shift: float,
    random: np.random.Generator,
    n: int,
) -> FloatArray:
    """(n, m) the scores of n tables that are drawn."""
    size = len(layout.lexeme_group)
    words = effects.terms * random.normal(size=(n, size)) + shift * np.asarray(layout.lexeme_group == group)
    words = words[:, layout.lexeme] + effects.location(effects.rate)
    clusters = int(texts.cluster.max()) + 1
    pairs = effects.sources * random.normal(size=(n, clusters, 1))
    pairs = pairs + effects.sources_by_group * random.normal(size=(n, clusters, len(layout.groups)))
    score = effects.cells * random.normal(size=(n, len(texts.term)))
    of_term = layout.lexeme_group[layout.lexeme]
    return np.asarray(score + words[:, texts.term] + pairs[:, texts.cluster, of_term[texts.term]])


def _fits(layout: Layout, texts: HarmLayout, figures: FloatArray) -> list[TermEffects]:
    size = len(layout.lexeme)
    if texts.crossed:
        return [balanced_effects(table) for table in figures.reshape(len(figures), -1, size)]
    fits = fit_figures(texts.block, texts.term, texts.cluster, figures, np.ones(len(texts.term)), size)
    return [merge_terms(fit, layout.lexeme, len(layout.lexeme_group)) for fit in fits]


def balanced_effects(table: FloatArray) -> TermEffects:
    """What `fit_figures` finds of a table (S, T) in which each source has each term; without the covariance (NaN)."""
    rows, columns = table.shape
    base = table.mean(axis=1, keepdims=True)
    effect = (table - base).mean(axis=0)
    rest = table - base - effect
    cells = (np.eye(columns) - 1 / columns) / rows
    variance = float((rest**2).sum()) / ((rows - 1) * (columns - 1))
    unknown = np.broadcast_to(np.nan, cells.shape)
    scores = rest / math.sqrt(rows * (rows - 1))
    return TermEffects(effect, scores, unknown, variance, cells, rows, True, (), float(base.mean()))

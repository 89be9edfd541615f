"""The power of the rule for findings, simulated: sources and words are drawn anew in each repetition.

A repetition draws a table of scores (`Effects`), fits it and tests it as `family_of` does. The share of repetitions in
which the t of the shifted group is above the critical value is the power. Critical values vary little from table to
table: they are taken from a few tables, and each t is compared with each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import followed
from fairness_checklist.core.tasks import Harm
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.findings.family import MIN_LEXEMES, MIN_SOURCES, HarmFit, are_few, family_of, scopes_of
from fairness_checklist.findings.harm_cells import Compared, HarmRows
from fairness_checklist.statistics.two_way import Gaps, TermEffects, assigned, fit_term_effects, merge_terms, two_way

GapsOf = Callable[[FloatArray, IntArray], Gaps]
"""The gaps (n, G) of n tables of figures (n, m), with the group of each lexeme (L,); -1 leaves a lexeme out."""


def repeated_gaps(
    block: IntArray, term: IntArray, cluster: IntArray, lexeme: IntArray, n_lexemes: int, n_groups: int
) -> GapsOf:
    """Solve once for all tables that have these m cells; each term and lexeme has a cell, and all weigh the same.

    Block, term and cluster (what varies together: a source with its rewordings) are of each cell, lexeme of each term.
    """
    m, n_terms = len(block), len(lexeme)
    inverse = fit_term_effects(block, term, cluster, np.zeros(m), np.ones(m), n_terms).cell_covariance
    order = np.argsort(cluster, kind="stable")
    block, term = np.unique(block, return_inverse=True)[1][order], term[order]
    starts = np.unique(cluster[order], return_index=True)[1]
    sizes = np.bincount(block)
    of_blocks: csr_array = csr_array((1 / sizes[block], (np.arange(m), block)), shape=(m, len(sizes)))
    of_terms: csr_array = csr_array((np.ones(m), (np.arange(m), term)), shape=(m, n_terms))
    shares: csr_array = csr_array((np.ones(m), (block, term)), shape=(len(sizes), n_terms))
    weights = np.zeros((n_terms, n_lexemes))
    weights[np.arange(n_terms), lexeme] = 1 / np.bincount(lexeme, minlength=n_lexemes)[lexeme]
    freedom = m - len(sizes) - int(np.linalg.matrix_rank(inverse, hermitian=True))
    n_clusters = len(starts)

    def gaps(figures: FloatArray, labels: IntArray) -> Gaps:
        values = np.ascontiguousarray(figures[:, order])
        means = values @ of_blocks
        effect: FloatArray = (values @ of_terms - means @ shares) @ inverse
        base = means - effect @ shares.T / sizes
        rest = values - effect[:, term] - base[:, block]
        of_cells = (rest**2).sum(axis=1) / freedom if freedom > 0 else np.zeros(len(rest))
        assignment = assigned(labels[None], n_groups)
        contrast = assignment.contrast[0] @ weights.T
        by_group = [np.add.reduceat(rest * row[term], starts, axis=1) for row in contrast @ inverse]
        of_sources = np.stack([(sums**2).sum(axis=1) for sums in by_group], axis=1)
        of_sources *= n_clusters / (n_clusters - 1) if n_clusters > 1 else np.nan
        merged = effect @ weights
        of_cell = (contrast @ inverse * contrast).sum(axis=1)
        both = two_way(of_sources, assignment.of_terms(merged), of_cells[:, None] * of_cell)
        return Gaps(merged @ assignment.contrast[0].T, np.sqrt(np.maximum(of_sources, 0.0)), np.sqrt(both))

    return gaps


def balanced_gaps(tables: FloatArray, labels: IntArray, n_groups: int) -> Gaps:
    """The gaps (n, G) of n tables (n, S, L) in which each lexeme is in each source once, without solving.

    Labels (L,) are the group of each lexeme; -1 leaves it out. The numbers are those of `fit_term_effects`.
    """
    assignment = assigned(labels[None], n_groups)
    _, rows, columns = tables.shape
    by_source = tables @ assignment.contrast[0].T
    of_sources = by_source.var(axis=1, ddof=1) / rows
    effect, base = tables.mean(axis=1), tables.mean(axis=2)
    mean = base.mean(axis=1, keepdims=True)
    squares = (tables**2).sum(axis=(1, 2)) - columns * (base**2).sum(axis=1)
    rest = np.maximum(squares - rows * ((effect - mean) ** 2).sum(axis=1), 0.0)
    of_cells = (rest / ((rows - 1) * (columns - 1)))[:, None] * (assignment.contrast[0] ** 2).sum(axis=1) / rows
    both = two_way(of_sources, assignment.of_terms(effect - mean), of_cells)
    return Gaps(by_source.mean(axis=1), np.sqrt(of_sources), np.sqrt(both))


REPETITIONS = 3000
_CRITICAL_SHARE = 125  # one critical value for so many repetitions, and 8 at least
_AT_ONCE = 200_000  # texts that are drawn at once


@dataclass(frozen=True, eq=False)
class HarmLayout:
    """The texts that a harm concerns: m cells, one of each source and term."""

    block: IntArray  # (m,) the source
    cluster: IntArray  # (m,) the source with its rewordings
    term: IntArray  # (m,) positions in the terms
    crossed: bool = False  # whether each of the sources has each of the terms, in order, and none has a rewording

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
    def group(self) -> IntArray:
        """(T,) the group of each term."""
        of_terms: IntArray = self.lexeme_group[self.lexeme]
        return of_terms


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

    gap: float  # the true gap of the group, as a difference of mean figures
    power: float  # the share of suites in which its simultaneous interval lies above 0
    standard_error: float  # of that share, from repetitions and critical values


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
    """The share of suites like this one in which a true gap of one group in one harm is found.

    Found is what `findings` calls clear without a placebo: the simultaneous lower bound over the family lies above 0,
    also without groups that are treated better, where these are less than a third (`without_better_groups`). The gap is
    that of the group's mean figure and ``effects.rate``, which is that of all other groups.
    """
    scope = scopes_of(_compared(layout))
    if scope[group] != 0:
        raise OptionError(
            f"the group {layout.groups[group]} or all others have fewer than {MIN_LEXEMES} terms.",
            remedy="A finding is then about these words and not about the group: add terms.",
        )
    if layout.harms[harm].sources < MIN_SOURCES:
        raise OptionError(f"{layout.harms[harm].sources} sentences count, expected {MIN_SOURCES} at least.")
    shifts = np.zeros(len(layout.groups))
    shifts[group] = effects.shift(gap)
    random = np.random.default_rng(seed)
    texts = layout.harms[harm]
    gaps_of = _gaps_of(layout, texts)
    count = max(8, repetitions // _CRITICAL_SHARE)
    critical = np.array([_critical(layout, harm, effects, shifts, scope, random) for _ in range(count)])
    parts: list[BoolArray] = []
    each = max(1, _AT_ONCE // len(texts.term))
    for start in followed(range(0, repetitions, each), "simulating", "parts"):
        scores = _scores(layout, texts, effects, shifts, random, min(each, repetitions - start))
        gap_found = gaps_of(effects.figures(scores), layout.lexeme_group).gap[:, group, None] > 0
        parts.append(_above(layout, gaps_of, effects.tested(scores), group, critical) & gap_found)
    above = np.concatenate(parts)
    variance = above.mean(axis=1).var(ddof=1) / repetitions + above.mean(axis=0).var(ddof=1) / count
    return SimulatedPower(gap, float(above.mean()), math.sqrt(variance))


def _scores(
    layout: Layout, texts: HarmLayout, effects: Effects, shifts: FloatArray, random: np.random.Generator, n: int
) -> FloatArray:
    """(n, m) the scores of n tables that are drawn."""
    words = effects.terms * random.normal(size=(n, len(layout.lexeme_group))) + shifts[layout.lexeme_group]
    words = words[:, layout.lexeme] + effects.location(effects.rate)
    clusters = int(texts.cluster.max()) + 1
    pairs = effects.sources * random.normal(size=(n, clusters, 1))
    pairs = pairs + effects.sources_by_group * random.normal(size=(n, clusters, len(layout.groups)))
    score = effects.cells * random.normal(size=(n, len(texts.term)))
    if texts.crossed:
        table = score.reshape(n, clusters, len(layout.lexeme))
        table += words[:, None, :]
        table += pairs[:, :, layout.group]
    else:
        score += words[:, texts.term] + pairs[:, texts.cluster, layout.group[texts.term]]
    return score


def _gaps_of(layout: Layout, texts: HarmLayout) -> GapsOf:
    n_groups, n_lexemes = len(layout.groups), len(layout.lexeme_group)
    if texts.crossed:
        shape = (-1, texts.sources, n_lexemes)
        return lambda figures, labels: balanced_gaps(figures.reshape(shape), labels, n_groups)
    return repeated_gaps(texts.block, texts.term, texts.cluster, layout.lexeme, n_lexemes, n_groups)


def _above(layout: Layout, gaps_of: GapsOf, figure: FloatArray, group: int, critical: FloatArray) -> BoolArray:
    """(n, K) whether the group is found in each of n tables with each of K critical values.

    As in `without_better_groups`, a gap that is there only beside a few groups that are treated better does not count.
    """
    size, t = len(layout.groups), gaps_of(figure, layout.lexeme_group).t()
    above: BoolArray = t[:, group, None] > critical
    better = t[:, None, :] < -critical[:, None]
    asked = above & are_few(better.sum(axis=2), size)
    for row in np.flatnonzero(asked.any(axis=1)):
        for groups in np.unique(better[row, asked[row]], axis=0):
            same = asked[row] & (better[row] == groups).all(axis=1)
            labels = np.where(groups[layout.lexeme_group], -1, layout.lexeme_group)
            left = gaps_of(figure[row : row + 1], labels)
            above[row, same] = left.gap[0, group] > critical[same] * left.over_both[0, group]
    return above


def _fitted(layout: Layout, texts: HarmLayout, figure: FloatArray) -> TermEffects:
    """The effects of lexemes in one table (m,)."""
    terms = len(layout.lexeme)
    if texts.crossed:
        return _balanced(figure.reshape(-1, terms))
    fit = fit_term_effects(texts.block, texts.term, texts.cluster, figure, np.ones(len(figure)), terms)
    return merge_terms(fit, layout.lexeme, len(layout.lexeme_group))


def _balanced(table: FloatArray) -> TermEffects:
    """What `fit_term_effects` finds of a table (S, L) without gaps, without solving."""
    rows, columns = table.shape
    centred = table - table.mean(axis=1, keepdims=True)
    effect = centred.mean(axis=0)
    rest = centred - effect
    scores = rest / math.sqrt(rows * (rows - 1))
    cells = (np.eye(columns) - 1 / columns) / rows
    variance = float((rest**2).sum()) / ((rows - 1) * (columns - 1))
    return TermEffects(effect, scores, scores.T @ scores, variance, cells, rows, connected=True)


def _critical(
    layout: Layout, harm: int, effects: Effects, shifts: FloatArray, scope: IntArray, random: np.random.Generator
) -> float:
    """The critical value of the family of one suite that is drawn; only one harm has a gap."""
    scores = (
        _scores(layout, of, effects, shifts if h == harm else 0 * shifts, random, 1)[0]
        for h, of in enumerate(layout.harms)
    )
    fits = [_fitted(layout, of, effects.tested(score)) for of, score in zip(layout.harms, scores, strict=True)]
    rows = list(_rows(layout))
    family = family_of(
        _compared(layout),
        tuple(HarmFit.of(of, fit, layout.lexeme_group) for of, fit in zip(rows, fits, strict=True)),
        scope,
        {},
        seed=int(random.integers(2**31)),
    )
    return float(family.critical[0])


def _compared(layout: Layout) -> Compared:
    names = tuple(f"term {t}" for t in range(len(layout.lexeme)))
    most = max((int(harm.cluster.max()) + 1 for harm in layout.harms), default=1)
    return Compared(
        groups=layout.groups,
        terms=names,
        term_group=layout.group,
        lexeme=layout.lexeme,
        lexeme_group=layout.lexeme_group,
        lexemes=tuple(f"lexeme {t}" for t in range(len(layout.lexeme_group))),
        pos=("",) * len(names),
        named=np.ones(len(layout.groups), dtype=np.bool_),
        term=np.concatenate([harm.term for harm in layout.harms]),
        cluster=np.concatenate([harm.cluster + most * h for h, harm in enumerate(layout.harms)]),
        block=np.concatenate([harm.block for harm in layout.harms]),
        sources=True,
    )


def _rows(layout: Layout) -> Iterator[HarmRows]:
    start = 0
    for h, harm in enumerate(layout.harms):
        row = np.arange(start, start + len(harm.block))
        start += len(row)
        yield HarmRows(Harm(f"harm {h}", "called", "", ""), row, np.zeros(len(row)), None)

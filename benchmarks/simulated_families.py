"""Families of groups whose true gaps are known, and several tests of them on the same draws.

A score on the logit has a part of the source, of the lexeme, of what a source does to a group, and of the cell. Three
classes; the harm is that a text that is not negative is called negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import stats

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.findings.family import ALPHA, MIN_LEXEMES, _quantile
from fairness_checklist.statistics.two_way import TermEffects, signed_effects

TERM_SD, SOURCE_GROUP_SD, CELL_SD, SOURCE_SD, GOLD = 0.3, 0.25, 0.5, 0.6, 1.2
POOLED = 1e9
"""A prior as strong as this is the pooled variance; one as weak as its inverse the group's own."""
PRIORS = {"pooled": POOLED, "moderated 8": 8.0, "moderated 4": 4.0, "own": 1 / POOLED}
DESIGNS: dict[str, tuple[tuple[int, ...], int]] = {
    "5 x 30": ((5,) * 6, 30),
    "8 x 30": ((8,) * 6, 30),
    "20 x 30": ((20,) * 6, 30),
    "20 x 60": ((20,) * 6, 60),
    "5,5,8,10,20,30": ((5, 5, 8, 10, 20, 30), 30),
    "30,20,10,8,5,5": ((30, 20, 10, 8, 5, 5), 30),
    "20,20": ((20, 20), 30),
    "5,60": ((5, 60), 30),
    "twelve of 5": ((5,) * 12, 30),
    "six of 8, one of 1": ((8,) * 6 + (1,), 30),
}
EFFECTS = ("normal", "heavy", "spread")
GRID = np.arange(-8.0, 8.01, 0.1)


def drawn(random: np.random.Generator, shape: tuple[int, ...], heavy: bool) -> FloatArray:
    """Effects with variance 1: normal, or Student's t with 3 degrees of freedom."""
    found: FloatArray = random.standard_t(3, size=shape) / np.sqrt(3) if heavy else random.normal(size=shape)
    return found


@lru_cache
def expected(heavy: bool) -> FloatArray:
    """The mean probability of the harm for a lexeme's effect on the logit, at each point of `GRID`."""
    random = np.random.default_rng(0)
    size = 60_000
    base = SOURCE_SD * random.normal(size=(size, 3)) + CELL_SD * random.normal(size=(size, 3))
    base[:, 1] += GOLD  # the two other classes are alike
    base[:, 0] += SOURCE_GROUP_SD * drawn(random, (size,), heavy)
    rest = np.exp(base[:, 1]) + np.exp(base[:, 2])
    return np.array([(1 / (1 + rest * np.exp(-base[:, 0] - at))).mean() for at in GRID])


@lru_cache
def level(shift: float, sd: float, heavy: bool) -> float:
    """The population mean of the probability: endlessly many sources and lexemes."""
    effects = sd * drawn(np.random.default_rng(1), (200_000,), heavy) + shift
    return float(np.interp(effects, GRID, expected(heavy)).mean())


@dataclass(frozen=True, eq=False)
class Design:
    """Sizes of G groups, sources, and what the lexemes of each add on the logit.

    Attributes:
        shift: (G,) the group's effect. With spread effects it holds the mean *probability* of all groups equal.
        sd: (G,) of the lexemes' effects.
    """

    sizes: tuple[int, ...]
    sources: int
    shift: FloatArray
    sd: FloatArray
    heavy: bool

    @property
    def group(self) -> IntArray:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def lexemes(self, random: np.random.Generator) -> FloatArray:
        """(L,) effects of lexemes on the logit, the group's included."""
        effects = drawn(random, (sum(self.sizes),), self.heavy)
        return effects * self.sd[self.group] + self.shift[self.group]

    def true_gap(self, lexemes: FloatArray | None = None) -> FloatArray:
        """(G,) population gaps: of the groups, or of lexemes with these effects."""
        if lexemes is None:
            mean = np.array([level(a, b, self.heavy) for a, b in zip(self.shift, self.sd, strict=True)])
        else:
            of_each = np.interp(lexemes, GRID, expected(self.heavy))
            mean = np.bincount(self.group, weights=of_each) / np.array(self.sizes)
        size = np.array(self.sizes)
        return mean - ((mean * size).sum() - mean * size) / (size.sum() - size)

    def scores(self, random: np.random.Generator, lexemes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Probability of the harm, and whether the decision is harmful: (S', L) over the sources that count."""
        count = round(self.sources * 2 / 3)
        base = SOURCE_SD * random.normal(size=(count, 3))
        base[np.arange(count), random.integers(1, 3, size=count)] += GOLD
        score = base[:, None, :] + CELL_SD * random.normal(size=(count, len(lexemes), 3))
        own = SOURCE_GROUP_SD * drawn(random, (count, len(self.sizes)), self.heavy)
        score[:, :, 0] += lexemes + own[:, self.group]
        size = np.exp(score)
        return size[:, :, 0] / size.sum(axis=2), (score.argmax(axis=2) == 0).astype(np.float64)


def design(name: str, effects: str = "normal", shift: float = 0.0) -> Design:
    """A design of `DESIGNS` with one of `EFFECTS`, and the first group shifted on the logit."""
    sizes, sources = DESIGNS[name]
    heavy = effects == "heavy"
    sd = TERM_SD * (np.linspace(0.4, 2, len(sizes)) if effects == "spread" else np.ones(len(sizes)))
    wanted = level(0.0, TERM_SD, heavy)
    shifts = np.array([_equal(wanted, s, heavy) for s in sd])
    shifts[0] += shift
    return Design(sizes, sources, shifts, sd, heavy)


@lru_cache
def _equal(wanted: float, sd: float, heavy: bool) -> float:
    """The shift with which lexemes of this standard deviation have the wanted mean probability."""
    low, high = -1.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if level.__wrapped__(middle, sd, heavy) < wanted else (low, middle)
    return (low + high) / 2


def balanced(table: FloatArray) -> TermEffects:
    """The effects of a table (S, L) without gaps: what `fit_term_effects` finds, without solving."""
    rows, columns = table.shape
    centred = table - table.mean(axis=1, keepdims=True)
    effect = centred.mean(axis=0)
    rest = centred - effect
    scores = rest / np.sqrt(rows * (rows - 1))
    cells = (np.eye(columns) - 1 / columns) / rows
    variance = float((rest**2).sum()) / ((rows - 1) * (columns - 1))
    return TermEffects(effect, scores, scores.T @ scores, variance, cells, rows, connected=True)


@dataclass(frozen=True, eq=False)
class Parts:
    """What the standard errors of P assignments of lexemes to G groups are made of: arrays (P, G)."""

    gap: FloatArray
    n: FloatArray
    of_sources: FloatArray
    of_cells: FloatArray
    squares: FloatArray

    def error(self, prior: float) -> FloatArray:
        """The two-way standard error, as `group_gaps` has it with this `PRIOR_DF`."""
        own_df = np.maximum(self.n - 1, 0)
        pooled = self.squares.sum(axis=1, keepdims=True) / own_df.sum(axis=1, keepdims=True)
        variance = (prior * pooled + self.squares) / (prior + own_df)
        summed = self.n * variance
        m = self.n.sum(axis=1, keepdims=True) - self.n
        of_terms = variance / self.n + (summed.sum(axis=1, keepdims=True) - summed) / m**2
        largest = np.maximum(self.of_sources + of_terms - self.of_cells, self.of_sources)
        return np.sqrt(np.maximum(largest, of_terms))


def parts(fit: TermEffects, labels: IntArray, n_groups: int, effects: FloatArray | None = None) -> Parts:
    """Gaps and parts of variance; labels (P, L), or (1, L) for effects (P, L)."""
    inside = (labels[:, None, :] == np.arange(n_groups)[:, None]).astype(np.float64)
    n = inside.sum(axis=2)
    m = labels.shape[1] - n
    contrast = inside / n[..., None] - (1 - inside) / m[..., None]
    flat = contrast.reshape(-1, labels.shape[1])
    of_sources = ((flat @ fit.covariance) * flat).sum(axis=1).reshape(n.shape)
    of_cells = fit.cell_variance / fit.clusters * (1 / n + 1 / m)
    if effects is None:
        gap = contrast @ fit.effect
        mean, square = inside @ fit.effect / n, inside @ fit.effect**2
    else:
        gap = effects @ contrast[0].T
        mean, square = effects @ inside[0].T / n, effects**2 @ inside[0].T
    return Parts(gap, n + 0 * gap, of_sources + 0 * gap, of_cells + 0 * gap, np.maximum(square - n * mean**2, 0))


@dataclass(frozen=True, eq=False)
class Tested:
    """One test of one family: gaps, what is called a finding, and the ends of intervals, (G,) each; NaN without."""

    gap: FloatArray
    claimed: BoolArray
    low: FloatArray
    high: FloatArray
    error: FloatArray


def by_critical(gap: FloatArray, error: FloatArray, critical: float, kept: BoolArray) -> Tested:
    """Claims and intervals from one critical value."""
    low, high = gap - critical * error, gap + critical * error
    return Tested(gap, (low > 0) & kept, low, high, error)


def two_way(fit: TermEffects, labels: IntArray, draws: int, random: np.random.Generator) -> Iterator[tuple[str, Tested]]:
    """The two-way t with each prior and each null distribution."""
    n_groups = int(labels.max()) + 1
    size = np.bincount(labels)
    kept = size >= MIN_LEXEMES
    wanted = 1 - ALPHA * kept.mean()
    own = parts(fit, labels[None], n_groups)
    permuted = parts(fit, random.permuted(np.tile(labels, (draws, 1)), axis=1), n_groups)
    signed = parts(fit, labels[None], n_groups, signed_effects(fit, labels, draws, random))
    for name, prior in PRIORS.items():
        error = own.error(prior)[0]
        critical = [
            _quantile(np.abs(side.gap / side.error(prior))[:, kept].max(axis=1), wanted) for side in (permuted, signed)
        ]
        for null, value in (("permuted", critical[0]), ("signed", critical[1]), ("both", max(critical))):
            yield f"{name}, {null}", by_critical(own.gap[0], error, value, kept)


def unscaled(table: FloatArray, labels: IntArray, draws: int, random: np.random.Generator) -> Tested:
    """Gaps of rates without standard errors, against the largest one of permuted lexemes: the first edition."""
    n_groups = int(labels.max()) + 1
    kept = np.bincount(labels) >= MIN_LEXEMES
    mean = table.mean(axis=0)
    rows = np.vstack([labels, random.permuted(np.tile(labels, (draws, 1)), axis=1)])
    inside = rows[:, None, :] == np.arange(n_groups)[:, None]
    n = inside.sum(axis=2)
    total = inside @ mean
    gap = total / n - (mean.sum() - total) / (len(mean) - n)
    critical = _quantile(np.abs(gap[1:])[:, kept].max(axis=1), 1 - ALPHA)
    return by_critical(gap[0], np.ones(n_groups), critical, kept)


def welch(table: FloatArray, labels: IntArray) -> Tested:
    """Welch's t-test of the rates of a group's lexemes against those of all others, with Holm's correction."""
    mean = table.mean(axis=0)
    size = np.bincount(labels)
    kept = size >= MIN_LEXEMES
    gap, error, p = np.full((3, len(size)), np.nan)
    for g in np.flatnonzero(kept):
        own, rest = mean[labels == g], mean[labels != g]
        parts_of = own.var(ddof=1) / len(own), rest.var(ddof=1) / len(rest)
        gap[g], error[g] = own.mean() - rest.mean(), np.sqrt(sum(parts_of))
        if error[g] > 0:
            df = sum(parts_of) ** 2 / (parts_of[0] ** 2 / (len(own) - 1) + parts_of[1] ** 2 / (len(rest) - 1))
            p[g] = 2 * stats.t.sf(abs(gap[g]) / error[g], df)
    order = np.argsort(p)[: kept.sum()]
    adjusted = np.full(len(size), np.nan)
    adjusted[order] = np.maximum.accumulate(p[order] * (kept.sum() - np.arange(len(order))))
    return Tested(gap, (adjusted <= ALPHA) & (gap > 0), gap * np.nan, gap * np.nan, error)


def mixed(table: FloatArray, labels: IntArray) -> Tested:
    """A mixed model of the logit with random sources, lexemes and sources x groups; Wald tests with Bonferroni.

    The variances are the analysis-of-variance estimates, which equal REML where groups are of one size and none is 0.
    """
    logit = np.log(table / (1 - table))
    rows, columns = logit.shape
    size = np.bincount(labels).astype(np.float64)
    kept = size >= MIN_LEXEMES
    inside = (labels == np.arange(len(size))[:, None]) / size[:, None]
    cell = logit @ inside.T
    term = logit.mean(axis=0)
    mean = cell.mean(axis=0)
    of_cell = (((logit - cell[:, labels]) - (term - mean[labels])) ** 2).sum() / ((rows - 1) * (columns - len(size)))
    of_term = ((term - mean[labels]) ** 2).sum() / (columns - len(size)) - of_cell / rows
    both = cell - cell.mean(axis=0)
    middle = (both * size).sum(axis=1, keepdims=True) / size.sum()
    share = (size.sum() - (size**2).sum() / size.sum()) / (len(size) - 1)
    of_pair = ((both - middle) ** 2 * size).sum() / ((rows - 1) * (len(size) - 1))
    of_pair = max(0.0, (of_pair - of_cell) / share)
    variance = max(0.0, of_term) / size + of_pair / rows + of_cell / rows / size
    m = size.sum() - size
    gap = mean - ((mean * size).sum() - mean * size) / m
    weighted = variance * size**2
    error = np.sqrt(variance + (weighted.sum() - weighted) / m**2)
    critical = float(stats.norm.isf(ALPHA / 2 / kept.sum()))
    return by_critical(gap, error, critical, kept)

"""Worlds whose true gaps are known: tables of figures of groups, words and sentences, and what the rule says of them.

The score of a text is a sum on the logit: of its sentence, its word, what a sentence does to a group, and the text. The
figure is the probability, or the decision (1 where the score is above 0). Where groups have no gap, their mean figures
are equal, also where their words vary unlike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from scipy import special, stats
from scipy.optimize import brentq

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.extensions.plan.power_simulation import balanced_effects
from fairness_checklist.findings.compared import Compared
from fairness_checklist.findings.errors import HarmRows, clipped_logit
from fairness_checklist.findings.family import Counts, Family, HarmFit, decided_family
from fairness_checklist.statistics.multiplicity import ALPHA
from fairness_checklist.statistics.two_way import merge_terms

TERM_SD, SOURCE_GROUP_SD, CELL_SD, SOURCE_SD = 0.3, 0.25, 0.5, 0.6
HARMS = TASKS["sentiment"].harms
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
_GRID = np.arange(-25.0, 25.01, 0.05)


@dataclass(frozen=True)
class World:
    """A design.

    Attributes:
        sizes: (G,) lexemes of each group.
        sources: sentences that the error concerns.
        words: the standard deviation of the effects of words; one number, or one a group.
        heavy: whether effects of words have the tails of Student's t with 3 degrees of freedom.
        rate: the mean figure of the groups without a gap.
        gap: what the mean figure of the first group lies above it.
        decisions: whether the figure is the decision.
        terms: (L,) the terms of each lexeme; one each by default.
        errors: how many errors are tested; the first has the gap.
        copies: lexemes in a row that are one word, which is not recorded.
        carried: whether the gap is that of the first word alone, which is so much larger.
        reference: the position of the group that all others are compared with.
    """

    sizes: tuple[int, ...]
    sources: int = 30
    words: float | tuple[float, ...] = TERM_SD
    heavy: bool = False
    rate: float = 0.2
    gap: float = 0.0
    decisions: bool = False
    terms: tuple[int, ...] = ()
    errors: int = 1
    copies: int = 1
    carried: bool = False
    reference: int | None = None
    source_group: float = SOURCE_GROUP_SD
    cells: float = CELL_SD

    @property
    def group(self) -> IntArray:
        """(L,) the group of each lexeme."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def lexeme(self) -> IntArray:
        """(T,) the lexeme of each term."""
        return np.repeat(np.arange(len(self.group)), self.terms or 1)

    @property
    def word_sd(self) -> FloatArray:
        """(G,) the standard deviations of words."""
        return np.broadcast_to(np.asarray(self.words, dtype=np.float64), len(self.sizes))

    def true_gap(self) -> FloatArray:
        """(G,) the gaps of mean figures of the first error."""
        mean = np.full(len(self.sizes), self.rate)
        mean[0] += 0.0 if self.carried else self.gap
        weight = np.bincount(self.group[self.lexeme]).astype(np.float64)
        others = ((mean * weight).sum() - mean * weight) / (weight.sum() - weight)
        found: FloatArray = mean - (others if self.reference is None else mean[self.reference])
        return found

    def scores(self, random: np.random.Generator, *, shifted: bool = True) -> FloatArray:
        """(S, T) the scores of one table; without ``shifted`` no group has a gap."""
        group, shape = self.group, (self.sources, len(self.lexeme))
        count = -(-len(group) // self.copies)
        drawn = random.standard_t(3, size=count) / np.sqrt(3) if self.heavy else random.normal(size=count)
        rest = float(np.sqrt(SOURCE_SD**2 + self.source_group**2 + self.cells**2))
        at = np.array([location(self.rate, sd, rest, self.heavy, self.decisions) for sd in self.word_sd])
        effects = self.word_sd[group] * np.repeat(drawn, self.copies)[: len(group)] + at[group]
        if shifted and self.gap:
            of_first = location(self.rate + self.gap, self.word_sd[0], rest, self.heavy, self.decisions) - at[0]
            effects[(np.arange(len(group)) == 0) if self.carried else group == 0] += of_first
        pairs = self.source_group * random.normal(size=(self.sources, len(self.sizes)))
        base = SOURCE_SD * random.normal(size=(self.sources, 1)) + effects[self.lexeme] + pairs[:, group[self.lexeme]]
        found: FloatArray = base + self.cells * random.normal(size=shape)
        return found


@cache
def _mean_figures(rest: float, decisions: bool) -> FloatArray:
    """The mean figure of words at `_GRID`, over sentences and texts."""
    if decisions:
        return np.asarray(stats.norm.cdf(_GRID / rest))
    return np.asarray(special.expit(_GRID[:, None] + rest * _NODES) @ _WEIGHTS / _WEIGHTS.sum())


@cache
def location(mean: float, sd: float, rest: float, heavy: bool, decisions: bool) -> float:
    """The mean score of a group whose mean figure is ``mean``."""
    quantiles = (np.arange(4000) + 0.5) / 4000
    words = stats.t.ppf(quantiles, 3) / np.sqrt(3) if heavy else stats.norm.ppf(quantiles)
    of_grid = _mean_figures(rest, decisions)
    found: float = brentq(lambda at: np.interp(at + sd * words, _GRID, of_grid).mean() - mean, -15.0, 15.0, xtol=1e-6)
    return found


@cache
def compared_in(world: World) -> Compared:
    """The terms and rows of the tables of a world, those of its errors one after the other."""
    group, lexeme = world.group, world.lexeme
    size, count = len(lexeme), world.errors * world.sources
    source = np.repeat(np.arange(count), size)
    return Compared(
        groups=tuple(f"group {g}" for g in range(len(world.sizes))),
        terms=tuple(f"term {t}" for t in range(size)),
        term_group=group[lexeme],
        lexeme=lexeme,
        lexeme_group=group,
        lexemes=tuple(f"word {i}" for i in range(len(group))),
        pos=("",) * size,
        named=np.ones(len(world.sizes), dtype=np.bool_),
        count=np.bincount(lexeme).astype(np.float64),
        term=np.tile(np.arange(size), count),
        cluster=source,
        block=source,
        sources=True,
    )


def fit_of(world: World, scores: FloatArray, at: int = 0) -> HarmFit:
    """The fit of one error of a table (S, T)."""
    who, rows = compared_in(world), np.arange(at * scores.size, (at + 1) * scores.size)
    probability, decided = special.expit(scores), (scores > 0).astype(np.float64)
    figures = [decided] if world.decisions else [probability, clipped_logit(probability)]
    terms = [balanced_effects(figure) for figure in figures]
    lexemes = [merge_terms(fit, who.lexeme, who.size) for fit in terms]
    n = np.full(scores.shape[1], world.sources)
    counts = Counts(n, n.astype(np.float64), figures[0].sum(axis=0), decided.sum(axis=0))
    of_harm = HarmRows(HARMS[at], rows, decided.ravel(), None if world.decisions else probability.ravel())
    return HarmFit(of_harm, counts, terms[0], lexemes[0], lexemes[-1], lexemes[0])


def family_in(world: World, tables: Sequence[FloatArray], margin: float = MARGIN) -> Family:
    """What the rule says of the tables of scores (S, T), one an error."""
    fits = tuple(fit_of(world, table, at) for at, table in enumerate(tables))
    reference = None if world.reference is None else f"group {world.reference}"
    return decided_family(compared_in(world), fits, {}, reference=reference, margin=margin)


def simulated(world: World, random: np.random.Generator) -> tuple[list[FloatArray], Family]:
    """The tables of one draw, and what the rule says of them."""
    tables = [world.scores(random, shifted=h == 0) for h in range(world.errors)]
    return tables, family_in(world, tables)


def without_gap(world: World) -> World:
    """The same world where no group has a gap."""
    return replace(world, gap=0.0)


def mixed(scores: FloatArray, labels: IntArray) -> BoolArray:
    """(G,) claims of a mixed model of the logit: random sources, lexemes and sources x groups; Wald, Bonferroni.

    The variances are the analysis-of-variance estimates, which equal REML where groups are of one size and none is 0.
    """
    logit = clipped_logit(special.expit(scores))
    rows, columns = logit.shape
    size = np.bincount(labels).astype(np.float64)
    groups = len(size)
    cell = logit @ ((labels == np.arange(groups)[:, None]) / size[:, None]).T
    term, mean = logit.mean(axis=0), cell.mean(axis=0)
    of_cell = (((logit - cell[:, labels]) - (term - mean[labels])) ** 2).sum() / ((rows - 1) * (columns - groups))
    of_term = max(0.0, ((term - mean[labels]) ** 2).sum() / (columns - groups) - of_cell / rows)
    centred = cell - mean
    centred = centred - (centred * size).sum(axis=1, keepdims=True) / columns
    of_pair = (centred**2 * size).sum() / ((rows - 1) * (groups - 1))
    of_pair = max(0.0, (of_pair - of_cell) * (groups - 1) / (columns - (size**2).sum() / columns))
    variance = of_term / size + of_pair / rows + of_cell / rows / size
    m = columns - size
    gap = mean - ((mean * size).sum() - mean * size) / m
    weighted = variance * size**2
    error = np.sqrt(variance + (weighted.sum() - weighted) / m**2)
    claimed: BoolArray = gap > stats.norm.isf(ALPHA / groups) * error
    return claimed

"""Families of groups whose true gaps are known, and several tests of them on the same draws.

A score on the logit has a part of the source, of the lexeme, of what a source does to a group, and of the cell. Three
classes; the harm is that a text that is not negative is called negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from fairness_checklist.findings.harm_cells import Compared, Figures, HarmRows, clipped_logit
from fairness_checklist.findings.status import Evidence, status
from fairness_checklist.statistics.null_draws import signed_t
from scipy import stats
from scipy.optimize import brentq

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.options import RELEVANT
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.findings.family import (
    MIN_LEXEMES,
    SCOPES,
    GroupFamily,
    HarmFit,
    family_of,
    scopes_of,
    without_better_groups,
)
from fairness_checklist.statistics.multiplicity import ALPHA
from fairness_checklist.statistics.two_way import TermEffects, group_gaps

TERM_SD, SOURCE_GROUP_SD, CELL_SD, SOURCE_SD, GOLD = 0.3, 0.25, 0.5, 0.6, 1.2
DRAWS = 199
HARM = TASKS["sentiment"].harms[0]
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
SATURATED = -4.0
"""What is added to the score of the harm where a model is sure of most answers."""
UNLIKE: dict[str, tuple[tuple[int, ...], tuple[float, ...]]] = {
    "60,5, the five 5 times as variable": ((60, 5), (1, 5)),
    "60,5, the five 10 times as variable": ((60, 5), (1, 10)),
    "40,20,8,5, rising": ((40, 20, 8, 5), (0.4, 0.8, 1.4, 2)),
    "20,20, one 4 times as variable": ((20, 20), (1, 4)),
}
EFFECTS = ("normal", "heavy", "spread")
GRID = np.arange(-8.0, 8.01, 0.1)


def drawn(random: np.random.Generator, shape: tuple[int, ...], heavy: bool) -> FloatArray:
    """Effects with variance 1: normal, or Student's t with 3 degrees of freedom."""
    found: FloatArray = random.standard_t(3, size=shape) / np.sqrt(3) if heavy else random.normal(size=shape)
    return found


@lru_cache
def expected(heavy: bool) -> tuple[FloatArray, FloatArray]:
    """The mean probability of the harm, and the share of harmful decisions, for effects on the logit: at `GRID`."""
    random = np.random.default_rng(0)
    size = 60_000
    base = SOURCE_SD * random.normal(size=(size, 3)) + CELL_SD * random.normal(size=(size, 3))
    base[:, 1] += GOLD  # the two other classes are alike
    base[:, 0] += SOURCE_GROUP_SD * drawn(random, (size,), heavy)
    rest = np.exp(base[:, 1]) + np.exp(base[:, 2])
    other = base[:, 1:].max(axis=1) - base[:, 0]
    probability = [(1 / (1 + rest * np.exp(-base[:, 0] - at))).mean() for at in GRID]
    return np.array(probability), np.array([(other < at).mean() for at in GRID])


@lru_cache
def level(shift: float, sd: float, heavy: bool, decisions: bool = False) -> float:
    """The population mean of the probability, or the rate: endlessly many sources and lexemes."""
    effects = sd * drawn(np.random.default_rng(1), (200_000,), heavy) + shift
    return float(np.interp(effects, GRID, expected(heavy)[decisions]).mean())


@dataclass(frozen=True, eq=False)
class Design:
    """Sizes of G groups, sources, and what the lexemes of each add on the logit.

    Attributes:
        shift: (G,) the group's effect. With spread effects it holds the mean *probability* of all groups equal.
        sd: (G,) of the lexemes' effects.
        forms: terms in a row that are forms of one word and have its effect.
        topics: topics that the sources are of in turn; effects of topic x group have the standard deviation
            ``topic_sd``.
        wordings: sources in a row that are rewordings of one sentence and have its effects, but for cells.
    """

    sizes: tuple[int, ...]
    sources: int
    shift: FloatArray
    sd: FloatArray
    heavy: bool
    forms: int = 1
    topics: int = 0
    topic_sd: float = 0.0
    wordings: int = 1

    @property
    def counted(self) -> int:
        """Sources of another gold class than negative."""
        return round(self.sources * 2 / 3)

    @property
    def topic(self) -> IntArray:
        """(S',) the topic of each source."""
        return np.arange(self.counted) % self.topics

    @property
    def group(self) -> IntArray:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def lexemes(self, random: np.random.Generator) -> FloatArray:
        """(L,) effects of lexemes on the logit, the group's included."""
        effects = np.repeat(drawn(random, (sum(self.sizes) // self.forms,), self.heavy), self.forms)
        return effects * self.sd[self.group] + self.shift[self.group]

    def true_gap(self, lexemes: FloatArray | None = None, *, decisions: bool = False) -> FloatArray:
        """(G,) population gaps in probability or in decisions: of the groups, or of lexemes with these effects."""
        if lexemes is None:
            sides = zip(self.shift, self.sd, strict=True)
            mean = np.array([level(shift, sd, self.heavy, decisions) for shift, sd in sides])
        else:
            of_each = np.interp(lexemes, GRID, expected(self.heavy)[decisions])
            mean = np.bincount(self.group, weights=of_each) / np.array(self.sizes)
        size = np.array(self.sizes)
        gap: FloatArray = mean - ((mean * size).sum() - mean * size) / (size.sum() - size)
        return gap

    def scores(self, random: np.random.Generator, lexemes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Probability of the harm, and whether the decision is harmful: (S', L) over the sources that count."""
        sentence = np.arange(self.counted) // self.wordings
        count = int(sentence[-1]) + 1
        base = SOURCE_SD * random.normal(size=(count, 3))
        base[np.arange(count), random.integers(1, 3, size=count)] += GOLD
        score = base[sentence][:, None, :] + CELL_SD * random.normal(size=(self.counted, len(lexemes), 3))
        own = SOURCE_GROUP_SD * drawn(random, (count, len(self.sizes)), self.heavy)[sentence]
        if self.topics:
            own += self.topic_sd * drawn(random, (self.topics, len(self.sizes)), self.heavy)[self.topic]
        score[:, :, 0] += lexemes + own[:, self.group]
        size = np.exp(score)
        return size[:, :, 0] / size.sum(axis=2), (score.argmax(axis=2) == 0).astype(np.float64)


def design(
    sizes: tuple[int, ...], sources: int, effects: str = "normal", shift: float = 0.0, base: float = 0.0
) -> Design:
    """Groups of these sizes with one of `EFFECTS`, and the first group shifted on the logit; all are by ``base``."""
    heavy = effects == "heavy"
    sd = TERM_SD * (np.linspace(0.4, 2, len(sizes)) if effects == "spread" else np.ones(len(sizes)))
    wanted = level(base, TERM_SD, heavy)
    shifts = np.array([_equal(wanted, s, heavy) for s in sd])
    shifts[0] += shift
    return Design(sizes, sources, shifts, sd, heavy)


def unlike(name: str, *, on_logit: bool) -> Design:
    """Groups whose words vary unlike, with equal means on the logit, or in probability."""
    sizes, sds = UNLIKE[name]
    sd = TERM_SD * np.array(sds)
    shift = np.zeros(len(sizes)) if on_logit else np.array([_equal(level(0.0, TERM_SD, False), s, False) for s in sd])
    return Design(sizes, 30, shift, sd, heavy=False)


def shift_for(gap: float, sizes: tuple[int, ...], base: float = 0.0) -> float:
    """The shift on the logit that gives the first group this true gap."""
    found: float = brentq(
        lambda shift: design(sizes, 30, shift=shift, base=base).true_gap()[0] - gap, 0.0, 6.0, xtol=1e-3
    )
    return found


@lru_cache
def _equal(wanted: float, sd: float, heavy: bool) -> float:
    """The shift with which lexemes of this standard deviation have the wanted mean probability."""
    found: float = brentq(lambda shift: level(shift, sd, heavy) - wanted, -7.0, 3.0, xtol=1e-4)
    return found


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
        error: FloatArray = np.sqrt(np.maximum(largest, of_terms))
        return error


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


def compared_in(chosen: Design) -> tuple[Compared, HarmRows]:
    """The terms and rows of a table (S', L) of the design: one lexeme a term."""
    rows, group = chosen.counted, chosen.group
    size = len(group)
    names = tuple(f"group {g}" for g in range(len(chosen.sizes)))
    terms = tuple(f"term {t}" for t in range(size))
    source = np.repeat(np.arange(rows), size)
    term = np.tile(np.arange(size), rows)
    who = Compared(
        groups=names,
        terms=terms,
        term_group=group,
        lexeme=np.arange(size),
        lexeme_group=group,
        lexemes=terms,
        pos=("",) * size,
        named=np.ones(len(names), dtype=np.bool_),
        term=term,
        cluster=source,
        block=source,
        sources=True,
    )
    every = np.arange(len(term))
    return who, HarmRows(HARM, every, np.zeros(len(term)), None)


def fitted(probability: FloatArray, rate: FloatArray) -> Figures:
    """The effects of a table (S', L) on the three figures."""
    return Figures(balanced(clipped_logit(probability)), balanced(probability), balanced(rate))


def family_in(
    chosen: Design, figures: Figures, *, words: bool = False, draws: int = DRAWS, seed: int = 0
) -> GroupFamily:
    """The family of a table of the design; with ``words`` in the scope of these words."""
    who, rows = compared_in(chosen)
    scope = np.ones(len(who.groups), dtype=np.int64) if words else scopes_of(who)
    return family_of(who, (HarmFit(rows, figures, figures, chosen.group),), scope, {}, draws=draws, seed=seed)


def statuses(family: GroupFamily, relevant: float = RELEVANT) -> list[list[str]]:
    """The statuses [H][G] by the rule of findings without a placebo."""
    found: list[list[str]] = []
    for h in range(len(family.fits)):
        better, decided = without_better_groups(family, h)
        found.append([])
        for g in range(len(family.who.groups)):
            ends = (family.gap, family.low, family.high, family.rate_gap, family.rate_low, family.rate_high)
            gap, low, high, rate_gap, rate_low, rate_high = (float(side[h, g]) for side in ends)
            evidence = Evidence(
                scope=SCOPES[family.scope[g]],
                gap=gap,
                low=low,
                high=high,
                p_adjusted=float(family.p_adjusted[h, g]),
                control_words=float("nan"),
                sources=int(family.sources[h, g]),
                lexemes=MIN_LEXEMES,
                rate_gap=rate_gap,
                rate_low=rate_low,
                rate_high=rate_high,
                beside=bool(better and g not in better and low > 0 and not decided[g]),
                relevant=relevant,
            )
            found[-1].append(status(evidence)[0])
    return found


def largest(t: FloatArray, kept: BoolArray, share: float = 1.0) -> float:
    """The critical value of the largest |t| of D null draws."""
    size = np.sort(np.abs(t[:, kept]).max(axis=1))
    found: float = size[min(len(size), int(np.ceil((1 - ALPHA * share) * (len(size) + 1) - 1e-9))) - 1]
    return found


def two_sided(table: FloatArray, labels: IntArray, draws: int, random: np.random.Generator) -> BoolArray:
    """(G,) claims of the second edition: the largest |t| on probabilities, the larger one of both nulls."""
    fit, size = balanced(table), np.bincount(labels)
    kept = size >= MIN_LEXEMES
    permuted = group_gaps(fit, random.permuted(np.tile(labels, (draws, 1)), axis=1), len(size)).t()
    signed = signed_t(fit, labels, np.full(len(size), len(table)), draws, random)
    critical = max(largest(side, kept, kept.mean()) for side in (permuted, signed))
    claimed: BoolArray = (group_gaps(fit, labels[None], len(size)).t()[0] > critical) & kept
    return claimed


def welch(table: FloatArray, labels: IntArray) -> BoolArray:
    """(G,) claims of Welch's t-tests of the rates of a group's lexemes against all others', with Holm's correction."""
    mean = table.mean(axis=0)
    size = np.bincount(labels)
    kept = np.flatnonzero(size >= MIN_LEXEMES)
    gap, p = np.zeros(len(size)), np.ones(len(size))
    for g in kept.tolist():
        own, rest = mean[labels == g], mean[labels != g]
        gap[g] = own.mean() - rest.mean()
        if min(own.var(), rest.var()) > 1e-12:
            p[g] = stats.ttest_ind(own, rest, equal_var=False).pvalue
    order = kept[np.argsort(p[kept])]
    p[order] = np.maximum.accumulate(p[order] * (len(order) - np.arange(len(order))))
    found: BoolArray = (p <= ALPHA) & (gap > 0)
    return found


def mixed(table: FloatArray, labels: IntArray) -> BoolArray:
    """(G,) claims of a mixed model of the logit: random sources, lexemes and sources x groups; Wald, Bonferroni.

    The variances are the analysis-of-variance estimates, which equal REML where groups are of one size and none is 0.
    """
    logit = clipped_logit(table)
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
    kept = size >= MIN_LEXEMES
    claimed: BoolArray = (gap > stats.norm.isf(ALPHA / 2 / kept.sum()) * error) & kept
    return claimed


def claims(chosen: Design, draws: int, random: np.random.Generator) -> tuple[dict[str, BoolArray], GroupFamily]:
    """(G,) what each test calls a finding in one simulated table, and the family of the package."""
    probability, rate = chosen.scores(random, chosen.lexemes(random))
    family = family_in(chosen, fitted(probability, rate), draws=draws, seed=int(random.integers(2**31)))
    found = {
        "package": (family.low[0] > 0) & (family.scope == 0),
        "in decisions": (family.rate_low[0] > 0) & (family.scope == 0),
        "two-sided, probability": two_sided(probability, chosen.group, draws, random),
        "Welch, Holm": welch(rate, chosen.group),
        "mixed model": mixed(probability, chosen.group),
    }
    return found, family

"""WEAT, SEAT and CEAT: whether two sets of targets differ in their similarity to two sets of attribute words.

CEAT is the effect size of WEAT combined over random choices of the words' contexts (Guo and Caliskan 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import whole_number
from fairness_checklist.extensions.intrinsic.metrics.vectors import cosines, units
from fairness_checklist.statistics.relabelling import EXACT_LIMIT, p_value, relabelled

_FLAT = 1e-12


@dataclass(frozen=True)
class Association:
    """The result of `weat`."""

    effect_size: float  # positive where X is nearer to A, and Y to B; NaN where all targets are associated alike
    statistic: float  # the sum of associations of X less that of Y
    p_value: float  # of the permutation test over targets
    exact: bool  # whether all assignments of the targets were enumerated
    assignments: int  # how many there were


def associations(words: ArrayLike, a: ArrayLike, b: ArrayLike) -> FloatArray:
    """s(w, A, B) of n words: the mean cosine with A less the mean cosine with B, (n,) from -2 to 2."""
    rows = units("words", words)
    near, far = (cosines(rows, units(name, set_)).mean(axis=1) for name, set_ in (("a", a), ("b", b)))
    return np.asarray(near - far, dtype=np.float64)


def effect_size(x: ArrayLike, y: ArrayLike) -> float:
    """The difference of the means of two sets of associations over the standard deviation (n - 1) of all values."""
    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    every = np.concatenate([left, right])
    spread = float(every.std(ddof=1)) if len(every) > 1 else 0.0
    return float((left.mean() - right.mean()) / spread) if spread > _FLAT else float("nan")


def weat(
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    two_sided: bool = False,
    limit: int = EXACT_LIMIT,
    draws: int = 9_999,
    seed: int = 0,
) -> Association:
    """The Word Embedding Association Test (Caliskan et al. 2017); SEAT, where the vectors are of bleached sentences.

    Of vectors (n, d), (m, d) of two sets of targets and of two sets of attribute words. By default the test asks
    whether X is nearer to A, as in the paper. p: the share of assignments (all up to ``limit``, else ``draws``) whose
    difference of mean associations is at least the observed one; for sets of one size this is the order of the paper's
    sums.

    >>> found = weat([[1, 0], [2, 0.1]], [[0, 1], [0.1, 3]], [[1, 0.2]], [[0.2, 1]])
    >>> found.exact, found.assignments, round(found.p_value, 4), round(found.effect_size, 2)
    (True, 6, 0.1667, 1.73)
    """
    s_x, s_y = associations(x, a, b), associations(y, a, b)
    values = np.concatenate([s_x, s_y])
    first = np.arange(len(values)) < len(s_x)
    assigned = relabelled(first, limit=limit, draws=draws, seed=seed)
    permuted = mean_differences(values, assigned.first)
    observed = float(s_x.mean() - s_y.mean())
    if two_sided:
        observed, permuted = abs(observed), np.abs(permuted)
    return Association(
        effect_size(s_x, s_y),
        float(s_x.sum() - s_y.sum()),
        p_value(observed, permuted, exact=assigned.exact),
        assigned.exact,
        len(assigned.first),
    )


def mean_differences(values: FloatArray, first: BoolArray) -> FloatArray:
    """For each assignment (A, n) the mean of the first group less that of the second, (A,)."""
    size = first.sum(axis=1)
    rest = first.shape[1] - size
    if not size.all() or not rest.all():
        raise OptionError("a set of targets is empty.", remedy="Give vectors of both sets.")
    inside = first @ values
    return np.asarray(inside / size - (values.sum() - inside) / rest, dtype=np.float64)


_VARIANCES = ("associations", "effect")


@dataclass(frozen=True, eq=False)
class CombinedEffect:
    """The result of `ceat`."""

    effect_size: float  # the combined effect size
    standard_error: float  # its standard error over samples of contexts
    between: float  # the variance between samples beyond the variance within them (0 where there is none beyond it)
    p_contexts: float  # the published one: goes to 0 as samples are added, and is no evidence about words
    p_words: float  # of a permutation test over target words, two-sided: all samples at once, mean effect size
    exact: bool  # whether all assignments of the words were enumerated
    effects: FloatArray  # (N,) effect size of each sample
    scores: FloatArray  # (N, targets) s(w, A, B) of each target in each sample, X first


def random_effects(effects: ArrayLike, variances: ArrayLike) -> tuple[float, float, float]:
    """DerSimonian and Laird's combination of N effects: the combined effect, its standard error, variance between.

    With w = 1 / variance: Q = sum w e^2 - (sum w e)^2 / sum w, c = sum w - sum w^2 / sum w, the variance between is
    max(0, (Q - (N - 1)) / c), and the weights of the mean are 1 / (variance + variance between).
    """
    e, v = np.asarray(effects, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if e.ndim != 1 or e.shape != v.shape or not len(e) or not (v > 0).all() or not np.isfinite(e).all():
        raise OptionError(
            f"effects of the shape {e.shape} and variances of the shape {v.shape} cannot be combined.",
            remedy="Give a finite effect and a positive variance for each sample.",
        )
    w = 1 / v
    q = float((w * e**2).sum() - (w * e).sum() ** 2 / w.sum())
    c = float(w.sum() - (w**2).sum() / w.sum())
    between = max(0.0, (q - (len(e) - 1)) / c) if len(e) > 1 and c > 0 else 0.0
    weight = 1 / (v + between)
    return float((weight * e).sum() / weight.sum()), float(np.sqrt(1 / weight.sum())), between


def ceat(
    x: Sequence[ArrayLike],
    y: Sequence[ArrayLike],
    a: Sequence[ArrayLike],
    b: Sequence[ArrayLike],
    *,
    samples: int = 1_000,
    variance: str = "associations",
    limit: int = EXACT_LIMIT,
    draws: int = 9_999,
    seed: int = 0,
) -> CombinedEffect:
    """The Contextualized Embedding Association Test: one context of each word is drawn, N times.

    Of each word of two sets of targets and of attribute words its vectors in several contexts, (contexts, d). The
    variance within a sample is that of s(w, A, B) over the targets ("associations"), as the authors' code has it, or
    that of a standardised difference ("effect", Hedges). ``limit`` and ``draws`` are of the permutation over words, see
    `weat`.
    """
    if variance not in _VARIANCES:
        raise OptionError(f"variance={variance!r} is not known.", remedy=f"Known: {', '.join(_VARIANCES)}.")
    sets = [[units(name, word) for word in words] for name, words in (("x", x), ("y", y), ("a", a), ("b", b))]
    if min(len(sets[0]), len(sets[1])) < 2 or not sets[2] or not sets[3]:
        raise OptionError(
            f"CEAT has {len(sets[0])} and {len(sets[1])} targets, {len(sets[2])} and {len(sets[3])} attribute words.",
            remedy="Give two targets or more in each set, and an attribute word in each.",
        )
    rng = np.random.default_rng(seed)
    size, targets = len(sets[0]), len(sets[0]) + len(sets[1])
    s = np.empty((whole_number("samples", samples), targets))
    for row in range(len(s)):
        one_x, one_y, one_a, one_b = (np.stack([word[rng.integers(len(word))] for word in words]) for words in sets)
        rows = np.concatenate([one_x, one_y])
        s[row] = cosines(rows, one_a).mean(axis=1) - cosines(rows, one_b).mean(axis=1)
    effects = np.array([effect_size(sample[:size], sample[size:]) for sample in s])
    if np.isnan(effects).any():
        raise OptionError(
            "in a sample of contexts all targets have the same association, so that it has no effect size.",
            remedy="Give vectors that differ between words.",
        )
    spread = s.std(axis=1, ddof=1)
    rest = targets - size
    within = spread**2 if variance == "associations" else targets / (size * rest) + effects**2 / (2 * targets)
    combined, error, between = random_effects(effects, within)
    # The standard deviation of a sample does not change with the assignment, so the mean effect is linear in the words.
    assigned = relabelled(np.arange(targets) < size, limit=limit, draws=draws, seed=seed)
    permuted = np.abs(mean_differences((s / spread[:, None]).mean(axis=0), assigned.first))
    from scipy import stats

    return CombinedEffect(
        combined,
        error,
        between,
        float(2 * stats.norm.sf(abs(combined) / error)),
        p_value(abs(float(effects.mean())), permuted, exact=assigned.exact),
        assigned.exact,
        effects,
        s,
    )

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
from fairness_checklist.extensions.lenses.metrics.separability import cosines, unit_vectors
from fairness_checklist.statistics.relabelling import EXACT_LIMIT, p_value, relabelled

_FLAT = 1e-12


@dataclass(frozen=True)
class Association:
    """The result of `weat`."""

    effect_size: float  # positive where X is nearer to A, and Y to B; NaN where all targets are associated alike
    p_value: float  # of the permutation test over targets
    exact: bool  # whether all assignments of the targets were enumerated


def associations(words: ArrayLike, a: ArrayLike, b: ArrayLike) -> FloatArray:
    """s(w, A, B) of n words: the mean cosine with A less the mean cosine with B, (n,) from -2 to 2."""
    rows = unit_vectors("words", words)
    near, far = (cosines(rows, unit_vectors(name, vectors)).mean(axis=1) for name, vectors in (("a", a), ("b", b)))
    return np.asarray(near - far, dtype=np.float64)


def effect_size(x: ArrayLike, y: ArrayLike) -> float:
    """The difference of the means of two sets of associations over the standard deviation (n - 1) of all values."""
    left, right = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    pooled = np.concatenate([left, right])
    spread = float(pooled.std(ddof=1)) if len(pooled) > 1 else 0.0
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
    >>> found.exact, round(found.p_value, 4), round(found.effect_size, 2)
    (True, 0.1667, 1.73)
    """
    s_x, s_y = associations(x, a, b), associations(y, a, b)
    values = np.concatenate([s_x, s_y])
    assigned = relabelled(np.arange(len(values)) < len(s_x), limit=limit, draws=draws, seed=seed)
    permuted = _mean_differences(values, assigned.first)
    observed = float(s_x.mean() - s_y.mean())
    if two_sided:
        observed, permuted = abs(observed), np.abs(permuted)
    return Association(effect_size(s_x, s_y), p_value(observed, permuted, exact=assigned.exact), assigned.exact)


def _mean_differences(values: FloatArray, first: BoolArray) -> FloatArray:
    """For each assignment (A, n) the mean of the first group less that of the second, (A,)."""
    size = first.sum(axis=1)
    rest = first.shape[1] - size
    inside = first @ values
    return np.asarray(inside / size - (values.sum() - inside) / rest, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class CombinedEffect:
    """The result of `ceat`."""

    effect_size: float  # the combined effect size
    standard_error: float  # its standard error over samples of contexts
    between: float  # the variance between samples beyond the variance within them (0 where there is none beyond it)
    p_contexts: float  # the published one: goes to 0 as samples are added, and is no evidence about words
    p_words: float  # of a permutation test over target words, two-sided: all samples at once, mean effect size
    effects: FloatArray  # (N,) effect size of each sample
    scores: FloatArray  # (N, targets) s(w, A, B) of each target in each sample, X first


def random_effects(effects: FloatArray, variances: FloatArray) -> tuple[float, float, float]:
    """DerSimonian and Laird's combination of N effects: the combined effect, its standard error, variance between.

    With w = 1 / variance: Q = sum w e^2 - (sum w e)^2 / sum w, c = sum w - sum w^2 / sum w, the variance between is
    max(0, (Q - (N - 1)) / c), and the weights of the mean are 1 / (variance + variance between).
    """
    w = 1 / variances
    q = float((w * effects**2).sum() - (w * effects).sum() ** 2 / w.sum())
    c = float(w.sum() - (w**2).sum() / w.sum())
    between = max(0.0, (q - (len(effects) - 1)) / c) if len(effects) > 1 and c > 0 else 0.0
    weight = 1 / (variances + between)
    return float((weight * effects).sum() / weight.sum()), float(np.sqrt(1 / weight.sum())), between


def ceat(
    x: Sequence[ArrayLike],
    y: Sequence[ArrayLike],
    a: Sequence[ArrayLike],
    b: Sequence[ArrayLike],
    *,
    samples: int = 1_000,
    draws: int = 9_999,
    seed: int = 0,
) -> CombinedEffect:
    """The Contextualized Embedding Association Test: one context of each word is drawn, N times.

    Of each word of two sets of targets and of attribute words its vectors in several contexts, (contexts, d). The
    variance within a sample is that of s(w, A, B) over the targets, as the authors' code has it. ``draws`` are of the
    permutation over words, see `weat`.
    """
    sets = [[unit_vectors(name, word) for word in words] for name, words in (("x", x), ("y", y), ("a", a), ("b", b))]
    if min(len(sets[0]), len(sets[1])) < 2 or not sets[2] or not sets[3]:
        raise OptionError(
            f"CEAT has {len(sets[0])} and {len(sets[1])} targets, {len(sets[2])} and {len(sets[3])} attribute words.",
            remedy="Give two targets or more in each set, and an attribute word in each.",
        )
    rng = np.random.default_rng(seed)
    size, targets = len(sets[0]), len(sets[0]) + len(sets[1])
    s = np.empty((samples, targets))
    for row in range(samples):
        in_x, in_y, in_a, in_b = (np.stack([word[rng.integers(len(word))] for word in words]) for words in sets)
        rows = np.concatenate([in_x, in_y])
        s[row] = cosines(rows, in_a).mean(axis=1) - cosines(rows, in_b).mean(axis=1)
    effects = np.array([effect_size(sample[:size], sample[size:]) for sample in s])
    if np.isnan(effects).any():
        raise OptionError(
            "in a sample of contexts all targets have the same association, so that it has no effect size.",
            remedy="Give vectors that differ between words.",
        )
    spread = s.std(axis=1, ddof=1)
    combined, error, between = random_effects(effects, spread**2)
    # The standard deviation of a sample does not change with the assignment, so the mean effect is linear in the words.
    assigned = relabelled(np.arange(targets) < size, draws=draws, seed=seed)
    permuted = np.abs(_mean_differences((s / spread[:, None]).mean(axis=0), assigned.first))
    from scipy import stats

    p_contexts = float(2 * stats.norm.sf(abs(combined) / error))
    p_words = p_value(abs(float(effects.mean())), permuted, exact=assigned.exact)
    return CombinedEffect(combined, error, between, p_contexts, p_words, effects, s)

"""CEAT: the effect size of WEAT combined over random choices of the words' contexts (Guo and Caliskan 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import whole_number
from fairness_checklist.extensions.intrinsic.metrics.association import effect_size, mean_differences
from fairness_checklist.extensions.intrinsic.metrics.vectors import cosines, units
from fairness_checklist.statistics.relabelling import EXACT_LIMIT, p_value, relabelled

__all__ = ["CombinedEffect", "ceat", "random_effects"]

_VARIANCES = ("associations", "effect")


@dataclass(frozen=True, eq=False)
class CombinedEffect:
    """The result of `ceat`.

    Attributes:
        p_contexts: the published p-value, two-sided. It holds the words fixed and counts each sample of contexts as a
            study of its own, so that it goes to 0 as samples are added. It is no evidence about the words.
    """

    effect_size: float  # the combined effect size
    standard_error: float  # its standard error over samples of contexts
    between: float  # the variance between samples beyond the variance within them (0 where there is none beyond it)
    p_contexts: float
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
    effects = np.array([effect_size(one[:size], one[size:]) for one in s])
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

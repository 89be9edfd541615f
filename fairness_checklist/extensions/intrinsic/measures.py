"""The eight intrinsic measures on the vectors of two groups' terms, each with its chance level and test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.intrinsic.metrics.association import associations, ceat, effect_size, weat
from fairness_checklist.extensions.intrinsic.metrics.grouping import (
    cluster_agreement,
    matched_accuracy,
    neighbour_shares,
)
from fairness_checklist.extensions.intrinsic.metrics.probing import Probe, linear_probe, online_code
from fairness_checklist.extensions.intrinsic.metrics.vectors import direction_cosines, group_space
from fairness_checklist.statistics.multiplicity import holm
from fairness_checklist.statistics.relabelling import p_value, relabelled

if TYPE_CHECKING:
    import pandas as pd

MEASURES = {
    "seat": "SEAT: effect size",
    "ceat": "CEAT: combined effect size",
    "linear_probe": "Probe: accuracy of a linear classifier",
    "mdl_probe": "Probe: compression by the online code",
    "cluster": "Cluster: accuracy of two clusters",
    "neighbours": "Nearest neighbours: share of the same group",
    "cosine": "Cos: mean absolute cosine with the direction",
    "pca": "PCA: variance explained by the first component",
}
"""The measures, with their columns in Table 1 of Orgad and Belinkov 2022; its column Probe is two of them."""
COLUMNS = ("measure", "title", "value", "null_mean", "ci_low", "ci_high", "p_value", "p_adjusted", "n", "note")
_NAN = float("nan")
_FOLDS, _ORDERS, _NEAREST = 5, 2, 5


@dataclass(frozen=True, eq=False)
class GroupVectors:
    """The vectors that the measures are computed on, from one layer of one model."""

    is_left: BoolArray  # (U,) which of U terms are of the left group
    terms: FloatArray  # (U, d) one vector a term, in bleached sentences
    contexts: Sequence[FloatArray]  # for each term its vectors in other sentences, (contexts, d)
    around: FloatArray  # (R, e) vectors of what stands around a term, the same sentences for each term
    around_unit: IntArray  # (R,) the term of each
    a: Sequence[FloatArray]  # a, b: for each attribute word of the two sets its vectors in several sentences
    b: Sequence[FloatArray]
    roles: FloatArray  # (W, d) words for people that name no group
    pairs: IntArray  # (P, 2) terms that differ only in the group, left and right


_Row = dict[str, Any]


def _row(
    measure: str,
    value: float,
    null_mean: float = _NAN,
    ci: tuple[float, float] = (_NAN, _NAN),
    *,
    p: float = _NAN,
    n: int,
    note: str,
) -> _Row:
    named = {"measure": measure, "title": MEASURES[measure], "value": value, "null_mean": null_mean}
    return {**named, "ci_low": ci[0], "ci_high": ci[1], "p_value": p, "n": n, "note": note}


@dataclass(frozen=True, eq=False)
class _Draws:
    """How often things are drawn."""

    draws: int
    samples: int
    probe_draws: int
    seed: int
    rng: np.random.Generator


def intrinsic_measures(
    vectors: GroupVectors, *, draws: int = 999, samples: int = 200, probe_draws: int = 199, seed: int = 0
) -> pd.DataFrame:
    """All eight measures, a row each; `OptionError` with fewer than three terms in a group.

    Tests re-assign whole terms to groups (for PCA and Cos: to pairs), since a term and not a sentence is what was
    sampled; all assignments where there are few of them. The unit of every p-value is the term. Columns: measure,
    title, value, null_mean (its mean over assignments: the level of chance), ci_low, ci_high (95 %, percentiles of a
    bootstrap over words; NaN where a bootstrap is not valid), p_value, p_adjusted (Holm over the measures), n (terms,
    pairs or role words), note. ``samples`` are of contexts in CEAT, ``probe_draws`` assignments for the two probes,
    which train again.
    """
    import pandas as pd

    left = int(vectors.is_left.sum())
    if min(left, len(vectors.is_left) - left) < 3:
        raise OptionError(
            f"the groups have {left} and {len(vectors.is_left) - left} terms; expected 3 or more each.",
            remedy="Name groups with more terms.",
        )
    how = _Draws(draws, samples, probe_draws, seed, np.random.default_rng(seed))
    table = pd.DataFrame([measure(vectors, how) for measure in followed(_MEASURES, "intrinsic measures", "measures")])
    return table.assign(p_adjusted=holm(table["p_value"]))[list(COLUMNS)]


def _percentiles(values: Sequence[float] | FloatArray) -> tuple[float, float]:
    every = np.asarray(values, dtype=np.float64)
    defined = every[~np.isnan(every)]
    if not len(defined):
        return _NAN, _NAN
    low, high = np.percentile(defined, [2.5, 97.5]).tolist()
    return float(low), float(high)


def _resampled(is_left: BoolArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Terms of each group, drawn with replacement."""
    left, right = np.flatnonzero(is_left), np.flatnonzero(~is_left)
    return rng.choice(left, len(left)), rng.choice(right, len(right))


def _seat(v: GroupVectors, how: _Draws) -> _Row:
    a, b = (np.stack([word.mean(axis=0) for word in words]) for words in (v.a, v.b))
    x, y = v.terms[v.is_left], v.terms[~v.is_left]
    test = weat(x, y, a, b, two_sided=True, draws=how.draws, seed=how.seed)
    s = associations(v.terms, a, b)
    drawn = [_resampled(v.is_left, how.rng) for _ in range(how.draws)]
    ci = _percentiles([effect_size(s[left], s[right]) for left, right in drawn])
    return _row("seat", test.effect_size, 0.0, ci, p=test.p_value, n=len(s), note="")


def _ceat(v: GroupVectors, how: _Draws) -> _Row:
    x, y = ([rows for rows, left in zip(v.contexts, v.is_left, strict=True) if left == side] for side in (True, False))
    test = ceat(x, y, v.a, v.b, samples=how.samples, draws=how.draws, seed=how.seed)
    first = np.arange(len(v.contexts)) < len(x)
    ends = []
    for _ in range(how.draws):
        in_x, in_y = _resampled(first, how.rng)
        every = test.scores[:, np.concatenate([in_x, in_y])]
        spread = every.std(axis=1, ddof=1)
        apart = test.scores[:, in_x].mean(axis=1) - test.scores[:, in_y].mean(axis=1)
        ends.append(float(np.mean(apart[spread > 0] / spread[spread > 0])) if (spread > 0).any() else _NAN)
    note = f"the published p, over contexts of these words, is {test.p_contexts:.2g}"
    ci, n = _percentiles(ends), len(v.contexts)
    return _row("ceat", test.effect_size, 0.0, ci, p=test.p_words, n=n, note=note)


def _probed(
    v: GroupVectors, how: _Draws, measure: str, value: Callable[[BoolArray], float], ci: tuple[float, float], note: str
) -> _Row:
    """A probe with the values that it has when terms are assigned to groups at random."""
    assigned = relabelled(v.is_left, limit=how.probe_draws, draws=how.probe_draws, seed=how.seed)
    null = np.array([value(is_left) for is_left in assigned.first])
    observed = value(v.is_left)
    p = p_value(observed, null, exact=assigned.exact)
    return _row(measure, observed, float(null.mean()), ci, p=p, n=len(v.is_left), note=note)


def _around(v: GroupVectors) -> FloatArray:
    """The vectors around the terms in as many dimensions as they span; probes with an L2 penalty do not change."""
    centred = v.around - v.around.mean(axis=0)
    scale = float(np.sqrt((centred**2).mean())) or 1.0
    if centred.shape[1] <= len(centred):
        return np.asarray(centred / scale, dtype=np.float64)
    left, singular, _ = np.linalg.svd(centred / scale, full_matrices=False)
    return np.asarray(left * singular, dtype=np.float64)


def _linear(v: GroupVectors, how: _Draws) -> _Row:
    rows, unit = _around(v), v.around_unit.tolist()
    smaller = int(min(v.is_left.sum(), (~v.is_left).sum()))

    def probe(is_left: BoolArray) -> Probe:
        return linear_probe(rows, is_left[v.around_unit], unit=unit, folds=min(_FOLDS, smaller), seed=how.seed)

    observed = probe(v.is_left)
    by_term = np.bincount(v.around_unit, weights=observed.correct) / np.bincount(v.around_unit)
    ci = _percentiles([float(by_term[np.concatenate(_resampled(v.is_left, how.rng))].mean()) for _ in range(how.draws)])
    note = f"F1 {observed.f1:.3f}; words around the term"
    return _probed(v, how, "linear_probe", lambda is_left: probe(is_left).accuracy, ci, note)


def _mdl(v: GroupVectors, how: _Draws) -> _Row:
    rows, unit = _around(v), v.around_unit.tolist()

    def value(is_left: BoolArray) -> float:
        labels = is_left[v.around_unit]
        codes = [online_code(rows, labels, unit=unit, seed=how.seed + at) for at in range(_ORDERS)]
        return float(np.mean([code.compression for code in codes]))

    note = f"mean of {_ORDERS} orders of the terms; words around the term"
    return _probed(v, how, "mdl_probe", value, (_NAN, _NAN), note)


def _term_means(v: GroupVectors) -> FloatArray:
    """One vector a term: the mean of what is around it."""
    total = np.zeros((len(v.is_left), v.around.shape[1]))
    np.add.at(total, v.around_unit, v.around)
    return np.asarray(total / np.bincount(v.around_unit)[:, None], dtype=np.float64)


def _cluster(v: GroupVectors, how: _Draws) -> _Row:
    agreement = cluster_agreement(_term_means(v), v.is_left, seed=how.seed)
    assigned = relabelled(v.is_left, draws=how.draws, seed=how.seed)
    null = np.array([matched_accuracy(is_left, agreement.cluster) for is_left in assigned.first])
    p = p_value(agreement.accuracy, null, exact=assigned.exact)
    note = f"V-measure {agreement.v_measure:.3f}; words around the term"
    return _row("cluster", agreement.accuracy, float(null.mean()), p=p, n=len(v.is_left), note=note)


def _neighbours(v: GroupVectors, how: _Draws) -> _Row:
    # The mean is taken out: vectors of one model share a direction, which makes all cosines near 1.
    means = _term_means(v)
    k = min(_NEAREST, len(v.is_left) - 1)
    shares = neighbour_shares(means - means.mean(axis=0), v.is_left, k=k)
    assigned = relabelled(v.is_left, draws=how.draws, seed=how.seed)
    near = assigned.first[:, shares.nearest]
    null = (near == assigned.first[:, :, None]).mean(axis=(1, 2))
    p = p_value(shares.same_share, null, exact=assigned.exact)
    note = f"{k} nearest terms; words around the term"
    return _row("neighbours", shares.same_share, shares.expected, p=p, n=len(v.is_left), note=note)


def _random_pairs(v: GroupVectors, how: _Draws) -> list[tuple[FloatArray, FloatArray]]:
    """The vectors of the pairs' terms, paired at random."""
    words = v.terms[v.pairs.reshape(-1)]
    rng = np.random.default_rng(how.seed)
    drawn = [rng.permutation(len(words)).reshape(-1, 2) for _ in range(how.draws)]
    return [(words[pairs[:, 0]], words[pairs[:, 1]]) for pairs in drawn]


def _cosine(v: GroupVectors, how: _Draws) -> _Row:
    if len(v.pairs) < 2:
        return _few_pairs("cosine", v)
    observed = direction_cosines(v.roles, group_space(v.terms[v.pairs[:, 0]], v.terms[v.pairs[:, 1]]).direction)
    null = np.array([direction_cosines(v.roles, group_space(*xy).direction).mean_abs for xy in _random_pairs(v, how)])
    each = np.abs(observed.cosines)
    ci = _percentiles(how.rng.choice(each, (how.draws, len(each))).mean(axis=1))
    p = p_value(observed.mean_abs, null, exact=False)
    note = f"mean signed cosine {observed.mean:+.3f}; role words"
    return _row("cosine", observed.mean_abs, float(null.mean()), ci, p=p, n=len(v.roles), note=note)


def _pca(v: GroupVectors, how: _Draws) -> _Row:
    if len(v.pairs) < 2:
        return _few_pairs("pca", v)
    observed = group_space(v.terms[v.pairs[:, 0]], v.terms[v.pairs[:, 1]])
    null = np.array([group_space(*pair).explained for pair in _random_pairs(v, how)])
    p = p_value(observed.explained, null, exact=False)
    return _row("pca", observed.explained, float(null.mean()), p=p, n=len(v.pairs), note="pairs of terms")


def _few_pairs(measure: str, v: GroupVectors) -> _Row:
    why = f"{len(v.pairs)} pairs of terms that differ only in the group; expected 2 or more"
    return _row(measure, _NAN, n=len(v.pairs), note=why)


_MEASURES = (_seat, _ceat, _linear, _mdl, _cluster, _neighbours, _cosine, _pca)

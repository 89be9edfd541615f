"""The eight intrinsic measures on the vectors of two groups' terms, each with its chance level and test."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.lenses.metrics.vectors import (
    associations,
    ceat,
    direction_cosines,
    effect_size,
    group_space,
    linear_probe,
    matched_accuracy,
    nearest_neighbours,
    online_code,
    scikit_learn,
    two_clusters,
    weat,
)
from fairness_checklist.extensions.lenses.relabelling import p_value, relabelled
from fairness_checklist.statistics.multiplicity import holm

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
_FOLDS, _ORDERS, _NEAREST = 5, 2, 5
_Figures = dict[str, Any]  # value, n, note, and what there is of null_mean, ci_low, ci_high, p_value


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


@dataclass(frozen=True, eq=False)
class _Draws:
    draws: int
    samples: int
    probe_draws: int
    seed: int
    rng: np.random.Generator


def intrinsic_measures(
    vectors: GroupVectors, *, draws: int = 999, samples: int = 200, probe_draws: int = 199, seed: int = 0
) -> pd.DataFrame:
    """All eight measures, a row each; ``null_mean`` is over assignments of terms to groups (PCA and Cos: to pairs).

    ``ci_low, ci_high`` are 95 % percentiles of a bootstrap over words, NaN where it is not valid; p is adjusted by Holm
    over the measures. ``samples`` are of contexts in CEAT, ``probe_draws`` of assignments for the two probes.
    """
    left = int(vectors.is_left.sum())
    if min(left, len(vectors.is_left) - left) < 3:
        raise OptionError(
            f"the groups have {left} and {len(vectors.is_left) - left} terms; expected 3 or more each.",
            remedy="Name groups with more terms.",
        )
    how = _Draws(draws, samples, probe_draws, seed, np.random.default_rng(seed))
    rows = []
    for name, measure in followed(list(zip(MEASURES, _MEASURES, strict=True)), "intrinsic measures", "measures"):
        rows.append({"measure": name, "title": MEASURES[name], **measure(vectors, how)})
    table = pd.DataFrame(rows, columns=[name for name in COLUMNS if name != "p_adjusted"])
    return table.assign(p_adjusted=holm(table["p_value"]))[list(COLUMNS)]


def _percentiles(values: Sequence[float] | FloatArray) -> dict[str, float]:
    drawn = np.asarray(values, dtype=np.float64)
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return {}
    low, high = np.percentile(defined, [2.5, 97.5]).tolist()
    return {"ci_low": low, "ci_high": high}


def _resampled(is_left: BoolArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    left, right = np.flatnonzero(is_left), np.flatnonzero(~is_left)
    return rng.choice(left, len(left)), rng.choice(right, len(right))


def _seat(v: GroupVectors, how: _Draws) -> _Figures:
    a, b = (np.stack([word.mean(axis=0) for word in words]) for words in (v.a, v.b))
    test = weat(v.terms[v.is_left], v.terms[~v.is_left], a, b, draws=how.draws, seed=how.seed)
    s = associations(v.terms, a, b)
    drawn = [_resampled(v.is_left, how.rng) for _ in range(how.draws)]
    ends = _percentiles([effect_size(s[left], s[right]) for left, right in drawn])
    return {"value": test.effect_size, "n": len(s), "note": "", "null_mean": 0.0, "p_value": test.p_value, **ends}


def _ceat(v: GroupVectors, how: _Draws) -> _Figures:
    x, y = ([rows for rows, left in zip(v.contexts, v.is_left, strict=True) if left == side] for side in (True, False))
    test = ceat(x, y, v.a, v.b, samples=how.samples, draws=how.draws, seed=how.seed)
    first = np.arange(len(v.contexts)) < len(x)
    means = []
    for _ in range(how.draws):
        in_x, in_y = _resampled(first, how.rng)
        spread = test.scores[:, np.concatenate([in_x, in_y])].std(axis=1, ddof=1)
        apart = test.scores[:, in_x].mean(axis=1) - test.scores[:, in_y].mean(axis=1)
        means.append(float(np.mean(apart[spread > 0] / spread[spread > 0])) if (spread > 0).any() else np.nan)
    note = f"the published p, over contexts of these words, is {test.p_contexts:.2g}"
    figures = {"value": test.effect_size, "n": len(v.contexts), "note": note, "null_mean": 0.0}
    return figures | {"p_value": test.p_words} | _percentiles(means)


def _reassigned(
    v: GroupVectors, how: _Draws, value: Callable[[BoolArray], float], *, trains: bool = False
) -> dict[str, float]:
    """A measure of labels, its mean when terms are assigned to groups at random, and p."""
    limit = {"limit": how.probe_draws, "draws": how.probe_draws} if trains else {"draws": how.draws}
    first, exact = relabelled(v.is_left, **limit, seed=how.seed)
    null = np.array([value(is_left) for is_left in first])
    observed = value(v.is_left)
    p = p_value(observed, null, exact=exact)
    return {"value": observed, "n": len(v.is_left), "null_mean": float(null.mean()), "p_value": p}


def _around(v: GroupVectors) -> FloatArray:
    """The vectors around the terms in as many dimensions as they span; probes with an L2 penalty do not change."""
    centred = v.around - v.around.mean(axis=0)
    scale = float(np.sqrt((centred**2).mean())) or 1.0
    if centred.shape[1] <= len(centred):
        return np.asarray(centred / scale, dtype=np.float64)
    left, singular, _ = np.linalg.svd(centred / scale, full_matrices=False)
    return np.asarray(left * singular, dtype=np.float64)


def _linear(v: GroupVectors, how: _Draws) -> _Figures:
    rows = _around(v)
    folds = min(_FOLDS, int(min(v.is_left.sum(), (~v.is_left).sum())))

    def probe(is_left: BoolArray) -> tuple[float, float, BoolArray]:
        return linear_probe(rows, is_left[v.around_unit], v.around_unit, folds=folds, seed=how.seed)

    _, f1, correct = probe(v.is_left)
    by_term = np.bincount(v.around_unit, weights=correct) / np.bincount(v.around_unit)
    drawn = [by_term[np.concatenate(_resampled(v.is_left, how.rng))].mean() for _ in range(how.draws)]
    tested = _reassigned(v, how, lambda is_left: probe(is_left)[0], trains=True)
    return tested | _percentiles(drawn) | {"note": f"F1 {f1:.3f}; words around the term"}


def _mdl(v: GroupVectors, how: _Draws) -> _Figures:
    rows = _around(v)

    def compression(is_left: BoolArray) -> float:
        seeds = range(how.seed, how.seed + _ORDERS)
        return float(np.mean([online_code(rows, is_left[v.around_unit], v.around_unit, seed=seed) for seed in seeds]))

    note = f"mean of {_ORDERS} orders of the terms; words around the term"
    return _reassigned(v, how, compression, trains=True) | {"note": note}


def _term_means(v: GroupVectors) -> FloatArray:
    """One vector a term: the mean of what is around it."""
    total = np.zeros((len(v.is_left), v.around.shape[1]))
    np.add.at(total, v.around_unit, v.around)
    return np.asarray(total / np.bincount(v.around_unit)[:, None], dtype=np.float64)


def _cluster(v: GroupVectors, how: _Draws) -> _Figures:
    cluster = two_clusters(_term_means(v), seed=how.seed)
    v_measure = float(scikit_learn().metrics.v_measure_score(v.is_left, cluster))
    tested = _reassigned(v, how, lambda is_left: matched_accuracy(is_left, cluster))
    return tested | {"note": f"V-measure {v_measure:.3f}; words around the term"}


def _neighbours(v: GroupVectors, how: _Draws) -> _Figures:
    # The mean is taken out: vectors of one model share a direction, which makes all cosines near 1.
    means, n = _term_means(v), len(v.is_left)
    k = min(_NEAREST, n - 1)
    nearest = nearest_neighbours(means - means.mean(axis=0), k=k)
    tested = _reassigned(v, how, lambda is_left: float((is_left[nearest] == is_left[:, None]).mean()))
    sizes = np.where(v.is_left, v.is_left.sum(), (~v.is_left).sum())
    expected = float(((sizes - 1) / (n - 1)).mean())
    return tested | {"null_mean": expected, "note": f"{k} nearest terms; words around the term"}


def _of_pairs(v: GroupVectors, how: _Draws, value: Callable[[FloatArray, FloatArray], float]) -> _Figures:
    """A measure of the vectors of pairs, left and right, against that of terms paired at random; it needs two pairs."""
    if len(v.pairs) < 2:
        why = f"{len(v.pairs)} pairs of terms that differ only in the group; expected 2 or more"
        return {"value": np.nan, "n": len(v.pairs), "note": why}
    observed = value(v.terms[v.pairs[:, 0]], v.terms[v.pairs[:, 1]])
    words, rng = v.terms[v.pairs.reshape(-1)], np.random.default_rng(how.seed)
    drawn = [rng.permutation(len(words)).reshape(-1, 2) for _ in range(how.draws)]
    null = np.array([value(words[pairs[:, 0]], words[pairs[:, 1]]) for pairs in drawn])
    p = p_value(observed, null, exact=False)
    return {"value": observed, "n": len(v.pairs), "note": "pairs of terms", "null_mean": null.mean(), "p_value": p}


def _cosine(v: GroupVectors, how: _Draws) -> _Figures:
    def role_cosines(left: FloatArray, right: FloatArray) -> FloatArray:
        return direction_cosines(v.roles, group_space(left, right)[1])

    tested = _of_pairs(v, how, lambda left, right: float(np.abs(role_cosines(left, right)).mean()))
    if len(v.pairs) < 2:
        return tested
    observed = role_cosines(v.terms[v.pairs[:, 0]], v.terms[v.pairs[:, 1]])
    ends = _percentiles(how.rng.choice(np.abs(observed), (how.draws, len(observed))).mean(axis=1))
    return tested | ends | {"n": len(v.roles), "note": f"mean signed cosine {float(observed.mean()):+.3f}; role words"}


def _pca(v: GroupVectors, how: _Draws) -> _Figures:
    return _of_pairs(v, how, lambda left, right: group_space(left, right)[0])


_MEASURES = (_seat, _ceat, _linear, _mdl, _cluster, _neighbours, _cosine, _pca)

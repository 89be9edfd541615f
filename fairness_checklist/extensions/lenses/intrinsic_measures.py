"""The eight intrinsic measures on the vectors of two groups' terms, each with its chance level and test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.lenses.metrics.association import associations, ceat, effect_size, weat
from fairness_checklist.extensions.lenses.metrics.separability import (
    Probe,
    cluster_agreement,
    direction_cosines,
    group_space,
    linear_probe,
    matched_accuracy,
    neighbour_shares,
    online_code,
)
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


@dataclass(frozen=True)
class _Row:
    """The figures of one measure."""

    value: float
    n: int
    note: str
    null_mean: float = _NAN
    ci: tuple[float, float] = (_NAN, _NAN)
    p_value: float = _NAN


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
    rows: list[dict[str, Any]] = []
    for name, measure in followed(list(zip(MEASURES, _MEASURES, strict=True)), "intrinsic measures", "measures"):
        row = measure(vectors, how)
        rows.append({"measure": name, "title": MEASURES[name], **vars(row), "ci_low": row.ci[0], "ci_high": row.ci[1]})
    table = pd.DataFrame(rows)
    return table.assign(p_adjusted=holm(table["p_value"]))[list(COLUMNS)]


def _percentiles(values: Sequence[float] | FloatArray) -> tuple[float, float]:
    drawn = np.asarray(values, dtype=np.float64)
    defined = drawn[~np.isnan(drawn)]
    low, high = np.percentile(defined, [2.5, 97.5]).tolist() if len(defined) else (_NAN, _NAN)
    return float(low), float(high)


def _resampled(is_left: BoolArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Terms of each group, drawn with replacement."""
    left, right = np.flatnonzero(is_left), np.flatnonzero(~is_left)
    return rng.choice(left, len(left)), rng.choice(right, len(right))


def _seat(v: GroupVectors, how: _Draws) -> _Row:
    a, b = (np.stack([word.mean(axis=0) for word in words]) for words in (v.a, v.b))
    test = weat(v.terms[v.is_left], v.terms[~v.is_left], a, b, two_sided=True, draws=how.draws, seed=how.seed)
    s = associations(v.terms, a, b)
    drawn = [_resampled(v.is_left, how.rng) for _ in range(how.draws)]
    ci = _percentiles([effect_size(s[left], s[right]) for left, right in drawn])
    return _Row(test.effect_size, len(s), "", null_mean=0.0, ci=ci, p_value=test.p_value)


def _ceat(v: GroupVectors, how: _Draws) -> _Row:
    x, y = ([rows for rows, left in zip(v.contexts, v.is_left, strict=True) if left == side] for side in (True, False))
    test = ceat(x, y, v.a, v.b, samples=how.samples, draws=how.draws, seed=how.seed)
    first = np.arange(len(v.contexts)) < len(x)
    ends = []
    for _ in range(how.draws):
        in_x, in_y = _resampled(first, how.rng)
        spread = test.scores[:, np.concatenate([in_x, in_y])].std(axis=1, ddof=1)
        apart = test.scores[:, in_x].mean(axis=1) - test.scores[:, in_y].mean(axis=1)
        ends.append(float(np.mean(apart[spread > 0] / spread[spread > 0])) if (spread > 0).any() else _NAN)
    note = f"the published p, over contexts of these words, is {test.p_contexts:.2g}"
    ci = _percentiles(ends)
    return _Row(test.effect_size, len(v.contexts), note, null_mean=0.0, ci=ci, p_value=test.p_words)


def _reassigned(
    v: GroupVectors, how: _Draws, value: Callable[[BoolArray], float], *, trains: bool = False
) -> tuple[float, float, float]:
    """A measure of labels, its mean when terms are assigned to groups at random, and p."""
    limit = {"limit": how.probe_draws, "draws": how.probe_draws} if trains else {"draws": how.draws}
    assigned = relabelled(v.is_left, **limit, seed=how.seed)
    null = np.array([value(is_left) for is_left in assigned.first])
    observed = value(v.is_left)
    return observed, float(null.mean()), p_value(observed, null, exact=assigned.exact)


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
    folds = min(_FOLDS, int(min(v.is_left.sum(), (~v.is_left).sum())))

    def probe(is_left: BoolArray) -> Probe:
        return linear_probe(rows, is_left[v.around_unit], unit=unit, folds=folds, seed=how.seed)

    observed = probe(v.is_left)
    by_term = np.bincount(v.around_unit, weights=observed.correct) / np.bincount(v.around_unit)
    ci = _percentiles([float(by_term[np.concatenate(_resampled(v.is_left, how.rng))].mean()) for _ in range(how.draws)])
    value, null_mean, p = _reassigned(v, how, lambda is_left: probe(is_left).accuracy, trains=True)
    note = f"F1 {observed.f1:.3f}; words around the term"
    return _Row(value, len(v.is_left), note, null_mean=null_mean, ci=ci, p_value=p)


def _mdl(v: GroupVectors, how: _Draws) -> _Row:
    rows, unit = _around(v), v.around_unit.tolist()

    def compression(is_left: BoolArray) -> float:
        labels = is_left[v.around_unit]
        seeds = range(how.seed, how.seed + _ORDERS)
        return float(np.mean([online_code(rows, labels, unit=unit, seed=seed) for seed in seeds]))

    value, null_mean, p = _reassigned(v, how, compression, trains=True)
    note = f"mean of {_ORDERS} orders of the terms; words around the term"
    return _Row(value, len(v.is_left), note, null_mean=null_mean, p_value=p)


def _term_means(v: GroupVectors) -> FloatArray:
    """One vector a term: the mean of what is around it."""
    total = np.zeros((len(v.is_left), v.around.shape[1]))
    np.add.at(total, v.around_unit, v.around)
    return np.asarray(total / np.bincount(v.around_unit)[:, None], dtype=np.float64)


def _cluster(v: GroupVectors, how: _Draws) -> _Row:
    agreement = cluster_agreement(_term_means(v), v.is_left, seed=how.seed)
    value, null_mean, p = _reassigned(v, how, lambda is_left: matched_accuracy(is_left, agreement.cluster))
    note = f"V-measure {agreement.v_measure:.3f}; words around the term"
    return _Row(value, len(v.is_left), note, null_mean=null_mean, p_value=p)


def _neighbours(v: GroupVectors, how: _Draws) -> _Row:
    # The mean is taken out: vectors of one model share a direction, which makes all cosines near 1.
    means = _term_means(v)
    k = min(_NEAREST, len(v.is_left) - 1)
    shares = neighbour_shares(means - means.mean(axis=0), v.is_left, k=k)

    def same_share(is_left: BoolArray) -> float:
        return float((is_left[shares.nearest] == is_left[:, None]).mean())

    value, _, p = _reassigned(v, how, same_share)
    note = f"{k} nearest terms; words around the term"
    return _Row(value, len(v.is_left), note, null_mean=shares.expected, p_value=p)


def _random_pairs(v: GroupVectors, how: _Draws) -> list[tuple[FloatArray, FloatArray]]:
    """The vectors of the pairs' terms, paired at random."""
    words = v.terms[v.pairs.reshape(-1)]
    rng = np.random.default_rng(how.seed)
    drawn = [rng.permutation(len(words)).reshape(-1, 2) for _ in range(how.draws)]
    return [(words[pairs[:, 0]], words[pairs[:, 1]]) for pairs in drawn]


def _of_pairs(measure: Callable[[GroupVectors, _Draws], _Row]) -> Callable[[GroupVectors, _Draws], _Row]:
    """A measure that needs two pairs of terms, undefined without them."""

    def with_pairs(v: GroupVectors, how: _Draws) -> _Row:
        why = f"{len(v.pairs)} pairs of terms that differ only in the group; expected 2 or more"
        return measure(v, how) if len(v.pairs) > 1 else _Row(_NAN, len(v.pairs), why)

    return with_pairs


@_of_pairs
def _cosine(v: GroupVectors, how: _Draws) -> _Row:
    observed = direction_cosines(v.roles, group_space(v.terms[v.pairs[:, 0]], v.terms[v.pairs[:, 1]]).direction)
    null = [np.abs(direction_cosines(v.roles, group_space(*xy).direction)).mean() for xy in _random_pairs(v, how)]
    size = np.abs(observed)
    ci = _percentiles(how.rng.choice(size, (how.draws, len(size))).mean(axis=1))
    value = float(size.mean())
    p = p_value(value, np.array(null), exact=False)
    note = f"mean signed cosine {float(observed.mean()):+.3f}; role words"
    return _Row(value, len(v.roles), note, null_mean=float(np.mean(null)), ci=ci, p_value=p)


@_of_pairs
def _pca(v: GroupVectors, how: _Draws) -> _Row:
    observed = group_space(v.terms[v.pairs[:, 0]], v.terms[v.pairs[:, 1]]).explained
    null = np.array([group_space(*pair).explained for pair in _random_pairs(v, how)])
    p = p_value(observed, null, exact=False)
    return _Row(observed, len(v.pairs), "pairs of terms", null_mean=float(null.mean()), p_value=p)


_MEASURES = (_seat, _ceat, _linear, _mdl, _cluster, _neighbours, _cosine, _pca)

"""What vectors tell of two groups: associations with words, probes, clusters, neighbours, a direction of pairs.

Vectors are (n, d); ``first`` (n,) says which of them belong to the first of two groups.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import MissingExtraError, OptionError
from fairness_checklist.extensions.lenses.relabelling import EXACT_LIMIT, p_value, relabelled

PORTIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""The shares of the data after which Voita and Titov 2020 train again."""


def scikit_learn() -> Any:
    """The module ``sklearn`` with what is used of it; `MissingExtraError` where it is not installed."""
    try:
        import sklearn
        import sklearn.cluster
        import sklearn.linear_model
        import sklearn.metrics
        import sklearn.neighbors
    except ImportError as error:
        raise MissingExtraError(
            "probes, clusters and neighbours need scikit-learn, which is not installed.",
            remedy='Install the extra: pip install "fairness-checklist[lenses]".',
        ) from error
    return sklearn


def unit_vectors(name: str, values: ArrayLike) -> FloatArray:
    """Vectors (n, d) at length 1; `OptionError` with their name for other arrays and for vectors of zeros."""
    vectors = np.asarray(values, dtype=np.float64)
    if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
        raise OptionError(
            f"{name}= has the shape {vectors.shape}; expected finite vectors (n, d).", remedy="Give one vector a row."
        )
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not length.all():
        raise OptionError(f"{name}= has a vector of zeros, which has no direction.", remedy="Leave it out.")
    return np.asarray(vectors / length, dtype=np.float64)


def cosines(left: FloatArray, right: FloatArray) -> FloatArray:
    """The cosines (n, m) of n with m vectors that have length 1, from -1 to 1."""
    return np.asarray(np.clip(left @ right.T, -1.0, 1.0), dtype=np.float64)


def _log_odds(train: FloatArray, first: BoolArray, test: FloatArray) -> FloatArray:
    """The log odds (m,) of the first group by logistic regression with an L2 penalty of 1."""
    sklearn = scikit_learn()
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        fit = sklearn.linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=500)
        return np.asarray(fit.fit(train, first).decision_function(test), dtype=np.float64)


def linear_probe(
    vectors: FloatArray, first: BoolArray, unit: IntArray, *, folds: int = 5, seed: int = 0
) -> tuple[float, float, BoolArray]:
    """Cross-validated logistic regression: accuracy, mean F1 of the groups, and which vectors are recognised (n,)."""
    first = first == first[0]  # the group of the first vector, so that folds do not depend on the groups' order
    unit_first = np.bincount(unit, weights=first) > 0
    rng = np.random.default_rng(seed)
    unit_fold = np.zeros(len(unit_first), dtype=np.int64)
    for members in (unit_first, ~unit_first):
        order = rng.permutation(np.flatnonzero(members))
        unit_fold[order] = np.arange(len(order)) % folds
    fold = unit_fold[unit]  # all vectors of a word are in one fold, so that the probe cannot remember the word
    said = np.zeros(len(vectors), dtype=np.bool_)
    for number in range(folds):
        held = fold == number
        said[held] = _log_odds(vectors[~held], first[~held], vectors[held]) > 0
    correct: BoolArray = said == first
    return float(correct.mean()), float(scikit_learn().metrics.f1_score(first, said, average="macro")), correct


def online_code(
    vectors: FloatArray, first: BoolArray, unit: IntArray, *, portions: Sequence[float] = PORTIONS, seed: int = 0
) -> float:
    """The compression of labels by the online code (Voita and Titov 2020, section 2.2): n bits over its length.

    Labels of the first portion of units cost one bit each, others -log2 p(label) of a probe trained on all before.
    """
    n_units = int(unit.max()) + 1
    order = np.random.default_rng(seed).permutation(n_units)
    stops = sorted({max(1, round(share * n_units)) for share in portions})
    place = np.argsort(order)[unit]  # of each vector's unit in the order
    bits = float((place < stops[0]).sum())
    for start, stop in pairwise(stops):
        before, coded = place < start, (place >= start) & (place < stop)
        if first[before].all() or not first[before].any():
            bits += float(coded.sum())
            continue
        scores = _log_odds(vectors[before], first[before], vectors[coded])
        sign = np.where(first[coded], 1.0, -1.0)
        bits += float(np.logaddexp(0.0, -sign * scores).sum() / np.log(2))
    return len(vectors) / bits


def two_clusters(vectors: FloatArray, *, starts: int = 20, seed: int = 0) -> IntArray:
    """Which of two clusters (n,) each vector is in: k-means, the best of several starts (Gonen and Goldberg 2019)."""
    means = scikit_learn().cluster.KMeans(2, init="random", n_init=starts, random_state=seed, tol=0)
    return np.asarray(means.fit_predict(vectors - vectors.mean(axis=0)), dtype=np.int64)


def matched_accuracy(first: BoolArray, cluster: IntArray) -> float:
    """The share of vectors in the cluster of their group, after the better of the two matchings: 0.5 to 1."""
    same = float((first == (cluster == 0)).mean())
    return max(same, 1 - same)


def nearest_neighbours(vectors: FloatArray, *, k: int = 5) -> IntArray:
    """The k nearest vectors (n, k) of each by cosine, nearest first (Gonen and Goldberg 2019)."""
    near = scikit_learn().neighbors.NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute")
    return np.asarray(near.fit(unit_vectors("vectors", vectors)).kneighbors(return_distance=False), dtype=np.int64)


def group_space(first: FloatArray, second: FloatArray) -> tuple[float, FloatArray]:
    """The gender space of Bolukbasi et al. 2016 (section 5.1), for P pairs of vectors (P, d) of any two groups.

    The first principal component's share of the variance, and its direction (d,) from the second words to the first.
    """
    half = (first - second) / 2  # first less the pair's mean; the second word is its negative
    _, singular, rows = np.linalg.svd(half, full_matrices=False)
    variance = singular**2
    if not variance.sum() > 0:
        raise OptionError("the words of each pair have the same vector.", remedy="Give vectors that differ.")
    direction = rows[0] if float((half @ rows[0]).sum()) >= 0 else -rows[0]
    return float(variance[0] / variance.sum()), np.asarray(direction, dtype=np.float64)


def direction_cosines(words: ArrayLike, direction: FloatArray) -> FloatArray:
    """The cosine (n,) of words (n, d) with the direction (d,) between the groups (Bolukbasi et al. 2016)."""
    return cosines(unit_vectors("words", words), unit_vectors("direction", direction[None]))[:, 0]


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


def effect_size(x: FloatArray, y: FloatArray) -> float:
    """The difference of the means of two sets of associations over the standard deviation (n - 1) of all values."""
    spread = float(np.concatenate([x, y]).std(ddof=1))
    return float((x.mean() - y.mean()) / spread) if spread > _FLAT else float("nan")


def weat(
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    limit: int = EXACT_LIMIT,
    draws: int = 9_999,
    seed: int = 0,
) -> Association:
    """The Word Embedding Association Test (Caliskan et al. 2017), two-sided; SEAT on vectors of bleached sentences."""
    s_x, s_y = associations(x, a, b), associations(y, a, b)
    values = np.concatenate([s_x, s_y])
    first, exact = relabelled(np.arange(len(values)) < len(s_x), limit=limit, draws=draws, seed=seed)
    permuted = np.abs(_mean_differences(values, first))
    observed = abs(float(s_x.mean() - s_y.mean()))
    return Association(effect_size(s_x, s_y), p_value(observed, permuted, exact=exact), exact)


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
    """DerSimonian and Laird's combination of N effects: the combined effect, its standard error, variance between."""
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
    """CEAT (Guo and Caliskan 2021): WEAT with one context of each word (contexts, d), drawn N times."""
    sets = [[unit_vectors(name, word) for word in words] for name, words in (("x", x), ("y", y), ("a", a), ("b", b))]
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
    spread = s.std(axis=1, ddof=1)  # within a sample over the targets, as the authors' code has it
    combined, error, between = random_effects(effects, spread**2)
    # The standard deviation of a sample does not change with the assignment, so the mean effect is linear in the words.
    first, exact = relabelled(np.arange(targets) < size, draws=draws, seed=seed)
    permuted = np.abs(_mean_differences((s / spread[:, None]).mean(axis=0), first))
    from scipy import stats

    p_contexts = float(2 * stats.norm.sf(abs(combined) / error))
    p_words = p_value(abs(float(effects.mean())), permuted, exact=exact)
    return CombinedEffect(combined, error, between, p_contexts, p_words, effects, s)

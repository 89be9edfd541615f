"""The intrinsic measures against loops written out, scikit-learn and scipy."""

import itertools
import math
import sys
from typing import Any

import numpy as np
import pytest
from refusals import refusal
from scipy import stats
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from fairness_checklist.core.errors import MissingExtraError, OptionError
from fairness_checklist.extensions.lenses.metrics.vectors import (
    ceat,
    direction_cosines,
    group_space,
    linear_probe,
    matched_accuracy,
    nearest_neighbours,
    online_code,
    random_effects,
    scikit_learn,
    two_clusters,
    weat,
)

Vectors = Any
SEEDS = range(2)


def assert_close(one: Any, other: Any, within: float = 1e-9) -> None:
    np.testing.assert_allclose(one, other, rtol=0, atol=within)


def drawn(seed: int, *sizes: int, width: int = 6) -> list[Vectors]:
    """Sets of vectors; the first is moved."""
    rng = np.random.default_rng(seed)
    sets = [rng.normal(size=(size, width)) for size in sizes]
    sets[0] += 0.7 * (np.arange(width) < 2)
    return sets


def cosine(one: Vectors, other: Vectors) -> float:
    dot = sum(p * q for p, q in zip(one, other, strict=True))
    return float(dot / math.sqrt(sum(p * p for p in one)) / math.sqrt(sum(q * q for q in other)))


def association(word: Vectors, a: Vectors, b: Vectors) -> float:
    return sum(cosine(word, one) for one in a) / len(a) - sum(cosine(word, one) for one in b) / len(b)


def naive_effect(s_x: list[float], s_y: list[float]) -> float:
    every = s_x + s_y
    mean = sum(every) / len(every)
    spread = math.sqrt(sum((one - mean) ** 2 for one in every) / (len(every) - 1))
    return (sum(s_x) / len(s_x) - sum(s_y) / len(s_y)) / spread


@pytest.mark.parametrize("seed", SEEDS)
def test_weat_is_the_loop_over_words_and_assignments(seed: int) -> None:
    x, y, a, b = drawn(seed, 4, 5 if seed % 2 else 4, 3, 2)
    s_x, s_y = [association(one, a, b) for one in x], [association(one, a, b) for one in y]

    def apart(chosen: tuple[int, ...]) -> float:
        every = s_x + s_y
        inside = [every[at] for at in chosen]
        outside = [every[at] for at in range(len(every)) if at not in chosen]
        return abs(sum(inside) / len(inside) - sum(outside) / len(outside))

    ways = list(itertools.combinations(range(len(x) + len(y)), len(x)))
    observed = apart(tuple(range(len(x))))
    expected = sum(apart(one) >= observed - 1e-12 for one in ways) / len(ways)
    found = weat(x, y, a, b)

    assert_close(found.effect_size, naive_effect(s_x, s_y))
    assert (found.p_value, found.exact) == (expected, True)
    assert weat(7 * x, y / 3, a, b * 2).p_value == expected  # lengths play no part


def test_a_sampled_p_value_is_near_the_exact_one_and_never_zero() -> None:
    x, y, a, b = drawn(1, 6, 6, 3, 3)
    exact, sampled = (weat(x, y, a, b, limit=limit, draws=4999, seed=3) for limit in (1000, 10))
    assert (exact.exact, sampled.exact) == (True, False)
    assert abs(exact.p_value - sampled.p_value) < 0.03
    axes = np.eye(6)
    far = weat(axes[[0] * 9] + 1e-3 * drawn(1, 9)[0], axes[[1] * 9], axes[:1], axes[1:2], limit=10, draws=99)
    assert far.p_value == 0.01
    assert weat(x, y, a, b, limit=10, draws=99, seed=1) == weat(x, y, a, b, limit=10, draws=99, seed=1)


@pytest.mark.parametrize("seed", SEEDS)
def test_ceat_is_the_loop_over_samples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sets = [
        [rng.normal(size=(rng.integers(1, 5), 5)) + shift for _ in range(n)]
        for n, shift in ((3, 0.4), (4, 0), (2, 0.3), (3, 0))
    ]
    found = ceat(*sets, samples=40, seed=seed)

    again = np.random.default_rng(seed)
    samples = [[[word[again.integers(len(word))] for word in words] for words in sets] for _ in range(40)]
    s = np.array([[association(word, a, b) for word in [*x, *y]] for x, y, a, b in samples])
    effects = np.array([naive_effect(list(row[:3]), list(row[3:])) for row in s])
    variances = s.var(axis=1, ddof=1)
    combined, error, between = random_effects(effects, variances)
    weight = 1 / variances
    q = (weight * (effects - np.average(effects, weights=weight)) ** 2).sum()
    assert_close(between, max(0.0, (q - 39) / (weight.sum() - (weight**2).sum() / weight.sum())))
    assert_close(combined, np.average(effects, weights=1 / (variances + between)))
    assert_close(error, 1 / math.sqrt((1 / (variances + between)).sum()))
    assert_close(found.effects, effects)
    assert_close([found.effect_size, found.standard_error, found.between], [combined, error, between])
    assert_close(found.p_contexts, 2 * (1 - stats.norm.cdf(abs(combined / error))))
    means = [
        abs(np.mean([naive_effect(list(row[list(x)]), list(np.delete(row, x))) for row in s]))
        for x in itertools.combinations(range(7), 3)
    ]
    assert found.p_words == sum(mean >= abs(np.mean(effects)) - 1e-12 for mean in means) / len(means)
    assert_close(random_effects(np.array([0.5, 0.5]), np.array([0.1, 0.4])), (0.5, math.sqrt(1 / 12.5), 0.0))


def test_a_probe_is_never_trained_on_a_word_that_it_is_tested_on() -> None:
    rng = np.random.default_rng(0)
    words = rng.normal(size=(12, 30))
    unit = np.repeat(np.arange(12), 8)
    rows = words[unit] + 0.05 * rng.normal(size=(96, 30))
    first = unit < 6
    accuracy, f1, correct = linear_probe(rows, first, unit, folds=3, seed=1)
    assert linear_probe(rows, first, np.arange(96), folds=3)[0] == 1.0  # remembers the words
    assert accuracy < 0.85
    assert_close([accuracy, f1], [correct.mean(), f1_score(first, first == correct, average="macro")])
    assert (linear_probe(rows, ~first, unit, folds=3, seed=1)[2] == correct).all()  # whichever group is the first

    fold = np.zeros(12, dtype=int)  # the same folds in a loop, with scikit-learn
    again = np.random.default_rng(1)
    for side in (range(6), range(6, 12)):
        for at, one in enumerate(again.permutation(np.array(side))):
            fold[one] = at % 3
    hits = 0
    for at in range(3):
        held = fold[unit] == at
        peer = LogisticRegression(solver="newton-cholesky", tol=1e-12).fit(rows[~held], first[~held])
        hits += int((peer.predict(rows[held]) == first[held]).sum())
    assert correct.sum() == hits


@pytest.mark.parametrize("seed", SEEDS)
def test_the_online_code_is_the_loop_over_portions(seed: int) -> None:
    x, y = drawn(seed, 30, 20, width=8)
    rows, labels = np.vstack([x, y]), np.array(["F"] * 30 + ["M"] * 20)
    found = online_code(rows, labels == "F", np.arange(50), portions=(0.05, 0.2, 0.5, 1), seed=seed)
    order = np.random.default_rng(seed).permutation(50)
    bits, ends = 2.0, [2, 10, 25, 50]
    for start, stop in itertools.pairwise(ends):
        if len(set(labels[order[:start]])) < 2:
            bits += stop - start
            continue
        peer = LogisticRegression(solver="newton-cholesky", tol=1e-14, max_iter=500)
        peer.fit(rows[order[:start]], labels[order[:start]])
        for at in order[start:stop]:
            chance = peer.predict_proba(rows[[at]])[0]
            bits -= math.log2(chance[list(peer.classes_).index(labels[at])])
    assert_close(found, 50 / bits)


@pytest.mark.parametrize("seed", SEEDS)
def test_clusters_are_the_best_of_all_divisions(seed: int) -> None:
    x, y = drawn(seed, 6, 5, width=3)
    rows, first = np.vstack([x + 1, y]), np.arange(11) < 6
    found = two_clusters(rows, starts=200)

    def inertia(cluster: Any) -> float:
        sides = (rows[cluster == side] for side in (0, 1))
        return float(sum(((side - side.mean(axis=0)) ** 2).sum() for side in sides))

    divisions = [[0, *rest] for n in range(10) for rest in itertools.combinations(range(1, 11), n)]
    best = min((np.isin(np.arange(11), side) for side in divisions), key=inertia)
    assert (found == found[0]).tolist() == best.tolist()
    same = np.mean(first == best)
    assert_close(matched_accuracy(first, found), max(same, 1 - same))


@pytest.mark.parametrize("k", [1, 4, 16])
def test_neighbours_are_the_loop_over_cosines(k: int) -> None:
    x, y = drawn(k, 9, 8)
    rows = np.vstack([x, y])
    found = nearest_neighbours(rows, k=k)
    for place, row in enumerate(rows):
        others = [other for other in range(17) if other != place]
        assert found[place].tolist() == sorted(others, key=lambda other: -cosine(row, rows[other]))[:k]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("width", [3, 12])
def test_the_group_space_is_pca_of_pairs_centred_on_their_means(seed: int, width: int) -> None:
    first, second = drawn(seed, 7, 7, width=width)
    explained, direction = group_space(first, second)
    centred = []
    for one, other in zip(first, second, strict=True):
        middle = [(p + q) / 2 for p, q in zip(one, other, strict=True)]
        centred += [[p - m for p, m in zip(word, middle, strict=True)] for word in (one, other)]
    peer = PCA().fit(np.array(centred))
    assert_close(abs(direction @ peer.components_[0]), 1.0)
    assert_close(explained, peer.explained_variance_ratio_[0])
    assert np.mean((first - second) @ direction) > 0
    assert_close(group_space(second, first)[1], -direction)


@pytest.mark.parametrize("seed", SEEDS)
def test_cosines_with_the_direction(seed: int) -> None:
    words, first, second = drawn(seed, 5, 4, 6)
    found = direction_cosines(words, first.mean(axis=0) - second.mean(axis=0))
    expected = [
        cosine(word, [sum(one[at] for one in first) / 4 - sum(one[at] for one in second) / 6 for at in range(6)])
        for word in words
    ]
    assert_close(found, expected)


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, same = np.eye(4), [np.eye(4)[:1]] * 2
    cases: list[tuple[Any, str]] = [
        (lambda: weat(rows[0], rows, rows, rows), "words= has the shape (4,); expected finite vectors (n, d)."),
        (lambda: weat(rows * np.nan, rows, rows, rows), "words= has the shape (4, 4); expected finite vectors (n, d)."),
        (lambda: weat(rows * 0, rows, rows, rows), "words= has a vector of zeros, which has no direction."),
        (
            lambda: ceat(same, same, [rows], [rows], samples=2),
            "in a sample of contexts all targets have the same association, so that it has no effect size.",
        ),
        (lambda: group_space(rows, rows), "the words of each pair have the same vector."),
    ]
    for call, text in cases:
        with pytest.raises(OptionError) as error:
            call()
        assert error.value.message == text
    monkeypatch.setitem(sys.modules, "sklearn", None)
    assert refusal(MissingExtraError, scikit_learn) == (
        "probes, clusters and neighbours need scikit-learn, which is not installed.\n"
        '    Install the extra: pip install "fairness-checklist[lenses]".'
    )

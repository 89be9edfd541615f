"""What a score of a text is expected to be without the mention: from its length, its writing, its set and its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from scipy.special import expit

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.findings.harm_cells import clipped_logit

__all__ = ["expected_scores", "word_weights"]

FOLDS = 5
DIMENSIONS = 100
VOCABULARY = 20_000
FITTED = 100_000  # texts at most that a fold is fitted on
_PENALTY = 1.0
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def expected_scores(
    texts: Sequence[str],
    scores: FloatArray,
    *,
    sets: Sequence[object] | None = None,
    left_out: Collection[str] = (),
    content: bool = True,
    seed: int = 0,
) -> FloatArray:
    """The expected probability of each text (n), from texts of other folds.

    A ridge regression of the logit on the set, the logarithm of the length, the share of capitals and, with
    ``content``, the words (TF-IDF of words in five texts or more, reduced to 100 dimensions), five-fold cross-fitted.
    Each fold's expectations are moved so that the texts it is fitted on have their mean.

    Args:
        texts: n texts.
        scores: n probabilities.
        sets: the corpus of each text; one by default.
        left_out: words that are no content: those of the identity terms, in lower case.
        content: whether the words take part.
        seed: of the folds, and of the texts that a fold is fitted on where there are more than 100,000.

    >>> expected_scores(["a b c"] * 20, np.full(20, 0.3), content=False).round(6).tolist() == [0.3] * 20
    True
    """
    return cross_fitted(
        text_features(texts, sets=sets, left_out=left_out, content=content, seed=seed), scores, seed=seed
    )


def text_features(
    texts: Sequence[str],
    *,
    sets: Sequence[object] | None = None,
    left_out: Collection[str] = (),
    content: bool = True,
    seed: int = 0,
) -> FloatArray:
    """What the expectation reads of each text, (n, F): see `expected_scores`."""
    features = _features(texts, sets)
    if content:
        features = np.hstack([features, _reduced(word_weights(texts, frozenset(left_out)), seed)])
    return features


def cross_fitted(features: FloatArray, scores: FloatArray, *, seed: int = 0) -> FloatArray:
    """The expected probability of each text (n) from features (n, F): see `expected_scores`."""
    generator = np.random.default_rng([seed, 7])
    fold = generator.permutation(len(scores)) % FOLDS
    logits = clipped_logit(scores)
    expected = np.zeros(len(scores))
    for one in range(FOLDS):
        inside = np.flatnonzero(fold != one)
        if len(inside) > FITTED:
            inside = generator.choice(inside, FITTED, replace=False)
        slope = _ridge(features[inside], logits[inside])
        found = expit(_with_one(features) @ slope)
        expected[fold == one] = found[fold == one] + float((scores[inside] - found[inside]).mean())
    return expected


def _features(texts: Sequence[str], sets: Sequence[object] | None) -> FloatArray:
    lengths = np.array([len(text) for text in texts], dtype=np.float64)
    capitals = np.array([sum(map(str.isupper, text)) for text in texts]) / np.maximum(lengths, 1)
    columns = [np.log1p(lengths), np.log1p(lengths) ** 2, capitals]
    names = np.array([str(one) for one in sets] if sets is not None else [""] * len(texts))
    columns += [(names == name).astype(np.float64) for name in np.unique(names)[1:]]
    return np.column_stack([_standard(column) for column in columns])


def _standard(column: FloatArray) -> FloatArray:
    return np.asarray((column - column.mean()) / (column.std() or 1.0), dtype=np.float64)


def word_weights(texts: Sequence[str], left_out: frozenset[str]) -> sparse.csr_array:
    """TF-IDF of the words of each text, rows of length 1."""
    used = [Counter(word for word in _WORD.findall(text.lower()) if word not in left_out) for text in texts]
    texts_with = Counter(word for counts in used for word in counts)
    known = [word for word, n in texts_with.most_common(VOCABULARY) if 5 <= n < len(texts)]
    at = {word: column for column, word in enumerate(known)}
    rows = [(row, at[word], n) for row, counts in enumerate(used) for word, n in counts.items() if word in at]
    row, column, n = (np.array(part) for part in zip(*rows, strict=True)) if rows else (np.empty(0, np.int64),) * 3
    weight = (1 + np.log(np.maximum(n, 1))) * np.log(len(texts) / np.array([texts_with[word] for word in known]))[
        column
    ]
    found = sparse.csr_array((weight, (row, column)), shape=(len(texts), len(known)))
    length = np.sqrt(found.multiply(found).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ found)


def _reduced(words: sparse.csr_array, seed: int) -> FloatArray:
    size = min(DIMENSIONS, *(n - 1 for n in words.shape))
    if size < 1:
        return np.zeros((words.shape[0], 0))
    left, value, _ = svds(words, k=size, rng=np.random.default_rng([seed, 8]))
    reduced = left * value
    return np.asarray(reduced / (reduced.std() or 1.0))


def _with_one(features: FloatArray) -> FloatArray:
    return np.hstack([features, np.ones((len(features), 1))])


def _ridge(features: FloatArray, values: FloatArray) -> FloatArray:
    both = _with_one(features)
    penalty = np.full(both.shape[1], _PENALTY)
    penalty[-1] = 0.0
    return np.asarray(np.linalg.solve(both.T @ both + np.diag(penalty), both.T @ values), dtype=np.float64)

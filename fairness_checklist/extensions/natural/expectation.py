"""What a score of a text is expected to be without the mention: from its length, its writing, its set and its words."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from scipy.special import expit

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.findings.errors import clipped_logit

FOLDS = 5
DIMENSIONS = 100
VOCABULARY = 20_000
FITTED = 100_000  # texts at most that a fold is fitted on
_PENALTY = 1.0
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def expected_scores(
    texts: Sequence[str], scores: FloatArray, *, left_out: Collection[str] = (), seed: int = 0
) -> FloatArray:
    """The expected probability of each text (n), from texts of other folds; words ``left_out`` are no content.

    A ridge regression of the logit on length, share of capitals and words, five-fold cross-fitted. Each fold's
    expectations are moved so that the texts it is fitted on have their mean.
    """
    return cross_fitted(text_features(texts, left_out=left_out, seed=seed), scores, seed=seed)


def text_features(
    texts: Sequence[str], *, sets: Sequence[object] | None = None, left_out: Collection[str] = (), seed: int = 0
) -> FloatArray:
    """What `expected_scores` reads of each text, (n, F); ``sets`` are the corpora of the texts, one by default."""
    lengths = np.array([len(text) for text in texts], dtype=np.float64)
    capitals = np.array([sum(map(str.isupper, text)) for text in texts]) / np.maximum(lengths, 1)
    names = np.array([str(name) for name in sets] if sets is not None else [""] * len(texts))
    of_sets = [(names == name).astype(np.float64) for name in np.unique(names)[1:]]
    columns = [np.log1p(lengths), np.log1p(lengths) ** 2, capitals, *of_sets]
    features = np.column_stack([(column - column.mean()) / (column.std() or 1.0) for column in columns])
    words = word_weights(texts, frozenset(left_out))
    size = min(DIMENSIONS, *(n - 1 for n in words.shape))
    if size >= 1:
        left, value, _ = svds(words, k=size, rng=np.random.default_rng([seed, 8]))
        reduced = left * value
        features = np.hstack([features, reduced / (reduced.std() or 1.0)])
    return features


def cross_fitted(features: FloatArray, scores: FloatArray, *, seed: int = 0) -> FloatArray:
    """The expected probability of each text (n) from features (n, F): see `expected_scores`."""
    generator = np.random.default_rng([seed, 7])
    fold = generator.permutation(len(scores)) % FOLDS
    logits = clipped_logit(scores)
    columns = np.hstack([features, np.ones((len(features), 1))])
    penalty = np.diag([_PENALTY] * features.shape[1] + [0.0])
    expected = np.zeros(len(scores))
    for number in range(FOLDS):
        inside = np.flatnonzero(fold != number)
        if len(inside) > FITTED:
            inside = generator.choice(inside, FITTED, replace=False)
        fold_columns = columns[inside]
        slopes = np.linalg.solve(fold_columns.T @ fold_columns + penalty, fold_columns.T @ logits[inside])
        fitted = expit(columns @ slopes)
        expected[fold == number] = fitted[fold == number] + float((scores[inside] - fitted[inside]).mean())
    return expected


def word_weights(texts: Sequence[str], left_out: frozenset[str]) -> sparse.csr_array:
    """TF-IDF of the words of each text, rows of length 1."""
    counts = [Counter(word for word in _WORD.findall(text.lower()) if word not in left_out) for text in texts]
    texts_with = Counter(word for words in counts for word in words)
    vocabulary = [word for word, n in texts_with.most_common(VOCABULARY) if 5 <= n < len(texts)]
    columns = {word: column for column, word in enumerate(vocabulary)}
    cells = [
        (row, columns[word], n) for row, words in enumerate(counts) for word, n in words.items() if word in columns
    ]
    row, column, n = np.array(cells, dtype=np.int64).reshape(-1, 3).T
    rarity = np.log(len(texts) / np.array([texts_with[word] for word in vocabulary]))
    weights = sparse.csr_array(((1 + np.log(n)) * rarity[column], (row, column)), shape=(len(texts), len(vocabulary)))
    length = np.sqrt(weights.multiply(weights).sum(axis=1))
    return sparse.csr_array(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ weights)

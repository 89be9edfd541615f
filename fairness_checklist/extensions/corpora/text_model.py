"""The small text classifier that `mitigation_loop` trains by default: a perceptron on words, of scikit-learn.

It is for experiments with training data (retraining with and without additional texts), not for use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import MissingExtraError, OptionError

_HIDDEN, _EPOCHS, _RATE, _WORDS = 32, 8, 5e-3, 10_000


def train_text_model(
    texts: Sequence[str], positive: Sequence[bool], *, seed: int
) -> Callable[[Sequence[str]], FloatArray]:
    """Train one hidden layer on the TF-IDF weights of words and pairs of words.

    Args:
        texts: n training texts.
        positive: n labels, true where the text is of the positive class.
        seed: of the first weights and the order of the texts: other seeds give other models.

    Returns:
        A function from m texts to (m,) probabilities of the positive class.

    Raises:
        MissingExtraError: scikit-learn is not installed.
        OptionError: not one label a text, or one class only.

    >>> score = train_text_model(["good tea", "bad tea"] * 40, [False, True] * 40, seed=1)
    >>> [bool(p > 0.5) for p in score(["good", "bad"])]
    [False, True]
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.neural_network import MLPClassifier
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            "the model of mitigate needs scikit-learn, which is not installed.",
            remedy='pip install "fairness-checklist[corpora]", or give a function of your own: fit=...',
        ) from error
    gold = np.asarray(positive, dtype=np.bool_)
    if len(gold) != len(texts) or not gold.any() or gold.all():
        raise OptionError(
            f"{len(texts):,} texts and {len(gold):,} labels, {int(gold.sum()):,} of them positive, cannot train a "
            "classifier.",
            remedy="Give texts of both classes, and one label a text.",
        )
    words = TfidfVectorizer(ngram_range=(1, 2), max_features=_WORDS, sublinear_tf=True, dtype=np.float32)
    rows, size = words.fit_transform(texts), min(64, len(texts))
    network = MLPClassifier((_HIDDEN,), learning_rate_init=_RATE, batch_size=size, random_state=seed)
    for _ in range(_EPOCHS):
        network.partial_fit(rows, gold, classes=[False, True])
    return lambda asked: np.asarray(network.predict_proba(words.transform(asked))[:, 1], dtype=np.float64)

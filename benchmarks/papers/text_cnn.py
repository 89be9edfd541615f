"""A small convolutional text classifier that is trained in seconds on a CPU, as the models of Dixon et al. 2018 are.

It is for experiments with training data (retraining with and without additional texts), not for use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import OptionError

if TYPE_CHECKING:
    import torch

_EPOCHS, _BATCH, _LEARNING_RATE, _DROPOUT = 4, 64, 2e-3, 0.3
_WIDTH = 48  # of a word's vector
_FILTERS, _SIZES = 48, (2, 3)  # convolutions of each size; words that a convolution sees
_MIN_COUNT = 2  # training texts that a known word has
_LONGEST = 40  # words of a text that are read
_PADDING, _UNKNOWN = 0, 1
_ADDRESS = re.compile(r"https?:\S*|www\.\S*|@\w+:?|&#?\w+;|\brt\b")


def _words(text: str) -> list[str]:
    """The words of a text in small letters, without addresses, user names and HTML entities."""
    return re.findall(r"\w+(?:['\u2019]\w+)*", _ADDRESS.sub(" ", text.lower()))


@dataclass(frozen=True, eq=False)
class TextCnn:
    """A trained model: the torch module, and the row of each word that it knows."""

    network: torch.nn.Module
    number: dict[str, int]

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """The probabilities (m,) of the positive class of m texts."""
        import torch

        with torch.no_grad():
            scores = self.network.score(torch.from_numpy(self.text_vectors(texts).astype(np.float32)))
            probabilities: FloatArray = torch.sigmoid(scores).numpy().astype(np.float64)
        return probabilities

    def word_vectors(self, words: Sequence[str]) -> FloatArray:
        """The vectors (m, width) of m words, as trained; NaN for words that the training texts do not have."""
        table = self.network.vectors.weight.detach().numpy().astype(np.float64)
        unknown = np.full(table.shape[1], np.nan)
        return np.array([table[self.number[word]] if word in self.number else unknown for word in words])

    def text_vectors(self, texts: Sequence[str]) -> FloatArray:
        """The hidden layer (m, filters x sizes) of m texts: what the last layer scores."""
        import torch

        rows = [_encode(text, self.number) for text in texts]
        order = np.argsort([len(row) for row in rows], kind="stable")
        vectors = np.zeros((len(rows), _FILTERS * len(_SIZES)))
        with torch.no_grad():
            for start in range(0, len(order), 512):
                chosen = order[start : start + 512]
                vectors[chosen] = self.network.hidden(_padded([rows[row] for row in chosen])).numpy()
        return vectors


def train_text_cnn(texts: Sequence[str], positive: Sequence[bool], *, seed: int) -> TextCnn:
    """Train the model.

    Args:
        texts: n training texts.
        positive: n labels, true where the text is of the positive class.
        seed: of the first weights, the order of the texts and the dropout. The global generator is left as it was.

    Returns:
        The model: a function from m texts to (m,) probabilities of the positive class. A word that the training texts
        do not have is unknown to it.

    Raises:
        OptionError: not one label a text, or one class only.
    """
    import torch

    gold = np.asarray(positive, dtype=np.bool_)
    if len(gold) != len(texts) or not gold.any() or gold.all():
        raise OptionError(
            f"{len(texts):,} texts and {len(gold):,} labels, {int(gold.sum()):,} of them positive, cannot train a "
            "classifier.",
            remedy="Give texts of both classes, and one label a text.",
        )
    counts = Counter(word for text in texts for word in set(_words(text)))
    known = sorted(word for word, n in counts.items() if n >= _MIN_COUNT)
    number = {word: at for at, word in enumerate(known, start=2)}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _network(len(number) + 2)
        _fit(network, [_encode(text, number) for text in texts], gold, np.random.default_rng(seed))
    network.eval()
    return TextCnn(network, number)


def _encode(text: str, number: dict[str, int]) -> IntArray:
    rows = [number.get(word, _UNKNOWN) for word in _words(text)[:_LONGEST]]
    return np.array(rows or [_UNKNOWN], dtype=np.int64)


def _network(vocabulary: int) -> torch.nn.Module:
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.vectors = torch.nn.Embedding(vocabulary, _WIDTH, padding_idx=_PADDING)
            self.filters = torch.nn.ModuleList(
                torch.nn.Conv1d(_WIDTH, _FILTERS, size, padding=size - 1) for size in _SIZES
            )
            self.dropout = torch.nn.Dropout(_DROPOUT)
            self.last = torch.nn.Linear(_FILTERS * len(_SIZES), 1)

        def hidden(self, ids: torch.Tensor) -> torch.Tensor:
            vectors = self.vectors(ids).transpose(1, 2)
            return torch.cat([torch.relu(layer(vectors)).amax(dim=2) for layer in self.filters], dim=1)

        def score(self, hidden: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.last(self.dropout(hidden)).squeeze(1)
            return logits

    return Network()


def _padded(rows: Sequence[IntArray]) -> torch.Tensor:
    import torch

    return torch.nn.utils.rnn.pad_sequence(
        [torch.from_numpy(row) for row in rows], batch_first=True, padding_value=_PADDING
    )


def _fit(network: torch.nn.Module, rows: Sequence[IntArray], gold: BoolArray, rng: np.random.Generator) -> None:
    import torch

    optimizer = torch.optim.Adam(network.parameters(), lr=_LEARNING_RATE)
    loss_of = torch.nn.BCEWithLogitsLoss()
    target = torch.from_numpy(gold.astype(np.float32))
    length = np.array([len(row) for row in rows])
    network.train()
    for _ in range(_EPOCHS):
        order = rng.permutation(len(rows))
        order = order[np.argsort(length[order], kind="stable")]  # batches of similar length
        starts = rng.permutation(np.arange(0, len(order), _BATCH))
        for start in starts.tolist():
            chosen = order[start : start + _BATCH]
            hidden = network.hidden(_padded([rows[row] for row in chosen]))
            loss = loss_of(network.score(hidden), target[torch.from_numpy(chosen)])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

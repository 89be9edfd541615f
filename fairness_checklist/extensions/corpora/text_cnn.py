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

__all__ = ["CnnRecipe", "TextCnn", "train_text_cnn", "words_of"]

_PADDING, _UNKNOWN = 0, 1
_ADDRESS = re.compile(r"https?:\S*|www\.\S*|@\w+:?|&#?\w+;|\brt\b")


@dataclass(frozen=True)
class CnnRecipe:
    """The settings of the model and its training.

    Attributes:
        epochs: passes over the texts.
        batch: texts a step.
        rate: learning rate of Adam.
        width: size of a word's vector.
        filters: convolutions of each size.
        sizes: words that a convolution sees.
        dropout: share of the values left out before the last layer.
        min_count: a word is known if at least that many training texts have it.
        longest: words of a text that are read.
    """

    epochs: int = 4
    batch: int = 64
    rate: float = 2e-3
    width: int = 48
    filters: int = 48
    sizes: tuple[int, ...] = (2, 3)
    dropout: float = 0.3
    min_count: int = 2
    longest: int = 40


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, without addresses, user names and HTML entities.

    >>> words_of("RT @someone: Don't go, it's 5 pm &amp; late http://t.co/x")
    ["don't", 'go', "it's", '5', 'pm', 'late']
    """
    return re.findall(r"\w+(?:['\u2019]\w+)*", _ADDRESS.sub(" ", text.lower()))


@dataclass(frozen=True, eq=False)
class TextCnn:
    """A trained model.

    Attributes:
        network: the torch module.
        number: the row of each word that it knows.
        recipe: its settings.
    """

    network: torch.nn.Module
    number: dict[str, int]
    recipe: CnnRecipe

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """The probabilities (m,) of the positive class of m texts."""
        return self._run(texts, width=0)

    def word_vectors(self, words: Sequence[str]) -> FloatArray:
        """The vectors (m, width) of m words, as trained; NaN for words that the training texts do not have."""
        table = self.network.vectors.weight.detach().numpy().astype(np.float64)
        found = np.full((len(words), self.recipe.width), np.nan)
        for at, word in enumerate(words):
            if word in self.number:
                found[at] = table[self.number[word]]
        return found

    def text_vectors(self, texts: Sequence[str]) -> FloatArray:
        """The hidden layer (m, filters x sizes) of m texts: what the last layer scores."""
        return self._run(texts, width=self.recipe.filters * len(self.recipe.sizes))

    def _run(self, texts: Sequence[str], width: int) -> FloatArray:
        import torch

        rows = [_encode(text, self.number, self.recipe) for text in texts]
        order = np.argsort([len(row) for row in rows], kind="stable")
        found = np.zeros((len(rows), width) if width else len(rows))
        with torch.no_grad():
            for start in range(0, len(order), 512):
                chosen = order[start : start + 512]
                hidden = self.network.hidden(_padded([rows[row] for row in chosen]))
                values = hidden if width else torch.sigmoid(self.network.score(hidden))
                found[chosen] = values.numpy().astype(np.float64)
        return found


def train_text_cnn(
    texts: Sequence[str], positive: Sequence[bool], *, seed: int, recipe: CnnRecipe | None = None
) -> TextCnn:
    """Train the model.

    Args:
        texts: n training texts.
        positive: n labels, true where the text is of the positive class.
        seed: of the first weights, the order of the texts and the dropout. The global generator is left as it was.
        recipe: the settings.

    Returns:
        The model: a function from m texts to (m,) probabilities of the positive class. A word that the training texts
        do not have is unknown to it.

    Raises:
        OptionError: not one label a text, or one class only.
    """
    import torch

    settings = recipe or CnnRecipe()
    gold = np.asarray(positive, dtype=np.bool_)
    if len(gold) != len(texts) or not gold.any() or gold.all():
        raise OptionError(
            f"{len(texts):,} texts and {len(gold):,} labels, {int(gold.sum()):,} of them positive, cannot train a "
            "classifier.",
            remedy="Give texts of both classes, and one label a text.",
        )
    counts = Counter(word for text in texts for word in set(words_of(text)))
    known = sorted(word for word, n in counts.items() if n >= settings.min_count)
    number = {word: at for at, word in enumerate(known, start=2)}
    rows = [_encode(text, number, settings) for text in texts]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = _network(len(number) + 2, settings)
        _fit(network, rows, gold, settings, np.random.default_rng(seed))
    network.eval()

    return TextCnn(network, number, settings)


def _encode(text: str, number: dict[str, int], recipe: CnnRecipe) -> IntArray:
    found = [number.get(word, _UNKNOWN) for word in words_of(text)[: recipe.longest]]
    return np.array(found or [_UNKNOWN], dtype=np.int64)


def _network(vocabulary: int, recipe: CnnRecipe) -> torch.nn.Module:
    import torch

    class Network(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.vectors = torch.nn.Embedding(vocabulary, recipe.width, padding_idx=_PADDING)
            self.filters = torch.nn.ModuleList(
                torch.nn.Conv1d(recipe.width, recipe.filters, size, padding=size - 1) for size in recipe.sizes
            )
            self.dropout = torch.nn.Dropout(recipe.dropout)
            self.last = torch.nn.Linear(recipe.filters * len(recipe.sizes), 1)

        def hidden(self, ids: torch.Tensor) -> torch.Tensor:
            vectors = self.vectors(ids).transpose(1, 2)
            return torch.cat([torch.relu(one(vectors)).amax(dim=2) for one in self.filters], dim=1)

        def score(self, hidden: torch.Tensor) -> torch.Tensor:
            logits: torch.Tensor = self.last(self.dropout(hidden)).squeeze(1)
            return logits

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.score(self.hidden(ids))

    return Network()


def _padded(rows: Sequence[IntArray]) -> torch.Tensor:
    import torch

    ids = np.full((len(rows), max(len(row) for row in rows)), _PADDING, dtype=np.int64)
    for line, row in enumerate(rows):
        ids[line, : len(row)] = row
    return torch.from_numpy(ids)


def _fit(
    network: torch.nn.Module, rows: Sequence[IntArray], gold: BoolArray, recipe: CnnRecipe, rng: np.random.Generator
) -> None:
    import torch

    optimizer = torch.optim.Adam(network.parameters(), lr=recipe.rate)
    loss_of = torch.nn.BCEWithLogitsLoss()
    target = torch.from_numpy(gold.astype(np.float32))
    length = np.array([len(row) for row in rows])
    network.train()
    for _ in range(recipe.epochs):
        order = rng.permutation(len(rows))
        order = order[np.argsort(length[order], kind="stable")]  # batches of similar length
        starts = rng.permutation(np.arange(0, len(order), recipe.batch))
        for start in starts.tolist():
            chosen = order[start : start + recipe.batch]
            loss = loss_of(network(_padded([rows[row] for row in chosen])), target[torch.from_numpy(chosen)])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

"""Small sentiment models for `planted.py`: a bag of hashed words and pairs of words, and one hidden layer."""

from __future__ import annotations

import itertools
import random
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["CLASSES", "RECIPES", "Saved", "save", "train"]

CLASSES = ("negative", "neutral", "positive")
BUCKETS, WIDTH, HIDDEN = 1 << 15, 16, 24
BATCH = 64
RECIPES = {"long": (6, 0.01, 0.005), "short": (2, 0.003, 0.003)}
"""Epochs, and the learning rates of the embeddings and of the layers."""


def hashed(text: str) -> list[int]:
    """The buckets of the words and pairs of words of a text."""
    words = re.findall(r"[\w'-]+|[^\w\s]", text.lower())
    pairs = [f"{left} {right}" for left, right in itertools.pairwise(words)]
    return [zlib.crc32(one.encode()) % BUCKETS for one in words + pairs] or [0]


def network(seed: int) -> Any:
    """A bag of embeddings, a hidden layer and three classes."""
    import torch

    torch.manual_seed(seed)

    class Bag(torch.nn.Module):  # type: ignore[misc]  # torch is not read
        def __init__(self) -> None:
            super().__init__()
            self.bag = torch.nn.EmbeddingBag(BUCKETS, WIDTH, mode="mean")
            self.hidden = torch.nn.Linear(WIDTH, HIDDEN)
            self.out = torch.nn.Linear(HIDDEN, len(CLASSES))

        def forward(self, buckets: Any, starts: Any) -> Any:
            return self.out(torch.relu(self.hidden(self.bag(buckets, starts))))

    return Bag()


def batches(coded: Sequence[list[int]], order: Sequence[int], size: int) -> Any:
    """Tensors of buckets and starts, and the positions of the texts."""
    import torch

    for first in range(0, len(order), size):
        rows = order[first : first + size]
        lengths = [0, *(len(coded[row]) for row in rows[:-1])]
        flat = [bucket for row in rows for bucket in coded[row]]
        yield torch.tensor(flat), torch.tensor(np.cumsum(lengths)), rows


def train(texts: Sequence[str], labels: Sequence[str], seed: int, recipe: str) -> Any:
    """A network trained on texts (n) and their classes (n)."""
    import torch

    epochs, bag_rate, rate = RECIPES[recipe]
    model, generator = network(seed), random.Random(seed)
    coded = [hashed(text) for text in texts]
    gold = torch.tensor([CLASSES.index(label) for label in labels])
    dense = [*model.hidden.parameters(), *model.out.parameters()]
    adam = torch.optim.Adam([{"params": model.bag.parameters(), "lr": bag_rate}, {"params": dense, "lr": rate}])
    for _ in range(epochs):
        order = list(range(len(coded)))
        generator.shuffle(order)
        for flat, starts, rows in batches(coded, order, BATCH):
            adam.zero_grad()
            torch.nn.functional.cross_entropy(model(flat, starts), gold[rows]).backward()
            adam.step()
    return model


def save(model: Any, path: Path) -> None:
    """Write the weights as safetensors."""
    from safetensors.torch import save_file

    save_file(model.state_dict(), path)


class Saved:
    """A saved network as a function of texts (n) that returns probabilities (n, 3)."""

    def __init__(self, path: Path) -> None:
        from safetensors.torch import load_file

        self.model = network(0)
        self.model.load_state_dict(load_file(path))
        self.model.eval()

    def __call__(self, texts: Sequence[str]) -> Any:
        import torch

        coded = [hashed(text) for text in texts]
        with torch.no_grad():
            parts = [
                torch.softmax(self.model(flat, starts), dim=1)
                for flat, starts, _ in batches(coded, range(len(coded)), 512)
            ]
        return torch.cat(parts).numpy()

"""Models that worker processes load in no time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from fairness_checklist.core.errors import PredictionError
from fairness_checklist.models.base import ClassifierOutput


def load(device: str) -> Any:
    """A model that answers with its device and the length of each text."""

    def score(texts: list[str], _advance: Callable[[int], object]) -> list[tuple[str, int]]:
        return [(device, len(text)) for text in texts]

    return SimpleNamespace(score=score)


def probabilities(texts: list[str], advance: Callable[[int], object]) -> ClassifierOutput:
    """Probabilities by the length of a text: none where one holds "unreadable", NaN where one holds "NaN"."""
    if any("unreadable" in text for text in texts):
        raise PredictionError(f"one of {len(texts)} texts cannot be read.")
    p = np.array([np.nan if "NaN" in text else len(text) / 100 for text in texts])
    advance(len(texts))
    return ClassifierOutput(np.column_stack([1 - p, p]), (p > 0.5).astype(np.int64), np.zeros(len(p), dtype=np.bool_))


def load_that_fails(_device: str) -> Any:
    """A model that fails on some texts."""
    return SimpleNamespace(score=probabilities)


def load_slowly(_device: str) -> Any:
    """A model that takes .2 s more for a chunk, and gives the id of its process as a score."""

    def score(texts: list[str], advance: Callable[[int], object]) -> ClassifierOutput:
        time.sleep(0.2)
        return replace(probabilities(texts, advance), scores={"pid": np.full(len(texts), float(os.getpid()))})

    return SimpleNamespace(score=score)

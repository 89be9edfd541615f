"""Models that worker processes load in no time."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from fairness_checklist.core.errors import PredictionError
from fairness_checklist.models.base import TextOutput, text_outputs


def load(device: str) -> Any:
    """A model that answers with its device and the length of each text."""

    def score(texts: list[str], _advance: Callable[[int], object]) -> list[tuple[str, int]]:
        return [(device, len(text)) for text in texts]

    return SimpleNamespace(score=score)


def probabilities(texts: list[str], advance: Callable[[int], object]) -> list[TextOutput]:
    """Probabilities by the length of a text: none where one holds "unreadable", NaN where one holds "NaN"."""
    if any("unreadable" in text for text in texts):
        raise PredictionError(f"one of {len(texts)} texts cannot be read.")
    p = np.array([np.nan if "NaN" in text else len(text) / 100 for text in texts])
    advance(len(texts))
    return text_outputs(np.column_stack([1 - p, p]), (p > 0.5).astype(np.int64))


def load_that_fails(_device: str) -> Any:
    """A model that fails on some texts."""
    return SimpleNamespace(score=probabilities)


def load_slowly(_device: str) -> Any:
    """A model that takes .2 s more for a chunk, and gives the id of its process as a score."""

    def score(texts: list[str], advance: Callable[[int], object]) -> list[TextOutput]:
        time.sleep(0.2)
        return [replace(output, scores={"pid": float(os.getpid())}) for output in probabilities(texts, advance)]

    return SimpleNamespace(score=score)

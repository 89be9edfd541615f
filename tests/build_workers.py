"""A model that worker processes load in no time."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


def load(device: str) -> Any:
    """A model that answers with its device and the length of each text."""

    def score(texts: list[str], _advance: Callable[[int], object]) -> list[tuple[str, int]]:
        return [(device, len(text)) for text in texts]

    return SimpleNamespace(score=score, engine=SimpleNamespace(halved=[2]))

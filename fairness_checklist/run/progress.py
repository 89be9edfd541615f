"""A progress bar over the metrics of a table that takes long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

__all__ = ["followed"]

_LONG = 20_000  # rows from which it is worth a bar
_Item = TypeVar("_Item")


def followed(items: Sequence[_Item], what: str, rows: int) -> Iterable[_Item]:
    """The items, with a progress bar on a terminal where there are many rows.

    Args:
        items: what takes its turn.
        what: what stands beside the bar.
        rows: how many rows are looked at.

    >>> list(followed(["fped", "fned"], "intervals", 100))
    ['fped', 'fned']
    """
    if rows < _LONG:
        return items
    from tqdm import tqdm

    return tqdm(items, desc=what, unit="metric", leave=False, disable=None)  # None: only on a terminal

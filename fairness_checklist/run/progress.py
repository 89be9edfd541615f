"""Progress on a terminal: the current step, and bars for long steps."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

_LONG = 20_000  # rows from which it is worth a bar
_WIDE = 70
_Item = TypeVar("_Item")


def followed(items: Sequence[_Item], what: str, rows: int) -> Iterable[_Item]:
    """The items, with a progress bar on a terminal where there are many rows.

    Args:
        items: the items, such as metrics.
        what: the bar's label.
        rows: the number of rows of the table; a bar is shown from 20,000.

    >>> list(followed(["fped", "fned"], "intervals", 100))
    ['fped', 'fned']
    """
    if rows < _LONG:
        return items
    from tqdm import tqdm

    return tqdm(items, desc=what, unit="metric", leave=False, disable=None)  # None: only on a terminal


@contextmanager
def stage(what: str) -> Iterator[None]:
    """Show the current step on a terminal until it ends; bars use the same line.

    Args:
        what: such as "reading the table".
    """
    if not sys.stderr.isatty():
        yield
        return
    step(what)
    try:
        yield
    finally:
        step("")


def step(what: str) -> None:
    """Show another step in place of the current one, on a terminal only; "" clears the line.

    >>> step("gender: metrics")
    """
    if sys.stderr.isatty():
        text = f"{what} ..." if what else ""
        print(f"\r{text:<{_WIDE}}\r{text}", end="", file=sys.stderr, flush=True)

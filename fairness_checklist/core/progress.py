"""Progress on a terminal or in a notebook: the step, and a bar for what takes over a second; see ``TQDM_DISABLE``."""

import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

_DELAY = 1.0  # seconds until a bar is shown
_WIDE = 70
_Item = TypeVar("_Item")

_bars: list[Any] = []  # the one that is open: bars inside it are not shown
_hidden: list[bool] = []  # as long as any is True, nothing is shown


def followed(items: Collection[_Item], what: str, unit: str = "") -> Iterator[_Item]:
    """The items one by one, with a progress bar where that takes longer than a second."""
    with progress_bar(len(items), what, unit) as advance:
        for item in items:
            yield item
            advance(1)


@contextmanager
def progress_bar(total: int, what: str, unit: str = "") -> Iterator[Callable[[int], object]]:
    """A progress bar, on a terminal or in a notebook; yields the function that moves it on."""
    loaded: Any = sys.modules.get("IPython")  # IPython on a terminal has no kernel
    in_notebook = loaded is not None and hasattr(loaded.get_ipython(), "kernel")
    if _bars or _is_disabled() or not (_writes_to_terminal() or in_notebook):
        yield lambda _done: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=what, unit=f" {unit}", delay=_DELAY, leave=False, dynamic_ncols=True) as bar:
        _bars.append(bar)
        try:
            yield bar.update
        finally:
            _bars.remove(bar)


@contextmanager
def bars_if(wanted: bool) -> Iterator[None]:
    """Show nothing of what runs inside unless it is wanted."""
    _hidden.append(not wanted)
    try:
        yield
    finally:
        _hidden.pop()


@contextmanager
def stage(what: str) -> Iterator[None]:
    """Show the current step until it ends; bars use the same line."""
    step(what)
    try:
        yield
    finally:
        step("")


def step(what: str) -> None:
    """Show another step in place of the current one on a terminal; "" clears the line."""
    if _writes_to_terminal() and not _is_disabled():
        text = f"{what} ..." if what else ""
        print(f"\r{text:<{_WIDE}}\r{text}", end="", file=sys.stderr, flush=True)


def _writes_to_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _is_disabled() -> bool:
    return any(_hidden) or os.environ.get("TQDM_DISABLE", "") not in ("", "0")

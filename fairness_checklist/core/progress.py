"""Progress: on a terminal or in a notebook the step and a bar, elsewhere a line at each tenth; see ``TQDM_DISABLE``."""

import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import Any, TypeVar

_DELAY = 1.0  # seconds until a bar is shown
_DELAY_OF_LINES = 5.0  # seconds until lines are printed where there is no bar
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
    """A progress bar, or lines where there is no terminal or notebook; yields the function that moves it on."""
    loaded: Any = sys.modules.get("IPython")  # IPython on a terminal has no kernel
    in_notebook = loaded is not None and hasattr(loaded.get_ipython(), "kernel")
    if _bars or not is_shown():
        yield lambda _done: None
        return
    opened: Any = nullcontext(_Lines(total, what, unit))
    if _writes_to_terminal() or in_notebook:
        from tqdm import tqdm

        opened = tqdm(total=total, desc=what, unit=f" {unit}", delay=_DELAY, leave=False, dynamic_ncols=True)
    with opened as bar:
        _bars.append(bar)
        try:
            yield bar.update
        finally:
            _bars.remove(bar)


class _Lines:
    """A line at each tenth of what takes longer than a few seconds."""

    def __init__(self, total: int, what: str, unit: str) -> None:
        self.total, self.about, self.done, self.begun = total, (what, f"of {total:,} {unit}".rstrip()), 0, monotonic()

    def update(self, more: int) -> None:
        before, self.done = self.done, self.done + more
        tenths = 10 * self.done // max(self.total, 1)
        if tenths > 10 * before // max(self.total, 1) and monotonic() - self.begun > _DELAY_OF_LINES:
            line(f"{self.about[0]}: {10 * tenths} % {self.about[1]}")


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
    if _writes_to_terminal() and is_shown():
        text = f"{what} ..." if what else ""
        print(f"\r{text:<{_WIDE}}\r{text}", end="", file=sys.stderr, flush=True)


def line(text: str) -> None:
    """Print a line to the standard error stream, where progress is shown."""
    if text and is_shown():
        step("")
        print(text, file=sys.stderr, flush=True)


def _writes_to_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def is_shown() -> bool:
    """Whether progress is shown at all."""
    return sys.stderr is not None and not any(_hidden) and os.environ.get("TQDM_DISABLE", "") in ("", "0")

"""Calls of a user's code: whatever it raises is an error with its place, and on the command line its state is apart."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fairness_checklist.core.errors import FairnessChecklistError, InputError, ModelError

T = TypeVar("T")
_PACKAGE = str(Path(__file__).parents[1])
_STANDARD = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})


def run_user_code(call: Callable[[], T], what: str, kind: type[InputError] = ModelError, **remedy: str) -> T:
    """What a user's code returns; whatever it raises, `KeyboardInterrupt` aside, is an error of this package.

    Args:
        call: the code.
        what: the start of the message, as "the function f failed on 3 texts".
        kind: the error for an `Exception`, also of a thread that the code starts; what is meant to end the process, as
            `SystemExit`, is a `ModelError` in any case.
        remedy: of the error.

    >>> run_user_code(lambda: exit(0), "the model failed")
    Traceback (most recent call last):
    fairness_checklist.core.errors.ModelError: the model failed: SystemExit: 0
    """
    try:
        with _apart(), _thread_errors() as failed:
            output = call()
        if failed:
            raise failed[0]
    except (FairnessChecklistError, KeyboardInterrupt):
        raise
    except BaseException as error:
        kind = kind if isinstance(error, Exception) else ModelError
        raise kind(f"{what}: {shown(error)}", place=place_of(error), **remedy) from error
    return output


@contextmanager
def explained() -> Iterator[None]:
    """Turns what a user's code raises, where it is not called by `run_user_code` (a property), into `ModelError`."""
    try:
        yield
    except (FairnessChecklistError, KeyboardInterrupt):
        raise
    except BaseException as error:
        place = place_of(error)
        if not place:
            raise
        raise ModelError(f"the code of the model raised {shown(error)}", place=place) from error


def shown(error: BaseException) -> str:
    """The kind and the message of an error on one line.

    >>> shown(ValueError("no\\n  weights")), shown(SystemExit())
    ('ValueError: no weights', 'SystemExit')
    """
    try:
        message = " ".join(str(error).split())
    except Exception as broken:
        message = f"its message cannot be shown ({type(broken).__name__})"
    return ": ".join(filter(None, [type(error).__name__, message]))


def place_of(error: BaseException) -> str:
    """The file and line of the user's code that raised an error, itself or in a library; "" where it was not theirs."""
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        file = frame.f_code.co_filename
        if file.startswith(_PACKAGE):
            return ""
        if _is_cell(file):
            return f"line {line} of a cell"
        if not is_installed(file) and Path(file).is_file():
            return f"{os.path.relpath(file) if Path(file).is_relative_to(Path.cwd()) else Path(file).name}:{line}"
    return ""


def _is_cell(file: str) -> bool:
    """Whether a file is what a notebook or a prompt calls a cell."""
    return "ipykernel_" in file or file.startswith(("<ipython-input", "<stdin>"))


@cache
def is_installed(file: str) -> bool:
    """Whether a file or folder is one of Python, of this package or of another that is installed."""
    parts = {"site-packages", "dist-packages"} & set(Path(file).parts)
    return bool(parts) or file.startswith((*_STANDARD, _PACKAGE))


@contextmanager
def _thread_errors() -> Iterator[list[BaseException]]:
    """The errors that end threads which are started meanwhile; `SystemExit` is how a thread may end itself."""
    before, hook, failed = set(threading.enumerate()), threading.excepthook, list[BaseException]()

    def keep(args: Any) -> None:
        if args.thread in before or args.exc_type is SystemExit or args.exc_value is None:
            hook(args)
        else:
            failed.append(args.exc_value)

    threading.excepthook = keep
    try:
        yield failed
    finally:
        threading.excepthook = hook


@dataclass
class _State:
    """What the user's code may change in the process and keeps between calls, while this package has its own."""

    folder: Path = field(default_factory=Path.cwd)
    filters: list[Any] = field(default_factory=lambda: list(warnings.filters))
    numpy_errors: Any = field(default_factory=np.geterr)
    stdout: Any = field(default_factory=lambda: _stderr_stream())
    inside: bool = False


_state: ContextVar[_State | None] = ContextVar("_state", default=None)


def is_apart() -> bool:
    """Whether the user's code is kept apart."""
    return _state.get() is not None


def keep_apart() -> Callable[[], None]:
    """Keep the user's code apart from now on, until the function that comes back is called.

    What it prints goes to standard error, also of its subprocesses, and it has a working folder, warning filters and an
    error state of numpy of its own.
    """
    token = _state.set(_State())
    return lambda: _state.reset(token)


def _stderr_stream() -> Any:
    """Standard error as what ``sys.stdout`` is in the user's code, which may close it, or keep it for its log."""
    with suppress(OSError):
        return open(os.dup(2), "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    return StringIO()


@contextmanager
def _apart() -> Iterator[None]:
    """Runs with the state of the user's code, where it is kept apart; warning filters and numpy's errors come back."""
    state = _state.get()
    with np.errstate(), warnings.catch_warnings(), ExitStack() as stack:
        if state is not None and not state.inside:
            stack.enter_context(_swapped(state))
        yield


@contextmanager
def _swapped(state: _State) -> Iterator[None]:
    ours, stdout, on_interrupt, copy = Path.cwd(), sys.stdout, signal.getsignal(signal.SIGINT), -1
    with suppress(OSError, ValueError):  # closed streams
        stdout.flush()
        copy = os.dup(1)
        os.dup2(2, 1)
    np.seterr(**state.numpy_errors)
    warnings.filters[:] = state.filters  # type: ignore[index]
    sys.stdout, state.inside = state.stdout, True
    with suppress(OSError):
        os.chdir(state.folder)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            stdout.flush()
            state.folder = Path.cwd()
        os.chdir(ours)
        state.stdout, state.inside, sys.stdout = sys.stdout, False, stdout
        state.filters, state.numpy_errors = list(warnings.filters), np.geterr()
        if copy >= 0:
            os.dup2(copy, 1)
            os.close(copy)
        if signal.getsignal(signal.SIGINT) != on_interrupt:
            with suppress(TypeError, ValueError):
                signal.signal(signal.SIGINT, on_interrupt)

"""Calls of a user's code: whatever it raises is an error with its place, and on the command line its state is apart."""

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

    Its message begins with ``what``. It is of the ``kind`` for an `Exception`, also of a thread that the code starts;
    what is meant to end the process, as `SystemExit`, is a `ModelError` in any case.
    """
    try:
        with _separated(), _thread_errors() as failed:
            output = call()
        if failed:
            raise failed[0]
    except (FairnessChecklistError, KeyboardInterrupt):
        raise
    except BaseException as error:
        kind = kind if isinstance(error, Exception) else ModelError
        raise kind(f"{what}: {one_line(error)}", place=place_of(error), **remedy) from error
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
        raise ModelError(f"the code of the model raised {one_line(error)}", place=place) from error


def one_line(error: BaseException) -> str:
    """The kind and the message of an error on one line.

    >>> one_line(ValueError("no\\n  weights")), one_line(SystemExit())
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
        if "ipykernel_" in file or file.startswith(("<ipython-input", "<stdin>")):
            return f"line {line} of a cell"
        if not is_installed(file) and Path(file).is_file():
            return f"{os.path.relpath(file) if Path(file).is_relative_to(Path.cwd()) else Path(file).name}:{line}"
    return ""


@cache
def is_installed(file: str) -> bool:
    """Whether a file or folder is one of Python, of this package or of another that is installed."""
    return bool({"site-packages", "dist-packages"} & set(Path(file).parts)) or file.startswith((*_STANDARD, _PACKAGE))


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
class _Separate:
    """The working folder of the user's code between its calls, and whether it is running."""

    folder: Path = field(default_factory=Path.cwd)
    running: bool = False


_separate: ContextVar[_Separate | None] = ContextVar("_separate", default=None)


def is_apart() -> bool:
    """Whether the user's code is kept apart."""
    return _separate.get() is not None


def keep_apart() -> Callable[[], None]:
    """Keep what the user's code prints, and its working folder, apart until the function that comes back is called."""
    token = _separate.set(_Separate())
    return lambda: _separate.reset(token)


@contextmanager
def _separated() -> Iterator[None]:
    """Warning filters and numpy's errors come back after a call; of code that is kept apart all that it changed."""
    separate = _separate.get()
    with np.errstate(), warnings.catch_warnings(), ExitStack() as stack:
        if separate is not None and not separate.running:
            stack.enter_context(_own_process_state(separate))
        yield


@contextmanager
def _own_process_state(separate: _Separate) -> Iterator[None]:
    folder, stdout, on_interrupt, copy = Path.cwd(), sys.stdout, signal.getsignal(signal.SIGINT), -1
    with suppress(OSError, ValueError):  # closed streams
        stdout.flush()
        copy = os.dup(1)
        os.dup2(2, 1)
    sys.stdout, separate.running = StringIO(), True
    with suppress(OSError):  # the user's code may close it; standard error itself stays open
        sys.stdout = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    with suppress(OSError):
        os.chdir(separate.folder)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            stdout.flush()
            separate.folder = Path.cwd()
        os.chdir(folder)
        sys.stdout, separate.running = stdout, False
        if copy >= 0:
            os.dup2(copy, 1)
            os.close(copy)
        if signal.getsignal(signal.SIGINT) != on_interrupt:
            with suppress(TypeError, ValueError):
                signal.signal(signal.SIGINT, on_interrupt)

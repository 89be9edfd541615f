"""Reads a suite that CheckList saved, without running anything of the file.

CheckList saves with dill: a pickle that names classes and functions, and holds the code of others. Here no name is
ever looked up in a module. Each name that CheckList's files call has a stand-in (`stand_ins`), which records what it is
given; a file that calls any other name is refused. Functions become `SavedFunction` records: they cannot be called.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fairness_checklist.core.errors import TableError
from fairness_checklist.extensions.checklist.saved.stand_ins import (
    ArrayRecord,
    Called,
    ClosureCell,
    DtypeRecord,
    Opaque,
    RefusedError,
    SavedFunction,
    SavedObject,
    name_of,
    named,
    stand_ins,
)

# What reading a file of another form raises.
MALFORMED = (
    *(pickle.UnpicklingError, ArithmeticError, AttributeError, EOFError, LookupError, MemoryError),
    *(NotImplementedError, RecursionError, TypeError, ValueError),
)
ARCHIVES = (b"\x1f\x8b", b"PK", b"BZh", b"\xfd7zXZ")


_KEYS = (str, bytes, int, float, type(None))
_Reader: Any = pickle._Unpickler


def _reader_of_keys(load: Callable[[Any], None], keys: slice) -> Callable[[Any], None]:
    """The reader of an instruction that hashes keys on the stack: none that may take for ever to hash."""

    def read(self: Any) -> None:
        for key in self.stack[keys]:
            if not all(isinstance(part, _KEYS) for part in (key if isinstance(key, tuple) else (key,))):
                raise RefusedError(f"holds a dictionary with a key of the type {type(key).__name__}")
        load(self)

    return read


class _Unpickler(_Reader):  # type: ignore[misc]  # its methods for each instruction are not in the type stubs
    """Looks no name up: it is one of `stand_ins`, or a class that cannot be called.

    It is the reader in Python, because that in C takes memory for every position that a file writes to.
    """

    dispatch: ClassVar[dict[int, Any]] = dict(_Reader.dispatch)

    def __init__(self, content: bytes) -> None:
        super().__init__(io.BytesIO(content), encoding="latin-1")
        self._known = stand_ins()

    def find_class(self, module: str, name: str) -> Any:
        key = f"{module} {name}"
        if key in self._known:
            return self._known[key]
        return named(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise RefusedError("names an object outside the file")

    dispatch[pickle.SETITEM[0]] = _reader_of_keys(_Reader.load_setitem, slice(-2, -1))
    dispatch[pickle.SETITEMS[0]] = _reader_of_keys(_Reader.load_setitems, slice(None, None, 2))
    dispatch[pickle.ADDITEMS[0]] = _reader_of_keys(_Reader.load_additems, slice(None))


def read_saved(path: str | Path) -> SavedObject:
    """Read the file of a suite or a test that CheckList saved."""
    place = Path(path)
    try:
        content = place.read_bytes()
    except OSError as error:
        raise TableError(
            f"{place.name} cannot be read: {error.strerror}.", remedy="Name the file of a suite."
        ) from error
    if content.startswith(ARCHIVES):
        raise TableError(
            f"{place.name} is a packed archive.", remedy="Unpack it, and name the file of the suite in it (.pkl)."
        )
    if content.lstrip().startswith(b"{"):
        raise TableError(f"{place.name} is a JSON file.", remedy="Read what TestSuite.save wrote with TestSuite.load.")
    try:
        finished = finish(_Unpickler(content).load())
    except RefusedError as refused:
        raise TableError(
            f"{place.name} {refused}, which a saved suite does not need; the file was not read further.",
            remedy="A pickle can run code, so that only what CheckList writes is read, and nothing is called.",
        ) from None
    except MALFORMED as error:
        raise not_a_suite(place, error) from error
    if not isinstance(finished, SavedObject):
        raise TableError(
            f"{place.name} holds a {type(finished).__name__}, not a suite or a test.",
            remedy="Name a file that TestSuite.save or a test's save wrote.",
        )
    return finished


def not_a_suite(path: Path, error: Exception) -> TableError:
    """The error for a file of another form."""
    return TableError(
        f"{path.name} is not a suite that CheckList saved: {str(error) or type(error).__name__}.",
        remedy="Name a file that TestSuite.save or a test's save wrote.",
    )


def finish(value: Any) -> Any:
    """The value with the records that stood in while reading replaced by what they hold."""
    done: dict[int, Any] = {}

    def walk(value: Any) -> Any:
        if id(value) not in done:
            done[id(value)] = None if isinstance(value, ClosureCell) else value  # a cell may hold itself
            done[id(value)] = finished(value)
        return done[id(value)]

    def finished(value: Any) -> Any:
        if isinstance(value, SavedObject):
            value.attributes = {str(name): walk(part) for name, part in value.attributes.items()}
        elif isinstance(value, SavedFunction):
            value.cells = {name: walk(part) for name, part in value.cells.items()}
        elif isinstance(value, (ClosureCell, ArrayRecord)):
            return walk(value.value)
        elif name_of(value):
            module, _, name = name_of(value).rpartition(".")
            return SavedFunction(name, module)
        elif isinstance(value, Opaque):
            return SavedFunction(value.of, "")
        elif isinstance(value, (Called, DtypeRecord)):
            return None
        elif isinstance(value, dict):  # in place, because what they hold may hold them
            value.update({key: walk(part) for key, part in value.items()})
        elif isinstance(value, list):
            value[:] = [part if isinstance(part, (str, int, float)) else walk(part) for part in value]
        elif isinstance(value, tuple):
            return tuple(walk(part) for part in value)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            flat = np.empty(value.size, dtype=object)
            flat[:] = [walk(part) for part in value.ravel()]
            return flat.reshape(value.shape)
        return value

    return walk(value)

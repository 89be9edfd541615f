"""Reads a suite that CheckList saved, without running anything of the file.

CheckList saves with dill: a pickle that names classes and functions, and holds the code of others. Here no name is
ever looked up in a module. Each name that CheckList's files call has a stand-in (`stand_ins`), which records what it is
given; a file that calls any other name is refused. Functions become `SavedFunction` records: they cannot be called.
"""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fairness_checklist.core.errors import TableError
from fairness_checklist.extensions.checklist.saved.stand_ins import (
    ArrayRecord,
    Called,
    Cell,
    Code,
    DtypeRecord,
    FunctionRecord,
    Opaque,
    RefusedError,
    SavedFunction,
    SavedObject,
    name_of,
    named,
    stand_ins,
)

MALFORMED = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading a file of another form raises."""
ARCHIVES = (b"\x1f\x8b", b"PK", b"BZh", b"\xfd7zXZ")


_KEYS = (str, bytes, int, float, type(None))


_Reader: Any = pickle._Unpickler


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

    def _check_key(self) -> None:
        _plain_key(self.stack[-2])
        _Reader.load_setitem(self)

    def _check_keys(self) -> None:
        for key in self.stack[::2]:
            _plain_key(key)
        _Reader.load_setitems(self)

    def _check_members(self) -> None:
        for key in self.stack:
            _plain_key(key)
        _Reader.load_additems(self)

    dispatch[pickle.SETITEM[0]] = _check_key
    dispatch[pickle.SETITEMS[0]] = _check_keys
    dispatch[pickle.ADDITEMS[0]] = _check_members


def _plain_key(key: Any) -> None:
    """Raise `RefusedError` for a key of a dictionary that may take for ever to hash."""
    inner = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(one, _KEYS) for one in inner):
        raise RefusedError(f"holds a dictionary with a key of the type {type(key).__name__}")


def read_saved(path: str | Path) -> SavedObject:
    """Read the file of a suite or a test that CheckList saved.

    Nothing of the file is run or imported: see the module.

    Args:
        path: the file, written by any version of Python 3 and of dill.

    Returns:
        The suite or test. Objects of CheckList's classes are `SavedObject`, functions are `SavedFunction`, arrays are
        arrays; what was never needed is left out.

    Raises:
        TableError: no such file, not a pickle of CheckList's, or a name in it that CheckList's files do not need.
    """
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
    """The value with the records that stood in while reading replaced by what they hold.

    >>> finish([named("numpy"), {"a": Cell(1)}])
    [SavedFunction(name='numpy', file='', arguments=(), local_names=(), names=(), condition=None), {'a': 1}]
    """
    done: dict[int, Any] = {}

    def walk(one: Any) -> Any:
        if id(one) in done:
            return done[id(one)]
        if isinstance(one, SavedObject):
            done[id(one)] = one
            one.attributes = {str(name): walk(part) for name, part in one.attributes.items()}
            return one
        if isinstance(one, FunctionRecord):
            code = one.code
            cells: dict[str, Any] = {}
            made = SavedFunction(
                code.name, code.file, code.arguments, code.local_names, code.names, code.condition, cells
            )
            done[id(one)] = made
            cells.update({name: walk(cell.value) for name, cell in zip(code.cells, one.closure, strict=False)})
            return made
        if isinstance(one, Cell):
            done[id(one)] = None  # a cell that holds itself
            done[id(one)] = walk(one.value)
            return done[id(one)]
        if isinstance(one, ArrayRecord):
            return walk(one.array)
        if name_of(one):
            module, _, name = name_of(one).rpartition(".")
            return SavedFunction(name, module, (), (), ())
        if isinstance(one, Opaque):
            return SavedFunction(one.of, "", (), (), ())
        if isinstance(one, (Called, Code, DtypeRecord)):
            return None
        if isinstance(one, dict):
            made_dict: dict[Any, Any] = {}
            done[id(one)] = made_dict
            made_dict.update({key: walk(part) for key, part in one.items()})
            return made_dict
        if isinstance(one, list):
            made_list: list[Any] = []
            done[id(one)] = made_list
            made_list.extend(part if isinstance(part, (str, int, float)) else walk(part) for part in one)
            return made_list
        if isinstance(one, tuple):
            done[id(one)] = one
            done[id(one)] = tuple(walk(part) for part in one)
            return done[id(one)]
        if isinstance(one, np.ndarray) and one.dtype == object:
            flat = np.empty(one.size, dtype=object)
            done[id(one)] = one
            flat[:] = [walk(part) for part in one.ravel()]
            done[id(one)] = flat.reshape(one.shape)
            return done[id(one)]
        return one

    return walk(value)

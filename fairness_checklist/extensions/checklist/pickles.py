"""Reads a suite that CheckList saved with dill, without running anything of the file.

No name is looked up in a module: a `Name` only holds its text, and a call of it makes a record. A file that calls what
CheckList's files do not need is refused; NumPy makes its arrays itself. `finish` turns records into values.
"""

import io
import pickle
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fairness_checklist.core.errors import TableError

# What reading a file of another form raises.
MALFORMED = (
    *(pickle.UnpicklingError, ArithmeticError, AttributeError, EOFError, LookupError, MemoryError),
    *(NotImplementedError, RecursionError, TypeError, ValueError),
)
ARCHIVES = (b"\x1f\x8b", b"PK", b"BZh", b"\xfd7zXZ")
_KEYS = (str, bytes, int, float, type(None))
_MODULES = re.compile(r"^(dill|numpy)\..*\.")  # functions are in other modules of each version


class RefusedError(Exception):
    """What a file does that no file of CheckList's needs."""


@dataclass(frozen=True, eq=False)
class Name:
    """The name of a module, class or function in a file; a call of it makes a record, or is refused."""

    text: str

    def __call__(self, *arguments: Any) -> Any:
        name = _MODULES.sub(r"\1.", self.text)
        if name in _MAKERS:
            return _MAKERS[name](*arguments)
        if name in _RECORDED:
            return Record(name, arguments)
        raise RefusedError(f"calls {self.text}")

    def __setstate__(self, state: Any) -> None:
        raise RefusedError(f"sets attributes of {self.text}")


@dataclass(eq=False)
class Record:
    """A call that stands in a file, and the state that the file gives its result."""

    name: str
    arguments: tuple[Any, ...]
    state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def append(self, *_: Any) -> None:
        """Keep no entries: of the types that have them tests need none."""

    __setitem__ = extend = append


@dataclass(eq=False)
class SavedFunction:
    """A function, or the code of one, as a file holds it, without its instructions."""

    name: str
    file: str
    arguments: tuple[str, ...] = ()
    local_names: tuple[str, ...] = ()  # arguments first
    names: tuple[str, ...] = ()  # the global names and attributes that it uses
    cells: dict[str, Any] = field(default_factory=dict, repr=False)  # the variables of the functions around it

    def __setstate__(self, state: Any) -> None:
        """Further attributes, such as the names of defaults, are not needed."""


@dataclass(eq=False)
class SavedObject:
    """A test or a suite of CheckList's: the name of its class, and its attributes by name."""

    kind: str
    attributes: dict[str, Any] = field(default_factory=dict)

    def __setstate__(self, state: Any) -> None:
        self.attributes = dict(state) if isinstance(state, dict) else {}


class Dictionary(dict[Any, Any]):
    """A dictionary of a class of its own: a default dictionary, or a Munch."""

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.update(state)


def _text(value: Any) -> str:
    """A string of the file; other objects may take for ever to be written as one."""
    if not isinstance(value, str):
        raise RefusedError(f"has a {type(value).__name__} in place of a name")
    return value


def _named(text: str) -> Any:
    """The name in a file; of the few functions that make arrays the function."""
    return _ARRAYS.get(_MODULES.sub(r"\1.", text)) or Name(text)


def _attribute(owner: Any, name: Any, *_: Any) -> Any:
    if not isinstance(owner, (str, Name)):
        raise RefusedError(f"takes the attribute {_text(name)} of an object")
    return _named(f"{owner if isinstance(owner, str) else owner.text}.{_text(name)}")


def _code(*parts: Any) -> SavedFunction:
    """The parts of a code object that describe a function; its instructions are dropped."""
    numbers = [entry for entry in parts if isinstance(entry, int)]
    words = [entry for entry in parts if isinstance(entry, str)]
    tuples = [entry for entry in parts if isinstance(entry, tuple)]
    complete = len(numbers) >= 5 and len(words) >= 2 and len(tuples) >= 5
    if not complete or not all(isinstance(name, str) for entry in (*tuples[1:3], tuples[-2]) for name in entry):
        raise RefusedError("holds a code object of an unknown form")
    names, local_names, cells = tuples[1], tuples[2], tuples[-2]
    return SavedFunction(
        name=words[1],
        file=words[0],
        arguments=local_names[: numbers[0]],
        local_names=local_names,
        names=names,
        cells=dict.fromkeys(cells),
    )


def _function(code: Any, *rest: Any) -> SavedFunction:
    """A function of some code; its cells may be filled later."""
    if not isinstance(code, SavedFunction):
        raise RefusedError("holds a function without code")
    closure = next((entry for entry in rest if isinstance(entry, tuple) and entry and _is_cell(entry[0])), ())
    return replace(code, cells=dict(zip(code.cells, closure, strict=False)))


def _is_cell(value: Any) -> bool:
    return isinstance(value, Record) and value.name == "dill._create_cell"


def _fill_cell(owner: Any, name: Any, value: Any) -> None:
    if _is_cell(owner) and name == "cell_contents":
        owner.arguments = (value,)


def _set(entries: Any = ()) -> set[Any]:
    _check_keys(entries)
    return set(entries)


def _array_with_state(function: Any, values: Any, state: Any, *_: Any) -> Any:
    made = function(*values)
    made.__setstate__(state)
    return made


_MAKERS: dict[str, Callable[..., Any]] = {
    "CodeType": _code,
    "builtins.getattr": _attribute,
    "builtins.set": _set,
    "builtins.setattr": _fill_cell,
    "dill._create_array": _array_with_state,
    "dill._create_code": _code,
    "dill._create_function": _function,
    "dill._delattr": lambda *_: None,  # a cell without a value stays empty
    "dill._get_attr": _attribute,
    "dill._import_module": lambda name, *_: Name(_text(name)),
    "dill._load_type": lambda name, *_: Name(_text(name)),
    "dill._setattr": _fill_cell,
    **dict.fromkeys(
        ("collections.OrderedDict", "collections.defaultdict", "checklist.editor.MunchWithAdd", "munch.Munch"),
        lambda *_: Dictionary(),
    ),
    "checklist.test_suite.TestSuite": lambda *_: SavedObject("TestSuite"),
    "checklist.test_types.DIR": lambda *_: SavedObject("DIR"),
    "checklist.test_types.INV": lambda *_: SavedObject("INV"),
    "checklist.test_types.MFT": lambda *_: SavedObject("MFT"),
}
_RECORDED = {"PartialType", "dill._create_cell", "functools.partial", "re._compile"} | {
    *("_operator.attrgetter", "_operator.itemgetter", "operator.attrgetter"),
    *("operator.itemgetter", "builtins.bytearray", "builtins.complex", "builtins.range", "builtins.slice"),
    *("collections.Counter", "collections.deque", "datetime.date", "datetime.datetime", "datetime.timedelta"),
    *("pathlib.PosixPath", "pathlib.PurePosixPath", "pathlib.WindowsPath"),
}
"""Cells, and types that functions of users hold and that tests do not need."""
_ARRAYS: dict[str, Any] = {
    "numpy.ndarray": np.ndarray,
    "numpy.dtype": np.dtype,
    "numpy._frombuffer": np.zeros(0).__reduce_ex__(5)[0],
    "numpy._reconstruct": np.zeros(0).__reduce__()[0],
    "numpy.scalar": np.float64(0).__reduce__()[0],
}
"""What NumPy makes arrays and their types with, wherever it stands in a version of it; the only real functions."""


def _check_keys(keys: Any) -> None:
    """Refuse keys that may take for ever to hash."""
    for key in keys:
        if not all(isinstance(entry, _KEYS) for entry in (key if isinstance(key, tuple) else (key,))):
            raise RefusedError(f"holds a dictionary with a key of the type {type(key).__name__}")


_Reader: Any = pickle._Unpickler


def _reader_of_keys(load: Callable[[Any], None], keys: slice) -> Callable[[Any], None]:
    """The reader of an instruction that hashes keys on the stack."""

    def read(self: Any) -> None:
        _check_keys(self.stack[keys])
        load(self)

    return read


class _Unpickler(_Reader):  # type: ignore[misc]  # its methods for each instruction are not in the type stubs
    """Looks no name up; in Python, because the reader in C takes memory for every position that a file writes to."""

    dispatch: ClassVar[dict[int, Any]] = dict(_Reader.dispatch)

    def find_class(self, module: str, name: str) -> Any:
        return _named(f"{module}.{name}")

    def persistent_load(self, pid: Any) -> Any:
        raise RefusedError("names an object outside the file")

    def load_newobj(self) -> None:
        arguments, kind = self.stack.pop(), self.stack.pop()
        self.append(kind(*arguments))

    dispatch[pickle.NEWOBJ[0]] = load_newobj
    dispatch[pickle.SETITEM[0]] = _reader_of_keys(_Reader.load_setitem, slice(-2, -1))
    dispatch[pickle.SETITEMS[0]] = _reader_of_keys(_Reader.load_setitems, slice(None, None, 2))
    dispatch[pickle.ADDITEMS[0]] = _reader_of_keys(_Reader.load_additems, slice(None))


def read_saved(path: str | Path) -> SavedObject:
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
    try:
        finished = finish(_Unpickler(io.BytesIO(content)).load())
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
    """The value with its records replaced, in place, since dictionaries and lists may hold themselves."""
    done: dict[int, tuple[Any, Any]] = {}  # each value is held, so that no other one gets its id

    def walk(value: Any) -> Any:
        if id(value) not in done:
            done[id(value)] = value, None if isinstance(value, Record) else value
            done[id(value)] = value, finished(value)
        return done[id(value)][1]

    def finished(value: Any) -> Any:
        if isinstance(value, SavedObject):
            value.attributes = {str(name): walk(entry) for name, entry in value.attributes.items()}
        elif isinstance(value, SavedFunction):
            value.cells = {name: walk(entry) for name, entry in value.cells.items()}
        elif isinstance(value, Name):
            module, _, name = value.text.rpartition(".")
            return SavedFunction(name, module)
        elif isinstance(value, Record):
            return walk(_contents(value))
        elif isinstance(value, dict):
            value.update({key: walk(entry) for key, entry in value.items()})
        elif isinstance(value, list):
            value[:] = [entry if isinstance(entry, (str, int, float)) else walk(entry) for entry in value]
        elif isinstance(value, tuple):
            return tuple(walk(entry) for entry in value)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            flat = np.empty(value.size, dtype=object)
            flat[:] = [walk(entry) for entry in value.ravel()]
            return flat.reshape(value.shape)
        return value

    return walk(value)


def _contents(record: Record) -> Any:
    """What a record stands for: the value of a cell, or nothing that tests need."""
    state = record.state
    if _is_cell(record):
        attributes = state[1] if isinstance(state, tuple) and len(state) == 2 else state
        filled = isinstance(attributes, dict) and "cell_contents" in attributes
        return attributes["cell_contents"] if filled else next(iter(record.arguments), None)
    return SavedFunction(record.name, "")

"""What the names in a file of CheckList's stand for while it is read: records, and functions that make them.

None of them is the class or function that the file names, apart from sets and ordered dictionaries.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fairness_checklist.extensions.checklist.saved.saved_conditions import Condition, read_condition

_DTYPES = "biufSU"


class RefusedError(Exception):
    """What a file does that no file of CheckList's needs."""


@dataclass(eq=False)
class SavedFunction:
    """A function, or the code of one, as a file holds it, without its instructions."""

    name: str
    file: str
    arguments: tuple[str, ...] = ()
    local_names: tuple[str, ...] = ()  # arguments first
    names: tuple[str, ...] = ()  # the global names and attributes that it uses
    condition: Condition | None = None  # the comparison that it is, where it is nothing else
    cells: dict[str, Any] = field(default_factory=dict, repr=False)  # the variables of the functions around it

    def __setstate__(self, state: Any) -> None:
        """Further attributes, such as the names of defaults, are not needed."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise RefusedError(f"calls the function {self.name}")


class SavedObject:
    """An object of a class of CheckList's: the class's name and the attributes by name."""

    of = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.attributes: dict[str, Any] = {}

    def __setstate__(self, state: Any) -> None:
        self.attributes = dict(state) if isinstance(state, dict) else {}


class Named:
    """A module, class or function that the file names: a class for each, of which there are no objects."""

    text = ""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise RefusedError(f"calls {cls.text}")

    def __setstate__(self, state: Any) -> None:
        raise RefusedError(f"sets attributes of {self.text}")


def named(text: str) -> type[Named]:
    """The class that stands for a name: to hold it is harmless, to call it is an error."""
    return type("Named", (Named,), {"text": text})


def name_of(value: Any) -> str:
    """The name that a class of `named` stands for; "" of anything else."""
    return value.text if isinstance(value, type) and issubclass(value, Named) else ""


class Called:
    """A function that a file may call. It is wrapped so that the file cannot set attributes of it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *values: Any) -> Any:
        return self.function(*values)

    def __setstate__(self, state: Any) -> None:
        raise RefusedError("holds a function with a state")


class ClosureCell:
    """The cell of a variable, which may be filled after it was made."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __setstate__(self, state: Any) -> None:
        values = state[1] if isinstance(state, tuple) and len(state) == 2 else state
        if isinstance(values, dict):
            self.value = values.get("cell_contents")


def _code(*parts: Any) -> SavedFunction:
    """The parts of a code object that describe a function; its instructions are dropped."""
    numbers = [part for part in parts if isinstance(part, int)]
    words = [part for part in parts if isinstance(part, str)]
    tuples = [part for part in parts if isinstance(part, tuple)]
    complete = len(numbers) >= 5 and len(words) >= 2 and len(tuples) >= 5
    if not complete or not all(isinstance(name, str) for part in (*tuples[1:3], tuples[-2]) for name in part):
        raise RefusedError("holds a code object of an unknown form")
    names, local_names, cells = tuples[1], tuples[2], tuples[-2]
    return SavedFunction(
        name=words[1],
        file=words[0],
        arguments=local_names[: numbers[0]],
        local_names=local_names,
        names=names,
        condition=read_condition(parts, local_names, numbers[0]),
        cells=dict.fromkeys(cells),
    )


def _function(code: Any, *rest: Any) -> SavedFunction:
    """A function of some code; its cells may be filled later."""
    if not isinstance(code, SavedFunction):
        raise RefusedError("holds a function without code")
    closure = next((part for part in rest if isinstance(part, tuple) and part and isinstance(part[0], ClosureCell)), ())
    return replace(code, cells=dict(zip(code.cells, closure, strict=False)))


class ArrayRecord:
    """An array while the file is read."""

    def __init__(self, *_: Any) -> None:
        self.value: Any = None

    def __setstate__(self, state: Any) -> None:
        try:
            _, shape, dtype, fortran, content = state[-5:]
        except (TypeError, ValueError):
            raise RefusedError("holds an array of an unknown form") from None
        self.value = _array(tuple(shape), dtype, bool(fortran), content)


def _array(shape: tuple[int, ...], dtype: Any, fortran: bool, content: Any) -> Any:
    if not isinstance(dtype, DtypeRecord):
        raise RefusedError("holds an array of an unknown type")
    order: Any = "F" if fortran else "C"
    try:
        if isinstance(content, str):  # bytes of Python 2 and of protocol 2
            content = content.encode("latin-1")
        if not isinstance(content, (bytes, bytearray, list)):
            raise RefusedError("holds an array without its content")
        if isinstance(content, list):
            array = np.empty(len(content), dtype=object)
            array[:] = content
            order = "C"  # objects are listed in this order, whatever the array's
        else:
            array = np.frombuffer(content, dtype=dtype.numeric()).copy()
        return array.reshape(shape, order=order)
    except (TypeError, ValueError):
        raise RefusedError("holds an array whose shape does not fit its content") from None


class DtypeRecord:
    """The type of an array's entries."""

    def __init__(self, code: Any = "", *_: Any) -> None:
        self.code = code.decode("latin-1") if isinstance(code, bytes) else _text(code)
        self.byte_order = ""

    def __setstate__(self, state: Any) -> None:
        order = state[1] if isinstance(state, tuple) and len(state) > 1 else ""
        self.byte_order = order if order in ("<", ">") else ""

    def numeric(self) -> np.dtype[Any]:
        if self.code[:1] not in _DTYPES:
            raise RefusedError(f"holds an array of the type {self.code}")
        return np.dtype(f"{self.byte_order}{self.code}")


class Dictionary(dict[Any, Any]):
    """A dictionary of a class of its own: a default dictionary, or a Munch."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __setstate__(self, state: Any) -> None:
        if isinstance(state, dict):
            self.update(state)


def _scalar(dtype: Any, content: Any = b"") -> Any:
    return _array((), dtype, False, content if isinstance(content, bytes) else [content]).item()


def _frombuffer(content: Any, dtype: Any, shape: Any, order: Any = "C") -> Any:
    return _array(tuple(shape), dtype, order == "F", content)


def _text(value: Any) -> str:
    """A string of the file; other objects may take for ever to be written as one."""
    if not isinstance(value, str):
        raise RefusedError(f"has a {type(value).__name__} in place of a name")
    return value


class Opaque:
    """An object of a harmless type that tests do not need; what it holds is dropped."""

    def __init__(self, of: str) -> None:
        self.of = of

    def _drop(self, *_: Any) -> None:
        """Keep nothing."""

    __setstate__ = __setitem__ = append = extend = _drop


def _attribute(owner: Any, name: Any, *_: Any) -> Any:
    """The attribute of a module that the file names; only of modules, and never a real one."""
    text = f"{owner if isinstance(owner, str) else name_of(owner)}.{_text(name)}"
    if text.startswith("."):
        raise RefusedError(f"takes the attribute {name!s} of an object")
    if text == "dill._dill._setattr":
        return Called(_set_attribute)
    function = _ARRAY_FUNCTIONS.get(str(name)) if text.startswith("numpy.") else None
    return named(text) if function is None else Called(function)


def _type(name: Any, *_: Any) -> Any:
    known = {"CodeType": Called(_code), "PartialType": Called(_opaque("functools.partial")), "bytes": Called(_bytes)}
    return known.get(_text(name)) or named(name)


def _encode(text: str, encoding: str = "latin1") -> bytes:
    return _text(text).encode("latin-1" if encoding in ("latin1", "latin-1") else "utf-8")


def _create_array(function: Any, values: Any, state: Any, *_: Any) -> Any:
    made = function(*values)
    if not isinstance(made, ArrayRecord):
        raise RefusedError("holds an array of an unknown form")
    made.__setstate__(state)
    return made


def _set_attribute(owner: Any, name: Any, value: Any) -> None:
    if isinstance(owner, ClosureCell) and name == "cell_contents":
        owner.value = value


def _reconstructor(kind: Any, _: Any = None, state: Any = None) -> Any:
    if not (isinstance(kind, type) and issubclass(kind, (SavedObject, Dictionary))):
        raise RefusedError(f"makes an object of {name_of(kind) or 'a type'}")
    made = kind()
    if isinstance(made, Dictionary) and isinstance(state, dict):
        made.update(state)
    return made


def _bytes(content: Any = "", encoding: Any = "latin-1", *_: Any) -> bytes:
    """Bytes as older protocols write them: encoded, or a list of numbers; never a number, which is a size."""
    if isinstance(content, (list, tuple)):
        return bytes(content)
    return content if isinstance(content, bytes) else _encode(content, encoding)


_ARRAY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "_frombuffer": _frombuffer,
    "_reconstruct": ArrayRecord,
    "scalar": _scalar,
}


_HARMLESS: dict[str, tuple[str, ...]] = {
    "_operator": ("attrgetter", "itemgetter"),
    "builtins": ("bytearray", "complex", "range", "slice"),
    "collections": ("Counter", "deque"),
    "datetime": ("date", "datetime", "timedelta"),
    "functools": ("partial",),
    "operator": ("attrgetter", "itemgetter"),
    "pathlib": ("PosixPath", "PurePosixPath", "WindowsPath"),
    "re": ("_compile",),
}
"""Types that functions of users hold and that tests do not need, by module."""


def _opaque(name: str) -> Callable[..., Opaque]:
    return lambda *_: Opaque(name)


def stand_ins() -> dict[str, Any]:
    """What each name that a file may use stands for."""
    known: dict[str, Any] = {
        "_codecs encode": Called(_encode),
        "collections OrderedDict": OrderedDict,
        "collections defaultdict": Dictionary,
        "checklist.editor MunchWithAdd": Dictionary,
        "munch Munch": Dictionary,
        "builtins set": set,
        "__builtin__ set": set,
        "dill _dill": named("dill._dill"),
        "numpy ndarray": named("numpy.ndarray"),
        "numpy dtype": DtypeRecord,
    }
    of_dill: dict[str, Callable[..., Any]] = {
        "_create_array": _create_array,
        "_create_cell": lambda *value: ClosureCell(*value[:1]),
        "_create_code": _code,
        "_create_function": _function,
        "_delattr": lambda *_: None,  # a cell without a value stays empty
        "_get_attr": _attribute,
        "_import_module": lambda name, *_: named(_text(name)),
        "_load_type": _type,
        "_setattr": _set_attribute,
    }
    for module in ("dill._dill", "dill.dill"):
        known |= {f"{module} {name}": Called(function) for name, function in of_dill.items()}
    for module in ("numpy.core", "numpy._core"):
        known |= {
            f"{module}.{'numeric' if name == '_frombuffer' else 'multiarray'} {name}": Called(function)
            for name, function in _ARRAY_FUNCTIONS.items()
        }
    of_python: dict[str, Callable[..., Any]] = {"bytes": _bytes, "getattr": _attribute, "setattr": _set_attribute}
    for module in ("builtins", "__builtin__"):
        known |= {f"{module} {name}": Called(function) for name, function in of_python.items()}
    known |= {f"{module} _reconstructor": Called(_reconstructor) for module in ("copyreg", "copy_reg")}
    for module, names in _HARMLESS.items():
        known |= {f"{module} {name}": Called(_opaque(f"{module}.{name}")) for name in names}
    for name in ("MFT", "INV", "DIR", "TestSuite"):
        module = "checklist.test_suite" if name == "TestSuite" else "checklist.test_types"
        known[f"{module} {name}"] = type(name, (SavedObject,), {"of": name})
    return known

"""The three kinds of arrays that everything is computed on, their division, and records of them compared by value."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

Record = TypeVar("Record")


def divide(numerator: ArrayLike, denominator: ArrayLike, fill: float = np.nan) -> FloatArray:
    """Elementwise quotient, ``fill`` where the denominator is 0; shapes are broadcast."""
    above, below = np.asarray(numerator), np.asarray(denominator)
    shape = above.shape if above.shape == below.shape else np.broadcast_shapes(above.shape, below.shape)
    return np.asarray(np.divide(above, below, out=np.full(shape, fill, dtype=np.float64), where=below != 0))


def ranges(start: IntArray, stop: IntArray) -> tuple[IntArray, IntArray]:
    """k ranges start to stop one after another: the range of each number, and all their numbers."""
    lengths = stop - start
    owner = np.repeat(np.arange(len(start), dtype=np.int64), lengths)
    return owner, np.arange(len(owner), dtype=np.int64) + (start - np.cumsum(lengths) + lengths)[owner]


def by_value(record: type[Record]) -> type[Record]:
    """Give a dataclass of arrays and tables, and its subclasses, ``==`` and ``hash`` by value, NaN equal to NaN."""

    def equal(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.compare)

    def hashed(self: Any) -> int:
        return hash((type(self), *(getattr(getattr(self, f.name), "shape", None) for f in fields(self) if f.compare)))

    for name, method in (("__eq__", equal), ("__hash__", hashed)):
        setattr(record, name, method)
    return record


def _same(left: Any, right: Any) -> bool:
    """Whether two values of a field are equal; what cannot be compared is not."""
    if left is right:
        return True
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        if type(left) is not type(right) or left.shape != right.shape:
            return False
        if left.dtype == object or right.dtype == object:
            return all(map(_same, left.ravel().tolist(), right.ravel().tolist()))
        return bool(np.array_equal(left, right, equal_nan={left.dtype.kind, right.dtype.kind} <= set("fc")))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(_same(value, right[key]) for key, value in left.items())
    if type(left) is type(right):
        if isinstance(left, (list, tuple)):
            return len(left) == len(right) and all(map(_same, left, right))
        if hasattr(left, "equals"):  # pandas
            return bool(left.equals(right))
        if isinstance(left, float) and left != left and right != right:
            return True
    try:
        return bool(left == right)
    except (TypeError, ValueError):
        return False


@by_value
@dataclass(frozen=True, eq=False)
class ItemsOfRows:
    """m items, such as the words or entities of sentences; each array (m, ...)."""

    row: IntArray  # that an item belongs to

    def at(self, items: IntArray | BoolArray) -> Self:
        """Some of the items."""
        columns = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        chosen = {name: column[items] for name, column in columns.items() if isinstance(column, np.ndarray)}
        return replace(self, **chosen)

    def of_rows(self, rows: IntArray) -> Self:
        """The items of the rows named, each as often as it is named; rows are numbered anew."""
        order = np.argsort(self.row, kind="stable")
        size = np.bincount(self.row, minlength=int(rows.max(initial=-1)) + 1)
        stop = np.cumsum(size)
        row, item = ranges((stop - size)[rows], stop[rows])
        return replace(self.at(order[item]), row=row)

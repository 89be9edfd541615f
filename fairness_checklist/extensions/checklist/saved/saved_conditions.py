"""Comparisons in a saved suite, read and not run: ``lambda x, pred, *args: pred != 0``.

The suites that were released with CheckList hold such functions of one line. Their instructions are compared with the
few that a comparison of arguments and constants needs; a function with any other instruction is not understood. What is
understood is kept as a `Condition`, which compares by itself: nothing of the file is run.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_COMPARISONS: tuple[tuple[str, Callable[[Any, Any], Any]], ...] = (
    ("<", operator.lt),
    ("<=", operator.le),
    ("==", operator.eq),
    ("!=", operator.ne),
    (">", operator.gt),
    (">=", operator.ge),
)
_RETURN, _LOAD_CONSTANT, _COMPARE, _JUMP_IF_FALSE, _LOAD_ARGUMENT = 83, 100, 107, 114, 124  # Python 3.6 to 3.10
_OLD_FORM = 15  # parts of a code object of Python 3.6 and 3.7, whose jumps count bytes
_CONSTANTS = (bool, int, float, str)


@dataclass(frozen=True)
class Operand:
    """An argument of a function by its position, or a constant."""

    argument: int | None
    value: Any
    text: str

    def of(self, arguments: tuple[Any, ...]) -> Any:
        """Its value in a call."""
        return self.value if self.argument is None else arguments[self.argument]


@dataclass(frozen=True)
class Comparison:
    """Two operands and the position of the comparison in ``< <= == != > >=``."""

    left: Operand
    kind: int
    right: Operand

    def __call__(self, *arguments: Any) -> bool:
        return bool(_COMPARISONS[self.kind][1](self.left.of(arguments), self.right.of(arguments)))

    def __str__(self) -> str:
        return f"{self.left.text} {_COMPARISONS[self.kind][0]} {self.right.text}"


@dataclass(frozen=True)
class Condition:
    """A comparison, or one of two as a third decides; called with the arguments of the function it was read from."""

    then: Comparison
    test: Comparison | None = None
    otherwise: Comparison | None = None

    def __call__(self, *arguments: Any) -> bool:
        if self.test is None or self.otherwise is None or self.test(*arguments):
            return self.then(*arguments)
        return self.otherwise(*arguments)

    def __str__(self) -> str:
        return str(self.then) if self.test is None else f"{self.then} if {self.test} else {self.otherwise}"


def read_condition(parts: tuple[Any, ...], names: tuple[str, ...], n_arguments: int) -> Condition | None:
    """The condition that the parts of a code object express; None where they express anything else.

    Args:
        parts: as a file holds them, the instructions as bytes and the constants as a tuple among them.
        names: of its local variables, arguments first.
        n_arguments: how many of them are arguments.

    >>> names = ("pred", "args")
    >>> print(read_condition((1, 0, bytes([124, 0, 100, 1, 107, 3, 83, 0]), (None, 1)), names, 1))
    pred != 1
    >>> read_condition((1, 0, bytes([116, 0, 131, 0, 83, 0]), (None,)), names, 1) is None
    True
    """
    content = next((part for part in parts if isinstance(part, bytes) and part.endswith(bytes([_RETURN, 0]))), b"")
    constants = next((part for part in parts if isinstance(part, tuple)), ())
    steps = [(content[at], content[at + 1]) for at in range(0, len(content) - 1, 2)]

    def operand(step: tuple[int, int]) -> Operand | None:
        kind, at = step
        if kind == _LOAD_ARGUMENT and at < n_arguments:
            return Operand(at, None, names[at])
        if kind == _LOAD_CONSTANT and at < len(constants) and isinstance(constants[at], _CONSTANTS):
            return Operand(None, constants[at], repr(constants[at]))
        return None

    def comparison(start: int) -> Comparison | None:
        if len(steps) < start + 4 or steps[start + 2][0] != _COMPARE or steps[start + 2][1] >= len(_COMPARISONS):
            return None
        left, right = operand(steps[start]), operand(steps[start + 1])
        return None if left is None or right is None else Comparison(left, steps[start + 2][1], right)

    returns = [at for at, (kind, _) in enumerate(steps) if kind == _RETURN]
    first = comparison(0)
    if first is not None and returns == [3] and len(steps) == 4:
        return Condition(first)
    jumps = len(parts) == _OLD_FORM and len(steps) == 12 and steps[3] == (_JUMP_IF_FALSE, 16)
    then, otherwise = comparison(4), comparison(8)
    if first is not None and jumps and returns == [7, 11] and then is not None and otherwise is not None:
        return Condition(then, first, otherwise)
    return None

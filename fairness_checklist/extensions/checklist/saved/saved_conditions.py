"""Comparisons in a saved suite, read and not run: ``lambda x, pred, *args: pred != 0``.

The suites that were released with CheckList hold such functions of one line. Their instructions are compared with the
few that a comparison of arguments and constants needs; a function with any other instruction is not understood. What is
understood is kept as a `Condition`, which compares by itself: nothing of the file is run.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
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
class Condition:
    """An argument or a constant, a comparison of two of these, or one of two comparisons as a third decides.

    Its value comes from the arguments of the function that it was read from.
    """

    text: str
    value: Callable[[tuple[Any, ...]], Any] = field(repr=False)

    def __call__(self, *arguments: Any) -> Any:
        return self.value(arguments)

    def __str__(self) -> str:
        return self.text


def read_condition(parts: tuple[Any, ...], names: tuple[str, ...], n_arguments: int) -> Condition | None:
    """The condition that the parts of a code object express; None where they express anything else.

    The instructions are bytes among the parts, the constants a tuple; ``names`` are the local variables, arguments
    first.
    """
    content = next((part for part in parts if isinstance(part, bytes) and part.endswith(bytes([_RETURN, 0]))), b"")
    constants = next((part for part in parts if isinstance(part, tuple)), ())
    steps = list(zip(content[::2], content[1::2], strict=False))

    def operand(at: int) -> Condition | None:
        kind, number = steps[at]
        if kind == _LOAD_ARGUMENT and number < n_arguments:
            return Condition(names[number], lambda arguments: arguments[number])
        if kind == _LOAD_CONSTANT and number < len(constants) and isinstance(constants[number], _CONSTANTS):
            return Condition(repr(constants[number]), lambda arguments: constants[number])
        return None

    def comparison(start: int) -> Condition | None:
        if len(steps) < start + 4 or steps[start + 2][0] != _COMPARE or steps[start + 2][1] >= len(_COMPARISONS):
            return None
        left, right = operand(start), operand(start + 1)
        if left is None or right is None:
            return None
        symbol, compare = _COMPARISONS[steps[start + 2][1]]
        return Condition(
            f"{left} {symbol} {right}",
            lambda arguments: bool(compare(left.value(arguments), right.value(arguments))),
        )

    returns = [at for at, (kind, _) in enumerate(steps) if kind == _RETURN]
    first, then, otherwise = comparison(0), comparison(4), comparison(8)
    if first is not None and returns == [3] and len(steps) == 4:
        return first
    jumps = len(parts) == _OLD_FORM and len(steps) == 12 and steps[3] == (_JUMP_IF_FALSE, 16)
    if first is None or then is None or otherwise is None or not jumps or returns != [7, 11]:
        return None
    return Condition(
        f"{then} if {first} else {otherwise}",
        lambda arguments: (then if first.value(arguments) else otherwise).value(arguments),
    )

"""The record that every interval comes back as, and the checks of what goes in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.arrays import FloatArray
from fairness_checklist.errors import InputError, OptionError

__all__ = ["Interval", "check_bounds", "check_count", "check_level", "check_positive", "finite_values", "within"]

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Interval:
    """An interval for one number.

    Attributes:
        low, high: its ends, in units of what is estimated; both NaN where there is none (`note` says why).
        method: what made it.
        n: the rows that entered, of both groups where there are two.
        note: what to keep in mind, or "".

    >>> Interval(0.1, 0.3, "wilson", 50).width
    0.2
    """

    low: float
    high: float
    method: str
    n: int
    note: str = ""

    @property
    def width(self) -> float:
        """high - low, rounded to 15 places."""
        return round(self.high - self.low, 15)


def none_for(method: str, n: int, why: str) -> Interval:
    """The interval where there is none."""
    return Interval(math.nan, math.nan, method, n, why)


def around(centre: float, radius: float, bounds: Bounds, method: str, n: int, note: str = "") -> Interval:
    """centre -/+ radius, cut to what is possible; everything possible where the radius is NaN."""
    low, high = bounds
    if math.isnan(radius):
        return Interval(low, high, method, n, note)
    return Interval(max(low, centre - radius), min(high, centre + radius), method, n, note)


def check_level(level: float) -> float:
    """The level, above 0 and below 1.

    Raises:
        OptionError: it is not.

    >>> check_level(95)
    Traceback (most recent call last):
    fairness_checklist.errors.OptionError: level is 95, expected a number above 0 and below 1.
        For 95 percent give 0.95.
    """
    if not 0 < level < 1:
        raise OptionError(
            f"level is {level}, expected a number above 0 and below 1.", remedy="For 95 percent give 0.95."
        )
    return float(level)


def check_positive(name: str, value: float) -> float:
    """A finite number above 0.

    Raises:
        OptionError: it is not.
    """
    if not (math.isfinite(value) and value > 0):
        raise OptionError(f"{name} is {value}, expected a finite number above 0.")
    return float(value)


def check_bounds(bounds: Sequence[float]) -> Bounds:
    """The least and the greatest possible value, in this order.

    Raises:
        OptionError: they are not two finite numbers in order.
    """
    if len(bounds) == 2 and all(math.isfinite(bound) for bound in bounds) and bounds[0] < bounds[1]:
        return float(bounds[0]), float(bounds[1])
    raise OptionError(
        f"bounds are {tuple(bounds)}, expected the least and the greatest possible value.",
        remedy="Give what the values could be, not what they are: bounds=(0, 1) for probabilities and errors.",
    )


def check_count(hits: float, rows: float) -> tuple[int, int]:
    """How many of how many rows, as whole numbers.

    Raises:
        InputError: hits is not a whole number from 0 to rows.

    >>> check_count(7, 5)
    Traceback (most recent call last):
    fairness_checklist.errors.InputError: 7 of 5 rows: expected two whole numbers, the first from 0 to the second.
    """
    if math.isfinite(rows) and 0 <= hits <= rows and rows == int(rows) and hits == int(hits):
        return int(hits), int(rows)
    raise InputError(f"{hits} of {rows} rows: expected two whole numbers, the first from 0 to the second.")


def finite_values(values: ArrayLike) -> FloatArray:
    """Values as an array (n,) of finite numbers.

    Raises:
        InputError: they are not in one row, or one of them is no finite number.

    >>> finite_values([0.5, float("nan")])
    Traceback (most recent call last):
    fairness_checklist.errors.InputError: the value of row 2 is nan, expected a finite number.
        Leave such rows out, and say how many.
    """
    array: FloatArray = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"values of shape {array.shape}, expected one value a row.")
    wrong = ~np.isfinite(array)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"the value of row {row + 1} is {array[row]}, expected a finite number.",
            remedy="Leave such rows out, and say how many.",
        )
    return array


def within(values: ArrayLike, bounds: Bounds) -> FloatArray:
    """Finite values, none outside the bounds.

    Raises:
        InputError: one of them is outside.

    >>> within([0.5, 3.0], (0.0, 1.0))
    Traceback (most recent call last):
    fairness_checklist.errors.InputError: the value of row 2 is 3.0, expected 0.0 to 1.0.
        Give what the values could be as bounds=(low, high).
    """
    array = finite_values(values)
    wrong = (array < bounds[0]) | (array > bounds[1])
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"the value of row {row + 1} is {array[row]}, expected {bounds[0]} to {bounds[1]}.",
            remedy="Give what the values could be as bounds=(low, high).",
        )
    return array

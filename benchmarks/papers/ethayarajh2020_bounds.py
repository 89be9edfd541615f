"""Bernstein-bounded unfairness (Ethayarajh 2020): the paper's formulas as printed, and with the cost centred.

The difference in expected cost between a protected group A and an unprotected group B is the mean of *amortised
disparities* (definition 2.3): cost / Pr(A) for a row of A, -cost / Pr(B) for one of B, 0 for a row of neither.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.extensions.plan.power import check_positive, check_share, solved_radius

__all__ = ["amortised_disparities", "bernstein_radius", "bernstein_rows", "bernstein_unfairness"]


@dataclass(frozen=True)
class Interval:
    """An interval for one number."""

    low: float  # low, high: in units of what is estimated; NaN where there is none (see `note`)
    high: float
    n: int  # the rows that entered, of both groups where there are two
    note: str = ""  # what to keep in mind, or ""

    @property
    def width(self) -> float:
        """high - low, rounded to 15 places."""
        return round(self.high - self.low, 15)


Variance = float | Literal["maximal", "sample"]


def bernstein_radius(
    variance: float, n: float, *, confidence: float = 0.95, cost: float = 1.0, gamma: float = 0.5
) -> float:
    """Formula (3) of Ethayarajh 2020 as printed: the half-width t, in units of the cost, not clipped.

    t = (B + sqrt(B^2 - 8 n s^2 log((1 - confidence)/2))) / 2n with B = -(2 C / 3 gamma) log((1 - confidence)/2). The
    variance s^2 of the amortised disparities, at most (cost / gamma)^2, is to be *known*, or its upper bound: with the
    sample's variance put in, the formula is no guarantee. Proven for a bound of their mean *square*, as the greatest
    is; with the variance itself C/gamma ought to bound their distance from the mean. Costs lie in [0, cost]; centred,
    C/2.
    """
    check_share("confidence", confidence)
    bound = _bound(cost, gamma)
    _check_variance(variance, bound)
    return solved_radius(-math.log((1 - confidence) / 2), variance, bound, check_positive("n", n))


def bernstein_rows(
    t: float, *, variance: float | None = None, confidence: float = 0.95, cost: float = 1.0, gamma: float = 0.5
) -> float:
    """Formula (4) of Ethayarajh 2020 as printed: n must exceed this number for a half-width below t.

    n > (2 s^2 + (2 C / 3 gamma) t) (-log((1 - confidence)/2)) / t^2; the variance is by default the greatest possible.

    >>> round(bernstein_rows(0.05), 2), round(bernstein_rows(0.05, cost=0.5), 2)
    (11902.78, 3000.29)
    """
    logarithm = math.log((1 - check_share("confidence", confidence)) / 2)
    bound = _bound(cost, gamma)
    if variance is None:
        variance = bound**2
    _check_variance(variance, bound)
    check_positive("t", t)
    return (2 * variance + 2 * bound / 3 * t) * -logarithm / t**2


def amortised_disparities(
    costs: ArrayLike, sides: ArrayLike, *, cost: float = 1.0, centred: bool = False
) -> FloatArray:
    """Definition 2.3 of Ethayarajh 2020: cost x side / Pr(side) of each row; their mean estimates the disparity.

    Costs (n,) in [0, cost], sides (n,) 1 for the protected group, -1 for the unprotected, 0 for neither; the shares
    Pr(side) are those of the rows, so that the mean is exactly the difference of the two groups' means. The values are
    inside [-C/gamma, C/gamma], half of that with `centred`, which takes C/2 off every cost; the mean stays.

    >>> amortised_disparities([1.0, 0.0, 1.0, 1.0], [1, 1, -1, -1])
    array([ 2.,  0., -2., -2.])
    """
    rows, side = _checked(costs, sides, cost)
    first, second = int((side > 0).sum()), int((side < 0).sum())
    if not (first and second):
        raise InputError("one of the two groups has no rows.", remedy="Give rows of both groups.")
    scale = np.select([side > 0, side < 0], [len(side) / first, -len(side) / second], 0.0)
    disparities: FloatArray = (rows - cost / 2 if centred else rows) * scale
    return disparities


def bernstein_unfairness(
    costs: ArrayLike,
    sides: ArrayLike,
    *,
    confidence: float = 0.95,
    cost: float = 1.0,
    centred: bool = False,
    variance: Variance = "maximal",
) -> Interval:
    """Bernstein-bounded unfairness: the disparity of the protected less the unprotected group, -/+ formula (3).

    As printed by default: variance (C/gamma)^2, not cut to [-C, C]. `centred=True` is the same theorem for costs less
    C/2: valid, and half as wide. The variance "maximal", a known number or upper bound, or "sample", the sample's,
    which the note says to be no guarantee. NaN where a group has no rows.

    >>> interval = bernstein_unfairness([1.0] * 38 + [0.0] * 212 + [1.0] * 25 + [0.0] * 225, [1] * 250 + [-1] * 250)
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.1959, 0.2999)
    """
    rows, side = _checked(costs, sides, cost)
    check_share("confidence", confidence)
    n, smaller = len(rows), int(min((side > 0).sum(), (side < 0).sum()))
    if not smaller:
        return Interval(math.nan, math.nan, n, "one of the two groups has no rows")
    disparities = amortised_disparities(rows, side, cost=cost, centred=centred)
    bound = _bound(cost / 2 if centred else cost, smaller / n)
    used = {"sample": float(disparities.var(ddof=1)), "maximal": bound**2}.get(str(variance), variance)
    if isinstance(used, str):
        raise OptionError(f"variance is {variance!r}, expected 'maximal', 'sample' or a number.")
    if variance != "sample":
        _check_variance(used, bound)
    radius = solved_radius(-math.log((1 - confidence) / 2), used, bound, n)
    note = "the sample's variance is put in: no guarantee" if variance == "sample" else ""
    middle = float(disparities.mean())
    return Interval(middle - radius, middle + radius, n, note)


def _bound(cost: float, gamma: float) -> float:
    """m = C/gamma of proposition 2.5."""
    if not 0 < gamma <= 0.5:
        raise OptionError(f"gamma is {gamma}, expected a share above 0, at most 0.5.")
    return check_positive("cost", cost) / gamma


def _check_variance(variance: float, bound: float) -> None:
    if not 0 <= variance <= bound**2 * (1 + 1e-12):
        raise OptionError(f"variance is {variance}, expected 0 to (cost / gamma)^2 = {bound**2:g}.")


def _checked(costs: ArrayLike, sides: ArrayLike, cost: float) -> tuple[FloatArray, IntArray]:
    """Costs in [0, cost] and sides in -1, 0, 1, of one length."""
    rows, side = _costs(costs, check_positive("cost", cost)), np.asarray(sides)
    if side.shape != rows.shape:
        raise InputError(f"{len(rows):,} costs and sides of shape {side.shape}, expected one side a row.")
    if (wrong := ~np.isin(side, (-1, 0, 1))).any():
        row = int(wrong.argmax())
        raise InputError(
            f"the side of row {row + 1} is {side[row]}, expected 1, -1 or 0.",
            remedy="1 is the protected group, -1 the unprotected, 0 neither.",
        )
    return rows, side.astype(np.int64)


def _costs(values: ArrayLike, most: float) -> FloatArray:
    """(n,) finite costs in [0, most]; `InputError` with the first row that is not."""
    array: FloatArray = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"values of shape {array.shape}, expected one value per row.")
    for wrong, expected, remedy in (
        (~np.isfinite(array), "a finite number", "Leave such rows out, and say how many."),
        ((array < 0) | (array > most), f"0.0 to {most}", "Give the greatest possible cost as cost=."),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            raise InputError(f"the value of row {row + 1} is {array[row]}, expected {expected}.", remedy=remedy)
    return array

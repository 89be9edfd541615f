"""How many independent examples show a gap between two groups, and the smallest gap that n of them show.

Every way gives a half-width t(n) that the error of the estimated gap exceeds with a small probability. The paper's
formula (4) asks for t(n) below the gap, which the estimate itself must then reach. With a true gap and a wanted power
the error on the other side counts as well: t(n) + u(n) below the gap, where u(n) is exceeded in 1 - power of samples.
"""

import math
from bisect import bisect
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, Literal, get_args

import pandas as pd

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice

Method = Literal["bernstein", "centred", "hoeffding", "normal"]
METHODS: tuple[Method, ...] = get_args(Method)
_MOST = 10**12


@checks_keywords
def examples_needed(
    gap: float,
    *,
    confidence: float = 0.95,
    power: float | None = None,
    gamma: float = 0.5,
    cost_range: float = 1.0,
    rates: tuple[float, float] | None = None,
    method: Method = "bernstein",
) -> int:
    """The smallest number of independent annotated examples that show a gap between two groups.

    Args:
        gap: in units of the cost, above 0. Without `power` the gap that is estimated, as in formula (4) of Ethayarajh
            2020; with it the true gap.
        confidence: of the two-sided interval that has to leave out 0.
        power: the share of samples in which it does, where the gap is true; None: t(n) below the gap, as in the paper.
        gamma: the smaller group's share of the examples, above 0, at most .5; the other group has the rest.
        cost_range: C, costs lie in [0, C].
        rates: those of cost C in the two groups, for costs that are 0 or C; (smaller group, other group). None: the
            least favourable ones, so that the number is enough whatever the costs are.
        method: "bernstein", the paper's formula as printed; "centred", the same theorem with the cost less C/2;
            "hoeffding", Hoeffding's inequality for the two means; "normal", Wald's interval: no guarantee for
            small samples, and what a comparison of two rates is usually planned with.

    Returns:
        Examples of both groups together; those of neither group are not counted.

    Raises:
        OptionError: an argument out of its range, or a gap that no number of examples shows.

    >>> examples_needed(gap=0.05, confidence=0.95, gamma=0.5, cost_range=1.0)  # section 3.3 of the paper
    11903
    >>> examples_needed(0.05, method="centred"), examples_needed(0.05, method="hoeffding")
    (3001, 2952)
    >>> examples_needed(0.05, rates=(0.15, 0.10), method="normal")
    669
    >>> examples_needed(0.05, rates=(0.15, 0.10), method="normal", power=0.8)
    1366
    """
    check_positive("gap", gap)
    if gap > cost_range:
        raise OptionError(f"gap is {gap}, expected at most the range of the cost, {cost_range}.")
    reach = _reach(confidence, power, gamma, cost_range, rates, method)
    needed = 1 + bisect(range(1, _MOST + 1), False, key=lambda n: reach(n) < gap)
    if needed > _MOST:
        raise OptionError(f"gap is {gap}: more than {_MOST:,} examples are needed.")
    return needed


@checks_keywords
def smallest_gap(
    n: int,
    *,
    confidence: float = 0.95,
    power: float | None = None,
    gamma: float = 0.5,
    cost_range: float = 1.0,
    rates: tuple[float, float] | None = None,
    method: Method = "bernstein",
) -> float:
    """The smallest gap that n independent examples show: the reverse of `examples_needed`.

    Args:
        n: examples of both groups together.
        confidence, power, gamma, cost_range, rates, method: as in `examples_needed`.

    Returns:
        In units of the cost; above `cost_range` where n examples show no gap at all.

    >>> round(smallest_gap(3160), 4)  # the paper's figure for WinoBias
    0.0974
    >>> round(smallest_gap(3160, method="normal", rates=(0.2, 0.2), power=0.8), 4)
    0.0399
    """
    check_positive("n", n)
    return _reach(confidence, power, gamma, cost_range, rates, method)(n)


def _reach(
    confidence: float,
    power: float | None,
    gamma: float,
    cost_range: float,
    rates: tuple[float, float] | None,
    method: str,
) -> Callable[[float], float]:
    """t(n), or t(n) + u(n) with a power, as a function of n."""
    tails = [(1 - check_share("confidence", confidence)) / 2]
    if power is not None:
        tails.append(1 - check_share("power", power))
    if not 0 < gamma <= 0.5:
        raise OptionError(f"gamma is {gamma}, expected a share above 0, at most 0.5.")
    check_positive("cost_range", cost_range)
    spread = 1 / gamma + 1 / (1 - gamma)
    if method == "normal":
        first, second = rates if rates is not None else (0.5, 0.5)
        zero_one_variance(first, second)
        variance = first * (1 - first) / gamma + second * (1 - second) / (1 - gamma)
        width = cost_range * math.sqrt(variance) * sum(-NormalDist().inv_cdf(tail) for tail in tails)
        return lambda n: width / math.sqrt(n)
    logs = [-math.log(tail) for tail in tails]
    if method == "hoeffding":
        if rates is not None:
            raise OptionError("rates are given, and Hoeffding's inequality does not use any.")
        scale = cost_range * math.sqrt(spread / 2) * sum(map(math.sqrt, logs))
        return lambda n: scale / math.sqrt(n)
    centred = choice("method", method, METHODS) == "centred"
    bound = cost_range / gamma / (2 if centred else 1)
    if rates is None:
        variance = bound**2
    else:
        variance = cost_range**2 * zero_one_variance(*rates, share=gamma, centred=centred)
    return lambda n: sum(solved_radius(log, variance, bound, n) for log in logs)


def zero_one_variance(first: float, second: float, *, share: float = 0.5, centred: bool = False) -> float:
    """The variance p/s + q/(1 - s) - (p - q)^2 of the amortised disparity of zero-one costs with rates p, q.

    s is the first group's share. With the cost centred at one half (1/s + 1/(1 - s))/4 - (p - q)^2.
    """
    for name, value in (("first", first), ("second", second)):
        if not 0 <= value <= 1:
            raise OptionError(f"{name} is {value}, expected a rate from 0 to 1.")
    p, q = (0.25, 0.25) if centred else (first, second)
    return p / share + q / (1 - share) - (first - second) ** 2


def solved_radius(log: float, variance: float, bound: float, n: float) -> float:
    """t of Bernstein's inequality, formula (3): `log` is minus the logarithm of one tail's probability."""
    b = 2 * bound / 3 * log
    return (b + math.sqrt(b**2 + 8 * n * variance * log)) / (2 * n)


def check_share(name: str, value: float) -> float:
    """A confidence or a power, above 0 and below 1; `OptionError` where it is not."""
    if not 0 < value < 1:
        example = "For 95 percent give 0.95." if name == "confidence" else "For 80 percent give 0.8."
        raise OptionError(f"{name} is {value}, expected a number above 0 and below 1.", remedy=example)
    return float(value)


def check_positive(name: str, value: float) -> float:
    """A finite number above 0; `OptionError` where it is not."""
    if not (math.isfinite(value) and value > 0):
        raise OptionError(f"{name} is {value}, expected a finite number above 0.")
    return float(value)


def examples_table(gap: float | None, n: int | None, *, power: float, rate: float) -> pd.DataFrame:
    """The examples that show a gap, or the smallest gap of n, by method: as the paper counts, and with power."""
    added = gap or 0.0
    if not 0 < rate < 1 or rate + added > 1:
        raise OptionError(f"rate is {rate} and the gap {gap}, expected a rate above 0 and a sum of at most 1.")
    rows = []
    for of_power in (None, power):
        for method in METHODS:
            rates = (rate + added, rate) if method == "normal" else None  # the others hold for all costs
            options: dict[str, Any] = {"power": of_power, "method": method, "rates": rates}
            size = n if gap is None else examples_needed(gap, **options)
            of_size = smallest_gap(n or 0, **options) if gap is None else gap
            rows.append((method, method != "normal", of_size, of_power, size))
    return pd.DataFrame(rows, columns=["method", "guaranteed", "gap", "power", "examples"])

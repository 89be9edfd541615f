"""Sizes of sets of independent examples by each method. Records, without words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.plan.power import METHODS, Method, examples_needed, smallest_gap


@dataclass(frozen=True)
class Design:
    """How independent examples are drawn and compared: as in `examples_needed`, and a rate for the method "normal"."""

    power: float = 0.8
    confidence: float = 0.95
    gamma: float = 0.5
    cost_range: float = 1.0
    rate: float = 0.2  # of cost 1 in the other group; the smaller group has rate + gap

    def options(self, method: Method, gap: float = 0.0) -> dict[str, Any]:
        """The arguments of `examples_needed` and `smallest_gap`."""
        rates = (min(1.0, self.rate + gap / self.cost_range), self.rate) if method == "normal" else None
        shared = {"confidence": self.confidence, "gamma": self.gamma, "cost_range": self.cost_range}
        return {**shared, "method": method, "rates": rates}

    def check(self, gap: float = 0.0) -> None:
        """`OptionError` where the rates are none."""
        if not 0 < self.rate < 1 or self.rate + gap / self.cost_range > 1:
            raise OptionError(f"rate is {self.rate} and the gap {gap}, expected a rate above 0 and a sum of at most 1.")


@dataclass(frozen=True)
class ExamplesPlan:
    """Independent examples by one method."""

    method: Method  # one of `METHODS`
    guaranteed: bool  # whether the number is enough for every distribution of costs
    gap: float  # shown, or to be shown
    power: float | None  # None: the gap is the estimated one, as in formula (4)
    examples: int  # of both groups together


def plan_examples(gap: float, design: Design) -> tuple[ExamplesPlan, ...]:
    """How many independent annotated examples show a gap: each method, as the paper counts and with the power."""
    design.check(gap)
    return tuple(
        ExamplesPlan(
            method, method != "normal", gap, power, examples_needed(gap, power=power, **design.options(method, gap))
        )
        for power in (None, design.power)
        for method in METHODS
    )


def reach_of_examples(n: int, design: Design) -> tuple[ExamplesPlan, ...]:
    """The smallest gap that n independent examples show; the reverse of `plan_examples`."""
    design.check()
    return tuple(
        ExamplesPlan(method, method != "normal", smallest_gap(n, power=power, **design.options(method)), power, n)
        for power in (None, design.power)
        for method in METHODS
    )


def curve(gaps: Sequence[float], method: Method, design: Design) -> list[tuple[float, int]]:
    """The examples that each gap asks for, as figure 2 of the paper: the gap is the estimated one."""
    return [(round(gap, 10), examples_needed(gap, **design.options(method, gap))) for gap in gaps]

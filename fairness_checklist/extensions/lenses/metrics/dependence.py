"""Independence, separation and sufficiency (Orgad and Belinkov 2022, appendix B) of plain decisions.

The default is the paper's equation: Kullback-Leibler divergence of the group's distribution from that of all.
``wasserstein`` is the other reading of AllenNLP's ``allennlp.fairness``, which the authors' code takes for sufficiency:
classes are numbers 0, 1, 2, ... there, so that the figure changes with the order of the classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fairness_checklist.core.arrays import FloatArray, by_value, divide
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.extensions.lenses.metrics.decision_cells import DecisionCells

Kind = Literal["independence", "separation", "sufficiency"]
Distance = Literal["kl", "wasserstein"]
KINDS: tuple[Kind, ...] = ("independence", "separation", "sufficiency")


@by_value
@dataclass(frozen=True, eq=False)
class Dependence:
    """Distances of the groups' distributions from those of all."""

    kind: Kind  # which of `KINDS`
    distance: Distance  # ``kl`` (nats) or ``wasserstein`` (steps between class numbers)
    groups: tuple[str, ...]  # the G groups
    classes: tuple[str, ...]  # the K conditions: gold or decided classes, ``*`` of independence
    value: FloatArray  # (G, K) 0 or more; NaN where the group has no rows under the condition

    @property
    def sum(self) -> float:
        """The sum over groups and conditions, as in the paper's Table 2; over those that are defined."""
        return float(np.nansum(self.value)) if not np.isnan(self.value).all() else float("nan")


@checks_keywords
def dependence(cells: DecisionCells, kind: Kind = "independence", *, distance: Distance = "kl") -> Dependence:
    """How far the groups' distributions are from those of all.

    Independence: P(R | group) from P(R). Separation: P(R | Y = y, group) from P(R | Y = y). Sufficiency: P(Y | R = r,
    group) from P(Y | R = r). The plug-in estimate of a divergence is too large in small cells: compare sets of the same
    size (`compositions`).
    """
    choice("kind", kind, KINDS)
    choice("distance", distance, _DISTANCES)
    counts = cells.counts  # group, gold, decided
    classes: tuple[str, ...]
    if kind == "independence":
        own, classes = counts.sum(axis=1)[:, None, :], ("*",)
    else:
        own, classes = counts if kind == "separation" else counts.transpose(0, 2, 1), cells.classes
    everyone = own.sum(axis=0, keepdims=True)
    p, q = (divide(x, x.sum(axis=2, keepdims=True)) for x in (own, everyone))
    return Dependence(kind, distance, cells.groups, classes, _DISTANCES[distance](p, np.broadcast_to(q, p.shape)))


def _divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    """KL(p || q) along the last axis; q is above 0 wherever p is."""
    there = p > 0
    quotient = np.divide(p, q, out=np.ones_like(p), where=there)
    summed = (np.where(there, p, 0.0) * np.log(quotient)).sum(axis=2)
    result: FloatArray = np.where(np.isnan(p).any(axis=2), np.nan, np.maximum(summed, 0.0))
    return result


def _steps(p: FloatArray, q: FloatArray) -> FloatArray:
    """The Wasserstein-1 distance over class numbers."""
    moved: FloatArray = np.abs(np.cumsum(p - q, axis=2)[..., :-1]).sum(axis=2)
    return moved


_DISTANCES: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {"kl": _divergence, "wasserstein": _steps}

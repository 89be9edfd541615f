"""Scores with a part of the source, of the word, of what a source does to one group, and of the single text.

The parts are normal and add up on the logit. The figure of a text is the probability of the harm. `Effects.error` is
the two-way standard error that a balanced suite of such scores has on average.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special
from scipy.optimize import brentq

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.findings.errors import clipped_logit

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_WIDEST = 30.0


@dataclass(frozen=True)
class Effects:
    """The sizes of the parts, as standard deviations on the logit.

    Raises:
        OptionError: a rate or a standard deviation out of its range.

    >>> round(Effects().shift(0.05), 2)
    0.32
    """

    rate: float = 0.2  # mean figure of a group without a gap, above 0 and below 1
    terms: float = 0.3  # of words of one group
    sources_by_group: float = 0.25  # of what a source does to one group as a whole
    cells: float = 0.5  # of single texts
    sources: float = 0.6  # of sources; it takes no part in a gap, but moves probabilities

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1:
            raise OptionError(f"rate is {self.rate}, expected a number above 0 and below 1.")
        for name in ("terms", "sources_by_group", "cells", "sources"):
            size = getattr(self, name)
            if not (math.isfinite(size) and 0 <= size <= _WIDEST):
                raise OptionError(f"{name} is {size}, expected a standard deviation on the logit, 0 to {_WIDEST:g}.")

    @property
    def total(self) -> float:
        """The standard deviation of the score of a text."""
        return math.sqrt(sum(size**2 for size in (self.terms, self.sources_by_group, self.cells, self.sources)))

    def location(self, mean: float) -> float:
        """The mean score with which the mean figure is `mean`."""
        return _location(mean, self.total)

    def shift(self, gap: float) -> float:
        """What is added to a group's scores so that its mean figure is `gap` above `rate`."""
        if not 0 < self.rate + gap < 1:
            remedy = f"Write {gap:g} points as {gap / 100:g}." if 1 <= gap < 100 else ""
            raise OptionError(
                f"the gap {gap} is added to a rate of {self.rate:g}, expected a sum above 0 and below 1.", remedy=remedy
            )
        return self.location(self.rate + gap) - self.location(self.rate)

    def figures(self, scores: FloatArray) -> FloatArray:
        """The figure of each score."""
        values: FloatArray = special.expit(scores)
        return values

    def tested(self, scores: FloatArray) -> FloatArray:
        """What is tested of each score: the clipped logit."""
        return clipped_logit(special.expit(scores))

    def variances(self, gap: float = 0.0) -> tuple[float, float, float]:
        """The variances of the figure of a group: of words, of a source in the group, and of a text around both."""
        return _variances(self.location(self.rate + gap), self.terms, self.sources_by_group, self.cells, self.sources)

    def error(self, sizes: Sequence[int], sources: float, *, group: int = 0, gap: float = 0.0) -> float:
        """The standard error of a group's true gap to all others, with every word of ``sizes`` in every source."""
        of_group, others = self.variances(gap), self.variances()
        n, rest = sizes[group], [size for g, size in enumerate(sizes) if g != group]
        m = sum(rest)
        unequal = sum(size**2 for size in rest) / m**2
        of_words = of_group[0] / n + others[0] / m
        of_sources = of_group[1] + others[1] * unequal
        of_texts = of_group[2] / n + others[2] / m
        return math.sqrt(of_words + (of_sources + of_texts) / sources)


def _mean(location: float, sd: float) -> float:
    return float(_WEIGHTS @ special.expit(location + sd * _NODES))


@lru_cache(maxsize=1024)
def _location(mean: float, sd: float) -> float:
    location: float = brentq(lambda place: _mean(place, sd) - mean, -200.0, 200.0, xtol=1e-10)
    return location


@lru_cache(maxsize=1024)
def _variances(
    location: float, terms: float, by_group: float, cells: float, sources: float
) -> tuple[float, float, float]:
    squares = {"terms": terms**2, "pair": by_group**2, "cells": cells**2, "sources": sources**2}
    total = sum(squares.values())

    def shared(*names: str) -> float:
        """The covariance of two figures whose scores have these parts in common."""
        common = sum(squares[name] for name in names)
        rest = math.sqrt(max(0.0, total - common))
        means = np.array([_mean(location + math.sqrt(common) * node, rest) for node in _NODES])
        return float(_WEIGHTS @ means**2 - (_WEIGHTS @ means) ** 2)

    whole = shared("terms", "pair", "cells", "sources")
    of_words, of_sources = shared("terms"), shared("sources")
    of_pairs = shared("sources", "pair") - of_sources
    return of_words, of_pairs, whole - of_words - of_sources - of_pairs

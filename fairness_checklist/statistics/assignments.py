"""Which term belongs to which group, by chance: the assignments that the test of assignment compares with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.errors import OptionError

__all__ = ["Assignments", "draw_assignments", "number_of_assignments"]


@dataclass(frozen=True, eq=False)
class Assignments:
    """D assignments of T terms to G groups, each group with as many terms as it has.

    Attributes:
        group: (D, T) the group of each term.
        complete: whether they are all that there are, the given one among them; else they are drawn.
        possible: how many there are.
    """

    group: IntArray
    complete: bool
    possible: int

    def __len__(self) -> int:
        return len(self.group)

    @property
    def smallest_p(self) -> float:
        """The smallest p that a test over them can give: few terms allow few assignments."""
        return 1 / len(self) if self.complete else 1 / (len(self) + 1)

    def p_value(self, given: float, drawn: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        """The share of assignments whose statistic is at least the given one, which counts as one of them.

        >>> draw_assignments(np.array([0, 0, 1, 1]), 100).p_value(3.0, [3.0, 1.0, 2.0, 2.0, 1.0, 3.0])
        0.3333333333333333
        """
        return float(self.p_values(np.array(given), np.asarray(drawn, dtype=np.float64)))

    def p_values(self, given: FloatArray, drawn: FloatArray) -> FloatArray:
        """The same for many statistics at once: given (...), drawn (D, ...)."""
        slack = 1e-12 * np.maximum(1.0, np.abs(given))
        with np.errstate(invalid="ignore"):
            reached = (drawn >= given - slack).sum(axis=0)
        share: FloatArray = reached / len(drawn) if self.complete else (reached + 1) / (len(drawn) + 1)
        return share


def number_of_assignments(sizes: Sequence[int]) -> int:
    """In how many ways terms fall into groups of these sizes.

    >>> number_of_assignments([2, 2]), number_of_assignments([3, 3, 4])
    (6, 4200)
    """
    return math.factorial(sum(sizes)) // math.prod(math.factorial(size) for size in sizes)


def draw_assignments(group: IntArray, draws: int, seed: int = 0) -> Assignments:
    """All assignments where there are at most ``draws``, else so many drawn at random.

    Args:
        group: (T,) the group of each term as it is.
        draws: at least 1.
        seed: of the draw.

    Raises:
        OptionError: fewer than one draw.

    >>> draw_assignments(np.array([0, 0, 1]), 100).group.tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    >>> len(draw_assignments(np.arange(40) % 4, 100)), draw_assignments(np.arange(40) % 4, 100).complete
    (100, False)
    """
    if draws < 1:
        raise OptionError(f"draws={draws} is not a number of assignments: it must be 1 or more.")
    group = np.asarray(group, dtype=np.int64)
    sizes = np.bincount(group).tolist() if len(group) else []
    possible = number_of_assignments(sizes)
    if possible <= draws:
        return Assignments(np.array(list(_every(sizes)), dtype=np.int64).reshape(possible, len(group)), True, possible)
    random = np.random.default_rng(seed)
    return Assignments(random.permuted(np.tile(group, (draws, 1)), axis=1), False, possible)


def _every(sizes: list[int]) -> Iterator[list[int]]:
    """Each assignment once, in lexical order."""
    if not sum(sizes):
        yield []
        return
    for group, size in enumerate(sizes):
        if size:
            rest = [*sizes]
            rest[group] -= 1
            for following in _every(rest):
                yield [group, *following]

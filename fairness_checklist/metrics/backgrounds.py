"""Backgrounds beta: what a group is compared with.

A background is a plain function of the groups that returns a membership matrix (G, G + 1): row i gives the groups
(the last column: the unmarked control) make up the background of group i. Counts and distributions are pooled by it.
A row of zeros: this group has no background, and so no contrast.
"""

from collections.abc import Callable, Sequence

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError

Background = Callable[[Sequence[str]], FloatArray]


def everyone(groups: Sequence[str]) -> FloatArray:
    """All examples that mention any group, the group itself included: S in Table 2 of Czarnowska et al. 2021.

    >>> everyone(["women", "men"])
    array([[1., 1., 0.],
           [1., 1., 0.]])
    """
    size = len(groups)
    return np.hstack([np.ones((size, size)), np.zeros((size, 1))])


def everyone_else(groups: Sequence[str]) -> FloatArray:
    """All examples that mention any other group: S minus S^t in Table 2 of Czarnowska et al. 2021.

    >>> everyone_else(["women", "men"])
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    size = len(groups)
    return everyone(groups) - np.eye(size, size + 1)


def unmarked(groups: Sequence[str]) -> FloatArray:
    """The control without any identity term ("that writer"): the unperturbed x_j of Table 2, metrics 17 and 18.

    >>> unmarked(["women", "men"])
    array([[0., 0., 1.],
           [0., 0., 1.]])
    """
    size = len(groups)
    return np.hstack([np.zeros((size, size)), np.ones((size, 1))])


def everyone_balanced(groups: Sequence[str]) -> FloatArray:
    """All examples that mention any group; `Metric.membership` divides by the weight of each group's examples.

    >>> everyone_balanced(["women", "men"])
    array([[1., 1., 0.],
           [1., 1., 0.]])
    """
    return everyone(groups)


def one_group(name: str) -> Background:
    """The examples of one group; that group itself has no contrast, which a row of zeros encodes."""

    def background(groups: Sequence[str]) -> FloatArray:
        if name not in groups:
            remedy = f"Groups: {', '.join(groups)}."
            raise OptionError(f"the background group:{name} is none of the groups that are compared.", remedy=remedy)
        beta = np.zeros((len(groups), len(groups) + 1))
        at = list(groups).index(name)
        beta[:, at] = 1
        beta[at, at] = 0
        return beta

    background.__name__ = f"{GROUP}{name}"
    return background


GROUP = "group:"
BACKGROUNDS: dict[str, Background] = {
    "everyone": everyone,
    "everyone_else": everyone_else,
    "everyone_balanced": everyone_balanced,
    "unmarked": unmarked,
}


def background_named(name: str) -> Background:
    """The registered background of that name, or that of one group."""
    if name.startswith(GROUP) and name != GROUP:
        return one_group(name.removeprefix(GROUP))
    if name not in BACKGROUNDS:
        raise OptionError(
            f"the background {name!r} is not known.", remedy=f"Known: {', '.join(BACKGROUNDS)}, {GROUP}NAME."
        )
    return BACKGROUNDS[name]

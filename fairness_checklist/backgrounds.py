"""Backgrounds beta: what a group is compared with.

A background is a plain function of the groups that returns a membership matrix (G, G + 1): row i says which groups
(the last column: the unmarked control) make up the background of group i. Counts and distributions are pooled by it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from fairness_checklist.arrays import FloatArray
from fairness_checklist.errors import OptionError

__all__ = ["BACKGROUNDS", "Background", "background_named", "everyone", "everyone_else", "unmarked"]

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


BACKGROUNDS: dict[str, Background] = {
    "everyone": everyone,
    "everyone_else": everyone_else,
    "unmarked": unmarked,
}


def background_named(name: str) -> Background:
    """The registered background of that name.

    >>> background_named("everyone").__name__
    'everyone'
    """
    if name not in BACKGROUNDS:
        raise OptionError(f"the background {name!r} is not known.", remedy=f"Known: {', '.join(BACKGROUNDS)}.")
    return BACKGROUNDS[name]

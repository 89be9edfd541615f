"""The authors of texts: those of one author are a cluster in tests and intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.errors import OptionError, count

__all__ = ["author_codes", "taken_as"]


def author_codes(authors: Sequence[object] | IntArray | None, n: int) -> IntArray:
    """(n,) a number for the author of each text; each text without one, or all without ``authors``, is by another.

    Raises:
        OptionError: not one author a text, or one author of all texts.

    >>> author_codes(["ann", "bo", "ann", None, None], 5).tolist()
    [0, 1, 0, 2, 3]
    """
    import pandas as pd

    if authors is None:
        return np.arange(n)
    named = pd.Series(authors) if isinstance(authors, np.ndarray) else pd.Series(list(authors), dtype="object")
    codes, known = pd.factorize(named.mask(named == ""))
    if len(codes) != n:
        raise OptionError(f"{len(codes):,} authors for {n:,} texts.", remedy="Give one author a text.")
    alone = codes < 0
    codes[alone] = len(known) + np.arange(alone.sum())
    if codes.max(initial=0) < 1:
        raise OptionError("all texts are of one author.", remedy="Tests by author need texts of two or more.")
    return codes.astype(np.int64)


def taken_as(authors: int) -> str:
    """How tests and intervals take the texts; 0 stands for texts whose authors are not given."""
    return f"Texts are clustered by {count(authors, 'author')}" if authors else "Texts are taken as independent"

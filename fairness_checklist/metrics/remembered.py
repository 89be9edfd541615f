"""What several metrics need of the same outcomes is computed once: small tables, kept with the outcomes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

from fairness_checklist.outcomes import Outcomes

__all__ = ["cached"]

_T = TypeVar("_T")
_PLACE = "_remembered"


def cached(outcomes: Outcomes, key: Hashable, make: Callable[[], _T]) -> _T:
    """What ``make`` gives, computed once for these outcomes; other outcomes made of them start anew.

    Args:
        outcomes: frozen, so that nothing that follows from them changes.
        key: what it is, with all that it depends on besides the outcomes.
        make: gives a small table that nobody writes into.
    """
    kept = outcomes.__dict__.setdefault(_PLACE, {})
    if key not in kept:
        kept[key] = make()
    found: _T = kept[key]
    return found

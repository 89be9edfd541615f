"""Templates x terms -> example sets: what is filled in before the group, the group itself, the unmarked control."""

from __future__ import annotations

from fairness_checklist.counterfactuals.expansion import MAX_SOURCES, Dropped, Expansion, exclude_minors, expand
from fairness_checklist.counterfactuals.fills import Lists, check_lists, read_lists
from fairness_checklist.counterfactuals.preview import Filled, fill

__all__ = [
    "MAX_SOURCES",
    "Dropped",
    "Expansion",
    "Filled",
    "Lists",
    "check_lists",
    "exclude_minors",
    "expand",
    "fill",
    "read_lists",
]

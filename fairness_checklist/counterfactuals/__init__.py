"""Templates x terms -> example sets: fills before the group, forms of each term, the unmarked control, stored factorised."""

from __future__ import annotations

from fairness_checklist.counterfactuals.expansion import Dropped, Expansion, expand
from fairness_checklist.counterfactuals.preview import Filled, fill

__all__ = ["Dropped", "Expansion", "Filled", "expand", "fill"]

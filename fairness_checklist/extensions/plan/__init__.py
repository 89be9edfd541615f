"""The verb ``plan``: how many templates, terms or examples show a gap (Ethayarajh 2020)."""

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

if TYPE_CHECKING:
    from fairness_checklist.extensions.plan.power import examples_needed as examples_needed
    from fairness_checklist.extensions.plan.power import smallest_gap as smallest_gap

__getattr__, __dir__ = lazy(__name__, {"examples_needed": "power", "smallest_gap": "power"})

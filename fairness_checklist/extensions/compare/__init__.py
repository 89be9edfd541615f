"""The verbs ``compare`` and ``gate``: is a new model worse than an old one, and may it go out."""

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

if TYPE_CHECKING:
    from fairness_checklist.extensions.compare.compare import Comparison as Comparison
    from fairness_checklist.extensions.compare.gate import Gate as Gate
    from fairness_checklist.extensions.compare.gate_config import GateConfig as GateConfig

__getattr__, __dir__ = lazy(__name__, {"Comparison": "compare", "Gate": "gate", "GateConfig": "gate_config"})

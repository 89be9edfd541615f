"""The verb ``balance``: weights for data whose groups differ in a property (Kocijan et al. 2021)."""

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

if TYPE_CHECKING:
    from fairness_checklist.extensions.balance.weighted_accuracy import randomization_test as randomization_test
    from fairness_checklist.extensions.balance.weighted_accuracy import weighted_bias as weighted_bias

__getattr__, __dir__ = lazy(__name__, {"randomization_test": "weighted_accuracy", "weighted_bias": "weighted_accuracy"})

"""Natural texts: what a suite says beside what a model does with texts that people wrote (``validate``)."""

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

if TYPE_CHECKING:
    from fairness_checklist.extensions.natural.validation import Validation as Validation

__getattr__, __dir__ = lazy(__name__, {"Validation": "validation"})

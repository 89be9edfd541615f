"""A user's own texts with other identities, perturbed or scrubbed, and the verb ``perturb``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

if TYPE_CHECKING:
    from fairness_checklist.extensions.rewriting.scrubbing import scrub as scrub

__getattr__, __dir__ = lazy(__name__, {"scrub": "scrubbing"})

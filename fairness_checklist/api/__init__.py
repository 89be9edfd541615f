"""What users hold: `Suite` (texts to ask a model about), `Result` (what came out), `evaluate` and `load_model`."""

from __future__ import annotations

from fairness_checklist.api.result import Result, evaluate
from fairness_checklist.api.suite import Suite
from fairness_checklist.models.load import load_model

__all__ = ["Result", "Suite", "evaluate", "load_model"]

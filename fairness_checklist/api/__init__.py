"""The public API: `Suite`, `Result`, `evaluate`, `load_model`, `list_attributes`, `list_models`."""

from fairness_checklist.api.from_predictions import evaluate
from fairness_checklist.api.result import Result
from fairness_checklist.api.scoring import list_attributes, list_models
from fairness_checklist.api.suite import Suite
from fairness_checklist.models.load import load_model

__all__ = ["Result", "Suite", "evaluate", "list_attributes", "list_models", "load_model"]

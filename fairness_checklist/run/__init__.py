"""A run: example sets, what a model said about them, metrics and checks, reduced to `Results`."""

from __future__ import annotations

from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import DEFAULT_CHECKS, RunOptions, default_primary

__all__ = ["DEFAULT_CHECKS", "RunOptions", "default_primary", "evaluate_sets"]

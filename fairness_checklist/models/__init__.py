"""Models that say something about texts: Hugging Face classifiers, the bundled ones, and any Python function.

This room is the only home of torch and transformers; both are imported when a model is loaded, not before.
"""

from __future__ import annotations

from fairness_checklist.models.base import Classifier
from fairness_checklist.models.load import load_model
from fairness_checklist.models.store import predict_with_store

__all__ = ["Classifier", "load_model", "predict_with_store"]

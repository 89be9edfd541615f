"""Models: transformers classifiers and taggers, the bundled ones, and Python functions.

Only this package imports torch and transformers, and only when a model is loaded.
"""

from __future__ import annotations

from fairness_checklist.models.base import Classifier
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

__all__ = ["Classifier", "load_model", "predict_with_store"]

"""A bias test bench for NLP models: templates and identity terms in, invariance tests and fairness metrics out.

The names below are loaded when they are first used: importing the package opens no file and loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairness_checklist.api.result import Result, evaluate
    from fairness_checklist.api.scoring import list_attributes, list_models
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.checks.directional import DirectionalExpectation
    from fairness_checklist.checks.functionality import MinimumFunctionality
    from fairness_checklist.checks.invariance import Invariance
    from fairness_checklist.content.templates import Template
    from fairness_checklist.content.terms import IdentityTerm
    from fairness_checklist.core.errors import (
        AlignmentError,
        FairnessChecklistError,
        InputError,
        LabelError,
        MissingExtraError,
        ModelError,
        OptionError,
        PredictionError,
        SuiteError,
        TableError,
        TemplateError,
        TermError,
        UndefinedError,
    )
    from fairness_checklist.core.tagging import words
    from fairness_checklist.metrics import MetricsModule
    from fairness_checklist.metrics.choosing import choose
    from fairness_checklist.metrics.metric import Options
    from fairness_checklist.models.load import load_model
    from fairness_checklist.suites.datasets import read_tagged

    metrics: MetricsModule  # the module, which is a mapping from ids to metrics

__version__ = "0.1.0"

_HOME = {
    "DirectionalExpectation": "checks",
    "IdentityTerm": "content.terms",
    "Invariance": "checks",
    "MinimumFunctionality": "checks",
    "Options": "metrics.options",
    "Result": "api",
    "Suite": "api",
    "Template": "templates",
    "choose": "metrics.choosing",
    "evaluate": "api",
    "list_attributes": "api",
    "list_models": "api",
    "load_model": "api",
    "metrics": "metrics",
    "read_tagged": "suites.datasets",
    "words": "core.tagging",
    **dict.fromkeys(
        (
            "AlignmentError",
            "FairnessChecklistError",
            "InputError",
            "LabelError",
            "MissingExtraError",
            "ModelError",
            "OptionError",
            "PredictionError",
            "SuiteError",
            "TableError",
            "TemplateError",
            "TermError",
            "UndefinedError",
        ),
        "core.errors",
    ),
}
"""Public name -> the module it lives in; a module stands for itself."""

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_HOME[name]}")
    value = module if name == _HOME[name] else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, and nothing else that the module holds."""
    return sorted(__all__)

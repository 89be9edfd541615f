"""A bias test bench for NLP models: templates and identity terms in, invariance tests and fairness metrics out.

The names below are loaded when they are first used: importing the package opens no file and loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairness_checklist.api import Result as Result
    from fairness_checklist.api import Suite as Suite
    from fairness_checklist.api import evaluate as evaluate
    from fairness_checklist.api import list_attributes as list_attributes
    from fairness_checklist.api import list_models as list_models
    from fairness_checklist.api import load_model as load_model
    from fairness_checklist.checks import DirectionalExpectation as DirectionalExpectation
    from fairness_checklist.checks import Invariance as Invariance
    from fairness_checklist.checks import MinimumFunctionality as MinimumFunctionality
    from fairness_checklist.datasets import read_tagged as read_tagged
    from fairness_checklist.errors import AlignmentError as AlignmentError
    from fairness_checklist.errors import FairnessChecklistError as FairnessChecklistError
    from fairness_checklist.errors import InputError as InputError
    from fairness_checklist.errors import LabelError as LabelError
    from fairness_checklist.errors import MissingExtraError as MissingExtraError
    from fairness_checklist.errors import ModelError as ModelError
    from fairness_checklist.errors import OptionError as OptionError
    from fairness_checklist.errors import PredictionError as PredictionError
    from fairness_checklist.errors import SuiteError as SuiteError
    from fairness_checklist.errors import TableError as TableError
    from fairness_checklist.errors import TemplateError as TemplateError
    from fairness_checklist.errors import TermError as TermError
    from fairness_checklist.errors import UndefinedError as UndefinedError
    from fairness_checklist.metrics import MetricsModule
    from fairness_checklist.metrics.choosing import choose as choose
    from fairness_checklist.metrics.options import Options as Options
    from fairness_checklist.tagging import words as words
    from fairness_checklist.templates import Template as Template
    from fairness_checklist.terms import IdentityTerm as IdentityTerm

    metrics: MetricsModule  # the module, which is a mapping from ids to metrics

__version__ = "0.1.0"

_HOME = {
    "DirectionalExpectation": "checks",
    "IdentityTerm": "terms",
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
    "read_tagged": "datasets",
    "words": "tagging",
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
        "errors",
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

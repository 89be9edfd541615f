"""A bias test bench for NLP models: templates and identity terms in, invariance tests and fairness metrics out.

The names below are loaded when they are first used: importing the package opens no file and loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairness_checklist.analysis.audit import audit as audit
    from fairness_checklist.analysis.correlate import correlate as correlate
    from fairness_checklist.analysis.intrinsic import intrinsic as intrinsic
    from fairness_checklist.analysis.lenses import lenses as lenses
    from fairness_checklist.analysis.mitigation import add_balancing_texts as add_balancing_texts
    from fairness_checklist.analysis.mitigation import additions_needed as additions_needed
    from fairness_checklist.analysis.mitigation_loop import mitigation_loop as mitigation_loop
    from fairness_checklist.analysis.planning import plan_suite as plan_suite
    from fairness_checklist.analysis.planning import smallest_suite_gap as smallest_suite_gap
    from fairness_checklist.analysis.scrubbing import scrub_gaps as scrub_gaps
    from fairness_checklist.analysis.stereotype_preference import Preference as Preference
    from fairness_checklist.analysis.stereotype_preference import stereotype_preference as stereotype_preference
    from fairness_checklist.analysis.stereotype_preference import target_word_preference as target_word_preference
    from fairness_checklist.analysis.term_bias import term_bias as term_bias
    from fairness_checklist.api.from_predictions import evaluate as evaluate
    from fairness_checklist.api.result import Result as Result
    from fairness_checklist.api.scoring import list_attributes as list_attributes
    from fairness_checklist.api.scoring import list_models as list_models
    from fairness_checklist.api.suite import Suite as Suite
    from fairness_checklist.checks.decision_checks import Invariance as Invariance
    from fairness_checklist.checks.decision_checks import MinimumFunctionality as MinimumFunctionality
    from fairness_checklist.checks.directional import DirectionalExpectation as DirectionalExpectation
    from fairness_checklist.content.templates import Template as Template
    from fairness_checklist.content.terms import IdentityTerm as IdentityTerm
    from fairness_checklist.core.errors import AlignmentError as AlignmentError
    from fairness_checklist.core.errors import EndpointError as EndpointError
    from fairness_checklist.core.errors import FairnessChecklistError as FairnessChecklistError
    from fairness_checklist.core.errors import InputError as InputError
    from fairness_checklist.core.errors import LabelError as LabelError
    from fairness_checklist.core.errors import MissingExtraError as MissingExtraError
    from fairness_checklist.core.errors import ModelError as ModelError
    from fairness_checklist.core.errors import OptionError as OptionError
    from fairness_checklist.core.errors import PredictionError as PredictionError
    from fairness_checklist.core.errors import SuiteError as SuiteError
    from fairness_checklist.core.errors import TableError as TableError
    from fairness_checklist.core.errors import TemplateError as TemplateError
    from fairness_checklist.core.errors import TermError as TermError
    from fairness_checklist.core.errors import UndefinedError as UndefinedError
    from fairness_checklist.core.tagging import words as words
    from fairness_checklist.core.tasks import Harm as Harm
    from fairness_checklist.interop.behavioral.behavioral_tests import DIR as DIR
    from fairness_checklist.interop.behavioral.behavioral_tests import INV as INV
    from fairness_checklist.interop.behavioral.behavioral_tests import MFT as MFT
    from fairness_checklist.interop.behavioral.expect import Expect as Expect
    from fairness_checklist.interop.behavioral.test_suite import TestSuite as TestSuite
    from fairness_checklist.interop.editor.editor import Editor as Editor
    from fairness_checklist.interop.scored_files import read_scored as read_scored
    from fairness_checklist.interop.scored_files import write_texts as write_texts
    from fairness_checklist.metrics import MetricsModule
    from fairness_checklist.metrics.choosing import choose as choose
    from fairness_checklist.metrics.metric import Options as Options
    from fairness_checklist.models.endpoint import ChatEndpoint as ChatEndpoint
    from fairness_checklist.models.endpoint import Connection as Connection
    from fairness_checklist.models.endpoint import Endpoint as Endpoint
    from fairness_checklist.models.load import load_model as load_model
    from fairness_checklist.models.stored.store_contents import prune_store as prune_store
    from fairness_checklist.models.stored.store_contents import stored_models as stored_models
    from fairness_checklist.run.purpose import Purpose as Purpose
    from fairness_checklist.run.purpose import read_purpose as read_purpose
    from fairness_checklist.statistics.compositions import balanced_rows as balanced_rows
    from fairness_checklist.statistics.compositions import composition_test as composition_test
    from fairness_checklist.statistics.power import examples_needed as examples_needed
    from fairness_checklist.statistics.power import measure_examples_needed as measure_examples_needed
    from fairness_checklist.statistics.power import smallest_gap as smallest_gap
    from fairness_checklist.statistics.trimming import suggest_trimming as suggest_trimming
    from fairness_checklist.statistics.weighted_accuracy import randomization_test as randomization_test
    from fairness_checklist.statistics.weighted_accuracy import weighted_bias as weighted_bias
    from fairness_checklist.statistics.weighting import balance as balance
    from fairness_checklist.statistics.weighting import balance_pairs as balance_pairs
    from fairness_checklist.suites import perturb as perturb
    from fairness_checklist.suites.datasets import read_tagged as read_tagged
    from fairness_checklist.suites.mentions import mentioned_terms as mentioned_terms
    from fairness_checklist.suites.perturb.scrubbing import scrub as scrub
    from fairness_checklist.suites.phrases import identity_phrases as identity_phrases
    from fairness_checklist.suites.readers import read_published as read_published
    from fairness_checklist.suites.readers.set_predictions import read_set_predictions as read_set_predictions

    metrics: MetricsModule  # the module, which is a mapping from ids to metrics

__version__ = "0.1.0"

_HOME = {
    "ChatEndpoint": "models.endpoint",
    "Connection": "models.endpoint",
    "DIR": "interop.behavioral.behavioral_tests",
    "DirectionalExpectation": "checks.directional",
    "Editor": "interop.editor.editor",
    "Endpoint": "models.endpoint",
    "Expect": "interop.behavioral.expect",
    "Harm": "core.tasks",
    "INV": "interop.behavioral.behavioral_tests",
    "IdentityTerm": "content.terms",
    "Invariance": "checks.decision_checks",
    "MFT": "interop.behavioral.behavioral_tests",
    "MinimumFunctionality": "checks.decision_checks",
    "Options": "metrics.metric",
    "Preference": "analysis.stereotype_preference",
    "Purpose": "run.purpose",
    "Result": "api.result",
    "Suite": "api.suite",
    "Template": "content.templates",
    "TestSuite": "interop.behavioral.test_suite",
    "add_balancing_texts": "analysis.mitigation",
    "additions_needed": "analysis.mitigation",
    "audit": "analysis.audit",
    "balance": "statistics.weighting",
    "balance_pairs": "statistics.weighting",
    "balanced_rows": "statistics.compositions",
    "choose": "metrics.choosing",
    "composition_test": "statistics.compositions",
    "correlate": "analysis.correlate",
    "evaluate": "api.from_predictions",
    "examples_needed": "statistics.power",
    "identity_phrases": "suites.phrases",
    "intrinsic": "analysis.intrinsic",
    "lenses": "analysis.lenses",
    "list_attributes": "api.scoring",
    "list_models": "api.scoring",
    "load_model": "models.load",
    "measure_examples_needed": "statistics.power",
    "mentioned_terms": "suites.mentions",
    "metrics": "metrics",
    "mitigation_loop": "analysis.mitigation_loop",
    "perturb": "suites.perturb",
    "plan_suite": "analysis.planning",
    "prune_store": "models.stored.store_contents",
    "randomization_test": "statistics.weighted_accuracy",
    "read_published": "suites.readers",
    "read_purpose": "run.purpose",
    "read_scored": "interop.scored_files",
    "read_set_predictions": "suites.readers.set_predictions",
    "read_tagged": "suites.datasets",
    "scrub": "suites.perturb.scrubbing",
    "scrub_gaps": "analysis.scrubbing",
    "smallest_gap": "statistics.power",
    "smallest_suite_gap": "analysis.planning",
    "stereotype_preference": "analysis.stereotype_preference",
    "stored_models": "models.stored.store_contents",
    "suggest_trimming": "statistics.trimming",
    "target_word_preference": "analysis.stereotype_preference",
    "term_bias": "analysis.term_bias",
    "weighted_bias": "statistics.weighted_accuracy",
    "words": "core.tagging",
    "write_texts": "interop.scored_files",
    **dict.fromkeys(
        (
            "AlignmentError",
            "EndpointError",
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
"""Public name -> the module it lives in; the names in `_MODULES` are mapped to themselves."""
_MODULES = ("metrics", "perturb")

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_HOME[name]}")
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, and nothing else that the module holds."""
    return sorted(__all__)

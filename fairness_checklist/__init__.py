"""A bias test bench for NLP models: templates and identity terms in, invariance tests and fairness metrics out.

The names below are loaded when they are first used: importing the package opens no file and loads nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairness_checklist.api.from_predictions import evaluate as evaluate
    from fairness_checklist.api.result import Result as Result
    from fairness_checklist.api.scoring import list_attributes as list_attributes
    from fairness_checklist.api.scoring import list_models as list_models
    from fairness_checklist.api.suite import Suite as Suite
    from fairness_checklist.checks.directional import DirectionalExpectation as DirectionalExpectation
    from fairness_checklist.checks.invariance_and_mft import Invariance as Invariance
    from fairness_checklist.checks.invariance_and_mft import MinimumFunctionality as MinimumFunctionality
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
    from fairness_checklist.extensions.balance.weighted_accuracy import randomization_test as randomization_test
    from fairness_checklist.extensions.balance.weighted_accuracy import weighted_bias as weighted_bias
    from fairness_checklist.extensions.balance.weighting import balance as balance
    from fairness_checklist.extensions.corpora.audit import audit as audit
    from fairness_checklist.extensions.corpora.mitigation import add_balancing_texts as add_balancing_texts
    from fairness_checklist.extensions.corpora.mitigation import additions_needed as additions_needed
    from fairness_checklist.extensions.corpora.mitigation_loop import identity_phrases as identity_phrases
    from fairness_checklist.extensions.corpora.mitigation_loop import mitigation_loop as mitigation_loop
    from fairness_checklist.extensions.corpora.tagged_corpora import read_tagged as read_tagged
    from fairness_checklist.extensions.corpora.term_bias import term_bias as term_bias
    from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms as mentioned_terms
    from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint as ChatEndpoint
    from fairness_checklist.extensions.endpoint.endpoint_options import Connection as Connection
    from fairness_checklist.extensions.endpoint.endpoint_options import Endpoint as Endpoint
    from fairness_checklist.extensions.plan.power import examples_needed as examples_needed
    from fairness_checklist.extensions.plan.power import smallest_gap as smallest_gap
    from fairness_checklist.extensions.plan.suite_plan import plan_suite as plan_suite
    from fairness_checklist.extensions.plan.suite_plan import smallest_suite_gap as smallest_suite_gap
    from fairness_checklist.extensions.rewriting import perturb as perturb
    from fairness_checklist.extensions.rewriting.scrubbing import scrub as scrub
    from fairness_checklist.metrics import MetricsModule
    from fairness_checklist.metrics.metric_forms import Options as Options
    from fairness_checklist.models.load import load_model as load_model
    from fairness_checklist.run.options import Purpose as Purpose
    from fairness_checklist.run.options import read_purpose as read_purpose

    metrics: MetricsModule  # the module, which is a mapping from ids to metrics

__version__ = "0.1.0"

_HOME = {
    "DirectionalExpectation": "checks.directional",
    "Harm": "core.tasks",
    "IdentityTerm": "content.terms",
    "Invariance": "checks.invariance_and_mft",
    "MinimumFunctionality": "checks.invariance_and_mft",
    "Options": "metrics.metric_forms",
    "Purpose": "run.options",
    "Result": "api.result",
    "Suite": "api.suite",
    "Template": "content.templates",
    "evaluate": "api.from_predictions",
    "list_attributes": "api.scoring",
    "list_models": "api.scoring",
    "load_model": "models.load",
    "metrics": "metrics",
    "read_purpose": "run.options",
    "words": "core.tagging",
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
    "balance": "extensions.balance.weighting",
    "randomization_test": "extensions.balance.weighted_accuracy",
    "weighted_bias": "extensions.balance.weighted_accuracy",
    "Comparison": "extensions.compare.compare",
    "Gate": "extensions.compare.gate",
    "GateConfig": "extensions.compare.gate_config",
    "compare": "extensions.compare.compare",
    "gate": "extensions.compare.gate",
    "add_balancing_texts": "extensions.corpora.mitigation",
    "additions_needed": "extensions.corpora.mitigation",
    "audit": "extensions.corpora.audit",
    "identity_phrases": "extensions.corpora.mitigation_loop",
    "mentioned_terms": "extensions.corpora.term_mentions",
    "mitigation_loop": "extensions.corpora.mitigation_loop",
    "read_tagged": "extensions.corpora.tagged_corpora",
    "term_bias": "extensions.corpora.term_bias",
    "ChatEndpoint": "extensions.endpoint.endpoint_options",
    "Connection": "extensions.endpoint.endpoint_options",
    "Endpoint": "extensions.endpoint.endpoint_options",
    "Validation": "extensions.natural.validation",
    "validate": "extensions.natural.validation",
    "examples_needed": "extensions.plan.power",
    "plan_suite": "extensions.plan.suite_plan",
    "smallest_gap": "extensions.plan.power",
    "smallest_suite_gap": "extensions.plan.suite_plan",
    "perturb": "extensions.rewriting.perturb",
    "scrub": "extensions.rewriting.scrubbing",
}
"""Public name -> the module it lives in."""
_MODULES = ("metrics", "perturb")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return ["__version__", *_HOME]
    home = _HOME.get(name)
    if not home:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{home}")
    value = module if name in _MODULES else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, and nothing else that the module holds."""
    return sorted(["__version__", *_HOME])

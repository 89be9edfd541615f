"""A bias test bench for NLP models: templates and identity terms in, invariance tests and fairness metrics out.

The names below are loaded when they are first used: importing the package opens no file and loads nothing heavy. Names
of further jobs are in `fairness_checklist.extensions`, CheckList's calls in `fairness_checklist.checklist`.
"""

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

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
    from fairness_checklist.core import errors as errors
    from fairness_checklist.core.errors import FairnessChecklistError as FairnessChecklistError
    from fairness_checklist.core.errors import InputError as InputError
    from fairness_checklist.core.tagging import words as words
    from fairness_checklist.core.tasks import Harm as Harm
    from fairness_checklist.extensions.balance.weighting import balance as balance
    from fairness_checklist.extensions.compare.compare import compare as compare
    from fairness_checklist.extensions.compare.gate import gate as gate
    from fairness_checklist.extensions.corpora.audit import audit as audit
    from fairness_checklist.extensions.corpora.mitigation_loop import mitigation_loop as mitigation_loop
    from fairness_checklist.extensions.corpora.tagged_corpora import read_tagged as read_tagged
    from fairness_checklist.extensions.natural.validation import validate as validate
    from fairness_checklist.extensions.plan.suite_plan import plan_suite as plan_suite
    from fairness_checklist.extensions.rewriting import perturb as perturb
    from fairness_checklist.metrics import MetricsModule
    from fairness_checklist.models.load import load_model as load_model
    from fairness_checklist.run.options import Purpose as Purpose

    metrics: MetricsModule  # the module, which is a mapping from ids to metrics

__version__ = "0.1.0"

_HOMES = {
    "DirectionalExpectation": "checks.directional",
    "FairnessChecklistError": "core.errors",
    "Harm": "core.tasks",
    "IdentityTerm": "content.terms",
    "InputError": "core.errors",
    "Invariance": "checks.invariance_and_mft",
    "MinimumFunctionality": "checks.invariance_and_mft",
    "Purpose": "run.options",
    "Result": "api.result",
    "Suite": "api.suite",
    "Template": "content.templates",
    "audit": "extensions.corpora.audit",
    "balance": "extensions.balance.weighting",
    "compare": "extensions.compare.compare",
    "evaluate": "api.from_predictions",
    "gate": "extensions.compare.gate",
    "list_attributes": "api.scoring",
    "list_models": "api.scoring",
    "load_model": "models.load",
    "mitigation_loop": "extensions.corpora.mitigation_loop",
    "plan_suite": "extensions.plan.suite_plan",
    "read_tagged": "extensions.corpora.tagged_corpora",
    "validate": "extensions.natural.validation",
    "words": "core.tagging",
}
"""Public name -> the module it lives in, below the package."""

_MODULES = {"errors": "core.errors", "metrics": "metrics", "perturb": "extensions.rewriting.perturb"}

__getattr__, __dir__ = lazy(__name__, _HOMES, _MODULES)

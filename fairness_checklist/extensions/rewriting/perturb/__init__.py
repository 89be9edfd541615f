"""Texts of a user's own: rewritten for other identities, and perturbed as in CheckList.

`build_sources` and `rewrite` find mentions that context makes safe, and write the same text with another identity.
`perturb` and the functions for it (`add_typos`, `contractions`, `punctuation`, `change_names`, `add_negation` and more)
have the names of ``checklist.perturb.Perturb`` (Ribeiro et al. 2020); they take plain strings and need no model.
"""

from __future__ import annotations

from fairness_checklist.extensions.rewriting.perturb.affirmation import remove_negation
from fairness_checklist.extensions.rewriting.perturb.mentions import Mention, Mentions, find_mentions
from fairness_checklist.extensions.rewriting.perturb.negation import add_negation
from fairness_checklist.extensions.rewriting.perturb.perturbations import Perturbed, perturb
from fairness_checklist.extensions.rewriting.perturb.replacements import change_location, change_names, change_number
from fairness_checklist.extensions.rewriting.perturb.rewriting import (
    Line,
    Rewritten,
    SkippedCounterfactual,
    Sources,
    build_sources,
    rewrite,
)
from fairness_checklist.extensions.rewriting.perturb.short_forms import contract, contractions, expand_contractions
from fairness_checklist.extensions.rewriting.perturb.surfaces import Index, build_index
from fairness_checklist.extensions.rewriting.perturb.typos import add_typos, punctuation, strip_punctuation

__all__ = [
    "Index",
    "Line",
    "Mention",
    "Mentions",
    "Perturbed",
    "Rewritten",
    "SkippedCounterfactual",
    "Sources",
    "add_negation",
    "add_typos",
    "build_index",
    "build_sources",
    "change_location",
    "change_names",
    "change_number",
    "contract",
    "contractions",
    "expand_contractions",
    "find_mentions",
    "perturb",
    "punctuation",
    "remove_negation",
    "rewrite",
    "strip_punctuation",
]

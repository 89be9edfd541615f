"""Texts of a user's own, perturbed as by ``checklist.perturb.Perturb``, with its names (Ribeiro et al. 2020)."""

from fairness_checklist.extensions.rewriting.perturb.contractions_and_negation import (
    add_negation,
    contract,
    contractions,
    expand_contractions,
    remove_negation,
)
from fairness_checklist.extensions.rewriting.perturb.perturbations import (
    Cases,
    add_typos,
    perturb,
    punctuation,
    strip_punctuation,
)
from fairness_checklist.extensions.rewriting.perturb.replacements import change_location, change_names, change_number

__all__ = [
    "Cases",
    "add_negation",
    "add_typos",
    "change_location",
    "change_names",
    "change_number",
    "contract",
    "contractions",
    "expand_contractions",
    "perturb",
    "punctuation",
    "remove_negation",
    "strip_punctuation",
]

"""Suites: the templates and terms that are chosen, and the example sets that they make; saved as text."""

from __future__ import annotations

from fairness_checklist.suites.answered import PartPredictions
from fairness_checklist.suites.build import SuiteChoice, build_part, build_parts, names_or_files, two_attributes
from fairness_checklist.suites.part_files import check_replaceable, load_parts, save_parts
from fairness_checklist.suites.parts import (
    Part,
    as_templates,
    kind_of_terms,
    make_part,
    term_list,
)

__all__ = [
    "Part",
    "PartPredictions",
    "SuiteChoice",
    "as_templates",
    "build_part",
    "build_parts",
    "check_replaceable",
    "kind_of_terms",
    "load_parts",
    "make_part",
    "names_or_files",
    "save_parts",
    "term_list",
    "two_attributes",
]

"""A user's own texts as sources: mentions that context makes safe, and the same text with another identity."""

from __future__ import annotations

from fairness_checklist.suites.perturb.mentions import Mention, Mentions, find
from fairness_checklist.suites.perturb.rewriting import (
    Line,
    Rewritten,
    SkippedCounterfactual,
    Sources,
    rewrite,
    sources_of,
)
from fairness_checklist.suites.perturb.surfaces import Index, index_of

__all__ = [
    "Index",
    "Line",
    "Mention",
    "Mentions",
    "Rewritten",
    "SkippedCounterfactual",
    "Sources",
    "find",
    "index_of",
    "rewrite",
    "sources_of",
]

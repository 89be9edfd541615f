"""A user's own texts as sources: mentions that context makes safe, and the same text with another identity."""

from __future__ import annotations

from fairness_checklist.suites.perturb.mentions import Mention, Mentions, find_mentions
from fairness_checklist.suites.perturb.rewriting import (
    Line,
    Rewritten,
    SkippedCounterfactual,
    Sources,
    build_sources,
    rewrite,
)
from fairness_checklist.suites.perturb.surfaces import Index, build_index

__all__ = [
    "Index",
    "Line",
    "Mention",
    "Mentions",
    "Rewritten",
    "SkippedCounterfactual",
    "Sources",
    "build_index",
    "build_sources",
    "find_mentions",
    "rewrite",
]

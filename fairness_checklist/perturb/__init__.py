"""A user's own texts as sources: mentions that context makes safe, and the same text with another identity."""

from __future__ import annotations

from fairness_checklist.perturb.finding import Mentions, find
from fairness_checklist.perturb.mentions import Mention
from fairness_checklist.perturb.rewriting import Rewritten, rewrite
from fairness_checklist.perturb.sources import Line, SkippedCounterfactual, Sources, sources_of
from fairness_checklist.perturb.surfaces import Index, index_of

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

"""English around a term: articles by sound, plurals, pronouns, and the verbs of predicates."""

from __future__ import annotations

from fairness_checklist.grammar.articles import article, capitalise, with_article
from fairness_checklist.grammar.plurals import plural, starts_with_preposition
from fairness_checklist.grammar.pronouns import choose, pronoun, pronoun_set
from fairness_checklist.grammar.verbs import conjugate

__all__ = [
    "article",
    "capitalise",
    "choose",
    "conjugate",
    "plural",
    "pronoun",
    "pronoun_set",
    "starts_with_preposition",
    "with_article",
]

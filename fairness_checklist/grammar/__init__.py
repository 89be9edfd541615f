"""What stands around a term and agrees with it: one `Grammar` a language, and the English words themselves."""

from __future__ import annotations

from fairness_checklist.grammar.articles import article, capitalise, with_article
from fairness_checklist.grammar.language import Grammar, Noun
from fairness_checklist.grammar.languages import DEFAULT, LANGUAGES, folder_of, get, language_of
from fairness_checklist.grammar.plurals import plural, starts_with_preposition
from fairness_checklist.grammar.pronouns import choose, pronoun, pronoun_set
from fairness_checklist.grammar.verbs import conjugate

__all__ = [
    "DEFAULT",
    "LANGUAGES",
    "Grammar",
    "Noun",
    "article",
    "capitalise",
    "choose",
    "conjugate",
    "folder_of",
    "get",
    "language_of",
    "plural",
    "pronoun",
    "pronoun_set",
    "starts_with_preposition",
    "with_article",
]

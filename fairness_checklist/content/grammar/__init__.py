"""The words around a term that agree with it: one `Grammar` per language, and the English word lists."""

from __future__ import annotations

from fairness_checklist.content.grammar.english import conjugate
from fairness_checklist.content.grammar.english_forms import (
    article,
    choose,
    plural,
    pronoun,
    pronoun_set,
    starts_with_preposition,
    with_article,
)
from fairness_checklist.content.grammar.language import BE_FORMS, PRONOUN_FORMS, Grammar, Noun
from fairness_checklist.content.grammar.languages import DEFAULT, LANGUAGES, folder_of, get, language_of

__all__ = [
    "BE_FORMS",
    "DEFAULT",
    "LANGUAGES",
    "PRONOUN_FORMS",
    "Grammar",
    "Noun",
    "article",
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

"""Offensive words with their first letter only, for words that come from a user's texts."""

from __future__ import annotations

import re

from fairness_checklist.content.lint.derogatory import slurs_in
from fairness_checklist.content.profanity import profane_words

_FURTHER = re.compile(
    r"(?<!\w)(?:\w*fuck\w*|bitch\w*|shit\w*|cunt\w*|cocks?|puss(?:y|ies)|hoes?|thots?|sluts?|slutty|whores?|twats?|"
    r"tits|titties)(?!\w)",
    re.IGNORECASE,
)  # inflections, and insults that no template holds


def mask_offensive(text: str) -> str:
    """A text in which each profane word and each slur has its first letter only; other texts as they are.

    >>> mask_offensive("damn"), mask_offensive("dawn"), mask_offensive("two midgets")
    ('d***', 'dawn', 'two m******')
    """
    further = [found.group() for found in _FURTHER.finditer(text)]
    for word in (*further, *profane_words(text), *slurs_in(text)):
        text = text.replace(word, word[0] + "*" * (len(word) - 1))
    return text

"""The language that a sentence is in, by py3langid."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from fairness_checklist.extensions.authoring.lint.patterns import FREQUENT, pattern, rules_left_out, word_counts

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_LANGUAGES = "en es fr de it pt nl sv da pl tr id ru uk cs el fi no ar he hi ja ko zh"
_LIKELY = 0.6  # with less, good sentences of four words are taken for those of another language


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_LANGUAGES.split())
    return identifier


def other_language(text: str, language: str) -> str:
    """The code of the language of a text if it is another than this, in the opinion of py3langid; else "".

    >>> other_language("Ayer vi el mar y la casa.", "en"), other_language("We sang 'La vida es un sue\u00f1o'.", "en")
    ('es', '')
    """
    plain = pattern("quoted").sub(" ", text)
    words = [word.lower() for word in re.findall(r"(?<![\w'\u2019])[^\W\d_]+(?![\w'\u2019])", plain)]
    if "language" in rules_left_out() or not words:
        return ""
    code, probability = _identifier().classify(plain)
    long = [word for word in words if len(word) > 2]
    is_english = language == "en" and sum(word_counts().get(word, 0) >= FREQUENT for word in long) * 2 > len(long)
    return code if code != language and probability >= _LIKELY and not is_english else ""

"""The languages that there are, and which one a file is in."""

from pathlib import Path

from fairness_checklist.content.grammar.english import English
from fairness_checklist.content.grammar.language import Grammar
from fairness_checklist.content.grammar.spanish import Spanish
from fairness_checklist.core.errors import OptionError

LANGUAGES: dict[str, Grammar] = {"en": English(), "es": Spanish()}
DEFAULT = "en"


def get(code: str) -> Grammar:
    """The grammar of a language."""
    if not isinstance(code, str) or code not in LANGUAGES:
        known = ", ".join(f"{grammar.code} ({grammar.name})" for grammar in LANGUAGES.values())
        raise OptionError(f"the language {code!r} is not known.", remedy=f"Known languages: {known}.")
    return LANGUAGES[code]


def folder_of(code: str) -> str:
    """The folder inside ``templates`` and ``identity_terms`` that holds the files of a language; "" of English."""
    return "" if get(code).code == DEFAULT else code


def language_of(path: str | Path) -> str:
    """The language of a file of templates or terms: that of its folder, else English."""
    folder = Path(path).absolute().parent.name
    return folder if folder in LANGUAGES else DEFAULT

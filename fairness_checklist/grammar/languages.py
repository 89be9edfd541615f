"""The languages that there are, and which one a file is in."""

from __future__ import annotations

from pathlib import Path

from fairness_checklist.errors import OptionError
from fairness_checklist.grammar.english import ENGLISH
from fairness_checklist.grammar.language import Grammar
from fairness_checklist.grammar.spanish import SPANISH

__all__ = ["DEFAULT", "LANGUAGES", "folder_of", "get", "language_of"]

LANGUAGES: dict[str, Grammar] = {one.code: one for one in (ENGLISH, SPANISH)}
DEFAULT = ENGLISH.code


def get(code: str) -> Grammar:
    """The grammar of a language.

    Args:
        code: "en" or "es".

    Raises:
        OptionError: no such language.

    >>> get("es").name
    'Spanish'
    >>> get("de")
    Traceback (most recent call last):
    fairness_checklist.errors.OptionError: the language 'de' is not known.
        Known languages: en (English), es (Spanish).
    """
    if not isinstance(code, str) or code not in LANGUAGES:
        known = ", ".join(f"{one.code} ({one.name})" for one in LANGUAGES.values())
        raise OptionError(f"the language {code!r} is not known.", remedy=f"Known languages: {known}.")
    return LANGUAGES[code]


def folder_of(code: str) -> str:
    """The folder inside ``templates`` and ``identity_terms`` that holds the files of a language; "" of English.

    Raises:
        OptionError: no such language.

    >>> folder_of("en"), folder_of("es")
    ('', 'es')
    """
    return "" if get(code).code == DEFAULT else code


def language_of(path: str | Path) -> str:
    """The language of a file of templates or terms: that of the folder in which it lies, else English.

    >>> language_of("templates/es/gender.csv"), language_of("templates/gender.csv")
    ('es', 'en')
    """
    folder = Path(path).absolute().parent.name
    return folder if folder in LANGUAGES else DEFAULT

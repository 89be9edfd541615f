"""Which terms of a table without the column ``lexeme`` are one word for certain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import lexemes_of


def certain_lexemes(terms: Sequence[str], attribute: str) -> dict[str, str]:
    """The lexeme of each term of one group of a table: terms are one word only where that is certain.

    >>> certain_lexemes(["Deaf", "deaf", "Ana Silva", "Rui Silva", "word2-0", "word2-1", "lady", "ladies"], "mine")
    {'Deaf': 'Deaf', 'deaf': 'Deaf', 'Ana Silva': 'Ana Silva', 'Rui Silva': 'Rui Silva', 'word2-0': 'word2-0', \
    'word2-1': 'word2-1', 'lady': 'lady', 'ladies': 'lady'}
    >>> certain_lexemes(["trans", "transgender woman"], "gender")
    {'trans': 'trans', 'transgender woman': 'trans'}
    """
    known = load_terms(attribute).terms if attribute in attributes() else ()
    shipped = {one.term: (one.group, name) for one, name in zip(known, lexemes_of(known), strict=True)}
    first: dict[object, str] = {}
    found: dict[str, str] = {}
    plurals = {get(DEFAULT).plural(one): one for one in terms if one.split(" ")[-1].islower() and one.isascii()}
    for term in terms:
        plain = re.search(r"\d", term) is None
        keys: list[object] = [re.sub(r"[-\s]", "", term.casefold())] if plain else [(term, "")]
        keys += [shipped[term]] if term in shipped else []
        singular = plurals.get(term, term)
        keys += [re.sub(r"[-\s]", "", singular.casefold())] if plain and singular != term else []
        name = next((first[key] for key in keys if key in first), singular if plain else term)
        found[term] = name
        first |= {key: first.get(key, name) for key in keys}
    return found

"""The forms of identity terms that a text may hold: plurals, adjectives, and other spellings of one word."""

import re
from collections.abc import Iterable, Sequence

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import IdentityTerm, lexemes_of


def term_forms(terms: Iterable[IdentityTerm], *, merge_spellings: bool = True) -> dict[str, tuple[str, ...]]:
    """The further forms in which each term is written: plural, adjective, and each with spaces in place of hyphens.

    A form that is a term itself belongs to that term only. With ``merge_spellings`` terms of a group with the same
    letters are one, and so are single words with the same lemma and part of speech ("Taoist", "Daoist").

    >>> women = [IdentityTerm("woman", "women", pos="noun", plural="women"), IdentityTerm("female", "women")]
    >>> term_forms(women)
    {'woman': ('women',), 'female': ()}
    >>> term_forms([IdentityTerm("non-binary", "x"), IdentityTerm("nonbinary", "x")])
    {'non-binary': ('nonbinary', 'non binary')}
    """
    given = list(terms)
    listed = {entry.term.casefold() for entry in given}
    names: dict[str, str] = {}
    of_key: dict[tuple[str, ...], str] = {}
    further: dict[str, list[str]] = {}
    for term in given:
        folded = term.term.casefold()
        name = names.get(folded, "")
        if not name:
            keys = _spelling_keys(term) if merge_spellings else []
            name = next((of_key[key] for key in keys if key in of_key), term.term)
            names[folded] = name
            of_key |= {key: of_key.get(key, name) for key in keys}
            further.setdefault(name, [])
            if name != term.term:
                further[name].append(term.term)
        further[name] += [form for form in _inflections(term) if form.casefold() not in listed]
    taken = listed - {folded for folded, name in names.items() if name.casefold() != folded}
    forms: dict[str, tuple[str, ...]] = {}
    for name, several in further.items():
        spelt = [*several, *(form.replace("-", " ") for form in (name, *several) if "-" in form)]
        new = {form.casefold(): form for form in spelt if form.casefold() not in taken}
        forms[name] = tuple(new.values())
        taken |= set(new)
    return forms


def _spelling_keys(term: IdentityTerm) -> list[tuple[str, ...]]:
    """What two spellings of one word have in common."""
    letters = re.sub(r"[\W_]", "", term.term.casefold())
    lemma = term.lemma.casefold() if " " not in term.term else ""
    return [key for key in ((term.group, "letters", letters), (term.group, term.pos, lemma)) if key[-1]]


def _inflections(term: IdentityTerm) -> list[str]:
    """The plural and the adjective; one shorter than the term does not count: "older" is no form of "older adult"."""
    derived = get(DEFAULT).plural(term.term) if term.pos == "noun" else ""
    shorter = len(term.adjective.split()) < len(term.term.split())
    return [form for form in (term.plural or derived, "" if shorter else term.adjective) if form not in ("", "-")]


def certain_lexemes(terms: Sequence[str], attribute: str) -> dict[str, str]:
    """The lexeme of each term of one group of a table: terms are one word only where that is certain.

    >>> certain_lexemes(["Deaf", "deaf", "Ana Silva", "Rui Silva", "word2-0", "word2-1", "lady", "ladies"], "mine")
    {'Deaf': 'Deaf', 'deaf': 'Deaf', 'Ana Silva': 'Ana Silva', 'Rui Silva': 'Rui Silva', 'word2-0': 'word2-0', \
    'word2-1': 'word2-1', 'lady': 'lady', 'ladies': 'lady'}
    >>> certain_lexemes(["trans woman", "transgender woman"], "gender")
    {'trans woman': 'trans woman', 'transgender woman': 'trans woman'}
    """
    # certain of shipped terms of the attribute with the same lexeme, of spellings that differ in capitals, hyphens or
    # spaces, and of a noun and its plural, both in small letters; terms with digits may be ids, and stay apart
    known = load_terms(attribute).terms if attribute in attributes() else ()
    shipped = {entry.term: (entry.group, name) for entry, name in zip(known, lexemes_of(known), strict=True)}
    first: dict[object, str] = {}
    of_term: dict[str, str] = {}
    plurals = {get(DEFAULT).plural(word): word for word in terms if word.split(" ")[-1].islower() and word.isascii()}
    for term in terms:
        plain = re.search(r"\d", term) is None
        keys: list[object] = [re.sub(r"[-\s]", "", term.casefold())] if plain else [(term, "")]
        keys += [shipped[term]] if term in shipped else []
        singular = plurals.get(term, term)
        keys += [re.sub(r"[-\s]", "", singular.casefold())] if plain and singular != term else []
        name = next((first[key] for key in keys if key in first), singular if plain else term)
        of_term[term] = name
        first |= {key: first.get(key, name) for key in keys}
    return of_term

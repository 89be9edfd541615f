"""Which identity terms are one lexeme: spellings, inflections and phrases of one word."""

import re
from collections.abc import Sequence

# Words that do not tell one identity term from another: function words, and nouns that any identity takes.
_HEADS = frozenset(
    """
    a an the of in on at by for from to with who whose and or as is are person people individual individuals man
    men woman women male female adult adults community background descent heritage origin identity ancestry
    family faith american americans non practicing living raised born old aged
    """.split()  # noqa: SIM905
)
_NUMBERED = re.compile(r"[^\W\d].*\d$")
_ENDINGS = ("ness", "ism", "ing", "ers", "ies", "ed", "er", "es", "ty", "s", "y", "e")


def lexemes(terms: Sequence[str], groups: Sequence[str], lemmas: Sequence[str], pos: Sequence[str]) -> list[str]:
    """The lexeme of each of n terms: its lemma (perhaps ""), else that of a term of the group with a common word."""
    names: list[str] = [""] * len(terms)
    for group in dict.fromkeys(groups):
        open_sets: list[tuple[str, set[str]]] = []
        for number in (i for i, name in enumerate(groups) if name == group):
            if lemmas[number]:
                names[number] = lemmas[number].casefold()
            elif pos[number] in ("name", "place") or _NUMBERED.search(terms[number]):
                names[number] = terms[number].casefold()
            else:
                names[number] = _join(open_sets, terms[number])
    return names


def holds_lemma(term: str, lemma: str) -> bool:
    """Whether a term holds every content word of a lemma, inflections included."""
    return all(any(_same(word, stem) for stem in _stems(term)) for word in map(_stem, _content(lemma)))


def _join(open_sets: list[tuple[str, set[str]]], term: str) -> str:
    """The lexeme of a term: the first one that shares a stem with it, else a new one."""
    stems = _stems(term)
    for name, stems_of_name in open_sets:
        if any(_same(stem, other) for stem in stems for other in stems_of_name):
            stems_of_name |= stems
            return name
    open_sets.append((term.casefold(), stems))
    return term.casefold()


def _stems(term: str) -> set[str]:
    """The content words of a term (all its words where it has none) and the whole term, without endings."""
    return {_stem(word) for word in [*_content(term), "".join(re.findall(r"[^\W_]+", term.casefold()))]}


def _content(term: str) -> list[str]:
    words = re.findall(r"[^\W_]+", term.casefold())
    return [word for word in words if word not in _HEADS] or words


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _same(stem: str, other: str) -> bool:
    """Equal stems, or one of at least four letters that the other begins with."""
    short, long = sorted((stem, other), key=len)
    return short == long or (len(short) >= 4 and long.startswith(short))

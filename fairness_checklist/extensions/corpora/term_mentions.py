"""Which identity terms each text mentions, as whole words, in any case, with any white space between words."""

import re
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fairness_checklist.core.arrays import BoolArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import names
from fairness_checklist.core.progress import progress_bar
from fairness_checklist.extensions.rewriting.perturb.senses import head_of, idioms, subject_is_person
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    BE,
    COMMUNITIES,
    MODIFIERS,
    THINGS,
    TokenisedText,
    is_person,
    tokenize,
    word_lists,
    word_set,
)

LISTS = word_lists(Path(__file__).with_name("words.toml"))
AMBIGUOUS = LISTS["ambiguous"]
"""Words with another common sense: a colour, a language, a dish, a direction, an age of things."""

_GROUP_NOUNS = LISTS["group_nouns"]
_AFTER_LIST = frozenset({"and", "or", "nor", "&", "/", ","})
_LINK = BE | word_set("'m 're im am")
_I_AM = word_set("i'm im you're we're they're ur am 'm")
_BEFORE_ADJECTIVE = word_set("not also both n't so too a")
_CLOSING = word_set("and or but because so if when who which that than like too as though then lol not")
_AFTER_THE = BE | word_set("have had will would can could do did and or")
_BATCH = 4096
_IN_WORD = re.compile(r"\w")
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
_PERSON_ENDING = re.compile(r".{3}(?:icians?|graphers?|ologists?|makers?|goers?|[^l]ists?)")
_AGAINST = word_set("pro anti")


@checks_keywords
def mentioned_terms(
    texts: Sequence[str],
    terms: Sequence[str],
    *,
    senses: bool = False,
    forms: Mapping[str, Sequence[str]] | None = None,
) -> BoolArray:
    """Which terms each text mentions.

    Args:
        texts: n texts.
        terms: T different terms, of one word or more.
        senses: whether the words of `AMBIGUOUS` count only where a person is described ("a black woman", "he is
            straight", "the blind"). By default they always count, as in Dixon et al. 2018.
        forms: for a term its further forms, which count as the term: ``{"woman": ["women"]}``; `term_forms` lists those
            of shipped terms. By default a term counts only as it is written.

    Returns:
        (n, T) array. A longer term does not hide a shorter one inside it: "African American" mentions "African", too.

    Raises:
        OptionError: terms that are empty or occur twice, forms of a word that is no term, or texts that are no strings.

    >>> mentioned_terms(["A gay man.", "Straight on, then left", "STRAIGHT people"], ["gay", "straight"]).tolist()
    [[True, False], [False, True], [False, True]]
    >>> mentioned_terms(["Straight on, then left", "STRAIGHT people"], ["straight"], senses=True).tolist()
    [[False], [True]]
    >>> mentioned_terms(["Two women"], ["woman"]).tolist(), mentioned_terms(
    ...     ["Two women"], ["woman"], forms={"woman": ["women"]}).tolist()
    ([[False]], [[True]])
    """
    check_texts(texts)
    finder = MentionFinder(terms, senses=senses, forms=forms)
    held = np.zeros((len(texts), len(terms)), dtype=np.bool_)
    with progress_bar(len(texts), "terms in texts", "texts") as advance:
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            rows, found = finder.find(batch)
            held[start + rows, found] = True
            advance(len(batch))
    return held


def check_texts(texts: Sequence[object]) -> None:
    """`OptionError` unless all texts are strings."""
    if not all(isinstance(text, str) for text in texts):
        raise OptionError("texts= must be strings, one a text.", remedy='Drop empty rows, or write [""] for them.')


class MentionFinder:
    """Finds terms in batches of texts, all terms in one pass over the words of a text; see `mentioned_terms`."""

    def __init__(
        self, terms: Sequence[str], *, senses: bool = False, forms: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        wanted = [_folded(term) for term in terms]
        if not wanted or "" in wanted or len(set(wanted)) < len(wanted):
            raise OptionError(
                f"terms= has {len(wanted)} terms of which {len(set(wanted) - {''})} are different and not empty.",
                remedy='Give each term once: terms=["gay", "middle eastern"].',
            )
        filtered = AMBIGUOUS if senses else frozenset()
        terms_of_form: dict[str, list[int]] = {}
        for form, position in _spelt(wanted, forms or {}):
            terms_of_form.setdefault(form, []).append(position)
        self.width = len(wanted)
        self._by_first_word: dict[str, list[tuple[str, bool, list[int]]]] = {}
        for form, positions in terms_of_form.items():
            first = _WORD_OR_SIGN.findall(form)[0]
            self._by_first_word.setdefault(first, []).append((form, form in filtered, positions))

    def find(self, texts: Sequence[str]) -> tuple[IntArray, IntArray]:
        """(M,) the rows of the texts that mention a term, ascending, and (M,) the terms; each pair once."""
        rows, terms = array("q"), array("q")
        for row, text in enumerate(texts):
            folded = text.casefold()
            mentioned = self._in_text(text, " ".join(folded.split()).replace("\u2019", "'"), len(folded) == len(text))
            rows.extend([row] * len(mentioned))
            terms.extend(mentioned)
        return np.array(rows, dtype=np.int64), np.array(terms, dtype=np.int64)

    def _in_text(self, text: str, folded: str, readable: bool) -> set[int]:
        """The terms of one text; ``readable`` where the text has as many characters as it has folded."""
        mentioned: set[int] = set()
        reading: TokenisedText | None = None
        judged: dict[str, bool] = {}
        for word in _WORD_OR_SIGN.finditer(folded):
            for form, filtered, positions in self._by_first_word.get(word.group(), ()):
                start, end = word.start(), word.start() + len(form)
                beside = (folded[start - 1 : start], folded[end : end + 1])
                if not folded.startswith(form, start) or any(map(_IN_WORD.match, beside)):
                    continue
                if filtered and readable and not mentioned.issuperset(positions):
                    if form not in judged:
                        reading = reading or tokenize(text)
                        judged[form] = _describes_person(reading, form)
                    if not judged[form]:
                        continue
                mentioned.update(positions)
        return mentioned


def _folded(term: object) -> str:
    return " ".join(str(term).split()).casefold().replace("\u2019", "'")


def _spelt(terms: Sequence[str], forms: Mapping[str, Sequence[str]]) -> list[tuple[str, int]]:
    """Each way of writing a term, with the term's position."""
    position = {term: t for t, term in enumerate(terms)}
    spelt = list(position.items())
    for term, several in forms.items():
        if _folded(term) not in position:
            raise OptionError(
                f"forms= has the term {term!r}, which is not among terms=.", remedy="Add it, or remove it."
            )
        more = dict.fromkeys(_folded(form) for form in names("forms", several, empty=True))
        spelt += [(form, position[_folded(term)]) for form in more if form and form not in position]
    return spelt


def _describes_person(reading: TokenisedText, term: str) -> bool:
    """Whether any occurrence of an ambiguous term describes a person."""
    parts = term.split()
    phrases = idioms(reading.text)
    for first in range(len(reading.tokens)):
        last = first + len(parts)
        if [reading.lower(i) for i in range(first, last)] != parts:
            continue
        start, end = reading.at(first).start, reading.at(last - 1).end
        if not any(a < end and start < b for a, b in phrases) and _is_of_person(reading, first, last, parts[-1]):
            return True
    return False


def _is_of_person(reading: TokenisedText, first: int, last: int, adjective: str) -> bool:
    before, after = reading.lower(first - 1), reading.lower(last)
    if before in _AGAINST or (before == "-" and reading.lower(first - 2) in _AGAINST):
        return False
    if head_of(reading, last, adjective, things=False) >= 0 or _people_follow(reading, last, adjective):
        return True
    if adjective != "straight" and LISTS["insults"] & {after, reading.lower(last + 1) if after in MODIFIERS else after}:
        return True  # an insult is said to a person, and a corpus of insults must not lose them
    if after in _AFTER_LIST and _listed_person(reading, last, adjective):
        return True
    back = reading.past_adverbs(first - 1, frozenset(), -1)
    grown = reading.lower(back) == "up" and reading.lower(back - 1).startswith("gr")
    if (reading.lower(back) in LISTS["being"] or grown) and (after in BE or _ends(reading, last)):
        return True
    bare = not reading.at(last).is_word or after in _AFTER_THE
    if bare and reading.lower(back) == "the" and adjective in LISTS["the"]:
        return True
    if not _ends(reading, last) or before == "the":
        return False
    if before in {"went", "go", "goes", "going"}:
        return adjective in {"blind", "deaf"}
    copula = reading.past_adverbs(first - 1, _BEFORE_ADJECTIVE, -1)
    if reading.lower(copula) in _I_AM:
        return True
    if reading.lower(copula) in {"he", "she", "you", "they", "we", "i"}:
        return reading.lower(copula - 1) in BE
    return reading.lower(copula) in _LINK and subject_is_person(reading, copula, things=False)


def _people_follow(reading: TokenisedText, last: int, adjective: str) -> bool:
    """A noun for people, at most two adjectives later: "German Jewish refugees", "Native Americans"."""
    if adjective == "straight":
        return False
    if adjective == "native" and reading.lower(last) in {"american", "americans"}:
        return True
    for place in range(last, last + 3):
        word = reading.lower(place)
        if not reading.at(place).is_word:
            return place > last and reading.lower(place - 1) == "american"
        if word in LISTS["people"] or word in _GROUP_NOUNS or _PERSON_ENDING.fullmatch(word):
            return reading.lower(place + 1) not in THINGS
        if not (word in MODIFIERS or word in AMBIGUOUS or word == "jewish"):
            return False
    return False


def _ends(reading: TokenisedText, last: int) -> bool:
    """Whether the adjective ends its clause: no noun or particle follows that changes its sense."""
    return not reading.at(last).is_word or reading.lower(last) in _CLOSING


def _listed_person(reading: TokenisedText, last: int, adjective: str) -> bool:
    """A list of adjectives before a person: "black and white people", "gay, straight or bisexual men"."""
    place = last
    for _ in range(4):
        while reading.lower(place) in _AFTER_LIST:
            place += 1
        word = reading.lower(place)
        if is_person(word) or word in COMMUNITIES or word in _GROUP_NOUNS:
            return True
        if not reading.at(place).is_word:
            return False
        if head_of(reading, place + 1, word, things=False) >= 0:
            return word in AMBIGUOUS or word != adjective
        place += 1
        if reading.lower(place) not in _AFTER_LIST:
            return False
    return False

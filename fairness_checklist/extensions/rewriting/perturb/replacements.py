"""Names, places and numbers in a text, replaced by others of their kind."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import cycle, islice

import numpy as np

from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.term_files import last_names, load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.locations import data_files
from fairness_checklist.core.option_defaults import SEED, names, whole_number
from fairness_checklist.extensions.rewriting.perturb.mentions import Mention, find_terms
from fairness_checklist.extensions.rewriting.perturb.perturbations import Replaced, generator, pick, text_of
from fairness_checklist.extensions.rewriting.perturb.rewriting import Edit, apply_edits, article_edits, replace_mention
from fairness_checklist.extensions.rewriting.perturb.senses import is_name
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    FUNCTION,
    TIMES,
    Index,
    TokenisedText,
    build_index,
    is_verb,
    tokenize,
    word_set,
)

Several = list[str] | tuple[list[str], list[Replaced]] | None

_NAME_SETS = ("names.asian_pacific", "names.gender_origin", "names.origin", "names.control_words", "names")
_COMMON = 100  # last names that others are replaced by: the most frequent ones
_WRITTEN = {"she": "female", "he": "male", "they": "unisex"}


def _files() -> tuple[tuple[str, int], ...]:
    """The files of terms and when they were changed: what is read from them is kept until one changes."""
    return tuple((str(path), path.stat().st_mtime_ns) for path in data_files("identity_terms"))


@lru_cache(maxsize=2)
def _first_names(_files: tuple[tuple[str, int], ...]) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The gender of each listed first name, unisex if it has several, and the names that replace each gender."""
    lists = [load_terms(attribute) for attribute in _NAME_SETS]
    gender: dict[str, str] = {}
    for term in (term for terms in lists for term in terms.terms if term.pronouns in _WRITTEN):
        of_term = _WRITTEN[term.pronouns]
        gender[term.term] = of_term if gender.get(term.term, of_term) == of_term else "unisex"
    pool: dict[str, list[str]] = {of_term: [] for of_term in _WRITTEN.values()}
    for term in lists[-1].select().terms:
        if term.group in pool and gender.get(term.term) == term.group:
            pool[term.group].append(term.term)
    return gender, pool


@checks_keywords
def change_names(
    text: object,
    *,
    meta: bool = False,
    n: int = 10,
    first_only: bool = False,
    last_only: bool = False,
    seed: int = SEED,
) -> Several:
    """Replace names of persons: first names by others of the same gender, full names by a first and a last name.

    First names are those of the lists ``names`` (``identity_terms/``), last names the 7,500 most frequent ones of the
    United States, written with a capital, where the context is a person's: "Will you come?" has none. A name is
    replaced wherever it occurs, or nowhere; its origin and age are not kept.

    Args:
        text: a string, or an object with one as ``text``.
        meta: also give what was replaced: texts, and for each the pair (old, new).
        n: at most so many texts, each with one name replaced; None where no name is.
        first_only: of a full name replace the first name only; the last name may be any word with a capital.
        last_only: replace the last names of full names only; `OptionError` with ``first_only``.
        seed: of the draw; see `perturb`.

    >>> texts, replaced = change_names("Amanda Keen lost her keys.", n=2, meta=True)
    >>> [old for old, new in replaced], texts == [f"{new} lost her keys." for old, new in replaced]
    (['Amanda Keen', 'Amanda Keen'], True)
    """
    original = text_of(text, "change_names")
    n = whole_number("n", n)
    if last_only and first_only:
        raise OptionError(
            "first_only=True and last_only=True exclude each other.", remedy="Give one of them; neither for both names."
        )
    random = generator(seed, original)
    (gender, names_of), reading = _first_names(_files()), tokenize(original)
    places_of: dict[str, list[int]] = {}
    for place, token in enumerate(reading.tokens):
        name = token.text.capitalize() if reading.all_capitals else token.text
        if name in gender:
            places_of.setdefault(name, []).append(place)
    pairs: list[tuple[str, Replaced]] = []
    words = {token.text.capitalize() for token in reading.tokens}
    for name, places in places_of.items():
        found = [_last_name(reading, place, any_word=first_only) for place in places]
        last = max(filter(None, found), default="")
        if None in found or len({*found, "", last}) > 2 or (last_only and not last):
            continue  # no person's name, two persons, or no last name
        full = [place + 1 for place, surname in zip(places, found, strict=True) if surname and not first_only]
        if full and sum(token.text == last for token in reading.tokens) > len(full):
            continue
        pool = [other for other in names_of[gender[name]] if other not in places_of]
        firsts = [pool[place] for place in random.permutation(len(pool))[:n].tolist()]
        lasts = [other for other in last_names()[:_COMMON] if other not in words] if full else []
        lasts = [lasts[place] for place in random.permutation(len(lasts)).tolist()]
        made = zip(firsts, cycle(lasts)) if full else ((new, "") for new in firsts)
        for first, other in ((name, new) for new in lasts[:n]) if last_only else made:
            edits = [Edit(reading.at(place).start, reading.at(place).end, reading.spelled(first)) for place in places]
            edits += [Edit(reading.at(place).start, reading.at(place).end, reading.spelled(other)) for place in full]
            both = ((name, first), (last if full else "", other))[last_only:]
            replaced = " ".join(old for old, _ in both if old), " ".join(new for _, new in both if new)
            pairs.append((apply_edits(original, edits)[0], replaced))
    return pick(pairs, n, random, meta)


def _last_name(reading: TokenisedText, place: int, *, any_word: bool) -> str | None:
    """The last name after a first name, "" without one; None where it is no person's name that we know for sure."""
    if reading.at(place).title or is_name(reading, place, place + 1):
        return None if reading.at(place).title else ""
    last = reading.at(place + 1)
    if not (any_word or last.text.capitalize() in last_names()):
        return None
    if not reading.is_name_like(place + 1) or last.lower in TIMES or not last.is_word:
        return None
    if reading.is_name_like(place + 2) and reading.at(place + 2).is_word:
        return None
    alone = TokenisedText(reading.text, reading.tokens[: place + 1] + reading.tokens[place + 2 :], reading.all_capitals)
    return last.text if is_name(alone, place, place + 1) else None


@lru_cache(maxsize=8)
def _place_index(places: tuple[str, ...], _files: tuple[tuple[str, int], ...]) -> Index:
    """The index of some places, or of the countries where there are none."""
    if not places:
        return build_index(load_terms("nationality").select())
    return build_index(TermList("places", tuple(IdentityTerm(name, "places", pos="place") for name in places)))


@checks_keywords
def change_location(
    text: object, *, meta: bool = False, n: int = 10, places: Iterable[str] = (), seed: int = SEED
) -> Several:
    """Replace countries by other countries, and places of a list of yours by others of that list.

    Countries are those of ``identity_terms/nationality.csv``, where the country is meant: "Michael Jordan" and "Bank of
    China" have none. Articles follow: "in France" becomes "in the Gambia". A place is replaced wherever it occurs, or
    nowhere. ``places`` are names of one kind, such as cities. Further arguments and result as of `change_names`.

    >>> len(change_location("We moved to Japan.")), change_location("Michael Jordan won.")
    (10, None)
    >>> change_location("The train to Rome was late.", places=["Rome", "Oslo"], meta=True)
    (['The train to Oslo was late.'], [('Rome', 'Oslo')])
    """
    original = text_of(text, "change_location")
    n = whole_number("n", n)
    listed = names("places", places if isinstance(places, str) else list(places), empty=True)
    random, reading = generator(seed, original), tokenize(original)
    indexes = [_place_index(kind, _files()) for kind in dict.fromkeys(((), listed))]
    return pick([pair for index in indexes for pair in _changed_places(reading, index, n, random)], n, random, meta)


def _changed_places(
    reading: TokenisedText, index: Index, n: int, random: np.random.Generator
) -> Iterator[tuple[str, Replaced]]:
    mentions, unsafe = find_terms(reading, index)
    by_term: dict[IdentityTerm, list[Mention]] = {}
    for mention in mentions:
        by_term.setdefault(mention.term, []).append(mention)
    places = [term for term in index.terms.terms if term.pos == "place"]
    for term, here in by_term.items():
        if term in unsafe or any(mention.form != "place" for mention in here):
            continue
        drawn = (places[number] for number in random.permutation(len(places)).tolist())
        made = (_replaced(reading, here, place) for place in drawn if place not in by_term)
        yield from islice(filter(None, made), n)


def _replaced(reading: TokenisedText, mentions: Sequence[Mention], place: IdentityTerm) -> tuple[str, Replaced] | None:
    """The text with another place in all mentions, None where it does not fit one of them."""
    edits: list[Edit] = []
    for mention in mentions:
        more = replace_mention(reading, mention, place)
        if isinstance(more, Unfit):
            return None
        edits += more
    return apply_edits(reading.text, edits)[0], (mentions[0].term.term, place.term)


_NUMBER = re.compile(
    r"(?<![\w.,:/#@+*^=<>('\u2019\u2013\u2212-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w:/\u2013+*^=])(?![.,-]\d)(?!-[A-Z])"
)
_NOT_COUNTED = word_set("out star stars am pm st x")
_PERCENT = re.compile(r"\s?(?:%|percent|per cent)", re.IGNORECASE)


@checks_keywords
def change_number(text: object, *, meta: bool = False, n: int = 10, seed: int = SEED) -> Several:
    """Replace whole numbers by others within 20 per cent, at least one more or less.

    Numbers change that count the noun after them, or per cent, but for 1, 2 and 4 and what may be a year. A percentage
    of at most 100 stays so. Arguments and result as of `change_names`.

    >>> change_number("We waited 5 hours."), change_number("I bought this 4 you.")
    (['We waited 4 hours.', 'We waited 6 hours.'], None)
    """
    original = text_of(text, "change_number")
    n, random, reading = whole_number("n", n), generator(seed, original), tokenize(original)
    numbers: dict[str, list[re.Match[str]]] = {}
    for number in _NUMBER.finditer(original):
        numbers.setdefault(number.group(), []).append(number)
    pairs: list[tuple[str, Replaced]] = []
    for old, places in numbers.items():
        value = int(old.replace(",", ""))
        may_be_year = 1900 <= value <= 2099 and "," not in old
        if value < 3 or value == 4 or old[0] == "0" or may_be_year:
            continue
        if not all(_is_quantity(reading, number) for number in places):
            continue
        reach = max(1, value // 5)
        percentage = value <= 100 and any(_PERCENT.match(original, number.end()) for number in places)
        most = min(value + reach, 100) if percentage else value + reach
        new = [other for other in range(max(2, value - reach), most + 1) if other != value]
        for drawn in random.permutation(len(new))[:n].tolist():
            written = f"{new[drawn]:,}" if "," in old else str(new[drawn])
            edits = [Edit(number.start(), number.end(), written) for number in places]
            edits += [
                edit
                for number in places
                for edit in article_edits(reading, _token_at(reading, number.start()), written)
            ]
            pairs.append((apply_edits(original, edits)[0], (old, written)))
    return pick(pairs, n, random, meta)


def _token_at(reading: TokenisedText, start: int) -> int:
    return next(place for place, token in enumerate(reading.tokens) if token.start <= start < token.end)


def _is_quantity(reading: TokenisedText, number: re.Match[str]) -> bool:
    """Whether a number counts what follows: a noun in small letters, or %; no part of a name, a range or a date."""
    place, last = _token_at(reading, number.start()), _token_at(reading, number.end() - 1)
    before, after = reading.at(place - 1), reading.at(last + 1)
    counted = after.text.isalpha() and after.text.islower() and after.lower not in FUNCTION | TIMES | _NOT_COUNTED
    return (
        (counted or after.text == "%" or number.end() < reading.at(last).end)
        and not (before.title or reading.at(place).title)
        and not before.text[:1].isdigit()
        and before.lower not in TIMES | {"to", "-", "\u2013", "of", "no", "number", "#"}
        and (not before.capital or (before.first and (before.lower in FUNCTION or is_verb(before.lower))))
    )

"""Which words of a text mention an identity: each form of each term, kept where the words around it are safe."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.examples import TermSpans as Spans
from fairness_checklist.core.tagging import words
from fairness_checklist.extensions.rewriting.perturb.senses import (
    ONE_SEX,
    Pronoun,
    head_of,
    idioms,
    implies_one_sex,
    is_name,
    is_place,
    may_be_name,
    pronouns_of,
    subject_is_person,
    unsafe_reason,
)
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    BE,
    CONTEXT,
    DETERMINERS,
    FUNCTION,
    GENDERED,
    KIN,
    LISTS,
    NO_NAMES,
    POSSESSIVES,
    Form,
    Index,
    Surface,
    TokenisedText,
    is_person,
    may_describe,
    may_follow_noun,
    tokenize,
    word_set,
)

_NUMBERS = word_set("two three four five six seven eight nine ten several many both few most")
_ONE = frozenset({"a", "an", "this", "that", "every", "each", "another", "one", "no"})
_SHE_OR_HE_WORDS = word_set("she he her him hers his herself himself")
_AS = frozenset({"identify", "identifies", "identified", "identifying"})
_BEFORE_NO_PLURAL = (_ONE - {"no"}) | word_set("you hey hi we us go ok thanks sorry oh well yes") | LISTS["compounds"]
_BEFORE_ADJECTIVE = word_set("not also still both n't now")


@dataclass(frozen=True)
class Mention:
    """Where a text mentions an identity, and how; articles are left out."""

    start: int  # start, end: in characters
    end: int
    first: int  # first, last: in tokens, the last not included
    last: int
    term: IdentityTerm  # that of a pronoun alone has the pronoun as its name
    form: Form


def find_terms(reading: TokenisedText, index: Index) -> tuple[list[Mention], list[IdentityTerm]]:
    """The mentions of terms in a text, pronouns separately, and the terms that occur in it without being a mention."""
    phrases = idioms(reading.text)
    mentions: list[Mention] = []
    left: list[IdentityTerm] = []
    for place, fitting in _forms_in(reading, index):
        mention = next(_mentions_at(reading, place, fitting, index), None)
        if mention is None or reading.at(place).title or any(a < mention.end and mention.start < b for a, b in phrases):
            left += [surface.term for surface in fitting if reading.at(place).capital or surface.form != "name"]
        else:
            mentions.append(mention)
    return mentions, left


def _forms_in(reading: TokenisedText, index: Index) -> Iterator[tuple[int, list[Surface]]]:
    """Where the words of forms are, in any case, with the longest: "trans woman" holds no "woman"."""
    place, small = 0, tuple(token.lower for token in reading.tokens)
    while place < len(small):
        forms = index.by_word.get(small[place], ())
        fitting = [form for form in forms if small[place : place + len(form.words)] == form.words]
        if fitting:
            yield place, [form for form in fitting if len(form.words) == len(fitting[0].words)]
        place += len(fitting[0].words) if fitting else 1


def all_mentions(reading: TokenisedText, index: Index, ambiguous: Collection[str]) -> tuple[Mention, ...]:
    """Every form in any case; of ``ambiguous`` words only those that are a mention for sure, where there are any."""
    found = {mention.first: mention for mention in find_terms(reading, index)[0]}
    sure = bool(found)
    for place, fitting in _forms_in(reading, index):
        last = place + len(fitting[0].words)
        before_noun = reading.at(last).is_word and not may_follow_noun(reading.lower(last))
        surface = min(fitting, key=lambda form: (form.form == "adjective") != before_noun)
        if place not in found and not (sure and " ".join(surface.words) in ambiguous):
            form = "singular" if surface.form == "plural" and reading.lower(last) == "'s" else surface.form  # women's
            found[place] = Mention(reading.at(place).start, reading.at(last - 1).end, place, last, surface.term, form)
    return tuple(found[place] for place in sorted(found))


def _mentions_at(reading: TokenisedText, place: int, fitting: Sequence[Surface], index: Index) -> Iterator[Mention]:
    for surface in fitting:
        last = place + len(surface.words)
        form = None if surface.words in index.shared else _form_at(reading, place, last, surface, index)
        if form is not None:
            start, end = reading.at(place).start, reading.at(last - 1).end
            yield Mention(start, end, first=place, last=last, term=surface.term, form=form)


def _form_at(reading: TokenisedText, place: int, last: int, surface: Surface, index: Index) -> Form | None:
    """The mention of a term at this place, or None if the word has another sense or is ambiguous."""
    if surface.form == "name":
        return "name" if is_name(reading, place, last) else None
    if surface.form in {"place", "faith"}:
        return surface.form if is_place(reading, place, last, surface) else None
    if surface.form == "adjective":
        return _adjective_at(reading, place, last, surface, index)
    if surface.form == "phrase":
        return "phrase" if is_person(reading.lower(place - 1)) or reading.lower(place - 1) == "those" else None
    capital_inside = reading.is_name_like(place) and not surface.capital and not reading.at(place).first
    if capital_inside or (reading.is_name_like(place - 1) and not reading.at(place - 1).first):
        return None
    if reading.is_name_like(last) and reading.at(last).is_word:
        return None
    if surface.capital and not (reading.at(place).capital or reading.all_small):
        return None
    is_noun = _is_plural if surface.form == "plural" else _is_singular
    return surface.form if is_noun(reading, place, last, surface) else None


def _adjective_at(reading: TokenisedText, place: int, last: int, surface: Surface, index: Index) -> Form | None:
    token, before = reading.at(place), reading.at(place - 1)
    country = surface.term.pos == "place"
    if (
        (country and not token.capital)
        or (not surface.capital and token.capital and not token.first and not reading.all_capitals and place != 0)
        or (before.is_word and not may_describe(before.lower))
        or (before.is_word and reading.is_name_like(place - 1) and not before.first)
        # "gay and lesbian parents": the terms refer to different people
        or (before.lower in {"and", "or", ",", "/", "&"} and _is_listed(reading, place - 2, index))
        or before.lower in {"year", "years", "month", "months", "week", "weeks"}
        # a hearing person, but: tired of hearing people say so
        or (surface.words[-1].endswith("ing") and before.lower not in DETERMINERS)
    ):
        return None
    if head_of(reading, last, surface.words[-1], things=country) >= 0:
        return "adjective"
    return "predicate" if _is_predicate(reading, place, last, country) else None


def _is_listed(reading: TokenisedText, place: int, index: Index) -> bool:
    """Whether a word is an adjective of the same attribute, in a list such as "black, white and Asian"."""
    place = place - 1 if reading.lower(place) == "," else place
    forms = index.by_word.get(reading.lower(place), ())
    return any(form.form == "adjective" and len(form.words) == 1 for form in forms)


def _is_predicate(reading: TokenisedText, place: int, last: int, country: bool) -> bool:
    following = reading.at(last)
    if following.is_word and following.lower not in LISTS["ends_predicate"]:
        return False
    if following.lower == "and" and reading.at(last + 1).is_word and reading.lower(last + 1) not in FUNCTION:
        return False
    copula = reading.past_adverbs(place - 1, _BEFORE_ADJECTIVE, -1)
    if reading.lower(copula) == "as":
        return reading.lower(copula - 1) in _AS
    if reading.lower(copula) not in BE:
        return False
    if reading.lower(copula) in {"been", "be", "being"}:
        copula -= 1
    return subject_is_person(reading, copula, things=country)


def _is_plural(reading: TokenisedText, place: int, last: int, surface: Surface) -> bool:
    """Of one word: no possessive ("women's room"), no address ("you guys"), no part of a compound."""
    before, after = reading.lower(place - 1), reading.at(last)
    if surface.words == ("guys",) or before in _BEFORE_NO_PLURAL or not may_describe(before, noun=True):
        return False
    if after.lower == "'s" or (after.lower == "'" and after.start == reading.at(last - 1).end):
        return False
    return not after.is_word or may_follow_noun(after.lower)


def _is_singular(reading: TokenisedText, place: int, last: int, surface: Surface) -> bool:
    """With a determiner before it, and no word after it that forms a compound."""
    after = reading.at(last)
    single_word = len(surface.words) == 1
    compound = after.is_word and after.lower != "'s" and not may_follow_noun(after.lower)
    if compound and not _is_verb_of_one(reading, place, after.lower):
        return False
    before = reading.lower(place - 1)
    if (single_word and before in LISTS["compounds"] | LISTS["verbs"] | {"to"}) or not may_describe(before):
        return False
    for back in range(place - 1, max(place - 5, -1), -1):
        token = reading.at(back)
        if token.lower in DETERMINERS:
            if token.lower in _NUMBERS or (token.lower == "'s" and reading.lower(back - 1) in FUNCTION):
                return False  # a two man tent; where's man
            if token.lower == "one" and reading.at(back - 1).is_word and reading.lower(back - 1) not in FUNCTION:
                return False  # good one man
            private = single_word and not surface.capital and token.lower in POSSESSIVES
            language = surface.capital and token.lower in POSSESSIVES  # my Russian is weak
            return not language and (not private or surface.words[0] in KIN)
        if not token.is_word or token.lower in FUNCTION or reading.is_name_like(back):
            return False
    return False


def _is_verb_of_one(reading: TokenisedText, place: int, word: str) -> bool:
    """Whether a word in -s after a noun is its verb: "a boy sings", "my mother cooks", not "the girl scouts"."""
    before = reading.lower(place - 1)
    alone = before in _ONE or (before in POSSESSIVES and reading.lower(place) in KIN)
    return alone and word.endswith("s") and not word.endswith(("ss", "us")) and not is_person(word)


NO_MENTION = "it mentions no term unambiguously"


@dataclass(frozen=True)
class Mentions:
    """The mentions of a text in order, bound pronouns among them, and all its pronouns."""

    reading: TokenisedText
    mentions: tuple[Mention, ...]
    pronouns: tuple[Pronoun, ...]
    pronouns_only: bool = False  # whether pronouns are its only mention
    reason: str = ""  # why the text is no source, "" where it is one
    attribute: str = ""  # that of the terms where they are of several groups

    @property
    def of_term(self) -> tuple[Mention, ...]:
        """The mentions that name the term; the pronouns where nothing else does."""
        return tuple(mention for mention in self.mentions if self.pronouns_only or mention.form != "pronoun")

    @property
    def spans(self) -> Spans:
        return tuple((mention.start, mention.end) for mention in self.of_term)

    @property
    def term(self) -> IdentityTerm:
        """The term that is mentioned; only where there is no reason against the text."""
        return self.mentions[0].term if self.pronouns_only else self.of_term[0].term


_SHE_OR_HE = re.compile(r"(?<![^\W_])(?:s?he|hers?|him|his|(?:her|him)self)(?![^\W_])", re.IGNORECASE)


def _may_mention(text: str, index: Index) -> bool:
    """Whether a text has the words of a term, or a pronoun that can stand for a group: fast, as most have none."""
    if index.subjects and _SHE_OR_HE.search(text):
        return True
    spelt = {text[start:end].lower().replace("\u2019", "'") for start, end in words(text)}
    return any(spelt.issuperset(form.words) for word in spelt & index.by_word.keys() for form in index.by_word[word])


def find_mentions(text: str, index: Index) -> Mentions:
    """The mentions of an attribute's terms in a text, or of a pronoun alone where a group is called by it."""
    if not _may_mention(text, index):
        return Mentions(TokenisedText(text, (), all_capitals=False), (), (), reason=NO_MENTION)
    reading = tokenize(text)
    mentions, left = find_terms(reading, index)
    pronouns = tuple(pronouns_of(reading))
    if not mentions:
        found = _pronouns_only(reading, pronouns, index)
        return replace(found, reason=found.reason or _doubt(reading, found.mentions, left, index))
    term, names = mentions[0].term, {mention.term.term for mention in mentions}
    groups = tuple(dict.fromkeys(mention.term.group for mention in mentions))
    reason = f"it has several terms of the group {term.group!r}" if len(names) > 1 else ""
    reason = f"it mentions several groups: {', '.join(groups)}" if len(groups) > 1 else reason
    if not reason and term.pos != "adj" and term in left:
        reason = "its term occurs twice, once in an ambiguous context"
    bound: list[Mention] = []
    if term.pronouns and not reason and any(mention.form != "plural" for mention in mentions):
        subject = term.pronouns.partition("/")[0]
        same = [pronoun for pronoun in pronouns if pronoun.pronoun == subject] if subject in {"she", "he"} else []
        taken = [(mention.first, mention.last) for mention in mentions]
        if same and not unsafe_reason(reading, taken, same, subject):
            bound = [_mention(reading, pronoun, term) for pronoun in same if pronoun.form]
        reason = ONE_SEX if implies_one_sex(text) else ""
    ordered = tuple(sorted([*mentions, *bound], key=lambda mention: mention.start))
    reason = reason or _doubt(reading, ordered, left, index)
    attribute = index.terms.base_attribute if len(index.terms.groups) > 1 else ""
    return Mentions(reading, ordered, pronouns, reason=reason, attribute=attribute)


_LONG = 12  # tokens
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")


def _doubt(reading: TokenisedText, mentions: Sequence[Mention], left: Sequence[IdentityTerm], index: Index) -> str:
    """Why more than the mention may be about the group; "" where nothing is, and where there is but one group."""
    named = [mention for mention in mentions if mention.form != "pronoun"]
    if len(index.terms.groups) == 1 or any(mention.form == "name" for mention in mentions):
        return ""
    spelling = reading.tokens[mentions[0].first].lower
    if left or len(named) > 1 or (len(spelling) > 3 and named and reading.text.lower().count(spelling) > 1):
        return "it may mention the attribute twice"
    term = mentions[0].term
    if term.may_hurt or (term.pos != "place" and term.has_flag("ambiguous")):
        return "its term may hurt or has another sense"
    gender = index.terms.base_attribute == "gender"
    if len(reading.tokens) > _LONG and (reading.all_capitals or (gender and reading.all_small)):
        return "its letters do not tell what is a name"
    if _FLAG.search(reading.text):
        return "it has a flag"
    taken = {place for mention in mentions for place in range(mention.first, mention.last)}
    of_group = _of_one_group(index.terms.base_attribute)
    for place, token in enumerate(reading.tokens):
        if place in taken or not token.is_word:
            continue
        word = token.lower.partition("'")[0] if token.text != "miss" else ""
        year = word[:1].isdigit() and (index.terms.base_attribute == "age" or (len(word) == 4 and not gender))
        if year or word in of_group or ("-" in word and not of_group.isdisjoint(word.split("-"))):
            return "another word in it may hold for one group only"
        if token.capital and not (reading.at(place - 1).text == "[" and reading.at(place + 1).text == "]"):
            inside = not token.first and reading.is_name_like(place) and token.lower not in NO_NAMES
            if inside or (token.first and may_be_name(reading, place)):
                return "it has a name, which may be of one group only"
    return ""


@cache
def _of_one_group(attribute: str) -> frozenset[str]:
    """What may hold for one group only beside a mention, for gender with all words for women and men."""
    of_gender = GENDERED["she"] | GENDERED["he"] if attribute == "gender" else frozenset()
    plural = {f"{word}s" for word in of_gender} | (_SHE_OR_HE_WORDS if of_gender else frozenset())
    return CONTEXT[""] | CONTEXT.get(attribute, frozenset()) | of_gender | plural


def _pronouns_only(reading: TokenisedText, pronouns: tuple[Pronoun, ...], index: Index) -> Mentions:
    """A text with nothing but pronouns: it mentions the group that is called so."""
    seen = tuple(dict.fromkeys(subject for pronoun in pronouns if (subject := pronoun.pronoun) in {"she", "he"}))
    groups = [group for group, word in index.subjects.items() if seen == (word,)]
    same = [pronoun for pronoun in pronouns if seen == (pronoun.pronoun,)]
    unsure = next((pronoun for pronoun in same if not pronoun.form), None)
    if len(seen) > 1 and index.subjects:
        reason = "it has both she and he"
    elif len(groups) != 1:
        reason = NO_MENTION
    elif implies_one_sex(reading.text):
        reason = ONE_SEX
    elif unsure is not None:
        reason = f"{reading.at(unsure.place).text!r} is ambiguous"
    else:
        reason = unsafe_reason(reading, [], same, seen[0])
    if reason:
        return Mentions(reading, (), pronouns, reason=reason)
    term = pronoun_term(seen[0], groups[0])
    return Mentions(reading, tuple(_mention(reading, pronoun, term) for pronoun in same), pronouns, pronouns_only=True)


@cache
def pronoun_term(word: str, group: str) -> IdentityTerm:
    """The term of a text in which a pronoun alone mentions a group."""
    return IdentityTerm(word, group, pos="noun", pronouns=word, note="a pronoun alone")


def _mention(reading: TokenisedText, pronoun: Pronoun, term: IdentityTerm) -> Mention:
    start, place = reading.at(pronoun.place).start, pronoun.place
    return Mention(start, start + len(pronoun.word), first=place, last=place + 1, term=term, form="pronoun")

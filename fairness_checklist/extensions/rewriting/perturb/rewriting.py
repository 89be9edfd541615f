"""A text with another identity: the words of the mention, articles, capitals and pronouns."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fairness_checklist.content.grammar.english_articles import article, pronoun, pronoun_set
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.examples import TermSpans as Spans
from fairness_checklist.extensions.rewriting.perturb.mentions import Mention, Mentions
from fairness_checklist.extensions.rewriting.perturb.senses import ONE_SEX, head_of, implies_one_sex, unsafe_reason
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    AUXILIARIES,
    FUNCTION,
    GENDERED,
    KIN,
    TokenisedText,
    is_verb,
    may_follow_noun,
    person_singular,
    slot_text,
    spell_form,
    word_set,
)


@dataclass(frozen=True)
class Edit:
    """New words for the characters start to end; ``term`` where they name the identity."""

    start: int
    end: int
    text: str
    term: bool = False


def apply_edits(text: str, edits: Iterable[Edit]) -> tuple[str, Spans]:
    """The text with all edits, and where the identity's words are in it."""
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    place = length = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        pieces += [text[place : edit.start], edit.text]
        length += edit.start - place
        if edit.term:
            spans.append((length, length + len(edit.text)))
        length += len(edit.text)
        place = edit.end
    return "".join(pieces) + text[place:], tuple(spans)


def replace_token(reading: TokenisedText, place: int, words: str) -> Edit:
    """Words in place of a token, with its capital."""
    token = reading.at(place)
    return Edit(token.start, token.end, reading.spelled(words, token.capital))


_WHAT = {"name": "name", "place": "country", "faith": "faith"}
_SLOTTED = frozenset({"is", "was", "am"})


def replace_mention(reading: TokenisedText, mention: Mention, target: IdentityTerm) -> list[Edit] | Unfit:
    """The edits that put a term where another one is mentioned, or why that is not possible."""
    if mention.form in _WHAT and target.pos != mention.form:
        return Unfit(f"{target.term!r} is no {_WHAT[mention.form]}")
    if mention.form in {"name", "faith"}:
        return _plain(reading, mention, target.term)
    return {"place": _place, "adjective": _adjective, "predicate": _predicate, "phrase": _phrase}.get(
        mention.form, _noun
    )(reading, mention, target)


def _match_capitals(reading: TokenisedText, place: int, words: str) -> str:
    """The words with the capitals of the place where they are inserted, from token ``place``."""
    token = reading.at(place)
    return reading.spelled(words, token.first and token.capital)


_QUOTES = frozenset("`\"'\u201c\u2018*(")


def article_edits(reading: TokenisedText, place: int, words: str) -> list[Edit]:
    """The edit of *a* or *an* before the token ``place`` when the words from ``place`` are replaced."""
    while reading.at(place - 1).text in _QUOTES:
        place -= 1
    before = reading.at(place - 1)
    if before.lower not in {"a", "an"}:
        return []
    fitting = replace_token(reading, place - 1, article(words))
    return [] if fitting.text == before.text else [fitting]


def _plain(reading: TokenisedText, mention: Mention, words: str) -> list[Edit]:
    new = _match_capitals(reading, mention.first, words)
    return [Edit(mention.start, mention.end, new, term=True), *article_edits(reading, mention.first, words)]


def _place(reading: TokenisedText, mention: Mention, target: IdentityTerm) -> list[Edit] | Unfit:
    has, takes = (term.term[:4].lower() == "the " for term in (mention.term, target))
    name = target.term[4:] if takes else target.term
    before = reading.at(mention.first - 1)
    if name.endswith("s") and reading.lower(mention.last) == "'s":
        return Unfit(f"{target.term!r} takes no 's")
    with_article = has and before.lower == "the"
    if takes == with_article:
        return [Edit(mention.start, mention.end, _match_capitals(reading, mention.first, name), term=True)]
    if with_article:
        return [Edit(before.start, mention.end, _match_capitals(reading, mention.first - 1, name), term=True)]
    fits = not before.is_word or before.lower in FUNCTION or is_verb(before.lower) or before.lower.endswith("ing")
    if has or not fits:
        return Unfit(f"{target.term!r} has an article, for which there is no place")
    words = _match_capitals(reading, mention.first, f"the {name}")
    return [Edit(mention.start, mention.start, words[:4]), Edit(mention.start, mention.end, words[4:], term=True)]


def _adjective(reading: TokenisedText, mention: Mention, target: IdentityTerm) -> list[Edit] | Unfit:
    word = spell_form(target, "adjective") or (target.adjective if target.pos == "noun" else "")
    if word:
        return _plain(reading, mention, word)
    if target.pos != "pp":
        written = slot_text(target, "identity.person")
        return written if isinstance(written, Unfit) else Unfit(f"{target.term!r} has no adjective")
    head = head_of(reading, mention.last, reading.lower(mention.last - 1), things=False)
    noun, after = reading.at(head), reading.at(head + 1)
    gendered = any(person_singular(noun.lower) in words for words in GENDERED.values())
    if gendered and "their" in target.term.split():
        return Unfit(f"{target.term!r} has another pronoun than the noun")
    compound = after.lower == "'s" or (after.is_word and not may_follow_noun(after.lower))
    if head != mention.last or not person_singular(noun.lower) or compound:
        return Unfit(f"{target.term!r} cannot follow the noun")
    words = _match_capitals(reading, mention.first, noun.text)
    phrase = reading.spelled(target.term)
    return [
        Edit(mention.start, noun.end, f"{words} "),
        Edit(noun.end, noun.end, phrase, term=True),
        *article_edits(reading, mention.first, noun.text),
    ]


def _predicate(reading: TokenisedText, mention: Mention, target: IdentityTerm) -> list[Edit] | Unfit:
    word = spell_form(target, "adjective") or (target.adjective if target.pos == "noun" else "")
    if word and (target.pos == "adj" or not target.predicate):
        return _plain(reading, mention, word)
    copula = reading.at(mention.first - 1)
    if copula.lower not in _SLOTTED:
        return Unfit(f"{target.term!r} is not an adjective, which alone fits there")
    written = slot_text(target, f"{copula.lower}:identity")
    if isinstance(written, Unfit):
        return written
    text = reading.spelled(written.text)
    return [
        Edit(copula.start, copula.start, text[: written.start]),
        Edit(copula.start, mention.end, text[written.start : written.end], term=True),
    ]


def _phrase(reading: TokenisedText, mention: Mention, target: IdentityTerm) -> list[Edit] | Unfit:
    if target.pos == "pp":
        return [Edit(mention.start, mention.end, target.term, term=True)]
    return Unfit(f"{target.term!r} has no place behind the noun")


def _noun(reading: TokenisedText, mention: Mention, target: IdentityTerm) -> list[Edit] | Unfit:
    current = mention.term
    alike = bool(current.concept) and current.concept == target.concept
    if not alike and (_is_kin(current) or _is_kin(target)):
        return Unfit("one of the two terms is a relative's, and they are no counterparts")
    if not alike and current.has_flag("minor") != target.has_flag("minor"):
        return Unfit("one of the two terms means a minor, and one does not")
    words = spell_form(target, "plural" if mention.form == "plural" else "singular")
    if not words or (target.pos == "place" and mention.form == "singular" and " person" in words):
        return Unfit(f"{target.term!r} makes no noun")
    after = reading.at(mention.last)
    if target.pos == "pp" and after.lower == "'s":
        return Unfit(f"{target.term!r} takes no 's")
    if " who " in words and after.is_word and after.lower not in AUXILIARIES:
        return Unfit(f"{target.term!r} may be followed by a verb or a mark alone")
    return _plain(reading, mention, words)


def _is_kin(term: IdentityTerm) -> bool:
    return term.pos == "noun" and term.term.rpartition(" ")[2].lower() in KIN


_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}
_PLURAL |= {f"{singular}n't": f"{plural}n't" for singular, plural in _PLURAL.items()}
_BETWEEN = word_set("also still never always often just now already even not soon then")
_NO_VERB = word_set("and or but who whom that which to of with for in on at as than")
_MORE_VERBS = frozenset({"and", "or", "but", "then", ","})


def _verb_of_they(reading: TokenisedText, place: int) -> list[Edit] | Unfit:
    """The edit of the verb after a subject that becomes *they*: of an auxiliary alone; other verbs in -s are left."""
    if "'" in reading.lower(place):
        return []  # she'll, she'd
    verb = reading.past_adverbs(place + 1, _BETWEEN)
    word = reading.lower(verb)
    alone = not any(token.lower in _MORE_VERBS for token in reading.tokens[verb + 1 :])
    in_s = word in _PLURAL or (word.endswith("s") and not word.endswith("ss"))
    asks = reading.lower(place - 1) in _PLURAL
    if asks or not reading.at(verb).is_word or word in _NO_VERB or (in_s and not (word in _PLURAL and alone)):
        return Unfit("a verb would have to agree with they")
    return [replace_token(reading, verb, _PLURAL[word])] if in_s else []


_GENDERED = ("she", "he")


_PLAIN = frozenset({"", "plain", "adjective", "noun", "adult", "informal", "polite", "sex adjective"})
_FURTHER = frozenset({"gender", "age", "parental status"})


def _of_other_sex(reading: TokenisedText, target: IdentityTerm) -> bool:
    """Whether a word of the text contradicts a term for women or men alone ("lesbian" in a text with "brother")."""
    other = {"she": "he", "he": "she"}.get(pronoun_set(target.pronouns)[0], "")
    against = GENDERED.get(other, frozenset()) | set(pronoun_set(other) if other else ())
    return any(token.lower in against or token.lower.removesuffix("s") in against for token in reading.tokens)


def _says_more(reading: TokenisedText, current: IdentityTerm, target: IdentityTerm, attribute: str) -> bool:
    """Whether two terms differ in more than the group: gender, age, being a parent, a role, a family or a faith."""
    if current.pos == "name" or current.group == target.group:
        return False
    concepts = [term.concept if term.concept != term.lemma else "" for term in (current, target)]
    also = [_FURTHER.intersection(re.split(", *", term.also)) for term in (current, target)]
    return (
        also[0] != also[1]
        or current.has_flag("minor") != target.has_flag("minor")
        or (concepts[0] != concepts[1] and not _PLAIN.issuperset(concepts))
        or (attribute != "gender" and bool(current.pronouns or _of_other_sex(reading, target)))
    )


@dataclass(frozen=True)
class Rewritten:
    """A text with another identity, and the characters of its words."""

    text: str
    spans: Spans = ()


def rewrite(mentions: Mentions, target: IdentityTerm) -> Rewritten | Unfit:
    """The text with the target in place of the one term that it mentions, or why it is not made."""
    if mentions.reason:
        return Unfit(mentions.reason)
    reading = mentions.reading
    if target == mentions.term:
        return Rewritten(reading.text, mentions.spans)
    edits: list[Edit] = []
    named = (mention for mention in mentions.of_term if mention.form != "pronoun")
    for words in (*(replace_mention(reading, mention, target) for mention in named), _pronouns(mentions, target)):
        if isinstance(words, Unfit):
            return words
        edits += words
    strict = mentions.attribute and not mentions.pronouns_only
    if strict and _says_more(reading, mentions.term, target, mentions.attribute):
        return Unfit(f"{target.term!r} differs in more than the group")
    return Rewritten(*apply_edits(reading.text, edits))


def _pronouns(mentions: Mentions, target: IdentityTerm) -> list[Edit] | Unfit:
    """The edits of the pronouns that go with the mention, or why they are not safe."""
    current, to = (pronoun_set(term.pronouns)[0] for term in (mentions.term, target))
    if current == to or all(mention.form == "plural" for mention in mentions.of_term):
        return []
    seen = {pronoun.pronoun for pronoun in mentions.pronouns} & set(_GENDERED)
    of = current
    if current not in _GENDERED:
        if to not in _GENDERED or seen == {to}:
            return []
        if implies_one_sex(mentions.reading.text):
            return Unfit(ONE_SEX)
        if len(seen) > 1:
            return Unfit("it has both she and he, and one may refer to that person")
        if not seen:
            they = mentions.term.pos == "name" and any(pronoun.pronoun == "they" for pronoun in mentions.pronouns)
            return Unfit("it has they, which may refer to that person") if they else []
        (of,) = seen
    bound = [pronoun for pronoun in mentions.pronouns if pronoun.pronoun == of]
    reading, alone = mentions.reading, mentions.pronouns_only
    taken = [] if alone else [(mention.first, mention.last) for mention in mentions.of_term]
    doubt = unsafe_reason(reading, taken, bound, of)
    if doubt:
        return Unfit(doubt)
    edits: list[Edit] = []
    for old in bound:
        token = reading.at(old.place)
        if not old.form:
            return Unfit(f"{token.text!r} is ambiguous")
        written = reading.spelled(pronoun(target.pronouns, old.form), token.capital)
        edits.append(Edit(token.start, token.start + len(old.word), written, term=alone))
        if to == old.form == "they":
            verb = _verb_of_they(reading, old.place)
            if isinstance(verb, Unfit):
                return verb
            edits += verb
    return edits

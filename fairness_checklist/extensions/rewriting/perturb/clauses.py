"""The finite verb of a sentence, found by rule: where it is not certain, there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fairness_checklist.extensions.rewriting.perturb.replacements import is_known_name
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    DETERMINERS,
    FUNCTION,
    LISTS,
    OF_SENTENCES,
    PREPOSITIONS,
    Tense,
    TokenisedText,
    Verb,
    finite_forms,
    is_adverb,
    is_base,
    is_participle,
    is_person,
    person_singular,
    word_set,
)

BE = word_set("am is are was were")
MODALS = word_set("can could will would shall should may might must ought")
HAVE = word_set("have has had")
DO = word_set("do does did")
FINITE = BE | MODALS | HAVE | DO
SUBJECTS = word_set("i you he she it we they")
POINTING = word_set("this that these those")
_QUANTIFIERS = LISTS["quantifiers"]
_OPENERS = word_set("and but so")
_ASIDES = word_set("well oh overall today yesterday tonight now then however anyway still") | OF_SENTENCES
_BOUNDARIES = word_set("and but or because so although though while whereas if unless when whenever until that")
_RELATIVE = word_set("who whom whose which that what where when how why if whether because although while")
_OBJECTS = word_set("me you him her it us them")
_CLEAR_PREPOSITIONS = PREPOSITIONS - word_set("like since than till until before after past outside inside")
_MAY_BE_CLAUSES = word_set("since after before as until till like than because")
_LINKING = word_set("look seem feel smell taste sound become get stay remain appear")
Subject = Literal["singular", "plural", "unknown"]


@dataclass(frozen=True)
class Finite:
    """The finite verb of a main clause."""

    at: int  # its token; for a contraction with the subject ("I'm"), that of both
    subject_end: int  # the token after the subject; adverbs may stand between it and the verb
    # verb, tense: the verb that is looked up; None for *be*, *have*, *do*, the modals and contractions
    verb: Verb | None = None
    tense: Tense = "base"


def sentences(reading: TokenisedText) -> Iterator[TokenisedText]:
    """The sentences of a text, in order, each with its tokens and the mark at its end."""
    start = 0
    for end, token in enumerate(reading.tokens, start=1):
        closes = token.text in {".", "!", "?", "\u2026"} and reading.at(end).first
        if closes or end == len(reading.tokens):
            yield TokenisedText(reading.text, reading.tokens[start:end], reading.all_capitals)
            start = end


def clause_start(sentence: TokenisedText) -> int:
    """Where the main clause starts, after "But", "Honestly," and "In the end,"; -1 where that is not known."""
    at = 0
    if sentence.lower(at) in _OPENERS:
        at += 1
    word = sentence.lower(at)
    if (word in _ASIDES or is_adverb(word)) and sentence.lower(at + 1) == ",":
        return at + 2
    if word in _CLEAR_PREPOSITIONS - _MAY_BE_CLAUSES:
        words = sentence.words[at + 1 : at + 7]
        comma = words.index(",") if "," in words else -1
        return -1 if comma < 0 or set(words[:comma]) & (FINITE | SUBJECTS | _RELATIVE) else at + 2 + comma
    return at


def find_finite(sentence: TokenisedText, start: int) -> Finite | None:
    """The finite verb of the statement that starts at a token, None where it is not certain."""
    word, following = sentence.lower(start), sentence.lower(start + 1)
    if "'" in word and word.partition("'")[0] in SUBJECTS | {"there", "that"}:
        return Finite(start, start)
    if word in SUBJECTS or (word in POINTING | {"there"} and _is_verb_after(sentence, start + 1)):
        if following == "'s":
            return Finite(start + 1, start + 1)
        verb = sentence.past_adverbs(start + 1)
        if sentence.lower(verb) in FINITE:
            return Finite(verb, start + 1)
        plural = word in {"i", "you", "we", "they", "these", "those"}
        return _lexical(sentence, verb, start + 1, "plural" if plural else "singular")
    return _after_noun(sentence, start)


def _is_verb_after(sentence: TokenisedText, at: int) -> bool:
    """Whether a verb follows *this* or *there*, so that it is the subject alone."""
    word = sentence.lower(sentence.past_adverbs(at))
    return word in FINITE or word == "'s" or any(tense == "third" for _verb, tense in finite_forms(word))


def _lexical(sentence: TokenisedText, at: int, subject_end: int, subject: Subject) -> Finite | None:
    """The verb at a token, where its form fits the subject and leaves no doubt about its tense."""
    forms = finite_forms(sentence.lower(at))
    fitting = [(verb, tense) for verb, tense in forms if tense in {"past", "base" if subject == "plural" else "third"}]
    if len(fitting) != 1 or (subject == "unknown" and len(forms) != 1):
        return None
    return Finite(at, subject_end, *fitting[0])


def _after_noun(sentence: TokenisedText, start: int) -> Finite | None:
    """The verb after a subject with a noun; verbs of relative clauses and participles make it uncertain."""
    first, token = sentence.lower(start), sentence.at(start)
    named = is_known_name(token.text)
    determined = first in DETERMINERS - _QUANTIFIERS - {"'s", "what", "which", "whose"}
    bare = not sentence.asks and token.is_word and first not in FUNCTION and not is_adverb(first)
    opens = determined or named or (bare and not finite_forms(first))
    if not opens or first in _QUANTIFIERS:
        return None
    candidate = -1
    for at in range(start + 1, len(sentence.tokens)):
        word, before = sentence.lower(at), sentence.lower(at - 1)
        just_determined = before in DETERMINERS and before != "'s"
        if word in FINITE:
            if candidate not in (-1, at - 1) or (just_determined and before not in POINTING):
                return None
            if word in MODALS | HAVE | DO and not _is_auxiliary(sentence, at):
                return None
            return Finite(at, at) if first not in {"having", "being"} else None
        if candidate >= 0 and candidate == at - 1:
            if word in SUBJECTS - {"it", "you"} or word in {"that"}:
                break
            if word in (DETERMINERS - {"'s"}) | _OBJECTS:
                if _verb_follows(sentence, at):
                    return None
                break
        if not sentence.at(at).is_word or word in _BOUNDARIES - {"and", "that"} or (word == "and" and candidate >= 0):
            if word == "'s" and candidate < 0:
                continue
            break
        if word in SUBJECTS | _RELATIVE or word.endswith("n't") or "'" in word:
            return None
        if word in DETERMINERS and candidate < 0 and before not in PREPOSITIONS | {"and"}:
            return None
        if _plural_verb(sentence, at):
            return None
        if _may_be_verb(sentence, at) and not just_determined:
            if candidate >= 0:
                return None
            candidate = at
    if candidate < 0 or not (determined or named or _has_object(sentence, candidate)):
        return None
    return _subject_verb(sentence, candidate)


def _has_object(sentence: TokenisedText, at: int) -> bool:
    """Whether an object follows: after a bare noun nothing else shows a verb ("Google makes maps", "Great deals")."""
    following = sentence.lower(at + 1)
    first = sentence.lower(at - 1)
    return following in (DETERMINERS - {"'s"}) | _OBJECTS and not first.endswith("ing") and not is_adverb(first)


def _is_auxiliary(sentence: TokenisedText, at: int) -> bool:
    """Whether *can*, *will*, *have* or *do* after a noun is a verb: another verb or an object follows."""
    word = sentence.lower(at)
    following = sentence.lower(sentence.past_adverbs(at + 1))
    if following in FINITE - {"have", "do"}:
        return False
    if word in HAVE | DO:
        return word in {"has", "had", "does", "did"} or following in DETERMINERS | {"to", "been"}
    return following in {"be", "have"} or is_base(following)


def _plural_verb(sentence: TokenisedText, at: int) -> bool:
    """Whether a verb in the base form follows what may be a plural: the verb of "My weekends seem full"."""
    before = sentence.lower(at - 1)
    plural = before.endswith("s") and not before.endswith(("ss", "'s")) and not _are_persons(before)
    return plural and is_base(sentence.lower(at))


def _may_be_verb(sentence: TokenisedText, at: int) -> bool:
    if sentence.is_name_like(at):
        return False
    tenses = {tense for _verb, tense in finite_forms(sentence.lower(at))}
    return bool(tenses & {"third", "past"}) or (tenses == {"base"} and _are_persons(sentence.lower(at - 1)))


def _are_persons(word: str) -> bool:
    return is_person(word) and person_singular(word) != word


def _verb_follows(sentence: TokenisedText, start: int) -> bool:
    """Whether a finite verb may follow in the clause, so that the one before it can be a participle."""
    for at in range(start, len(sentence.tokens)):
        word = sentence.lower(at)
        if word in _BOUNDARIES or word in _RELATIVE or not sentence.at(at).is_word:
            break
        determined = sentence.lower(at - 1) in DETERMINERS
        if word in FINITE or (not determined and any(tense != "base" for _verb, tense in finite_forms(word))):
            return True
    return False


def _subject_verb(sentence: TokenisedText, at: int) -> Finite | None:
    """The candidate, where its subject and the words after it fit a verb."""
    before = sentence.lower(at - 1)
    persons = _are_persons(before)
    finite = _lexical(sentence, at, at, "plural" if persons else "unknown")
    if finite is None or finite.verb is None:
        return None
    end = sentence.past_adverbs(at + 1)
    after = sentence.lower(end)
    person = persons or is_person(before) or is_known_name(sentence.at(at - 1).text)
    if finite.tense == "past" and is_participle(sentence.lower(at)) and after in PREPOSITIONS | {"to"}:
        alone = person or finite.verb.base in LISTS["intransitive"]
        return finite if alone and not _verb_follows(sentence, at + 1) else None
    plain = not sentence.at(end).is_word or after in FUNCTION or finite.verb.base in _LINKING
    return finite if plain or person or finite.tense == "past" else None

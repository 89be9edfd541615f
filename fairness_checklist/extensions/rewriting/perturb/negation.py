"""Sentences with and without "not": rules on the finite verb, which give nothing where it is not certain."""

from __future__ import annotations

import re

from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.rewriting.perturb.clauses import (
    BE,
    DO,
    HAVE,
    MODALS,
    OF_SENTENCES,
    POINTING,
    SUBJECTS,
    Finite,
    Sentence,
    adverb,
    clause_start,
    find_finite,
    sentences,
)
from fairness_checklist.extensions.rewriting.perturb.perturbations import text_of
from fairness_checklist.extensions.rewriting.perturb.phrases import Edit, apply_edits
from fairness_checklist.extensions.rewriting.perturb.short_forms import read_d, read_s
from fairness_checklist.extensions.rewriting.perturb.surfaces import tokenize
from fairness_checklist.extensions.rewriting.perturb.verbs import finite_forms, is_participle
from fairness_checklist.extensions.rewriting.perturb.vocabulary import DETERMINERS, PREPOSITIONS, PRONOUNS, word_set

NEGATIVE = word_set(
    """
    not no never none nobody nothing nowhere neither nor cannot hardly barely scarcely rarely seldom ain't without yes
    """
)
# Words that do not go with "not", or mean something else beside it.
_POSITIVE = word_set(
    """
    some someone somebody something somewhere somewhat already also still even almost please else pretty either anyway
    only least
    """
)
_NEVER_NEGATED = word_set("hope wish thank welcome please suppose")
_ADJECTIVES = word_set(
    """
    good bad great nice fine ok okay true right wrong real fair safe easy hard normal possible legal free new old worth
    correct fun funny strange weird cheap expensive enough better worse best important necessary useful
    """
)
_GROUPS = word_set("guys all two three both people folks and or")
_SHORT = {word: f"{word}n't" for word in BE | HAVE | DO | {"could", "would", "should"} if word != "am"} | {
    "can": "can't",
    "will": "won't",
}
_PARTICIPLE_ADJECTIVES = word_set(
    """
    tired mixed limited used talented experienced advanced detailed broken hidden frozen fallen lost stolen torn worn
    written spoken known married interested fried boiled packed parked printed marked
    """
)
_NOUNS_AND_VERBS = word_set("work research exercise practice sport business time damage harm good laundry")
_IMPERATIVES = word_set(
    """
    go come tell give bring take put send wait buy visit read write call ask eat drink use keep stop
    try be let make sit stand run walk talk speak listen turn
    """
)
_AFTER_IMPERATIVE = DETERMINERS | PREPOSITIONS | word_set("me him them us it home here there away back again . !")


@checks_keywords
def add_negation(text: object) -> str | None:
    """Negate the first sentence of which the finite verb is certain.

    The verb is *be*, *have*, *do*, a modal, or one of some 500 common verbs, which gets "do not", "does not" or "did
    not". Yes-no questions are negated, too. A sentence stays where it has a negation, a quotation, or a word that does
    not go with "not" (some, already, also), and where a relative clause, a participle or a second verb leaves the verb
    uncertain.

    Args:
        text: a string, or an object with one as ``text``.

    Returns:
        The text with one sentence negated; None where no sentence is.

    >>> add_negation("The food was good."), add_negation("She likes it."), add_negation("Is this good?")
    ('The food was not good.', 'She does not like it.', 'Is this not good?')
    >>> add_negation("Lovely!"), add_negation("I have already seen some of it.")
    (None, None)
    """
    original = text_of(text, "add_negation")
    for sentence in sentences(tokenize(original)):
        edits = _negate(sentence)
        if edits:
            return apply_edits(original, edits)[0]
    return None


def _negate(sentence: Sentence) -> list[Edit]:
    """The edits that negate a sentence; none where that is not safe."""
    words = sentence.words()
    if set(words) & (NEGATIVE | _POSITIVE) or any(word.endswith("n't") or word in '"\u201c\u201d*' for word in words):
        return []
    if [word for word in words if word[:1].isalnum()][-1:] == ["too"]:
        return []
    start = clause_start(sentence)
    rather = words.index("rather") if "rather" in words else 0
    if start < 0 or (rather and words[rather - 1] != "would" and not words[rather - 1].endswith("'d")):
        return []
    if sentence.asks:
        asked = start + 1 if sentence.lower(start) == "why" else start
        if sentence.lower(asked) in BE | MODALS | HAVE | DO:
            return _negate_question(sentence, asked)
    command = _negate_command(sentence, start)
    if command:
        return command
    found = find_finite(sentence, start)
    return [] if found is None or _shares_subject(sentence, found) else _negate_verb(sentence, found)


def _after(sentence: Sentence, at: int, words: str = " not") -> list[Edit]:
    """Words inserted after a token."""
    end = sentence.reading.at(at).end
    return [Edit(end, end, _shout(sentence, words))]


def _instead(sentence: Sentence, at: int, words: str) -> list[Edit]:
    """Words in place of a token, with its capital."""
    token = sentence.reading.at(at)
    words = words[:1].upper() + words[1:] if token.capital else words
    return [Edit(token.start, token.end, _shout(sentence, words))]


def _shout(sentence: Sentence, words: str) -> str:
    return words.upper() if sentence.reading.all_capitals else words


def _negate_question(sentence: Sentence, at: int) -> list[Edit]:
    word, subject, following = (sentence.lower(at + step) for step in range(3))
    if word in HAVE and not any(is_participle(one) for one in sentence.words()[at - sentence.start + 2 :]):
        return []
    alone = subject in SUBJECTS and following not in _GROUPS and "'" not in following
    if subject in POINTING:
        alone = following in _ADJECTIVES | PREPOSITIONS | DETERMINERS | {"?"} or adverb(following)
    if alone:
        return _after(sentence, at + 1)
    return _instead(sentence, at, _SHORT[word]) if word in _SHORT and sentence.is_word(at + 1) else []


def _negate_command(sentence: Sentence, at: int) -> list[Edit]:
    """The edits for "Go home."."""
    word = sentence.lower(at)
    if word not in _IMPERATIVES or sentence.asks:
        return []
    if sentence.lower(at + 1) not in _AFTER_IMPERATIVE and (word != "be" or not sentence.is_word(at + 1)):
        return []
    words = sentence.words()
    if set(words) & {"and", "or", "but"} or "you" in words[:4] or _has_another_verb(words):
        return []
    token = sentence.reading.at(at)
    shown = f"Do not {word}" if token.capital else f"do not {word}"
    return [Edit(token.start, token.end, _shout(sentence, shown))]


def _has_another_verb(words: list[str]) -> bool:
    """Whether an auxiliary has no pronoun before it, so that it is the sentence's ("Wait in line was long")."""
    subjects = PRONOUNS | POINTING | {"there", "what"}
    return any(word in BE | HAVE | DO | MODALS and words[at - 1] not in subjects for at, word in enumerate(words) if at)


def _shares_subject(sentence: Sentence, found: Finite) -> bool:
    """Whether a later verb may have the same subject ("She sings and dances"), which "not" would not reach."""
    for at in range(found.at + 1, sentence.end):
        if sentence.lower(at) in {"and", "or", "but", ",", "then"}:
            other = sentence.lower(sentence.past_adverbs(at + 1))
            if other in BE | HAVE | DO | MODALS or finite_forms(other) or re.fullmatch(r"[a-z]{3,}ed", other):
                return True
    return False


def _negate_verb(sentence: Sentence, found: Finite) -> list[Edit]:
    word = sentence.lower(found.at)
    if found.verb is not None:
        if found.verb.base in _NEVER_NEGATED or (word == "got" and sentence.lower(found.at + 1) == "to"):
            return []
        return _with_do(sentence, found, found.verb.base, found.tense)
    if "'" in word:
        return _negate_contraction(sentence, found.at)
    if word in HAVE:
        return _negate_have(sentence, found)
    if word in DO:
        return _negate_do(sentence, found)
    if word == "can":
        return _instead(sentence, found.at, "cannot")
    rather = word == "would" and sentence.lower(found.at + 1) == "rather"
    return _after(sentence, found.at + 1 if rather else _past_comments(sentence, found.at))


def _past_comments(sentence: Sentence, at: int) -> int:
    """The last of a verb and the adverbs after it that "not" follows ("is probably not")."""
    while sentence.lower(at + 1) in OF_SENTENCES:
        at += 1
    return at


def _with_do(sentence: Sentence, found: Finite, base: str, tense: str) -> list[Edit]:
    """A verb with *do*: before the adverbs in front of it, but after those about the whole statement."""
    auxiliary = {"base": "do", "third": "does", "past": "did"}[tense]
    first = found.subject_end
    while first < found.at and sentence.lower(first) in OF_SENTENCES:
        first += 1
    if first == found.at:
        return _instead(sentence, found.at, f"{auxiliary} not {base}")
    place = sentence.reading.at(first).start
    before = Edit(place, place, _shout(sentence, f"{auxiliary} not "))
    return [before, *_instead(sentence, found.at, base)]


def _negate_contraction(sentence: Sentence, at: int) -> list[Edit]:
    """The edits for "I'm", "they've", "she'll", "he'd" and the 's of "it's"."""
    whole = sentence.reading.at(at).text
    word, _mark, end = sentence.lower(at).partition("'")
    after = [sentence.lower(one) for one in range(at + 1, sentence.end) if sentence.is_word(one)]
    token = sentence.reading.at(at)
    subject = whole[: len(word)]
    following = after[0] if after else ""
    if end in {"m", "re"}:
        return _after(sentence, _past_comments(sentence, at))
    if end == "s" and not word:
        meaning = read_s(sentence.lower(at - 1), after)
        if meaning == "is":
            return _after(sentence, _past_comments(sentence, at))
        return [Edit(token.start, token.end, _shout(sentence, " has not"))] if meaning == "has" else []
    if end == "d":
        meaning = read_d(word, after)
        if following in {"better", "rather"}:
            return _after(sentence, at + 1)
    else:
        meaning = {"ll": "will", "ve": "have"}.get(end, "")
        if meaning == "have" and not is_participle(sentence.lower(sentence.past_adverbs(at + 1))):
            return []
    return [Edit(token.start, token.end, subject + _shout(sentence, f" {meaning} not"))] if meaning else []


def _negate_have(sentence: Sentence, found: Finite) -> list[Edit]:
    """*have* with a participle takes "not", *have* with an object or "to" takes *do*."""
    word, at = sentence.lower(found.at), sentence.past_adverbs(found.at + 1)
    following = sentence.lower(at)
    if following == "better" and word == "had":
        return _after(sentence, at)
    if is_participle(following):
        if following in _PARTICIPLE_ADJECTIVES and sentence.is_word(at + 1):
            return []
        return _after(sentence, _past_comments(sentence, found.at))
    offered = (following, sentence.lower(at + 1)) == ("to", "offer")  # the best that the town has to offer
    if not sentence.is_word(at) or following.endswith(("ed", "en")) or offered:
        return []
    return _with_do(sentence, found, "have", {"have": "base", "has": "third", "had": "past"}[word])


def _negate_do(sentence: Sentence, found: Finite) -> list[Edit]:
    """*do* with another verb takes "not", *do* with an object takes another *do*."""
    word, at = sentence.lower(found.at), sentence.past_adverbs(found.at + 1)
    following = sentence.lower(at)
    if following in DETERMINERS or following in PRONOUNS:
        return _with_do(sentence, found, "do", {"do": "base", "does": "third", "did": "past"}[word])
    is_verb = following == "have" or any(tense == "base" for _verb, tense in finite_forms(following))
    if is_verb and following not in _NOUNS_AND_VERBS:
        return _after(sentence, _past_comments(sentence, found.at))
    return []

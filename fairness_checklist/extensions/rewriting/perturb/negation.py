"""Sentences with and without "not": rules on the finite verb, which give nothing where it is not certain."""

from __future__ import annotations

import re

from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.rewriting.perturb.clauses import (
    BE,
    DO,
    FINITE,
    HAVE,
    MODALS,
    POINTING,
    SUBJECTS,
    Finite,
    clause_start,
    find_finite,
    sentences,
)
from fairness_checklist.extensions.rewriting.perturb.perturbations import text_of
from fairness_checklist.extensions.rewriting.perturb.rewriting import Edit, apply_edits, replace_token
from fairness_checklist.extensions.rewriting.perturb.short_forms import read_d, read_s
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    ADVERBS,
    DETERMINERS,
    LISTS,
    OF_SENTENCES,
    PATTERNS,
    PREPOSITIONS,
    PRONOUNS,
    TokenisedText,
    finite_forms,
    is_adverb,
    is_base,
    is_participle,
    known_verbs,
    tokenize,
    word_set,
)

_NOT_NEGATED = LISTS["negative"] | LISTS["positive"] | frozenset('"\u201c\u201d*')
_NEVER_NEGATED = word_set("hope wish thank welcome please suppose")
_AFTER_POINTING = LISTS["adjectives_after_pointing"] | ADVERBS | PREPOSITIONS | DETERMINERS | {"?"}
_GROUPS = word_set("guys all two three both people folks and or")
_SHORT = {word: f"{word}n't" for word in (BE - {"am"}) | HAVE | DO | {"could", "would", "should"}}
_SHORT |= {"can": "can't", "will": "won't"}
_NOUNS_AND_VERBS = word_set("work research exercise practice sport business time damage harm good laundry")
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
    edits = next(filter(None, map(_negate, sentences(tokenize(original)))), None)
    return None if edits is None else apply_edits(original, edits)[0]


def _negate(sentence: TokenisedText) -> list[Edit]:
    words = sentence.words
    last = [word for word in words if word[:1].isalnum()][-1:]
    if set(words) & _NOT_NEGATED or any(word.endswith("n't") for word in words) or last == ["too"]:
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
    finite = find_finite(sentence, start)
    return [] if finite is None or _shares_subject(sentence, finite) else _negate_verb(sentence, finite)


def _after(sentence: TokenisedText, at: int, words: str = " not") -> list[Edit]:
    end = sentence.at(at).end
    return [Edit(end, end, sentence.spelled(words))]


def _negate_question(sentence: TokenisedText, at: int) -> list[Edit]:
    word, subject, following = (sentence.lower(at + step) for step in range(3))
    if word in HAVE and not any(map(is_participle, sentence.words[at + 2 :])):
        return []
    alone = subject in SUBJECTS and following not in _GROUPS and "'" not in following
    if subject in POINTING:
        alone = following in _AFTER_POINTING or is_adverb(following)
    if alone:
        return _after(sentence, at + 1)
    return [replace_token(sentence, at, _SHORT[word])] if word in _SHORT and sentence.at(at + 1).is_word else []


def _negate_command(sentence: TokenisedText, at: int) -> list[Edit]:
    word = sentence.lower(at)
    if word not in LISTS["imperatives"] or sentence.asks:
        return []
    if sentence.lower(at + 1) not in _AFTER_IMPERATIVE and (word != "be" or not sentence.at(at + 1).is_word):
        return []
    words = sentence.words
    if set(words) & {"and", "or", "but"} or "you" in words[:4] or _has_another_verb(words):
        return []
    return [replace_token(sentence, at, f"do not {word}")]


def _has_another_verb(words: list[str]) -> bool:
    """Whether an auxiliary has no pronoun before it, so that it is the sentence's ("Wait in line was long")."""
    subjects = PRONOUNS | POINTING | {"there", "what"}
    return any(word in BE | HAVE | DO | MODALS and words[at - 1] not in subjects for at, word in enumerate(words) if at)


def _shares_subject(sentence: TokenisedText, finite: Finite) -> bool:
    """Whether a later verb may have the same subject ("She sings and dances"), which "not" would not reach."""
    for at in range(finite.at + 1, len(sentence.tokens)):
        if sentence.lower(at) in {"and", "or", "but", ",", "then"}:
            other = sentence.lower(sentence.past_adverbs(at + 1))
            if other in BE | HAVE | DO | MODALS or finite_forms(other) or re.fullmatch(r"[a-z]{3,}ed", other):
                return True
    return False


def _negate_verb(sentence: TokenisedText, finite: Finite) -> list[Edit]:
    word = sentence.lower(finite.at)
    if finite.verb is not None:
        if finite.verb.base in _NEVER_NEGATED or (word == "got" and sentence.lower(finite.at + 1) == "to"):
            return []
        return _with_do(sentence, finite, finite.verb.base, finite.tense)
    if "'" in word:
        return _negate_contraction(sentence, finite.at)
    if word in HAVE:
        return _negate_have(sentence, finite)
    if word in DO:
        return _negate_do(sentence, finite)
    if word == "can":
        return [replace_token(sentence, finite.at, "cannot")]
    if word == "would" and sentence.lower(finite.at + 1) == "rather":
        return _after(sentence, finite.at + 1)
    return _after_comments(sentence, finite.at)


def _after_comments(sentence: TokenisedText, at: int) -> list[Edit]:
    """The edit that puts "not" after a verb and the adverbs about the whole statement ("is probably not")."""
    return _after(sentence, sentence.past(at + 1, OF_SENTENCES) - 1)


def _with_do(sentence: TokenisedText, finite: Finite, base: str, tense: str) -> list[Edit]:
    """A verb with *do*: before the adverbs in front of it, but after those about the whole statement."""
    auxiliary = {"base": "do", "third": "does", "past": "did"}[tense]
    first = min(finite.at, sentence.past(finite.subject_end, OF_SENTENCES))
    if first == finite.at:
        return [replace_token(sentence, finite.at, f"{auxiliary} not {base}")]
    place = sentence.at(first).start
    return [Edit(place, place, sentence.spelled(f"{auxiliary} not ")), replace_token(sentence, finite.at, base)]


def _negate_contraction(sentence: TokenisedText, at: int) -> list[Edit]:
    """The edits for "I'm", "they've", "she'll", "he'd" and the 's of "it's"."""
    token = sentence.at(at)
    word, _mark, end = token.lower.partition("'")
    after = [sentence.lower(place) for place in range(at + 1, len(sentence.tokens)) if sentence.at(place).is_word]
    meaning = {"ll": "will", "ve": "have"}.get(end, "")
    if end == "s" and not word:
        meaning = read_s(sentence.lower(at - 1), after)
    elif end == "d":
        meaning = read_d(word, after)
        if after[:1] in (["better"], ["rather"]):
            return _after(sentence, at + 1)
    elif meaning == "have" and not is_participle(sentence.lower(sentence.past_adverbs(at + 1))):
        return []
    if end in {"m", "re"} or meaning == "is":
        return _after_comments(sentence, at)
    if not meaning or (end == "s" and meaning != "has"):
        return []
    return [Edit(token.start, token.end, token.text[: len(word)] + sentence.spelled(f" {meaning} not"))]


def _negate_have(sentence: TokenisedText, finite: Finite) -> list[Edit]:
    """*have* with a participle takes "not", *have* with an object or "to" takes *do*."""
    word, at = sentence.lower(finite.at), sentence.past_adverbs(finite.at + 1)
    following = sentence.lower(at)
    if following == "better" and word == "had":
        return _after(sentence, at)
    if is_participle(following):
        if following in LISTS["participle_adjectives"] and sentence.at(at + 1).is_word:
            return []
        return _after_comments(sentence, finite.at)
    offered = (following, sentence.lower(at + 1)) == ("to", "offer")  # the best that the town has to offer
    if not sentence.at(at).is_word or following.endswith(("ed", "en")) or offered:
        return []
    return _with_do(sentence, finite, "have", {"have": "base", "has": "third", "had": "past"}[word])


def _negate_do(sentence: TokenisedText, finite: Finite) -> list[Edit]:
    """*do* with another verb takes "not", *do* with an object takes another *do*."""
    word, at = sentence.lower(finite.at), sentence.past_adverbs(finite.at + 1)
    following = sentence.lower(at)
    if following in DETERMINERS or following in PRONOUNS:
        return _with_do(sentence, finite, "do", {"do": "base", "does": "third", "did": "past"}[word])
    if (following == "have" or is_base(following)) and following not in _NOUNS_AND_VERBS:
        return _after_comments(sentence, finite.at)
    return []


_BARE = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can"} | {
    f"{word}n't": word for word in BE | HAVE | DO | MODALS | {"need", "must"} if word not in {"am", "can", "will"}
}
_SUBJECTS_ASKED = SUBJECTS | word_set("this that these those there anyone everyone someone")
_ASKING = word_set("why where when how")
_DEGREES = word_set("really actually always fully quite usually often necessarily particularly especially")


@checks_keywords
def remove_negation(text: object) -> str | None:
    """The text without "not", "n't" and "never" by its verbs: "does not work" becomes "works".

    Other negations ("no", "nothing", "without") do not count: a text with no other one has none to remove.

    Args:
        text: a string, or an object with one as ``text``.

    Returns:
        The text with all of them removed; None where there is none, or where one cannot go: before a word that needs
        it ("any", "yet", "at all"), in a tag ("isn't it?"), after another word than a verb ("not bad").

    >>> remove_negation("It doesn't work, and I am not happy."), remove_negation("I can't find it anywhere.")
    ('It works, and I am happy.', None)
    """
    original = text_of(text, "remove_negation")
    edits: list[Edit] = []
    for sentence in sentences(tokenize(original)):
        more = _affirm(sentence)
        if more is None:
            return None
        edits += more
    return apply_edits(original, edits)[0] if edits else None


def _affirm(sentence: TokenisedText) -> list[Edit] | None:
    """The edits that take the negations out of a sentence, None where that is not safe."""
    words = sentence.words
    places = [at for at, word in enumerate(words) if word in _NEGATIONS or word.endswith("n't")]
    if not places:
        return []
    text = sentence.text[sentence.at(0).start : sentence.tokens[-1].end].replace("\u2019", "'")
    if set(words) & LISTS["bound"] or PATTERNS["bound_phrases"].search(text) or '"' in words:
        return None
    edits: list[Edit] = []
    for at in places:
        more = _NEGATIONS.get(sentence.lower(at), _without_short)(sentence, at)
        if more is None:
            return None
        edits += more
    return edits


def _cut(sentence: TokenisedText, first: int, last: int, words: str = "") -> list[Edit]:
    """The words in place of the tokens first to last; without words the space after these goes, too.

    A word follows the tokens. A capital is kept.
    """
    opening, following = sentence.at(first), sentence.at(last + 1)
    capital = opening.capital and (first == 0 or not opening.text.isupper())
    if words:
        return [Edit(opening.start, sentence.at(last).end, sentence.spelled(words, capital))]
    if capital and not sentence.all_capitals:
        return [Edit(opening.start, following.start + 1, following.text[:1].upper())]
    return [Edit(opening.start, following.start, "")]


def _without_not(sentence: TokenisedText, at: int) -> list[Edit] | None:
    before, following = sentence.lower(at - 1), sentence.lower(at + 1)
    if not sentence.at(at + 1).is_word:
        return None
    if following == "to" or (before in {"better", "rather"} and is_base(following)):
        return _cut(sentence, at, at)
    if before in _SUBJECTS_ASKED and sentence.lower(at - 2) in FINITE:
        return _cut(sentence, at, at)  # Is this not good?
    helper = sentence.past(at - 1, _DEGREES | {"probably", "definitely", "certainly"}, -1)
    word = sentence.lower(helper)
    if word in DO and helper == at - 1:
        return _without_do(sentence, helper, at, word)
    helps = word in BE | HAVE | MODALS | {"be", "been", "let's", "'s"}
    return _cut(sentence, at, at) if helps or word.endswith(("'m", "'re", "'ve", "'ll", "'d")) else None


def _without_short(sentence: TokenisedText, at: int) -> list[Edit] | None:
    """The edits for "cannot", "don't" and the like."""
    bare = _BARE.get(sentence.lower(at), "")
    before, following = sentence.lower(at - 1), sentence.lower(at + 1)
    if not bare:
        return None
    if following in _SUBJECTS_ASKED:
        tag = before == "," and not sentence.at(at + 2).is_word
        return None if tag else _cut(sentence, at, at, bare)
    opens = at == 0 or before in {"and", "so"}
    if (opens and sentence.asks) or before in _ASKING:
        return _cut(sentence, at, at, bare)
    if bare in DO:  # "I don't." has no verb
        return _without_do(sentence, at, at, bare) if sentence.at(at + 1).is_word else None
    return None if bare == "need" else _cut(sentence, at, at, bare)


def _without_do(sentence: TokenisedText, first: int, last: int, helper: str) -> list[Edit] | None:
    """The edits for *do* with "not": the main verb takes its form."""
    main = sentence.past(last + 1, _DEGREES)
    word = sentence.lower(main)
    if not sentence.at(main).is_word or word in _SUBJECTS_ASKED:
        return None
    if helper == "do":
        return _cut(sentence, first, last) if is_base(word) or word == "be" else None
    if _shares(sentence, main) or first == 0:
        return None
    verb = known_verbs().get(word)
    if verb is None:
        return None
    form = sentence.spelled(verb.third if helper == "does" else verb.past)
    token = sentence.at(main)
    if main > last + 1:  # adverbs stay
        return [*_cut(sentence, first, last), Edit(token.start, token.end, form)]
    return [Edit(sentence.at(first).start, token.end, form)]


def _shares(sentence: TokenisedText, main: int) -> bool:
    """Whether a later verb in the base form depends on the same *do* ("does not eat or drink")."""
    return any(
        sentence.lower(at) in {"and", "or", ",", "then"} and is_base(sentence.lower(at + 1))
        for at in range(main + 1, len(sentence.tokens))
    )


def _without_never(sentence: TokenisedText, at: int) -> list[Edit] | None:
    """The edits for "never" between a subject and its verb, or before a command."""
    following, before = sentence.lower(at + 1), sentence.lower(at - 1)
    if at == 0:
        return _cut(sentence, at, at) if is_base(following) and following not in HAVE | DO else None
    verbal = bool(finite_forms(following)) or following in FINITE | {"be", "been"}
    helped = before in FINITE or before.endswith(("'ve", "'s", "'d", "'ll"))
    return _cut(sentence, at, at) if sentence.at(at + 1).is_word and (verbal or helped) else None


_NEGATIONS = {"not": _without_not, "never": _without_never, "cannot": _without_short}

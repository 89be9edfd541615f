"""Sentences without their "not" and "never"; nothing where one of them cannot go."""

from __future__ import annotations

import re

from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.rewriting.perturb.clauses import BE, DO, HAVE, MODALS, SUBJECTS, Sentence, sentences
from fairness_checklist.extensions.rewriting.perturb.perturbations import text_of
from fairness_checklist.extensions.rewriting.perturb.phrases import Edit, apply_edits
from fairness_checklist.extensions.rewriting.perturb.surfaces import tokenize
from fairness_checklist.extensions.rewriting.perturb.verbs import finite_forms, known_verbs
from fairness_checklist.extensions.rewriting.perturb.vocabulary import word_set

# Words that need a negation before them, and other negations: without the "not" the sentence is wrong or unclear.
_BOUND = word_set(
    """
    any anyone anybody anything anywhere ever yet either neither nor anymore until till whatsoever much no nobody
    nothing none nowhere hardly barely even only lest unless but bother bothered bothers
    """
)
_BOUND_PHRASES = re.compile(
    r"""
    \b(?: not\ (?:at\ all|a\ (?:single|bit|word|soul)|one\ bit|so|too|that|least|if|because|for|as|to\ mention)
    | can(?:'t|not)\ (?:help|stand) | \b(?:i|we)\ can(?:'t|not)\ wait | never\ (?:again|mind|once|before)
    | could(?:n't|\ not)\ .{0,40}(?:less|more|better|worse|farther|further|\w{2,}ier) | a\ single | so\ much
    | (?:not|\w+n't)\ (?:sound|look|seem|feel|taste|smell)\ (?:that|too|so) | may\ or\ may | might\ or\ might
    | at\ all | any\ ?more | or\ not | if\ not | why\ not | whether )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BARE = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can"} | {
    f"{word}n't": word for word in BE | HAVE | DO | MODALS | {"need", "must"} if word not in {"am", "can", "will"}
}
_SUBJECTS_ASKED = SUBJECTS | word_set("this that these those there anyone everyone someone")
_ASKING = word_set("why where when how")
_HELPERS = BE | HAVE | MODALS | DO
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
        found = _affirm(sentence)
        if found is None:
            return None
        edits += found
    return apply_edits(original, edits)[0] if edits else None


def _affirm(sentence: Sentence) -> list[Edit] | None:
    """The edits that take the negations out of a sentence, None where that is not safe."""
    words = sentence.words()
    places = [
        at
        for at in range(sentence.start, sentence.end)
        if (word := sentence.lower(at)) in {"not", "never", "cannot"} or word.endswith("n't")
    ]
    if not places:
        return []
    text = sentence.reading.text[
        sentence.reading.at(sentence.start).start : sentence.reading.at(sentence.end - 1).end
    ].replace("\u2019", "'")
    if set(words) & _BOUND or _BOUND_PHRASES.search(text) or '"' in words:
        return None
    edits: list[Edit] = []
    for at in places:
        word = sentence.lower(at)
        found = _without_not(sentence, at) if word == "not" else _without_never(sentence, at)
        if word not in {"not", "never"}:
            found = _without_short(sentence, at)
        if found is None:
            return None
        edits += found
    return edits


def _cut(sentence: Sentence, first: int, last: int, words: str = "") -> list[Edit]:
    """The words in place of the tokens first to last; without words the space after these goes, too.

    A word follows the tokens. A capital is kept.
    """
    reading = sentence.reading
    opening, following = reading.at(first), reading.at(last + 1)
    capital = opening.capital and (first == sentence.start or not opening.text.isupper())
    words = words.upper() if reading.all_capitals else words
    if words:
        shown = words[:1].upper() + words[1:] if capital else words
        return [Edit(opening.start, reading.at(last).end, shown)]
    if capital and not reading.all_capitals:
        return [Edit(opening.start, following.start + 1, following.text[:1].upper())]
    return [Edit(opening.start, following.start, "")]


def _without_not(sentence: Sentence, at: int) -> list[Edit] | None:
    before, following = sentence.lower(at - 1), sentence.lower(at + 1)
    if not sentence.is_word(at + 1):
        return None
    if following == "to" or (before in {"better", "rather"} and _is_base(following)):
        return _cut(sentence, at, at)
    if before in _SUBJECTS_ASKED and sentence.lower(at - 2) in _HELPERS:
        return _cut(sentence, at, at)  # Is this not good?
    helper = _before_adverbs(sentence, at - 1)
    word = sentence.lower(helper)
    if word in DO and helper == at - 1:
        return _without_do(sentence, helper, at, word)
    contracted = word == "'s" or word.endswith(("'m", "'re", "'ve", "'ll", "'d"))
    if word in BE | HAVE | MODALS or word in {"be", "been"} or contracted or word in {"let's"}:
        return _cut(sentence, at, at)
    return None


def _before_adverbs(sentence: Sentence, at: int) -> int:
    while sentence.lower(at) in _DEGREES or sentence.lower(at) in {"probably", "definitely", "certainly"}:
        at -= 1
    return at


def _without_short(sentence: Sentence, at: int) -> list[Edit] | None:
    """The edits for "don't" and the like."""
    word = sentence.lower(at)
    bare = _BARE.get(word, "")
    if not bare:
        return None
    following = sentence.lower(at + 1)
    before = sentence.lower(at - 1)
    opens = at == sentence.start or before in {"and", "so", ","}
    if following in _SUBJECTS_ASKED:
        if before == "," and not sentence.is_word(at + 2):  # a tag
            return None
        return _cut(sentence, at, at, bare)
    if opens and before != "," and sentence.asks:
        return _cut(sentence, at, at, bare)
    if before in _ASKING:
        return _cut(sentence, at, at, bare)
    if not sentence.is_word(at + 1) and bare in DO:
        return None  # "I don't." has no verb
    if bare in DO:
        return _without_do(sentence, at, at, bare)
    return None if bare == "need" else _cut(sentence, at, at, bare)


def _without_do(sentence: Sentence, first: int, last: int, helper: str) -> list[Edit] | None:
    """The edits for *do* with "not": the main verb takes its form."""
    main = last + 1
    while sentence.lower(main) in _DEGREES:
        main += 1
    word = sentence.lower(main)
    if not sentence.is_word(main) or word in _SUBJECTS_ASKED:
        return None
    if helper == "do":
        return _cut(sentence, first, last) if _is_base(word) or word == "be" else None
    if _shares(sentence, main) or first == sentence.start:
        return None
    verb = known_verbs().get(word)
    if verb is None:
        return None
    form = verb.third if helper == "does" else verb.past
    token = sentence.reading.at(main)
    shown = form.upper() if sentence.reading.all_capitals else form
    return (
        [*_cut(sentence, first, last), Edit(token.start, token.end, shown)]
        if main > last + 1
        else [Edit(sentence.reading.at(first).start, token.end, shown)]
    )


def _is_base(word: str) -> bool:
    return any(tense == "base" for _verb, tense in finite_forms(word))


def _shares(sentence: Sentence, main: int) -> bool:
    """Whether a later verb in the base form depends on the same *do* ("does not eat or drink")."""
    return any(
        sentence.lower(at) in {"and", "or", ",", "then"} and _is_base(sentence.lower(at + 1))
        for at in range(main + 1, sentence.end)
    )


def _without_never(sentence: Sentence, at: int) -> list[Edit] | None:
    """The edits for "never" between a subject and its verb, or before a command."""
    following, before = sentence.lower(at + 1), sentence.lower(at - 1)
    if at == sentence.start:
        return _cut(sentence, at, at) if _is_base(following) and following not in HAVE | DO else None
    verbal = bool(finite_forms(following)) or following in _HELPERS | {"be", "been"}
    helped = before in _HELPERS or before.endswith(("'ve", "'s", "'d", "'ll"))
    return _cut(sentence, at, at) if sentence.is_word(at + 1) and (verbal or helped) else None

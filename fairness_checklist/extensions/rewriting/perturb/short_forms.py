"""Contractions, written out and put back: "it's" and "it is", "don't" and "do not"."""

from __future__ import annotations

import re

from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.rewriting.perturb.perturbations import text_of
from fairness_checklist.extensions.rewriting.perturb.surfaces import (
    LISTS,
    is_adverb,
    is_base,
    is_only_participle,
    is_participle,
    word_set,
)

_SUBJECTS = "I|you|he|she|it|we|they|this|that|there|these|those"
_NEGATED = "is are was were has have had do does did could would should might must need ought"
_IRREGULAR = {"ca": "cannot", "wo": "will not", "sha": "shall not"}
_NOT = re.compile(
    rf"\b(?P<verb>{_NEGATED.replace(' ', '|')}|ca|wo|sha)n(?P<mark>['\u2019])t\b(?!['\u2019])"
    rf"(?:(?P<space>\s+)(?P<subject>{_SUBJECTS})\b(?!['\u2019]))?",
    re.IGNORECASE,
)
_CLITIC = re.compile(
    r"\b(?P<word>[A-Za-z]+)['\u2019](?P<end>m|re|ve|ll|d|s)\b(?!['\u2019])(?=(?P<rest>[^.!?;]*))", re.IGNORECASE
)
_PRONOUNS = word_set("i you he she it we they")
_MODALS = word_set("could would should might must")
_WITH = {
    "m": {"i"},
    "re": word_set("you we they what who there these those how"),
    "ve": word_set("i you we they who where there these those") | _MODALS,
    "ll": _PRONOUNS | word_set("who that this there what"),
    "d": _PRONOUNS | word_set("that there who how where why when what"),
    "s": word_set("he she it that there here this who what where when how why let"),
}
_LONG = {"m": "am", "re": "are", "ve": "have", "ll": "will"}
_ASKING = word_set("how where why when what")
_AUXILIARIES_ASKED = word_set("want wants need mean say do think know")
# After 's they tell "has" from "is"; other participles fit both: he's gone, it's finished.
_HAS = word_set("been got gotten had become")
_SKIPPED = word_set("not just also already still always never really only even ever all both probably definitely")
_BOTH = word_set("put cut hit hurt let set shut come become run cost read quit spread upset burst overcome beat")


def _words(text: str) -> list[str]:
    """The words right after a contraction, up to the first mark, in small letters."""
    words = re.match(r"(?:\s+[\w'\u2019-]+)*", text)
    return words.group().lower().replace("\u2019", "'").split() if words else []


def _like(model: str, words: str) -> str:
    """The words in capitals, or with a first capital, where the contraction is."""
    letters = [character for character in model if character.isalpha()]
    if len(letters) > 2 and all(character.isupper() for character in letters):
        return words.upper()
    return words[:1].upper() + words[1:] if model[:1].isupper() else words[:1].lower() + words[1:]


@checks_keywords
def expand_contractions(text: object) -> str:
    """The text with its contractions written out.

    ``'s`` and ``'d`` are read by the word after them: "it's been" is "it has been", "he'd gone" is "he had gone". A
    contraction stays where that word leaves both readings open ("he's gone", "I'd put"), where writing it out needs
    the end of the subject ("Isn't the food good?"), and where its meaning varies ("ain't"). "Don't you" becomes "Do you
    not".

    Args:
        text: a string, or an object with one as ``text``.

    Returns:
        The text, unchanged where nothing is written out.

    >>> expand_contractions("It's good, isn't it? We don't know."), expand_contractions("IT'S BEEN FUN")
    ('It is good, is it not? We do not know.', 'IT HAS BEEN FUN')
    """
    original = text_of(text, "expand_contractions")
    made = _NOT.sub(lambda match: _write_not(match, original), original)
    return _CLITIC.sub(lambda match: _write_clitic(match, made[: match.start()]), made)


def _write_not(match: re.Match[str], text: str) -> str:
    verb = _IRREGULAR.get(match["verb"].lower(), f"{match['verb']} not")
    plain = match.group()[: match.end("mark") + 1 - match.start()]
    if match["subject"] and not (verb == "cannot" and match["subject"].lower() in {"this", "that"}):
        after = _words(text[match.end() :])
        noun = match["subject"].lower() in {"this", "that", "these", "those", "there"} and after
        several = {*after[:1]} & {"guys", "all", "both", "two", "people"}
        if noun or several or text[: match.start()].lower().endswith(("if ", "who ")):
            return match.group()
        first = _like(plain, "can" if verb == "cannot" else verb.removesuffix(" not"))
        return first + match["space"] + match["subject"] + match["space"] + ("NOT" if first.isupper() else "not")
    if _asks(text, match):
        return match.group()
    return _like(plain, verb.lower()) + match.group()[len(plain) :]


def _asks(text: str, match: re.Match[str]) -> bool:
    """Whether the negated auxiliary stands before a subject of unknown length, as in "Isn't the food good?"."""
    before, after = text[: match.start()], text[match.end() :]
    words = re.findall(r"[\w'\u2019]+|[^\w\s]", before.lower())
    last = words[-1] if words else ""
    if last in {"why", "where", "when", "how"} or (last == "what" and match["verb"].lower() in {"do", "are", "were"}):
        return True
    if last not in {"", ".", "!", "?", ";", ":", ",", '"', "\u201c", "(", "and", "but", "or", "so", "well"}:
        return False
    question = re.match(r"[^.!?;]*\?", after) is not None
    return question or (last not in {"and", "but", "or", ","} and match["verb"].lower() != "do")


def _write_clitic(match: re.Match[str], before: str) -> str:
    """A contraction with 'm, 're, 've, 'll, 'd or 's written out, or as it is."""
    word, end = match["word"].lower(), match["end"].lower()
    if word not in _WITH[end] or before.endswith(("'", "\u2019")):
        return match.group()
    after = _words(match["rest"])
    tail = _LONG.get(end) or (read_d(word, after) if end == "d" else read_s(word, after))
    if not tail:
        return match.group()
    return f"{match['word']} {tail.upper() if match['end'].isupper() else tail}"


def _past_adverbs(words: list[str]) -> str:
    """The first word that is no adverb, "" where there is none."""
    return next((word for word in words if word not in _SKIPPED and not is_adverb(word)), "")


def read_d(word: str, after: list[str]) -> str:
    """What 'd stands for: did, would or had; "" where it can be two of them."""
    if word in _ASKING:
        return "did" if after[:1] and after[0] in _PRONOUNS else ""
    verb = _past_adverbs(after)
    if not verb or verb in _BOTH:
        return ""
    if verb == "better" or is_participle(verb):
        return "had"
    if verb in {"rather", "be", "have", "like", "love"} or is_base(verb):
        return "would"
    return ""


def read_s(word: str, after: list[str]) -> str:
    """What 's stands for: is, has or (let's) us; "" where it can be two of them, or a possessive."""
    if word == "let":
        return "us"
    verb = _past_adverbs(after)
    if not verb:
        return "is" if after else ""
    if verb in _HAS:
        return "has"
    if word in _ASKING and after[0] in _PRONOUNS and set(after[1:2]) & _AUXILIARIES_ASKED:
        return ""
    open_to_both = (is_participle(verb) or verb.endswith("ed")) and verb not in LISTS["adjectives_in_ed"]
    return "" if open_to_both else "is"


_SHORT_NOT = re.compile(rf"\b(?P<verb>{_NEGATED.replace(' ', '|')}|will|shall|can) ?not\b", re.IGNORECASE)
_BEFORE_NOT = {"will": "wo", "shall": "sha", "can": "ca"}
_FULL = re.compile(
    r"\b(?P<word>I|you|he|she|it|we|they|that|there|who|what|where|how|when|why|here) "
    r"(?P<verb>am|are|is|has|have|had|will|would|did)\b(?=(?P<rest>[^.!?;]*))",
    re.IGNORECASE,
)
_BE = {"am": "m", "are": "re", "is": "s"}
_SHORT = {"will": "ll", "would": "d", "has": "s", "have": "ve", "had": "d"}
_TAKES = {
    "am": {"i"},
    "are": word_set("you we they what who"),
    "is": word_set("he she it that there here who what where how when why"),
    "will": _PRONOUNS | {"that", "there", "who"},
    "would": _PRONOUNS | {"that", "there", "who"},
    "did": word_set("how where"),
    "has": word_set("he she it"),
    "have": word_set("i you we they who"),
    "had": _PRONOUNS,
}
_STRANDS = word_set("what who whom whose where how which than as whatever wherever whoever however that")
_NOT_AFTER = word_set("n't and or but nor because when if while though although too either")


@checks_keywords
def contract(text: object) -> str:
    """The text with contractions where English allows them.

    A verb that ends its clause stays ("I know who he is now"), and so does a "not" in capitals. Of two contractions the
    one with "not" is written, but for a pronoun and *be*: "I won't", "he's not".

    Args:
        text: a string, or an object with one as ``text``.

    Returns:
        The text, unchanged where nothing is contracted.

    >>> contract("It is good. I do not know who he is."), contract("IT IS NOT OVER YET.")
    ("It's good. I don't know who he is.", "IT'S NOT OVER YET.")
    """
    original = text_of(text, "contract")
    mark = "\u2019" if "\u2019" in original and "'" not in original else "'"

    def with_ending(match: re.Match[str]) -> str:
        ending = _short_ending(match, original)
        tail = ending.upper() if match["verb"].isupper() and match["word"].isupper() else ending
        return match["word"] + mark + tail if ending else match.group()

    made = _FULL.sub(with_ending, original)
    shouted = original.upper() == original
    return _SHORT_NOT.sub(lambda match: _short_not(match, mark, made, shouted), made)


def _short_ending(match: re.Match[str], text: str) -> str:
    """What is left of the verb after its pronoun, "" where the two stay apart."""
    word, verb = match["word"].lower(), match["verb"].lower()
    after = _words(match["rest"])
    if not after or after[0] in _NOT_AFTER or (match["verb"].isupper() and not match["word"].isupper()):
        return ""
    clause = re.split(r"[.,!?;:()]", text[: match.start()])[-1].lower().split()
    if clause[-1:] in (["and"], ["or"]):  # my sister and I am
        return ""
    if verb in _BE:
        stranded = _STRANDS & set(clause)
        return _BE[verb] if word in _TAKES[verb] and not stranded else ""
    main = _past_adverbs(after)
    if not main or after[0] == "not" or word not in _TAKES[verb]:
        return ""
    if verb == "did":
        return "d" if after[0] in _PRONOUNS else ""
    if verb in {"has", "have", "had"} and not is_only_participle(main) and (verb == "had" or main != "got"):
        return ""
    return _SHORT[verb]


def _short_not(match: re.Match[str], mark: str, text: str, shouted: bool) -> str:
    verb = match["verb"]
    spaced = match.group()[len(verb)] == " "
    tail = match.group()[len(verb) :].strip()
    if (tail == "NOT" and not shouted) or spaced == (verb.lower() == "can"):
        return match.group()
    after = _words(text[match.end() :])
    if after[:1] and after[0] in _PRONOUNS - {"you", "it"}:
        return match.group()
    short = f"{_BEFORE_NOT.get(verb.lower(), verb)}n{mark}t"
    return _like(verb if len(verb) > 1 else verb + tail, short.upper() if verb.isupper() else short)


@checks_keywords
def contractions(text: object) -> list[str]:
    """The text with its contractions written out, and with contractions.

    Args:
        text: a string, or an object with one as ``text``.

    Returns:
        Those of the two that differ from the text, which may be none.

    >>> contractions("It's good."), contractions("I do not know."), contractions("Good.")
    (['It is good.'], ["I don't know."], [])
    """
    original = text_of(text, "contractions")
    return [made for made in (expand_contractions(original), contract(original)) if made != original]

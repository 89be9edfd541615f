"""Contractions by table, written out and put back: "it's" and "it is", "don't" and "do not"."""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path

from fairness_checklist.core.formatting import capitalise
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.rewriting.perturb.perturbations import text_of
from fairness_checklist.extensions.rewriting.perturb.surfaces import ADVERBS, LISTS, is_adverb, word_set


@cache
def known_verbs() -> dict[str, dict[str, str]]:
    """The forms of the verbs of ``verbs.csv`` by their base form: base, third, past, participle; none is guessed."""
    with Path(__file__).with_name("verbs.csv").open(encoding="utf-8", newline="") as rows:
        return {row["base"]: row for row in csv.DictReader(rows)}


@cache
def _participles() -> frozenset[str]:
    return frozenset({verb["participle"] for verb in known_verbs().values()} | {"been", "had"})


_AUXILIARIES = word_set("is are was were has have had do does did could would should must need")
_NOT = {verb: f"{verb}n't" for verb in _AUXILIARIES} | {"can": "can't", "will": "won't"}
_FULL_OF_NOT = {short: verb for verb, short in _NOT.items()}
_PRONOUNS = word_set("i you he she it we they")
_CLAUSE_WORDS = word_set("that there here who what where when how why")
_FORMS = {  # a verb, its ending after an apostrophe, and the words that it is contracted with
    "am": ("m", frozenset({"i"})),
    "are": ("re", word_set("you we they what who")),
    "is": ("s", word_set("he she it") | _CLAUSE_WORDS),
    "has": ("s", word_set("he she it")),
    "have": ("ve", word_set("i you we they who")),
    "had": ("d", _PRONOUNS),
    "will": ("ll", _PRONOUNS | {"that", "there", "who"}),
    "would": ("d", _PRONOUNS | {"that", "there", "who"}),
}
_HAS = word_set("been got gotten had become")  # after 's; other participles fit both: he's gone, it's finished
_STRANDS = word_set("what who whom whose where how which than as whatever wherever whoever however that")
_ENDS_CLAUSE = word_set("and or but nor because when if while though although too either")

_SHORT_NOT = re.compile(
    rf"\b(?P<short>{'|'.join(_FULL_OF_NOT).replace(chr(39), '[' + chr(39) + chr(0x2019) + ']')})\b(?!['\u2019])"
    r"(?:(?P<space>\s+)(?P<subject>I|you|he|she|it|we|they)\b(?!['\u2019]| (?:guys|all|both|two)\b))?",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b(?P<word>[a-z]+)['\u2019](?P<end>m|re|ve|ll|d|s)\b(?!['\u2019])", re.IGNORECASE)
_LONG_NOT = re.compile(rf"\b(?P<verb>{'|'.join(_NOT)})(?P<space> ?)(?P<not>not)\b", re.IGNORECASE)
_LONG = re.compile(rf"(?<!\band )(?<!\bor )\b(?P<word>[a-z]+) (?P<verb>{'|'.join(_FORMS)})\b(?= )", re.IGNORECASE)
_MAY_ASK = re.compile(
    r"(?:(?:^|[.!?;:\"\u201c(])\s*(?:(?:and|but|so|or|well),? )?|\b(?:why|where|when|how) )$", re.IGNORECASE
)


def _words(text: str) -> list[str]:
    """The words at the start of a text, up to the first mark, in small letters."""
    found = re.match(r"(?:\s+[\w'\u2019-]+)*", text)
    return found.group().lower().replace("\u2019", "'").split() if found else []


def _verb_of(words: list[str]) -> str:
    """The first word that is no adverb."""
    return next((word for word in words if word not in ADVERBS | {"not", "all", "both"} and not is_adverb(word)), "")


def _like(model: str, words: str) -> str:
    """The words in capitals, or with a first capital, where the contraction is."""
    if sum(map(str.isalpha, model)) > 1 and model.isupper():
        return words.upper()
    return capitalise(words) if model[:1].isupper() else words


@checks_keywords
def expand_contractions(text: object) -> str:
    """The text, a string or an object with one as ``text``, with its contractions written out.

    ``'s`` and ``'d`` are read by the word after them. A contraction stays where that word leaves both readings open
    ("he's gone", "I'd put"), where writing it out needs the end of the subject ("Isn't the food good?"), and where it
    is in no table ("ain't", "how'd").

    >>> expand_contractions("It's good, isn't it? We don't know."), expand_contractions("IT'S BEEN FUN")
    ('It is good, is it not? We do not know.', 'IT HAS BEEN FUN')
    """
    return _SHORT.sub(_written_out, _SHORT_NOT.sub(_written_not, text_of(text, "expand_contractions")))


def _written_not(found: re.Match[str]) -> str:
    short = found["short"]
    verb = _FULL_OF_NOT[short.lower().replace("\u2019", "'")]
    if found["subject"]:
        last = "NOT" if short.isupper() else "not"
        return f"{_like(short, verb)}{found['space']}{found['subject']}{found['space']}{last}"
    opening = _MAY_ASK.search(found.string[: found.start()])
    if opening and (verb != "do" or opening.group()[:1].isalpha()):
        return found.group()
    return _like(short, "cannot" if verb == "can" else f"{verb} not")


def _written_out(found: re.Match[str]) -> str:
    word, end, after = found["word"].lower(), found["end"].lower(), _words(found.string[found.end() :])
    fitting = {verb for verb, (ending, words) in _FORMS.items() if ending == end and word in words}
    if (word, end) == ("let", "s"):
        fitting = {"us"}
    elif end == "s":
        fitting &= _readings_of_s(after)
    elif end == "d":
        fitting &= _readings_of_d(after)
    if len(fitting) != 1:
        return found.group()
    (verb,) = fitting
    return f"{found['word']} {verb.upper() if found['end'].isupper() else verb}"


def _readings_of_d(after: list[str]) -> set[str]:
    verb = _verb_of(after)
    had = {"had"} if verb == "better" or verb in _participles() else set()
    return had | ({"would"} if verb in known_verbs() or verb in {"rather", "be"} else set())


def _readings_of_s(after: list[str]) -> set[str]:
    """The verbs that 's can stand for before these words; none before the subject of a question ("What's he want")."""
    verb = _verb_of(after)
    if verb in _HAS:
        return {"has"}
    either = (verb in _participles() or verb.endswith("ed")) and verb not in LISTS["adjectives_in_ed"]
    return set() if either or not after or after[0] in _PRONOUNS else {"is"}


@checks_keywords
def contract(text: object) -> str:
    """The text with contractions of *be*, *will* and *would*, and of "not"; a verb that ends its clause stays.

    Of two contractions the one with "not" is written, but for a pronoun and *be*: "I won't", "he's not".

    >>> contract("It is good. I do not know who he is."), contract("IT IS NOT OVER YET.")
    ("It's good. I don't know who he is.", "IT'S NOT OVER YET.")
    """
    original = text_of(text, "contract")
    mark = "\u2019" if "\u2019" in original and "'" not in original else "'"
    return _LONG_NOT.sub(_contracted_not, _LONG.sub(_contracted, original)).replace("\0", mark)


def _contracted(found: re.Match[str]) -> str:
    """The pronoun with what is left of its verb, and a null character for the apostrophe."""
    verb, written = found["verb"].lower(), found["verb"]
    ending, words = _FORMS[verb]
    after = _words(found.string[found.end() :])
    clause = re.split(r"[.,!?;:()]", found.string[: found.start()])[-1].lower().split()
    stays = found["word"].lower() not in words or not after or after[0] in _ENDS_CLAUSE
    if verb in {"am", "are", "is"}:
        stays = stays or bool(_STRANDS & {*clause})
    else:
        stays = stays or after[0] == "not" or not _verb_of(after) or verb in {"have", "has", "had"}
    if stays or (written.isupper() and not found["word"].isupper()):
        return found.group()
    return f"{found['word']}\0{ending.upper() if written.isupper() else ending}"


def _contracted_not(found: re.Match[str]) -> str:
    verb, after = found["verb"], _words(found.string[found.end() :])
    emphasised = found["not"] == "NOT" and found.string.upper() != found.string
    if emphasised or bool(found["space"]) == (verb.lower() == "can") or {*after[:1]} & (_PRONOUNS - {"you", "it"}):
        return found.group()
    return _like(verb, _NOT[verb.lower()]).replace("'", "\0")


@checks_keywords
def contractions(text: object) -> list[str]:
    """The text with its contractions written out, and with contractions: those of the two that differ from it.

    >>> contractions("It's good."), contractions("I do not know."), contractions("Good.")
    (['It is good.'], ["I don't know."], [])
    """
    original = text_of(text, "contractions")
    return [made for made in (expand_contractions(original), contract(original)) if made != original]

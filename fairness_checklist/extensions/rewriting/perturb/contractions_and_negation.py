"""Contractions by table, "it's" and "it is"; "not" put in and out by CheckList's rules (Ribeiro et al. 2020)."""

import csv
import re
from functools import cache
from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import OptionError
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


_NEGATED = {"will": "won't", "'ll": "won't", "can": "can't", "'ve": "haven't", "'d": "hadn't"}
_BEFORE_NOT = ("can", "do", "could", "would", "will", "have", "should")
_WHOLE = {"ca": "can", "wo": "will"}
_FORM_AFTER_DO = {"do": "base", "does": "third", "did": "past"}
_DO = {"VBD": "didn't", "VBZ": "doesn't"}


def _tokens(document: Any, function: str) -> list[Any]:
    """The tokens of a document that a parser has read."""
    if hasattr(document, "sents"):
        return list(document)
    raise OptionError(
        f"{function}() takes a parsed document, not a {type(document).__name__}.",
        remedy=f"Parse the texts with spaCy: perturb(list(nlp.pipe(texts)), {function}).",
    )


def _joined(tokens: list[Any], words: dict[int, str]) -> str:
    """The text of a document with other words in place of some tokens; "" leaves a token out."""
    return "".join(
        token.text + token.whitespace_ if (word := words.get(place)) is None else word + token.whitespace_ * bool(word)
        for place, token in enumerate(tokens)
    )


@checks_keywords
def add_negation(document: Any) -> str | None:
    """Negate the first sentence whose root is a verb.

    A sentence of fewer than three tokens, with a negation at its verb, or with *thank* or *use* as its verb stays, and
    so does a question with *be* or *how*. Spaces stay as they are, which CheckList's own function doubles.
    ``document`` is a spaCy ``Doc`` with sentences, parts of speech, lemmas and dependencies, or an object like it.
    None where no sentence is negated.

    >>> from spacy.tokens import Doc
    >>> from spacy.vocab import Vocab
    >>> document = Doc(
    ...     Vocab(),
    ...     words=["She", "likes", "it"],
    ...     spaces=[True, True, False],
    ...     lemmas=["she", "like", "it"],
    ...     pos=["PRON", "VERB", "PRON"],
    ...     tags=["PRP", "VBZ", "PRP"],
    ...     heads=[1, 1, 1],
    ...     deps=["nsubj", "ROOT", "dobj"],
    ... )
    >>> add_negation(document)
    "She doesn't like it"
    """
    tokens = _tokens(document, "add_negation")
    for sentence in map(list, document.sents):
        root = next((token for token in sentence if token.dep_ == "ROOT"), None)
        if root is None or len(sentence) < 3 or root.pos_ not in {"VERB", "AUX"} or root.lemma_ in {"thank", "use"}:
            continue
        beside = [token for token in sentence if token.head.i == root.i]
        asks = any(token.text == "?" for token in sentence)
        if any(token.dep_ == "neg" for token in beside) or (
            asks and (root.lemma_ == "be" or sentence[0].text.lower() == "how")
        ):
            continue
        return _joined(tokens, _negated(root, beside))
    return None


def _negated(root: Any, beside: list[Any]) -> dict[int, str]:
    """The words that negate a verb, by the position of the token that they replace."""
    auxiliary = next((token for token in beside if token.dep_ in {"aux", "auxpass"}), None)
    if root.lemma_ == "be":
        finite = root.text.lower() in {"is", "was", "were", "am", "are", "'s", "'re", "'m"}
        return {root.i: f"{root.text} not" if finite else f"not {root.text}"}
    if auxiliary is None:
        helper = "not" if root.tag_ == "VBG" else _DO.get(root.tag_, "don't")
        return {root.i: f"{helper} {root.text if helper == 'not' else root.lemma_}"}
    if auxiliary.lemma_ not in _BEFORE_NOT:
        return {root.i: f"not {root.text}"}
    word = auxiliary.text.lower().replace("\u2019", "'")
    negated = "wouldn't" if (word, auxiliary.lemma_) == ("'d", "would") else _NEGATED.get(word, f"{word}n't")
    written = negated if auxiliary.text[:1].islower() or word[0] == "'" else capitalise(negated)
    return {auxiliary.i: f" {written}" if word[0] == "'" else written}


@checks_keywords
def remove_negation(document: Any) -> str | None:
    """The text without its negations at verbs: "does not work" becomes "works".

    A negation before a mark or after "or" stays. None where there is no negation, or a form of the verb is not known.
    """
    tokens = _tokens(document, "remove_negation")
    words: dict[int, str] = {}
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if not (token.lemma_ == "not" or token.dep_ == "neg") or (after is not None and after.pos_ == "PUNCT"):
            continue
        if before is not None and before.text == "or":
            continue
        words[place] = ""
        helper = "" if before is None else before.text.lower()
        if before is not None and after is not None and before.lemma_ == "do" and after.pos_ == "VERB":
            verb = known_verbs().get(after.lemma_)
            if verb is None or helper not in _FORM_AFTER_DO:
                return None
            words |= {place - 1: "", place + 1: verb[_FORM_AFTER_DO[helper]]}
        elif before is not None and not before.whitespace_:  # a clitic: "won't" is "wo" and "n't"
            words[place - 1] = (_WHOLE.get(helper, before.text)) + token.whitespace_
    made = _joined(tokens, words)
    return (capitalise(made) if tokens and tokens[0].text[:1].isupper() else made) if words else None

"""How a template is written: pronouns, spelling, language, the full stop, brands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.lint.patterns import pattern, patterns, words_of
from fairness_checklist.content.lint.spelling import is_english, is_frequent, right_spelling
from fairness_checklist.content.lint.wording_rules import ADJECTIVE, NAME, SINGULAR
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.locations import data_files

_MID_NAME = re.compile(r"(?<=[\w,;] )(?!I\b)[A-Z][\w'\u2019-]+")
_STARTS = re.compile(r"(?:^|[.!?:\"\u201c] ?)([A-Z][\w\u2019'-]+)")


def pronouns_in(text: str) -> Iterator[str]:
    """The first pronoun in a text with marks that is written out where the term's own belongs."""
    if SINGULAR not in text and NAME not in text:
        before, mark, after = text.partition(ADJECTIVE)
        found = (
            pattern("gendered pronoun").search(pattern("pronoun of both").sub(" ", after))
            if mark and pattern("role").search(before)
            else None
        )
        if found and not _has_antecedent(text) and not pattern("gendered pronoun").search(before):
            yield found.group()
        return
    plain = pattern("pronoun of both").sub(" ", text)
    both = pattern("pronoun of both").search(text)
    if both:
        yield both.group()
        return
    found = pattern("gendered pronoun").search(plain)
    if found:
        if not _has_antecedent(plain) and not _OTHER_PERSON.match(plain):
            yield found.group()
        return
    for sentence in re.split(r"(?<=[.!?])\s+", plain):
        own = pattern("pronoun of they").search(sentence)
        before = sentence[: own.start()] if own else ""
        slot = before.find(SINGULAR) if SINGULAR in before else before.find(NAME)
        if own and 0 <= slot < _FRONT and not pattern("several people").search(before):
            yield own.group()
            return


_OTHER_PERSON = re.compile(
    r"[\"\u201c\u2018']?(?:He|She)\b(?!(?:\s+(?:is|was|has\s+been)|['\u2019]s)\s+(?:an?\s+|the\s+)?[\x01\x03])"
)
_FRONT = 12  # characters: a slot that far from the start is the subject


def _has_antecedent(text: str) -> bool:
    if pattern("gendered noun").search(text) or pattern("animal with a pronoun").search(text):
        return True
    if any(found.group() not in words_of("date") for found in _MID_NAME.finditer(text)):
        return True
    starts = [found[1].removesuffix("'s").removesuffix("\u2019s") for found in _STARTS.finditer(text)]
    return any(
        word in _first_names() or not is_english(word.lower()) for word in starts if word not in words_of("date")
    )


@cache
def _first_names() -> frozenset[str]:
    files = [path for path in data_files("identity_terms", None, "") if path.stem.startswith(("names", "neutral"))]
    return words_of("first name") | {
        term.term for path in files for term in read_terms(path).terms if term.pos == "name"
    }


_NAMES = {
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "de": "German",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "sv": "Swedish",
    "da": "Danish",
    "pl": "Polish",
    "tr": "Turkish",
    "id": "Indonesian",
}


@cache
def _function_words() -> dict[str, frozenset[str]]:
    """The function words by language; those of others that are English words, too, count for English only."""
    return {
        code: words_of(f"function {code}") - (words_of("english too") if code != "en" else set()) for code in _NAMES
    }


QUOTED = re.compile(
    r"[\"\u201c][^\"\u201d]*[\"\u201d]|(?<!\w)['\u2018][^'\u2019]*['\u2019](?!\w)|\u00ab[^\u00bb]*\u00bb"
)
_TWO = 2
_OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2c00-\ua71f\ua800-\ufdff\ufe70-\uffdf]")
_LETTERS = {
    "es": re.compile("[\u00f1\u00bf\u00a1]|\\w\u00f3\\b"),
    "de": re.compile("\u00df"),
    "fr": re.compile("\\b(?:[jJcC]|qu|l|n)['\u2019][a-z\u00e0-\u00ff]"),
}


def other_language(text: str, language: str) -> str:
    """The language in which a text is written if it is another than this, by its function words; else "".

    >>> other_language("Ayer vi el mar y la casa.", "en"), other_language("We sang 'La vida es un sue\u00f1o'.", "en")
    ('Spanish', '')
    """
    if language not in _NAMES:
        return ""
    plain = QUOTED.sub(" ", text)
    start = plain.lstrip("\u00a1\u00bf ")
    plain = start[:1].lower() + start[1:]
    written = re.findall(r"(?<![\w'\u2019])[^\W\d_A-Z]+(?![\w'\u2019])", plain)
    counts = {code: sum(word in some for word in written) for code, some in _function_words().items()}
    for code, letters in _LETTERS.items():
        counts[code] += 2 * (letters.search(plain) is not None)
    best = max(counts, key=lambda code: (counts[code], code == language))
    if re.search(r"[^\W\d_]", plain) and len(_OTHER_SCRIPT.findall(plain)) * 2 > len(re.findall(r"[^\W\d_]", plain)):
        return "another script"
    if (language == DEFAULT and best == language) or not counts[best]:
        strange = [word for word in written if len(word) > _TWO and not is_english(word) and not right_spelling(word)]
        long = [word for word in written if len(word) > _TWO]
        foreign = sum(not is_english(word) for word in long)
        many = len(strange) > 1 and len(strange) * 2 >= len(long)
        if language == DEFAULT and (many or (foreign > _TWO and foreign * 5 >= len(long) * 3)):
            return "another language"
    elif language == DEFAULT and counts[best] > counts[language]:
        strange = [word for word in written if len(word) > _TWO and not is_english(word)]
        if strange and (counts[best] + len(strange)) * 2 >= sum(len(word) > 1 for word in written):
            return _NAMES[best]
    if language != DEFAULT and not counts[language]:
        long = [word for word in written if len(word) > _TWO]
        if len(long) > 1 and all(is_english(word) for word in long) and any(is_frequent(word) for word in long):
            return _NAMES[DEFAULT]
    enough = counts[best] >= (2 if counts[language] == 0 else 3) and counts[best] > 2 * counts[language]
    return _NAMES[best] if best != language and enough else ""


_SIGNED = re.compile(r"(?:[,:;\u2013\u2014-]\s*|\n\s*)\{\}$")
_CLOSES = re.compile(r"[.!?\u2026][)\]\"'\u201d\u2019\u00bb*_~]*$")


def lacks_stop(text: str) -> bool:
    """Whether a sentence ends in a letter, a digit, a bracket or a comma; smileys and slots may end it."""
    bare = text.rstrip()
    if not bare or _CLOSES.search(bare):
        return False
    if _SIGNED.search(bare):
        return False
    last = bare.rstrip(")]\"'\u201d\u2019\u00bb*_~")[-1:]
    return (last.isalnum() or last in "},;:\u2013\u2014-") and not re.search(
        r"[:;=8xX]['-]?[()DPpO/|3]$|<3$|\bx{1,3}$|#\w+$", bare
    )


def brands_in(text: str) -> Iterator[str]:
    """The first brand in a text; those that are common words count inside a sentence and with a capital only."""
    found = next(filter(None, (rule.regex.search(text) for rule in patterns("brand"))), None)
    if found:
        yield found.group()

"""The wording of a template or term: derogatory words, harm, feelings against the label, pronouns, the language.

Texts of templates hold a mark for each slot: `SINGULAR` and the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.core.locations import data_files
from fairness_checklist.extensions.authoring.lint.patterns import (
    all_matches,
    is_english,
    is_frequent,
    pattern,
    patterns,
    rules_left_out,
    words_of,
)

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SINGULAR, PLURAL, ADJECTIVE, NAME, PRONOUN, OTHER = "\x01", "\x02", "\x03", "\x04", "\x05", "\x06"
MARKS = re.compile("[\x01-\x06]")


def harm_in(text: str) -> str:
    """The first wish of harm in a text, unless the words before it refuse it; "" without one."""
    for rule in patterns("harm"):
        for harm in rule.regex.finditer(text):
            if not pattern("harm refused").search(text[: harm.start()]):
                return MARKS.sub("...", harm.group().strip())
    return ""


def threat_in(text: str) -> str:
    """The violence, death or illness that a text which attacks somebody wishes, orders or announces; "" without it."""
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        plain = pattern("threat harmless").sub(" ", sentence)
        threat = pattern("threat of violence").search(plain)
        is_meant = pattern("threat meant").search(plain) or pattern("threat as an order").match(plain)
        if threat and is_meant and pattern("threat at somebody").search(plain):
            return "" if pattern("harm refused").search(plain[: threat.start()]) else threat.group()
    return ""


def phrases_in(text: str, *, is_term: bool = False) -> Iterator[tuple[str, str]]:
    """The derogatory phrases in a text, with what to write instead; some are derogatory in a term for people only."""
    for rules in ("phrase", "phrase as a term") if is_term else ("phrase",):
        matches = [(match.start(), match.group().strip(), rule.advice) for rule, match in all_matches(rules, text)]
        yield from ((phrase, advice) for _start, phrase, advice in sorted(matches))
        if matches:
            return


def words_against(text: str, label: str) -> tuple[str, ...]:
    """The words of feeling in a text when they contradict its label: all of them do, and nothing turns their sense."""
    if label == "nontoxic":
        insult = pattern("insulted").search(text)
        return (MARKS.sub("...", insult.group()),) if insult else ()
    if (
        label not in {"positive", "negative", "neutral", "toxic"}
        or pattern("feeling turned").search(text)
        or "?" in text
    ):
        return ()
    written = re.findall(r"(?<![\w-])[a-z]+(?:-[a-z]+)?(?![\w-])", text[:1].lower() + text[1:])
    mild = words_of("mild") if label == "neutral" else frozenset()  # neutral sentences hold these, too
    good, bad = (tuple(word for word in written if word in words_of(kind) - mild) for kind in ("positive", "negative"))
    if good and bad:
        return ()
    return {"positive": bad, "negative": good, "neutral": good or bad, "toxic": good}[label]


_MID_NAME = re.compile(r"(?<=[\w,;] )(?!I\b)[A-Z][\w'\u2019-]+")
_STARTS = re.compile(r"(?:^|[.!?:\"\u201c] ?)([A-Z][\w\u2019'-]+)")
_FRONT = 12  # characters: a slot that far from the start is the subject


def pronoun_in(text: str) -> str:
    """The first pronoun that is written out where the term's own belongs, not that of somebody else; "" without one."""
    word = pattern("gendered word for the person").search(text)
    if word:
        return word.group().strip("\x01, ").split()[-1]
    gendered, both = pattern("gendered pronoun"), pattern("pronoun of both")
    if SINGULAR not in text and NAME not in text:
        before, mark, after = text.partition(ADJECTIVE)
        match = gendered.search(both.sub(" ", after)) if mark and pattern("role").search(before) else None
        return match.group() if match and not _has_antecedent(text) and not gendered.search(before) else ""
    match = both.search(text)
    if match:
        return match.group()
    match = gendered.search(text)
    if match:
        is_of_another = _has_antecedent(text) or pattern("pronoun of another person").match(text)
        return "" if is_of_another else match.group()
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        they = pattern("pronoun of they").search(sentence)
        before = sentence[: they.start()] if they else ""
        slot = before.find(SINGULAR if SINGULAR in before else NAME)
        if they and 0 <= slot < _FRONT and not pattern("several people").search(before):
            return they.group()
    return ""


def _has_antecedent(text: str) -> bool:
    if pattern("gendered noun").search(text) or pattern("animal with a pronoun").search(text):
        return True
    if any(match.group() not in words_of("date") for match in _MID_NAME.finditer(text)):
        return True
    starts = [match[1].removesuffix("'s").removesuffix("\u2019s") for match in _STARTS.finditer(text)]
    starts = [word for word in starts if word not in words_of("date")]
    # of "my neighbor" the writer knows who it is
    return any(word == "My" or word in _first_names() or not is_english(word.lower()) for word in starts)


@cache
def _first_names() -> frozenset[str]:
    files = [path for path in data_files("identity_terms", None, "") if path.stem.startswith(("names", "neutral"))]
    return words_of("first name") | {
        term.term for path in files for term in read_terms(path).terms if term.pos == "name"
    }


_LANGUAGES = {
    "en": "English", "es": "Spanish", "fr": "French", "de": "German", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "sv": "Swedish", "da": "Danish", "pl": "Polish", "tr": "Turkish", "id": "Indonesian",
    "ru": "Russian", "uk": "Ukrainian", "cs": "Czech", "el": "Greek", "fi": "Finnish", "no": "Norwegian",
    "ar": "Arabic", "he": "Hebrew", "hi": "Hindi", "ja": "Japanese", "ko": "Korean", "zh": "Chinese",
}  # fmt: skip
_TWO = 2
_LIKELY = 0.6  # with less, good sentences of four words are taken for those of another language


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(_LANGUAGES))
    return identifier


def other_language(text: str, language: str) -> str:
    """The language in which a text is written if it is another than this, in the opinion of py3langid; else "".

    >>> other_language("Ayer vi el mar y la casa.", "en"), other_language("We sang 'La vida es un sue\u00f1o'.", "en")
    ('Spanish', '')
    """
    plain = pattern("quoted").sub(" ", text)
    written = [word.lower() for word in re.findall(r"(?<![\w'\u2019])[^\W\d_]+(?![\w'\u2019])", plain)]
    if "language" in rules_left_out():
        return ""
    code, probability = _identifier().classify(plain)
    if code == language or probability < _LIKELY or not written:
        return ""
    long = [word for word in written if len(word) > _TWO]
    if language == DEFAULT and long and sum(map(is_frequent, long)) * 2 > len(long):  # English of which it knows little
        return ""
    return _LANGUAGES[code]


def lacks_stop(text: str) -> bool:
    """Whether a sentence ends in a letter, a digit, a slot or a comma; smileys, hashtags and signatures may end it."""
    return pattern("no stop").search(text) is not None and pattern("end without a stop").search(text) is None


def masked(word: str) -> str:
    return word[0] + "*" * (len(word) - 1)

"""What a template or a term should not say, and how it is written.

The rules read the words of a template with a mark for each slot (see `text_with_marks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.locations import data_files
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.authoring.lint.patterns import (
    all_matches,
    first_match,
    is_english,
    is_frequent,
    misspelled,
    pattern,
    patterns,
    slurs_in,
    words_of,
)

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SINGULAR, _PLURAL, _ADJECTIVE, _NAME, _PRONOUN, _OTHER = "\x01", "\x02", "\x03", "\x04", "\x05", "\x06"
_MARKS = re.compile("[\x01-\x06]")


def text_with_marks(pieces: Sequence[str | Slot]) -> str:
    """The words of a template, with a mark for each slot; a predicate keeps its verb.

    >>> from fairness_checklist.content.slots import parse
    >>> text_with_marks(parse("Even {a:identity_np} and Jo, who {is:identity}, saw {person}."))
    'Even \\x01 and Jo, who is \\x03, saw \\x04.'
    """
    return "".join(piece if isinstance(piece, str) else _mark(piece) for piece in pieces)


def _mark(slot: Slot) -> str:
    if slot.is_list:
        return _OTHER
    if slot.kind == "predicate":
        return f"{slot.form} {_ADJECTIVE}"
    if slot.kind == "pronoun":
        return _PRONOUN
    if slot.kind == "choice":
        return slot.form.split("|")[0]
    if slot.family == "person":
        return _NAME
    if slot.part == "pl" or slot.head.endswith("s"):
        return _PLURAL
    if slot.part == "np" or slot.head:
        return _SINGULAR
    return _OTHER if slot.family in {"country", "religion"} and slot.part != "adj" else _ADJECTIVE


def template_faults(template: Template, pieces: Sequence[str | Slot], *, informal: bool) -> Iterator[tuple[str, str]]:
    """What a template should not say, as (rule, what is wrong)."""
    if not pieces:
        return
    text = text_with_marks(pieces)
    plain = _MARKS.sub("{}", text)
    other = other_language(_MARKS.sub(" ", text), template.language)
    if other:
        yield "language", f"the sentence is in {other}: the file is for {get(template.language).name}"
        return
    phrases = tuple(phrases_in(plain))
    slurs = tuple(slurs_in(plain))
    for slur in slurs:
        if re.search(r"\W", slur) and any(slur in phrase for phrase, _advice in phrases):
            continue
        yield "slur", f"'{_blurred(slur)}' is a slur: no template holds one"
    for phrase, advice in phrases:
        if phrase in slurs and phrase.isalpha():
            continue
        yield "phrase", f"'{phrase}' is derogatory: reword it ({advice})"
    is_tagged = get_task(template.task).tagging
    if not informal and not is_tagged and lacks_stop(plain):
        yield "stop", "the sentence ends without a full stop"
    brand = None if is_tagged else first_match("brand", plain)
    if brand:
        yield "brand", f"'{brand.group()}' is a brand: take a common noun"
    if template.language == DEFAULT:
        meant = template.kind.startswith("spelling")  # errors are what it tests
        for wrong, right in () if meant else misspelled(pattern("quoted").sub(" ", plain), _known_words(DEFAULT)):
            if not any(wrong in slur.lower() for slur in slurs):
                yield "spelling", f"'{wrong}' is misspelled: {right}?"
        yield from _english_faults(template, text)


def _english_faults(template: Template, text: str) -> Iterator[tuple[str, str]]:
    cause = first_match("cause", pattern("identity as a topic").sub("that", text)) if template.symmetric else None
    if cause:
        shown = _MARKS.sub("...", cause.group().strip(" .,!?"))
        yield "cause", f"the identity is a cause, a concession or an exception: '{shown}'"
    spoken = (
        text if template.label == "toxic" else pattern("quoted").sub(" ", text)
    )  # to quote a threat is not to make it
    harm = harm_in(spoken) or (threat_in(spoken) if template.label == "toxic" else "")
    if harm:
        yield "harm", f"'{harm}' wishes harm: take another insult"
    pronoun = "" if cause else pronoun_in(text)  # the sentence has to be written anew anyway
    if pronoun:
        remedy = "take the pronoun of the term, such as {their:identity}"
        yield "pronoun", f"'{pronoun}' is written out beside a slot: {remedy}"
    wrong = pattern("agreement").search(text)
    if wrong:
        yield "agreement", f"'{wrong.group()}' does not agree"
    typed = first_match("punctuation", text)
    if typed or text.count('"') % 2:
        shown = f"'{typed.group()}' is mistyped" if typed else "a quotation mark is not closed"
        yield "punctuation", shown
    against = () if template.hard else words_against(spoken, template.label)
    if against:
        shown = ", ".join(f"'{word}'" for word in against)
        yield "lexicon", f"{shown} in a sentence with the label {template.label}: check the label, or mark it as hard"


def harm_in(text: str) -> str:
    """The first wish of harm in a text, unless the words before it refuse it; "" without one."""
    for rule in patterns("harm"):
        for harm in rule.regex.finditer(text):
            if not pattern("harm refused").search(text[: harm.start()]):
                return _MARKS.sub("...", harm.group().strip())
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
        return (_MARKS.sub("...", insult.group()),) if insult else ()
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
    if _SINGULAR not in text and _NAME not in text:
        before, mark, after = text.partition(_ADJECTIVE)
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
        own = pattern("pronoun of they").search(sentence)
        before = sentence[: own.start()] if own else ""
        slot = before.find(_SINGULAR if _SINGULAR in before else _NAME)
        if own and 0 <= slot < _FRONT and not pattern("several people").search(before):
            return own.group()
    return ""


def _has_antecedent(text: str) -> bool:
    if pattern("gendered noun").search(text) or pattern("animal with a pronoun").search(text):
        return True
    if any(match.group() not in words_of("date") for match in _MID_NAME.finditer(text)):
        return True
    starts = [match[1].removesuffix("'s").removesuffix("\u2019s") for match in _STARTS.finditer(text)]
    return any(
        word in _first_names() or not is_english(word.lower()) for word in starts if word not in words_of("date")
    )


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
    code, probability = _identifier().classify(plain)
    if code == language or probability < _LIKELY or not written:
        return ""
    long = [word for word in written if len(word) > _TWO]
    if language == DEFAULT and long and sum(map(is_frequent, long)) * 2 > len(long):  # English of which it knows little
        return ""
    return _LANGUAGES[code]


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


@cache
def _known_words(language: str) -> frozenset[str]:
    """The words of the shipped terms."""
    files = data_files("identity_terms", None, "" if language == DEFAULT else language)
    written = (f"{row.term} {row.plural} {row.adjective}".lower() for path in files for row in read_terms(path).terms)
    return frozenset(word for cells in written for word in re.findall(r"[^\W\d_]+", cells))


def _blurred(word: str) -> str:
    return word[0] + "*" * (len(word) - 1)


def is_no_source(source: str) -> bool:
    """Whether a source names nothing that can be looked up; "from memory" and "not sourced" say so and are fine.

    >>> [is_no_source(one) for one in ("internet", "my friend told me", "?", "from memory", "Merriam-Webster")]
    [True, True, True, False, False]
    """
    written = source.strip().lower()
    if (
        not written
        or written.replace(" ", "_") in words_of("admits no source")
        or written.startswith(("our own", "own survey", "survey by the authors"))
    ):
        return False
    written_words = re.findall(r"[^\W\d_]+", re.sub(r"['\u2019.]|(?<=\bn)/(?=a\b)", "", written))
    if (
        all(word in words_of("no source") for word in written_words)
        or pattern("search page").match(written) is not None
    ):
        return True
    is_plain = source.strip() == written and re.search(r"[\d.@/]", written) is None  # no name, no year, no address
    return (
        is_plain
        and not words_of("our source") & set(written_words)
        and all(is_english(word) or word in words_of("no source") for word in written_words)
    )


def term_faults(term: IdentityTerm) -> Iterator[tuple[str, str]]:
    """Terms that are slurs or derogatory and not dispreferred, and sources that are none, as (rule, what is wrong)."""
    if term.status != "dispreferred":
        written = " / ".join(filter(None, dict.fromkeys((term.term, term.plural, term.adjective))))
        slur = next(
            (hit for part in written.split(" / ") for hit in slurs_in(part, is_term=term.pos not in {"name", "place"})),
            "",
        )
        if slur:
            yield "slur", f"'{_blurred(slur)}' is a slur or derogatory and given as {term.status}: write dispreferred"
        else:
            for phrase, advice in phrases_in(term.term, is_term=True):
                given = f"'{phrase}' is derogatory and given as {term.status}"
                yield "phrase", f"{given}: write dispreferred, or take another ({advice})"
                break
    if is_no_source(term.source):
        yield "source", f"'{term.source}' names no source: name a work and its year, or write 'from memory'"

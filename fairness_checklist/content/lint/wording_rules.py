"""What a text says: identities as causes, wishes of harm, derogatory phrases, words of feeling against the label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fairness_checklist.content.lint.patterns import pattern, patterns, words_of
from fairness_checklist.content.slots import Slot

SINGULAR, PLURAL, ADJECTIVE, NAME, PRONOUN, OTHER = "\x01", "\x02", "\x03", "\x04", "\x05", "\x06"
"""What stands for a slot in the text that the rules read."""


def text_with_marks(pieces: Sequence[str | Slot]) -> str:
    """The words of a template, with a mark for each slot; a predicate keeps its verb.

    >>> from fairness_checklist.content.slots import parse
    >>> text_with_marks(parse("Even {a:identity_np} and Jo, who {is:identity}, saw {person}."))
    'Even \\x01 and Jo, who is \\x03, saw \\x04.'
    """
    return "".join(piece if isinstance(piece, str) else _mark(piece) for piece in pieces)


def _mark(slot: Slot) -> str:
    if slot.is_list:
        return OTHER
    if slot.kind == "predicate":
        return f"{slot.form} {ADJECTIVE}"
    if slot.kind == "pronoun":
        return PRONOUN
    if slot.kind == "choice":
        return slot.form.split("|")[0]
    if slot.family == "person":
        return NAME
    if slot.part == "pl" or slot.head.endswith("s"):
        return PLURAL
    if slot.part == "np" or slot.head:
        return SINGULAR
    return OTHER if slot.family in {"country", "religion"} and slot.part != "adj" else ADJECTIVE


def causes_in(text: str) -> Iterator[str]:
    """The first wording of a text in which an identity is a cause, a concession or an exception."""
    for rule in patterns("cause"):
        found = rule.regex.search(text)
        if found:
            yield re.sub("[\x01-\x06]", "...", found.group().strip(" .,!?"))
            return


def harms_in(text: str) -> Iterator[str]:
    """The first wish of harm in a text, unless the words before it refuse it."""
    for rule in patterns("harm"):
        for found in rule.regex.finditer(text):
            if not pattern("harm refused").search(text[: found.start()]):
                yield re.sub("[\x01-\x06]", "...", found.group().strip())
                return


def threats_in(text: str) -> Iterator[str]:
    """The first sentence of a hostile text in which violence, death or illness is wished, ordered or announced."""
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        plain = pattern("threat harmless").sub(" ", sentence)
        found = pattern("threat of violence").search(plain)
        is_meant = pattern("threat meant").search(plain) or pattern("threat as an order").match(plain)
        if found and is_meant and pattern("threat at somebody").search(plain):
            if not pattern("harm refused").search(plain[: found.start()]):
                yield found.group()
            return


def phrases_in(text: str, *, is_term: bool = False) -> Iterator[tuple[str, str]]:
    """The derogatory phrases in a text, with what to write instead."""
    found = [
        (match.start(), match.group().strip(), rule.advice)
        for rule in patterns("phrase")
        if (match := rule.regex.search(text))
    ]
    [as_term] = patterns("phrase as a term")
    if is_term and not found and (match := as_term.regex.search(text)):
        found.append((match.start(), match.group(), as_term.advice))
    for _start, phrase, advice in sorted(found):
        yield phrase, advice


def words_against(text: str, label: str) -> tuple[str, ...]:
    """The words of feeling in a text when they contradict its label: all of them do, and nothing turns their sense."""
    if label not in {"positive", "negative", "neutral"} or pattern("feeling turned").search(text) or "?" in text:
        return ()
    written = re.findall(r"(?<![\w-])[a-z]+(?:-[a-z]+)?(?![\w-])", text[:1].lower() + text[1:])
    mild = words_of("mild") if label == "neutral" else frozenset()  # neutral sentences hold these, too
    good, bad = (tuple(one for one in written if one in words_of(kind) - mild) for kind in ("positive", "negative"))
    if good and bad:
        return ()
    return {"positive": bad, "negative": good, "neutral": good or bad}[label]

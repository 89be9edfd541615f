"""What is wrong with a file of templates, before anything is filled."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from fairness_checklist.errors import InputError
from fairness_checklist.grammar import DEFAULT
from fairness_checklist.grammar.english.senses import other_senses
from fairness_checklist.lint.finding import Finding
from fairness_checklist.lint.words import MINOR_IN_TEXT, ROMANCE, capital_missing
from fairness_checklist.locations import shown_path
from fairness_checklist.marks import reveal
from fairness_checklist.slots import Slot, parse
from fairness_checklist.tasks import get_task
from fairness_checklist.templates import Template, read_templates

__all__ = ["is_chat", "lint_templates", "literals"]

_FEW = 8  # in smaller sets no length is that of an outlier
_LONGER_BY = 15
_SHORTER_BY = 4
_ABBREVIATED = re.compile(
    r"(?:^|[\s(\"'\u201c\u2018])(?:Dr|Mr|Mrs|Ms|Mx|Prof|St|Jr|Sr|vs|etc|approx|Inc|Ltd|Co|Corp|Nos?|Vol|Fig|dept|apt|Ave|Blvd|cf"
    r"|Sra?|Dra?|D|Ud|Uds|núm|pág|\w|(?:\w\.)+\w)\.$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<!\.)[.!?]$")
_NEXT = re.compile(r"(?<!\.)[.!?] (?=[^\W\d_])")
_LEFT = re.compile(r"\]\s*\(|\(\s*(?:PER|LOC|ORG|MISC)\s*\)")
_SMALL_I = re.compile(r"(?:^|(?<=[\s\"\u201c(]))i(?=[\s,]|['\u2019](?:m|ve|d|ll)\b)")


def lint_templates(path: Path, lists: Sequence[str]) -> Iterator[Finding]:
    """The findings about one file of templates.

    Args:
        path: a file that can be read.
        lists: the names of the user's lists; templates that cannot be parsed are told when they are filled.
    """
    templates, place = read_templates(path), shown_path(path)
    of_task: defaultdict[str, list[Template]] = defaultdict(list)
    for template in templates:
        of_task[template.task].append(template)
    for some in of_task.values():
        yield from _balance(some, place)
        yield from _lengths(some)
    yield from _paraphrases(templates)
    for template in templates:
        for rule, fault in _faults(template, lists):
            yield Finding(template.place, rule, f"{fault}.")


def literals(template: Template, lists: Sequence[str]) -> tuple[str | Slot, ...]:
    """The pieces of a template with the words of its marks, nothing of one that does not parse."""
    try:
        pieces = parse(template.text, template.place, lists, template.language)
    except InputError:
        return ()
    return tuple(reveal(piece)[0] if isinstance(piece, str) else piece for piece in pieces)


def _faults(template: Template, lists: Sequence[str]) -> Iterator[tuple[str, str]]:
    pieces = literals(template, lists)
    words = "".join(piece if isinstance(piece, str) else "{}" for piece in pieces)
    minor = MINOR_IN_TEXT.search(words)
    if minor and template.label == "toxic":
        yield "minor", f"'{minor.group()}' in a hostile sentence: no minor stands in one"
    romance = ROMANCE.search(words) if minor else None
    if minor and romance:
        yield "minor", f"'{minor.group()}' beside '{romance.group()}': no minor stands in a romantic or sexual sentence"
    if _LEFT.search(words) or (get_task(template.task).tagging and re.search(r"[\[\]]", words)):
        yield "parse", "a bracket is left that marks no entity: write [text](TYPE), without a space"
    if template.language != DEFAULT:
        return
    for sense in other_senses(words):
        yield "sense", f"'{sense}' has another sense than the word for people: take another"
    if not is_chat(pieces):
        yield from _capitals(pieces)


def is_chat(pieces: Sequence[str | Slot]) -> bool:
    """Whether a template is in small letters throughout, as people type: no sentence starts with a capital or ends."""
    if not pieces or not isinstance(pieces[0], str) or not pieces[0][:1].islower():
        return False
    text = "".join(piece if isinstance(piece, str) else "{}" for piece in pieces)
    starts = [text[found.end()] for found in _NEXT.finditer(text)]
    return not any(letter.isupper() for letter in starts) and not text.rstrip().endswith(".")


def _capitals(pieces: Sequence[str | Slot]) -> Iterator[tuple[str, str]]:
    before = ""
    for piece in pieces:
        if isinstance(piece, Slot):
            yield from _capital_of_slot(piece, before)
            before += "{}"
            continue
        text = before + piece
        for found in _NEXT.finditer(text, max(len(before) - 2, 0)):
            word = text[found.end() :].split(" ")[0]
            if word[0].islower() and not _ABBREVIATED.search(text[: found.end() - 1]):
                yield "capital", f"'{word}' after a full stop begins with a small letter"
                break
        small = capital_missing(piece) or ("i" if _SMALL_I.search(piece) else "")
        if small:
            yield "capital", f"'{small}' is written with a capital"
        before = text


def _capital_of_slot(slot: Slot, before: str) -> Iterator[tuple[str, str]]:
    changes = slot.kind or slot.family == "identity" or slot.is_list  # a bare name has its capital anyway
    if not changes:
        return
    start = _starts_sentence(before)
    if slot.capital and start is False:
        yield "capital", f"{slot.raw} stands inside a sentence: write {_other_case(slot.raw)}"
    elif not slot.capital and start is True and before.strip():
        yield "capital", f"{slot.raw} stands after a full stop: write {_other_case(slot.raw)}"


def _starts_sentence(before: str) -> bool | None:
    """Whether a sentence starts after these words; None where it may (after a colon, an opening quote, a dash)."""
    text = before.rstrip()
    bare = text.rstrip("\"'\u201c\u201d\u2018\u2019()[]")
    if not bare:
        return True
    if bare != text:  # a quotation opens or ends: either may be meant
        return None
    if _ENDS.search(bare) and before[-1:].isspace():
        return None if _ABBREVIATED.search(bare) else True
    return None if bare[-1] in ":-\u2013\u2014\u2026*#./|>0123456789" else False


def _other_case(raw: str) -> str:
    first = raw[1].lower() if raw[1].isupper() else raw[1].upper()
    return "{" + first + raw[2:]


def _balance(templates: Sequence[Template], place: str) -> Iterator[Finding]:
    """Labels and targets that are not balanced."""
    labels = Counter(template.label for template in templates if template.label)
    if len(set(labels.values())) > 1:
        shown = ", ".join(f"{count} {label}" for label, count in sorted(labels.items()))
        yield Finding(place, "balance", f"the labels are not balanced: {shown}.")
    targets: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for template in templates:
        if template.target:
            targets[template.target][template.label] += 1
    for target, count in targets.items():
        if len(labels) > 1 and max(count.values()) - min(count[label] for label in labels) > 1:
            shown = ", ".join(f"{count[label]} {label}" for label in sorted(labels))
            yield Finding(place, "balance", f"the target {target} is not balanced over the labels: {shown}.")


def _lengths(templates: Sequence[Template]) -> Iterator[Finding]:
    """Templates whose number of words is far from the median of their task in the file."""
    counts = [len(template.text.split()) for template in templates]
    if len(counts) < _FEW:
        return
    middle = median(counts)
    spread = 1.4826 * median(abs(count - middle) for count in counts)
    longest, shortest = middle + max(5 * spread, _LONGER_BY), middle / _SHORTER_BY
    for template, count in zip(templates, counts, strict=True):
        if not shortest <= count <= longest:
            far = "long" if count > longest else "short"
            message = f"the template is very {far}: {count} words, where the middle of the file is {middle:g}."
            yield Finding(template.place, "length", message)


def _paraphrases(templates: Sequence[Template]) -> Iterator[Finding]:
    known = {template.id: template for template in templates}
    for template in templates:
        original = known.get(template.paraphrase_of)
        if not template.paraphrase_of:
            continue
        if original is None:
            yield Finding(template.place, "paraphrase", f"there is no template {template.paraphrase_of}.")
        elif original is template:
            yield Finding(template.place, "paraphrase", "it is said to be a rewording of itself.")
        elif original.paraphrase_of:
            message = f"{original.id} is a rewording itself, of {original.paraphrase_of}: name the original."
            yield Finding(template.place, "paraphrase", message)
        elif original.label != template.label:
            yield Finding(template.place, "paraphrase", f"its label is not that of {original.id}.")
        elif original.target != template.target:
            yield Finding(template.place, "paraphrase", f"its target is not that of {original.id}.")

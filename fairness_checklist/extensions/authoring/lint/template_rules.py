"""What is wrong with a file of templates, and with the words of each template.

The rules read the words with a mark for each slot (see `text_with_marks`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import Template, read_templates
from fairness_checklist.content.term_files import attributes, load_terms, read_terms
from fairness_checklist.core.locations import data_files, display_path
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.authoring.lint.findings import LintFinding
from fairness_checklist.extensions.authoring.lint.patterns import (
    capital_missing,
    first_match,
    misspelled,
    pattern,
    slurs_in,
)
from fairness_checklist.extensions.authoring.lint.slot_rules import NEXT_SENTENCE, SlotContext, slot_context
from fairness_checklist.extensions.authoring.lint.wording import (
    ADJECTIVE,
    MARKS,
    NAME,
    OTHER,
    PLURAL,
    PRONOUN,
    SINGULAR,
    harm_in,
    lacks_stop,
    masked,
    other_language,
    phrases_in,
    pronoun_in,
    threat_in,
    words_against,
)

_FEW = 8  # in smaller sets no length is that of an outlier
_LONGER_BY = 15
_SHORTER_BY = 4
_ENDS = re.compile(r"(?<!\.)[.!?]$")


def lint_templates(path: Path, lists: Sequence[str], more: Sequence[Path] | None = None) -> Iterator[LintFinding]:
    """The findings about one file of templates; ``more`` are the user's terms."""
    templates, place = read_templates(path), display_path(path)

    @cache
    def words_of_attribute(name: str) -> frozenset[str]:
        """None where a file of templates is for several attributes or for every one."""
        listed = load_terms(name, tuple(more or ())).terms if name in attributes(tuple(more or ())) else ()
        return frozenset(word for term in listed for word in re.findall(r"\w+", term.term.lower()))

    of_task: defaultdict[str, list[Template]] = defaultdict(list)
    for template in templates:
        of_task[template.task].append(template)
    for same_task in of_task.values():
        yield from _balance(same_task, place)
        for hard in (False, True):
            yield from _lengths([template for template in same_task if template.hard == hard])
    yield from _paraphrases(templates)
    for template in templates:
        name = (template.attribute or path.stem).partition(".")[0] if template.language == DEFAULT else ""
        for rule, fault in _faults(template, slot_context(template, lists), words_of_attribute(name)):
            yield LintFinding(template.place, rule, f"{fault}.")


def _faults(template: Template, context: SlotContext, term_words: Collection[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the words of a template, as (rule, what is wrong)."""
    if not context.pieces:
        return
    text = text_with_marks(context.pieces)
    words = "".join(piece if isinstance(piece, str) else "{}" for piece in context.pieces)
    is_english_file, is_tagged = template.language == DEFAULT, get_task(template.task).tagging
    minor = pattern("minor").search(words)
    if minor and template.label == "toxic":
        yield "minor", f"'{minor.group()}' in a hostile sentence: it must not mention a minor"
    if minor and (romance := pattern("romance").search(words)):
        both = f"'{minor.group()}' with '{romance.group()}'"
        yield "minor", f"{both}: a romantic or sexual sentence must not mention a minor"
    if pattern("mark without a type").search(words) or (is_tagged and re.search(r"[\[\]]", words)):
        yield "parse", "a bracket is left that marks no entity: write [text](TYPE), without a space"
    if is_english_file and not context.is_informal:
        yield from _capitals(context.pieces)
    for idiom in pattern("idiom").finditer(words) if is_english_file else ():
        if not term_words or re.split(r"[ -]", idiom.group().lower())[0] in term_words:
            yield "sense", f"'{idiom.group()}' has another sense than the word for people: take another"
    other = other_language(MARKS.sub(" ", text), template.language)
    if other:
        yield "language", f"the sentence is in {other}: the file is for {get(template.language).name}"
        return
    plain = MARKS.sub("{}", text)
    if not is_tagged:
        if not context.is_informal and lacks_stop(plain):
            yield "stop", "the sentence ends without a full stop"
        if brand := first_match("brand", plain):
            yield "brand", f"'{brand.group()}' is a brand: take a common noun"
    slurs, phrases = tuple(slurs_in(plain)), tuple(phrases_in(plain))
    for slur in slurs:
        if slur.isalnum() or not any(slur in phrase for phrase, _advice in phrases):
            yield "slur", f"'{masked(slur)}' is a slur: no template holds one"
    for phrase, advice in phrases:
        if phrase not in slurs or not phrase.isalpha():
            yield "phrase", f"'{phrase}' is derogatory: reword it ({advice})"
    if is_english_file:
        is_meant = template.kind.startswith("spelling")  # errors are what it tests
        for wrong, right in () if is_meant else misspelled(pattern("quoted").sub(" ", plain), _words_of_terms()):
            if not any(wrong in slur.lower() for slur in slurs):
                yield "spelling", f"'{wrong}' is misspelled: {right}?"
        yield from _english_faults(template, text)


def text_with_marks(pieces: Sequence[str | Slot]) -> str:
    """The words of a template, with a mark for each slot; a predicate keeps its verb.

    >>> from fairness_checklist.content.slots import parse
    >>> text_with_marks(parse("Even {a:identity_np} and Jo, who {is:identity}, saw {person}."))
    'Even \\x01 and Jo, who is \\x03, saw \\x04.'
    """
    return "".join(piece if isinstance(piece, str) else _mark(piece) for piece in pieces)


def _mark(slot: Slot) -> str:
    if slot.kind == "predicate":
        return f"{slot.form} {ADJECTIVE}"
    if slot.kind == "choice":
        return slot.form.split("|")[0]
    if slot.is_list or slot.kind == "pronoun":
        return OTHER if slot.is_list else PRONOUN
    if slot.family == "person":
        return NAME
    if slot.part == "pl" or slot.head.endswith("s"):
        return PLURAL
    if slot.part == "np" or slot.head:
        return SINGULAR
    return OTHER if slot.family in {"country", "religion"} and slot.part != "adj" else ADJECTIVE


def _english_faults(template: Template, text: str) -> Iterator[tuple[str, str]]:
    cause = first_match("cause", pattern("identity as a topic").sub("that", text)) if template.symmetric else None
    if cause:
        phrase = MARKS.sub("...", cause.group().strip(" .,!?"))
        yield "cause", f"the identity is a cause, a concession or an exception: '{phrase}'"
    elif pronoun := pronoun_in(text):  # with a cause the sentence has to be written anew anyway
        yield (
            "pronoun",
            f"'{pronoun}' is written out beside a slot: take the pronoun of the term, such as {{their:identity}}",
        )
    is_toxic = template.label == "toxic"
    spoken = text if is_toxic else pattern("quoted").sub(" ", text)  # to quote a threat is not to make it
    if harm := harm_in(spoken) or (threat_in(spoken) if is_toxic else ""):
        yield "harm", f"'{harm}' wishes harm: take another insult"
    if wrong := pattern("agreement").search(text):
        yield "agreement", f"'{wrong.group()}' does not agree"
    if typed := first_match("punctuation", text):
        yield "punctuation", f"'{typed.group()}' is mistyped"
    elif text.count('"') % 2:
        yield "punctuation", "a quotation mark is not closed"
    if against := () if template.hard else words_against(spoken, template.label):
        quoted = ", ".join(f"'{word}'" for word in against)
        yield "lexicon", f"{quoted} in a sentence with the label {template.label}: check the label, or mark it as hard"


def _capitals(pieces: Sequence[str | Slot]) -> Iterator[tuple[str, str]]:
    before = ""
    for piece in pieces:
        if isinstance(piece, Slot):
            # a bare name has its capital anyway
            starts = _starts_sentence(before) if piece.kind or piece.family == "identity" or piece.is_list else None
            other_case = "{" + piece.raw[1:].replace(piece.raw[1], piece.raw[1].swapcase(), 1)
            if piece.capital and starts is False:
                yield "capital", f"{piece.raw} is inside a sentence: write {other_case}"
            elif not piece.capital and starts and before.strip():
                yield "capital", f"{piece.raw} comes after a full stop: write {other_case}"
            before += "{}"
            continue
        text = before + piece
        for match in NEXT_SENTENCE.finditer(text, max(len(before) - 2, 0)):
            word = text[match.end() :].split(" ")[0]
            if word[0].islower() and not pattern("abbreviation").search(text[: match.end() - 1]):
                yield "capital", f"'{word}' after a full stop begins with a small letter"
                break
        small = capital_missing(piece) or ("i" if pattern("small i").search(piece) else "")
        if small:
            yield "capital", f"'{small}' is written with a capital"
        before = text


def _starts_sentence(before: str) -> bool | None:
    """Whether a sentence starts after these words; None where it may (after a colon, an opening quote, a dash)."""
    text = before.rstrip()
    bare = text.rstrip("\"'\u201c\u201d\u2018\u2019()[]")
    if not bare:
        return True
    if bare != text:  # a quotation opens or ends: either may be meant
        return None
    if _ENDS.search(bare) and before[-1:].isspace():
        return None if pattern("abbreviation").search(bare) else True
    return None if bare[-1] in ":-\u2013\u2014\u2026*#./|>0123456789" else False


def _balance(templates: Sequence[Template], place: str) -> Iterator[LintFinding]:
    labels = Counter(template.label for template in templates if template.label)
    if len(set(labels.values())) > 1:
        counts = ", ".join(f"{number} {label}" for label, number in sorted(labels.items()))
        yield LintFinding(place, "balance", f"the labels are not balanced: {counts}.")
    targets: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for template in templates:
        if template.target:
            targets[template.target][template.label] += 1
    for target, numbers in targets.items():
        if len(labels) > 1 and max(numbers.values()) - min(numbers[label] for label in labels) > 1:
            counts = ", ".join(f"{numbers[label]} {label}" for label in sorted(labels))
            yield LintFinding(place, "balance", f"the target {target} is not balanced over the labels: {counts}.")


def _lengths(templates: Sequence[Template]) -> Iterator[LintFinding]:
    """Templates with a number of words far from the median of their task in the file, hard ones among themselves."""
    counts = [len(template.text.split()) for template in templates]
    if len(counts) < _FEW:
        return
    middle = median(counts)
    spread = 1.4826 * median(abs(length - middle) for length in counts)
    longest, shortest = middle + max(5 * spread, _LONGER_BY), middle / _SHORTER_BY
    for template, length in zip(templates, counts, strict=True):
        if not shortest <= length <= longest:
            far = "long" if length > longest else "short"
            message = f"the template is very {far}: {length} words, where the middle of the file is {middle:g}."
            yield LintFinding(template.place, "length", message)


def _paraphrases(templates: Sequence[Template]) -> Iterator[LintFinding]:
    by_id = {template.id: template for template in templates}
    for template in templates:
        original = by_id.get(template.paraphrase_of)
        if not template.paraphrase_of:
            continue
        message = ""
        if original is None:
            message = f"there is no template {template.paraphrase_of}."
        elif original is template:
            message = "paraphrase_of names the template itself."
        elif original.paraphrase_of:
            message = f"{original.id} is a rewording itself, of {original.paraphrase_of}: name the original."
        elif original.label != template.label:
            message = f"its label is not that of {original.id}."
        elif original.target != template.target:
            message = f"its target is not that of {original.id}."
        if message:
            yield LintFinding(template.place, "paraphrase", message)


@cache
def _words_of_terms() -> frozenset[str]:
    """The words of the shipped English terms."""
    files = data_files("identity_terms", None, "")
    cells = (f"{row.term} {row.plural} {row.adjective}".lower() for path in files for row in read_terms(path).terms)
    return frozenset(word for text in cells for word in re.findall(r"[^\W\d_]+", text))

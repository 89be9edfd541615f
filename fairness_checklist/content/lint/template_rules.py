"""Words that the linter's rules are about, other than those of senses: minors, romance, words with a capital."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from fairness_checklist.content.grammar.english_words import other_senses
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.lint.findings import Finding
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.templates import Template, read_templates
from fairness_checklist.core.entity_marks import extract_entities
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.locations import display_path
from fairness_checklist.core.tasks import get_task

_MINORS = {
    "en": frozenset(
        """
        girl boy child kid teen teenager teenage adolescent infant toddler baby newborn minor schoolgirl schoolboy
        schoolchild juvenile underage tween preteen preschooler kindergartner grandchild stepchild youngster schoolkid
        """.split()  # noqa: SIM905 - a list of words reads better as text
    ),
    "es": frozenset("niña niño niñe bebé adolescente menor criatura colegial colegiala infante".split()),  # noqa: SIM905 - a list of words reads better as text
}
_PLURALS = {"girls": "girl", "boys": "boy", "children": "child", "kids": "kid", "teens": "teen", "babies": "baby"}
_AGE = re.compile(
    r"\b(\d+)[ -](?:year|month|week|day)s?[ -]olds?\b|\b(?:aged?|of|de) (\d+)(?: years)?(?: old)?(?: años)?$"
    r"|\b(?:under|below) (?:the age of )?(\d+)\b"
)
_TEENS = re.compile(
    r"\bin (?:their|her|his) (?:early |mid-?|late )?teens\b|\b(?:in|of) (?:grade|elementary|middle) school\b"
)
_UNDER = re.compile(r"\b(?:under|below)\b")
MINOR_IN_TEXT = re.compile(
    r"\b(?:girls?|boys?|child|children|kids?|teen(?:ager)?s?|teenage|adolescents?|infants?|toddlers?|bab(?:y|ies)"
    r"|newborns?|school(?:girl|boy)s?|(?:[1-9]|1[0-7])-(?:year|month)-olds?"
    r"|niñ[aoe]s?|bebés?|adolescentes?)\b(?!-)",
    re.IGNORECASE,
)
"""A minor in the words of a template."""

ROMANCE = re.compile(
    r"\b(?:kiss(?:e[ds]|ing)?|flirt(?:s|ed|ing|y)?|dating|(?:on|for) a date|a date with|blind date|lovers?|sexy"
    r"|sexual(?:ly)?|sex|naked|nude|seduc(?:e[ds]?|ing|tive)|made? love|making love|romantic(?:ally)?|romance|erotic"
    r"|in love with|(?:a|has|had) crush on|(?:my|his|her|their) crush|married|marry|engaged to|honeymoon"
    r"|undress(?:ed|ing)?|lust(?:s|ed|ing|ful)?|bes(?:ó|aba|ar|os?)|desnud[ao]s?|enamorad[ao]s?|seduc(?:ir|ía|tor\w*))\b",
    re.IGNORECASE,
)
"""A romantic or sexual word in a template."""

_ALWAYS = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february april june july september october november
    december english spanish french german italian portuguese russian chinese japanese korean indian mexican canadian
    american african asian european australian brazilian british irish scottish welsh dutch danish swedish norwegian
    finnish greek turkish egyptian nigerian kenyan ethiopian israeli iraqi iranian pakistani vietnamese filipino thai
    latino latina latinx hispanic muslim islam islamic christian christianity catholic protestant jewish judaism jew
    jews hindu hinduism buddhist buddhism sikh sikhism mormon baha'i dalit adivasi africa america europe asia australia
    england london paris christmas easter ramadan hanukkah diwali
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
_LOWER_COMPOUNDS = re.compile(r"\b(?:french (?:fries|toast|press|kiss|doors?)|danish pastr|dutch oven|german shepherd)")


def means_a_minor(term: str, pos: str, language: str) -> bool:
    """Whether a term means a minor, judged by its words.

    >>> [means_a_minor(*one, "en") for one in (("trans girl", "noun"), ("with children", "pp"), ("teenage", "adj"))]
    [True, False, True]
    >>> [means_a_minor(term, "noun", "en") for term in ("12-year-old", "18-year-old", "adult without kids")]
    [True, False, False]
    """
    for found in _AGE.finditer(term):
        years = int(next(filter(None, found.groups())))
        if years < 18 or (years == 18 and _UNDER.search(found.group())):
            return True
    if _TEENS.search(term):
        return True
    if pos == "pp" or term.lower().startswith("child of ") or pos in {"name", "place", "faith"}:
        return False
    head = get(language).head_of(re.split(r" (?:of|with|without|who|from|in|de|con|que)\b", term)[0].lower().strip())
    return _PLURALS.get(head, head) in _MINORS.get(language, frozenset())


def capital_missing(text: str) -> str:
    """The first word in a text that is always written with a capital and is small here, or "".

    >>> capital_missing("We met on monday."), capital_missing("an english-speaking Monday")
    ('monday', 'english')
    >>> capital_missing("in March we may march on fries"), capital_missing("french fries")
    ('', '')
    """
    small = re.sub(r"\{[^}]*\}", "{}", _LOWER_COMPOUNDS.sub("", text))
    for word in re.findall(r"[A-Za-z']+", small):
        if word in _ALWAYS:
            return str(word)
    return ""


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
        lists: the names of the user's lists; templates that cannot be parsed are reported when they are filled.
    """
    templates, place = read_templates(path), display_path(path)
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
    return tuple(extract_entities(piece)[0] if isinstance(piece, str) else piece for piece in pieces)


def _faults(template: Template, lists: Sequence[str]) -> Iterator[tuple[str, str]]:
    pieces = literals(template, lists)
    words = "".join(piece if isinstance(piece, str) else "{}" for piece in pieces)
    minor = MINOR_IN_TEXT.search(words)
    if minor and template.label == "toxic":
        yield "minor", f"'{minor.group()}' in a hostile sentence: it must not mention a minor"
    romance = ROMANCE.search(words) if minor else None
    if minor and romance:
        yield (
            "minor",
            f"'{minor.group()}' with '{romance.group()}': a romantic or sexual sentence must not mention a minor",
        )
    if _LEFT.search(words) or (get_task(template.task).tagging and re.search(r"[\[\]]", words)):
        yield "parse", "a bracket is left that marks no entity: write [text](TYPE), without a space"
    if template.language != DEFAULT:
        return
    for sense in other_senses(words):
        yield "sense", f"'{sense}' has another sense than the word for people: take another"
    if not is_informal(pieces):
        yield from _capitals(pieces)


def is_informal(pieces: Sequence[str | Slot]) -> bool:
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
        yield "capital", f"{slot.raw} is inside a sentence: write {_other_case(slot.raw)}"
    elif not slot.capital and start is True and before.strip():
        yield "capital", f"{slot.raw} comes after a full stop: write {_other_case(slot.raw)}"


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
    """Templates with a number of words far from the median of their task in the file."""
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
            yield Finding(template.place, "paraphrase", "paraphrase_of names the template itself.")
        elif original.paraphrase_of:
            message = f"{original.id} is a rewording itself, of {original.paraphrase_of}: name the original."
            yield Finding(template.place, "paraphrase", message)
        elif original.label != template.label:
            yield Finding(template.place, "paraphrase", f"its label is not that of {original.id}.")
        elif original.target != template.target:
            yield Finding(template.place, "paraphrase", f"its target is not that of {original.id}.")

"""What is wrong with a file of templates or of terms."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import median

from fairness_checklist.content.grammar.english_articles import plural
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.templates import Template, read_templates
from fairness_checklist.content.term_files import attributes, load_terms, read_terms
from fairness_checklist.content.terms import STATUS, IdentityTerm, TermList, doubt_about, lexemes_of
from fairness_checklist.core.errors import InputError, count
from fairness_checklist.core.lexemes import holds_lemma
from fairness_checklist.core.locations import data_files, display_path
from fairness_checklist.core.sentences import extract_entities
from fairness_checklist.core.tasks import get_task
from fairness_checklist.extensions.authoring.lint.content_rules import phrases_in, template_faults, term_faults
from fairness_checklist.extensions.authoring.lint.findings import FileCell, LintFinding, read_raw
from fairness_checklist.extensions.authoring.lint.patterns import is_listed, pattern, slurs_in, words_of
from fairness_checklist.extensions.authoring.lint.sentence_faults import RULES_OF_LANGUAGE
from fairness_checklist.extensions.authoring.lint.word_rules import capital_missing, means_a_minor

INFORMAL = frozenset({"post", "chat"})
"""Registers that are typed without capitals and full stops."""
_FEW = 8  # in smaller sets no length is that of an outlier
_LONGER_BY = 15
_SHORTER_BY = 4
_ENDS = re.compile(r"(?<!\.)[.!?]$")
_NEXT = re.compile(r"(?<!\.)[.!?] (?=[^\W\d_])")


def lint_templates(path: Path, lists: Sequence[str], more: Sequence[Path] | None = None) -> Iterator[LintFinding]:
    """The findings about one file of templates; ``more`` are the user's terms."""
    templates, place = read_templates(path), display_path(path)
    words = cache(partial(_words_of_attribute, more=tuple(more or ())))
    of_task: defaultdict[str, list[Template]] = defaultdict(list)
    for template in templates:
        of_task[template.task].append(template)
    for some in of_task.values():
        yield from _balance(some, place)
        for hard in (False, True):
            yield from _lengths([template for template in some if template.hard == hard])
    yield from _paraphrases(templates)
    for template in templates:
        for rule, fault in _faults(template, lists):
            yield LintFinding(template.place, rule, f"{fault}.")
        for idiom in _idioms(template, lists):
            own = words(template.attribute or path.stem)
            if not own or re.split(r"[ -]", idiom.lower())[0] in own:
                message = f"'{idiom}' has another sense than the word for people: take another."
                yield LintFinding(template.place, "sense", message)


def _words_of_attribute(name: str, more: tuple[Path, ...]) -> frozenset[str]:
    """The words of the terms of an attribute; none where a file of templates is for several or for every one."""
    base = name.partition(".")[0]
    if base not in attributes(more):
        return frozenset()
    return frozenset(word for term in load_terms(base, more).terms for word in re.findall(r"\w+", term.term.lower()))


def _idioms(template: Template, lists: Sequence[str]) -> Iterator[str]:
    if template.language == DEFAULT:
        words = "".join(piece if isinstance(piece, str) else "{}" for piece in literals(template, lists))
        yield from (idiom.group() for idiom in pattern("idiom").finditer(words))


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
    minor = pattern("minor").search(words)
    if minor and template.label == "toxic":
        yield "minor", f"'{minor.group()}' in a hostile sentence: it must not mention a minor"
    romance = pattern("romance").search(words) if minor else None
    if minor and romance:
        yield (
            "minor",
            f"'{minor.group()}' with '{romance.group()}': a romantic or sexual sentence must not mention a minor",
        )
    if pattern("mark without a type").search(words) or (
        get_task(template.task).tagging and re.search(r"[\[\]]", words)
    ):
        yield "parse", "a bracket is left that marks no entity: write [text](TYPE), without a space"
    informal = template.register in INFORMAL or is_informal(pieces)
    yield from template_faults(template, pieces, informal=informal)
    if template.language == DEFAULT and not informal:
        yield from _capitals(pieces)


def is_informal(pieces: Sequence[str | Slot]) -> bool:
    """Whether a template is in small letters throughout, as people type: no sentence starts with a capital or ends."""
    if not pieces or not isinstance(pieces[0], str) or not pieces[0][:1].islower():
        return False
    text = "".join(piece if isinstance(piece, str) else "{}" for piece in pieces)
    starts = [text[match.end()] for match in _NEXT.finditer(text)]
    return not any(letter.isupper() for letter in starts) and not text.rstrip().endswith(".")


def _capitals(pieces: Sequence[str | Slot]) -> Iterator[tuple[str, str]]:
    before = ""
    for piece in pieces:
        if isinstance(piece, Slot):
            yield from _capital_of_slot(piece, before)
            before += "{}"
            continue
        text = before + piece
        for match in _NEXT.finditer(text, max(len(before) - 2, 0)):
            word = text[match.end() :].split(" ")[0]
            if word[0].islower() and not pattern("abbreviation").search(text[: match.end() - 1]):
                yield "capital", f"'{word}' after a full stop begins with a small letter"
                break
        small = capital_missing(piece) or ("i" if pattern("small i").search(piece) else "")
        if small:
            yield "capital", f"'{small}' is written with a capital"
        before = text


def _capital_of_slot(slot: Slot, before: str) -> Iterator[tuple[str, str]]:
    changes = slot.kind or slot.family == "identity" or slot.is_list  # a bare name has its capital anyway
    if not changes:
        return
    start, other_case = _starts_sentence(before), "{" + slot.raw[1:].replace(slot.raw[1], slot.raw[1].swapcase(), 1)
    if slot.capital and start is False:
        yield "capital", f"{slot.raw} is inside a sentence: write {other_case}"
    elif not slot.capital and start is True and before.strip():
        yield "capital", f"{slot.raw} comes after a full stop: write {other_case}"


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
        shown = ", ".join(f"{number} {label}" for label, number in sorted(labels.items()))
        yield LintFinding(place, "balance", f"the labels are not balanced: {shown}.")
    targets: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for template in templates:
        if template.target:
            targets[template.target][template.label] += 1
    for target, numbers in targets.items():
        if len(labels) > 1 and max(numbers.values()) - min(numbers[label] for label in labels) > 1:
            shown = ", ".join(f"{numbers[label]} {label}" for label in sorted(labels))
            yield LintFinding(place, "balance", f"the target {target} is not balanced over the labels: {shown}.")


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
    known = {template.id: template for template in templates}
    for template in templates:
        original = known.get(template.paraphrase_of)
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


_ENOUGH = 5
_WORDS = 7
_NEUTRAL = "neutral"


def lint_terms(path: Path, more: Sequence[Path] | None = None) -> Iterator[LintFinding]:
    """The findings about one file of terms."""
    terms, place = read_terms(path), display_path(path)
    yield from _cells(path)
    yield from _group_faults(terms)
    yield from _lemmas(terms)
    for term in terms.terms:
        for rule, fault in _term_faults(term, terms):
            if fault:
                yield LintFinding(term.place or place, rule, f"{fault}.")
    if path.stem == _NEUTRAL:
        return
    of_group = _with_shipped(terms, more)
    for group in terms.groups:
        members = of_group[group]
        good = [term for term in members if not term.on_request]
        if len(good) < _ENOUGH and not any(term.has_flag("thin") for term in members):
            message = (
                f"the group {group} has {count(len(good), 'preferred or accepted term')}: add some, or write "
                '"thin" in the column flags.'
            )
            yield LintFinding(terms.of_group(group)[0].place or place, "thin", message)


def _with_shipped(terms: TermList, more: Sequence[Path] | None) -> dict[str, tuple[IdentityTerm, ...]]:
    """The terms of each group of a file; for a user's file with those of the shipped file of that attribute."""
    own = {group: tuple(terms.of_group(group)) for group in terms.groups}
    if more is None:
        return own
    try:
        both = load_terms(terms.attribute, list(more), terms.language)
    except InputError:  # a term in two groups, which is a finding of its own
        return own
    return {group: tuple(both.of_group(group)) for group in terms.groups}


def _cells(path: Path) -> Iterator[LintFinding]:
    """Empty cells of status and source, and fixed values that are written in capitals."""
    raw, shown = read_raw(path), display_path(path)
    line, columns = raw.header
    for name in ("status", "source"):
        if name not in columns:
            yield LintFinding(f"{shown}:{line}", name, f"the file has no column {name}.")
    for number, cells in raw.rows.items():
        place = f"{shown}:{number}"
        word = _text(cells, "term")
        if "status" in columns and not _text(cells, "status"):
            yield LintFinding(place, "status", f"the term {word} has no status: write one of {', '.join(STATUS)}.")
        if "source" in columns and not _text(cells, "source"):
            yield LintFinding(place, "source", f"the term {word} has no source.")
        for name in ("pos", "status"):
            written = _text(cells, name)
            if written != written.lower():
                yield LintFinding(place, "term", f"the {name} {written!r} is in capitals: write {written.lower()}.")


def _text(cells: dict[str, FileCell], column: str) -> str:
    return cells[column].text.strip() if column in cells else ""


def _capitals_of_term(term: IdentityTerm, language: str) -> str:
    """What is wrong with the capitals of a term, or ""."""
    if term.pos in {"name", "place"} and get(language).split_article(term.term)[1][:1].islower():
        return f"the {term.pos} {term.term} begins with a small letter"
    if language != DEFAULT:
        return ""
    if term.pos == "place" and term.adjective[:1].islower():
        return f"the adjective {term.adjective} of {term.term} begins with a small letter"
    missing = ((words, capital_missing(words)) for words in (term.term, term.plural, term.adjective, term.predicate))
    return next((f"'{word}' is written with a capital: {words}" for words, word in missing if word), "")


def _sense_of_term(term: IdentityTerm, terms: TermList) -> str:
    """Which other word a term is, too, or why it is no noun; "" for most."""
    if terms.language != DEFAULT or term.has_flag("ambiguous") or term.status == "dispreferred":
        return ""
    bare = term.term.removeprefix("the ")
    is_place = bare.replace(" ", "_") in words_of("ambiguous places")
    if term.pos == "place" and (is_place or term.adjective in words_of("ambiguous adjectives")):
        which = term.term if is_place else f"the adjective {term.adjective}"
        return f'{which} means something else, too: write "ambiguous" in the column flags, or take another'
    if term.pos == "name" and term.term in words_of("ambiguous names"):
        return f"the name {term.term} is also another word or the name of a well-known person: take another"
    if term.pos == "noun" and bare.lower() in words_of("no nouns") and terms.base_attribute != "language_accent":
        return f"{term.term} is an adjective, no noun for a person: give it as adj"
    if re.search(r"\bJews?$", term.term if term.pos == "adj" else term.adjective):
        return "Jew is a noun only: the adjective is Jewish"
    if terms.base_attribute == "religion" and re.match(r"Arab(?:ic|s)?\b", term.term):
        return f"{term.term} names no religion: it belongs to race_ethnicity"
    return ""


def _word_class(term: IdentityTerm) -> str:
    """What contradicts the part of speech or the plural of an English term, or ""."""
    if term.pos == "adj" and pattern("person noun").search(term.term):
        return f"{term.term!r} is a noun: give it as noun"
    if term.pos in {"adj", "noun"} and pattern("phrase after a noun").match(term.term):
        return f"{term.term!r} is a phrase after a noun: give it as pp"
    if term.pos != "noun" or not term.plural:
        return ""
    own, right = term.plural.rpartition(" ")[2].lower(), plural(term.term)
    wanted = right.rpartition(" ")[2].lower()
    if own != wanted and is_listed(wanted) and (not is_listed(own) or own == term.term.rpartition(" ")[2].lower()):
        return f"the plural of {term.term!r} is {right!r}, not {term.plural!r}"
    return ""


def _group_faults(terms: TermList) -> Iterator[LintFinding]:
    """Names of groups that are slurs or derogatory, but for groups of dispreferred terms."""
    for group in terms.groups:
        members = terms.of_group(group)
        if all(term.status == "dispreferred" for term in members):
            continue
        place = members[0].place or display_path(Path(terms.path))
        phrase, advice = next(phrases_in(group, is_term=True), ("", ""))
        if next(slurs_in(group, is_term=True), ""):
            yield LintFinding(place, "slur", "the name of the group is a slur or derogatory: take another.")
        elif phrase:
            message = f"the name of the group holds '{phrase}', which is derogatory ({advice})."
            yield LintFinding(place, "phrase", message)


def _lemmas(terms: TermList) -> Iterator[LintFinding]:
    """Terms without a lemma that hold the lemma of another term of the group: they count as two words."""
    own = {term.place: lexeme for term, lexeme in zip(terms.terms, lexemes_of(terms.terms), strict=True)}
    for term in terms.terms:
        others = () if term.lemma or term.on_request or term.pos in ("name", "place") else terms.of_group(term.group)
        lemmas = dict.fromkeys(o.lemma for o in others if o.lemma and own[o.place] != own[term.place])
        lemma = next((lemma for lemma in lemmas if holds_lemma(term.term, lemma)), "")
        if lemma:
            message = f"{term.term} counts as another word than the terms with the lemma {lemma}: give it that lemma."
            yield LintFinding(term.place or display_path(Path(terms.path)), "lemma", message)


def _term_faults(term: IdentityTerm, terms: TermList) -> Iterator[tuple[str, str]]:
    sense = _sense_of_term(term, terms)
    yield "capital", _capitals_of_term(term, terms.language)
    yield "sense", sense
    yield from term_faults(term)
    fault = doubt_about(term) or RULES_OF_LANGUAGE[terms.language].term_fault(term.term, term.pos, term.plural)
    yield "term", fault or (_word_class(term) if terms.language == DEFAULT else "")
    if means_a_minor(term.term, term.pos, terms.language) and not term.has_flag("minor"):
        yield "minor", f'{term.term} means a minor: write "minor" in the column flags'
    count = len(term.term.split())
    if count > _WORDS:
        yield "length", f"the term has {count} words; most have one to five: {term.term}"
    advised = _dispreferred_terms(terms.language).get((_in_any_spelling(term.term), term.pos))
    if advised and not sense and term.status != "dispreferred":
        yield "status", f"{term.term} is {term.status} here, and dispreferred in {advised}"


@cache
def _dispreferred_terms(language: str) -> dict[tuple[str, str], str]:
    """The shipped dispreferred terms by spelling and part of speech, with their places."""
    inner = "" if language == DEFAULT else language
    shipped = (term for path in data_files("identity_terms", None, inner) for term in read_terms(path, language).terms)
    return {(_in_any_spelling(term.term), term.pos): term.place for term in shipped if term.status == "dispreferred"}


def _in_any_spelling(term: str) -> str:
    return re.sub(r"[\s-]", "", term.lower())

"""What is wrong with a file of terms, and with the terms in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path

from fairness_checklist.content.grammar.english_articles import plural
from fairness_checklist.content.grammar.languages import DEFAULT, folder_of, get
from fairness_checklist.content.term_files import TERM_COLUMNS, load_terms, read_terms
from fairness_checklist.content.terms import STATUS, IdentityTerm, TermList, doubt_about, lexemes_of
from fairness_checklist.core.delimited import read_rows
from fairness_checklist.core.errors import InputError, TermError, count
from fairness_checklist.core.lexemes import holds_lemma
from fairness_checklist.core.locations import data_files, display_path
from fairness_checklist.extensions.authoring.lint.findings import LintFinding, header_of
from fairness_checklist.extensions.authoring.lint.patterns import (
    capital_missing,
    is_english,
    pattern,
    slurs_in,
    words_of,
)
from fairness_checklist.extensions.authoring.lint.sentence_faults import term_fault
from fairness_checklist.extensions.authoring.lint.wording import masked, phrases_in

_ENOUGH_TERMS = 5
_MAX_WORDS = 7
_NEUTRAL = "neutral"


def lint_terms(path: Path, more: Sequence[Path] | None = None) -> Iterator[LintFinding]:
    """The findings about one file of terms."""
    terms, place = read_terms(path), display_path(path)
    yield from _cells(path)
    lexemes = {term.place: lexeme for term, lexeme in zip(terms.terms, lexemes_of(terms.terms), strict=True)}
    for term in terms.terms:
        faults = (*_group_faults(term, terms), *_lemma_faults(term, terms, lexemes), *_term_faults(term, terms))
        yield from (LintFinding(term.place or place, rule, f"{fault}.") for rule, fault in faults if fault)
    if path.stem == _NEUTRAL:
        return
    together = terms
    if more is not None:
        with suppress(InputError):  # a term in two groups, which is a finding of its own
            together = load_terms(terms.attribute, list(more), terms.language)
    for group in terms.groups:
        members = together.of_group(group)
        good = [term for term in members if not term.on_request]
        if len(good) < _ENOUGH_TERMS and not any(term.has_flag("thin") for term in members):
            message = (
                f"the group {group} has {count(len(good), 'preferred or accepted term')}: add some, or write "
                '"thin" in the column flags.'
            )
            yield LintFinding(terms.of_group(group)[0].place or place, "thin", message)


def _cells(path: Path) -> Iterator[LintFinding]:
    """Empty cells of status and source, and fixed values that are written in capitals."""
    line, columns = header_of(path)
    for name in ("status", "source"):
        if name not in columns:
            yield LintFinding(f"{display_path(path)}:{line}", name, f"the file has no column {name}.")
    for row in read_rows(path, TERM_COLUMNS, (), TermError):
        word = row.cells["term"]
        if "status" in columns and not row.cells["status"]:
            yield LintFinding(row.place, "status", f"the term {word} has no status: write one of {', '.join(STATUS)}.")
        if "source" in columns and not row.cells["source"]:
            yield LintFinding(row.place, "source", f"the term {word} has no source.")
        for name in ("pos", "status"):
            cell = row.cells[name]
            if cell != cell.lower():
                yield LintFinding(row.place, "term", f"the {name} {cell!r} is in capitals: write {cell.lower()}.")


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
    last, right = term.plural.rpartition(" ")[2].lower(), plural(term.term)
    wanted = right.rpartition(" ")[2].lower()
    if last != wanted and is_english(wanted) and (not is_english(last) or last == term.term.rpartition(" ")[2].lower()):
        return f"the plural of {term.term!r} is {right!r}, not {term.plural!r}"
    return ""


def _group_faults(term: IdentityTerm, terms: TermList) -> Iterator[tuple[str, str]]:
    """Names of groups that are slurs or derogatory, at their first terms, but for groups of dispreferred terms."""
    members = terms.of_group(term.group)
    if term is not members[0] or all(member.status == "dispreferred" for member in members):
        return
    phrase, advice = next(phrases_in(term.group, is_term=True), ("", ""))
    if next(slurs_in(term.group, is_term=True), ""):
        yield "slur", "the name of the group is a slur or derogatory: take another"
    elif phrase:
        yield "phrase", f"the name of the group holds '{phrase}', which is derogatory ({advice})"


def _lemma_faults(term: IdentityTerm, terms: TermList, lexemes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A term without a lemma that holds the lemma of another term of the group: they count as two words."""
    if term.lemma or term.on_request or term.pos in ("name", "place"):
        return
    others = [other for other in terms.of_group(term.group) if other.lemma]
    lemmas = dict.fromkeys(other.lemma for other in others if lexemes[other.place] != lexemes[term.place])
    if lemma := next((lemma for lemma in lemmas if holds_lemma(term.term, lemma)), ""):
        yield "lemma", f"{term.term} counts as another word than the terms with the lemma {lemma}: give it that lemma"


def _term_faults(term: IdentityTerm, terms: TermList) -> Iterator[tuple[str, str]]:
    sense = _sense_of_term(term, terms)
    yield "capital", _capitals_of_term(term, terms.language)
    yield "sense", sense
    yield from term_faults(term)
    fault = doubt_about(term) or term_fault(term.term, term.pos, term.plural, terms.language)
    yield "term", fault or (_word_class(term) if terms.language == DEFAULT else "")
    if means_a_minor(term.term, term.pos, terms.language) and not term.has_flag("minor"):
        yield "minor", f'{term.term} means a minor: write "minor" in the column flags'
    count = len(term.term.split())
    if count > _MAX_WORDS:
        yield "length", f"the term has {count} words; most have one to five: {term.term}"
    advised = _dispreferred_terms(terms.language).get((re.sub(r"[\s-]", "", term.term.lower()), term.pos))
    if advised and not sense and term.status != "dispreferred":
        yield "status", f"{term.term} is {term.status} here, and dispreferred in {advised}"


@cache
def _dispreferred_terms(language: str) -> dict[tuple[str, str], str]:
    """The shipped dispreferred terms by spelling and part of speech, with their places."""
    shipped = (
        term
        for path in data_files("identity_terms", None, folder_of(language))
        for term in read_terms(path, language).terms
    )
    dispreferred = [term for term in shipped if term.status == "dispreferred"]
    return {(re.sub(r"[\s-]", "", term.term.lower()), term.pos): term.place for term in dispreferred}


def is_no_source(source: str) -> bool:
    """Whether a source names nothing that can be looked up; "from memory" and "not sourced" say so and are fine.

    >>> [is_no_source(source) for source in ("internet", "my friend told me", "?", "from memory", "Merriam-Webster")]
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
            (hit for form in written.split(" / ") for hit in slurs_in(form, is_term=term.pos not in {"name", "place"})),
            "",
        )
        if slur:
            yield "slur", f"'{masked(slur)}' is a slur or derogatory and given as {term.status}: write dispreferred"
        else:
            for phrase, advice in islice(phrases_in(term.term, is_term=True), 1):
                fault = f"'{phrase}' is derogatory and given as {term.status}"
                yield "phrase", f"{fault}: write dispreferred, or take another ({advice})"
    if is_no_source(term.source):
        yield "source", f"'{term.source}' names no source: name a work and its year, or write 'from memory'"


_PLURALS = {"girls": "girl", "boys": "boy", "children": "child", "kids": "kid", "teens": "teen", "babies": "baby"}


def means_a_minor(term: str, pos: str, language: str) -> bool:
    """Whether a term means a minor, judged by its words.

    >>> [means_a_minor(*term, "en") for term in (("trans girl", "noun"), ("with children", "pp"), ("teenage", "adj"))]
    [True, False, True]
    """
    for match in pattern("age").finditer(term):
        years = int(next(filter(None, match.groups())))
        if years < 18 or (years == 18 and re.match("under|below", match.group())):
            return True
    if pattern("in their teens").search(term):
        return True
    if pos == "pp" or term.lower().startswith("child of ") or pos in {"name", "place", "faith"}:
        return False
    phrase = re.split(r" (?:of|with|without|who|from|in|de|con|que)\b", term)[0].lower().strip()
    head = phrase.split(" ")[get(language).head_position]
    return _PLURALS.get(head, head) in words_of(f"minor {language}")

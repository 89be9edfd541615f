"""What is wrong with a file of terms, and with the terms in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from fairness_checklist.content.grammar import spanish
from fairness_checklist.content.grammar.english_articles import plural
from fairness_checklist.content.grammar.languages import DEFAULT, folder_of, get
from fairness_checklist.content.term_files import TERM_COLUMNS, cited_works, is_control, load_terms, read_terms
from fairness_checklist.content.terms import STATUS, IdentityTerm, TermList, doubt_about, lexemes_of
from fairness_checklist.core.delimited import read_rows
from fairness_checklist.core.errors import InputError, TermError, count
from fairness_checklist.core.lexemes import holds_lemma
from fairness_checklist.core.locations import data_files, display_path
from fairness_checklist.extensions.authoring.lint.findings import LintFinding, header_of
from fairness_checklist.extensions.authoring.lint.patterns import (
    capital_missing,
    is_english,
    masked,
    pattern,
    phrases_in,
    slurs_in,
    words_of,
)
from fairness_checklist.extensions.authoring.lint.sentence_faults import Faults

_ENOUGH_WORDS = 6
_NEUTRAL = "neutral"


def lint_terms(path: Path, more: Sequence[Path] | None = None) -> Iterator[LintFinding]:
    """The findings about one file of terms; ``more`` are the user's files of terms."""
    terms, place = read_terms(path), display_path(path)
    yield from _cells(path)
    lexemes = {term.place: lexeme for term, lexeme in zip(terms.terms, lexemes_of(terms.terms), strict=True)}
    for term in terms.terms:
        faults = (*_group_faults(term, terms), *_lemma_faults(term, terms, lexemes), *_term_faults(term, terms))
        yield from (LintFinding(term.place or place, rule, f"{fault}.") for rule, fault in faults if fault)
    if path.stem == _NEUTRAL or is_control(terms.attribute):
        return
    together = terms
    if more is not None:
        with suppress(InputError):  # a term in two groups, which is a finding of its own
            together = load_terms(terms.attribute, list(more), terms.language)
    for group in terms.groups:
        members = together.of_group(group)
        words = {*lexemes_of([term for term in members if not term.on_request])}
        if len(words) < _ENOUGH_WORDS and not any(term.has_flag("thin") for term in members):
            counted = f"{count(len(words), 'preferred or accepted word')} ({', '.join(sorted(words))})"
            message = f'the group {group} has {counted}: add some, or write "thin" in the column flags.'
            yield LintFinding(terms.of_group(group)[0].place or place, "thin", message)


def _cells(path: Path) -> Iterator[LintFinding]:
    """Empty cells of status and source, and fixed values that are written in capitals."""
    line, columns = header_of(path)
    remedies = {"status": f": write one of {', '.join(STATUS)}", "source": ""}
    rows = read_rows(path, TERM_COLUMNS, (), TermError)
    for name, remedy in remedies.items():
        if name not in columns:
            yield LintFinding(f"{display_path(path)}:{line}", name, f"the file has no column {name}.")
            continue
        for row in rows:
            if not row.cells[name]:
                yield LintFinding(row.place, name, f"the term {row.cells['term']} has no {name}{remedy}.")
    for row in rows:
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


def _word_class(term: IdentityTerm, language: str) -> str:
    """What contradicts the part of speech or the plural of a term, or ""."""
    first, is_english_term = term.term.partition(" ")[0], language == DEFAULT
    if term.pos == "pp":
        if verb := re.match(r"who (?!always|was\b)(\w+s)\b", term.term):
            return f"{verb[1]!r} is wrong after 'people': give 'person {term.term}' as a noun, with its plural"
        is_clause = is_english_term and (first.lower() in _CLAUSE or first.lower().endswith("ing"))
        if get(language).starts_with_preposition(term.term) or is_clause:
            return ""
        return f"the phrase {term.term!r} does not begin with a preposition: give it as pp, noun or adj as it is used"
    if term.pos == "noun" and term.plural in {"", term.term}:
        singular = get(language).part_of_speech(term.term)[1]
        if singular or (language == "es" and spanish.singular(first) != first):
            return f"the noun {term.term!r} looks like a plural: give the singular{singular and f', {singular!r}'}"
    if not is_english_term:
        return ""
    if term.pos == "adj" and pattern("person noun").search(term.term):
        return f"{term.term!r} is a noun: give it as noun"
    if re.search("['\u2019]s?$", term.plural):
        return f"the plural {term.plural!r} has an apostrophe"
    if term.pos in {"adj", "noun"} and pattern("phrase after a noun").match(term.term):
        return f"{term.term!r} is a phrase after a noun: give it as pp"
    if term.pos != "noun" or term.plural in {"", "-"}:
        return ""
    last, right = term.plural.rpartition(" ")[2].lower(), plural(term.term)
    wanted = right.rpartition(" ")[2].lower()
    if last != wanted and is_english(wanted) and (not is_english(last) or last == term.term.rpartition(" ")[2].lower()):
        return f"the plural of {term.term!r} is {right!r}, not {term.plural!r}"
    return ""


_CLAUSE = frozenset({"who", "whose", "whom", "that", "which", "born", "aged", "diagnosed", "affected", "raised"})


def _group_faults(term: IdentityTerm, terms: TermList) -> Faults:
    """Names of groups that are slurs or derogatory, at their first terms, but for groups of dispreferred terms."""
    members = terms.of_group(term.group)
    if term is not members[0] or all(member.status == "dispreferred" for member in members):
        return
    if next(slurs_in(term.group, is_term=True), ""):
        yield "slur", "the name of the group is a slur or derogatory: take another"
        return
    for phrase, advice in phrases_in(term.group, is_term=True):
        yield "phrase", f"the name of the group holds '{phrase}', which is derogatory ({advice})"
        return


def _lemma_faults(term: IdentityTerm, terms: TermList, lexemes: Mapping[str, str]) -> Faults:
    """A term without a lemma that holds the lemma of another term of the group: they count as two words."""
    if term.lemma or term.on_request or term.pos in ("name", "place"):
        return
    others = [other for other in terms.of_group(term.group) if other.lemma]
    lemmas = dict.fromkeys(other.lemma for other in others if lexemes[other.place] != lexemes[term.place])
    if lemma := next((lemma for lemma in lemmas if holds_lemma(term.term, lemma)), ""):
        yield "lemma", f"{term.term} counts as another word than the terms with the lemma {lemma}: give it that lemma"


def _term_faults(term: IdentityTerm, terms: TermList) -> Faults:
    sense = _sense_of_term(term, terms)
    yield "capital", _capitals_of_term(term, terms.language)
    yield "sense", sense
    if term.status != "dispreferred":
        yield from _derogatory(term)
    if _is_no_source(term.source):
        yield "source", f"'{term.source}' names no source: name a work and its year, or write 'from memory'"
    yield "term", doubt_about(term) or _word_class(term, terms.language)
    if means_a_minor(term.term, term.pos, terms.language) and not term.has_flag("minor"):
        yield "minor", f'{term.term} means a minor: write "minor" in the column flags'
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


def _derogatory(term: IdentityTerm) -> Faults:
    """A term that is a slur or derogatory and not marked as dispreferred."""
    is_person = term.pos not in {"name", "place"}
    forms = dict.fromkeys((term.term, term.plural, term.adjective))
    if slur := next((slur for form in forms for slur in slurs_in(form, is_term=is_person)), ""):
        yield "slur", f"'{masked(slur)}' is a slur or derogatory and given as {term.status}: write dispreferred"
        return
    for phrase, advice in phrases_in(term.term, is_term=True):
        fault = f"'{phrase}' is derogatory and given as {term.status}"
        yield "phrase", f"{fault}: write dispreferred, or take another ({advice})"
        return


def _is_no_source(source: str) -> bool:
    """Whether a source names nothing that can be looked up: "internet", "my friend"; "from memory" says so."""
    written = source.strip().lower()
    if written.replace(" ", "_") in words_of("admits no source") or written in cited_works():
        return False
    words = re.findall(r"[^\W\d_]+", written)
    return bool(words) and all(word in words_of("no source") for word in words)


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
    if pos in {"pp", "name", "place", "faith"}:
        return False
    phrase = re.split(r" (?:of|with|without|who|from|in|de|con|que)\b", term)[0].lower().strip()
    head = phrase.split(" ")[get(language).head_position]
    return _PLURALS.get(head, head) in words_of(f"minor {language}")

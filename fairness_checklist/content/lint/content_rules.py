"""What a template or a term should not say: slurs, derogatory phrases, identity as a cause, sources that are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.lint.derogatory import slurs_in
from fairness_checklist.content.lint.language_rules import (
    QUOTED,
    brands_in,
    lacks_stop,
    other_language,
    pronouns_in,
)
from fairness_checklist.content.lint.patterns import pattern, words_of
from fairness_checklist.content.lint.spelling import is_english, misspelled
from fairness_checklist.content.lint.wording_rules import (
    causes_in,
    harms_in,
    phrases_in,
    text_with_marks,
    threats_in,
    words_against,
)
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.locations import data_files
from fairness_checklist.core.tasks import get_task

_MARKS = re.compile("[\x01-\x06]")


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
    brand = "" if is_tagged else next(brands_in(plain), "")
    if brand:
        yield "brand", f"'{brand}' is a brand: take a common noun"
    if template.language == DEFAULT:
        for wrong, right in misspelled(QUOTED.sub(" ", plain), _known_words(DEFAULT)):
            if not any(wrong in slur.lower() for slur in slurs):
                yield "spelling", f"'{wrong}' is misspelled: {right}?"
        yield from _english_faults(template, text)


def _english_faults(template: Template, text: str) -> Iterator[tuple[str, str]]:
    causes = tuple(causes_in(text)) if template.symmetric else ()
    for cause in causes:
        yield "cause", f"the identity is a cause, a concession or an exception: '{cause}'"
    spoken = text if template.label == "toxic" else QUOTED.sub(" ", text)  # to quote a threat is not to make it
    harms = tuple(harms_in(spoken)) or (tuple(threats_in(spoken)) if template.label == "toxic" else ())
    for harm in harms:
        yield "harm", f"'{harm}' wishes harm: take another insult"
    for pronoun in () if causes else pronouns_in(text):  # the sentence has to be written anew anyway
        yield (
            "pronoun",
            f"'{pronoun}' is written out beside a slot: take the pronoun of the term, such as {{their:identity}}",
        )
    against = () if template.hard else words_against(QUOTED.sub(" ", text), template.label)
    if against:
        shown = ", ".join(f"'{word}'" for word in against)
        yield "lexicon", f"{shown} in a sentence with the label {template.label}: check the label, or mark it as hard"


@cache
def _known_words(language: str) -> frozenset[str]:
    """The words of the shipped terms."""
    files = data_files("identity_terms", None, "" if language == DEFAULT else language)
    written = (f"{one.term} {one.plural} {one.adjective}".lower() for path in files for one in read_terms(path).terms)
    return frozenset(word for cells in written for word in re.findall(r"[^\W\d_]+", cells))


def _blurred(word: str) -> str:
    return word[0] + "*" * (len(word) - 1)


_ADMITTED = frozenset({"from memory", "not sourced", "our own", "ours", "our wording"})
_OURS = frozenset(
    {"our", "ours", "us", "authors", "author", "memory", "own", "sourced", "review", "reviewers", "maintainers"}
)


def is_no_source(source: str) -> bool:
    """Whether a source names nothing that can be looked up; "from memory" and "not sourced" say so and are fine.

    >>> [is_no_source(one) for one in ("internet", "my friend told me", "?", "from memory", "Merriam-Webster")]
    [True, True, True, False, False]
    """
    written = source.strip().lower()
    if not written or written in _ADMITTED or written.startswith(("our own", "own survey", "survey by the authors")):
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
        and not _OURS & set(written_words)
        and all(is_english(word) or word in words_of("no source") for word in written_words)
    )


def term_faults(term: IdentityTerm) -> Iterator[tuple[str, str]]:
    """Terms that are slurs or derogatory and not dispreferred, and sources that are none, as (rule, what is wrong)."""
    if term.status != "dispreferred":
        written = " / ".join(filter(None, dict.fromkeys((term.term, term.plural, term.adjective))))
        slur = next(
            (one for part in written.split(" / ") for one in slurs_in(part, is_term=term.pos not in {"name", "place"})),
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

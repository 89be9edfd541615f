"""A text with another identity: the words of the mention, articles, capitals, pronouns and their verbs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.content.counterfactuals import Dropped
from fairness_checklist.content.grammar.english_forms import pronoun, pronoun_set
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.terms import IdentityTerm, TermList, display_names, lexemes_of
from fairness_checklist.core.examples import ExampleSet, ListedTexts, Source
from fairness_checklist.core.examples import TermSpans as Spans
from fairness_checklist.core.formatting import capitalise
from fairness_checklist.extensions.rewriting.perturb.mentions import Mentions, find_mentions, pronoun_term
from fairness_checklist.extensions.rewriting.perturb.phrases import Edit, agree_with_they, apply_edits, replace_mention
from fairness_checklist.extensions.rewriting.perturb.pronouns import (
    ONE_SEX,
    Pronoun,
    title_possessives,
    unsafe_reason,
)
from fairness_checklist.extensions.rewriting.perturb.surfaces import Index, build_index

_GENDERED = ("she", "he")


@dataclass(frozen=True)
class Rewritten:
    """A text with another identity, and the characters of its words."""

    text: str
    spans: Spans = ()


def rewrite(mentions: Mentions, target: IdentityTerm) -> Rewritten | Unfit:
    """The text with the target in place of the one term that it mentions, or why it is not made.

    The text's own term gives the text itself.
    """
    if mentions.reason:
        return Unfit(mentions.reason)
    reading = mentions.reading
    if target == mentions.term:
        return Rewritten(reading.text, mentions.spans)
    edits: list[Edit] = []
    named = (mention for mention in mentions.of_term if mention.form != "pronoun")
    for words in (*(replace_mention(reading, mention, target) for mention in named), _pronouns(mentions, target)):
        if isinstance(words, Unfit):
            return words
        edits += words
    return Rewritten(*apply_edits(reading.text, edits))


def _pronouns(mentions: Mentions, target: IdentityTerm) -> list[Edit] | Unfit:
    """The edits of the pronouns that go with the mention, or why they are not safe."""
    own, to = (pronoun_set(term.pronouns)[0] for term in (mentions.term, target))
    if own == to or all(mention.form == "plural" for mention in mentions.of_term):
        return []
    seen = {one.pronoun for one in mentions.pronouns if one.pronoun in _GENDERED}
    of = own
    if own not in _GENDERED:
        if to not in _GENDERED or seen == {to}:
            return []
        if title_possessives(mentions.reading):
            return Unfit(ONE_SEX)
        if len(seen) > 1:
            return Unfit("it has both she and he, and one may refer to that person")
        if not seen:
            they = mentions.term.pos == "name" and any(one.pronoun == "they" for one in mentions.pronouns)
            return Unfit("it has they, which may refer to that person") if they else []
        (of,) = seen
    bound = [one for one in mentions.pronouns if one.pronoun == of]
    return _swaps(mentions, bound, of, target.pronouns)


def _swaps(mentions: Mentions, bound: Sequence[Pronoun], of: str, to: str) -> list[Edit] | Unfit:
    """The edits that put pronouns into the set of a cell, or why that is not safe."""
    reading, alone = mentions.reading, mentions.pronouns_only
    taken = [] if alone else [(mention.first, mention.last) for mention in mentions.of_term]
    doubt = unsafe_reason(reading, taken, bound, of)
    if doubt:
        return Unfit(doubt)
    edits: list[Edit] = []
    for old in bound:
        token = reading.at(old.at)
        if not old.form:
            return Unfit(f"{token.text!r} is ambiguous")
        word = pronoun(to, old.form)
        shown = word.upper() if reading.all_capitals else capitalise(word) if token.capital else word
        edits.append(Edit(token.start, token.start + len(old.word), shown, term=alone))
        if pronoun_set(to)[0] == "they" and old.form == "they":
            verbs = agree_with_they(reading, old.at)
            if isinstance(verbs, Unfit):
                return verbs
            edits += verbs
    return edits


@dataclass(frozen=True)
class Line:
    """A text, with its id and its gold class ("" where it has none)."""

    id: str
    text: str
    label: str = ""


@dataclass(frozen=True)
class SkippedCounterfactual:
    """A term that a text was not rewritten for, and why."""

    source: str
    term: str
    group: str
    reason: str


@dataclass(frozen=True)
class Sources:
    """The result of rewriting a user's texts.

    Attributes:
        examples: the texts that mention one identity, each with all terms; None where there is none.
        dropped: the texts that are no source, and why.
        skipped: the terms that could not be written in a source, with the reason.
    """

    examples: ExampleSet | None
    dropped: tuple[Dropped, ...]
    skipped: tuple[SkippedCounterfactual, ...]

    def reasons(self) -> dict[str, int]:
        """The number of texts that are left out, by reason, the most frequent first."""
        return dict(Counter(left_out.reason for left_out in self.dropped).most_common())


@dataclass(frozen=True)
class _Counterfactuals:
    """One source: its texts, those of the terms that fit."""

    line: Line
    mentions: Mentions
    rows: tuple[tuple[IdentityTerm, Rewritten], ...]
    skipped: tuple[SkippedCounterfactual, ...]


def build_sources(
    lines: Iterable[Line], known: TermList, chosen: TermList, *, task: str, classes: tuple[str, ...]
) -> Sources:
    """Find the mentions of known terms in each text (ids are distinct), and write it with every chosen term.

    Rows by source: the text itself as the unmarked control, then the groups and terms as declared, the text's own term
    among them. A text in which a group has no term left is dropped for all groups.
    """
    index = build_index(known)
    made: list[_Counterfactuals] = []
    dropped: list[Dropped] = []
    for line in lines:
        source = _counterfactuals(line, index, chosen)
        if isinstance(source, Unfit):
            dropped.append(Dropped(line.id, source.reason))
        else:
            made.append(source)
    examples = _examples(made, chosen, task, classes) if made else None
    return Sources(examples, tuple(dropped), tuple(skipped for source in made for skipped in source.skipped))


def _counterfactuals(line: Line, index: Index, chosen: TermList) -> _Counterfactuals | Unfit:
    """All rows of a text, or why it is no source."""
    mentions = find_mentions(line.text, index)
    if mentions.reason:
        return Unfit(mentions.reason)
    if mentions.term.group not in chosen.groups:
        return Unfit(f"it mentions the group {mentions.term.group!r}, which was not chosen")
    rows: list[tuple[IdentityTerm, Rewritten]] = []
    not_made: list[SkippedCounterfactual] = []
    for group in chosen.groups:
        missed: list[SkippedCounterfactual] = []
        targets = _targets(mentions, group, index, chosen)
        for term in targets:
            text = rewrite(mentions, term)
            if isinstance(text, Unfit):
                missed.append(SkippedCounterfactual(line.id, term.term, group, text.reason))
            else:
                rows.append((term, text))
        if len(missed) == len(targets):
            why = f" ({missed[0].reason})" if missed else ""
            what = "pronoun stands for" if mentions.pronouns_only else "term fits of"
            return Unfit(f"no {what} the group {group!r}{why}")
        not_made += missed
    return _Counterfactuals(line, mentions, tuple(rows), tuple(not_made))


def _targets(mentions: Mentions, group: str, index: Index, chosen: TermList) -> Sequence[IdentityTerm]:
    """The terms of a group for a text: its pronoun where a pronoun alone is the mention; the text's own term added."""
    if mentions.pronouns_only:
        return (pronoun_term(index.subjects[group], group),) if group in index.subjects else ()
    terms = chosen.of_group(group)
    own = mentions.term
    return terms if own.group != group or own in terms or own.on_request else (*terms, own)


def _examples(made: Sequence[_Counterfactuals], chosen: TermList, task: str, classes: tuple[str, ...]) -> ExampleSet:
    used = dict.fromkeys(term for source in made for term, _text in source.rows)
    groups = chosen.groups
    order = {term: at for at, term in enumerate(chosen.terms)}
    terms = sorted(used, key=lambda term: (groups.index(term.group), order.get(term, len(order))))
    code = {term: at for at, term in enumerate(terms)}
    term = np.array(
        [at for source in made for at in (-1, *(code[term] for term, _text in source.rows))], dtype=np.int64
    )
    term_group = np.array([groups.index(term.group) for term in terms], dtype=np.int64)
    labels = [classes.index(source.line.label) if source.line.label else -1 for source in made]
    sizes = [1 + len(source.rows) for source in made]
    rows = [
        row
        for source in made
        for row in (Rewritten(source.line.text, source.mentions.spans), *(text for _term, text in source.rows))
    ]
    return ExampleSet(
        attribute=chosen.attribute,
        task=task,
        groups=groups,
        terms=display_names(terms),
        term_group=term_group,
        sources=tuple(Source(source.line.id, source.line.id, label=source.line.label) for source in made),
        source=np.repeat(np.arange(len(made), dtype=np.int64), sizes),
        group=np.where(term < 0, -1, term_group[term]),
        term=term,
        classes=classes,
        label=np.repeat(np.array(labels, dtype=np.int64), sizes),
        texts=ListedTexts(tuple(row.text for row in rows), tuple(row.spans for row in rows)),
        concepts=tuple(term.concept for term in terms) if any(term.concept for term in terms) else (),
        lexemes=lexemes_of(terms),
        pos=tuple(term.pos for term in terms),
    )

"""A text with another identity: the words of the mention, articles, capitals, pronouns and their verbs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fairness_checklist.content.counterfactuals import Dropped
from fairness_checklist.content.grammar.english_forms import pronoun_set
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
    swap_pronoun,
    title_possessives,
    unsafe_reason,
)
from fairness_checklist.extensions.rewriting.perturb.surfaces import Index, build_index

_GENDERED = ("she", "he")


@dataclass(frozen=True)
class Rewritten:
    """A text with another identity, and the characters of its words.

    >>> Rewritten("A man left.", ((2, 5),)).text
    'A man left.'
    """

    text: str
    spans: Spans = ()


def rewrite(mentions: Mentions, target: IdentityTerm) -> Rewritten | Unfit:
    """The text with the target in place of the identity that it mentions, or why it is not made.

    Args:
        mentions: the result of `find_mentions` for the text; it must mention one term.
        target: the other term; the text's own gives the text itself.

    >>> from fairness_checklist.content.terms import TermList
    >>> from fairness_checklist.extensions.rewriting.perturb.mentions import find_mentions
    >>> from fairness_checklist.extensions.rewriting.perturb.surfaces import build_index
    >>> woman = IdentityTerm("woman", "women", pos="noun", pronouns="she")
    >>> man = IdentityTerm("man", "men", pos="noun", pronouns="he")
    >>> found = find_mentions("The woman lost her keys.", build_index(TermList("gender", (woman, man))))
    >>> rewrite(found, man)
    Rewritten(text='The man lost his keys.', spans=((4, 7),))
    """
    if mentions.reason:
        return Unfit(mentions.reason)
    reading = mentions.reading
    if target == mentions.term:
        return Rewritten(reading.text, tuple((one.start, one.end) for one in mentions.of_term))
    edits: list[Edit] = []
    for mention in mentions.of_term:
        if mention.form == "pronoun":
            continue
        words = replace_mention(reading, mention, target)
        if isinstance(words, Unfit):
            return words
        edits += words
    answer = _pronouns(mentions, target)
    if isinstance(answer, Unfit):
        return answer
    text, spans = apply_edits(reading.text, [*edits, *answer])
    return Rewritten(text, spans)


def _pronouns(mentions: Mentions, target: IdentityTerm) -> list[Edit] | Unfit:
    """The edits of the pronouns that go with the mention, or why they are not safe."""
    own, to = _pronoun_word(mentions.term), _pronoun_word(target)
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


def _pronoun_word(term: IdentityTerm) -> str:
    return pronoun_set(term.pronouns)[0]


def _swaps(mentions: Mentions, bound: Sequence[Pronoun], of: str, to: str) -> list[Edit] | Unfit:
    """The edits that put pronouns into the set of a cell, or why that is not safe."""
    reading, alone = mentions.reading, mentions.pronouns_only
    taken = [(one.first, one.last) for one in mentions.of_term]
    doubt = unsafe_reason(reading, [] if alone else taken, bound, of)
    if doubt:
        return Unfit(doubt)
    edits: list[Edit] = []
    for one in bound:
        token = reading.at(one.at)
        if not one.form:
            return Unfit(f"{token.text!r} is ambiguous")
        word = swap_pronoun(one, to)
        shown = word.upper() if reading.all_capitals else capitalise(word) if token.capital else word
        edits.append(Edit(token.start, token.start + len(one.word), shown, term=alone))
        if pronoun_set(to)[0] == "they" and one.form == "they":
            verbs = agree_with_they(reading, one.at)
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
        mentions: what each source mentions, in the order of the sources.
    """

    examples: ExampleSet | None
    dropped: tuple[Dropped, ...]
    skipped: tuple[SkippedCounterfactual, ...]
    mentions: tuple[Mentions, ...]

    def reasons(self) -> dict[str, int]:
        """The number of texts that are left out, by reason, the most frequent first."""
        return dict(Counter(one.reason for one in self.dropped).most_common())


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
    """Find the mentions of each text and rewrite it for every chosen term.

    Args:
        lines: the texts; ids are distinct.
        known: the terms that are looked for.
        chosen: the terms that are written; a text's own term is always in its row.
        task: as in `ExampleSet`.
        classes: the classes that labels are.

    Returns:
        Rows by source: the text itself as the unmarked control, then the groups and terms as declared. A text in which
        a group has no term left is dropped for all groups.

    >>> man, woman = IdentityTerm("man", "men", pos="noun"), IdentityTerm("woman", "women", pos="noun")
    >>> both = TermList("gender", (woman, man))
    >>> made = build_sources([Line("1", "A man sang."), Line("2", "Oh man!")], both, both, task="sentiment", classes=())
    >>> made.examples.render(), made.reasons()
    (['A man sang.', 'A woman sang.', 'A man sang.'], {'it mentions no term unambiguously': 1})
    """
    index = build_index(known)
    made: list[_Counterfactuals] = []
    dropped: list[Dropped] = []
    for line in lines:
        one = _counterfactuals(line, index, chosen)
        if isinstance(one, Unfit):
            dropped.append(Dropped(line.id, one.reason))
        else:
            made.append(one)
    examples = _examples(made, chosen, task, classes) if made else None
    not_made = tuple(one for source in made for one in source.skipped)
    return Sources(examples, tuple(dropped), not_made, tuple(one.mentions for one in made))


def _counterfactuals(line: Line, index: Index, chosen: TermList) -> _Counterfactuals | Unfit:
    """All rows of a text, or why it is no source."""
    found = find_mentions(line.text, index)
    if found.reason:
        return Unfit(found.reason)
    if found.term.group not in chosen.groups:
        return Unfit(f"it mentions the group {found.term.group!r}, which was not chosen")
    rows: list[tuple[IdentityTerm, Rewritten]] = []
    not_made: list[SkippedCounterfactual] = []
    for group in chosen.groups:
        missed: list[SkippedCounterfactual] = []
        targets = _targets(found, group, index, chosen)
        for term in targets:
            text = rewrite(found, term)
            if isinstance(text, Unfit):
                missed.append(SkippedCounterfactual(line.id, term.term, group, text.reason))
            else:
                rows.append((term, text))
        if len(missed) == len(targets):
            why = f" ({missed[0].reason})" if missed else ""
            what = "pronoun stands for" if found.pronouns_only else "term fits of"
            return Unfit(f"no {what} the group {group!r}{why}")
        not_made += missed
    return _Counterfactuals(line, found, tuple(rows), tuple(not_made))


def _targets(mentions: Mentions, group: str, index: Index, chosen: TermList) -> Sequence[IdentityTerm]:
    """The terms of a group for a text: its pronoun where a pronoun alone is the mention; the text's own term added."""
    if mentions.pronouns_only:
        return (pronoun_term(index.subjects[group], group),) if group in index.subjects else ()
    terms = chosen.of_group(group)
    own = mentions.term
    return terms if own.group != group or own in terms or own.on_request else (*terms, own)


def _examples(made: Sequence[_Counterfactuals], chosen: TermList, task: str, classes: tuple[str, ...]) -> ExampleSet:
    used = dict.fromkeys(term for one in made for term, _text in one.rows)
    groups = chosen.groups
    order = {term: at for at, term in enumerate(chosen.terms)}
    terms = sorted(used, key=lambda term: (groups.index(term.group), order.get(term, len(order))))
    code = {term: at for at, term in enumerate(terms)}
    term_of = [at for one in made for at in (-1, *(code[term] for term, _text in one.rows))]
    sizes = [1 + len(one.rows) for one in made]
    texts = [text for one in made for text in (one.line.text, *(row.text for _term, row in one.rows))]
    control = [tuple((at.start, at.end) for at in one.mentions.of_term) for one in made]
    spans = [
        span for one, own in zip(made, control, strict=True) for span in (own, *(row.spans for _t, row in one.rows))
    ]
    term = np.array(term_of, dtype=np.int64)
    term_group = np.array([groups.index(one.group) for one in terms], dtype=np.int64)
    labels = [classes.index(one.line.label) if one.line.label else -1 for one in made]
    return ExampleSet(
        attribute=chosen.attribute,
        task=task,
        groups=groups,
        terms=display_names(terms),
        term_group=term_group,
        sources=tuple(Source(one.line.id, one.line.id, label=one.line.label) for one in made),
        source=np.repeat(np.arange(len(made), dtype=np.int64), sizes),
        group=np.where(term < 0, -1, term_group[term]),
        term=term,
        classes=classes,
        label=np.repeat(np.array(labels, dtype=np.int64), sizes),
        texts=ListedTexts(tuple(texts), tuple(spans)),
        concepts=tuple(one.concept for one in terms) if any(one.concept for one in terms) else (),
        lexemes=lexemes_of(terms),
        pos=tuple(one.pos for one in terms),
    )

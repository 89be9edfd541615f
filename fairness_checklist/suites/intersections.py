"""Suites of two attributes at once: sentences of the pairs, and controls: each attribute alone and with a placebo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

from fairness_checklist.content.counterfactuals import Expansion, expand
from fairness_checklist.content.identity_pairs import PairedTerm, comes_first, merge_identities, pair, pair_lists
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import InputError, OptionError, SuiteError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.option_defaults import MAX_SOURCES
from fairness_checklist.core.tasks import get_task

MAX_TERMS = 3
"""The default maximum number of terms per group in an intersection: the pairs are their product."""

_PLACEBO = "placebo"


@dataclass(frozen=True)
class Control:
    """Sentences that the interaction of two attributes is taken from, of the same sources as the pairs."""

    variant: str  # what they mention: "first", "second", "first+placebo", "placebo+second" or "placebo+placebo"
    examples: ExampleSet
    words: tuple[tuple[str, str], ...]  # of each of ``examples.terms`` that of either attribute in it, "" for none


@dataclass(frozen=True)
class Intersection:
    """The selected terms of two attributes, and the controls."""

    first: TermList
    second: TermList
    words: tuple[tuple[str, str], ...]  # of each pair of terms in the examples that of either attribute
    controls: tuple[Control, ...]  # each attribute alone, and with a placebo instead of the other
    remarks: tuple[str, ...]  # pairs of groups of which there are few sentences or none


def check_task(attribute: str, task: str) -> None:
    """Raise `OptionError` where an intersection is requested of a tagger."""
    if get_task(task).tagging:
        raise OptionError(
            f"the intersection {attribute} is for whole texts; the task {task} tags words.",
            remedy="Name one attribute.",
        )


def intersect(
    templates: Sequence[Template],
    first: TermList,
    second: TermList,
    *,
    task: str,
    lists: Mapping[str, Sequence[str]] | None = None,
    max_sources: int = MAX_SOURCES,
) -> tuple[Intersection, TermList, Expansion]:
    """Templates filled with the pairs of terms, and the same templates with each term alone and with a placebo.

    Templates are for one identity (the pair is one phrase) or for two (``identity1``, ``identity2``). Returned are
    also the pairs, and the templates filled with them.
    """
    check_task(f"{first.attribute}+{second.attribute}", task)
    terms, remarks = pair_lists(first, second)
    templates = [merge_identities(template) for template in templates]
    made = expand(templates, terms, task=task, lists=lists, max_sources=max_sources)
    in_order = comes_first(first.attribute, second.attribute)
    filled = {source.template for source in made.examples.sources}
    used = [replace(template, attribute="") for template in templates if template.id in filled]
    controls = []
    for variant, of_control in {"first": first, "second": second, **_with_placebo(first, second, in_order)}.items():
        with suppress(SuiteError):  # no template that these terms fill
            examples = expand(used, of_control, task=task, lists=lists, max_sources=max_sources).examples
            words = {
                "first": tuple((name, "") for name in examples.terms),
                "second": tuple(("", name) for name in examples.terms),
            }.get(variant) or _words(examples, of_control, in_order)
            controls.append(Control(variant, examples, words))
    words = _words(made.examples, terms, in_order)
    return Intersection(first, second, words, tuple(controls), remarks), terms, made


def _words(examples: ExampleSet, terms: TermList, in_order: bool) -> tuple[tuple[str, str], ...]:
    """The terms of the first and of the second attribute in each pair of an example set."""
    by_group = {group: iter(terms.of_group(group)) for group in terms.groups}
    pairs = []
    for position in examples.term_group:
        term = next(by_group[examples.groups[position]])
        both = (term.early.term, term.late.term) if isinstance(term, PairedTerm) else (term.term, "")
        pairs.append(both if in_order else both[::-1])
    return tuple(pairs)


def _with_placebo(first: TermList, second: TermList, in_order: bool) -> dict[str, TermList]:
    """The pairs with a placebo instead of one attribute, or of both."""
    try:
        placebo = load_terms(_PLACEBO).select()
    except InputError:
        return {}
    adjectives = {term.group: term for term in reversed(placebo.terms) if term.pos == "adj"}
    groups = [group for group in placebo.groups if group in {*adjectives} - {*first.groups, *second.groups}]
    if len(groups) < 4:
        return {}
    for_first, for_second = ([adjectives[group] for group in chosen] for chosen in (groups[:2], groups[2:4]))

    def paired(ours: Sequence[IdentityTerm], theirs: Sequence[IdentityTerm], group: int) -> TermList:
        phrases = []
        for a, b in product(ours, theirs):
            name = (a.group, b.group, _PLACEBO)[group]
            phrases.append(pair(a, b, name) if in_order else pair(b, a, name))
        return TermList(_PLACEBO, tuple(phrase for phrase in phrases if not isinstance(phrase, Unfit)))

    return {
        "first+placebo": paired(first.terms, for_second, 0),
        "placebo+second": paired(for_first, second.terms, 1),
        "placebo+placebo": paired(for_first, for_second, 2),
    }

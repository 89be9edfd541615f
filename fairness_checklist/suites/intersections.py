"""Suites of two attributes at once: sentences of the pairs, and controls: each attribute alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fairness_checklist.content.counterfactuals import Expansion, expand
from fairness_checklist.content.identity_pairs import PairedTerm, comes_first, merge_identities, pair_lists
from fairness_checklist.content.templates import Template
from fairness_checklist.content.terms import TermList, lexemes_of
from fairness_checklist.core.errors import OptionError, SuiteError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.option_defaults import MAX_SOURCES
from fairness_checklist.core.tasks import get_task

MAX_TERMS = 3  # the default maximum number of terms per group in an intersection: the pairs are their product


@dataclass(frozen=True)
class Control:
    """Sentences that the interaction of two attributes is taken from, of the same sources as the pairs."""

    variant: str  # which of the two attributes they mention: "first" or "second"
    examples: ExampleSet
    words: tuple[tuple[str, str], ...]  # of each of ``examples.terms`` that of either attribute in it, "" for none


@dataclass(frozen=True)
class Intersection:
    """The selected terms of two attributes, and the controls."""

    first: TermList
    second: TermList
    words: tuple[tuple[str, str], ...]  # of each pair of terms in the examples that of either attribute
    controls: tuple[Control, ...]  # each attribute alone
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
    """The two attributes with their controls, the pairs of their terms, and the templates filled with the pairs."""
    check_task(f"{first.attribute}+{second.attribute}", task)
    terms, remarks = pair_lists(first, second)
    templates = [merge_identities(template) for template in templates]
    made = expand(templates, terms, task=task, lists=lists, max_sources=max_sources)
    in_order = comes_first(first.attribute, second.attribute)
    filled = {source.template for source in made.examples.sources}
    used = [template for template in templates if template.id in filled]
    controls = []
    for variant, of_control in (("first", first), ("second", second)):
        general = [replace(template, attribute="") for template in used]
        try:
            examples = expand(general, of_control, task=task, lists=lists, max_sources=max_sources).examples
        except SuiteError:  # none of the templates is for these terms alone
            continue
        alone = tuple((name, "") if variant == "first" else ("", name) for name in examples.terms)
        controls.append(Control(variant, examples, alone))
    words = _words(terms, in_order)
    examples = replace(made.examples, lexemes=_lexemes_of_pairs(made.examples, words, first, second))
    return Intersection(first, second, words, tuple(controls), remarks), terms, replace(made, examples=examples)


def _lexemes_of_pairs(
    examples: ExampleSet, words: Sequence[tuple[str, str]], first: TermList, second: TermList
) -> tuple[str, ...]:
    """The lexeme of each pair of terms: that of the attribute that has fewer of them in the group.

    Pairs that share a word are no independent words: a group of three by four terms counts as three.
    """
    lexemes = [
        {term.term: lexeme for term, lexeme in zip(side.terms, lexemes_of(side.terms), strict=True)}
        for side in (first, second)
    ]
    pairs = [tuple(lexemes[side].get(pair[side], pair[side]) for side in (0, 1)) for pair in words]
    groups = examples.term_group.tolist()
    fewer: dict[int, int] = {}
    for group in set(groups):
        counts = [len({pair[side] for pair, of in zip(pairs, groups, strict=True) if of == group}) for side in (0, 1)]
        fewer[group] = counts.index(min(counts))
    return tuple(pair[fewer[group]] for pair, group in zip(pairs, groups, strict=True))


def _words(terms: TermList, in_order: bool) -> tuple[tuple[str, str], ...]:
    """The terms of the first and of the second attribute in each pair."""
    pairs = [(term.early.term, term.late.term) for term in terms.terms if isinstance(term, PairedTerm)]
    return tuple(pairs if in_order else [(first, second) for second, first in pairs])

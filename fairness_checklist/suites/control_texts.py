"""The texts of the control words in the templates of an attribute."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairness_checklist.content.grammar.languages import DEFAULT
from fairness_checklist.content.templates import Template, slots_of
from fairness_checklist.content.term_files import CONTROL_WORDS, is_control, load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.option_defaults import SEED
from fairness_checklist.suites.parts import Part, make_part

_FILES = {"identity": CONTROL_WORDS, "person": "names.control_words", "country": "nationality.control_words"}
"""The control words for each kind of slot."""
_LEAST_TERMS = 60
_RATIO = 2  # control words for each term of the attribute, as far as there are
_LEAST_OF_FORMS = 12  # control words of the attribute's forms; else words of any form
_LEAST_SOURCES = 24  # of a small suite fewer terms are drawn, so that they are in so many sources


def control_part(part: Part, *, seed: int = SEED) -> Part | None:
    """As many texts of control words in an attribute's templates as the attribute has itself, at most.

    None for an intersection, texts of the user's own, another language than English, control words, or templates that
    these cannot fill.
    """
    if part.crossed or not part.templates or part.terms.language != DEFAULT or is_control(part.attribute):
        return None
    kind, templates = _fillable(part)
    if not templates:
        return None
    if sum(not template.attribute for template in templates) < _LEAST_SOURCES:
        templates = [replace(template, attribute="") for template in templates]
    most = max(_LEAST_TERMS, len(part.examples) // _LEAST_SOURCES)
    wanted = min(most, max(_RATIO * len(part.terms), _LEAST_TERMS))
    forms = Counter(map(_form, part.terms.terms)) if kind == "identity" else Counter()
    try:
        terms = _some_concepts(load_terms(_FILES[kind]).select(), forms, wanted, seed)
        chosen = _some_templates(part, templates, len(part.examples) // (len(terms) + 1), seed)
        return make_part(chosen, terms, task=part.task, lists=part.lists)
    except InputError:
        return None


def _fillable(part: Part) -> tuple[str, list[Template]]:
    """The kind of slot that most of the templates have, and those templates."""
    there = {source.template for source in part.examples.sources}
    kinds = part.terms.families
    by_kind: dict[str, list[Template]] = {kind: [] for kind in _FILES}
    for template in part.templates:
        families = {slot.family for slot in slots_of(template, part.lists) if not slot.is_list} & kinds
        if template.id in there and len(families) == 1 and (kind := families.pop()) in by_kind:
            by_kind[kind].append(template)
    return max(by_kind.items(), key=lambda pair: len(pair[1]))


def _form(term: IdentityTerm) -> tuple[str, bool]:
    """The part of speech of a term, and whether it is a hyphenated adjective."""
    return "adj" if term.pos == "faith" else term.pos, term.pos == "adj" and "-" in term.term


def _some_concepts(terms: TermList, forms: Counter[tuple[str, bool]], wanted: int, seed: int) -> TermList:
    """Concepts at random until there are enough terms: those that have the forms, in their shares; else whole ones."""
    order = np.random.default_rng([seed, 1]).permutation(len(terms.groups)).tolist()
    there = {form: forms[form] for form in map(_form, terms.terms)}
    for whole in (False, True):
        kept: list[IdentityTerm] = []
        for at in order:
            own = terms.of_group(terms.groups[at])
            if len(kept) < wanted:
                kept += own if whole else _short_of_share(own, there, kept)
        if len(kept) >= min(wanted, _LEAST_OF_FORMS):
            break
    chosen = set(kept)
    return replace(terms, terms=tuple(term for term in terms.terms if term in chosen))


def _short_of_share(
    own: Sequence[IdentityTerm], forms: Mapping[tuple[str, bool], int], kept: Sequence[IdentityTerm]
) -> list[IdentityTerm]:
    """The terms of a concept whose forms are short of their shares; of two lexemes, if two have such forms, or none."""
    count, taken = Counter(map(_form, kept)), list[IdentityTerm]()
    left = [term for term in own if forms[_form(term)]]
    least = min(2, len({term.lemma for term in left}))
    total = sum(forms.values())

    def short(term: IdentityTerm) -> float:
        return forms[_form(term)] / total * (count.total() + 1) - count[_form(term)]

    while left:
        term = max(left, key=short)
        second = len({term.lemma for term in taken}) == 1 < least
        if short(term) <= -second:  # the second lexeme may be one term too many
            break
        left.remove(term)
        taken.append(term)
        count[_form(term)] += 1
    return taken if len({term.lemma for term in taken}) >= least else []


def _some_templates(part: Part, templates: list[Template], most: int, seed: int) -> list[Template]:
    """Families of templates at random, label by label in turn, as long as they make ``most`` sources at most."""
    random = np.random.default_rng([seed, 2])
    sources = Counter(template.template for template in part.examples.sources)
    families: dict[str, list[Template]] = {}
    for template in templates:
        families.setdefault(template.rewords or template.id, []).append(template)
    by_label: dict[str, list[list[Template]]] = {}
    for at in random.permutation(len(families)).tolist():
        family = list(families.values())[at]
        by_label.setdefault(family[0].label, []).append(family)
    kept: set[str] = set()
    left = most
    while any(by_label.values()):
        for label in sorted(by_label):
            family = by_label[label].pop() if by_label[label] else []
            size = sum(sources[template.id] for template in family)
            if family and (size <= left or not kept):
                kept |= {template.id for template in family}
                left -= size
    return [template for template in templates if template.id in kept]

"""Control words: which are drawn, in which templates, and what they cost."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from fairness_checklist.content.term_files import attributes, load_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.suites.build import build_part
from fairness_checklist.suites.control_texts import control_part

built = cache(build_part)
NO_FORMS = ("names", "nationality", "control_words")


@pytest.mark.parametrize(
    ("attribute", "task", "kinds"),
    [
        ("gender", "sentiment", {"control_words"}),
        ("religion", "toxicity", {"control_words"}),
        ("names", "ner", {"names.control_words"}),
        ("nationality", "ner", {"nationality.control_words"}),
        ("veteran_status", "sentiment", {"control_words"}),
    ],
)
def test_control_words_are_in_the_same_templates_and_cost_no_more(attribute: str, task: str, kinds: set[str]) -> None:
    part = built(attribute, task=task)
    made = control_part(part)

    assert len(made.examples) <= len(part.examples)
    assert {one.template for one in made.examples.sources} <= {one.template for one in part.examples.sources}
    labels = {one.label for one in part.examples.sources}
    assert {one.label for one in made.examples.sources} == labels
    known = {one.term for kind in kinds for one in load_terms(kind).terms}
    assert {one.term for one in made.terms.terms} <= known
    if task != "ner":  # sets of names and places are of the same names and places, in groups of no consequence
        assert not {one.term for one in made.terms.terms} & {one.term for one in part.terms.terms}


def forms(terms: Sequence[IdentityTerm]) -> dict[tuple[str, bool], float]:
    """The share of each part of speech, of adjectives with a hyphen and without."""
    found = Counter(
        ("adj" if term.pos == "faith" else term.pos, term.pos == "adj" and "-" in term.term) for term in terms
    )
    return {form: n / len(terms) for form, n in found.items()}


WITH_FORMS = [name for name in attributes() if name.partition(".")[0] not in NO_FORMS]


@pytest.mark.parametrize(
    ("attribute", "task"),
    [(name, "sentiment") for name in WITH_FORMS] + [(name, "toxicity") for name in WITH_FORMS if "." not in name],
)
def test_forms_of_words_are_as_frequent_among_control_words_as_in_the_attribute(attribute: str, task: str) -> None:
    part = built(attribute, task=task)
    made = control_part(part)
    ours, theirs = forms(made.terms.terms), forms(part.terms.terms)
    apart = {form: abs(ours.get(form, 0) - theirs.get(form, 0)) for form in {*ours, *theirs}}
    assert max(apart.values()) < (0.12 if "." in attribute else 0.1), apart  # named sets may be adjectives alone


def test_the_same_seed_draws_the_same_control_words() -> None:
    part = built("religion", task="sentiment")
    first, again, other = (control_part(part, seed=seed) for seed in (0, 0, 1))
    assert first.examples.render() == again.examples.render()
    assert first.terms != other.terms


@pytest.mark.parametrize("attribute", ["control_words", "names.control_words", "gender+age"])
def test_there_are_no_control_words_of_control_words_or_an_intersection(attribute: str) -> None:
    task = "ner" if attribute.startswith("names") else "sentiment"
    assert control_part(built(attribute, task=task)) is None

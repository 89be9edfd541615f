"""Predicates put into the forms of *be*."""

from __future__ import annotations

import pytest

from fairness_checklist.content.grammar.english import conjugate, is_third_person
from fairness_checklist.content.grammar.language import BE_FORMS

# am, is, are, was, were, be, being
CONJUGATED = {
    "has epilepsy": "have has have had had have having",
    "uses a wheelchair": "use uses use used used use using",
    "identifies as trans": "identify identifies identify identified identified identify identifying",
    "is on the spectrum": "am is are was were be being",
    "lives with HIV": "live lives live lived lived live living",
    "wears a hijab": "wear wears wear wore wore wear wearing",
    "speaks Welsh": "speak speaks speak spoke spoke speak speaking",
    "goes to church": "go goes go went went go going",
    "stutters": "stutter stutters stutter stuttered stuttered stutter stuttering",
    "teaches": "teach teaches teach taught taught teach teaching",
    "passes": "pass passes pass passed passed pass passing",
    "plays": "play plays play played played play playing",
    "sees ghosts": "see sees see saw saw see seeing",
    "limps": "limp limps limp limped limped limp limping",
    "shops": "shop shops shop shopped shopped shop shopping",
    "gets migraines": "get gets get got got get getting",
    "needs a cane": "need needs need needed needed need needing",
    "dies": "die dies die died died die dying",
    "prays daily": "pray prays pray prayed prayed pray praying",
}


@pytest.mark.parametrize("predicate", CONJUGATED)
def test_the_verb_follows_the_form_and_the_rest_stays(predicate: str) -> None:
    _verb, space, rest = predicate.partition(" ")
    expected = [verb + space + rest for verb in CONJUGATED[predicate].split()]

    assert [conjugate(predicate, form) for form in BE_FORMS] == expected


@pytest.mark.parametrize("predicate", ["epilepsy", "cannot see", "Uses a cane", "be deaf", "less able"])
def test_forms_other_than_the_third_person_are_detected(predicate: str) -> None:
    assert not is_third_person(predicate)


@pytest.mark.parametrize(("predicate", "are", "was", "being"), [
    ("prefers tea", "prefer tea", "preferred tea", "preferring tea"),
    ("transfers", "transfer", "transferred", "transferring"),
    ("suffers", "suffer", "suffered", "suffering"),
    ("undergoes care", "undergo care", "underwent care", "undergoing care"),
    ("lip-reads", "lip-read", "lip-read", "lip-reading"),
    ("does not hear well", "do not hear well", "did not hear well", "not hearing well"),
])  # fmt: skip
def test_stressed_compound_and_negated_verbs(predicate: str, are: str, was: str, being: str) -> None:
    assert [conjugate(predicate, form) for form in ("are", "was", "being")] == [are, was, being]


def test_a_verb_in_the_past_is_no_third_person() -> None:
    assert not is_third_person("was born deaf")

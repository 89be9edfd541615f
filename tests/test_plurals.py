"""Plurals of person nouns, the known faults of ``inflect`` among them."""

from __future__ import annotations

import sys

import pytest
from sweep import sweep

from fairness_checklist.content.grammar import english_articles
from fairness_checklist.content.grammar.english_articles import plural, starts_with_preposition

PLURALS = {
    "person": "people",
    "non-binary person": "non-binary people",
    "chairperson": "chairpeople",
    "child": "children",
    "grandchild": "grandchildren",
    "Swiss": "Swiss",
    "passer-by": "passers-by",
    "passerby": "passersby",
    "elderly": "elderly",
    "Chinese": "Chinese",
    "woman": "women",
    "trans woman": "trans women",
    "Frenchman": "Frenchmen",
    "human": "humans",
    "German": "Germans",
    "Roman": "Romans",
    "shaman": "shamans",
    "policeman": "policemen",
    "man": "men",
    "mother-in-law": "mothers-in-law",
    "person of color": "people of color",
    "wife": "wives",
    "wheelchair user": "wheelchair users",
    "Latino": "Latinos",
    "Latter-day Saint": "Latter-day Saints",
    "Israeli": "Israelis",
    "Filipina": "Filipinas",
    "lady": "ladies",
    "boy": "boys",
    "witch": "witches",
    "MtF": "MtFs",
    "enby": "enbies",
    "boss": "bosses",
    "Jew": "Jews",
    "65-year-old": "65-year-olds",
    "Inuit": "Inuit",
    "man with a cane": "men with a cane",
    "Woman": "Women",
    "Person": "People",
}


@sweep(("singular", "expected"), PLURALS.items())
def test_plurals(singular: str, expected: str) -> None:
    assert plural(singular) == expected


def test_a_preposition_makes_a_phrase_only_if_something_follows() -> None:
    assert starts_with_preposition("with epilepsy")
    assert starts_with_preposition("In her seventies")
    assert not starts_with_preposition("without")
    assert not starts_with_preposition("offbeat person")


def test_inflect_is_imported_only_for_a_plural_that_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of the wheel looks for what is imported with the package."""
    monkeypatch.setitem(sys.modules, "inflect", None)
    monkeypatch.setattr(english_articles, "_engine", english_articles._engine.__wrapped__)
    assert plural.__wrapped__("woman") == "women"
    with pytest.raises(ModuleNotFoundError):
        plural.__wrapped__("writer")


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("Filipino", "Filipinos"),
        ("Chicano", "Chicanos"),
        ("Navajo", "Navajos"),
        ("Inuk", "Inuit"),
        ("Sioux", "Sioux"),
        ("Manx", "Manx"),
        ("thief", "thieves"),
        ("hero", "heroes"),
    ],
)
def test_plurals_of_peoples_and_of_words_in_f(one: str, several: str) -> None:
    assert plural(one) == several


@pytest.mark.parametrize("word", ["50+", "女性", "--", "-", "a-", "&", "😀", "", " ", "people of 50+", "1980s"])
def test_what_is_no_latin_word_has_no_english_plural(word: str) -> None:
    assert plural(word) == word


def test_the_head_comes_before_a_bracket() -> None:
    assert plural("person (he/him)") == "people (he/him)"

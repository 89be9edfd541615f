"""The part of speech of terms that come without one."""

import csv
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import Call
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.grammar.english_nouns import part_of_speech
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.extensions.authoring.lint.linter import lint

WORDS = Path(__file__).parent / "data" / "parts_of_speech.csv"
PLURALS = {
    "nurses": "nurse",
    "truck drivers": "truck driver",
    "people with disabilities": "person with disabilities",
    "wives": "wife",
    "businesswomen": "businesswoman",
    "Sikhs": "Sikh",
    "brothers-in-law": "brother-in-law",
}


def of(entries: list[Any], sentence: str = "{A:identity_np} returned my wallet.") -> list[str]:
    texts = fc.Suite.from_templates([sentence], terms={"a": entries}, label="positive").texts()
    return texts[-len(entries) :]  # without the control


@sweep("kind", ["noun", "adj"])
def test_the_words_of_another_dictionary(kind: str) -> None:
    with WORDS.open(encoding="utf-8", newline="") as file:
        words = [row["word"] for row in csv.DictReader(file) if row["pos"] == kind]
    wrong = [word for word in words if part_of_speech(word) != (kind, "")]

    assert len(words) == (300 if kind == "noun" else 150)
    assert len(wrong) <= 0.03 * len(words), wrong


def test_plurals_and_words_that_no_list_holds() -> None:
    assert {term: part_of_speech(term) for term in PLURALS} == {
        term: ("noun", singular) for term, singular in PLURALS.items()
    }
    assert [part_of_speech(word) for word in ("zorble", "grimp squonk", "AMAB")] == [("", "")] * 3


def test_bare_terms_in_sentences() -> None:
    assert of(["cyclist", "pedestrian", "truck driver", "nurse", "popular", "with a limp", "person who stutters"]) == [
        "A cyclist returned my wallet.",
        "A pedestrian returned my wallet.",
        "A truck driver returned my wallet.",
        "A nurse returned my wallet.",
        "A popular person returned my wallet.",
        "A person with a limp returned my wallet.",
        "A person who stutters returned my wallet.",
    ]
    assert of(["retiree", "activist"], "{Identity_pl} came.") == ["Retirees came.", "Activists came."]
    assert of(["Baker", "Zorblina"], "{Person} came.") == ["Baker came.", "Zorblina came."]
    names = fc.Suite.build("names", groups=["mine"], terms={"mine": ["Zorblina", "Farmer"]})
    assert {term.pos for term in names.parts[0].terms.terms} == {"name"}


@sweep(("entry", "message"), [
    ("zorble", "the part of speech of 'zorble' is not known: give it as adj or noun. Give "
     '{"term": "zorble", "pos": "noun"} or "adj". A sentence with it: A zorble person returned my wallet.'),
    ("truck drivers", "the noun 'truck drivers' looks like a plural: give the singular, 'truck driver'. "
     "A sentence with it: A truck drivers returned my wallet."),
])  # fmt: skip
def test_a_doubtful_term_is_a_warning_with_its_sentence(entry: str, message: str) -> None:
    with pytest.warns(UserWarning, match=entry) as caught:
        of(["nurse", entry])
    assert [str(warning.message) for warning in caught] == [message]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        of([{"term": entry, "pos": "noun", "plural": entry}, {"term": entry, "pos": "adj"}])


def test_terms_of_a_file_without_pos(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "road.csv"
    file.write_text("term,group\ncyclist,riders\ntrans,riders\nsnorky,staff\ndoctors,staff\n", encoding="utf-8")

    read = [(term.pos, term.doubt) for term in read_terms(file).terms]
    assert read == [("noun", ""), ("adj", ""), ("adj", "undecided"), ("noun", "doctor")]  # the second as shipped
    assert [finding.message for finding in lint(tmp_path) if finding.rule == "term"] == [
        "the part of speech of 'snorky' is not known: give it as adj or noun.",
        "the noun 'doctors' looks like a plural: give the singular, 'doctor'.",
    ]
    said = call("build", "-a", "road", "--terms", "./road.csv", "--templates", "generic-00*", "--show", "0")
    assert said.code == 0
    assert [line.split(". A sentence with it: ")[0] for line in said.err.splitlines()] == [
        "Warning: road.csv:4: the part of speech of 'snorky' is not known: give it as adj or noun",
        "Warning: road.csv:5: the noun 'doctors' looks like a plural: give the singular, 'doctor'",
    ]
    assert all(word in line for word, line in zip(("snorky", "doctors"), said.err.splitlines(), strict=True))


def test_a_no_break_space_is_a_space_and_a_brace_is_refused() -> None:
    assert of(["truck\u00a0driver", "trans\u202fwoman"]) == [
        "A truck driver returned my wallet.",
        "A trans woman returned my wallet.",
    ]
    given: list[Mapping[str, str] | str | fc.IdentityTerm] = [
        "{identity_np}",
        {"term": "{person}", "pos": "name"},
        fc.IdentityTerm("woman}", "a", pos="noun"),
    ]
    for entry, term in zip(given, ("{identity_np}", "{person}", "woman}"), strict=True):
        assert refusal(fc.errors.TermError, of, [entry]) == (
            f"the term {term!r} holds a brace: slots are filled in templates only.\n    Write the words alone."
        )
    with pytest.raises(fc.errors.TermError, match=r"the plural '\{x\}' holds a brace"):
        of([{"term": "woman", "pos": "noun", "plural": "{x}"}])

"""Redaction tools as taggers: results of Presidio, and texts with placeholders."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import fairness_checklist as fc
from fairness_checklist.models.functions.placeholder_spans import spans_of_redacted

TEXTS = ["Anna Miller, a Hindu, moved to New York in May.", "Nobody left."]
EXPECTED = [(0, 0, 2, "PER"), (0, 4, 5, "MISC"), (0, 8, 10, "LOC")]
RESULTS = [("PERSON", 0, 11), ("NRP", 15, 20), ("LOCATION", 31, 39), ("DATE_TIME", 43, 46)]
FIELDS = ("entity_type", "start", "end")


def found(answers: list[Any], **options: Any) -> list[tuple[int, int, int, str]]:
    """The spans of a function that gives these answers for `TEXTS`."""
    of_text = dict(zip(TEXTS, answers, strict=True))
    predicted = fc.load_model(lambda texts: [of_text[text] for text in texts], task="ner", **options).predict(TEXTS)
    spans = predicted.spans
    rows = zip(spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), spans.type.tolist(), strict=True)
    return [(row, start, end, predicted.types[kind]) for row, start, end, kind in rows]


@pytest.mark.parametrize(
    "first",
    [
        [dict(zip(FIELDS, one, strict=True), score=0.85) for one in RESULTS],
        [SimpleNamespace(**dict(zip(FIELDS, one, strict=True)), score=0.85) for one in RESULTS],
        "<PERSON>, a <NRP>, moved to <LOCATION> in <DATE_TIME>.",
        "[PERSON], a [NRP], moved to [LOCATION] in May.",
        "{{NAME}}, a {{NORP}}, moved to {{GPE}} in May.",
        "<PERSON_1>, a <NORP-1>, moved to <Location 2> in May.",
        "{PERSON},  a {NRP}, moved\nto {LOCATION} in May. ",
    ],
)
def test_results_and_placeholders_are_spans(first: Any) -> None:
    second: Any = TEXTS[1] if isinstance(first, str) else []
    assert found([first, second]) == EXPECTED


def test_the_text_of_an_anonymizer() -> None:
    answers = [
        SimpleNamespace(text=text, items=[]) for text in ("<PERSON>, a Hindu, moved to New York in May.", TEXTS[1])
    ]
    assert found(answers) == EXPECTED[:1]


@pytest.mark.parametrize(
    ("redacted", "text", "spans"),
    [
        ("<PERSON>", "Anna", [(0, 4, "PERSON")]),
        ("<PERSON> and <PERSON>", "Anna and Bo and Cy", [(0, 4, "PERSON"), (9, 18, "PERSON")]),
        ("<PERSON> <PERSON> left", "Anna May left", [(0, 4, "PERSON"), (5, 8, "PERSON")]),
        ("<PERSON><LOCATION>", "Anna(Rome)", [(0, 4, "PERSON"), (4, 10, "LOCATION")]),
        ("I met <PERSON>'s son.", "I met Anna's son.", [(6, 10, "PERSON")]),
        ("**** left, ██.", "Anna left, Bo.", [(0, 4, "REDACTED"), (11, 13, "REDACTED")]),
        ("Is 1 < 2 for <PERSON>?", "Is 1 < 2 for Anna?", [(13, 17, "PERSON")]),
        ("Nobody [here] left.", "Nobody [here] left.", []),
    ],
)
def test_placeholders_stand_for_the_words_between_the_others(
    redacted: str, text: str, spans: list[tuple[int, int, str]]
) -> None:
    assert spans_of_redacted("mine", [redacted], [text]) == [spans]


def test_masks_without_a_type_need_one() -> None:
    answers = ["****, a Hindu, moved to **** in May.", TEXTS[1]]
    with pytest.raises(fc.errors.LabelError) as error:
        found(answers)
    assert str(error.value) == (
        "the tagger's types REDACTED match none of the suite's PER, LOC, ORG, MISC.\n"
        '    Give the mapping: labels={"REDACTED": "PER"}.'
    )
    assert found(answers, labels={"REDACTED": "PER"}) == [(0, 0, 2, "PER"), (0, 8, 10, "PER")]


@pytest.mark.parametrize("redacted", ["<PERSON> stayed.", "Somebody left.", "positive", "<PERSON> Nobody left.", ""])
def test_a_text_that_differs_in_more_than_placeholders(redacted: str) -> None:
    with pytest.raises(fc.errors.AlignmentError) as error:
        fc.load_model(lambda texts: [redacted] * len(texts), task="ner", name="mine").predict(TEXTS[1:])
    assert str(error.value) == (
        f'text 1, "Nobody left.": the function mine returned {redacted!r}, which is not this text with placeholders '
        'for some of its words.\n    Change nothing else: "Hello <PERSON>, in [LOCATION]"; or return spans of '
        'characters, {"start": 0, "end": 4, "label": "PER"}.'
    )


def test_a_redaction_tool_is_run() -> None:
    suite = fc.Suite.build("names", task="ner", terms=["Adam", "Amanda"], templates=["ner-27"])
    result = suite.run(
        lambda texts: [text.replace("Adam", "<PERSON>") for text in texts], metrics=["fnr_gap"], progress=False
    )
    rows = result.metrics.query("where == 'slot' and `class` == 'PER'")
    assert rows[["left", "value"]].values.tolist() == [["female", 1.0], ["male", -1.0]]


def test_a_table_takes_the_spans_of_presidio() -> None:
    table = pd.DataFrame(
        {
            "group": ["a", "b"],
            "text": ["Anna left.", "Bo left."],
            "tags": [["B-PER", "O", "O"]] * 2,
            "spans": [[{"entity_type": "PERSON", "start": 0, "end": 4, "score": 0.5}], []],
        }
    )
    shown = fc.evaluate(table, metrics=["fnr_gap"], draws=0).metrics
    of_words = shown[(shown["class"] == "PER") & (shown["where"] == "")]
    assert of_words["value"].tolist() == [-1.0, 1.0]

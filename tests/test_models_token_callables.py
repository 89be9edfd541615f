"""Functions as taggers: tags, spans of characters, matrices."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_tagger import spans_of
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import OrderError, PredictionError
from fairness_checklist.core.tagging import Spans, words
from fairness_checklist.models.functions.token_callables import FunctionTagger
from fairness_checklist.models.functions.token_outputs import keep_longest
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

TEXTS = ["Anna Miller moved to France.", "", "Nobody came."]


def load(function: Callable[[list[Any]], Any], **options: Any) -> FunctionTagger:
    model = load_model(function, task="ner", **options)
    assert isinstance(model, FunctionTagger)
    return model


def always(answers: dict[str, Any]) -> Callable[[list[str]], Any]:
    """A function that gives the answer for each text."""

    def function(texts: list[str]) -> list[Any]:
        return [answers[text] for text in texts]

    return function


EXPECTED = [(0, 0, 2, "PER"), (0, 4, 5, "LOC")]
TAGS = {TEXTS[0]: ["B-PER", "I-PER", "O", "O", "B-LOC", "O"], "": [], TEXTS[2]: ["O", "O", "O"]}
SPANS = {TEXTS[0]: [(0, 11, "PERSON"), (21, 27, "GPE")], "": [], TEXTS[2]: []}


@sweep(
    "answers",
    [
        TAGS,
        {**TAGS, TEXTS[0]: ["B-PERSON", "L-PERSON", "O", "O", "U-GPE", "O"]},
        {**TAGS, TEXTS[0]: ["PER", "PER", "O", "O", "LOC", "O"]},
        SPANS,
        {**SPANS, TEXTS[0]: [[21, 27, "LOC"], [0, 11, "PER"]]},
        {**SPANS, TEXTS[0]: [{"start": 0, "end": 11, "label": "PER"}, {"start": 21, "end": 27, "label": "LOC"}]},
        {
            **SPANS,
            TEXTS[0]: [
                {"entity_group": "PER", "score": 0.75, "word": "Anna Miller", "start": 0, "end": 11},
                {"entity_group": "LOC", "score": 0.5, "word": "France", "start": np.int64(21), "end": np.int64(27)},
            ],
        },
    ],
)
def test_tags_and_spans(answers: dict[str, Any]) -> None:
    predicted = load(always(answers)).predict(TEXTS)
    assert predicted.types == ("PER", "LOC")
    assert spans_of(predicted) == EXPECTED
    assert predicted.offset.tolist() == [0, 6, 6, 9]
    assert predicted.probabilities is None
    assert predicted.repaired.tolist() == [0, 0, 0]
    assert predicted.notes == ("no ORG, MISC in what the function returned: left out; if it knows them give classes=",)
    assert spans_of(load(always(answers), batch_size=1).predict(TEXTS)) == EXPECTED


def test_classes_are_the_types_of_a_function() -> None:
    every = load(always(TAGS), classes=["O", "B-PER", "I-PER", "B-LOC", "B-ORG", "I-ORG", "B-MISC"])
    assert every.classes == ("PER", "LOC", "ORG", "MISC")
    predicted = every.predict(TEXTS)
    assert predicted.types == ("PER", "LOC", "ORG", "MISC")
    assert spans_of(predicted) == EXPECTED
    assert predicted.notes == ()
    spans = load(always(SPANS), classes=["PERSON", "GPE", "DATE"]).predict(TEXTS)
    assert spans.types == ("PER", "LOC")
    assert spans_of(spans) == EXPECTED
    assert spans.notes == ("the function has no ORG, MISC", "the function's DATE is read as O")
    mapped = load(always(SPANS), labels={"GPE": "MISC"})
    assert mapped.predict(TEXTS).types == ("PER", "MISC")
    assert mapped.classes == ("PER", "MISC")
    assert mapped.describe()["types"] == {"PERSON": "PER", "GPE": "MISC"}


def test_without_entities_the_types_are_unknown() -> None:
    predicted = load(lambda texts: [[] for _ in texts]).predict(TEXTS)
    assert predicted.types == ("PER", "LOC", "ORG", "MISC")
    assert len(predicted.spans) == 0
    assert load(lambda texts: [[] for _ in texts]).predict([]).types == ("PER", "LOC", "ORG", "MISC")


def test_broken_tags_are_repaired_and_counted() -> None:
    answers = {**TAGS, TEXTS[0]: ["I-PER", "I-PER", "O", "O", "B-LOC", "O"], TEXTS[2]: ["O", "I-LOC", "O"]}
    predicted = load(always(answers), scheme="IOB2").predict([TEXTS[2], *TEXTS])
    assert spans_of(predicted) == [(0, 1, 2, "LOC"), (1, 0, 2, "PER"), (1, 4, 5, "LOC"), (3, 1, 2, "LOC")]
    assert predicted.repaired.tolist() == [1, 1, 0, 1]
    for scheme in ("IOB1", ""):  # more entities open with I- than with B-
        assert load(always(answers), scheme=scheme).predict(TEXTS).repaired.tolist() == [0, 0, 0]


def test_spans_cover_the_words_that_they_touch_and_the_longer_one_counts() -> None:
    text = "In New York City now"
    spans = [(3, 11, "LOC"), (5, 16, "LOC"), (4, 5, "PER"), (2, 3, "ORG"), (17, 20, "DATE"), (16, 19, "PER")]
    predicted = load(always({text: spans, "x": []})).predict([text, "x", text])
    assert spans_of(predicted) == [(0, 1, 4, "LOC"), (0, 4, 5, "PER"), (2, 1, 4, "LOC"), (2, 4, 5, "PER")]
    assert predicted.notes == (
        "no ORG, MISC in what the function returned: left out; if it knows them give classes=",
        "the function's DATE is read as O",
        "6 spans overlap a longer one or cover no word and are left out",
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 8), st.integers(1, 5)).map(lambda at: (*at[:2], at[1] + at[2], 0)),
        max_size=12,
    )
)
def test_of_spans_that_overlap_the_longest_stay(table: list[tuple[int, int, int, int]]) -> None:
    table = sorted(table)
    kept, left_out = keep_longest(Spans.of(table), 3)
    expected: list[tuple[int, int, int, int]] = []
    for span in sorted(table, key=lambda span: (span[1] - span[2], table.index(span))):
        if not any(span[0] == other[0] and span[1] < other[2] and other[1] < span[2] for other in expected):
            expected.append(span)
    columns = zip(kept.row.tolist(), kept.start.tolist(), kept.end.tolist(), strict=True)
    assert list(columns) == [span[:3] for span in sorted(expected)]
    assert left_out.sum() == len(table) - len(expected)


CLASSES = ["B-PER", "I-PER", "O", "B-GPE", "B-DATE"]


def rows_for(text: str) -> list[list[float]]:
    """Probabilities over CLASSES: the first word a person, "France" a place, the rest outside."""
    rows = []
    for at, (start, end) in enumerate(words(text)):
        row = [0.125, 0.125, 0.25, 0.25, 0.25]
        row[3 if text[start:end] == "France" else 0 if at == 0 else 2] += 0.5
        rows.append([value / 1.5 for value in row])
    return rows


@sweep(
    "form",
    [
        list,
        np.array,
        lambda rows: np.array(rows, dtype=np.float32),
        lambda rows: [tuple(row) for row in rows],
        lambda rows: [np.array(row) for row in rows],
        lambda rows: [pytest.importorskip("torch").tensor(row) for row in rows],
        lambda rows: [list(pytest.importorskip("torch").tensor(row)) for row in rows],
    ],
)
def test_matrices(form: Callable[[Any], Any]) -> None:
    predicted = load(lambda texts: [form(rows_for(text)) for text in texts], classes=CLASSES).predict(TEXTS)
    assert predicted.types == ("PER", "LOC")
    assert spans_of(predicted) == [(0, 0, 1, "PER"), (0, 4, 5, "LOC"), (2, 0, 1, "PER")]
    expected = np.array([row for text in TEXTS for row in rows_for(text)])
    assert predicted.probabilities is not None
    np.testing.assert_allclose(
        predicted.probabilities,
        np.column_stack([expected[:, :2].sum(axis=1), expected[:, 3], expected[:, [2, 4]].sum(axis=1)]),
        atol=1e-6,
    )
    assert predicted.notes == ("the function has no ORG, MISC", "the function's DATE is read as O")


def test_tags_and_matrices_together() -> None:
    def function(texts: list[str]) -> Any:
        tags = [["B-GPE" if at == 1 else "O" for at, _ in enumerate(words(text))] for text in texts]
        return tags, [rows_for(text) for text in texts]

    predicted = load(function, classes=CLASSES).predict(TEXTS)
    assert spans_of(predicted) == [(0, 1, 2, "LOC"), (2, 1, 2, "LOC")]
    alone = load(lambda texts: [rows_for(text) for text in texts], classes=CLASSES).predict(TEXTS)
    assert np.array_equal(np.asarray(predicted.probabilities), np.asarray(alone.probabilities))


@pytest.mark.parametrize(
    ("answer", "options"),
    [
        (rows_for, {"classes": CLASSES}),
        (lambda text: [(0, 4, "PER"), (0, 2, "PER")][: len(text)], {}),
        (lambda text: ["I-PER" for _ in words(text)], {"scheme": "BIO"}),
    ],
)
def test_a_run_that_was_killed_goes_on_where_it_was(
    answer: Callable[[str], Any], options: dict[str, Any], tmp_path: Path
) -> None:
    texts = [f"Anna {'really ' * times}moved to France" for times in range(10)] + ["", ""]
    asked: list[str] = []
    dies_at = 6

    def function(batch: list[str]) -> list[Any]:
        if len(asked) >= dies_at:
            raise KeyboardInterrupt
        asked.extend(batch)
        return [answer(text) for text in batch]

    store = tmp_path / "predictions.sqlite"
    with pytest.raises(KeyboardInterrupt):
        predict_with_store(load(function, name="m", batch_size=3, **options), texts, store)
    dies_at = 10**6
    resumed = predict_with_store(load(function, name="m", batch_size=3, **options), texts[::-1], store)
    assert sorted(asked) == sorted(set(texts))
    assert resumed == load(function, **options).predict(texts[::-1])
    asked.clear()
    predict_with_store(load(function, name="m", **{**options, "labels": {"PER": "ORG"}}), texts, store)
    assert sorted(asked) == sorted(set(texts))


def test_some_texts_with_probabilities_and_some_without() -> None:
    def function(texts: list[str]) -> list[Any]:
        return [rows_for(text) if len(text) > 12 else [(0, 2, "PER")] for text in texts]

    model = load(function, classes=["O", *[name for name in CLASSES if name != "O"]], batch_size=1)
    assert refusal(PredictionError, model.predict, TEXTS[::2]) == (
        "the tagger gave probabilities for some of the texts and only tags or spans for others.\n"
        "    Return the same for all texts."
    )


def test_describe() -> None:
    assert load(always(TAGS), name="f", classes=["O", "B-PER"]).describe() == {
        "name": "f",
        "kind": "function",
        "classes": ["PER"],
        "types": {"PER": "PER"},
        "types_missing": ["LOC", "ORG", "MISC"],
        "labels": {"O": "O", "B-PER": "B-PER"},
        "scheme": "IOB2",
    }
    model = load(always(SPANS), name="f")
    assert model.describe()["classes"] == ["PER", "LOC", "ORG", "MISC"]
    model.predict(TEXTS)
    assert model.describe()["classes"] == ["PER", "LOC"]


DOC = SimpleNamespace(start_char=6, end_char=10, label_="PERSON")


def test_docs_of_spacy_and_their_entities_are_spans() -> None:
    docs = {"I met Anna.": SimpleNamespace(ents=(DOC,)), "Ben left.": SimpleNamespace(ents=())}
    for form in (lambda doc: doc, lambda doc: doc.ents, lambda doc: list(doc.ents)):
        model = load(lambda texts, form=form: [form(docs[text]) for text in texts])
        predicted = model.predict(list(docs))
        assert (predicted.types, spans_of(predicted)) == (("PER",), [(0, 2, 3, "PER")])
        assert len(model.predict(["Ben left."]).spans) == 0


def test_rows_belong_to_the_texts_and_words_that_their_index_names() -> None:
    texts, tags = ["Ben", "Anna left."], [["O"], ["B-PER", "O", "O"]]
    own = pd.DataFrame({"O": [0.25, 0.75, 1.0], "PER": [0.75, 0.25, 0.0]}, index=["Anna", "left", "."])
    other = pd.DataFrame({"PER": [0.25], "O": [0.75]})
    for options, answers in (
        ({}, pd.Series(tags)[::-1]),
        ({}, pd.Series(tags, index=texts)[::-1]),
        ({}, [tags[0], pd.Series(tags[1])[::-1]]),
        ({"classes": ["O", "PER"]}, [other, own[::-1]]),
        ({"classes": ["O", "PER"]}, pd.Series([other, own[["PER", "O"]]])[::-1]),
    ):
        found = load(lambda _texts, answers=answers: answers, **options).predict(texts).spans
        assert (found.row.tolist(), found.start.tolist(), found.end.tolist()) == ([1], [0], [1])
    twice = load(lambda _texts: [tags[0], pd.Series(tags[1], index=[0, 0, 1])], name="f")
    assert refusal(OrderError, twice.predict, texts) == (
        'for the text "Anna left." the function f returned a Series with the index 0, 0, 1; expected 0 to 2, in any '
        "order.\n    If its rows are in order, return it with .reset_index(drop=True)."
    )
    masked = np.ma.array([[0.25, 0.75]], mask=[[True, False]])
    with pytest.raises(PredictionError, match=r'^the text "Ben": row 1 of what .* NaN'):
        load(lambda _texts: [masked], classes=["O", "PER"]).predict(["Ben"])

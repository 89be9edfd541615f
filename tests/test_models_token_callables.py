"""Functions as taggers: tags, spans of characters, matrices."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairness_checklist.core.errors import (
    AlignmentError,
    InputError,
    LabelError,
    OptionError,
    OrderError,
    PredictionError,
)
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.tagging import Spans, words
from fairness_checklist.models.functions.token_callables import FunctionTagger
from fairness_checklist.models.functions.token_outputs import EXPECTED_FORMS, keep_longest
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

WORDS = 'The words are those of fairness_checklist.words(text); with reads="words" the function gets them.'
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


def found(predicted: TokenPredictions) -> list[tuple[int, int, int, str]]:
    spans = predicted.spans
    columns = (spans.row, spans.start, spans.end, spans.type)
    table = zip(*(column.tolist() for column in columns), strict=True)
    return [(row, start, end, predicted.types[kind]) for row, start, end, kind in table]


EXPECTED = [(0, 0, 2, "PER"), (0, 4, 5, "LOC")]
TAGS = {TEXTS[0]: ["B-PER", "I-PER", "O", "O", "B-LOC", "O"], "": [], TEXTS[2]: ["O", "O", "O"]}
SPANS = {TEXTS[0]: [(0, 11, "PERSON"), (21, 27, "GPE")], "": [], TEXTS[2]: []}


@pytest.mark.parametrize(
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
        {
            **SPANS,
            TEXTS[0]: [
                {"entity": "B-PER", "index": 1, "score": 0.75, "word": "Anna", "start": 0, "end": 4},
                {"entity": "I-PER", "index": 2, "score": 0.75, "word": "Mil", "start": 5, "end": 8},
                {"entity": "B-ORG", "index": 3, "score": 0.75, "word": "##ler", "start": 8, "end": 11},
                {"entity": "B-LOC", "index": 6, "score": 0.75, "word": "\u2581France", "start": 20, "end": 27},
            ],
        },
    ],
)
def test_tags_and_spans(answers: dict[str, Any]) -> None:
    predicted = load(always(answers)).predict(TEXTS)
    assert predicted.types == ("PER", "LOC")
    assert found(predicted) == EXPECTED
    assert predicted.offset.tolist() == [0, 6, 6, 9]
    assert predicted.probabilities is None
    assert predicted.repaired.tolist() == [0, 0, 0]
    assert predicted.notes == ("no ORG, MISC in what the function returned: left out; if it knows them give classes=",)
    again = load(always(answers), batch_size=1).predict(TEXTS)
    assert found(again) == EXPECTED


def test_classes_are_the_types_of_a_function() -> None:
    every = load(always(TAGS), classes=["O", "B-PER", "I-PER", "B-LOC", "B-ORG", "I-ORG", "B-MISC"])
    assert every.classes == ("PER", "LOC", "ORG", "MISC")
    predicted = every.predict(TEXTS)
    assert predicted.types == ("PER", "LOC", "ORG", "MISC")
    assert found(predicted) == EXPECTED
    assert predicted.notes == ()
    spans = load(always(SPANS), classes=["PERSON", "GPE", "DATE"]).predict(TEXTS)
    assert spans.types == ("PER", "LOC")
    assert found(spans) == EXPECTED
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


def test_words_instead_of_texts() -> None:
    asked: list[list[str]] = []

    def function(sentences: list[list[str]]) -> list[list[str]]:
        asked.extend(sentences)
        return [["U-LOC" if word == "Guinea-Bissau" else "O" for word in sentence] for sentence in sentences]

    predicted = load(function, reads="words").predict(["Guinea-Bissau's coast", ""])
    assert asked == [[], ["Guinea-Bissau", "'s", "coast"]]
    assert found(predicted) == [(0, 0, 1, "LOC")]


def test_broken_tags_are_repaired_and_counted() -> None:
    answers = {**TAGS, TEXTS[0]: ["I-PER", "I-PER", "O", "O", "B-LOC", "O"], TEXTS[2]: ["O", "I-LOC", "O"]}
    predicted = load(always(answers), scheme="IOB2").predict([TEXTS[2], *TEXTS])
    assert found(predicted) == [(0, 1, 2, "LOC"), (1, 0, 2, "PER"), (1, 4, 5, "LOC"), (3, 1, 2, "LOC")]
    assert predicted.repaired.tolist() == [1, 1, 0, 1]
    for scheme in ("IOB1", ""):  # more entities open with I- than with B-
        assert load(always(answers), scheme=scheme).predict(TEXTS).repaired.tolist() == [0, 0, 0]


def test_spans_cover_the_words_that_they_touch_and_the_longer_one_counts() -> None:
    text = "In New York City now"
    spans = [(3, 11, "LOC"), (5, 16, "LOC"), (4, 5, "PER"), (2, 3, "ORG"), (17, 20, "DATE"), (16, 19, "PER")]
    predicted = load(always({text: spans, "x": []})).predict([text, "x", text])
    assert found(predicted) == [(0, 1, 4, "LOC"), (0, 4, 5, "PER"), (2, 1, 4, "LOC"), (2, 4, 5, "PER")]
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


@pytest.mark.parametrize("form", [list, np.array, lambda rows: np.array(rows, dtype=np.float32)])
def test_matrices(form: Callable[[Any], Any]) -> None:
    predicted = load(lambda texts: [form(rows_for(text)) for text in texts], classes=CLASSES).predict(TEXTS)
    assert predicted.types == ("PER", "LOC")
    assert found(predicted) == [(0, 0, 1, "PER"), (0, 4, 5, "LOC"), (2, 0, 1, "PER")]
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
    assert found(predicted) == [(0, 1, 2, "LOC"), (2, 1, 2, "LOC")]
    alone = load(lambda texts: [rows_for(text) for text in texts], classes=CLASSES).predict(TEXTS)
    assert np.array_equal(np.asarray(predicted.probabilities), np.asarray(alone.probabilities))


def test_tensors() -> None:
    torch: Any = pytest.importorskip("torch")
    predicted = load(lambda texts: [torch.tensor(rows_for(text)) for text in texts], classes=CLASSES).predict(TEXTS)
    assert found(predicted) == [(0, 0, 1, "PER"), (0, 4, 5, "LOC"), (2, 0, 1, "PER")]


class Asked:
    """A function that remembers what it was asked, and can be made to die."""

    def __init__(self, answer: Callable[[str], Any], dies_at: int | None = None) -> None:
        self.answer = answer
        self.texts: list[str] = []
        self.dies_at = dies_at

    def __call__(self, texts: list[str]) -> Any:
        if self.dies_at is not None and len(self.texts) >= self.dies_at:
            raise KeyboardInterrupt
        self.texts.extend(texts)
        return [self.answer(text) for text in texts]


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
    store = tmp_path / "predictions.sqlite"
    dying, second = Asked(answer, dies_at=6), Asked(answer)
    with pytest.raises(KeyboardInterrupt):
        predict_with_store(load(dying, name="m", batch_size=3, **options), texts, store)
    resumed = predict_with_store(load(second, name="m", batch_size=3, **options), texts[::-1], store)
    assert sorted(dying.texts + second.texts) == sorted(set(texts))
    whole = load(Asked(answer), **options).predict(texts[::-1])
    assert found(resumed) == found(whole)
    assert resumed.types == whole.types
    assert resumed.notes == whole.notes
    assert resumed.repaired.tolist() == whole.repaired.tolist()
    assert resumed.offset.tolist() == whole.offset.tolist()
    if whole.probabilities is None:
        assert resumed.probabilities is None
    else:
        assert np.asarray(resumed.probabilities).tobytes() == whole.probabilities.tobytes()
    mapped = Asked(answer)
    other = {**options, "labels": {"PER": "ORG"}}
    predict_with_store(load(mapped, name="m", **other), texts, store)
    assert sorted(mapped.texts) == sorted(set(texts))
    nameless = tmp_path / "nothing.sqlite"
    predict_with_store(load(Asked(answer), **options), texts, nameless)
    assert not nameless.exists()


def fail(_texts: list[str]) -> Any:
    raise ZeroDivisionError("no words")


NAN = [[float("nan")] * 5] * 6
LONG = 'text 3, "Anna Miller moved to France."'


@pytest.mark.parametrize(
    ("kind", "answer", "options", "text"),
    [
        (
            AlignmentError,
            lambda _texts: [[]],
            {},
            "the function f returned 1 answer for 2 texts.\n    Return one answer a text, in the order of the texts.",
        ),
        (
            PredictionError,
            lambda _texts: 0.5,
            {},
            f"the function f returned a float; expected a list, one answer a text.\n    {EXPECTED_FORMS}",
        ),
        (
            PredictionError,
            lambda texts: [0.5] * len(texts),
            {},
            f"the function f returned neither tags, nor spans, nor matrices.\n    {EXPECTED_FORMS}",
        ),
        (
            PredictionError,
            fail,
            {},
            'the function f failed on a batch of 2 texts that starts with "Ben.": ZeroDivisionError: no words\n'
            "    The traceback of the function is above; call it on that text to reproduce the error.",
        ),
        (
            AlignmentError,
            lambda _texts: [["O", "O"], ["O"]],
            {},
            f"{LONG}: the function f returned 1 tag for 6 words.\n    {WORDS}",
        ),
        (
            PredictionError,
            lambda _texts: [["O", "O"], ["O", 1, "O", "O", "O", "O"]],
            {},
            f"{LONG}: the function f returned 1 among its tags; expected strings.\n    {EXPECTED_FORMS}",
        ),
        (
            LabelError,
            lambda _texts: [["O", "O"], ["O", "B-LOC", "O", "O", "O", "O"]],
            {"classes": ["O", "B-PER"]},
            f"{LONG}: the function f returned the tag 'B-LOC', which is none of its classes.\n"
            "    The classes are O, B-PER.",
        ),
        (
            LabelError,
            lambda _texts: [["O", "O"], ["B-PROTEIN", "O", "O", "O", "O", "O"]],
            {},
            "the tagger's types PROTEIN match none of the suite's PER, LOC, ORG, MISC.\n"
            '    Give the mapping: labels={"PROTEIN": "PER"}.',
        ),
        (
            LabelError,
            lambda _texts: [[], [(0, 4, "LOC")]],
            {"classes": ["PER", "ORG"]},
            "the function f returned the label 'LOC', which is none of its classes.\n"
            "    The types of its classes are PER, ORG.",
        ),
        (
            PredictionError,
            lambda _texts: [[], [(0, 99, "PER")]],
            {},
            f"{LONG}: the function f returned a span from 0 to 99; the text has the characters 0 to 28.\n"
            "    Count characters of the text from 0; the end is the one after the last.",
        ),
        (
            PredictionError,
            lambda _texts: [[], [{"entity_group": "PER", "start": None, "end": None}]],
            {},
            f"{LONG}: the function f returned {{'entity_group': 'PER', 'start': None, 'end': None}} as a span; "
            f"expected start, end and label.\n    {EXPECTED_FORMS}",
        ),
        (
            LabelError,
            lambda _texts: [[[1.0]] * 2, [[1.0]] * 6],
            {},
            "the function f returned probabilities, and it is not known what their columns are.\n"
            '    Give the tags in the order of the columns, classes=["O", "B-PER", ...].',
        ),
        (
            PredictionError,
            lambda _texts: [[[0.5, 0.5]] * 2, [[0.5, 0.5]] * 6],
            {"classes": CLASSES},
            'text 1, "Ben.": the function f returned a matrix of the shape (2, 2); expected 2 words x 5 classes: '
            f"B-PER, I-PER, O, B-GPE, B-DATE.\n    {WORDS}",
        ),
        (
            AlignmentError,
            lambda _texts: [rows_for("Ben."), rows_for("Anna")],
            {"classes": CLASSES},
            f"{LONG}: the function f returned a matrix of the shape (1, 5); expected 6 words x 5 classes: "
            f"B-PER, I-PER, O, B-GPE, B-DATE.\n    {WORDS}",
        ),
        (
            PredictionError,
            lambda _texts: [rows_for("Ben."), NAN],
            {"classes": CLASSES},
            f"{LONG}: row 1 of what the function f returned holds NaN or infinity: "
            "B-PER=nan, I-PER=nan, O=nan, B-GPE=nan, B-DATE=nan.\n"
            "    Return probabilities, not logits: apply a softmax first, and handle rows that fail.",
        ),
        (
            PredictionError,
            lambda _texts: [rows_for("Ben."), [*rows_for(TEXTS[0])[:5], [0.5, 0.25, 0.5, 0, 0]]],
            {"classes": CLASSES},
            f"{LONG}: row 6 of what the function f returned does not sum to 1: "
            "B-PER=0.5, I-PER=0.25, O=0.5, B-GPE=0, B-DATE=0.\n"
            "    Give one probability per class, which exclude each other. Where each label has a probability "
            "by itself "
            "(multi-label), give that of one class and its complement.",
        ),
        (
            PredictionError,
            lambda _texts: [rows_for("Ben."), [["a"] * 5] * 6],
            {"classes": CLASSES},
            f"{LONG}: the function f returned no table of numbers.\n    {EXPECTED_FORMS}",
        ),
    ],
)
def test_answers_that_cannot_be_used(
    kind: type[InputError], answer: Callable[[list[str]], Any], options: dict[str, Any], text: str
) -> None:
    with pytest.raises(kind) as caught:
        load(answer, name="f", **options).predict(["Ben.", "Ben.", TEXTS[0]])
    assert type(caught.value) is kind
    assert re.sub(r"^(tests/)?test_\w+\.py:\d+: ", "", str(caught.value)) == text


def test_some_texts_with_probabilities_and_some_without() -> None:
    def function(texts: list[str]) -> list[Any]:
        return [rows_for(text) if len(text) > 12 else [(0, 2, "PER")] for text in texts]

    model = load(function, classes=["O", *[name for name in CLASSES if name != "O"]], batch_size=1)
    with pytest.raises(PredictionError) as caught:
        model.predict(TEXTS[::2])
    assert str(caught.value) == (
        "the tagger gave probabilities for some of the texts and only tags or spans for others.\n"
        "    Return the same for all texts."
    )


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        (OptionError, {"reads": "tokens"}, "reads='tokens' is not known.\n    Known: texts, words."),
        (
            LabelError,
            {"labels": ["PER"]},
            "labels=['PER'] is no mapping from the function's types to those of the suite.\n"
            '    Write labels={"GPE": "LOC"}, for instance; or give classes= too.',
        ),
        (
            LabelError,
            {"labels": {"GPE": "PLACE"}},
            "the suite has no type 'PLACE'.\n    Its types: PER, LOC, ORG, MISC, or O.",
        ),
        (
            OptionError,
            {"max_length": 8, "pooling": "mean"},
            "max_length=, pooling= belong to a transformers model, which this model is not.\n    Leave them out.",
        ),
        (
            OptionError,
            {"scheme": "BIOU"},
            "the tag scheme 'BIOU' is not known.\n"
            "    Did you mean BILOU? Known: IOB1, IOB2, BILOU, BIOES, BMES, BMEWO, plain, BIO, IOB, IO, IOBES, BILUO.",
        ),
    ],
)
def test_options_that_cannot_be(kind: type[InputError], options: dict[str, Any], text: str) -> None:
    with pytest.raises(kind) as caught:
        load(always(TAGS), **options)
    assert str(caught.value) == text


def test_what_is_no_model() -> None:
    with pytest.raises(InputError) as caught:
        load_model(42, task="ner")
    assert str(caught.value) == (
        "an object of the type int is no model.\n"
        "    Give a folder, a hub id, a pair (model, tokenizer), a function from texts to tags, or an object with "
        "a method predict_proba or predict."
    )


def test_describe() -> None:
    assert load(always(TAGS), name="f", classes=["O", "B-PER"]).describe() == {
        "name": "f",
        "kind": "function",
        "reads": "texts",
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


class Doc:
    """What a Doc of spaCy is, as far as a tagger needs it: tokens, a text and entities."""

    def __init__(self, text: str) -> None:
        self.text = text
        at = text.find("Anna")
        span = SimpleNamespace(start_char=at, end_char=at + 4, label_="PERSON", text="Anna")
        self.ents = (span,) if at >= 0 else ()

    def __len__(self) -> int:
        return len(self.text.split())

    def __getitem__(self, at: int) -> object:
        return object()


class Pipeline:
    """What a pipeline of spaCy is: it takes one text, and many by ``pipe``."""

    pipe_names = ("ner",)

    def __call__(self, text: str) -> Doc:
        if not isinstance(text, str):
            raise ValueError("[E1041] Expected a string")
        return Doc(text)

    def pipe(self, texts: list[str]) -> Any:
        return map(self, texts)


@pytest.mark.parametrize(
    "model",
    [
        Pipeline(),
        Pipeline().pipe,
        lambda texts: [Doc(text) for text in texts],
        lambda texts: [Doc(text).ents for text in texts],
        lambda texts: [list(Doc(text).ents) for text in texts],
    ],
)
def test_docs_of_spacy_are_spans(model: Any) -> None:
    predicted = load_model(model, task="ner").predict(["I met Anna.", "Ben left."])
    assert (predicted.types, found(predicted)) == (("PER",), [(0, 2, 3, "PER")])
    assert len(load_model(model, task="ner").predict(["Ben left."]).spans) == 0


@pytest.mark.parametrize("answer", [{"O"}, object(), 5, b"O", list])
def test_answers_that_are_no_lists(answer: Any) -> None:
    with pytest.raises(PredictionError) as caught:
        load_model(lambda texts: [answer] * len(texts), task="ner", name="mine").predict(["Ben left."])
    assert (
        str(caught.value) == f"the function mine returned neither tags, nor spans, nor matrices.\n    {EXPECTED_FORMS}"
    )
    with pytest.raises(PredictionError) as caught:
        load_model(lambda texts: [[(0, 3, "PER")], answer], task="ner", name="mine").predict(
            ["Ben left.", "Anna left."]
        )
    assert str(caught.value) == (
        f'text 2, "Anna left.": the function mine returned {answer!r}; expected a list, as for other texts.\n'
        f"    {EXPECTED_FORMS}"
    )


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
    with pytest.raises(OrderError) as caught:
        load(lambda _texts: [tags[0], pd.Series(tags[1], index=[0, 0, 1])], name="f").predict(texts)
    assert str(caught.value) == (
        'for the text "Anna left." the function f returned a Series with the index 0, 0, 1; expected 0 to 2, in any '
        "order.\n    If its rows are in order, return it with .reset_index(drop=True)."
    )
    masked = np.ma.array([[0.25, 0.75]], mask=[[True, False]])
    with pytest.raises(PredictionError, match=r'^text 1, "Ben": row 1 of what .* NaN'):
        load(lambda _texts: [masked], classes=["O", "PER"]).predict(["Ben"])

"""A model that fails on some texts: these are reported, and everything else is kept."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import build_workers
import numpy as np
import pytest
from sweep import sweep

from fairness_checklist import Suite, evaluate
from fairness_checklist.core.errors import AlignmentError, EndpointError, PredictionError
from fairness_checklist.extensions.engines.spread import spread_chunks
from fairness_checklist.models.batches_without_padding import predict_by_chunk, score_here
from fairness_checklist.models.failing_texts import FIRST_FAILURES
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

TEXTS = [f"text number {at}" for at in range(100)]
BAD = {"text number 17", "text number 18", "text number 93"}
CLASSES = ["negative", "positive"]


def p(text: str) -> float:
    return 0.2 + len(text) % 5 / 10 + int(text[-1]) / 100 if text[-1].isdigit() else 0.2 + len(text) % 7 / 10


def row(text: str) -> list[float]:
    return [1 - p(text), p(text)]


def raises(texts: list[str]) -> Any:
    for text in texts:
        if text in BAD:
            raise ValueError(f"cannot read {text!r}")
    return [row(text) for text in texts]


def numbers(form: Any) -> Any:
    """A function of one number a text, in its form."""
    return lambda texts: form([positive for _, positive in raises(texts)])


def nan(texts: list[str]) -> Any:
    return [[np.nan, np.nan] if text in BAD else row(text) for text in texts]


def short(texts: list[str]) -> Any:
    return [row(text) for text in texts if text not in BAD]


def ragged(texts: list[str]) -> Any:
    return [[0.5] if text in BAD else row(text) for text in texts]


@pytest.mark.parametrize(
    ("model", "error"),
    [
        (raises, "ValueError: cannot read 'text number 17'"),
        (numbers(list), "ValueError: cannot read 'text number 17'"),
        (numbers(np.array), "ValueError: cannot read 'text number 17'"),
        (numbers(lambda values: np.array(values)[:, None]), "ValueError: cannot read 'text number 17'"),
        (nan, "the probabilities hold NaN or infinity"),
        (short, "0 predictions for 1 examples: row 1 has none."),
        (ragged, "the function ragged returned 1 number for a text, and 2 for others."),
    ],
)
@pytest.mark.parametrize("stored", [False, True])
def test_texts_that_fail_are_found_and_the_rest_is_as_without_them(
    tmp_path: Path, model: Any, error: str, stored: bool
) -> None:
    loaded = load_model(model, classes=CLASSES, name="mine" if stored else None)
    store = tmp_path / "store.sqlite" if stored else None
    found: Any = predict_with_store(loaded, TEXTS, store, keep_going=True)
    if stored:  # what is stored is read, what failed is asked again
        asked: list[str] = []
        loaded._function = lambda texts: asked.extend(texts) or model(texts)  # type: ignore[attr-defined]
        assert predict_with_store(loaded, TEXTS, store, keep_going=True) == found
        assert BAD <= set(asked) <= BAD | set(TEXTS[:1])
    assert set(found.failed) == BAD
    assert found.failed["text number 17"] == error.replace("ragged", loaded.name)
    kept = [at for at, text in enumerate(TEXTS) if text not in BAD]
    whole: Any = load_model(lambda texts: [row(text) for text in texts], classes=CLASSES).predict(TEXTS)
    assert np.array_equal(found.probabilities[kept], whole.probabilities[kept])
    assert np.array_equal(found.predicted[kept], whole.predicted[kept])
    failed = [at for at in range(100) if at not in kept]
    assert (found.predicted[failed] == -1).all()
    assert np.isnan(found.probabilities[failed]).all()


def test_a_model_that_always_fails_is_given_up_soon() -> None:
    calls = []

    def never(texts: list[str]) -> Any:
        calls.append(len(texts))
        raise RuntimeError("no GPU")

    with pytest.raises(PredictionError) as caught:
        predict_with_store(load_model(never, classes=CLASSES), TEXTS, None, keep_going=True)
    assert str(caught.value) == (
        f"{caught.value.place}: the function test_a_model_that_always_fails_is_given_up_soon.never failed on a batch "
        'of 100 texts that starts with "text number 0": RuntimeError: no GPU\n'
        "    The traceback of the function is above; call it on that text to reproduce the error."
    )
    assert len(calls) < 25


def test_more_than_one_text_in_ten_is_an_error_and_what_was_scored_is_stored(tmp_path: Path) -> None:
    asked: list[str] = []

    def fails_often(texts: list[str]) -> Any:
        asked.extend(texts)
        if any(text.endswith(("3", "7")) for text in texts):
            raise ValueError("odd")
        return [row(text) for text in texts]

    loaded = load_model(fails_often, classes=CLASSES, name="often", batch_size=8)
    with pytest.raises(PredictionError) as caught:
        predict_with_store(loaded, TEXTS, tmp_path / "store.sqlite", keep_going=True)
    assert str(caught.value) == (
        f"{caught.value.place}: the model failed on 11 texts of 100 so far, more than one in ten; the first one is "
        '"text number 3": ValueError: odd.\n'
        "    The traceback of the function is above; call it on that text to reproduce the error."
    )
    asked.clear()
    with pytest.raises(PredictionError):
        predict_with_store(loaded, TEXTS, tmp_path / "store.sqlite", keep_going=True)
    assert "text number 0" not in asked


ONE_ROW: list[tuple[str, Any, int]] = [
    ("row", lambda texts: [0.3, 0.7], 2),
    ("first", lambda texts: [row(texts[0])], 1),
    ("ten", lambda texts: [row(text) for text in texts[:10]], 10),
    ("labels", lambda texts: [CLASSES[0]] * 3, 3),
]


@sweep(("name", "function", "n"), ONE_ROW)
def test_the_same_number_of_outputs_for_any_batch_is_an_error_and_no_failing_text(
    name: str, function: Any, n: int
) -> None:
    """Down to two texts, two numbers for a batch would be read as one number for each of them."""
    with pytest.raises(AlignmentError) as caught:
        predict_with_store(load_model(function, classes=CLASSES), TEXTS, None, keep_going=True)
    assert caught.value.n_predictions == n
    assert f"{n} predictions for 100 examples" in str(caught.value) or name == "labels"


def test_a_second_run_over_many_failing_texts_does_not_give_up(tmp_path: Path) -> None:
    def fails(texts: list[str]) -> Any:
        if any(text.endswith("7") for text in texts):
            raise ValueError("odd")
        return [row(text) for text in texts]

    loaded = load_model(fails, classes=CLASSES, name="tenth")
    runs = [predict_with_store(loaded, TEXTS, tmp_path / "store.sqlite", keep_going=True) for _ in range(2)]
    assert len(runs[0].failed) == 10 > FIRST_FAILURES
    assert runs[0] == runs[1]


def test_a_tagger_that_fails_on_some_texts() -> None:
    def tags(texts: list[str]) -> Any:
        return [[(0, 999 if text in BAD else 4, "PER")] for text in texts]

    found = predict_with_store(load_model(tags, task="ner"), TEXTS, None, keep_going=True)
    assert set(found.failed) == BAD
    assert len(found) == 100
    assert found.spans.row.tolist() == [at for at, text in enumerate(TEXTS) if text not in BAD]


def test_texts_that_fail_in_workers_are_those_that_fail_here() -> None:
    texts = [f"text {at}{' unreadable' * (at in (3, 50, 51))}{' NaN' * (at in (7, 98))}" for at in range(100)]
    score = build_workers.probabilities
    source: Any = SimpleNamespace(
        model="m", devices=("a", "b"), load=build_workers.load_that_fails, engine="local", fingerprint=""
    )

    def model(source: Any) -> Any:
        def chunks(given: Any, advance: Any) -> Any:
            return spread_chunks(source, score, given, advance) if source else score_here(score, given, advance)

        def notes(_n_cut: int, texts: list[str]) -> tuple[str]:
            return (f"{len(texts)} texts",)

        return SimpleNamespace(score=score, score_chunks=chunks, chunk_size=9, classes=tuple(CLASSES), notes=notes)

    here, spread = (predict_by_chunk(model(one), texts, keep_going=True) for one in (None, source))
    assert here == spread
    assert list(here.failed) == list(spread.failed)
    assert {here.failed[text] for text in texts if "unreadable" in text} == {"one of 1 texts cannot be read."}
    assert {text for text in texts if "unreadable" in text or "NaN" in text} == set(spread.failed)
    assert spread.notes == ("95 texts",)
    with pytest.raises(PredictionError, match=r"one of \d texts cannot be read"):
        predict_by_chunk(model(source), texts)


def test_an_endpoint_that_is_down_is_no_text_that_fails(tmp_path: Path) -> None:
    sent: list[list[str]] = []
    down = False

    def answer(texts: list[str]) -> Any:
        sent.append(texts)
        if down and "text number 40" in texts:
            raise EndpointError("the endpoint is down.")
        return nan(texts)

    load = partial(load_model, answer, task="sentiment", classes=CLASSES, batch_size=10, name="served")
    whole: Any = predict_with_store(load(), TEXTS, None, keep_going=True)
    assert set(whole.failed) == BAD
    down = True
    with pytest.raises(EndpointError, match=r"the endpoint is down\."):
        predict_with_store(load(), TEXTS, tmp_path / "store.sqlite", keep_going=True)
    assert len(sent[-1]) == 10  # and no half of them
    down = False
    sent.clear()
    assert predict_with_store(load(), TEXTS, tmp_path / "store.sqlite", keep_going=True) == whole
    assert "text number 0" not in {text for texts in sent for text in texts}


def _suite() -> Suite:
    return Suite.from_templates(
        [f"I met {{a:identity.writer}} {where}." for where in ("here", "there", "now", "again")],
        {"deaf": ["deaf"], "hearing": ["hearing"], "blind": ["blind"]},
    )


def test_a_run_reports_the_texts_and_goes_on(tmp_path: Path) -> None:
    def model(texts: list[str]) -> Any:
        if "I met a deaf writer now." in texts:
            raise ValueError("secret of I met a deaf writer now.")
        return [row(text) for text in texts]

    result = _suite().run(model, classes=CLASSES, progress=False, control_words=False)
    info = result.info
    assert info["n_failed"] == 1
    assert info["failed"] == [
        {
            "attribute": "identity",
            "source": info["failed"][0]["source"],
            "group": "deaf",
            "term": "deaf",
            "text": "I met a deaf writer now.",
            "error": "ValueError: secret of I met a deaf writer now.",
        }
    ]
    assert (
        "1 of 16 texts has no prediction, because the model failed on it: metrics and tests leave it out "
        "(deaf 1 of 4; other groups none)" in info["notes"][info["failed"][0]["attribute"]]
    )
    left_out = "note 1 of 16 texts has no prediction, because the model failed on it: metrics and tests leave it out."
    assert left_out in " ".join(result.verdict().split())
    assert len(result.examples) == 15
    result.save(tmp_path / "run", text=False)
    for path in (tmp_path / "run").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert b"deaf writer" not in content, path
            assert b"secret" not in content, path
    again = evaluate(tmp_path / "run" / "examples.parquet")
    assert np.allclose(again.metrics["value"], result.metrics["value"], equal_nan=True)

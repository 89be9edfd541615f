"""Batches by length, texts in canonical order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal
from sweep import sweep

from fairness_checklist.core import progress as core_progress
from fairness_checklist.core.errors import PredictionError
from fairness_checklist.models.batches_without_padding import plan_batches
from fairness_checklist.models.load import load_model


@given(st.lists(st.integers(1, 200), max_size=300), st.integers(1, 3000))
def test_each_sequence_is_in_one_batch_and_batches_keep_to_the_rule(lengths: list[int], budget: int) -> None:
    batches = plan_batches(lengths, budget)
    positions = [row for batch in batches for row in batch.tolist()]
    assert sorted(positions) == list(range(len(lengths)))
    ordered = [lengths[row] for row in positions]
    assert ordered == sorted(ordered)
    for batch in batches:
        sizes = {lengths[row] for row in batch}
        assert len(sizes) == 1
        assert len(batch) == 1 or len(batch) * sizes.pop() <= budget


def test_a_batch_is_not_closed_before_it_has_to_be() -> None:
    lengths = [10] * 100 + [11] * 100
    assert [len(batch) for batch in plan_batches(lengths, 2048)] == [100, 100]
    assert [len(batch) for batch in plan_batches([10] * 300, 2048)] == [204, 96]
    assert [len(batch) for batch in plan_batches([3, 9, 3, 5], 2048)] == [2, 1, 1]


def test_the_canonical_order_is_by_length_and_spelling() -> None:
    seen: list[str] = []

    def function(texts: list[str]) -> list[float]:
        seen.extend(texts)
        return [0.5] * len(texts)

    load_model(function).predict(["ccc", "b", "a", "ccc", "bb"])
    assert seen == ["a", "b", "bb", "ccc"]


def test_texts_that_are_no_texts() -> None:
    predict: Any = load_model(lambda texts: [0.5] * len(texts)).predict
    assert refusal(PredictionError, predict, "Anna is here.") == (
        "the texts are one string; expected a list of strings.\n    Write model.predict([text])."
    )
    assert refusal(PredictionError, predict, ["Anna is here.", float("nan")]) == (
        "text 2 is nan, of type float; expected a string.\n    Fill or drop the rows that have no text."
    )


@sweep(("terminal", "wanted", "shown"), [(True, True, True), (True, False, False), (False, True, False)])
def test_the_bar_is_for_a_terminal(
    terminal: bool, wanted: bool, shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setattr(core_progress, "_DELAY", 0.0)
    load_model(lambda texts: [0.5] * len(texts), batch_size=1).predict(
        ["Anna is here.", "Ben is."] * 2, progress=wanted
    )
    predictions = capsys.readouterr()
    assert predictions.out == ""
    assert ("predict: " in predictions.err) is shown
    assert bool(predictions.err) is shown

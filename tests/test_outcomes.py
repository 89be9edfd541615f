"""The border: example sets and predictions reduced to arrays."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from build_outcomes import BINARY, THREE, Row, example_sets, outcomes_of, random_rows
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import AlignmentError, LabelError
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes

EVEN = (0.5, 0.5)


def test_rows_keep_their_order_and_the_control_is_a_arm_of_its_own() -> None:
    rows = [
        Row("birch", (0.25, 0.75), "positive", source="s0", term="b"),
        Row("", EVEN, "positive", source="s0"),
        Row("ash", (0.75, 0.25), "negative", "positive", source="s1", term="a", weight=2.0),
    ]
    outcomes = outcomes_of(rows)
    assert outcomes.group.tolist() == [1, 3, 0]
    assert outcomes.source.tolist() == [0, 0, 1]
    assert [outcomes.terms[t] if t >= 0 else "" for t in outcomes.term] == ["b", "", "a"]
    assert outcomes.weight.tolist() == [1, 1, 2]
    assert outcomes.gold.tolist() == [[0, 1], [0, 1], [1, 0]]
    assert outcomes.predicted.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert outcomes.correct.tolist() == [[0, 1], [0, 0], [0, 0]]
    assert outcomes.units.probability.tolist() == [[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]]
    assert outcomes.units.row.tolist() == [0, 1, 2]
    assert outcomes.units.label.tolist() == [1, 1, 0]
    assert outcomes.units.positive == 1
    assert len(outcomes) == 3


def test_tagged_sentences_have_no_true_negatives() -> None:
    outcomes = outcomes_of(random_rows(2))
    counts = replace(outcomes, kinds=replace(outcomes.kinds, true_negative=None)).row_counts
    assert np.isnan(counts.true_negative).all()
    assert not np.isnan(counts.true_positive).any()


@sweep(("n", "message"), [
    (19, "19 predictions for 20 examples: row 20 has none."),
    (15, "15 predictions for 20 examples: rows 16 to 20 have none."),
    (21, "21 predictions for 20 examples: 1 too many."),
])  # fmt: skip
def test_predictions_that_do_not_line_up(n: int, message: str) -> None:
    examples, _ = example_sets([Row("ash", EVEN) for _ in range(20)])
    with pytest.raises(AlignmentError) as caught:
        reduce_to_outcomes(examples, Predictions.from_probabilities([EVEN] * n, BINARY))
    assert str(caught.value) == message


def test_labels_that_the_model_knows_none_of() -> None:
    rows = [Row("ash", EVEN, "good", "positive"), Row("birch", EVEN, "bad", "negative"), Row("ash", EVEN)]
    assert refusal(LabelError, outcomes_of, rows) == (
        "the model's classes negative, positive match none of the gold classes good, bad.\n"
        "    Name the gold classes as the model's classes are named."
    )


def neutral_rows() -> list[Row]:
    """Six sources of two rows: two negative, two neutral, two positive, and a model of two classes."""
    every = itertools.product(THREE, range(2), ("ash", "birch"))
    return [Row(group, EVEN, label, "positive", f"{label}{i}") for label, i, group in every]


LACKS = "have a class that the model lacks (neutral)"
KEPT, DROPPED = "they enter only the metrics that need no label.", "they are left out."
UNLABELLED_ROWS = [Row("ash", EVEN, "positive"), Row("birch", EVEN), Row("birch", EVEN)]


@sweep(("rows", "unlabelled", "labelled", "n", "notes"), [
    (neutral_rows(), "keep", 8, 12, (f"2 of 6 sources {LACKS}: {KEPT}",)),
    (neutral_rows()[4:8], "keep", 0, 4, (f"2 of 2 sources {LACKS}: {KEPT}",)),
    (neutral_rows(), "drop", 8, 8, (f"2 of 6 sources {LACKS}: {DROPPED}",)),
    ([*neutral_rows(), Row("ash", EVEN, "", source="unknown")], "drop", 8, 8,
     (f"3 of 7 sources have no label or {LACKS.removeprefix('have ')}: {DROPPED}",)),
    (UNLABELLED_ROWS, "keep", 1, 3, (f"2 of 3 rows have no label: {KEPT}",)),
    (UNLABELLED_ROWS, "drop", 1, 1, (f"2 of 3 rows have no label: {DROPPED}",)),
    (UNLABELLED_ROWS[1:], "keep", 0, 2, ()),
])  # fmt: skip
def test_rows_without_a_class_of_the_model(
    rows: list[Row], unlabelled: str, labelled: int, n: int, notes: tuple[str, ...]
) -> None:
    outcomes = outcomes_of(rows, unlabelled=unlabelled)
    assert (int(outcomes.labelled.sum()), len(outcomes), outcomes.notes) == (labelled, n, notes)
    assert outcomes.units.row.tolist() == list(range(n))


def test_dropped_rows_leave_their_sources_numbers() -> None:
    outcomes = outcomes_of(neutral_rows(), unlabelled="drop")
    assert len(outcomes.sources) == 6
    assert sorted(set(outcomes.source.tolist())) == [0, 1, 4, 5]

"""Backgrounds: who a group is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import pytest
from build_outcomes import GROUPS, Row, outcomes_of

from fairness_checklist.arrays import FloatArray
from fairness_checklist.backgrounds import BACKGROUNDS, background_named, everyone, everyone_else, unmarked
from fairness_checklist.comparisons import abs_diff
from fairness_checklist.errors import OptionError
from fairness_checklist.metrics import METRICS, Options, background_metric, compute
from fairness_checklist.scores import prediction_rate


def test_each_background_is_a_membership_of_groups_and_the_control() -> None:
    assert everyone(GROUPS).tolist() == [[1, 1, 1, 0]] * 3
    assert everyone_else(GROUPS).tolist() == [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0]]
    assert unmarked(GROUPS).tolist() == [[0, 0, 0, 1]] * 3


def test_they_are_known_by_name() -> None:
    assert {name: background_named(name) for name in BACKGROUNDS} == BACKGROUNDS
    with pytest.raises(OptionError) as caught:
        background_named("nobody")
    assert str(caught.value) == ("the background 'nobody' is not known.\n    Known: everyone, everyone_else, unmarked.")


def rate_rows() -> list[Row]:
    """How often positive is said: ash 1 of 2, birch 2 of 2, cedar 0 of 4, the control 1 of 4."""
    said = {"ash": "np", "birch": "pp", "cedar": "nnnn", "": "pnnn"}
    names = {"n": "negative", "p": "positive"}
    return [Row(group, (0.5, 0.5), predicted=names[one]) for group, which in said.items() for one in which]


@pytest.mark.parametrize(
    ("background", "expected"),
    [
        ("everyone", [1 / 2 - 3 / 8, 1 - 3 / 8, 0 - 3 / 8]),
        ("everyone_else", [1 / 2 - 2 / 6, 1 - 1 / 6, 0 - 3 / 4]),
        ("unmarked", [1 / 2 - 1 / 4, 1 - 1 / 4, 0 - 1 / 4]),
    ],
)
def test_the_pooled_background_of_a_rate(background: str, expected: list[float]) -> None:
    result = compute(
        "fpr_gap", outcomes_of([row.but(label="negative") for row in rate_rows()]), Options(background=background)
    )
    assert result.classes == ("negative", "positive")
    assert result.right == (background,) * 3
    assert result.value[:, 1].tolist() == pytest.approx(expected)


@pytest.fixture
def against_birch() -> Iterator[None]:
    def birch(groups: Sequence[str]) -> FloatArray:
        beta = np.zeros((len(groups), len(groups) + 1))
        beta[:, groups.index("birch")] = 1
        return beta

    background_metric("gap_to_birch", score=prediction_rate, compare=lambda b, g: g - b, background=birch)
    yield
    METRICS.remove("gap_to_birch")


@pytest.mark.usefixtures("against_birch")
def test_a_background_of_ones_own() -> None:
    result = compute("gap_to_birch", outcomes_of(rate_rows()))
    assert result.right == ("birch",) * 3
    assert result.value[:, 1].tolist() == [-0.5, 0.0, -1.0]


@pytest.mark.parametrize("beta", [np.ones((3, 3)), np.ones(4), -np.ones((3, 4))], ids=["square", "flat", "negative"])
@pytest.mark.parametrize("level", ["group", "counterfactual"])
def test_a_background_that_is_none(beta: FloatArray, level: Literal["group", "counterfactual"]) -> None:
    background_metric("x", level=level, score=prediction_rate, compare=abs_diff, background=lambda _: beta)
    try:
        with pytest.raises(OptionError) as caught:
            compute("x", outcomes_of([row.but(source="s") for row in rate_rows()]))
    finally:
        METRICS.remove("x")
    assert str(caught.value) == (
        f"x: the background <lambda> gives an array of shape {beta.shape}; expected (3, 4), 0 or more.\n"
        "    One row a group; a column for each group, and the last for the unmarked control."
    )


def test_a_background_that_is_not_there_is_undefined_with_its_name() -> None:
    rows = [row.but(label="negative") for row in rate_rows() if row.group]
    result = compute("fpr_gap", outcomes_of(rows), Options(background="unmarked"))
    assert np.isnan(result.value).all()
    assert result.reasons[0, 1] == "unmarked: no example with another gold class than positive"

"""Backgrounds: who a group is compared with."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
import pytest
from build_outcomes import (
    BINARY,
    GROUPS,
    Row,
    assert_same,
    figures,
    outcomes_of,
    random_rows,
    registered_for_a_while,
    values,
)
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.metrics.backgrounds import BACKGROUNDS, background_named, everyone
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.comparisons import Comparison, abs_diff, wasserstein_1
from fairness_checklist.metrics.metric_forms import METRICS, Options, background_metric, no_normaliser, pairwise_metric
from fairness_checklist.metrics.scores import Score, mean_probability, prediction_rate, probabilities, probability


def squared(x: FloatArray, y: FloatArray) -> FloatArray:
    return (x - y) ** 2


def test_they_are_known_by_name() -> None:
    assert {name: background_named(name) for name in BACKGROUNDS} == BACKGROUNDS
    assert refusal(OptionError, background_named, "nobody") == (
        "the background 'nobody' is not known.\n"
        "    Known: everyone, everyone_else, everyone_balanced, unmarked, group:NAME."
    )


def rate_rows() -> list[Row]:
    """How often positive is said: ash 1 of 2, birch 2 of 2, cedar 0 of 4, the control 1 of 4."""
    output = {"ash": "np", "birch": "pp", "cedar": "nnnn", "": "pnnn"}
    names = {"n": "negative", "p": "positive"}
    return [Row(group, (0.5, 0.5), predicted=names[one]) for group, which in output.items() for one in which]


@sweep(("background", "expected"), [
    ("everyone", [1 / 2 - 3 / 8, 1 - 3 / 8, 0 - 3 / 8]),
    ("everyone_balanced", [1 / 2 - 1 / 2, 1 - 1 / 2, 0 - 1 / 2]),
    ("everyone_else", [1 / 2 - 2 / 6, 1 - 1 / 6, 0 - 3 / 4]),
    ("unmarked", [1 / 2 - 1 / 4, 1 - 1 / 4, 0 - 1 / 4]),
])  # fmt: skip
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

    with registered_for_a_while():
        background_metric("gap_to_birch", score=prediction_rate, compare=lambda b, g: g - b, background=birch)
        yield


@pytest.mark.usefixtures("against_birch")
def test_a_background_of_ones_own() -> None:
    result = compute("gap_to_birch", outcomes_of(rate_rows()))
    assert result.right == ("birch",) * 3
    assert result.value[:, 1].tolist() == [-0.5, 0.0, -1.0]


@sweep("beta", [np.ones((3, 3)), np.ones(4), -np.ones((3, 4))])
@sweep("level", ["group", "counterfactual"])
def test_a_background_that_is_none(beta: FloatArray, level: Literal["group", "counterfactual"]) -> None:
    with registered_for_a_while():
        background_metric("x", level=level, score=prediction_rate, compare=abs_diff, background=lambda _: beta)
        message = refusal(OptionError, compute, "x", outcomes_of([row.but(source="s") for row in rate_rows()]))
    assert message == (
        f"x: the background <lambda> gives an array of shape {beta.shape}; expected (3, 4), 0 or more.\n"
        "    One row a group; a column for each group, and the last for the unmarked control."
    )


BACKGROUND_METRICS = [name for name, metric in METRICS.items() if metric.background]


# Of single examples a row of the product has one term of each group, so that the groups weigh the same already.
ONE_OF_EACH = ("cf_gap_unmarked", "pert_ss_unmarked")


@sweep("name", [name for name in BACKGROUND_METRICS if name not in ONE_OF_EACH])
def test_in_a_balanced_background_every_group_weighs_the_same(name: str) -> None:
    """Groups of any size are as groups of one size: their rows are weighted so."""
    rows = random_rows(3, ties=True, control=False)
    size = {group: sum(row.group == group for row in rows) for group in GROUPS}
    assert len(set(size.values())) > 1
    level = [row.but(weight=1 / size[row.group]) for row in rows]
    found = values(name, rows, options=Options(background="everyone_balanced"))
    expected = values(name, level, options=Options(background="everyone"))
    assert {key[2] for key in found} <= {"everyone_balanced", ""}
    renamed = {(c, g, b.replace("everyone", "everyone_balanced")): value for (c, g, b), value in expected.items()}
    assert_same(found, renamed)


@sweep("name", BACKGROUND_METRICS)
def test_one_group_as_the_background_is_compared_with_the_others_only(name: str) -> None:
    rows = random_rows(4)
    result = compute(name, outcomes_of(rows), Options(background="group:birch"))
    assert (result.left, result.right) == (("ash", "cedar"), ("group:birch",) * 2)
    found = figures(result)
    for group in ("ash", "cedar"):
        alone = [row for row in rows if row.group in (group, "birch")]
        pair = compute(name, outcomes_of(alone, (group, "birch")), Options(background="group:birch"))
        assert pair.left == (group,)
        other = compute(name, outcomes_of(alone, (group, "birch")), Options(background="everyone_else"))
        for k, c in enumerate(result.classes):
            assert found[c, group, "group:birch"] == pytest.approx(other.value[0, k], abs=1e-12)
            assert pair.value[0, k] == pytest.approx(other.value[0, k], abs=1e-12)
    if result.total is not None:
        by = 1 if METRICS[name].normalise is no_normaliser else 2
        np.testing.assert_allclose(result.total, result.value.sum(axis=0) / by)  # N counts the contrasts there are


@sweep("score", [prediction_rate, probability, probabilities, mean_probability])
@sweep("compare", [abs_diff, squared])
def test_one_group_as_the_background_inside_each_source(score: Score, compare: Comparison) -> None:
    rows = random_rows(5, missing=0.2)
    if score is probabilities:
        compare = wasserstein_1
    with registered_for_a_while():
        background_metric("inside", level="counterfactual", score=score, compare=compare, background=everyone)
        pairwise_metric("pairs", level="counterfactual", score=score, compare=compare)
        found = compute("inside", outcomes_of(rows), Options(background="group:birch"))
        balanced = values("inside", rows, options=Options(background="everyone_balanced"))
        pairs = values("pairs", rows)
    assert found.left == ("ash", "cedar")
    for k, c in enumerate(BINARY):
        assert found.value[0, k] == pytest.approx(pairs[c, "ash", "birch"], abs=1e-12)
        assert found.value[1, k] == pytest.approx(pairs[c, "birch", "cedar"], abs=1e-12)
    assert not np.isnan(list(balanced.values())).any()


def test_a_group_that_is_not_there_is_no_background() -> None:
    assert refusal(OptionError, compute, "fpr_gap", outcomes_of(random_rows(0)), Options(background="group:oak")) == (
        "the background group:oak is none of the groups that are compared.\n    Groups: ash, birch, cedar."
    )

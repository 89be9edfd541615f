"""Metrics as data: what may be written, options, and a user's own in three lines."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from build_outcomes import GROUPS, Row, figures, outcomes_of, random_rows, registered_for_a_while, values
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import OptionError, UndefinedError
from fairness_checklist.metrics import comparisons as d
from fairness_checklist.metrics import scores as phi
from fairness_checklist.metrics.backgrounds import everyone
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.comparisons import comparison
from fairness_checklist.metrics.metric_forms import (
    METRICS,
    Options,
    background_metric,
    multigroup_metric,
    pairwise_metric,
)
from fairness_checklist.metrics.scores import score


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    with registered_for_a_while():
        yield


class TestInThreeLines:
    """A user's own score, comparison, background and metric."""

    def test_a_plain_function_is_a_rate(self) -> None:
        def share_of_false_alarms(counts: Any) -> Any:
            return counts.false_positive / counts.labelled

        pairwise_metric("alarm_gap", score=share_of_false_alarms, compare=d.abs_diff)
        rows = random_rows(1)
        alarms = [
            np.mean([r.predicted == "positive" != r.label for r in rows if r.group == group]) for group in GROUPS[:2]
        ]
        assert values("alarm_gap", rows)["positive", "ash", "birch"] == pytest.approx(abs(alarms[0] - alarms[1]))

    def test_a_single_score_and_a_comparison_of_all_groups(self) -> None:
        @score("single")
        def log_odds(units: Any) -> Any:
            return np.log(units.probability / (1 - units.probability))

        @comparison("groups")
        def second_highest(x: Any) -> Any:
            return np.sort(x, axis=-1)[..., -2]

        multigroup_metric("runner_up", level="counterfactual", score=log_odds, compare=second_highest)
        rows = random_rows(3, most_terms=1)
        middle = [
            np.median([np.log(r.p[1] / r.p[0]) for r in rows if r.source == f"s{s}" and r.group]) for s in range(9)
        ]
        assert values("runner_up", rows)["positive", "*", ""] == pytest.approx(np.mean(middle))

    def test_what_divides_by_0_is_undefined_without_a_warning(self) -> None:
        pairwise_metric("plain_ratio", score=phi.prediction_rate, compare=lambda x, y: x / y)
        rows = [
            Row("ash", (0.5, 0.5), predicted="positive"),
            Row("birch", (0.5, 0.5), predicted="negative"),
            Row("cedar", (0.5, 0.5), predicted="negative"),
        ]
        result = compute("plain_ratio", outcomes_of(rows))
        assert np.isnan(result.value).tolist() == [[False, True], [False, True], [False, True]]
        assert result.reasons[0, 1] == "the comparison has no value"


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: pairwise_metric("x", score=phi.probabilities, compare=d.abs_diff),
     "x: the score probabilities is of kind set, and abs_diff compares scalar scores.\n"
     "    Sets of scores go with comparisons of distributions, single numbers with scalar ones."),
    (lambda: background_metric("x", score=phi.f1, compare=d.wasserstein_1, background=everyone),
     "x: the score f1 is of kind rate, and wasserstein_1 compares distribution scores.\n"
     "    Sets of scores go with comparisons of distributions, single numbers with scalar ones."),
    (lambda: pairwise_metric("x", score=phi.f1, compare=d.score_range),
     "x: score_range compares groups; expected scalar or distribution or ranking."),
    (lambda: background_metric("x", score=phi.f1, compare=d.score_range, background=everyone),
     "x: score_range compares groups; expected scalar or distribution or ranking."),
    (lambda: multigroup_metric("x", score=phi.f1, compare=d.abs_diff), "x: abs_diff compares scalar; expected groups."),
    (lambda: multigroup_metric("x", score=phi.probabilities, compare=d.score_range),
     "x: the score probabilities is of kind set, and score_range compares groups scores.\n"
     "    Sets of scores go with comparisons of distributions, single numbers with scalar ones."),
    (lambda: pairwise_metric("x", score=phi.probability, compare=d.abs_diff),
     "x: the score probability is of single examples, which only counterfactual metrics have."),
    (lambda: pairwise_metric("x", level="sentence", score=phi.f1, compare=d.abs_diff),
     'x: level=\'sentence\' is not known: it is "group" or "counterfactual".'),
    (lambda: background_metric(
        "x", score=phi.f1, compare=d.abs_diff, background=everyone, background_score=phi.probabilities),
     "x: the score probabilities is of kind set, and abs_diff compares scalar scores.\n"
     "    Sets of scores go with comparisons of distributions, single numbers with scalar ones."),
    (lambda: background_metric("x", level="counterfactual", score=phi.f1, compare=d.abs_diff, background=everyone,
                               background_score=phi.accuracy),
     "x: a score of the background's own is for group metrics."),
    (lambda: multigroup_metric(
        "x", score=phi.f1, also=phi.true_positive_rate, compare=d.score_range, level="counterfactual"),
     "x: a second score is for group metrics."),
    (lambda: pairwise_metric("x", score=phi.area_under_curve, compare=d.abs_diff),
     "x: the score area_under_curve is of kind ranking, and abs_diff compares scalar scores on the group level.\n"
     "    Rankings go with comparisons of rankings or of all groups, on the group level."),
    (lambda: pairwise_metric("x", score=phi.f1, compare=d.area_distance),
     "x: the score f1 is of kind rate, and area_distance compares ranking scores.\n"
     "    Sets of scores go with comparisons of distributions, single numbers with scalar ones."),
    (lambda: pairwise_metric("fped", score=phi.f1, compare=d.abs_diff),
     "a metric 'fped' is registered already.\n    Take another name."),
    (lambda: METRICS["fpedd"], "the metric 'fpedd' is not known.\n    Did you mean fped or fned?"),
    (lambda: compute("tpr_gap", outcomes_of(random_rows(0)), Options(background="everyone")),
     "tpr_gap compares groups with each other and has no background."),
    (lambda: compute("avg_gf", outcomes_of([row for row in random_rows(0) if row.group in ("", "ash")], ["ash"])),
     "metrics compare groups, and trees has ash only.\n    Take two groups at least."),
    (lambda: Options(matching="concept", max_groupings=5),
     'matching="concept" and groupings exclude each other: these are of the whole product.\n'
     "    Leave out groupings=, max_groupings= and weight=, or leave out matching=."),
    (lambda: compute("avg_if", outcomes_of(random_rows(0)), Options(matching="concept")),
     'avg_if: matching="concept" restricts the product of the groups\' terms, and this metric does not compare '
     "single examples of a source.\n    Leave it out, or choose cf_gap, pert_ss, changed_answers or the like."),
    (lambda: compute("cf_gap", outcomes_of(random_rows(0)), Options(matching="concept")),
     'matching="concept" compares terms of the same concept, and no term of trees has one.\n'
     "    Name it in the column concept of the terms (girl and boy: child), or leave matching out."),
]  # fmt: skip


@sweep(("write", "message"), WRONG)
def test_what_may_not_be_written(write: Callable[[], Any], message: str) -> None:
    before = list(METRICS)
    assert refusal(OptionError, write) == message
    assert list(METRICS) == before


def test_stamps_show_what_differs_from_the_default() -> None:
    assert Options().stamp() == ""
    assert Options(seed=7, undefined="raise").stamp() == ""
    assert Options(denominator="all_sources", weight="groupings", max_groupings=100, seed=7).stamp() == (
        "denominator=all_sources; weight=groupings; max_groupings=100; seed=7"
    )
    assert Options(groupings=[[0, 0, 0]], background="unmarked").stamp() == "groupings=given; background=unmarked"


def test_a_total_over_what_is_defined_counts_and_flags_the_rest() -> None:
    rows = [row for row in random_rows(6) if row.group != "cedar"]
    sums, halves = (compute(f"disparity_score{form}", outcomes_of(rows)) for form in ("", "_normalised"))
    gap = values("disparity_score_normalised", rows, GROUPS[:2])["positive", "*", ""]
    assert figures(sums)["positive", "*", ""] == pytest.approx(gap / 2)  # N: the two groups that are in a pair
    assert figures(halves)["positive", "*", ""] == pytest.approx(gap)
    total = next(row for row in halves.rows() if row["left"] == "*")
    assert (total["n_undefined"], total["note"]) == (2, "2 of 3 contrasts are undefined")
    of_group = {row["left"]: row for row in halves.rows() if row["class"] == "positive" and row["right"] == "others"}
    assert of_group["ash"]["value"] == pytest.approx(gap)
    assert (of_group["ash"]["n_undefined"], of_group["ash"]["note"]) == (1, "1 of 2 pairs are undefined")
    assert np.isnan(of_group["cedar"]["value"])
    assert (of_group["cedar"]["n_undefined"], of_group["cedar"]["n"]) == (2, 0)


def test_strict_use_raises_where_all_groups_at_once_are_undefined() -> None:
    alone = outcomes_of([row for row in random_rows(8) if row.group == "ash"])
    assert refusal(UndefinedError, compute, "pert_sd", alone, Options(undefined="raise")) == (
        "pert_sd of *, class *, is undefined: no source has the score for two groups.\n"
        '    Use undefined="report" to get NaN with this reason, or add such examples.'
    )

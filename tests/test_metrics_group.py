"""Group metrics of one's own, undefined ratios, and parity as fairlearn has it; test_rederivation has the catalogue."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import fairlearn.metrics as theirs
import numpy as np
import pytest
from build_outcomes import (
    BINARY,
    GROUPS,
    THREE,
    Row,
    assert_same,
    figures,
    independent_rows,
    outcomes_of,
    random_rows,
    registered_for_a_while,
    values,
)
from scipy.stats import mannwhitneyu
from sweep import sweep

from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.backgrounds import everyone_else
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import background_metric, multigroup_metric


def test_a_background_of_errors_that_is_0_makes_the_ratio_undefined_with_a_reason() -> None:
    rows = [
        Row("ash", (0.5, 0.5), "positive", "negative"),
        Row("ash", (0.5, 0.5), "positive", "positive"),
        Row("birch", (0.5, 0.5), "positive", "positive"),
        Row("cedar", (0.5, 0.5), "positive", "positive"),
    ]
    result = compute("fnr_ratio", outcomes_of(rows))
    assert result.value[:, 1].tolist() == pytest.approx([math.nan, 0.0, 0.0], nan_ok=True)
    assert result.reasons[0, 1] == "the background's score is 0"
    assert result.n_undefined[:, 1].tolist() == [1, 0, 0]
    assert result.total is None


@pytest.fixture
def of_ones_own() -> Iterator[None]:
    def spread(x: Any) -> Any:
        return x.max(axis=-1) - x.min(axis=-1)

    with registered_for_a_while():
        multigroup_metric("accuracy_range_too", score=scores.accuracy, compare=comparisons.score_range)
        multigroup_metric("f1_spread", score=scores.f1, compare=spread)
        background_metric(
            "tpr_over_base_rate",
            score=scores.true_positive_rate,
            compare=comparisons.difference,
            background=everyone_else,
            background_score=scores.prediction_rate,
        )
        background_metric(
            "bpsn",
            score=scores.positive_probabilities_of_negatives,
            background=everyone_else,
            background_score=scores.positive_probabilities_of_positives,
            compare=comparisons.average_equality_gap,
            normalise=None,
        )
        yield


@pytest.mark.usefixtures("of_ones_own")
class TestMetricsOfOnesOwn:
    def test_all_groups_at_once(self) -> None:
        rows = random_rows(9)
        assert_same(values("accuracy_range_too", rows), values("accuracy_range", rows))
        assert_same(values("f1_spread", rows), values("f1_range", rows))

    def test_all_groups_at_once_are_those_that_have_a_score_and_two_at_least(self) -> None:
        rows = [row for row in random_rows(9) if row.group != "birch"]
        of = [np.mean([row.label == row.predicted for row in rows if row.group == g]) for g in ("ash", "cedar")]
        result = compute("accuracy_range_too", outcomes_of(rows))
        assert figures(result) == pytest.approx({("*", "*", ""): abs(of[0] - of[1])})
        assert [row["note"] for row in result.rows()] == ["over 2 of 3 groups: the others have no score"]
        nothing = compute("accuracy_range_too", outcomes_of([row for row in rows if row.group != "cedar"]))
        assert [(row["n_undefined"], row["note"]) for row in nothing.rows()] == [(1, "no labelled examples")]
        assert np.isnan(nothing.value).all()

    @sweep("seed", range(3))
    def test_a_background_with_another_score(self, seed: int) -> None:
        rows = independent_rows(seed, 20, ties=True)
        found, gaps = values("tpr_over_base_rate", rows), values("bpsn", rows)
        for group in GROUPS:
            own, rest = ([row for row in rows if (row.group == group) == inside] for inside in (True, False))
            for c in BINARY:
                tpr = np.mean([row.predicted == c for row in own if row.label == c])
                base_rate = np.mean([row.predicted == c for row in rest])
                assert found[c, group, "everyone_else"] == pytest.approx(base_rate - tpr)
            negatives = [row.p[1] for row in own if row.label == "negative"]
            positives = [row.p[1] for row in rest if row.label == "positive"]
            u = mannwhitneyu(positives, negatives).statistic
            gap = 0.5 - u / len(positives) / len(negatives)
            assert gaps["positive", group, "everyone_else"] == pytest.approx(gap)

    def test_the_reason_is_that_of_the_side_that_lacks_it(self) -> None:
        rows = [row for row in independent_rows(0, 12) if row.group == "ash" or row.label == "negative"]
        reasons = compute("bpsn", outcomes_of(rows)).reasons
        assert reasons[0, 0] == "everyone_else: no example with gold class positive"


# Parity of selection and error rates: fairlearn says the same

OF_FAIRLEARN = {
    "demographic_parity_difference": theirs.demographic_parity_difference,
    "demographic_parity_ratio": theirs.demographic_parity_ratio,
    "equal_opportunity_difference": theirs.equal_opportunity_difference,
    "equal_opportunity_ratio": theirs.equal_opportunity_ratio,
    "equalized_odds_difference": theirs.equalized_odds_difference,
    "equalized_odds_ratio": theirs.equalized_odds_ratio,
    "fnr_range": theirs.false_negative_rate_difference,
    "fpr_range": theirs.false_positive_rate_difference,
}


@sweep("name", OF_FAIRLEARN)
@sweep("classes", [BINARY, THREE])
def test_they_are_fairlearns(name: str, classes: tuple[str, ...]) -> None:
    rows = independent_rows(1, 40, classes=classes, weights=True)
    found = values(name, rows, classes=classes)
    for c in classes:
        gold, predictions = ([getattr(row, column) == c for row in rows] for column in ("label", "predicted"))
        groups, weight = [row.group for row in rows], [row.weight for row in rows]
        expected = OF_FAIRLEARN[name](gold, predictions, sensitive_features=groups, sample_weight=weight)
        assert found[c, "*", ""] == pytest.approx(expected, abs=1e-12)


def test_a_class_that_nobody_gets_has_no_ratio() -> None:
    rows = [row.but(predicted="negative") for row in independent_rows(0)]
    outcomes = outcomes_of(rows)
    assert compute("demographic_parity_ratio", outcomes).reasons == {(0, 1): "every group's score is 0"}
    assert compute("impact_ratio", outcomes).reasons == {(p, 1): "both groups' scores are 0" for p in range(3)}
    assert compute("demographic_parity_difference", outcomes).value.tolist() == [[0.0, 0.0]]


def test_equalized_odds_need_both_rates() -> None:
    outcomes = outcomes_of([row for row in independent_rows(0) if row.label == "negative"])
    assert compute("equalized_odds_difference", outcomes).reasons == {
        (0, 0): "no example with another gold class than negative",
        (0, 1): "no example with gold class positive",
    }
    rows = outcomes_of(random_rows(0))
    of_tagger = replace(rows, kinds=replace(rows.kinds, true_negative=None))
    assert set(compute("equalized_odds_difference", of_tagger).reasons.values()) == {"spans have no true negatives"}

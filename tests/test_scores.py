"""Scores against scikit-learn and fairlearn."""

from itertools import product

import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, group_scores, independent_rows, outcomes_of
from sklearn.metrics import confusion_matrix
from sweep import sweep

from fairness_checklist.core.outcomes import Units
from fairness_checklist.metrics import scores as phi

OWN = np.eye(len(GROUPS), len(GROUPS) + 1)


EITHER = (("classes", "weights"), list(product((BINARY, THREE), (False, True))))


class TestRates:
    @sweep(*EITHER)
    def test_counts_are_the_confusion_matrix(self, classes: tuple[str, ...], weights: bool) -> None:
        rows = independent_rows(3, classes=classes, weights=weights)
        outcomes = outcomes_of(rows, classes=classes)
        counts = outcomes.counts(np.zeros(len(rows), dtype=np.int64), 1)
        matrix = confusion_matrix(
            [row.label for row in rows],
            [row.predicted for row in rows],
            labels=list(classes),
            sample_weight=[row.weight for row in rows],
        )
        right, gold, predictions = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
        np.testing.assert_array_equal(counts.true_positive[0], right)
        np.testing.assert_array_equal(counts.false_negative[0], gold - right)
        np.testing.assert_array_equal(counts.false_positive[0], predictions - right)
        np.testing.assert_array_equal(counts.true_negative[0], matrix.sum() - gold - predictions + right)
        np.testing.assert_array_equal(counts.rows[0], np.full(len(classes), matrix.sum()))

    @sweep(*EITHER)
    def test_means_are_those_of_numpy(self, classes: tuple[str, ...], weights: bool) -> None:
        rows = independent_rows(5, classes=classes, weights=weights, unlabelled=6)
        outcomes = outcomes_of(rows, classes=classes)
        mean, target = (group_scores(s, outcomes, OWN) for s in (phi.mean_probability, phi.mean_target_probability))
        las = group_scores(phi.labelled_attachment_score, outcomes, OWN)
        for g, group in enumerate(GROUPS):
            part = [row for row in rows if row.group == group]
            weight = [row.weight for row in part]
            np.testing.assert_allclose(mean[g], np.average([row.p for row in part], axis=0, weights=weight), rtol=1e-13)
            assert las[g, 0] == pytest.approx(np.average([row.las for row in part], weights=weight), rel=1e-13)
            own = [(row.p[classes.index(row.label)], row.weight) for row in part if row.label]
            assert len(own) < len(part)
            assert target[g, 0] == pytest.approx(
                np.average([p for p, _ in own], weights=[w for _, w in own]), rel=1e-13
            )


def test_a_rate_with_an_empty_denominator_is_nan_and_not_0() -> None:
    rows = [Row("ash", (0.5, 0.5), "positive", "positive"), Row("birch", (0.5, 0.5), "negative", "negative")]
    outcomes = outcomes_of(rows)
    names = ("true_positive_rate", "false_negative_rate", "false_positive_rate", "true_negative_rate", "f1")
    found = {name: group_scores(phi.SCORES[name], outcomes, OWN).tolist() for name in names}
    nan = pytest.approx(np.nan, nan_ok=True)
    assert found["true_positive_rate"] == [[nan, 1], [1, nan], [nan, nan]]
    assert found["false_negative_rate"] == [[nan, 0], [0, nan], [nan, nan]]
    assert found["false_positive_rate"] == [[0, nan], [nan, 0], [nan, nan]]
    assert found["true_negative_rate"] == [[1, nan], [nan, 1], [nan, nan]]
    assert found["f1"] == [[nan, 1], [1, nan], [nan, nan]]
    for score in (phi.prediction_rate, phi.accuracy, phi.mean_probability, phi.mean_target_probability):
        value = group_scores(score, outcomes, OWN)
        assert np.isnan(value[2]).all()
        assert not np.isnan(value[:2]).any()


def test_unlabelled_rows_count_for_the_rate_of_predicting_and_for_nothing_else() -> None:
    rows = [Row("ash", (0.5, 0.5), "positive", "positive"), Row("ash", (0.5, 0.5), "", "negative")]
    outcomes = outcomes_of(rows)
    assert group_scores(phi.prediction_rate, outcomes, OWN)[0].tolist() == [0.5, 0.5]
    assert group_scores(phi.accuracy, outcomes, OWN)[0].tolist() == [1.0]
    assert group_scores(phi.false_positive_rate, outcomes, OWN)[0, 0] == 0


def test_sets_and_single_scores_hold_nan_where_a_unit_does_not_belong() -> None:
    units = Units(
        np.arange(3),
        np.zeros(3, dtype=np.int64),
        np.array([0, 1, -1]),
        np.array([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]]),
        1,
    )
    nan = np.nan
    np.testing.assert_array_equal(phi.probabilities(units), units.probability)
    np.testing.assert_array_equal(phi.probability(units), units.probability)
    np.testing.assert_array_equal(phi.mean_probability(units), units.probability)
    own = [[0.25, nan], [nan, 0.5], [nan, nan]]
    np.testing.assert_array_equal(phi.true_class_probabilities(units), own)
    np.testing.assert_array_equal(phi.true_class_probability(units), own)
    np.testing.assert_array_equal(phi.positive_probabilities_of_positives(units), [[nan], [0.5], [nan]])
    np.testing.assert_array_equal(phi.positive_probabilities_of_negatives(units), [[0.75], [nan], [nan]])
    np.testing.assert_array_equal(phi.target_probability(units), [[0.25], [0.5], [nan]])
    np.testing.assert_array_equal(phi.mean_target_probability(units), [[0.25], [0.5], [nan]])

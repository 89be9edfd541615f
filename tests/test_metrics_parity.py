"""Parity of selection and error rates: fairlearn says the same."""

from __future__ import annotations

from dataclasses import replace

import fairlearn.metrics as theirs
import pytest
from build_outcomes import BINARY, THREE, independent_rows, outcomes_of, random_rows, values
from sweep import sweep

from fairness_checklist.metrics.catalogue import compute

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

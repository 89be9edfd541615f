"""Counts by any code: one number a row gives what the sums of all counts give."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, outcomes_of, random_rows

from fairness_checklist.core.outcomes import Counts, Outcomes
from fairness_checklist.metrics.contrasts import counts_by


def assert_same(found: Counts, expected: Counts) -> None:
    for one in fields(Counts):
        np.testing.assert_allclose(getattr(found, one.name), getattr(expected, one.name), atol=1e-12, err_msg=one.name)


@pytest.mark.parametrize("classes", [BINARY, THREE])
@pytest.mark.parametrize("weights", [True, False])
def test_sums_are_those_of_the_outcomes(classes: tuple[str, ...], weights: bool) -> None:
    outcomes = outcomes_of(random_rows(1, sources=9, classes=classes, weights=weights, unlabelled=3), GROUPS, classes)
    for code, size in (
        (outcomes.group, len(GROUPS) + 1),
        (np.where(outcomes.group == 1, -1, outcomes.group), len(GROUPS) + 1),
        (outcomes.source, 9),
    ):
        assert_same(counts_by(outcomes, code, size), outcomes.counts(code, size))


def more_than_one(outcomes: Outcomes) -> Outcomes:
    """A row in which two classes are decided for."""
    predicted = outcomes.predicted.copy()
    predicted[0] = 1
    return replace(outcomes, predicted=predicted)


def a_part(outcomes: Outcomes) -> Outcomes:
    """A row that counts by a half."""
    return replace(outcomes, correct=outcomes.correct / 2)


def spans(outcomes: Outcomes) -> Outcomes:
    return replace(outcomes, true_negative=None)


def half_negatives(outcomes: Outcomes) -> Outcomes:
    assert outcomes.true_negative is not None
    return replace(outcomes, true_negative=outcomes.true_negative / 2)


@pytest.mark.parametrize("change", [more_than_one, a_part, spans, half_negatives])
def test_other_counts_are_summed_as_they_are(change: object) -> None:
    outcomes = change(outcomes_of(random_rows(2, sources=6)))  # type: ignore[operator]
    assert_same(counts_by(outcomes, outcomes.group, 4), outcomes.counts(outcomes.group, 4))

"""The engine: the value, assignments and repeated rows are the same metric under different weights."""

from __future__ import annotations

import numpy as np
import pytest
from build_outcomes import outcomes_of, random_rows
from sweep import sweep

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.engine import weighted_values
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.metrics.weights import Parts, Weights, as_declared, by_group, by_term, membership

NAMES = sorted(METRICS)


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    return outcomes_of(random_rows(21, sources=8, most_terms=3, missing=0.15, weights=True))


def known(name: str, outcomes: Outcomes) -> FloatArray:
    return compute(name, outcomes).value


@sweep("name", NAMES)
def test_unit_weights_give_the_value(name: str, outcomes: Outcomes) -> None:
    line = METRICS[name]
    for parts in (by_term(outcomes), by_group(outcomes)):
        found = weighted_values(line, parts, Options(), Weights(as_declared(parts)))
        np.testing.assert_allclose(found[0], known(name, outcomes), rtol=0, atol=1e-12)


@sweep("name", NAMES)
def test_sources_that_count_0_times_are_left_out(name: str, outcomes: Outcomes) -> None:
    stays = np.random.default_rng(3).random((3, len(outcomes.sources))) < 0.6
    parts = by_group(outcomes)
    weights = Weights(as_declared(parts), outcomes.source, stays.astype(np.float64))
    found = weighted_values(METRICS[name], parts, Options(), weights)
    for sources, value in zip(stays, found, strict=True):
        expected = known(name, select_rows(outcomes, sources[outcomes.source]))
        np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)


def test_rows_without_a_term_are_a_part_of_their_own() -> None:
    rows = [row.but(term="") if at % 5 == 0 else row for at, row in enumerate(random_rows(23))]
    outcomes = outcomes_of(rows)
    parts: Parts = by_term(outcomes)
    assert parts.code.min() >= 0
    assert parts.group[parts.code].tolist() == outcomes.group.tolist()
    assert membership(np.array([[0, 1]]), 2).shape == (1, 3, 3)

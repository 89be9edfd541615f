"""Counterfactual metrics: sources, reasons and options; values are re-derived in test_rederivation and its like."""

import itertools
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from build_outcomes import BINARY, GROUPS, Row, outcomes_of, random_rows
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import OptionError
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options

COUNTERFACTUAL = [name for name, metric in METRICS.items() if metric.level == "counterfactual"]


@sweep("name", COUNTERFACTUAL)
def test_the_mean_over_all_sources_is_diluted_by_those_without_a_value(name: str) -> None:
    outcomes = outcomes_of(random_rows(9, unlabelled=3))
    plain, diluted = (compute(name, outcomes, options) for options in (None, Options(denominator="all_sources")))
    np.testing.assert_allclose(diluted.value, plain.value * plain.n / 9, rtol=1e-12)


@sweep("name", COUNTERFACTUAL)
def test_by_source_are_the_values_of_single_sources_that_the_mean_is_of(name: str) -> None:
    rows = random_rows(13, unlabelled=1)
    result = compute(name, outcomes_of(rows))
    np.testing.assert_allclose(np.nanmean(result.by_source, axis=0), result.value, rtol=1e-12)
    for s, by_source in enumerate(result.by_source):
        alone = compute(name, outcomes_of([row for row in rows if row.source == f"s{s}"]))
        np.testing.assert_allclose(by_source, alone.value, rtol=1e-12)


def test_a_source_without_a_group_is_used_in_a_range_with_a_note() -> None:
    rows = [row for row in random_rows(12, sources=6) if (row.source, row.group) != ("s2", "birch")]
    for name in ("pert_sr", "pert_sd"):
        result = compute(name, outcomes_of(rows))
        assert result.n.tolist() == [[6]]
        assert [row["note"] for row in result.rows()] == ["1 of 6 sources lacks a group; the others were compared"]


def undefined(name: str, rows: Sequence[Row]) -> dict[tuple[Any, ...], str]:
    result = compute(name, outcomes_of(rows))
    assert all(math.isnan(result.value[key]) for key in result.reasons)
    return {(result.left[p], result.right[p], result.classes[k]): why for (p, k), why in result.reasons.items()}


def test_reasons() -> None:
    rows = [row for row in random_rows(14) if row.group != "birch"]
    assert undefined("cf_gap", rows) == {
        (*pair, c): f"no source has the score for both {pair[0]} and {pair[1]}"
        for pair in (("ash", "birch"), ("birch", "cedar"))
        for c in BINARY
    }
    negative = [row for row in random_rows(14) if row.label == "negative"]
    assert undefined("cf_gap_tc", negative) == {
        (*pair, "positive"): "no source with gold class positive" for pair in itertools.combinations(GROUPS, 2)
    }
    alone = [row for row in random_rows(14) if row.group in ("ash", "")]
    assert undefined("pert_sd", alone) == {("*", "", "*"): "no source has the score for two groups"}
    without_labels = [row.but(label="") for row in random_rows(14)]
    assert set(undefined("pert_ss", without_labels).values()) == {"no example has a label"}


def test_rows_without_a_source_have_no_counterfactual_metric() -> None:
    rows = [row.but(source="") for row in random_rows(15)]
    assert refusal(OptionError, compute, "avg_if", outcomes_of(rows)) == (
        "avg_if compares variations of the same source, and the rows have no column source.\n"
        "    Add a column source, or choose group metrics."
    )


def test_a_large_product_is_sampled_with_its_standard_error() -> None:
    groups, random = tuple("abcdefg"), np.random.default_rng(1)
    p = random.random((3, len(groups), 4))  # of three sources, and four terms a group: 16,384 rows a source
    rows = [
        Row(group, (1 - p[s, g, t], p[s, g, t]), "positive", source=f"s{s}", term=f"{group}{t}")
        for s in range(len(p))
        for g, group in enumerate(groups)
        for t in range(4)
    ]
    outcomes = outcomes_of(rows, groups)
    expected = np.mean([np.std(list(itertools.product(*of_source)), axis=1).mean() for of_source in p])
    apart = []
    for seed in range(6):
        results = [compute("pert_sd", outcomes, Options(seed=seed)) for _ in range(2)]
        noted = re.fullmatch(r"mean over 1,000 rows drawn .*, standard error at most (\S+)", results[0].note)
        apart.append((results[0].value[0, 0] - expected) / float(noted[1]))
        assert results[1].value[0, 0] == results[0].value[0, 0]
    assert 0.2 < np.sqrt(np.mean(np.square(apart))) < 2
    assert len(set(apart)) == 6

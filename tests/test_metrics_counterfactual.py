"""Counterfactual metrics against a plain re-derivation of equations (2) and (6) of Czarnowska et al. 2021.

Each source's groups are drawn from by `itertools.product`: the whole T-ary product, row by row.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from build_outcomes import (
    BINARY,
    GROUPS,
    THREE,
    Figures,
    Row,
    assert_same,
    figures,
    outcomes_of,
    random_rows,
    repeated,
    values,
)
from scipy.stats import wasserstein_distance
from sweep import sweep

from fairness_checklist.core.errors import OptionError
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options

NAN = math.nan
Phi = Callable[[Row, str, Sequence[str]], float]


def is_class(row: Row, c: str, classes: Sequence[str]) -> float:
    return float(row.predicted == c)


def p_of_class(row: Row, c: str, classes: Sequence[str]) -> float:
    return row.p[classes.index(c)]


def p_of_own_class(row: Row, c: str, classes: Sequence[str]) -> float:
    return row.p[classes.index(c)] if row.label == c else NAN


def p_of_gold(row: Row, c: str, classes: Sequence[str]) -> float:
    return row.p[classes.index(row.label)] if row.label else NAN


def abs_diff(x: float, y: float) -> float:
    return abs(x - y)


TABLE_2: dict[str, tuple[str, Phi, Callable[..., float]]] = {
    "cf_gap": ("rows, pairs", p_of_class, abs_diff),
    "cf_gap_tc": ("rows, pairs", p_of_own_class, abs_diff),
    "pert_ss": ("rows, pairs", p_of_gold, abs_diff),
    "pert_sd": ("rows, all", p_of_gold, np.std),
    "pert_sr": ("rows, all", p_of_gold, np.ptp),
    "avg_if": ("sets, pairs", p_of_class, wasserstein_distance),
    "avg_if_tc": ("sets, pairs", p_of_own_class, wasserstein_distance),
    "changed_answers": ("rows, pairs", is_class, lambda x, y: abs(x - y)),
    "answer_difference": ("rows, pairs", is_class, lambda x, y: x - y),
    "avg_score_difference": ("sets, pairs", p_of_class, lambda x, y: float(np.mean(x) - np.mean(y))),
}


def of_source(name: str, groups: dict[str, list[float]]) -> dict[tuple[str, str], float]:
    """The contrasts of one source: groups are those that have scores, with all their scores."""
    form, _, d = TABLE_2[name]
    pairs = list(itertools.combinations(groups, 2))
    if form == "sets, pairs":
        return {(one, two): d(groups[one], groups[two]) for one, two in pairs}
    drawn = [dict(zip(groups, row, strict=True)) for row in itertools.product(*groups.values())]
    if form == "rows, all":
        return {("*", ""): float(np.mean([d(list(row.values())) for row in drawn]))} if pairs else {}
    return {(one, two): float(np.mean([d(row[one], row[two]) for row in drawn])) for one, two in pairs}


def by_source(
    name: str, rows: Sequence[Row], groups: Sequence[str], c: str, classes: Sequence[str]
) -> list[dict[tuple[str, str], float]]:
    phi = TABLE_2[name][1]
    found = []
    for source in dict.fromkeys(row.source for row in rows if row.symmetric):
        scores = {
            group: [phi(row, c, classes) for row in rows if (row.source, row.group) == (source, group)]
            for group in groups
        }
        defined = {group: [s for s in each if not math.isnan(s)] for group, each in scores.items()}
        found.append(of_source(name, {group: each for group, each in defined.items() if each}))
    return found


def expected(
    name: str,
    rows: Sequence[Row],
    groups: Sequence[str] = GROUPS,
    classes: Sequence[str] = BINARY,
    *,
    divide_by: int | None = None,
) -> Figures:
    """Every number of a counterfactual metric, by hand; ``divide_by`` sources instead of those with a value."""
    found: Figures = {}
    form = TABLE_2[name][0]
    for c in ["*"] if TABLE_2[name][1] is p_of_gold else classes:
        sources = by_source(name, rows, groups, c, classes)
        keys = [("*", "")] if form == "rows, all" else list(itertools.combinations(groups, 2))
        contrasts = {}
        for key in keys:
            own = [one[key] for one in sources if key in one]
            contrasts[key] = sum(own) / (divide_by or len(own)) if own else NAN
        found |= {(c, left, right): value for (left, right), value in contrasts.items()}
        if form == "rows, all" or (name in ("avg_score_difference", "answer_difference") and len(groups) > 2):
            continue
        fine = {key: value for key, value in contrasts.items() if not math.isnan(value)}
        found[c, "*", ""] = float(np.mean(list(fine.values()))) if fine else NAN
        for group in groups if len(groups) > 2 else ():
            standing = [value for key, value in fine.items() if group in key]
            found[c, group, "others"] = float(np.mean(standing)) if standing else NAN
    return found


COUNTERFACTUAL = list(TABLE_2)
ELSEWHERE = ("pert_ld", "pert_ld_unmarked", "pi_metric")  # test_metrics_answers.py
AGAINST_THE_TEXT = ("cf_gap_unmarked", "pert_ss_unmarked")  # test_perturb_suite.py


def test_the_table_here_holds_every_counterfactual_metric() -> None:
    reported = [name for name, metric in METRICS.items() if metric.level == "counterfactual"]
    assert sorted([*TABLE_2, *ELSEWHERE, *AGAINST_THE_TEXT]) == sorted(reported)


class TestByHand:
    @sweep("name", COUNTERFACTUAL)
    @sweep("classes", [BINARY, THREE])
    @sweep("groups", [GROUPS[:2], GROUPS, (*GROUPS, "oak")])
    def test_the_whole_product(self, name: str, groups: tuple[str, ...], classes: tuple[str, ...]) -> None:
        rows = random_rows(len(groups), groups=groups, classes=classes, unlabelled=2)
        assert_same(values(name, rows, groups, classes), expected(name, rows, groups, classes))

    @sweep("name", COUNTERFACTUAL)
    @sweep("seed", range(4))
    def test_ties_and_sources_that_lack_a_group(self, name: str, seed: int) -> None:
        rows = random_rows(seed, ties=True, missing=0.4, sources=12)
        by_hand = expected(name, rows)
        assert_same(values(name, rows), by_hand)
        assert {(row.source, row.group) for row in rows} < {(f"s{s}", g) for s in range(12) for g in ("", *GROUPS)}

    @sweep("name", COUNTERFACTUAL)
    def test_whole_weights_are_repeated_rows(self, name: str) -> None:
        rows = random_rows(5, weights=True, sources=6)
        assert_same(values(name, rows), expected(name, repeated(rows)))

    @sweep("name", COUNTERFACTUAL)
    def test_weights_where_groups_are_missing(self, name: str) -> None:
        rows = random_rows(6, weights=True, sources=6, missing=0.4)
        assert_same(values(name, rows), expected(name, repeated(rows)))

    @sweep("name", COUNTERFACTUAL)
    def test_labels_that_differ_inside_a_source(self, name: str) -> None:
        labels = ("positive", "negative", "")
        rows = [row.but(label=labels[i % 3]) for i, row in enumerate(random_rows(7, sources=8))]
        assert_same(values(name, rows), expected(name, rows))

    @sweep("name", COUNTERFACTUAL)
    def test_sources_that_are_not_symmetric_stay_out(self, name: str) -> None:
        rows = [row.but(symmetric=row.source not in ("s1", "s2")) for row in random_rows(8)]
        assert_same(values(name, rows), expected(name, rows))
        assert_same(values(name, rows), values(name, [row for row in rows if row.symmetric]))

    @sweep("name", COUNTERFACTUAL)
    def test_the_mean_over_all_sources(self, name: str) -> None:
        rows = random_rows(9, unlabelled=3)
        diluted = values(name, rows, options=Options(denominator="all_sources"))
        assert_same(diluted, expected(name, rows, divide_by=9))


def test_the_share_of_sources_that_the_released_code_dilutes_by() -> None:
    rows = random_rows(10, sources=8)
    fine, diluted = (values("cf_gap_tc", rows, options=o) for o in (None, Options(denominator="all_sources")))
    for key, value in fine.items():
        assert diluted[key] == pytest.approx(value / 2)  # every second source has the class


def test_n_counts_the_sources_that_entered_and_those_without_a_value() -> None:
    rows = random_rows(11, sources=6, unlabelled=2)
    rows = [row for row in rows if (row.source, row.group) != ("s2", "birch")]
    result = compute("cf_gap", outcomes_of(rows))
    assert result.n[:, 1].tolist() == [5, 6, 5]
    assert result.n_undefined[:, 1].tolist() == [1, 0, 1]
    assert result.total_n is not None
    assert result.total_n.tolist() == [6, 6]
    labelled = compute("pert_ss", outcomes_of(rows))
    assert labelled.n[:, 0].tolist() == [3, 4, 3]
    assert labelled.n_undefined[:, 0].tolist() == [1, 0, 1]
    assert not labelled.reasons


def test_a_source_without_a_group_is_used_in_a_range_with_a_note() -> None:
    rows = [row for row in random_rows(12, sources=6) if (row.source, row.group) != ("s2", "birch")]
    for name in ("pert_sr", "pert_sd"):
        result = compute(name, outcomes_of(rows))
        assert result.n.tolist() == [[6]]
        assert [row["note"] for row in result.rows()] == ["1 of 6 sources lacks a group; the others were compared"]


def test_by_source_are_the_values_that_the_mean_is_of() -> None:
    rows = random_rows(13, unlabelled=1)
    for name in COUNTERFACTUAL:
        result = compute(name, outcomes_of(rows))
        assert result.by_source is not None
        np.testing.assert_allclose(np.nanmean(result.by_source, axis=0), result.value, rtol=1e-12)
        for k, c in enumerate(result.classes):
            for s, one in enumerate(by_source(name, rows, GROUPS, c, BINARY)):
                for p, key in enumerate(zip(result.left, result.right, strict=True)):
                    assert result.by_source[s, p, k] == pytest.approx(one.get(key, NAN), abs=1e-12, nan_ok=True)


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
    with pytest.raises(OptionError) as caught:
        compute("avg_if", outcomes_of(rows))
    assert str(caught.value) == (
        "avg_if compares variations of the same source, and the rows have no column source.\n"
        "    Add a column source, or choose group metrics."
    )


def test_one_variation_a_group_makes_average_individual_fairness_the_gap() -> None:
    rows = random_rows(16, most_terms=1)
    assert_same(values("avg_if", rows), values("cf_gap", rows))
    result = figures(compute("cf_gap", outcomes_of(rows)))
    assert [result["negative", *pair] for pair in itertools.combinations(GROUPS, 2)] == pytest.approx(
        [result["positive", *pair] for pair in itertools.combinations(GROUPS, 2)]
    )

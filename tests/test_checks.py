"""Invariance by CheckList's rule, written down again plainly, and minimum functionality."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, outcomes_of, random_rows, reference_of
from refusals import refusal
from sweep import sweep

from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality, references
from fairness_checklist.core.errors import OptionError


def passes(reference: Row, example: Row, classes: Sequence[str], threshold: float) -> bool:
    """The same prediction passes; else p(prediction of the reference) may move by the threshold, no further."""
    if reference.predicted == example.predicted:
        return True
    at = classes.index(reference.predicted)
    return abs(example.p[at] - reference.p[at]) <= threshold


def by_hand(
    rows: Sequence[Row], groups: Sequence[str] = GROUPS, classes: Sequence[str] = BINARY, threshold: float = 0.1
) -> dict[str, object]:
    """Cases, pairs with the reference and pairs across groups: how many there are and fail."""
    cases, with_reference, across = [], [], []
    of_group: dict[str, list[bool]] = {group: [] for group in groups}
    changes: dict[str, list[float]] = {group: [] for group in groups}
    for source in dict.fromkeys(row.source for row in rows if row.symmetric):
        part = [row for row in rows if row.source == source]
        reference = reference_of(part, groups)
        found = [not passes(reference, row, classes, threshold) for row in part if row.group and row is not reference]
        if found:
            cases.append(any(found))
        with_reference += found
        for one, two in itertools.combinations([row for row in part if row.group], 2):
            if one.group != two.group:
                fails = not (passes(one, two, classes, threshold) and passes(two, one, classes, threshold))
                across.append(fails)
                of_group[one.group].append(fails)
                of_group[two.group].append(fails)
        means = {g: np.mean([r.p[-1] for r in part if r.group == g]) for g in groups if any(r.group == g for r in part)}
        for group, mean in means.items():
            others = [value for name, value in means.items() if name != group]
            if others:
                changes[group].append(float(mean - np.mean(others)))
    return {
        "cases": len(cases),
        "fails": sum(cases),
        "pairs": len(across),
        "pair_fails": sum(across),
        "reference_pairs": len(with_reference),
        "reference_fails": sum(with_reference),
        "by_group": {g: (len(of_group[g]), sum(of_group[g])) for g in groups},
        "change": {g: float(np.mean(changes[g])) if changes[g] else np.nan for g in groups},
    }


@sweep("threshold", [0.0, 0.1, 0.4, 1.0])
@sweep("how", ["two classes", "three classes", "no control", "missing", "not symmetric"])
def test_the_three_rates_are_those_by_hand(how: str, threshold: float) -> None:
    classes = THREE if how == "three classes" else BINARY
    varied: dict[str, Any] = {"control": how != "no control", "missing": 0.3 if how == "missing" else 0.0}
    rows = random_rows(1, classes=classes, sources=20, ties=True, unlabelled=3, **varied)
    if how == "not symmetric":
        rows = [row.but(symmetric=row.source not in ("s0", "s1", "s2")) for row in rows]
    result = Invariance(threshold).run(outcomes_of(rows, classes=classes))
    expected = by_hand(rows, classes=classes, threshold=threshold)
    for name in ("cases", "fails", "pairs", "pair_fails", "reference_pairs", "reference_fails"):
        assert getattr(result, name) == expected[name], name
    assert {g.group: (g.pairs, g.fails) for g in result.by_group} == expected["by_group"]
    assert {g.group: g.mean_change for g in result.by_group} == pytest.approx(expected["change"], abs=1e-12)
    assert result.fail_rate == pytest.approx(100 * result.fails / result.cases)
    assert result.pair_fail_rate == pytest.approx(100 * result.pair_fails / result.pairs)
    if threshold < 1:
        assert 0 < result.pair_fails < result.pairs
    else:
        assert result.pair_fails == 0


TIES = "0.5 0.4 0.1, 0.55 0.45 0.1, 0.6 0.5 0.1, 0.7 0.4 0.3, 0.75 0.25 0.5, 0.3 0.1 0.2, 0.8 0.7 0.1, 0.5 0.5 0.0"


@sweep(("first", "second", "threshold"), [map(float, tie.split()) for tie in TIES.split(", ")])
def test_ties_at_the_threshold_are_those_of_float64(first: float, second: float, threshold: float) -> None:
    rows = [
        Row("ash", (1 - first, first), "", "positive", "s"),
        Row("birch", (1 - second, second), "", "negative", "s"),
    ]
    result = Invariance(threshold).run(outcomes_of(rows, GROUPS[:2]))
    assert result.reference_fails == int(abs(second - first) > threshold)


def test_the_reference_is_the_control_else_the_first_term_of_the_first_group() -> None:
    order = "birch a b0, ash a a0, ash a a1, - a -, birch b b0, ash b a0, ash b a1, cedar c c0, birch c b1"
    listed = [[cell.strip("-") for cell in row.split()] for row in order.split(", ")]
    rows = [Row(group, (0.5, 0.5), source=source, term=term) for group, source, term in listed]
    outcomes = outcomes_of([*rows, Row("ash", (0.5, 0.5))])
    assert references(outcomes).tolist() == [3, 5, 8]
    assert Invariance().run(outcomes).note == (
        "reference: the unmarked control in 1 of 3 cases, else the first term of the first group; "
        "0 of 6 pairs with it fail"
    )
    only_control = Invariance().run(outcomes_of(rows[:4]))
    assert only_control.note == "reference: the unmarked control in 1 of 1 cases; 0 of 3 pairs with it fail"


def test_a_movement_without_another_decision_passes_and_is_counted() -> None:
    # negative of the control, ash and birch: ash of the first moves by 0.3 and stays; birch of the second fails
    told = {"a": (0.9, 0.6, 0.85), "b": (0.9, 0.85, 0.4), "c": (0.9, 0.7, 0.7)}
    rows = [
        Row(group, (p, 1 - p), source=source, term=group and group[0] + "0")
        for source, each in told.items()
        for group, p in zip(("", "ash", "birch"), each, strict=True)
    ]
    result = Invariance().run(outcomes_of(rows))
    assert (result.fails, result.reference_fails) == (1, 1)
    assert result.note == (
        "reference: the unmarked control in 3 of 3 cases; 1 of 6 pairs with it fail; "
        "in 2 of 3 sources the probability of some text moves by more than 0.1 without another decision; "
        "such texts pass"
    )
    assert "without another decision" not in Invariance(tolerance=0.31).run(outcomes_of(rows)).note


def test_what_invariance_leaves_out_and_asks_for() -> None:
    random = random_rows(2, sources=3)
    result = Invariance().run(outcomes_of([row.but(symmetric=row.source != "s0") for row in random]))
    assert result.cases == 2
    assert result.note.endswith("; 1 source that is not symmetric is left out")
    more = Invariance().run(outcomes_of([row.but(symmetric=row.source == "s0") for row in random]))
    assert more.note.endswith("; 2 sources that are not symmetric are left out")
    assert refusal(OptionError, Invariance().run, outcomes_of([row.but(source="") for row in random])) == (
        "an invariance test compares variations of the same source, and the rows have no column source."
    )
    for threshold in (-0.1, 1.5, float("nan")):
        assert refusal(OptionError, Invariance, threshold) == f"tolerance={threshold:g} is not a number from 0 to 1."


@sweep("classes", [BINARY, THREE])
def test_minimum_functionality_by_hand(classes: tuple[str, ...]) -> None:
    rows = random_rows(6, classes=classes, unlabelled=2)
    marked = [row for row in rows if row.group and row.label]
    outcomes = outcomes_of(rows, classes=classes)
    result = MinimumFunctionality().run(outcomes)
    assert (result.cases, result.fails) == (len(marked), sum(row.label != row.predicted for row in marked))
    assert result.failed.tolist() == [row.label != row.predicted for row in marked]
    for one in result.by_group:
        own = [row for row in marked if row.group == one.group]
        assert (one.pairs, one.fails) == (len(own), sum(row.label != row.predicted for row in own))
    assert tuple(one.group for one in result.by_group) == GROUPS
    left_out = sum(bool(row.group) and not row.label for row in rows)
    assert result.note == f"{left_out} examples without a label that the model knows are left out"
    assert (result.pairs, result.pair_fails) == (0, 0)
    assert np.isnan(result.pair_fail_rate)
    assert np.isnan([g.mean_change for g in result.by_group]).all()

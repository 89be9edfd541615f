"""Invariance by CheckList's rule, written down again plainly, and minimum functionality."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, outcomes_of, random_rows
from sweep import sweep

from fairness_checklist.checks.invariance_and_mft import (
    Invariance,
    MinimumFunctionality,
    references,
)
from fairness_checklist.core.errors import OptionError


def passes(reference: Row, example: Row, classes: Sequence[str], threshold: float) -> bool:
    """The same prediction passes; else p(prediction of the reference) may move by the threshold, no further."""
    if reference.predicted == example.predicted:
        return True
    at = classes.index(reference.predicted)
    return abs(example.p[at] - reference.p[at]) <= threshold


def reference_of(rows: Sequence[Row], groups: Sequence[str]) -> Row:
    """The unmarked control, else the first term of the first group that is there."""
    controls = [row for row in rows if not row.group]
    return controls[0] if controls else next(row for group in groups for row in rows if row.group == group)


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
    rows = random_rows(
        1,
        classes=classes,
        sources=20,
        ties=True,
        control=how != "no control",
        missing=0.3 if how == "missing" else 0.0,
        unlabelled=3,
    )
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


def two(first: float, second: float) -> list[Row]:
    """A reference that says positive with p, and another group's text that says negative with p(positive)."""
    return [
        Row("ash", (1 - first, first), "", "positive", "s"),
        Row("birch", (1 - second, second), "", "negative", "s"),
    ]


@sweep(("first", "second", "threshold"), [
    (0.5, 0.4, 0.1),
    (0.55, 0.45, 0.1),
    (0.6, 0.5, 0.1),
    (0.7, 0.4, 0.3),
    (0.75, 0.25, 0.5),
    (0.3, 0.1, 0.2),
    (0.8, 0.7, 0.1),
    (0.95, 0.85, 0.1),
    (0.5, 0.5, 0.0),
])  # fmt: skip
def test_ties_at_the_threshold_are_those_of_float64(first: float, second: float, threshold: float) -> None:
    result = Invariance(threshold).run(outcomes_of(two(first, second), GROUPS[:2]))
    from_the_reference = abs(second - first) <= threshold
    assert result.reference_fails == int(not from_the_reference)


def test_the_reference_is_the_control_else_the_first_term_of_the_first_group() -> None:
    rows = [
        Row("birch", (0.5, 0.5), source="a", term="b0"),
        Row("ash", (0.5, 0.5), source="a", term="a0"),
        Row("ash", (0.5, 0.5), source="a", term="a1"),
        Row("", (0.5, 0.5), source="a"),
        Row("birch", (0.5, 0.5), source="b", term="b0"),
        Row("ash", (0.5, 0.5), source="b", term="a0"),
        Row("ash", (0.5, 0.5), source="b", term="a1"),
        Row("cedar", (0.5, 0.5), source="c", term="c0"),
        Row("birch", (0.5, 0.5), source="c", term="b1"),
        Row("ash", (0.5, 0.5)),
    ]
    outcomes = outcomes_of(rows)
    assert references(outcomes).tolist() == [3, 5, 8]
    result = Invariance().run(outcomes)
    assert result.note == (
        "reference: the unmarked control in 1 of 3 cases, else the first term of the first group; "
        "0 of 6 pairs with it fail"
    )
    only_control = Invariance().run(outcomes_of(rows[:4]))
    assert only_control.note == "reference: the unmarked control in 1 of 1 cases; 0 of 3 pairs with it fail"


def test_a_movement_without_another_decision_passes_and_is_counted() -> None:
    rows = [
        Row("", (0.9, 0.1), source="a"),
        Row("ash", (0.6, 0.4), source="a", term="a0"),  # moves by 0.3, the same decision
        Row("birch", (0.85, 0.15), source="a", term="b0"),
        Row("", (0.9, 0.1), source="b"),
        Row("ash", (0.85, 0.15), source="b", term="a0"),
        Row("birch", (0.4, 0.6), source="b", term="b0"),  # another decision: fails, and is not counted here
        Row("", (0.9, 0.1), source="c"),
        Row("ash", (0.7, 0.3), source="c", term="a0"),
        Row("birch", (0.7, 0.3), source="c", term="b0"),
    ]
    result = Invariance().run(outcomes_of(rows))
    assert (result.fails, result.reference_fails) == (1, 1)
    assert result.note == (
        "reference: the unmarked control in 3 of 3 cases; 1 of 6 pairs with it fail; "
        "in 2 of 3 sources the probability of some text moves by more than 0.1 without another decision; "
        "such texts pass"
    )
    assert "without another decision" not in Invariance(tolerance=0.31).run(outcomes_of(rows)).note


def test_sources_that_are_not_symmetric_are_left_out_and_counted() -> None:
    rows = [row.but(symmetric=row.source != "s0") for row in random_rows(2, sources=3)]
    result = Invariance().run(outcomes_of(rows))
    assert result.case.tolist() == [1, 2]
    assert result.note.endswith("; 1 source that is not symmetric is left out")
    more = Invariance().run(outcomes_of([row.but(symmetric=row.source == "s0") for row in random_rows(2, sources=3)]))
    assert more.note.endswith("; 2 sources that are not symmetric are left out")


def test_what_invariance_asks_for() -> None:
    with pytest.raises(OptionError) as caught:
        Invariance().run(outcomes_of([row.but(source="") for row in random_rows(5)]))
    assert str(caught.value) == (
        "an invariance test compares variations of the same source, and the rows have no column source."
    )
    for threshold in (-0.1, 1.5, float("nan")):
        with pytest.raises(OptionError) as caught:
            Invariance(threshold)
        assert str(caught.value) == f"tolerance={threshold:g} is not a number from 0 to 1."


@sweep("classes", [BINARY, THREE])
def test_minimum_functionality_by_hand(classes: tuple[str, ...]) -> None:
    rows = random_rows(6, classes=classes, unlabelled=2)
    marked = [row for row in rows if row.group and row.label]
    outcomes = outcomes_of(rows, classes=classes)
    result = MinimumFunctionality().run(outcomes)
    assert (result.cases, result.fails) == (len(marked), sum(row.label != row.predicted for row in marked))
    assert [rows[i] for i in result.case] == marked
    assert result.failed.tolist() == [row.label != row.predicted for row in marked]
    assert {g.group: (g.pairs, g.fails) for g in result.by_group} == {
        group: (
            sum(row.group == group for row in marked),
            sum(row.group == group and row.label != row.predicted for row in marked),
        )
        for group in GROUPS
    }
    left_out = sum(bool(row.group) and not row.label for row in rows)
    assert result.note == f"{left_out} examples without a label that the model knows are left out"
    assert (result.pairs, result.pair_fails) == (0, 0)
    assert np.isnan(result.pair_fail_rate)
    assert np.isnan([g.mean_change for g in result.by_group]).all()

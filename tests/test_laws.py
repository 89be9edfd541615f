"""Laws over all registered metrics; where a law has exceptions, each metric is filed or exempted with a reason."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from build_outcomes import (
    BINARY,
    GROUPS,
    THREE,
    Figures,
    Row,
    assert_same,
    outcomes_of,
    random_rows,
    repeated,
    some_defined,
    values,
)
from sweep import sweep

from fairness_checklist.core.errors import UndefinedError
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics import comparisons as d
from fairness_checklist.metrics.backgrounds import unmarked
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options


def which(holds: Callable[[Metric], bool]) -> tuple[str, ...]:
    """The ids of the metrics of which something holds: a new metric is filed by its own fields."""
    return tuple(name for name, metric in METRICS.items() if holds(metric))


def scored_by(*phi: scores.Score) -> tuple[str, ...]:
    return which(lambda metric: metric.score in phi and metric.also is None)


ALL = tuple(METRICS)
GROUP = which(lambda metric: metric.level == "group")
COUNTERFACTUAL = which(lambda metric: metric.level == "counterfactual")
TWO_CLASSES = which(lambda metric: scores.about(metric.score).two_classes)
AREAS = which(
    lambda metric: metric.compare in (d.group_area, d.background_positive_area, d.group_positive_area, d.pinned_area)
)
RATIOS = which(
    lambda metric: metric.compare in (d.ratio, d.ratio_to_background, d.smaller_over_larger, d.lowest_over_highest)
)
AGAINST_THE_CONTROL = which(lambda metric: metric.background is unmarked)
AT_ONCE = which(lambda metric: metric.family == "multigroup")
WITHOUT_LABELS = which(lambda metric: not scores.about(metric.score).needs_labels)
OVER_CLASSES = which(lambda metric: scores.about(metric.score).over_classes and scores.about(metric.score).needs_labels)
OF_OTHER_CLASSES = scored_by(
    scores.false_positive_rate,
    scores.true_negative_rate,
    scores.other_class_probabilities,
    scores.positive_probabilities_of_negatives,
)
OF_F1 = scored_by(scores.f1)
OF_DECIDED = scored_by(scores.gold_of_decided)


@dataclass(frozen=True)
class Law:
    """Metrics that a law holds for, and {metrics: why it does not}."""

    holds: tuple[str, ...]
    exempt: dict[tuple[str, ...], str] = field(default_factory=dict)


def but(*exempt: str) -> tuple[str, ...]:
    return tuple(name for name in ALL if name not in exempt)


NO_LABEL_NEEDED = "needs no label and so keeps these rows"
OF_ALL_GROUPS = "compares all groups that have a score at once, so two are enough"
LAWS = {
    "the control": Law(but(*AGAINST_THE_CONTROL), {AGAINST_THE_CONTROL: "compares with the control"}),
    "groups alike": Law(but(*AREAS), {AREAS: "is an area under a curve: groups alike have the same, whatever it is"}),
    "rows without a label": Law(but(*WITHOUT_LABELS), {WITHOUT_LABELS: NO_LABEL_NEEDED}),
    "sources that are not symmetric": Law(COUNTERFACTUAL, {GROUP: "compares groups, not variations of a source"}),
    "strict about an empty group": Law(but(*AT_ONCE), {AT_ONCE: OF_ALL_GROUPS}),
    "a class without gold examples": Law(
        but(*OVER_CLASSES, *WITHOUT_LABELS, *OF_OTHER_CLASSES, *OF_F1, *OF_DECIDED),
        {
            WITHOUT_LABELS: NO_LABEL_NEEDED,
            OF_DECIDED: "asks what is gold where the class is predicted",
            OVER_CLASSES: "is over all classes",
            OF_OTHER_CLASSES: "requires the other classes",
            OF_F1: "is 0 where the class is predicted and never gold",
        },
    ),
}


@sweep("law", LAWS)
def test_every_registered_metric_is_filed_under_the_law_or_exempted(law: str) -> None:
    exempt = [name for names in LAWS[law].exempt for name in names]
    assert sorted([*LAWS[law].holds, *exempt]) == sorted(METRICS)
    assert all(LAWS[law].exempt.values())


def under(law: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return sweep("name", LAWS[law].holds)


CASES = [
    (random_rows(1, unlabelled=1, weights=True), BINARY),
    (random_rows(2, classes=THREE, ties=True, unlabelled=2), THREE),
]


def cases(name: str) -> list[tuple[list[Row], tuple[str, ...]]]:
    """Data that a law is tried on: two classes with a control, three classes with ties."""
    return CASES[: 1 if name in TWO_CLASSES else 2]


def assert_unchanged(name: str, change: Callable[[list[Row]], Sequence[Row]]) -> None:
    for rows, classes in cases(name):
        before = values(name, rows, classes=classes)
        assert some_defined(before)
        assert_same(values(name, change(rows), classes=classes), before, within=1e-11)


def mixed(rows: list[Row]) -> list[Row]:
    return [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]


CHANGES: dict[str, Callable[[list[Row]], Sequence[Row]]] = {
    "the order of rows": mixed,
    "a common factor of all weights": lambda rows: [row.but(weight=row.weight * 0.37) for row in rows],
    "whole weights as repeated rows": repeated,
    "every source twice": lambda rows: [*rows, *(row.but(source=f"{row.source} again") for row in rows)],
    "every variation twice": lambda rows: [row for row in rows for _ in range(2)],
}


@sweep("name", ALL)
@sweep("change", CHANGES)
def test_what_means_nothing_changes_nothing(change: str, name: str) -> None:
    assert_unchanged(name, CHANGES[change])


@sweep("name", ALL)
def test_counts_and_notes_do_not_depend_on_the_order_of_rows(name: str) -> None:
    rows, classes = cases(name)[0]
    one, two = (compute(name, outcomes_of(each, classes=classes)) for each in (rows, mixed(rows)))
    assert [(r["n"], r["n_undefined"], r["note"]) for r in one.rows()] == [
        (r["n"], r["n_undefined"], r["note"]) for r in two.rows()
    ]


@sweep("name", ALL)
def test_the_order_of_groups_turns_signed_pairs_and_nothing_else(name: str) -> None:
    order = ("cedar", "ash", "birch")
    compare = METRICS[name].compare
    for rows, classes in cases(name):
        before, after = values(name, rows, classes=classes), values(name, rows, order, classes)
        expected: Figures = {}
        for (c, left, right), value in before.items():
            turned = left in order and right in order and order.index(left) > order.index(right)
            key = (c, right, left) if turned else (c, left, right)
            if turned and compare is comparisons.ratio:
                value = 1 / value if value else math.nan
                if math.isnan(value):  # 0 / y turned is y / 0, and the other way round
                    assert math.isnan(after[key]) or after[key] == 0
                    value = after[key]
            elif turned and not comparisons.about(compare).commutative:
                value = -value
            expected[key] = value
        assert_same(after, expected)


@sweep("name", ALL)
def test_names_of_groups_mean_nothing(name: str) -> None:
    new = {"": "", "ash": "zebra", "birch": "ant", "cedar": "*yak"}
    for rows, classes in cases(name):
        after = values(name, [row.but(group=new[row.group]) for row in rows], [new[g] for g in GROUPS], classes)
        before = values(name, rows, classes=classes)
        assert_same(
            after,
            {
                (c, new.get(left, left), new.get(right, right) if right else ""): value
                for (c, left, right), value in before.items()
            },
        )


@sweep("name", ALL)
def test_names_of_classes_mean_nothing(name: str) -> None:
    for rows, classes in cases(name):
        new = {"": "", "*": "*", **{c: f"z{9 - i}" for i, c in enumerate(classes)}}
        renamed = [row.but(label=new[row.label], predicted=new[row.predicted]) for row in rows]
        before = values(name, rows, classes=classes)
        after = values(name, renamed, classes=[new[c] for c in classes])
        assert_same(after, {(new[c], left, right): value for (c, left, right), value in before.items()})


@sweep("name", ALL)
def test_the_order_of_classes_means_nothing(name: str) -> None:
    for rows, classes in cases(name):
        turned = [row.but(p=row.p[::-1]) for row in rows]
        assert_same(values(name, turned, classes=classes[::-1]), values(name, rows, classes=classes))


@under("the control")
def test_the_control_belongs_to_no_group(name: str) -> None:
    assert_unchanged(name, lambda rows: [row for row in rows if row.group])


@under("groups alike")
def test_groups_that_are_alike_show_no_bias(name: str) -> None:
    """One term a group and the same answers: 0, and ratios are 1."""
    no_bias = comparisons.about(METRICS[name].compare).no_bias
    assert no_bias == (1 if name in RATIOS else 0)
    one = random_rows(3, groups=["ash"], sources=12, most_terms=1, control=False)
    whose = ("", *GROUPS) if name in AGAINST_THE_CONTROL else GROUPS
    found = values(name, [row.but(group=group, term=row.term and group) for row in one for group in whose])
    for key, value in found.items():
        assert value == pytest.approx(no_bias, abs=1e-14), key


@sweep("name", AREAS)
def test_groups_that_are_alike_have_the_same_area(name: str) -> None:
    one = random_rows(3, groups=["ash"], sources=12, most_terms=1, control=False)
    found = values(name, [row.but(group=group) for row in one for group in GROUPS])
    [area] = {round(value, 12) for (c, *_), value in found.items() if c == "positive"}
    assert 0 < area < 1


@under("rows without a label")
def test_rows_without_a_label_change_nothing(name: str) -> None:
    for rows, classes in cases(name):
        labelled = [row for row in rows if row.label]
        assert len(labelled) < len(rows)
        assert_same(values(name, rows, classes=classes), values(name, labelled, classes=classes))


@sweep("name", WITHOUT_LABELS)
def test_what_needs_no_label_looks_at_rows_without_one(name: str) -> None:
    rows = cases(name)[0][0]
    labelled = [row for row in rows if row.label]
    assert values(name, rows) != pytest.approx(values(name, labelled), abs=1e-9, nan_ok=True)
    assert_same(values(name, rows), values(name, [row.but(label="") for row in rows]))


@under("sources that are not symmetric")
def test_sources_that_are_not_symmetric_take_no_part(name: str) -> None:
    def add(rows: list[Row]) -> list[Row]:
        more = [row.but(source=f"{row.source} not", p=row.p[::-1], symmetric=False) for row in rows]
        return [*more, *rows]

    assert_unchanged(name, add)
    rows, classes = cases(name)[0]
    one, two = (compute(name, outcomes_of(each, classes=classes)) for each in (rows, add(rows)))
    assert [(r["n"], r["n_undefined"]) for r in one.rows()] == [(r["n"], r["n_undefined"]) for r in two.rows()]


@sweep("name", ALL)
def test_an_empty_group_is_undefined_and_takes_nothing_else_along(name: str) -> None:
    for rows, classes in cases(name):
        rows = [row for row in rows if row.group != "birch"]
        result = compute(name, outcomes_of(rows, GROUPS, classes))
        without = values(name, rows, ("ash", "cedar"), classes)
        compared = 0
        for row in result.rows():
            key = row["class"], row["left"], row["right"]
            if "birch" in key:
                assert math.isnan(row["value"])
                assert row["n_undefined"] > 0
                assert row["note"] != ""
            elif key in without:
                assert row["value"] == pytest.approx(without[key], abs=1e-12, nan_ok=True)
                compared += not math.isnan(row["value"])
                if row["left"] == "*":
                    assert row["note"] != ""  # a total that lacks a part says so
        assert compared


@under("strict about an empty group")
def test_strict_use_refuses_an_empty_group(name: str) -> None:
    rows = [row for row in random_rows(4) if row.group != "birch"]
    outcomes, strict = outcomes_of(rows), Options(undefined="raise")
    result = compute(name, outcomes)
    with pytest.raises(UndefinedError) as caught:
        compute(name, outcomes, strict)
    (p, k), reason = next(iter(result.reasons.items()))
    against = f" against {result.right[p]}" if result.right[p] else ""
    assert str(caught.value) == (
        f"{name} of {result.left[p]}{against}, class {result.classes[k]}, is undefined: {reason}.\n"
        '    Use undefined="report" to get NaN with this reason, or add such examples.'
    )
    complete = outcomes_of(random_rows(4))
    assert not compute(name, complete, strict).reasons


@under("a class without gold examples")
def test_a_class_without_gold_examples_is_undefined_and_not_0(name: str) -> None:
    classes = BINARY if name in TWO_CLASSES else THREE
    rows = [row for row in random_rows(5, classes=classes) if row.label != "positive"]
    result = compute(name, outcomes_of(rows, classes=classes))
    k = result.classes.index("positive")
    assert np.isnan(result.value[:, k]).all()
    assert all("with gold class positive" in result.reasons[p, k] for p in range(len(result.left)))
    assert result.total is None or np.isnan(result.total[k])
    others = [j for j in range(len(result.classes)) if j != k]
    assert not np.isnan(result.value[:, others]).any()

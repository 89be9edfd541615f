"""The family of areas under ROC curves: scikit-learn says the same."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, independent_rows, outcomes_of, random_rows, values
from sklearn.metrics import roc_auc_score
from sweep import sweep

from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.metrics.scores import area_under_curve


def area(positives: Sequence[Row], negatives: Sequence[Row], k: int) -> float:
    rows = [*positives, *negatives]
    gold = [True] * len(positives) + [False] * len(negatives)
    return float(roc_auc_score(gold, [row.p[k] for row in rows], sample_weight=[row.weight for row in rows]))


def sides(rows: Sequence[Row], c: str) -> tuple[list[Row], list[Row]]:
    return [row for row in rows if row.label == c], [row for row in rows if row.label not in ("", c)]


@sweep("classes", [BINARY, THREE])
@sweep("seed", range(3))
def test_every_area_is_that_of_scikit_learn(seed: int, classes: tuple[str, ...]) -> None:
    rows = random_rows(seed, sources=12, classes=classes, ties=bool(seed), unlabelled=1, weights=True)
    marked = [row for row in rows if row.group]
    found = {name: values(name, rows, classes=classes) for name in METRICS if METRICS[name].score is area_under_curve}
    assert len(found) == 6
    for k, c in enumerate(classes):
        overall = area(*sides(marked, c), k)
        apart = {"auc": 0.0, "pinned": 0.0}
        for group in GROUPS:
            own, rest = ([row for row in marked if (row.group == group) == inside] for inside in (True, False))
            (plus, minus), (other_plus, other_minus) = sides(own, c), sides(rest, c)
            expected = {
                "subgroup_auc": area(plus, minus, k),
                "bpsn_auc": area(other_plus, minus, k),
                "bnsp_auc": area(plus, other_minus, k),
            }
            mass, whole = (sum(row.weight for row in part if row.label) for part in (own, marked))
            pinned = [row.but(weight=row.weight / mass) for row in own]
            pinned += [row.but(weight=row.weight / whole) for row in marked]
            expected["pinned_auc"] = area(*sides(pinned, c), k)
            apart["auc"] += abs(expected["subgroup_auc"] - overall)
            apart["pinned"] += abs(expected["pinned_auc"] - overall)
            for name, value in expected.items():
                assert found[name][c, group, METRICS[name].background_name()] == pytest.approx(value, abs=1e-12), name
        assert found["auc_equality_difference"][c, "*", ""] == pytest.approx(apart["auc"], abs=1e-12)
        assert found["pinned_auc_equality_difference"][c, "*", ""] == pytest.approx(apart["pinned"], abs=1e-12)


def test_the_reason_names_the_side_without_examples() -> None:
    rows = [row for row in independent_rows(1) if row.group != "ash" or row.label == "positive"]
    rows = [row for row in rows if row.group != "birch" or row.label == "negative"]
    outcomes = outcomes_of([row for row in rows if row.group != "cedar"], GROUPS[:2])
    reasons = {name: compute(name, outcomes).reasons for name in ("subgroup_auc", "bpsn_auc", "bnsp_auc")}
    assert reasons["subgroup_auc"][0, 1] == "ash: no example with another gold class than positive"
    assert reasons["subgroup_auc"][1, 1] == "birch: no example with gold class positive"
    assert reasons["bpsn_auc"][0, 1] == "ash: no example with another gold class than positive"
    assert reasons["bnsp_auc"][1, 1] == "birch: no example with gold class positive"
    assert (1, 1) not in reasons["bpsn_auc"]
    assert (0, 1) not in reasons["bnsp_auc"]
    assert not math.isnan(compute("pinned_auc", outcomes).value[0, 1])


def test_a_subgroups_area_has_no_background_to_change() -> None:
    outcomes = outcomes_of(random_rows(2))
    plain, asked = (compute("subgroup_auc", outcomes, Options(background=b)) for b in ("", "everyone_else"))
    assert plain.right == asked.right == ("",) * 3
    np.testing.assert_array_equal(plain.value, asked.value)

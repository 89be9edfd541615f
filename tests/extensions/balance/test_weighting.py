"""The weights of Kocijan et al. 2021: the paper's figures, the full program, laws, and errors."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from golden import golden_figures
from kocijan2021_data import histogram
from refusals import refusal
from scipy.optimize import linprog

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import AlignmentError, OptionError, UndefinedError
from fairness_checklist.extensions.balance.weighted_accuracy import randomization_test, weighted_bias
from fairness_checklist.extensions.balance.weighting import MISSING, Balance, balance

TABLE_1 = {  # ground-truth rows: acc-Bias, W-Bias, Wnum-Bias, Wdist-Bias, Wt-Bias
    "ok_rand": (0.849, 1.000, 0.995, 0.899, 1.000),
    "ok_1": (0.776, 1.000, 0.804, 1.000, 1.000),
    "ok_2": (0.882, 1.000, 0.920, 1.000, 1.000),
    "ok_3": (1.347, 1.006, 1.266, 1.010, 1.007),
}
GOLDEN = golden_figures("gap")


@pytest.fixture(scope="module")
def gap(shared_data: Path) -> pd.DataFrame:
    return pd.read_csv(shared_data / "gap" / "gap_baseline_correct.csv")


def of_gap(gap: pd.DataFrame, *names: str, trimmed: bool = False) -> Balance:
    """The weights of all rows; or of those that section 3.5 leaves."""
    out = trimmed & ((gap["n_names"] > 15) | (gap["position"] >= 5))
    return balance(gap["gender"].where(~out), gap[list(names or ("n_names", "position"))], between=("F", "M"))


@pytest.mark.parametrize("name", ["W", "Wt"])
def test_weights_of_gap_are_the_optimum_of_the_paper(gap: pd.DataFrame, name: str) -> None:
    weights, expected = of_gap(gap, trimmed=name == "Wt"), GOLDEN["weights"][name]

    assert (weights.n, len(weights.cells)) == (expected["n"], expected["cells"])
    assert pair_objective(weights.weight, weights.group) == pytest.approx(expected["objective"], rel=1e-10)
    assert np.sort(weights.weight)[-10:] == pytest.approx(expected["top10"], abs=1e-6)
    assert weights.zero_rows.sum() == expected["n_zero"]
    for p in weights.properties:
        first, second = weights.counts(p)[1]
        assert first == pytest.approx(second, abs=1e-8)
    assert np.bincount(weights.group[weights.group >= 0], weights.weight[weights.group >= 0]) == pytest.approx(
        [expected["n"] / 2] * 2
    )


@pytest.mark.parametrize("baseline", list(TABLE_1))
def test_ground_truth_rows_of_table_1(gap: pd.DataFrame, baseline: str) -> None:
    forms = [of_gap(gap), of_gap(gap, "n_names"), of_gap(gap, "position"), of_gap(gap, trimmed=True)]
    found = [weighted_bias(gap[baseline], one, draws=0) for one in forms]

    figures = [found[0].plain_ratio, *(one.ratio for one in found)]
    assert figures == pytest.approx(TABLE_1[baseline], abs=0.001)
    exact = GOLDEN["baselines"][{"ok_rand": "GT_random"}.get(baseline, f"GT_dist{baseline[-1]}")]
    assert (figures[0], figures[1], figures[4]) == pytest.approx(
        (exact["acc_bias"], exact["W_mine_bias"], exact["Wt_mine_bias"]), abs=1e-6
    )
    assert gap[baseline].mean() == pytest.approx(exact["acc"])


FIGURE_1 = {  # rows by the bar's lower end in tenths
    "F": {0: 13, 3: 1, 7: 1, 8: 2, 9: 684, 10: 46, 12: 60, 13: 50, 16: 23, 32: 4},
    "M": {0: 6, 2: 1, 8: 759, 12: 9, 13: 48, 14: 2, 15: 8, 16: 31, 18: 15, 28: 1},
}
FIGURE_2 = {
    "F": {2: 1, 8: 183, 9: 438, 11: 45, 13: 110, 16: 24, 33: 4},
    "M": {8: 757, 9: 30, 10: 28, 14: 18, 15: 3, 17: 1, 20: 25, 21: 1, 39: 1},
}


@pytest.mark.parametrize("name", ["W", "Wt"])
def test_figures_1_and_2_bar_by_bar(gap: pd.DataFrame, name: str) -> None:
    """The bars are those of the weights that the authors released.

    The golden file has the largest difference of the released weights from an optimum, and no weight lies so near to
    the end of a bar. The optimum is unique in Figure 2. In Figure 1 two pairs of weights can move against each other;
    the outliers that the paper prints are at this end of the way.
    """
    weights, expected = of_gap(gap, trimmed=name == "Wt"), GOLDEN["weights"][name]
    bars, outliers = histogram(weights)

    found = {g: {at: int(rows) for at, rows in enumerate(row) if rows} for g, row in zip("FM", bars, strict=True)}
    assert found == (FIGURE_1 if name == "W" else FIGURE_2)
    assert bars.sum() + len(outliers) == weights.n
    inside = weights.weight[weights.weight > 1e-9]
    to_end = np.abs(inside * 10 - np.round(inside * 10)) / 10
    assert to_end.min() > expected["max_abs_weight_diff"]
    assert len(np.unique(weights.weight[weights.cell >= 0].round(6))) == expected["n_distinct"]
    if name == "W":
        assert outliers.round(2).tolist() == [4.84, 4.97, 4.97, 5.43, 6.41, 7.05, 7.05, 9.2, 9.72]
        assert set(gap.loc[weights.weight > 4, "gender"]) == {"M"}
    else:
        assert (weights.rows.tolist(), outliers.round(2).tolist()) == ([805, 865], [7.68])


def full_program(group: IntArray, value: IntArray) -> float:
    """The program of section 2.2 as it is printed, a variable for each row and each two rows of a group."""
    n, pairs = len(group), [(i, j) for i, j in itertools.combinations(range(len(group)), 2) if group[i] == group[j]]
    cost = np.concatenate([np.zeros(n), np.ones(len(pairs))])
    above = np.zeros((2 * len(pairs), n + len(pairs)))
    for k, pair in enumerate(pairs):
        for side, row in enumerate(pair):
            above[2 * k + side, [row, n + k]] = 1, -1
    n_groups = group.max() + 1
    equal = [(group == g).astype(float) for g in range(n_groups)]
    target = [n / n_groups] * n_groups
    for p in range(value.shape[1]):
        for v, g in itertools.product(np.unique(value[:, p]), range(1, n_groups)):
            equal.append((value[:, p] == v) * ((group == g) * 1.0 - (group == 0)))
            target.append(0.0)
    sums = np.hstack([np.array(equal), np.zeros((len(equal), len(pairs)))])
    answer = linprog(cost, A_ub=above, b_ub=np.zeros(len(above)), A_eq=sums, b_eq=target, method="highs")
    return float(answer.fun or 0) if answer.status == 0 else np.nan


@pytest.mark.parametrize("seed", range(12))
def test_small_form_equals_the_full_program(seed: int) -> None:
    random = np.random.default_rng(seed)
    n_groups = 2 + seed % 2
    group = np.concatenate([np.arange(n_groups), random.integers(0, n_groups, 18)])
    value = np.stack([random.integers(0, 2 + seed % 3, len(group)), random.random(len(group)) < 0.5], axis=1)
    expected = full_program(group, value)

    if np.isnan(expected):
        with pytest.raises(OptionError, match="no weights balance the groups"):
            balance(group, {"x": value[:, 0], "y": value[:, 1]})
    else:
        weights = balance(group, {"x": value[:, 0], "y": value[:, 1]}, between=range(n_groups))
        assert pair_objective(weights.weight, group) == pytest.approx(expected, abs=1e-7)


def pair_objective(weight: FloatArray, group: IntArray) -> float:
    """The sum over the groups of max(w_i, w_j) over each two rows."""
    of_groups = [weight[group == g] for g in np.unique(group[group >= 0])]
    return float(sum((np.maximum.outer(w, w).sum() - w.sum()) / 2 for w in of_groups))


def test_bound_is_the_largest_change_of_an_accuracy_for_any_set_of_right_answers() -> None:
    random = np.random.default_rng(3)
    group, size = random.integers(0, 2, 14), random.integers(0, 2, 14)
    weights = balance(group, {"size": size}, between=(0, 1))
    for g in range(2):
        own = weights.weight[group == g]
        sets = np.array(list(itertools.product((0, 1), repeat=len(own))))
        change = np.abs(sets @ own / own.sum() - sets.mean(axis=1))
        assert weights.bound[g] == pytest.approx(change.max())


def test_rows_groups_and_names_in_another_order_change_nothing() -> None:
    random = np.random.default_rng(1)
    group = random.choice(["x", "y", "z"], 90)
    table = pd.DataFrame({"a": random.integers(0, 4, 90), "b": random.choice(["p", "q"], 90)})
    order = random.permutation(90)
    first = balance(group, table, between=["x", "y", "z"])
    same = balance(group[order], table.iloc[order], between=["x", "y", "z"])
    other = balance(group[order], table.iloc[order][["b", "a"]], between=["z", "x", "y"])

    assert same.weight.tolist() == first.weight[order].tolist()
    least = pair_objective(first.weight, first.group)
    assert pair_objective(other.weight, other.group) == pytest.approx(least)  # the weights may differ
    assert balance(["a", "b"] * 5, {"same": [0] * 10}).weight == pytest.approx(np.ones(10))


def test_missing_values_are_balanced_and_rows_that_have_no_counterpart_take_no_part() -> None:
    group = ["a", "a", "a", "b", "b", None]
    weights = balance(group, {"length": [1.0, np.nan, 1.0, 1.0, np.nan, 2.0]})
    assert weights.values == (("1", "2", MISSING),)
    assert weights.counts("length")[1][0] == pytest.approx(weights.counts("length")[1][1])
    assert (weights.weight[5], weights.n) == (0.0, 5)
    assert weights.weight.sum() == pytest.approx(5)
    sided = balance(["a"] * 3 + ["b"] * 3, {"x": [1, 2, 3, 1, 2, 2]})
    assert sided.one_sided == (("x", "3", ("b",)),)
    assert sided.weight[2] == 0
    pair = balance(["a", "b", "c"] * 4, {"x": [0, 0, 1] * 2 + [1, 1, 0] * 2}, between=["a", "c"])
    assert pair.weight[1::3].tolist() == [0.0] * 4


PAIR = np.eye(3, dtype=int)
ERRORS: list[tuple[Callable[[], object], str]] = [
    (lambda: balance(["a", "a"], {"x": [1, 2]}), "1 group (a) cannot be balanced; expected two or more."),
    (lambda: balance(["a", "b"], {}), "properties= is not a table with a column a property.\n"
     '    Write properties={"length": [...]}.'),
    (lambda: balance(["a", "b"], {"x": [1]}), "the property x has 1 value for 2 rows."),
    (lambda: balance(["women", "men"], {"x": [1, 1]}, between=["women", "man"]),
     "there is no group 'man'.\n    Did you mean men? Groups: women, men."),
    (lambda: balance(["a", "b"] * 1000, {"x": np.arange(2000) // 2}),
     "the properties make 1,000 cells in one group; at most 800 can be balanced.\n"
     "    Group the values of x (1,000 values), or balance fewer properties."),
    (lambda: balance(["f", "f", "m", "m"], {"size": [1, 1, 2, 2], "age": [0, 1, 0, 1]}),
     "no weights balance the groups in size and age.\n    Give up a property, or group its values.\n"
     "    In one group only, so that their rows cannot count: size 1, size 2."),
    # no value is one-sided: one of three properties is 1 in each row of a, and two are in each row of b
    (lambda: balance(["a"] * 3 + ["b"] * 3, pd.DataFrame(np.concatenate([PAIR, 1 - PAIR]), columns=["x", "y", "z"])),
     "no weights balance the groups in x, y and z.\n    Give up a property, or group its values."),
    (lambda: weighted_bias([1, 0], [1.0, 1.0]),  # type: ignore[arg-type]
     "weights= is list, not what balance() returns.\n"
     "    Give its result as it is, not the numbers in it: weights = balance(groups, properties)."),
    (lambda: weighted_bias(["yes", "no"], balance(["a", "b"], {"x": [1, 1]})),
     "correct= holds 'yes'; expected numbers from 0 (wrong) to 1 (right)."),
]  # fmt: skip


def test_errors() -> None:
    for wrong, message in ERRORS:
        assert refusal((OptionError, AlignmentError), wrong) == message


def test_what_properties_determine_has_no_uncertainty_once_weights_are_solved_again() -> None:
    random = np.random.default_rng(0)
    group = random.choice(["a", "b"], 400)
    kind = random.integers(0, 3, 400) + (group == "a")
    both = np.where((kind == 0) | (kind == 3), "", group)
    again = weighted_bias(kind == 1, balance(both, {"kind": kind}, between=("a", "b")), draws=20)

    assert again.ratio_interval == pytest.approx((1, 1))
    assert again.method == "weights solved again in each of 20 draws"
    assert again.plain_ratio != pytest.approx(1, abs=0.05)


def test_randomization_test_equals_all_exchanges_and_holds_its_level() -> None:
    random = np.random.default_rng(5)
    group, size = np.array([0, 1] * 30), random.integers(0, 2, 60)
    weights = balance(group, {"size": size}, between=(0, 1))
    first, second = (random.random((2, 60)) < 0.7).astype(float)
    second[10:] = first[10:]  # few rows differ: all exchanges
    moved = np.flatnonzero(first != second)
    found = randomization_test(first, second, weights)

    def ratio(y: FloatArray) -> float:
        return weighted_bias(y, weights, draws=0).ratio

    own, extreme = abs(ratio(first) - ratio(second)), 0
    for exchange in itertools.product((False, True), repeat=len(moved)):
        one, other = first.copy(), second.copy()
        rows = moved[list(exchange)]
        one[rows], other[rows] = second[rows], first[rows]
        extreme += abs(ratio(one) - ratio(other)) >= own - 1e-12
    assert (found.p_value, found.exact) == (extreme / 2 ** len(moved), True)
    levels = [
        randomization_test(random.random(60) < 0.7, random.random(60) < 0.7, weights, draws=99, seed=s).p_value <= 0.05
        for s in range(200)
    ]
    assert 0.01 <= np.mean(levels) <= 0.09
    with pytest.raises(UndefinedError, match="the accuracy of '1' is 0, so that the ratio is undefined"):
        randomization_test(group == 0, group == 0, weights)
    with pytest.raises(OptionError, match="correct= holds 2; expected numbers from 0"):
        weighted_bias(np.full(60, 2), weights)
    with pytest.raises(AlignmentError, match="3 answers for 60 rows with weights"):
        weighted_bias([1, 0, 1], weights)

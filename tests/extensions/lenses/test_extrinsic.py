"""The extrinsic families of Orgad and Belinkov 2022: their figures, their relations, and Table 1."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from golden import GOLDEN, golden_figures
from orgad2022_released import released_precision_gaps, wasserstein_dependence
from orgad2022_survey import PAPER
from orgad2022_table1 import FAMILIES, INTRINSIC, SETS, compatible
from paper import paper_numbers
from refusals import refusal
from scipy.stats import entropy, pearsonr, wasserstein_distance
from sklearn.metrics import precision_score, recall_score

from fairness_checklist.core.errors import InputError, OptionError
from fairness_checklist.extensions.lenses.extrinsic import extrinsic
from fairness_checklist.extensions.lenses.metrics.families import (
    DecisionCells,
    Kind,
    decision_cells,
    dependence,
    group_gap,
    label_gaps,
    total,
)

ORGAD = golden_figures("orgad")
SHARES = (paper_numbers(PAPER, "Table 4")["females"] / 100).to_dict()  # women in the training set


@pytest.fixture(scope="module")
def cells() -> DecisionCells:
    fixture = pd.read_csv(GOLDEN / "orgad_fixture.csv")
    return decision_cells(fixture["gold"], fixture["pred"], fixture["gender"], groups=["F", "M"])


def test_gaps_by_label_independence_separation_and_sufficiency_are_the_golden_ones(cells: DecisionCells) -> None:
    original = ORGAD["original"]
    independent = dependence(cells)
    by_group = dict(zip(cells.groups, independent[:, 0], strict=True))

    assert by_group["M"] == pytest.approx(original["independence_kl"]["M"], abs=1e-12)
    assert by_group["F"] == pytest.approx(original["independence_kl"]["F"], abs=1e-12)
    assert total(independent) == pytest.approx(original["independence_kl"]["sum"], abs=1e-12)
    for found, key in (
        (dependence(cells, "separation"), "separation_kl"),
        (dependence(cells, "sufficiency"), "sufficiency_kl"),
        (wasserstein_dependence(cells), "sufficiency_wasserstein_repo"),
    ):
        apart = np.ptp(found, axis=0)
        figures = {"sum": total(found), "sum_abs_gap": np.nansum(apart), "n_defined": np.isfinite(apart).sum()}
        assert figures == pytest.approx(original[key], abs=1e-11), key
    found = {rate: label_gaps(cells, rate, shares=SHARES) for rate in ("tpr", "fpr", "precision")}
    found["precision_repo"] = released_precision_gaps(cells, found["precision"])
    for rate, gaps in found.items():
        for name, value in ORGAD["original"][rate].items():
            assert getattr(gaps, name) == pytest.approx(value, abs=1e-12), (rate, name)


def test_the_wasserstein_reading_changes_with_the_order_of_the_labels(cells: DecisionCells) -> None:
    sums, divergences = [], []
    for seed in range(100):
        order = np.random.default_rng(seed).permutation(len(cells.classes))
        moved = DecisionCells(
            cells.counts[:, order][:, :, order], cells.groups, tuple(cells.classes[at] for at in order)
        )
        sums.append(total(wasserstein_dependence(moved)))
        divergences.append(total(dependence(moved, "sufficiency")))

    assert max(sums) - min(sums) > 10
    assert min(sums) < ORGAD["sufficiency_wasserstein_after_relabelling"]["sum"] < max(sums)
    assert np.ptp(divergences) < 1e-9


EYE = np.eye(3, dtype=int).ravel()


COMMON_LIBRARY: list[tuple[Any, Kind, Any, Any, list[list[float]]]] = [
    (dependence, "independence", 2 * EYE, EYE, [[0.4055], [1.0986]]),
    (wasserstein_dependence, "independence", 2 * EYE, EYE, [[0.6667], [1.3333]]),
    (dependence, "separation", EYE, EYE, [[0, np.nan, np.nan], [np.nan, 0, np.nan]]),
    (dependence, "sufficiency", 0 * EYE, EYE, [[0.4055, np.nan, np.nan], [1.0986, np.nan, np.nan]]),
]


def test_the_test_cases_of_the_common_library() -> None:
    for function, kind, decided, gold, expected in COMMON_LIBRARY:
        found = function(decision_cells(gold, decided, EYE, classes="012", groups="01"), kind)
        np.testing.assert_allclose(found, expected, atol=5e-5)


def random_columns(seed: int, n: int = 400) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    gold = rng.choice(list("abcd"), size=n, p=[0.4, 0.3, 0.2, 0.1])
    group = np.where(rng.random(n) < np.where(gold == "a", 0.8, 0.4), "F", "M")
    return gold, np.where(rng.random(n) < 0.7, gold, rng.choice(list("abcd"), size=n)), group


def steps(p: list[float], q: list[float]) -> float:
    return float(wasserstein_distance(range(4), range(4), p, q))


def test_rates_and_distances_are_those_of_scikit_learn_and_scipy() -> None:
    gold, decided, group = random_columns(0)
    cells = decision_cells(gold, decided, group, groups=["F", "M"])
    women = group == "F"

    for rate, score in (("tpr", recall_score), ("precision", precision_score)):
        one, other = (score(gold[at], decided[at], average=None, labels=list("abcd")) for at in (women, ~women))
        gaps = label_gaps(cells, rate)
        np.testing.assert_allclose(gaps.gap, one - other, atol=1e-12)
        assert gaps.pearson == pytest.approx(pearsonr(gaps.gap, gaps.share).statistic, abs=1e-12)
    for function, oracle in ((dependence, entropy), (wasserstein_dependence, steps)):
        for kind, given, value in (("separation", gold, decided), ("sufficiency", decided, gold)):
            found = function(cells, kind)  # type: ignore[arg-type]
            for g, rows in enumerate((women, ~women)):
                for c, name in enumerate("abcd"):
                    p, q = ([np.mean(value[at] == v) for v in "abcd"] for at in ((given == name) & rows, given == name))
                    assert found[g, c] == pytest.approx(oracle(p, q), abs=1e-12)


def test_errors_of_the_families_and_an_empty_cell_is_undefined_and_never_zero() -> None:
    cells = decision_cells(["a", "b"], ["a", "a"], ["F", "M"])
    message = refusal(OptionError, label_gaps, cells, "tprr")
    assert message == ("rate='tprr' is not known.\n    Did you mean tpr? Known: tpr, fpr, precision.")
    with pytest.raises(OptionError) as error:
        label_gaps(cells, shares={"a": 0.5})
    assert error.value.message == "shares has no entry for 'b'."
    table = pd.DataFrame({"group": ["F", "M"], "source": "s", "predicted": "a", "stereotype": ["for", "anti"]})
    message = refusal(InputError, extrinsic, table, draws=20)
    assert message == "the stereotype of row 1 is 'for', expected pro, anti or nothing."
    cells = decision_cells(["a", "a", "b"], ["a", "b", "b"], ["F", "M", "F"])
    gaps = label_gaps(cells)

    assert np.isnan(gaps.gap[1])
    assert (gaps.n_defined, gaps.sum_abs) == (1, 1.0)
    assert np.isnan(gaps.pearson)


def test_the_families_without_gold_labels_by_hand() -> None:
    answers = {"predicted": ["a", "b", "a", "a", "b"], "source": [1, 1, 1, 2, 2], "group": list("FMMFM")}
    sides = {"source": list("aabbccdd"), "stereotype": ["pro", "anti"] * 4, "score": [2, 1, 1, 2, 0, 0, 1, 0]}
    expected = {
        "answers changed": (answers, 0.75, 2),
        "prefers the stereotype (score)": (sides, 0.625, 4),
        "mean score gap": ({"score": [1.0, 0.0, 0.5, 0.25], "group": list("FMFM")}, 0.625, 4),
    }
    for metric, (columns, value, n) in expected.items():
        found = extrinsic(pd.DataFrame(columns), draws=20).metrics.set_index("metric").loc[metric]
        assert (found["value"], found["n"]) == (pytest.approx(value), n)
    assert group_gap(decision_cells(list("aabb"), list("abab"), list("FMFM"))) == 0.0


TABLE_1 = {  # the extrinsic columns of the paper's Table 1: y for a mark, a for "aug", - for a blank
    "winogender": "yyyyyyy",
    "winobias": "yy-yyyy",
    "gap": "--ya---",
    "crows_pairs": "----y-y",
    "stereoset": "----y-y",
    "bias_in_bios": "yyyaaay",
    "eec": "-----yy",
    "bec_pro": "----y-y",
}
MORE = {("winobias", "gap_group"), ("gap", "prediction_gap"), ("gap", "lm_target")}


def test_table_1_follows_from_what_sets_have_and_metrics_need() -> None:
    """Three cells are feasible and blank in the paper: WinoBias has both genders, GAP a pronoun to mask or to swap."""
    sign = {"yes": "y", "augment": "a", "no": "-"}
    for name, marks in TABLE_1.items():
        has, original = SETS[name]
        row = compatible(has.split())
        for family, printed in zip(FAMILIES, marks, strict=True):
            if (name, family) in MORE:
                assert (printed, row[family]) in {("-", "yes"), ("-", "augment")}
            else:
                assert sign[row[family]] == printed, (name, family)
        assert row[original] == "yes"
        # GAP and BOLD are blank in the paper; their texts are of persons of a known gender, which labels the vectors
        assert "".join(sign[row[measure]] for measure in INTRINSIC) == "-yyyyyyy"

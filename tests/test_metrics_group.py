"""Group metrics against a plain re-derivation of equations (1), (3) and (5) of Czarnowska et al. 2021.

Everything here is written down again from Table 2 with lists and loops; nothing of the engine is used but its answer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
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
    independent_rows,
    outcomes_of,
    random_rows,
    repeated,
    values,
)
from scipy.stats import mannwhitneyu, wasserstein_distance
from sweep import sweep

from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.backgrounds import everyone_else
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, background_metric, multigroup_metric

NAN = math.nan
Phi = Callable[[Sequence[Row], str], Any]


def share(part: Sequence[Row], whole: Sequence[Row]) -> float:
    return len(part) / len(whole) if whole else NAN


def tpr(rows: Sequence[Row], c: str) -> float:
    gold = [row for row in rows if row.label == c]
    return share([row for row in gold if row.predicted == c], gold)


def fpr(rows: Sequence[Row], c: str) -> float:
    others = [row for row in rows if row.label and row.label != c]
    return share([row for row in others if row.predicted == c], others)


def f1(rows: Sequence[Row], c: str) -> float:
    rows = [row for row in rows if row.label]
    right = sum(row.label == row.predicted == c for row in rows)
    gold_and_said = sum(row.label == c for row in rows) + sum(row.predicted == c for row in rows)
    return 2 * right / gold_and_said if gold_and_said else NAN


def accuracy(rows: Sequence[Row], c: str) -> float:
    labelled = [row for row in rows if row.label]
    return share([row for row in labelled if row.label == row.predicted], labelled)


def predictions(rows: Sequence[Row], c: str) -> float:
    return share([row for row in rows if row.predicted == c], rows)


def las(rows: Sequence[Row], c: str) -> float:
    known = [row.las for row in rows if not math.isnan(row.las)]
    return sum(known) / len(known) if known else NAN


def of_class(classes: Sequence[str], *, gold: str = "any", reported: str = "own") -> Phi:
    """{p(c) | x}: of all, of those of gold class c, or of one end of two classes, told for the positive one."""

    def phi(rows: Sequence[Row], c: str) -> list[float]:
        at = len(classes) - 1 if reported == "positive" else classes.index(c)
        if gold == "others":
            return [row.p[at] for row in rows if row.label not in ("", c)]
        wanted = {"any": None, "own": c, "positive": classes[-1], "negative": classes[0]}[gold]
        return [row.p[at] for row in rows if wanted is None or row.label == wanted]

    return phi


def w1(x: list[float], y: list[float]) -> float:
    return wasserstein_distance(x, y) if x and y else NAN


def equality_gap(x: list[float], y: list[float]) -> float:
    """1/2 - U / (|X| |Y|), U counting pairs with x > y, half for ties."""
    if not x or not y:
        return NAN
    return 0.5 - sum((a > b) + (a == b) / 2 for a, b in itertools.product(x, y)) / (len(x) * len(y))


def kl(background: list[str], group: list[str]) -> float:
    if not group:
        return NAN
    share = {c: group.count(c) / len(group) for c in set(group)}
    return sum(p * math.log(p / (background.count(c) / len(background))) for c, p in share.items())


def least_and_most(d: Callable[[float, float], float]) -> Callable[[Any, Any], float]:
    """d of the least and the largest of the scores that there are."""

    def of_all(phis: Sequence[float], _: Any) -> float:
        there = [phi for phi in phis if not math.isnan(phi)]
        return d(min(there), max(there)) if len(there) > 1 else NAN

    return of_all


def odds(phis: Sequence[tuple[float, float]], _: Any) -> float:
    spans = [least_and_most(lambda x, y: y - x)([phi[i] for phi in phis], _) for i in (0, 1)]
    return NAN if any(math.isnan(span) for span in spans) else max(spans)


def odds_ratio(phis: Sequence[tuple[float, float]], _: Any) -> float:
    shares = [least_and_most(over)([phi[i] for phi in phis], _) for i in (0, 1)]
    return NAN if any(math.isnan(share) for share in shares) else min(shares)


Parted = tuple[list[float], list[float]]


def area(positives: list[float], negatives: list[float]) -> float:
    return NAN if not positives or not negatives else 0.5 + equality_gap(negatives, positives)


def pinned(background: Parted, group: Parted) -> float:
    """The area of both sides together, each of them weighing the same."""
    mass = len(background[0]) + len(background[1]), len(group[0]) + len(group[1])
    if not all(mass):
        return NAN
    sides = [(part, 1 / m) for part, m in zip((background, group), mass, strict=True)]
    pairs = [(u * v, (a > b) + (a == b) / 2) for one, u in sides for two, v in sides for a in one[0] for b in two[1]]
    whole = sum(w for w, _ in pairs)
    return sum(w * win for w, win in pairs) / whole if pairs else NAN


def over(x: float, y: float) -> float:
    return x / y if y else NAN


def abs_diff(x: float, y: float) -> float:
    return abs(x - y)


def diff(x: float, y: float) -> float:
    return x - y


def table_2(classes: Sequence[str]) -> dict[str, tuple[str, Phi, Callable[[Any, Any], float], str]]:
    """id: (its form, phi, d of (background or first, group or second), how the total is normalised)."""
    everything, own = of_class(classes), of_class(classes, gold="own")
    positives = of_class(classes, gold="positive", reported="positive")
    negatives = of_class(classes, gold="negative", reported="positive")

    def parted(rows: Sequence[Row], c: str) -> Parted:
        return own(rows, c), of_class(classes, gold="others")(rows, c)

    def fnr(rows: Sequence[Row], c: str) -> float:
        return 1 - tpr(rows, c)

    def tnr(rows: Sequence[Row], c: str) -> float:
        return 1 - fpr(rows, c)

    return {
        "fped": ("everyone", fpr, abs_diff, "sum"),
        "fned": ("everyone", fnr, abs_diff, "sum"),
        "fped_normalised": ("everyone", fpr, abs_diff, "contrasts"),
        "fned_normalised": ("everyone", fnr, abs_diff, "contrasts"),
        "fpr_gap": ("everyone_else", fpr, lambda b, g: g - b, ""),
        "fnr_gap": ("everyone_else", fnr, lambda b, g: g - b, ""),
        "fpr_ratio": ("everyone_else", fpr, lambda b, g: over(g, b), ""),
        "fnr_ratio": ("everyone_else", fnr, lambda b, g: over(g, b), ""),
        "avg_gf": ("everyone", everything, w1, "contrasts"),
        "avg_gf_tc": ("everyone", own, w1, "contrasts"),
        "avg_eg": ("everyone_else", own, equality_gap, ""),
        "pos_avg_eg": ("everyone_else", positives, equality_gap, ""),
        "neg_avg_eg": ("everyone_else", negatives, equality_gap, ""),
        "subgroup_auc": ("", parted, lambda b, g: area(g[0], g[1]), ""),
        "bpsn_auc": ("everyone_else", parted, lambda b, g: area(b[0], g[1]), ""),
        "bnsp_auc": ("everyone_else", parted, lambda b, g: area(g[0], b[1]), ""),
        "pinned_auc": ("everyone", parted, pinned, ""),
        "auc_equality_difference": ("everyone", parted, lambda b, g: abs(area(*b) - area(*g)), "sum"),
        "pinned_auc_equality_difference": ("everyone", parted, lambda b, g: abs(area(*b) - pinned(b, g)), "sum"),
        "negative_aeg": ("everyone_else", of_class(classes, gold="others"), equality_gap, ""),
        "positive_aeg": ("everyone_else", own, equality_gap, ""),
        "impact_ratio": ("pairs", predictions, lambda x, y: over(min(x, y), max(x, y)), "contrasts"),
        "demographic_parity_difference": ("all", predictions, least_and_most(lambda x, y: y - x), ""),
        "demographic_parity_ratio": ("all", predictions, least_and_most(over), ""),
        "equal_opportunity_difference": ("all", tpr, least_and_most(lambda x, y: y - x), ""),
        "equal_opportunity_ratio": ("all", tpr, least_and_most(over), ""),
        "accuracy_range": ("all", accuracy, least_and_most(lambda x, y: y - x), ""),
        "f1_range": ("all", f1, least_and_most(lambda x, y: y - x), ""),
        "fnr_range": ("all", fnr, least_and_most(lambda x, y: y - x), ""),
        "fpr_range": ("all", fpr, least_and_most(lambda x, y: y - x), ""),
        "equalized_odds_difference": ("all", lambda rows, c: (fpr(rows, c), tpr(rows, c)), odds, ""),
        "equalized_odds_ratio": ("all", lambda rows, c: (fpr(rows, c), tpr(rows, c)), odds_ratio, ""),
        "independence": ("everyone", lambda rows, c: [row.predicted for row in rows], kl, "sum"),
        "separation": ("everyone", lambda rows, c: [row.predicted for row in rows if row.label == c], kl, "sum"),
        "sufficiency": ("everyone", lambda rows, c: [r.label for r in rows if r.label and r.predicted == c], kl, "sum"),
        "disparity_score": ("pairs", f1, abs_diff, "groups"),
        "disparity_score_normalised": ("pairs", f1, abs_diff, "contrasts"),
        "tpr_gap": ("pairs", tpr, abs_diff, "contrasts"),
        "tnr_gap": ("pairs", tnr, abs_diff, "contrasts"),
        "parity_gap": ("pairs", predictions, abs_diff, "contrasts"),
        "accuracy_gap": ("pairs", accuracy, abs_diff, "contrasts"),
        "accuracy_difference": ("pairs", accuracy, diff, "sum of one"),
        "tpr_difference": ("pairs", tpr, diff, "sum of one"),
        "f1_difference": ("pairs", f1, diff, "sum of one"),
        "recall_difference": ("pairs", tpr, diff, "sum of one"),
        "las_difference": ("pairs", las, diff, "sum of one"),
        "f1_ratio": ("pairs", f1, over, "sum of one"),
        "recall_ratio": ("pairs", tpr, over, "sum of one"),
    }


def reported_classes(name: str, classes: Sequence[str]) -> list[str]:
    if name in ("accuracy_gap", "accuracy_difference", "accuracy_range", "las_difference", "independence"):
        return ["*"]
    return list(classes[-1:]) if name in ("pos_avg_eg", "neg_avg_eg") else list(classes)


def expected(name: str, rows: Sequence[Row], groups: Sequence[str], classes: Sequence[str]) -> Figures:
    """Every number of a group metric, by hand."""
    form, phi, d, normalise = table_2(classes)[name]
    of = {group: [row for row in rows if row.group == group] for group in groups}
    found: Figures = {}
    for c in reported_classes(name, classes):
        if form == "all":
            found[c, "*", ""] = d([phi(of[group], c) for group in groups], None)
            continue
        contrasts: dict[tuple[str, str], float] = {}
        if form == "pairs":
            for one, two in itertools.combinations(groups, 2):
                contrasts[one, two] = d(phi(of[one], c), phi(of[two], c))
        else:
            for group in groups:
                members = [row for row in rows if row.group and (form == "everyone" or row.group != group)]
                members = members if form else of[group]
                contrasts[group, form] = d(phi(members, c), phi(of[group], c))
        found |= {(c, left, right): value for (left, right), value in contrasts.items()}
        if not normalise or (normalise == "sum of one" and len(groups) > 2):
            continue
        fine = {pair: value for pair, value in contrasts.items() if not math.isnan(value)}
        standing = {name for pair in fine for name in pair} & set(groups)
        divisor = {"sum": 1, "sum of one": 1, "groups": len(standing), "contrasts": len(fine)}[normalise]
        found[c, "*", ""] = sum(fine.values()) / divisor if fine else NAN
        if form == "pairs" and len(groups) > 2:
            for group in groups:
                own = [value for pair, value in fine.items() if group in pair]
                found[c, group, "others"] = sum(own) / len(own) if own else NAN
    return found


GROUP_METRICS = list(table_2(BINARY))  # every metric is derived again in test_rederivation besides


def test_the_table_here_holds_group_metrics_only() -> None:
    assert {METRICS[name].level for name in GROUP_METRICS} == {"group"}


class TestByHand:
    @sweep("name", GROUP_METRICS)
    @sweep("classes", [BINARY, THREE])
    @sweep("groups", [GROUPS[:2], GROUPS, (*GROUPS, "oak")])
    def test_variations_of_sources(self, name: str, groups: tuple[str, ...], classes: tuple[str, ...]) -> None:
        if name in ("pos_avg_eg", "neg_avg_eg") and classes == THREE:
            return  # defined for two classes; what happens with three is in test_catalogue
        rows = random_rows(len(groups), groups=groups, classes=classes, unlabelled=2)
        assert_same(values(name, rows, groups, classes), expected(name, rows, groups, classes))

    @sweep("name", GROUP_METRICS)
    @sweep("seed", range(3))
    def test_independent_texts_with_ties_and_a_class_that_a_group_lacks(self, name: str, seed: int) -> None:
        rows = independent_rows(seed, 24, ties=True)
        rows = [row for row in rows if (row.group, row.label) != ("birch", "positive")]
        by_hand = expected(name, rows, GROUPS, BINARY)
        assert_same(values(name, rows), by_hand)
        if name in ("fned", "fnr_gap", "fnr_ratio", "avg_gf_tc", "avg_eg", "pos_avg_eg", "tpr_gap", "tnr_gap"):
            assert any(math.isnan(value) for value in by_hand.values())

    @sweep("name", GROUP_METRICS)
    def test_whole_weights_are_repeated_rows(self, name: str) -> None:
        rows = random_rows(7, weights=True)
        assert_same(values(name, rows), expected(name, repeated(rows), GROUPS, BINARY))


def test_the_equality_gap_is_that_of_mann_and_whitney_in_scipy() -> None:
    rows = independent_rows(5, ties=True)
    found = values("avg_eg", rows)
    for group in GROUPS:
        own = [row.p[1] for row in rows if row.label == "positive" and row.group == group]
        others = [row.p[1] for row in rows if row.label == "positive" and row.group != group]
        u = mannwhitneyu(others, own).statistic
        assert found["positive", group, "everyone_else"] == pytest.approx(0.5 - u / len(own) / len(others), abs=1e-12)


def test_a_background_of_errors_that_is_0_makes_the_ratio_undefined_with_a_reason() -> None:
    rows = [
        Row("ash", (0.5, 0.5), "positive", "negative"),
        Row("ash", (0.5, 0.5), "positive", "positive"),
        Row("birch", (0.5, 0.5), "positive", "positive"),
        Row("cedar", (0.5, 0.5), "positive", "positive"),
    ]
    result = compute("fnr_ratio", outcomes_of(rows))
    assert result.value[:, 1].tolist() == pytest.approx([NAN, 0.0, 0.0], nan_ok=True)
    assert result.reasons[0, 1] == "the background's score is 0"
    assert result.n_undefined[:, 1].tolist() == [1, 0, 0]
    assert result.total is None


def test_n_counts_sources_or_rows_that_entered() -> None:
    rows = random_rows(8, sources=6, unlabelled=2)
    by_source, alone = outcomes_of(rows), outcomes_of([row.but(source="") for row in rows])
    fine = compute("tpr_gap", by_source)
    assert fine.n[:, 1].tolist() == [2, 2, 2]
    assert fine.total_n is not None
    assert fine.total_n.tolist() == [2, 2]
    assert compute("parity_gap", by_source).n[0].tolist() == [6, 6]
    labelled = {g: sum(r.group == g and r.label == "positive" for r in rows) for g in GROUPS}
    rows_of = compute("tpr_gap", alone)
    assert rows_of.n[:, 1].tolist() == [labelled[a] + labelled[b] for a, b in itertools.combinations(GROUPS, 2)]
    against_all = compute("fned", alone)
    assert against_all.n[:, 1].tolist() == [sum(labelled.values())] * 3


@pytest.fixture
def of_ones_own() -> Iterator[None]:
    def spread(x: Any) -> Any:
        return x.max(axis=-1) - x.min(axis=-1)

    multigroup_metric("accuracy_range_too", score=scores.accuracy, compare=comparisons.score_range)
    multigroup_metric("f1_spread", score=scores.f1, compare=spread)
    background_metric(
        "tpr_over_base_rate",
        score=scores.true_positive_rate,
        compare=comparisons.difference,
        background=everyone_else,
        background_score=scores.prediction_rate,
    )
    background_metric(
        "bpsn",
        score=scores.positive_probabilities_of_negatives,
        background=everyone_else,
        background_score=scores.positive_probabilities_of_positives,
        compare=comparisons.average_equality_gap,
        normalise=None,
    )
    yield
    for name in ("accuracy_range_too", "f1_spread", "tpr_over_base_rate", "bpsn"):
        METRICS.remove(name)


@pytest.mark.usefixtures("of_ones_own")
class TestMetricsOfOnesOwn:
    def test_all_groups_at_once(self) -> None:
        rows = random_rows(9)
        of = {group: [row for row in rows if row.group == group] for group in GROUPS}
        by_group = [accuracy(of[group], "*") for group in GROUPS]
        assert_same(values("accuracy_range_too", rows), {("*", "*", ""): max(by_group) - min(by_group)})
        by_class = {(c, "*", ""): float(np.ptp([f1(of[group], c) for group in GROUPS])) for c in BINARY}
        assert_same(values("f1_spread", rows), by_class)

    def test_all_groups_at_once_are_those_that_have_a_score_and_two_at_least(self) -> None:
        rows = [row for row in random_rows(9) if row.group != "birch"]
        of = [accuracy([row for row in rows if row.group == group], "*") for group in ("ash", "cedar")]
        result = compute("accuracy_range_too", outcomes_of(rows))
        assert figures(result) == pytest.approx({("*", "*", ""): abs(of[0] - of[1])})
        assert [row["note"] for row in result.rows()] == ["over 2 of 3 groups: the others have no score"]
        nothing = compute("accuracy_range_too", outcomes_of([row for row in rows if row.group != "cedar"]))
        assert [(row["n_undefined"], row["note"]) for row in nothing.rows()] == [(1, "no labelled examples")]
        assert np.isnan(nothing.value).all()

    @pytest.mark.parametrize("seed", range(3))
    def test_a_background_with_another_score(self, seed: int) -> None:
        rows = independent_rows(seed, 20, ties=True)
        found = values("tpr_over_base_rate", rows)
        gaps = values("bpsn", rows)
        for group in GROUPS:
            own = [row for row in rows if row.group == group]
            rest = [row for row in rows if row.group != group]
            for c in BINARY:
                assert found[c, group, "everyone_else"] == pytest.approx(predictions(rest, c) - tpr(own, c))
            negatives = [row.p[1] for row in own if row.label == "negative"]
            positives = [row.p[1] for row in rest if row.label == "positive"]
            assert gaps["positive", group, "everyone_else"] == pytest.approx(equality_gap(positives, negatives))

    def test_the_reason_is_that_of_the_side_that_lacks_it(self) -> None:
        rows = [row for row in independent_rows(0, 12) if row.group == "ash" or row.label == "negative"]
        reasons = compute("bpsn", outcomes_of(rows)).reasons
        assert reasons[0, 0] == "everyone_else: no example with gold class positive"

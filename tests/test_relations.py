"""Identities between metrics: those that the golden figures obey ("Relations worth testing"), and their kin."""

from __future__ import annotations

import pytest
from build_outcomes import BINARY, GROUPS, random_rows, values

from fairness_checklist.metrics.metric_forms import Options


@pytest.mark.parametrize("seed", range(3))
def test_two_classes(seed: int) -> None:
    rows = random_rows(seed)
    pairs = [
        ("fned", "fped"),
        ("fned_normalised", "fped_normalised"),
        ("fnr_gap", "fpr_gap"),
        ("fnr_ratio", "fpr_ratio"),
        ("tpr_gap", "tnr_gap"),
    ]
    for one, two in pairs:
        first, second = values(one, rows), values(two, rows)
        for (c, *key), value in first.items():
            other = BINARY[1 - BINARY.index(c)]
            assert second[other, key[0], key[1]] == pytest.approx(value, abs=1e-12, nan_ok=True)
    gap, negative, positive = (values(name, rows) for name in ("avg_eg", "neg_avg_eg", "pos_avg_eg"))
    for group in GROUPS:
        key = group, "everyone_else"
        assert negative["positive", *key] == pytest.approx(-gap["negative", *key])
        assert positive["positive", *key] == pytest.approx(gap["positive", *key])
    for name in ("cf_gap", "avg_if", "avg_gf", "parity_gap"):
        found = values(name, rows)
        for (c, left, right), value in found.items():
            assert found[BINARY[0], left, right] == pytest.approx(value, abs=1e-12), (name, c)
    signed = values("avg_score_difference", rows)
    for (c, left, right), value in signed.items():
        assert signed[BINARY[1 - BINARY.index(c)], left, right] == pytest.approx(-value)


@pytest.mark.parametrize("seed", range(3))
def test_the_two_classes_of_the_true_class_gap_make_up_the_target_gap(seed: int) -> None:
    rows = random_rows(seed, most_terms=1)
    diluted = values("cf_gap_tc", rows, options=Options(denominator="all_sources"))
    for (_, left, right), value in values("pert_ss", rows).items():
        assert diluted["negative", left, right] + diluted["positive", left, right] == pytest.approx(value)
        assert values("cf_gap", rows)["positive", left, right] == pytest.approx(value)


@pytest.mark.parametrize("name", ["avg_gf", "avg_gf_tc"])
def test_a_distance_to_everyone_is_a_diluted_distance_to_everyone_else(name: str) -> None:
    rows = random_rows(6)
    to_all, to_others = (values(name, rows, options=Options(background=b)) for b in ("everyone", "everyone_else"))
    for group in GROUPS:
        for c in BINARY:
            entered = [row for row in rows if row.group and (name == "avg_gf" or row.label == c)]
            share = sum(row.group == group for row in entered) / len(entered)
            expected = to_others[c, group, "everyone_else"] * (1 - share)
            assert to_all[c, group, "everyone"] == pytest.approx(expected, abs=1e-14)


def test_distances_bound_one_another() -> None:
    """|difference of means| <= W1 <= E|X - Y|, pair by pair."""
    rows = random_rows(9)
    means, w1, gap = (values(name, rows) for name in ("avg_score_difference", "avg_if", "cf_gap"))
    for key, value in means.items():
        assert abs(value) <= w1[key] + 1e-12
        assert w1[key] <= gap[key] + 1e-12

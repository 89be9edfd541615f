"""Rows of the product of the groups' terms: listed, drawn and checked."""

import itertools

import numpy as np
import pytest
from build_outcomes import GROUPS, Row, outcomes_of, random_rows, values
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import OptionError
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.metrics.term_product import check_groupings, draw_groupings

SIZES = np.array([[1, 2, 3], [4, 5, 6], [2, 0, 2]])
SINGLE = ("cf_gap", "cf_gap_tc", "pert_ss", "pert_sd", "pert_sr")


def test_products_are_listed_whole_or_drawn_without_replacement() -> None:
    listed = draw_groupings(SIZES, 6, seed=0)
    assert listed[listed[:, 0] == 0].tolist() == [[0, *row] for row in itertools.product([0], [0, 1], [0, 1, 2])]
    assert set(listed[:, 0].tolist()) == {0, 1}  # the third source lacks a group
    larger = draw_groupings(SIZES, 119, seed=0)
    drawn = [tuple(row) for row in larger[larger[:, 0] == 1][:, 1:].tolist()]
    assert len(drawn) == len(set(drawn)) == 119
    assert set(drawn) < set(itertools.product(range(4), range(5), range(6)))
    assert draw_groupings(SIZES[2:], 10, seed=0).shape == (0, 4)


def test_the_seed_decides_and_no_global_generator_is_touched() -> None:
    before = np.random.get_state()[1].tolist()
    first, again, other = (draw_groupings(SIZES, 20, seed=seed) for seed in (3, 3, 4))
    assert np.random.get_state()[1].tolist() == before
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@sweep(("groupings", "message"), [
    ([[0, 0, 0]], "groupings have the shape (1, 3); expected whole numbers of shape (rows, 4).\n"
     "    One row a grouping: the source's position, then the variation of each group in order."),
    ([[0.0, 0.0, 0.0, 0.0]], "groupings have the shape (1, 4); expected whole numbers of shape (rows, 4).\n"
     "    One row a grouping: the source's position, then the variation of each group in order."),
    ([[0, 0, 1, 2], [0, 0, 2, 0]], "grouping 2 is [0, 0, 2, 0]: no such source or variation."),
    ([[3, 0, 0, 0]], "grouping 1 is [3, 0, 0, 0]: no such source or variation."),
    ([[1, -1, 0, 0]], "grouping 1 is [1, -1, 0, 0]: no such source or variation."),
    ([[2, 0, 0, 0]], "grouping 1 is [2, 0, 0, 0]: no such source or variation."),
])  # fmt: skip
def test_groupings_that_are_wrong(groupings: list[list[float]], message: str) -> None:
    assert refusal(OptionError, check_groupings, np.array(groupings), SIZES) == message


class TestInMetrics:
    @sweep("name", SINGLE)
    def test_the_whole_product_listed_is_the_exact_expectation(self, name: str) -> None:
        rows = random_rows(1)
        sizes = np.array(
            [[sum(row.source == f"s{s}" and row.group == group for row in rows) for group in GROUPS] for s in range(9)]
        )
        listed = draw_groupings(sizes, 10**6, seed=0)
        found, exact = values(name, rows, options=Options(groupings=listed)), values(name, rows)
        assert found == pytest.approx(exact, abs=1e-12, nan_ok=True)

    @sweep("name", SINGLE)
    def test_sources_weigh_by_their_groupings_only_on_request(self, name: str) -> None:
        rows = random_rows(4, sources=2, most_terms=3)
        result = compute(name, outcomes_of(rows))
        sizes = [
            np.prod([sum(row.source == f"s{s}" and row.group == group for row in rows) for group in GROUPS])
            for s in range(2)
        ]
        assert sizes[0] != sizes[1]
        by_hand = np.ma.average(np.ma.masked_invalid(result.by_source), axis=0, weights=sizes).filled(np.nan)
        weighted = compute(name, outcomes_of(rows), Options(weight="groupings"))
        np.testing.assert_allclose(weighted.value, by_hand, atol=1e-12)


def test_a_grouping_with_a_variation_that_has_no_score_does_not_count() -> None:
    p = {"ash": (0.1, 0.4), "birch": (0.9,), "cedar": (0.5,)}
    rows = [
        Row(group, (1 - value, value), "" if (group, t) == ("ash", 1) else "positive", source="s", term=f"{group}{t}")
        for group, values_of in p.items()
        for t, value in enumerate(values_of)
    ]
    both = Options(groupings=np.array([[0, 0, 0, 0], [0, 1, 0, 0]]))
    assert values("pert_sr", rows, options=both)["*", "*", ""] == pytest.approx(0.8)
    assert values("pert_sr", rows)["*", "*", ""] == pytest.approx(0.8)
    unscored = compute("pert_sr", outcomes_of(rows), Options(groupings=np.array([[0, 1, 0, 0]])))
    assert np.isnan(unscored.value).all()

"""Adjusted p-values: against scipy, by the definition, and by the chance of any mistake."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from sweep import sweep

from fairness_checklist.extensions.lenses.extrinsic import level_shares, max_t
from fairness_checklist.statistics.multiplicity import benjamini_hochberg, holm
from fairness_checklist.statistics.null_mean import draw_assignments

P_VALUES = st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.05, 0.2, 0.5, 1.0]), min_size=1, max_size=12)


@given(P_VALUES)
def test_benjamini_hochberg_is_that_of_scipy(p: list[float]) -> None:
    np.testing.assert_allclose(benjamini_hochberg(np.array(p)), false_discovery_control(p), atol=1e-12)


@given(P_VALUES)
def test_holm_by_its_definition(p: list[float]) -> None:
    """The adjusted p is the smallest level at which the step-down procedure rejects."""
    adjusted = holm(np.array(p))
    for level in (0.001, 0.0101, 0.05, 0.2001, 0.6):
        rejected = np.zeros(len(p), dtype=bool)
        for rank, at in enumerate(np.argsort(p, kind="stable")):
            if p[at] * (len(p) - rank) > level:
                break
            rejected[at] = True
        np.testing.assert_array_equal(adjusted <= level, rejected)


def test_undefined_rows_stay_out_of_the_family() -> None:
    p = np.array([0.01, np.nan, 0.02, np.nan])
    for procedure in (holm, benjamini_hochberg):
        adjusted = procedure(p)
        np.testing.assert_array_equal(adjusted[[0, 2]], procedure(p[[0, 2]]))
        assert np.isnan(adjusted[[1, 3]]).all()
    assert np.isnan(holm(np.array([np.nan]))).all()
    assert max_t(np.zeros(0), np.zeros((1, 0))).shape == (0,)
    assert benjamini_hochberg(np.zeros(0)).shape == (0,)


def test_max_t_by_hand() -> None:
    """Two contrasts, four assignments, all there are: the first is the given one."""
    drawn = np.array([[4.0, 1.0], [1.0, 4.0], [2.0, 2.0], [1.0, 1.0]])
    # both contrasts have the same draws, and so the same unit: the largest of each draw are 4, 4, 2 and 1
    np.testing.assert_allclose(max_t(drawn[0], drawn), [3 / 5, 5 / 5])
    undefined = np.column_stack([drawn, np.full(4, np.nan)])
    np.testing.assert_array_equal(max_t(undefined[0], undefined), [3 / 5, 5 / 5, np.nan])
    undefined[3, 2] = np.inf  # the largest of the last draw
    np.testing.assert_array_equal(max_t(np.array([4.0, 1.0, 9.0]), undefined)[:2], [4 / 5, 5 / 5])


@sweep("sizes", [[1, 1], [400, 1], [999, 0, 1], [5000, 2, 1]])
@sweep("draws", [99, 999])
def test_every_part_of_a_family_can_reach_the_level(sizes: list[int], draws: int) -> None:
    shares = level_shares(sizes, draws)
    assert shares.sum() == pytest.approx(1)
    assert [share > 0 for share in shares] == [size > 0 for size in sizes]
    assert (1 / (draws + 1) <= 0.05 * shares[shares > 0]).all()


def test_max_t_holds_the_chance_of_any_mistake() -> None:
    generator = np.random.default_rng(4)
    wrong, tries = 0, 400
    for _ in range(tries):
        terms = generator.normal(size=(16, 5)) * np.arange(1, 6)  # five metrics of different spread
        assigned = draw_assignments(np.arange(16) % 2, 99, int(generator.integers(1 << 30)))

        def apart(group: np.ndarray, terms: np.ndarray = terms) -> np.ndarray:
            first = (group == 0).astype(np.float64)
            return np.abs(first @ terms - (1 - first) @ terms) / 8

        value, drawn = apart(np.arange(16) % 2), apart(assigned)
        adjusted = max_t(value, drawn)
        wrong += bool((adjusted <= 0.05).any())
    assert 7 <= wrong <= 35  # 20 expected; the chance of leaving this range is below .003

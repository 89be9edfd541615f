"""The family of groups and harms: what is compared, and that tests and intervals agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated_families import balanced, compared_in, design, family_in
from simulation import simulated

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.core.tasks import Harm, parse_harm
from fairness_checklist.findings.family import (
    GroupFamily,
    HarmFit,
    family_of,
    fit_harms,
    group_family,
    scopes_of,
    shrunk,
    without_each_lexeme,
)
from fairness_checklist.statistics.multiplicity import ALPHA

LOW, HIGH = parse_harm("called:low"), parse_harm("missed:high")
DRAWS = 199


def outcomes_of(seed: int, terms: int = 5, gap: float = 0.0, groups: int = 3) -> Outcomes:
    """Three groups, of which the first is shifted; 30 sources, three classes."""
    random = np.random.default_rng(seed)
    effects = 0.3 * random.normal(size=(groups * terms, 3))
    found = simulated(random, templates=30, terms=terms, effects=effects, gap=np.append(gap, np.zeros(groups - 1)))
    return replace(found, lexemes=found.terms)


def family(outcomes: Outcomes, *harms: Harm, seed: int = 0) -> GroupFamily:
    return group_family(outcomes, harms or (LOW, HIGH), draws=DRAWS, seed=seed)


def reordered(outcomes: Outcomes, order: IntArray) -> Outcomes:
    """The groups in another order, under other names."""
    place = np.append(np.argsort(order), len(order))
    return replace(
        outcomes,
        groups=tuple(f"renamed {g}" for g in range(len(order))),
        group=place[outcomes.group],
        term_group=place[outcomes.term_group],
    )


def test_gaps_and_errors_do_not_depend_on_the_order_of_rows_groups_or_weights() -> None:
    one = outcomes_of(0)
    first = family(one)
    order = np.array([2, 0, 1])
    other = family(reordered(one, order))
    heavier = family(replace(one, weight=10 * one.weight))
    rows = np.random.default_rng(0).permutation(len(one))
    shuffled = family(_rows(one, rows))
    for name in ("gap", "error", "t", "sources"):
        wanted = getattr(first, name)
        np.testing.assert_allclose(getattr(other, name), wanted[:, order], atol=1e-9)
        np.testing.assert_allclose(getattr(heavier, name), wanted, atol=1e-9)
        np.testing.assert_allclose(getattr(shuffled, name), wanted, atol=1e-9)


def _rows(outcomes: Outcomes, order: IntArray) -> Outcomes:
    units = outcomes.units
    assert units is not None
    moved = {name: getattr(outcomes, name)[order] for name in ("group", "source", "term", "weight", "labelled")}
    moved |= {name: getattr(outcomes, name)[order] for name in ("correct", "gold", "predicted", "true_negative")}
    place = np.argsort(order)
    return replace(outcomes, **moved, units=replace(units, row=place[units.row]))


def test_the_gap_is_the_mean_probability_of_the_harmful_class_in_texts_of_other_classes() -> None:
    one = outcomes_of(1)
    found = family(one, LOW)
    assert one.units is not None
    kept = one.gold[:, 0] == 0
    probability = one.units.probability[:, 0]
    for g in range(3):
        own, rest = kept & (one.group == g), kept & (one.group != g)
        assert found.gap[0, g] == pytest.approx(probability[own].mean() - probability[rest].mean())
    assert (found.sources == 20).all()


def test_without_probabilities_the_rate_decides() -> None:
    one = replace(outcomes_of(2), units=None)
    found = family(one, HIGH)
    assert found.fits[0].rows.measure == "rate"
    kept = one.gold[:, 2] == 1
    missed = 1 - one.predicted[:, 2]
    own, rest = kept & (one.group == 1), kept & (one.group != 1)
    assert found.gap[0, 1] == pytest.approx(missed[own].mean() - missed[rest].mean())


@pytest.mark.parametrize("words", [False, True])
def test_p_is_at_most_alpha_exactly_where_the_interval_leaves_out_0(words: bool) -> None:
    claimed = 0
    for seed in range(60):
        chosen = design((5, 6, 7), 24, shift=0.1 * (seed % 6))
        random = np.random.default_rng(seed)
        one = family_in(chosen, balanced(chosen.scores(random, chosen.lexemes(random))[0]), words=words, draws=99)
        outside = (one.low > 0) | (one.high < 0)
        np.testing.assert_array_equal(one.p_adjusted <= ALPHA, outside)
        assert (one.p_adjusted >= one.p_value - 1e-12).all()
        claimed += int(outside.any())
    assert 5 < claimed < 55


def test_p_and_intervals_agree_over_several_scopes() -> None:
    claimed = 0
    for seed in range(25):
        one = outcomes_of(seed, terms=6, gap=1.0, groups=4)
        few = select_rows(one, (one.group < 3) | (one.term % 6 < 2))
        found = family(few, seed=seed)
        assert found.scope.tolist() == [0, 0, 0, 1]
        outside = (found.low > 0) | (found.high < 0)
        np.testing.assert_array_equal(found.p_adjusted <= ALPHA, outside)
        claimed += int(outside.any())
    assert claimed > 5


def test_a_group_of_few_words_among_many_others_can_be_significant() -> None:
    chosen = design((2, *(6,) * 40), 24, shift=3.0)
    random = np.random.default_rng(1)
    found = family_in(chosen, balanced(chosen.scores(random, chosen.lexemes(random))[0]), draws=DRAWS)
    assert found.scope.tolist() == [1, *[0] * 40]
    assert found.p_adjusted[0, 0] <= ALPHA
    assert found.low[0, 0] > 0


def test_a_group_of_one_lexeme_leaves_the_others_their_intervals() -> None:
    one = outcomes_of(4, terms=6, groups=4)
    few = select_rows(one, (one.group < 3) | (one.term % 6 == 0))
    found = family(few)
    assert found.scope.tolist() == [0, 0, 0, 1]
    assert np.isfinite(found.low).all()
    assert np.isfinite(found.high).all()
    assert found.error[:, 3].max() < found.error[:, :3].max() * 5
    assert np.isnan(found.critical[2])


def test_scopes() -> None:
    who, _ = compared_in(design((4, 5, 1), 24))
    assert scopes_of(who).tolist() == [1, 0, 1]
    assert scopes_of(who, crossed=True).tolist() == [1, 1, 1]
    nameless = replace(who, named=np.array([True, True, False]))
    assert scopes_of(nameless).tolist() == [1, 0, 1]
    assert scopes_of(replace(nameless, sources=False)).tolist() == [1, 0, 2]


def test_fewer_than_ten_sources_have_a_gap_and_no_test() -> None:
    one = outcomes_of(5)
    found = family(select_rows(one, one.source < 12), LOW)
    assert found.sources.max() < 10
    assert np.isfinite(found.gap).all()
    assert np.isnan(found.t).all()
    assert np.isnan(found.p_adjusted).all()
    assert np.isnan(found.low).all()


def test_a_harm_that_no_text_concerns_is_left_out_with_the_reason() -> None:
    one = outcomes_of(6)
    assert fit_harms(one, [parse_harm("called:blue")])[2] == {"called:blue": "the model has no class blue"}
    unlabelled = replace(one, labelled=np.zeros(len(one), dtype=np.bool_))
    assert fit_harms(unlabelled, [LOW])[2] == {LOW.name: "no text has a label"}


def test_the_family_is_the_same_for_the_same_seed() -> None:
    one = outcomes_of(7)
    first, again, other = family(one), family(one), family(one, seed=1)
    np.testing.assert_array_equal(first.p_adjusted, again.p_adjusted)
    assert first.critical[0] != other.critical[0]


def test_the_more_draws_of_both_nulls_decide() -> None:
    """Where one group's lexemes spread widely, the signed draws are the larger ones, and permutations alone fail."""
    chosen = design((20, 12, 8, 5), 24, "spread")
    random = np.random.default_rng(0)
    fit = balanced(chosen.scores(random, chosen.lexemes(random))[0])
    who, rows = compared_in(chosen)
    one = family_of(who, (HarmFit(rows, fit, fit),), scopes_of(who), {}, draws=DRAWS, seed=2)
    same = family_of(who, (HarmFit(rows, fit, fit),), np.ones(4, dtype=np.int64), {}, draws=DRAWS, seed=2)
    assert (one.error[0] >= same.error[0]).all()
    assert one.critical[0] > 0
    assert np.isnan(one.critical[1:]).all()
    assert np.isnan(same.critical[[0, 2]]).all()


def test_each_lexeme_left_out_is_the_family_without_it() -> None:
    one = outcomes_of(8, terms=6)
    whole = family(one, LOW)
    own, gap, low = without_each_lexeme(whole, 0, 1)
    assert own.tolist() == [6, 7, 8, 9, 10, 11]
    less = family(select_rows(one, one.term != 8), LOW)
    assert gap[2] == pytest.approx(less.gap[0, 1])
    assert low[2] == pytest.approx(less.gap[0, 1] - whole.critical[0] * less.error[0, 1], rel=0.02)


def test_shrinking_keeps_signs_and_orders_and_never_enlarges() -> None:
    random = np.random.default_rng(0)
    gap: FloatArray = random.normal(0, 0.1, size=(2, 4))
    error = np.full((2, 4), 0.05)
    found = shrunk(gap, error)
    assert (np.abs(found) <= np.abs(gap)).all()
    assert (np.sign(found) == np.sign(gap)).all()
    assert (np.argsort(found.ravel()) == np.argsort(gap.ravel())).all()
    np.testing.assert_array_equal(shrunk(gap, 0 * error), gap)
    np.testing.assert_array_equal(shrunk(0.01 * gap, error), 0 * gap)
    gap[0, 0] = np.nan
    assert np.isnan(shrunk(gap, error)[0, 0])
    assert np.isfinite(shrunk(gap, error).ravel()[1:]).all()

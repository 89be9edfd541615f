"""The family of groups and harms: what is compared, and that tests and bounds agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated_families import Design, balanced, compared_in, design, family_in, fitted
from simulation import simulated

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.core.tasks import Harm, parse_harm
from fairness_checklist.findings.family import (
    GroupFamily,
    HarmFit,
    are_few,
    family_of,
    fit_harms,
    group_family,
    scopes_of,
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


def drawn_family(chosen: Design, seed: int, *, words: bool = False, draws: int = DRAWS) -> GroupFamily:
    random = np.random.default_rng(seed)
    return family_in(chosen, fitted(*chosen.scores(random, chosen.lexemes(random))), words=words, draws=draws)


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
    for name in ("gap", "error", "rate_gap", "rate_error", "t", "sources"):
        wanted = getattr(first, name)
        np.testing.assert_allclose(getattr(other, name), wanted[:, order], atol=1e-9)
        np.testing.assert_allclose(getattr(heavier, name), wanted, atol=1e-9)
        np.testing.assert_allclose(getattr(shuffled, name), wanted, atol=1e-9)


def _rows(outcomes: Outcomes, order: IntArray) -> Outcomes:
    units = outcomes.units
    assert units is not None
    moved = {name: getattr(outcomes, name)[order] for name in ("group", "source", "term", "weight", "kind")}
    place = np.argsort(order)
    return replace(outcomes, **moved, units=replace(units, row=place[units.row]))


def test_gaps_are_the_mean_probability_and_the_rate_of_the_harmful_class_in_texts_of_other_classes() -> None:
    one = outcomes_of(1)
    found = family(one, LOW)
    assert one.units is not None
    kept = one.gold[:, 0] == 0
    probability, decided = one.units.probability[:, 0], one.predicted[:, 0]
    for g in range(3):
        own, rest = kept & (one.group == g), kept & (one.group != g)
        assert found.gap[0, g] == pytest.approx(probability[own].mean() - probability[rest].mean())
        assert found.rate_gap[0, g] == pytest.approx(decided[own].mean() - decided[rest].mean())
    assert (found.sources == 20).all()


def test_without_probabilities_the_rate_decides() -> None:
    one = replace(outcomes_of(2), units=None)
    found = family(one, HIGH)
    assert found.fits[0].rows.measure == "rate"
    kept = one.gold[:, 2] == 1
    missed = 1 - one.predicted[:, 2]
    own, rest = kept & (one.group == 1), kept & (one.group != 1)
    assert found.gap[0, 1] == pytest.approx(missed[own].mean() - missed[rest].mean())
    for of_gap, of_rate in (("gap", "rate_gap"), ("low", "rate_low"), ("high", "rate_high")):
        np.testing.assert_array_equal(getattr(found, of_gap), getattr(found, of_rate))


def test_p_and_bounds_agree_over_several_scopes() -> None:
    claimed = 0
    for seed in range(25):
        one = outcomes_of(seed, terms=6, gap=1.0, groups=4)
        few = select_rows(one, (one.group < 3) | (one.term % 6 < 2))
        found = family(few, seed=seed)
        assert found.scope.tolist() == [0, 0, 0, 1]
        np.testing.assert_array_equal(found.p_adjusted <= ALPHA, found.low > 0)
        claimed += int((found.low > 0).any())
    assert claimed > 5


def test_only_harm_is_claimed_at_the_level_of_one_side() -> None:
    """Of 150 families without an effect 5 % are claimed, and all draws go to the side of harm."""
    claimed = [drawn_family(design((6,) * 4, 30), seed, draws=99).low.max() > 0 for seed in range(150)]
    assert 0.02 <= np.mean(claimed) <= 0.08
    better = drawn_family(design((6,) * 4, 30, shift=-1.0), 0)
    assert better.p_adjusted[0, 0] == 1.0
    assert better.low[0, 0] < better.high[0, 0] < 0


def test_a_model_that_is_sure_shows_on_the_logit_what_its_probabilities_hide() -> None:
    """Where the bound in probability holds 0 and the test decides, the bound is the test's in the unit of the gap."""
    carried = 0
    for seed in range(40):
        one = drawn_family(design((8,) * 3, 30, shift=0.4, base=-4.0), seed, draws=99)
        limit = one.critical[0]
        if one.t[0, 0] > limit and one.gap[0, 0] <= limit * one.error[0, 0]:
            assert 0 < one.low[0, 0] == one.gap[0, 0] * (1 - limit / one.t[0, 0]) < one.gap[0, 0]
            carried += 1
    assert carried > 5


@pytest.mark.parametrize(
    ("better", "groups", "few"),
    [(0, 9, False), (1, 2, False), (1, 3, True), (2, 3, False), (1, 4, True), (2, 6, False), (2, 7, True)],
)
def test_less_than_a_third_of_the_groups_or_one_of_three_are_few(better: int, groups: int, few: bool) -> None:
    assert bool(are_few(np.array(better), groups)) is few


def test_a_group_of_few_words_among_many_others_can_be_significant() -> None:
    found = drawn_family(design((2, *(6,) * 40), 24, shift=3.0), 1)
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
    assert fit_harms(one, [parse_harm("called:blue")])[2] == {"called:blue": "no class"}
    unlabelled = replace(one, kinds=replace(one.kinds, labelled=np.zeros_like(one.kinds.labelled)))
    assert fit_harms(unlabelled, [LOW])[2] == {LOW.name: "no labels"}


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
    fits = (HarmFit.of(rows, fit, chosen.group),)
    one = family_of(who, fits, scopes_of(who), {}, draws=DRAWS, seed=2)
    same = family_of(who, fits, np.ones(4, dtype=np.int64), {}, draws=DRAWS, seed=2)
    assert (one.error[0] >= same.error[0]).all()
    assert one.critical[0] > 0
    assert np.isnan(one.critical[1:]).all()
    assert np.isnan(same.critical[[0, 2]]).all()


def test_each_lexeme_left_out_is_the_family_without_it() -> None:
    one = outcomes_of(8, terms=6)
    whole = family(one, LOW)
    own, gap, _, decided = without_each_lexeme(whole, 0, 1)
    assert own.tolist() == [6, 7, 8, 9, 10, 11]
    less = [family(select_rows(one, one.term != term), LOW) for term in own]
    np.testing.assert_allclose(gap, [other.gap[0, 1] for other in less])
    np.testing.assert_array_equal(decided, [other.t[0, 1] > whole.critical[0] for other in less])

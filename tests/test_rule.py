"""The one rule: against the prototype, against oracles, and by hand."""

import runpy
from typing import Any

import numpy as np
import pytest
from scipy import stats
from simulated_families import World, family_in, simulated
from sweep import sweep

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.extensions.plan.power_simulation import balanced_effects
from fairness_checklist.findings import rule
from fairness_checklist.findings.rule import Decided, FittedError, Status, Words, decide, gaps_of, word_variances
from fairness_checklist.statistics.two_way import TermEffects, variance_of_levels
from tests.shared_data import SHARED

QUIET = 1e-4  # the standard deviation of what a source does to a word
NAN = float("nan")


def fit_of(effect: FloatArray, scores: FloatArray, cells: FloatArray, level: float = 0.0) -> TermEffects:
    return TermEffects(effect, scores, scores.T @ scores, 1.0, cells, len(scores), True, (), level)


def exact(effect: FloatArray, level: float = 0.3, noise: float = QUIET, sources: int = 30) -> TermEffects:
    """Effects of lexemes that sources hardly change."""
    scores = noise * np.random.default_rng(0).normal(size=(sources, len(effect))) / np.sqrt(sources)
    return fit_of(np.asarray(effect, dtype=np.float64), scores, np.zeros((len(effect), len(effect))), level)


def words_of(*sizes: int, reference: int | None = None) -> Words:
    return Words(np.repeat(np.arange(len(sizes)), sizes), np.ones(sum(sizes)), len(sizes), reference)


def spread(count: int, width: float = 0.01, at: float = 0.0) -> list[float]:
    """Effects around a mean."""
    return (at + width * np.linspace(-1, 1, count)).tolist()


def one_error(effect: list[float], words: Words, *, logit: float = 8.0, **changes: Any) -> Decided:
    """The rule for one error; on the logit effects are so many times as large."""
    level = changes.pop("level", 0.3)
    options = {name: changes.pop(name) for name in ("named", "enough", "sides", "comparisons") if name in changes}
    gap = exact(np.array(effect), level)
    tested = changes.pop("tested", exact(logit * np.array(effect), level, logit * QUIET))
    error = FittedError(**{"gap": gap, "tested": tested, "adjusted": gap, **changes})
    return decide([error], words, margin=0.05, **options)[0]


def random_design(random: np.random.Generator) -> tuple[Any, ...]:
    """A design: groups, terms of each lexeme, and the fits of one to three errors in probability and on the logit."""
    n_groups = int(random.integers(2, 7))
    group = np.repeat(np.arange(n_groups), random.integers(1, 9, n_groups))
    size, n_sources, n_errors = len(group), int(random.integers(5, 40)), int(random.integers(1, 4))
    terms = random.integers(1, 5, size).astype(float)
    spread = random.choice([0.02, 0.1], n_groups)[group]
    shift = random.choice([0.0, 0.05, 0.15, -0.15], n_groups)[group]
    fits = []
    for _ in range(n_errors):
        effect = spread * random.standard_t(5, size) + shift
        scores = 0.1 * random.normal(size=(n_sources, size)) / n_sources
        cells = np.eye(size) * 0.001 * random.random()
        fits.append((effect, scores, cells))
    logits = [(8 * e + 0.2 * random.normal(size=size), 8 * s, 64 * c) for e, s, c in fits]
    return group, terms, n_groups, fits, logits, random.uniform(0.05, 0.6, n_errors)


@pytest.mark.shared_data
def test_statuses_and_bounds_are_those_of_the_prototype_on_2000_random_designs() -> None:
    prototype = runpy.run_path(str(SHARED.parent / "one_rule.py"))
    random = np.random.default_rng(7)
    seen, compared = set[str](), 0
    for _ in range(2000):
        group, terms, n_groups, fits, logits, level = random_design(random)
        reference = None if random.random() < 0.7 else int(random.integers(n_groups))
        wanted = prototype["decide"](fits, logits, level, group, terms, n_groups, reference)
        words = Words(group, terms, n_groups, reference)
        errors = []
        for fit, on_logit, base in zip(fits, logits, level, strict=True):
            gap = fit_of(*fit, level=base)
            errors.append(FittedError(gap=gap, tested=fit_of(*on_logit), adjusted=gap))
        for h, ours in enumerate(decide(errors, words, margin=0.05)):
            assert reference is None or ours.status[reference] is Status.OPEN
            error = gaps_of(errors[h].gap, words).error
            mean = level[h] + np.maximum(words.contrasts(), 0.0) @ fits[h][0]
            fine = (error < mean) & (mean < 1 - error)  # elsewhere the prototype's logit has no standard error
            gap, low, high, alone, without = (
                wanted[name][h][fine] for name in ("gap", "low", "high", "high_alone", "without")
            )
            cut = [np.maximum(low, np.minimum(gap, -1)), *np.minimum([high, alone], np.maximum(gap, 1)), without]
            mine = [bound[fine] for bound in (ours.low, ours.high, ours.high_alone, ours.low_without)]
            np.testing.assert_allclose(mine, cut, rtol=1e-9, atol=1e-12)
            status = wanted["status"][h][fine]
            status[(status == "better") & ~(gap < -0.05)] = "small"  # not beyond minus the margin
            assert np.array(ours.status)[fine].tolist() == status.tolist()
            assert ours.carrier[fine].tolist() == wanted["carrying"][h][fine].tolist()
            seen |= set(status.tolist())
            compared += len(status)
    assert seen == {"better", "small", "worse", "open"}
    assert compared > 10_000


def test_a_group_without_errors_is_better_than_one_with_many() -> None:
    values = np.tile([0.0, 0.0, 0.0, 0.0, 0.4, 0.5, 0.6, 0.5], (30, 1))
    values = values + np.array([0.0] * 4 + [0.02] * 4) * np.random.default_rng(1).normal(size=(30, 8))
    fit = balanced_effects(values)
    [ours] = decide([FittedError(gap=fit, tested=fit, adjusted=fit)], words_of(4, 4), margin=0.05)
    assert ours.status == (Status.BETTER, Status.WORSE)
    assert ours.gap[0] < ours.high[0] < -0.05


@sweep("seed", range(3))
def test_gap_error_and_degrees_of_freedom_of_a_table_by_hand(seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(size=(10, 1)) + random.normal(size=8) + random.normal(size=(10, 8))
    group = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    found = gaps_of(balanced_effects(values), words_of(3, 5), wild=False)
    difference = values[:, :3].mean(axis=1) - values[:, 3:].mean(axis=1)
    mean, of_sources = values.mean(axis=0), difference.var(ddof=1) / 10
    squares = [((mean[group == g] - mean[group == g].mean()) ** 2).sum() for g in range(2)]
    moderated = [(8 * sum(squares) / 6 + squares[g]) / (8 + df) for g, df in ((0, 2), (1, 4))]
    of_words = [moderated[0] / 3, moderated[1] / 5]
    rest = values - values.mean(axis=1, keepdims=True) - mean + values.mean()
    of_cells = (rest**2).sum() / (9 * 7) / 10 * (1 / 3 + 1 / 5)
    both = max(of_sources + sum(of_words) - of_cells, of_sources, sum(of_words))
    df = both**2 / (of_sources**2 / 9 + of_words[0] ** 2 / 6 + of_words[1] ** 2 / 6)  # no more than the pooled 6
    for sign, g in ((1, 0), (-1, 1)):
        wanted = [sign * difference.mean(), np.sqrt(both), df, sum(of_words)]
        ours = [figure[g] for figure in (found.gap, found.error, found.df, found.of_words)]
        np.testing.assert_allclose(ours, wanted, rtol=1e-9)
    np.testing.assert_allclose(found.reach(0.9), stats.t.ppf(0.9, df) * np.sqrt(both), rtol=1e-9)


@pytest.mark.parametrize(("prior", "equal"), [(0.0, False), (1e12, True)])
def test_between_welch_and_student_lies_the_moderated_variance(
    prior: float, equal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where sources change nothing: without a prior Welch's test of words, with an endless one Student's."""
    random = np.random.default_rng(2)
    effect = random.normal(size=13)
    monkeypatch.setattr(rule, "PRIOR_DF", prior)
    found = gaps_of(exact(effect, noise=1e-9), words_of(5, 8), wild=False)
    wanted = stats.ttest_ind(effect[:5], effect[5:], equal_var=equal)
    assert found.gap[0] / found.error[0] == pytest.approx(wanted.statistic, rel=1e-6)
    # of Student's test the two parts count with the pooled degrees of freedom each
    of_words = np.array([1 / 5, 1 / 8])
    assert found.df[0] == pytest.approx(
        11 * of_words.sum() ** 2 / (of_words**2).sum() if equal else wanted.df, rel=1e-6
    )


def test_each_term_weighs_the_same_and_a_group_beside_its_reference() -> None:
    group, terms = np.array([0, 0, 1, 1, 2]), np.array([3.0, 1.0, 2.0, 2.0, 4.0])
    effect = np.array([0.1, 0.3, 0.0, 0.2, 0.5])
    of_all, of_last = (gaps_of(exact(effect), Words(group, terms, 3, reference)).gap for reference in (None, 2))
    means = [(3 * 0.1 + 0.3) / 4, 0.1, 0.5]
    np.testing.assert_allclose(of_all, [means[g] - (sum(means) - means[g]) / 2 for g in range(3)])
    np.testing.assert_allclose(of_last, [means[0] - 0.5, means[1] - 0.5, NAN])
    without = gaps_of(exact(np.array([0.1, NAN, 0.0, 0.2, 0.5])), Words(group, terms, 3)).gap
    assert without[0] == pytest.approx(0.1 - (4 * 0.1 + 4 * 0.5) / 8)


@pytest.mark.parametrize(("sizes", "times", "alone"), [
    ((6, 6, 6), 3.1, True),
    ((6, 6, 6), 2.9, False),
    ((6, 6), 3.9, False),
    ((6, 6), 4.1, True),
    ((2, 9, 9), 9, False),
    ((6, 2), 9, False),
])  # fmt: skip
def test_words_that_vary_three_times_as_much_or_of_two_groups_four_times_have_their_own_variance(
    sizes: tuple[int, ...], times: float, alone: bool
) -> None:
    unit = [np.array(spread(n, 1.0)) / np.std(spread(n, 1.0), ddof=1) for n in sizes]
    effect = np.concatenate([unit[0] * np.sqrt(times), *unit[1:]])
    variance, df, wild = word_variances(effect, words_of(*sizes))
    assert wild.tolist() == [alone, *[False] * (len(sizes) - 1)]
    total, squares = sum(n - 1 for n in sizes), times * (sizes[0] - 1)
    pooled = (squares + sum(n - 1 for n in sizes[1:])) / total
    moderated = (8 * pooled + squares) / (8 + sizes[0] - 1)
    assert variance[0] == pytest.approx(times if alone else moderated)
    assert df[0] == (sizes[0] - 1 if alone else min(8 + sizes[0] - 1, total))
    assert not word_variances(effect, words_of(*sizes), wild=False)[2].any()


OTHERS = spread(20)
CASES: list[tuple[str, list[float], Status, dict[str, Any]]] = [
    ("each word is worse", spread(5, at=0.1), Status.WORSE, {}),
    ("each word is better", spread(5, at=-0.1), Status.BETTER, {}),
    ("no word differs", spread(5), Status.SMALL, {}),
    ("better by less than the margin", spread(5, at=-0.03), Status.SMALL, {}),
    ("worse by less than the margin", spread(5, 0.001, at=0.03), Status.SMALL, {}),
    ("words differ", spread(4, 0.2, at=0.05), Status.OPEN, {}),
    ("two words, one carries", [0.22, 0.0], Status.OPEN, {}),
    ("two words, both worse", [0.15, 0.13], Status.WORSE, {}),
    ("a lone word is never worse", [0.5], Status.OPEN, {}),
    ("a lone word may be better", [-0.25], Status.BETTER, {}),
    ("a lone word without a gap", [0.0], Status.SMALL, {}),
    ("the logit shows no gap", spread(5, at=0.1), Status.OPEN, {"logit": 0.0}),
    ("the logit shows no gap of a better one", spread(5, at=-0.1), Status.SMALL, {"logit": 0.0}),
    ("form not separable", spread(5, at=0.1), Status.OPEN, {"separable": False}),
    ("form not separable of a better one", spread(5, at=-0.1), Status.SMALL, {"separable": False}),
    ("gone without the form", spread(5, at=0.1), Status.OPEN, {"adjusted": exact(np.array([*spread(5), *OTHERS]))}),
    ("gone without the form of a better one", spread(5, at=-0.1), Status.SMALL,
     {"adjusted": exact(np.array([*spread(5), *OTHERS]))}),
    ("too few sentences", spread(5, at=0.1), Status.OPEN, {"enough": np.array([[False, True]])}),
    ("no words are named", [0.5], Status.WORSE, {"named": np.array([False, False])}),
    ("as wide as its floor", spread(5, at=0.1), Status.OPEN, {"at_least": np.full(25, 0.01)}),
    ("counted beside the fit", spread(5, 0.001), Status.SMALL, {"moved": np.array([0.01, -0.01])}),
]  # fmt: skip


@pytest.mark.parametrize(("why", "effect", "status", "changes"), CASES, ids=[case[0] for case in CASES])
def test_the_statuses_of_designs_by_hand(
    why: str, effect: list[float], status: Status, changes: dict[str, Any]
) -> None:
    words = words_of(len(effect), 20)
    found = one_error([*effect, *OTHERS[: 25 - 5]], words, **changes)
    assert found.status[0] is status
    if changes.get("enough") is not None:
        assert np.isnan([found.gap[0], found.low[0], found.low_without[0]]).all()
        assert found.carrier[0] == -1
        return
    assert found.low[0] <= found.gap[0] <= found.high_alone[0] <= found.high[0]
    claims = {
        Status.WORSE: found.low[0] > 0,
        Status.BETTER: found.high[0] < 0,
        Status.SMALL: found.high_alone[0] < 0.05,
    }
    assert claims.get(status, found.high_alone[0] >= 0.05)


def test_the_lexeme_that_carries_most_is_left_out_with_all_its_terms() -> None:
    """Of two words of .2 and .3 the first carries more where it has nine terms and the other one."""
    words = Words(np.repeat([0, 1], [4, 20]), np.array([9.0, 1.0, 1.0, 1.0, *[1.0] * 20]), 2)
    effect = [0.2, 0.3, 0.0, 0.15, *OTHERS]
    assert one_error(effect, words).carrier[0] == 0
    for wild in (False, True):  # the three others vary much more than those of the other group
        left = gaps_of(exact(np.array(effect)), words.without(np.arange(24) == 0), wild=wild)
        assert left.gap[0] == pytest.approx(0.15)
        bound = left.gap[0] - left.reach(0.95)[0]
        assert (one_error(effect, words).low_without[0] == pytest.approx(bound)) is not wild


def test_what_a_counted_gap_lies_beside_the_fitted_one_joins_its_variance() -> None:
    effect = exact(np.array([*spread(5, at=0.1), *OTHERS]))
    plain, beside = (gaps_of(effect, words_of(5, 20), moved=moved) for moved in (0.0, np.array([0.008, -0.008])))
    np.testing.assert_allclose(beside.gap, plain.gap + np.array([0.008, -0.008]))
    np.testing.assert_allclose(beside.error**2, plain.error**2 + 0.008**2)


def test_of_rare_errors_the_upper_bound_is_that_on_the_logit() -> None:
    effect, words = [*spread(6, 0.002), *spread(6, 0.002)], words_of(6, 6)
    rare, usual = (one_error(effect, words, level=level) for level in (0.004, 0.3))
    gaps = gaps_of(exact(np.array(effect)), words)
    reach, m = gaps.reach(0.95)[0], 0.004
    odds = m / (1 - m) * np.exp(reach / (m * (1 - m)))
    assert rare.high_alone[0] == pytest.approx(odds / (1 + odds) - m)
    assert rare.high_alone[0] > 1.1 * reach
    assert usual.high_alone[0] == pytest.approx(reach, rel=0.01)
    plain = one_error(effect, words, level=0.004, is_share=False)
    assert plain.high_alone[0] == pytest.approx(reach)


def test_bounds_share_the_level_by_bonferroni_over_what_is_decided() -> None:
    effect = exact(np.array(spread(24)))
    error = FittedError(gap=effect, tested=effect, adjusted=effect)
    gaps, words = gaps_of(effect, words_of(8, 8, 8)), words_of(8, 8, 8)
    enough = np.array([[True, True, True], [True, False, False]])
    for level, found in (
        (6, decide([error, error], words, margin=0.05)[1]),
        (4, decide([error, error], words, margin=0.05, enough=enough)[1]),
        (9, decide([error], words, margin=0.05, comparisons=9)[0]),
    ):
        assert found.low[0] == pytest.approx((gaps.gap - gaps.reach(1 - 0.05 / level))[0])
        assert found.low_alone[0] == pytest.approx((gaps.gap - gaps.reach(0.95))[0])


def test_order_names_and_a_shift_of_all_words_change_nothing() -> None:
    random = np.random.default_rng(5)
    values = 0.3 + 0.05 * random.normal(size=(20, 14)) + 0.04 * random.normal(size=14)
    group, terms = np.repeat([0, 1, 2], [5, 3, 6]), random.integers(1, 4, 14).astype(float)

    def found(order: FloatArray, names: FloatArray, shift: float) -> Decided:
        fit = balanced_effects(values[:, order] + shift)
        error = FittedError(gap=fit, tested=fit, adjusted=fit, is_share=False)
        return decide([error], Words(names[group[order]], terms[order], 3), margin=0.05)[0]

    plain = found(np.arange(14), np.arange(3), 0.0)
    order, names = random.permutation(14), np.array([2, 0, 1])
    other = found(order, names, 0.1)
    for name in ("gap", "low", "high", "high_alone", "adjusted_low", "low_without", "words_share"):
        np.testing.assert_allclose(getattr(other, name)[names], getattr(plain, name), atol=1e-12)
    assert [other.status[g] for g in names] == list(plain.status)
    assert order[other.carrier[names]].tolist() == plain.carrier.tolist()


def test_levels_of_random_factors_widen_all_bounds() -> None:
    """Two prompts whose gaps differ by .1 add .05**2 to the variance of their mean, with one degree of freedom."""
    effect, words = np.array([*spread(8, at=0.1), *spread(8)]), words_of(8, 8)
    beside = np.where(np.arange(16) < 8, 0.05, 0.0)
    fit = exact(effect)
    wider = TermEffects(**{**vars(fit), "levels": (np.array([effect - beside, effect + beside]),)})
    one, other = gaps_of(fit, words), gaps_of(wider, words)
    assert variance_of_levels(wider.levels, words.contrasts())[0] == pytest.approx(0.05**2)
    assert other.error[0] ** 2 == pytest.approx(one.error[0] ** 2 + 0.05**2)
    assert other.df[0] == one.df[0] > 10
    wanted = one.reach(0.975)[0] ** 2 + (stats.t.ppf(0.975, 1) * 0.05) ** 2
    assert other.reach(0.975)[0] ** 2 == pytest.approx(wanted)


def test_in_simulated_worlds_few_claims_are_false_and_gaps_are_found() -> None:
    """`benchmarks/findings.py` has the table; here 120 worlds, and ranges that fail in one of 10,000 runs."""
    random, sizes = np.random.default_rng(1), (8,) * 6
    null = [simulated(World(sizes), random)[1].decided[0].status for _ in range(120)]
    assert sum(Status.WORSE in status for status in null) <= 16
    assert sum(Status.BETTER in status for status in null) <= 16
    at_margin = [simulated(World(sizes, gap=0.05), random)[1].decided[0].status[0] for _ in range(120)]
    assert at_margin.count(Status.SMALL) <= 16
    worse = [simulated(World(sizes, sources=60, gap=0.1), random)[1].decided[0].status[0] for _ in range(40)]
    assert worse.count(Status.WORSE) >= 34
    carried = [simulated(World(sizes, gap=0.4, carried=True), random)[1].decided[0].status[0] for _ in range(40)]
    assert carried.count(Status.WORSE) <= 2


def test_without_two_words_of_any_group_nothing_is_claimed() -> None:
    random = np.random.default_rng(0)
    world = World((1,) * 4, gap=0.5)
    family = family_in(world, [world.scores(random)])
    assert set(family.decided[0].status) == {Status.OPEN}
    assert np.isnan(family.decided[0].low).all()

"""Gaps adjusted for the form of words: what a form does is not said of a group, and a saved run is adjusted alike."""

from dataclasses import replace

import numpy as np
import pytest
from simulation import crossed

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.family import family_of
from fairness_checklist.findings.records import find
from fairness_checklist.findings.rule import Status

HARM = [parse_harm("predicted:low")]
FEW_PHRASES, MANY_PHRASES, ALL_PHRASES = (("adj",) * 12 + ("pp",) * 4, ("adj",) * 4 + ("pp",) * 12, ("pp",) * 8)


def outcomes_of(
    forms: tuple[tuple[str, ...], ...], seed: int, *, of_phrase: float = 1.5, shift: float = 0.0, noise: float = 0.2
) -> Outcomes:
    """Groups of words of these forms in 20 sources; the probability of "low" rises by form, and in the last group."""
    random = np.random.default_rng(seed)
    pos = [one for own in forms for one in own]
    group_of = np.repeat(np.arange(len(forms)), [len(own) for own in forms])
    source, term = np.repeat(np.arange(20), len(pos)), np.tile(np.arange(len(pos)), 20)
    score = (
        of_phrase * (np.array(pos) == "pp")
        + shift * (group_of == len(forms) - 1)
        + noise * random.normal(size=len(pos))
    )
    score = score[term] + noise * (random.normal(size=20)[source] + random.normal(size=len(term)))
    p = 1 / (1 + np.exp(-score))
    found = crossed(np.stack([p, 1 - p], axis=1), source % 2, source, group_of[term], term, len(forms))
    words = tuple(f"word {'abcdefgh'[t % 8] * (1 + t // 8)}" for t in range(len(pos)))
    return replace(found, terms=words, lexemes=words, pos=tuple(pos))


def test_what_a_form_does_is_claimed_of_a_group_only_without_the_adjustment() -> None:
    plain, worse, both = 0, 0, 0
    for seed in range(40):
        [one] = family_of(outcomes_of((FEW_PHRASES, MANY_PHRASES), seed), HARM, margin=0.02).decided
        plain += one.low[1] > 0
        worse += one.status[1] is Status.WORSE
        assert one.status[1] is not Status.WORSE or one.adjusted_low[1] > 0
        [shifted] = family_of(outcomes_of((FEW_PHRASES, MANY_PHRASES), seed, shift=1.0), HARM, margin=0.02).decided
        both += shifted.status[1] is Status.WORSE
    assert (plain, both) == (40, 40)
    assert worse <= 5


def test_an_effect_of_form_without_any_variation_is_taken_away_exactly() -> None:
    [found] = family_of(outcomes_of((FEW_PHRASES, MANY_PHRASES), 0, noise=0.0), HARM, margin=0.02).decided
    np.testing.assert_allclose(found.adjusted_gap, 0, atol=1e-9)
    assert found.gap[1] == pytest.approx((1 / (1 + np.exp(-1.5)) - 0.5) / 2)
    assert found.status == (Status.SMALL, Status.OPEN)  # the upper bound of the first is below 0


@pytest.mark.parametrize("few", ["lexemes", "sources"])
def test_few_words_or_one_source_are_not_adjusted(few: str) -> None:
    one = outcomes_of((FEW_PHRASES[4:], MANY_PHRASES[3:]) if few == "lexemes" else (FEW_PHRASES, MANY_PHRASES), 0)
    one = one if few == "lexemes" else replace(one, source=0 * one.source)
    found = find(one, HARM).groups
    same = found["adjusted_gap"] == found["gap"]
    assert same.all() if few == "lexemes" else found["adjusted_gap"].isna().all()


def test_a_group_whose_form_nobody_shares_is_open_unless_control_words_share_it() -> None:
    one = outcomes_of((FEW_PHRASES[:8], FEW_PHRASES[:8], ALL_PHRASES), 1)
    alone = find(one, HARM).groups.set_index("group").loc["group 2"]
    assert alone[["status", "reason_code"]].tolist() == ["open", "form not separable"]
    assert alone["low"] > 0.1
    shared = find(one, HARM, controls=outcomes_of((FEW_PHRASES,) * 4, 2)).groups.set_index("group").loc["group 2"]
    assert shared["gap"] == alone["gap"]
    assert abs(shared["adjusted_gap"]) < 0.05
    assert shared["status"] != "worse"

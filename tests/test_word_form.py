"""Gaps adjusted for the form of words: what a form does is not said of a group, and a saved run is adjusted alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulation import crossed
from sweep import sweep

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.family import group_family
from fairness_checklist.findings.records import Findings, find

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


def records(found: Findings) -> list[tuple[str, str, str]]:
    return [(row["group"], row["status"], row["reason"]) for row in found.groups.to_dict("records")]


def test_what_a_form_does_is_claimed_of_a_group_only_without_the_adjustment() -> None:
    plain, adjusted, both, effects = 0, 0, 0, []
    for seed in range(40):
        only_form = outcomes_of((FEW_PHRASES, MANY_PHRASES), seed)
        one = group_family(only_form, HARM, draws=99)
        unadjusted = group_family(only_form, HARM, of_forms={}, draws=99)
        np.testing.assert_allclose(one.unadjusted["predicted:low"], unadjusted.gap[0])
        plain += unadjusted.low[0, 1] > 0
        adjusted += one.low[0, 1] > 0
        effects.append(one.of_forms["predicted:low"][0].effect[1])
        both += group_family(outcomes_of((FEW_PHRASES, MANY_PHRASES), seed, shift=1.0), HARM, draws=99).low[0, 1] > 0
    assert (plain, both) == (40, 40)
    assert adjusted <= 5
    assert np.mean(effects) == pytest.approx(1.5, abs=0.05)


def test_an_effect_of_form_without_any_variation_is_taken_away_exactly() -> None:
    found = group_family(outcomes_of((FEW_PHRASES, MANY_PHRASES), 0, noise=0.0), HARM, draws=99)
    np.testing.assert_allclose(found.gap, 0, atol=1e-9)
    assert found.unadjusted["predicted:low"][1] == pytest.approx((1 / (1 + np.exp(-1.5)) - 0.5) / 2)


@sweep("few", ["lexemes", "sources"])
def test_few_words_or_one_source_are_not_adjusted(few: str) -> None:
    one = outcomes_of((FEW_PHRASES[4:], MANY_PHRASES[3:]) if few == "lexemes" else (FEW_PHRASES, MANY_PHRASES), 0)
    one = one if few == "lexemes" else replace(one, source=0 * one.source)
    found = group_family(one, HARM, draws=19)
    np.testing.assert_array_equal(found.gap[0], found.unadjusted["predicted:low"])


def test_a_group_whose_form_nobody_shares_is_suspected_unless_placebo_words_share_it() -> None:
    one = outcomes_of((FEW_PHRASES[:8], FEW_PHRASES[:8], ALL_PHRASES), 1)
    alone = find(one, HARM, draws=199)
    reason = "form not separable"
    assert records(alone)[0] == ("group 2", "suspected", reason)
    shared = find(one, HARM, control_words=outcomes_of((FEW_PHRASES,) * 4, 2), draws=199)
    assert reason not in [code for *_, code in records(shared)]
    assert "clear" not in [status for _, status, _ in records(shared)]

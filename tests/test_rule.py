"""The one rule: against the prototype, against oracles, and by hand."""

from __future__ import annotations

import runpy

import numpy as np
import pytest

from fairness_checklist.findings.rule import FittedError, Status, Words, decide
from fairness_checklist.statistics.two_way import TermEffects
from tests.shared_data import SHARED


def fit_of(effect, scores, cells, level=0.0):
    return TermEffects(effect, scores, scores.T @ scores, 1.0, cells, len(scores), True, (), level)


def random_design(random):
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
def test_statuses_and_bounds_are_those_of_the_prototype_on_2000_random_designs():
    prototype = runpy.run_path(str(SHARED.parent / "one_rule.py"))
    random = np.random.default_rng(7)
    seen = set()
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
            for g in range(n_groups):
                if g == reference:
                    assert ours.status[g] is Status.OPEN
                    continue
                ends = [float(wanted[name][h, g]) for name in ("low", "high", "high_alone", "without")]
                cut = [
                    max(ends[0], min(wanted["gap"][h, g], -1)),
                    *np.minimum(ends[1:3], max(wanted["gap"][h, g], 1)),
                    ends[3],
                ]
                mine = [ours.low[g], ours.high[g], ours.high_alone[g], ours.low_without[g]]
                np.testing.assert_allclose(mine, cut, rtol=1e-9, atol=1e-12)
                status = str(wanted["status"][h, g])
                if status == "better" and not wanted["gap"][h, g] < -0.05:
                    status = "small"  # not beyond minus the margin
                assert ours.status[g] == status
                assert ours.carrier[g] == wanted["carrying"][h, g]
                seen.add(status)
    assert seen == {"better", "small", "worse", "open"}

"""Pinned AUC: the sample of Dixon et al. 2018, scikit-learn's areas, and the exact form that the sample stands for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from build_outcomes import GROUPS, independent_rows, values
from golden import golden_figures
from sklearn.metrics import roc_auc_score

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.corpora.pinned_auc import pinned_auc_sampled
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms
from fairness_checklist.metrics.metric_forms import Options


def test_the_seeded_figures_of_every_term(shared_data: Path) -> None:
    """But for pairs that are tied in the file and not in the scores that the figures are of: at most 2e-7 here."""
    golden = golden_figures("dixon")["scored_phrases"]
    frame = pd.read_csv(shared_data / "dixon" / "scored_phrases.csv")
    positive, score = (frame["toxicity"] == "toxic").to_numpy(), frame["score"].to_numpy(dtype=np.float64)
    held = mentioned_terms(tuple(frame["phrase"]), list(golden["terms"]))
    found = pinned_auc_sampled(score, positive, held, seed=25)
    expected = [term["pinned_auc_seed25"] for term in golden["terms"].values()]
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-7)
    apart = np.abs(found - golden["overall_auc"]).sum()
    assert apart == pytest.approx(golden["pinned_auc_ed_seed25"], rel=0, abs=1e-5)


def data(seed: int, n: int = 90) -> tuple[FloatArray, BoolArray, BoolArray]:
    generator = np.random.default_rng(seed)
    positive = generator.random(n) < 0.4
    member = np.column_stack([generator.random(n) < share for share in (0.2, 0.4, 0.8)])
    score = np.round(generator.random(n) + 0.4 * positive - 0.3 * member[:, 0], 1)
    return score, positive, member


@pytest.mark.parametrize("with_group", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_areas_are_scikit_learns(seed: int, with_group: bool) -> None:
    score, positive, member = data(seed)
    found = pinned_auc_sampled(score, positive, member, seed=seed, with_group=with_group)
    for g, inside in enumerate(member.T):
        own, pool = np.flatnonzero(inside), np.flatnonzero(~inside | with_group)
        size, generator = min(len(own), len(pool)), np.random.RandomState(seed)
        drawn = pool[generator.choice(len(pool), size, replace=False)]
        if size < len(own):
            own = own[generator.choice(len(own), size, replace=False)]
        rows = np.concatenate([own, drawn])
        assert found[g] == pytest.approx(roc_auc_score(positive[rows], score[rows]), abs=1e-12)


@pytest.mark.parametrize(("background", "with_group"), [("everyone", True), ("everyone_else", False)])
def test_the_sample_varies_around_the_exact_form(background: str, with_group: bool) -> None:
    """The exact form: scikit-learn's area of all rows, by weight; the sample's mean over seeds lies beside it."""
    rows = independent_rows(3, 400)
    exact = values("pinned_auc", rows, options=Options(background=background))
    score, positive = np.array([row.p[1] for row in rows]), np.array([row.label == "positive" for row in rows])
    member = np.column_stack([[row.group == group for row in rows] for group in GROUPS])
    drawn = np.stack(
        [pinned_auc_sampled(score, positive, member, seed=seed, with_group=with_group) for seed in range(100)]
    )
    for g, group in enumerate(GROUPS):
        behind = member[:, g] / member[:, g].sum()
        pool = ~member[:, g] | with_group
        weighted = roc_auc_score(positive, score, sample_weight=behind + pool / pool.sum())
        assert exact["positive", group, background] == pytest.approx(weighted, abs=1e-12)
        error = drawn[:, g].std() / np.sqrt(len(drawn))
        assert abs(drawn[:, g].mean() - weighted) < 4 * error + 2e-3


def test_what_has_no_area() -> None:
    score, positive = np.array([0.1, 0.2, 0.3]), np.array([True, True, True])
    member = np.array([[True, False], [False, False], [False, False]])
    assert np.isnan(pinned_auc_sampled(score, positive, member, seed=0)).all()


def test_what_may_not_be_given() -> None:
    score, positive, member = data(0)
    with pytest.raises(OptionError) as shapes:
        pinned_auc_sampled(score, positive[:5], member, seed=0)
    assert str(shapes.value) == (
        "score, positive and member have the shapes (90,), (5,) and (90, 3).\n"
        "    Expected are (n,), (n,) and (n, G): one row per text."
    )
    score[7] = np.nan
    with pytest.raises(OptionError) as lacking:
        pinned_auc_sampled(score, positive, member, seed=0)
    assert str(lacking.value) == "score 8 of 90 is no number."

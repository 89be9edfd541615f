"""The figures of Dixon et al. 2018's data: error rates by term, FPED and FNED."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from build_outcomes import group_scores
from golden import golden_figures
from sklearn.metrics import roc_auc_score

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.examples import ExampleSet, ListedTexts
from fairness_checklist.core.outcomes import Outcomes, take_rows
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.thresholds import decide
from fairness_checklist.extensions.corpora.equal_error_rate import equal_error_rate
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Metric
from fairness_checklist.metrics.scores import false_negative_rate, false_positive_rate

CLASSES = ("nontoxic", "toxic")
GOLDEN = golden_figures("dixon")["scored_phrases"]

pytestmark = pytest.mark.shared_data


def by_contained_term(outcomes: Outcomes, names: Sequence[str], held: BoolArray) -> Outcomes:
    """Every term as a group of its own; a row is in the group of each term that it holds, and each row is a control.

    With `whole_set` as the background FPED and FNED are those of the paper, whose rates are of "the entire test set".
    """
    row, group = (side.astype(np.int64) for side in np.nonzero(held))
    size = len(names)
    repeated = take_rows(outcomes, np.concatenate([row, np.arange(len(outcomes), dtype=np.int64)]))
    arms = np.concatenate([group, np.full(len(outcomes), size, dtype=np.int64)])
    return replace(
        repeated,
        groups=tuple(names),
        group=arms,
        terms=tuple(names),
        term_group=np.arange(size, dtype=np.int64),
        term=np.where(arms < size, arms, -1),
        concepts=(),
        lexemes=(),
        pos=(),
    )


def whole_set(groups: Sequence[str]) -> FloatArray:
    """Every row of the set once, those without a term as well."""
    return np.hstack([np.zeros((len(groups), len(groups))), np.ones((len(groups), 1))])


def rows_without(groups: Sequence[str]) -> FloatArray:
    """Every row of the set that does not hold the term: the background of Borkan et al. 2019."""
    return whole_set(groups) - np.eye(len(groups), len(groups) + 1)


@pytest.fixture(scope="module")
def outcomes(shared_data: Path) -> Outcomes:
    """The phrases by the terms they hold, decided at equal error rates."""
    frame = pd.read_csv(shared_data / "dixon" / "scored_phrases.csv")
    texts, score = tuple(frame["phrase"]), frame["score"].to_numpy(dtype=np.float64)
    label = (frame["toxicity"] == "toxic").to_numpy().astype(np.int64)
    nowhere = np.full(len(frame), -1, dtype=np.int64)
    examples = ExampleSet(
        attribute="identity",
        task="toxicity",
        groups=(),
        terms=(),
        term_group=np.zeros(0, dtype=np.int64),
        sources=(),
        source=nowhere,
        group=nowhere,
        term=nowhere,
        classes=CLASSES,
        label=label,
        texts=ListedTexts(texts),
    )
    threshold, _ = equal_error_rate(score, label, grid=101)
    predicted = Predictions.from_probabilities(np.column_stack([1 - score, score]), CLASSES)
    whole = reduce_to_outcomes(examples, decide(predicted, threshold, task="toxicity"))
    names = list(GOLDEN["terms"])
    return by_contained_term(whole, names, mentioned_terms(texts, names))


def test_phrases_hold_several_terms_or_none(outcomes: Outcomes) -> None:
    n = np.bincount(outcomes.group)
    assert n[:-1].tolist() == [term["n"] for term in GOLDEN["terms"].values()]
    assert n[-1] == GOLDEN["n"] < n[:-1].sum()


def test_the_error_rates_of_every_term_and_the_equality_differences(outcomes: Outcomes) -> None:
    for score, key, name in ((false_positive_rate, "fpr", "fped"), (false_negative_rate, "fnr", "fned")):
        every = group_scores(score, outcomes, np.eye(len(outcomes.groups) + 1))[:, 1]
        rates = [term[key] for term in GOLDEN["terms"].values()] + [GOLDEN[key]]
        np.testing.assert_allclose(every, rates, rtol=0, atol=1e-9)
        found = toxic(replace(METRICS[name], background=whole_set), outcomes)
        expected = {term: abs(figures[key] - GOLDEN[key]) for term, figures in GOLDEN["terms"].items()}
        assert found == pytest.approx({**expected, "*": GOLDEN[name]}, rel=0, abs=1e-9)


SIDES: dict[str, tuple[str, tuple[bool, int], tuple[bool, int]]] = {
    "subgroup_auc": ("subgroup_auc", (True, 1), (True, 0)),
    "bpsn_auc": ("bpsn", (False, 1), (True, 0)),
    "bnsp_auc": ("bnsp", (True, 1), (False, 0)),
    "negative_aeg": ("negative_aeg", (True, 0), (False, 0)),
    "positive_aeg": ("positive_aeg", (True, 1), (False, 1)),
}


def toxic(metric: Metric, outcomes: Outcomes) -> dict[str, float]:
    return {row["left"]: row["value"] for row in compute(metric, outcomes).rows() if row["class"] == "toxic"}


@pytest.mark.parametrize("name", SIDES)
def test_areas_and_equality_gaps_of_every_term(outcomes: Outcomes, name: str, shared_data: Path) -> None:
    """Against all phrases without the term: scikit-learn's, and the figures but for ties.

    The figures are of scores with more digits than the file has. Rounding keeps the order, so that they can differ by
    half of the pairs that are tied in the file, and by nothing else.
    """
    key, first, second = SIDES[name]
    found = toxic(replace(METRICS[name], background=METRICS[name].background and rows_without), outcomes)
    whole = np.flatnonzero(outcomes.group == len(outcomes.groups))
    score, label = outcomes.units.probability[whole, 1], outcomes.units.label[whole]
    texts = tuple(pd.read_csv(shared_data / "dixon" / "scored_phrases.csv")["phrase"])
    held = mentioned_terms(texts, outcomes.groups)
    shift = 0.5 if name.endswith("aeg") else 0.0
    for t, term in enumerate(outcomes.groups):
        x, y = (score[(held[:, t] == own) & (label == gold)] for own, gold in (first, second))
        oracle = roc_auc_score(np.repeat([1, 0], [len(x), len(y)]), np.concatenate([x, y]))
        assert found[term] == pytest.approx(oracle - shift, rel=0, abs=1e-12)
        y = np.sort(y)
        tied = (np.searchsorted(y, x, "right") - np.searchsorted(y, x, "left")).sum() / len(x) / len(y)
        assert abs(found[term] - GOLDEN["terms"][term][key]) <= tied / 2 + 1e-9


def test_pinned_areas_and_the_equality_differences_of_areas(outcomes: Outcomes) -> None:
    """But for tied pairs, as above: at most 3e-8 here."""
    for background, key in ((rows_without, "pinned_auc_weighted_bg"), (whole_set, "pinned_auc_weighted_D")):
        found = toxic(replace(METRICS["pinned_auc"], background=background), outcomes)
        expected = {term: figures[key] for term, figures in GOLDEN["terms"].items()}
        assert found == pytest.approx(expected, rel=0, abs=3e-8)
    apart = sum(abs(term["subgroup_auc"] - GOLDEN["overall_auc"]) for term in GOLDEN["terms"].values())
    for name, value, within in (
        ("pinned_auc_equality_difference", GOLDEN["pinned_auc_ed_weighted_D"], 1e-6),
        ("auc_equality_difference", apart, 1e-9),
    ):
        total = compute(replace(METRICS[name], background=whole_set), outcomes).total
        assert total[1] == pytest.approx(value, rel=0, abs=within)

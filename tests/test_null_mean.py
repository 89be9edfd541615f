"""Null means: against the metric computed anew of relabelled rows, by hand, and over all assignments."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from build_outcomes import THREE, Row, outcomes_of, permuted_both_ways, random_rows
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.backgrounds import everyone_else
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.statistics.null_mean import draw_assignments, null_means, why_no_null_mean


def tagged_outcomes() -> Outcomes:
    """A tagger that finds long names only, sentences of nine words."""
    suite = fc.Suite.build("names", task="ner", max_terms=3, templates=["ner-0*"])

    def predicted(texts: list[str]) -> list[list[dict[str, object]]]:
        found = [[(a, b) for a, b in fc.words(text) if text[a].isupper() and b - a > 4] for text in texts]
        return [[{"start": a, "end": b, "label": "PER"} for a, b in spans] for spans in found]

    predictions = fc.load_model(predicted, task="ner", classes=["PER", "LOC", "ORG"]).predict(suite.texts())
    return reduce_to_outcomes(suite.parts[0].examples, predictions)


def several_rows(seed: int) -> Outcomes:
    """One to three rows a term and source, with weights."""
    generator = np.random.default_rng(seed)
    rows = random_rows(seed, classes=THREE, weights=True, missing=0.2)
    more = [row.but(p=tuple(generator.dirichlet(np.ones(3)))) for row in rows for _ in range(generator.integers(1, 4))]
    return outcomes_of(more, classes=THREE)


SETS = {
    "two classes": lambda: outcomes_of(random_rows(1)),
    "three classes, ties, unlabelled": lambda: outcomes_of(
        random_rows(2, classes=THREE, ties=True, unlabelled=2, sources=12), classes=THREE
    ),
    "missing groups": lambda: outcomes_of(random_rows(3, missing=0.3)),
    "two groups": lambda: outcomes_of(random_rows(5, groups=("ash", "birch")), ("ash", "birch")),
    "a tagger": tagged_outcomes,
    "several rows a term, weights": lambda: several_rows(31),
}


@pytest.fixture(scope="module", params=SETS, ids=list(SETS))
def outcomes(request: pytest.FixtureRequest) -> Outcomes:
    return SETS[request.param]()


def both_ways(outcomes: Outcomes, metric: Metric, options: Options | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The values from the engine, and the metric of relabelled rows."""
    return permuted_both_ways(metric, outcomes, options, draws=4, seed=5)


@sweep("name", list(METRICS))
def test_assignments_are_the_metric_of_relabelled_rows(
    outcomes: Outcomes, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairness_checklist.metrics.closed_forms._CHUNK", 100)
    monkeypatch.setattr("fairness_checklist.metrics.group_kernels._CHUNK", 50)
    monkeypatch.setattr("fairness_checklist.statistics.null_mean._CHUNK", 500)
    if np.isnan(compute(name, outcomes).value).all() and name not in ("fpr_ratio", "fnr_ratio"):
        return  # nothing of the kind is known of these outcomes
    np.testing.assert_allclose(*both_ways(outcomes, METRICS[name]), atol=1e-12)


@sweep("background", ["everyone", "everyone_else", "everyone_balanced", "unmarked", "group:birch"])
@sweep("name", ["fnr_gap", "avg_gf", "avg_eg", "pinned_auc", "independence", "pi_metric"])
def test_other_backgrounds(name: str, background: str) -> None:
    outcomes = outcomes_of(random_rows(32, classes=THREE, missing=0.2, weights=True), classes=THREE)
    found, expected = both_ways(outcomes, METRICS[name], Options(background=background))
    assert not np.isnan(expected).all() or name == "independence"
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_means_and_rates_inside_sources_of_ones_own_families() -> None:
    outcomes = outcomes_of(random_rows(33, missing=0.3))
    metric = METRICS["avg_score_difference"]
    for changed in (
        replace(metric, score=scores.true_positive_rate, compare=comparisons.abs_diff),
        replace(metric, family="multigroup", compare=comparisons.score_range, normalise=None),
        replace(metric, family="background", background=everyone_else, normalise=None),
    ):
        np.testing.assert_allclose(*both_ways(outcomes, changed), atol=1e-12)


def test_drawn_assignments_keep_the_sizes_and_come_from_the_seed() -> None:
    group = np.arange(60) % 7
    first, again, other = (draw_assignments(group, 50, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(np.sort(first, axis=1), np.tile(np.sort(group), (50, 1)))
    with pytest.raises(fc.errors.OptionError, match=r"draws=0 is not a number of assignments: it must be 1 or more\."):
        draw_assignments(np.array([0, 1]), 0)
    assigned = draw_assignments(np.array([0, 1, 0, 2]), 12)
    assert len({tuple(row) for row in assigned.tolist()}) == 12 == len(assigned)
    assert all(Counter(row) == {0: 2, 1: 1, 2: 1} for row in assigned.tolist())


def four_terms() -> Outcomes:
    """Two groups of two terms each; true positive rates 0, 0 against 1, 1 over two sources."""
    rows = []
    for s in ("s1", "s2"):
        for group, term, right in (("a", "x", 0), ("a", "y", 0), ("b", "u", 1), ("b", "v", 1)):
            p = (0.2, 0.8) if right else (0.8, 0.2)
            rows.append(Row(group, p, "positive", source=s, term=term))
    return outcomes_of(rows, ("a", "b"))


@sweep("name", ["tpr_gap", "changed_answers"])
def test_four_terms_by_hand(name: str) -> None:
    # the six ways to split four terms in two pairs: both groups apart in two of them; alike, or half apart, in four
    found = null_means(compute(name, four_terms()), four_terms(), draws=100)
    expected = (2 * 1 + 4 * (0 if name == "tpr_gap" else 0.5)) / 6
    assert found["positive", "a", "b"] == found["positive", "*", ""] == pytest.approx(expected)


def test_what_is_undefined_has_no_null_mean() -> None:
    rows = [row for row in random_rows(7, sources=4) if not (row.group == "ash" and row.label == "positive")]
    outcomes = outcomes_of(rows)
    result = compute("tpr_gap", outcomes)
    found = null_means(result, outcomes, draws=50)
    of_rows = {(row["class"], row["left"], row["right"]): np.isnan(row["value"]) for row in result.rows()}
    assert {key: np.isnan(mean) for key, mean in found.items()} == of_rows
    assert 0 < sum(of_rows.values()) < len(of_rows)


def test_why_there_is_none() -> None:
    rows = random_rows(6, control=False)
    assert why_no_null_mean(outcomes_of(rows)) == ""
    assert why_no_null_mean(outcomes_of([row.but(term="") for row in rows])) == "rows without a term"
    single = [row for row in rows if row.term == "ash-1"]
    assert why_no_null_mean(outcomes_of(single)) == "fewer than two terms"
    crossed = replace(outcomes_of(rows), intersection=("trees", "age"))
    assert why_no_null_mean(crossed).startswith("pairs of terms share their words")


def test_a_run_has_them_for_unsigned_primary_metrics() -> None:
    from build_outcomes import example_sets

    sets = example_sets(random_rows(21, classes=THREE, sources=12), classes=THREE)
    primary = ("tpr_gap", "fnr_gap", "avg_if")
    metrics = evaluate_sets([sets], RunOptions(primary=primary, draws=25)).metrics
    assert set(metrics[metrics["null_mean"].notna()]["metric"]) == {"tpr_gap", "avg_if"}
    assert metrics.loc[metrics["metric"] == "tpr_gap", "null_mean"].notna().all()
    without = evaluate_sets([sets], RunOptions(primary=primary, draws=0)).metrics
    assert without["null_mean"].isna().all()
    assert without["value"].equals(metrics["value"])

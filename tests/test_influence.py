"""Influences are derivatives: each is compared with what a small change of the weights does to the metric."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from simulation import GAP, crossed, simulated, weighted
from sweep import sweep

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.outcomes import Outcomes, kinds_of_decisions
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.backgrounds import unmarked
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import missing
from fairness_checklist.metrics.metric_forms import METRICS, Metric
from fairness_checklist.statistics.clusters import clusters_of
from fairness_checklist.statistics.influence import influence_parts, left_out_parts
from fairness_checklist.statistics.influence_scores import sides_of
from fairness_checklist.statistics.subsets import as_computed

STEP = 1e-6
ROUGH = {"pert_sd": "the root of the expected variance is used instead of the deviation"}
LEFT_OUT = {
    name: "by leaving out, not by a derivative"
    for name, metric in METRICS.items()
    if scores.about(metric.score).kind == "ranking" and metric.family == "multigroup"
}


@cache
def outcomes_of(classes: int) -> Outcomes:
    """Crossed rows, some missing, some weights, a control."""
    random = np.random.default_rng(11)
    whole = simulated(random, templates=9, terms=3, classes=classes)
    kept = random.random(len(whole)) > 0.15
    control = np.arange(9)
    units = whole.units
    assert units is not None
    last = random.dirichlet(np.ones(classes), size=9)
    made = crossed(
        np.concatenate([units.probability[kept], last]),
        np.concatenate([units.label[kept], control % classes]),
        np.concatenate([whole.source[kept], control]),
        np.concatenate([whole.group[kept], np.full(9, len(GAP))]),
        np.concatenate([whole.term[kept], np.full(9, -1)]),
        len(GAP),
    )
    return replace(made, weight=random.choice([0.5, 1.0, 2.0], size=len(made)))


def influences(metric: Metric, outcomes: Outcomes) -> tuple[FloatArray, FloatArray]:
    """(J, P, K) of templates and (T, P, K) of terms."""
    clusters = clusters_of(outcomes)
    computed = as_computed(compute(metric, outcomes), outcomes)
    found = list(influence_parts(computed, clusters, sides_of(metric, outcomes, clusters)))
    template = np.concatenate([part.template for part in found], axis=1)
    cell = np.concatenate([part.cell for part in found], axis=1)
    return template, clusters.in_terms(cell)


def moved(metric: Metric, outcomes: Outcomes, inside: FloatArray) -> FloatArray:
    """(P, K) the change of the contrasts with the weight of some rows."""
    up, down = (
        compute(metric, weighted(outcomes, outcomes.weight * np.where(inside, 1 + s, 1.0))).value for s in (STEP, -STEP)
    )
    return np.nan_to_num((up - down) / (2 * STEP))


def group_metrics() -> list[str]:
    return [name for name, metric in METRICS.items() if metric.level == "group" and name not in LEFT_OUT]


@sweep("name", group_metrics())
@sweep("classes", [2, 3])
def test_group_metrics_move_with_templates_and_terms_as_their_influence_predicts(name: str, classes: int) -> None:
    outcomes, metric = outcomes_of(classes), METRICS[name]
    if missing(metric.score, outcomes):
        pytest.skip(missing(metric.score, outcomes))
    if metric.background is not None and metric.background.__name__ == "everyone_balanced":
        pytest.skip("its shares are taken as fixed")
    template, term = influences(metric, outcomes)
    for j in range(0, len(template), 4):
        np.testing.assert_allclose(template[j], moved(metric, outcomes, outcomes.source == j), atol=2e-5)
    for t in range(0, len(term), 4):
        of_term = outcomes.term == clusters_of(outcomes).terms[t]
        np.testing.assert_allclose(term[t], moved(metric, outcomes, of_term), atol=2e-5)


@pytest.mark.parametrize(
    "name", [name for name, metric in METRICS.items() if metric.level == "counterfactual" and name not in ROUGH]
)
def test_counterfactual_metrics_move_with_terms_as_their_influence_predicts(name: str) -> None:
    outcomes, metric = outcomes_of(3), METRICS[name]
    if compute(metric, outcomes).by_source is None:
        pytest.skip("this metric has no values by source: its terms are left out in turn")
    clusters = clusters_of(outcomes)
    if metric.family == "background" and metric.background is not unmarked:
        pytest.skip("its terms are left out in turn")
    _template, term = influences(metric, outcomes)
    for t in range(clusters.n_terms):
        expected = moved(metric, outcomes, outcomes.term == clusters.terms[t])
        np.testing.assert_allclose(term[t], expected, atol=2e-5)


def test_the_deviations_influence_is_near_its_derivative() -> None:
    outcomes, metric = outcomes_of(3), METRICS["pert_sd"]
    _template, term = influences(metric, outcomes)
    expected = np.array([moved(metric, outcomes, outcomes.term == t) for t in clusters_of(outcomes).terms])
    assert np.corrcoef(term.ravel(), expected.ravel())[0, 1] > 0.97
    assert 0.8 < np.linalg.norm(term) / np.linalg.norm(expected) < 1.25


def test_a_sources_influence_is_its_distance_from_the_mean_over_sources() -> None:
    outcomes = outcomes_of(3)
    result = compute("cf_gap", outcomes)
    template, _term = influences(METRICS["cf_gap"], outcomes)
    assert result.by_source is not None
    np.testing.assert_allclose(template, (result.by_source - result.value) / len(outcomes.sources), atol=1e-12)


def test_rewordings_are_one_cluster_with_their_template() -> None:
    outcomes = outcomes_of(3)
    sources = [replace(s, paraphrase_of="t0") if s.template in ("t3", "t6") else s for s in outcomes.sources]
    clusters = clusters_of(replace(outcomes, sources=tuple(sources)))
    assert clusters.n_templates == len(sources) - 2
    assert clusters.of_source[0] == clusters.of_source[3] == clusters.of_source[6]


def test_a_rewording_of_a_rewording_is_in_the_same_cluster() -> None:
    outcomes = outcomes_of(3)
    of = {"t3": "t0", "t6": "t3", "t7": "t6"}
    sources = [replace(s, paraphrase_of=of.get(s.template, "")) for s in outcomes.sources]
    clusters = clusters_of(replace(outcomes, sources=tuple(sources)))
    assert clusters.n_templates == len(sources) - 3
    assert len({clusters.of_source[at] for at in (0, 3, 6, 7)}) == 1


def test_strata_of_one_template_are_joined() -> None:
    outcomes = outcomes_of(3)
    gold = np.where(outcomes.source < 7, 0, outcomes.source - 6)
    changed = replace(outcomes, **kinds_of_decisions(gold, gold, outcomes.gold.shape[1]))
    assert clusters_of(changed).stratum.tolist() == [1] * 7 + [0] * 2


def test_leaving_out_comes_near_the_derivative_for_a_metric_of_ones_own() -> None:
    outcomes, metric = outcomes_of(3), METRICS["fnr_gap"]
    clusters = clusters_of(outcomes)
    (part,) = left_out_parts(as_computed(compute(metric, outcomes), outcomes), clusters)
    template, term = influences(metric, outcomes)
    assert np.corrcoef(part.template.ravel(), template.ravel())[0, 1] > 0.9
    assert np.corrcoef(clusters.in_terms(part.cell).ravel(), term.ravel())[0, 1] > 0.85


def test_every_comparison_of_distributions_has_an_influence() -> None:
    kinds = {metric.compare for metric in METRICS.values() if comparisons.about(metric.compare).kind == "distribution"}
    assert kinds >= {comparisons.wasserstein_1, comparisons.average_equality_gap}

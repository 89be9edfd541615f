"""A metric's card: complete for every metric, true of the values, and for metrics of one's own."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from build_outcomes import BINARY, Row, outcomes_of, random_rows
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.cards import MetricCard, card
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.definitions import Range, definition
from fairness_checklist.metrics.metric_forms import (
    METRICS,
    Metric,
    background_metric,
    multigroup_metric,
    pairwise_metric,
)

NAMES = ("ash", "birch", "cedar", "dogwood", "elm")
SURE = ((1.0, 0.0), (0.0, 1.0))


def extremes(groups: tuple[str, ...], by_label: int) -> list[Row]:
    """Every other group gets one answer, the rest the other one; by label they are right or wrong."""
    return [
        Row(group, SURE[(g + s * by_label) % 2], label, source=f"s{s}", las=float(g % 2))
        for s, label in enumerate(BINARY)
        for g, group in enumerate(groups)
    ]


@cache
def many_outcomes(groups: tuple[str, ...]) -> list[Outcomes]:
    many = [
        *(random_rows(seed, groups=groups, ties=True, missing=0.2) for seed in range(3)),
        *(random_rows(seed, groups=groups, sources=3, weights=seed > 2) for seed in range(4)),
        extremes(groups, 0),
        extremes(groups, 1),
    ]
    return [outcomes_of(rows, groups) for rows in many]


@sweep("name", METRICS)
def test_every_registered_metric_has_a_complete_card(name: str) -> None:
    found = fc.metrics[name].card()

    assert isinstance(found, MetricCard)
    assert found == card(name) == card(METRICS[name])
    assert found.value_range.known
    assert (found.total_range is None) == (not METRICS[name].has_total)
    assert found.total_range is None or found.total_range.known
    reported = dict(found.rows())
    assert [heading for heading in reported if heading] == [
        *("question", "form", "definition", "paper", "range", "no bias", "needs", "comparable")
    ]
    assert all(reported.values())
    assert "not given" not in reported.values()
    unknown = definition_of_nothing_known(METRICS[name])
    assert found.definition != unknown  # its score and comparison are written in symbols
    assert json.loads(json.dumps(found.record(), allow_nan=False))["id"] == name


def definition_of_nothing_known(metric: Metric) -> str:
    """What the definition would be if the score and the comparison had no symbols."""

    def score(*values: object) -> None: ...
    def compare(*values: object) -> None: ...

    score.__name__, compare.__name__ = metric.score.__name__, metric.compare.__name__
    known = {f: getattr(metric, f) for f in metric.__dataclass_fields__}
    plain = definition(Metric(**{**known, "score": score, "compare": compare}))
    assert metric.compare.__name__.replace("_", " ") in plain
    assert metric.compare.__name__.replace("_", " ") not in definition(metric)
    return plain


@sweep("groups", [NAMES[:2], NAMES[:3], NAMES])
@sweep("name", METRICS)
def test_values_and_totals_stay_in_the_range_that_is_reported(name: str, groups: tuple[str, ...]) -> None:
    reported, reached = card(name), []
    low, high = reported.value_range.of(len(groups))
    for outcomes in many_outcomes(groups):
        result = compute(name, outcomes)
        inside = result.value[~np.isnan(result.value)]
        assert ((low <= inside) & (inside <= high)).all()
        reached += inside.tolist()
        if result.total is not None and reported.total_range is not None:
            total_low, total_high = reported.total_range.of(len(groups))
            totals = result.total[~np.isnan(result.total)]
            assert ((total_low <= totals) & (totals <= total_high)).all()
    assert max(map(abs, reached)) >= min(high, 1) / 4  # the range is not just wide
    if not reported.signed and reported.no_bias == 0:
        assert low == 0


def test_the_sum_over_pairs_by_groups_reaches_a_quarter_of_the_number_of_groups() -> None:
    for size in (2, 4):
        groups = NAMES[:size]
        rows = [row for row in extremes(groups, 1) if row.label == "positive"]
        result = compute("disparity_score", outcomes_of(rows, groups))
        reported = card("disparity_score").total_range
        assert result.total is not None
        assert reported is not None
        assert result.total[1] == reported.of(size)[1] == size / 4


def test_the_ranges_of_taggers_are_reported_where_they_are_others() -> None:
    assert dict(card("parity_gap").rows())["range"] == "[0, 1]; of a tagger [0, inf)"
    assert card("fnr_gap").of_taggers == (card("fnr_gap").value_range, None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fped", "sum over groups g of |FPR(everyone) - FPR(g)|"),
        ("fped_normalised", "mean over groups g of |FPR(everyone) - FPR(g)|"),
        ("fpr_ratio", "for each group g: FPR(g) / FPR(everyone else)"),
        ("avg_gf", "mean over groups g of W1({p(c) of everyone}, {p(c) of g})"),
        ("disparity_score", "(sum over pairs g, h of |F1(g) - F1(h)|) / number of groups"),
        ("tpr_difference", "for each pair g, h: TPR(g) - TPR(h); a total for two groups only"),
        ("bpsn_auc", "for each group g: AUC(c in everyone else over not c in g)"),
        ("fpr_range", "largest less smallest over groups g of FPR(g)"),
        ("cf_gap", "mean over sources x of the mean over pairs g, h of |p(c) of x with g - p(c) of x with h|"),
        (
            "equalized_odds_difference",
            "larger of (largest less smallest over groups g of FPR(g); largest less smallest over groups g of TPR(g))",
        ),
    ],
)
def test_a_definition_explains_what_is_computed(name: str, expected: str) -> None:
    assert card(name).definition == expected


def test_what_a_metric_needs_is_what_its_scores_need() -> None:
    assert card("fped").needs == (
        *("two groups or more", "gold labels", "decisions", "true negatives: a classifier, no tagger"),
    )
    assert "a model of two classes" in card("pos_avg_eg").needs
    assert "a column score:las" in card("las_difference").needs
    assert "sources: the same sentence with each group" in card("avg_if").needs
    assert "gold labels" not in card("avg_if").needs
    for name, metric in METRICS.items():
        assert ("gold labels" in card(name).needs) == scores.about(metric.score).needs_labels


def test_what_a_metric_may_be_compared_with() -> None:
    reported = "; ".join(card("fped").comparable)
    assert "another aspect: fned;" in reported
    assert "grows with their number (N = 1); fped_normalised does not" in reported
    assert "null mean" in reported
    assert "above 0 means that the group scores higher" in "; ".join(card("fnr_gap").comparable)
    assert "two small scores" in "; ".join(card("fpr_ratio").comparable)
    assert "1 is a perfect ranking" in "; ".join(card("subgroup_auc").comparable)
    assert (card("fpr_ratio").no_bias, card("subgroup_auc").no_bias) == (1, None)


def test_the_card_in_a_terminal_and_in_a_notebook() -> None:
    found = fc.metrics["fped"].card()

    assert repr(found) == str(found)
    assert str(found).splitlines()[:2] == [
        "fped",
        "  question    How much more or less often are examples of the group falsely assigned to a class, against all",
    ]
    assert max(map(len, str(found).splitlines())) <= 108
    html = found._repr_html_()
    assert html.startswith("<table><caption><b>fped</b></caption>")
    assert "&#x27;" in fc.metrics["subgroup_auc"]._repr_html_()


def test_an_unknown_id_gives_the_error_of_the_catalogue() -> None:
    with pytest.raises(OptionError) as caught:
        fc.metrics["fpde"]
    assert str(caught.value) == "the metric 'fpde' is not known.\n    Did you mean fped?"
    assert "fped" in fc.metrics
    assert "fpde" not in fc.metrics
    assert list(fc.metrics) == list(METRICS)


# a metric of one's own


def unlike(x: object, y: object) -> None: ...


def hits_a_miss(counts: object) -> None: ...


@pytest.fixture
def own() -> Iterator[list[Metric]]:
    made = [
        pairwise_metric("own_gap", score=scores.prediction_rate, compare=comparisons.abs_diff),
        background_metric("own_gap_to_one", score=hits_a_miss, compare=unlike, background=fc_one_group()),  # type: ignore[arg-type]
        multigroup_metric("own_range", score=hits_a_miss, compare=comparisons.score_range),  # type: ignore[arg-type]
    ]
    yield made
    for metric in made:
        METRICS.remove(metric.name)


def fc_one_group() -> object:
    from fairness_checklist.metrics.backgrounds import one_group

    return one_group("ash")


def test_a_metric_of_ones_own_has_a_card_from_its_record(own: list[Metric]) -> None:
    known, of_own, at_once = (fc.metrics[metric.name].card() for metric in own)

    assert (known.question, known.paper) == ("", "")
    assert dict(known.rows())["question"] == "not given"
    assert str(known.value_range) == "[0, 1]"
    assert known.definition == "mean over pairs g, h of |share of g predicted c - share of h predicted c|"
    assert of_own.definition == "mean over groups g of unlike(hits a miss(group:ash), hits a miss(g))"
    assert not of_own.value_range.known
    assert "unknown: the score or comparison is user-defined" in str(of_own)
    assert at_once.definition == "largest less smallest over groups g of hits a miss(g)"
    assert math.isnan(at_once.value_range.high)
    assert "own_gap" in "; ".join(card("parity_gap").comparable)


def test_a_range_is_written_with_its_groups() -> None:
    assert str(Range(-1, 1, by_groups=True)) == "[-G, G] for G groups"
    assert Range(-1, 1, by_groups=True).of(3) == (-3, 3)
    assert str(Range(-math.inf, math.inf)) == "(-inf, inf)"

"""A tagger that makes no mistake shows no bias, whatever the templates, terms and groups; one that errs, its errors."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from build_tagger import expanded, people, places, shipped_templates, shipped_terms, tagger
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.terms import TermList
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS

VIEWS = ("", "slot", "context")
TEMPLATES = shipped_templates()
TERMS = {
    "nationality": shipped_terms("nationality"),
    "names": shipped_terms("names"),
    "long names": people(all=["Ana", "Mary Ann", "Jean-Luc Picot", "O'Brien", "Ana Maria Silva", "Maria dos Santos"]),
}
SLOT = {"nationality": "country", "names": "person", "long names": "person"}


@st.composite
def examples_of(draw: st.DrawFn) -> ExampleSet:
    """Some of the shipped templates filled with some terms, in two to five groups drawn at random."""
    name = draw(st.sampled_from(list(TERMS)))
    fitting = [template for template in TEMPLATES if SLOT[name] in template.text.lower()]
    templates = draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=4, unique_by=lambda t: t.id))
    terms = draw(st.lists(st.sampled_from(TERMS[name].terms), min_size=3, max_size=6, unique_by=lambda t: t.term))
    size = draw(st.integers(2, min(5, len(terms))))
    drawn = draw(st.lists(st.integers(0, size - 1), min_size=len(terms) - size, max_size=len(terms) - size))
    groups = draw(st.permutations([*range(size), *drawn]))
    grouped = tuple(replace(term, group=f"g{group}") for term, group in zip(terms, groups, strict=True))
    return expand(templates, TermList(name, grouped), task="ner").examples


def assert_no_bias(outcomes: Outcomes, view: str) -> set[str]:
    """No metric has another value than that of no bias; gives the names of those that have one."""
    defined = set()
    for name, metric in METRICS.items():
        result = compute(name, outcomes.view(view))
        no_bias = comparisons.about(metric.compare).no_bias
        for p, k in np.ndindex(*result.value.shape):
            if math.isnan(result.value[p, k]):
                assert result.reasons[p, k] != ""
                assert name not in ASKING or result.reasons[p, k] == "spans have no true negatives"
            else:
                assert abs(result.value[p, k] - no_bias) < 1e-12, (name, view, result.left[p], result.classes[k])
                defined.add(name)
        for row in result.rows():
            if row["left"] == "*":
                assert math.isnan(row["value"]) or abs(row["value"] - no_bias) < 1e-12, (name, view)
            assert not math.isnan(row["value"]) or row["note"] != ""
    return defined


ASKING = {name for name, metric in METRICS.items() if scores.about(metric.score).needs_true_negatives}
UNDEFINED = ASKING | {"las_difference", "pos_avg_eg", "neg_avg_eg", "fnr_ratio"}

AREAS = {name for name, metric in METRICS.items() if scores.about(metric.score).kind == "ranking"}  # of two types
FROM_CONTROL = {"cf_gap_unmarked", "pert_ss_unmarked"}  # of templates that have a control


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(examples=examples_of(), sure=st.sampled_from([1.0, 0.9, 0.83, 0.7]))
def test_a_perfect_tagger_shows_no_bias(examples: ExampleSet, sure: float) -> None:
    outcomes = reduce_to_outcomes(examples, tagger(examples, sure=sure))
    assert outcomes.notes == ()
    assert {"fped", "fped_normalised", "fpr_gap", "fpr_ratio", "tnr_gap", "accuracy_gap"} <= ASKING
    for view in VIEWS:
        defined = assert_no_bias(outcomes, view)
        sometimes = AREAS | FROM_CONTROL
        assert defined - sometimes == METRICS.keys() - UNDEFINED - sometimes
        assert view == "slot" or defined >= AREAS
    for check in (Invariance().run(outcomes), MinimumFunctionality().run(outcomes)):
        assert (check.fails, check.pair_fails, check.reference_fails) == (0, 0, 0)
        assert check.cases > 0
    assert Invariance(tolerance=0.0).run(outcomes).fails == 0


def figures(name: str, outcomes: Outcomes, kind: str) -> dict[tuple[str, str], Any]:
    return {
        (row["left"], row["right"]): pytest.approx(row["value"], abs=1e-12, nan_ok=True)
        for row in compute(name, outcomes).rows()
        if row["class"] == kind
    }


GAMBIA = places(ash=["the Gambia", "Sri Lanka"], birch=["Mali"], cedar=["Oman", "Cuba"])
TWO = ["{The:country} and [Lima](LOC) met [Ana](PER).", "We saw {the:country}."]


def test_a_tagger_that_misses_one_groups_terms_shows_that_share() -> None:
    """Three gold LOC in each pair of sentences, two of them terms: ash misses 2 of 3, the others none."""
    examples = expanded(TWO, GAMBIA)
    ash = set(np.flatnonzero(examples.group == 0).tolist())
    slots = {row for row in ash if examples.source[row] == 0 or examples.source[row] == 1}
    texts = examples.render()

    def found(row: int, start: int, end: int, kind: str) -> tuple[int, int] | None:
        is_term = kind == "LOC" and not (end - start == 1 and texts[row].split()[start] == "Lima")
        return None if row in slots and is_term else (start, end)

    outcomes = reduce_to_outcomes(examples, tagger(examples, found=found))
    nan = math.nan
    for view, missed in (("", 2 / 3), ("slot", 1.0), ("context", 0.0)):
        seen = outcomes.view(view)
        pooled = missed * 2 / 5  # two of the five terms are of the group
        expected = {"ash": missed - pooled, "birch": pooled, "cedar": pooled, "*": missed - pooled + 2 * pooled}
        assert {left: value for (left, _), value in figures("fned", seen, "LOC").items()} == expected
        expected = {"ash": missed, "birch": -missed / 2, "cedar": -missed * 2 / 3}
        assert {left: value for (left, _), value in figures("fnr_gap", seen, "LOC").items()} == expected
        assert figures("tpr_difference", seen, "LOC")["ash", "birch"] == -missed
        assert figures("fnr_gap", seen, "PER")["ash", "everyone_else"] == (nan if view == "slot" else 0.0)
    assert figures("parity_gap", outcomes, "LOC")["ash", "birch"] == 1.0  # 1.5 against .5 places a sentence
    check = MinimumFunctionality().run(outcomes)
    assert [(one.pairs, one.fails) for one in check.by_group] == [(4, 4), (2, 0), (4, 0)]
    assert check.note == "in 6 of 10 sentences the term itself is found whole"


def test_a_term_found_in_part_is_missed_and_falsely_found() -> None:
    names = people(ash=["Ana Maria", "Ana"], birch=["Jo", "Ben"])
    examples = expanded("{Person} met [Lee Ray](PER) in [Lima](LOC).", names)
    first = tagger(examples, found=lambda row, start, end, kind: (start, start + 1 if start == 0 else end))
    outcomes = reduce_to_outcomes(examples, first)
    per = outcomes.decided_classes.index("PER")
    counts = outcomes.row_counts
    each = (counts.true_positive, counts.false_negative, counts.false_positive)
    assert [count[:, per].tolist() for count in each] == [[1, 2, 2, 2], [1, 0, 0, 0], [1, 0, 0, 0]]
    assert outcomes.all_correct.tolist() == [False, True, True, True]
    assert outcomes.views["slot"].decisions.value.tolist() == [len(outcomes.classes), per, per, per]
    assert figures("fnr_gap", outcomes.views["slot"], "PER")["ash", "everyone_else"] == 0.5
    assert figures("fnr_gap", outcomes.views["context"], "PER")["ash", "everyone_else"] == 0
    assert figures("f1_difference", outcomes, "PER")["ash", "birch"] == 2 * 3 / (2 * 3 + 1 + 1) - 1
    found = Invariance().run(outcomes)
    assert (found.reference_pairs, found.reference_fails) == (3, 3)  # the reference is the one found in part
    assert (found.pairs, found.pair_fails) == (4, 2)

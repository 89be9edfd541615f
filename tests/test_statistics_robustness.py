"""Templates and terms left out, rewordings, halves of the sources: against recomputation and made-up cases."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
import pytest
from build_outcomes import GROUPS, THREE, Row, independent_rows, outcomes_of, random_rows
from sweep import sweep

from fairness_checklist.core.errors import TemplateError
from fairness_checklist.core.outcomes import Outcomes, select_rows
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.statistics.robustness import (
    directed,
    families,
    influence,
    rewordings,
    template_blocks,
    unstable,
)
from fairness_checklist.statistics.subsets import (
    as_computed,
    contrast_rows,
    group_values,
    has_quick_subsets,
    values_of_subsets,
)

PAIR = ("ash", "birch")
ASH = ("positive", "ash", "everyone_else")
Wrong = Collection[tuple[int, str, int]]


def made(wrong: Wrong, *, sources: int = 6, terms: int = 3, paraphrases: Mapping[int, int] | None = None) -> Outcomes:
    """Positive sentences s0, s1, ... about two groups; those named in ``wrong`` (source, group, term) are missed."""
    rows = [
        Row(group, (0.9, 0.1) if (s, group, t) in wrong else (0.1, 0.9), "positive", "", f"s{s}", f"{group}-{t}")
        for s in range(sources)
        for group in PAIR
        for t in range(terms)
    ]
    return reworded(outcomes_of(rows, PAIR), paraphrases or {})


def reworded(outcomes: Outcomes, paraphrases: Mapping[int, int]) -> Outcomes:
    """The outcomes in which source i rewords source ``paraphrases[i]``."""
    sources = tuple(
        replace(source, paraphrase_of=outcomes.sources[paraphrases[at]].template) if at in paraphrases else source
        for at, source in enumerate(outcomes.sources)
    )
    return replace(outcomes, sources=sources)


def templates_of_two(outcomes: Outcomes) -> Outcomes:
    """The outcomes in which two sources in a row share a template."""
    sources = tuple(replace(source, template=f"t{at // 2}") for at, source in enumerate(outcomes.sources))
    return replace(outcomes, sources=sources)


def output(wrong: Wrong, paraphrases: Mapping[int, int] | None = None, sources: int = 6) -> str:
    """What is unstable about the gap of the first group."""
    outcomes = made(wrong, paraphrases=paraphrases, sources=sources)
    return unstable(compute("fnr_gap", outcomes), outcomes).get(ASH, "")


# What is unstable


OF_ASH, OF_EVERY = [(0, "ash", t) for t in range(3)], [(s, "ash", 0) for s in range(6)]


@pytest.mark.parametrize(
    ("wrong", "paraphrases", "expected"),
    [
        (OF_ASH, {}, "unstable: rests on template s0"),
        (OF_EVERY, {}, "unstable: rests on the term 'ash-0'"),
        ([*OF_ASH, (1, "birch", 0)], {}, "unstable: without template s0 the sign changes"),
        (
            OF_EVERY + [(s, "birch", s % 3) for s in range(3)],
            {},
            "unstable: without the term 'ash-0' the sign changes",
        ),
        (
            [*OF_ASH, (1, "birch", 0)],
            {1: 0},
            "unstable: without template s0 the sign changes, the rewordings say the opposite",
        ),
        ([(s, "ash", s % 3) for s in range(6)], {3: 0, 4: 1, 5: 2}, ""),
    ],
)
def test_what_makes_a_gap_unstable(wrong: Wrong, paraphrases: Mapping[int, int], expected: str) -> None:
    assert output(wrong, paraphrases) == expected


def test_a_gap_that_turns_round_in_the_rewordings_is_unstable() -> None:
    wrong = [(s, "ash", t) for s in range(6) for t in range(3) if t != s % 3]
    wrong += [(s, "birch", s % 3) for s in range(6, 12)]

    assert output(wrong, sources=12) == ""
    assert output(wrong, {s: s - 6 for s in range(6, 12)}, sources=12) == "unstable: the rewordings say the opposite"


def test_a_gap_of_one_sentence_rests_on_it() -> None:
    outcomes = made([(0, "ash", 0), (0, "ash", 1)], sources=1)

    assert unstable(compute("fnr_gap", outcomes), outcomes)[ASH] == "unstable: rests on template s0"


def test_what_is_hardly_there_is_no_finding() -> None:
    outcomes = made([(0, "ash", t) for t in range(3)])
    result = compute("fnr_gap", outcomes)

    assert unstable(result, outcomes, least=1 / 6)
    assert not unstable(result, outcomes, least=0.17)


@pytest.mark.parametrize("name", ["avg_if", "tpr_gap", "fped", "pert_sr"])
def test_a_distance_that_rests_on_one_template_is_unstable(name: str) -> None:
    rows = [row.but(group="ash" if row.group == "ash" else "birch") for row in _only_in_first(name)]
    outcomes = outcomes_of(rows, PAIR)
    found = unstable(compute(name, outcomes), outcomes)

    assert found
    assert set(found.values()) == {"unstable: rests on template s0"}


def _only_in_first(name: str) -> list[Row]:
    """Two groups that differ in the first sentence alone; for false positives the label is the other one."""
    label = "negative" if name == "fped" else "positive"
    return [
        Row(group, (0.4, 0.6) if s == 0 and group == "ash" else (0.6, 0.4), label, "", f"s{s}", f"{group}-{t}")
        for s in range(4)
        for group in PAIR
        for t in range(2)
    ]


def test_metrics_by_term_leave_no_term_out() -> None:
    outcomes = made([(0, "ash", t) for t in range(3)])
    found = influence(compute("fnr_gap", outcomes, Options(by="term")), outcomes)

    assert (found.terms.names, found.terms.why) == ((), "each term is a group of its own")
    assert found.templates.names == ("s0", "s1", "s2", "s3", "s4", "s5")


def test_what_would_take_minutes_is_not_looked_at() -> None:
    outcomes = made([(0, "ash", 0)])
    found = influence(compute("avg_gf", outcomes), outcomes, most=10)

    assert (found.templates.why, found.terms.why) == ("it would take minutes", "it would take minutes")


@pytest.mark.parametrize("name", ["fnr_gap", "avg_eg", "tpr_gap"])
def test_rows_without_a_source_have_no_template_to_leave_out(name: str) -> None:
    outcomes = outcomes_of(independent_rows(3))
    result = compute(name, outcomes)
    found = influence(result, outcomes)

    assert (found.templates.why, found.terms.why) == ("no row names a template", "no row names a term")
    assert found.templates.value.shape == (0, len(found.sides), len(result.classes))
    assert unstable(result, outcomes) == {}


# Every metric without each template and each term: computed again


WAYS = {
    "two classes": (outcomes_of(random_rows(3, missing=0.1, ties=True, weights=True)), Options()),
    "three classes": (outcomes_of(random_rows(4, classes=THREE, unlabelled=2), classes=THREE), Options()),
    "no group but two": (outcomes_of(random_rows(5, groups=PAIR), PAIR), Options()),
    "all sources": (outcomes_of(random_rows(6)), Options(denominator="all_sources")),
    "balanced": (outcomes_of(random_rows(7, missing=0.2)), Options(background="everyone_balanced")),
    "groups alike": (outcomes_of(random_rows(8, missing=0.2)), Options(weight="group")),
    "a group": (outcomes_of(random_rows(9)), Options(background="group:birch")),
}


WHICH: dict[str, Callable[[Metric], bool]] = {
    "two classes": lambda line: True,
    "three classes": lambda line: line.family != "background",
    "no group but two": lambda line: line.family == "pairwise",
    "all sources": lambda line: line.level == "counterfactual",
    "balanced": lambda line: line.background is not None,
    "groups alike": lambda line: line.background is not None and line.level == "group",
    "a group": lambda line: line.background is not None and line.level == "group",
}


@sweep(("way", "name"), [(way, name) for way, which in WHICH.items() for name in METRICS if which(METRICS[name])])
def test_the_values_without_a_template_or_a_term_are_those_of_the_other_rows(name: str, way: str) -> None:
    outcomes, options = WAYS[way]
    outcomes = templates_of_two(outcomes)
    result = compute(name, outcomes, options)
    found = influence(result, outcomes)
    rows = result.rows()
    names, template = template_blocks(outcomes)

    assert [(row["left"], row["right"]) for row in rows[: len(found.sides)]] == list(found.sides)
    assert names == found.templates.names
    assert [f"{g}-" in t for g, t in zip(found.terms.groups, found.terms.names, strict=True)].count(False) == 0
    terms = [outcomes.terms.index(t) for t in found.terms.names]
    for left_out, block, codes in ((found.templates, template, range(len(names))), (found.terms, outcomes.term, terms)):
        for at, code in list(enumerate(codes))[::3]:
            again = compute(name, select_rows(outcomes, block != code), options).rows()
            expected = np.array([row["value"] for row in again]).reshape(len(result.classes), -1).T
            np.testing.assert_allclose(left_out.value[at], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["fnr_gap", "avg_eg", "accuracy_gap", "avg_gf", "avg_if", "cf_gap", "f1_ratio"])
def test_the_values_of_any_subset_are_those_of_its_rows(name: str) -> None:
    outcomes = outcomes_of(random_rows(8, missing=0.1))
    computed = as_computed(compute(name, outcomes), outcomes)
    kept = np.random.default_rng(0).random((6, len(outcomes.sources))) < 0.5
    found = values_of_subsets(computed, outcomes.source, kept)

    for one, value in zip(kept, found, strict=True):
        expected = compute(name, select_rows(outcomes, one[outcomes.source])).value
        np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["fnr_gap", "fpr_gap", "avg_eg", "avg_if"])
def test_the_metrics_that_carry_the_verdict_are_not_computed_again(name: str) -> None:
    outcomes = outcomes_of(random_rows(9))
    computed = as_computed(compute(name, outcomes), outcomes)

    for block in (outcomes.source, outcomes.term):
        assert has_quick_subsets(computed, block)


# Rewordings


def test_a_rewording_of_a_rewording_is_one_of_the_original() -> None:
    outcomes = reworded(outcomes_of(random_rows(1, sources=6)), {1: 0, 2: 1, 4: 3})

    assert families(outcomes) == (("s0", "s3"), {"s0": 0, "s1": 0, "s2": 0, "s3": 1, "s4": 1})


def test_rewordings_of_what_is_not_there_make_no_family() -> None:
    outcomes = outcomes_of(random_rows(1, sources=4))
    lost = replace(outcomes, sources=(replace(outcomes.sources[0], paraphrase_of="gone"), *outcomes.sources[1:]))

    assert families(lost) == ((), {})


def test_rewordings_of_each_other_are_refused() -> None:
    outcomes = reworded(outcomes_of(random_rows(1, sources=4)), {1: 2, 2: 1})

    with pytest.raises(TemplateError) as error:
        families(outcomes)
    assert str(error.value) == (
        "the templates s1, s2 are rewordings of each other.\n"
        "    Leave paraphrase_of empty for the original, and name the original in its rewordings."
    )


def test_originals_and_rewordings_are_pooled() -> None:
    wrong = [(0, "ash", 0), (1, "ash", 0), (2, "ash", 0), (2, "ash", 1), (3, "birch", 0), (4, "ash", 1)]
    outcomes = made(wrong, paraphrases={1: 0, 3: 2, 5: 4})
    found = rewordings(as_computed(compute("fnr_gap", outcomes), outcomes))

    assert found.sides[0] == ("ash", "everyone_else")
    assert found.originals[0, 1] == pytest.approx(4 / 9)
    assert found.rewordings[0, 1] == pytest.approx(0)


@pytest.mark.parametrize(
    ("distance", "signed"),
    [("accuracy_gap", "accuracy_difference"), ("tpr_gap", "tpr_difference"), ("cf_gap", "avg_score_difference")],
)
def test_the_direction_of_a_distance_is_that_of_the_difference_behind_it(distance: str, signed: str) -> None:
    outcomes = reworded(outcomes_of(random_rows(2, sources=6, control=False)), {1: 0, 3: 2, 4: 2})
    one, other = (rewordings(as_computed(compute(name, outcomes), outcomes)) for name in (distance, signed))

    assert one.sides == other.sides
    for name in ("originals", "rewordings"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("name", "same_as"), [("avg_if", "avg_score_difference"), ("avg_gf", "fped")])
def test_the_direction_of_a_distance_of_distributions_is_that_of_their_means(name: str, same_as: str) -> None:
    outcomes = outcomes_of(random_rows(2, sources=6))
    line = directed(METRICS[name])
    assert not isinstance(line, str)
    found = compute(line, outcomes)
    if name == "avg_if":
        np.testing.assert_allclose(found.value, compute(same_as, outcomes).value, rtol=0, atol=1e-12)
        return
    assert outcomes.units is not None
    p, group = outcomes.units.probability, outcomes.group
    marked = group < len(GROUPS)
    expected = [p[group == g].mean(axis=0) - p[marked].mean(axis=0) for g in range(len(GROUPS))]
    np.testing.assert_allclose(found.value, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["pert_sr", "subgroup_auc", "auc_equality_difference"])
def test_what_has_no_direction_is_reported(name: str) -> None:
    outcomes = reworded(outcomes_of(random_rows(2, sources=6)), {1: 0})
    found = rewordings(as_computed(compute(name, outcomes), outcomes))

    assert "direction" in found.why
    assert not found.reversed_sign((("*", ""), ("ash", "")), 0.0).any()


def graded(noise: float, groups: int = 5, sources: int = 12) -> Outcomes:
    """Groups whose probability rises from one to the next, the same in all sources but for noise."""
    generator = np.random.default_rng(2)
    names = tuple(f"g{i}" for i in range(groups))
    rows = []
    for s in range(sources):
        for i, name in enumerate(names):
            p = float(np.clip(0.2 + 0.1 * i + noise * generator.normal(), 0, 1))
            rows.append(Row(name, (1 - p, p), ("negative", "positive")[s % 2], "", f"s{s}", f"{name}-0"))
    return outcomes_of(rows, names)


def test_a_group_over_its_pairs_has_the_sign_of_its_own_side() -> None:
    outcomes = graded(0.2, 3)
    result = compute("accuracy_difference", outcomes)
    computed = as_computed(result, outcomes)
    a, b, c = result.value[:, 0]  # g0 against g1, g0 against g2, g1 against g2
    found = group_values(computed, result.value[None])[0, :, 0]

    assert found.tolist() == pytest.approx([(a + b) / 2, (c - a) / 2, (-b - c) / 2])
    assert contrast_rows(computed, result.value[None])[0] == (("g0", "g1"), ("g0", "g2"), ("g1", "g2"))

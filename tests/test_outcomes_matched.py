"""Terms of one concept compared with each other alone: by hand, from each source's concepts."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, outcomes_of, random_rows
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options

MATCHED = Options(matching="concept")


def concept_of(term: str) -> str:
    """The first two terms of each group have a concept, the third has none."""
    return {"0": "child", "1": "adult"}.get(term[-1:], "")


def with_concepts(rows: Sequence[Row], classes: Sequence[str] = BINARY) -> Outcomes:
    outcomes = outcomes_of(rows, classes=classes)
    return replace(outcomes, concepts=tuple(concept_of(term) for term in outcomes.terms))


def p_of_class(row: Row, k: int) -> float:
    return row.p[k]


def is_class(row: Row, k: int) -> float:
    return float(row.predicted == THREE[k])


def cell(rows: Sequence[Row], source: str, group: str, concept: str) -> list[Row]:
    """What a source has of a group's terms of a concept."""
    return [row for row in rows if (row.source, row.group, concept_of(row.term)) == (source, group, concept)]


PAIRS: dict[str, tuple[Callable[[Row, int], float], Callable[[float, float], float]]] = {
    "cf_gap": (p_of_class, lambda x, y: abs(x - y)),
    "changed_answers": (is_class, lambda x, y: abs(x - y)),
    "answer_difference": (is_class, lambda x, y: x - y),
}


@sweep("name", PAIRS)
@sweep("seed", range(3))
def test_pairs_by_hand(name: str, seed: int) -> None:
    rows = random_rows(seed, classes=THREE, missing=0.2, sources=10)
    result = compute(name, with_concepts(rows, THREE), MATCHED)
    phi, d = PAIRS[name]
    for p, (one, two) in enumerate(itertools.combinations(GROUPS, 2)):
        for k in range(3):
            by_source = []
            for source in dict.fromkeys(row.source for row in rows):
                found = []
                for concept in ("child", "adult"):
                    own, other = ([phi(row, k) for row in cell(rows, source, g, concept)] for g in (one, two))
                    found += [np.mean([d(x, y) for x in own for y in other])] if own and other else []
                by_source += [np.mean(found)] if found else []
            assert result.value[p, k] == pytest.approx(np.mean(by_source), abs=1e-12)
            assert result.n[p, k] == len(by_source)
    assert result.options.stamp() == "matching=concept"
    assert result.by_source.shape == (10, 3, 3)


@sweep(("name", "spread"), [("pert_sr", np.ptp), ("pert_sd", np.std)])
def test_all_groups_by_hand(name: str, spread: Callable[[list[float]], float]) -> None:
    rows = random_rows(4, most_terms=2, sources=8)
    result = compute(name, with_concepts(rows), MATCHED)
    by_source = []
    for source in dict.fromkeys(row.source for row in rows):
        found = []
        for concept in ("child", "adult"):
            own = [[row.p[BINARY.index(row.label)] for row in cell(rows, source, g, concept)] for g in GROUPS]
            drawn = list(itertools.product(*(each for each in own if each)))
            found += [np.mean([spread(list(one)) for one in drawn])] if sum(map(bool, own)) > 1 else []
        by_source += [np.mean(found)] if found else []
    assert result.value[0, 0] == pytest.approx(np.mean(by_source), abs=1e-9)


def test_the_unmarked_control_is_in_every_cell() -> None:
    rows = random_rows(5)
    found = compute("pi_metric", with_concepts(rows), Options(matching="concept", background="unmarked"))
    for k, c in enumerate(BINARY):
        by_source = []
        for source in dict.fromkeys(row.source for row in rows if row.label == c):
            [control] = [row.predicted == c for row in rows if row.source == source and not row.group]
            cells = [cell(rows, source, "ash", concept) for concept in ("child", "adult")]
            defined = [control * (1 - np.mean([row.predicted == c for row in own])) for own in cells if own]
            by_source += [np.mean(defined)] if defined else []
        assert found.value[0, k] == pytest.approx(np.mean(by_source), abs=1e-12)


SINGLE = (
    *("cf_gap", "cf_gap_tc", "pert_ss", "pert_sd", "pert_sr", "changed_answers", "answer_difference", "pi_metric"),
    *("cf_gap_unmarked", "pert_ss_unmarked"),
)


@sweep("name", SINGLE)
def test_terms_without_a_concept_take_no_part(name: str) -> None:
    rows = random_rows(6)
    kept = [row for row in rows if not row.group or concept_of(row.term)]
    assert len(kept) < len(rows)
    one, two = (compute(name, with_concepts(each), MATCHED) for each in (rows, kept))
    np.testing.assert_allclose(one.value, two.value, rtol=0, atol=1e-12)


@sweep("name", SINGLE)
def test_one_concept_for_all_terms_is_the_whole_product(name: str) -> None:
    outcomes = outcomes_of(random_rows(7, missing=0.2))
    every = replace(outcomes, concepts=("one",) * len(outcomes.terms))
    matched, plain = compute(name, every, MATCHED), compute(name, outcomes)
    np.testing.assert_allclose(matched.value, plain.value, rtol=0, atol=1e-12)
    assert matched.n.tolist() == plain.n.tolist()
    assert matched.n_undefined.tolist() == plain.n_undefined.tolist()


def test_every_metric_of_single_examples_takes_the_option() -> None:
    outcomes, taken = with_concepts(random_rows(0)), []
    for name in METRICS:
        try:
            compute(name, outcomes, MATCHED)
            taken.append(name)
        except fc.errors.OptionError:
            continue
    assert sorted(taken) == sorted(SINGLE)

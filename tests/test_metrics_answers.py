"""Metrics of decisions: the figures of Orgad and Belinkov 2022, and what is found in another sentence only."""

from typing import Any

import build_tagger as tagger_rows
import numpy as np
import pandas as pd
import pytest
from build_outcomes import BINARY, GROUPS, THREE, Row, outcomes_of, random_rows
from golden import GOLDEN, golden_figures
from sweep import sweep

from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import Options

ORGAD = golden_figures("orgad")["original"]


@pytest.fixture(scope="module")
def professions() -> Outcomes:
    frame = pd.read_csv(GOLDEN / "orgad_fixture.csv")
    classes = sorted({*frame["gold"], *frame["pred"]})
    p = tuple(1 / len(classes) for _ in classes)
    rows = [Row(row["gender"], p, row["gold"], row["pred"]) for row in frame.to_dict("records")]
    return outcomes_of(rows, ("M", "F"), classes)


def test_independence(professions: Outcomes) -> None:
    result, reported = compute("independence", professions), ORGAD["independence_kl"]
    assert result.value[:, 0].tolist() == pytest.approx([reported["M"], reported["F"]], abs=1e-9)
    assert result.total[0] == pytest.approx(reported["sum"], abs=1e-9)


@sweep("name", ["separation", "sufficiency"])
def test_separation_and_sufficiency(professions: Outcomes, name: str) -> None:
    result, reported = compute(name, professions), ORGAD[f"{name}_kl"]
    assert np.nansum(result.value) == pytest.approx(reported["sum"], abs=1e-9)
    apart = np.abs(result.value[1] - result.value[0])
    assert np.nansum(apart) == pytest.approx(reported["sum_abs_gap"], abs=1e-9)
    assert (~np.isnan(apart)).sum() == reported["n_defined"]


def test_what_the_background_lacks_makes_it_undefined() -> None:
    rows = [Row("ash", (1.0, 0.0), "negative", "negative"), Row("birch", (0.0, 1.0), "negative", "positive")]
    result = compute("independence", outcomes_of(rows, ("ash", "birch")), Options(background="everyone_else"))
    assert result.reasons == dict.fromkeys([(0, 0), (1, 0)], "the background lacks a value that the group has")


@sweep("classes", [BINARY, THREE])
def test_what_is_found_only_in_the_control_sentence(classes: tuple[str, ...]) -> None:
    rows = random_rows(6, classes=classes, sources=12)
    result = compute("pi_metric", outcomes_of(rows, classes=classes), Options(background="unmarked"))
    for k, c in enumerate(classes):
        sources = list(dict.fromkeys(row.source for row in rows if row.label == c))
        for i, group in enumerate(GROUPS):
            expected = []
            for source in sources:
                own, control = (
                    [row.predicted == c for row in rows if (row.source, row.group) == (source, name)]
                    for name in (group, "")
                )
                expected.append(control[0] * (1 - np.mean(own)))
            assert result.value[i, k] == pytest.approx(np.mean(expected), abs=1e-12)


def test_a_taggers_words_are_found_only_with_the_other_group() -> None:
    """Of two names in a sentence one is always found, the other only with birch: half of the words change."""
    whole, part = ((0, 1, "PER"), (2, 3, "PER")), ((0, 1, "PER"),)
    lines = [
        tagger_rows.Line("Ann met Bo", group="ash", slot=((2, 3),), gold=whole, predicted=part, p=words(part)),
        tagger_rows.Line("Ann met Cy", group="birch", slot=((2, 3),), gold=whole, predicted=whole, p=words(whole)),
    ]
    outcomes = tagger_rows.outcomes_of(lines)
    for view, expected in (("", 0.5), ("slot", 1.0), ("context", 0.0)):
        result = compute("pi_metric", outcomes.view(view))
        person = result.classes.index("PER")
        assert result.value[:, person].tolist() == [expected, 0.0]


def words(predictions: tuple[tuple[int, int, str], ...]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """(3, 3) sure probabilities of PER, LOC and O."""
    found = {start for start, _end, _kind in predictions}
    return np.array([[1.0, 0, 0] if at in found else [0, 0, 1.0] for at in range(3)])

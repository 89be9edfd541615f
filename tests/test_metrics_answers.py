"""Metrics of decisions: the figures of Orgad and Belinkov 2022, changed answers with their direction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_outcomes import BINARY, THREE, Row, outcomes_of, random_rows, values
from scipy.stats import entropy

from fairness_checklist.comparisons import divergence_from_background
from fairness_checklist.metrics import Options, compute
from fairness_checklist.outcomes import Outcomes

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "golden"
here = pytest.mark.skipif(
    not (SHARED / "orgad_fixture.csv").is_file(),
    reason="the figures of Orgad and Belinkov are not beside this checkout",
)


@pytest.fixture(scope="module")
def professions() -> Outcomes:
    frame = pd.read_csv(SHARED / "orgad_fixture.csv")
    classes = sorted({*frame["gold"], *frame["pred"]})
    p = tuple(1 / len(classes) for _ in classes)
    rows = [Row(row["gender"], p, row["gold"], row["pred"]) for row in frame.to_dict("records")]
    return outcomes_of(rows, ("M", "F"), classes)


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((SHARED / "orgad.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = figures["original"]
    return found


@here
def test_independence(professions: Outcomes, golden: dict[str, Any]) -> None:
    result, told = compute("independence", professions), golden["independence_kl"]
    assert result.value[:, 0].tolist() == pytest.approx([told["M"], told["F"]], abs=1e-9)
    assert result.total is not None
    assert result.total[0] == pytest.approx(told["sum"], abs=1e-9)


@here
@pytest.mark.parametrize("name", ["separation", "sufficiency"])
def test_separation_and_sufficiency(professions: Outcomes, golden: dict[str, Any], name: str) -> None:
    result, told = compute(name, professions), golden[f"{name}_kl"]
    assert np.nansum(result.value) == pytest.approx(told["sum"], abs=1e-9)
    apart = np.abs(result.value[1] - result.value[0])
    assert np.nansum(apart) == pytest.approx(told["sum_abs_gap"], abs=1e-9)
    assert (~np.isnan(apart)).sum() == told["n_defined"]


@pytest.mark.parametrize("seed", range(5))
def test_the_divergence_is_scipys(seed: int) -> None:
    generator = np.random.default_rng(seed)
    x, y = (generator.dirichlet(np.ones(6), size=4).T for _ in range(2))
    y[2] = 0
    y /= y.sum(axis=0)
    np.testing.assert_allclose(divergence_from_background(np.arange(6.0), x, y), entropy(y, x), rtol=0, atol=1e-12)


def test_what_the_background_lacks_makes_it_undefined() -> None:
    rows = [Row("ash", (1.0, 0.0), "negative", "negative"), Row("birch", (0.0, 1.0), "negative", "positive")]
    result = compute("independence", outcomes_of(rows, ("ash", "birch")), Options(background="everyone_else"))
    assert result.reasons == dict.fromkeys([(0, 0), (1, 0)], "the background lacks a value that the group has")


@pytest.mark.parametrize("classes", [BINARY, THREE], ids=["two", "three"])
def test_what_is_gained_and_what_is_lost_make_up_the_changed_answers(classes: tuple[str, ...]) -> None:
    rows = random_rows(3, classes=classes, most_terms=2)
    changed, apart = (values(name, rows, classes=classes) for name in ("changed_answers", "answer_difference"))
    by_source: dict[str, list[Row]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    for c in classes:
        shares = []
        for own in by_source.values():
            ash, birch = ([row.predicted == c for row in own if row.group == g] for g in ("ash", "birch"))
            pairs = [(a, b) for a in ash for b in birch]
            shares.append(
                (sum(a and not b for a, b in pairs) / len(pairs), sum(b and not a for a, b in pairs) / len(pairs))
            )
        gained, lost = np.mean(shares, axis=0)
        assert changed[c, "ash", "birch"] == pytest.approx(gained + lost, abs=1e-12)
        assert apart[c, "ash", "birch"] == pytest.approx(gained - lost, abs=1e-12)

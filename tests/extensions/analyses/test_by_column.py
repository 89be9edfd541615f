"""Harms and gaps by a column of the sentences, and failing pairs: against plain counts."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairness_checklist as fc


def frame(seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    rows = [
        {"source": source, "group": group, "term": f"{group}{term}", "register": ("post", "review")[source % 2]}
        for source in range(12)
        for group in "abc"
        for term in range(2)
    ]
    table = pd.DataFrame(rows)
    table["text"] = table["source"].astype(str) + " " + table["term"]
    table["label"] = "nontoxic"
    table["p:toxic"] = random.random(len(table)).round(3)
    table["p:nontoxic"] = 1 - table["p:toxic"]
    return table


def test_rates_and_gaps_are_those_of_plain_counts() -> None:
    table = frame()
    found = fc.evaluate(table, task="toxicity", draws=0).by("register")
    harmed = (table["p:toxic"] > 0.5).astype(float)
    assert "called_toxic" in set(found["error"])
    for row in found[found["error"] == "called_toxic"].to_dict("records"):
        mine = table["register"] == row["value"]
        rates = harmed[mine].groupby([table["source"], table["group"]]).mean().unstack()
        gap = rates[row["group"]] - rates.drop(columns=row["group"]).mean(axis=1)
        assert (row["sentences"], row["rate"]) == (6, pytest.approx(rates[row["group"]].mean()))
        assert row["gap"] == pytest.approx(gap.mean())
        low, high = stats.t.interval(0.95, 5, gap.mean(), gap.std(ddof=1) / 6**0.5)
        assert (row["ci_low"], row["ci_high"]) == (pytest.approx(low), pytest.approx(high))
    assert len(found) == 6 * found["error"].nunique()


def test_a_suite_and_its_saved_run_know_the_register(tmp_path: Path) -> None:
    templates = [
        {"sentence": "{A:identity_np} called.", "label": "neutral", "register": register, "id": f"{register}-{n}"}
        for register in ("note", "chat")
        for n in range(3)
    ]
    suite = fc.Suite.from_templates(templates, terms={"deaf": ["deaf", "hard-of-hearing"], "hearing": ["hearing"]})
    result = suite.run(
        lambda texts: [{"negative": "deaf" in text, "neutral": "deaf" not in text, "positive": 0} for text in texts]
    )
    table = result.by("register")
    assert set(table["value"]) == {"note", "chat"}
    result.save(tmp_path / "run")
    loaded = fc.Result.load(tmp_path / "run")
    pd.testing.assert_frame_equal(loaded.by("register"), table)
    with pytest.raises(fc.errors.OptionError, match="the sentences of this run have no column 'kind'"):
        result.by("kind")


def test_failing_pairs_are_those_of_plain_counts() -> None:
    table = frame()
    table["is_toxic"] = table["p:toxic"] > 0.5
    first = table.groupby("source").transform("first")
    moved = table["p:toxic"] - first["p:toxic"]
    failing = (table["is_toxic"] != first["is_toxic"]) & (moved.abs() > 0.2)
    found = fc.evaluate(table.drop(columns="is_toxic"), task="toxicity", draws=0).failures(tolerance=0.2)
    assert set(found["text"]) == set(table["text"][failing])
    change = dict(zip(table["text"], np.where(first["is_toxic"], moved, -moved), strict=True))
    assert found["change"].tolist() == pytest.approx([change[text] for text in found["text"]])
    assert found["change"].abs().is_monotonic_decreasing

"""Two models on the same texts: pairs, changes, verdicts, words and verb."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_comparisons import run, table
from build_findings import tagged
from command_line import caller

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.extensions.compare import Comparison
from fairness_checklist.extensions.compare.words import change_sentence


@pytest.fixture(scope="module")
def fair() -> fc.Result:
    return run(table())


@pytest.fixture(scope="module")
def biased() -> fc.Result:
    return run(table(0.2, own=10))


def verdicts(comparison: Comparison) -> dict[str, str]:
    return dict(zip(comparison.changes["group"], comparison.changes["verdict"], strict=True))


def test_a_gap_that_grows_is_worse_and_one_that_goes_is_better(fair: fc.Result, biased: fc.Result) -> None:
    worse, better = biased.compare(fair), fair.compare(biased)

    assert verdicts(worse)["night"] == "worse"
    assert verdicts(better)["night"] == "better"
    assert "worse" not in verdicts(better).values()  # though all others' gaps rise when one goes
    row = worse.changes.iloc[0]
    assert row["change"] == pytest.approx(0.2, abs=0.03)
    assert row["change_low"] < row["change"] < row["change_high"]


def test_a_change_is_the_difference_of_the_gaps_in_both_units(fair: fc.Result, biased: fc.Result) -> None:
    """In a balanced table the gaps are differences of means over words, which anyone can compute."""
    changes = biased.compare(fair).changes
    for unit in ("", "rate_"):
        np.testing.assert_allclose(changes[f"{unit}change"], changes[f"new_{unit}gap"] - changes[f"base_{unit}gap"])
    for row in changes.to_dict("records"):
        for side, result in (("base", fair), ("new", biased)):
            examples = result.examples
            mine = examples["group"] == row["group"]
            for name, figure in (("gap", examples["p:rejected"]), ("rate_gap", examples["predicted"] == "rejected")):
                means = figure.astype(float).groupby([mine, examples["term"]]).mean().groupby(level=0).mean()
                assert row[f"{side}_{name}"] == pytest.approx(means[True] - means[False])


def test_pairing_makes_the_bounds_narrower_than_those_of_two_runs(fair: fc.Result) -> None:
    changes = run(table(0.0, own=11)).compare(fair).changes
    unpaired = np.hypot(*(changes[f"{side}_ci_high"] - changes[f"{side}_gap"] for side in ("base", "new")))

    assert ((changes["change_high"] - changes["change"]) < 0.7 * unpaired).all()
    assert set(changes["verdict"]) <= {"equal within the margin", "undecided"}


def test_the_same_answers_are_equal_and_swapped_runs_have_swapped_bounds(fair: fc.Result, biased: fc.Result) -> None:
    same, there, back = fair.compare(fair), biased.compare(fair).changes, fair.compare(biased).changes

    assert set(same.changes["verdict"]) == {"equal within the margin"}
    assert same.changes[["change", "change_low", "change_high"]].abs().to_numpy().max() == 0
    there, back = there.set_index("group").sort_index(), back.set_index("group").sort_index()
    np.testing.assert_allclose(there["change"], -back["change"])
    np.testing.assert_allclose(there["change_low"], -back["change_high"], atol=0.01)


def test_the_order_of_rows_does_not_matter_and_other_texts_are_an_error(fair: fc.Result) -> None:
    new = table(0.2, own=10)
    whole, mixed = (run(frame).compare(fair).changes for frame in (new, new.sample(frac=1, random_state=1)))
    ordered = [changes.sort_values("group", ignore_index=True) for changes in (whole, mixed)]
    pd.testing.assert_frame_equal(*ordered, atol=0.02)
    some = run(new[(new["source"] != "s3") & (new["term"] != "n2")])
    left_out = int(((new["source"] == "s3") | (new["term"] == "n2")).sum())

    with pytest.raises(TableError) as caught:
        some.compare(fair)
    assert str(caught.value) == (
        f"the runs have other texts of shift: {720 - left_out} are in both, {left_out} in the old one only, 0 in the "
        "new one only; terms of the old one only: n2; sources of the old one only: s3.\n"
        "    Run both on the same suite."
    )


def test_runs_that_do_not_go_together_are_refused(fair: fc.Result, tmp_path: Path) -> None:
    def error(frame: pd.DataFrame, **options: Any) -> str:
        with pytest.raises((TableError, OptionError)) as caught:
            run(frame, **options).compare(fair)
        return str(caught.value)

    plain = table()
    assert error(plain.assign(attribute="age")) == "the runs have no attribute in common: shift and age."
    two = pd.concat([plain.assign(attribute="shift"), plain.assign(attribute="age")])
    assert error(two, attribute="shift") == "one run alone has age.\n    Run both on the same suite."
    other = plain.rename(columns={"p:hired": "p:kept"}).replace({"hired": "kept"})
    assert error(other) == (
        "the classes of the two runs of shift are not the same: the old one has hired and rejected, the new one kept "
        "and rejected.\n    Run both models on one set of classes: labels= maps a model's labels to the classes of the "
        "task."
    )
    relabelled = plain.assign(label=["rejected", *plain["label"][1:]])
    assert error(relabelled) == "1 text of shift has other labels."
    with pytest.raises(TableError) as caught:
        fair.compare(tmp_path / "nowhere")
    assert "nowhere" in str(caught.value)
    with pytest.raises(OptionError) as wrong:
        fair.compare(fair, margin=5)
    assert str(wrong.value) == "margin=5 is not a number above 0 and below 1.\n    Write 5 points as 0.05."
    with pytest.raises(OptionError, match=r"^relevant=-1 is not a number above 0 and below 1\.\n"):
        fair.compare(fair, relevant=-1)


def test_taggers_are_compared_by_what_they_miss() -> None:
    old, new = (fc.evaluate(tagged(share), task="ner", attribute="names", draws=99) for share in (0.05, 0.5))
    comparison = new.compare(old)

    assert verdicts(comparison) == {"female": "worse", "male": "undecided"}
    assert comparison.changes["measure"].unique().tolist() == ["rate"]
    assert len(comparison.texts) == 5
    assert str(comparison).splitlines()[2] == f"  Worse: {change_sentence(comparison.changes.iloc[0].to_dict())}"


def test_sentences_say_what_the_table_holds(fair: fc.Result, biased: fc.Result) -> None:
    comparison = biased.compare(fair)
    lines, row = str(comparison).splitlines(), comparison.changes.iloc[0]

    assert lines[0].endswith(
        " · equal: within 5 points (--margin) · unit: mean probability of the error, or decisions where these show the "
        "change"
    )
    same = fair.compare(fair)
    assert str(same).splitlines()[-1] == "Next: gate the new model: fc.gate(new, baseline=old)"
    assert str(replace(same, runs=("runs/old", "my/new run"))).splitlines()[-1] == (
        "Next: gate the new model: fairness-checklist gate 'my/new run' --baseline runs/old"
    )
    assert lines[1] == "shift: the new model is worse in 1 of 3 gaps, on 720 texts."
    assert f"grew by {100 * row['rate_change']:.0f} points (at least {100 * row['rate_change_low']:.0f}" in lines[2]
    assert f"from {100 * row['base_rate_gap']:.0f} to {100 * row['new_rate_gap']:.0f} points" in lines[2].replace(
        "0.", ""
    )
    moved = comparison.texts
    assert len(moved) == 5
    assert (moved["base"] != moved["new"]).all()


def test_the_verb_writes_tables(
    fair: fc.Result,
    biased: fc.Result,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    call = caller(monkeypatch, capsys, "compare")
    fair.save(tmp_path / "old")
    biased.save(tmp_path / "new")
    table().to_csv(tmp_path / "again.csv", index=False)
    runs = [str(tmp_path / name) for name in ("old", "new")]

    done = call(*runs, "--out", str(tmp_path / "out"))
    assert done.code == 0
    assert len(done.out.splitlines()) <= 15
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "changed_texts.csv", "compare.json", "comparison.csv",
    }  # fmt: skip
    read = pd.read_csv(tmp_path / "out" / "comparison.csv")
    assert read["verdict"].iloc[0] == "worse"
    (tmp_path / "fairness.toml").write_text('[purpose]\nharm = ["called:rejected"]\n', encoding="utf-8")
    again = call(runs[0], str(tmp_path / "again.csv"), "--config", str(tmp_path / "fairness.toml"), "--json")
    assert again.code == 0, again.err
    assert len(json.loads(again.out)["changes"]) == 3

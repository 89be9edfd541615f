"""Two models on the same texts: pairs, changes, verdicts, words and verb."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_comparisons import run, table
from build_findings import tagged
from command_line import Call
from refusals import refusal

import fairness_checklist as fc
from fairness_checklist.extensions.compare import Comparison
from fairness_checklist.extensions.compare.comparison_text import change_text


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
    for one in (worse, better):  # when one group's gap changes, those of all others move the other way
        others = one.changes.iloc[1:]
        assert others[["verdict", "reason_code"]].to_numpy().tolist() == [["open", "small gap"]] * 2
    row = worse.changes.iloc[0]
    assert row["change"] == pytest.approx(0.2, abs=0.03)
    assert row["low"] < row["low_alone"] < row["change"] < row["high_alone"] < row["high"]


@pytest.mark.parametrize(("unit", "column"), [("probability", "p:rejected"), ("decisions", "predicted")])
def test_a_change_is_the_difference_of_the_gaps_that_can_be_counted(unit: str, column: str) -> None:
    old, new = run(table(), unit=unit), run(table(0.2, own=10), unit=unit)
    changes = new.compare(old).changes

    assert set(changes["unit"]) == {unit}
    np.testing.assert_allclose(changes["change"], changes["new_gap"] - changes["base_gap"])
    for row in changes.to_dict("records"):
        for side, result in (("base", old), ("new", new)):
            mine, figure = result.examples["group"] == row["group"], result.examples[column]
            figure = figure if unit == "probability" else figure == "rejected"
            assert row[f"{side}_gap"] == pytest.approx(figure[mine].mean() - figure[~mine].mean())
            found = result.findings.set_index("group").loc[row["group"], "gap"]
            assert row[f"{side}_gap"] == pytest.approx(found)


def test_one_word_that_changes_is_no_verdict_about_its_group(fair: fc.Result) -> None:
    frame = table()
    one = (frame["p:rejected"] + 0.5 * (frame["term"] == "n3")).clip(upper=0.999)
    comparison = run(frame.assign(**{"p:rejected": one, "p:hired": 1 - one})).compare(fair)
    row = comparison.changes.set_index("group").loc["night"]

    assert row["change"] > 0.05
    assert (row["verdict"], row["reason_code"], row["carried_by"]) == ("open", "carried by one word", "n3")


def test_pairing_makes_the_bounds_narrower_than_those_of_two_runs(fair: fc.Result) -> None:
    new = run(table(0.0, own=11))
    changes = new.compare(fair).changes.set_index("group").sort_index()
    reach = [result.findings.set_index("group").sort_index().eval("high_alone - gap") for result in (fair, new)]

    assert ((changes["high_alone"] - changes["change"]) < 0.7 * np.hypot(*reach)).all()
    assert set(changes["verdict"]) == {"equal within the margin"}


def test_the_same_answers_are_equal_and_swapped_runs_have_swapped_bounds(fair: fc.Result, biased: fc.Result) -> None:
    same, there, back = fair.compare(fair), biased.compare(fair).changes, fair.compare(biased).changes

    assert set(same.changes["verdict"]) == {"equal within the margin"}
    assert same.changes[["change", "low", "high"]].abs().to_numpy().max() == 0
    there, back = there.set_index("group").sort_index(), back.set_index("group").sort_index()
    np.testing.assert_allclose(there["change"], -back["change"])
    np.testing.assert_allclose(there["low"], -back["high"])


def test_the_order_of_rows_does_not_matter_and_other_texts_are_an_error(fair: fc.Result) -> None:
    new = table(0.2, own=10)
    whole, mixed = (run(frame).compare(fair).changes for frame in (new, new.sample(frac=1, random_state=1)))
    ordered = [changes.sort_values("group", ignore_index=True) for changes in (whole, mixed)]
    pd.testing.assert_frame_equal(*ordered)
    some = run(new[(new["source"] != "s3") & (new["term"] != "n2")])
    left_out = int(((new["source"] == "s3") | (new["term"] == "n2")).sum())

    assert refusal(fc.errors.TableError, some.compare, fair) == (
        f"the runs have other texts of shift: {720 - left_out} are in both, {left_out} in the old one only, 0 in the "
        "new one only; terms of the old one only: n2; sources of the old one only: s3.\n"
        "    Run both on the same suite."
    )


def test_runs_that_do_not_go_together_are_refused(fair: fc.Result, tmp_path: Path) -> None:
    def error(frame: pd.DataFrame, **options: Any) -> str:
        return refusal((fc.errors.TableError, fc.errors.OptionError), run(frame, **options).compare, fair)

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
    assert "nowhere" in refusal(fc.errors.TableError, fair.compare, tmp_path / "nowhere")
    message = refusal(fc.errors.OptionError, fair.compare, fair, margin=5)
    assert message == "margin=5 is not a number above 0 and below 1.\n    Write 5 points as 0.05."


def test_taggers_are_compared_by_what_they_miss() -> None:
    old, new = (fc.evaluate(tagged(share), task="ner", attribute="names", draws=0) for share in (0.05, 0.5))
    comparison = new.compare(old)

    assert verdicts(comparison) == {"female": "worse", "male": "open"}
    assert comparison.changes["unit"].unique().tolist() == ["decisions"]
    assert len(comparison.texts) == 5
    assert str(comparison).splitlines()[2] == f"  worse   {change_text(comparison.changes.iloc[0].to_dict())}"


def test_sentences_say_what_the_table_holds(fair: fc.Result, biased: fc.Result) -> None:
    comparison = biased.compare(fair)
    lines, row = str(comparison).splitlines(), comparison.changes.iloc[0]

    assert lines[0].endswith(" · mean probability of the error · equal: within 5 points (--margin)")
    same = fair.compare(fair)
    assert str(same).splitlines()[-1] == "Next: gate the new model: fc.gate(new, baseline=old)"
    assert str(replace(same, runs=("runs/old", "my/new run"))).splitlines()[-1] == (
        "Next: gate the new model: fairness-checklist gate 'my/new run' --baseline runs/old"
    )
    assert lines[1] == "shift: 3 gaps: 1 worse, 2 open; 720 texts."
    assert lines[2].endswith("called rejected without being so: gap from 0 to +20, change +20 (+19 to +21) points")
    assert 0.185 < row["low"] < row["high"] < 0.215
    assert lines[3].startswith("  open    2 more gaps changed of groups that neither model treats worse ")
    moved = comparison.texts
    assert len(moved) == 5
    assert (moved["base"] != moved["new"]).all()


def test_the_verb_writes_tables(fair: fc.Result, biased: fc.Result, tmp_path: Path, call: Call) -> None:
    fair.write_folder(tmp_path / "old")
    biased.write_folder(tmp_path / "new")
    table().to_csv(tmp_path / "again.csv", index=False)
    runs = [str(tmp_path / name) for name in ("old", "new")]

    done = call("compare", *runs, "--out", str(tmp_path / "out"))
    assert done.code == 0
    assert len(done.out.splitlines()) <= 15
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "changed_texts.csv", "compare.json", "comparison.csv",
    }  # fmt: skip
    assert pd.read_csv(tmp_path / "out" / "comparison.csv")["verdict"].iloc[0] == "worse"
    (tmp_path / "fairness.toml").write_text('[purpose]\nharm = ["called:rejected"]\n', encoding="utf-8")
    again = call("compare", runs[0], str(tmp_path / "again.csv"), "--config", str(tmp_path / "fairness.toml"), "--json")
    assert again.code == 0, again.err
    assert len(json.loads(again.out)["changes"]) == 3

"""The verb `plan`: its words, its tables, its files."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import Call, caller

from fairness_checklist.extensions.plan import suite_plan as planning
from fairness_checklist.extensions.plan.bernstein import bernstein_radius
from fairness_checklist.extensions.plan.plan_answers import Answers
from fairness_checklist.extensions.plan.power import Design, smallest_gap
from fairness_checklist.extensions.plan.random_effects import Effects


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys, "plan")


def test_independent_examples_are_answered_in_words_tables_and_files(call: Call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, said, _ = call("--n-examples", "3160", "--tables", "--out", str(tmp_path / "plan"))

    assert code == 0
    assert " ".join(said.split()).startswith(
        "3,160 independent examples show a gap of 4 points near a rate of 20 %; of 8 points at any rates (80 % power, "
        "95 % interval)."
    )
    assert "as the paper counts     3,160  9.7 points" in said
    assert sorted(path.name for path in (tmp_path / "plan").iterdir()) == [
        *("examples.csv", "findings.csv", "plan.html", "plan.json"),
    ]
    table = pd.read_csv(tmp_path / "plan" / "examples.csv")
    assert table.loc[0, "gap"] == pytest.approx(0.0974195, abs=1e-6)
    [record] = pd.read_csv(tmp_path / "plan" / "findings.csv", keep_default_na=False).to_dict("records")
    assert (record["status"], record["measure"], record["n"]) == ("", "gap", 3160)
    assert record["value"] == pytest.approx(smallest_gap(3160, rates=(0.2, 0.2), power=0.8, method="normal"))
    assert record["statement"] in " ".join(said.split())
    page = (tmp_path / "plan" / "plan.html").read_text(encoding="utf-8")
    assert page.count("<polyline") == 6
    assert "<script" not in page
    assert "3,160 independent examples show" in page


def test_answers_have_at_most_forty_words() -> None:
    effects = Effects()
    found = Answers(Design(), seed=0)
    layout = planning.crossed_layout((8, 9, 6, 2), (12, 12))
    found._reach(
        list(planning.reach_of_layout(layout, ["called_negative", "missed"], repetitions=40)), [("e", effects)]
    )
    found.examples(0.1, None, 0.5)
    found.examples(0.1, "equalized_odds", 0.3)
    found.examples_reach(500)
    assert len(found.findings) == 5
    assert [one.statement for one in found.findings if len(one.statement.split()) > 40] == []


def test_sizes_of_suites_as_json(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("fairness_checklist.extensions.plan.plan_answers._REPETITIONS", 200)
    code, said, _ = call("--gap", "0.12", "--n-terms", "8", "--n-groups", "4", "--json")

    found = json.loads(said)
    chosen = found["suites"]["chosen"]
    assert code == 0
    assert chosen["terms"] == 8
    assert chosen["texts"] == 4 * 8 * chosen["sentences"]
    assert chosen["power"] > 0.7
    assert found["examples"][0]["method"] == "bernstein"
    sizes, examples = found["findings"]
    assert (sizes["value"], sizes["n"], sizes["status"]) == (chosen["texts"], chosen["sentences"], "")
    assert (examples["value"], examples["n"]) == (found["examples"][-1]["examples"],) * 2


def test_annotated_rows_are_compared(call: Call, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = [("women", "no", "yes")] * 90 + [("women", "yes", "yes")] * 60 + [("men", "yes", "yes")] * 150
    rows += [("women", "no", "no"), ("men", "no", "no"), ("", "yes", "no")] * 100
    pd.DataFrame(rows, columns=["group", "predicted", "label"]).to_csv(tmp_path / "rows.csv", index=False)
    options = ("--annotated", str(tmp_path / "rows.csv"), "--positive", "yes")
    code, said, _ = call(*options, "--protected", "women", "--json")

    found = {(one["measure"], one["part"]): one for one in json.loads(said)["disparities"]}
    records = {one["question"]: one for one in json.loads(said)["findings"]}
    assert {name: one["status"] for name, one in records.items()} == {
        "demographic parity": "clear",
        "equal opportunity": "clear",
        "equalized odds, y=1": "clear",
        "equalized odds, y=0": "none found",
    }
    assert records["equalized odds, y=1"]["ci_low"] == pytest.approx(found["equalized_odds", "y=1"]["low"])
    assert code == 0
    assert found["equal_opportunity", "y=1"]["value"] == pytest.approx(0.6)
    assert found["equalized_odds", "y=0"]["n"] == 200  # rows without a group are not annotated
    assert found["equalized_odds", "y=1"]["low"] > 0 > found["equalized_odds", "y=0"]["low"]
    code, said, _ = call(*options, "--protected", "women")
    assert (
        'equal opportunity: a difference is shown. Missed "yes": women 60 %, others 0 %; gap 60 points (95 % interval '
        "44 to 76, cost centred at -1/2 and 1/2; formula (3) as printed: 28 to 92)."
    ) in " ".join(said.split())
    assert max(len(one["statement"].split()) for one in records.values()) <= 40
    t = bernstein_radius(4.0, 300)  # formula (3) of the paper with its greatest variance, (C / gamma)^2
    assert found["equal_opportunity", "y=1"]["printed_low"] == pytest.approx(0.6 - t)
    assert found["equal_opportunity", "y=1"]["printed_high"] == pytest.approx(0.6 + t)
    assert call(*options, "--protected", "woman") == (
        2,
        "",
        "OptionError: no row has the group 'woman'.\n    Did you mean women? Groups: men, women.\n",
    )


def test_a_suite_and_a_run_are_asked_for_their_smallest_gaps(
    call: Call,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,  # type: ignore[no-untyped-def]
) -> None:
    monkeypatch.setattr("fairness_checklist.extensions.plan.plan_answers._OF_SUITES", 60)
    code, said, _ = call("--attribute", "gender", "--groups", "men,women", "--max-terms", "6", "--gap", "0.02")
    assert code == 0
    assert "gender, called_negative: gaps of" in said
    assert "A gap of 2 points could go unseen in" in said

    import numpy as np

    import fairness_checklist as fc

    random = np.random.default_rng(2)
    words = {"x": "nurse guard baker porter cleaner printer", "y": "teacher clerk tailor broker painter lawyer"}
    rows = [
        {"source": f"s{s}", "group": group, "term": job, "label": "hired", "p:hired": 1 - p, "p:rejected": p}
        for s in range(20)
        for group, jobs in words.items()
        for job in jobs.split()
        for p in [0.2 + 0.1 * random.random()]
    ]
    result = fc.evaluate(pd.DataFrame(rows), attribute="shift", harm="called:rejected", metrics=["fpr_gap"])
    result.save(tmp_path / "run")
    code, said, _ = call("--run", str(tmp_path / "run"), "--json")
    found = json.loads(said)
    assert code == 0
    assert {one["harm"] for one in found["smallest_gaps"]} == {"called:rejected"}
    assert all(0 < one["gap"] < 0.05 for one in found["smallest_gaps"])
    assert found["effects"]["shift, called:rejected"]["rate"] == pytest.approx(0.25, abs=0.01)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (
            [],
            "OptionError: nothing is asked.\n    Give --gap 0.05; or --attribute, --run, --n-examples or "
            "--annotated.\n",
        ),
        (
            ["--n-sentences", "20"],
            "OptionError: --n-sentences needs --n-terms, and no --gap.\n    It asks for the smallest gap.\n",
        ),
        (
            ["--annotated", "x.csv"],
            "OptionError: --annotated needs --protected and --positive.\n    Name a group and the good outcome.\n",
        ),
        (["--gap", "0.9"], "OptionError: the gap 0.9 is added to a rate of 0.2, expected a sum above 0 and below 1.\n"),
    ],
)
def test_errors(call: Call, words: list[str], text: str) -> None:  # type: ignore[no-untyped-def]
    assert call(*words) == (2, "", text)

"""The verb `plan`: its words, its tables, its files."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from command_line import Call

import fairness_checklist as fc
from fairness_checklist.extensions.plan import plan_answers, suite_plan
from fairness_checklist.extensions.plan.power import smallest_gap
from fairness_checklist.extensions.plan.power_simulation import crossed_layout
from fairness_checklist.extensions.plan.random_effects import Effects
from fairness_checklist.extensions.plan.suite_plan import reach_of_layout


def test_independent_examples_are_answered_in_words_tables_and_files(call: Call, tmp_path: Path) -> None:
    code, said, _ = call("plan", "--n-examples", "3160", "--tables", "--out", str(tmp_path / "plan"))

    assert code == 0
    assert " ".join(said.split()).startswith(
        "3,160 independent examples show a gap of 4 points near a rate of 20 %; of 8 points at any rates (80 % power, "
        "95 % interval)."
    )
    assert re.search(r"bernstein +True +0\.097 +- +3160", said)
    assert sorted(path.name for path in (tmp_path / "plan").iterdir()) == ["examples.csv", "plan.json"]
    table = pd.read_csv(tmp_path / "plan" / "examples.csv")
    assert table.loc[0, "gap"] == pytest.approx(0.0974195, abs=1e-6)
    last = table.iloc[-1]
    assert (last["method"], last["power"], last["examples"]) == ("normal", 0.8, 3160)
    assert last["gap"] == pytest.approx(smallest_gap(3160, rates=(0.2, 0.2), power=0.8, method="normal"))


def test_sentences_of_smallest_gaps_have_at_most_forty_words() -> None:
    reaches = reach_of_layout(
        crossed_layout((8, 9, 6, 1), (12, 12)), ["called_negative", "missed"], [Effects()] * 2, repetitions=20
    )
    answer = plan_answers.reach_answer(reaches, {"e": Effects()}, 0.8, 0.01)
    assert len(answer.words) == 4
    assert answer.words[0].endswith("in 12 sentences. Nothing is found of 1 group with few terms.")
    assert re.fullmatch(
        r"A group without a gap is shown to be at most 5 points worse in \d+ % to \d+ % of suites.", answer.words[3]
    )
    assert answer.words[2] == "A gap of 1 point could go unseen in group 1, group 2, group 3 and group 4."
    assert max(len(line.split()) for line in answer.words) <= 40


def test_sizes_of_suites_as_json(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(suite_plan.plan_suite.__wrapped__.__kwdefaults__, "repetitions", 100)
    code, said, _ = call("plan", "--gap", "0.12", "--n-terms", "8", "--n-groups", "4", "--json")

    found = json.loads(said)
    chosen = found["suites"]["chosen"]
    assert code == 0
    assert chosen["terms"] == 8
    assert chosen["texts"] == 4 * 8 * chosen["sentences"]
    assert chosen["power"] > 0.7
    assert found["examples"][0]["method"] == "bernstein"
    assert f"({chosen['texts']:,} texts)" in " ".join(found["answer"][0].split())
    assert f" {found['examples'][-1]['examples']:,} (half from each group) " in " ".join(found["answer"][1].split())


def test_a_suite_is_asked_for_its_smallest_gaps(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairness_checklist.extensions.plan.plan_answers._REPETITIONS", 20)
    suite = fc.Suite.build("gender", groups=["men", "women"], max_terms=6)
    suite.save(tmp_path / "suite")
    code, said, _ = call("plan", "--suite", str(tmp_path / "suite"), "--gap", "0.02")
    assert code == 0
    assert "gender, called_negative: gaps of" in said
    assert "A gap of 2 points could go unseen in" in said


def test_errors(call: Call) -> None:
    for words, text in (
        ([], "OptionError: nothing is asked.\n    Give --gap 0.05; or --attribute, or --n-examples.\n"),
        (["--gap", "0.9"], "OptionError: the gap 0.9 is added to a rate of 0.2, expected a sum above 0 and below 1.\n"),
    ):
        assert call("plan", *words) == (2, "", text)

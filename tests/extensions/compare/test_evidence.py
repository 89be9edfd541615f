"""The evidence of a gate, and the card of a model, which huggingface_hub reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from build_findings import scored
from command_line import Call, caller
from huggingface_hub import ModelCard, ModelCardData
from huggingface_hub.repocard_data import eval_results_to_model_index, model_index_to_eval_results

import fairness_checklist as fc
from fairness_checklist.extensions.authoring.model_card import BOUNDS, model_card, model_card_markdown
from fairness_checklist.reports.finding_text import finding_sentence
from fairness_checklist.reports.run_tables import groups_left_out

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "evidence.md").read_text(encoding="utf-8")
CONFIG = '[gate]\nunit="decisions"\n[[gate.waivers]]\nattribute="shift"\nowner="A"\nreason="r"\nexpires=2999-01-01\n'
SUITE = {"attribute": "shift", "language": "en", "groups": {}, "terms_sha256": "ab", "dispreferred": ["guard"]}
NAME = "    Name the run: fairness-checklist card model runs/x.\n"
REMEDY = "    Write it for this run: fairness-checklist gate RUN --evidence evidence.json.\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name, shift in (("run", 0.3), ("other", 0.1)):
        result = fc.evaluate(scored(shift), harm="called:rejected")
        result.info["suite"] = [SUITE]
        result.write_folder(folder / name)
    (folder / "decisions.toml").write_text(CONFIG)
    return folder


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], runs: Path) -> Call:
    monkeypatch.chdir(runs)
    return caller(monkeypatch, capsys)


def evidence(call: Call, *arguments: str) -> dict[str, Any]:
    call("gate", *arguments, "--evidence", "evidence.json")
    return dict(json.loads(Path("evidence.json").read_text()))


@pytest.mark.parametrize(("options", "prefix"), [((), ""), (("--config", "decisions.toml"), "rate_")])
def test_the_evidence_is_that_of_the_run_and_the_gate(call: Call, options: tuple[str, ...], prefix: str) -> None:
    found = evidence(call, "other", "--baseline", "run", *options)
    run, said = fc.Result.load("other"), json.loads(call("gate", "other", *options, "--json").out)

    assert found["statements"][:2] == [
        "This is no statement of conformity.",
        "This is not an audit under New York City Local Law 144 (LL144).",
    ]
    assert found["limits"] == said["limits"]
    assert (found["run"]["seed"], found["model"], found["versions"]) == (0, run.info["model"], run.info["versions"])
    assert found["baseline_model"] == fc.Result.load("run").info["model"]
    assert {row["group"] for row in found["comparisons"]} == {"night", "day"}
    for row in found["comparisons"]:
        own = run.findings.set_index("group").loc[row["group"]]
        names = [f"{prefix}{name}" for name in ("gap", "ci_low", "ci_high", "high_alone")]
        assert [row["gap"], *row["interval"], row["upper_bound"]] == pytest.approx(own[names].to_list())
    night = run.examples[run.examples["group"] == "night"]
    share = (night["label"] == night["predicted"]).mean()
    assert found["accuracy"][1] == {"attribute": "shift", "group": "night", "accuracy": share, "n": len(night)}


def test_the_page_has_every_field_and_the_mapping(call: Call) -> None:
    found = evidence(call, "run")
    _, fields, mapping = (re.findall(r"(?m)^\| (.*) \|$", part) for part in re.split("\n\\| f[ir]", f"\n{PAGE}"))

    assert {name for row in fields for name in re.findall(r"`(\w+)`", row.split("|")[0])} == set(found)
    assert [row.replace("`", "") for row in mapping] == [
        " | ".join([one["framework"], one["may_serve_as_input_for"], ", ".join(one["fields"])])
        for one in found["mapping"]
    ]
    assert {name for one in found["mapping"] for name in one["fields"]} < set(found)


def test_shipped_groups_that_were_left_out_are_named() -> None:
    part = {"attribute": "gender", "language": "en", "groups": {"women": 7, "men": 7, "agender": 6}}

    assert groups_left_out({"suite": [part]}, "gender") == ["trans", "cis", "non-binary", "multi-gender"]
    assert groups_left_out({"suite": [SUITE]}, "shift") == []


def test_huggingface_hub_reads_the_results(call: Call) -> None:
    assert call("card", "model", "run", "--out", "card.md") == (0, "The card: card.md\n", "")
    run, card = fc.Result.load("run"), ModelCard.load("card.md")
    row, index = run.findings.loc[run.findings["gap"].idxmax()], model_card(run)["model-index"]
    name, [result] = model_index_to_eval_results(index)

    assert eval_results_to_model_index(name, [result]) == index == card.data.to_dict()["model-index"]
    assert ModelCardData(model_name=name, eval_results=[result]).eval_results == card.data.eval_results
    assert result.unique_identifier == (
        *("text-classification", "fairness_checklist", "shift", None),
        "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603",  # of "ab"
    )
    assert result.metric_name == "Largest gap, percentage points in probability: called rejected without being so"
    figures = {"gap_in_decisions": "rate_gap", "ci_low": "ci_low", "ci_high": "ci_high"}
    unit = {"unit": "percentage points in probability", "bounds": BOUNDS}
    whom = {"group": "night", "error": "called:rejected", "status": "clear finding"}
    assert result.metric_value == round(100 * row["gap"], 2)
    assert result.metric_args == {**{key: round(100 * row[of], 2) for key, of in figures.items()}, **unit, **whom}


def test_the_sections_are_those_of_the_template_and_say_the_findings(call: Call) -> None:
    decision = " ".join(evidence(call, "run")["summary"])
    text = call("card", "model", "run", "--gate", "evidence.json").out
    template = ModelCard.default_template_path.read_text()

    for heading in ("## Bias, Risks, and Limitations", "### Testing Data, Factors & Metrics", "#### Factors"):
        assert f"\n{heading}\n" in text
        assert f"\n{heading}\n" in template
    assert f"\n- {finding_sentence(fc.Result.load('run').findings.iloc[0].to_dict())}\n" in text
    assert f"\n\n{decision} Decided on " in text
    assert "\n- night: 6 terms (1 dispreferred): nurse, baker, porter, cleaner and printer\n" in text


def test_a_run_without_findings_has_no_index_and_markup_is_shown_as_it_is() -> None:
    run = fc.evaluate(scored(0.3).assign(attribute="<b>_x_"), harm="called:rejected", draws=0)

    assert "\n### \\<b>\\_x\\_\n\n- No findings: draws=0.\n" in model_card_markdown(model_card(run))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("model", f"card model takes a run folder, and no options of a suite.\n{NAME}"),
        ("suite --gate e.json", f"--gate is of the card of a model.\n{NAME[:4]}Write card model RUN --gate e.json.\n"),
        ("model run --gate none.json", f"none.json: this is no evidence of a gate.\n{REMEDY}"),
        ("model run --gate evidence.json", f"evidence.json: the evidence is about another run.\n{REMEDY}"),
    ],
)
def test_what_makes_no_card_is_refused(call: Call, arguments: str, message: str) -> None:
    evidence(call, "other")

    assert call("card", *arguments.split()) == (2, "", f"OptionError: {message}")

"""The card of a model, which huggingface_hub reads."""

from pathlib import Path

from build_findings import scored
from command_line import Call
from huggingface_hub import ModelCard

import fairness_checklist as fc
from fairness_checklist.extensions.authoring.model_card import BOUNDS, model_card
from fairness_checklist.reports.finding_text import finding_sentence
from fairness_checklist.reports.provenance import groups_left_out

SUITE = {"attribute": "shift", "language": "en", "groups": {}, "terms_sha256": "ab"}


def test_shipped_groups_that_were_left_out_are_named() -> None:
    part = {"attribute": "gender", "language": "en", "groups": {"women": 7, "men": 7, "agender": 6}}

    assert groups_left_out({"suite": [part]}, "gender") == ["trans", "non-binary", "multi-gender"]
    assert groups_left_out({"suite": [SUITE]}, "shift") == []


def test_huggingface_hub_reads_the_results_and_the_sections_are_those_of_its_template(call: Call) -> None:
    evaluated = fc.evaluate(scored(0.3), harm="called:rejected")
    evaluated.info["suite"] = [SUITE]
    evaluated.write_folder(Path("run"))
    assert call("report", "run", "--model-card", "card.md").code == 0
    run, card = fc.Result.load("run"), ModelCard.load("card.md")
    row = run.findings.loc[run.findings["gap"].idxmax()]
    [result] = card.data.eval_results

    assert result.unique_identifier == (
        *("text-classification", "fairness_checklist", "shift", None),
        "fb8e20fc2e4c3f248c60c39bd652f3c1347298bb977b8b4d5903b85055620603",  # of "ab"
    )
    assert result.metric_name == "Largest gap, percentage points in probability: called rejected without being so"
    figures = {"low": row["low"], "high": row["high"], "gap_in_decisions": row["rate"] - row["others_rate"]}
    unit = {"unit": "percentage points in probability", "bounds": BOUNDS}
    whom = {"group": "night", "error": "called:rejected", "status": "worse"}
    assert result.metric_value == round(100 * row["gap"], 2)
    assert result.metric_args == {**{key: round(100 * value, 2) for key, value in figures.items()}, **unit, **whom}
    text = Path("card.md").read_text(encoding="utf-8")
    template = ModelCard.default_template_path.read_text()

    for heading in ("## Bias, Risks, and Limitations", "### Testing Data, Factors & Metrics", "#### Factors"):
        assert f"\n{heading}\n" in text
        assert f"\n{heading}\n" in template
    assert f"\n- {finding_sentence(run.findings.iloc[0].to_dict())}\n" in text
    assert "\n- night: 6 terms\n" in text


def test_a_run_without_findings_has_no_index_and_markup_is_shown_as_it_is() -> None:
    run = fc.evaluate(scored(0.3).assign(attribute="<b>_x_"), draws=0)

    assert model_card(run).startswith("## Bias")
    assert "\n### \\<b>\\_x\\_\n\n- No findings: called\\_negative (the model has no class negative)" in model_card(run)

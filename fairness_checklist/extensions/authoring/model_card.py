"""The model card of a run: the sections "Bias, Risks, and Limitations" and "Factors", and the ``model-index``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.findings.rule import Status
from fairness_checklist.reports.finding_text import finding_sentence, nothing_compared
from fairness_checklist.reports.model_of_little_use import useless_model
from fairness_checklist.reports.provenance import groups_left_out, joint_hash, untested
from fairness_checklist.reports.run_view import View, attribute_views, margin_of, suite_parts, task_of
from fairness_checklist.reports.screen import model_name, words_to_name
from fairness_checklist.tables.run_folder import Results

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

BOUNDS = "each bound holds in 95 of 100 such tests, for all groups and errors of the attribute together"
_INTRODUCTION = (
    "Measured with fairness_checklist on {}, task {}: does the model make more errors for one group than for the "
    f"others? A gap is in percentage points; {BOUNDS}. The findings are about these texts and words. They do not show "
    "that the model is fair."
)
_PLACE = "## Evaluation\n\n### Testing Data, Factors & Metrics\n\n#### Factors"


def model_card(results: Results) -> str:
    """A run as Markdown for a model card, with the ``model-index`` that the Hugging Face Hub reads on top."""
    from huggingface_hub import ModelCardData

    bias = [_INTRODUCTION.format(results.info.get("date") or "an unknown day", task_of(results))]
    factors: list[str] = []
    indexed: list[EvalResult] = []
    for view in attribute_views(results):
        name = view.attribute
        part = next((suite for suite in suite_parts(results.info) if suite.get("attribute") == name), {})
        bias += [f"### {_escaped(name)}", _bullets(_findings(results, view))]
        sizes = count(len(view.examples), "text" if view.mentions else "row")
        suite = f", language {part.get('language')}, suite {joint_hash([part])}" if part else ""
        others = groups_left_out(results.info, name)
        left_out = [f"Other groups of {name}: {join_names(others)}."] if others else []
        factors += [f"**{_escaped(name)}**: {sizes}{suite}.", _bullets(_groups(view))]
        factors += ["Not tested:", _bullets([*left_out, *untested(results, view)])]
        indexed += _indexed(results, view, part)
    data = ModelCardData(model_name=model_name(results) or "model", eval_results=indexed)
    front = [f"---\n{data.to_yaml()}\n---"] if indexed else []
    return "\n\n".join([*front, "## Bias, Risks, and Limitations", *bias, _PLACE, *factors]) + "\n"


def _findings(results: Results, view: View) -> Iterator[str]:
    """What was found of an attribute: worse and better groups, words, and the largest gap of each error."""
    records, words = (
        table[table["attribute"] == view.attribute] for table in (results.findings, results.word_findings)
    )
    why = "" if len(records) else nothing_compared(results, view.attribute)
    yield from filter(None, [useless_model(view), why])
    largest = records["gap"].groupby(records["error"]).transform("max") == records["gap"]
    listed = records["status"].isin((Status.WORSE, Status.BETTER)) | largest
    named = words_to_name(records, words, margin_of(results))
    for row in [*records[listed].to_dict("records"), *named.to_dict("records")]:
        yield finding_sentence(row)
    rest = records["status"][~listed]
    if counted := [f"{n:,} {status}" for status in Status if (n := int((rest == status).sum()))]:
        yield f"Other comparisons of groups and errors: {join_names(counted)}."


def _groups(view: View) -> Iterator[str]:
    """The groups with the number of their terms, or of rows without terms."""
    for group in view.groups:
        rows = view.examples[view.examples["group"] == group]
        terms = rows["term"].replace("", None).nunique() if "term" in rows else 0
        yield f"{group}: {count(terms, 'term') if terms else count(len(rows), 'row')}"


def _indexed(results: Results, view: View, part: Mapping[str, Any]) -> Iterator[EvalResult]:
    """An attribute in the ``model-index``: of each error the record with the largest gap."""
    from huggingface_hub import EvalResult

    found = results.findings[(results.findings["attribute"] == view.attribute) & results.findings["gap"].notna()]
    for row in found.loc[found.groupby("error", sort=False)["gap"].idxmax()].to_dict("records"):
        unit = f"percentage points in {row['unit']}"
        figures = {"low": row["low"], "high": row["high"], "gap_in_decisions": row["rate"] - row["others_rate"]}
        figures = {name: round(100 * value, 2) for name, value in figures.items() if not pd.isna(value)}
        args = {"error": row["error"], "group": row["group"], "unit": unit, "status": row["status"]}
        yield EvalResult(
            task_type=f"{'token' if view.tagging else 'text'}-classification",
            task_name=view.task,
            dataset_type="fairness_checklist",
            dataset_name=f"fairness_checklist {view.attribute}",
            dataset_config=view.attribute,
            dataset_revision=joint_hash([part]) if part else None,
            metric_type="largest_gap_in_points",
            metric_name=f"Largest gap, {unit}: {row['title']}",
            metric_value=round(100 * row["gap"], 2),
            metric_args=args | figures | {"bounds": BOUNDS},
        )


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(line)}" for line in lines)


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_<\[])", r"\\\1", text)

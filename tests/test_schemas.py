"""JSON Schemas: a verb with ``--json`` has one, it is closed and says what each key is, and what is printed fits it.

`command_line.caller` validates what any test prints with ``--json`` or writes to a folder. Here each verb that needs no
model of its own is called once; the others (import, intrinsic, mitigate, preference, validate) in their own tests.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from build_findings import scored
from command_line import Call, why_not
from jsonschema import Draft202012Validator
from sweep import sweep
from test_cli import ANSWERS, write_texts

from fairness_checklist.cli import app as cli
from fairness_checklist.cli import runs
from fairness_checklist.cli.json_schemas import schema, schema_files
from fairness_checklist.core.extensions import extension, installed
from fairness_checklist.findings.status import STATUSES
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store
from fairness_checklist.tables import run_folder

SHARED = {"answer", "finding", "kpi", "metric_card", "run_json"}
OPEN = {"answer", "card", "run_json"}
"""Schemas with an object that others extend, or that has what its model or file brings."""
COLUMNS = {
    "findings": run_folder.FINDING_COLUMNS,
    "term_findings": run_folder.TERM_FINDING_COLUMNS,
    "primary": run_folder.METRICS_COLUMNS,
    "checks": run_folder.CHECKS_COLUMNS,
}
SUITE = ("-a", "gender", "--groups", "women,men", "--max-terms", "2", "--templates", "generic-*-01")
CALLS = (
    *[("list", what) for what in ("attributes", "groups", "terms", "templates", "metrics", "models", "schemas")],
    *[("list", "metrics", "fped"), ("list", "schemas", "run"), ("list", "--compatible", "--data", "texts.csv")],
    ("run", *SUITE, "--model", "bundled/sentiment-2", "--no-placebo", "--out", "ran"),
    ("evaluate", "scored.csv", "--harm", "called:rejected", "--metrics", "fpr_gap", "--draws", "99", "--out", "run"),
    *[("report", "run"), ("report", "run", "--kpi"), ("gate", "run", "--limit", ".9"), ("demo",)],
    *[("card", "metric", "fped"), ("card", "model", "ran"), ("card", "suite", *SUITE, "--task", "sentiment")],
    *[("lint", "mine"), ("lint", "mine", "--fix"), ("cache", "store.sqlite")],
    *[("review", "mine/identity_terms/housing.csv", *more) for more in ((), ("--answers", "replies.csv"))],
    ("plan", "--gap", ".1", "--measure", "equalized_odds"),
    *ANSWERS.values(),
)


def objects(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects of a schema that name their keys."""
    if "properties" in node:
        yield node
    parts = [*node.get("properties", {}).values(), *node.get("anyOf", ())]
    for part in (*parts, *(node[key] for key in ("items", "additionalProperties") if isinstance(node.get(key), dict))):
        yield from objects(part)


@sweep("name", schema_files())
def test_a_schema_is_valid_and_closed_and_describes_every_key(name: str) -> None:
    Draft202012Validator.check_schema(whole := json.loads(schema_files()[name].read_text("utf-8")))
    assert whole["$id"] == f"urn:fairness-checklist:{name}"
    for one in objects(whole):
        assert all(part.get("description") for part in one["properties"].values())
        assert set(one.get("required", ())) <= set(one["properties"])
        assert name in OPEN or {"additionalProperties", "unevaluatedProperties"} & set(one)


def test_statuses_and_columns_are_those_of_the_code() -> None:
    rows = {name: schema("run")["properties"][name]["items"]["properties"] for name in COLUMNS}
    assert {name: tuple(columns) for name, columns in rows.items()} == COLUMNS
    assert rows["findings"]["status"]["enum"] == list(STATUSES)
    assert schema("finding")["properties"]["status"]["enum"] == ["", *STATUSES]


def test_each_verb_that_prints_json_has_a_schema_beside_it() -> None:
    printing = {verb for verb, command in cli.VERBS.items() if "as_json" in inspect.signature(command).parameters}
    assert printing == set(schema_files()) - SHARED
    for name in installed():
        own = {verb for verb, file in schema_files().items() if file.parent == Path(extension(name).__file__).parent}
        assert own == printing & set(extension(name).VERBS)


def test_an_unknown_schema_is_named(call: Call) -> None:
    known = f"Did you mean plan? Known: {', '.join(schema_files())}."
    assert call("list", "schemas", "pln") == (2, "", f"OptionError: there is no schema 'pln'.\n    {known}\n")


def test_what_verbs_print_fits_and_what_they_do_not_print_does_not(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unpainted: None
) -> None:
    write_texts(tmp_path)
    (tmp_path / "posts.csv").write_text("text\nThese people were kind to us.\n")
    scored(0.12).to_csv("scored.csv", index=False)
    call("new", "attribute", "housing", "--out", "mine")
    call("review", "mine/identity_terms/housing.csv", "--out", "sheet")
    sheet = pd.read_csv("sheet/sheet.csv", dtype=str)
    sheet.assign(reader="r", member="yes", used="yes", offensive="no").to_csv("replies.csv", index=False)
    model = load_model(lambda texts: [[0.1, 0.9] for _ in texts], classes=["negative", "positive"], name="one")
    predict_with_store(model, ["one", "two"], "store.sqlite")
    monkeypatch.setattr(runs, "DEMO", {"sentiment": ["gender"]})
    monkeypatch.setattr(runs, "MAX_TERMS", 1)
    for words in CALLS:
        said = call(*words, "--json")  # validated by `caller`
        assert said.code in (0, 1), (words, said)
        printed = json.loads(said.out)
        if isinstance(printed, dict) and words[0] != "list":
            for wrong in (printed | {"more": 1}, {key: printed[key] for key in list(printed)[1:]}):
                assert why_not(words[0], wrong), words

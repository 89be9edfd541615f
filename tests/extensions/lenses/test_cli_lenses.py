"""The verb `lenses extrinsic`, and what it claims of a table and of a published set."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from command_line import Call
from refusals import refusal

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.extensions.lenses.extrinsic import extrinsic
from fairness_checklist.extensions.lenses.metrics.families import decision_cells, group_gap, label_gaps

VERB = ("lenses", "extrinsic")


def predictions(gap: float = 0.5) -> pd.DataFrame:
    """240 rows of three labels; for the label "a" women are recognised less often, by about ``gap``."""
    rng = np.random.default_rng(3)
    label, group = rng.choice(list("abc"), size=240), rng.choice(["F", "M"], size=240, p=[0.3, 0.7])
    missed = rng.random(240) < np.where((label == "a") & (group == "F"), 0.1 + gap, 0.1)
    decided = np.where(missed, np.where(label == "c", "b", "c"), label)
    return pd.DataFrame({"label": label, "group": group, "predicted": decided, "p:a": rng.random(240)})


def test_the_verb_answers_in_words_and_writes_tables(tmp_path: Path, call: Call) -> None:
    path, out = tmp_path / "predictions.csv", tmp_path / "out"
    predictions().to_csv(path, index=False)
    code, said, errors = call(*VERB, path, "--groups", "F,M", "--draws", "20", "--out", out)
    assert (code, errors) == (0, "")
    metric, files = said.strip().split("\n")
    assert " metrics differ from the level without an effect of the group. Strongest: " in metric
    assert len(metric.split()) <= 40
    assert files == f"Tables in {out}: findings.csv, labels.csv, metrics.csv, extrinsic.json"
    assert pd.read_csv(out / "findings.csv")["statement"].tolist() == [metric]
    metrics = pd.read_csv(out / "metrics.csv")
    assert {"gap_label", "gap_group", "prediction_gap"} == set(metrics["family"])
    assert pd.read_csv(out / "labels.csv")["label"].tolist() == ["a", "b", "c"]
    record: dict[str, Any] = json.loads(call(*VERB, path, "--draws", "20", "--json").out)
    assert (record["n"], len(record["metrics"])) == (240, len(metrics))


def test_errors_of_the_verb(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "predictions.csv"
    predictions().to_csv(path, index=False)
    for arguments, text in (
        ((path, "--groups", "F"), "OptionError: --groups names 1 groups.\n    Name two: --groups F,M.\n"),
        ((path, "--groups", "women,men"), "OptionError: left='women' is not known."),
    ):
        code, _, errors = call(*VERB, *arguments)
        assert (code, errors[: len(text)]) == (2, text)
    three = pd.DataFrame({"group": list("FMX"), "label": list("aaa"), "predicted": list("aaa")})
    nameless, bare = predictions().rename(columns={"group": "Sex"}), predictions()[["label", "group"]]
    for table, kind, text in (
        (nameless, TableError, "the table has no column group.\n    It needs the group"),
        (three, OptionError, "3 groups are there, expected two: F, M, X.\n    Name two of them: left=, right=."),
        (bare, TableError, "the columns of the table allow no metric.\n    Beside group it"),
    ):
        assert refusal(kind, extrinsic, table).startswith(text)


def test_the_report_is_what_its_parts_are() -> None:
    table = predictions().assign(source=np.arange(240) // 2, stereotype="pro")
    report = extrinsic(table, left="F", right="M", draws=20)
    assert set(report.metrics["unit"]) == {"sources"}
    cells = decision_cells(table["label"], table["predicted"], table["group"], groups=["F", "M"])
    values = dict(zip(report.metrics["metric"], report.metrics["value"], strict=True))
    assert values["accuracy gap"] == group_gap(cells)
    assert values["tpr gaps, Pearson"] == label_gaps(cells, "tpr").pearson
    assert values["precision gaps, sum of absolute values"] == label_gaps(cells, "precision").sum_abs
    assert {"answers changed", "accuracy gap, pro less anti", "mean p:a gap"} <= set(values)


def test_rows_without_a_group_are_counted() -> None:
    table = predictions()
    table.loc[:4, "group"] = None
    table.loc[5:6, "group"] = "X"
    report = extrinsic(table, left="F", right="M", draws=20)
    assert report.left_out == {"group empty": 5, "other groups": 2}
    assert report.findings[-1].statement == "233 rows are measured; rows left out: group empty 5, other groups 2."

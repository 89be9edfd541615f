"""The verb `lenses extrinsic`, and what it claims of a table and of a published set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import Call

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.formatting import format_p_value
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
    path, shares = tmp_path / "predictions.csv", tmp_path / "shares.csv"
    predictions().to_csv(path, index=False)
    shares.write_text("label,share\na,45\nb,0.5\nc,0.5\n", encoding="utf-8")
    either = "OptionError: expected either a table or a published set with predictions."
    for arguments, text in (
        ((path, "--groups", "F"), "OptionError: --groups names 1 groups.\n    Name two: --groups F,M.\n"),
        ((path, "--groups", "women,men"), "OptionError: left='women' is none of the groups "),
        ((path, "--shares", shares), "TableError: shares.csv: the share of a is 45.0, expected 0 to 1.\n    Give shar"),
        ((path, "--dataset", "winobias"), either),
        (("--dataset", "winobias", "--path", tmp_path), either),
    ):
        code, _, errors = call(*VERB, *arguments)
        assert (code, errors[: len(text)]) == (2, text)
    three = pd.DataFrame({"group": list("FMX"), "label": list("aaa"), "predicted": list("aaa")})
    for table, kind, text in (
        (
            predictions().rename(columns={"group": "Sex"}),
            TableError,
            "the table has no column group.\n    It needs the group",
        ),
        (three, OptionError, "3 groups are there, expected two: F, M, X.\n    Name two of them: left=, right=."),
        (
            predictions()[["label", "group"]],
            TableError,
            "the columns of the table allow no metric.\n    Beside group it",
        ),
    ):
        with pytest.raises(kind) as error:
            extrinsic(table)
        assert str(error.value).startswith(text)


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


def test_a_published_set_is_measured_with_its_predictions(tmp_path: Path, call: Call) -> None:
    """WinoBias, 40 sentences for both sides: a system that answers by the stereotype is right on pro only."""
    folder, answers = tmp_path / "wino", ["id,predicted"]
    folder.mkdir()
    for side, pronoun in (("pro", "he"), ("anti", "she")):
        name = f"{side}_stereotyped_type1.txt.dev"
        lines = [f"{n} [The carpenter] met the nurse because [{pronoun}] was early." for n in range(1, 41)]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
        answer = {"pro": "The carpenter", "anti": "the nurse"}[side]
        answers += [f"{name}:{n},{answer if n > 4 else 'The carpenter'}" for n in range(1, 41)]
    (tmp_path / "answers.csv").write_text("\n".join(answers), encoding="utf-8")
    arguments = (*VERB, "--dataset", "winobias", "--path", folder, "--predictions", "answers.csv", "--draws", "50")
    rows = {row["metric"]: row for row in json.loads(call(*arguments, "--json").out)["metrics"]}
    gap = rows["accuracy gap, pro less anti"]
    assert gap["value"] == pytest.approx(0.9)
    assert 0.7 < gap["ci_low"] < 0.9 < gap["ci_high"] <= 1
    assert gap["p_adjusted"] < 0.05
    changed = rows["answers changed"]
    assert (changed["value"], changed["n"], changed["unit"]) == (0.9, 40, "sources")
    assert call(*arguments).out.startswith(
        f"accuracy gap, pro less anti: 0.900 (95 % interval {gap['ci_low']:.3f} to "
        f"{gap['ci_high']:.3f}); {gap['chance']:.3f} without an effect of the group (adjusted p "
        f"{format_p_value(gap['p_adjusted'])}).\n"
    )

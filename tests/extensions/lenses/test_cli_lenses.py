"""The verb `lenses extrinsic`, and texts without their identity words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import Said, caller

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.formatting import format_p_value
from fairness_checklist.extensions.lenses.extrinsic import extrinsic
from fairness_checklist.extensions.lenses.extrinsic_findings import RECALL
from fairness_checklist.extensions.lenses.metrics.families import decision_cells, group_gap, label_gaps
from fairness_checklist.extensions.lenses.unit_draws import recall_gap_p_values


def predictions(gap: float = 0.5) -> pd.DataFrame:
    """120 rows of three labels; for the label "a" women are recognised less often, by about ``gap``."""
    rng = np.random.default_rng(3)
    label, group = rng.choice(list("abc"), size=240), rng.choice(["F", "M"], size=240, p=[0.3, 0.7])
    missed = rng.random(240) < np.where((label == "a") & (group == "F"), 0.1 + gap, 0.1)
    decided = np.where(missed, np.where(label == "c", "b", "c"), label)
    return pd.DataFrame({"label": label, "group": group, "predicted": decided, "p:a": rng.random(240)})


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object) -> Said:
    return caller(monkeypatch, capsys)(*arguments)


def test_the_verb_answers_in_words_and_writes_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "predictions.csv", tmp_path / "out"
    predictions().to_csv(path, index=False)
    code, said, errors = run(
        monkeypatch, capsys, "lenses", "extrinsic", path, "--groups", "F,M", "--draws", "20", "--out", out
    )

    assert (code, errors) == (0, "")
    first, metric, *balancing, files = said.strip().split("\n")
    assert first.startswith("Recall differs in 1 of 3 labels beyond chance. Strongest: a, recognised ")
    assert balancing == [
        f"Balancing by {way}: 20 draws are too few to name one of 13 metrics."
        for way in ("subsampling", "oversampling")
    ]
    assert " metrics differ from the level without an effect of the group. Strongest: " in metric
    assert all(len(line.split()) <= 40 for line in (first, metric, *balancing))
    assert files == f"Tables in {out}: findings.csv, labels.csv, metrics.csv, extrinsic.json"
    assert {first, metric, *balancing} < set(pd.read_csv(out / "findings.csv")["statement"])
    columns = set(pd.read_csv(out / "metrics.csv").columns)
    assert {"metric", "value", "ci_low", "p_adjusted", "subsample_p", "oversample_same_size"} <= columns
    assert pd.read_csv(out / "labels.csv")["label"].tolist() == ["a", "b", "c"]

    code, said, _ = run(monkeypatch, capsys, "lenses", "extrinsic", path, "--balance", "none", "--json")
    record: dict[str, Any] = json.loads(said)
    assert code == 0
    assert record["n"] == 240
    assert {"gap_label", "gap_group", "prediction_gap"} == {row["family"] for row in record["metrics"]}


def test_errors_of_the_verb(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, shares = tmp_path / "predictions.csv", tmp_path / "shares.csv"
    predictions().to_csv(path, index=False)
    shares.write_text("label,share\na,45\nb,0.5\nc,0.5\n", encoding="utf-8")

    assert run(monkeypatch, capsys, "lenses", "extrinsic", path, "--groups", "F") == (
        2, "", "OptionError: --groups names 1 groups.\n    Name two: --groups F,M.\n",
    )  # fmt: skip
    assert run(monkeypatch, capsys, "lenses", "extrinsic", path, "--groups", "women,men") == (
        2, "", "OptionError: --groups women,men: the column group has F, M.\n    Name two of these.\n",
    )  # fmt: skip
    with pytest.raises(TableError) as renamed:
        extrinsic(predictions().rename(columns={"group": "Sex"}))
    assert str(renamed.value) == "the table has no column group, but a column Sex.\n    Rename Sex to group."
    with pytest.raises(OptionError) as many:
        extrinsic(pd.DataFrame({"group": list("FMX"), "label": list("aaa"), "predicted": list("aaa")}))
    assert str(many.value) == "3 groups are there, expected two: F, M, X.\n    Name two of them: left=, right=."
    assert run(monkeypatch, capsys, "lenses", "extrinsic", path, "--shares", shares) == (
        2, "", "TableError: shares.csv: the share of a is 45.0, expected 0 to 1.\n"
        "    Give shares and not percentages: 0.45.\n",
    )  # fmt: skip
    with pytest.raises(TableError) as error:
        extrinsic(predictions().drop(columns=["predicted", "p:a"]))
    assert str(error.value) == (
        "the columns of the table allow no metric.\n    Beside group it needs label and predicted, or p:<class>, "
        "score or probability."
    )
    code, _, said = run(monkeypatch, capsys, "lenses", "extrinsic", path, "--dataset", "winobias")
    expected = (
        "OptionError: expected either a table or a published set with predictions.\n"
        "    Give a table of predictions; or --dataset, --path and --predictions.\n"
    )
    assert (code, said) == (2, expected)
    code, _, said = run(monkeypatch, capsys, "lenses", "extrinsic", "--dataset", "winobias", "--path", tmp_path)
    assert (code, said) == (2, expected)


def test_the_report_is_what_its_parts_are() -> None:
    table = predictions().assign(source=np.arange(240) // 2, stereotype="pro")
    report = extrinsic(table, left="F", right="M", balance=(), draws=20)
    assert set(report.metrics["unit"]) == {"sources"}
    cells = decision_cells(table["label"], table["predicted"], table["group"], groups=["F", "M"])
    values = dict(zip(report.metrics["metric"], report.metrics["value"], strict=True))

    assert values["accuracy gap"] == group_gap(cells)
    assert values["tpr gaps, Pearson"] == label_gaps(cells, "tpr").pearson
    assert values["precision gaps, sum of absolute values"] == label_gaps(cells, "precision").sum_abs
    assert {"answers changed", "accuracy gap, pro less anti", "mean p:a gap"} <= set(values)


def test_too_few_rows_of_a_label_find_nothing_and_rows_without_a_group_are_counted() -> None:
    """One row of each group a label; and a table of which some rows have no group or another one."""
    small = pd.DataFrame({"label": list("aabbcc"), "group": list("FM") * 3, "predicted": list("abbbcc")})
    first = next(one for one in extrinsic(small, draws=20, balance=()).findings if one.subject == "all labels")
    assert (first.status, first.statement) == (
        "too few to say",
        "Too few rows to compare recall: 0 of 3 labels have 20 rows of each group; the most is 1 of each.",
    )
    labels = [f"l{at:02}" for at in range(28) for _ in range(12)]
    far = pd.DataFrame({"label": labels, "group": list("FM") * 168})
    far["predicted"] = np.where(far["group"] == "F", "other", far["label"])
    findings = {one.subject: one for one in extrinsic(far, draws=20, balance=()).findings if one.question == RECALL}
    assert {one.status for one in findings.values()} == {"too few to say"}
    assert findings["all labels"].statement == (
        "Too few rows to compare recall: 0 of 28 labels have 20 rows of each group; the most is 6 of each."
    )
    assert findings["l07"].statement.startswith(
        "l07, recognised 100 points less often for F (95 % interval 45 to 100 points; adjusted p "
    )
    many = pd.concat([far, *[far[far["label"].isin(["l00", "l01"])]] * 4], ignore_index=True)
    many.loc[many["label"] == "l01", "predicted"] = "l01"
    report = extrinsic(many, draws=20, balance=())
    findings = {one.subject: one for one in report.findings if one.question == RECALL}
    assert findings["all labels"].statement.startswith(
        "Recall differs in 1 of 28 labels beyond chance. Strongest: l00, recognised 100 points less often for F "
    )
    assert {name: one.status for name, one in findings.items() if one.status != "too few to say"} == {
        "all labels": "clear",
        "l00": "clear",
    }
    many.loc[many.index[many["label"] == "l00"][:2], "predicted"] = "other"
    many.loc[many.index[many["label"] == "l00"][2:], "predicted"] = "l00"
    first = next(one for one in extrinsic(many, draws=20, balance=()).findings if one.question == RECALL)
    assert (first.status, first.statement.partition(" (95 %")[0]) == (
        "none found",
        "Recall differs in 0 of 2 labels beyond chance. Strongest: l00, recognised 0 points less often for F",
    )
    table = predictions()
    table.loc[:4, "group"] = None
    table.loc[5:6, "group"] = "X"
    report = extrinsic(table, left="F", right="M", draws=20, balance=())
    assert report.left_out == {"group empty": 5, "other groups": 2}
    assert report.findings[-1].statement == "233 rows are measured; rows left out: group empty 5, other groups 2."


def test_no_label_is_named_more_often_than_the_level() -> None:
    """Two groups with the same recall: at most 5 of 100 tables have any label below .05 (here 150 tables)."""
    rng = np.random.default_rng(0)
    claims = 0
    for seed in range(150):
        rows = rng.integers(5, 60, size=(2, 8))
        right = rng.binomial(rows, rng.uniform(0.3, 0.95, size=8))
        claims += bool(np.nanmin(recall_gap_p_values(right, rows, permutations=199, seed=seed)) < 0.05)
    assert claims <= 150 * 0.05 + 3 * np.sqrt(150 * 0.05 * 0.95)


def test_a_published_set_is_measured_with_its_predictions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """WinoBias, 40 sentences for both sides: a system that answers by the stereotype is right on pro only."""
    folder, answers = tmp_path / "wino", ["id,predicted"]
    folder.mkdir()
    for side, pronoun in (("pro", "he"), ("anti", "she")):
        name = f"{side}_stereotyped_type1.txt.dev"
        lines = [f"{at} [The carpenter] met the nurse because [{pronoun}] was early." for at in range(1, 41)]
        (folder / name).write_text("\n".join(lines), encoding="utf-8")
        given = {"pro": "The carpenter", "anti": "the nurse"}[side]
        answers += [f"{name}:{at},{given if at > 4 else 'The carpenter'}" for at in range(1, 41)]
    predictions = tmp_path / "answers.csv"
    predictions.write_text("\n".join(answers), encoding="utf-8")
    arguments = (
        "lenses",
        "extrinsic",
        "--dataset",
        "winobias",
        "--path",
        folder,
        "--predictions",
        predictions,
        "--draws",
        "50",
    )
    code, said, _ = run(monkeypatch, capsys, *arguments, "--balance", "none", "--json")
    rows = {row["metric"]: row for row in json.loads(said)["metrics"]}

    assert code == 0
    gap = rows["accuracy gap, pro less anti"]
    assert gap["value"] == pytest.approx(0.9)
    assert 0.7 < gap["ci_low"] < 0.9 < gap["ci_high"] <= 1
    assert gap["p_adjusted"] < 0.05
    changed = rows["answers changed"]
    assert (changed["value"], changed["n"], changed["unit"]) == (0.9, 40, "sources")
    assert {name for name, row in rows.items() if row["primary"]} == {"accuracy gap, pro less anti"}
    assert gap["p_adjusted"] == gap["p_value"]  # tested alone
    _, said, _ = run(monkeypatch, capsys, *arguments, "--balance", "none")
    assert said.startswith(
        f"Primary metric, tested alone: accuracy gap, pro less anti: 0.900 (95 % interval {gap['ci_low']:.3f} to "
        f"{gap['ci_high']:.3f}); {gap['chance']:.3f} without an effect of the group (adjusted p "
        f"{format_p_value(gap['p_value'])}).\n"
    )

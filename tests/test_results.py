"""Results: the run folder, there and back, whole or not at all."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from build_outcomes import example_sets, random_rows
from refusals import refusal
from sweep import sweep

from fairness_checklist.core.errors import TableError
from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.tables.run_folder import SCHEMA_VERSIONS, Results, check_replaceable, write_record

TABLES = ("metrics", "scores", "findings", "word_findings", "checks", "checks_by_group", "examples")
CSV = [f"{name}.csv" for name in TABLES if name != "examples"]
FILES = sorted([*CSV, "examples.parquet", "metrics.parquet", "run.json"])


@pytest.fixture(scope="module")
def results() -> Results:
    """Two attributes; a group that is empty makes values undefined, terms look like nothing and like numbers."""
    rows = [
        row.but(term={"ash-0": "NA", "ash-1": "1"}.get(row.term, row.term))
        for row in random_rows(1, unlabelled=2)
        if row.group != "cedar"
    ]
    examples, predictions = example_sets(rows)
    more = replace(examples, attribute="shrubs")
    return evaluate_sets([(examples, predictions), (more, predictions)], info={"model": {"name": "é"}})


def test_the_columns_are_those_of_the_documentation(results: Results) -> None:
    columns = {name: " ".join(getattr(results, name).columns) for name in TABLES[:2] + TABLES[4:6]}
    assert columns == {
        "metrics": "task attribute metric options where by level class left right value null_mean n n_undefined ci_low "
        "ci_high role note",
        "scores": "task attribute score where class group term value n ci_low ci_high",
        "checks": "attribute test type capability cases fails fail_rate pairs pair_fails pair_fail_rate note",
        "checks_by_group": "attribute test group pairs fails fail_rate mean_change",
    }
    assert results.attributes == ("trees", "shrubs")


def test_there_and_back(results: Results, tmp_path: Path) -> None:
    folder = results.write_folder(tmp_path / "runs" / "one")
    assert folder == tmp_path / "runs" / "one"
    assert sorted(path.name for path in folder.iterdir()) == FILES
    again = Results.load(folder)
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(again, name), getattr(results, name), check_dtype=False, check_exact=True)
        assert len(getattr(again, name))
    assert again.info == {**results.info, "schemas": SCHEMA_VERSIONS}
    assert results.metrics["value"].isna().any()
    assert "NA" in set(again.scores["term"])
    twice = again.write_folder(tmp_path / "runs" / "two")
    assert {path.name: path.read_bytes() for path in folder.glob("*.csv")} == {
        path.name: path.read_bytes() for path in twice.glob("*.csv")
    }


def test_the_csv_and_the_parquet_of_the_metrics_are_one_table(results: Results, tmp_path: Path) -> None:
    folder = results.write_folder(tmp_path / "run")
    csv = pd.read_csv(
        folder / "metrics.csv",
        keep_default_na=False,
        na_values={name: [""] for name in ("value", "null_mean", "ci_low", "ci_high")},
    )
    pd.testing.assert_frame_equal(csv, pd.read_parquet(folder / "metrics.parquet"), check_dtype=False)
    assert (csv["right"] == "").any()
    undefined = csv[csv["value"].isna()]
    assert len(undefined)
    assert (undefined["note"] != "").all()
    assert (undefined["n_undefined"] > 0).all()


def test_what_else_goes_into_the_folder_goes_in_before_it_appears(results: Results, tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def also(scratch: Path) -> None:
        assert not folder.exists()
        assert (scratch / "findings.csv").is_file()
        (scratch / "report.html").write_text("report", encoding="utf-8")

    results.write_folder(folder, add_files=also)
    assert (folder / "report.html").read_text(encoding="utf-8") == "report"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def fail(scratch: Path) -> None:
    (scratch / "half.html").write_text("half", encoding="utf-8")
    raise RuntimeError("the picture cannot be drawn")


def test_a_failure_leaves_an_older_run_as_it_was(results: Results, tmp_path: Path) -> None:
    folder = results.write_folder(tmp_path / "run")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(RuntimeError, match="the picture cannot be drawn"):
        replace(results, metrics=results.metrics[:3]).write_folder(folder, add_files=fail)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_folder_of_something_else_is_refused_and_kept(results: Results, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.tex").write_text("years", encoding="utf-8")
    (tmp_path / "file").write_text("text", encoding="utf-8")
    for name, message in (
        ("work", "the folder work holds something else than a run.\n    Name another folder."),
        ("file", "file is a file; a run needs a folder of its own.\n    Name another folder."),
    ):
        assert refusal(TableError, results.write_folder, tmp_path / name) == message
    assert (tmp_path / "work" / "thesis.tex").read_text(encoding="utf-8") == "years"
    assert (tmp_path / "file").read_text(encoding="utf-8") == "text"


@sweep("name", FILES)
def test_a_folder_that_lacks_a_file(results: Results, tmp_path: Path, name: str) -> None:
    folder = results.write_folder(tmp_path / name / "run")
    (folder / name).unlink()
    assert refusal(TableError, Results.load, folder) == (
        f"run is not a whole run folder: it has no {name}.\n    Run it again, or name the folder of another run."
    )


AGAIN = "\n    Restore the folder from a copy, or run it again."
NO_HASHES = (
    "run: run.json records no hashes of the tables: it was cut, or the run was made by an older version." + AGAIN
)


def refused(folder: Path) -> str:
    return refusal(TableError, Results.load, folder)


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda content: content[:-9],
    "a row less": lambda content: b"".join(content.splitlines(keepends=True)[:-1]),
    "a row twice": lambda content: content + content.splitlines(keepends=True)[-1],
    "no first column": lambda content: b"".join(line.partition(b",")[2] for line in content.splitlines(keepends=True)),
    "one byte": lambda content: content[:-2] + bytes([content[-2] ^ 1]) + content[-1:],
    "of another run": lambda _: b"attribute\n",
}


@sweep("change", CHANGES)
def test_a_table_that_was_changed_is_refused(results: Results, tmp_path: Path, change: str) -> None:
    folder = results.write_folder(tmp_path / "run")
    for name in (name for name in FILES if name != "run.json"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(CHANGES[change](content))
        assert refused(folder) == f"run: {name} was changed after the run.{AGAIN}"
        (folder / name).write_bytes(content)
    assert Results.load(folder).attributes == results.attributes


@sweep(("text", "message"), [
    ("[]", NO_HASHES),
    ("{}", NO_HASHES),
    ("3", NO_HASHES),
    ('"tables_sha256 record_sha256"', NO_HASHES),
    ("", "run: run.json cannot be read: Expecting value: line 1 column 1 (char 0)" + AGAIN),
    ('{"task":', "run: run.json cannot be read: Expecting value: line 1 column 9 (char 8)" + AGAIN),
])  # fmt: skip
def test_a_record_that_is_none_is_refused(results: Results, tmp_path: Path, text: str, message: str) -> None:
    folder = results.write_folder(tmp_path / "run")
    (folder / "run.json").write_text(text, encoding="utf-8")
    assert refused(folder) == message


@sweep(
    "change",
    [
        {"notes": "x"}, {"schemas": []}, {"suite": "x"}, {"n_failed": 0}, {"tables_sha256": {}}, {"tables_sha256": "x"},
        {"record_sha256": None}, {"findings": {}},
    ],
)  # fmt: skip
def test_a_record_that_was_changed_is_refused(results: Results, tmp_path: Path, change: dict[str, Any]) -> None:
    folder = replace(results, info={**results.info, "n_failed": 3, "é": [1.5, float("inf")]}).write_folder(
        tmp_path / "run"
    )
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps(info, indent=4), encoding="utf-8")  # the same content
    assert Results.load(folder).info["n_failed"] == 3
    (folder / "run.json").write_text(json.dumps(info | change), encoding="utf-8")
    assert refused(folder) == f"run: run.json was changed after the run.{AGAIN}"


@sweep(("version", "message"), [
    (6, "run: scores.csv was written by a newer version."),
    (4, "run: scores.csv was written by an older version."),
])  # fmt: skip
def test_a_schema_of_another_version(results: Results, tmp_path: Path, version: int, message: str) -> None:
    folder = results.write_folder(tmp_path / "run")
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    first = dict.fromkeys(("checks", "checks_by_group", "examples", "word_findings"), 1)
    assert info["schemas"] == {**first, "metrics": 6, "interactions": 3, "findings": 4, "scores": 5}
    info["schemas"]["scores"] = version
    write_record(folder, {name: info[name] for name in info if not name.endswith("_sha256")})
    remedy = "Evaluate its predictions again: fairness-checklist evaluate run/examples.parquet."
    assert refused(folder) == f"{message}\n    {remedy}"


def test_a_run_folder_with_somebody_elses_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for name in ("run.json", "thesis.txt"):
        (tmp_path / "run" / name).write_text("{}", encoding="utf-8")
    assert refusal(TableError, check_replaceable, tmp_path / "run") == (
        "the folder run holds files that are no part of a run: thesis.txt.\n    Move them, or name another folder."
    )

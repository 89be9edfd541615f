"""Mistakes that went through without a word: each is now an error with its remedy, or a line in the results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import fairness_checklist as fc
from fairness_checklist import cli
from fairness_checklist.tables.replacing import check_same_suite
from fairness_checklist.tables.run_folder import Results

TERMS = {"deaf": ["deaf"], "hearing": ["hearing"]}


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Runs the command line in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str | Path) -> Said:
        monkeypatch.setattr(sys, "argv", ["fairness-checklist", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Said(code, *capsys.readouterr())

    return command


def run_of(*templates: str, terms: dict[str, list[str]] | None = None, attribute: str = "hearing") -> Results:
    """A small run in a moment."""
    suite = fc.Suite.from_templates(list(templates), terms or TERMS, attribute=attribute)
    return suite.run(lambda texts: [0.75] * len(texts), draws=0, placebo=False, progress=False).results


# Run folders


def test_a_run_of_the_same_suite_is_replaced(tmp_path: Path) -> None:
    first = run_of("I met {a:identity.writer}.")
    first.save(tmp_path / "run")

    check_same_suite(tmp_path / "run", run_of("I met {a:identity.writer}.").info)
    check_same_suite(tmp_path / "new", first.info)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_run_of_another_suite_is_replaced_only_on_demand(tmp_path: Path) -> None:
    run_of("I met {a:identity.writer}.").save(tmp_path / "run")
    others = {
        "hearing for sentiment with other templates": run_of("I hired {a:identity.writer}."),
        "hearing for sentiment with other terms": run_of(
            "I met {a:identity.writer}.", terms={**TERMS, "deaf": ["Deaf"]}
        ),
    }
    for what, other in others.items():
        with pytest.raises(fc.TableError) as error:
            fc.Result(other).save(tmp_path / "run")
        assert str(error.value) == (
            f"the folder run holds a run of {what}.\n    Name another folder, or replace that run: force=True."
        )
        check_same_suite(tmp_path / "run", other.info, force=True)
    with pytest.raises(fc.TableError) as error:
        fc.Result(run_of("I met {a:identity.writer}.", attribute="ears")).save(tmp_path / "run")
    assert str(error.value) == (
        "the folder run holds a run of another suite, hearing for sentiment; this run is of ears for sentiment.\n"
        "    Name another folder, or replace that run: force=True."
    )
    frame = pd.DataFrame({"group": ["a", "b"], "label": ["positive"] * 2, "predicted": ["positive"] * 2})
    with pytest.raises(fc.TableError) as error:
        fc.evaluate(frame, attribute="hearing", draws=0).save(tmp_path / "run")
    assert str(error.value) == (
        "the folder run holds a run of another suite, hearing for sentiment; this run is of hearing for sentiment from "
        "a table of predictions.\n    Name another folder, or replace that run: force=True."
    )


def test_the_command_line_names_its_option_before_a_model_runs(call: Callable[..., Said]) -> None:
    run_of("I met {a:identity.writer}.").save("runs/x")

    said = call("run", "-a", "gender", "--max-terms", "1", "--model", "nowhere", "--out", "runs/x")
    assert said == (
        2,
        "",
        "TableError: the folder x holds a run of another suite, hearing for sentiment; this run is of gender for "
        "sentiment.\n    Name another folder, or replace that run: --force.\n",
    )
    said = call("run", "-a", "gender", "--max-terms", "1", "--model", "nowhere", "--out", "runs/x", "--force")
    assert said.err.startswith("ModelError: the model folder nowhere does not exist.")


# Columns with nearly the right name


@pytest.mark.parametrize("name", ["lab", "labels", "Label", "gold", "target", "y_true", "gold label"])
def test_a_column_with_nearly_the_name_of_the_gold_classes(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"group": ["a", "b"], name: ["positive"] * 2, "predicted": ["positive"] * 2})
    message = (
        f"the table has no column label, and a column {name}.\n"
        f"    Did you mean {name}? Rename it to label if it holds the gold classes, else give it another name."
    )
    with pytest.raises(fc.TableError) as error:
        fc.evaluate(frame, draws=0)
    assert str(error.value) == message
    with pytest.raises(fc.TableError) as error:
        fc.Suite.from_texts(pd.DataFrame({"text": ["A man came."], name: ["positive"]}), "gender")
    assert str(error.value) == message
    assert len(fc.evaluate(frame.rename(columns={name: "label"}), draws=0).scores)


def test_a_table_without_gold_classes_is_evaluated() -> None:
    frame = pd.DataFrame({"group": ["a", "b"], "predicted": ["positive"] * 2, "label_set": ["x", "y"]})
    assert len(fc.evaluate(frame, draws=0).metrics)
    assert len(fc.evaluate(frame.assign(template="t", target="person"), draws=0).metrics)
    grouped = fc.evaluate(frame.assign(gold=["no", "yes"]), group_columns=["gold"], min_cell=1, draws=0)
    assert grouped.results.attributes == ("gold",)

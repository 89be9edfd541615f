"""Mistakes that went through without a word: each is now an error with its remedy, or a line in the results."""

import ast
import re
from pathlib import Path

import pandas as pd
import pytest
from command_line import Call
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.cli.messages import translated
from fairness_checklist.tables.run_folder import Results, check_same_suite

TERMS = {"deaf": ["deaf"], "hearing": ["hearing"]}


def run_of(*templates: str, terms: dict[str, list[str]] | None = None, attribute: str = "hearing") -> Results:
    """A small run in a moment."""
    suite = fc.Suite.from_templates(list(templates), terms or TERMS, attribute=attribute)
    return suite.run(lambda texts: [0.75] * len(texts), draws=0, control_words=False, progress=False)


def test_a_run_of_another_suite_is_replaced_only_on_demand(tmp_path: Path) -> None:
    run_of("I met {a:identity.writer}.").save(tmp_path / "run")
    others = {
        "hearing for sentiment with other templates": run_of("I hired {a:identity.writer}."),
        "hearing for sentiment with other terms": run_of(
            "I met {a:identity.writer}.", terms={**TERMS, "deaf": ["Deaf"]}
        ),
    }
    for what, other in others.items():
        assert refusal(fc.errors.TableError, other.save, tmp_path / "run") == (
            f"the folder run holds a run of {what}.\n    Name another folder, or replace that run: force=True."
        )
        check_same_suite(tmp_path / "run", other.info, force=True)
    with pytest.raises(fc.errors.TableError) as error:
        run_of("I met {a:identity.writer}.", attribute="ears").save(tmp_path / "run")
    assert str(error.value) == (
        "the folder run holds a run of another suite, hearing for sentiment; this run is of ears for sentiment.\n"
        "    Name another folder, or replace that run: force=True."
    )
    frame = pd.DataFrame({"group": ["a", "b"], "label": ["positive"] * 2, "predicted": ["positive"] * 2})
    assert refusal(fc.errors.TableError, fc.evaluate(frame, attribute="hearing", draws=0).save, tmp_path / "run") == (
        "the folder run holds a run of another suite, hearing for sentiment; this run is of hearing for sentiment from "
        "a table of predictions.\n    Name another folder, or replace that run: force=True."
    )


def test_the_command_line_names_its_option_before_a_model_runs(call: Call) -> None:
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


@sweep("name", ["Label", "target", "gold label"])
def test_a_column_with_nearly_the_name_of_the_gold_classes(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"group": ["a", "b"], name: ["positive"] * 2, "predicted": ["positive"] * 2})
    message = (
        f"the table has no column label, and a column {name}.\n"
        f"    Did you mean {name}? Rename it to label if it holds the gold classes, else give it another name."
    )
    assert refusal(fc.errors.TableError, fc.evaluate, frame, draws=0) == message
    with pytest.raises(fc.errors.TableError) as error:
        fc.Suite.from_texts(pd.DataFrame({"text": ["A man came."], name: ["positive"]}), "gender")
    assert str(error.value) == message
    assert len(fc.evaluate(frame.rename(columns={name: "label"}), draws=0).scores)


def test_labels_that_are_numbers_need_a_mapping() -> None:
    """Of tables see `test_tables`."""
    frame = pd.DataFrame({"group": ["a", "a", "b", "b"], "label": [1.0, 0.0] * 2, "predicted": [1, 1, 1, 0]})
    arrays = {"y_true": frame["label"], "y_pred": frame["predicted"], "sensitive_features": frame["group"]}
    with pytest.raises(
        fc.errors.LabelError, match=r"^the labels in the columns label and predicted are the numbers 0, 1; "
    ):
        fc.evaluate(**arrays, task="toxicity", draws=0)
    mapped = fc.evaluate(**arrays, task="toxicity", labels={0: "nontoxic", "1": "toxic"}, draws=0)
    assert mapped.examples["label"].tolist() == ["toxic", "nontoxic"] * 2
    assert mapped.examples["predicted"].tolist() == ["toxic"] * 3 + ["nontoxic"]
    named = fc.evaluate(**arrays, metrics=["fnr_gap"], draws=0)
    assert set(named.examples["predicted"]) == {"0", "1"}
    with pytest.raises(fc.errors.LabelError, match=r"^labels= does not name 0, which the table has as a label\."):
        fc.evaluate(frame, task="toxicity", labels={"1": "toxic"}, draws=0)
    assert set(fc.evaluate(frame, classes=["0", "1"], draws=0).examples["predicted"]) == {"0", "1"}


def test_the_command_line_asks_for_the_mapping_in_its_own_words(call: Call) -> None:
    Path("p.csv").write_text("group,label,p:0,p:1\na,1,0.25,0.75\na,0,0.75,0.25\nb,1,0.75,0.25\nb,0,0.75,0.25\n")

    assert call("evaluate", "p.csv").err == (
        "LabelError: the labels in the columns label and p:<class> are the numbers 0, 1; expected the classes of the "
        "task sentiment: negative, neutral, positive.\n"
        "    Give the class of each: --labels 0=CLASS,1=CLASS; or, if the numbers are the classes, name them: "
        "--classes 0,1.\n"
    )
    assert call("evaluate", "p.csv", "--labels", "0=negative,1=positive", "--draws", "0", "--json").code == 0
    assert call("evaluate", "p.csv", "--labels", "2=negative", "--draws", "0").err == (
        "LabelError: --labels names '2', which the table does not have.\n    Its labels are 0, 1.\n"
    )
    assert call("evaluate", "p.csv", "--labels", "0=negativ,1=positive", "--draws", "0").err == (
        "LabelError: the label 0 is mapped to negativ, which is none of the task's classes negative, neutral, positive."
        "\n    Did you mean negative?\n"
    )


OPTION = re.compile(r"(?<![\w-])--[a-z]")


def test_no_error_below_the_command_line_names_its_options() -> None:
    """They are keywords there, and the command line translates them; `cli` and the verbs themselves write options."""
    root = Path(str(fc.__file__)).parent
    verbs = {
        *root.glob("extensions/*/*verb*.py"),
        *root.glob("extensions/*/command_line.py"),
        root / "extensions/corpora/inputs.py",
        root / "extensions/endpoint/endpoint_of_a_run.py",
    }
    found = []
    for path in sorted({*root.rglob("*.py")} - verbs):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source if OPTION.search(source) else "")):
            if path.is_relative_to(root / "cli") or not isinstance(node, ast.Call) or not _is_error(node.func):
                continue
            for value in [*node.args, *(one.value for one in node.keywords if one.arg != "command_remedy")]:
                text = ast.unparse(value)
                if OPTION.search(text) and "lint --fix" not in text:
                    found.append(f"{path.name}:{value.lineno}: {text}")
    assert found == []


def _is_error(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return str(name).lower().endswith("error")


@sweep(("python", "command"), [
    ("min_cell=0 is too small.", "--min-cell 0 is too small."),
    ('Name them: group_columns=["sex", "age"].', "Name them: --group-columns sex,age."),
    ('Give labels={"a b": "positive", "c": "negative"}.', "Give --labels 'a b=positive,c=negative'."),
    ('Give labels={"a": "positive", ...}; see the card.', "Give --labels a=positive,...; see the card."),
    ('Give one per class: threshold={"toxic": 0.5}.', "Give one per class: --threshold toxic=0.5."),
    ("Use threshold='eer', or leave threshold= out.", "Use --threshold eer, or leave --threshold out."),
    ("Ask for another: checks=[...], my_labels=3.", "Ask for another: checks=[...], my_labels=3."),
    ("where=slot makes min_cell=2.5 useless.", "where=slot makes --min-cell 2.5 useless."),
])  # fmt: skip
def test_keywords_become_options(python: str, command: str) -> None:
    assert translated(python, ["labels", "threshold", "min_cell", "group_columns"]) == command


def test_a_remedy_of_the_command_line_of_its_own(call: Call) -> None:
    assert refusal(fc.errors.SuiteError, fc.Suite.load, "nowhere") == (
        "nowhere is not a saved suite: there is no such folder.\n    Name a folder that Suite.save wrote."
    )
    assert call("run", "--suite", "nowhere").err == (
        "SuiteError: nowhere is not a saved suite: there is no such folder.\n    Name a folder that `build` wrote.\n"
    )
    Path("t.csv").write_text("text,label\nA man came.,good\n")
    assert call("run", "--texts", "t.csv", "-a", "gender").err == (
        "LabelError: the label of row 1 is 'good', which is not a class of the task sentiment: negative, neutral, "
        "positive.\n    Correct it in the table.\n"
    )

"""The command line: what each verb prints and writes, and that wrong input gives exit code 2 and leaves nothing."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import fields
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_findings import scored
from command_line import Call, Said

import fairness_checklist as fc
from fairness_checklist.cli import app as cli
from fairness_checklist.cli.printed_answers import Answer, Output
from fairness_checklist.content.templates import read_templates
from fairness_checklist.content.term_files import attributes
from fairness_checklist.core.option_defaults import MetricOptions
from fairness_checklist.metrics.metric_forms import METRICS
from fairness_checklist.suites import preview

SMALL = ("--attribute", "gender", "--groups", "women,men", "--max-terms", "2", "--templates", "generic-00*")
MODEL = ("--model", "bundled/sentiment")
RUN_FILES = [
    "checks.csv", "checks_by_group.csv", "examples.parquet", "findings.csv", "metrics.csv",
    "metrics.parquet", "report.html", "run.json", "scores.csv", "word_findings.csv",
]  # fmt: skip
GENERIC = Path(__file__).resolve().parents[1] / "templates" / "generic.csv"
VERBS = sorted(cli.VERBS)
TERMS = "term,group\ndeaf,deaf\nhearing,hearing\n"


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with its pictures, in an empty folder."""
    folder = tmp_path_factory.mktemp("run")
    output = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["fairness-checklist", "run", *SMALL, *MODEL, "--out", "runs/x"])
        with pytest.raises(SystemExit) as stop:
            cli.main()
    assert not stop.value.code
    assert f"\nReport: {Path('runs/x/report.html')}\n" in output.getvalue()
    return folder / "runs" / "x"


RUN_MAIN = "from fairness_checklist.cli.app import main; main()"


def python_in(folder: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(str(fc.__file__)).parents[1]), "MPLBACKEND": "Agg"}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_version(call: Call) -> None:
    assert call("--version") == (0, f"{fc.__version__}\n", "")


def test_the_help_names_every_verb(call: Call) -> None:
    output = call("--help")

    assert output.code == 0
    commands = output.out.partition("Start:\n")[2].partition("\n  Example:")[0]
    assert sorted(re.findall(r"^  ([a-z]+) ", commands, re.MULTILINE)) == VERBS


def test_the_help_of_a_verb_shows_an_example(call: Call) -> None:
    for verb in VERBS:
        output = call(verb, "--help")
        assert (output.code, output.err) == (0, "")
        assert f"Example: fairness-checklist {verb}" in output.out


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    heavy = ["numpy", "pandas", "torch", "transformers", "matplotlib", "inflect", "scipy"]
    code = f"""
import sys
from fairness_checklist.cli.app import main
for arguments in (["--help"], ["run", "--help"], ["--version"]):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as stop:
        print(stop.code, [name for name in {heavy} if name in sys.modules], file=sys.stderr)
"""
    done = python_in(tmp_path, code)
    assert (done.returncode, done.stderr) == (0, "0 []\n" * 3)


LISTED: list[tuple[list[str], dict[str, Any]]] = [
    (["attributes"], {"attribute": "control_words", "kind": "control words", "terms": 303}),
    (["groups", "--attribute", "gender"], {"attribute": "gender", "group": "women"}),
    (["terms", "-a", "gender"], {"attribute": "gender", "group": "women", "term": "woman", "pos": "noun"}),
    (["templates", "-a", "names"], {"id": "names-001", "attribute": "names", "label": "negative"}),
    (["metrics"], {"metric": "fnr_gap", "kind": "group background"}),
    (["models"],
     {"model": "bundled/sentiment", "classes": "negative, neutral, positive", "measure": "accuracy", "test": 0.6398,
      "size": "2.5 MB", "default": "of --model"}),
]  # fmt: skip


def test_everything_can_be_listed(call: Call) -> None:
    for arguments, row in LISTED:
        as_text, as_json = call("list", *arguments), call("list", *arguments, "--json")
        rows = json.loads(as_json.out)
        assert as_text.code == as_json.code == 0
        assert any(row.items() <= found.items() for found in rows), arguments
        lines = as_text.out.splitlines()
        assert lines[0].split() == list(rows[0])
        assert len(lines) == 1 + len(rows)


def test_listing_alone_lists_the_attributes(call: Call) -> None:
    assert call("list") == call("list", "attributes")
    assert {row["metric"] for row in json.loads(call("list", "metrics", "--json").out)} == set(METRICS)


def test_a_metric_is_shown_by_its_card(call: Call) -> None:
    shown = call("list", "metrics", "fped").out
    assert "definition  sum over groups g of |FPR(everyone) - FPR(g)|\n" in shown
    assert "range       each [0, 1]; the total [0, G] for G groups\n" in shown
    assert json.loads(call("list", "metrics", "fped", "--json").out) == fc.metrics.describe("fped")


def test_what_a_list_leaves_out_is_reported(call: Call) -> None:
    output = call("list", "terms", "-a", "gender")
    assert "  dispreferred  " not in output.out
    assert output.err == (
        "50 terms are not shown (dispreferred, contested or a variant): used only when named with --include-terms.\n"
    )
    assert {row["attribute"] for row in json.loads(call("list", "templates", "-a", "names", "--json").out)} == {"names"}


def test_templates_for_other_terms_and_templates_without_a_slot_are_reported(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "t.csv", "sentence\nA guide won.\nI met {{city}}.\n{A:identity_np} won.\n")
    reason = "it has no slot: write {a:identity_np} or {person}"
    for_people = 1 + len(read_templates(GENERIC))
    output = call("build", "-a", "names", "--max-terms", "1", "--templates", "t.csv", "--show", "0")

    assert output.out.splitlines()[1:] == [
        f"{for_people} templates have no slot for these terms (generic-001, generic-002, ...).",
        f"Left out: t-001: {reason}",
        f"Left out: t-002: {reason}",
    ]


def test_paths_that_are_missing_and_paths_with_names(call: Call, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name / "templates" / f"{name}.csv", "sentence\n{A:identity_np} won.\n")
    (tmp_path / "generic").mkdir()

    def build(*arguments: str) -> str:
        return call("build", "--max-terms", "1", "--show", "0", *arguments).err

    assert build("-a", "gender", "--templates", "./a", "--templates", "./b") == ""
    assert build("-a", "gender", "--templates", "generic,a/templates") == ""
    assert build("-a", "gender", "--terms", "woman,a/templates") == (
        "OptionError: woman, a/templates mixes names (woman) and paths (a/templates).\n"
        "    Give either names to keep or files and folders to add; write ./NAME for a folder.\n"
    )
    assert build("-a", "gender", "--terms", "nofolder") == (
        "OptionError: 'nofolder' is not a term of gender.\n"
        "    Terms go by their spelling, see: fairness-checklist list terms.\n"
    )
    assert build("-a", "gender", "--templates", "nofolder") == (
        "OptionError: 'nofolder' is not a template or set of templates of gender.\n    Sets: generic, gender.\n"
    )
    assert "'nofolder' was taken for the name of a term." in build("-a", "hair", "--terms", "nofolder")
    hint = "For the file or folder of that name write ./{0}.\n"
    assert build("-a", "gender", "--terms", "a").endswith(hint.format("a"))
    assert build("-a", "hair", "--terms", "a").endswith(hint.format("a"))
    assert build("-a", "gender", "--templates", "b").endswith(hint.format("b"))


def test_a_suite_is_built_shown_and_saved(call: Call, tmp_path: Path) -> None:
    output = call("build", *SMALL, "--show", "2", "--out", "suites/g", "--table", "texts.csv")
    suite = fc.Suite.load(tmp_path / "suites" / "g")

    assert output.code == 0
    assert output.out.splitlines() == [
        f"Suite for sentiment: gender: 9 sources x 4 terms of 2 groups, {len(suite)} texts",
        "  women, positive: I met my best friend, Robin, in an online group for mothers. I've never known anybody "
        "so kind and funny.",
        "  men, negative: alex is the new organizer of our group for grandfathers and makes a cruel joke about every "
        "single idea i post. it's so hurtful",
        f"The texts, {len(suite.to_frame(control_words=True))} rows: {Path('texts.csv')}",
        f"The suite: {Path('suites/g')}",
    ]
    written = pd.read_csv(tmp_path / "texts.csv", keep_default_na=False)
    assert written.loc[written["variant"] == "", "text"].tolist() == suite.texts()
    assert set(written["variant"]) == {"", "control word"}


def test_a_dry_run_counts_and_writes_nothing(call: Call, tmp_path: Path) -> None:
    suite = fc.Suite.build("gender", groups=["women", "men"], max_terms=2, templates=["generic-00*"])
    expected = f"{len(suite)} texts, {len(set(suite.texts()))} of them different."

    for verb in ("build", "run"):
        said = call(verb, *SMALL, "--dry-run", "--out", "x")
        assert (said.code, said.out.startswith(expected), said.err) == (0, True, "")
    assert files_in(tmp_path) == []


def test_several_attributes_by_commas_and_by_repetition(call: Call) -> None:
    for chosen in (("-a", "gender,names"), ("-a", "gender", "--attribute", "names")):
        output = call("build", *chosen, "--max-terms", "1", "--templates", "*-00[1-3]", "--show", "0")
        assert output.out == (
            "Suite for sentiment: gender: 5 sources x 6 terms of 6 groups, 34 texts; "
            "names: 3 sources x 3 terms of 3 groups, 9 texts\n"
            "3 templates have no slot for these terms (generic-001, generic-002, ...).\n"
        )


def test_an_attribute_of_their_own(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "mine" / "identity_terms" / "hearing.csv", TERMS)
    write(tmp_path / "mine" / "templates" / "hearing.csv", "sentence,label\n{A:identity_np} won in {city}.,positive\n")
    write(tmp_path / "lists" / "city.txt", "\ufeffLeeds\nTurin\n\n")
    output = call(
        "build", "-a", "hearing", "--terms", "./mine", "--lists", "lists", "--templates", "./mine", "--show", "500"
    )

    assert output.code == 0
    assert output.out.splitlines()[-6:] == [
        f"  {group}, positive: {who} won in {city}."
        for city in ("Leeds", "Turin")
        for group, who in (("unmarked", "Someone"), ("deaf", "A deaf person"), ("hearing", "A hearing person"))
    ]


def test_the_limit_on_sources_is_a_setting_of_build_and_run(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "lists" / "city.txt", "Rome\nBonn\nLima\n")
    write(tmp_path / "mine.csv", 'sentence,label\n"In {city1}, not in {city2}, I met {a:identity.writer}.",neutral\n')
    given = ("-a", "gender", "--max-terms", "1", "--lists", "lists", "--templates", "./mine.csv")
    for verb in (("build", "--dry-run"), ("run", "--dry-run")):
        write(tmp_path / "five.toml", "[suite]\nmax_sources = 5\n")
        refused = call(*verb, *given, "--config", "five.toml")
        assert (refused.code, "raise the maximum: max_sources in [suite] of fairness.toml." in refused.err) == (2, True)
    for verb in ("build", "run"):
        assert call(verb, "--dry-run", *given).code == 0


def test_a_run_writes_the_run_folder_and_nothing_else(run_folder: Path) -> None:
    assert files_in(run_folder.parents[1]) == [f"runs/x/{name}" for name in RUN_FILES]
    info = json.loads((run_folder / "run.json").read_text(encoding="utf-8"))
    assert info["model"]["name"] == "bundled/sentiment"
    assert info["dropped"] == {"gender": []}
    tables = {"findings", "word_findings", "metrics", "scores", "checks", "checks_by_group", "examples", "interactions"}
    assert set(info["schemas"]) == tables


def test_a_preview_is_printed_before_the_same_answer(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "LEAST_TEXTS", 0)
    options = ("--attribute", "gender", "--groups", "women,men", "--max-terms", "2", *MODEL)
    first = call("run", *options, "--out", "r1")
    alone = call("run", *options, "--out", "r2", "--no-preview")
    assert first.out == alone.out.replace("r2", "r1")
    for name in set(RUN_FILES) - {"run.json", "report.html"}:
        assert Path("r1", name).read_bytes() == Path("r2", name).read_bytes(), name
    assert ("Provisional" in alone.err, "Provisional" in call("run", *options, "--json").err) == (False, False)
    said = first.err[first.err.index("Provisional") :].splitlines()
    assert said[0] == "Provisional, from a fifth of the sentences, without control words; the rest follows."
    sizes = [int(re.findall(r"in (\d+) sentences", line)[0]) for line in (said[1], first.out.splitlines()[1])]
    assert sizes[1] / 6 < sizes[0] < sizes[1] / 3.5


def test_the_texts_of_build_scored_elsewhere_evaluate_to_the_run(call: Call, run_folder: Path, tmp_path: Path) -> None:
    asked = call("build", *SMALL, "--table", "texts.csv")
    table = pd.read_csv("texts.csv", keep_default_na=False)
    assert asked.out.endswith(f"The texts, {len(table)} rows: texts.csv\n")
    assert (table["variant"] == "control word").sum() > 0
    scored = fc.load_model("bundled/sentiment").predict(table["text"].tolist()).probabilities
    classes = ("negative", "neutral", "positive")
    table.assign(**{f"p:{name}": scored[:, n] for n, name in enumerate(classes)}).to_csv("p.csv", index=False)
    reported = call("evaluate", "p.csv", "--out", "runs/y")

    assert (asked.code, reported.code) == (0, 0)
    assert f"\nReport: {Path('runs/y/report.html')}\n" in reported.out
    for name in ("findings.csv", "word_findings.csv", "metrics.csv", "scores.csv", "checks.csv", "checks_by_group.csv"):
        here, there = (pd.read_csv(folder / name) for folder in (run_folder, tmp_path / "runs" / "y"))
        pd.testing.assert_frame_equal(here, there, atol=1e-6)
    assert files_in(tmp_path) == ["p.csv", *(f"runs/y/{name}" for name in RUN_FILES), "texts.csv"]


def test_another_task_than_that_of_a_saved_suite_is_an_error(call: Call, tmp_path: Path) -> None:
    options = ("--attribute", "gender", "--groups", "women,men", "--max-terms", "1", "--task", "toxicity")
    assert call("build", *options, "--out", "saved").code == 0
    for task in ("sentiment", "ner"):  # the default of --task as well
        assert call("run", "--suite", "saved", "--task", task) == (
            2,
            "",
            f"OptionError: --task {task} differs from the task of the suite saved: toxicity.\n"
            f"    Leave out --task; or build a suite for it: fairness-checklist build --task {task}.\n",
        )
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


@pytest.mark.usefixtures("paged")
def test_a_saved_suite_is_run_with_the_options_of_the_command_line_and_of_the_file(call: Call, tmp_path: Path) -> None:
    call("build", *SMALL, "--out", "suite")
    rare = 'primary = "cf_gap_tc"\ndenominator = "all_sources"\nmax_groupings = 7\nunlabelled = "drop"\n'
    write(tmp_path / "fairness.toml", f'[run]\nseed = 9\ntolerance = 0.25\nmetrics = ["fped"]\n{rare}')
    chosen = ("--metrics", "cf_gap_tc,fnr_gap", "--metrics", "avg_if", "--tolerance", "0.5", "--seed", "3")
    output = call("run", "--suite", "suite", *MODEL, "--out", "r", *chosen, "--no-text", "--json")
    reported = json.loads(output.out)
    metrics = pd.read_csv(tmp_path / "r" / "metrics.csv", keep_default_na=False)

    assert output.code == 0
    assert reported["report"] == str(Path("r/report.html"))
    assert reported["verdict"]
    assert {row["metric"] for row in reported["primary"]} == {"cf_gap_tc"}
    assert {row["type"] for row in reported["checks"]} == {"INV", "MFT"}
    assert dict(zip(metrics["metric"], metrics["options"], strict=True)) == {
        "cf_gap_tc": "denominator=all_sources; max_groupings=7; seed=3",
        "fnr_gap": "",
        "avg_if": "denominator=all_sources",
    }
    options = json.loads((tmp_path / "r" / "run.json").read_text(encoding="utf-8"))["options"]
    assert (options["tolerance"], options["seed"], options["unlabelled"]) == (0.5, 3, "drop")
    assert pd.read_parquet(tmp_path / "r" / "examples.parquet")["text"].str.fullmatch("[0-9a-f]{64}").all()
    assert "cashier" not in (tmp_path / "r" / "report.html").read_text(encoding="utf-8")


def test_the_report_of_a_run_is_printed_and_written_anew(call: Call, run_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(run_folder, tmp_path / "x")
    (tmp_path / "x" / "report.html").unlink()
    output = call("report", "x", "--heatmap", "drawn.png")
    assert Path("drawn.png").read_bytes().startswith(b"\x89PNG")
    again = json.loads(call("report", "x", "--json").out)

    assert output.code == 0
    assert "\ngender · " in output.out
    assert f"\nReport: {Path('x/report.html')}\n" in output.out
    assert files_in(tmp_path / "x") == RUN_FILES
    assert " ".join(again["verdict"].split()) in " ".join(output.out.split())


def test_a_table_of_their_own_is_evaluated_without_a_folder(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "t.csv", "group,label,predicted\na,yes,yes\na,no,no\nb,yes,no\nb,no,no\n")
    write(tmp_path / "mine.toml", '[run]\nprimary = ["tpr_gap"]\n')
    chosen = ("--attribute", "letter", "--classes", "no,yes", "--metrics", "tpr_gap", "--config", "mine.toml")
    output = call("evaluate", "t.csv", *chosen, "--json")
    reported = json.loads(output.out)

    assert output.code == 0
    assert reported["report"] is None
    assert [(row["class"], row["left"], row["value"]) for row in reported["primary"] if row["left"] == "*"] == [
        ("no", "*", 0.0),
        ("yes", "*", 1.0),
    ]
    assert {row["attribute"] for row in reported["primary"]} == {"letter"}
    assert files_in(tmp_path) == ["mine.toml", "t.csv"]


@pytest.mark.usefixtures("paged")
def test_the_demo_is_a_run_of_the_default_model(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    build = fc.Suite.build

    def few(attribute: Any, **options: Any) -> fc.Suite:
        asked.append(attribute)
        return build(attribute, **{**options, "max_terms": 1, "templates": ["*-00[1-4]"]})

    monkeypatch.setattr(fc.Suite, "build", few)
    output = call("demo")

    assert (output.code, output.err) == (0, "")
    assert asked == ["gender", "religion", "names.origin"]
    for task, model in (("sentiment", "sentiment"), ("toxicity", "toxicity"), ("ner", "ner")):
        folder = Path("runs") / "demo" / task
        assert f"{task} · bundled/{model} · " in output.out
        assert f"\nReport: {folder / 'report.html'}\n" in output.out
        info = json.loads((tmp_path / folder / "run.json").read_text(encoding="utf-8"))
        assert (info["task"], info["model"]["name"]) == (task, f"bundled/{model}")
        assert (tmp_path / folder / "report.html").stat().st_size > 10_000


TOXIC = ("--task", "toxicity", "-a", "gender", "--max-terms", "2", "--templates", "toxicity-*1")


def test_toxicity_is_reported_by_term_and_decided_by_a_threshold(call: Call, tmp_path: Path) -> None:
    write(
        tmp_path / "dev.csv",
        "text,label\nYou are a worthless idiot.,toxic\nThe soup was warm.,nontoxic\nShut up and get lost.,toxic\n",
    )
    for options in (("--threshold", "0.8"), ("--threshold", "eer", "--threshold-on", "dev.csv")):
        output = call("run", *TOXIC, *options, "--out", "runs/x")
        assert (output.code, output.err) == (0, "")
        info = json.loads((tmp_path / "runs" / "x" / "run.json").read_text(encoding="utf-8"))
        assert info["options"]["threshold"].startswith("0.8" if "0.8" in options else "0.")
        assert any("decided by threshold toxic >= 0." in note for note in info["notes"]["gender"])
    assert "(equal error rate 0.0 on dev.csv)" in info["options"]["threshold"]
    metrics = pd.read_csv(tmp_path / "runs" / "x" / "metrics.csv", keep_default_na=False)
    by_term = metrics[metrics["by"] == "term"]
    assert set(by_term["metric"]) == {"fped", "fned", "fpr_gap", "fnr_gap"}
    assert len(set(by_term["left"])) > 2
    assert not {"girl", "boy"} & set(by_term["left"])


def test_predictions_are_kept_when_a_run_dies(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fairness_checklist.models.huggingface.classifiers import HuggingFaceClassifier
    from fairness_checklist.reports import html as folder

    def full(*_arguments: Any, **_options: Any) -> None:
        raise OSError("no space left")

    def never(*_arguments: Any, **_options: Any) -> None:
        raise AssertionError("a text was asked about twice")

    with monkeypatch.context() as patch:
        patch.setattr(folder, "save_run", full)
        died = call("run", *SMALL, *MODEL, "--out", "runs/x")
    assert (died.code, files_in(tmp_path)) == (3, ["runs/.x.predictions.sqlite"])
    assert died.err.endswith("Something unexpected happened (OSError). This is a bug in fairness-checklist.\n")

    monkeypatch.setattr(HuggingFaceClassifier, "score", never)
    assert call("run", *SMALL, *MODEL, "--out", "runs/x").code == 0
    assert files_in(tmp_path) == [f"runs/x/{name}" for name in RUN_FILES]


def with_settings(text: str) -> Callable[[Path], tuple[str, ...]]:
    """A run beside a ``fairness.toml`` that holds this text."""

    def make(folder: Path) -> tuple[str, ...]:
        write(folder / "fairness.toml", text)
        return ("run", *SMALL, *MODEL, "--out", "runs/x")

    return make


def bad_call(*arguments: str) -> Callable[[Path], tuple[str, ...]]:
    return lambda _folder: (*arguments, "--out", "runs/x")


P = "group,p:negative,p:positive\n"

BAD: dict[str, tuple[Callable[[Path], tuple[str, ...]], str]] = {
    "unknown attribute": (bad_call("run", "-a", "gendr", *MODEL),
     "OptionError: the attribute 'gendr' is not known.\n    Did you mean gender? Known attributes: "
     f"{', '.join(attributes())}. A file gendr.csv in a folder of yours adds it."),
    "no attribute": (bad_call("run", *MODEL),
     "OptionError: no attribute is named.\n    Name one: --attribute gender. See: fairness-checklist list."),
    "unknown metric": (bad_call("run", *SMALL, *MODEL, "--metrics", "cf_gapp"),
     "OptionError: the metric 'cf_gapp' is not known.\n    Did you mean cf_gap or cf_gap_tc or fpr_gap?"),
    "threshold without a set": (bad_call("run", "-a", "gender", "--task", "toxicity", "--threshold", "eer"),
     "OptionError: --threshold eer needs a labelled set to find the equal error rate on.\n    Name a table with "
     "the columns label and text, or label and p:<class>."),
    "set without a threshold": (bad_call("run", *SMALL, *MODEL, "--threshold-on", "dev.csv"),
     "OptionError: --threshold-on is given, and --threshold is not.\n    Add --threshold eer."),
    "suite and attribute": (bad_call("run", *SMALL, *MODEL, "--suite", "nowhere"),
     "OptionError: --attribute, --groups, --max-terms, --templates belong to a suite that is built, and --suite "
     "names a saved one.\n    Leave out one of the two."),
    "ending of a table": (lambda _folder: ("build", *SMALL, "--table", "p.txt"),
     "TableError: p.txt: the ending '.txt' is not that of a table.\n    Tables are .csv, .parquet or .jsonl."),
    "no table": (bad_call("evaluate", "nowhere.csv"),
     "TableError: there is no table nowhere.csv.\n    Give the path of a .csv, .parquet or .jsonl file."),
    "no run": (lambda folder: ("report", str(write(folder / "in" / "x.txt", "").parent.relative_to(folder))),
     "TableError: in is not a whole run folder: it has no run.json.\n    Run it again, or name the folder of "
     "another run."),
    "a setting that is not known": (with_settings("[run]\nweigth = 3\n"),
     "OptionError: fairness.toml: [run] has the key 'weigth', which is not known.\n    Did you mean weight? Known: "
     f"{', '.join(spec.name for spec in fields(MetricOptions))}."),
    "a table that is not known": (with_settings("[modle]\nworkers = 2\n"),
     "OptionError: fairness.toml: modle is not a table of this file.\n    Did you mean model? Tables: [purpose], "
     "[gate], [suite], [model], [endpoint], [run]."),
    "a rare setting out of range": (with_settings('[run]\nweight = "heavy"\n'),
     "OptionError: weight = 'heavy' in [run] of fairness.toml is not known.\n    Known: source, groupings."),
    "a setting of the model": (with_settings('[model]\ndtype = "float8"\n'),
     "OptionError: dtype = 'float8' in [model] of fairness.toml is not known.\n    Did you mean float32? Known: "
     "float32, bfloat16, float16."),
    "no metric of that name to show": (lambda _folder: ("list", "metrics", "fpde"),
     "OptionError: the metric 'fpde' is not known.\n    Did you mean fped?"),
    "a card of something else": (lambda _folder: ("list", "terms", "woman"),
     "OptionError: list terms takes no name, and 'woman' is one.\n    Only metrics have cards: fairness-checklist "
     "list metrics fped."),
}  # fmt: skip


def test_wrong_input_is_reported_in_full_and_leaves_nothing(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for case, (make, message) in BAD.items():
        folder = tmp_path / case
        folder.mkdir()
        monkeypatch.chdir(folder)
        arguments = make(folder)
        before = files_in(folder)
        assert call(*arguments) == (2, "", f"{message}\n"), case
        assert files_in(folder) == before, case
        assert not (folder / "runs" / "x").exists(), case


def test_what_the_command_line_does_not_have_is_wrong_input(call: Call) -> None:
    few = ("run", *SMALL, *MODEL, "--max-terms", "few")
    for arguments in (few, ("lost",), ("list", "animals"), ("evaluate",), ("run", "--lost"), ()):
        output = call(*arguments)
        assert output.code == 2, arguments
        assert "Usage: fairness-checklist" in output.out + output.err, arguments


def test_a_folder_of_something_else_stays_as_it_is(call: Call, tmp_path: Path) -> None:
    write(tmp_path / "thesis" / "chapter.txt", "years of work")
    write(tmp_path / "p.csv", P + "a,0.5,0.5\nb,0.5,0.5\n")
    for arguments, kind in (
        (("run", *SMALL, *MODEL), "TableError: the folder thesis holds something else than a run."),
        (("evaluate", "p.csv"), "TableError: the folder thesis holds something else than a run."),
        (("build", *SMALL), "SuiteError: the folder thesis holds something else than a suite."),
    ):
        assert call(*arguments, "--out", "thesis") == (2, "", f"{kind}\n    Name another folder.\n")
        assert files_in(tmp_path) == ["p.csv", "thesis/chapter.txt"]


ANSWERS = {
    "audit": ("audit", "texts.csv", "--terms", "deaf", "--positive", "yes"),
    "balance": ("balance", "texts.csv", "--groups-column", "group", "--properties", "length"),
    "compare": ("compare", "texts.csv", "texts.csv"),
    "extrinsic": ("lenses", "extrinsic", "texts.csv"),
    "perturb": ("perturb", "texts.csv", "-a", "gender", "--labels", "yes=positive,no=negative"),
    "plan": ("plan", "--n-examples", "500"),
}
LATER = {  # these need a model, and are refused before it is loaded
    "mitigate": ("mitigate", "texts.csv", "--pool", "texts.csv"),
    "intrinsic": ("lenses", "intrinsic", "--model", "nowhere"),
    "preference": ("lenses", "preference", "--model", "nowhere"),
}


def write_texts(folder: Path) -> None:
    rows = [(f"A deaf {who} has come{at * '!'}", at % 2) for at in range(12) for who in ("man", "woman")]
    table = pd.DataFrame(rows, columns=["text", "wrong"])
    table["label"] = ["yes", "no"] * 12
    table["predicted"] = np.where(table.pop("wrong") == 1, "no", table["label"])
    table.assign(group=["men", "women"] * 12).to_csv(folder / "texts.csv", index=False)
    write(folder / "fairness.toml", '[purpose]\nharm = ["called:no"]\n')


def test_an_answer_is_not_written_over_a_run(call: Call, tmp_path: Path) -> None:
    write_texts(tmp_path)
    for name in ("run.json", "findings.csv", "metrics.csv"):
        write(tmp_path / "run" / name, "of a run")
    for verb, arguments in {**ANSWERS, **LATER}.items():
        message = f"the folder run holds something else than an answer of {verb}.\n    Name another folder.\n"
        assert call(*arguments, "--out", "run", "--force") == (2, "", f"OptionError: {message}")
        kept = {(tmp_path / "run" / name).read_text("utf-8") for name in ("findings.csv", "metrics.csv")}
        assert kept == {"of a run"}


@pytest.mark.parametrize("verb", ["audit", "perturb", "plan"])
def test_an_answer_has_a_folder_of_its_own_which_only_force_replaces(call: Call, tmp_path: Path, verb: str) -> None:
    write_texts(tmp_path)
    output = call(*ANSWERS[verb], "--out", "out")
    assert (output.code, output.err) == (0, "")
    assert len(output.out.splitlines()) <= 15
    record = json.loads((tmp_path / "out" / f"{verb}.json").read_text("utf-8"))
    printed = json.loads(call(*ANSWERS[verb], "--json").out)
    assert record == {"verb": verb, "files": record["files"], **printed}
    assert output.out.startswith(printed["answer"][0])
    assert sorted(record["files"]) == [path.name for path in sorted((tmp_path / "out").iterdir())]

    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    remedy = "Name another folder, or replace that answer: --force."
    message = f"OptionError: the folder out holds an older answer of {verb}.\n    {remedy}\n"
    assert call(*ANSWERS[verb], "--out", "out") == (2, "", message)
    other = next(name for name in ANSWERS if name != verb)
    message = f"OptionError: the folder out holds something else than an answer of {other}.\n    Name another folder.\n"
    assert call(*ANSWERS[other], "--out", "out", "--force") == (2, "", message)
    message = "TableError: the folder out holds something else than a run.\n    Name another folder.\n"
    assert call("evaluate", "texts.csv", "--out", "out", "--force") == (2, "", message)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}

    assert call(*ANSWERS[verb], "--out", "out", "--force").code == 0
    write(tmp_path / "out" / "notes.txt", "mine")
    remedy = "Move them, or name another folder."
    message = (
        f"OptionError: the folder out holds files that are no part of an answer of {verb}: notes.txt.\n    {remedy}\n"
    )
    assert call(*ANSWERS[verb], "--out", "out", "--force") == (2, "", message)


def test_an_answer_that_cannot_be_written_whole_leaves_the_older_one(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call(*ANSWERS["plan"], "--out", "out").code == 0
    before = files_in(tmp_path), (tmp_path / "out" / "plan.json").read_bytes()

    def broken(*_words: Any, **_options: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fairness_checklist.tables.files.write_table", broken)
    output = call("plan", "--n-examples", "900", "--out", "out", "--force")

    message = "OSError: nothing more can be written: No space left on device.\n    Free some space, or name a place on "
    message += "another disk.\n"
    assert (output.code, output.out, output.err) == (2, "", message)
    assert before == (files_in(tmp_path), (tmp_path / "out" / "plan.json").read_bytes())


def test_a_long_answer_is_cut_and_tables_print_all(capsys: pytest.CaptureFixture[str]) -> None:
    answer = Answer([f"line {at}" for at in range(20)], tables={"counts": pd.DataFrame({"n": [1.5]})})
    Output().deliver("plan", answer)
    assert capsys.readouterr().out.splitlines() == [
        *(f"line {at}" for at in range(14)),
        "6 more lines: --tables prints all.",
    ]
    Output(tables=True).deliver("plan", answer)
    assert capsys.readouterr().out.splitlines() == [*answer.words, "", "counts", "    n", "1.500"]
    record = {"x": np.float64("nan"), "t": pd.DataFrame({"a": [np.inf, 2]}), "effects": Answer(())}
    Output(as_json=True).deliver("plan", Answer([], record=record))
    shown = json.loads(capsys.readouterr().out)
    assert (shown["x"], shown["t"], shown["effects"]["lines"]) == (None, [{"a": None}, {"a": 2}], 15)


def test_an_internal_error_has_its_own_exit_code(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_folder: Path | None, **_options: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("fairness_checklist.extensions.authoring.lint.linter.lint", broken)
    output = call("lint")

    assert output.code == 3
    assert output.err.startswith("Traceback")
    assert output.err.endswith(
        "RuntimeError: a bug\nSomething unexpected happened (RuntimeError). This is a bug in fairness-checklist.\n"
    )


def test_an_interrupt_reports_whether_something_is_kept(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fairness_checklist.models.huggingface.classifiers import HuggingFaceClassifier

    def stopped(*_arguments: Any, **_options: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(HuggingFaceClassifier, "score", stopped)
        assert call("run", *SMALL, *MODEL) == (130, "", "Stopped.\n")
        assert files_in(tmp_path) == []
    monkeypatch.setattr("fairness_checklist.api.result.Result.save", stopped)
    kept = "The predictions so far are stored: the same command continues from there.\nStopped.\n"
    said = call("run", *SMALL, *MODEL)
    assert (said.code, said.err, "Report:" in said.out) == (130, kept, False)
    assert files_in(tmp_path) == ["runs/.gender.predictions.sqlite"]


def test_runs_without_a_folder_of_their_own_do_not_replace_each_other(call: Call, tmp_path: Path) -> None:
    for _ in range(2):
        assert call("run", *SMALL, *MODEL, "--metrics", "fnr_gap", "--draws", "0", "--no-control-words").code == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["gender", "gender-2"]
    assert "by default runs/ATTRIBUTES" in " ".join(call("run", "--help").out.split())


def test_a_closed_pipe_is_no_error(run_folder: Path, tmp_path: Path) -> None:
    code = f"import os, sys; read, write = os.pipe(); os.close(read); os.dup2(write, 1)\n{RUN_MAIN}"
    few = ("--metrics", "fnr_gap", "--draws", "0")
    done = python_in(tmp_path, code, "evaluate", str(run_folder / "examples.parquet"), *few, "--out", "x")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert files_in(tmp_path) == [f"x/{name}" for name in RUN_FILES]


def evaluated(call: Call, folder: Path, *options: str, sources: int = 30) -> Said:
    """`evaluate` of a table in which one group of two is called rejected 11 points more often than the other."""
    scored(0.12, sources=sources).to_csv(folder / "table.csv", index=False)
    harm = ("--harm", "called:rejected", "--metrics", "fpr_gap", "--draws", "199")
    return call("evaluate", "table.csv", *harm, *options)


def test_a_dry_run_checks_the_options_of_a_run(call: Call, tmp_path: Path) -> None:
    for options, message in (
        (("--metrics", "nonsense"), "the metric 'nonsense' is not known.\n"),
        (("--threshold", "nan"), "threshold is nan; expected a number from 0 to 1.\n"),
        (("--config", "nowhere.toml"), "nowhere.toml: the file cannot be read: "),
        (("--labels", "LABEL_0"), "--labels LABEL_0 is not a pair.\n    Write LABEL_0=negative,LABEL_1=positive.\n"),
        (("--workers", "0"), "--workers 0 is too small; expected 1 or more.\n"),
    ):
        for dry in ((), ("--dry-run",)):
            output = call("run", *SMALL, *options, *dry)
            assert (output.code, output.out) == (2, ""), options
            assert output.err.startswith(f"OptionError: {message}"), options
            assert files_in(tmp_path) == []


def test_the_margin_and_the_reference_are_options(call: Call, tmp_path: Path) -> None:
    assert "small     both comparisons: at most 90 points worse." in evaluated(call, tmp_path, "--margin", "0.9").out
    assert "group : day" in evaluated(call, tmp_path, "--reference", "day").out
    wrong = evaluated(call, tmp_path, "--margin", "2")
    assert (wrong.code, wrong.err) == (
        2,
        "OptionError: --margin 2.0 is not a number above 0 and below 1.\n    Write 5 points as 0.05.\n",
    )


@pytest.mark.usefixtures("paged")
def test_the_same_command_writes_the_same_run_on_another_day(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    for name in ("a", "b"):
        evaluated(call, tmp_path, "--out", name)
    written = [{p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("a", "b")]

    assert json.loads(written[0]["run.json"])["date"] == "1970-01-02"
    assert written[0] == written[1]

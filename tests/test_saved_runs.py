"""What is read back: a metric of one's own in a new process, odd names in notes, formulas, other people's files."""

import json
import os
import resource
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from build_findings import scored as evaluated_rows
from command_line import Call, Said
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc

TERMS = {"deaf": ["deaf"], "hearing": ["hearing"]}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    suite = fc.Suite.from_templates(["I met {a:identity.writer}."], TERMS, attribute="own")
    return suite.save(tmp_path / "suites" / "own")


def changed(folder: Path, **values: Any) -> None:
    content = json.loads((folder / "suite.json").read_text(encoding="utf-8"))
    content["parts"][0].update(values)
    (folder / "suite.json").write_text(json.dumps(content), encoding="utf-8")


@sweep("name", ["../../secret", "/etc/secret", "..\\secret", "..", "", "a\0b"])
def test_a_suite_reads_no_file_outside_of_its_folder(saved: Path, name: Any) -> None:
    for kind in ("templates", "identity_terms"):
        shutil.copy(saved / kind / "own.csv", saved.parents[1] / "secret.csv")
    changed(saved, attribute=name)
    assert refusal(fc.errors.SuiteError, fc.Suite.load, saved) == (
        "own: suite.json is not that of a suite.\n    Build and save it again."
    )


@sweep("kind", ["templates", "identity_terms"])
def test_a_link_does_not_lead_out_of_the_folder(saved: Path, kind: str) -> None:
    secret = saved.parents[1] / "secret.csv"
    shutil.move(saved / kind / "own.csv", secret)
    (saved / kind / "own.csv").symlink_to(secret)
    assert refusal(fc.errors.SuiteError, fc.Suite.load, saved) == (
        f"own: suite.json names '{kind}/own.csv', which is not inside of the suite's folder.\n"
        "    Its files lie in templates and identity_terms; build and save it again."
    )


@sweep("name", ["../../secret", "a/b", "..", "a\\b", "a\0b"])
def test_a_suite_writes_no_file_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    message = f"the attribute {name!r} cannot name a file.\n    Leave out slashes, * and a dot in front."
    with pytest.raises(fc.errors.OptionError) as error:
        fc.Suite.from_templates(["I met {a:identity.writer}."], TERMS, attribute=name)
    assert str(error.value) == message
    [part] = fc.Suite.from_templates(["I met {a:identity.writer}."], TERMS, attribute="own").parts
    with pytest.raises(fc.errors.OptionError) as error:
        fc.Suite((replace(part, attribute=name),)).save(tmp_path / "deep" / "suite")
    assert str(error.value) == message
    assert list(tmp_path.iterdir()) == []


OUT = {
    "run": ("run", "-a", "gender", "--templates", "generic-004"),
    "evaluate": ("evaluate", "p.csv"),
    "build": ("build", "-a", "gender"),
    "build table": ("build", "-a", "gender", "--table"),
    "perturb": ("perturb", "t.csv", "-a", "gender"),
    "new": ("new", "attribute", "housing"),
    "demo": ("demo",),
}
PLACES = {
    "device": "/dev/null",
    "below a device": "/dev/null/x",
    "file": "file",
    "below a file": "file/x",
    "too long": "n" * 300,
    "proc": "/proc/none/x",
    "below a loop": "loop/x",
}


def test_a_place_that_cannot_be_written_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    def never(*_given: Any, **_named: Any) -> None:
        raise AssertionError("a model was loaded")

    monkeypatch.setattr("fairness_checklist.models.load.load_model", never)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "loop").symlink_to("loop")
    evaluated_rows(0.0).to_csv("p.csv", index=False)
    pd.DataFrame({"text": ["A man came."]}).to_csv("t.csv", index=False)
    before = sorted(path.name for path in tmp_path.iterdir())
    cases = [*(("run", place) for place in PLACES), *((verb, "below a file") for verb in OUT if verb != "run")]
    for verb, place in cases:
        option, ending = ((), ".csv") if verb == "build table" else (("--out",), "")
        said = call(*OUT[verb], *option, PLACES[place] + ending)
        assert said.code == 2, (verb, place, said.err)
        assert said.err.split(": ")[0] in ("OptionError", "TableError", "SuiteError"), (verb, place)
        assert "Traceback" not in said.err
        assert sorted(path.name for path in tmp_path.iterdir()) == before, (verb, place)
        assert not Path(os.devnull).is_file()


READERS = {
    "gate": ("gate", "run"),
    "gate, the baseline": ("gate", "whole", "--baseline", "run"),
    "report": ("report", "run"),
    "compare, the old": ("compare", "run", "whole"),
    "compare, the new": ("compare", "whole", "run"),
    "validate": ("validate", "run", "t.csv"),
}


def test_no_verb_reads_a_run_that_was_edited(call: Call) -> None:
    fc.evaluate(evaluated_rows(0.39), harm="called:rejected", metrics=["fpr_gap"], draws=50).save("run")
    shutil.copytree("run", "whole")
    page = Path("run/report.html").read_bytes()
    for name, old, new in (
        ("findings.csv", b",worse,", b",small,"),
        ("run.json", b'"notes": {', b'"notes": "x", "y": {'),
    ):
        kept = Path("run", name).read_bytes()
        assert old in kept
        Path("run", name).write_bytes(kept.replace(old, new))
        message = f"run: {name} was changed after the run.\n    Restore the folder from a copy, or run it again.\n"
        for verb, arguments in READERS.items():
            assert call(*arguments) == (2, "", f"TableError: {message}"), verb
            assert Path("run/report.html").read_bytes() == page
        Path("run", name).write_bytes(kept)
    assert call("report", "run").code == 0
    assert call("gate", "run").code == 1


def test_a_limit_of_the_size_of_files_is_no_bug_and_leaves_nothing(tmp_path: Path, call: Call) -> None:
    evaluated_rows(0.0).to_csv("t.csv", index=False)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    said, failed = Said(2, "", ""), 0
    for size in (10**power for power in range(2, 8)):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            said = call("evaluate", "t.csv", "--draws", "0", "--out", "x")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        if said.code == 0:
            break
        failed += 1
        assert (said.code, said.err) == (
            2,
            "OSError: nothing more can be written: File too large.\n    Raise the limit on the size of a file (ulimit "
            "-f), or name a place that allows larger ones.\n",
        )
        assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    assert failed > 1
    assert said.code == 0

"""The README, followed by the letter: every command and every line of Python in it runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fairness_checklist import cli
from fairness_checklist.core.tasks import TASKS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)
COMMANDS = [line for kind, block in BLOCKS if kind == "bash" for line in block.splitlines() if line.strip()]
FILES = dict(re.findall(r"`(\w+/\w+\.csv)`:\n\n```csv\n(.*?)```", README, flags=re.DOTALL))
BUNDLED = ROOT / "fairness_checklist" / "bundled_models"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader would stand: the README's files, and models of their own."""
    place = tmp_path_factory.mktemp("reader")
    for name, content in FILES.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content, encoding="utf-8")
    shutil.copytree(BUNDLED / "sentiment-2", place / "MODEL")
    shutil.copytree(BUNDLED / "ner", place / "TAGGER")
    return place


def run(command: list[str], cwd: Path) -> str:
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, "PATH": tools}
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
    assert "Warning" not in done.stderr, done.stderr
    return done.stdout


def test_the_readme_has_what_it_promises() -> None:
    assert FILES.keys() == {"my_terms/diet.csv", "texts/reviews.csv"}
    verbs = {shlex.split(line)[1] for line in COMMANDS if line.startswith("fairness-checklist")}
    assert {"run", "predict", "evaluate", "build", "lint", "perturb", "card", "new", "list"} <= verbs
    assert {"make demo", "pip install ."} <= set(COMMANDS)
    tasks = [words[words.index("--task") + 1] for words in map(shlex.split, COMMANDS) if "--task" in words]
    assert set(tasks) == set(TASKS)
    notebook = next(block for kind, block in BLOCKS if kind == "python")
    assert len(notebook.strip().splitlines()) <= 11
    for picture in re.findall(r"\]\(([\w/.]+\.png)\)", README):
        assert (ROOT / picture).is_file()
    for named in re.findall(r"`(docs/\w+\.md|CHANGELOG\.md)`", README):
        assert (ROOT / named).is_file(), named


OURS = [line for line in COMMANDS if line.startswith("fairness-checklist")]


@pytest.fixture
def follow(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[str], str]:
    """Follows a command of the README in this process: torch is loaded once, and what it prints is the same."""
    monkeypatch.chdir(folder)

    def command(line: str) -> str:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        capsys.readouterr()
        code: object = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code
        output = capsys.readouterr()
        assert not code, f"{line}\n{output.out}\n{output.err}"
        assert "Warning" not in output.err, output.err
        return output.out

    return command


@pytest.mark.parametrize("command", OURS)
def test_every_verb_of_the_readme_runs(
    command: str, folder: Path, follow: Callable[[str], str], unpainted: None
) -> None:
    if "evaluate predictions.csv" in command and not (folder / "predictions.csv").exists():
        follow(next(line for line in OURS if " predict " in line))
    if command == OURS[0]:  # as a reader starts it: the installed command, in a process of its own, with its picture
        printed = run(shlex.split(command), folder)
        assert (folder / shlex.split(command)[-1] / "heatmap.png").stat().st_size > 10_000
    else:
        printed = follow(command)
    assert printed.strip()
    if "--out runs/" in command:
        out = folder / shlex.split(command)[-1]
        assert (out / "report.html").is_file()
        assert "The report:" in printed


def test_the_python_of_the_readme_runs(folder: Path, monkeypatch: pytest.MonkeyPatch, unpainted: None) -> None:
    pytest.importorskip("checklist", reason="the extra [checklist] is not installed")
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    for kind, block in BLOCKS:
        if kind == "python":
            exec(compile(block, "README.md", "exec"), names)
    assert (folder / "report.html").is_file()
    assert names["checklist_suite"].tests  # type: ignore[attr-defined]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
@pytest.mark.skipif(not (ROOT / ".venv" / "core.stamp").is_file(), reason="make has not set this checkout up")
def test_make_demo_prints_where_the_three_reports_are() -> None:
    printed = run(["make", "demo"], ROOT)
    reports = re.findall(r"The report: (.*)", printed)
    assert [Path(report).parent.name for report in reports] == list(TASKS)
    assert all((ROOT / report).is_file() for report in reports)


def test_the_install_commands_resolve(tmp_path: Path) -> None:
    """``pip install`` lines name this project and extras that exist, and what is built holds the content."""
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    lines = [line for line in COMMANDS if line.startswith("pip")]
    assert len(lines) == 3
    run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "--target",
            str(tmp_path / "site"),
            str(ROOT),
        ],
        tmp_path,
    )
    assert (tmp_path / "site" / "fairness_checklist" / "templates" / "generic.csv").is_file()
    assert set(re.findall(r"\.\[(\w+)\]", "\n".join(lines))) <= set(extras)

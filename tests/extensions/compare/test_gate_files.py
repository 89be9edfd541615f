"""The workflow of a gate, whose steps run."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import Call

ROOT = Path(__file__).resolve().parents[3]
WORKFLOW: Any = yaml.safe_load((ROOT / "docs/workflows/fairness-gate.yml").read_text(encoding="utf-8"))
STEPS = WORKFLOW["jobs"]["gate"]["steps"]


def shell(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    known = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": "summary.md"} | variables
    return subprocess.run(
        ["bash", "-e", "-c", script], cwd=folder, env=known, capture_output=True, text=True, check=False
    )


def test_the_steps_of_the_workflow_run(tmp_path: Path, call: Call) -> None:
    """The shell says what each step calls, and it is called here: a process a command would take ten times as long."""
    assert set(WORKFLOW[True]) == {"pull_request", "workflow_dispatch"}  # YAML reads "on" as true
    job = WORKFLOW["jobs"]["gate"]
    assert job["runs-on"] == "ubuntu-latest"
    assert all(("uses" in step) != ("run" in step) for step in STEPS)
    variables = job["env"] | {"SUITE": job["env"]["SUITE"].replace("20", "2 --groups agender,women --no-control-words")}
    command(tmp_path, "printf '%s\\n' \"$@\" > words")
    for step in STEPS:
        if "run" in step and not step["name"].startswith("Install"):
            done = shell(step["run"], tmp_path, **variables)
            assert done.returncode == 0, step["name"] + done.stderr
            said = call(*(tmp_path / "words").read_text().splitlines())
            assert said.code == 0, step["name"] + said.err
    assert (tmp_path / STEPS[-1]["with"]["path"] / "new" / "report.html").is_file()
    assert (tmp_path / "summary.md").is_file()


def command(folder: Path, script: str) -> None:
    """Puts a program in a folder that a shell takes for fairness-checklist."""
    (folder / "fairness-checklist").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "fairness-checklist").chmod(0o755)


@pytest.mark.parametrize(("code", "then"), [(0, 0), (1, 1), (2, 2), (4, 0)])
def test_the_gate_of_the_workflow_stops_on_a_fail_and_warns_when_inconclusive(
    tmp_path: Path, code: int, then: int
) -> None:
    command(tmp_path, f"exit {code}")
    (step,) = (step["run"] for step in STEPS if step.get("name") == "Gate")
    done = shell(step, tmp_path)
    assert done.returncode == then
    assert done.stdout == ("::warning title=Fairness gate::inconclusive, see the summary\n" if code == 4 else "")

"""What a gate writes for other programs, as whole texts; and the workflow, whose steps run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest
import yaml
from command_line import Call

from fairness_checklist.extensions.compare.gate import GATE_COLUMNS, Gate
from fairness_checklist.extensions.compare.gate_config import GateConfig
from fairness_checklist.extensions.compare.words import junit_xml

ROOT = Path(__file__).resolve().parents[3]
NAN, HARM = float("nan"), ("called_bad", 'called "bad" & <x>')
WORKFLOW: Any = yaml.safe_load((ROOT / "docs/workflows/fairness-gate.yml").read_text(encoding="utf-8"))
STEPS = WORKFLOW["jobs"]["gate"]["steps"]

FAILS = "gap 30 points (at least 20, at most 40), limit 10 points."
OPEN = "gap not known, limit 10 points; 4 independent sentences, fewer than 10."
XML = f"""\
<?xml version='1.0' encoding='utf-8'?>
<testsuites name="fairness-checklist" tests="3" failures="1" errors="0" time="0">
  <testsuite name="fairness gate" tests="3" failures="1" errors="0" time="0" skipped="1">
    <testcase classname="fairness.shift" name="night: called &quot;bad&quot; &amp; &lt;x&gt;" time="0">
      <failure message="The group &quot;night&quot;, called &quot;bad&quot; &amp; &lt;x&gt;: {FAILS}">\
The group "night", called "bad" &amp; &lt;x&gt;: {FAILS}</failure>
    </testcase>
    <testcase classname="fairness.shift" name="noon: called &quot;bad&quot; &amp; &lt;x&gt;" time="0">
      <skipped message="The group &quot;noon&quot;, called &quot;bad&quot; &amp; &lt;x&gt;: {OPEN}">\
The group "noon", called "bad" &amp; &lt;x&gt;: {OPEN}</skipped>
    </testcase>
    <testcase classname="fairness.shift" name="day: called &quot;bad&quot; &amp; &lt;x&gt;" time="0" />
  </testsuite>
</testsuites>
"""


@pytest.fixture
def small() -> Gate:
    figures = {
        "night": ("fail", 0.3, 0.2, 0.4, ""),
        "noon": ("inconclusive", NAN, NAN, NAN, "too few to say"),
        "day": ("pass", 0, -1, 0.05, ""),
    }
    rows = [
        ("shift", group, *HARM, decision, "probability", 0.1, gap, low, high, NAN, NAN, 0, 0, code)
        for group, (decision, gap, low, high, code) in figures.items()
    ]
    about = {"measure": "probability", "n_terms": 6, "n_terms_available": 8, "reason": "few sources", "n_sources": 4}
    about |= dict.fromkeys(("gap", "rate_gap", "rate_ci_low", "rate_ci_high", "rate", "others_rate"), NAN)
    findings = pd.DataFrame(
        [{"attribute": "shift", "group": group, "harm": HARM[0], "status": code or "clear", **about}
         for group, (*_, code) in figures.items()]
    )  # fmt: skip
    table = pd.DataFrame(rows, columns=list(GATE_COLUMNS))
    return Gate("fail", table, GateConfig(), None, SimpleNamespace(findings=findings))  # type: ignore[arg-type]


def test_the_xml_is_this_and_follows_the_schema_of_junit(small: Gate) -> None:
    text = junit_xml(small)
    assert text == XML
    known = {"name", "tests", "failures", "errors", "time"}
    suites = ElementTree.fromstring(text)
    (suite,) = suites
    outcomes = Counter(outcome.tag for case in suite for outcome in case)
    assert (suites.tag, suite.tag) == ("testsuites", "testsuite")
    assert (set(suites.keys()), set(suite.keys())) == (known, known | {"skipped"})
    assert {case.tag for case in suite} == {"testcase"}
    assert {tuple(case.keys()) for case in suite} == {("classname", "name", "time")}
    assert suites.get("tests") == suite.get("tests") == str(len(suite))
    assert suites.get("failures") == suite.get("failures") == str(outcomes["failure"])
    assert suite.get("skipped") == str(outcomes["skipped"])


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
    variables = job["env"] | {"SUITE": job["env"]["SUITE"].replace("20", "2 --groups agender,women --no-placebo")}
    command(tmp_path, "printf '%s\\n' \"$@\" > words")
    for step in STEPS:
        if "run" in step and not step["name"].startswith("Install"):
            done = shell(step["run"], tmp_path, **variables)
            assert done.returncode == 0, step["name"] + done.stderr
            said = call(*(tmp_path / "words").read_text().splitlines())
            assert said.code == 0, step["name"] + said.err
    assert (tmp_path / STEPS[-1]["with"]["path"] / "new" / "report.html").is_file()
    assert ElementTree.parse(tmp_path / "runs" / "gate.xml").getroot().get("failures") == "0"
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

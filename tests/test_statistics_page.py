"""docs/statistics.md: its code runs, and every function of ours that it names is there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from fairness_checklist.extensions.plan import bernstein

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_its_code_runs() -> None:
    blocks = "\n".join(re.findall(r"```pycon\n(.*?)```", TEXT, flags=re.DOTALL))
    test = doctest.DocTestParser().get_doctest(blocks, {}, "statistics.md", "statistics.md", 0)
    report: list[str] = []
    assert doctest.DocTestRunner().run(test, out=report.append) == doctest.TestResults(0, 9), "".join(report)


def test_every_function_is_named_there() -> None:
    named = set(re.findall(r"`([a-z_]+)`", TEXT)) | set(re.findall(r"import ([a-z_, ]+)", TEXT)[1].split(", "))
    assert {name for name in bernstein.__all__ if name[0].islower()} <= named

"""docs/statistics.md: every function of ours is named there; its code is run by test_docs."""

from __future__ import annotations

import re
from pathlib import Path

from fairness_checklist.extensions.plan import bernstein

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "statistics.md").read_text(encoding="utf-8")


def test_every_function_is_named_there() -> None:
    named = set(re.findall(r"`([a-z_]+)`", TEXT)) | set(re.findall(r"import ([a-z_, ]+)", TEXT)[1].split(", "))
    assert {name for name in bernstein.__all__ if name[0].islower()} <= named

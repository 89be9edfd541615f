"""docs/plan.md: every function of the Bernstein bound is named there; its code is run by test_docs."""

from __future__ import annotations

import re
from pathlib import Path

from fairness_checklist.extensions.plan import bernstein

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "plan.md").read_text(encoding="utf-8")


def test_every_function_is_named_there() -> None:
    assert {name for name in bernstein.__all__ if name[0].islower()} <= set(re.findall(r"`([a-z_]+)`", TEXT))

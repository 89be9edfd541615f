"""The linter: what is wrong with templates and terms, found by reading them and by filling all of them."""

from __future__ import annotations

from fairness_checklist.lint.finding import RULES, Finding
from fairness_checklist.lint.linter import checked, lint
from fairness_checklist.lint.mending import Fix, autofix

__all__ = ["RULES", "Finding", "Fix", "autofix", "checked", "lint"]

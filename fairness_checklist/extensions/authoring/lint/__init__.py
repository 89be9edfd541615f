"""The linter: what is wrong with templates and terms, found by reading them and by filling all of them."""

from __future__ import annotations

from fairness_checklist.extensions.authoring.lint.findings import RULES, Finding
from fairness_checklist.extensions.authoring.lint.lint_and_fix import Fix, autofix, count_checked, lint

__all__ = ["RULES", "Finding", "Fix", "autofix", "count_checked", "lint"]

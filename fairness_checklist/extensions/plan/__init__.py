"""The verb ``plan``: how many templates, terms or examples show a gap (Ethayarajh 2020)."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "examples_needed": "power",
    "plan_suite": "suite_plan",
    "smallest_gap": "power",
    "smallest_suite_gap": "suite_plan",
}
VERBS: dict[str, str] = {"plan": "verb.plan"}

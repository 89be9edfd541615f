"""What is asked for after a run: interactions, capitals, mechanisms, stability, influence, explanations, paired tests."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {}

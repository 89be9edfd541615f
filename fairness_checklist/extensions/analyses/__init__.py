"""What is asked for after a run, by a method of `Result`: interactions, stability, explanations, paired tests."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {}

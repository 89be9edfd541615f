"""What is asked for after a run, by a method of `Result`: by column, interactions, paired tests, plots."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {}

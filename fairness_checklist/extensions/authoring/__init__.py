"""Writing and checking content, with the verbs ``lint``, ``new`` and ``card``."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {"card": "verbs.card", "lint": "verbs.lint", "new": "verbs.new"}

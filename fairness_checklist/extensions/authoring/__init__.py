"""Writing and checking content, with the verbs ``lint``, ``new`` and ``review``."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {"lint": "verbs.lint", "new": "verbs.new", "review": "verbs.review"}

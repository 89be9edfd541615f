"""The verbs ``compare`` and ``gate``: is a new model worse than an old one, and may it go out."""

from __future__ import annotations

PUBLIC: dict[str, str] = {"compare": "compare", "Comparison": "compare"}
VERBS: dict[str, str] = {"compare": "verb.compare"}

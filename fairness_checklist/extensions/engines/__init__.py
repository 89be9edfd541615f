"""Speed: chunks of texts scored by worker processes or by Ray."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {}

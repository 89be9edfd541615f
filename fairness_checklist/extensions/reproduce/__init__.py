"""The verb ``reproduce``: the experiments of papers with models of one's own, beside what the papers print."""

from __future__ import annotations

PUBLIC: dict[str, str] = {"reproduce": "papers"}
VERBS: dict[str, str] = {"reproduce": "verb.reproduce"}

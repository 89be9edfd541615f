"""The verb ``intrinsic``: bias measures on the vectors of a model (Orgad and Belinkov 2022)."""

from __future__ import annotations

PUBLIC: dict[str, str] = {"intrinsic": "intrinsic"}
VERBS: dict[str, str] = {"intrinsic": "verb.intrinsic"}

"""Predictions on disk: the store that a run is continued from."""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {}
OPTIONS: dict[str, str] = {"Keeping": "command_line.StoreOptions"}

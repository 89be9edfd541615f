"""Predictions on disk: the store that a run is continued from, and the chunks that several machines share."""

from __future__ import annotations

PUBLIC: dict[str, str] = dict.fromkeys(("prune_store", "stored_models"), "store_contents")
VERBS: dict[str, str] = {"cache": "verb.cache"}
OPTIONS: dict[str, str] = {"Keeping": "command_line.StoreOptions"}

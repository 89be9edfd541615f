"""The verb ``preference``: which sentence of a pair a masked language model prefers."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "Preference": "preference",
    "stereotype_preference": "preference",
    "target_word_preference": "preference",
}
VERBS: dict[str, str] = {"preference": "verb.preference"}

"""Natural texts: what a suite says beside what a model does with texts that people wrote (``validate``)."""

from __future__ import annotations

PUBLIC: dict[str, str] = {"Validation": "validation", "validate": "validation"}
VERBS: dict[str, str] = {"validate": "verb.validate"}

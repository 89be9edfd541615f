"""CheckList both ways: its calls, its saved suites and its matrix (Ribeiro et al. 2020), and the verb ``import``."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "DIR": "behavioral.behavioral_tests",
    "Editor": "editor.editor",
    "Expect": "behavioral.expect",
    "INV": "behavioral.behavioral_tests",
    "MFT": "behavioral.behavioral_tests",
    "TestSuite": "behavioral.test_suite",
}
VERBS: dict[str, str] = {"import": "verb.import_"}

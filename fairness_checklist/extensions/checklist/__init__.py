"""CheckList both ways: its calls, its saved suites (Ribeiro et al. 2020), and the verb ``import``.

Its calls are imported from ``fairness_checklist.checklist``.
"""

from __future__ import annotations

PUBLIC: dict[str, str] = {}
VERBS: dict[str, str] = {"import": "verb.import_"}

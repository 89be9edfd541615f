"""Natural texts: what a suite says beside what a model does with texts that people wrote
(``validate``), and templates from such texts (``harvest``).
"""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "Harvest": "harvest",
    "Validation": "validation",
    "harvest": "harvest",
    "validate": "validation",
}
VERBS: dict[str, str] = {"validate": "verb.validate", "harvest": "verb.harvest"}

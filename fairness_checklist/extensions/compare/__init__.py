"""The verbs ``compare`` and ``gate``: is a new model worse than an old one, and may it go out."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "Comparison": "compare",
    "Gate": "gate",
    "GateConfig": "gate_config",
    "compare": "compare",
    "gate": "gate",
}
VERBS: dict[str, str] = {"compare": "verb.compare", "gate": "verb.gate"}

"""A user's own texts with other identities, perturbed or scrubbed, and the verb ``perturb``."""

from __future__ import annotations

PUBLIC: dict[str, str] = {"perturb": "perturb", "scrub": "scrubbing"}
VERBS: dict[str, str] = {"perturb": "verb.perturb"}

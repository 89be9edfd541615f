"""The verbs ``audit`` and ``mitigate``: identity terms in labelled texts (Dixon et al. 2018)."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "add_balancing_texts": "mitigation",
    "additions_needed": "mitigation",
    "audit": "audit",
    "identity_phrases": "mitigation_loop",
    "mentioned_terms": "term_mentions",
    "mitigation_loop": "mitigation_loop",
    "term_bias": "term_bias",
}
VERBS: dict[str, str] = {"audit": "verb.audit", "mitigate": "verb.mitigate"}

"""The verbs ``audit`` and ``mitigate``: identity terms in labelled texts (Dixon et al. 2018); tagged corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairness_checklist.core.lazy import lazy

if TYPE_CHECKING:
    from fairness_checklist.extensions.corpora.mitigation import add_balancing_texts as add_balancing_texts
    from fairness_checklist.extensions.corpora.mitigation import additions_needed as additions_needed
    from fairness_checklist.extensions.corpora.mitigation_loop import identity_phrases as identity_phrases
    from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms as mentioned_terms

__getattr__, __dir__ = lazy(
    __name__,
    {
        "add_balancing_texts": "mitigation",
        "additions_needed": "mitigation",
        "identity_phrases": "mitigation_loop",
        "mentioned_terms": "term_mentions",
    },
)

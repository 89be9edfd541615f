"""Mentions of many terms at once: the same as one search for each of them."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fairness_checklist.extensions.corpora.term_mentions import MentionFinder, mentioned_terms

TERMS = ["gay", "African American", "African", "deaf", "hard-of-hearing", "women's", "ß", "a", "İ"]
WORDS = st.sampled_from(
    [
        *TERMS,
        "GAYS",
        "gay_",
        "women\u2019s",
        "African\u00a0 American",
        "deaf-",
        "x",
        "SS",
        "american",
        ".",
        "hard-of-hearing,",
    ]
)
FORMS = {"gay": ["gays"], "deaf": ["gays", "the deaf"]}


def search(text: str, spelt: str) -> bool:
    """The plain implementation: a pattern for each way of writing a term."""
    parts = spelt.casefold().replace("\u2019", "'").split()
    folded = text.casefold().replace("\u2019", "'")
    return re.search(r"(?<!\w)" + r"\s+".join(map(re.escape, parts)) + r"(?!\w)", folded) is not None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.tuples(WORDS, st.sampled_from([" ", "", "\n", "  ", "-"])), max_size=8), max_size=4))
def test_the_mentions_are_those_of_one_search_a_term(drawn: list[list[tuple[str, str]]]) -> None:
    texts = ["".join(word + gap for word, gap in words) for words in drawn]
    wanted = np.array(
        [[any(search(text, one) for one in (term, *FORMS.get(term, ()))) for term in TERMS] for text in texts],
        dtype=bool,
    ).reshape(len(texts), len(TERMS))
    assert mentioned_terms(texts, TERMS, forms=FORMS).tolist() == wanted.tolist()
    rows, terms = MentionFinder(TERMS, forms=FORMS).find(texts)
    assert rows.tolist() == sorted(rows.tolist())
    pairs = sorted(zip(rows.tolist(), terms.tolist(), strict=True))
    assert pairs == [tuple(pair) for pair in np.argwhere(wanted).tolist()]

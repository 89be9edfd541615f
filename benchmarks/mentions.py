"""Finding the mentions of all shipped terms, against one pattern a term, as a ratio in the same run.

    python benchmarks/mentions.py [--quick] [--json FILE]

The texts are 20 words each, drawn from the words of the neutral templates, with a term in one of five.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path

import numpy as np

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.term_forms import term_forms
from fairness_checklist.extensions.corpora.inputs import ATTRIBUTES
from fairness_checklist.extensions.corpora.term_mentions import MentionFinder


def patterns_loop(texts: list[str], forms: dict[str, tuple[str, ...]]) -> int:
    """The peer: a compiled pattern of all forms of a term, searched in each text."""
    patterns = [
        re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, (term, *more))) + r")(?!\w)", re.IGNORECASE)
        for term, more in forms.items()
    ]
    return sum(bool(pattern.search(text)) for text in texts for pattern in patterns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    terms = {term.term.casefold(): term for name in ATTRIBUTES for term in load_terms(name).select().terms}
    forms = {name.casefold(): tuple(more) for name, more in term_forms(list(terms.values())).items()}
    generator = np.random.default_rng(1)
    words = np.array(
        [
            "the",
            "new",
            "coach",
            "wrote",
            "a",
            "letter",
            "about",
            "our",
            "train",
            "and",
            "nobody",
            "at",
            "the",
            "office",
            "had",
            "read",
            "it",
            "yet",
            "on",
            "monday",
        ]
    )
    names = np.array(list(forms))
    texts = [" ".join(generator.choice(words, 20)) for _ in range(500 if chosen.quick else 5000)]
    texts = [f"{text} {generator.choice(names)}" if at % 5 == 0 else text for at, text in enumerate(texts)]
    began = time.perf_counter()
    rows, _ = MentionFinder(list(forms), forms=forms).find(texts)
    ours, began = time.perf_counter() - began, time.perf_counter()
    found = patterns_loop(texts, forms)
    theirs = time.perf_counter() - began
    assert len(rows) == found, (len(rows), found)
    result = {
        "terms": len(forms),
        "texts": len(texts),
        "seconds_a_million": 1e6 * ours / len(texts),
        "ratio": theirs / ours,
    }
    print(" ".join(f"{name} {value:,.4g}" for name, value in result.items()))
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

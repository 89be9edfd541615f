"""The pairs of sentences whose terms a tagger treats most differently."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.extremes import best_of_each_source, diverse
from fairness_checklist.analysis.tagged import AtTerms, Tagged, at_terms, read_tagged_run
from fairness_checklist.results import Results

__all__ = ["worst_tagged_pairs"]

_SIDES = ("left", "right")
_EACH = ("group", "term", "text", "found", "whole", "p", "start", "end")
COLUMNS = ["source", "class", "change", "flips", *(f"{side}_{name}" for side in _SIDES for name in _EACH)]


def worst_tagged_pairs(results: Results, attribute: str, n: int = 10) -> pd.DataFrame:
    """The sentences of two groups and one source that differ most at the term, one pair a source.

    Inside a source, pairs of which one term is found and the other is missed come first, then the largest change of
    the probability of the type at the term; so do the n sources that are shown. At most two of them show the same two
    terms, as long as there are others. Sources that are not symmetric, the unmarked control and sentences whose term
    is no entity take no part.

    Args:
        results: a run of a tagger.
        attribute: of which attribute.
        n: how many sources at most.

    Returns:
        At most n rows with the columns source, class (the type that the term has), change (of the type's probability
        at the term, in [0, 1]; NaN where only tags are known), flips (one term is found, the other missed), and for
        both sides ``left_`` and ``right_`` with group, term, text, found (the entities), whole (whether the term is
        found with all its words and its type), p (of the type, the mean over the term's words), start and end (where
        the term stands in the text; -1 where it cannot be told).

    Raises:
        OptionError: the run has no such attribute.
    """
    tagged = read_tagged_run(results, attribute)
    outcomes, found = tagged.outcomes, at_terms(tagged.outcomes)
    kept = (outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)) & (found.type >= 0)
    kept[kept] = outcomes.symmetric[outcomes.source[kept]]
    rows = np.flatnonzero(kept)
    if not len(rows):
        return pd.DataFrame(columns=COLUMNS)
    known = outcomes.units is not None
    frame = pd.DataFrame(
        {
            "source": [f"{outcomes.source[row]} {found.type[row]}" for row in rows],
            "code": outcomes.group[rows],
            "term": [tagged.term(int(row)) for row in rows],
        }
    )
    values = found.probability[rows] if known else found.exact[rows].astype(np.float64)
    best = best_of_each_source(frame, values[:, None], found.exact[rows].astype(np.int64))
    best = best[(best["change"] > 0) | best["flips"]].sort_values(
        ["flips", "change", "source"], ascending=[False, False, True], kind="stable"
    )
    listed = []
    for pair in diverse(best, frame, n).to_dict("records"):
        a, b = int(rows[int(pair["left"])]), int(rows[int(pair["right"])])
        row: dict[str, Any] = {
            "source": tagged.examples.sources[int(outcomes.source[a])].id,
            "class": outcomes.classes[int(found.type[a])],
            "change": float(pair["change"]) if known else float("nan"),
            "flips": bool(pair["flips"]),
        }
        listed.append(row | _side("left", a, tagged, found) | _side("right", b, tagged, found))
    return pd.DataFrame(listed, columns=COLUMNS)


def _side(side: str, row: int, tagged: Tagged, found: AtTerms) -> dict[str, Any]:
    start, end = tagged.place_of_term(row)
    values = (
        tagged.examples.groups[int(tagged.outcomes.group[row])],
        tagged.term(row),
        tagged.texts[row],
        tagged.entities(row),
        bool(found.exact[row]),
        float(found.probability[row]),
        start,
        end,
    )
    return {f"{side}_{name}": value for name, value in zip(_EACH, values, strict=True)}

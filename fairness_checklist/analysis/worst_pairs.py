"""The worst pairs of a run side by side."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.extremes import best_of_each_source, diverse
from fairness_checklist.analysis.recorded import is_tagging
from fairness_checklist.analysis.run_view import one_of
from fairness_checklist.analysis.tagged_pairs import worst_tagged_pairs
from fairness_checklist.results import Results
from fairness_checklist.tables import UNMARKED

__all__ = ["find_term", "worst_pairs"]

_SIDES = ("left", "right")
_WORD = re.compile(r"\S+")


def worst_pairs(results: Results, attribute: str, n: int = 10) -> pd.DataFrame:
    """The pairs of texts whose probabilities differ most, of two groups of the same source, one pair a source.

    Inside a source, pairs whose decision differs come first, then the largest change of the probability of any class;
    so do the n sources that are shown. At most two of them show the same two terms, as long as there are others.
    Sources that are not symmetric and the unmarked control take no part. A tagger's pairs have columns of their own,
    see `tagged_pairs.worst_tagged_pairs`.

    Args:
        results: a run.
        attribute: of which attribute.
        n: how many sources at most.

    Returns:
        At most n rows with the columns source, label, class (whose probability changes most), change (in [0, 1]; NaN
        where only decisions are known), flips, and for both sides ``left_`` and ``right_`` with group, term, text,
        predicted, ``p:<class>``, start and end (where the term stands in the text; -1 where it cannot be told). No
        rows where there is no source.

    Raises:
        OptionError: the run has no such attribute.
    """
    one_of(attribute, results.attributes, "attribute")
    if is_tagging(results):
        return worst_tagged_pairs(results, attribute, n)
    examples = results.examples[results.examples["attribute"] == attribute].dropna(axis="columns", how="all")
    classes = [str(name).removeprefix("p:") for name in examples.columns if str(name).startswith("p:")]
    frame = _candidates(examples)
    if not len(frame):
        return pd.DataFrame(columns=_columns(classes))
    wording = frame["predicted"].astype("str").to_numpy()
    names = classes or sorted(set(wording))
    values = np.stack(
        [frame[f"p:{c}"].to_numpy(np.float64) if classes else (wording == c).astype(np.float64) for c in names], axis=1
    )
    best = best_of_each_source(frame, values, pd.factorize(wording)[0])
    best = best[(best["change"] > 0) | best["flips"]].sort_values(
        ["flips", "change", "source"], ascending=[False, False, True], kind="stable"
    )
    rows = []
    for pair in diverse(best, frame, n).to_dict("records"):
        a, b = frame.iloc[int(pair["left"])], frame.iloc[int(pair["right"])]
        row: dict[str, Any] = {"source": str(a["source"]), "label": str(a.get("label", ""))}
        row |= {"class": names[int(pair["column"])], "change": float(pair["change"]) if classes else float("nan")}
        row["flips"] = bool(pair["flips"])
        rows.append(row | _side("left", a, b, classes) | _side("right", b, a, classes))
    return pd.DataFrame(rows, columns=_columns(classes))


def _candidates(examples: pd.DataFrame) -> pd.DataFrame:
    """The rows of symmetric sources that mention a group, the position of the group in ``code``."""
    if "source" not in examples.columns or "predicted" not in examples.columns:
        return examples.iloc[:0]
    kept = examples["group"].astype("str") != UNMARKED
    if "symmetric" in examples.columns:
        kept &= examples["symmetric"].astype("str") != "no"
    frame = examples[kept].reset_index(drop=True)
    return frame.assign(code=pd.factorize(frame["group"].astype("str"))[0])


def _side(side: str, row: pd.Series[Any], other: pd.Series[Any], classes: list[str]) -> dict[str, Any]:
    text, term = str(row.get("text", "")), str(row.get("term", ""))
    start, end = find_term(text, term, str(other.get("text", "")))
    known: dict[str, Any] = {"group": str(row["group"]), "term": term, "text": text, "predicted": str(row["predicted"])}
    known |= {f"p:{c}": float(row[f"p:{c}"]) for c in classes}
    return {f"{side}_{name}": value for name, value in {**known, "start": start, "end": end}.items()}


def _columns(classes: list[str]) -> list[str]:
    each = ["group", "term", "text", "predicted", *(f"p:{c}" for c in classes), "start", "end"]
    return ["source", "label", "class", "change", "flips", *(f"{side}_{name}" for side in _SIDES for name in each)]


def find_term(text: str, term: str, other: str) -> tuple[int, int]:
    """Where the term stands in a text: as a word whatever its capitals, else where the other text differs.

    Args:
        text: the text.
        term: the identity term.
        other: a text of the same source with another term.

    Returns:
        [start, end) in characters; (-1, -1) where it cannot be told.

    >>> find_term("Deaf people came.", "deaf", ""), find_term("Two women came.", "woman", "Two men came.")
    ((0, 4), (4, 9))
    >>> find_term("An agender chef came.", "a-gender", "A chef came."), find_term("Same.", "x", "Same.")
    ((3, 10), (-1, -1))
    """
    if term:
        found = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text, flags=re.IGNORECASE)
        if found:
            return found.span()
    mine, theirs = list(_WORD.finditer(text)), _WORD.findall(other)
    words = [word.group() for word in mine]
    before = _shared(words, theirs)
    after = _shared(words[before:][::-1], theirs[before:][::-1])
    middle = mine[before : len(mine) - after]
    if len(middle) > 1 and middle[0].group().lower() in ("a", "an"):
        middle = middle[1:]
    if not middle:
        return -1, -1
    end = middle[-1].end()
    while end > middle[-1].start() + 1 and text[end - 1] in ".,;:!?":
        end -= 1
    return middle[0].start(), end


def _shared(mine: list[str], theirs: list[str]) -> int:
    """How many words two lists begin with in common."""
    n = 0
    for a, b in zip(mine, theirs, strict=False):
        if a != b:
            break
        n += 1
    return n

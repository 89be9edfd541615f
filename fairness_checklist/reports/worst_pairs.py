"""Of all pairs of two groups inside a source the one that differs most."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.metrics.closed_forms import blocks_of_sources
from fairness_checklist.reports.run_view import is_tagging, one_of
from fairness_checklist.reports.tagged_run import at_terms, classes_of, read_tagged_run
from fairness_checklist.tables.run_folder import Results

_SIDES = ("left", "right")
_SAME_TERMS = 2


def best_of_each_source(frame: pd.DataFrame, values: FloatArray, decisions: IntArray) -> pd.DataFrame:
    """The worst pair of each source: source, left and right (positions in the frame), column, change, flips.

    A pair's change is largest between the extremes of two cells, and a cell is a group's rows of one decision in a
    source: so only the extremes of each cell and class are compared.
    """
    source = pd.factorize(frame["source"].astype("str"))[0].astype(np.int64)
    group = frame["code"].to_numpy(np.int64)
    cell, first = np.unique(np.stack([source, group, decisions]), axis=1, return_inverse=True)
    first = first.reshape(-1)
    low, high = _extremes(values, first, cell.shape[1])
    pairs = [
        _best_pairs(values, cell[0, block[:, 0]], cell[1, block], cell[2, block], low[block], high[block])
        for block in blocks_of_sources(cell[0], np.arange(cell.shape[1]))
    ]
    return pd.concat(pairs).sort_values("source", kind="stable", ignore_index=True)


def diverse(best: pd.DataFrame, frame: pd.DataFrame, n: int) -> pd.DataFrame:
    """The first n pairs, at most two of the same two terms as long as there are others, in the same order."""
    if "term" not in frame.columns:
        return best.head(n)
    terms = frame["term"].astype("str").to_numpy()
    names = np.sort(np.stack([terms[best[side].to_numpy(np.int64)] for side in _SIDES], axis=1), axis=1)
    earlier = pd.DataFrame(names).groupby([0, 1]).cumcount().to_numpy()
    kept = np.concatenate([np.flatnonzero(earlier < _SAME_TERMS), np.flatnonzero(earlier >= _SAME_TERMS)])[:n]
    return best.iloc[np.sort(kept)]


def _extremes(values: FloatArray, cell: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """(size, C) the rows with the lowest and with the highest value of each cell; of equal ones the first."""
    low, high = np.empty((size, values.shape[1]), np.int64), np.empty((size, values.shape[1]), np.int64)
    for c in range(values.shape[1]):
        for sign, rows in ((1, low), (-1, high)):
            order = np.lexsort((np.arange(len(cell)), sign * values[:, c], cell))
            rows[:, c] = order[np.searchsorted(cell[order], np.arange(size))]
    return low, high


def _best_pairs(
    values: FloatArray, source: IntArray, group: IntArray, decisions: IntArray, low: IntArray, high: IntArray
) -> pd.DataFrame:
    """The worst pair of each of s sources with m cells: group and decisions (s, m), low and high (s, m, C).

    Sources with one group only have none. Of equal changes the last column counts, and in it the first pair.
    """
    two_groups = (group != group[:, :1]).any(axis=1)
    source, group, decisions, low, high = (each[two_groups] for each in (source, group, decisions, low, high))
    each, columns = np.arange(len(source)), np.arange(values.shape[1])
    change = values[high, columns][:, :, None, :] - values[low, columns][:, None, :, :]
    differ = group[:, :, None] != group[:, None, :]
    flips = differ & (decisions[:, :, None] != decisions[:, None, :])
    allowed = np.where(flips.any(axis=(1, 2), keepdims=True), flips, differ)
    ranked = np.where(allowed[..., None], np.round(change, 12), -np.inf)
    ranked = ranked.reshape(len(source), group.shape[1] ** 2, len(columns))
    largest = ranked.max(axis=1)
    column = len(columns) - 1 - (largest == largest.max(axis=1, keepdims=True))[:, ::-1].argmax(axis=1)
    first, second = np.divmod(ranked[each, :, column].argmax(axis=1), group.shape[1])
    a, b = high[each, first, column], low[each, second, column]
    in_order = group[each, first] < group[each, second]
    return pd.DataFrame(
        {
            "source": source,
            "left": np.where(in_order, a, b),
            "right": np.where(in_order, b, a),
            "column": column,
            "change": change[each, first, second, column],
            "flips": flips[each, first, second],
        }
    )


_EACH = ("group", "term", "text", "found", "whole", "p", "start", "end")
COLUMNS = ["source", "class", "change", "flips", *(f"{side}_{name}" for side in _SIDES for name in _EACH)]


def worst_tagged_pairs(results: Results, attribute: str, n: int = 10) -> pd.DataFrame:
    """The sentences of two groups and one source that differ most at the term, one pair a source.

    Inside a source, pairs of which one term is found and the other is missed come first, then the largest change of
    the probability of the type at the term; so do the n sources that are shown. At most two of them show the same two
    terms, as long as there are others. Sources that are not symmetric, the unmarked control and sentences whose term
    is no entity take no part.

    Returns:
        At most n rows with the columns source, class (the type that the term has), change (of the type's probability
        at the term, in [0, 1]; NaN where only tags are known), flips (one term is found, the other missed), and for
        both sides ``left_`` and ``right_`` with group, term, text, found (the entities), whole (whether the term is
        found with all its words and its type), p (of the type, the mean over the term's words), start and end (where
        the term is in the text; -1 where it is unknown).
    """
    tagged = read_tagged_run(results, attribute)
    outcomes, terms = tagged.outcomes, at_terms(tagged.outcomes)
    kept = (outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)) & (terms.type >= 0)
    kept[kept] = outcomes.symmetric[outcomes.source[kept]]
    rows = np.flatnonzero(kept)
    if not len(rows):
        return pd.DataFrame(columns=COLUMNS)
    known = outcomes.units is not None
    frame = pd.DataFrame(
        {
            "source": [f"{outcomes.source[row]} {terms.type[row]}" for row in rows],
            "code": outcomes.group[rows],
            "term": [tagged.term(int(row)) for row in rows],
        }
    )
    values = terms.probability[rows] if known else terms.exact[rows].astype(np.float64)
    listed = []
    for pair in _worst_first(frame, values[:, None], terms.exact[rows].astype(np.int64), n):
        left, right = int(rows[int(pair["left"])]), int(rows[int(pair["right"])])
        row: dict[str, Any] = {
            "source": tagged.examples.sources[int(outcomes.source[left])].id,
            "class": outcomes.classes[int(terms.type[left])],
            "change": float(pair["change"]) if known else float("nan"),
            "flips": bool(pair["flips"]),
        }
        for side, at in (("left", left), ("right", right)):
            row |= {f"{side}_{name}": value for name, value in tagged.side(at, terms).items()}
        listed.append(row)
    return pd.DataFrame(listed, columns=COLUMNS)


def _worst_first(frame: pd.DataFrame, values: FloatArray, decisions: IntArray, n: int) -> list[dict[Any, Any]]:
    """The pairs to show: those that flip first, then by their change."""
    best = best_of_each_source(frame, values, decisions)
    best = best[(best["change"] > 0) | best["flips"]].sort_values(
        ["flips", "change", "source"], ascending=[False, False, True], kind="stable"
    )
    return diverse(best, frame, n).to_dict("records")


_WORD = re.compile(r"\S+")


def worst_pairs(results: Results, attribute: str, n: int = 10) -> pd.DataFrame:
    """The pairs of texts whose probabilities differ most, of two groups of the same source, one pair a source.

    Inside a source, pairs whose decision differs come first, then the largest change of the probability of any class;
    so do the n sources that are shown. At most two of them show the same two terms, as long as there are others.
    Sources that are not symmetric and the unmarked control take no part. A tagger's pairs have columns of their own,
    see `worst_tagged_pairs`.

    Args:
        results: a run.
        attribute: of which attribute.
        n: how many sources at most.

    Returns:
        At most n rows with the columns source, label, class (whose probability changes most), change (in [0, 1]; NaN
        where only decisions are known), flips, and for both sides ``left_`` and ``right_`` with group, term, text,
        predicted, ``p:<class>``, start and end (where the term is in the text; -1 where it is unknown). No
        rows where there is no source.

    Raises:
        OptionError: the run has no such attribute.
    """
    one_of(attribute, results.attributes, "attribute")
    if is_tagging(results):
        return worst_tagged_pairs(results, attribute, n)
    examples = results.examples[results.examples["attribute"] == attribute].dropna(axis="columns", how="all")
    classes = [*classes_of(examples)]
    frame = _candidates(examples)
    if not len(frame):
        return pd.DataFrame(columns=_columns(classes))
    decisions = frame["predicted"].astype("str").to_numpy()
    names = classes or sorted(set(decisions))
    values = np.stack(
        [frame[f"p:{c}"].to_numpy(np.float64) if classes else (decisions == c).astype(np.float64) for c in names],
        axis=1,
    )
    rows = []
    for pair in _worst_first(frame, values, pd.factorize(decisions)[0], n):
        left, right = frame.iloc[int(pair["left"])], frame.iloc[int(pair["right"])]
        row: dict[str, Any] = {"source": str(left["source"]), "label": str(left.get("label", ""))}
        row |= {"class": names[int(pair["column"])], "change": float(pair["change"]) if classes else float("nan")}
        row["flips"] = bool(pair["flips"])
        for side, own, other in (("left", left, right), ("right", right, left)):
            row |= side_columns(side, own, other, {f"p:{c}": float(own[f"p:{c}"]) for c in classes})
        rows.append(row)
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


def side_columns(
    side: str, row: pd.Series[Any], other: pd.Series[Any], probabilities: Mapping[str, float]
) -> dict[str, Any]:
    """What is shown of a text beside another one of its source."""
    text, term = str(row.get("text", "")), str(row.get("term", ""))
    start, end = find_term(text, term, str(other.get("text", "")))
    shown = {"group": str(row["group"]), "term": term, "text": text, "predicted": str(row["predicted"])}
    return {f"{side}_{name}": value for name, value in {**shown, **probabilities, "start": start, "end": end}.items()}


def _columns(classes: list[str]) -> list[str]:
    each = ["group", "term", "text", "predicted", *(f"p:{c}" for c in classes), "start", "end"]
    return ["source", "label", "class", "change", "flips", *(f"{side}_{name}" for side in _SIDES for name in each)]


def find_term(text: str, term: str, other: str) -> tuple[int, int]:
    """Where the term is in a text: as a word whatever its capitals, else where the other text differs.

    Returns:
        [start, end) in characters; (-1, -1) where it is unknown.
    """
    if term:
        match = re.search(rf"(?<!\w){re.escape(term)}(?!\w)", text, flags=re.IGNORECASE)
        if match:
            return match.span()
    mine, theirs = list(_WORD.finditer(text)), _WORD.findall(other)
    words = [word.group() for word in mine]
    before = _shared(words, theirs)
    after = _shared(words[before:][::-1], theirs[before:][::-1])
    middle = mine[before : len(mine) - after]
    if len(middle) > 1 and middle[0].group().lower() in ("a", "an"):
        middle = middle[1:]
    if not middle:
        return -1, -1
    last = middle[-1].group()
    return middle[0].start(), middle[-1].start() + max(1, len(last.rstrip(".,;:!?")))


def _shared(mine: list[str], theirs: list[str]) -> int:
    """The number of leading words that two lists share."""
    same = [a == b for a, b in zip(mine, theirs, strict=False)]
    return [*same, False].index(False)

"""The texts that show one finding: of a group that meets the harm, and of the same sentence with another group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.reports.harm_texts import HarmTexts, harm_texts
from fairness_checklist.tables.run_folder import Results

_LOOKED_AT = 3
_EACH = ("group", "term", "text", "predicted", "p")
COLUMNS = (
    "source",
    "label",
    "class",
    "both_wrong",
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in _EACH),
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in ("start", "end")),
)


def finding_pairs(results: Results, record: Mapping[Any, Any], n: int = 5) -> pd.DataFrame:
    """Pairs that show a finding, one a source: the group's text meets the harm, and another group's does not.

    Sources in which another group's answer is right come first, and of these the source in which most of the group's
    texts meet the harm and fewest of the others. Of a source's texts the one with the most probable harm is shown, and
    the other group's with the least, a right answer if there is any. Terms that were shown already come later, also
    those of the best sources, 3 n of them.

    Returns:
        At most n rows with the columns source, label, class (of the harm; of a tagger the type; "refused" or
        "unparsable" where the finding is about such answers), both_wrong (the other group's answer is no harm, but
        wrong), and for ``harmed_`` and ``spared_`` each group, term, text, predicted, p (of the class, or the share of
        such answers; NaN where it is unknown), start and end (where the term is in the text; -1 where it is unknown).
        No rows where no pair shows it, the run has no texts, or the harm is the user's own and names no class.
    """
    return pairs_of(_known_texts(results, record), record, n)


def pairs_of(texts: HarmTexts | None, record: Mapping[Any, Any], n: int) -> pd.DataFrame:
    """The pairs of `finding_pairs` from texts that were read already."""
    if texts is None:
        return pd.DataFrame(columns=list(COLUMNS))
    frame = texts.marked[texts.marked["source"] != ""]
    name = "term" if "term" in record else "group"
    own = frame[frame[name] == str(record[name])]
    others = frame[(frame[name] != str(record[name])) & frame["source"].isin(own["source"][own["harmed"]])]
    spared = others[~others["harmed"]]
    each = pd.DataFrame(
        {
            "right": spared.groupby("source")["right"].any(),
            "gap": own.groupby("source")["harmed"].mean() - others.groupby("source")["harmed"].mean(),
            "p": own.groupby("source")["p"].mean() - others.groupby("source")["p"].mean(),
        }
    ).dropna(subset=["right", "gap"])
    each["right"] = each["right"].astype("bool")
    shown: Counter[str] = Counter()
    pairs: list[dict[str, Any]] = []
    ranked = each.sort_values(["right", "gap", "p"], ascending=False, kind="stable").index
    harmed = {source: set(rows["term"]) for source, rows in own[own["harmed"]].groupby("source")}
    left = [source for source in ranked[: _LOOKED_AT * n] if source in harmed]
    while left and len(pairs) < n:  # of the sources that show it best, one with a term that was not shown yet
        source = min(left, key=lambda at: min(shown[term] for term in harmed[at]))
        left.remove(source)
        first = own[(own["source"] == source) & own["harmed"]]
        second = spared[spared["source"] == source]
        second = second[second["right"]] if second["right"].any() else second
        one, other = _least_shown(first, -_worse(first), shown), _least_shown(second, _worse(second), shown)
        pairs.append(
            {"source": source, "label": frame["label"][one], "class": frame["class"][one]}
            | {"both_wrong": not frame["right"][other]}
            | texts.side("harmed", one, other)
            | texts.side("spared", other, one)
        )
    return pd.DataFrame(pairs, columns=list(COLUMNS))


def texts_of(texts: HarmTexts | None, record: Mapping[Any, Any], n: int) -> pd.DataFrame:
    """The texts of a group that meet the harm, the most probable ones first: what shows a finding without pairs."""
    columns = [name for name in COLUMNS if not name.startswith("spared")]
    if texts is None:
        return pd.DataFrame(columns=columns)
    name = "term" if "term" in record else "group"
    own = texts.marked[(texts.marked[name] == str(record[name])) & texts.marked["harmed"]]
    rows = own.index[np.argsort(-_worse(own), kind="stable")[:n]]
    listed = [
        {**own.loc[row, ["source", "label", "class"]], "both_wrong": False, **texts.side("harmed", row, row)}
        for row in rows
    ]
    return pd.DataFrame(listed, columns=columns)


def _known_texts(results: Results, record: Mapping[Any, Any]) -> HarmTexts | None:
    return harm_texts(results, str(record["attribute"]), str(record["harm"])) if has_texts(results) else None


def has_texts(results: Results) -> bool:
    """Whether a run has its texts, and not only their hashes."""
    there = {"text", "tokens"} & set(results.examples.columns)
    if not there or results.info.get("texts") == "hashes":
        return False
    return "tokens" in there or bool(results.examples["text"].fillna("").ne("").any())


def _worse(frame: pd.DataFrame) -> FloatArray:
    return np.asarray(np.nan_to_num(frame["p"].to_numpy(np.float64)))


def _least_shown(rows: pd.DataFrame, order: FloatArray, shown: Counter[str]) -> int:
    """The row whose term was shown least so far, then the first in an order of numbers."""
    times: IntArray = np.array([shown[term] for term in rows["term"]], dtype=np.int64)
    row = int(rows.index[np.lexsort((order, times))[0]])
    shown[rows["term"][row]] += 1
    return row

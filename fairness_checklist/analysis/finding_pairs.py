"""The pairs of sentences that show one finding: one that is harmed and one of the same source that is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.failures import at_terms, read_tagged_run
from fairness_checklist.analysis.run_view import is_tagging
from fairness_checklist.analysis.worst_pairs import find_term
from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.replicates import OUTCOME_HARMS
from fairness_checklist.core.tasks import Harm, known_harm
from fairness_checklist.tables.run_folder import LIST_SEPARATOR, Results

COLUMNS = (
    "source",
    "label",
    "class",
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in ("group", "term", "text", "predicted", "p")),
    *(f"{side}_{name}" for side in ("harmed", "spared") for name in ("start", "end")),
)


def finding_pairs(results: Results, record: Mapping[Any, Any], n: int = 5) -> pd.DataFrame:
    """Pairs that show a finding, one a source: the group's sentence meets the harm, and another group's does not.

    Sources come in the order of the record's ``examples``. Of a source's sentences the one with the most probable harm
    is shown, and the other group's with the least, a right answer if there is any. Terms that were shown already
    come later.

    Args:
        results: a run.
        record: a row of `findings.csv` or `term_findings.csv`.
        n: how many at most.

    Returns:
        At most n rows with the columns source, label, class (of the harm; of a tagger the type; "refused" or
        "unparsable" where the finding is about such answers), and for ``harmed_`` and ``spared_`` each group, term,
        text, predicted, p (of the class, or the share of such answers; NaN where it is unknown), start and end
        (where the term is in the text; -1 where it is unknown). No rows where no pair shows it, or the harm is the
        user's own and does not name a class.
    """
    if is_tagging(results):
        return _of_tagger(results, record, n)
    harm = OUTCOME_HARMS.get(str(record["harm"])) or known_harm(str(record["harm"]))
    examples = results.examples[results.examples["attribute"] == record["attribute"]]
    if harm is None or not {"source", "predicted", "text"} <= set(examples.columns):
        return pd.DataFrame(columns=list(COLUMNS))
    examples = examples[examples["group"].astype("str") != "unmarked"].reset_index(drop=True)
    harmed, concerned = _harmed(examples, harm)
    name = "term" if "term" in record else "group"
    own = examples[name].astype("str").to_numpy() == str(record[name])
    column = f"score:{harm.label}" if harm.kind == "outcome" else f"p:{harm.label}"
    p = examples[column].to_numpy(np.float64) if column in examples.columns else harmed.astype(np.float64)
    worse = -p if harm.kind == "missed" and column in examples.columns else p
    sources = examples["source"].astype("str").to_numpy()
    shown: Counter[str] = Counter()
    correct = examples["predicted"].astype("str").to_numpy() == examples.get("label", pd.Series("", examples.index))
    rows: list[dict[str, Any]] = []
    for source in str(record["examples"]).split(LIST_SEPARATOR):
        inside = (sources == source) & concerned
        first, second = np.flatnonzero(inside & own & harmed), np.flatnonzero(inside & ~own & ~harmed)
        if len(rows) == n or not len(first) or not len(second):
            continue
        a = _chosen(examples, first, -worse[first], shown)
        right = second[correct[second]]
        second = right if len(right) else second
        b = _chosen(examples, second, worse[second], shown)
        known = column in examples.columns
        rows.append(
            {"source": source, "label": str(examples.get("label", pd.Series("", examples.index))[a])}
            | {"class": harm.label}
            | _side("harmed", examples, a, b, p[a] if known else np.nan)
            | _side("spared", examples, b, a, p[b] if known else np.nan)
            | ({"harmed_predicted": harm.label} if harm.kind == "outcome" else {})
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _harmed(examples: pd.DataFrame, harm: Harm) -> tuple[BoolArray, BoolArray]:
    """Which rows meet the harm, and which it concerns; an outcome that is no class in any of a text's answers."""
    if harm.kind == "outcome":
        share = examples.get(f"score:{harm.label}", pd.Series(0.0, examples.index)).to_numpy(np.float64)
        return share > 0, ~np.isnan(share)
    predicted = examples["predicted"].astype("str").to_numpy() == harm.label
    if harm.kind == "predicted" or "label" not in examples.columns:
        return predicted, np.ones(len(examples), dtype=bool)
    label = examples["label"].fillna("").astype("str").to_numpy()
    if harm.kind == "missed":
        return ~predicted, label == harm.label
    return predicted, (label != harm.label) & (label != "")


def _chosen(examples: pd.DataFrame, rows: Any, order: FloatArray, shown: Counter[str]) -> int:
    """The row whose term was shown least so far, then the first in an order of numbers."""
    terms = [str(term) for term in examples.get("term", pd.Series("", examples.index)).iloc[rows]]
    best = min(range(len(rows)), key=lambda i: (shown[terms[i]], float(order[i])))
    shown[terms[best]] += 1
    return int(rows[best])


def _side(side: str, examples: pd.DataFrame, row: int, other: int, p: float) -> dict[str, Any]:
    one = examples.iloc[row]
    text, term = str(one["text"]), str(one.get("term", ""))
    start, end = find_term(text, term, str(examples["text"].iloc[other]))
    values = {"group": str(one["group"]), "term": term, "text": text, "predicted": str(one["predicted"]), "p": float(p)}
    return {f"{side}_{name}": value for name, value in {**values, "start": start, "end": end}.items()}


def _of_tagger(results: Results, record: Mapping[Any, Any], n: int) -> pd.DataFrame:
    """Pairs of which the group's (or the term's) mention is missed and another group's is found."""
    tagged = read_tagged_run(results, str(record["attribute"]))
    outcomes, slots = tagged.outcomes, at_terms(tagged.outcomes)
    rows = np.flatnonzero((outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)) & (slots.type >= 0))
    frame = pd.DataFrame({"term": [tagged.term(int(row)) for row in rows]})
    frame["group"] = [outcomes.groups[at] for at in outcomes.group[rows]]
    about = "term" if "term" in record else "group"
    own = frame[about].to_numpy() == str(record[about])
    source = np.array([tagged.examples.sources[at].id for at in outcomes.source[rows]], dtype=object)
    found, p = slots.exact[rows], np.nan_to_num(slots.probability[rows])
    shown: Counter[str] = Counter()
    pairs: list[dict[str, Any]] = []
    for name in str(record["examples"]).split(LIST_SEPARATOR):
        inside = source == name
        first, second = np.flatnonzero(inside & own & ~found), np.flatnonzero(inside & ~own & found)
        if len(pairs) == n or not len(first) or not len(second):
            continue
        harmed, spared = _chosen(frame, first, p[first], shown), _chosen(frame, second, -p[second], shown)
        pair: dict[str, Any] = {"source": name, "label": "", "class": outcomes.classes[slots.type[rows[harmed]]]}
        for side, at in (("harmed", harmed), ("spared", spared)):
            row = int(rows[at])
            start, end = tagged.place_of_term(row)
            values = {"group": frame["group"][at], "term": frame["term"][at], "text": tagged.texts[row]}
            values |= {
                "predicted": tagged.entities(row),
                "p": float(slots.probability[row]),
                "start": start,
                "end": end,
            }
            pair |= {f"{side}_{key}": value for key, value in values.items()}
        pairs.append(pair)
    return pd.DataFrame(pairs, columns=list(COLUMNS))

"""The pairs of sentences that show one finding: one that is harmed and one of the same source that is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.replicates import OUTCOME_HARMS
from fairness_checklist.core.tasks import Harm, known_harm
from fairness_checklist.reports.run_view import is_tagging
from fairness_checklist.reports.tagged_run import at_terms, read_tagged_run
from fairness_checklist.reports.worst_pairs import side_columns
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

    Returns:
        At most n rows with the columns source, label, class (of the harm; of a tagger the type; "refused" or
        "unparsable" where the finding is about such answers), and for ``harmed_`` and ``spared_`` each group, term,
        text, predicted, p (of the class, or the share of such answers; NaN where it is unknown), start and end
        (where the term is in the text; -1 where it is unknown). No rows where no pair shows it, or the harm is the
        user's own and does not name a class.
    """
    if is_tagging(results):
        return _tagged_pairs(results, record, n)
    harm = OUTCOME_HARMS.get(str(record["harm"])) or known_harm(str(record["harm"]))
    examples = results.examples[results.examples["attribute"] == record["attribute"]]
    if harm is None or not {"source", "predicted", "text"} <= set(examples.columns):
        return pd.DataFrame(columns=list(COLUMNS))
    examples = examples[examples["group"].astype("str") != "unmarked"].reset_index(drop=True)
    harmed, concerned = _harmed(examples, harm)
    column = f"score:{harm.label}" if harm.kind == "outcome" else f"p:{harm.label}"
    known = column in examples.columns
    p = examples[column].to_numpy(np.float64) if known else harmed.astype(np.float64)
    label = examples.get("label", pd.Series("", examples.index))
    correct = (examples["predicted"].astype("str").to_numpy() == label).to_numpy()
    worse = -p if harm.kind == "missed" and known else p
    pairs = _chosen_pairs(examples, record, n, harmed & concerned, ~harmed & concerned, worse, correct)
    rows: list[dict[str, Any]] = []
    for source, first, second in pairs:
        row: dict[str, Any] = {"source": source, "label": str(label[first]), "class": harm.label}
        for side, own, other in (("harmed", first, second), ("spared", second, first)):
            shown = {"p": float(p[own]) if known else float("nan")}
            row |= side_columns(side, examples.iloc[own], examples.iloc[other], shown)
        rows.append(row | ({"harmed_predicted": harm.label} if harm.kind == "outcome" else {}))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _chosen_pairs(
    frame: pd.DataFrame,
    record: Mapping[Any, Any],
    n: int,
    harmed: BoolArray,
    spared: BoolArray,
    worse: FloatArray,
    correct: BoolArray,
) -> Iterator[tuple[str, int, int]]:
    """The source and the rows of each pair: of the record's group or term the worst, of the others the best right one.

    The frame has the columns source, group and term; the arrays a value a row.
    """
    name = "term" if "term" in record else "group"
    own, sources = (frame[column].astype("str").to_numpy() for column in (name, "source"))
    own = own == str(record[name])
    terms = frame.get("term", pd.Series("", frame.index)).astype("str").tolist()
    shown: Counter[str] = Counter()

    def chosen(rows: IntArray, order: FloatArray) -> int:
        """The row whose term was shown least so far, then the first in an order of numbers."""
        row = min(rows.tolist(), key=lambda at: (shown[terms[at]], float(order[at])))
        shown[terms[row]] += 1
        return int(row)

    made = 0
    for source in str(record["examples"]).split(LIST_SEPARATOR):
        inside = sources == source
        first, second = np.flatnonzero(inside & own & harmed), np.flatnonzero(inside & ~own & spared)
        if made == n or not len(first) or not len(second):
            continue
        made += 1
        right = second[correct[second]]
        yield source, chosen(first, -worse), chosen(right if len(right) else second, worse)


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


def _tagged_pairs(results: Results, record: Mapping[Any, Any], n: int) -> pd.DataFrame:
    """Pairs of which the group's (or the term's) mention is missed and another group's is found."""
    tagged = read_tagged_run(results, str(record["attribute"]))
    outcomes, slots = tagged.outcomes, at_terms(tagged.outcomes)
    rows = np.flatnonzero((outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)) & (slots.type >= 0))
    frame = pd.DataFrame(
        {
            "source": [tagged.examples.sources[at].id for at in outcomes.source[rows]],
            "group": [outcomes.groups[at] for at in outcomes.group[rows]],
            "term": [tagged.term(int(row)) for row in rows],
        }
    )
    whole, p = slots.exact[rows], np.nan_to_num(slots.probability[rows])
    pairs: list[dict[str, Any]] = []
    for source, first, second in _chosen_pairs(frame, record, n, ~whole, whole, -p, whole):
        pair: dict[str, Any] = {"source": source, "label": "", "class": outcomes.classes[slots.type[rows[first]]]}
        for side, at in (("harmed", first), ("spared", second)):
            shown = tagged.side(int(rows[at]), slots)
            pair |= {f"{side}_{name}": value for name, value in {**shown, "predicted": shown["found"]}.items()}
        pairs.append(pair)
    return pd.DataFrame(pairs, columns=list(COLUMNS))

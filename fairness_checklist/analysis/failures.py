"""The pairs that fail an invariance test, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairness_checklist.analysis.recorded import is_tagging, tolerances
from fairness_checklist.analysis.tagged import read_tagged_run
from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.checks import Invariance, decisions, fails_against, references
from fairness_checklist.errors import OptionError
from fairness_checklist.outcomes import Outcomes, reduce_to_outcomes
from fairness_checklist.results import Results
from fairness_checklist.token_tables import split_any

__all__ = ["failures"]


def failures(results: Results, attribute: str | None = None, *, tolerance: float | None = None) -> pd.DataFrame:
    """Pairs of a source's reference and an example that fail, the largest change first.

    Args:
        results: a run.
        attribute: of which attribute; the first by default.
        tolerance: as in `checks.Invariance`; by default that of the run (of several invariance tests the first one's).

    Returns:
        Columns source, group, term, text, predicted, reference_text, reference_predicted, change: how far the
        probability of the reference's decision moved. Of a tagger found and reference_found stand in the place of the
        decisions: the entities of each sentence; and change is the largest among the words that fail.

    Raises:
        OptionError: no such attribute in the run, or its rows have no source.
    """
    tolerance = tolerances(results)[0] if tolerance is None else Invariance(tolerance).tolerance
    name = attribute or results.attributes[0]
    part = results.examples[results.examples["attribute"] == name]
    if part.empty:
        raise OptionError(f"the run has no attribute {name!r}.", remedy=f"It has {', '.join(results.attributes)}.")
    if "source" not in part.columns:
        raise OptionError("the rows have no source, so nothing can be compared pair by pair.")
    if is_tagging(results):
        return _of_tagger(results, name, tolerance)
    [(examples, predictions)] = split_any(part, task=str(results.info.get("task", "")), classes=_classes(part))
    outcomes = reduce_to_outcomes(examples, predictions)
    rows, against = _failing(outcomes, tolerance)
    decision = decisions(outcomes)[0][:, 0]
    wording = np.array(outcomes.classes, dtype=object)
    texts = np.array(examples.render(), dtype=object)
    frame = pd.DataFrame(
        {
            "source": [examples.sources[s].id for s in outcomes.source[rows]],
            "group": [examples.groups[g] for g in outcomes.group[rows]],
            "term": [examples.terms[t] if t >= 0 else "" for t in outcomes.term[rows]],
            "text": texts[rows],
            "predicted": wording[decision[rows]],
            "reference_text": texts[against],
            "reference_predicted": wording[decision[against]],
            "change": _change(outcomes, rows, against, tolerance),
        }
    )
    return _largest_first(frame)


def _of_tagger(results: Results, attribute: str, tolerance: float) -> pd.DataFrame:
    tagged = read_tagged_run(results, attribute)
    outcomes, examples = tagged.outcomes, tagged.examples
    rows, against = _failing(outcomes, tolerance)
    wording = {int(row): tagged.entities(int(row)) for row in np.unique(np.concatenate([rows, against]))}
    frame = pd.DataFrame(
        {
            "source": [examples.sources[s].id for s in outcomes.source[rows]],
            "group": [examples.groups[g] for g in outcomes.group[rows]],
            "term": [tagged.term(int(row)) for row in rows],
            "text": [tagged.texts[row] for row in rows],
            "found": [wording[int(row)] for row in rows],
            "reference_text": [tagged.texts[row] for row in against],
            "reference_found": [wording[int(row)] for row in against],
            "change": _change(outcomes, rows, against, tolerance),
        }
    )
    return _largest_first(frame)


def _failing(outcomes: Outcomes, tolerance: float) -> tuple[IntArray, IntArray]:
    """The rows that fail, and the reference of each."""
    reference = references(outcomes)
    rows = np.flatnonzero((outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)))
    rows = rows[outcomes.symmetric[outcomes.source[rows]]]
    against = reference[outcomes.source[rows]]
    compared = (rows != against) & (against >= 0)
    rows, against = rows[compared], against[compared]
    failed = fails_against(outcomes, against, rows, tolerance)
    return rows[failed], against[failed]


def _change(outcomes: Outcomes, rows: IntArray, against: IntArray, tolerance: float) -> FloatArray:
    """How far the probability of the reference's decision moves: the largest movement among the places that fail."""
    wording, probability = decisions(outcomes)
    change = np.zeros(len(rows))
    for place in range(wording.shape[1]):
        given, own = wording[against, place], wording[rows, place]
        moved = probability[rows, place, given] - probability[against, place, given]
        failed = (own != given) & (own >= 0) & (given >= 0) & ~(np.abs(moved) <= tolerance)
        change = np.where(failed & (np.abs(moved) > np.abs(change)), moved, change)
    return change


def _largest_first(frame: pd.DataFrame) -> pd.DataFrame:
    order = frame["change"].abs().sort_values(ascending=False, kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def _classes(frame: pd.DataFrame) -> tuple[str, ...]:
    """The classes in the order of the table's columns."""
    return tuple(str(name).removeprefix("p:") for name in frame.columns if str(name).startswith("p:"))

"""The pairs that fail an invariance test, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairness_checklist.checks.invariance_and_mft import Invariance, decisions, fails_against, references
from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.options import TOLERANCE
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.reports.run_view import is_tagging
from fairness_checklist.reports.tagged_run import read_tagged_run
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any


def failures(results: Results, attribute: str | None = None, *, tolerance: float | None = None) -> pd.DataFrame:
    """Pairs of a source's reference and an example that fail, the largest change first.

    Args:
        results: a run.
        attribute: of which attribute; the first by default.
        tolerance: as in `checks.Invariance`; by default that of the run (of several invariance tests the first one's).

    Returns:
        Columns source, group, term, text, predicted, reference_text, reference_predicted, change: how far the
        probability of the reference's decision moved. For a tagger, found and reference_found replace the
        decisions: the entities of each sentence; and change is the largest among the words that fail.

    Raises:
        OptionError: no such attribute in the run, or its rows have no source.
    """
    of_run = results.info.get("options", {}).get("tolerance") or TOLERANCE
    tolerance = of_run if tolerance is None else Invariance(tolerance).tolerance
    name = attribute or results.attributes[0]
    part = results.examples[results.examples["attribute"] == name]
    if part.empty:
        raise OptionError(f"the run has no attribute {name!r}.", remedy=f"It has {', '.join(results.attributes)}.")
    if "source" not in part.columns:
        raise OptionError("the rows have no source, so nothing can be compared pair by pair.")
    if is_tagging(results):
        tagged = read_tagged_run(results, name)
        examples, outcomes, texts = tagged.examples, tagged.outcomes, np.array(tagged.texts, dtype=object)
        rows, against = _failing(outcomes, tolerance)
        answer, answers = "found", np.full(len(texts), "", dtype=object)
        for row in np.unique(np.concatenate([rows, against])):
            answers[row] = tagged.entities(int(row))
    else:
        classes = tuple(str(column)[2:] for column in part.columns if str(column)[:2] == "p:")
        [(examples, predictions)] = split_any(part, task=str(results.info.get("task", "")), classes=classes)
        outcomes, texts = reduce_to_outcomes(examples, predictions), np.array(examples.render(), dtype=object)
        rows, against = _failing(outcomes, tolerance)
        answer, answers = "predicted", np.array(outcomes.classes, dtype=object)[decisions(outcomes)[0][:, 0]]
    frame = pd.DataFrame(
        {
            "source": [examples.sources[s].id for s in outcomes.source[rows]],
            "group": [examples.groups[g] for g in outcomes.group[rows]],
            "term": [examples.terms[t] if t >= 0 else "" for t in outcomes.term[rows]],
            "text": texts[rows],
            answer: answers[rows],
            "reference_text": texts[against],
            f"reference_{answer}": answers[against],
            "change": _change(outcomes, rows, against, tolerance),
        }
    )
    return frame.sort_values("change", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def _failing(outcomes: Outcomes, tolerance: float) -> tuple[IntArray, IntArray]:
    """The rows that fail, and the reference of each."""
    reference = references(outcomes)
    rows = np.flatnonzero((outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)))
    rows = rows[outcomes.symmetric[outcomes.source[rows]]]
    against = reference[outcomes.source[rows]]
    compared = (rows != against) & (against >= 0)
    rows, against = rows[compared], against[compared]
    failed, _moved = fails_against(outcomes, against, rows, tolerance)
    return rows[failed], against[failed]


def _change(outcomes: Outcomes, rows: IntArray, against: IntArray, tolerance: float) -> FloatArray:
    """The change of the probability of the reference's decision: the largest one among the failing places."""
    wording, probability = decisions(outcomes)
    change = np.zeros(len(rows))
    for place in range(wording.shape[1]):
        given, own = wording[against, place], wording[rows, place]
        moved = probability[rows, place, given] - probability[against, place, given]
        failed = (own != given) & (own >= 0) & (given >= 0) & ~(np.abs(moved) <= tolerance)
        change = np.where(failed & (np.abs(moved) > np.abs(change)), moved, change)
    return change

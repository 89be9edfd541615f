"""The pairs that fail an invariance test, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from fairness_checklist.checks import decisions, fails_against, references
from fairness_checklist.errors import OptionError
from fairness_checklist.outcomes import reduce_to_outcomes
from fairness_checklist.results import Results
from fairness_checklist.token_tables import split_any

__all__ = ["failures"]


def failures(results: Results, attribute: str | None = None, *, threshold: float = 0.1) -> pd.DataFrame:
    """Pairs of a source's reference and an example that fail, the largest change first.

    Args:
        results: a run.
        attribute: of which attribute; the first by default.
        threshold: as in `checks.Invariance`.

    Returns:
        Columns source, group, term, text, predicted, reference_text, reference_predicted, change: how far the
        probability of the reference's decision moved.

    Raises:
        OptionError: no such attribute in the run, or its rows have no source.
    """
    name = attribute or results.attributes[0]
    part = results.examples[results.examples["attribute"] == name]
    if part.empty:
        raise OptionError(f"the run has no attribute {name!r}.", remedy=f"It has {', '.join(results.attributes)}.")
    if "source" not in part.columns:
        raise OptionError("the rows have no source, so nothing can be compared pair by pair.")
    [(examples, predictions)] = split_any(part, task=str(results.info.get("task", "")), classes=_classes(part))
    outcomes = reduce_to_outcomes(examples, predictions)
    reference = references(outcomes)
    rows = np.flatnonzero(outcomes.symmetric[outcomes.source] & (outcomes.group < len(outcomes.groups)))
    rows = rows[rows != reference[outcomes.source[rows]]]
    against = reference[outcomes.source[rows]]
    failed = fails_against(outcomes, against, rows, threshold)
    rows, against = rows[failed], against[failed]
    decision, probability = (table[:, 0] for table in decisions(outcomes))
    said = np.array(outcomes.classes, dtype=object)
    change = probability[rows, decision[against]] - probability[against, decision[against]]
    texts = np.array(examples.render(), dtype=object)
    frame = pd.DataFrame(
        {
            "source": [examples.sources[s].id for s in outcomes.source[rows]],
            "group": [examples.groups[g] for g in outcomes.group[rows]],
            "term": [examples.terms[t] if t >= 0 else "" for t in outcomes.term[rows]],
            "text": texts[rows],
            "predicted": said[decision[rows]],
            "reference_text": texts[against],
            "reference_predicted": said[decision[against]],
            "change": change,
        }
    )
    order = frame["change"].abs().sort_values(ascending=False, kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def _classes(frame: pd.DataFrame) -> tuple[str, ...]:
    """The classes in the order of the table's columns."""
    return tuple(str(name).removeprefix("p:") for name in frame.columns if str(name).startswith("p:"))

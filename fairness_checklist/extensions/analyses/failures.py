"""The pairs that fail an invariance test, as a table."""

import numpy as np
import pandas as pd

from fairness_checklist.checks.invariance_and_mft import Invariance, decisions, fails_against, references
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import TOLERANCE
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.reports.run_view import is_tagging, one_of
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any


def failures(results: Results, attribute: str | None = None, *, tolerance: float | None = None) -> pd.DataFrame:
    """Pairs of a source's reference and an example that fail, the largest change first.

    By default of the first attribute, at the tolerance of the run (of several invariance tests the first one's).
    ``change`` is how far the probability of the reference's decision moved.

    Raises:
        OptionError: no such attribute in the run, its rows have no source, or a run of a tagger.
    """
    of_run = results.info.get("options", {}).get("tolerance") or TOLERANCE
    tolerance = of_run if tolerance is None else Invariance(tolerance).tolerance
    name = one_of(attribute or results.attributes[0], results.attributes, "attribute")
    examples_of_run = results.examples[results.examples["attribute"] == name]
    if "source" not in examples_of_run:
        raise OptionError("the rows have no source, so nothing can be compared pair by pair.")
    if is_tagging(results):
        raise OptionError("failing pairs of a tagger are not listed.", remedy="The page of the run shows some of them.")
    classes = tuple(str(column)[2:] for column in examples_of_run if str(column)[:2] == "p:")
    [(examples, predictions)] = split_any(examples_of_run, task=str(results.info.get("task", "")), classes=classes)
    outcomes, texts = reduce_to_outcomes(examples, predictions), np.array(examples.render(), dtype=object)
    reference = references(outcomes)
    rows = np.flatnonzero((outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)))
    rows = rows[outcomes.symmetric[outcomes.source[rows]]]
    against = reference[outcomes.source[rows]]
    compared = (rows != against) & (against >= 0)
    rows, against = rows[compared], against[compared]
    failed, _moved = fails_against(outcomes, against, rows, tolerance)
    rows, against = rows[failed], against[failed]
    decided, probability = (values[:, 0] for values in decisions(outcomes))
    answers = np.array(outcomes.classes, dtype=object)[decided]
    frame = pd.DataFrame(
        {
            "source": [examples.sources[s].id for s in outcomes.source[rows]],
            "group": [examples.groups[g] for g in outcomes.group[rows]],
            "term": [examples.terms[t] if t >= 0 else "" for t in outcomes.term[rows]],
            "text": texts[rows],
            "predicted": answers[rows],
            "reference_text": texts[against],
            "reference_predicted": answers[against],
            "change": probability[rows, decided[against]] - probability[against, decided[against]],
        }
    )
    return frame.sort_values("change", key=np.abs, ascending=False, kind="stable", ignore_index=True)

"""A model's predictions for the parts of a suite, without the texts that the model failed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import ModelError
from fairness_checklist.core.examples import UNMARKED, ExampleSet, select_examples
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.suites.parts import Part, control_frame, frame_of_parts, part_frame
from fairness_checklist.tables.texts import to_table


@dataclass(frozen=True, eq=False)
class PartPredictions:
    """A model's predictions for one part of a suite and for each of its controls.

    ``failed`` are texts without a prediction, because the model failed on them (``attribute, source, group, term, text,
    error``), which are no rows of the part; ``notes`` count them by group.
    """

    part: Part
    predictions: Predictions | TokenPredictions
    control_predictions: tuple[Predictions, ...] = ()
    failed: tuple[dict[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def controls(self) -> pd.DataFrame:
        """The prediction table of its controls, empty where it has none."""
        return control_frame(self.part, self.control_predictions)


def predictions_frame(
    answers: Sequence[PartPredictions], placebos: Mapping[str, PartPredictions] | None = None
) -> pd.DataFrame:
    """A model's predictions for all parts as one table, see `frame_of_parts`.

    Texts that the model failed on are no rows; ``attrs["failed"]`` lists them, where there are any.
    """
    placebos = placebos or {}
    frame = frame_of_parts(
        [(answer.part, part_frame(answer.part, answer.predictions), answer.controls()) for answer in answers],
        {name: part_frame(answer.part, answer.predictions) for name, answer in placebos.items()},
    )
    failed = [record for answer in (*answers, *placebos.values()) for record in answer.failed]
    if failed:
        frame.attrs["failed"] = failed
    return frame


def answered_part(part: Part, answers: Iterator[Predictions | TokenPredictions]) -> PartPredictions:
    """A part with the predictions for its texts and its controls, without the texts that the model failed on."""
    examples, predictions, failed, notes = _without_failed(part.examples, next(answers))
    controls, of_controls = [], []
    for control in part.controls:
        texts, predicted, more, _notes = _without_failed(control.examples, next(answers))
        if isinstance(predicted, TokenPredictions):
            raise ModelError("the model tags words, and an intersection is about whole texts.")
        controls.append(replace(control, examples=texts))
        of_controls.append(predicted)
        failed += more
    crossed = part.crossed and replace(part.crossed, controls=tuple(controls))
    if crossed or examples is not part.examples:
        part = replace(part, examples=examples, crossed=crossed)
    return PartPredictions(part, predictions, tuple(of_controls), failed=failed, notes=notes)


def _without_failed(
    examples: ExampleSet, predictions: Predictions | TokenPredictions
) -> tuple[ExampleSet, Predictions | TokenPredictions, tuple[dict[str, str], ...], tuple[str, ...]]:
    """The rows with a prediction, their predictions, and the records of the other rows with a note on them."""
    texts = examples.render() if predictions.failed else []
    rows = np.array([row for row, text in enumerate(texts) if text in predictions.failed], dtype=np.int64)
    if not rows.size:
        return examples, predictions, (), ()
    table = to_table(select_examples(examples, rows))
    table["error"] = [predictions.failed[text] for text in table["text"]]
    columns = ["attribute", "source", "group", "term", "text", "error"]
    records = table.reindex(columns=columns, fill_value="").astype("str").to_dict("records")
    listed = tuple({str(name): str(cell) for name, cell in record.items()} for record in records)
    names = (*examples.groups, UNMARKED)
    group = np.where(examples.group < 0, len(examples.groups), examples.group)
    sizes, lost = (np.bincount(groups, minlength=len(names)) for groups in (group, group[rows]))
    counts = [(name, int(k), int(n)) for name, k, n in zip(names, lost, sizes, strict=True) if n]
    others = np.delete(np.arange(len(examples)), rows)
    note = failed_note(len(rows), len(examples), counts)
    return select_examples(examples, others), predictions.at(others), listed, (note,)


def failed_note(n_failed: int, n: int, groups: Sequence[tuple[str, int, int]]) -> str:
    """The note on rows that have no prediction.

    >>> failed_note(3, 200, [("female", 3, 100), ("male", 0, 100)])
    '3 of 200 texts have no prediction, because the model failed on them: metrics and tests leave them out (female 3 of
    100; other groups none)'
    """
    listed = ", ".join(f"{name} {failed:,} of {rows:,}" for name, failed, rows in groups if failed)
    listed += "; other groups none" if any(not failed for _name, failed, _rows in groups) else ""
    have, them = ("has", "it") if n_failed == 1 else ("have", "them")
    lacking = f"{n_failed:,} of {n:,} texts {have} no prediction, because the model failed on {them}"
    return f"{lacking}: metrics and tests leave {them} out ({listed})"

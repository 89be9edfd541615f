"""A model's predictions for the parts of a suite, without the texts that the model failed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import ModelError
from fairness_checklist.core.examples import UNMARKED, ExampleSet, select_examples
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.suites.parts import Part, control_frame, part_frame
from fairness_checklist.tables.columns import PLACEBO_ROWS, VARIANT, join_controls, with_available
from fairness_checklist.tables.texts import to_table


@dataclass(frozen=True, eq=False)
class PartPredictions:
    """A model's predictions for one part of a suite.

    Attributes:
        part: the part.
        predictions: about its texts.
        control_predictions: about those of each of its controls.
        failed: texts without a prediction, because the model failed on them, and those of the controls, as
            ``attribute, source, group, term, text, error``; they are no rows of the part.
        notes: how many these are, by group.
    """

    part: Part
    predictions: Predictions | TokenPredictions
    control_predictions: tuple[Predictions, ...] = ()
    failed: tuple[dict[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def table(self) -> pd.DataFrame:
        """The prediction table of the part's own texts."""
        return part_frame(self.part, self.predictions)

    def controls(self) -> pd.DataFrame:
        """The prediction table of its controls, empty where it has none."""
        return control_frame(self.part, self.control_predictions)


def predictions_frame(
    answers: Sequence[PartPredictions], placebos: Mapping[str, PartPredictions] | None = None
) -> pd.DataFrame:
    """A model's predictions for all parts as one table, followed by those for their controls and placebos.

    The column ``variant`` of a placebo's rows is "placebo", and ``attribute`` the one that it is compared with. Where a
    group has more terms than are used ``terms_available`` says how many. Texts that the model failed on are no rows;
    ``attrs["failed"]`` lists them, where there are any.
    """
    own = [
        answer.table().assign(attribute=name, **{VARIANT: PLACEBO_ROWS}) for name, answer in (placebos or {}).items()
    ]
    frame = join_controls(
        pd.concat(
            [with_available(answer.table(), dict(answer.part.terms.available)) for answer in answers], ignore_index=True
        ),
        pd.concat([*(answer.controls() for answer in answers), *own], ignore_index=True),
    )
    failed = [record for answer in (*answers, *(placebos or {}).values()) for record in answer.failed]
    if failed:
        frame.attrs["failed"] = failed
    return frame


def answered_part(part: Part, answers: Iterator[Predictions | TokenPredictions]) -> PartPredictions:
    """A part with the predictions for its texts and for those of each of its controls.

    Texts that the model failed on are taken out of both.
    """
    examples, predictions, failed, notes = _without_failed(part.examples, next(answers))
    if not part.controls:
        kept = part if examples is part.examples else replace(part, examples=examples)
        return PartPredictions(kept, predictions, failed=failed, notes=notes)
    controls, of_controls = [], []
    for control in part.controls:
        texts, predicted, more, _notes = _without_failed(control.examples, next(answers))
        if isinstance(predicted, TokenPredictions):
            raise ModelError("the model tags words, and an intersection is about whole texts.")
        controls.append(replace(control, examples=texts))
        of_controls.append(predicted)
        failed += more
    crossed = None if part.crossed is None else replace(part.crossed, controls=tuple(controls))
    kept = replace(part, examples=examples, crossed=crossed)
    return PartPredictions(kept, predictions, tuple(of_controls), failed=failed, notes=notes)


def _without_failed(
    examples: ExampleSet, predictions: Predictions | TokenPredictions
) -> tuple[ExampleSet, Predictions | TokenPredictions, tuple[dict[str, str], ...], tuple[str, ...]]:
    """The rows with a prediction, their predictions, and the records of the other rows with a note on them."""
    if not predictions.failed:
        return examples, predictions, (), ()
    has_none = np.array([text in predictions.failed for text in examples.render()], dtype=np.bool_)
    if not has_none.any():
        return examples, predictions, (), ()
    rows = np.flatnonzero(has_none)
    table = to_table(select_examples(examples, rows))
    table["error"] = [predictions.failed[text] for text in table["text"]]
    columns = ["attribute", "source", "group", "term", "text", "error"]
    records = table.reindex(columns=columns, fill_value="").astype("str").to_dict("records")
    listed = tuple({str(name): str(cell) for name, cell in record.items()} for record in records)
    names = (*examples.groups, UNMARKED)
    group = np.where(examples.group < 0, len(examples.groups), examples.group)
    sizes, lost = (np.bincount(groups, minlength=len(names)) for groups in (group, group[rows]))
    counts = [(name, int(k), int(n)) for name, k, n in zip(names, lost, sizes, strict=True) if n]
    kept = np.flatnonzero(~has_none)
    note = failed_note(len(rows), len(examples), counts)
    return select_examples(examples, kept), predictions.at(kept), listed, (note,)


NO_PREDICTION = "no prediction, because the model failed on"
"""What a note on such rows says, by which it is found among others."""


def failed_note(n_failed: int, n: int, groups: Sequence[tuple[str, int, int]]) -> str:
    """The note on rows that have no prediction.

    >>> failed_note(3, 200, [("female", 3, 100), ("male", 0, 100)])
    '3 of 200 texts have no prediction, because the model failed on them: metrics and tests leave them out (female 3 of
    100; other groups none)'
    """
    listed = ", ".join(f"{name} {failed:,} of {rows:,}" for name, failed, rows in groups if failed)
    listed += "; other groups none" if any(not failed for _name, failed, _rows in groups) else ""
    have, them = ("has", "it") if n_failed == 1 else ("have", "them")
    return f"{n_failed:,} of {n:,} texts {have} {NO_PREDICTION} {them}: metrics and tests leave {them} out ({listed})"

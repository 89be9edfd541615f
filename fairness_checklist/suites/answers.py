"""What a model said about a part of a suite, as the tables that `evaluate` reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairness_checklist.errors import MissingExtraError
from fairness_checklist.predictions import Predictions, TokenPredictions
from fairness_checklist.suites.intersections import Control
from fairness_checklist.suites.parts import Part
from fairness_checklist.table_columns import UNMARKED, VARIANT, join_controls
from fairness_checklist.tables import to_table
from fairness_checklist.token_tables import to_any_table

__all__ = ["PartPredictions", "control_rows", "dataset_of", "frame_of", "records_of", "rows_of", "table_of"]


@dataclass(frozen=True)
class PartPredictions:
    """What a model said about one part of a suite.

    Attributes:
        part: the part.
        predictions: about its texts.
        of_controls: about those of each of its controls.
    """

    part: Part
    predictions: Predictions | TokenPredictions
    of_controls: tuple[Predictions, ...] = ()

    def table(self) -> pd.DataFrame:
        """The prediction table of the part's own texts."""
        return rows_of(self.part, self.predictions)

    def controls(self) -> pd.DataFrame:
        """The prediction table of its controls, empty where it has none."""
        return control_rows(self.part, self.of_controls)


def frame_of(parts: Sequence[Part]) -> pd.DataFrame:
    """The texts of all parts as one table, and after them their controls."""
    return join_controls(
        pd.concat([rows_of(part) for part in parts], ignore_index=True),
        pd.concat([control_rows(part) for part in parts], ignore_index=True),
    )


def dataset_of(parts: Sequence[Part]) -> Any:
    """The rows of `frame_of` as a ``datasets.Dataset`` of Hugging Face.

    Raises:
        MissingExtraError: the package ``datasets`` is not installed.
    """
    try:
        from datasets import Dataset
    except ImportError as error:
        raise MissingExtraError(
            "to_dataset() needs the package datasets, which is not installed.",
            remedy="Run pip install datasets, or use to_frame(), which gives a pandas DataFrame.",
        ) from error
    return Dataset.from_pandas(frame_of(parts), preserve_index=False)


def records_of(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries."""
    return [{str(name): value for name, value in row.items()} for row in rows.to_dict("records")]


def table_of(answers: Sequence[PartPredictions]) -> pd.DataFrame:
    """What a model said about all parts as one table, and after it what it said about their controls."""
    return join_controls(
        pd.concat([one.table() for one in answers], ignore_index=True),
        pd.concat([one.controls() for one in answers], ignore_index=True),
    )


def rows_of(part: Part, predictions: Predictions | TokenPredictions | None = None) -> pd.DataFrame:
    """A part's texts as a table; of an intersection with the terms of either attribute in ``first`` and ``second``."""
    rows = to_any_table(part.examples, predictions)
    return rows if part.crossed is None else _with_words(rows, part.crossed.words, part.examples.term.tolist())


def control_rows(part: Part, predictions: Sequence[Predictions] = ()) -> pd.DataFrame:
    """The controls of a part as a table, their column ``variant`` filled; empty where it has none."""
    wording: Sequence[Predictions | None] = predictions or [None for _ in part.controls]
    tables = [_of_control(part, control, one) for control, one in zip(part.controls, wording, strict=True)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _of_control(part: Part, control: Control, predictions: Predictions | None) -> pd.DataFrame:
    rows = _with_words(to_table(control.examples, predictions), control.words, control.examples.term.tolist())
    rows = rows.assign(attribute=part.attribute, **{VARIANT: control.variant})
    return rows[rows["group"] != UNMARKED]


def _with_words(rows: pd.DataFrame, words: Sequence[tuple[str, str]], term: Sequence[int]) -> pd.DataFrame:
    every = [*words, ("", "")]  # -1, the unmarked control, is the last
    return rows.assign(first=[every[at][0] for at in term], second=[every[at][1] for at in term])

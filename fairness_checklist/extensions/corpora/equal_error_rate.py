"""The threshold at which false positives and false negatives are equally frequent, on a labelled table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError, PredictionError, TableError
from fairness_checklist.core.option_defaults import whole_number
from fairness_checklist.core.tasks import positive_position
from fairness_checklist.core.thresholds import DIGITS, EQUAL_ERROR, TIE, check_threshold
from fairness_checklist.tables.texts import split_table

if TYPE_CHECKING:
    from fairness_checklist.models.base import Classifier


def equal_error_rate(scores: ArrayLike, labels: ArrayLike, grid: int | None = None) -> tuple[float, float]:
    """The last threshold (score >= it: positive) where both error rates are closest, and their mean there.

    Every observed score is tried, or ``grid`` thresholds evenly from 0 to 1 (Dixon et al. 2018: 101).
    """
    values, positive = check_scores(scores, labels)
    tried = np.unique(values) if grid is None else np.round(np.linspace(0, 1, whole_number("grid", grid)), DIGITS)
    reached = tried - TIE
    missed, rejected = (np.searchsorted(np.sort(values[side]), reached, side="left") for side in (positive, ~positive))
    false_negative = missed / positive.sum()
    false_positive = 1 - rejected / (~positive).sum()
    gap = np.round(np.abs(false_positive - false_negative), DIGITS)
    best = len(gap) - 1 - int(gap[::-1].argmin())
    return float(tried[best]), float((false_positive[best] + false_negative[best]) / 2)


def check_scores(scores: ArrayLike, labels: ArrayLike) -> tuple[FloatArray, BoolArray]:
    """Scores and labels (n,) as arrays; `OptionError` unless all scores are finite and both classes are there."""
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(labels).astype(np.bool_)
    if values.ndim != 1 or values.shape != positive.shape:
        raise OptionError(
            f"scores of the shape {values.shape} for labels of the shape {positive.shape}; expected (n,)."
        )
    if not np.isfinite(values).all():
        raise OptionError(f"score {int(np.argmin(np.isfinite(values))) + 1:,} is no number.", remedy="Drop such rows.")
    if positive.all() or not positive.any():
        every = f"all {len(values):,} labels are {'positive' if positive.any() else 'negative'}"
        raise OptionError(f"{every if len(values) else 'there are no scores'}; expected labels of both classes.")
    return values, positive


def threshold_and_rate(frame: pd.DataFrame, model: Classifier | None, task: str) -> tuple[float, float]:
    """Threshold and equal error rate of a table of label and ``p:<class>``, or ``text`` for the model."""
    if "label" not in frame.columns:
        raise TableError(
            "the set for the equal error rate has no column label.",
            remedy=f"Its columns are {', '.join(map(str, frame.columns))}.",
        )
    columns = [name for name in frame.columns if str(name).startswith("p:")]
    table = frame[["label", *columns]].reset_index(drop=True)
    if not columns:
        table = table.assign(**_predicted(frame, model))
    ((examples, predictions),) = split_table(table.assign(group="set"), task=task)
    check_threshold(EQUAL_ERROR, predictions.classes)
    positive = predictions.classes[positive_position(task, predictions.classes)]
    names = np.array([*examples.classes, ""])[examples.label]
    usable = np.isin(names, predictions.classes)  # not rows without a label, or with one that the model lacks
    lacking = [name for name in predictions.classes if name not in names[usable]]
    if lacking or predictions.probabilities is None:
        raise TableError(
            f"the set for the equal error rate has no row of the class {lacking[0]}.",
            remedy=f"Name a set with rows of both classes: {', '.join(predictions.classes)}.",
        )
    p = predictions.probabilities[:, predictions.classes.index(positive)]
    return equal_error_rate(p[usable], names[usable] == positive)


def _predicted(frame: pd.DataFrame, model: Classifier | None) -> dict[str, FloatArray]:
    """The model's probabilities for the texts, as columns p:<class>."""
    if model is None or "text" not in frame.columns:
        raise TableError(
            "the set for the equal error rate has no columns p:<class>"
            + (", and no column text to ask the model about." if "text" not in frame.columns else "."),
            remedy="Add them, or a column text together with a model.",
        )
    predicted = model.predict([str(text) for text in frame["text"]])
    if predicted.probabilities is None:
        raise PredictionError(f"the model {model.name} gives no probabilities; an equal error rate needs them.")
    return {f"p:{name}": predicted.probabilities[:, column] for column, name in enumerate(predicted.classes)}

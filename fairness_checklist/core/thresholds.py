"""Decisions by threshold in place of the most probable class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairness_checklist.core.arrays import by_value
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError, PredictionError
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.tasks import positive_position

EQUAL_ERROR = "eer"
DIGITS = 12  # to which differences between p and a threshold are rounded: 1 - 0.7 is not exactly 0.3
TIE = 0.5 * 10.0**-DIGITS  # a p that is at most so far below a threshold reaches it


@by_value
@dataclass(frozen=True, eq=False)
class Threshold:
    """A threshold that can be decided by."""

    value: float | Mapping[str, float]  # in [0, 1], for the positive one of two classes, or a number for each class
    rate: float | None = None  # the equal error rate, in [0, 1], where the number was found by it
    dataset: str = ""  # that it was found on, for ``run.json``


AnyThreshold = float | str | Mapping[str, float] | Threshold


def check_threshold(threshold: object, classes: Sequence[str] | None = None) -> None:
    """Raise before any work where something cannot be a threshold."""
    value = threshold.value if isinstance(threshold, Threshold) else threshold
    by_class = ", ".join(f'"{name}": {1 / max(len(classes or ()), 1):.2g}' for name in classes or ())
    remedy = f"Give one per class: threshold={{{by_class}}}."
    for name, number in value.items() if isinstance(value, Mapping) else [("", value)]:
        if not isinstance(name, str):
            raise OptionError(f"threshold names {name!r}, which is not a class.")
        what = f"threshold of {name}" if name else "threshold"
        if not name and isinstance(number, str) and number == EQUAL_ERROR:
            continue
        if isinstance(number, bool) or not isinstance(number, (int, float, np.number)):
            raise OptionError(
                f"{what} is {number!r}; expected a number from 0 to 1.",
                remedy='Also allowed: "eer", and a number for each class: {"toxic": 0.7}.',
            )
        if not 0 <= float(number) <= 1:
            raise OptionError(f"{what} is {number:g}; expected a number from 0 to 1.")
        if name and classes is not None and name not in classes:
            has = f"which the model does not have; its classes are {', '.join(classes)}."
            near = did_you_mean(name, classes).strip()
            raise OptionError(f"threshold names the class {name}, {has}", remedy=near or remedy)
    if isinstance(value, Mapping):
        if not value:
            raise OptionError("threshold names no class.", remedy='Write threshold={"toxic": 0.7}, or threshold=0.7.')
        lacking = [name for name in classes or () if name not in value]
        if lacking and len(classes or ()) != 2:
            raise OptionError(f"threshold has no number for {', '.join(lacking)}.", remedy=remedy)
    elif classes is not None and len(classes) != 2:
        what = "the equal error rate" if value == EQUAL_ERROR else f"threshold={value:g}"
        listed = f"{len(classes)}: {', '.join(classes)}"
        raise OptionError(f"{what} is for two classes, and the model has {listed}.", remedy=remedy)


def decide(predictions: Predictions, threshold: AnyThreshold, *, task: str = "") -> Predictions:
    """The predictions with decisions by a threshold in place of the most probable class.

    With a number t the positive class is decided where p(positive) >= t, and the other one elsewhere. A p that is less
    than 5e-13 below t counts as t: 1 - 0.9 reaches 0.1. With one number a class it is the class with the largest
    p - t, whatever the sign; two classes with t and 1 - t decide as t does. Ties go to the positive one of two classes,
    else to the first class. A number for one of two classes is that of the class: it is decided where its p >= t.
    """
    value = threshold.value if isinstance(threshold, Threshold) else threshold
    if predictions.probabilities is None:
        raise PredictionError(
            f"threshold={threshold_text(threshold)} needs probabilities, and the predictions hold decisions only.",
            remedy="Give probabilities (columns p:<class> in a table), or leave threshold out.",
        )
    classes, p = predictions.classes, predictions.probabilities
    check_threshold(value, classes)
    if isinstance(value, str):
        raise missing_set_error()
    positive = positive_position(task, classes)
    if isinstance(value, Mapping) and len(value) == 1:  # of one of two classes
        positive, value = classes.index(next(iter(value))), next(iter(value.values()))
    if isinstance(value, Mapping):
        over = np.round(p - np.array([float(value[name]) for name in classes]), DIGITS)
        predicted = over.argmax(axis=1)
        if len(classes) == 2:
            predicted = np.where(over[:, 0] == over[:, 1], positive, predicted)
        how = f"largest p - threshold: {', '.join(f'{name} {float(value[name])!r}' for name in classes)}"
    else:
        predicted = np.where(np.round(p[:, positive] - float(value), DIGITS) >= 0, positive, 1 - positive)
        how = f"{classes[positive]} >= {float(value)!r}"
    note = f"decided by threshold {how}{_origin(threshold)}"
    return replace(predictions, predicted=predicted.astype(np.int64), notes=(*predictions.notes, note))


def threshold_text(threshold: AnyThreshold) -> str:
    """A threshold as it is in ``run.json`` and on the command line."""
    value = threshold.value if isinstance(threshold, Threshold) else threshold
    if isinstance(value, Mapping):
        return ",".join(f"{name}={float(number)!r}" for name, number in value.items())
    return f"{value if isinstance(value, str) else repr(float(value))}{_origin(threshold)}"


def _origin(threshold: object) -> str:
    """Where a threshold of equal error rates was found, in brackets; "" of any other."""
    if not isinstance(threshold, Threshold) or threshold.rate is None:
        return ""
    return f" (equal error rate {round(threshold.rate, 4)!r} on {threshold.dataset})"


def read_threshold(text: str) -> float | str | dict[str, float]:
    """A threshold as it is written on a command line."""
    text = text.strip()
    if text.lower() == EQUAL_ERROR:
        return EQUAL_ERROR
    try:
        if "=" not in text:
            return float(text)
        pairs = [pair.rpartition("=") for pair in text.split(",") if pair.strip()]
        return {name.strip(): float(number) for name, _, number in pairs}
    except ValueError:
        raise OptionError(
            f"threshold={text} is not known.", remedy="Write 0.7, eer, or one per class: negative=0.4,positive=0.6."
        ) from None


def missing_set_error() -> OptionError:
    """The error for "eer" without a set."""
    return OptionError(
        'threshold="eer" needs a labelled set to find the equal error rate on.',
        remedy="Name a table with the columns label and text, or label and p:<class>.",
    )

"""Predictions for behavioral tests: from a model, and from the files that CheckList reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.errors import AlignmentError, OptionError, PredictionError, TableError
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.models.load import load_model

Model = Callable[[list[Any]], tuple[Sequence[Any], Sequence[Any]]]
"""A function from texts to their predictions and confidences."""
FILE_FORMATS = ("pred_and_softmax", "softmax", "binary_conf", "pred_and_conf", "pred_only")
"""The forms of a line: the prediction and the probabilities; the probabilities; the probability of the second of two
classes; the prediction and its probability; the prediction."""

Line = tuple[Any, Any]


def prediction_function(model: Any, task: str, **loading: Any) -> tuple[Model, tuple[str, ...]]:
    """A model as a function from a list of texts to predictions and confidences.

    Args:
        model: a function, which gets the list of texts as the test holds them and gives ``(predictions,
            confidences)``, an (n, C) array of probabilities, or n predictions; an estimator with ``predict_proba``; or
            whatever `load_model` takes.
        task: of a model that is loaded.
        loading: options for `load_model`.

    Returns:
        The function, whose predictions are positions of classes where there are probabilities; and the names of the
        classes, () where they are not known.

    Raises:
        PredictionError: the function gives something else.

    >>> function, classes = prediction_function(lambda texts: [[0.25, 0.75]] * len(texts), "sentiment")
    >>> function(["Good."])
    ([1], [array([0.25, 0.75])])
    """
    if callable(model) and not isinstance(model, (str, os.PathLike)) and not hasattr(model, "predict"):
        if loading:
            raise OptionError(f"{', '.join(f'{one}=' for one in loading)}: the model is a function, nothing is loaded.")
        return (lambda texts: _from_function(model(texts), len(texts))), ()
    if hasattr(model, "predict_proba") and not hasattr(model, "describe") and not loading:
        named = tuple(str(one) for one in getattr(model, "classes_", ()) if isinstance(one, str))
        return (lambda texts: _from_function(np.asarray(model.predict_proba(texts)), len(texts))), named
    loaded: Any = model if hasattr(model, "classes") and hasattr(model, "describe") else None
    if loaded is None:
        loaded = load_model(model, task=task, **loading)
    if hasattr(loaded, "types"):
        raise OptionError(
            "the model is a tagger, and behavioral tests are about whole texts.",
            remedy="Take a classifier, or a function that gives one prediction a text.",
        )

    def function(texts: list[Any]) -> tuple[list[Any], list[Any]]:
        found = loaded.predict(texts)
        if found.probabilities is None:
            return [int(one) for one in found.predicted], [1.0] * len(texts)
        return [int(one) for one in found.predicted], list(np.asarray(found.probabilities, dtype=np.float64))

    return function, tuple(loaded.classes)


def _from_function(answer: Any, n: int) -> tuple[list[Any], list[Any]]:
    """The predictions and confidences in what a user's function gave for n texts."""
    if isinstance(answer, tuple) and len(answer) == 2:
        preds, confs = list(answer[0]), list(answer[1])
    else:
        try:
            array = np.asarray(answer)
        except ValueError:  # rows of different lengths: predictions that are sequences themselves
            array = np.empty(0)
        if array.ndim == 2 and array.dtype.kind == "f":
            preds, confs = [int(one) for one in array.argmax(axis=1)], list(array.astype(np.float64))
        elif array.ndim == 1 and array.dtype.kind == "f":
            raise PredictionError(
                f"the model gave one number a text, {float(array[0]) if n else 0.0:g} for the first.",
                remedy="Give the probabilities of all classes: one row a text.",
            )
        else:
            preds = list(answer)
            confs = [1.0] * len(preds)
    if len(preds) != n or len(confs) != n:
        raise AlignmentError(
            f"the model gave {len(preds):,} predictions and {len(confs):,} confidences for {n:,} texts."
        )
    return preds, confs


def read_predictions(
    path: str | Path,
    file_format: str | None = None,
    format_fn: Callable[[str], Line] | None = None,
    ignore_header: bool = False,
) -> tuple[list[Any], list[Any]]:
    """Read a file of predictions in one of CheckList's forms, one line a text.

    Args:
        path: the file; one that ends in ``.gz`` is unpacked.
        file_format: one of `FILE_FORMATS`, "pred_and_softmax" by default.
        format_fn: in its place a function from a line to the prediction and its confidence.
        ignore_header: leave out the first line.

    Returns:
        Predictions, which are integers where they are written as such, and confidences: an array (C,), or a number.

    Raises:
        TableError: no such file, or a line of another form.
        OptionError: an unknown form.
    """
    place = Path(path)
    if file_format is not None:
        choice("file_format", file_format, FILE_FORMATS)
    read_line = format_fn or _READERS[file_format or FILE_FORMATS[0]]
    preds, confs, width = [], [], 0
    for number, line in enumerate(_lines(place), start=1):
        if ignore_header and number == 1:
            continue
        try:
            pred, conf = read_line(line)
            width = width or np.size(conf)
            if np.size(conf) != width or not np.size(conf):
                raise ValueError
        except (ValueError, IndexError):
            raise TableError(
                f"the line {line[:60]!r} is not of the form {file_format or FILE_FORMATS[0]}.",
                place=f"{place.name}:{number}",
                remedy=f"Name the form of its lines: {', '.join(FILE_FORMATS)}.",
            ) from None
        preds.append(pred)
        confs.append(conf)
    return _as_integers(preds), confs


def _lines(path: Path) -> list[str]:
    import gzip

    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(f"{path.name} cannot be read: {error}.", remedy="Name a text file in UTF-8.") from error
    lines = text.split("\n")
    return [line.rstrip("\r") for line in (lines[:-1] if lines and not lines[-1] else lines)]


def _as_integers(preds: Sequence[Any]) -> list[Any]:
    if all(isinstance(one, (int, np.integer)) or (isinstance(one, str) and one.isdecimal()) for one in preds):
        return [int(one) for one in preds]
    return list(preds)


def _distribution(words: Sequence[str]) -> Any:
    return np.array([float(word) for word in words])


def _softmax(line: str) -> Line:
    conf = _distribution(line.split())
    return int(np.argmax(conf)), conf


def _binary(line: str) -> Line:
    conf = np.array([1 - float(line), float(line)])
    return int(np.argmax(conf)), conf


def _pred_and_conf(line: str) -> Line:
    pred, conf = line.split()
    return pred, float(conf)


def _pred_and_softmax(line: str) -> Line:
    pred, *conf = line.split()
    return pred, _distribution(conf)


_READERS: dict[str, Callable[[str], Line]] = {
    "pred_only": lambda line: (line, 1.0),
    "softmax": _softmax,
    "binary_conf": _binary,
    "pred_and_conf": _pred_and_conf,
    "pred_and_softmax": _pred_and_softmax,
}

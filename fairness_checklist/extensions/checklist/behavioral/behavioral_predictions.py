"""Texts for a model elsewhere and predictions for behavioral tests: from a model, and from CheckList's files."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import AlignmentError, OptionError, PredictionError, TableError
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.models.load import load_model

Model = Callable[[list[Any]], tuple[Sequence[Any], Sequence[Any]]]  # from texts to predictions and confidences
Line = tuple[Any, Any]


class PredictorWrapper:
    """The functions with which CheckList makes a model one of predictions and confidences.

    Tests of this package take the functions as they are: ``test.run(f)``.
    """

    @staticmethod
    def wrap_softmax(softmax_fn: Callable[[Any], Any]) -> Model:
        """The function for one that gives an (n, C) array of probabilities for n texts.

        >>> PredictorWrapper.wrap_softmax(lambda texts: [[0.25, 0.75]] * len(texts))(["Good."])
        (array([1]), array([[0.25, 0.75]]))
        """

        def predict(inputs: list[Any]) -> tuple[Any, Any]:
            confs = np.asarray(softmax_fn(inputs))
            return confs.argmax(axis=1), confs

        return predict

    @staticmethod
    def wrap_predict(predict_fn: Callable[[Any], Any]) -> Model:
        """The function for one that gives n predictions of any type for n texts; each confidence is 1.

        >>> PredictorWrapper.wrap_predict(lambda texts: ["praise"])(["Good."])
        (['praise'], array([1.]))
        """

        def predict(inputs: list[Any]) -> tuple[Any, Any]:
            preds = predict_fn(inputs)
            return preds, np.ones(len(preds))

        return predict


def prediction_function(model: Any, task: str, **loading: Any) -> tuple[Model, tuple[str, ...]]:
    """A model as a function from a list of texts to predictions and confidences."""
    if callable(model) and not isinstance(model, (str, os.PathLike)) and not hasattr(model, "predict"):
        if loading:
            named = ", ".join(f"{name}=" for name in loading)
            raise OptionError(f"{named}: the model is a function, nothing is loaded.")
        return (lambda texts: _from_answer(model(texts), len(texts))), ()
    described = hasattr(model, "describe")
    if hasattr(model, "predict_proba") and not described and not loading:
        classes = tuple(str(name) for name in getattr(model, "classes_", ()) if isinstance(name, str))
        return (lambda texts: _from_answer(np.asarray(model.predict_proba(texts)), len(texts))), classes
    loaded: Any = model if described and hasattr(model, "classes") else load_model(model, task=task, **loading)
    if hasattr(loaded, "types"):
        raise OptionError(
            "the model is a tagger, and behavioral tests are about whole texts.",
            remedy="Take a classifier, or a function that gives one prediction a text.",
        )

    def function(texts: list[Any]) -> tuple[list[Any], list[Any]]:
        predictions = loaded.predict(texts)
        values = predictions.probabilities
        confs = [1.0] * len(texts) if values is None else list(np.asarray(values, dtype=np.float64))
        return [int(position) for position in predictions.predicted], confs

    return function, tuple(loaded.classes)


def _from_answer(answer: Any, n: int) -> tuple[list[Any], list[Any]]:
    """The predictions and confidences in what a user's function gave for n texts."""
    try:
        array = np.asarray(answer)
    except ValueError:  # rows of different lengths: predictions that are sequences themselves
        array = np.empty(0)
    if isinstance(answer, tuple) and len(answer) == 2:
        preds, confs = list(answer[0]), list(answer[1])
    elif array.ndim == 2 and array.dtype.kind == "f":
        preds, confs = array.argmax(axis=1).tolist(), list(array.astype(np.float64))
    elif array.ndim == 1 and array.dtype.kind == "f":
        raise PredictionError(
            f"the model gave one number a text, {float(array[0]) if n else 0.0:g} for the first.",
            remedy="Give the probabilities of all classes: one row a text.",
        )
    else:
        preds = list(answer)
        confs = [1.0] * len(preds)
    check_aligned(preds, confs, n, "the model's answer")
    return preds, confs


def check_aligned(preds: Sequence[Any], confs: Sequence[Any], n: int, place: str) -> None:
    """Raise `AlignmentError` where there are not n predictions and confidences."""
    if not len(preds) == len(confs) == n:
        raise AlignmentError(
            f"{len(preds):,} predictions and {len(confs):,} confidences for the {n:,} texts of {place}.",
            remedy="Give one of each for each text, in the order of to_raw_file.",
        )


def raw_lines(texts: list[Any], file_format: str | None, format_fn: Callable[[Any], str] | None) -> list[str]:
    """The texts as lines, by ``format_fn`` or in one of the forms "jsonl", "tsv" and "text"."""
    written = format_fn or _RAW_FORMATS[choice("file_format", file_format or "text", tuple(_RAW_FORMATS))]
    return list(map(written, texts))


def write_raw_file(path: str | Path, lines: list[str], header: str | None) -> Path:
    """Write lines to a file, after a header where there is one."""
    first = [] if header is None else [header.strip("\n")]
    with atomic_file(Path(path)) as scratch:
        scratch.write_text("\n".join([*first, *lines]), encoding="utf-8", newline="\n")
    return Path(path)


def read_predictions(
    path: str | Path,
    file_format: str | None = None,
    format_fn: Callable[[str], Line] | None = None,
    ignore_header: bool = False,
) -> tuple[list[Any], list[Any]]:
    """Read a file of predictions, one line a text in one of `FILE_FORMATS`; one that ends in ``.gz`` is unpacked.

    Predictions are integers where they are written as such; confidences are an array (C,), or a number.
    """
    form = choice("file_format", file_format or "pred_and_softmax", FILE_FORMATS)
    read_line = format_fn or FILE_FORMATS[form]
    preds: list[Any] = []
    confs: list[Any] = []
    for number, line in list(enumerate(_lines(Path(path)), start=1))[int(ignore_header) :]:
        try:
            pred, conf = read_line(line)
            if np.size(conf) != np.size(confs[0] if confs else conf) or not np.size(conf):
                raise ValueError
        except (ValueError, IndexError):
            raise TableError(
                f"the line {line[:60]!r} is not of the form {form}.",
                place=f"{Path(path).name}:{number}",
                remedy=f"Name the form of its lines: {', '.join(FILE_FORMATS)}.",
            ) from None
        preds.append(pred)
        confs.append(conf)
    whole = all(isinstance(pred, (int, np.integer)) or (isinstance(pred, str) and pred.isdecimal()) for pred in preds)
    return [int(pred) for pred in preds] if whole else preds, confs


def _lines(path: Path) -> list[str]:
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TableError(f"{path.name} cannot be read: {error}.", remedy="Name a text file in UTF-8.") from error
    return [line.rstrip("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _with_decision(probabilities: Sequence[float]) -> Line:
    conf = np.array(probabilities)
    return int(np.argmax(conf)), conf


def _pred_and_conf(line: str) -> Line:
    pred, conf = line.split()
    return pred, float(conf)


_RAW_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": lambda text: str(text).replace("\n", " "),
    "jsonl": json.dumps,
    "tsv": lambda text: "\t".join(text).replace("\n", " "),
}
FILE_FORMATS: dict[str, Callable[[str], Line]] = {
    "pred_and_softmax": lambda line: (line.split()[0], np.array(line.split()[1:], dtype=np.float64)),
    "softmax": lambda line: _with_decision(list(map(float, line.split()))),
    "binary_conf": lambda line: _with_decision([1 - float(line), float(line)]),
    "pred_and_conf": _pred_and_conf,
    "pred_only": lambda line: (line, 1.0),
}
"""The forms of a line: the prediction and the probabilities; the probabilities; the probability of the second of two
classes; the prediction and its probability; the prediction."""

"""Texts for a model elsewhere and predictions for behavioral tests: from a model, and from CheckList's files."""

import csv
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import AlignmentError, OptionError, PredictionError, TableError
from fairness_checklist.core.option_defaults import SEED, choice
from fairness_checklist.models.load import load_model

Model = Callable[[list[Any]], tuple[Sequence[Any], Sequence[Any]]]  # from texts to predictions and confidences


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
    return list(
        map(format_fn or _RAW_FORMATS[choice("file_format", file_format or "text", tuple(_RAW_FORMATS))], texts)
    )


class PredictionFiles:
    """Files of texts and of predictions, for a test and for a suite."""

    _raw_lines: Callable[..., list[str]]
    run_from_preds_confs: Callable[..., None]

    def to_raw_file(
        self,
        path: str | Path,
        file_format: str | None = None,
        format_fn: Callable[[Any], str] | None = None,
        header: str | None = None,
        n: int | None = None,
        seed: int = SEED,
        new_sample: bool = True,
    ) -> Path:
        """Write the texts to a file, a line each, after the line ``header``; see `TestSuite.get_raw_examples`."""
        first = [] if header is None else [header.strip("\n")]
        lines = [*first, *self._raw_lines(file_format, format_fn, n, seed, new_sample)]
        with atomic_file(Path(path)) as scratch:
            scratch.write_text("\n".join(lines), encoding="utf-8", newline="\n")
        return Path(path)

    def run_from_file(
        self, path: str | Path, file_format: str | None = None, ignore_header: bool = False, overwrite: bool = False
    ) -> None:
        """The results for a file of predictions, a line for each text in the order of `to_raw_file`.

        Args:
            path: the file; one that ends in ``.gz`` is unpacked.
            file_format: "pred_and_softmax" (the default), "softmax", "binary_conf" (the probability of the second of
                two classes), "pred_and_conf" or "pred_only".
            ignore_header: leave out the first line.
            overwrite: replace results that are there.

        Raises:
            TableError: no such file, or a line of another form.
            AlignmentError: another number of lines than texts.
        """
        self.run_from_preds_confs(*read_predictions(path, file_format, ignore_header), overwrite)


def read_predictions(
    path: str | Path, file_format: str | None = None, ignore_header: bool = False
) -> tuple[list[Any], list[Any]]:
    """Read a file of predictions; confidences are arrays (C,), or numbers."""
    form = choice("file_format", file_format or _FILE_FORMATS[0], _FILE_FORMATS)
    remedy = f"Name the form of its lines: {', '.join(_FILE_FORMATS)}."
    try:
        table = pd.read_csv(
            path,
            sep="\x1f" if form == "pred_only" else r"\s+",
            header=None,
            skiprows=int(ignore_header),
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            dtype=str,
            encoding="utf-8-sig",
        )
    except (OSError, ValueError) as error:
        raise TableError(f"{Path(path).name} cannot be read as {form}: {error}.", remedy=remedy) from error
    if form == "pred_only":
        return _whole_numbers(table[0]).tolist(), [1.0] * len(table)
    written = table if form in _WITHOUT_DECISIONS else table.iloc[:, 1:]
    misread = written.apply(pd.to_numeric, errors="coerce").isna().any(axis=1)
    wrong = np.flatnonzero(misread | (written.shape[1] != _COLUMNS.get(form, max(written.shape[1], 1))))
    if len(wrong):
        place = f"{Path(path).name}:{wrong[0] + 1 + ignore_header}"
        raise TableError(f"a line is not of the form {form}.", place=place, remedy=remedy)
    confs = written.to_numpy(dtype=object).astype(np.float64)
    if form == "binary_conf":
        confs = np.column_stack([1 - confs, confs])
    preds = confs.argmax(axis=1) if form in _WITHOUT_DECISIONS else _whole_numbers(table[0])
    return preds.tolist(), confs[:, 0].tolist() if form == "pred_and_conf" else list(confs)


def _whole_numbers(decisions: pd.Series) -> pd.Series:
    return decisions.astype(int) if decisions.str.isdecimal().all() else decisions


_RAW_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": lambda text: str(text).replace("\n", " "),
    "jsonl": json.dumps,
    "tsv": lambda text: "\t".join(text).replace("\n", " "),
}
_FILE_FORMATS = ("pred_and_softmax", "softmax", "binary_conf", "pred_and_conf", "pred_only")
_WITHOUT_DECISIONS = ("softmax", "binary_conf")
_COLUMNS = {"binary_conf": 1, "pred_and_conf": 1}

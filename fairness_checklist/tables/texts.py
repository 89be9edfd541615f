"""Prediction tables: one row an example, in CSV, Parquet or a DataFrame, to and from examples and predictions.

Columns: ``source, group, term, concept, lexeme, pos, text, label, predicted, p:<class>..., score:<name>..., weight``.
All but ``group`` may be absent, and further columns are kept.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, OptionError, TableError, first_ten
from fairness_checklist.core.examples import UNMARKED, ExampleSet, ListedTexts
from fairness_checklist.core.examples import TermSpans as Spans
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.tables.class_names import no_predictions
from fairness_checklist.tables.columns import (
    INTERSECTION,
    name_column,
    number_column,
    read_intersection,
    read_rows,
    rows_at,
    rows_by_attribute,
    text_column,
)
from fairness_checklist.tables.notes import contradicted_decisions, never_predicted, similar_names


def split_table(
    frame: pd.DataFrame, *, task: str = "sentiment", attribute: str = "group", classes: Sequence[str] = ()
) -> Iterator[tuple[ExampleSet, Predictions]]:
    """The examples and predictions of each attribute in a table (its column ``attribute``, where there is one).

    ``classes`` are the classes in order where neither columns ``p:`` nor the task say it; without any of these the
    classes are those predicted and those in the column ``label``.
    """
    for name, rows in rows_by_attribute(frame, attribute):
        yield _examples(rows_at(frame, rows), task, name, classes)


def _examples(frame: pd.DataFrame, task: str, attribute: str, classes: Sequence[str]) -> tuple[ExampleSet, Predictions]:
    n = len(frame)
    labels, notes = name_column(frame, "label")
    rows, terms, row_notes = read_rows(frame, attribute, labels, read_intersection(frame))
    probability_columns = [str(name) for name in frame.columns if str(name).startswith("p:")]
    predictions = _predictions(frame, task, labels, probability_columns, classes)
    of_task = TASKS[task].classes if task in TASKS else ()
    decided = predictions.classes
    if "predicted" in frame.columns and not probability_columns:
        decided = tuple(set(name_column(frame, "predicted")[0]))
    wrong = [row for row, name in enumerate(labels) if name and name not in of_task]
    if wrong and decided and set(decided) <= set(of_task):  # the model's classes are the task's: so are the labels
        name, known = labels[wrong[0]], f"{task}: {', '.join(of_task)}"
        remedy = f"Correct the column label.{did_you_mean(name, of_task)}"
        what = f"the label of row {wrong[0] + 1:,} is {name!r}, which is not a class of the task {known}."
        raise LabelError(what, remedy=remedy)
    label_classes = list(predictions.classes) + [c for c in dict.fromkeys(labels) if c and c not in predictions.classes]
    notes = (*row_notes, *notes, *similar_names(label_classes, "classes"))
    label = np.array([label_classes.index(name) if name else -1 for name in labels], dtype=np.int64)
    texts = tuple(text_column(frame, "text")) if "text" in frame.columns else ("",) * n
    places = _spans_of_terms(texts, terms)
    examples = ExampleSet(
        **rows.shared(), task=task, classes=tuple(label_classes), label=label, texts=ListedTexts(texts, places)
    )
    return examples, replace(predictions, notes=(*notes, *predictions.notes))


def _spans_of_terms(texts: Sequence[str], terms: Sequence[str]) -> tuple[Spans, ...]:
    """The position of the term in each text, ignoring case and the form of its characters, for display."""
    forms = {term: (term.lower(), normalize("NFD", term.lower())) for term in dict.fromkeys(terms) if term}
    places = []
    for text, term in zip(map(str.lower, texts), terms, strict=True):
        found = ((text.find(form), len(form)) for form in forms.get(term, ())) if text else ()
        places.append(next((((start, start + length),) for start, length in found if start >= 0), ()))
    return tuple(places)


def _predictions(
    frame: pd.DataFrame, task: str, labels: Sequence[str], columns: Sequence[str], classes: Sequence[str]
) -> Predictions:
    scores = {
        str(c).removeprefix("score:"): number_column(frame, c) for c in frame.columns if str(c).startswith("score:")
    }
    decided: list[str] | None = None
    notes: tuple[str, ...] = ()
    if "predicted" in frame.columns:
        decided, notes = name_column(frame, "predicted")
    if not columns and decided is None:
        if not scores:
            remedy = "Add a column predicted, or p:<class> for each class, or score:<name>."
            raise no_predictions(frame.columns, remedy)
        return Predictions((), np.full(len(frame), -1, dtype=np.int64), None, scores)
    if decided is not None and "" in decided:
        raise TableError(f"row {decided.index('') + 1:,} has no prediction.", remedy="Fill the column predicted.")
    predicted = set(decided or ())
    gold = {label for label in labels if label}
    names = [column.removeprefix("p:") for column in columns] or sorted(predicted | gold)
    of_task = TASKS[task].classes if task in TASKS else ()
    order = tuple(classes)
    if not classes:
        order = tuple(name for name in of_task if name in names) if set(names) <= set(of_task) else tuple(names)
    elif columns and (unnamed := [name for name in names if name not in classes]):
        raise OptionError(
            f"the table has the classes {first_ten(unnamed)}, which classes= does not name.",
            remedy=f"Name all of them: {first_ten([*classes, *unnamed])}.",
        )
    if not (columns or classes) and set(order) <= set(of_task) and len(predicted.intersection(order)) > 1:
        notes += never_predicted(order, predicted, "class", "model")
    for row, name in enumerate(decided or ()):
        if name not in order:
            raise TableError(
                f"row {row + 1:,} of the column predicted is {name!r}; the classes are {first_ten(order)}.",
                remedy=f"Correct the row, or name all classes.{did_you_mean(name, order)}",
            )
    positions = None if decided is None else np.array([order.index(name) for name in decided], dtype=np.int64)
    if positions is not None and not columns:
        return Predictions(order, positions, scores=scores, notes=notes)
    lacking = [name for name in order if f"p:{name}" not in columns]
    if lacking:
        remedy = "Add the columns, or leave out classes that the model does not have."
        raise TableError(f"the classes {first_ten(lacking)} have no column p:<class>.", remedy=remedy)
    matrix = np.stack([number_column(frame, f"p:{name}") for name in order], axis=1)
    made = Predictions.from_probabilities(matrix, order, predicted=positions, scores=scores)
    notes += () if positions is None else contradicted_decisions(made.predicted, matrix)
    return replace(made, notes=notes)


def to_table(examples: ExampleSet, predictions: Predictions | None = None) -> pd.DataFrame:
    """The prediction table of an example set, as `split_table` reads it."""
    columns: dict[str, Any] = {"attribute": examples.attribute}
    if examples.intersection:
        columns[INTERSECTION] = json.dumps(examples.intersection, ensure_ascii=False)
    if len(examples.sources):
        sources = examples.sources
        columns["source"] = _repeated([source.id for source in sources], examples.source)
        always = ("template", "about", "rewords")
        for name in (*always, "topic", "register", "kind"):
            values = [getattr(source, name) for source in sources]
            if name in always or any(values):
                columns[name] = _repeated(values, examples.source)
        columns["symmetric"] = [("no", "yes")[sources[s].symmetric] for s in examples.source]
    columns["group"] = _repeated([*examples.groups, UNMARKED], examples.group)
    columns["term"] = [examples.terms[t] if t >= 0 else "" for t in examples.term]
    for column in ("concept", "lexeme", "pos"):
        if any(names := getattr(examples, column if column == "pos" else f"{column}s")):
            columns[column] = _repeated([*names, ""], examples.term)
    columns["text"] = examples.render()
    columns["label"] = [examples.classes[c] if c >= 0 else "" for c in examples.label]
    if predictions is not None:
        if predictions.classes:
            columns["predicted"] = [predictions.classes[c] for c in predictions.predicted]
        if predictions.probabilities is not None:
            for c, name in enumerate(predictions.classes):
                columns[f"p:{name}"] = predictions.probabilities[:, c]
        columns |= {f"score:{name}": column for name, column in predictions.scores.items()}
    if examples.weight is not None:
        columns["weight"] = examples.weight
    return pd.DataFrame(columns).astype({"attribute": "str"})


def hash_texts(texts: Iterable[object]) -> list[str]:
    """The SHA-256 of each text, in hexadecimal digits."""
    return [sha256(str(text).encode("utf-8")).hexdigest() for text in texts]


def _repeated(values: Sequence[str], positions: IntArray) -> Any:
    """The values at the positions as a column of strings; -1 is the last."""
    return np.array(values, dtype=object)[positions]

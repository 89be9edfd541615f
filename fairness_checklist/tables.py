"""Prediction tables: one row an example, in CSV, Parquet or a DataFrame, to and from examples and predictions.

Columns: ``source, group, term, text, label, predicted, p:<class>..., score:<name>..., weight``; all but ``group`` may
be absent, and further columns (``attribute``, ``template``, ``target``, ``symmetric``, ...) are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.delimited import did_you_mean
from fairness_checklist.errors import LabelError, OptionError, TableError
from fairness_checklist.examples import ExampleSet, ListedTexts, Source, Spans
from fairness_checklist.identity import RESERVED
from fairness_checklist.predictions import Predictions
from fairness_checklist.table_files import read_table, write_table
from fairness_checklist.tasks import TASKS

__all__ = ["UNMARKED", "read_table", "split_table", "to_table", "write_table"]

UNMARKED = "unmarked"


def split_table(
    frame: pd.DataFrame, *, task: str = "sentiment", attribute: str = "group", classes: Sequence[str] = ()
) -> Iterator[tuple[ExampleSet, Predictions]]:
    """The examples and predictions of each attribute in a table (its column ``attribute``, where there is one).

    Args:
        frame: a prediction table.
        task: whose classes the labels are; other classes are taken as they come.
        attribute: the attribute's name where the table has no such column.
        classes: the classes in order, where neither ``p:`` columns nor the task say it; other gold classes are classes
            that the model lacks. Without both, the classes are those predicted and those in the column ``label``.

    Raises:
        LabelError: a gold class that is none of the task's, where the predictions are of the task's.
        TableError: no column ``group``, an empty group, a group called "*", nothing predicted, or columns that
            contradict each other.

    >>> frame = pd.DataFrame({"group": ["a", "b"], "label": ["no", "yes"], "predicted": ["no", "no"]})
    >>> [(examples, predictions)] = split_table(frame)
    >>> examples.groups, predictions.classes, predictions.predicted.tolist()
    (('a', 'b'), ('no', 'yes'), [0, 0])
    """
    if "group" not in frame.columns:
        present = ", ".join(map(str, frame.columns))
        raise TableError("the table has no column group.", remedy=f"Its columns are {present}.")
    if not len(frame):
        raise TableError("the table has no rows.", remedy="Write one row a text under the names of the columns.")
    names = np.array(_text_column(frame, "attribute") if "attribute" in frame.columns else [attribute] * len(frame))
    if (names == "").any():
        raise TableError(
            f"row {int((names == '').argmax()) + 1:,} has no attribute.",
            remedy="Name the attribute of every row, or leave the column out.",
        )
    for name in dict.fromkeys(names.tolist()):
        part = frame[names == name].reset_index(drop=True)
        if hasattr(part["group"], "cat") and len(part) < len(frame):  # the groups of other attributes are none of this
            part["group"] = part["group"].cat.remove_unused_categories()
        yield _examples(part, task, name, classes)


def _text_column(frame: pd.DataFrame, name: str) -> list[str]:
    """A column as strings, "" where a cell is missing; whole numbers that became floats are written as such."""
    column = frame[name]
    if pd.api.types.is_float_dtype(column) and (column.dropna() % 1 == 0).all():
        column = column.astype("Int64")
    return ["" if pd.isna(cell) else str(cell) for cell in column]


def _codes(values: Sequence[str], declared: Sequence[str] = ()) -> tuple[tuple[str, ...], IntArray]:
    """Distinct values, those of a declared order first, then as they appear, and (n,) positions; -1 for ""."""
    there = dict.fromkeys(value for value in values if value)
    names = tuple(dict.fromkeys([*declared, *there]))
    position = {name: i for i, name in enumerate(names)} | {"": -1}
    return names, np.array([position[value] for value in values], dtype=np.int64)


def _examples(frame: pd.DataFrame, task: str, attribute: str, classes: Sequence[str]) -> tuple[ExampleSet, Predictions]:
    n = len(frame)
    group_names = _text_column(frame, "group")
    for name in dict.fromkeys(group_names):
        what = "is empty" if not name else 'is "*", which stands for all groups' if name == "*" else ""
        if name in RESERVED - {UNMARKED} or name.startswith("group:"):
            what = what or f'is "{name}", which has a meaning of its own in the results'
        if what:
            raise TableError(f"the group of row {group_names.index(name) + 1:,} {what}.", remedy="Name its group.")
    categories = frame["group"].cat.categories if hasattr(frame["group"], "cat") else ()
    declared = [str(name) for name in categories if str(name) not in ("", "*", UNMARKED)]
    groups, group = _codes(["" if name == UNMARKED else name for name in group_names], declared)
    terms_named = _text_column(frame, "term") if "term" in frame.columns else [""] * n
    pairs, term = _codes([f"{g}\0{t}" if t else "" for g, t in zip(group_names, terms_named, strict=True)])
    owners = [pair.split("\0")[0] for pair in pairs]
    term_group = np.array([groups.index(owner) if owner in groups else -1 for owner in owners], dtype=np.int64)
    labels = _text_column(frame, "label") if "label" in frame.columns else [""] * n
    probability_columns = [str(name) for name in frame.columns if str(name).startswith("p:")]
    predictions = _predictions(frame, task, labels, probability_columns, classes)
    _check_labels(frame, task, labels, probability_columns, predictions.classes)
    label_classes = list(predictions.classes) + [c for c in dict.fromkeys(labels) if c and c not in predictions.classes]
    label = np.array([label_classes.index(name) if name else -1 for name in labels], dtype=np.int64)
    sources, source = _sources(frame, labels)
    texts = tuple(_text_column(frame, "text")) if "text" in frame.columns else ("",) * n
    weight = None
    if "weight" in frame.columns:
        weight = _numbers(frame, "weight")
        if not (np.isfinite(weight).all() and (weight >= 0).all()):
            raise TableError("the column weight holds a number that is not finite or is negative.")
    return ExampleSet(
        attribute=attribute,
        task=task,
        groups=groups,
        terms=tuple(pair.split("\0")[1] for pair in pairs),
        term_group=term_group,
        sources=sources,
        source=source,
        group=group,
        term=term,
        classes=tuple(label_classes),
        label=label,
        texts=ListedTexts(texts, tuple(_find(text, name) for text, name in zip(texts, terms_named, strict=True))),
        weight=weight,
    ), predictions


def _find(text: str, term: str) -> Spans:
    """Where the term stands in the text, whatever its capitals, for the reader's eye."""
    at = text.lower().find(term.lower()) if term else -1
    return ((at, at + len(term)),) if at >= 0 else ()


def _sources(frame: pd.DataFrame, labels: Sequence[str]) -> tuple[tuple[Source, ...], IntArray]:
    if "source" not in frame.columns:
        return (), np.full(len(frame), -1, dtype=np.int64)
    ids, source = _codes(_text_column(frame, "source"))
    if (source < 0).any():
        raise TableError(
            f"row {int(np.flatnonzero(source < 0)[0]) + 1:,} has no source.",
            remedy="Name the source of every row, or leave the column out.",
        )
    first = np.unique(source, return_index=True)[1]
    known = {
        name: _text_column(frame, name) for name in ("template", "target", "paraphrase_of") if name in frame.columns
    }
    symmetric = _text_column(frame, "symmetric") if "symmetric" in frame.columns else ["yes"] * len(frame)
    return tuple(
        Source(
            id=ids[s],
            label=labels[row],
            symmetric=symmetric[row].lower() not in ("no", "false", "0"),
            template=known["template"][row] if "template" in known else ids[s],
            target=known["target"][row] if "target" in known else "",
            paraphrase_of=known["paraphrase_of"][row] if "paraphrase_of" in known else "",
        )
        for s, row in enumerate(first)
    ), source


def _numbers(frame: pd.DataFrame, name: str) -> FloatArray:
    numbers = pd.to_numeric(frame[name], errors="coerce").astype("float64")
    wrong = numbers.isna() & frame[name].notna()
    if wrong.any():
        row = int(wrong.argmax())
        raise TableError(
            f"the column {name} of row {row + 1:,} is {str(frame[name].iloc[row])!r}, which is no number.",
            remedy="Write 0.5; 0,5 is read in tables with semicolons.",
        )
    return np.asarray(numbers, dtype=np.float64)


def _class_order(task: str, names: Sequence[str], classes: Sequence[str]) -> tuple[str, ...]:
    """The classes in the order given, else in the task's, else as they come (sorted)."""
    if classes:
        lacking = [name for name in names if name not in classes]
        if lacking:
            raise OptionError(
                f"the table has the classes {', '.join(lacking)}, which classes= does not name.",
                remedy=f"Name all of them: {', '.join([*classes, *lacking])}.",
            )
        return tuple(classes)
    known = TASKS[task].classes if task in TASKS else ()
    if set(names) <= set(known):
        return tuple(name for name in known if name in names)
    return tuple(names)


def _predictions(
    frame: pd.DataFrame, task: str, labels: Sequence[str], columns: Sequence[str], classes: Sequence[str]
) -> Predictions:
    scores = {str(c).removeprefix("score:"): _numbers(frame, c) for c in frame.columns if str(c).startswith("score:")}
    decided = _text_column(frame, "predicted") if "predicted" in frame.columns else None
    if not columns and decided is None:
        if not scores:
            raise TableError(
                "the table has no predictions.",
                remedy="Add a column predicted, or p:<class> for each class, or score:<name>.",
            )
        return Predictions((), np.full(len(frame), -1, dtype=np.int64), None, scores)
    if decided is not None and "" in decided:
        raise TableError(f"row {decided.index('') + 1:,} has no prediction.", remedy="Fill the column predicted.")
    said = set(decided or ())
    gold = {label for label in labels if label}
    names = [column.removeprefix("p:") for column in columns] or sorted(said | gold)
    order = _class_order(task, names if columns or not classes else (), classes)
    notes = () if columns or classes else _never_predicted(task, order, said)
    for row, name in enumerate(decided or ()):
        if name not in order:
            raise TableError(
                f"row {row + 1:,} of the column predicted is {name!r}; the classes are {', '.join(order)}.",
                remedy=f"Mend the row, or name all classes.{did_you_mean(name, order)}",
            )
    positions = None if decided is None else np.array([order.index(name) for name in decided], dtype=np.int64)
    if not columns:
        return Predictions(order, positions if positions is not None else np.empty(0, np.int64), None, scores, notes)
    lacking = [name for name in order if f"p:{name}" not in columns]
    if lacking:
        raise TableError(
            f"the classes {', '.join(lacking)} have no column p:<class>.",
            remedy="Add the columns, or leave out classes that the model does not have.",
        )
    matrix = np.stack([_numbers(frame, f"p:{name}") for name in order], axis=1)
    return Predictions.from_probabilities(matrix, order, predicted=positions, scores=scores)


def _never_predicted(task: str, order: Sequence[str], said: set[str]) -> tuple[str, ...]:
    """A remark on gold classes of the task that nothing was decided for: perhaps the model has no such class."""
    silent, rest = [name for name in order if name not in said], [name for name in order if name in said]
    if task not in TASKS or not set(order) <= set(TASKS[task].classes) or not silent or len(rest) < 2:
        return ()
    what, such = ("classes", "such classes") if len(silent) > 1 else ("class", "such class")
    verb = "are" if len(silent) > 1 else "is"
    return (
        f"the {what} {', '.join(silent)} {verb} never predicted; if the model has no {such}, "
        f"give classes={','.join(rest)}",
    )


def _check_labels(
    frame: pd.DataFrame, task: str, labels: Sequence[str], columns: Sequence[str], classes: Sequence[str]
) -> None:
    """Where the model's classes are the task's, so are the labels, or they are misspelt."""
    known = TASKS[task].classes if task in TASKS else ()
    decided = set(classes) if columns or "predicted" not in frame.columns else set(_text_column(frame, "predicted"))
    if not decided or not decided <= set(known):
        return
    for row, name in enumerate(labels):
        if name and name not in known:
            raise LabelError(
                f"the label of row {row + 1:,} is {name!r}, which is no class of the task {task}: {', '.join(known)}.",
                remedy=f"Mend the column label.{did_you_mean(name, known)}",
            )


def to_table(examples: ExampleSet, predictions: Predictions | None = None, *, text: bool = True) -> pd.DataFrame:
    """The prediction table of an example set: what `predict` and a run write, and `split_table` reads.

    Args:
        examples: n texts.
        predictions: n predictions, or None for the texts alone.
        text: False writes the texts' SHA-256 in their place.
    """
    texts: Sequence[str] = examples.render()
    if not text:
        from hashlib import sha256

        texts = [sha256(line.encode("utf-8")).hexdigest() for line in texts]
    columns: dict[str, Any] = {"attribute": examples.attribute}
    if len(examples.sources):
        sources = examples.sources
        for name in ("id", "template", "target", "paraphrase_of"):
            column = "source" if name == "id" else name
            columns[column] = _repeated([getattr(s, name) for s in sources], examples.source)
        columns["symmetric"] = [("no", "yes")[sources[s].symmetric] for s in examples.source]
    columns["group"] = _repeated([*examples.groups, UNMARKED], examples.group)
    columns["term"] = [examples.terms[t] if t >= 0 else "" for t in examples.term]
    columns["text"] = texts
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


def _repeated(values: Sequence[str], positions: IntArray) -> Any:
    """The values at the positions as a column of strings; -1 is the last."""
    return np.array(values, dtype=object)[positions]

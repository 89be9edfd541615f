"""The names of labels and classes in a table: a column with nearly the right name, mappings, numbers for classes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import LabelError, TableError, did_you_mean, first_ten
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.tasks import TASKS, is_number, label_key, mapping_example, same_labels
from fairness_checklist.tables.columns import name_column, number_column

_NEAR = frozenset(
    (
        *("lab", "labs", "labels", "lable", "lables", "lbl", "actual", "annotation", "truth", "ground_truth"),
        *("gold", "golds", "gold_label", "gold_labels", "label_gold", "gold_class", "true_label", "true_labels"),
        *("target", "targets", "y", "y_true", "ytrue"),
    )
)
_P = "p:"
_PROBABILITY = re.compile(r"(?:p|probs?|proba|probability|score)[ _.-]+(.+)", re.IGNORECASE)


def no_predictions(columns: Iterable[object], remedy: str, place: str = "") -> TableError:
    """The error of a table without predictions: its columns, and how one that looks like a probability is named.

    >>> print(no_predictions(["text", "p_toxic"], "Add p:<class>."))
    the table has no predictions.
        Add p:<class>. Its columns: text, p_toxic. Write p:toxic for p_toxic.
    """
    names = [str(name) for name in columns]
    near = next((match for match in map(_PROBABILITY.fullmatch, names) if match), None)
    hint = f" Write p:{near[1]} for {near[0]}." if near else ""
    remedy = f"{remedy} Its columns: {first_ten(names)}.{hint}"
    return TableError("the table has no predictions.", place=place, remedy=remedy)


def check_label_column(columns: Iterable[object], used: Collection[object] = ()) -> None:
    """Raise where a table has no column ``label`` and one with a name that is near to it."""
    names = [str(name) for name in columns if name not in used]
    if "label" in names:
        return
    for name in names:
        plain = re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
        of_template = plain == "target" and "template" in names  # what a template says the attitude is about
        if (plain in _NEAR or plain == "label") and not of_template:
            raise TableError(
                f"the table has no column label, and a column {name}.",
                remedy=f"Did you mean {name}? Rename it to label if it holds the gold classes, else give it another "
                "name.",
            )


def check_numbers(frame: pd.DataFrame, task: str) -> None:
    """Raise where the labels or decisions of a table are numbers: it is not known which class each stands for."""
    by_column = _names(frame)
    numbered = {where: names for where, names in by_column.items() if all(map(is_number, names))}
    if task not in TASKS or not numbered:
        return
    classes = TASKS[task].classes
    numbers = sorted({name for names in numbered.values() for name in names}, key=lambda name: float(label_key(name)))
    kind = "truth values" if not any(character.isdigit() for name in numbers for character in name) else "numbers"
    listed = ", ".join(f'"{number}"' for number in numbers[:10])
    more = ", ..." if len(numbers) > 10 else ""
    where = f"in the {'columns' if len(numbered) > 1 else 'column'} {' and '.join(numbered)}"
    raise LabelError(
        f"the labels {where} are the {kind} {first_ten(numbers)}; expected the classes of the task {task}: "
        f"{', '.join(classes)}.",
        remedy=f"Give the class of each: labels={mapping_example(numbers, classes)}; or, if the {kind} are the "
        f"classes, name them: classes=[{listed}{more}].",
    )


def check_task(frame: pd.DataFrame, task: str) -> None:
    """Raise where the classes of a table are those of another task, and none is of this one.

    >>> check_task(pd.DataFrame({"predicted": ["hired", "turned away"]}), "sentiment")
    >>> check_task(pd.DataFrame({"predicted": ["toxic", "nontoxic"]}), "sentiment")
    Traceback (most recent call last):
    fairness_checklist.core.errors.LabelError: the classes of the table, nontoxic and toxic, are those of the task \
toxicity, and not of sentiment.
        Name the task: task="toxicity".
    """
    have = {name for names in _names(frame).values() for name in names}
    if not have or task not in TASKS or have & set(TASKS[task].classes):
        return
    for name, other in TASKS.items():
        if have <= set(other.classes) and not other.tagging:
            raise LabelError(
                f"the classes of the table, {' and '.join(sorted(have))}, are those of the task {name}, and not of "
                f"{task}.",
                remedy=f'Name the task: task="{name}".',
            )


def map_classes(frame: pd.DataFrame, labels: Mapping[Any, str], task: str) -> pd.DataFrame:
    """A table of a classifier with its labels, decisions and columns ``p:`` named as ``labels`` says.

    Of several columns ``p:`` that become one class the probabilities are summed.

    >>> frame = pd.DataFrame({"label": [1, 0], "predicted": [1, 1], "p:0": [0.25, 0.5], "p:1": [0.75, 0.5]})
    >>> map_classes(frame, {0: "nontoxic", 1: "toxic"}, "toxicity").values.tolist()
    [['toxic', 'toxic', 0.25, 0.75], ['nontoxic', 'toxic', 0.5, 0.5]]
    """
    have = list(dict.fromkeys(name for names in _names(frame).values() for name in names))
    given = {nfc(str(key)): nfc(str(value)) for key, value in labels.items()}
    named = same_labels(given, have)
    known = TASKS[task].classes if task in TASKS else ()
    for own, name in given.items():
        if not same_labels({own: name}, named):
            raise LabelError(
                f"labels= names {own!r}, which the table does not have.",
                remedy=f"{did_you_mean(own, have)} Its labels are {first_ten(sorted(have))}.".strip(),
            )
        if known and name not in known:
            raise LabelError(
                f"the label {own} is mapped to {name}, which is none of the task's classes {', '.join(known)}.",
                remedy=did_you_mean(name, known).strip() or f"Choose one of them: {', '.join(known)}.",
            )
    left = [name for name in have if name not in named and name not in known and is_number(name)]
    if known and left:
        raise LabelError(
            f"labels= does not name {first_ten(left)}, which the table has as "
            f"{'labels' if len(left) > 1 else 'a label'}.",
            remedy=f"Map every number to one of the task's classes {', '.join(known)}.",
        )
    columns: dict[str, pd.Series] = {}
    for column in map(str, frame.columns):
        if column in ("label", "predicted"):
            columns[column] = pd.Series([named.get(name, name) for name in name_column(frame, column)[0]])
        elif column.startswith(_P):
            own = column.removeprefix(_P)
            column, numbers = f"{_P}{named.get(own, own)}", pd.Series(number_column(frame, column))
            columns[column] = columns[column] + numbers if column in columns else numbers
        else:
            columns[column] = frame[column].reset_index(drop=True)
    return pd.DataFrame(columns)


def _names(frame: pd.DataFrame) -> dict[str, list[str]]:
    """The names of classes in each column that holds some, and of the columns ``p:``."""
    by_column = {
        column: [name for name in dict.fromkeys(name_column(frame, column)[0]) if name]
        for column in ("label", "predicted")
    }
    by_column["p:<class>"] = [str(name).removeprefix(_P) for name in frame.columns if str(name).startswith(_P)]
    return {where: names for where, names in by_column.items() if names}

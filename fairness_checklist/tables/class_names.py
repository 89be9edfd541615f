"""The names of labels and classes in a table: a column with nearly the right name, mappings, numbers for classes."""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, TableError, first_ten
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


def no_predictions(columns: Iterable[object], remedy: str) -> TableError:
    """The error of a table without predictions: its columns, and how one that looks like a probability is named.

    >>> print(no_predictions(["text", "p_toxic"], "Add p:<class>."))
    the table has no predictions.
        Add p:<class>. Its columns: text, p_toxic. Write p:toxic for p_toxic.
    """
    names = [str(name) for name in columns]
    near = next((match for match in map(_PROBABILITY.fullmatch, names) if match), None)
    hint = f" Write p:{near[1]} for {near[0]}." if near else ""
    return TableError("the table has no predictions.", remedy=f"{remedy} Its columns: {first_ten(names)}.{hint}")


def check_label_column(columns: Iterable[object], used: Collection[object] = ()) -> None:
    """Raise where a table has no column ``label`` and one with a name that is near to it."""
    names = [str(name) for name in columns if name not in used]
    if "label" in names:
        return
    for name in names:
        plain = re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
        if plain in _NEAR or plain == "label":
            raise TableError(
                f"the table has no column label, and a column {name}.",
                remedy=f"Did you mean {name}? Rename it to label if it holds the gold classes, else give it another "
                "name.",
            )


def check_classes(frame: pd.DataFrame, task: str, *, numbers: bool = True) -> None:
    """Raise where the classes of a table are those of another task; and where they are numbers, unless allowed.

    Of numbers it is not known which class each stands for.

    >>> check_classes(pd.DataFrame({"predicted": ["hired", "turned away"]}), "sentiment")
    >>> check_classes(pd.DataFrame({"predicted": ["toxic", "nontoxic"]}), "sentiment")
    Traceback (most recent call last):
    fairness_checklist.core.errors.LabelError: the classes of the table, nontoxic and toxic, are those of the task \
toxicity, and not of sentiment.
        Name the task: task="toxicity".
    """
    if task not in TASKS:
        return
    by_column, classes = _names(frame), TASKS[task].classes
    numbered = {where: names for where, names in by_column.items() if all(map(is_number, names))}
    if numbered and not numbers:
        values = {name for names in numbered.values() for name in names}
        listed = sorted(values, key=lambda name: float(label_key(name)))
        kind = "numbers" if any(character.isdigit() for character in "".join(listed)) else "truth values"
        quoted = ", ".join([f'"{number}"' for number in listed[:10]] + ["..."] * (len(listed) > 10))
        raise LabelError(
            f"the labels in the {'columns' if len(numbered) > 1 else 'column'} {' and '.join(numbered)} are the {kind} "
            f"{first_ten(listed)}; expected the classes of the task {task}: {', '.join(classes)}.",
            remedy=f"Give the class of each: labels={mapping_example(listed, classes)}; or, if the {kind} are the "
            f"classes, name them: classes=[{quoted}].",
        )
    found = {name for names in by_column.values() for name in names}
    for name, other in TASKS.items():
        if found and found.isdisjoint(classes) and found <= set(other.classes) and not other.tagging:
            raise LabelError(
                f"the classes of the table, {' and '.join(sorted(found))}, are those of the task {name}, and not of "
                f"{task}.",
                remedy=f'Name the task: task="{name}".',
            )


def map_classes(frame: pd.DataFrame, labels: Mapping[Any, str], task: str) -> pd.DataFrame:
    """A table of a classifier with its labels, decisions and columns ``p:`` named as ``labels`` says.

    Of several columns ``p:`` that become one class the probabilities are summed.
    """
    have = list(dict.fromkeys(name for names in _names(frame).values() for name in names))
    wanted = {nfc(str(key)): nfc(str(value)) for key, value in labels.items()}
    named = same_labels(wanted, have)
    classes = TASKS[task].classes if task in TASKS else ()
    for label, name in wanted.items():
        if not same_labels({label: name}, named):
            remedy = f"{did_you_mean(label, have)} Its labels are {first_ten(sorted(have))}.".strip()
            raise LabelError(f"labels= names {label!r}, which the table does not have.", remedy=remedy)
        if classes and name not in classes:
            raise LabelError(
                f"the label {label} is mapped to {name}, which is none of the task's classes {', '.join(classes)}.",
                remedy=did_you_mean(name, classes).strip() or f"Choose one of them: {', '.join(classes)}.",
            )
    left = [name for name in have if name not in named and name not in classes and is_number(name)]
    if classes and left:
        raise LabelError(
            f"labels= does not name {first_ten(left)}, which the table has as "
            f"{'labels' if len(left) > 1 else 'a label'}.",
            remedy=f"Map every number to one of the task's classes {', '.join(classes)}.",
        )
    columns: dict[str, pd.Series] = {}
    for column in map(str, frame.columns):
        if column in ("label", "predicted"):
            columns[column] = pd.Series([named.get(name, name) for name in name_column(frame, column)[0]])
        elif column.startswith(_P):
            label = column.removeprefix(_P)
            column, numbers = f"{_P}{named.get(label, label)}", pd.Series(number_column(frame, column))
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

"""The names of labels and classes in a table: a column with nearly the right name, mappings, numbers for classes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from fairness_checklist.core.errors import TableError

_NEAR = frozenset(
    (
        *("lab", "labs", "labels", "lable", "lables", "lbl", "actual", "annotation", "truth", "ground_truth"),
        *("gold", "golds", "gold_label", "gold_labels", "label_gold", "gold_class", "true_label", "true_labels"),
        *("target", "targets", "y", "y_true", "ytrue"),
    )
)
_P = "p:"


def check_label_column(columns: Iterable[object], used: Collection[object] = ()) -> None:
    """Raise where a table has no column ``label`` and one with a name that is near to it.

    Args:
        columns: the names of the columns.
        used: columns that are known to hold something else.

    Raises:
        TableError: such a column; a table without any gold classes is fine.

    >>> check_label_column(["group", "predicted"])
    >>> check_label_column(["group", "predicted", "lab"])
    Traceback (most recent call last):
    fairness_checklist.core.errors.TableError: the table has no column label, and a column lab.
        Did you mean lab? Rename it to label if it holds the gold classes, else give it another name.
    """
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

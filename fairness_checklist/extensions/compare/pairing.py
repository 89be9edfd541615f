"""The texts that two runs share, in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import TableError, count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.reports.run_view import attribute_view, outcomes_of, task_of, text_column
from fairness_checklist.tables.run_folder import Results

_KEY = ("source", "group", "term", "text")
_SHOWN = 3


def paired_outcomes(attribute: str, base: Results, new: Results) -> tuple[Outcomes, Outcomes]:
    """What either model decided, row by row."""
    first, second = (outcomes_of(results, attribute_view(results, attribute)) for results in (base, new))
    if not (np.array_equal(first.group, second.group) and np.array_equal(first.source, second.source)):
        raise TableError(f"the texts of {attribute} cannot be paired: their groups or sources differ.")
    return first, second


def shared_attributes(base: Results, new: Results) -> list[str]:
    """The attributes of both runs; `TableError` where one of them lacks some, or their tasks differ."""
    if task_of(base) != task_of(new):
        raise TableError(f"the runs are of different tasks: {task_of(base)} and {task_of(new)}.")
    if not {*base.attributes} & {*new.attributes}:
        raise TableError(
            f"the runs have no attribute in common: {join_names([*base.attributes])} and "
            f"{join_names([*new.attributes])}."
        )
    if alone := sorted({*base.attributes} ^ {*new.attributes}):
        raise TableError(f"one run alone has {join_names(alone)}.", remedy="Run both on the same suite.")
    return [*new.attributes]


def paired_texts(base: Results, new: Results, attribute: str) -> tuple[Results, Results]:
    """Both runs with the examples of an attribute: the same sentence, group, term and label in each row.

    Raises:
        TableError: the runs have other texts, classes or labels, or nothing to pair them by.
    """
    frames = [results.examples[results.examples["attribute"] == attribute] for results in (base, new)]
    names = [name for name in _KEY if all(name in frame or (name == "text" and "tokens" in frame) for frame in frames)]
    if not {"source", "text"} & set(names):
        raise TableError(
            f"the rows of {attribute} cannot be paired: the runs have neither texts nor sources in common.",
            remedy="Give both tables a column text or source.",
        )
    old_classes, new_classes = (attribute_view(results, attribute).classes for results in (base, new))
    if set(old_classes) != set(new_classes):
        raise TableError(
            f"the classes of the two runs of {attribute} are not the same: the old one has "
            f"{join_names([*old_classes])}, the new one {join_names([*new_classes])}.",
            remedy="Run both models on one set of classes: labels= maps a model's labels to the classes of the task.",
            command_remedy="Run both models on one set of classes: run --labels maps a model's labels to the classes "
            "of the task.",
        )
    keys = [_keys(frame, names) for frame in frames]
    shared = keys[0].index.intersection(keys[1].index, sort=False)
    if not len(shared) or len(keys[0]) + len(keys[1]) > 2 * len(shared):
        raise TableError(
            f"the runs have other texts of {attribute}: {len(shared):,} are in both, "
            f"{len(keys[0]) - len(shared):,} in the old one only, {len(keys[1]) - len(shared):,} in the new one only"
            f"{_differences(keys, names)}.",
            remedy="Run both on the same suite.",
        )
    old_rows, new_rows = (
        frame.iloc[key.loc[shared].to_numpy()].reset_index(drop=True) for frame, key in zip(frames, keys, strict=True)
    )
    if "label" in old_rows and "label" in new_rows:
        changed = int((text_column(old_rows, "label") != text_column(new_rows, "label")).sum())
        if changed:
            have = "has" if changed == 1 else "have"
            raise TableError(f"{count(changed, 'text')} of {attribute} {have} other labels.")
    return replace(base, examples=old_rows, tagged={}), replace(new, examples=new_rows, tagged={})


def _keys(frame: pd.DataFrame, names: Sequence[str]) -> pd.Series[int]:
    """The position of each row by what identifies its text; a text that occurs twice is told apart by its order."""
    columns = {
        name: frame["tokens"].map(" ".join) if name == "text" and "tokens" in frame else frame[name] for name in names
    }
    key = pd.DataFrame(columns).astype("object").fillna("").astype("str").reset_index(drop=True)
    key["copy"] = key.groupby(list(names), sort=False).cumcount()
    return pd.Series(np.arange(len(key)), index=pd.MultiIndex.from_frame(key))


def _differences(keys: Sequence[pd.Series[int]], names: Sequence[str]) -> str:
    """The terms and sources that one of two runs lacks: "; terms of the new one only: nurse, baker"."""
    parts = []
    for name in ("term", "source"):
        if name in names:
            old, new = (key.index.get_level_values(name).unique() for key in keys)
            for whose, lost in (("old", old.difference(new)), ("new", new.difference(old))):
                if len(lost):
                    parts.append(f"; {name}s of the {whose} one only: {join_names([*map(str, lost)], _SHOWN)}")
    return "".join(parts)

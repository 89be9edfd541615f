"""The texts that two runs share, in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import TableError, count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.reports.run_view import attribute_view, outcomes_of, task_of
from fairness_checklist.tables.run_folder import Results

_KEY = ("source", "group", "term", "text")
_SHOWN = 3


@dataclass(frozen=True, eq=False)
class PairedTexts:
    """The texts of an attribute that two runs share.

    Attributes:
        attribute: whose.
        base, new: the rows of either run's ``examples``, the same texts in the same order.
        left_out: how many texts are in one of the runs only.
    """

    attribute: str
    base: pd.DataFrame
    new: pd.DataFrame
    left_out: int

    def outcomes(self, base: Results, new: Results) -> tuple[Outcomes, Outcomes]:
        """What either model decided, row by row."""
        rows = ((base, self.base), (new, self.new))
        first, second = (
            outcomes_of(own := replace(results, examples=examples, tagged={}), attribute_view(own, self.attribute))
            for results, examples in rows
        )
        if not (np.array_equal(first.group, second.group) and np.array_equal(first.source, second.source)):
            raise TableError(f"the texts of {self.attribute} cannot be paired: their groups or sources differ.")
        return first, second


def shared_attributes(base: Results, new: Results, *, common: bool = False) -> list[str]:
    """The attributes that both runs have, in the order of the new one; `TableError` where there are none.

    An attribute that one of them lacks is an error as well, unless ``common``.
    """
    if task_of(base) != task_of(new):
        raise TableError(f"the runs are of different tasks: {task_of(base)} and {task_of(new)}.")
    shared = [name for name in new.attributes if name in base.attributes]
    if not shared:
        raise TableError(
            f"the runs have no attribute in common: {join_names([*base.attributes])} and "
            f"{join_names([*new.attributes])}."
        )
    if not common and (alone := sorted({*base.attributes} ^ {*new.attributes})):
        raise TableError(
            f"one run alone has {join_names(alone)}.",
            remedy="Run both on the same suite, or compare what they share: common=True.",
        )
    return shared


def paired_texts(base: Results, new: Results, attribute: str, *, common: bool = False) -> PairedTexts:
    """The texts of an attribute that two runs share: the same sentence, group and term, with the same label.

    Args:
        common: whether texts that one of the runs lacks are left out; else they are an error.

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
    views = [attribute_view(results, attribute) for results in (base, new)]
    if set(views[0].classes) != set(views[1].classes):
        raise TableError(
            f"the classes of the two runs of {attribute} are not the same: the old one has "
            f"{join_names([*views[0].classes])}, the new one {join_names([*views[1].classes])}.",
            remedy="Run both models on one set of classes: labels= maps a model's labels to the classes of the task.",
            command_remedy="Run both models on one set of classes: run --labels maps a model's labels to the classes "
            "of the task.",
        )
    keys = [_keys(frame, names) for frame in frames]
    shared = keys[0].index.intersection(keys[1].index, sort=False)
    left_out = len(keys[0]) + len(keys[1]) - 2 * len(shared)
    if not len(shared) or (left_out and not common):
        raise TableError(
            f"the runs have other texts of {attribute}: {len(shared):,} are in both, "
            f"{len(keys[0]) - len(shared):,} in the old one only, {len(keys[1]) - len(shared):,} in the new one only"
            f"{_differences(keys, names)}.",
            remedy="Run both on the same suite, or compare what they share: common=True." if len(shared) else "",
        )
    rows = [frame.iloc[key.loc[shared].to_numpy()] for frame, key in zip(frames, keys, strict=True)]
    paired = [frame.reset_index(drop=True) for frame in rows]
    if "label" in paired[0] and "label" in paired[1]:
        labels = [frame["label"].astype("object").fillna("").astype("str") for frame in paired]
        if changed := int((labels[0] != labels[1]).sum()):
            raise TableError(
                f"{count(changed, 'text')} of {attribute} {'has' if changed == 1 else 'have'} other labels."
            )
    return PairedTexts(attribute, paired[0], paired[1], left_out)


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

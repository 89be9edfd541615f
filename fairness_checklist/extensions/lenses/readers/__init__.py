"""Readers of published data sets in their published layout. None of the sets is shipped: a reader is given a path."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.readers import coreference_sets, sentence_sets
from fairness_checklist.extensions.lenses.readers.coreference_sets import read_coreference_predictions
from fairness_checklist.extensions.lenses.readers.published import HAS, PublishedSet, Rows

__all__ = ["HAS", "READERS", "PublishedSet", "Reader", "read_coreference_predictions", "read_published"]


@dataclass(frozen=True)
class Reader:
    """A published data set that can be read: a row of ``readers.csv``."""

    title: str  # its name in print
    has: frozenset[str]  # what it has, see `HAS`
    original: str  # the metric family that its authors use, see `compatibility.FAMILIES`
    read: Callable[[str | Path], Rows]


def _readers() -> dict[str, Reader]:
    functions = {**vars(coreference_sets), **vars(sentence_sets)}
    lines = files(__name__).joinpath("readers.csv").read_text(encoding="utf-8").splitlines()
    return {
        row["name"]: Reader(
            row["title"], frozenset(row["has"].split()), row["original"], functions[f"read_{row['name']}"]
        )
        for row in csv.DictReader(lines)
    }


READERS: Mapping[str, Reader] = _readers()
"""The published data sets by id."""


@checks_keywords
def read_published(name: str, path: str | Path) -> PublishedSet:
    """Read a published data set from the user's copy.

    Args:
        name: its id, one of `READERS`.
        path: the published file; of WinoBias its folder, too.

    Raises:
        OptionError: an unknown id.
        TableError: a file in another layout, with ``file:line``.

    >>> read_published("winobais", "wino/data")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: 'winobais' is not a known data set.
        Did you mean winobias? Known: winogender, winobias, gap, crows_pairs, stereoset, bias_in_bios, eec, stsb, \
bold, bec_pro, holistic_bias.
    """
    import pandas as pd

    if name not in READERS:
        raise OptionError(
            f"{name!r} is not a known data set.", remedy=f"Known: {', '.join(READERS)}.{did_you_mean(name, READERS)}"
        )
    table = pd.DataFrame(READERS[name].read(path))
    lacking = set()
    if name == "winobias" and table.groupby("source")["group"].nunique().max() == 1:
        lacking = {"pairs"}  # one file of the two
    elif name == "winogender" and "stereotype" not in table.columns:
        lacking = {"stereotype"}  # the statistics are not beside the sentences
    return PublishedSet(name, table, READERS[name].has - lacking)

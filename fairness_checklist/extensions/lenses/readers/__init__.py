"""Readers of published data sets in their published layout. None of the sets is shipped: a reader is given a path."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import OptionError, TableError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.readers import coreference_sets, sentence_sets
from fairness_checklist.extensions.lenses.readers.coreference_sets import read_coreference_predictions
from fairness_checklist.extensions.lenses.readers.published import (
    AS_PUBLISHED,
    PublishedSet,
    Row,
    check_columns,
    one_of,
    read_columns,
    read_text,
)

__all__ = ["READERS", "PublishedSet", "Reader", "read_coreference_predictions", "read_published"]

_STSB_ORIGINAL = ("genre", "filename", "year", "index", "score", "sentence1", "sentence2")
_FUNCTIONS = vars(coreference_sets) | vars(sentence_sets)


@dataclass(frozen=True, eq=False)
class Reader:
    """A published data set that can be read: a table of ``readers.toml``."""

    name: str
    title: str  # its name in print
    has: frozenset[str]  # what it has, see `HAS`
    original: str  # the metric family that its authors use, see `compatibility.FAMILIES`
    columns: tuple[str, ...] = ()  # of the published file; none where a function reads it
    delimiter: str = ","
    quotes: bool = True  # whether quotes around a whole cell of a file with tabs are no part of it
    values: Mapping[str, list[str]] = field(default_factory=dict)  # the values that a column may have
    table: Mapping[str, str] = field(default_factory=dict)  # a column that is made -> its format

    def read(self, path: Path) -> list[Row]:
        """The examples of the file; `TableError` for another layout, with ``file:line``."""
        complete = _FUNCTIONS.get(self.name)
        if not self.columns:
            return complete(path)  # type: ignore[no-any-return, misc]
        beside_file = _FUNCTIONS.get(f"beside_{self.name}")
        beside = beside_file(path) if beside_file else None
        rows: list[Row] = []
        for place, cells in self._cells(path):
            for column, values in self.values.items():
                one_of(cells[column], values, column, place)
            row = {name: pattern.format_map(cells) for name, pattern in self.table.items()}
            rows += complete(row, cells, place, beside) if complete else [row]
        if not rows:
            remedy = f"Its columns are: {', '.join(self.columns)}."
            raise TableError("there are no rows in the file.", place=path.name, remedy=remedy)
        return rows

    def _cells(self, path: Path) -> Iterable[tuple[str, dict[str, str]]]:
        if self.name == "bias_in_bios" and path.suffix.lower() in (".parquet", ".jsonl"):
            from fairness_checklist.tables.files import read_table

            frame = read_table(path).astype(str)
            check_columns(frame.columns, self.columns, path.name)
            records: list[dict[Any, Any]] = frame.to_dict("records")
            return [(f"{path.name}: row {number}", cells) for number, cells in enumerate(records, start=1)]
        if self.name == "stsb" and not read_text(path).startswith("index\t"):
            return _original_stsb(path)
        return read_columns(path, self.columns, delimiter=self.delimiter, quotes=self.quotes)


def _original_stsb(path: Path) -> list[tuple[str, dict[str, str]]]:
    """STS-B as first published: tabs, no header, and on some lines the origins of the sentences behind seven cells."""
    rows = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        cells, place = line.rstrip("\r").split("\t"), f"{path.name}:{number}"
        if line.strip() and len(cells) not in (7, 8, 9):
            expected = f"expected 7: {', '.join(_STSB_ORIGINAL)}"
            raise TableError(f"the row has {len(cells)} cells, {expected}.", place=place, remedy=AS_PUBLISHED)
        if line.strip():
            rows.append((place, dict(zip(_STSB_ORIGINAL, cells, strict=False))))
    return rows


def _readers() -> dict[str, Reader]:
    text = files(__name__).joinpath("readers.toml").read_text(encoding="utf-8")
    return {
        name: Reader(name, **(entry | {"has": frozenset(entry["has"].split())}))
        for name, entry in tomllib.loads(text).items()
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
    table = pd.DataFrame(READERS[name].read(Path(path)))
    if name == "bias_in_bios":
        table.insert(0, "id", [str(number) for number in range(1, len(table) + 1)])
    lacking = set()
    if name == "winobias" and table.groupby("source")["group"].nunique().max() == 1:
        lacking = {"pairs"}  # one file of the two
    elif name == "winogender" and "stereotype" not in table.columns:
        lacking = {"stereotype"}  # the statistics are not beside the sentences
    return PublishedSet(name, table, READERS[name].has - lacking)

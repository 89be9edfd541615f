"""A model's predictions for a published set, read from a file: answers, probabilities and scores by id."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fairness_checklist.core.errors import TableError, did_you_mean
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.extensions.lenses.readers.coreference_sets import read_coreference_predictions
from fairness_checklist.extensions.lenses.readers.published import PublishedSet, check_every_id

if TYPE_CHECKING:
    import pandas as pd

COREFERENCE = ("winobias", "winogender", "gap")
"""Sets whose predictions are mentions."""
_NAMED = ("predicted", "score", "probability", "prior")


@checks_keywords
def read_set_predictions(data: PublishedSet, path: str | Path) -> PublishedSet:
    """Add a model's predictions from a file to a published set.

    Coreference sets: see `read_coreference_predictions`. The others: a table with ``id`` and what the model gives for
    each example: ``predicted`` (a class), ``p:<class>``, ``score`` or ``score:<name>`` (an intensity, a similarity or a
    log-likelihood), ``probability`` and optionally ``prior`` (of the target word; BEC-Pro).

    Args:
        data: from `read_published`; rows without ids are numbered from 1 (HolisticBias).
        path: .csv, .parquet or .jsonl.

    Returns:
        The set with these columns.

    Raises:
        TableError: another column, none of these, an id twice, or a cell that is no number.
        AlignmentError: examples without a prediction, or predictions for no example.
    """
    if data.name in COREFERENCE:
        return read_coreference_predictions(data, path)
    import pandas as pd

    given = _read(Path(path))
    table, ids = data.table, given["id"]
    if "id" not in table.columns:
        table = table.assign(id=[str(at) for at in range(1, len(table) + 1)])
    known = table["id"].astype(str).tolist()
    check_every_id(sorted(known), set(ids), "prediction", "for")
    ordered = given.set_index("id").loc[known].reset_index(drop=True)
    return replace(data, table=pd.concat([table.reset_index(drop=True), ordered], axis=1))


def _read(path: Path) -> pd.DataFrame:
    """The table of predictions with ids as texts, once each, and numbers in all columns but ``predicted``."""
    import pandas as pd

    from fairness_checklist.tables.files import read_table

    shown = path.name
    given = read_table(path)
    columns = [str(name) for name in given.columns]
    if "id" not in columns:
        raise TableError("the table has no column id.", place=f"{shown}:1", remedy="It needs the id of each example.")
    for name in columns:
        if name not in ("id", *_NAMED) and not name.startswith(("p:", "score:")):
            raise TableError(
                f"the column {name!r} is not known.",
                place=f"{shown}:1",
                remedy=f"Known: id, {', '.join(_NAMED)}, p:<class>, score:<name>.{did_you_mean(name, _NAMED)}",
            )
    if len(columns) == 1:
        raise TableError(
            "the table has ids and no prediction.",
            place=f"{shown}:1",
            remedy=f"It needs one of {', '.join(_NAMED[:3])}, p:<class>, score:<name>.",
        )
    ids = given["id"].astype(str)
    twice = ids[ids.duplicated()]
    if len(twice):
        raise TableError(
            f"there is a second prediction for {twice.iloc[0]}.",
            place=f"{shown}:{int(twice.index[0]) + 2}",
            remedy="Keep one of them.",
        )
    for name in (column for column in columns if column not in ("id", "predicted")):
        numbers = pd.to_numeric(given[name], errors="coerce")
        wrong = numbers.isna()
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            raise TableError(
                f"{name} is {str(given[name].iloc[row])!r}, expected a number.", place=f"{shown}:{row + 2}"
            )
        given[name] = numbers
    return given.assign(id=ids)

"""The numbers that a paper prints, and how they stand beside ours; files of the user's that a reproduction reads."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pandas as pd

from fairness_checklist.core.errors import OptionError, TableError, did_you_mean, first_ten
from fairness_checklist.extensions.reproduce.reproduction import Statement, Verdict

__all__ = ["beside", "find_file", "first_column", "needed_data", "paper_numbers", "short_names", "statement"]


def paper_numbers(paper: str, place: str) -> pd.DataFrame:
    """The numbers of one table or section as printed: rows and columns in the order of the paper.

    They stand in ``<paper>.csv`` beside this module: ``place,section,row,column,value``.

    >>> paper_numbers("dixon2018", "Table 4").loc["baseline"].to_dict()
    {'general': 0.96, 'phrases': 0.952}
    """
    with files("fairness_checklist.extensions").joinpath(f"reproduce/{paper}.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file)
    own = table[table["place"] == place]
    wide = own.pivot_table(index="row", columns="column", values="value", sort=False)
    return wide.loc[list(dict.fromkeys(own["row"])), list(dict.fromkeys(own["column"]))]


def beside(paper: pd.DataFrame, ours: pd.DataFrame, row: str = "row") -> pd.DataFrame:
    """Both tables side by side: rows of the paper first, then those that only we have; columns ``paper X, ours X``.

    >>> paper, ours = pd.DataFrame({"AUC": [0.9]}, index=["a"]), pd.DataFrame({"AUC": [0.8, 0.7]}, index=["b", "a"])
    >>> beside(paper, ours, "model").values.tolist()
    [['a', 0.9, 0.7], ['b', nan, 0.8]]
    """
    rows = [*paper.index, *(name for name in ours.index if name not in paper.index)]
    columns = {}
    for name in [*paper.columns, *(name for name in ours.columns if name not in paper.columns)]:
        for side, table in (("paper", paper), ("ours", ours)):
            if name in table.columns:
                columns[f"{side} {name}"] = table[name].reindex(rows).to_numpy()
    table = pd.DataFrame(columns)
    table.insert(0, row, rows)
    return table


def statement(place: str, says: str, seen: bool | None, because: str) -> Statement:
    """A statement of a paper; ``seen`` is None where it cannot be tested.

    >>> statement("section 1", "One is less than two.", 1 < 2, "1 and 2").verdict
    'seen here'
    """
    verdict: Verdict = "not testable" if seen is None else "seen here" if seen else "not seen"
    return Statement(place=place, says=says, verdict=verdict, because=because)


def needed_data(paper: str, what: str, remedy: str) -> OptionError:
    """The error where nothing of a paper can be computed without a file of the user's."""
    return OptionError(f"data= is not given; the reproduction of {paper} needs {what}.", remedy=remedy)


def find_file(data: Path, names: Sequence[str], what: str, *, needed: bool = True) -> Path | None:
    """The file itself, or the first of these names (with ``*`` for any letters) in the folder.

    Raises:
        TableError: there is no such path; or a needed file is not in the folder.
    """
    if data.is_file():
        return data
    if not data.is_dir():
        raise TableError(f"there is no file or folder {data}.", remedy=f"Give the path of {what}.")
    found = next((path for name in names for path in sorted(data.glob(name))), None)
    if found is None and needed:
        there = first_ten(sorted(path.name for path in data.iterdir()))
        raise TableError(
            f"the folder {data.name} has none of the files {', '.join(names)}.",
            remedy=f"Put {what} there, or give its path. There are: {there}.",
        )
    return found


def short_names(models: Sequence[str]) -> dict[str, str]:
    """What each model is called in tables: the last part of its path or id, where these differ.

    >>> short_names(["runs/ours.py:predict", "org/name"]), short_names(["a/model", "b/model"])
    ({'runs/ours.py:predict': 'ours.py:predict', 'org/name': 'name'}, {'a/model': 'a/model', 'b/model': 'b/model'})
    """
    last = {model: Path(model).name for model in models}
    return last if len(set(last.values())) == len(last) else {model: model for model in models}


def first_column(table: pd.DataFrame, names: Sequence[str], place: str) -> str:
    """The first of the names that is a column; `TableError` where none is.

    >>> first_column(pd.DataFrame({"phrase": []}), ["text", "phrase"], "phrases.csv")
    'phrase'
    """
    columns = list(map(str, table.columns))
    found = next((name for name in names if name in columns), None)
    if found is None:
        raise TableError(
            f"there is no column {' or '.join(names)}.",
            place=place,
            remedy=f"Its columns are {first_ten(columns)}.{did_you_mean(names[0], columns)}",
        )
    return found

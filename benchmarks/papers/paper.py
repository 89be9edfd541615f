"""What the scripts of the five papers share: records, printed numbers, files of the user's, and a command line each."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import InputError, OptionError, TableError, first_ten

__all__ = [
    "PRINTED", "Figure", "HeatMap", "PaperTable", "ReproduceOptions", "Reproduction", "Series", "Statement", "Verdict",
    "beside", "find_file", "first_column", "main", "paper_numbers", "short_names", "statement",
    "verdict_line", "verdict_of",
]  # fmt: skip

Verdict = Literal["seen here", "not seen", "not testable"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReproduceOptions:
    """What a user may choose; the command line of a paper shows the options that it uses.

    Attributes:
        models, taggers: folders, hub ids or Python objects (``FILE.py:NAME``); empty for the bundled ones.
        data: a file or folder of the user's: the paper's own data, where it may not be shipped.
        max_terms, max_templates: terms of a group and templates of an attribute at most, drawn at random; None for all.
        seed: of all draws.
        labels: from labels of the models to classes, for those models that have such labels.
    """

    models: Sequence[str] = ()
    taggers: Sequence[str] = ()
    data: Path | None = None
    max_terms: int | None = None
    max_templates: int | None = None
    seed: int = 0
    labels: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class PaperTable:
    """A table of the paper: published numbers in columns that begin with ``paper``, ours in those with ``ours``."""

    name: str
    caption: str
    table: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Series:
    """One set of n values of a figure: points, a line or bars; ``low, high`` are the ends of n intervals."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    kind: Literal["points", "line", "bars"] = "points"
    low: Sequence[float] = ()
    high: Sequence[float] = ()


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of the paper with our numbers.

    Attributes:
        names: of the places 0, 1, 2, ... of the x axis, in place of numbers.
        level: a dashed line at this y, such as the value of all.
    """

    name: str
    caption: str
    x_name: str
    y_name: str
    series: Sequence[Series]
    names: Sequence[str] = ()
    level: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class HeatMap:
    """Metrics by columns, each row with a colour scale of its own; ``uncoloured``: columns of totals beside groups."""

    name: str
    caption: str
    table: pd.DataFrame
    uncoloured: Sequence[bool] = ()


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of the paper in our words, and whether the same pattern is there in our numbers, and why."""

    place: str
    says: str
    verdict: Verdict
    because: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Reproduction:
    """A paper's tables, figures and statements beside ours.

    Attributes:
        lines: the answer for a terminal, about ten lines, leading sentence first.
        unavailable: what of the paper cannot be computed here, and why; one sentence each.
    """

    citation: str
    lines: Sequence[str]
    tables: Sequence[PaperTable] = ()
    figures: Sequence[Figure | HeatMap] = ()
    statements: Sequence[Statement] = ()
    unavailable: Sequence[str] = ()
    settings: dict[str, str] = field(default_factory=dict)


def paper_numbers(paper: str, place: str) -> pd.DataFrame:
    """The numbers of one table or section as printed: rows and columns in the order of the paper.

    They stand in ``<paper>.csv`` beside this module: ``place,section,row,column,value``.

    >>> paper_numbers("dixon2018", "Table 4").loc["baseline"].to_dict()
    {'general': 0.96, 'phrases': 0.952}
    """
    table = pd.read_csv(Path(__file__).with_name(f"{paper}.csv"))
    cells = table[table["place"] == place]
    wide = cells.pivot_table(index="row", columns="column", values="value", sort=False)
    return wide.loc[list(dict.fromkeys(cells["row"])), list(dict.fromkeys(cells["column"]))]


def beside(paper: pd.DataFrame, ours: pd.DataFrame, row: str = "row") -> pd.DataFrame:
    """Both tables side by side: rows of the paper first, then those that only we have; columns ``paper X, ours X``.

    >>> paper, ours = pd.DataFrame({"AUC": [0.9]}, index=["a"]), pd.DataFrame({"AUC": [0.8, 0.7]}, index=["b", "a"])
    >>> beside(paper, ours, "model").values.tolist()
    [['a', 0.9, 0.7], ['b', nan, 0.8]]
    """
    rows = list(dict.fromkeys([*paper.index, *ours.index]))
    columns = {
        f"{side} {name}": table[name].reindex(rows).to_numpy()
        for name in dict.fromkeys([*paper.columns, *ours.columns])
        for side, table in (("paper", paper), ("ours", ours))
        if name in table.columns
    }
    table = pd.DataFrame(columns)
    table.insert(0, row, rows)
    return table


def statement(place: str, says: str, seen: bool | None, because: str) -> Statement:
    """A statement of a paper; ``seen`` is None where it cannot be tested.

    >>> statement("section 1", "One is less than two.", 1 < 2, "1 and 2").verdict
    'seen here'
    """
    return Statement(place=place, says=says, verdict=verdict_of(seen), because=because)


def verdict_of(seen: bool | None) -> Verdict:
    """The words for an answer of a rule."""
    return "not testable" if seen is None else "seen here" if seen else "not seen"


def verdict_line(paper: str, statements: Sequence[Statement]) -> str:
    """How many statements are seen, of those that can be tested."""
    seen = sum(one.verdict == "seen here" for one in statements)
    untested = sum(one.verdict == "not testable" for one in statements)
    tested = len(statements) - untested
    noun = "testable statement" if tested == 1 else "testable statements"
    return f"{paper}: {seen} of {tested} {noun} seen here; {untested} not testable."


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
        contents = first_ten(sorted(path.name for path in data.iterdir()))
        raise TableError(
            f"the folder {data.name} has none of the files {', '.join(names)}.",
            remedy=f"Put {what} there, or give its path. There are: {contents}.",
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


# The command line


_OPTIONS: dict[str, dict[str, Any]] = {
    "models": {"flags": ("-m", "--model"), "action": "append", "help": "classifier; repeat it for several"},
    "taggers": {"flags": ("--ner",), "action": "append", "help": "tagger; repeat it for several"},
    "data": {"flags": ("--data",), "type": Path, "help": "file or folder of the paper's own data"},
    "max_terms": {"flags": ("--max-terms",), "type": int, "help": "terms of a group at most"},
    "max_templates": {"flags": ("--max-templates",), "type": int, "help": "templates of an attribute at most"},
    "labels": {"flags": ("--labels",), "action": "append", "help": "LABEL=CLASS; repeat it for several"},
}


def main(
    reproduce: Callable[[ReproduceOptions], Reproduction], *options: str, arguments: Sequence[str] | None = None
) -> int:
    """The script of a paper: prints the answer; ``--out`` names a folder for its tables, statements and figures.

    Args:
        reproduce: the experiment.
        options: the names of the options that it uses.
        arguments: in place of those of the command line.
    """
    parser = argparse.ArgumentParser(description=(reproduce.__doc__ or "").partition("\n")[0])
    for name in options:
        described = dict(_OPTIONS[name])
        parser.add_argument(*described.pop("flags"), dest=name, **described)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder for tables (CSV), figures (SVG) and all statements")
    chosen = vars(parser.parse_args(arguments))
    out = chosen.pop("out")
    if chosen.get("labels"):
        chosen["labels"] = dict(pair.split("=", 1) for pair in chosen["labels"])
    for name in ("max_terms", "max_templates"):
        if chosen.get(name) is not None and chosen[name] < 1:
            parser.error(f"--{name.replace('_', '-')} {chosen[name]} is too small; expected 1 or more.")
    try:
        made = reproduce(ReproduceOptions(**{name: value for name, value in chosen.items() if value is not None}))
        if out is not None:
            write(made, out)
    except InputError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    print("\n".join(made.lines))
    return 0


def file_name(name: str) -> str:
    """The name of a table's file.

    >>> file_name("Figure 1, SemEval-2")
    'figure_1_semeval_2'
    """
    return re.sub(r"\W+", "_", name.lower()).strip("_")


def write(made: Reproduction, folder: Path) -> None:
    """Writes a new folder: tables as CSV, figures as SVG, and ``reproduction.json`` with statements and settings.

    Raises:
        OptionError: the folder is there and not empty.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise OptionError(f"the folder {folder} is not empty.", remedy="Name another folder, or delete it first.")
    folder.mkdir(parents=True, exist_ok=True)
    for table in made.tables:
        table.table.to_csv(folder / f"{file_name(table.name)}.csv", index=False)
    for figure in made.figures:
        save_figure(figure, folder / f"{file_name(figure.name)}.svg")
    record = {
        "citation": made.citation,
        "lines": made.lines,
        "statements": [vars(one) for one in made.statements],
        "captions": {one.name: one.caption for one in [*made.tables, *made.figures]},
        "unavailable": made.unavailable,
        "settings": made.settings,
    }
    (folder / "reproduction.json").write_text(json.dumps(record, indent=1, ensure_ascii=False), encoding="utf-8")


PRINTED = 0.0005
"""The smallest value that is not printed as 0.000; below it a value is taken for 0."""


def shades(table: pd.DataFrame, uncoloured: Sequence[bool] = ()) -> pd.DataFrame:
    """The row scaling of Figure 1 of the core paper: each value by the largest absolute one of its row; 0 if all are 0.

    >>> shades(pd.DataFrame([[0.2, -0.4, float("nan"), 3.0]]), [False, False, False, True]).values.tolist()
    [[0.5, -1.0, 0.0, 0.0]]
    """
    kept = table.fillna(0.0).astype(float)
    kept.loc[:, list(uncoloured or [False] * table.shape[1])] = 0.0
    largest = kept.abs().max(axis=1)
    return kept.div(largest.where(largest >= PRINTED), axis=0).fillna(0.0)


def save_figure(figure: Figure | HeatMap, path: Path) -> None:
    """Draws a figure."""
    from matplotlib.figure import Figure as Canvas

    if isinstance(figure, HeatMap):
        rows, columns = figure.table.shape
        canvas = Canvas(figsize=(3 + 0.7 * columns, 1.5 + 0.3 * rows), layout="constrained")
        axes = canvas.add_subplot()
        axes.imshow(shades(figure.table, figure.uncoloured).to_numpy(), cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
        axes.set_xticks(range(columns), [str(name) for name in figure.table.columns], rotation=40, ha="right")
        axes.set_yticks(range(rows), [str(name) for name in figure.table.index])
        values = figure.table.to_numpy(dtype=np.float64)
        for row, column in product(range(rows), range(columns)):
            cell = values[row, column]
            axes.text(column, row, "–" if np.isnan(cell) else f"{cell:.3f}", ha="center", va="center", size="small")
    else:
        canvas = Canvas(figsize=(6.4, 3.6), layout="constrained")
        axes = canvas.add_subplot()
        for number, one in enumerate(figure.series):
            _draw(axes, one, number, len(figure.series))
        if figure.level is not None:
            axes.axhline(figure.level, linestyle="--", color="gray")
        if figure.names:
            axes.set_xticks(range(len(figure.names)), figure.names, rotation=90 if len(figure.names) > 9 else 0)
        axes.set(xlabel=figure.x_name, ylabel=figure.y_name)
        if len(figure.series) > 1:
            axes.legend()
    canvas.savefig(path, metadata={"Date": None})


def _draw(axes: Any, series: Series, number: int, n_series: int) -> None:
    """One series; bars of several series stand side by side."""
    if series.kind == "line":
        axes.plot(series.x, series.y, label=series.name)
    elif series.kind == "bars":
        places = sorted(set(series.x))
        width = 0.8 * min((b - a for a, b in pairwise(places)), default=1.0) / n_series
        left = [x + width * (number - (n_series - 1) / 2) for x in series.x]
        axes.bar(left, series.y, width=width, label=series.name)
    elif series.low:
        ends = [[abs(end - y) for end, y in zip(side, series.y, strict=True)] for side in (series.low, series.high)]
        axes.errorbar(series.x, series.y, yerr=ends, fmt="o", label=series.name)
    else:
        axes.plot(series.x, series.y, "osD^"[number % 4], label=series.name, alpha=0.75)

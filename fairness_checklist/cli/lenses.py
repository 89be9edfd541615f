"""The verb `lenses`, and the table of `list --compatible`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments

if TYPE_CHECKING:
    import pandas as pd


_INTRINSIC_SET = "sentences of the verb intrinsic"


def lenses(
    table: Annotated[Path, typer.Argument(help="Predictions with group, label, predicted: .csv, .parquet, .jsonl.")],
    *,
    groups: Annotated[
        list[str] | None,
        typer.Option("--groups", help="Two groups, F,M: gaps are the first less the second."),
    ] = None,
    shares: Annotated[
        Path | None,
        typer.Option("--shares", help="Table with label and share: the first group's share of each label in training."),
    ] = None,
    balance: Annotated[
        list[str] | None,
        typer.Option("--balance", help="subsample, oversample or none; both by default."),
    ] = None,
    draws: Annotated[int, typer.Option("--draws", help="Balanced draws.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the draws.")] = 0,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for CSV tables and a page.")] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Print the tables.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Measure a model by every extrinsic metric that its predictions allow, on balanced test sets, too.

    Example: fairness-checklist lenses predictions.csv --groups F,M --shares training.csv --out runs/lenses
    """
    from fairness_checklist.analysis.lenses import lenses as measure
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.reports.lens_page import lens_page, lens_sentences
    from fairness_checklist.tables.files import read_table

    if out is not None:
        check_writable(out)
    names = arguments.split_commas(groups) or []
    if len(names) not in (0, 2):
        raise OptionError(f"--groups names {len(names)} groups.", remedy="Name two: --groups F,M.")
    ways = arguments.split_commas(balance) or ["subsample", "oversample"]
    report = measure(
        read_table(table),
        left=names[0] if names else "",
        right=names[1] if names else "",
        shares=None if shares is None else _shares(read_table(shares), shares),
        balance=[] if ways == ["none"] else ways,
        draws=draws,
        seed=seed,
    )
    if out is not None:
        _save(
            out,
            {"metrics.csv": report.metrics, "labels.csv": report.labels},
            lens_page(report, f"Lenses: {table.name}"),
        )
    if as_json:
        record = {
            "n": report.n,
            "groups": [report.left, report.right],
            "draws": report.draws,
            "seed": report.seed,
            "metrics": _records(report.metrics),
            "labels": _records(report.labels),
            "compatible": [vars(cell) for cell in report.cells],
        }
        typer.echo(json.dumps(record, indent=2, ensure_ascii=False))
        return
    typer.echo("\n".join(lens_sentences(report)))
    if tables:
        for frame in (report.metrics, report.labels):
            typer.echo(f"\n{frame.to_string(index=False, float_format=lambda value: f'{value:.3f}', na_rep='-')}")
    if out is not None:
        typer.echo(f"Page: {out / 'lenses.html'}; tables: {out / 'metrics.csv'}, {out / 'labels.csv'}")


def compatible_rows(data: Path | None) -> list[dict[str, Any]]:
    """Table 1 of Orgad and Belinkov 2022 for the sets with a reader, and the user's own table.

    Each row has a mark a family: ``original``, ``yes``, ``augment`` or ``-``, and the reasons of the blanks.
    """
    from fairness_checklist.metrics.lenses.compatibility import FAMILIES, INTRINSIC, compatible, compatible_intrinsic
    from fairness_checklist.suites.readers import READERS

    sets: list[tuple[str, frozenset[str], str]] = [(one.title, one.has, one.original) for one in READERS.values()]
    sets.append(
        (
            "suites of this package",
            frozenset(["gold", "classes", "group", "pairs", "decision", "prediction", "target"]),
            "",
        )
    )
    sets.append((_INTRINSIC_SET, frozenset(["group", "pairs", "target"]), ""))
    columns = ["text"]
    if data is not None:
        from fairness_checklist.analysis.lenses import has_of_table
        from fairness_checklist.tables.files import read_table

        own = read_table(data)
        columns = [str(name) for name in own.columns]
        sets.append((data.name, has_of_table(own), ""))
    rows = []
    for title, has, original in sets:
        text = data is None or title != data.name or "text" in columns
        cells = (*compatible(has), *compatible_intrinsic(has, text=text, bleached=title == _INTRINSIC_SET))
        marks = {cell.family: cell.status if cell.status != "no" else "-" for cell in cells}
        if original:
            marks[original] = "original" if marks[original] == "yes" else marks[original]
        reasons = "; ".join(f"{cell.family}: {cell.reason}" for cell in cells if cell.reason)
        rows.append({"data": title, **{name: marks[name] for name in (*FAMILIES, *INTRINSIC)}, "why": reasons})
    return rows


def print_compatible(data: Path | None, as_json: bool) -> None:
    """Print which metric family fits which data set, and why the others do not."""
    rows = compatible_rows(data)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    from fairness_checklist.metrics.lenses.compatibility import FAMILIES, INTRINSIC

    _print_columns(rows, ["data", *FAMILIES])
    typer.echo("\nIntrinsic measures, of the hidden vectors of a model and not of its predictions (verb intrinsic):")
    _print_columns(rows, ["data", *INTRINSIC])
    typer.echo("\noriginal: what its authors measure; augment: after each example gets a counterpart of another group.")
    typer.echo("What is missing for the rest:")
    for row in rows:
        if row["why"]:
            typer.echo(f"  {row['data']}: {row['why']}")


def _print_columns(rows: list[dict[str, Any]], names: list[str]) -> None:
    width = {name: max(len(name), *(len(str(row[name])) for row in rows)) for name in names}
    for row in [dict(zip(names, names, strict=True)), *rows]:
        typer.echo("  ".join(str(row[name]).ljust(width[name]) for name in names).rstrip())


def _shares(frame: pd.DataFrame, path: Path) -> dict[str, float]:
    from fairness_checklist.core.errors import TableError

    for name in ("label", "share"):
        if name not in frame.columns:
            raise TableError(f"the table has no column {name}.", place=path.name, remedy="It needs label and share.")
    found = {str(label): float(share) for label, share in zip(frame["label"], frame["share"], strict=True)}
    wrong = [label for label, share in found.items() if not 0 <= share <= 1]
    if wrong:
        raise TableError(
            f"the share of {wrong[0]} is {found[wrong[0]]}, expected 0 to 1.",
            place=path.name,
            remedy="Give shares and not percentages: 0.45.",
        )
    return found


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(name): None if isinstance(cell, float) and math.isnan(cell) else cell for name, cell in row.items()}
        for row in frame.to_dict("records")
    ]


def _save(out: Path, frames: dict[str, pd.DataFrame], page: str) -> None:
    from fairness_checklist.core.atomic import atomic_file
    from fairness_checklist.tables.files import write_table

    out.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        write_table(frame, out / name)
    with atomic_file(out / "lenses.html") as scratch:
        scratch.write_text(page, encoding="utf-8")

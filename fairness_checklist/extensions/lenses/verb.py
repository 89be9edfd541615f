"""The verb `lenses`, and the table of `list --compatible`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import MODEL, STATISTICS, option

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.lenses.metrics.compatibility import FamilyFit

_INTRINSIC_SET = "sentences of the verb intrinsic"


@answering
def lenses(
    table: Annotated[
        Path | None, typer.Argument(help="Predictions with group, label, predicted: .csv, .parquet, .jsonl.")
    ] = None,
    *,
    dataset: arguments.Dataset = "",
    path: arguments.DatasetPath = None,
    predictions: Annotated[Path | None, option(MODEL, "With --dataset: the predictions of a model, by id.")] = None,
    groups: arguments.TwoGroups = None,
    shares: Annotated[
        Path | None,
        option(STATISTICS, "Table with label and share: the first group's share of each label in training."),
    ] = None,
    balance: Annotated[list[str] | None, option(STATISTICS, "subsample, oversample or none; both by default.")] = None,
    draws: arguments.Draws = 400,
    seed: arguments.Seed = 0,
) -> Answer:
    """Measure a model by every extrinsic metric that its predictions allow, on balanced test sets, too.

    Example: fairness-checklist lenses predictions.csv --groups F,M --shares training.csv --out runs/lenses

    Example, a published set: fairness-checklist lenses --dataset winobias --path wino/data --predictions answers.csv
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.lenses.lens_findings import lens_page, lens_sentences
    from fairness_checklist.extensions.lenses.lenses import lenses as measure
    from fairness_checklist.tables.files import read_table

    names = arguments.split_commas(groups) or []
    if len(names) not in (0, 2):
        raise OptionError(f"--groups names {len(names)} groups.", remedy="Name two: --groups F,M.")
    ways = arguments.split_commas(balance) or ["subsample", "oversample"]
    frame, title, primary = _frame(table, dataset, path, predictions)
    check_groups(names, frame)
    names = names or (_usual_groups(frame) if dataset else [])
    report = measure(
        frame,
        left=names[0] if names else "",
        right=names[1] if names else "",
        shares=None if shares is None else _shares(read_table(shares), shares),
        balance=[] if ways == ["none"] else ways,
        primary=primary,
        draws=draws,
        seed=seed,
    )
    labels = {"labels": report.labels} if len(report.labels) else {}
    return Answer(
        lens_sentences(report),
        report.findings,
        {"metrics": report.metrics, **labels},
        {"groups": [report.left, report.right], "compatible": report.cells}
        | {name: getattr(report, name) for name in ("n", "unit", "left_out", "draws", "seed", "metrics", "labels")},
        page=lambda: lens_page(report, f"Lenses: {title}"),
    )


def check_groups(names: Sequence[str], frame: pd.DataFrame) -> None:
    """`OptionError` unless the groups of ``--groups`` are in the column group."""
    from fairness_checklist.core.errors import OptionError, did_you_mean, first_ten
    from fairness_checklist.core.option_defaults import nfc

    if "group" not in frame.columns:
        return
    there = sorted(set(map(nfc, frame["group"].dropna().astype(str))))
    unknown = next((name for name in names if name not in there), None)
    if unknown is not None:
        raise OptionError(
            f"--groups {','.join(names)}: the column group has {first_ten(there)}.",
            remedy=f"Name two of these.{did_you_mean(unknown, there)}",
        )


def compatible_rows(data: Path | None) -> list[dict[str, Any]]:
    """Table 1 of Orgad and Belinkov 2022 for the user's own table, first, and the sets with a reader.

    Each row has a mark a family: ``original``, ``yes``, ``augment`` or ``-``, and the reasons of the blanks.
    """
    from fairness_checklist.extensions.lenses.metrics.compatibility import (
        FAMILIES,
        INTRINSIC,
        compatible,
        compatible_intrinsic,
        has_of_table,
        likely_group,
    )
    from fairness_checklist.extensions.lenses.readers import READERS

    sets = [(reader.title, reader.has, reader.original) for reader in READERS.values()]
    of_suites = frozenset(["gold", "classes", "group", "pairs", "decision", "prediction", "target"])
    sets += [("suites of this package", of_suites, ""), (_INTRINSIC_SET, frozenset(["group", "pairs", "target"]), "")]
    columns, renamed = ["text"], ""
    if data is not None:
        from fairness_checklist.tables.files import read_table

        own = read_table(data)
        columns = [str(name) for name in own.columns]
        renamed = likely_group(columns)
        sets.insert(0, (data.name, has_of_table(own), ""))
    rows = []
    for title, has, original in sets:
        text = data is None or title != data.name or "text" in columns
        cells = (*compatible(has), *compatible_intrinsic(has, text=text, bleached=title == _INTRINSIC_SET))
        marks = {cell.family: cell.status if cell.status != "no" else "-" for cell in cells}
        if original:
            marks[original] = "original" if marks[original] == "yes" else marks[original]
        reasons = _reasons(cells)
        if renamed and data is not None and title == data.name:
            reasons = f"no column group, but {renamed}: rename it to group; {reasons}"
        rows.append({"data": title, **{name: marks[name] for name in (*FAMILIES, *INTRINSIC)}, "why": reasons})
    return rows


def print_compatible(data: Path | None, as_json: bool) -> None:
    """Print which metric family fits which data set, and why the others do not."""
    rows = compatible_rows(data)
    if as_json:
        typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    from fairness_checklist.extensions.lenses.metrics.compatibility import FAMILIES, INTRINSIC

    _print_columns(rows, ["data", *FAMILIES])
    typer.echo("\nIntrinsic measures, of the hidden vectors of a model and not of its predictions (verb intrinsic):")
    _print_columns(rows, ["data", *INTRINSIC])
    typer.echo("\noriginal: what its authors measure; augment: after each example gets a counterpart of another group.")
    shown = rows if data is None else rows[:1]
    typer.echo("What is missing:" if data is None else "What is missing (for the other rows: without --data):")
    for row in shown:
        typer.echo(f"  {row['data']}: {row['why'] or 'nothing'}")


def _reasons(cells: Sequence[FamilyFit]) -> str:
    """Each reason once, with the families that it excludes."""
    families: dict[str, list[str]] = {}
    for cell in cells:
        for reason in filter(None, cell.reason.split("; ")):
            families.setdefault(reason, []).append(cell.family)
    return "; ".join(f"{reason} ({', '.join(names)})" for reason, names in families.items())


def _frame(
    table: Path | None, dataset: str, path: Path | None, predictions: Path | None
) -> tuple[pd.DataFrame, str, str]:
    """The user's table, or a published set with predictions; what to call it; and what its authors measure."""
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.lenses.readers import READERS, read_published
    from fairness_checklist.extensions.lenses.readers.coreference_sets import read_set_predictions
    from fairness_checklist.tables.files import read_table

    if (table is None) == (not dataset):
        raise OptionError(
            "there is no table to measure." if table is None else "--dataset is given, and a table as well.",
            remedy="Give a table of predictions, or --dataset, --path and --predictions.",
        )
    if table is not None:
        if path is not None or predictions is not None:
            raise OptionError("--path and --predictions need --dataset.", remedy=f"Known: {', '.join(READERS)}.")
        return read_table(table), table.name, ""
    if dataset in READERS and "group" not in READERS[dataset].has and "stereotype" not in READERS[dataset].has:
        raise OptionError(
            f"{READERS[dataset].title} has neither groups nor a stereotype side.",
            remedy="Give each example a counterpart of another group first: fairness-checklist perturb.",
        )
    for name, given in (("--path", path), ("--predictions", predictions)):
        if given is None:
            raise OptionError(f"--dataset {dataset} needs {name}.", remedy="Give both --path and --predictions.")
    assert path is not None
    assert predictions is not None
    data = read_set_predictions(read_published(dataset, path), predictions)
    return data.table, READERS[dataset].title, READERS[dataset].original


def _usual_groups(frame: pd.DataFrame) -> list[str]:
    """Women and men where a published set has more groups, or has them in another order."""
    there = set(frame["group"].astype(str)) if "group" in frame.columns else set()
    return next((list(pair) for pair in (("female", "male"), ("F", "M")) if set(pair) <= there), [])


def _print_columns(rows: list[dict[str, Any]], names: list[str]) -> None:
    width = {name: max(len(name), *(len(str(row[name])) for row in rows)) for name in names}
    for row in [dict(zip(names, names, strict=True)), *rows]:
        typer.echo("  ".join(str(row[name]).ljust(width[name]) for name in names).rstrip())


def _shares(frame: pd.DataFrame, path: Path) -> dict[str, float]:
    from fairness_checklist.core.errors import TableError

    for name in ("label", "share"):
        if name not in frame.columns:
            raise TableError(f"the table has no column {name}.", place=path.name, remedy="It needs label and share.")
    shares = {str(label): float(share) for label, share in zip(frame["label"], frame["share"], strict=True)}
    for label, share in shares.items():
        if not 0 <= share <= 1:
            raise TableError(
                f"the share of {label} is {share}, expected 0 to 1.",
                place=path.name,
                remedy="Give shares and not percentages: 0.45.",
            )
    return shares

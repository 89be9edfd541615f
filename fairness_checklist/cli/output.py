"""Where a verb writes, and what it prints."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from fairness_checklist.cli.options import prediction_store_at

if TYPE_CHECKING:
    from fairness_checklist.api import Result, Suite

__all__ = ["as_json", "prediction_store", "print_result", "print_size", "run_folder"]


@contextmanager
def run_folder(out: Path | None, attributes: Sequence[str]) -> Iterator[Path]:
    """The folder of a run: that of --out, else one of ``runs`` that is reserved before any work, so that two runs that
    start together take two folders, and no other model's run is replaced.

    Raises:
        InputError: the folder cannot be made, or holds something else than a run.
    """
    from fairness_checklist.atomic import reserved_folder
    from fairness_checklist.results import check_replaceable

    if out is not None:
        check_replaceable(out)
        yield out
        return
    with reserved_folder(Path("runs") / "-".join(attributes)) as folder:
        yield folder


@contextmanager
def prediction_store(out: Path) -> Iterator[Path]:
    """The store of predictions beside what will be written; a run that is stopped says whether something is in it."""
    try:
        with prediction_store_at(out) as store:
            yield store
    except KeyboardInterrupt:
        if store.exists():
            typer.echo("What the model has said is kept: the same command goes on from there.", err=True)
        raise


def print_size(built: Suite) -> None:
    """What a dry run prints: how many texts a model would be asked about."""
    texts = built.texts()
    beside = [text for part in built.parts for one in part.controls for text in one.examples.render()]
    more = f" and {len(beside):,} beside the pairs" if beside else ""
    typer.echo(f"{len(texts):,} texts{more}, {len({*texts, *beside}):,} of them different.")


def print_result(result: Result, folder: Path | None, json_wanted: bool) -> None:
    if json_wanted:
        typer.echo(json.dumps(as_json(result, folder), indent=2, ensure_ascii=False))
        return
    typer.echo(str(result))
    if folder is not None:
        typer.echo(f"\nThe report: {folder / 'report.html'}")


def as_json(result: Result, folder: Path | None) -> dict[str, object]:
    """What ``--json`` prints of a run."""
    primary = result.metrics[result.metrics["role"] == "primary"]
    return {
        "report": None if folder is None else str(folder / "report.html"),
        "verdict": result.verdict(width=None),
        "primary": json.loads(primary.to_json(orient="records")),
        "checks": json.loads(result.checks.to_json(orient="records")),
    }

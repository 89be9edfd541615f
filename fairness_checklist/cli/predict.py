"""The verb that writes a model's predictions for a suite, also by files that are scored elsewhere: predict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import MODEL, OUTPUT, STATISTICS, option
from fairness_checklist.cli.model_options import Keeping, ModelOptions
from fairness_checklist.cli.runs import print_failed
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.extensions import extension

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api.suite import Suite

TableOut = Annotated[
    Path | None, option(OUTPUT, "Table to write: .csv or .parquet; for a tagger .jsonl or .parquet.", "--out", "-o")
]


@dataclass(frozen=True, eq=False)
class FileOptions:
    """Files of texts that a model elsewhere scores."""

    to_file: Annotated[
        Path | None,
        option(OUTPUT, "File of the texts to write, for a model elsewhere: .csv, .jsonl, .parquet, .txt."),
    ] = None
    from_file: Annotated[
        Path | None, option(MODEL, "File of the texts with predictions: columns p:LABEL, predicted, tags or spans.")
    ] = None
    file_format: Annotated[
        str | None,
        option(
            MODEL,
            "Lines of a .txt file for --from-file: pred_and_softmax (the default), softmax, binary_conf, "
            "pred_and_conf or pred_only.",
        ),
    ] = None

    def check(self, context: typer.Context, out: Path | None, model: ModelOptions, keeping: Keeping) -> None:
        """Raise `OptionError` unless the other options fit to these files."""
        if self.to_file is not None and (out is not None or self.from_file is not None):
            raise OptionError("--to-file writes texts without predictions.", remedy="Leave --out and --from-file out.")
        excluded = ["--shard"] if keeping.is_share() else []
        if self.from_file is not None:
            source = context.get_parameter_source("model")
            named = ["--model"] if source is not None and source.name != "DEFAULT" else []
            excluded = [*named, *model.elsewhere(), *excluded]
        if excluded and (self.from_file is not None or self.to_file is not None):
            file = "--from-file" if self.from_file is not None else "--to-file"
            raise OptionError(f"{excluded[0]} and {file} exclude each other.", remedy="Leave one of them out.")


@arguments.with_options
def predict(
    context: typer.Context,
    *,
    out: TableOut = None,
    source: arguments.SourceOptions,
    model: ModelOptions,
    keeping: Keeping,
    files: FileOptions,
    content: arguments.ContentOptions,
    no_placebo: Annotated[
        bool,
        option(STATISTICS, "Leave out the placebo words (neutral words such as hobbies).", "--no-placebo"),
    ] = False,
    escape_formulas: arguments.EscapeFormulas = False,
    dry_run: arguments.DryRun = False,
) -> None:
    """Write a model's predictions for a suite as a table.

    `evaluate` reads that table. For a model elsewhere --to-file writes the texts, and --from-file reads its
    predictions.

    Example: fairness-checklist predict --attribute gender --model MODEL --out predictions.csv

    Example, texts to score elsewhere: fairness-checklist predict --attribute gender --to-file texts.csv

    Example, a table of any texts: fairness-checklist predict --texts comments.csv --model MODEL --out scored.csv
    """
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.tables.files import write_table

    files.check(context, out, model, keeping)
    if out is not None:
        arguments.check_table(out)
        check_writable(out, folder=False)
    elif files.to_file is None and not dry_run:
        raise OptionError("no table is named.", remedy="Name it: --out predictions.csv.")
    if source.texts is not None and source.attribute is None and source.suite is None:
        others = (files.to_file, files.from_file, content.given(), keeping.is_share(), dry_run)
        if any(others) or out is None:
            raise OptionError(
                "--texts without --attribute scores the table as it is, with --model and --out.",
                remedy="Name an attribute to rewrite the texts: --attribute gender; or leave out the other options.",
            )
        _score_table(source.texts, source.task, model, keeping, out)
        return
    keeping.check(out)
    suite = arguments.chosen_suite(context, source, content)
    model.check(suite.task)
    asked: Any = {"placebo": not no_placebo, "seed": default.SEED}
    if dry_run:
        arguments.print_text_count(suite)
        model.print_cost(suite, keeping, out, **asked)
    elif out is None:
        _write_texts(suite, files, **asked)
    elif not keeping.score_share(suite, model, out, **asked):
        loaded = _loaded(suite, model, files, **asked)
        with keeping.kept(out, loaded, placebo=not no_placebo, across_runs=files.from_file is None) as kept:
            rows = suite.predict(loaded, **kept)
            failed = rows.attrs.pop("failed", [])
            write_table(rows, out, escape_formulas=escape_formulas)
        _print_written(rows, out, failed)


def _write_texts(suite: Suite, files: FileOptions, *, placebo: bool, seed: int) -> None:
    from fairness_checklist.api.scoring import texts_to_score

    texts = texts_to_score(suite.parts, placebo=placebo, seed=seed)
    count = extension("checklist.scored_files").write_texts(texts, files.to_file)
    typer.echo(f"{count:,} texts in {files.to_file}")


def _loaded(suite: Suite, model: ModelOptions, files: FileOptions, *, placebo: bool, seed: int) -> Any:
    """The model that is named; or one that gives the predictions of a file."""
    from fairness_checklist.api.scoring import texts_to_score

    if files.from_file is None:
        return model.load(suite.task)
    texts = texts_to_score(suite.parts, placebo=placebo, seed=seed)
    scored = extension("checklist.scored_files").read_scored(files.from_file, texts, file_format=files.file_format)
    return scored.model(suite.task, arguments.read_labels(model.labels))


def _print_written(rows: pd.DataFrame, table: Path, failed: Sequence[Mapping[str, str]]) -> None:
    """Print how many rows were written, and the texts that the model failed on."""
    from fairness_checklist.tables.columns import PLACEBO_ROWS, VARIANT

    neutral = int((rows[VARIANT] == PLACEBO_ROWS).sum()) if VARIANT in rows.columns else 0
    typer.echo(f"{len(rows):,} rows in {table}" + (f", {neutral:,} of them of the placebo" if neutral else ""))
    print_failed(failed)
    if failed:
        groups = ", ".join(f"{name} {n:,}" for name, n in Counter(text["group"] for text in failed).items())
        typer.echo(f"The table has no rows for these texts ({groups}), and evaluate cannot count them.", err=True)


def _score_table(texts: Path, task: str, model: ModelOptions, keeping: Keeping, out: Path) -> None:
    """Write a table of texts with the model's answers; no attribute is named, so no text is rewritten."""
    from fairness_checklist.api.scoring import score_table
    from fairness_checklist.tables.files import read_table, write_table

    loaded = model.load(task)
    with keeping.kept(out, loaded, placebo=False) as kept:
        rows = score_table(read_table(texts), loaded, store=kept["store"])
        failed = rows.attrs.pop("failed", [])
        write_table(rows, out)
    typer.echo(f"{len(rows):,} rows in {out}")
    print_failed(failed)

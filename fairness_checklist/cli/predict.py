"""The verb that writes a model's predictions for a suite, also by files that are scored elsewhere: predict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.runs import prediction_store, print_failed

TableOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="Table to write: .csv or .parquet; for a tagger .jsonl or .parquet.")
]
ToFile = Annotated[
    Path | None,
    typer.Option("--to-file", help="File of the texts to write, for a model elsewhere: .csv, .jsonl, .parquet, .txt."),
]
FromFile = Annotated[
    Path | None,
    typer.Option("--from-file", help="File of the texts with predictions: columns p:LABEL, predicted, tags or spans."),
]
FileFormat = Annotated[
    str | None,
    typer.Option(
        "--file-format",
        help="Lines of a .txt file for --from-file: pred_and_softmax (the default), softmax, binary_conf, "
        "pred_and_conf or pred_only.",
    ),
]


@arguments.with_options
def predict(
    context: typer.Context,
    *,
    out: TableOut = None,
    source: arguments.SourceOptions,
    model: arguments.ModelOptions,
    to_file: ToFile = None,
    from_file: FromFile = None,
    file_format: FileFormat = None,
    content: arguments.ContentOptions,
    escape_formulas: arguments.EscapeFormulas = False,
) -> None:
    """Write a model's predictions for a suite as a table.

    `evaluate` reads that table. For a model elsewhere --to-file writes the texts, and --from-file reads its
    predictions.

    Example: fairness-checklist predict --attribute gender --model MODEL --out predictions.csv

    Example, texts to score elsewhere: fairness-checklist predict --attribute gender --to-file texts.csv
    """
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.interop.scored_files import read_scored, write_texts
    from fairness_checklist.tables.files import write_table

    table = _checked(context, out, to_file, from_file)
    suite = arguments.chosen_suite(context, source, content)
    if to_file is not None:
        typer.echo(f"{write_texts(suite.to_frame()['text'].tolist(), to_file):,} texts in {to_file}")
        return
    arguments.check_table(table)
    check_writable(table, folder=False)
    if from_file is None:
        loaded = model.load(suite.task)
    else:
        scored = read_scored(from_file, suite.to_frame()["text"].tolist(), file_format=file_format)
        loaded = scored.model(suite.task, arguments.read_labels(model.labels))
    with prediction_store(table) as store:
        rows = suite.predict(loaded, store=store)
        failed = rows.attrs.pop("failed", [])
        write_table(rows, table, escape_formulas=escape_formulas)
    typer.echo(f"{len(rows):,} rows in {table}")
    print_failed(failed)


def _checked(context: typer.Context, out: Path | None, to_file: Path | None, from_file: Path | None) -> Path:
    """The table to write, or a file that is not written; raises unless the options fit together."""
    from fairness_checklist.core.errors import OptionError

    if to_file is not None:
        if out is not None or from_file is not None:
            raise OptionError("--to-file writes texts without predictions.", remedy="Leave --out and --from-file out.")
        return to_file
    if out is None:
        raise OptionError("no table is named.", remedy="Name it: --out predictions.csv.")
    given = context.get_parameter_source("model")
    if from_file is not None and given is not None and given.name != "DEFAULT":
        raise OptionError("--model and --from-file exclude each other.", remedy="Leave one of them out.")
    return out

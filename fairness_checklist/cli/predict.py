"""The verb that writes a model's predictions for a suite, also by files that are scored elsewhere: predict."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, cast

import typer

from fairness_checklist.cli import arguments, stores
from fairness_checklist.cli.endpoint_options import EndpointOptions
from fairness_checklist.cli.help_sections import MODEL, OUTPUT, STATISTICS, option
from fairness_checklist.cli.runs import print_failed
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.extensions import extension

TableOut = Annotated[
    Path | None, option(OUTPUT, "Table to write: .csv or .parquet; for a tagger .jsonl or .parquet.", "--out", "-o")
]
ToFile = Annotated[
    Path | None, option(OUTPUT, "File of the texts to write, for a model elsewhere: .csv, .jsonl, .parquet, .txt.")
]
FromFile = Annotated[
    Path | None, option(MODEL, "File of the texts with predictions: columns p:LABEL, predicted, tags or spans.")
]
FileFormat = Annotated[
    str | None,
    option(
        MODEL,
        "Lines of a .txt file for --from-file: pred_and_softmax (the default), softmax, binary_conf, "
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
    endpoint: EndpointOptions,
    shard: stores.ShardOf = None,
    store: stores.StoreFile = None,
    to_file: ToFile = None,
    from_file: FromFile = None,
    file_format: FileFormat = None,
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
    from fairness_checklist.api.scoring import asked_texts
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.tables.columns import PLACEBO_ROWS, VARIANT
    from fairness_checklist.tables.files import write_table

    _check_files(context, out, to_file, from_file, named=endpoint.endpoint is not None, shard=shard)
    if out is not None:
        arguments.check_table(out)
        check_writable(out, folder=False)
    elif to_file is None and not dry_run:
        raise OptionError("no table is named.", remedy="Name it: --out predictions.csv.")
    if source.texts is not None and source.attribute is None and source.suite is None:
        _score_table(source, model, endpoint, out, store, content, others=(to_file, from_file, shard, dry_run or None))
        return
    if shard is not None:
        stores.check_shard(shard, out, store)
    suite = arguments.chosen_suite(context, source, content)
    endpoint.check(model, suite.task)
    if dry_run:
        arguments.print_text_count(suite)
        known = stores.existing_stores(out, store, placebo=not no_placebo)
        endpoint.print_cost(model, suite, known, placebo=not no_placebo, seed=default.SEED)
        return
    texts = asked_texts(suite.parts, placebo=not no_placebo, seed=default.SEED)
    if to_file is not None:
        count = extension("checklist.scored_files").write_texts(texts, to_file)
        typer.echo(f"{count:,} texts in {to_file}")
        return
    if from_file is None:
        loaded = endpoint.load(model, suite.task)
    else:
        scored = extension("checklist.scored_files").read_scored(from_file, texts, file_format=file_format)
        loaded = scored.model(suite.task, arguments.read_labels(model.labels))
    table = cast(Path, out)
    if shard is not None:
        stores.print_shard(suite, loaded, table, shard, placebo=not no_placebo, seed=default.SEED)
        return
    with stores.prediction_store(table, store) as predictions:
        kept = True if predictions.is_dir() or from_file is not None else stores.placebo_store() or True
        rows = suite.predict(loaded, store=predictions, placebo=False if no_placebo else kept)
        failed = rows.attrs.pop("failed", [])
        write_table(rows, table, escape_formulas=escape_formulas)
    neutral = int((rows[VARIANT] == PLACEBO_ROWS).sum()) if VARIANT in rows.columns else 0
    typer.echo(f"{len(rows):,} rows in {table}" + (f", {neutral:,} of them of the placebo" if neutral else ""))
    print_failed(failed)
    if failed:
        groups = ", ".join(f"{name} {n:,}" for name, n in Counter(one["group"] for one in failed).items())
        typer.echo(f"The table has no rows for these texts ({groups}), and evaluate cannot count them.", err=True)


def _score_table(
    source: arguments.SourceOptions,
    model: arguments.ModelOptions,
    endpoint: EndpointOptions,
    out: Path | None,
    store: Path | None,
    content: arguments.ContentOptions,
    others: tuple[object, ...],
) -> None:
    """Write the table of --texts with the model's answers; no attribute is named, so no text is rewritten."""
    from fairness_checklist.api.scoring import score_table
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.tables.files import read_table, write_table

    if content.given() or any(one is not None for one in others) or out is None:
        raise OptionError(
            "--texts without --attribute scores the table as it is, with --model and --out.",
            remedy="Name an attribute to rewrite the texts: --attribute gender; or leave out the other options.",
        )
    loaded = endpoint.load(model, source.task)
    with stores.prediction_store(out, store) as predictions:
        rows = score_table(read_table(cast(Path, source.texts)), loaded, store=predictions)
        failed = rows.attrs.pop("failed", [])
        write_table(rows, out)
    typer.echo(f"{len(rows):,} rows in {out}")
    print_failed(failed)


def _check_files(
    context: typer.Context,
    out: Path | None,
    to_file: Path | None,
    from_file: Path | None,
    *,
    named: bool,
    shard: str | None,
) -> None:
    """Raise `OptionError` unless the options fit to the files of texts that are scored elsewhere."""
    from fairness_checklist.core.errors import OptionError

    if to_file is not None and (out is not None or from_file is not None):
        raise OptionError("--to-file writes texts without predictions.", remedy="Leave --out and --from-file out.")
    given = context.get_parameter_source("model")
    others = {"--model": given is not None and given.name != "DEFAULT", "--endpoint": named}
    file = "--from-file" if from_file is not None else "--to-file"
    of_models = {**(others if from_file is not None else {}), "--shard": shard is not None}
    for name, is_given in of_models.items():
        if is_given and (from_file is not None or to_file is not None):
            raise OptionError(f"{name} and {file} exclude each other.", remedy="Leave one of them out.")

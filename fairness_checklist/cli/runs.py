"""The verbs that ask a model, or look at what it said: run, predict, evaluate, report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.core import parameters as default

RunOut = Annotated[
    Path | None,
    typer.Option("--out", "-o", help="The run folder to write; by default runs/ATTRIBUTES, or -2, -3, ... of it."),
]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="The run folder to write.")]
TableOut = Annotated[
    Path, typer.Option("--out", "-o", help="The table to write: .csv or .parquet; of a tagger .jsonl or .parquet.")
]
TableIn = Annotated[Path, typer.Argument(help="A prediction table: .csv, .parquet, or of a tagger .jsonl.")]
RunFolder = Annotated[Path, typer.Argument(help="A run folder.")]


def run(
    attribute: arguments.Attributes = [],  # noqa: B006  # typer reads the default, nobody changes it
    task: arguments.TaskName = default.TASK,
    model: arguments.Model = default.MODEL,
    out: RunOut = None,
    suite: arguments.SavedSuite = None,
    texts: arguments.TextsIn = None,
    groups: arguments.Groups = None,
    terms: arguments.Terms = None,
    templates: arguments.Templates = None,
    include_terms: arguments.IncludeTerms = None,
    max_terms: arguments.MaxTerms = None,
    term_set: arguments.TermSet = "",
    lists: arguments.Lists = None,
    language: arguments.Language = default.LANGUAGE,
    max_sources: arguments.MaxSources = default.MAX_SOURCES,
    metrics: arguments.Metrics = None,
    primary: arguments.Primary = None,
    threshold: arguments.Threshold = None,
    threshold_on: arguments.ThresholdOn = None,
    tolerance: arguments.Tolerance = default.TOLERANCE,
    labels: arguments.Labels = None,
    scheme: arguments.Scheme = "",
    max_length: arguments.MaxLength = None,
    batch_tokens: arguments.BatchTokens = default.BATCH_TOKENS,
    dtype: arguments.Dtype = default.DTYPE,
    device: arguments.Device = None,
    revision: arguments.Revision = None,
    denominator: arguments.Denominator = default.DENOMINATOR,
    weight: arguments.Weight = default.WEIGHT,
    matching: arguments.Matching = "",
    max_groupings: arguments.MaxGroupings = None,
    draws: arguments.Draws = default.DRAWS,
    adjust: arguments.Adjust = default.ADJUSTMENTS[0],
    seed: arguments.Seed = default.SEED,
    unlabelled: arguments.Unlabelled = default.UNLABELLED[0],
    undefined: arguments.Undefined = default.UNDEFINED,
    where: arguments.Where = "",
    by: arguments.By = "",
    no_text: arguments.NoText = False,
    escape_formulas: arguments.EscapeFormulas = False,
    dry_run: arguments.DryRun = False,
    as_json: arguments.Json = False,
) -> None:
    """Ask a model about every text of a suite, and write metrics, checks and a report.

    Example: fairness-checklist run --attribute gender,names --task sentiment --model MODEL --out runs/x
    """
    built = arguments.suite_from_options(
        attribute,
        suite,
        texts=texts,
        task=task,
        groups=groups,
        terms=terms,
        templates=templates,
        include_terms=include_terms,
        max_terms=max_terms,
        term_set=term_set,
        lists=lists,
        language=language,
        max_sources=max_sources,
    )
    if dry_run:
        arguments.print_size(built)
        return
    from fairness_checklist.models.load import load_model

    choices = arguments.run_keywords(
        metrics=metrics,
        primary=primary,
        tolerance=tolerance,
        threshold=threshold,
        denominator=denominator,
        weight=weight,
        matching=matching,
        max_groupings=max_groupings,
        draws=draws,
        adjust=adjust,
        seed=seed,
        unlabelled=unlabelled,
        undefined=undefined,
        where=where,
        by=by,
    )
    with arguments.run_folder(out, built.attributes) as folder:
        loaded = load_model(
            model,
            task=built.task,
            labels=arguments.read_labels(labels),
            scheme=scheme,
            max_length=max_length,
            batch_tokens=batch_tokens,
            dtype=dtype,
            device=device,
            revision=revision,
        )
        with arguments.prediction_store(folder) as store:
            result = built.run(loaded, threshold_on=threshold_on, store=store, **choices)
            result.save(folder, text=not no_text, escape_formulas=escape_formulas)
    arguments.print_result(result, folder, as_json)


def predict(
    out: TableOut,
    attribute: arguments.Attributes = [],  # noqa: B006  # as in run
    task: arguments.TaskName = default.TASK,
    model: arguments.Model = default.MODEL,
    suite: arguments.SavedSuite = None,
    texts: arguments.TextsIn = None,
    groups: arguments.Groups = None,
    terms: arguments.Terms = None,
    templates: arguments.Templates = None,
    include_terms: arguments.IncludeTerms = None,
    max_terms: arguments.MaxTerms = None,
    term_set: arguments.TermSet = "",
    lists: arguments.Lists = None,
    language: arguments.Language = default.LANGUAGE,
    max_sources: arguments.MaxSources = default.MAX_SOURCES,
    labels: arguments.Labels = None,
    scheme: arguments.Scheme = "",
    max_length: arguments.MaxLength = None,
    batch_tokens: arguments.BatchTokens = default.BATCH_TOKENS,
    dtype: arguments.Dtype = default.DTYPE,
    device: arguments.Device = None,
    revision: arguments.Revision = None,
    escape_formulas: arguments.EscapeFormulas = False,
) -> None:
    """Write what a model says about every text of a suite, as a table that `evaluate` reads.

    Example: fairness-checklist predict --attribute gender --model MODEL --out predictions.csv
    """
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.models.load import load_model
    from fairness_checklist.tables.files import write_table

    arguments.check_table(out)
    check_writable(out, folder=False)
    built = arguments.suite_from_options(
        attribute,
        suite,
        texts=texts,
        task=task,
        groups=groups,
        terms=terms,
        templates=templates,
        include_terms=include_terms,
        max_terms=max_terms,
        term_set=term_set,
        lists=lists,
        language=language,
        max_sources=max_sources,
    )
    loaded = load_model(
        model,
        task=built.task,
        labels=arguments.read_labels(labels),
        scheme=scheme,
        max_length=max_length,
        batch_tokens=batch_tokens,
        dtype=dtype,
        device=device,
        revision=revision,
    )
    with arguments.prediction_store(out) as store:
        table = built.predict(loaded, store=store)
        write_table(table, out, escape_formulas=escape_formulas)
    typer.echo(f"{len(table):,} rows in {out}")


def evaluate(
    table: TableIn,
    out: Out = None,
    task: arguments.TaskName = default.TASK,
    attribute: Annotated[
        str, typer.Option("--attribute", "-a", help="What the groups are groups of.")
    ] = default.GROUP_ATTRIBUTE,
    classes: Annotated[list[str] | None, typer.Option("--classes", help="The classes, in order.")] = None,
    metrics: arguments.Metrics = None,
    primary: arguments.Primary = None,
    threshold: arguments.Threshold = None,
    threshold_on: arguments.ThresholdOn = None,
    tolerance: arguments.Tolerance = default.TOLERANCE,
    labels: arguments.Labels = None,
    denominator: arguments.Denominator = default.DENOMINATOR,
    weight: arguments.Weight = default.WEIGHT,
    matching: arguments.Matching = "",
    max_groupings: arguments.MaxGroupings = None,
    draws: arguments.Draws = default.DRAWS,
    adjust: arguments.Adjust = default.ADJUSTMENTS[0],
    seed: arguments.Seed = default.SEED,
    unlabelled: arguments.Unlabelled = default.UNLABELLED[0],
    undefined: arguments.Undefined = default.UNDEFINED,
    where: arguments.Where = "",
    by: arguments.By = "",
    group_columns: arguments.GroupColumns = None,
    min_cell: arguments.MinCell = default.MIN_CELL,
    no_text: arguments.NoText = False,
    escape_formulas: arguments.EscapeFormulas = False,
    as_json: arguments.Json = False,
) -> None:
    """Metrics and checks from predictions that are there already.

    Example: fairness-checklist evaluate predictions.csv --out runs/y
    """
    from fairness_checklist import api
    from fairness_checklist.tables.run_folder import check_replaceable

    if out is not None:
        check_replaceable(out)
    choices = arguments.run_keywords(
        metrics=metrics,
        primary=primary,
        tolerance=tolerance,
        threshold=threshold,
        denominator=denominator,
        weight=weight,
        matching=matching,
        max_groupings=max_groupings,
        draws=draws,
        adjust=adjust,
        seed=seed,
        unlabelled=unlabelled,
        undefined=undefined,
        where=where,
        by=by,
    )
    result = api.evaluate(
        table,
        task=task,
        attribute=attribute,
        classes=arguments.split(classes) or (),
        threshold_on=threshold_on,
        labels=arguments.read_labels(labels),
        group_columns=arguments.split(group_columns) or (),
        min_cell=min_cell,
        **choices,
    )
    if out is not None:
        result.save(out, text=not no_text, escape_formulas=escape_formulas)
    arguments.print_result(result, out, as_json)


def report(folder: RunFolder, as_json: arguments.Json = False) -> None:
    """Print the verdict and the tables of a run folder, and write its report anew.

    Example: fairness-checklist report runs/x
    """
    from fairness_checklist.api.result import Result

    result = Result.load(folder)
    result.to_html(folder / "report.html")
    arguments.print_result(result, folder, as_json)


DEMO = {
    "sentiment": ["gender", "names", "placebo"],
    "toxicity": ["gender", "names", "placebo"],
    "ner": ["nationality", "names"],
}
MAX_TERMS = 3  # of each group: a demo is to end soon


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the three runs.")] = Path("runs/demo"),
    as_json: arguments.Json = False,
) -> None:
    """The main job on the bundled models: sentiment, toxicity and names and places in text, a run folder each.

    Example: fairness-checklist demo
    """
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.tables.run_folder import check_replaceable

    for task in DEMO:
        check_replaceable(out / task)
    found = []
    for task, attributes in DEMO.items():
        folder = out / task
        folder.parent.mkdir(parents=True, exist_ok=True)
        with arguments.prediction_store(folder) as store:
            result = Suite.build(attributes, task=task, max_terms=MAX_TERMS).run("bundled", store=store)
            result.save(folder)
        found.append(arguments.as_json(result, folder) | {"task": task})
        if not as_json:
            typer.echo(f"{task}\n{'=' * len(task)}\n{result.verdict()}\n\nThe report: {folder / 'report.html'}\n")
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))

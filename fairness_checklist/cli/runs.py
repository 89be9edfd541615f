"""The verbs that produce or read results: run, evaluate, report, demo."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import MODEL, OUTPUT, STATISTICS, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.config import config_path
from fairness_checklist.core.errors import InputError, ModelError, without_quotes
from fairness_checklist.core.option_defaults import ContentOptions, MetricOptions, ModelOptions, SourceOptions

if TYPE_CHECKING:
    from fairness_checklist.api.result import Result
    from fairness_checklist.api.suite import Suite

RunOut = Annotated[
    Path | None,
    option(OUTPUT, "Run folder to write; by default runs/ATTRIBUTES, with -2, -3, ... if it exists.", "--out", "-o"),
]
TableIn = Annotated[
    Path, typer.Argument(help="Table of predictions: .csv or .parquet; for a tagger .jsonl or .parquet.")
]
FAILED_SHOWN = 5
MEASURED = 64  # texts
COLOURS = {"worse": "red", "word": "red", "better": "blue", "small": "green", "warning": "red"}


@dataclass(frozen=True, eq=False)
class AskedModel:
    """The model that a run asks: what `load_named` takes, or an endpoint; and how it is loaded."""

    model: Any
    options: Mapping[str, Any]

    @classmethod
    def chosen(cls, model: ModelOptions, endpoint: str | None, config: Path | None) -> AskedModel:
        """The model that the options name, which are checked before a suite is built."""
        from fairness_checklist.extensions.endpoint.endpoint_of_a_run import named_endpoint
        from fairness_checklist.models.load import check_options

        options = {**vars(model), "labels": arguments.read_labels(model.labels)}
        check_options(options)
        name = options.pop("model")
        if endpoint is None:
            return cls(name, options)
        labels = options.pop("labels")  # they are those of the endpoint
        return cls(named_endpoint(endpoint, name, labels, config), options)

    def load(self, task: str) -> Any:
        """Load it for a task."""
        from fairness_checklist.cli.python_models import load_named
        from fairness_checklist.models.load import load_model

        load = load_named if isinstance(self.model, str) else load_model
        return load(self.model, task=task, **self.options)

    def expected_time(self, task: str, texts: Sequence[str]) -> str:
        """A sentence on how long the model takes for all texts, by a sample; no code of the user's is run."""
        from fairness_checklist.cli.python_models import is_python_object
        from fairness_checklist.models.predicting import seconds_for

        by_length = sorted(set(texts), key=len)  # neighbours share batches
        sample = by_length[max(0, len(by_length) - MEASURED) // 2 :][:MEASURED]
        try:
            if is_python_object(self.model):
                raise ModelError("a dry run does not run your code.")
            minutes = seconds_for(self.load(task), sample) * len(texts) / len(sample) / 60
        except InputError as error:
            return f"How long the model takes is not measured: {error.message}"
        amount = f"{max(1, 60 * minutes):.0f} s" if minutes < 2 else f"{minutes:.0f} min"
        return f"The model takes about {amount} on this machine, by {len(sample)} of the texts."


@arguments.with_options
def run(
    context: typer.Context,
    *,
    source: SourceOptions,
    model: ModelOptions,
    endpoint: Annotated[
        str | None,
        option(
            MODEL,
            "Base URL of an OpenAI-compatible API, of which --model names the language model; see [endpoint] of "
            "fairness.toml.",
        ),
    ] = None,
    out: RunOut = None,
    store: Annotated[
        Path | None,
        option(
            OUTPUT,
            "File that keeps predictions for later runs; texts that it has are not scored again. By default "
            "predictions are kept until the output is written.",
        ),
    ] = None,
    content: ContentOptions,
    metrics: MetricOptions,
    config: arguments.Config = None,
    no_control_words: Annotated[
        bool,
        option(
            STATISTICS,
            "Do not compare findings with control words (neutral words such as hobbies).",
            "--no-control-words",
        ),
    ] = False,
    no_text: arguments.NoText = False,
    force: arguments.Force = False,
    dry_run: arguments.DryRun = False,
    no_preview: Annotated[
        bool, option(OUTPUT, "Do not print first what a fifth of the sentences show.", "--no-preview")
    ] = False,
    tables: arguments.Tables = False,
    as_json: arguments.Json = False,
) -> None:
    """Run a model on a suite; write metrics, tests and a report.

    The last lines name what was found of each attribute, the next step and the report.

    Example: fairness-checklist run --attribute gender,names --task sentiment --model MODEL --out runs/x
    """
    from fairness_checklist.api.scoring import control_parts_of, texts_of
    from fairness_checklist.core.atomic import reserved_folder
    from fairness_checklist.core.progress import stage
    from fairness_checklist.extensions.endpoint.endpoint_of_a_run import print_requests
    from fairness_checklist.extensions.stored.store_of_a_run import kept
    from fairness_checklist.tables.run_folder import check_same_suite

    keywords = arguments.metric_keywords(metrics, config)
    asked = AskedModel.chosen(model, endpoint, config_path(config))
    with stage("building the suite"):
        suite = arguments.chosen_suite(context, source, content)
    for part in suite.parts:
        if part.origin:
            typer.echo(f"Templates of {part.attribute}: {part.origin}.", err=True)
    if out is not None:
        check_same_suite(out, {"task": suite.task, "suite": [part.describe() for part in suite.parts]}, force=force)
    if dry_run:
        control_words = not no_control_words and metrics.draws > 0
        more = control_parts_of(suite.parts, metrics.seed).values() if control_words else ()
        texts = list(dict.fromkeys(texts_of([*suite.parts, *more])))
        arguments.print_text_count(suite, texts)
        if not hasattr(asked.model, "prompts"):
            typer.echo(asked.expected_time(suite.task, texts))
        else:  # a language model, whose answers cost
            print_requests(asked.model, suite.task, texts, (store, out), control_words=control_words)
        return
    # A new folder is reserved now: runs that start together take different folders.
    reserved = reserved_folder(Path("runs") / "-".join(suite.attributes))
    with reserved if out is None else nullcontext(out) as folder:
        with stage("loading the model"):
            loaded = asked.load(suite.task)
        with kept(folder, loaded, store, control_words=not no_control_words) as keeping:
            score_preview(suite, loaded, keeping["store"], keywords, shown=not (no_preview or as_json))
            result = suite.run(loaded, **keeping, **keywords)
            if not as_json:  # before any file of the run folder is written
                print_screen(result, tables=tables)
            result.save(folder, text=not no_text, force=force)
    print_place(result, folder, as_json, tables=tables)
    print_failed(result.info.get("failed", []), no_text=no_text)


def score_preview(suite: Suite, model: Any, store: Path, keywords: Mapping[str, Any], *, shown: bool) -> None:
    """Score a fifth of the sentences first, and print to the standard error stream what they show.

    They are scored first in any case: the last digits of a model depend on which texts share a batch.
    """
    from fairness_checklist.reports.render import WIDTH
    from fairness_checklist.reports.screen import first_screen
    from fairness_checklist.suites import preview

    if sum(len(part.examples) for part in suite.parts) < preview.LEAST_TEXTS or not getattr(model, "fingerprint", ""):
        return
    fifth = type(suite)(tuple(map(preview.preview_of, suite.parts)))
    if not shown:
        fifth.predict(model, store=store, control_words=False)
        return
    less = {"metrics": ["fnr_gap"], "primary": None, "checks": (), "draws": 0, "uncertainty": False}
    screen = first_screen(fifth.run(model, **{**keywords, **less}, store=store, control_words=False))
    texts = [attribute.as_text(WIDTH) for attribute in screen.attributes]
    with suppress(BrokenPipeError):
        head = "Provisional, from a fifth of the sentences, without control words; the rest follows."
        typer.echo("\n".join([head, *texts, ""]), err=True)


def print_failed(failed: Sequence[Mapping[str, str]], *, no_text: bool = False) -> None:
    """Print the first texts that the model failed on, with its errors, to the standard error stream."""
    for text in failed[:FAILED_SHOWN]:
        quoted = f"a text of {text['group']}, source {text['source']}" if no_text else f'"{text["text"]}"'
        error = without_quotes(text["error"]) if no_text else text["error"]
        typer.echo(f"No prediction for {quoted}: {error}", err=True)
    if len(failed) > FAILED_SHOWN:
        typer.echo(f"{len(failed) - FAILED_SHOWN:,} more texts have no prediction.", err=True)


@arguments.with_options
def evaluate(
    table: TableIn,
    *,
    out: arguments.Out = None,
    task: arguments.TaskName = default.TASK,
    attribute: Annotated[
        str, option(TESTED, "Name of the attribute, if the table has no column attribute.", "--attribute", "-a")
    ] = default.GROUP_ATTRIBUTE,
    classes: arguments.Classes = None,
    labels: arguments.TableLabels = None,
    group_columns: Annotated[
        list[str] | None,
        option(TESTED, "Columns that hold the groups; for two columns, the pairs are groups as well: sex,age."),
    ] = None,
    min_cell: Annotated[
        int, option(TESTED, "With --group-columns: minimum number of rows of a group.")
    ] = default.MIN_CELL,
    metrics: MetricOptions,
    config: arguments.Config = None,
    no_text: arguments.NoText = False,
    force: arguments.Force = False,
    tables: arguments.Tables = False,
    as_json: arguments.Json = False,
) -> None:
    """Compute metrics and tests from a table of predictions.

    Example: fairness-checklist evaluate predictions.csv --out runs/y
    """
    from fairness_checklist import api
    from fairness_checklist.tables.run_folder import check_replaceable

    if out is not None:
        check_replaceable(out)
    result = api.evaluate(
        table,
        task=task,
        attribute=attribute,
        classes=arguments.split_commas(classes) or (),
        labels=arguments.read_labels(labels),
        group_columns=arguments.split_commas(group_columns) or (),
        min_cell=min_cell,
        **arguments.metric_keywords(metrics, config),
    )
    if not as_json:
        print_screen(result, tables=tables)
    if out is not None:
        result.save(out, text=not no_text, force=force)
    print_place(result, out, as_json, tables=tables)


def report(
    folder: Annotated[Path, typer.Argument(help="Run folder.")],
    tables: arguments.Tables = False,
    model_card: Annotated[
        Path | None,
        option(OUTPUT, "Also write the parts of a model's card that the run gives, Markdown for the Hugging Face Hub."),
    ] = None,
    heatmap: Annotated[Path | None, option(OUTPUT, "Also draw all metrics by group, as a PNG file.")] = None,
    as_json: arguments.Json = False,
) -> None:
    """Print what was found in a run folder, and rewrite its report.

    Example: fairness-checklist report runs/x

    Example, the parts of a model's card: fairness-checklist report runs/x --model-card model_card.md
    """
    from fairness_checklist.api.result import Result
    from fairness_checklist.core.atomic import atomic_file, check_writable

    for path in filter(None, (model_card, heatmap)):
        check_writable(path, folder=False)
    result = Result.load(folder)
    result.to_html(folder / "report.html")
    if heatmap is not None:
        from fairness_checklist.reports.heatmap import save_heat_map

        save_heat_map(result, heatmap)
    if model_card is not None:
        from fairness_checklist.extensions.authoring.model_card import model_card as section

        with atomic_file(model_card) as scratch:
            scratch.write_text(section(result), encoding="utf-8")
    print_result(result, folder, as_json, tables=tables)


def print_result(result: Result, folder: Path | None, json_wanted: bool, *, tables: bool = False) -> None:
    """Print the first screen of a run with the place of its report, or the run as JSON."""
    if not json_wanted:
        print_screen(result, tables=tables)
    print_place(result, folder, json_wanted, tables=tables)


def print_screen(result: Result, *, tables: bool = False) -> None:
    """Print the first screen of a run, with ``tables`` after its tables; on a terminal its statuses have colours."""
    from fairness_checklist.reports.screen import first_screen

    with suppress(BrokenPipeError):  # the run folder is still to be written; what is printed after it fails again
        if tables:
            typer.echo(f"{result.tables()}\n")
        typer.echo(in_colour(first_screen(result).as_text()))


def in_colour(screen: str) -> str:
    """A first screen whose statuses are coloured, which typer prints on terminals only; plain where NO_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return screen
    labels = re.compile(rf"^  ({'|'.join(COLOURS)})\b", flags=re.MULTILINE)
    return labels.sub(lambda label: f"  {typer.style(label[1], fg=COLOURS[label[1]], bold=True)}", screen)


def print_place(result: Result, folder: Path | None, json_wanted: bool, *, tables: bool = False) -> None:
    """Print the place of the report of a run, or the run as JSON."""
    if json_wanted:
        typer.echo(json.dumps(json_of(result, folder), indent=2, ensure_ascii=False))
        return
    if folder is None:
        typer.echo("Report: none is written; add --out FOLDER.")
        return
    typer.echo(f"Report: {folder / 'report.html'}")
    if not tables:
        typer.echo(f"All tables: fairness-checklist report {folder} --tables")


def json_of(result: Result, folder: Path | None) -> dict[str, object]:
    """The output of ``--json`` for a run."""
    from fairness_checklist.reports.screen import first_screen

    words = result.word_findings
    tables = {
        "findings": result.findings,
        "word_findings": words[words["said"] != ""],
        "primary": result.metrics[result.metrics["role"] == "primary"],
        "checks": result.checks,
    }
    return {
        "report": None if folder is None else str(folder / "report.html"),
        "verdict": first_screen(result).as_text(None),
        **{name: json.loads(table.to_json(orient="records")) for name, table in tables.items()},
    }


DEMO = {"sentiment": "gender", "toxicity": "religion", "ner": "names.origin"}
MAX_TERMS = 24  # of a group, at random: enough for findings that hold for all of them


def demo(
    out: Annotated[Path, option(OUTPUT, "Folder of the three run folders.", "--out", "-o")] = Path("runs/demo"),
    as_json: arguments.Json = False,
) -> None:
    """Run the bundled models on suites of their tasks.

    The tasks are sentiment, toxicity and named entities; each writes a run folder.

    Example: fairness-checklist demo
    """
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.extensions.stored.store_of_a_run import kept
    from fairness_checklist.tables.run_folder import check_same_suite

    for task, attribute in DEMO.items():  # of any templates and terms: those of an older version are replaced
        check_same_suite(out / task, {"task": task, "suite": [{"attribute": attribute}]})
    records = []
    for task, attribute in DEMO.items():
        folder = out / task
        folder.parent.mkdir(parents=True, exist_ok=True)
        with kept(folder, "bundled") as keeping:
            result = Suite.build(attribute, task=task, max_terms=MAX_TERMS).run("bundled", **keeping)
            result.save(folder, force=True)
        records.append(json_of(result, folder) | {"task": task})
        if not as_json:
            print_result(result, folder, json_wanted=False)
            typer.echo()
    if as_json:
        typer.echo(json.dumps(records, indent=2, ensure_ascii=False))

"""The options that verbs share: those of the records, of the command line alone; and the conversion of their values."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from fairness_checklist.cli.help_sections import MODEL, OUTPUT, STATISTICS, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.config import config_path, config_table
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import (
    MANY,
    ContentOptions,
    MetricOptions,
    ModelOptions,
    SourceOptions,
    TermOptions,
)

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.run.options import Purpose


def declared(record: type, name: str) -> Any:
    """The option of the command line that a field of a record declares."""
    flag = get_type_hints(record, include_extras=True)[name].__metadata__[0]
    return option(flag.section, flag.help, *flag.names)


Attributes = Annotated[list[str] | None, declared(SourceOptions, "attribute")]
TaskName = Annotated[str, declared(SourceOptions, "task")]
SavedSuite = Annotated[Path | None, declared(SourceOptions, "suite")]
Language = Annotated[str, declared(SourceOptions, "language")]
MaxTerms = Annotated[int | None, declared(TermOptions, "max_terms")]
Draws = Annotated[int, option(STATISTICS, "Random draws of intervals and tests.")]
Lists = Annotated[Path | None, declared(ContentOptions, "lists")]
ModelLabels = Annotated[list[str] | None, declared(ModelOptions, "labels")]
TableLabels = Annotated[
    list[str] | None,
    option(
        MODEL,
        "Mapping from the labels of the table to classes, 1=positive,0=negative; of a tagger from its entity "
        f"types, GPE=LOC. {MANY}",
    ),
]
NoText = Annotated[bool, option(OUTPUT, "Write hashes in place of the texts.", "--no-text")]
Force = Annotated[
    bool, option(OUTPUT, "Replace what this verb wrote there before; of runs also that of another suite.", "--force")
]
DryRun = Annotated[
    bool,
    option(OUTPUT, "Check the options, print the number of texts and about how long they take, and exit.", "--dry-run"),
]
Json = Annotated[bool, option(OUTPUT, "Print JSON.", "--json")]
Out = Annotated[Path | None, option(OUTPUT, "Folder to write: tables (.csv) and the answer (.json).", "--out", "-o")]
Tables = Annotated[bool, option(OUTPUT, "Print the tables as well.", "--tables")]
Config = Annotated[
    Path | None,
    option(STATISTICS, "TOML file of settings, see docs/files.md; by default fairness.toml in the current folder."),
]
TwoGroups = Annotated[
    list[str] | None,
    option(TESTED, "Two groups, F,M: figures are the first less the second; by default the first two."),
]
Classes = Annotated[list[str] | None, option(TESTED, "Classes in order; by default as they appear.")]


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose records of options are replaced by their fields, one parameter each, as typer reads them.

    A record with a table in ``fairness.toml`` takes from there what is not given on the command line.
    """
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return", None)
    records = {name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)}
    named = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("context", named, default=None, annotation=typer.Context)]
    for name, parameter in inspect.signature(command).parameters.items():
        if name in records:
            parameters += _parameters(records[name])
        elif name != "context":
            parameters.append(parameter.replace(annotation=hints[name], kind=named))
    signature = inspect.Signature(parameters)

    @functools.wraps(command)
    def flat(**options: Any) -> None:
        bound = signature.bind(**options)
        bound.apply_defaults()
        options = bound.arguments
        context = options.pop("context")
        path = None if context is None else config_path(options.get("config"))
        for name, kind in records.items():
            typed = {field.name: options.pop(field.name) for field in fields(kind) if field.name in options}
            written = _written(path, kind)
            options[name] = kind(**typed | {key: written[key] for key in written if not _is_typed(context, key)})
        if "context" in hints:
            options["context"] = context
        command(**options)

    flat.__signature__ = signature  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def _parameters(record: type) -> list[inspect.Parameter]:
    """The options of a record that the command line has."""
    parameters = []
    for field in fields(record):
        annotation = get_type_hints(record, include_extras=True)[field.name]
        how = getattr(annotation, "__metadata__", (None,))[0]
        if isinstance(how, default.Flag):
            annotation = Annotated[annotation.__origin__, option(how.section, how.help, *how.names)]
        elif how is None:
            continue
        parameters.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=annotation)
        )
    return parameters


def _written(path: Path | None, record: Any) -> dict[str, Any]:
    """What ``fairness.toml`` says about the options of a record."""
    if not hasattr(record, "TABLE"):
        return {}
    kinds = get_type_hints(record)
    table = config_table(path, record.TABLE, [field.name for field in fields(record)])
    for key, value in table.items():
        if kinds[key] == list[str] | None and not isinstance(value, dict):
            table[key] = list(default.items(key, value, (str,), "strings"))
        elif kinds[key] == Path | None:
            table[key] = Path(default.path(key, value))
    return table


def _is_typed(context: typer.Context, name: str) -> bool:
    """Whether the user wrote an option on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def term_keywords(chosen: TermOptions) -> dict[str, Any]:
    """The options as keywords of `Suite.build` and `Suite.from_texts`."""
    return {
        "groups": split_commas(chosen.groups),
        "terms": names_and_files(chosen.terms),
        "include_terms": split_commas(chosen.include_terms) or (),
        "max_terms": chosen.max_terms,
    }


def metric_keywords(chosen: MetricOptions, config: Path | None) -> dict[str, Any]:
    """The options as keywords of `Suite.run` and `evaluate`, checked before a model is loaded."""
    from fairness_checklist.checks.invariance_and_mft import Invariance, MinimumFunctionality
    from fairness_checklist.core.thresholds import read_threshold
    from fairness_checklist.metrics.metric_forms import Options
    from fairness_checklist.run.options import RunOptions

    values = dict(vars(chosen))
    options = Options(**{field.name: values.pop(field.name) for field in fields(Options) if field.name in values})
    threshold_on = values.pop("threshold_on")
    values |= {name: split_commas(values[name]) for name in ("metrics", "primary")}
    values["harm"] = split_commas(chosen.harm) or declared_purpose(config)
    if isinstance(chosen.threshold, str):
        values["threshold"] = read_threshold(chosen.threshold)
    values["checks"] = (Invariance(values.pop("tolerance")), MinimumFunctionality())
    return {**vars(RunOptions(options=options, **values)), "threshold_on": threshold_on}


def declared_purpose(config: Path | None) -> Purpose | None:
    """The purpose that the named file, or ``fairness.toml`` of the current folder, declares."""
    from fairness_checklist.run.options import read_purpose

    path = config_path(config)
    return None if path is None else read_purpose(path)


def split_commas(values: Sequence[str] | None) -> list[str] | None:
    """The values of an option that is repeated, or whose values have commas between them, in NFC; None without any."""
    if not values:
        return None
    return [default.nfc(name.strip()) for value in values for name in value.split(",") if name.strip()]


def read_labels(values: Sequence[str] | Mapping[str, str] | None) -> dict[str, str] | None:
    """The mapping of ``--labels``, or of the table ``labels`` of ``fairness.toml``; None without either."""
    if isinstance(values, Mapping):
        return dict(values)
    pairs = split_commas(values)
    if pairs is None:
        return None
    for pair in pairs:
        if "=" not in pair:
            raise OptionError(f"--labels {pair} is not a pair.", remedy="Write LABEL_0=negative,LABEL_1=positive.")
    return {pair.partition("=")[0].strip(): pair.partition("=")[2].strip() for pair in pairs}


def names_and_files(values: Sequence[str] | None) -> list[str] | None:
    """The names and paths (./NAME, NAME.csv) of an option; an existing path may contain a comma. None without any."""
    from fairness_checklist.core.locations import is_path

    entries: list[str] = []
    for value in values or ():
        entries += [value] if is_path(value) and Path(value).exists() else split_commas([value]) or []
    return entries or None


def build_suite(source: SourceOptions, content: ContentOptions) -> Suite:
    """Build the suite that the options describe."""
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.content.fills import read_lists

    names = split_commas(source.attribute)
    if not names:
        raise OptionError(
            "no attribute is named.", remedy="Name one: --attribute gender. See: fairness-checklist list."
        )
    chosen = {**term_keywords(content), "task": source.task, "sample_seed": content.sample_seed}
    if content.terms_per_lexeme is not None:
        chosen["terms_per_lexeme"] = content.terms_per_lexeme
    if source.texts is not None:
        selecting = [f"--{name}" for name in ("templates", "lists") if getattr(content, name) is not None]
        selecting += ["--language"] if source.language != default.LANGUAGE else []
        if selecting:
            raise OptionError(
                f"{selecting[0]} selects templates, and --texts replaces them.", remedy=f"Leave out {selecting[0]}."
            )
        return Suite.from_texts(source.texts, names, **chosen)
    with warnings.catch_warnings(record=True) as doubts:  # terms without a part of speech
        warnings.simplefilter("always", UserWarning)
        suite = Suite.build(
            names,
            templates=names_and_files(content.templates),
            lists=read_lists(content.lists) if content.lists else None,
            max_sources=content.max_sources,
            profanity=content.profanity,
            language=source.language,
            **chosen,
        )
    for doubt in doubts:
        typer.echo(f"Warning: {doubt.message}", err=True)
    return suite


def chosen_suite(context: typer.Context, source: SourceOptions, content: ContentOptions) -> Suite:
    """The suite of `run`: a saved one, or one that is built."""
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.core.tasks import get_task

    if source.suite is None:
        return build_suite(source, content)
    building = ("attribute", "texts", "language", *(field.name for field in fields(content)))
    typed = [f"--{name.replace('_', '-')}" for name in building if _is_typed(context, name)]
    if typed:
        raise OptionError(
            f"{', '.join(typed)} {'belong' if len(typed) > 1 else 'belongs'} to a suite that is built, and --suite "
            "names a saved one.",
            remedy="Leave out one of the two.",
        )
    task = get_task(source.task).name
    suite = Suite.load(source.suite)
    if _is_typed(context, "task") and task != suite.task:
        raise OptionError(
            f"--task {task} differs from the task of the suite {source.suite}: {suite.task}.",
            remedy=f"Leave out --task; or build a suite for it: fairness-checklist build --task {task}.",
        )
    return suite


def print_text_count(built: Suite, asked: Sequence[str] = ()) -> None:
    """Print the number of texts of a suite; ``asked`` are all different ones, with those of control words."""
    texts = built.texts()
    controls = [text for part in built.parts for control in part.controls for text in control.examples.render()]
    more = f" and {len(controls):,} controls" if controls else ""
    different = len({*texts, *controls})
    words = f" With control words the model is asked about {len(asked):,}." if len(asked) > different else ""
    typer.echo(f"{len(texts):,} texts{more}, {different:,} of them different.{words}")

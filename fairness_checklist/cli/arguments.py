"""The options that several verbs share, as records; and the conversion of their values."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from fairness_checklist.cli.help_sections import DATA, MODEL, OUTPUT, STATISTICS, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.extensions import extended

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite

MANY = "Separate several with commas, or repeat the option."

Attributes = Annotated[
    list[str] | None,
    option(TESTED, f"Sensitive attribute, for instance gender; see `list`. {MANY}", "--attribute", "-a"),
]
TaskName = Annotated[str, option(TESTED, "Task of the model: sentiment, toxicity or ner.")]
SavedSuite = Annotated[
    Path | None, option(TESTED, "Folder of a suite that `build --out` wrote, in place of --attribute and --task.")
]
Lists = Annotated[
    Path | None, option(TESTED, "Folder with values for user-defined slots: NAME.txt or NAME.csv, one value per line.")
]
Language = Annotated[str, option(TESTED, "Language of templates and terms: en or es.")]
ModelLabels = Annotated[
    list[str] | None,
    option(
        MODEL,
        "Mapping from the model's labels to the classes of the task, LABEL_0=negative,LABEL_1=positive; of a "
        f"tagger from its entity types, GPE=LOC. {MANY}",
    ),
]
EscapeFormulas = Annotated[
    bool,
    option(
        OUTPUT,
        "Put an apostrophe in front of CSV cells that begin with =, +, - or @, so that no spreadsheet program "
        "evaluates them.",
        "--escape-formulas",
    ),
]
NoText = Annotated[bool, option(OUTPUT, "Write hashes in place of the texts.", "--no-text")]
Force = Annotated[
    bool, option(OUTPUT, "Replace what this verb wrote there before; of runs also that of another suite.", "--force")
]
DryRun = Annotated[bool, option(OUTPUT, "Check the options, print the number of texts, and exit.", "--dry-run")]
Json = Annotated[bool, option(OUTPUT, "Print JSON.", "--json")]
Out = Annotated[
    Path | None,
    option(OUTPUT, "Folder to write: tables (.csv), the answer (.json), and of most verbs a page.", "--out", "-o"),
]
Tables = Annotated[bool, option(OUTPUT, "Print the tables as well.", "--tables")]
Seed = Annotated[int, option(STATISTICS, "Seed of all random draws.")]
Draws = Annotated[int, option(STATISTICS, "Random draws of intervals and tests.")]
Groups = Annotated[list[str] | None, option(TESTED, f"Use only these groups. {MANY}")]
TwoGroups = Annotated[
    list[str] | None,
    option(TESTED, "Two groups, F,M: figures are the first less the second; by default the first two."),
]
MaxTerms = Annotated[int | None, option(TESTED, "Maximum number of terms per group, drawn at random.")]
Metrics = Annotated[
    list[str] | None, option(STATISTICS, f"Compute only these metrics, see `list metrics`; all for every one. {MANY}")
]
Classes = Annotated[list[str] | None, option(TESTED, "Classes in order; by default as they appear.")]
TableLabels = Annotated[
    list[str] | None,
    option(
        MODEL,
        "Mapping from the labels of the table to classes, 1=positive,0=negative; of a tagger from its entity "
        f"types, GPE=LOC. {MANY}",
    ),
]
Dataset = Annotated[str, option(TESTED, "In place of a table: a published data set, such as winobias.")]
DatasetPath = Annotated[Path | None, option(TESTED, "Your copy of the data set, as published.")]
Device = Annotated[
    str | None,
    option(
        MODEL,
        "Device that the model runs on: cpu, cuda, ...; by default the CPU. Several, cuda:0,cuda:1, get a worker "
        "each where a suite is run.",
    ),
]
BatchWorkers = Annotated[int, option(DATA, "Processes that work on the batches of a table; the result is the same.")]
BatchEngine = Annotated[str, option(DATA, "local for processes of this machine; ray for those of a Ray cluster.")]


@dataclass(frozen=True, eq=False)
class TermOptions:
    """Which groups and terms of an attribute are used."""

    groups: Groups = None
    terms: Annotated[
        list[str] | None,
        option(
            TESTED,
            f"Use only these terms; or a folder (./NAME) or CSV file with terms to add to the shipped ones. {MANY}",
        ),
    ] = None
    include_terms: Annotated[list[str] | None, option(TESTED, f"Dispreferred terms to include. {MANY}")] = None
    max_terms: MaxTerms = None
    sample_seed: Annotated[int, option(TESTED, "Seed of the random sample of terms that --max-terms draws.")] = (
        default.SEED
    )

    def keywords(self) -> dict[str, Any]:
        """The options as keywords of `Suite.build` and `Suite.from_texts`."""
        return {
            "groups": split_commas(self.groups),
            "terms": names_or_files(self.terms),
            "include_terms": split_commas(self.include_terms) or (),
            "max_terms": self.max_terms,
            "sample_seed": self.sample_seed,
        }


@dataclass(frozen=True, eq=False)
class ContentOptions(TermOptions):
    """Which terms and templates a suite is built from."""

    templates: Annotated[
        list[str] | None,
        option(
            TESTED,
            "Use only these templates (ids, sets, or patterns with *); or a folder (./NAME) or CSV file with "
            f"templates to add to the shipped ones; of both, only these of all templates. {MANY}",
        ),
    ] = None
    lists: Lists = None
    no_profanity: Annotated[
        bool, option(TESTED, "Leave out the templates that hold profane words.", "--no-profanity")
    ] = False
    max_sources: Annotated[int, option(TESTED, "Maximum number of sources of one attribute.")] = default.MAX_SOURCES

    def given(self) -> list[str]:
        """The options that have a value, as they are written on the command line."""
        given = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        return [f"--{name.replace('_', '-')}" for name in given]


@dataclass(frozen=True, eq=False)
class SourceOptions:
    """Where the texts of a run come from."""

    attribute: Attributes = None
    task: TaskName = default.TASK
    suite: SavedSuite = None
    texts: Annotated[
        Path | None,
        option(
            TESTED,
            "Table of texts (.csv, .parquet, .jsonl; column text) to use in place of templates.",
        ),
    ] = None
    language: Language = default.LANGUAGE


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose records of options are replaced by their fields, one parameter each, as typer reads them.

    Extensions may add fields to a record, see `extended`.

    >>> def command(terms: TermOptions, show: int = 3) -> None:
    ...     print(terms.max_terms, show)
    >>> list(inspect.signature(with_options(command)).parameters)
    ['groups', 'terms', 'include_terms', 'max_terms', 'sample_seed', 'show']
    >>> with_options(command)(groups=None, terms=None, include_terms=None, max_terms=2, sample_seed=0, show=1)
    2 1
    """
    records: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if is_dataclass(kind) and isinstance(kind, type):
            records[name] = kind = extended(kind)
            annotations = get_type_hints(kind, include_extras=True)
            parameters += [
                parameter.replace(name=field.name, default=field.default, annotation=annotations[field.name])
                for field in fields(kind)
            ]
        else:
            parameters.append(parameter.replace(annotation=kind))

    flat_signature = inspect.Signature([flag.replace(kind=inspect.Parameter.KEYWORD_ONLY) for flag in parameters])

    @functools.wraps(command)
    def flat(**options: Any) -> None:
        bound = flat_signature.bind(**options)
        bound.apply_defaults()
        given, built = bound.arguments, {}
        for name, kind in records.items():
            built[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**built, **given)

    flat.__signature__ = flat_signature  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def task_if_given(context: typer.Context, task: str) -> str | None:
    """The task, if the user wrote it; None where it is the default."""
    source = context.get_parameter_source("task")
    return None if source is None or source.name == "DEFAULT" else task


def split_commas(values: Sequence[str] | None) -> list[str] | None:
    """The values of an option that is repeated, or whose values are separated by commas, in NFC; None without values.

    >>> split_commas(["gender, names", "placebo"])
    ['gender', 'names', 'placebo']
    """
    if not values:
        return None
    return [default.nfc(part.strip()) for value in values for part in value.split(",") if part.strip()]


def read_labels(values: Sequence[str] | None) -> dict[str, str] | None:
    """The mapping of ``--labels``; None without the option.

    >>> read_labels(["LABEL_0=negative,LABEL_1=positive"])
    {'LABEL_0': 'negative', 'LABEL_1': 'positive'}
    """
    pairs = split_commas(values)
    if pairs is None:
        return None
    for pair in pairs:
        if "=" not in pair:
            raise OptionError(f"--labels {pair} is not a pair.", remedy="Write LABEL_0=negative,LABEL_1=positive.")
    return {pair.partition("=")[0].strip(): pair.partition("=")[2].strip() for pair in pairs}


def names_or_files(values: Sequence[str] | None, *, both: bool = False) -> Any:
    """The values of an option as names, or as paths (./NAME, NAME.csv); an existing path may contain a comma.

    With ``both``, names may be given with paths.
    """
    from fairness_checklist.core.locations import is_path

    entries: list[str] = []
    for value in values or ():
        entries += [value] if is_path(value) and Path(value).exists() else split_commas([value]) or []
    paths = [entry for entry in entries if is_path(entry)]
    names = [entry for entry in entries if not is_path(entry)]
    if paths and names and both:
        return [*map(Path, paths), *names]
    if paths and names:
        raise OptionError(
            f"{', '.join(entries)} mixes names ({', '.join(names)}) and paths ({', '.join(paths)}).",
            remedy="Give either names to keep or files and folders to add; write ./NAME for a folder.",
        )
    return [Path(path) for path in paths] if paths else (entries or None)


def check_table(path: Path) -> None:
    """Raise `TableError` unless the file name has the ending of a table.

    >>> check_table(Path("predictions.csv"))
    """
    if path.suffix.lower() not in (".csv", ".parquet", ".jsonl"):
        raise TableError(
            f"the ending {path.suffix!r} is not that of a table.",
            place=path.name,
            remedy="Tables are .csv or .parquet; for a tagger .jsonl or .parquet.",
        )


def build_suite(
    attribute: Sequence[str] | None, content: ContentOptions, *, task: str, language: str, texts: Path | None = None
) -> Suite:
    """Build the suite that the options describe."""
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.content.fills import read_lists

    names = split_commas(attribute)
    if not names:
        raise OptionError(
            "no attribute is named.", remedy="Name one: --attribute gender. See: fairness-checklist list."
        )
    chosen = {**content.keywords(), "task": task}
    if texts is None:
        with warnings.catch_warnings(record=True) as doubts:  # terms without a part of speech
            warnings.simplefilter("always", UserWarning)
            suite = Suite.build(
                names,
                templates=names_or_files(content.templates, both=True),
                lists=read_lists(content.lists) if content.lists else None,
                max_sources=content.max_sources,
                profanity=not content.no_profanity,
                language=language,
                **chosen,
            )
        for doubt in doubts:
            typer.echo(f"Warning: {doubt.message}", err=True)
        return suite
    others = [name for name in content.given() if name in ("--templates", "--lists", "--no-profanity")]
    others += ["--language"] if language != default.LANGUAGE else []
    if others:
        raise OptionError(
            f"{others[0]} selects templates, and --texts replaces them.", remedy=f"Leave out {others[0]}."
        )
    return Suite.from_texts(texts, names, **chosen)


def load_suite(folder: Path, attribute: Sequence[str] | None, content: ContentOptions, task: str | None) -> Suite:
    """Load a saved suite."""
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.core.tasks import get_task

    given = [*(["--attribute"] if attribute else []), *content.given()]
    if given:
        raise OptionError(
            f"{', '.join(given)} {'belong' if len(given) > 1 else 'belongs'} to a suite that is built, and --suite "
            "names a saved one.",
            remedy="Leave out one of the two.",
        )
    if task is not None:
        get_task(task)
    suite = Suite.load(folder)
    if task not in (None, suite.task):
        raise OptionError(
            f"--task {task} differs from the task of the suite {folder}: {suite.task}.",
            remedy=f"Leave out --task; or build a suite for it: fairness-checklist build --task {task}.",
        )
    return suite


def chosen_suite(context: typer.Context, source: SourceOptions, content: ContentOptions) -> Suite:
    """The suite of `run`: a saved one, or one that is built."""
    if source.suite is None:
        return build_suite(source.attribute, content, task=source.task, language=source.language, texts=source.texts)
    for name, is_given in {"--texts": source.texts, "--language": source.language != default.LANGUAGE}.items():
        if is_given:
            raise OptionError(
                f"{name} belongs to a suite that is built, and --suite names a saved one.",
                remedy="Leave out one of the two.",
            )
    return load_suite(source.suite, source.attribute, content, task_if_given(context, source.task))


def print_text_count(built: Suite) -> None:
    """Print the number of texts that a model would get."""
    texts = built.texts()
    controls = [text for part in built.parts for control in part.controls for text in control.examples.render()]
    more = f" and {len(controls):,} controls" if controls else ""
    typer.echo(f"{len(texts):,} texts{more}, {len({*texts, *controls}):,} of them different.")

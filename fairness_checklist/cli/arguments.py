"""Options that several verbs share, and how their values are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.core.parameters import LANGUAGE, MAX_SOURCES

if TYPE_CHECKING:
    from fairness_checklist.api.result import Result
    from fairness_checklist.api.suite import Suite


_MANY = "Several: commas, or the option repeated."

Attributes = Annotated[list[str], typer.Option("--attribute", "-a", help=f"Sensitive attribute, see `list`. {_MANY}")]
TaskName = Annotated[str, typer.Option("--task", help="What the model does: sentiment, toxicity or ner.")]
Groups = Annotated[list[str] | None, typer.Option("--groups", help=f"Keep these groups. {_MANY}")]
Terms = Annotated[
    list[str] | None,
    typer.Option("--terms", help=f"Keep these terms; or a folder (./NAME) or CSV file that adds to ours. {_MANY}"),
]
Templates = Annotated[
    list[str] | None,
    typer.Option(
        "--templates",
        help=f"Keep these templates (ids, sets, patterns with *); or a folder (./NAME) or CSV file with more. {_MANY}",
    ),
]
IncludeTerms = Annotated[
    list[str] | None, typer.Option("--include-terms", help=f"Dispreferred terms to add, by name. {_MANY}")
]
MaxTerms = Annotated[int | None, typer.Option("--max-terms", help="Maximum number of terms per group.")]
TermSet = Annotated[str, typer.Option("--term-set", help="A named set of terms, such as czarnowska2021.")]
Lists = Annotated[
    Path | None,
    typer.Option("--lists", help="A folder of values for slots of your own: NAME.txt or NAME.csv, one value per line."),
]
MaxSources = Annotated[
    int, typer.Option("--max-sources", help="The most sources that the templates and lists of one attribute may make.")
]
Language = Annotated[str, typer.Option("--language", help="Of templates and terms: en or es.")]
TextsIn = Annotated[
    Path | None, typer.Option("--texts", help="Texts of yours (.csv, .parquet) in place of templates: column text.")
]
SavedSuite = Annotated[
    Path | None, typer.Option("--suite", help="A folder that `build --out` wrote, in place of --attribute.")
]
Model = Annotated[
    str,
    typer.Option(
        "--model", "-m", help="A model's folder or hub id; bundled/sentiment-3, -2, toxicity and ner come with us."
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--labels", help=f"The model's labels: LABEL_0=negative,LABEL_1=positive; GPE=LOC. {_MANY}"),
]
MaxLength = Annotated[int | None, typer.Option("--max-length", help="The most tokens of a text.")]
BatchTokens = Annotated[int, typer.Option("--batch-tokens", help="The most padded tokens of a batch.")]
Dtype = Annotated[str, typer.Option("--dtype", help="float32; reduced precision moves results, and is stamped.")]
Device = Annotated[str | None, typer.Option("--device", help="Where the model runs: cpu, cuda, ...")]
Revision = Annotated[str | None, typer.Option("--revision", help="Branch, tag or commit of a hub id.")]
Metrics = Annotated[list[str] | None, typer.Option("--metrics", help=f"Only these metrics, see `list`. {_MANY}")]
Primary = Annotated[list[str] | None, typer.Option("--primary", help=f"Up to four that carry the verdict. {_MANY}")]
Threshold = Annotated[
    str | None,
    typer.Option(
        "--threshold", help="Decides in place of the most probable class: 0.7, eer, or toxic=0.7,nontoxic=0.3."
    ),
]
ThresholdOn = Annotated[
    Path | None, typer.Option("--threshold-on", help="For eer: a table with label and text, or label and p:<class>.")
]
Tolerance = Annotated[
    float, typer.Option("--tolerance", help="Invariance: how far a probability may move where the decision changes.")
]
Where = Annotated[str, typer.Option("--where", help="Of a tagger's sentences only the term (slot), or the context.")]
By = Annotated[str, typer.Option("--by", help="term: each identity term is a group of its own.")]
Scheme = Annotated[
    str, typer.Option("--scheme", help="A tagger's tag scheme, where it is not recognised: BIO, BILOU, ...")
]
Denominator = Annotated[
    str, typer.Option("--denominator", help="true_class, or all_sources as in the released code of the core paper.")
]
Weight = Annotated[
    str, typer.Option("--weight", help="source; groupings as in that code; group: backgrounds balanced over groups.")
]
Matching = Annotated[
    str, typer.Option("--matching", help="concept: inside a source only terms of one concept, such as girl and boy.")
]
MaxGroupings = Annotated[
    int | None, typer.Option("--max-groupings", help="Draw so many rows of the product instead of the exact mean.")
]
Draws = Annotated[
    int, typer.Option("--draws", help="Random assignments of terms to groups, for levels of chance and p; 0 for none.")
]
Adjust = Annotated[
    str, typer.Option("--adjust", help="p of what is not primary, together: benjamini-hochberg or holm.")
]
Seed = Annotated[int, typer.Option("--seed", help="Of whatever is drawn.")]
Unlabelled = Annotated[str, typer.Option("--unlabelled", help="keep, or drop texts without a usable label.")]
Undefined = Annotated[str, typer.Option("--undefined", help="report, or raise on an undefined value.")]
GroupColumns = Annotated[
    list[str] | None,
    typer.Option("--group-columns", help="Columns whose values are the groups; of two the pairs as well: sex,age."),
]
MinCell = Annotated[int, typer.Option("--min-cell", help="Of --group-columns: the fewest rows of a group.")]
EscapeFormulas = Annotated[
    bool,
    typer.Option("--escape-formulas", help="Cells of CSV files that a spreadsheet would compute get a ' in front."),
]
NoText = Annotated[bool, typer.Option("--no-text", help="Keep only hashes of the texts.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the number of texts and stop.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


def split(values: Sequence[str] | None) -> list[str] | None:
    """Commas and repeated options alike: ["a,b", "c"] -> ["a", "b", "c"]; None stays None.

    >>> split(["gender, names", "placebo"])
    ['gender', 'names', 'placebo']
    """
    if not values:
        return None
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def read_labels(values: Sequence[str] | None) -> dict[str, str] | None:
    """["LABEL_0=negative,LABEL_1=positive"] -> a mapping.

    >>> read_labels(["LABEL_0=negative,LABEL_1=positive"])
    {'LABEL_0': 'negative', 'LABEL_1': 'positive'}
    """
    from fairness_checklist.core.errors import OptionError

    pairs = split(values)
    if pairs is None:
        return None
    for pair in pairs:
        if "=" not in pair:
            raise OptionError(f"--labels {pair} is not a pair.", remedy="Write LABEL_0=negative,LABEL_1=positive.")
    return {pair.partition("=")[0].strip(): pair.partition("=")[2].strip() for pair in pairs}


def names_or_files(values: Sequence[str] | None) -> Any:
    """Names or paths, by how they are written; a path that exists stays whole (it may hold a comma).

    Raises:
        OptionError: names and paths together.
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.core.locations import is_path

    whole = [is_path(value) and Path(value).exists() for value in values or ()]
    entries = [
        part
        for value, kept in zip(values or (), whole, strict=True)
        for part in ([value] if kept else split([value]) or ())
    ]
    paths = [entry for entry in entries if is_path(entry)]
    names = [entry for entry in entries if not is_path(entry)]
    if paths and names:
        raise OptionError(
            f"{', '.join(entries)} mixes names ({', '.join(names)}) and paths ({', '.join(paths)}).",
            remedy="Give either names to keep or files and folders to add; write ./NAME for a folder.",
        )
    return [Path(path) for path in paths] if paths else (entries or None)


def check_table(path: Path) -> None:
    """Raise `TableError` before any work where a table cannot be written under that name.

    >>> check_table(Path("predictions.csv"))
    """
    from fairness_checklist.core.errors import TableError

    if path.suffix.lower() not in (".csv", ".parquet", ".jsonl"):
        raise TableError(
            f"the ending {path.suffix!r} is not that of a table.",
            place=path.name,
            remedy="Tables are .csv or .parquet, of a tagger .jsonl or .parquet.",
        )


@contextmanager
def prediction_store_at(out: Path) -> Iterator[Path]:
    """A file for predictions as they come, beside what will be written and gone once that is there.

    Of a run that dies it stays, so that the same command goes on from there; wrong input leaves none behind. Another
    process that writes to the same place at the same time is refused.
    """
    from fairness_checklist.core.errors import InputError
    from fairness_checklist.models.store import sole_writer

    store = out.parent / f".{out.name}.predictions.sqlite"
    with sole_writer(out):
        is_new = not store.exists()
        try:
            yield store
        except InputError:
            if is_new:
                store.unlink(missing_ok=True)
            raise
        store.unlink(missing_ok=True)


def suite_from_options(attribute: Sequence[str] | None, saved: Path | None, **chosen: Any) -> Suite:
    """The suite that the options name: built, or read from a folder."""
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.content.fills import read_lists
    from fairness_checklist.core.errors import OptionError

    if saved is not None:
        defaults = {"language": LANGUAGE, "max_sources": MAX_SOURCES}
        if attribute or any(
            value for name, value in chosen.items() if name != "task" and (name, value) not in defaults.items()
        ):
            raise OptionError(
                "--suite is a suite already: --attribute, --groups, --terms and the like belong to build."
            )
        return Suite.load(saved)
    names = split(attribute)
    if not names:
        raise OptionError(
            "no attribute is named.", remedy="Name one: --attribute gender. See: fairness-checklist list."
        )
    chosen["terms"], chosen["templates"] = names_or_files(chosen["terms"]), names_or_files(chosen["templates"])
    chosen["groups"], chosen["include_terms"] = split(chosen["groups"]), split(chosen["include_terms"]) or ()
    texts = chosen.pop("texts", None)
    if texts is not None:
        others = [name for name in ("templates", "term_set", "lists") if chosen.pop(name)]
        defaults = {"language": LANGUAGE, "max_sources": MAX_SOURCES}
        others += [name for name, default in defaults.items() if chosen.pop(name, default) != default]
        if others:
            what = f"--{others[0].replace('_', '-')}"
            raise OptionError(f"--texts are in place of templates, and {what} is about templates.")
        return Suite.from_texts(texts, names, **chosen)
    chosen["lists"] = read_lists(chosen["lists"]) if chosen["lists"] else None
    return Suite.build(names, **chosen)


def run_keywords(*, tolerance: float, threshold: str | None, **given: Any) -> dict[str, Any]:
    """The choices of a run as keywords of `Suite.run` and `evaluate`, checked before a model is loaded.

    Args:
        tolerance: of the test of invariance.
        threshold: as it is written on the command line.
        given: other options by name: those of `RunOptions`, and those of `metrics.Options`.

    Raises:
        OptionError: a value that is not valid.
    """
    from fairness_checklist.checks.functionality import MinimumFunctionality
    from fairness_checklist.checks.invariance import Invariance
    from fairness_checklist.core.thresholds import read_threshold
    from fairness_checklist.metrics.metric import Options
    from fairness_checklist.run.options import RunOptions

    of_metrics = {one.name: given.pop(one.name) for one in fields(Options) if one.name in given}
    for name in ("metrics", "primary"):
        given[name] = split(given[name])
    return RunOptions(
        checks=(Invariance(tolerance), MinimumFunctionality()),
        options=Options(**of_metrics),
        threshold=read_threshold(threshold) if threshold else None,
        **given,
    ).keywords()


@contextmanager
def run_folder(out: Path | None, attributes: Sequence[str]) -> Iterator[Path]:
    """The folder of a run: that of --out, else one of ``runs`` that is reserved before any work, so that two runs that
    start together take two folders, and no other model's run is replaced.

    Raises:
        InputError: the folder cannot be made, or holds something else than a run.
    """
    from fairness_checklist.core.atomic import reserved_folder
    from fairness_checklist.tables.run_folder import check_replaceable

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

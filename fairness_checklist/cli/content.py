"""Cards: of a suite, what it is made of and where it comes from; of a metric, what it asks."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.core import parameters as default

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api.suite import Suite


class CardSubject(StrEnum):
    """What has a card."""

    suite = "suite"
    metric = "metric"


def card(
    what: Annotated[CardSubject, typer.Argument(help="What the card is of.")],
    name: Annotated[str, typer.Argument(help="Of a metric: its id.", show_default=False)] = "",
    attribute: arguments.Attributes = [],  # noqa: B006  # typer reads the default, nobody changes it
    task: Annotated[str, typer.Option("--task", help="Only this task; every one by default.")] = "",
    suite: arguments.SavedSuite = None,
    groups: arguments.Groups = None,
    terms: arguments.Terms = None,
    templates: arguments.Templates = None,
    include_terms: arguments.IncludeTerms = None,
    max_terms: arguments.MaxTerms = None,
    term_set: arguments.TermSet = "",
    lists: arguments.Lists = None,
    language: Annotated[
        str, typer.Option("--language", help="en or es; of everything that ships both by default.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the card to this .md, with --json to this .json.")
    ] = None,
    as_json: arguments.Json = False,
) -> None:
    """The card of a suite: counts, provenance, review and known gaps; without --attribute of all that ships.

    Example: fairness-checklist card suite --attribute gender --out gender.md

    The card of a metric: fairness-checklist card metric fped
    """
    from fairness_checklist.core.errors import OptionError

    chosen = {
        "groups": groups,
        "terms": terms,
        "templates": templates,
        "include_terms": include_terms,
        "max_terms": max_terms,
        "term_set": term_set,
        "lists": lists,
    }
    if what is CardSubject.metric:
        if not name:
            raise OptionError("no metric is named.", remedy="Name one: fairness-checklist card metric fped.")
        print_card("metrics", name, as_json)
        return
    if name:
        raise OptionError(
            f"card suite takes no name, and {name!r} is one.", remedy=f"Write it as an option: --attribute {name}."
        )
    _check_ending(out, as_json)
    _print_card(_suite_card(arguments.split(attribute), suite, task, language, chosen), out, as_json)


def _check_ending(out: Path | None, as_json: bool) -> None:
    from fairness_checklist.core.atomic import check_writable
    from fairness_checklist.core.errors import OptionError

    ending = ".json" if as_json else ".md"
    if out is not None and out.suffix.lower() != ending:
        raise OptionError(
            f"{out.name} does not end with {ending}.", remedy="A card is Markdown (.md), or with --json JSON (.json)."
        )
    if out is not None:
        check_writable(out, folder=False)


def _suite_card(
    names: list[str] | None, saved: Path | None, task: str, language: str, chosen: dict[str, Any]
) -> dict[str, Any]:
    """The card of the suite that the options name, or of all that ships where they name none."""
    from fairness_checklist.content.grammar.languages import DEFAULT, get
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.core.tasks import get_task
    from fairness_checklist.suites.card import shipped_card, suite_card

    if task:
        get_task(task)
    if language:
        get(language)
    if saved is not None:
        if task:
            raise OptionError("--suite is a suite already: its task is that of build.", remedy="Leave out --task.")
        return suite_card(arguments.suite_from_options(names, saved, **chosen, language=language or DEFAULT).parts)
    if names is None:
        wanted = [option for option, value in chosen.items() if value]
        if wanted:
            option = wanted[0].replace("_", "-")
            raise OptionError(f"--{option} needs an attribute.", remedy="Name one: --attribute gender.")
        return shipped_card(task, language)
    return suite_card(_parts(names, task, {**chosen, "language": language or DEFAULT}))


def _parts(names: list[str], task: str, chosen: dict[str, Any]) -> list[Any]:
    """The parts of each attribute in the task that is named, or in every task that has templates for it.

    Raises:
        InputError: that of the task, or of the first of all if there is a suite for none.
    """
    from fairness_checklist.core.errors import OptionError, SuiteError
    from fairness_checklist.core.tasks import TASKS

    parts: list[Any] = []
    for name in names:
        made: list[Any] = []
        first: OptionError | SuiteError | None = None
        for one in [task] if task else TASKS:
            try:
                made += arguments.suite_from_options([name], None, task=one, **chosen).parts
            except (OptionError, SuiteError) as error:  # templates chosen by name are those of one task
                first = first or error
        if first is not None and not made:
            raise first
        parts += made
    return parts


def _print_card(content: dict[str, Any], out: Path | None, as_json: bool) -> None:
    from fairness_checklist.core.atomic import atomic_file
    from fairness_checklist.suites.card_text import card_markdown

    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n" if as_json else card_markdown(content)
    if out is None:
        typer.echo(text, nl=False)
        return
    with atomic_file(out) as scratch:
        scratch.write_text(text, encoding="utf-8")
    typer.echo(f"The card: {out}")


def print_card(what: str, name: str, as_json: bool) -> None:
    """Print one metric's card; nothing else that is listed has one.

    Raises:
        OptionError: something else than metrics is listed, or no such metric is registered.
    """
    from fairness_checklist.core.errors import OptionError

    if what != "metrics":
        raise OptionError(
            f"list {what} takes no name, and {name!r} is one.",
            remedy="Only metrics have cards: fairness-checklist list metrics fped.",
        )
    from fairness_checklist.metrics.cards import card

    found = card(name)
    typer.echo(json.dumps(found.record(), indent=2, ensure_ascii=False) if as_json else str(found))


_SHOWN = 8  # reasons


def perturb(
    texts: Annotated[
        Path, typer.Argument(help="A .csv, .parquet or .jsonl with the column text; label and id if any.")
    ],
    attribute: arguments.Attributes,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    task: arguments.TaskName = default.TASK,
    groups: arguments.Groups = None,
    terms: arguments.Terms = None,
    include_terms: arguments.IncludeTerms = None,
    max_terms: arguments.MaxTerms = None,
    labels: Annotated[
        list[str] | None, typer.Option("--labels", help="Of the table: 1=positive,0=negative; as in the column label.")
    ] = None,
    show: Annotated[int, typer.Option("--show", help="Print so many texts with one of their counterparts.")] = 5,
    escape_formulas: arguments.EscapeFormulas = False,
) -> None:
    """Swap the identities that texts of yours mention, where context makes that safe.

    Example: fairness-checklist perturb reviews.csv --attribute gender --groups women,men --out perturbed
    """
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.core.atomic import atomic_folder, check_replaceable_folder
    from fairness_checklist.core.errors import SuiteError
    from fairness_checklist.tables.files import write_table

    check_replaceable_folder(out, "left_out.csv", "perturbed texts", SuiteError)
    built = Suite.from_texts(
        texts,
        arguments.split(attribute) or [],
        labels=arguments.read_labels(labels),
        task=task,
        groups=arguments.split(groups),
        terms=arguments.names_or_files(terms),
        include_terms=arguments.split(include_terms) or (),
        max_terms=max_terms,
    )
    dropped, not_made = built.dropped.rename(columns={"template": "id"}), built.skipped
    with atomic_folder(out) as scratch:
        for name, table in {"texts": built.to_frame(), "left_out": dropped, "not_made": not_made}.items():
            write_table(table, scratch / f"{name}.csv", escape_formulas=escape_formulas)
    typer.echo(repr(built)[1:-1])
    _print_counterparts(built, show)
    _print_reasons("Texts left out", dropped)
    _print_reasons("Terms that a text was not rewritten for", not_made)
    typer.echo(f"The texts: {out / 'texts.csv'}")


def _print_counterparts(built: Suite, number: int) -> None:
    """The first texts of each attribute, each with its first counterpart in another group."""
    for part in built.parts:
        examples = part.examples
        texts = examples.render()
        for source in range(min(number, len(examples.sources))):
            rows = [row for row in range(len(examples)) if examples.source[row] == source]
            other = next((row for row in rows if examples.group[row] >= 0 and texts[row] != texts[rows[0]]), rows[0])
            typer.echo(f"  {texts[rows[0]]}\n    {examples.terms[examples.term[other]]}: {texts[other]}")


def _print_reasons(what: str, table: pd.DataFrame) -> None:
    """How many rows there are, by reason, the most frequent first."""
    reasons: Iterable[str] = table["reason"].tolist()
    counts = Counter(reasons).most_common()
    if not counts:
        return
    typer.echo(f"{what}: {len(table):,}")
    for reason, count in counts[:_SHOWN]:
        typer.echo(f"  {count:,}: {reason}")
    if len(counts) > _SHOWN:
        typer.echo(f"  {sum(count for _reason, count in counts[_SHOWN:]):,}: other reasons")


class NewSubject(StrEnum):
    """What `new` can write."""

    attribute = "attribute"


def new(
    what: Annotated[NewSubject, typer.Argument(help="What to write.")],
    name: Annotated[str, typer.Argument(help="Its name: letters, digits and _.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder to write; by default one of that name.")
    ] = None,
) -> None:
    """Write terms and templates of an attribute of your own: an example that works, to be replaced.

    Example: fairness-checklist new attribute housing --out mine
    """
    from fairness_checklist.core.locations import path_argument
    from fairness_checklist.suites.new_attribute import write_attribute

    folder = write_attribute(name, out or "")
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    place = shlex.quote(path_argument(folder))
    typer.echo(f"{folder}: {', '.join(files)}")
    typer.echo("Put your own rows in the place of the example, then:")
    for command in (
        f"lint {place}",
        f"build --attribute {name} --terms {place}",
        f"run --attribute {name} --terms {place}",
    ):
        typer.echo(f"  fairness-checklist {command}")

"""Cards: of a suite, what it is made of and where it comes from; of a metric, what it asks."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from fairness_checklist.cli import options as given

__all__ = ["card", "print_card"]


class CardSubject(StrEnum):
    """What has a card."""

    suite = "suite"
    metric = "metric"


def card(
    what: Annotated[CardSubject, typer.Argument(help="What the card is of.")],
    name: Annotated[str, typer.Argument(help="Of a metric: its id.", show_default=False)] = "",
    attribute: given.Attributes = [],  # noqa: B006  # typer reads the default, nobody changes it
    task: Annotated[str, typer.Option("--task", help="Only this task; every one by default.")] = "",
    suite: given.SavedSuite = None,
    groups: given.Groups = None,
    terms: given.Terms = None,
    templates: given.Templates = None,
    include_terms: given.IncludeTerms = None,
    max_terms: given.MaxTerms = None,
    term_set: given.TermSet = "",
    lists: given.Lists = None,
    language: Annotated[
        str, typer.Option("--language", help="en or es; of everything that ships both by default.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the card to this .md, with --json to this .json.")
    ] = None,
    as_json: given.Json = False,
) -> None:
    """The card of a suite: counts, provenance, review and known gaps; without --attribute of all that ships.

    Example: fairness-checklist card suite --attribute gender --out gender.md

    The card of a metric: fairness-checklist card metric fped
    """
    from fairness_checklist.errors import OptionError

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
    _print_card(_suite_card(given.split(attribute), suite, task, language, chosen), out, as_json)


def _check_ending(out: Path | None, as_json: bool) -> None:
    from fairness_checklist.atomic import check_place
    from fairness_checklist.errors import OptionError

    ending = ".json" if as_json else ".md"
    if out is not None and out.suffix.lower() != ending:
        raise OptionError(
            f"{out.name} does not end with {ending}.", remedy="A card is Markdown (.md), or with --json JSON (.json)."
        )
    if out is not None:
        check_place(out, folder=False)


def _suite_card(
    names: list[str] | None, saved: Path | None, task: str, language: str, chosen: dict[str, Any]
) -> dict[str, Any]:
    """The card of the suite that the options name, or of all that ships where they name none."""
    from fairness_checklist.errors import OptionError
    from fairness_checklist.grammar import DEFAULT, get
    from fairness_checklist.suites import shipped_card, suite_card
    from fairness_checklist.tasks import get_task

    if task:
        get_task(task)
    if language:
        get(language)
    if saved is not None:
        if task:
            raise OptionError("--suite is a suite already: its task is that of build.", remedy="Leave out --task.")
        return suite_card(given.suite_from_options(names, saved, **chosen, language=language or DEFAULT).parts)
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
    from fairness_checklist.errors import OptionError, SuiteError
    from fairness_checklist.tasks import TASKS

    parts: list[Any] = []
    for name in names:
        made: list[Any] = []
        first: OptionError | SuiteError | None = None
        for one in [task] if task else TASKS:
            try:
                made += given.suite_from_options([name], None, task=one, **chosen).parts
            except (OptionError, SuiteError) as error:  # templates chosen by name are those of one task
                first = first or error
        if first is not None and not made:
            raise first
        parts += made
    return parts


def _print_card(content: dict[str, Any], out: Path | None, as_json: bool) -> None:
    from fairness_checklist.atomic import atomic_file
    from fairness_checklist.suites import card_markdown

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
    from fairness_checklist.errors import OptionError

    if what != "metrics":
        raise OptionError(
            f"list {what} takes no name, and {name!r} is one.",
            remedy="Only metrics have cards: fairness-checklist list metrics fped.",
        )
    from fairness_checklist.metrics import card

    found = card(name)
    typer.echo(json.dumps(found.record(), indent=2, ensure_ascii=False) if as_json else str(found))

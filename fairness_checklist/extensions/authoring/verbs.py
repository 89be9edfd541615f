"""The verbs for content: new, lint, review."""

import dataclasses
import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import OUTPUT, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import count


class NewSubject(StrEnum):
    """The kinds of content that `new` writes."""

    attribute = "attribute"


def new(
    what: Annotated[NewSubject, typer.Argument(help="Kind of content to write.")],
    name: Annotated[str, typer.Argument(help="Name of the attribute: letters, digits and _.")],
    out: Annotated[
        Path | None, option(OUTPUT, "Folder to write; by default one with the name of the attribute.", "--out", "-o")
    ] = None,
) -> None:
    """Write the files of a new attribute, filled with an example.

    Terms and templates of the example work as they are; replace them with your own.

    Example: fairness-checklist new attribute housing --out mine
    """
    from fairness_checklist.core.locations import path_argument
    from fairness_checklist.extensions.authoring.new_attribute import write_attribute

    folder = write_attribute(name, out or "")
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    place = shlex.quote(path_argument(folder))
    typer.echo(f"{folder}: {', '.join(files)}")
    typer.echo("Replace the rows of the example with your own, then run:")
    for command in ("lint", f"build --attribute {name} --terms", f"run --attribute {name} --terms"):
        typer.echo(f"  fairness-checklist {command} {place}")


def lint(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder with templates and identity_terms; by default the shipped ones.")
    ] = None,
    lists: arguments.Lists = None,
    language: Annotated[str, option(TESTED, "Check only files in this language: en or es.")] = "",
    as_json: arguments.Json = False,
) -> None:
    """Check templates and terms for errors. The exit code is 0 without findings, else 1; warnings leave it 0.

    Example: fairness-checklist lint my_terms
    """
    from fairness_checklist.content.fills import read_lists
    from fairness_checklist.extensions.authoring.lint.findings import WARNINGS
    from fairness_checklist.extensions.authoring.lint.linter import lint as run_linter
    from fairness_checklist.extensions.authoring.lint.patterns import rules_left_out

    findings = run_linter(folder, lists=read_lists(lists) if lists else None, language=language)
    if as_json:
        typer.echo(json.dumps(findings, indent=2, ensure_ascii=False, default=dataclasses.asdict))
    else:
        for finding in findings:
            typer.echo(str(finding))
        typer.echo(f"{count(len(findings), 'finding')}." if findings else "No findings.")
    if rules := rules_left_out():
        typer.echo(f"Left out: {', '.join(rules)}. Install fairness-checklist[lint].", err=True)
    if any(finding.rule not in WARNINGS for finding in findings):
        raise typer.Exit(1)


def review(
    terms: Annotated[Path, typer.Argument(help="CSV file of terms.")],
    out: Annotated[
        Path | None,
        option(OUTPUT, "CSV file of the sheet; by default review_ and the name of the terms.", "--out", "-o"),
    ] = None,
) -> None:
    """Ask the people whom a file of terms names: write a sheet of questions.

    The sheet shows each term in three sentences, with four questions. It is a CSV file for spreadsheets, which readers
    fill in and send back.

    Example: fairness-checklist review identity_terms/disability.csv --out ask.csv
    """
    from fairness_checklist.extensions.authoring.review import make_sheet, write_sheet

    sheet = make_sheet(terms, seed=default.SEED)
    path = out or Path(f"review_{terms.stem}.csv")
    write_sheet(sheet, path)
    typer.echo(f"{count(len(sheet), 'term')} of {sheet['sheet'][0]}: {path}")
    typer.echo("Send it to readers who belong to the groups.")

"""The verbs for content: new, lint, review."""

from __future__ import annotations

import dataclasses
import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import DATA, OUTPUT, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import OptionError, count


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
    for command in (
        f"lint {place}",
        f"build --attribute {name} --terms {place}",
        f"run --attribute {name} --terms {place}",
    ):
        typer.echo(f"  fairness-checklist {command}")


def lint(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder with templates and identity_terms; by default the shipped ones.")
    ] = None,
    lists: arguments.Lists = None,
    language: Annotated[str, option(TESTED, "Check only files in this language: en or es.")] = "",
    fix: Annotated[
        bool, option("", "Correct spaces, repeated words, articles and capitals in the files of FOLDER.", "--fix")
    ] = False,
    as_json: arguments.Json = False,
) -> None:
    """Check templates and terms for errors. The exit code is 0 without findings, else 1; warnings leave it 0.

    Example: fairness-checklist lint my_terms --fix
    """
    from fairness_checklist.content.fills import read_lists
    from fairness_checklist.extensions.authoring.lint.findings import WARNINGS
    from fairness_checklist.extensions.authoring.lint.lint_and_fix import autofix, count_checked
    from fairness_checklist.extensions.authoring.lint.lint_and_fix import lint as run_linter

    values = read_lists(lists) if lists else None
    if fix:
        fixed, findings = autofix(folder, lists=values, language=language)
    else:
        fixed, findings = [], run_linter(folder, lists=values, language=language)
    if as_json:
        content = {"fixed": fixed, "findings": findings} if fix else findings
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False, default=dataclasses.asdict))
    else:
        for change in fixed:
            typer.echo(f"Fixed: {change}")
        for finding in findings:
            typer.echo(str(finding))
        if findings:
            typer.echo(f"{count(len(findings), 'finding')}.")
        else:
            templates, terms = count_checked(folder, language=language)
            typer.echo(f"No findings in {count(templates, 'template')} and {count(terms, 'term')}.")
    if any(finding.rule not in WARNINGS for finding in findings):
        raise typer.Exit(1)


def review(
    terms: Annotated[Path, typer.Argument(help="CSV file of terms.")],
    out: Annotated[
        Path | None, option(OUTPUT, "Folder of the sheet; with --answers a CSV file of the counts.", "--out", "-o")
    ] = None,
    answers: Annotated[
        list[str] | None, option(DATA, f"Files of answers, or folders of them, to count. {arguments.MANY}")
    ] = None,
    groups: arguments.Groups = None,
    enter: Annotated[
        bool, option(OUTPUT, "With --answers: write the counts into NAME.toml, the card of NAME.csv.", "--enter")
    ] = False,
    seed: Annotated[int, option(DATA, "Another seed draws other sentences.")] = default.SEED,
    force: Annotated[bool, option(OUTPUT, "Replace a sheet that is there.", "--force")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Ask the people whom a file of terms names: write a sheet of questions, or count the answers to it.

    The sheet shows each term in three sentences, with four questions. sheet.html opens in a browser and saves a file;
    sheet.csv is for spreadsheets. Readers install nothing and send the file back.

    Example: fairness-checklist review identity_terms/disability.csv

    Example, the answers: fairness-checklist review identity_terms/disability.csv --answers replies --enter
    """
    from fairness_checklist.extensions.authoring import review as kit
    from fairness_checklist.extensions.authoring import review_answers as replies

    sheet = kit.make_sheet(terms, groups=None if answers else arguments.split_commas(groups), seed=seed)
    if answers is None:
        if enter:
            raise OptionError("--enter needs answers.", remedy="Name them: --answers FOLDER.")
        folder = kit.write_sheet(sheet, out or Path(f"review_{terms.stem}"), force=force)
        content = {"folder": str(folder), "attribute": sheet.attribute, "terms": len(sheet.items)}
        if as_json:
            typer.echo(json.dumps(content, indent=2))
            return
        typer.echo(f"{count(len(sheet.items), 'term')} of {sheet.attribute}: {folder / 'sheet.html'}")
        typer.echo(
            "Send sheet.html (or sheet.csv) to readers who belong to the groups. Then count what they send back:"
        )
        typer.echo(f"  fairness-checklist review {shlex.quote(str(terms))} --answers FOLDER")
        return
    given = replies.read_answers(arguments.split_commas(answers) or [], sheet)
    content, reviews = replies.summary(given, sheet), replies.count_answers(given)
    if out is not None:
        replies.write_counts(reviews, out)
    card = replies.enter_in_card(terms, content) if enter else None
    if as_json:
        typer.echo(json.dumps({**content, "by_term": replies.review_table(reviews)}, indent=2, ensure_ascii=False))
        return
    typer.echo(replies.review_text(content, reviews, sheet))
    if out is not None:
        typer.echo(f"The counts by term: {out}")
    if card is not None:
        typer.echo(f"Written into the card: {card}")
    else:
        typer.echo("Next: --enter writes the counts into the card of the terms.")

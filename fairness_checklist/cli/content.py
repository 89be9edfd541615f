"""The verbs for content: card, perturb, new, lint."""

from __future__ import annotations

import dataclasses
import json
import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import LINES, Answer, answering
from fairness_checklist.cli.help_sections import MODEL, OUTPUT, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.extensions import extension

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api.suite import Suite


class CardSubject(StrEnum):
    """The subjects of cards."""

    suite = "suite"
    metric = "metric"


@arguments.with_options
def card(
    what: Annotated[CardSubject, typer.Argument(help="Subject of the card.")],
    *,
    name: Annotated[str, typer.Argument(help="With metric: its id.", show_default=False)] = "",
    attribute: arguments.Attributes = None,
    task: Annotated[str, option(TESTED, "Only this task; by default every task.")] = "",
    suite: arguments.SavedSuite = None,
    language: Annotated[
        str, option(TESTED, "en or es; by default en, and both for the card of all shipped suites.")
    ] = "",
    out: Annotated[
        Path | None, option(OUTPUT, "File to write the card to: .md, or .json with --json.", "--out", "-o")
    ] = None,
    as_json: arguments.Json = False,
    content: arguments.ContentOptions,
) -> None:
    """Print the card of a suite or of a metric.

    The card of a suite gives counts, provenance, review and known gaps; without --attribute, of all shipped suites.

    Example: fairness-checklist card suite --attribute gender --out gender.md

    Example, the card of a metric: fairness-checklist card metric fped
    """
    from fairness_checklist.core.errors import OptionError

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
    _print_card(_suite_card(attribute, suite, task, language, content), out, as_json)


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
    attribute: list[str] | None, saved: Path | None, task: str, language: str, content: arguments.ContentOptions
) -> dict[str, Any]:
    """The card of the suite that the options describe, or of all shipped suites without an attribute."""
    from fairness_checklist.content.grammar.languages import DEFAULT, get
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.core.tasks import get_task
    from fairness_checklist.suites.card import shipped_card, suite_card

    if task:
        get_task(task)
    if language:
        get(language)
    if saved is not None:
        return suite_card(arguments.load_suite(saved, attribute, content, task or None).parts)
    names = arguments.split_commas(attribute)
    if names is None:
        if content.given():
            raise OptionError(f"{content.given()[0]} needs an attribute.", remedy="Name one: --attribute gender.")
        return shipped_card(task, language)
    return suite_card(_suite_parts(names, task, language or DEFAULT, content))


def _suite_parts(names: list[str], task: str, language: str, content: arguments.ContentOptions) -> list[Any]:
    """The parts of each attribute in the named task, or in every task that has templates for it."""
    from fairness_checklist.core.errors import OptionError, SuiteError
    from fairness_checklist.core.tasks import TASKS

    parts: list[Any] = []
    for name in names:
        made: list[Any] = []
        first: OptionError | SuiteError | None = None
        for one in [task] if task else TASKS:
            try:
                made += arguments.build_suite([name], content, task=one, language=language).parts
            except (OptionError, SuiteError) as error:  # templates chosen by name are those of one task
                first = first or error
        if first is not None and not made:
            raise first
        parts += made
    return parts


def _print_card(content: dict[str, Any], out: Path | None, as_json: bool) -> None:
    from fairness_checklist.core.atomic import atomic_file
    from fairness_checklist.suites.card import card_markdown

    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n" if as_json else card_markdown(content)
    if out is None:
        typer.echo(text, nl=False)
        return
    with atomic_file(out) as scratch:
        scratch.write_text(text, encoding="utf-8")
    typer.echo(f"The card: {out}")


def print_card(what: str, name: str, as_json: bool) -> None:
    """Print the card of one metric."""
    from fairness_checklist.core.errors import OptionError

    if what != "metrics":
        raise OptionError(
            f"list {what} takes no name, and {name!r} is one.",
            remedy="Only metrics have cards: fairness-checklist list metrics fped.",
        )
    from fairness_checklist.metrics.cards import card

    found = card(name)
    typer.echo(json.dumps(found.record(), indent=2, ensure_ascii=False) if as_json else str(found))


_SHOWN = 5  # texts, by default


class PerturbKind(StrEnum):
    """What `perturb` writes."""

    counterfactual = "counterfactual"
    scrub = "scrub"


@answering
def perturb(
    texts: Annotated[
        Path, typer.Argument(help="Table with the column text, and optionally label and id: .csv, .parquet or .jsonl.")
    ],
    attribute: arguments.Attributes,
    terms: arguments.TermOptions,
    task: arguments.TaskName = default.TASK,
    labels: arguments.TableLabels = None,
    show: Annotated[int, option("", "Number of texts to print, each as it is rewritten.")] = _SHOWN,
    kind: Annotated[
        PerturbKind, option(TESTED, "counterfactual: with other terms; scrub: without identity words.")
    ] = PerturbKind.counterfactual,
    names_column: Annotated[
        str, option(TESTED, "With --kind scrub: column with a name to remove from each text.")
    ] = "",
    model: Annotated[
        str, option(MODEL, "With --kind scrub: a classifier whose gaps before and after are printed.", "--model", "-m")
    ] = "",
) -> Answer:
    """Write counterfactuals of your texts, by replacing identity terms; or the texts without identity words.

    A term is replaced where the context allows it; the other texts are listed with the reason.

    Example: fairness-checklist perturb reviews.csv --attribute gender --groups women,men --out perturbed

    Example, without words of gender: fairness-checklist perturb reviews.csv --attribute gender --kind scrub
    --model bundled/sentiment-2 --out scrubbed
    """
    names, mapping = arguments.split_commas(attribute) or [], arguments.read_labels(labels)
    lines = LINES + 2 * max(show - _SHOWN, 0)
    if kind is PerturbKind.scrub:
        groups = arguments.split_commas(terms.groups) or []
        answer: Answer = extension("rewriting.scrub_verb").scrub_texts(
            texts, names, names=names_column, groups=groups, model=model, task=task, labels=mapping, show=show
        )
        return dataclasses.replace(answer, lines=lines)
    if model or names_column:
        from fairness_checklist.core.errors import OptionError

        raise OptionError(f"--{'model' if model else 'names-column'} needs --kind scrub.", remedy="Add --kind scrub.")
    from fairness_checklist.api.suite import Suite

    built = Suite.from_texts(texts, names, labels=mapping, task=task, **terms.keywords())
    left_out, skipped = built.dropped.rename(columns={"template": "id"}), built.skipped
    reasons = {"texts left out": _reasons(left_out), "terms that a text was not rewritten for": _reasons(skipped)}
    return Answer(
        [
            repr(built)[1:-1],
            *_counterfactuals(built, show),
            *(_first_reason(what, counts) for what, counts in reasons.items() if len(counts)),
        ],
        tables={"texts": built.to_frame(), "left_out": left_out, "not_made": skipped},
        record={name.replace(" ", "_"): counts for name, counts in reasons.items()},
        shown=reasons,
        lines=lines,
    )


def _counterfactuals(built: Suite, number: int) -> list[str]:
    """The first texts of each attribute, each with its first counterfactual of another group."""
    lines = []
    for part in built.parts:
        examples = part.examples
        texts = examples.render()
        for source in range(min(number, len(examples.sources))):
            rows = [row for row in range(len(examples)) if examples.source[row] == source]
            other = next((row for row in rows if examples.group[row] >= 0 and texts[row] != texts[rows[0]]), rows[0])
            lines += [f"  {texts[rows[0]]}", f"    {examples.terms[examples.term[other]]}: {texts[other]}"]
    return lines


def _reasons(table: pd.DataFrame) -> pd.DataFrame:
    """The number of rows by reason, the most frequent first."""
    return table["reason"].value_counts(sort=True).rename("n").reset_index()[["n", "reason"]]


def _first_reason(what: str, counts: pd.DataFrame) -> str:
    """How many rows there are, and the most frequent reason."""
    n, first, reason = int(counts["n"].sum()), int(counts["n"].iloc[0]), counts["reason"].iloc[0]
    return f"{what[0].upper()}{what[1:]}: {n:,}" + (f", {first:,} of them: {reason}" if first < n else f": {reason}")


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
    from fairness_checklist.suites.new_attribute import write_attribute

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
    """Check templates and terms for errors. The exit code is 0 without findings, else 1; warnings (lexicon) leave it 0.

    Example: fairness-checklist lint my_terms --fix
    """
    from fairness_checklist.content.fills import read_lists
    from fairness_checklist.content.lint.findings import WARNINGS
    from fairness_checklist.content.lint.lint_and_fix import autofix, count_checked
    from fairness_checklist.content.lint.lint_and_fix import lint as run_linter
    from fairness_checklist.core.errors import count

    values = read_lists(lists) if lists else None
    if fix:
        fixed, findings = autofix(folder, lists=values, language=language)
    else:
        fixed, findings = [], run_linter(folder, lists=values, language=language)
    if as_json:
        parts = [dataclasses.asdict(finding) for finding in findings]
        changes = [dataclasses.asdict(one) for one in fixed]
        content = {"fixed": changes, "findings": parts} if fix else parts
        typer.echo(json.dumps(content, indent=2, ensure_ascii=False))
    else:
        for one in fixed:
            typer.echo(f"Fixed: {one}")
        for finding in findings:
            typer.echo(str(finding))
        if findings:
            typer.echo(f"{count(len(findings), 'finding')}.")
        else:
            templates, terms = count_checked(folder, language=language)
            typer.echo(f"No findings in {count(templates, 'template')} and {count(terms, 'term')}.")
    if any(finding.rule not in WARNINGS for finding in findings):
        raise typer.Exit(1)

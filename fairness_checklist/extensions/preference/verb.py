"""The verb `preference`: whether a masked language model prefers stereotypes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import MODEL, TESTED, option

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.lenses.readers import PublishedSet
    from fairness_checklist.extensions.preference.preference import Preference

_SHOWN = 4  # sentences: all kinds, and the strongest ones


@answering
def preference(
    table: Annotated[
        Path | None,
        typer.Argument(help="Pairs of sentences: columns source, text, stereotype (pro, anti), label; .csv, .jsonl."),
    ] = None,
    *,
    model: Annotated[str, option(MODEL, "Folder or hub id of a masked language model.", "--model", "-m")],
    dataset: Annotated[str, option(TESTED, "In place of a table: crows_pairs or stereoset.")] = "",
    path: arguments.DatasetPath = None,
    over: Annotated[
        str, option(TESTED, "Tokens that are scored: shared by both sentences, all, or the mean of all.")
    ] = "shared",
    targets: Annotated[
        list[str] | None,
        option(TESTED, "In place of pairs: two words to compare, she,he; needs --template and --words."),
    ] = None,
    template: Annotated[
        list[str] | None, option(TESTED, 'Text with {mask} for a target and {term}: "{mask} is a {term}.". Repeatable.')
    ] = None,
    words: Annotated[list[str] | None, option(TESTED, "Words for {term}, such as nurse,engineer.")] = None,
) -> Answer:
    """Measure whether a masked language model prefers stereotypical sentences or words.

    Example: fairness-checklist preference --model DIR --dataset crows_pairs --path crows_pairs_anonymized.csv

    Example, two words: fairness-checklist preference --model DIR --targets she,he --template "{mask} is a {term}."
    --words nurse,engineer
    """
    report = _measured(model, _pairs(table, dataset, path), over, targets, template, words)
    claims = [finding for finding in report.findings if finding.status]
    strongest = [*claims[:1], *[finding for finding in claims[1:_SHOWN] if finding.status == "clear"]]
    others = [finding for finding in report.findings if not finding.status]
    shown = {"preference": report.table, "icat": report.icat}
    return Answer(
        [*(finding.statement for finding in [*strongest, *others]), *(f"Note: {note}." for note in report.notes)],
        report.findings,
        {name: table for name, table in {**shown, "pairs": report.rows}.items() if len(table)},
        {"model": model, "measure": report.measure, **shown, "notes": report.notes},
        shown=shown,
    )


def _measured(
    model: str,
    pairs: pd.DataFrame | PublishedSet | None,
    over: str,
    targets: list[str] | None,
    template: list[str] | None,
    words: list[str] | None,
) -> Preference:
    """The preference for the stereotype in pairs, or for one of two words in templates."""
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.preference.preference import stereotype_preference, target_word_preference

    two, terms = arguments.split_commas(targets) or [], arguments.split_commas(words) or []
    if pairs is not None:
        if two or template or terms:
            raise OptionError(
                "pairs and words to compare are given.", remedy="Leave out --targets, --template and --words."
            )
        return stereotype_preference(model, pairs, over=over)
    if not two and not template and not terms:
        raise OptionError(
            "nothing is given to compare.",
            remedy="Name a table of pairs, --dataset NAME --path FILE, or --targets, --template and --words.",
        )
    if len(two) != 2:
        raise OptionError(f"--targets names {len(two)} words.", remedy="Name two: --targets she,he.")
    lacking = [name for name, given in (("--template", template), ("--words", terms)) if not given]
    if lacking:
        raise OptionError(f"--targets is given without {' and '.join(lacking)}.", remedy="Give them together.")
    return target_word_preference(model, template or [], terms, left=two[0], right=two[1])


def _pairs(table: Path | None, dataset: str, path: Path | None) -> pd.DataFrame | PublishedSet | None:
    """The pairs of a table or a published data set; None where neither is given."""
    from fairness_checklist.core.errors import OptionError, TableError, did_you_mean
    from fairness_checklist.extensions.lenses.readers import read_published
    from fairness_checklist.tables.files import read_table

    if table is not None:
        if dataset or path is not None:
            raise OptionError("a table and --dataset are given.", remedy="Give one of them.")
        frame = read_table(table)
        if "sent_more" in frame.columns and "source" not in frame.columns:
            raise TableError(
                "the table has the columns of CrowS-Pairs.",
                place=table.name,
                remedy=f"Read it as published: --dataset crows_pairs --path {table}",
            )
        return frame
    if not dataset and path is None:
        return None
    sets = ("crows_pairs", "stereoset")
    if dataset not in sets:
        raise OptionError(
            f"--dataset {dataset!r} has no pairs of sentences.",
            remedy=f"Name crows_pairs or stereoset.{did_you_mean(dataset, sets)}",
        )
    if path is None:
        raise OptionError("--dataset is given without --path.", remedy="Name your copy of the data set: --path FILE.")
    return read_published(dataset, path)

"""The verb `balance`: weights for a data set whose groups differ in other properties too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import MODEL, STATISTICS, TESTED, option

if TYPE_CHECKING:
    import pandas as pd

Table = Annotated[Path, typer.Argument(help="Data set, a row each text: .csv, .parquet or .jsonl; or see --published.")]
GroupsColumn = Annotated[str, option(TESTED, "Column of the groups.")]
Properties = Annotated[
    list[str],
    option(
        TESTED,
        "Columns to balance. Where the table has no such column these are computed: length (words) from text; "
        "names from text and name_spans (annotated names); position (of the right "
        "name among them, by distance to the pronoun) from these, pronoun_start, answer and answer_start. "
        f"{arguments.MANY}",
    ),
]
Published = Annotated[str, option(TESTED, "The table is a published data set in its own layout: gap, winobias, ...")]
Answers = Annotated[
    list[str] | None,
    option(MODEL, "Files with systems' answers to a published coreference set; like --correct.", "--answers"),
]
Between = Annotated[list[str] | None, option(TESTED, "Compare these groups, in this order: FIRST over SECOND.")]
Correct = Annotated[
    list[str] | None,
    option(
        MODEL,
        "Columns that say whether a model's answer is right (0 to 1): weighted accuracies and their ratio, and of "
        "two columns a test whether the models differ.",
    ),
]


@answering
def balance(
    table: Table,
    *,
    groups_column: GroupsColumn,
    properties: Properties,
    published: Published = "",
    groups: Between = None,
    correct: Correct = None,
    answer_files: Answers = None,
    draws: Annotated[int, option(STATISTICS, "Bootstrap draws of the intervals; 0 for none.")] = 200,
) -> Answer:
    """Weight a data set so that its groups differ in no other property, and compare accuracies with the weights.

    The weights move each group's accuracy as little as possible in the worst case (Kocijan et al. 2021).

    Example: fairness-checklist balance gap.csv --groups-column gender --properties names,position --out balanced

    Example, with models: fairness-checklist balance gap-test.tsv --published gap --groups-column group
    --groups female,male --properties names,position --answers bert.tsv,e2e.tsv
    """
    from fairness_checklist.core.progress import stage
    from fairness_checklist.extensions.balance.balance_report import balanced_report
    from fairness_checklist.tables.files import read_table

    files = arguments.split_commas(answer_files) or []
    frame, notes = _published(published, table, files) if published or files else (read_table(table), [])
    with stage("solving the weights"):
        report = balanced_report(
            frame,
            groups_column,
            arguments.split_commas(properties) or [],
            between=arguments.split_commas(groups),
            correct=[*(arguments.split_commas(correct) or ()), *(Path(path).stem for path in files)],
            draws=draws,
            notes=notes,
        )
    return Answer(
        [*report.sentences, *(f"Note: {note}." for note in report.notes)],
        tables={"weights": frame.assign(weight=report.weights.weight.round(12)), **report.tables},
        record={"notes": report.notes, **report.tables},
        shown=report.tables,
    )


def _published(name: str, table: Path, answers: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """A published data set with the answers of systems to it."""
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.balance.properties import coreference_columns, with_answers
    from fairness_checklist.extensions.lenses.readers import read_published

    if not name:
        raise OptionError(
            "--answers belongs to a published coreference set.",
            remedy="Add --published gap, for instance; for columns of the table use --correct.",
        )
    return coreference_columns(with_answers(read_published(name, table), answers))

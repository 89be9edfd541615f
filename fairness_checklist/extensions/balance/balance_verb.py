"""The verb `balance`: weights for a data set whose groups differ in other properties too."""

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import MODEL, STATISTICS, TESTED, option
from fairness_checklist.cli.printed_answers import Answer, answering


@answering
def balance(
    table: Annotated[Path, typer.Argument(help="Data set, a row each text: .csv, .parquet or .jsonl.")],
    *,
    groups_column: Annotated[str, option(TESTED, "Column of the groups.")],
    properties: Annotated[
        list[str],
        option(
            TESTED,
            "Columns to balance. Where the table has no such column these are computed: length (words) from text; "
            "names from text and name_spans (annotated names); position (of the right name among them, by distance to "
            f"the pronoun) from these, pronoun_start, answer and answer_start. {arguments.MANY}",
        ),
    ],
    groups: Annotated[
        list[str] | None, option(TESTED, "Compare these groups, in this order: FIRST over SECOND.")
    ] = None,
    correct: Annotated[
        list[str] | None,
        option(
            MODEL,
            "Columns that say whether a model's answer is right (0 to 1): weighted accuracies and their ratio, and of "
            "two columns a test whether the models differ.",
        ),
    ] = None,
    draws: Annotated[int, option(STATISTICS, "Bootstrap draws of the intervals; 0 for none.")] = 200,
) -> Answer:
    """Weight a data set so that its groups differ in no other property, and compare accuracies with the weights.

    The weights move each group's accuracy as little as possible in the worst case (Kocijan et al. 2021).

    Example: fairness-checklist balance gap.csv --groups-column gender --properties names,position --correct bert,e2e
    """
    from fairness_checklist.core.progress import stage
    from fairness_checklist.extensions.balance.balance_report import balanced_report
    from fairness_checklist.tables.files import read_table

    frame = read_table(table)
    with stage("solving the weights"):
        report = balanced_report(
            frame,
            groups_column,
            arguments.split_commas(properties) or [],
            between=arguments.split_commas(groups),
            correct=arguments.split_commas(correct) or (),
            draws=draws,
        )
    return Answer(
        [*report.sentences, *(f"Note: {note}." for note in report.notes)],
        tables={"weights": frame.assign(weight=report.weights.weight.round(12)), **report.tables},
        record={"notes": report.notes, **report.tables},
        shown=report.tables,
    )

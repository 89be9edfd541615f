"""The verb `validate`: the gaps of a run beside those in natural texts."""

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import DATA, MODEL, TESTED, option
from fairness_checklist.cli.printed_answers import Answer, answering


@answering
def validate(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    texts: Annotated[
        Path,
        typer.Argument(
            help="Table of texts (.csv, .parquet, .jsonl) or a folder of them, with labels if there are any."
        ),
    ],
    *,
    model: Annotated[
        str | None,
        option(
            MODEL, "The model of the run; without it the table has its scores, p:CLASS, and no mention is replaced."
        ),
    ] = None,
    labels: arguments.ModelLabels = None,
    harm: Annotated[str, option(TESTED, "The error, such as called:toxic; by default the first of the task.")] = "",
    text_column: Annotated[str, option(DATA, "Column of the texts.")] = "text",
    label_column: Annotated[str, option(DATA, "Column of the labels.")] = "label",
) -> Answer:
    """Compare the gaps of a run with those that the model shows in texts of your own.

    Does the order of the words agree? Do groups that are worse in the suite fare worse in the texts?

    Example: fairness-checklist validate runs/mine texts.csv --model MODEL --out runs/validated
    """
    from fairness_checklist.cli.python_models import load_named
    from fairness_checklist.extensions.natural.suite_gaps import harm_of_run
    from fairness_checklist.extensions.natural.validation import validate as compare_with_texts
    from fairness_checklist.extensions.natural.validation import validation_lines
    from fairness_checklist.tables.files import read_batches
    from fairness_checklist.tables.run_folder import Results

    results = Results.load(run)
    optional = filter(None, (label_column, "" if model else f"p:{harm_of_run(results, harm).label}"))
    found = compare_with_texts(
        results,
        read_batches(texts, [text_column], optional=list(optional), remedy="Name it: --text-column."),
        None if model is None else load_named(model, str(results.info["task"]), labels=arguments.read_labels(labels)),
        harm=harm,
        text_column=text_column,
        label_column=label_column,
    )
    return Answer(
        validation_lines(found),
        tables={"terms": found.terms, "groups": found.groups, "worse_groups": found.findings},
        record={
            "harm": found.harm.name,
            "order": {name: order.record() for name, order in found.order.items()},
            "texts": found.texts,
            "used": found.used,
        },
    )

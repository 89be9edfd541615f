"""The verb `reproduce`: the experiment of a paper with models of the user's, as one page, CSV and LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import MODEL, TESTED, option

_RECORD = ("paper", "citation", "statements", "tables", "unavailable", "settings")


@answering
def reproduce(
    paper: Annotated[
        str,
        typer.Argument(help="czarnowska2021, dixon2018, kocijan2021, ethayarajh2020 or orgad2022.", show_default=False),
    ],
    *,
    model: Annotated[
        list[str] | None,
        option(
            MODEL,
            "Folder or hub id of a classifier, a bundled one, or FILE.py:NAME. Repeat it for several. By default the "
            "bundled models of the task.",
            "--model",
            "-m",
        ),
    ] = None,
    ner: Annotated[list[str] | None, option(MODEL, "The same for a tagger.")] = None,
    labels: arguments.ModelLabels = None,
    data: Annotated[
        Path | None,
        option(TESTED, "Your copy of the paper's own data where it may not be shipped; see docs/reproduce.md."),
    ] = None,
    max_terms: arguments.MaxTerms = None,
    max_templates: Annotated[
        int | None,
        option(TESTED, "Maximum number of templates per attribute, drawn at random; by default the paper's number."),
    ] = None,
    seed: arguments.Seed = 0,
) -> Answer:
    """Repeat the experiment of a paper: its tables beside yours, and which of its statements are seen here.

    Example: fairness-checklist reproduce czarnowska2021 --model A --model B --ner C --out runs/czarnowska2021
    """
    from fairness_checklist.extensions.reproduce import papers
    from fairness_checklist.extensions.reproduce.reproduce_page import reproduce_page
    from fairness_checklist.extensions.reproduce.tables_as_text import file_name, grid_of, latex_of, statement_table

    made = papers.reproduce(
        paper,
        models=model or (),
        taggers=ner or (),
        data=data,
        max_terms=max_terms,
        max_templates=max_templates,
        seed=seed,
        labels=arguments.read_labels(labels),
    )
    tables = [statement_table(made), *made.tables]
    return Answer(
        made.lines,
        tables={file_name(table.name): table.table for table in tables},
        files={f"{file_name(table.name)}.tex": latex_of(table, made.citation) for table in tables},
        record={name: getattr(made, name) for name in _RECORD},
        page=lambda: reproduce_page(made),
        shown=[grid_of(table) for table in tables],
    )

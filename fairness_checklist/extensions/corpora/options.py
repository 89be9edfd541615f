"""Options that the verbs audit and mitigate have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import DATA, STATISTICS, TESTED, option
from fairness_checklist.extensions.corpora.inputs import ATTRIBUTES

LENGTHS = "20,60,120,180,240,300"
"""As ``LENGTHS`` of `analysis.audit`, which ``--help`` does not load."""
Corpus = Annotated[Path, typer.Argument(metavar="CORPUS", help="Table of labelled texts: .csv, .parquet or .jsonl.")]
Attributes = Annotated[
    list[str] | None,
    option(
        TESTED,
        f"Attributes whose terms are used; by default {', '.join(ATTRIBUTES)}. {arguments.MANY}",
        "--attribute",
        "-a",
    ),
]
Terms = Annotated[
    list[str] | None,
    option(
        TESTED,
        "Terms in place of those of attributes, counted only as written; or a file with one on each line, or with "
        f"the columns term and group. {arguments.MANY}",
    ),
]
TextColumn = Annotated[str, option(DATA, "Column of the texts.")]
LabelColumn = Annotated[str, option(DATA, "Column of the labels.")]
Positive = Annotated[
    list[str] | None, option(DATA, f"Labels that make up the positive class; by default toxic. {arguments.MANY}")
]
Lengths = Annotated[str, option(STATISTICS, "Ends of the length buckets, in characters.")]
Senses = Annotated[
    bool, option(TESTED, "Count words such as straight or black only where they describe a person.", "--senses")
]
ExactWords = Annotated[
    bool, option(TESTED, "Count terms only as they are written, without plurals and other forms.", "--exact-words")
]
Prior = Annotated[
    str, option(STATISTICS, "Share of positive texts to reach: bucket (texts of that length), overall, 0.5.")
]
Pool = Annotated[Path | None, option(DATA, "Table of texts that are assumed to be negative.")]

"""The verb `perturb`: texts with other identities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.printed_answers import Answer, answering
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.option_defaults import TermOptions

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api.suite import Suite

_PRINTED = 5  # texts


@answering
def perturb(
    texts: Annotated[
        Path, typer.Argument(help="Table with the column text, and optionally label and id: .csv, .parquet or .jsonl.")
    ],
    attribute: arguments.Attributes,
    terms: TermOptions,
    task: arguments.TaskName = default.TASK,
    labels: arguments.TableLabels = None,
) -> Answer:
    """Write counterfactuals of your texts, by replacing identity terms.

    A term is replaced where the context allows it; the other texts are listed with the reason.

    Example: fairness-checklist perturb reviews.csv --attribute gender --groups women,men --out perturbed
    """
    from fairness_checklist.api.suite import Suite

    attributes, options = arguments.split_commas(attribute) or [], arguments.term_keywords(terms)
    built = Suite.from_texts(texts, attributes, labels=arguments.read_labels(labels), task=task, **options)
    left_out, skipped = built.dropped.rename(columns={"template": "id"}), built.skipped
    reasons = {"texts left out": _reasons(left_out), "terms that a text was not rewritten for": _reasons(skipped)}
    return Answer(
        [repr(built)[1:-1], *_counterfactuals(built), *(_count(what, n) for what, n in reasons.items() if len(n))],
        tables={"texts": built.to_frame(), "left_out": left_out, "not_made": skipped},
        record={name.replace(" ", "_"): counts for name, counts in reasons.items()},
        shown=reasons,
    )


def _counterfactuals(built: Suite) -> list[str]:
    """The first texts of each attribute, each with its first counterfactual of another group."""
    lines = []
    for part in built.parts:
        examples = part.examples
        texts = examples.render()
        for source in range(min(_PRINTED, len(examples.sources))):
            rows = [row for row in range(len(examples)) if examples.source[row] == source]
            other = next((row for row in rows if examples.group[row] >= 0 and texts[row] != texts[rows[0]]), rows[0])
            lines += [f"  {texts[rows[0]]}", f"    {examples.terms[examples.term[other]]}: {texts[other]}"]
    return lines


def _reasons(table: pd.DataFrame) -> pd.DataFrame:
    return table["reason"].value_counts(sort=True).rename("n").reset_index()[["n", "reason"]]


def _count(what: str, reasons: pd.DataFrame) -> str:
    n, first, reason = int(reasons["n"].sum()), int(reasons["n"].iloc[0]), reasons["reason"].iloc[0]
    return f"{what[0].upper()}{what[1:]}: {n:,}" + (f", {first:,} of them: {reason}" if first < n else f": {reason}")

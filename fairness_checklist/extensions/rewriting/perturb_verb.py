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
    left_out = built.dropped.rename(columns={"template": "id"})
    reasons = left_out["reason"].value_counts(sort=True).rename("n").reset_index()[["n", "reason"]]
    given = sum(part.describe()["texts_given"] for part in built.parts)
    return Answer(
        [repr(built)[1:-1], *_counterfactuals(built), *_count(reasons, given)],
        tables={"texts": built.to_frame(), "left_out": left_out},
        record={"texts_given": given, "share_left_out": len(left_out) / given, "texts_left_out": reasons},
        shown={"texts left out": reasons},
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


def _count(reasons: pd.DataFrame, given: int) -> list[str]:
    """How many of the texts are left out, and the most frequent reason; no line without one."""
    if not len(reasons):
        return []
    n, first, reason = int(reasons["n"].sum()), int(reasons["n"].iloc[0]), reasons["reason"].iloc[0]
    return [
        f"Texts left out: {n:,} of {given:,} ({n / given:.0%})"
        + (f", {first:,} of them" if first < n else "")
        + f": {reason}"
    ]

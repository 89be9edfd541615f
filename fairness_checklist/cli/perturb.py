"""The verb about a user's own texts: perturb."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairness_checklist import parameters as default
from fairness_checklist.cli import options as given

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api import Suite

_SHOWN = 8  # reasons


def perturb(
    texts: Annotated[
        Path, typer.Argument(help="A .csv, .parquet or .jsonl with the column text; label and id if any.")
    ],
    attribute: given.Attributes,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write.")],
    task: given.TaskName = default.TASK,
    groups: given.Groups = None,
    terms: given.Terms = None,
    include_terms: given.IncludeTerms = None,
    max_terms: given.MaxTerms = None,
    labels: Annotated[
        list[str] | None, typer.Option("--labels", help="Of the table: 1=positive,0=negative; as in the column label.")
    ] = None,
    show: Annotated[int, typer.Option("--show", help="Print so many texts with one of their counterparts.")] = 5,
    escape_formulas: given.EscapeFormulas = False,
) -> None:
    """Swap the identities that texts of yours mention, where context makes that safe.

    Example: fairness-checklist perturb reviews.csv --attribute gender --groups women,men --out perturbed
    """
    from fairness_checklist.api import Suite
    from fairness_checklist.atomic import atomic_folder, check_folder
    from fairness_checklist.errors import SuiteError
    from fairness_checklist.tables import write_table

    check_folder(out, "left_out.csv", "perturbed texts", SuiteError)
    built = Suite.from_texts(
        texts,
        given.split(attribute) or [],
        labels=given.read_labels(labels),
        task=task,
        groups=given.split(groups),
        terms=given.names_or_files(terms),
        include_terms=given.split(include_terms) or (),
        max_terms=max_terms,
    )
    dropped, not_made = built.dropped.rename(columns={"template": "id"}), built.skipped
    with atomic_folder(out) as scratch:
        for name, table in {"texts": built.to_frame(), "left_out": dropped, "not_made": not_made}.items():
            write_table(table, scratch / f"{name}.csv", escape_formulas=escape_formulas)
    typer.echo(repr(built)[1:-1])
    _print_counterparts(built, show)
    _print_reasons("Texts left out", dropped)
    _print_reasons("Terms that a text was not rewritten for", not_made)
    typer.echo(f"The texts: {out / 'texts.csv'}")


def _print_counterparts(built: Suite, number: int) -> None:
    """The first texts of each attribute, each with its first counterpart in another group."""
    for part in built.parts:
        examples = part.examples
        texts = examples.render()
        for source in range(min(number, len(examples.sources))):
            rows = [row for row in range(len(examples)) if examples.source[row] == source]
            other = next((row for row in rows if examples.group[row] >= 0 and texts[row] != texts[rows[0]]), rows[0])
            typer.echo(f"  {texts[rows[0]]}\n    {examples.terms[examples.term[other]]}: {texts[other]}")


def _print_reasons(what: str, table: pd.DataFrame) -> None:
    """How many rows there are, by reason, the most frequent first."""
    reasons: Iterable[str] = table["reason"].tolist()
    counts = Counter(reasons).most_common()
    if not counts:
        return
    typer.echo(f"{what}: {len(table):,}")
    for reason, count in counts[:_SHOWN]:
        typer.echo(f"  {count:,}: {reason}")
    if len(counts) > _SHOWN:
        typer.echo(f"  {sum(count for _reason, count in counts[_SHOWN:]):,}: other reasons")

"""The verb perturb: texts with other identities, or without identity words."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import OptionError, TableError, first_ten
from fairness_checklist.core.formatting import join_names
from fairness_checklist.core.option_defaults import TermOptions

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.api.suite import Suite

_PRINTED = 5  # texts


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
    terms: TermOptions,
    task: arguments.TaskName = default.TASK,
    labels: arguments.TableLabels = None,
    kind: Annotated[
        PerturbKind, option(TESTED, "counterfactual: with other terms; scrub: without identity words.")
    ] = PerturbKind.counterfactual,
    names_column: Annotated[
        str, option(TESTED, "With --kind scrub: column with a name to remove from each text.")
    ] = "",
) -> Answer:
    """Write counterfactuals of your texts, by replacing identity terms; or the texts without identity words.

    A term is replaced where the context allows it; the other texts are listed with the reason.

    Example: fairness-checklist perturb reviews.csv --attribute gender --groups women,men --out perturbed

    Example, without words of gender: fairness-checklist perturb reviews.csv --attribute gender --kind scrub
    --out scrubbed
    """
    attributes, mapping = arguments.split_commas(attribute) or [], arguments.read_labels(labels)
    if kind is PerturbKind.scrub:
        return _scrub(texts, attributes, names_column)
    if names_column:
        raise OptionError("--names-column needs --kind scrub.", remedy="Add --kind scrub.")
    return _rewritten(texts, attributes, labels=mapping, task=task, **arguments.term_keywords(terms))


def _rewritten(texts: Path, attributes: Sequence[str], **options: Any) -> Answer:
    """The counterfactuals of a table; the first are printed."""
    from fairness_checklist.api.suite import Suite

    built = Suite.from_texts(texts, attributes, **options)
    left_out, skipped = built.dropped.rename(columns={"template": "id"}), built.skipped
    reasons = {"texts left out": _reasons(left_out), "terms that a text was not rewritten for": _reasons(skipped)}
    return Answer(
        [
            repr(built)[1:-1],
            *_counterfactuals(built),
            *(_first_reason(what, counts) for what, counts in reasons.items() if len(counts)),
        ],
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


def _first_reason(what: str, counts: pd.DataFrame) -> str:
    n, first, reason = int(counts["n"].sum()), int(counts["n"].iloc[0]), counts["reason"].iloc[0]
    return f"{what[0].upper()}{what[1:]}: {n:,}" + (f", {first:,} of them: {reason}" if first < n else f": {reason}")


def _scrub(texts: Path, attributes: Sequence[str], names_column: str) -> Answer:
    """The table with scrubbed texts."""
    from fairness_checklist.extensions.rewriting.scrubbing import scrub
    from fairness_checklist.tables.files import read_table

    if len(attributes) != 1:
        raise OptionError(f"--attribute names {len(attributes)} attributes.", remedy="Name one with --kind scrub.")
    frame = read_table(texts)
    for name in filter(None, ("text", names_column)):
        if name not in frame.columns:
            have = join_names(list(map(str, frame.columns)))
            raise TableError(f"the table has no column {name}.", place=texts.name, remedy=f"Its columns are {have}.")
    if empty := [row for row, missing in enumerate(frame["text"].isna(), start=1) if missing]:
        rows = f"row {empty[0]} has" if len(empty) == 1 else f"rows {first_ten(empty)} have"
        raise TableError(f"{rows} no text.", place=texts.name, remedy="Fill it in, or leave such rows out.")
    names = frame[names_column].fillna("").astype(str) if names_column else [""]
    rows_of = [[text] for text in frame["text"]] if names_column else [frame["text"].tolist()]
    scrubbed = [scrub(rows, attributes[0], names=[name]) for rows, name in zip(rows_of, names, strict=True)]
    after = [text for piece in scrubbed for text in piece.texts]
    removed = [words for piece in scrubbed for words in piece.removed]
    same = [row for row, words in enumerate(removed, start=1) if not words]
    changed = len(removed) - len(same)
    unchanged = f" Unchanged: {'row' if len(same) == 1 else 'rows'} {first_ten(same)}." if same and changed else ""
    pairs = [pair for pair in zip(frame["text"], after, strict=True) if pair[0] != pair[1]][:_PRINTED]
    return Answer(
        [
            f"Words of {attributes[0]} removed from {changed:,} of {len(frame):,} texts.{unchanged}",
            *(f"  {before}\n    {scrubbed_text}" for before, scrubbed_text in pairs),
        ],
        tables={"scrubbed": frame.assign(text_scrubbed=after, removed=[" ".join(words) for words in removed])},
        record={"changed": changed, "texts": len(frame)},
    )

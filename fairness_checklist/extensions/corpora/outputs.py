"""The output of the verbs audit and mitigate: the answer, the tables, the page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from fairness_checklist.extensions.corpora.audit import Audit
    from fairness_checklist.findings.finding import Finding
    from fairness_checklist.reports.wording import Grid

_FORMS = 12  # terms of which the page lists the forms


@dataclass(frozen=True, eq=False)
class Answer:
    """What a verb prints and writes.

    Attributes:
        title: of the page.
        answers: the sentences printed.
        findings: the records behind them, and all others.
        grids: the tables.
        figures: of the JSON.
        written: the tables to write, by file name.
        page: further parts of the page, see `write_page`.
    """

    title: str
    answers: Sequence[str]
    findings: Sequence[Finding]
    grids: Sequence[Grid]
    figures: dict[str, Any]
    written: dict[str, Any]
    page: dict[str, Any] = field(default_factory=dict)


def notes_of(found: Audit) -> list[str]:
    """What to know when reading an audit."""
    there = set(found.terms["term"][found.terms["n"] > 0])
    notes = [
        *notes_on_forms({term: found.forms.get(term, ()) for term in found.names if term in there}),
        "Intervals and tests take the texts as independent. Repeats, threads and few authors make them too narrow.",
    ]
    if found.repeated:
        notes.append(f"{found.repeated:,} of {found.n:,} texts repeat another one word for word.")
    return notes


def notes_on_forms(forms: Mapping[str, Sequence[str]]) -> list[str]:
    """How terms are found, and which forms count as them."""
    several = {term: further for term, further in forms.items() if further}
    if not several:
        return ["A term is found as a whole word in any case, as written; plurals and other forms are not counted."]
    listed = [f"{term} ({', '.join(further)})" for term, further in list(several.items())[:_FORMS]]
    more = f"; {len(several) - _FORMS:,} more in terms.csv" if len(several) > _FORMS else ""
    return [
        "A term is found as a whole word in any case. Forms that count as the term: " + "; ".join(listed) + more + ". "
        "Other forms are not counted. --exact-words counts the terms alone."
    ]


def check_folder(out: Path | None) -> None:
    """Raise `OptionError` where the folder to write holds something else."""
    from fairness_checklist.core.atomic import check_replaceable_folder
    from fairness_checklist.core.errors import OptionError

    if out is not None:
        check_replaceable_folder(out, "audit.html", "an audit", OptionError)


def deliver(found: Answer, out: Path | None, *, tables: bool, as_json: bool) -> None:
    """Print the answer, and write the folder."""
    if as_json:
        _print_json(found)
    else:
        typer.echo("\n".join(found.answers))
        if tables:
            typer.echo("\n" + "\n\n".join(grid.as_text() for grid in found.grids if grid.rows))
    if out is not None:
        _write(found, out)
        if not as_json:
            typer.echo(f"Page: {out / 'audit.html'}")


def _print_json(found: Answer) -> None:
    import pandas as pd

    from fairness_checklist.findings.finding import finding_records

    plain = {
        name: json.loads(one.to_json(orient="records")) if isinstance(one, pd.DataFrame) else one
        for name, one in found.figures.items()
    }
    plain = {name: None if isinstance(one, float) and one != one else one for name, one in plain.items()}
    shown = {"answers": list(found.answers), "findings": finding_records(found.findings), **plain}
    typer.echo(json.dumps(shown, indent=2, ensure_ascii=False))


def _write(found: Answer, out: Path) -> None:
    from fairness_checklist.core.atomic import atomic_folder
    from fairness_checklist.extensions.corpora.page import write_page
    from fairness_checklist.findings.finding import finding_table
    from fairness_checklist.tables.files import write_table

    with atomic_folder(out) as scratch:
        for name, table in {"findings": finding_table(found.findings), **found.written}.items():
            write_table(table, scratch / f"{name}.csv")
        write_page(scratch / "audit.html", found.title, found.answers, grids=found.grids, **found.page)

"""The verb that writes a first version of a user's own files."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class NewSubject(StrEnum):
    """What `new` can write."""

    attribute = "attribute"


def new(
    what: Annotated[NewSubject, typer.Argument(help="What to write.")],
    name: Annotated[str, typer.Argument(help="Its name: letters, digits and _.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder to write; by default one of that name.")
    ] = None,
) -> None:
    """Write terms and templates of an attribute of your own: an example that works, to be replaced.

    Example: fairness-checklist new attribute housing --out mine
    """
    from fairness_checklist.locations import as_written
    from fairness_checklist.suites import write_attribute

    folder = write_attribute(name, out or "")
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    place = shlex.quote(as_written(folder))
    typer.echo(f"{folder}: {', '.join(files)}")
    typer.echo("Put your own rows in the place of the example, then:")
    for command in (
        f"lint {place}",
        f"build --attribute {name} --terms {place}",
        f"run --attribute {name} --terms {place}",
    ):
        typer.echo(f"  fairness-checklist {command}")

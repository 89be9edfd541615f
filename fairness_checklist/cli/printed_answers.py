"""What a verb answers, and the one place where an answer is printed and written."""

from __future__ import annotations

import functools
import inspect
import json
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.core.errors import OptionError

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.findings.finding import Finding
    from fairness_checklist.reports.render import Grid

LINES = 15  # how many lines an answer has on the terminal at most


@dataclass(frozen=True, eq=False)
class Answer:
    """What a verb answers."""

    words: Sequence[str]  # lines for the terminal
    findings: Sequence[Finding] = ()  # the records behind them, and all others
    tables: Mapping[str, pd.DataFrame | Path] = field(default_factory=dict)  # written as ``NAME.csv``; a file is moved
    record: Mapping[str, Any] = field(default_factory=dict)  # what ``--json`` has beside the words and the findings
    shown: Mapping[str, pd.DataFrame] | Sequence[Grid] | None = None
    code: int = 0  # the exit code
    lines: int | None = LINES  # how many lines are printed at most; None for a list of everything that was asked for
    files: Mapping[str, str] = field(default_factory=dict)  # texts that are written as they are, by file name


@dataclass(frozen=True, eq=False)
class Output:
    """Where an answer goes, and how."""

    out: arguments.Out = None
    force: arguments.Force = False
    tables: arguments.Tables = False
    as_json: arguments.Json = False

    def check(self, verb: str) -> None:
        """Raise `OptionError` unless the folder is free; or, with ``--force``, holds an older answer of the verb."""
        from fairness_checklist.core.atomic import check_replaceable_folder

        if self.out is None:
            return
        check_replaceable_folder(self.out, f"{verb}.json", f"an answer of {verb}", OptionError)
        if (self.out / f"{verb}.json").is_file() and not self.force:
            raise OptionError(
                f"the folder {self.out.resolve().name} holds an older answer of {verb}.",
                remedy="Name another folder, or replace that answer: --force.",
            )

    def deliver(self, verb: str, answer: Answer) -> None:
        """Write the folder, and print the words or the JSON."""
        from fairness_checklist.findings.finding import finding_records

        record = {"answer": list(answer.words), "findings": finding_records(answer.findings), **plain(answer.record)}
        place = "" if self.out is None else self._written(self.out, verb, answer, record)
        if self.as_json:
            typer.echo(json.dumps(record, indent=2, ensure_ascii=False))
            return
        lines = "\n".join(answer.words).split("\n")
        most = len(lines) if self.tables or answer.lines is None else answer.lines - bool(place)
        if len(lines) > most:
            lines[most - 1 :] = [f"{len(lines) - most + 1:,} more lines: --tables prints all."]
        typer.echo("\n".join([*lines, *(_shown(answer) if self.tables else ()), *filter(None, [place])]))

    def _written(self, folder: Path, verb: str, answer: Answer, record: Mapping[str, Any]) -> str:
        """Write the folder, whole or not at all; returns the line that names its files."""
        from fairness_checklist.core.atomic import atomic_folder
        from fairness_checklist.findings.finding import finding_table
        from fairness_checklist.tables.files import write_table

        self.check(verb)  # again: another process may have written it since the verb began
        tables = {"findings": finding_table(answer.findings)} if answer.findings else {}
        with atomic_folder(folder) as scratch:
            for name, table in (tables | dict(answer.tables)).items():
                if isinstance(table, Path):
                    shutil.move(table, scratch / f"{name}.csv")
                else:
                    write_table(table, scratch / f"{name}.csv")
            for name, content in answer.files.items():
                (scratch / name).write_text(content, encoding="utf-8", newline="\n")
            files = [*sorted(path.name for path in scratch.iterdir()), f"{verb}.json"]
            text = json.dumps({"verb": verb, "files": files, **record}, indent=2, ensure_ascii=False)
            (scratch / f"{verb}.json").write_text(text + "\n", encoding="utf-8")
        return f"Tables in {folder}: {', '.join(files)}"


def answering(command: Callable[..., Answer]) -> Callable[..., None]:
    """A verb whose answer is printed and written, with the options of `Output` after its own."""
    verb = command.__name__

    @functools.wraps(command)
    def delivered(*, output: Output, **given: Any) -> None:
        output.check(verb)
        answer = command(**given)
        output.deliver(verb, answer)
        if answer.code:
            raise typer.Exit(answer.code)

    signature = inspect.signature(command)
    last = inspect.Parameter("output", inspect.Parameter.KEYWORD_ONLY, annotation=Output)
    delivered.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), last]
    )
    delivered.__annotations__ = {**command.__annotations__, "output": Output}
    return arguments.with_options(delivered)


def _shown(answer: Answer) -> list[str]:
    """The tables that ``--tables`` prints, each after an empty line."""
    tables = answer.tables if answer.shown is None else answer.shown
    if not isinstance(tables, Mapping):
        return [f"\n{grid.as_text()}" for grid in tables if grid.rows]
    return [
        f"\n{name}\n{table.to_string(index=False, float_format=lambda value: f'{value:.3f}', na_rep='-')}"
        for name, table in tables.items()
        if not isinstance(table, Path) and len(table)
    ]


def plain(value: Any) -> Any:
    """A value as JSON has it: a table as its rows, a date as its text, and what is not a finite number as null."""
    import numpy as np
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        return plain(value.to_dict("records"))
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if value is pd.NA or value is pd.NaT or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value.isoformat() if isinstance(value, date) else value

"""The command line, called in the process of the tests."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fairness_checklist.cli import app as cli
from fairness_checklist.cli.json_schemas import schema

PLUGIN = () if entry_points(group="pytest11", name="fairness") else ("-p", "fairness_checklist.pytest_plugin")
"""Options that make pytest load the plugin where the package was installed before it had one."""


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]


@cache
def validator(name: str) -> Any:
    """What validates JSON against one of the package's schemas."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema(name))


def why_not(name: str, record: Any) -> str:
    """Where JSON does not fit a schema of the package, and why; "" where it fits."""
    from jsonschema.exceptions import best_match

    error = best_match(validator(name).iter_errors(record))
    return "" if error is None else f"{name}: {error.json_path}: {error.message}"[:500]


def check_json(words: list[str], out: str) -> None:
    """Fails unless what a verb printed and wrote as JSON fits its schema."""
    records = [(words[0], json.loads(out))] if "--json" in words and out[:1] in ("[", "{") else []
    folder = Path(words[words.index("--out") + 1]) if "--out" in words[:-1] else Path("nowhere")
    for written in (folder / f"{words[0]}.json", folder / "run.json"):
        record = json.loads(written.read_text("utf-8")) if written.is_file() else {}
        records += (
            [("run_json" if "schemas" in record else words[0], record)] if {"verb", "schemas"} & set(record) else []
        )
    wrong = "\n".join(why_not(*record) for record in records).strip()
    assert not wrong, wrong


def caller(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *verb: str) -> Call:
    """A function that runs the command line with these arguments; ``verb`` stands before them.

    JSON that is printed or written has to fit its schema.
    """

    def call(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["fairness-checklist", *verb, *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = Said(code, *capsys.readouterr())
        if code in (0, 1, 4):
            check_json([*verb, *map(str, arguments)], said.out)
        return said

    return call

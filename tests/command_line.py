"""The command line, called in the process of the tests."""

import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import NamedTuple

import pytest

from fairness_checklist.cli import app as cli

PLUGIN = () if entry_points(group="pytest11", name="fairness") else ("-p", "fairness_checklist.pytest_plugin")
"""Options that make pytest load the plugin where the package was installed before it had one."""


class Said(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]


def caller(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *verb: str) -> Call:
    """A function that runs the command line with these arguments; ``verb`` stands before them."""

    def call(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["fairness-checklist", *verb, *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Said(code, *capsys.readouterr())

    return call

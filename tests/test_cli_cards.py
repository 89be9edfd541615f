"""`list metrics ID` prints a metric's card."""

from __future__ import annotations

import json
import sys

import pytest

import fairness_checklist as fc
from fairness_checklist.cli import app as cli


def output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[object, str, str]:
    monkeypatch.setattr(sys, "argv", ["fairness-checklist", "list", *arguments])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    out, err = capsys.readouterr()
    return stop.value.code or 0, out, err


def test_the_card_is_that_of_python(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert output(monkeypatch, capsys, "metrics", "fped") == (0, f"{fc.metrics['fped'].card()}\n", "")
    code, out, _ = output(monkeypatch, capsys, "metrics", "fped", "--json")
    assert code == 0
    assert json.loads(out) == fc.metrics["fped"].card().record()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("metrics", "fpde"), "OptionError: the metric 'fpde' is not known.\n    Did you mean fped?\n"),
        (
            ("terms", "woman"),
            "OptionError: list terms takes no name, and 'woman' is one.\n"
            "    Only metrics have cards: fairness-checklist list metrics fped.\n",
        ),
    ],
)
def test_what_has_no_card_is_refused(
    arguments: tuple[str, str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert output(monkeypatch, capsys, *arguments) == (2, "", message)

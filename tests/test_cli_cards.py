"""`list metrics ID` prints a metric's card."""

from __future__ import annotations

import json

import pytest
from command_line import Said, caller

import fairness_checklist as fc


def output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    return caller(monkeypatch, capsys, "list")(*arguments)


def test_the_card_is_that_of_python(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = output(monkeypatch, capsys, "metrics", "fped")
    assert code == 0
    assert "definition  sum over groups g of |FPR(everyone) - FPR(g)|\n" in out
    assert "range       each [0, 1]; the total [0, G] for G groups\n" in out
    code, out, _ = output(monkeypatch, capsys, "metrics", "fped", "--json")
    assert code == 0
    assert json.loads(out) == fc.metrics.describe("fped")


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

"""Progress: bars and steps on a terminal and in a notebook, and nothing in a pipe."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from orgad2022_compositions import composition_tests

import fairness_checklist as fc
from fairness_checklist.core import progress
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms
from fairness_checklist.extensions.lenses.measured import drawn_values

TWO = np.arange(2)
LABELS, GROUPS = ["yes", "no"] * 10, ["she", "she", "he", "he"] * 5


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """What a terminal shows; bars without their delay."""
    monkeypatch.setattr(progress, "_writes_to_terminal", lambda: True)
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    return lambda: capsys.readouterr().err


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_bar_is_for_a_terminal_alone(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_DELAY", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    with progress.stage("reading"):
        assert [list(progress.followed(range(n), "inner")) for n in progress.followed([1, 2], "outer")] == [[0], [0, 1]]
    found = capsys.readouterr()
    assert found.out == ""
    if not is_terminal:
        assert found.err == ""
        return
    assert "reading ..." in found.err
    assert "outer:   0%" in found.err
    assert "inner" not in found.err  # one bar at a time
    assert not found.err.split("\r")[-1].strip()  # the line is empty again


def test_progress_may_be_turned_off(terminal: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    suite = fc.Suite.from_templates(["I met {a:identity.writer}."], {"deaf": ["deaf"], "hearing": ["hearing"]})
    model = fc.load_model(lambda texts: [0.75] * len(texts))
    terminal()
    suite.run(model, progress=False, draws=0)
    assert terminal() == ""
    suite.run(model, draws=0)
    assert "asking the model" in terminal()
    monkeypatch.setenv("TQDM_DISABLE", "1")
    suite.run(model, draws=0)
    assert terminal() == ""
    monkeypatch.setattr(progress, "_DELAY", 1.0)
    list(progress.followed(range(100), "quick"))
    assert "quick" not in terminal()


@pytest.mark.parametrize(("label", "call"), [
    ("filling templates", lambda: fc.Suite.build("gender", max_terms=1)),
    ("terms in texts", lambda: mentioned_terms(["She left."], ["she"])),
    ("intervals", lambda: drawn_values(lambda _group, weight: weight, TWO, TWO, 0 * TWO, draws=20, seed=0)),
    ("permutations of groups", lambda: drawn_values(lambda moved, _: moved, TWO, TWO, 0 * TWO, draws=20, seed=0)),
    ("balanced sets", lambda: composition_tests(LABELS, LABELS, GROUPS, lambda _cells: np.zeros(1), draws=20)),
    ("simulating", lambda: fc.plan_suite(0.2, repetitions=100)),
])  # fmt: skip
def test_what_takes_long_has_a_bar(label: str, call: Callable[[], Any], terminal: Callable[[], str]) -> None:
    call()
    assert f"{label}:" in terminal()

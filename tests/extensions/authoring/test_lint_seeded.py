"""A hundred seeded errors that the linter finds, each on its line, and a twin of near misses in which it finds none."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from fairness_checklist.extensions.authoring.lint.findings import RULES
from fairness_checklist.extensions.authoring.lint.linter import lint

CONTENT = frozenset("slur phrase cause harm pronoun spelling stop brand lexicon".split())  # noqa: SIM905 - test_lint_content.py has these
SEEDED = Path(__file__).resolve().parent / "seeded_errors"
FOLDERS = sorted(path.name for path in SEEDED.iterdir() if path.is_dir() and path.name != "clean")


def table() -> list[tuple[str, int, str]]:
    """The seeded errors: file, line (0 for the file as a whole) and rule."""
    with (SEEDED / "table.csv").open(encoding="utf-8", newline="") as file:
        return [(row["file"], int(row["line"] or 0), row["rule"]) for row in csv.DictReader(file)]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_seeded_error_is_found_and_nothing_else(folder: str) -> None:
    found = set()
    for finding in lint(SEEDED / folder):
        name, line = finding.order
        found.add((Path(name).relative_to(SEEDED).as_posix(), line, finding.rule))
    assert found == {row for row in table() if row[0].split("/")[0] == folder}


def test_there_are_a_hundred_of_them_of_every_kind() -> None:
    rows = table()
    assert len(rows) == len(set(rows)) >= 100
    assert Counter(rule for _file, _line, rule in rows).keys() == RULES.keys() - {
        "contraction",
        "punctuation",
        "lemma",
    } - (CONTENT - {"phrase", "pronoun"})
    assert all((SEEDED / file).is_file() for file, _line, _rule in rows)


def test_near_misses_are_let_alone() -> None:
    assert [str(finding) for finding in lint(SEEDED / "clean")] == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_reading_every_sentence_finds_no_more(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = lint(SEEDED / folder)
    monkeypatch.setattr("fairness_checklist.extensions.authoring.lint.linter._Filling._doubtful", lambda *_: None)
    assert lint(SEEDED / folder) == found != []

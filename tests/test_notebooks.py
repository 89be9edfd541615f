"""The notebooks: run once each, and what they print is what is stored in them."""

import re
from pathlib import Path

import pytest

pytest.importorskip("nbclient")

from build_notebooks import NAMES, alike, code_cells, executed, outputs, read
from sweep import sweep

MACHINE = re.compile(r"(?<![\w<])/(?:tmp|home|root|Users|work|var|usr|private)/|\b[A-Z]:\\\\")


def test_each_of_the_ten_questions_has_its_notebook() -> None:
    assert [int(name.partition("_")[0]) for name in NAMES] == list(range(1, 11))


@sweep("name", NAMES)
def test_a_notebook_asks_a_question_and_ends_in_a_sentence(name: str) -> None:
    notebook = read(name)
    first, last = notebook.cells[0], notebook.cells[-1]

    assert first.cell_type == last.cell_type == "markdown"
    assert re.match(r"# [^\n]+\?\n", first.source)
    assert re.search(r"[a-z0-9]\.$", last.source)
    assert 1 <= len(code_cells(notebook)) <= 12


@sweep("name", NAMES)
def test_outputs_are_stored_without_warnings_and_paths(name: str) -> None:
    notebook = read(name)
    said = outputs(notebook)

    assert [cell.execution_count for cell in code_cells(notebook)] == list(range(1, len(said) + 1))
    assert {kind for cell in said for kind, _ in cell} <= {"stdout", "text/plain", "text/html", "image/png"}
    texts = [text for cell in said for kind, text in cell if kind != "image/png"]
    assert not [text for text in texts if MACHINE.search(text)]
    assert Path(__file__).parent.parent.joinpath("notebooks", f"{name}.ipynb").stat().st_size < 400_000


def test_a_new_run_prints_what_is_stored() -> None:
    differs = []
    for name, notebook in zip(NAMES, executed(NAMES), strict=True):
        stored, new = outputs(read(name)), outputs(notebook)
        assert [[kind for kind, _ in cell] for cell in new] == [[kind for kind, _ in cell] for cell in stored], name
        differs += [
            (name, before, after)
            for old_cell, new_cell in zip(stored, new, strict=True)
            for (_, before), (_, after) in zip(old_cell, new_cell, strict=True)
            if not alike(before, after)
        ]
    assert not differs, "The outputs have changed: run `make notebooks` and read the last sentence of this one again."

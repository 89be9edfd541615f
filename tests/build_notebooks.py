"""Runs the notebooks and writes their outputs: `make notebooks`, or `python tests/build_notebooks.py 1_build_a_suite`.

`tests/test_notebooks.py` runs them in the same way and compares. After a change of outputs read the last sentence of
the notebook again: it says in words what they show.
"""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from html import unescape
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NAMES = tuple(sorted((path.stem for path in FOLDER.glob("*.ipynb")), key=lambda name: int(name.partition("_")[0])))
_OFFLINE = {"HF_HUB_OFFLINE": "1", "MPLBACKEND": "Agg", "TQDM_DISABLE": "1"}  # bars would be stored
_FORGET = "%reset_selective -f .\nimport pandas as pd\npd.reset_option('display.max_colwidth')\ndel pd"
_SAID = ("text/plain", "text/html", "text/markdown")
_VARIES = (
    (re.compile(r"<style>.*?</style>", re.DOTALL), ""),
    (re.compile(r"0x[0-9a-f]+"), "ADDRESS"),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms|seconds?|minutes?)\b"), "DURATION"),
    (re.compile(r"-{2,}|\s+"), " "),  # a table is as wide as its numbers
)
_NUMBER = re.compile(r"(-?\d+\.\d+)")
_STEPS = 2  # of the last digit that is printed: another processor rounds otherwise


def read(name: str) -> nbformat.NotebookNode:
    """A notebook as it is stored."""
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def executed(names: Sequence[str]) -> list[nbformat.NotebookNode]:
    """The notebooks after a run in an empty folder, one after the other in one process, without a network."""
    notebooks = [read(name) for name in names]
    whole = nbformat.v4.new_notebook()
    for notebook in notebooks:
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        whole.cells += [*notebook.cells, nbformat.v4.new_code_cell(_FORGET)]
    before = {key: os.environ.get(key) for key in _OFFLINE}
    os.environ.update(_OFFLINE)  # the kernel inherits them
    try:
        with tempfile.TemporaryDirectory() as folder:
            options: dict[str, Any] = {"timeout": 900, "kernel_name": "python3", "record_timing": False}
            NotebookClient(whole, resources={"metadata": {"path": folder}}, **options).execute()
    finally:
        for key, value in before.items():
            os.environ.pop(key) if value is None else os.environ.update({key: value})
    return notebooks


def outputs(notebook: nbformat.NotebookNode) -> list[list[tuple[str, str]]]:
    """What each code cell put out: (kind, text), of pictures the kind alone."""
    return [_joined([said for one in cell.outputs for said in _said(one)]) for cell in code_cells(notebook)]


def _joined(said: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """One text of what was printed in pieces, as the kernel happens to send them."""
    parts = groupby(said, key=lambda one: (one[0], one[0] == "stdout" or id(one)))
    return [(kind, "".join(text for _, text in several)) for (kind, _), several in parts]


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _said(output: nbformat.NotebookNode) -> list[tuple[str, str]]:
    if output.output_type == "stream":
        return [(output.name, output.text)]
    if output.output_type == "error":
        return [("error", output.evalue)]
    return [(kind, text if kind in _SAID else "") for kind, text in sorted(output.data.items())]


def normal(text: str) -> str:
    """A text without what differs between two runs: dates, durations, addresses, styles and widths.

    >>> normal("<f at 0x7f3a>  took 1.5 s on 2026-01-31")
    '<f at ADDRESS> took DURATION on DATE'
    """
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return unescape(text).strip()


def alike(stored: str, new: str) -> bool:
    """Whether two texts say the same, up to the last digits of decimal numbers.

    >>> alike("gap 0.161, 8 terms", "gap  0.162, 8 terms"), alike("gap 0.161", "gap 0.17"), alike("8 terms", "9 terms")
    (True, False, False)
    """
    pairs = zip_longest(_NUMBER.split(normal(stored)), _NUMBER.split(normal(new)), fillvalue="")
    return all(left == right or _close(left, right) for left, right in pairs)


def _close(left: str, right: str) -> bool:
    if not (_NUMBER.fullmatch(left) and _NUMBER.fullmatch(right)):
        return False
    places = len(left.partition(".")[2])
    return len(right.partition(".")[2]) == places and abs(float(left) - float(right)) < (_STEPS + 0.5) * 10**-places


def main(names: list[str]) -> None:
    for name in names or NAMES:
        [notebook] = executed([name])
        nbformat.write(notebook, FOLDER / f"{name}.ipynb")
        print(f"notebooks/{name}.ipynb. It ends: {notebook.cells[-1].source.splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

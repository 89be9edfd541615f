"""The examples in the docstrings of the papers' scripts."""

import doctest
from importlib import import_module
from pathlib import Path

from sweep import sweep

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "papers"


@sweep("name", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_the_examples_run(name: str) -> None:
    assert doctest.testmod(import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0

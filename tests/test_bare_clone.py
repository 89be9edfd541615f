"""The suite needs nothing beside the clone: what reads data of its developers says so, and only that is skipped."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from shared_data import ROOT, SHARED
from sweep import sweep

TESTS = ROOT / "tests"


def paths_above_the_repository(source: str, depth: int) -> list[int]:
    """The lines with a path that leaves the repository: `parents[n]` or as many `.parent` of a file at this depth."""
    lines = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") == "parents":
            if isinstance(node.slice, ast.Constant) and int(str(node.slice.value)) > depth:
                lines.append(node.lineno)
        elif isinstance(node, ast.Attribute) and node.attr == "parent":
            steps, inner = 0, node
            while isinstance(inner, ast.Attribute) and inner.attr == "parent":
                steps, inner = steps + 1, inner.value  # type: ignore[assignment]
            if steps > depth + 1 or (steps and getattr(inner, "id", "") in ("ROOT", "REPOSITORY", "PROJECT")):
                lines.append(node.lineno)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "../shared" in node.value:
            lines.append(node.lineno)
    return lines


def test_no_test_module_names_a_path_outside_the_repository() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sorted(TESTS.rglob("*.py"))
        if path.name not in ("shared_data.py", Path(__file__).name)
        and (lines := paths_above_the_repository(path.read_text("utf-8"), len(path.relative_to(TESTS).parts)))
    }
    assert found == {}


@sweep("source", [
    "Path(__file__).resolve().parents[2]",
    "Path(__file__).parent.parent.parent",
    "ROOT.parent",
    "open('../shared/x')",
])  # fmt: skip
def test_such_a_path_is_found(source: str) -> None:
    assert paths_above_the_repository(source, 1) == [1]


def test_what_reads_beside_the_checkout_without_the_mark_fails() -> None:
    with pytest.raises(AssertionError, match="without the mark shared_data"):
        (SHARED / "sst5").joinpath("dev.txt").open()


@pytest.mark.shared_data
def test_what_has_the_mark_may_read() -> None:
    assert {path.name for path in SHARED.iterdir()} >= {"dixon", "gap", "ner"}


def test_few_tests_need_more_than_the_clone(request: pytest.FixtureRequest) -> None:
    """Counted where the whole suite is collected; what a user's trust rests on stands in `tests/data`."""
    marked = [item for item in request.session.items if item.get_closest_marker("shared_data")]
    assert len(marked) <= 100

"""The budgets of the house: a capability that does not fit takes the place of another."""

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE, TESTS = ROOT / "fairness_checklist", ROOT / "tests"
BESIDE = (PACKAGE / "extensions", PACKAGE / "checklist.py")


def modules(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def lines(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def words(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").split()) for path in paths)


def is_beside(path: Path) -> bool:
    """Whether a module of the package is beside the core."""
    return any(path == place or place in path.parents for place in BESIDE)


def test_lines() -> None:
    """The package is to have 42,000 lines: until then this limit only falls."""
    core = [path for path in modules(PACKAGE) if not is_beside(path)]
    assert lines(modules(PACKAGE)) <= 42_000
    assert lines(core) <= 25_000
    assert lines(modules(PACKAGE / "findings", PACKAGE / "statistics", PACKAGE / "reports")) <= 4_700
    assert lines(modules(TESTS)) <= 30_000
    assert lines(modules(ROOT / "benchmarks")) <= 11_000
    assert max(lines([path]) for path in modules(PACKAGE)) <= 400


def test_words_of_the_pages() -> None:
    assert words((ROOT / "docs").glob("*.md")) <= 25_000
    assert words([ROOT / "README.md"]) <= 900
    assert len((ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()) <= 80


def test_number_of_tests(request: pytest.FixtureRequest) -> None:
    """Counted where all tests are collected: of a part of them nothing is known."""
    items = request.session.items
    files = {Path(item.path) for item in items}
    if not set(TESTS.rglob("test_*.py")) <= files:
        pytest.skip("not all files of tests are collected")
    assert len(items) <= 3_500


def test_empty_words_are_not_names() -> None:
    """Names that say nothing, where a noun would say what the thing is."""
    empty = {"at", "own", "known", "kept", "there", "shown", "given", "one", "part", "some"}
    bound = 0
    for path in modules(PACKAGE):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id
            bound += ((isinstance(node, ast.arg) and node.arg) or stored) in empty
    assert bound < 700


def test_no_decision_is_made_on_a_sentence() -> None:
    """Reasons and notes are codes: no code asks how their words begin or end, or which words they hold."""
    methods = {"startswith", "endswith", "removeprefix", "removesuffix"}
    sentences = {"note", "notes", "reason", "reasons", "sentence", "message"}
    asked = []
    for path in modules(PACKAGE):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in methods:
                of = node.func.value
                name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
                asked += [f"{path.relative_to(ROOT)}:{node.lineno}"] if name in sentences else []
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                within, sought = node.comparators[0], node.left
                name = within.id if isinstance(within, ast.Name) else getattr(within, "attr", "")
                text = isinstance(sought, ast.Constant) and isinstance(sought.value, str)
                asked += [f"{path.relative_to(ROOT)}:{node.lineno}"] if text and name in sentences - {"notes"} else []
    assert asked == []

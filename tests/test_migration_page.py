"""docs/checklist.md: each call that it names exists, and its arguments are as it says."""

import gc
import importlib
import inspect
import re
import warnings
from types import SimpleNamespace
from typing import Any

import pytest
from sweep import sweep
from test_docs import Row, codes, page, section, tables

from fairness_checklist import checklist as ours

[CALLS] = tables(section(page("checklist.md"), "The calls"))
ROWS = [row for row in CALLS if row["here"]]
HOME: Any = inspect.getmodule(ours.TestSuite)
"""The module of the suite, with the functions that it calls."""
OURS: dict[str, Any] = {
    **{name: getattr(ours, name) for name in ours.__all__},
    "editor": ours.Editor,
    "test": ours.INV,
    "suite": ours.TestSuite,
}


@pytest.fixture(scope="module")
def theirs(checklist: Any, checklist_perturb: Any) -> SimpleNamespace:
    """CheckList's classes by the names in the table."""
    with warnings.catch_warnings():  # it leaves its files open
        warnings.simplefilter("ignore")
        editor = importlib.import_module("checklist.editor")
        made = editor.Editor()
        gc.collect()
    kinds = {name: getattr(checklist.test_types, name) for name in ("MFT", "INV", "DIR")}
    return SimpleNamespace(
        **kinds,
        Editor=editor.Editor,
        editor=editor.Editor,
        made=made,
        keys=editor.find_all_keys,
        test=checklist.abstract_test.AbstractTest,
        Expect=checklist.expect.Expect,
        TestSuite=checklist.test_suite.TestSuite,
        suite=checklist.test_suite.TestSuite,
        PredictorWrapper=checklist.pred_wrapper.PredictorWrapper,
        Perturb=checklist_perturb,
    )


def parts(call: str) -> tuple[str, list[str], list[str]]:
    """The first name of a call, the attributes after it, and its arguments."""
    found = re.fullmatch(r"(\w+)((?:\.\w+)*)(?:\((.*)\))?", call)
    assert found, call
    arguments = [one.split("=")[0].strip() for one in (found[3] or "").split(",") if one.strip()]
    return found[1], found[2].split(".")[1:], arguments


def resolve(names: dict[str, Any], call: str) -> Any:
    first, attributes, _ = parts(call)
    value = names[first]
    for name in attributes:
        value = getattr(value, name)
    return value


def parameters(function: Any) -> dict[str, inspect.Parameter]:
    return {name: one for name, one in inspect.signature(function).parameters.items() if name != "self"}


def compared(function: Any) -> list[inspect.Parameter]:
    """The parameters with names of their own, but for a first one without a default: it is given by position."""
    found = [one for one in parameters(function).values() if one.kind is one.POSITIONAL_OR_KEYWORD]
    return found[1:] if found and found[0].default is found[0].empty else found


def having(column: str) -> list[Row]:
    """The rows with calls in a column."""
    return [row for row in ROWS if row[column] != "none"]


def here(row: Row) -> list[str]:
    """The calls of ours in a row: "same" stands for the names of CheckList."""
    return codes(row["CheckList" if row["here"] == "same" else "here"])


@sweep("row", having("here"))
def test_each_call_of_ours_exists_and_one_in_its_row_takes_the_arguments(row: Row) -> None:
    functions = [resolve(OURS, call) for call in here(row)]
    known = {name for function in functions for name in parameters(function)} | set(parameters(HOME.summary_text))
    assert set(re.findall(r"`(\w+)=\w*`", row["difference"])) <= known


def named_in(cell: str) -> set[str]:
    """The words in backticks."""
    return {word for code in codes(cell) for word in re.findall(r"\w+", code)}


@sweep("row", having("CheckList"))
def test_all_arguments_are_the_same_but_for_those_that_are_named(row: Row, theirs: SimpleNamespace) -> None:
    left = codes(row["CheckList"])
    assert all(resolve(vars(theirs), call) for call in left)
    if row["here"] == "none":
        return
    for call, counterpart in zip(left, here(row), strict=True):
        our = parameters(resolve(OURS, counterpart))
        for one in compared(resolve(vars(theirs), call)):
            mine = our.get(one.name)
            same = mine is not None and (mine.default, mine.kind) == (one.default, one.kind)
            assert same or one.name in named_in(row["difference"]), f"{counterpart}: {one.name}"


def test_calls_that_are_not_in_the_table_are_the_same(theirs: SimpleNamespace) -> None:
    listed = {".".join([parts(call)[0], *parts(call)[1]]) for row in ROWS for call in codes(row["CheckList"])}
    public = {"Editor", "MFT", "INV", "DIR", "TestSuite"}
    for name in ("editor", "test", "suite", "Expect", "Perturb", "PredictorWrapper"):
        calls = inspect.getmembers(getattr(theirs, name), callable)
        public |= {f"{name}.{call}" for call, _ in calls if not call.startswith("_")}
    assert listed <= public
    for call in public - listed:
        our = parameters(resolve(OURS, call))
        for one in compared(resolve(vars(theirs), call)):
            assert (our[one.name].default, our[one.name].kind) == (one.default, one.kind), f"{call}: {one.name}"

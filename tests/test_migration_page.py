"""docs/checklist.md: each call that it names exists, its arguments are as it says, and each difference is one."""

from __future__ import annotations

import gc
import importlib
import inspect
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sweep import sweep
from test_docs import Row, codes, page, section, tables

from fairness_checklist import checklist as ours
from fairness_checklist.core.errors import MissingExtraError
from fairness_checklist.extensions.checklist.library import import_checklist

[CALLS] = tables(section(page("checklist.md"), "The calls"))
ROWS = [row for row in CALLS if row["here"]]
[DIFFERENT] = tables(section(page("checklist.md"), "Different on purpose"))
HOME: Any = inspect.getmodule(ours.TestSuite)
"""The module of the suite, with the functions that it calls."""
OURS: dict[str, Any] = {
    **{name: getattr(ours, name) for name in ours.__all__},
    "editor": ours.Editor,
    "test": ours.INV,
    "suite": ours.TestSuite,
}


@pytest.fixture(scope="module")
def theirs() -> Iterator[SimpleNamespace]:
    """CheckList's classes by the names in the table; the import of its perturbations needs the names of ``pattern``."""
    try:
        package = import_checklist()
    except MissingExtraError:
        pytest.skip("CheckList is not installed")
    stub, english = ModuleType("pattern"), ModuleType("pattern.en")
    english.tenses = stub.en = None  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pattern", stub)
        patch.setitem(sys.modules, "pattern.en", english)
        patch.delitem(sys.modules, "checklist.perturb", raising=False)
        with warnings.catch_warnings():  # it leaves its files open
            warnings.simplefilter("ignore")
            perturb = importlib.import_module("checklist.perturb").Perturb
            editor = importlib.import_module("checklist.editor")
            made = editor.Editor()
            gc.collect()
        kinds = {name: getattr(package.test_types, name) for name in ("MFT", "INV", "DIR")}
        yield SimpleNamespace(
            **kinds,
            Editor=editor.Editor,
            editor=editor.Editor,
            made=made,
            keys=editor.find_all_keys,
            test=package.abstract_test.AbstractTest,
            Expect=package.expect.Expect,
            TestSuite=package.test_suite.TestSuite,
            suite=package.test_suite.TestSuite,
            PredictorWrapper=package.pred_wrapper.PredictorWrapper,
            Perturb=perturb,
        )
        sys.modules.pop("checklist.perturb", None)


# The calls


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


# Different on purpose


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives; of an error its class."""
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def certain(texts: list[Any]) -> Any:
    """A model that is sure of the first of two classes."""
    return np.zeros(len(texts), dtype=int), np.tile([0.9, 0.1], (len(texts), 1))


def ran(test: Any, model: Any = certain, **options: Any) -> Any:
    test.run(model, verbose=False, **options)
    return test


def leaves_the_global_generator(package: Any) -> bool:
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    ran(package.MFT(["a", "b"], labels=1), n=1, seed=int(1e6))
    return bool(np.random.get_state()[1].tolist() == before)  # type: ignore[index]


def slice_arguments(package: Any) -> list[Any]:
    """The second arguments that the function of ``slice_orig`` gets."""
    seen: list[Any] = []

    def keep(pred: Any, second: Any) -> bool:
        seen.append(np.asarray(second).tolist())
        return True

    expect = package.Expect.slice_orig(package.Expect.inv(), keep)
    ran(package.INV([["a", "b"]], expect=expect), lambda _: ([0, 1], [np.array([0.9, 0.1]), np.array([0.2, 0.8])]))
    return seen


def run_with_predictions(package: Any, n: int) -> list[int]:
    """The failing cases of a test of two texts that gets n predictions."""
    return fails(package.INV([["a", "b"]]), lambda _: ([0] * n, [np.array([0.9, 0.1])] * n))


def fails(test: Any, model: Any = certain) -> list[int]:
    found: list[int] = ran(test, model).fail_idxs().tolist()
    return found


def pairs(filled: Any) -> bool:
    """Whether texts and labels are as written."""
    return bool((filled.data, filled.labels) == (["good", "not good"], ["+", "-"]))


class Pickled:
    """Opening it calls a function."""

    def __reduce__(self) -> Any:
        return sorted, (["code", "was", "run"],)


Both = Callable[[Any, Any, Path], Any]
"""From a package, an editor of it and a path to what the package gives."""


@dataclass(frozen=True)
class Difference:
    """A row of the table: what to do with both packages, and what each gives.

    Attributes:
        our_call: what to do with ours, where its call is another one.
    """

    topic: str
    call: Both
    theirs: Any
    ours: Any
    our_call: Both | None = None


FILLED: dict[str, Any] = {"templates": "{b} {a}", "a": ["1", "2"], "b": ["x", "y"]}

DIFFERENCES = (
    Difference(
        "order of fills",
        lambda p, e, _: type(p.keys("{b} {a}")),
        set,  # of strings: its order is another one in each process
        ["x 1", "x 2", "y 1", "y 2"],
        lambda p, e, _: e.template(**FILLED).data,
    ),
    Difference("random draws", lambda p, e, _: leaves_the_global_generator(p), False, True),
    Difference("articles, `{a:x}`", lambda p, e, _: e.template("{a:x}", x=["hour"]).data, ["a hour"], ["an hour"]),
    Difference(
        "labels with `unroll`",
        lambda p, e, _: pairs(e.template(["{x}", "not {x}"], x=["good"], labels=["+", "-"], unroll=True)),
        False,
        True,
    ),
    Difference(
        "`+` of results without and with labels",
        lambda p, e, _: outcome(lambda: list(e.template("a") + e.template("b", labels=1))),
        ["data"],
        "OptionError",
    ),
    Difference(
        "second argument in `slice_orig`",
        lambda p, e, _: slice_arguments(p),
        [0, 1],
        [[0.9, 0.1], [0.9, 0.1]],
    ),
    Difference(
        "number of predictions",
        lambda p, e, _: [outcome(partial(run_with_predictions, p, n)) for n in (1, 3)],
        [[], []],
        ["AlignmentError", "AlignmentError"],
    ),
    Difference(
        "pickles",
        lambda p, e, path: p.TestSuite.from_file(path),
        ["code", "run", "was"],
        "TableError",
        lambda p, e, path: outcome(lambda: p.TestSuite.from_checklist(path)),
    ),
    Difference(
        "text unchanged by a perturbation",
        lambda p, e, _: p.Perturb.perturb(["a"], str).data,
        [["a", "a"]],
        [],
    ),
)


def test_all_differences_on_the_page_are_tested() -> None:
    assert {row["topic"] for row in DIFFERENT} <= {one.topic for one in DIFFERENCES}


@sweep("one", DIFFERENCES)
def test_a_difference_is_as_in_the_table(one: Difference, theirs: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(pickle.dumps(Pickled()))
    our = (one.our_call or one.call)(ours, ours.Editor(), path)
    path.write_bytes(pickle.dumps(Pickled()))
    with warnings.catch_warnings():  # CheckList leaves its files open
        warnings.simplefilter("ignore", ResourceWarning)
        their = one.call(theirs, theirs.made, path)
        gc.collect(1)  # what is old holds no file of theirs

    assert (their, our) == (one.theirs, one.ours)

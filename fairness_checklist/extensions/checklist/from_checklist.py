"""CheckList's tests and suites as ours: objects in memory, and files that CheckList saved.

The functions of `Expect` are recognised by where they were defined and by the variables they hold. A function of the
user's is called where it is in memory; from a file it is only named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.errors import SuiteError
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import KINDS, BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expect import Aggregate, Expect
from fairness_checklist.extensions.checklist.behavioral.expectation import Expectation, UnknownFunction, is_list
from fairness_checklist.extensions.checklist.behavioral.test_results import Responses
from fairness_checklist.extensions.checklist.saved.pickles import MALFORMED, not_a_suite, read_saved
from fairness_checklist.extensions.checklist.saved.stand_ins import SavedFunction, SavedObject

_DEEPEST = 8
_EXPECT = re.compile(r"checklist[/\\]expect\.py$")
_CELL = re.compile(r"<(ipython-input[^>]*|stdin|string)>")


def read_tests(source: Any) -> tuple[dict[str, BehavioralTest], dict[str, Any]]:
    """The tests of a suite, or a test by itself.

    Args:
        source: a suite or a test of CheckList's in memory, or the path of a file that one of them was saved to.

    Returns:
        The tests by name, with their predictions where they were run; and for each the slice of the texts of the
        suite's file of predictions, where the suite holds it.

    Raises:
        SuiteError: something else, or no tests.
        TableError: the file cannot be read; see `pickles.read_saved`.
    """
    if isinstance(source, (str, Path)):
        found = read_saved(source)
        try:
            return _read(found)
        except MALFORMED as error:
            if isinstance(error, SuiteError):
                raise
            raise not_a_suite(Path(source), error) from error
    return _read(source)


def _read(found: Any) -> tuple[dict[str, BehavioralTest], dict[str, Any]]:
    attributes = _attributes(found)
    kind = _kind(found)
    if kind == "TestSuite":
        information = attributes.get("info") or {}
        tests = {
            str(name): convert(test, str(name), dict(information.get(name) or {}))
            for name, test in attributes.get("tests", {}).items()
        }
        if not tests:
            raise SuiteError("the suite holds no tests.", remedy="Add one before you hand it over: suite.add(test).")
        return tests, {str(name): tuple(span) for name, span in (attributes.get("test_ranges") or {}).items()}
    if kind not in KINDS:
        raise SuiteError(
            f"a {type(found).__name__} is neither a test nor a suite of CheckList's.",
            remedy="Give an MFT, INV, DIR or TestSuite, or the path of the file that one was saved to.",
        )
    name = str(attributes.get("name") or kind)
    return {name: convert(found, name, {})}, {}


def convert(saved: Any, name: str, information: Mapping[str, Any]) -> BehavioralTest:
    """A test of CheckList's as one of ours.

    Args:
        saved: the test, in memory or read from a file.
        name: its name in the suite.
        information: what the suite holds of it: ``capability``, ``description``.
    """
    held = _attributes(saved)
    data = _plain_cases(held["data"])
    made = KINDS[_kind(saved)](
        data,
        expect=recognise(held["expect"]),
        labels=_plain(held.get("labels")),
        meta=_plain(held.get("meta")),
        agg_fn=_aggregate(held.get("agg_fn", "all")),
        templates=held.get("templates"),
        name=name,
        capability=str(information.get("capability") or held.get("capability") or ""),
        description=str(information.get("description") or held.get("description") or ""),
    )
    run = held.get("run_idxs")
    made.run_idxs = None if run is None else np.asarray(run, dtype=np.int64)
    results = held.get("results")
    if results and results.get("preds") is not None:
        made.results = Responses(list(results["preds"]), list(results["confs"]))
        try:
            made.update_expect()
        except MALFORMED as error:  # of this test only; the others of the suite are read
            unknown = UnknownFunction(f"{made.expect}, which raises {type(error).__name__} on its predictions")
            made.set_expect(Expectation("function", unknown, {"fn": unknown}))
    return made


def recognise(function: Any, depth: int = 0) -> Expectation:
    """The expectation that a function of CheckList's makes.

    Args:
        function: in memory, or read from a file.
        depth: how many expectations it stands in; the innermost of more than eight are unknown.

    Returns:
        An expectation with the same results. Where a function of the user's is in it that stood in a file, it is
        ``unknown`` and gives no results.
    """
    if isinstance(function, Expectation):
        return function
    view = _view(function)
    if view is None or not _EXPECT.search(view.file) or depth > _DEEPEST:
        return Expectation("function", _of_user(function), {"fn": _of_user(function)})
    cells = view.cells
    if view.name == "expect" and view.arguments == ("self",):
        return _of_cases(cells["fn"]) if "zipped" in view.local_names else Expect.test(_of_user(cells["fn"]))
    if view.name == "wrapped":
        sliced = recognise(cells["expect_fn"], depth + 1), recognise(cells["slice_fn"], depth + 1)
        return Expect.wrap_slice(*sliced, _aggregate(cells["agg_fn"]))
    if view.name == "tmp_fn" and "combine_fn" in cells:
        pair = recognise(cells["expect_fn1"], depth + 1), recognise(cells["expect_fn2"], depth + 1)
        combine = _view(cells["combine_fn"])
        if combine is not None and combine.name == "combine_fn" and _EXPECT.search(combine.file):
            return Expect.combine_and(*pair) if "min" in combine.names else Expect.combine_or(*pair)
        return Expect.combine(*pair, _of_user(cells["combine_fn"]), bool(cells["ignore_none"]))
    return Expectation("function", _of_user(function), {"fn": _of_user(function)})


def _of_cases(function: Any) -> Expectation:
    """The expectation of a function of one case."""
    view = _view(function)
    if view is None or not _EXPECT.search(view.file) or view.name != "expect_fn":
        return Expect.testcase(_of_user(function))
    inner = view.cells["fn"]
    held = _view(inner)
    if "labels" in view.arguments:
        if held is None or held.name != "expect" or not _EXPECT.search(held.file):
            return Expect.pairwise(_of_user(inner))
        cells = held.cells
        if "keep_label" in cells:
            return Expect.monotonic(_plain(cells["keep_label"]), bool(cells["increasing"]), float(cells["tolerance"]))
        return Expect.inv(float(cells["tolerance"]))
    if held is not None and held.name == "ret_fn" and _EXPECT.search(held.file):
        return Expect.eq(_plain(held.cells["val"]))
    return Expect.single(_of_user(inner))


def _aggregate(agg_fn: Any) -> Aggregate:
    view = _view(agg_fn)
    if view is not None and _EXPECT.search(view.file) and "ignore_first" in view.cells:
        return Expect.all(ignore_first=bool(view.cells["ignore_first"]))
    return agg_fn if isinstance(agg_fn, str) else _of_user(agg_fn)


def _view(function: Any) -> SavedFunction | None:
    """What is known of a function; None of a callable that is no Python function."""
    if isinstance(function, SavedFunction):
        return function
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    values = [_contents(cell) for cell in function.__closure__ or ()]
    return SavedFunction(
        code.co_name,
        code.co_filename,
        code.co_varnames[: code.co_argcount],
        code.co_varnames,
        code.co_names,
        None,
        dict(zip(code.co_freevars, values, strict=True)),
    )


def _contents(cell: Any) -> Any:
    """The value of a variable of the function around; None where it has none yet, or no longer."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _of_user(function: Any) -> Callable[..., Any]:
    """The user's function where it is in memory, or is a comparison; else a record that names it."""
    if isinstance(function, SavedFunction):
        if function.condition is not None:
            return function.condition
        if "slice_fn" in function.cells:  # CheckList's slice_orig wraps the user's function
            return _of_user(function.cells["slice_fn"])
        cell = _CELL.search(function.file)
        place = "a notebook" if cell else re.split(r"[/\\]", function.file)[-1]
        return UnknownFunction(function.name, function.arguments, place)
    if not callable(function):
        return UnknownFunction(repr(function))
    known: Callable[..., Any] = function
    return known


def _kind(value: Any) -> str:
    return value.of if isinstance(value, SavedObject) else type(value).__name__


def _attributes(value: Any) -> Mapping[str, Any]:
    if isinstance(value, SavedObject):
        return value.attributes
    held: Mapping[str, Any] = getattr(value, "__dict__", {})
    return held


def _plain(value: Any) -> Any:
    """A value without NumPy's own number types; arrays become lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def _plain_cases(data: Any) -> list[Any]:
    return [list(case) if is_list(case) else _plain(case) for case in data]

"""CheckList's tests and suites as ours: objects in memory, and files that CheckList saved.

The functions of `Expect` are recognised by where they were defined and by the variables they hold. A function of the
user's is called where it is in memory; from a file it is only named.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.errors import SuiteError
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import KINDS, BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expect import (
    Aggregate,
    Expect,
    Expectation,
    UnknownFunction,
    as_expectation,
    is_list,
)
from fairness_checklist.extensions.checklist.behavioral.summary import Responses
from fairness_checklist.extensions.checklist.pickles import (
    MALFORMED,
    SavedFunction,
    SavedObject,
    not_a_suite,
    read_saved,
)

_DEEPEST = 8
_EXPECT = re.compile(r"checklist[/\\]expect\.py$")
_CELL = re.compile(r"<(ipython-input[^>]*|stdin|string)>")


def read_tests(source: Any) -> tuple[dict[str, BehavioralTest], dict[str, Any]]:
    """The tests of a suite or a test, in memory or in a file, by name, and for each the span of its texts if known."""
    if not isinstance(source, (str, Path)):
        return _tests(_as_saved(source))
    saved = read_saved(source)
    try:
        return _tests(saved)
    except SuiteError:
        raise
    except MALFORMED as error:
        raise not_a_suite(Path(source), error) from error


def _tests(saved: SavedObject) -> tuple[dict[str, BehavioralTest], dict[str, Any]]:
    attributes = saved.attributes
    if saved.kind == "TestSuite":
        information = attributes.get("info") or {}
        tests = {
            str(name): _converted(_as_saved(test), str(name), dict(information.get(name) or {}))
            for name, test in attributes.get("tests", {}).items()
        }
        if not tests:
            raise SuiteError("the suite holds no tests.", remedy="Add one before you hand it over: suite.add(test).")
        return tests, {str(name): tuple(span) for name, span in (attributes.get("test_ranges") or {}).items()}
    if saved.kind not in KINDS:
        raise SuiteError(
            f"a {saved.kind} is neither a test nor a suite of CheckList's.",
            remedy="Give an MFT, INV, DIR or TestSuite, or the path of the file that one was saved to.",
        )
    name = str(attributes.get("name") or saved.kind)
    return {name: _converted(saved, name, {})}, {}


def _converted(saved: SavedObject, name: str, information: Mapping[str, Any]) -> BehavioralTest:
    held = saved.attributes
    made = KINDS[saved.kind](
        [list(case) if is_list(case) else _plain(case) for case in held["data"]],
        expect=_recognised(held["expect"]),
        labels=_plain(held.get("labels")),
        meta=_plain(held.get("meta")),
        agg_fn=_aggregate(held.get("agg_fn", "all")),
        templates=held.get("templates"),
        name=name,
        capability=str(information.get("capability") or held.get("capability") or ""),
        description=str(information.get("description") or held.get("description") or ""),
    )
    run = held.get("run_idxs")
    made.run_idxs = made.drawn = None if run is None else np.asarray(run, dtype=np.int64)
    results = held.get("results")
    if results and results.get("preds") is not None:
        made.results = Responses(list(results["preds"]), list(results["confs"]))
        try:
            made.update_expect()
        except MALFORMED as error:  # of this test only; the others of the suite are read
            why = f"{made.expect}, which raises {type(error).__name__} on its predictions"
            made.set_expect(as_expectation(UnknownFunction(why)))
    return made


def _recognised(function: Any, depth: int = 0) -> Expectation:
    """The expectation that a function of CheckList's makes, `_DEEPEST` of them within each other at most."""
    if isinstance(function, Expectation):
        return function
    view = None if depth > _DEEPEST else _view(function, "expect", "wrapped", "tmp_fn")
    cells = {} if view is None else view.cells
    if view is not None and view.name == "expect" and view.arguments == ("self",):
        return (
            _case_expectation(cells["fn"])
            if "zipped" in view.local_names
            else Expect.test(_function_or_name(cells["fn"]))
        )
    if view is not None and view.name == "wrapped":
        sliced = _recognised(cells["expect_fn"], depth + 1), _recognised(cells["slice_fn"], depth + 1)
        return Expect.wrap_slice(*sliced, _aggregate(cells["agg_fn"]))
    if view is not None and view.name == "tmp_fn" and "combine_fn" in cells:
        pair = _recognised(cells["expect_fn1"], depth + 1), _recognised(cells["expect_fn2"], depth + 1)
        combine = _view(cells["combine_fn"], "combine_fn")
        if combine is not None:
            return Expect.combine_and(*pair) if "min" in combine.names else Expect.combine_or(*pair)
        return Expect.combine(*pair, _function_or_name(cells["combine_fn"]), bool(cells["ignore_none"]))
    return as_expectation(_function_or_name(function))


def _case_expectation(function: Any) -> Expectation:
    view = _view(function, "expect_fn")
    if view is None:
        return Expect.testcase(_function_or_name(function))
    inner = view.cells["fn"]
    if "labels" in view.arguments:
        pair = _view(inner, "expect")
        if pair is None:
            return Expect.pairwise(_function_or_name(inner))
        label, tolerance = pair.cells.get("keep_label"), float(pair.cells["tolerance"])
        if "keep_label" not in pair.cells:
            return Expect.inv(tolerance)
        return Expect.monotonic(_plain(label), bool(pair.cells["increasing"]), tolerance)
    equal = _view(inner, "ret_fn")
    return Expect.single(_function_or_name(inner)) if equal is None else Expect.eq(_plain(equal.cells["val"]))


def _aggregate(agg_fn: Any) -> Aggregate:
    view = _view(agg_fn)
    if view is not None and "ignore_first" in view.cells:
        return Expect.all(ignore_first=bool(view.cells["ignore_first"]))
    return agg_fn if isinstance(agg_fn, str) else _function_or_name(agg_fn)


def _view(function: Any, *names: str) -> SavedFunction | None:
    """What is known of a function of CheckList's ``expect.py`` of one of some names; None of any other."""
    view, code = function, getattr(function, "__code__", None)
    if code is not None and not isinstance(function, SavedFunction):
        cells: dict[str, Any] = dict.fromkeys(code.co_freevars)
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            with suppress(ValueError):  # a variable that has no value yet, or no longer
                cells[name] = cell.cell_contents
        view = SavedFunction(
            code.co_name,
            code.co_filename,
            arguments=code.co_varnames[: code.co_argcount],
            local_names=code.co_varnames,
            names=code.co_names,
            cells=cells,
        )
    if not isinstance(view, SavedFunction) or not _EXPECT.search(view.file):
        return None
    return view if not names or view.name in names else None


def _function_or_name(function: Any) -> Callable[..., Any]:
    """The user's function where it is in memory; else a record that names it."""
    if isinstance(function, SavedFunction):
        if "slice_fn" in function.cells:  # CheckList's slice_orig wraps the user's function
            return _function_or_name(function.cells["slice_fn"])
        place = "a notebook" if _CELL.search(function.file) else re.split(r"[/\\]", function.file)[-1]
        return UnknownFunction(function.name, function.arguments, place)
    return function if callable(function) else UnknownFunction(repr(function))


def _as_saved(value: Any) -> SavedObject:
    """An object in memory as the record of one in a file."""
    if isinstance(value, SavedObject):
        return value
    return SavedObject(type(value).__name__, getattr(value, "__dict__", {}))


def _plain(value: Any) -> Any:
    """A value without NumPy's own number types; arrays become lists."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value

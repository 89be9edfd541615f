"""The results of tests as tables: a row a test, capabilities by types of test, and the cases of one test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairness_checklist.extensions.checklist.behavioral.summary import class_name

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

    from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest

_TYPES = {"MFT": "minimum functionality", "INV": "invariance", "DIR": "directional expectation"}
_SHADES = {0.0: "#e7f4e8", 5.0: "#fdf3d6", 20.0: "#fbdcb5", 50.0: "#f6b8a0", 100.0: "#e98f85"}  # up to so many percent
_CASES = 100  # of a test that stand in its table
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def row_of_test(test: BehavioralTest) -> dict[str, Any]:
    """The row of a test in `TestSuite.to_frame`."""
    stats = test.get_stats() if test.state == "run" else None
    applies = stats is not None and stats.after_filtering > 0
    return {
        "test": test.name,
        "type": test.kind,
        "capability": test.capability,
        "cases": len(test),
        "cases_run": None if test.results is None else len(test.positions()),
        "after_filtering": None if stats is None else stats.after_filtering,
        "fails": stats.fails if stats is not None and applies else None,
        "fail_rate": stats.fail_rate if stats is not None and applies else None,
        "state": test.state,
        "expectation": str(test.expect),
    }


def matrix(tests: Sequence[BehavioralTest]) -> Styler:
    """One row a capability, one column a type of test: the highest failure rate, and of how many tests."""
    cells: dict[str, dict[str, list[BehavioralTest]]] = {}
    for test in tests:
        cells.setdefault(_encodable(test.capability), {}).setdefault(_TYPES[test.kind], []).append(test)
    words = pd.DataFrame.from_dict(
        {name: {kind: _cell(row.get(kind, [])) for kind in _TYPES.values()} for name, row in cells.items()},
        orient="index",
        columns=list(_TYPES.values()),
    )
    shades = words.apply(lambda column: column.map(lambda cell: cell[1]))
    table: Styler = words.apply(lambda column: column.map(lambda cell: cell[0])).style
    table.apply(lambda _: shades, axis=None).set_caption("Highest failure rate of the tests")
    return table.format(escape="html").format_index(escape="html")


def _cell(tests: Sequence[BehavioralTest]) -> tuple[str, str]:
    """The words and the style of the tests of one capability and type."""
    rates = [test.get_stats().fail_rate for test in tests if test.state == "run"]
    defined = [rate for rate in rates if not np.isnan(rate)]
    if not defined:
        return f"no result ({len(tests)})" if tests else "", ""
    shade = next(shade for most, shade in _SHADES.items() if max(defined) <= most)
    return f"{written_rate(max(defined))} ({len(tests)})", f"background-color: {shade}; color: black"


def written_rate(percent: float) -> str:
    """A failure rate with its unit; 0 and 100 only where they are exact."""
    if 0 < percent < 0.05:
        return "<0.1 %"
    return ">99.9 %" if 99.95 <= percent < 100 else f"{percent:.1f} %"


def cases(test: BehavioralTest, n_per_testcase: int, caption: str) -> Styler:
    """One row a text of the first cases, failing ones first: the case, the text, its prediction, label and result."""
    assert test.results is not None
    failing = test.fail_idxs().tolist()
    hidden = {*failing, *test.filtered_idxs().tolist()}
    passing = (position for position in range(len(test.results.passed)) if position not in hidden)
    rows = [
        row
        for position in [*failing[:_CASES], *islice(passing, max(0, _CASES - len(failing)))]
        for row in _case_rows(test, position, n_per_testcase)
    ]
    table = pd.DataFrame(rows, columns=["case", "text", "prediction", "confidence", "label", "result"]).style
    table.map(
        lambda result: f"background-color: {_SHADES[50.0]}; color: black" if result == "fails" else "", ["result"]
    )
    return table.format(escape="html").hide(axis="index").set_caption(escape(_encodable(caption)))


def _case_rows(test: BehavioralTest, position: int, most: int) -> list[tuple[Any, ...]]:
    """The texts of a case, by its position among those that were run; the original and failing ones come first."""
    assert test.results is not None
    case = int(test.positions()[position])
    results = test.results.expect_results[position]
    texts = list(zip(test.case_rows(case), results, strict=True))
    order = sorted(
        range(len(texts)),
        key=lambda text: (text > 0 or not test.print_first, results[text] is None or results[text] > 0, text),
    )
    rows = []
    for (text, pred, conf, gold, _), result in (texts[number] for number in order[:most]):
        words = "" if result is None else "passes" if result > 0 else "fails"
        label = "" if gold is None else _encodable(class_name(gold, test.classes))
        prediction = _encodable(class_name(pred, test.classes))
        rows.append((case + 1, _encodable(text), prediction, _confidence(pred, conf), label, words))
    return rows


def _confidence(pred: Any, conf: Any) -> str:
    """The probability of the prediction, or the number that the model gave."""
    try:
        return f"{float(conf[pred] if np.ndim(conf) else conf):.2f}"
    except (IndexError, TypeError, ValueError):
        return ""


def _encodable(text: object) -> str:
    """Text that can be encoded: lone surrogates and control characters become U+FFFD."""
    whole = str(text or "").encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("\ufffd", whole)

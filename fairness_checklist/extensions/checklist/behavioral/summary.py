"""The results of a test: their counts, CheckList's summary with some of the cases that fail, and tables of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairness_checklist.core.option_defaults import SEED
from fairness_checklist.extensions.checklist.behavioral.expect import is_list, rows

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

    from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest

FormatExample = Callable[..., str]
_FIRST = ("Vocabulary", "Taxonomy", "Robustness", "NER", "Fairness", "Temporal", "Negation", "Coref", "SRL", "Logic")
"""The capabilities that come first, in this order; others follow."""
_TYPES = {"MFT": "minimum functionality", "INV": "invariance", "DIR": "directional expectation"}
_SHADES = {0.0: "#e7f4e8", 5.0: "#fdf3d6", 20.0: "#fbdcb5", 50.0: "#f6b8a0", 100.0: "#e98f85"}  # up to so many percent
_CASES = 100  # of a test that stand in its table
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass
class Responses:
    """The predictions for a test and its results."""

    preds: list[Any]  # as long as the test's data and nested in the same way; None for cases that were not run
    confs: list[Any]  # likewise
    expect_results: list[Any] = field(default_factory=list)  # one list of results for each case that was run
    passed: NDArray[np.object_] = field(default_factory=lambda: np.empty(0, dtype=object))  # True, False or None


@dataclass(frozen=True)
class Stats:
    """The counts of the cases of a test: CheckList's ``get_stats``."""

    testcases: int
    testcases_run: int
    after_filtering: int  # those that were run and to which the expectation applies
    fails: int

    @property
    def fail_rate(self) -> float:
        """In percent of the cases after filtering; NaN where none is left."""
        return 100 * self.fails / self.after_filtering if self.after_filtering else float("nan")

    def __str__(self) -> str:
        lines = [f"Test cases:      {self.testcases}"]
        if self.testcases_run != self.testcases:
            lines.append(f"Test cases run:  {self.testcases_run}")
        if self.after_filtering != self.testcases_run:
            share = 100 * self.after_filtering / self.testcases_run
            lines.append(f"After filtering: {self.after_filtering} ({share:.1f}%)")
        if self.after_filtering:
            lines.append(f"Fails (rate):    {self.fails} ({self.fail_rate:.1f}%)")
        return "\n".join(lines)


def capability_order(name: str) -> tuple[int, str]:
    """A sort key: the place of a capability in a summary."""
    return _FIRST.index(name) if name in _FIRST else len(_FIRST), name


def format_example(x: Any, pred: Any, conf: Any, label: Any = None, meta: Any = None) -> str:
    """A text with its probabilities, at most four of them, else with the prediction."""
    if not isinstance(conf, np.ndarray):
        return f"{pred} {x}"
    if len(conf) == 2:
        return f"{conf[1]:.1f} {x}"
    if len(conf) <= 4:
        return f"{' '.join(f'{value:.1f}' for value in conf)} {x}"
    return f"{pred} ({conf[pred]:.1f}) {x}"


def summary_text(
    test: BehavioralTest,
    n: int = 3,
    print_fn: Callable[..., str] | None = None,
    format_example_fn: FormatExample | None = None,
    n_per_testcase: int = 3,
    seed: int = SEED,
) -> str:
    """The counts of a test, and a sample of the cases that fail."""
    if test.state != "run":
        named = f"No results: the expectation is a function that the file names only: {', '.join(test.unknown)}."
        return f"Test cases:      {len(test)}\n{'Not run.' if test.state == 'not run' else named}"
    lines = [str(test.get_stats())]
    fails = test.fail_idxs()
    results = test.results
    if not n or not len(fails) or results is None:
        return lines[0]
    lines += ["", "Example fails:"]
    chosen = fails if len(fails) <= n else np.sort(np.random.default_rng(seed).choice(fails, n, replace=False))
    for position in chosen.tolist():
        case, expected = int(test.positions()[position]), results.expect_results[position]
        if print_fn is not None:
            answers = results.preds[case], results.confs[case], expected
            lines.append(str(print_fn(test.data[case], *answers, *test.label_and_meta(case))))
            continue
        failing = [text for text, result in enumerate(expected) if result is not None and result <= 0]
        listed = sorted(failing, key=lambda text: float(expected[text]))
        if test.kind != "MFT":  # the original comes first
            listed = [0, *(text for text in listed if text)]
        table = list(_texts(test, case))
        lines += [(format_example_fn or format_example)(*table[text]) for text in listed[:n_per_testcase]]
        several = is_list(test.data[case]) and len(table) > 1
        lines += ["", "----"] if several else ["----"]
    return "\n".join(lines)


def _texts(test: BehavioralTest, case: int) -> Iterator[tuple[Any, Any, Any, Any, Any]]:
    """The texts of a case that was run, each with its prediction, confidence, label and meta."""
    assert test.results is not None
    answers = test.results.preds[case], test.results.confs[case]
    return rows(test.data[case], *answers, *test.label_and_meta(case))


def class_name(value: Any, classes: Sequence[str]) -> str:
    """A class by its position, or by its name."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, (int, np.integer)) and 0 <= value < len(classes):
        return classes[int(value)]
    return str(value)


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
    percent = max(defined)  # 0 and 100 only where they are exact
    rate = "<0.1" if 0 < percent < 0.05 else ">99.9" if 99.95 <= percent < 100 else f"{percent:.1f}"
    return f"{rate} % ({len(tests)})", f"background-color: {shade}; color: black"


def case_table(test: BehavioralTest, n_per_testcase: int, titles: Sequence[str]) -> Styler:
    """One row a text of the first cases, failing ones first: the case, the text, its prediction, label and result."""
    stats, failing = test.get_stats(), test.fail_idxs().tolist()
    hidden = {*failing, *test.filtered_idxs().tolist()}
    passing = [position for position in range(stats.testcases_run) if position not in hidden]
    table = pd.DataFrame(
        [row for position in [*failing, *passing][:_CASES] for row in _case_rows(test, position, n_per_testcase)],
        columns=["case", "text", "prediction", "confidence", "label", "result"],
    ).style
    shade = f"background-color: {_SHADES[50.0]}; color: black"
    table.map(lambda result: shade if result == "fails" else "", ["result"])
    caption = " \u00b7 ".join([*titles, f"{stats.fails:,} of {stats.after_filtering:,} cases fail"])
    return table.format(escape="html").hide(axis="index").set_caption(escape(_encodable(caption)))


def _case_rows(test: BehavioralTest, position: int, most: int) -> list[tuple[Any, ...]]:
    """The texts of a case, by its position among those that were run; the original and failing ones come first."""
    assert test.results is not None
    case = int(test.positions()[position])
    results = test.results.expect_results[position]
    texts = list(zip(_texts(test, case), results, strict=True))
    is_original = [test.kind != "MFT" and not number for number in range(len(texts))]
    order = sorted(
        range(len(texts)), key=lambda text: (not is_original[text], results[text] is None or results[text] > 0)
    )
    table = []
    for (text, pred, conf, gold, _), result in (texts[number] for number in order[:most]):
        words = "" if result is None else "passes" if result > 0 else "fails"
        label = "" if gold is None else _encodable(class_name(gold, test.classes))
        prediction = _encodable(class_name(pred, test.classes))
        table.append((case + 1, _encodable(text), prediction, _confidence(pred, conf), label, words))
    return table


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

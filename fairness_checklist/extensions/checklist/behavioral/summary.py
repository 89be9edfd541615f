"""The results of a test: their counts, CheckList's summary with some of the cases that fail, and tables of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fairness_checklist.core.option_defaults import SEED
from fairness_checklist.extensions.checklist.behavioral.expect import is_list, rows

if TYPE_CHECKING:
    from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest

FormatExample = Callable[..., str]
_FIRST = ("Vocabulary", "Taxonomy", "Robustness", "NER", "Fairness", "Temporal", "Negation", "Coref", "SRL", "Logic")
"""The capabilities that come first, in this order; others follow."""


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
        listed = failing_texts(test, position)
        lines += [(format_example_fn or format_example)(*text) for text in listed[:n_per_testcase]]
        several = is_list(test.data[case]) and len(test.data[case]) > 1
        lines += ["", "----"] if several else ["----"]
    return "\n".join(lines)


def failing_texts(test: BehavioralTest, position: int) -> list[tuple[Any, Any, Any, Any, Any]]:
    """The failing texts of a case that was run, its original first, as `rows` gives them."""
    assert test.results is not None
    case, expected = int(test.positions()[position]), test.results.expect_results[position]
    failing = [text for text, result in enumerate(expected) if result is not None and result <= 0]
    listed = sorted(failing, key=lambda text: float(expected[text]))
    if test.kind != "MFT":
        listed = [0, *(text for text in listed if text)]
    answers = test.results.preds[case], test.results.confs[case]
    table = list(rows(test.data[case], *answers, *test.label_and_meta(case)))
    return [table[text] for text in listed]


def class_name(value: Any, classes: Sequence[str]) -> str:
    """A class by its position, or by its name; "" of None."""
    if value is None:
        return ""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if isinstance(value, (int, np.integer)) and 0 <= value < len(classes):
        return classes[int(value)]
    return str(value)


def row_of_test(test: BehavioralTest) -> dict[str, Any]:
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


def matrix(tests: Sequence[BehavioralTest]) -> pd.DataFrame:
    """One row a capability, one column a type of test: the highest failure rate in percent, NaN without results."""
    table = pd.DataFrame(np.nan, list(dict.fromkeys(test.capability for test in tests)), ["MFT", "INV", "DIR"])
    for test in tests:
        if test.state == "run":
            row, rate = table.index.get_loc(test.capability), test.get_stats().fail_rate
            table[test.kind] = np.where(np.arange(len(table)) == row, np.fmax(table[test.kind], rate), table[test.kind])
    return table

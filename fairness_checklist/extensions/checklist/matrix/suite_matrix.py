"""The records of the visual summary for a suite of behavioral tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expectation import rows
from fairness_checklist.extensions.checklist.matrix.matrix import CaseRecord, ExampleRecord, TestRecord
from fairness_checklist.extensions.checklist.matrix.matrix_widget import MatrixWidget

SHOWN = 50
"""How many cases of each test stand in a page: failing ones first, then passing ones."""


def records_of(tests: Iterable[BehavioralTest], shown: int = SHOWN) -> list[TestRecord]:
    """The record of each test, with at most ``shown`` of its cases.

    >>> from fairness_checklist import MFT
    >>> test = MFT(["Good.", "Bad."], labels=[1, 1], name="words", capability="Vocabulary")
    >>> test.run(lambda texts: ([1, 0], [1.0, 1.0]), verbose=False)
    >>> record = records_of([test])[0]
    >>> record.fails, record.shown[0].examples[0].text
    (1, 'Bad.')
    """
    return [_test(test, shown) for test in tests]


def case_pages(tests: Iterable[BehavioralTest]) -> Any:
    """A function that gives the cases of a test a page at a time, as `MatrixWidget` asks for them."""
    by_name = {str(test.name): test for test in tests}

    def cases(name: str, which: str, start: int, n: int) -> list[CaseRecord]:
        test = by_name[name]
        return [_case(test, at) for at in _order(test, which)[start : start + n]]

    return cases


def suite_widget(tests: Sequence[BehavioralTest]) -> MatrixWidget:
    """The widget of some tests; it asks for the cases as they are wanted."""
    return MatrixWidget(records_of(tests, shown=0), case_pages(tests))


def _test(test: BehavioralTest, shown: int) -> TestRecord:
    named: dict[str, Any] = {
        "name": str(test.name),
        "capability": str(test.capability),
        "type": test.kind,
        "description": test.description or "",
        "cases": len(test),
    }
    if test.state == "not run":
        return TestRecord(**named)
    if test.state == "no expectation":
        note = f"The expectation is a function that the file only names: {', '.join(test.unknown)}."
        return TestRecord(**named, cases_run=len(test.positions()), note=note)
    stats = test.get_stats()
    kept = _order(test, "fail")[:shown]
    if len(kept) < shown:
        kept += _order(test, "pass")[: shown - len(kept)]
    return TestRecord(
        **named,
        cases_run=stats.testcases_run,
        filtered=stats.testcases_run - stats.after_filtering,
        fails=stats.fails,
        note=f"Expectation: {test.expect}.",
        shown=tuple(_case(test, at) for at in kept),
    )


def _order(test: BehavioralTest, which: str) -> list[int]:
    """The cases to show, as positions among those that were run: failing ones first."""
    if test.results is None or test.state != "run":
        return []
    failing: list[int] = test.fail_idxs().tolist()
    if which == "fail":
        return failing
    hidden = {*failing, *test.filtered_idxs().tolist()}
    passing = [at for at in range(len(test.results.passed)) if at not in hidden]
    return passing if which == "pass" else failing + passing


def _case(test: BehavioralTest, at: int) -> CaseRecord:
    assert test.results is not None
    case = test.positions()[at]
    results = test.results
    label, meta = test.label_and_meta(case)
    table = rows(test.data[case], results.preds[case], results.confs[case], label, meta)
    examples = tuple(
        ExampleRecord(
            text=str(text),
            predicted=_named(pred, test.classes),
            probability=_probability(pred, conf),
            label="" if gold is None else _named(gold, test.classes),
            passed=None if expected is None else bool(expected > 0),
            reference=test.print_first and position == 0,
        )
        for position, ((text, pred, conf, gold, _), expected) in enumerate(
            zip(table, results.expect_results[at], strict=True)
        )
    )
    passed = results.passed[at]
    return CaseRecord(None if passed is None else bool(passed), examples)


def _named(value: Any, classes: Sequence[str]) -> str:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= value < len(classes):
        return classes[int(value)]
    return str(value)


def _probability(pred: Any, conf: Any) -> float | None:
    """The probability of the prediction, where there are probabilities."""
    try:
        value = float(conf[pred]) if np.ndim(conf) else float(conf)
    except (IndexError, TypeError, ValueError):
        return None
    return value if 0 <= value <= 1 else None

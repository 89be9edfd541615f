"""Behavioral tests of ours as CheckList's: the same cases, labels and expectations, with CheckList's own functions."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.errors import SuiteError
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expectation import Expectation
from fairness_checklist.extensions.checklist.library import import_checklist

if TYPE_CHECKING:
    from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite


def suite_to_checklist(suite: TestSuite) -> Any:
    """The tests as a `checklist.test_suite.TestSuite`, with their results where they were run.

    Raises:
        SuiteError: a test whose expectation is not known.
        MissingExtraError: CheckList is not installed.

    >>> from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import MFT
    >>> from fairness_checklist.extensions.checklist.behavioral.test_suite import TestSuite
    >>> suite = TestSuite()
    >>> suite.add(MFT(["Good."], labels=1, name="praise", capability="Vocabulary"))
    >>> list(suite_to_checklist(suite).tests)
    ['praise']
    """
    package = import_checklist()
    made = package.test_suite.TestSuite()
    for test in suite.tests.values():
        made.add(converted(test, package))
    return made


def converted(test: BehavioralTest, package: ModuleType) -> Any:
    """A test as CheckList's of the same type."""
    if test.unknown:
        raise SuiteError(
            f"the expectation of the test {test.name!r} is not known: {', '.join(test.unknown)}.",
            remedy="Give it one: test.set_expect(Expect.single(...)).",
        )
    made = getattr(package.test_types, test.kind)(
        data=list(test.data),
        expect=checklist_function(test.expect, package),
        labels=test.labels,
        meta=test.meta,
        agg_fn=test.agg_fn,
        templates=test.templates,
        name=test.name,
        capability=test.capability,
        description=test.description,
    )
    if test.results is not None:
        made.run_idxs = None if test.run_idxs is None else np.asarray(test.run_idxs)
        made.results = package.abstract_test.Munch()
        made.results.preds, made.results.confs = list(test.results.preds), list(test.results.confs)
        made.update_expect()
    return made


def checklist_function(expectation: Expectation, package: ModuleType) -> Any:
    """CheckList's function for an expectation; a function of the user's is handed on."""
    expect = package.expect.Expect
    parts = {
        name: checklist_function(value, package) if isinstance(value, Expectation) else value
        for name, value in expectation.arguments.items()
    }
    if expectation.form == "function":
        return parts["fn"]
    if expectation.form == "slice_orig":  # CheckList's hands over the compared text's prediction in place of conf
        slice_fn = parts["slice_fn"]
        kept = expect.pairwise(lambda orig_pred, pred, orig_conf, *rest, **more: slice_fn(orig_pred, orig_conf))
        return expect.wrap_slice(parts["expect_fn"], kept, parts["agg_fn"])
    return getattr(expect, expectation.form)(**parts)

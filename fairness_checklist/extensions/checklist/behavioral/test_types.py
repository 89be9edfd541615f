"""`MFT`, `INV` and `DIR`: the types of behavioral tests, with CheckList's calls."""

from __future__ import annotations

from typing import Any

from fairness_checklist.core.errors import SuiteError
from fairness_checklist.core.option_defaults import TOLERANCE, number
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expect import Aggregate, Expect, Expectation


class MFT(BehavioralTest):
    """A minimum functionality test: texts and the predictions expected for them.

    Args:
        data: n texts, or n lists of texts.
        expect: the expectation; by default that the prediction equals the label.
        labels: n labels, or one for all; positions of classes where the model gives probabilities.

    Raises:
        SuiteError: neither labels nor an expectation, or no cases.
        AlignmentError: labels or meta of another length.

    >>> test = MFT(["Good.", "Bad."], labels=[1, 1], name="praise", capability="Vocabulary")
    >>> test.run(lambda texts: [[0.1, 0.9], [0.7, 0.3]], verbose=False)
    >>> print(test.get_stats())
    Test cases:      2
    Fails (rate):    1 (50.0%)
    """

    kind = "MFT"

    def __post_init__(self) -> None:
        if self.labels is None and self.expect is None:
            raise SuiteError("an MFT needs labels or an expectation.", remedy="Give labels=, or expect=Expect.eq(1).")
        self.expect = self.expect or Expect.eq()
        super().__post_init__()


class INV(BehavioralTest):
    """An invariance test: the prediction stays that of the first text of each case.

    Args:
        data: n lists of texts, the original first.
        expect: the expectation; by default `Expect.inv` of the threshold.
        threshold: how far the probability of the first text's class may move where the prediction changes.

    >>> test = INV([["She came.", "He came."]], name="gender", capability="Fairness")
    >>> test.run(lambda texts: [[0.1, 0.9], [0.7, 0.3]], verbose=False)
    >>> test.fail_idxs().tolist()
    [0]
    """

    kind = "INV"
    print_first = True

    def __init__(
        self,
        data: Any,
        expect: Expectation | None = None,
        threshold: float = TOLERANCE,
        meta: Any = None,
        agg_fn: Aggregate = "all_except_first",
        templates: Any = None,
        name: str | None = None,
        capability: str | None = None,
        description: str | None = None,
        labels: Any = None,
    ) -> None:
        expect = Expect.inv(number("threshold", threshold)) if expect is None else expect
        super().__init__(data, expect, labels, meta, agg_fn, templates, name, capability, description)


class DIR(BehavioralTest):
    """A directional expectation test: how the prediction may change from that of the first text of each case.

    Args:
        data: n lists of texts, the original first.
        expect: the expectation, such as `Expect.monotonic`.

    >>> test = DIR([["Good.", "Very good."]], Expect.monotonic(label=1), name="more", capability="Vocabulary")
    >>> test.run(lambda texts: [[0.2, 0.8], [0.1, 0.9]], verbose=False)
    >>> test.get_stats().fails
    0
    """

    kind = "DIR"
    print_first = True

    def __init__(
        self,
        data: Any,
        expect: Expectation,
        meta: Any = None,
        agg_fn: Aggregate = "all_except_first",
        templates: Any = None,
        name: str | None = None,
        labels: Any = None,
        capability: str | None = None,
        description: str | None = None,
    ) -> None:
        super().__init__(data, expect, labels, meta, agg_fn, templates, name, capability, description)


KINDS: dict[str, type[MFT] | type[INV] | type[DIR]] = {"MFT": MFT, "INV": INV, "DIR": DIR}
"""The types of tests by name."""

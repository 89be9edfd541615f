"""Suites for the tests of the visual summary: hostile texts, tests of every state, and many cases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import KINDS, BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expect import Expect, UnknownFunction, as_expectation

SCRIPT = '<script>document.title = "run"</script><img src=x onerror="document.title=1">'
SURROGATE = "A lone \ud83d surrogate and a \x00 control character."
ARABIC = "قال المعلم إن الدرس صعب."
Case = tuple[str | list[str], list[float]]
"""The texts of a case, and for each the probability of the class "positive"."""


def pair(k: int, *, fails: bool, first: str = "", second: str = "") -> Case:
    """A case of an original and a changed text."""
    original = first or f"Maria is a good writer, and case {k} is about her."
    changed = second or f"Ahmed is a good writer, and case {k} is about him."
    return [original, changed], [0.934, 0.388 if fails else 0.612]


def single(k: int, *, fails: bool, text: str = "") -> Case:
    """A case of one text with its label."""
    return text or f"This is not a bad film at all, said viewer {k}.", [0.29 if fails else 0.71]


def answered(
    kind: str,
    name: str,
    capability: str,
    cases: Sequence[Case],
    *,
    description: str = "",
    n_run: int | None = None,
    filtered: int = 0,
) -> BehavioralTest:
    """A test with results for its first ``n_run`` cases, of which the expectation does not apply to the first few."""
    expect = Expect.eq() if kind == "MFT" else Expect.inv(0.1)
    test: BehavioralTest = KINDS[kind](
        [texts for texts, _ in cases],
        expect=Expect.slice_testcase(expect, lambda xs, preds, confs, labels, meta: [meta]),
        labels=1 if kind == "MFT" else None,
        meta=[at >= filtered for at in range(len(cases))],
        name=name,
        capability=capability,
        description=description,
    )
    test.classes = ("negative", "positive")
    test.drawn = np.arange(len(cases) if n_run is None else n_run)
    positive = np.array([value for _, values in cases[: len(test.drawn)] for value in values])
    test.run_from_preds_confs((positive > 0.5).astype(int).tolist(), np.column_stack([1 - positive, positive]))
    return test


def small_suite() -> list[BehavioralTest]:
    """One test of each state, with texts that must be escaped."""
    hostile = [single(0, fails=True, text=SCRIPT), single(1, fails=True, text=SURROGATE), single(2, fails=False)]
    films = [single(k, fails=k == 1009) for k in range(5000)]
    names = [pair(k, fails=k < 22) for k in range(200)]
    arabic = [pair(0, fails=True, first=ARABIC, second="قالت المعلمة إن الدرس صعب.")]
    pairs = [pair(k, fails=False) for k in range(10)]
    not_run = answered("MFT", "not run", "Negation", [single(k, fails=True) for k in range(10)])
    not_run.sample()
    not_run.results = None
    unknown = answered("INV", "unknown", "Negation", pairs)
    unknown.set_expect(as_expectation(UnknownFunction("moved")))
    return [
        answered("MFT", 'quotes "of" <b>names</b>', "Vocabulary", hostile, description="Words & <signs>."),
        answered("MFT", "two", "Vocabulary", films, n_run=4000, filtered=1000),
        answered("INV", "names", "Fairness", names, description="Change the name.", n_run=100, filtered=10),
        answered("INV", "right to left", "Fairness", arabic),
        answered("DIR", "filtered", "Negation", pairs[:7], filtered=7),
        not_run,
        unknown,
    ]


def large_suite(n_tests: int = 38, n_cases: int = 500) -> list[BehavioralTest]:
    """As many tests as the suite for sentiment of Ribeiro et al. (2020) has."""
    capabilities = ("Vocabulary", "Taxonomy", "Robustness", "NER", "Fairness", "Temporal", "Negation", "Coref", "SRL")
    suite = []
    for at in range(n_tests):
        cases = [(pair if at % 3 else single)(k, fails=k < at * 27 % 430) for k in range(n_cases)]
        name = f"test number {at} with a name of some words"
        suite.append(answered(("MFT", "INV", "DIR")[at % 3], name, capabilities[at * 7 % 9], cases))
    return suite

"""The summary of a test as text, as CheckList prints it: its counts and some of the cases that fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fairness_checklist.core.option_defaults import SEED
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.expectation import is_list, rows

FormatExample = Callable[..., str]
CAPABILITIES = (
    "Vocabulary",
    "Taxonomy",
    "Robustness",
    "NER",
    "Fairness",
    "Temporal",
    "Negation",
    "Coref",
    "SRL",
    "Logic",
)
"""The capabilities that come first, in this order; others follow."""


def capability_order(name: str) -> int:
    """The place of a capability in a summary.

    >>> capability_order("NER"), capability_order("Politeness")
    (3, 10)
    """
    return CAPABILITIES.index(name) if name in CAPABILITIES else len(CAPABILITIES)


def format_example(x: Any, pred: Any, conf: Any, label: Any = None, meta: Any = None) -> str:
    """A text with its probabilities, at most four of them, else with the prediction.

    >>> format_example("Good.", 1, np.array([0.04, 0.96])), format_example("Good.", "praise", 1.0)
    ('1.0 Good.', 'praise Good.')
    """
    if not isinstance(conf, np.ndarray):
        return f"{pred} {x}"
    if len(conf) == 2:
        return f"{conf[1]:.1f} {x}"
    if len(conf) <= 4:
        return f"{' '.join(f'{one:.1f}' for one in conf)} {x}"
    return f"{pred} ({conf[pred]:.1f}) {x}"


def summary_text(
    test: BehavioralTest,
    n: int = 3,
    print_fn: Callable[..., str] | None = None,
    format_example_fn: FormatExample | None = None,
    n_per_testcase: int = 3,
    seed: int = SEED,
) -> str:
    """The counts of a test, and a sample of the cases that fail.

    Args:
        test: a test that has been run.
        n: how many failing cases are shown.
        print_fn: gives the text of a failing case from ``(xs, preds, confs, expect_results, labels, meta)``.
        format_example_fn: gives the line of a text from ``(x, pred, conf, label, meta)``.
        n_per_testcase: how many texts of a case are shown.
        seed: of the sample.

    Raises:
        SuiteError: the test has no results.
    """
    lines = [str(test.get_stats())]
    fails = test.fail_idxs()
    if not n or not len(fails):
        return lines[0]
    lines += ["", "Example fails:"]
    results = test.results
    assert results is not None  # get_stats has raised
    chosen = fails if len(fails) <= n else np.sort(np.random.default_rng(seed).choice(fails, n, replace=False))
    for at in chosen.tolist():
        case = test.positions()[at]
        label, meta = test.label_and_meta(case)
        parts = (test.data[case], results.preds[case], results.confs[case], results.expect_results[at], label, meta)
        if print_fn is not None:
            lines.append(str(print_fn(*parts)))
        else:
            lines += _failing_case(test, parts, format_example_fn or format_example, n_per_testcase)
    return "\n".join(lines)


def _failing_case(test: BehavioralTest, parts: tuple[Any, ...], line: FormatExample, most: int) -> list[str]:
    xs, preds, confs, expected, label, meta = parts
    table = list(rows(xs, preds, confs, label, meta))
    failing = [at for at, one in enumerate(expected) if one is not None and one <= 0]
    shown = sorted(failing, key=lambda at: float(expected[at]))
    if test.print_first:
        shown = [0, *(at for at in shown if at)]
    lines = [line(*table[at]) for at in shown[:most]]
    return [*lines, *([""] if is_list(xs) and len(xs) > 1 else []), "----"]

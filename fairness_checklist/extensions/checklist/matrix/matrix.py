"""The visual summary of a test suite: capabilities by types of test, with the failing cases behind each rate.

The page is one HTML file that loads nothing. Its matrix and its cases stand in the markup itself, so that they can be
read where scripts are removed; the script adds the choice of a cell, the filters and the pages.
"""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import decimal, join_names
from fairness_checklist.extensions.checklist.matrix.word_differences import differing, joined, words_of

if TYPE_CHECKING:
    from markupsafe import Markup

FRAGMENT_CASES = 5
"""How many cases of each test stand in `matrix_fragment`, whose output is stored in notebooks."""
_EXAMPLES = 6  # texts of a case that are shown at once: the original and those that fail come first
_TYPES = {"MFT": "minimum functionality", "INV": "invariance", "DIR": "directional expectation"}
_SHADES = (0.0, 5.0, 20.0, 50.0)  # failure rates above which the next darker shade begins, in percent
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True)
class ExampleRecord:
    """One text of a case.

    Attributes:
        text: the text.
        predicted: the predicted class, or what else the model gives; "" for none.
        probability: of the predicted class, from 0 to 1; None for none.
        label: the gold class; "" for none.
        passed: whether the text meets the expectation; None where the expectation does not apply.
        reference: whether it is the original text of the case, to which the others are compared.
    """

    text: str
    predicted: str = ""
    probability: float | None = None
    label: str = ""
    passed: bool | None = None
    reference: bool = False


@dataclass(frozen=True)
class CaseRecord:
    """One case of a test.

    Attributes:
        passed: whether the case passes; None where the expectation does not apply.
        examples: its texts, the original first where there is one.
    """

    passed: bool | None
    examples: tuple[ExampleRecord, ...]


@dataclass(frozen=True)
class TestRecord:
    """One test of a suite with its counts and some of its cases.

    Attributes:
        name, capability, type, description: of the test; ``type`` is "MFT", "INV" or "DIR".
        cases: the cases of the test.
        cases_run: those that were run; None for a test that was not run.
        filtered: those of the run to which the expectation does not apply.
        fails: the cases that fail; None where that is not known.
        note: a remark, for instance why there is no result.
        shown: some cases, failing ones first.

    Raises:
        OptionError: counts that contradict each other.

    >>> TestRecord("negation", "Negation", "MFT", cases=40, cases_run=32, filtered=2, fails=12).fail_rate
    40.0
    """

    __test__ = False  # pytest collects classes whose name begins with Test

    name: str
    capability: str
    type: str
    description: str = ""
    cases: int = 0
    cases_run: int | None = None
    filtered: int = 0
    fails: int | None = None
    note: str = ""
    shown: tuple[CaseRecord, ...] = ()

    def __post_init__(self) -> None:
        run = self.cases_run or 0
        if not (0 <= run <= self.cases and 0 <= self.filtered <= run and 0 <= (self.fails or 0) <= run - self.filtered):
            raise OptionError(
                f"the counts of the test {self.name!r} contradict each other: cases={self.cases}, "
                f"cases_run={self.cases_run}, filtered={self.filtered}, fails={self.fails}.",
                remedy="fails + filtered is at most cases_run, and cases_run at most cases.",
            )

    @property
    def fail_rate(self) -> float:
        """Failures in percent of the cases after filtering; NaN where none is left or nothing is known."""
        left = (self.cases_run or 0) - self.filtered
        return 100 * self.fails / left if left and self.fails is not None else math.nan


def matrix_html(tests: Sequence[TestRecord], *, title: str) -> str:
    """The visual summary of a suite as a page.

    Args:
        tests: the tests; capabilities and tests keep their order.
        title: of the page.

    Returns:
        A whole HTML page. It loads nothing, and can be written to a file in UTF-8.

    >>> page = matrix_html([TestRecord("negation", "Negation", "MFT", cases=4, cases_run=4, fails=1)], title="My suite")
    >>> page.startswith("<!DOCTYPE html>"), "25.0 %" in page
    (True, True)
    """
    script, digest = part("matrix.js")
    page = {
        "title": clean(title),
        "style": part("page.css", package="fairness_checklist.reports")[0] + part("matrix.css")[0],
        "script": script,
        "script_hash": digest,
    }
    return str(_template().page(page, _view(tests)))


def matrix_fragment(tests: Sequence[TestRecord]) -> str:
    """The visual summary of a suite for a notebook's output: no script, no page around it.

    Args:
        tests: the tests; at most `FRAGMENT_CASES` cases of each are written.

    Returns:
        HTML of one element. Its colours follow those of the notebook.

    >>> fragment = matrix_fragment([TestRecord("negation", "Negation", "MFT", cases=4, cases_run=4, fails=1)])
    >>> "<script" in fragment, "25.0 %" in fragment
    (False, True)
    """
    return str(_template().fragment(_view(tests, most=FRAGMENT_CASES), part("matrix.css")[0]))


def widget_html(tests: Sequence[TestRecord], *, asks: bool) -> str:
    """The markup of `MatrixWidget`, whose cases come from the kernel.

    Args:
        tests: the tests.
        asks: whether all cases that were run can be had; else only those of the records.
    """
    return str(_template().fragment(_view(tests, most=0, asks=asks), None))


def cases_html(cases: Sequence[CaseRecord]) -> str:
    """Some cases as the items of a list.

    >>> case = CaseRecord(False, (ExampleRecord("Hello <b>", "negative", 0.9, "positive", False),))
    >>> "Hello &lt;b&gt;" in cases_html([case])
    True
    """
    return str(_template().items([_case(one) for one in cases]))


def clean(text: object) -> str:
    """Text that can be encoded: lone surrogates and control characters become U+FFFD.

    >>> clean("a\\ud800b")
    'a\ufffdb'
    """
    whole = str(text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("\ufffd", whole)


@cache
def part(name: str, package: str = "fairness_checklist.extensions.checklist.matrix") -> tuple[Markup, str]:
    """A style or script of the page, and its hash for the page's security policy."""
    from markupsafe import Markup

    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return Markup(text), f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _template() -> Any:
    """The macros of the template, compiled once."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    text = (
        files("fairness_checklist.extensions.checklist.matrix").joinpath("matrix.html.j2").read_text(encoding="utf-8")
    )
    return environment.from_string(text).module


def _view(tests: Sequence[TestRecord], *, most: int | None = None, asks: bool = False) -> dict[str, Any]:
    """The suite as the template reads it; ``most`` cases of each test, None for all, which is a page with links."""
    types = list(dict.fromkeys([*_TYPES, *(one.type for one in tests)]))
    capabilities = list(dict.fromkeys(one.capability for one in tests))
    shown = [_test(one, at, most, asks) for at, one in enumerate(tests)]
    rows: list[dict[str, Any]] = []
    for capability in capabilities:
        cells = []
        for kind in types:
            at = [k for k, one in enumerate(tests) if (one.capability, one.type) == (capability, kind)]
            cells.append(_cell([tests[k] for k in at], [shown[k] for k in at], kind))
        rows.append({"capability": clean(capability) or "no capability", "cells": cells})
    return {
        "types": [(clean(kind), _TYPES.get(kind, "")) for kind in types],
        "rows": rows,
        "about": _about(tests),
        "links": most is None,
        "legend": [("s0", "0"), ("s1", "up to 5"), ("s2", "up to 20"), ("s3", "up to 50"), ("s4", "above 50")],
    }


def _about(tests: Sequence[TestRecord]) -> str:
    """The suite in one line."""
    if not tests:
        return "This suite has no tests."
    run = [one for one in tests if not math.isnan(one.fail_rate)]
    failing = sum(bool(one.fails) for one in run)
    capabilities = count(len({one.capability for one in tests}), "capability")
    without = len(tests) - len(run)
    parts = [f"{len(run) - failing:,} without failures", f"{failing:,} with failures"]
    parts += [f"{without:,} without a result"] if without else []
    return f"{count(len(tests), 'test')} of {capabilities}: {join_names(parts)}."


def _cell(tests: list[TestRecord], shown: list[dict[str, Any]], kind: str) -> dict[str, Any] | None:
    if not tests:
        return None
    rates = [one.fail_rate for one in tests if not math.isnan(one.fail_rate)]
    worst = max(tests, key=lambda one: -1.0 if math.isnan(one.fail_rate) else one.fail_rate)
    words = f"highest of {len(rates):,} tests" if len(rates) > 1 else "1 test" if rates else count(len(tests), "test")
    if rates and len(rates) < len(tests):
        words += f", {len(tests) - len(rates):,} without a result"
    size = count(len(tests), "test")
    return {"type": clean(kind), "rate": _rate(worst), "shade": _shade(worst), "words": words, "size": size} | {
        "tests": shown
    }


def _rate(test: TestRecord) -> str:
    """The failure rate with its unit, or why there is none; 0 and 100 only where they are exact.

    >>> _rate(TestRecord("a", "b", "MFT", cases=9000, cases_run=9000, fails=1)), _rate(TestRecord("a", "b", "MFT"))
    ('<0.1 %', 'not run')
    """
    rate = test.fail_rate
    if math.isnan(rate):
        return "not run" if test.cases_run is None else "no result" if test.fails is None else "no cases left"
    if 0 < rate < 0.05:
        return "<0.1 %"
    return ">99.9 %" if 99.95 <= rate < 100 else f"{rate:.1f} %"


def _shade(test: TestRecord) -> str:
    rate = test.fail_rate
    return "none" if math.isnan(rate) else f"s{sum(rate > bound for bound in _SHADES)}"


def _test(test: TestRecord, at: int, most: int | None, asks: bool) -> dict[str, Any]:
    shown = test.shown[:most]
    states = [_state(one.passed) for one in test.shown]
    run = test.cases_run or 0
    known = test.fails is not None
    passes = run - test.filtered - test.fails if test.fails is not None else 0
    stored = {"fail": states.count("fail"), "pass": states.count("pass"), "all": len(states)}
    counts = {"fail": test.fails or 0, "pass": passes, "all": run} if asks else stored
    facts = [("test cases", f"{test.cases:,}")]
    if test.cases_run is not None:
        facts += [("run", f"{run:,}"), ("after filtering", f"{run - test.filtered:,}")]
        facts += [("fails", f"{test.fails:,}"), ("failure rate", _rate(test))] if known else []
    held = len(test.shown if most == 0 else shown)
    left = held < run and not asks
    return {
        "at": at,
        "id": f"test-{at}" if most is None else "",
        "name": clean(test.name) or "without a name",
        "type": clean(test.type),
        "description": clean(test.description),
        "note": clean(test.note),
        "rate": _rate(test),
        "shade": _shade(test),
        "fails": f"{test.fails:,} of {run - test.filtered:,} fail" if known and run - test.filtered else "",
        "facts": facts,
        "counts": counts,
        "stored": f"Of {count(run, 'case')} that were run, {_are(held)} stored here." if left else "",
        "cases": [_case(one) for one in shown],
    }


def _are(n: int) -> str:
    return "none is" if n == 0 else "1 is" if n == 1 else f"{n:,} are"


def _state(passed: bool | None) -> str:
    return "filtered" if passed is None else "pass" if passed else "fail"


def _case(case: CaseRecord) -> dict[str, Any]:
    texts = [clean(one.text) for one in case.examples]
    words = [words_of(text) for text in texts]
    original = next((at for at, one in enumerate(case.examples) if one.reference), None)
    examples = []
    for at, one in enumerate(case.examples):
        if original is None or len(texts) == 1:
            differs = [False] * len(words[at])
        elif at == original:  # a word is marked where any of the other texts has another one
            others = [differing(words[at], other) for k, other in enumerate(words) if k != at]
            differs = [any(flags) for flags in zip(*others, strict=True)]
        else:
            differs = differing(words[at], words[original])
        known = one.probability is not None and not math.isnan(one.probability)
        examples.append(
            {
                "role": "" if original is None else "original" if at == original else "changed",
                "parts": joined(words[at], differs),
                "predicted": clean(one.predicted),
                "probability": decimal(one.probability) if known and one.probability is not None else "",
                "label": clean(one.label),
                "passed": _state(one.passed) if len(texts) > 1 and one.passed is not None else "",
            }
        )
    order = sorted(range(len(texts)), key=lambda at: (at != original, case.examples[at].passed is not False))
    shown = [examples[at] for at in order]
    rest = shown[_EXAMPLES:]
    failing = sum(one["passed"] == "fail" for one in rest)
    more = f"{count(len(rest), 'more text')}{f', {failing:,} of them fail' if failing else ''}"
    return {"state": _state(case.passed), "examples": shown[:_EXAMPLES], "rest": rest, "rest_words": more}

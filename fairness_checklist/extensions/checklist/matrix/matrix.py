"""The visual summary of a test suite: capabilities by types of test, with the failing cases behind each rate.

The page is one HTML file that loads nothing. Its matrix and its cases stand in the markup itself, so that they can be
read where scripts are removed; the script adds the choice of a cell, the filters and the pages. To the widget in a
notebook the kernel gives the cases a page at a time.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import numpy as np

from fairness_checklist.core.errors import MissingExtraError, count, first_ten
from fairness_checklist.core.formatting import decimal, join_names
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.behavioral.summary import class_name
from fairness_checklist.extensions.checklist.shared_ends import shared_ends
from fairness_checklist.reports.pages import macros, part

_FOLDER = "extensions/checklist/matrix"
_TEMPLATE = f"{_FOLDER}/matrix.html.j2"
_SHOWN = 50  # cases of each test that stand in a page
_FRAGMENT_CASES = 5  # the same of a fragment, which is stored in notebooks
_MOST_CASES = 100  # of a page of the widget
_EXAMPLES = 6  # texts of a case that are shown at once: the original and those that fail come first
_TYPES = {"MFT": "minimum functionality", "INV": "invariance", "DIR": "directional expectation"}
_SHADES = (0.0, 5.0, 20.0, 50.0)  # failure rates above which the next darker shade begins, in percent
_LEGEND = [("s0", "0"), ("s1", "up to 5"), ("s2", "up to 20"), ("s3", "up to 50"), ("s4", "above 50")]
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_MOST_WORDS = 600  # words of two texts that are aligned one by one
_LETTERS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # scripts without spaces between words
_PUNCTUATION = '.,;:!?"()\\[\\]{}\u201c\u201d\u2026\u3001\u3002'
_WORDS = re.compile(rf"\s+|[{_LETTERS}]|[{_PUNCTUATION}]|[^\s{_PUNCTUATION}{_LETTERS}]+")


def matrix_html(tests: Sequence[BehavioralTest], *, title: str) -> str:
    """The visual summary of tests as an HTML page that loads nothing; capabilities and tests keep their order."""
    script, digest = part("matrix.js", _FOLDER)
    page = {
        "title": clean(title),
        "style": part("page.css")[0] + part("matrix.css", _FOLDER)[0],
        "script": script,
        "script_hash": digest,
    }
    return str(macros(_TEMPLATE).page(page, _view(tests, _SHOWN, links=True)))


def matrix_fragment(tests: Sequence[BehavioralTest]) -> str:
    """The visual summary for a notebook's output, one element without a script, in the notebook's colours."""
    return str(macros(_TEMPLATE).fragment(_view(tests, _FRAGMENT_CASES), part("matrix.css", _FOLDER)[0]))


def widget_html(tests: Sequence[BehavioralTest]) -> str:
    """The markup of `MatrixWidget`, which holds no cases: they come from the kernel."""
    return str(macros(_TEMPLATE).fragment(_view(tests, 0, asks=True), None))


def cases_html(test: BehavioralTest, cases: Iterable[int]) -> str:
    """Some cases, by their positions among those that were run, as the items of a list."""
    return str(macros(_TEMPLATE).items([_case(test, at) for at in cases]))


def case_order(test: BehavioralTest, which: str) -> list[int]:
    """The cases to show, "fail", "pass" or "all", as positions among those that were run: failing ones first."""
    if test.results is None or test.state != "run":
        return []
    failing: list[int] = test.fail_idxs().tolist()
    if which == "fail":
        return failing
    hidden = {*failing, *test.filtered_idxs().tolist()}
    passing = [at for at in range(len(test.results.passed)) if at not in hidden]
    return passing if which == "pass" else failing + passing


def case_texts(test: BehavioralTest, at: int) -> list[dict[str, Any]]:
    """The texts of a case that was run, each with its prediction, probability, label and result."""
    assert test.results is not None
    case = zip(test.case_rows(test.positions()[at]), test.results.expect_results[at], strict=True)
    return [
        {
            "text": clean(text),
            "predicted": clean(class_name(pred, test.classes)),
            "probability": _probability(pred, conf),
            "label": "" if gold is None else clean(class_name(gold, test.classes)),
            "passed": "" if result is None else "pass" if result > 0 else "fail",
        }
        for (text, pred, conf, gold, _), result in case
    ]


def clean(text: object) -> str:
    """Text that can be encoded: lone surrogates and control characters become U+FFFD."""
    whole = str(text).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _CONTROL.sub("\ufffd", whole)


def _view(tests: Sequence[BehavioralTest], most: int, *, links: bool = False, asks: bool = False) -> dict[str, Any]:
    """The suite as the template reads it, with ``most`` cases of each test.

    ``links`` is for a page, ``asks`` for the widget, which asks the kernel for cases.
    """
    shown = [_test(test, at, most, asks) | {"id": f"test-{at}" if links else ""} for at, test in enumerate(tests)]
    capabilities = [str(test.capability) for test in tests]
    rows = []
    for capability in dict.fromkeys(capabilities):
        of_row = [view for view, name in zip(shown, capabilities, strict=True) if name == capability]
        cells = [_cell([view for view in of_row if view["type"] == kind]) for kind in _TYPES]
        rows.append({"capability": clean(capability) or "no capability", "cells": cells})
    about = _about(shown, len(rows))
    return {"types": list(_TYPES.items()), "rows": rows, "about": about, "links": links, "legend": _LEGEND}


def _about(shown: Sequence[dict[str, Any]], n_capabilities: int) -> str:
    """The suite in one line."""
    if not shown:
        return "This suite has no tests."
    rates = [view["percent"] for view in shown]
    without = sum(map(math.isnan, rates))
    failing = sum(rate > 0 for rate in rates)
    parts = [f"{len(rates) - without - failing:,} without failures", f"{failing:,} with failures"]
    parts += [f"{without:,} without a result"] if without else []
    return f"{count(len(shown), 'test')} of {count(n_capabilities, 'capability')}: {join_names(parts)}."


def _cell(shown: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The tests of one capability and type, with the highest failure rate of them."""
    if not shown:
        return None
    n_rates = sum(not math.isnan(view["percent"]) for view in shown)
    worst = max(shown, key=lambda view: -1.0 if math.isnan(view["percent"]) else view["percent"])
    size = count(len(shown), "test")
    words = f"highest of {n_rates:,} tests" if n_rates > 1 else "1 test" if n_rates else size
    if n_rates and n_rates < len(shown):
        words += f", {len(shown) - n_rates:,} without a result"
    return {name: worst[name] for name in ("type", "rate", "shade")} | {"words": words, "size": size, "tests": shown}


def _rate(test: BehavioralTest, percent: float) -> str:
    """The failure rate with its unit, or why there is none; 0 and 100 only where they are exact."""
    if math.isnan(percent):
        return {"not run": "not run", "no expectation": "no result", "run": "no cases left"}[test.state]
    if 0 < percent < 0.05:
        return "<0.1 %"
    return ">99.9 %" if 99.95 <= percent < 100 else f"{percent:.1f} %"


def _test(test: BehavioralTest, at: int, most: int, asks: bool) -> dict[str, Any]:
    """A test as the template reads it."""
    stats = test.get_stats() if test.state == "run" else None
    percent = math.nan if stats is None else stats.fail_rate
    rate = _rate(test, percent)
    run = 0 if test.results is None else len(test.positions())
    left, fails = (run, 0) if stats is None else (stats.after_filtering, stats.fails)
    facts = [("test cases", f"{len(test):,}")]
    if test.results is not None:
        facts += [("run", f"{run:,}"), ("after filtering", f"{left:,}")]
    if stats is not None:
        facts += [("fails", f"{fails:,}"), ("failure rate", rate)]
    note = {"not run": "", "run": f"Expectation: {test.expect}."}.get(
        test.state, f"The expectation is a function that the file only names: {', '.join(test.unknown)}."
    )
    held = case_order(test, "all")[:most]
    stored = {0: "none is", 1: "1 is"}.get(len(held), f"{len(held):,} are")
    failing = min(fails, len(held))
    known = {"fail": fails, "pass": 0 if stats is None else left - fails, "all": run}
    return {
        "at": at,
        "name": clean(test.name) or "without a name",
        "type": test.kind,
        "description": clean(test.description or ""),
        "note": clean(note),
        "percent": percent,
        "rate": rate,
        "shade": "none" if math.isnan(percent) else f"s{sum(percent > bound for bound in _SHADES)}",
        "fails": f"{fails:,} of {left:,} fail" if stats is not None and left else "",
        "facts": facts,
        "counts": known if asks else {"fail": failing, "pass": len(held) - failing, "all": len(held)},
        "stored": f"Of {count(run, 'case')} that were run, {stored} stored here."
        if len(held) < run and not asks
        else "",
        "cases": [_case(test, case) for case in held],
    }


def _case(test: BehavioralTest, at: int) -> dict[str, Any]:
    """A case as the template reads it, the words marked by which the texts differ from the original."""
    examples = case_texts(test, at)
    words = [_WORDS.findall(example["text"]) for example in examples]
    several = len(words) > 1
    compared = several and test.print_first
    for k, example in enumerate(examples):
        if not compared:
            differs = [False] * len(words[k])
        elif k:
            differs = differing(words[k], words[0])
        else:  # a word of the original is marked where any of the other texts has another one
            differs = [any(flags) for flags in zip(*(differing(words[0], other) for other in words[1:]), strict=True)]
        example["role"] = "" if not test.print_first else "changed" if k else "original"
        example["parts"] = joined(words[k], differs)
        if not several:
            example["passed"] = ""
    original, others = (examples[:1], examples[1:]) if test.print_first else ([], examples)
    shown = [*original, *sorted(others, key=lambda example: example["passed"] != "fail")]
    rest = shown[_EXAMPLES:]
    failing = sum(example["passed"] == "fail" for example in rest)
    more = f"{count(len(rest), 'more text')}{f', {failing:,} of them fail' if failing else ''}"
    state = "pass" if test.results is not None and test.results.passed[at] else "fail"
    return {"state": state, "examples": shown[:_EXAMPLES], "rest": rest, "rest_words": more}


def _probability(pred: Any, conf: Any) -> str:
    """The probability of the prediction, where there are probabilities."""
    try:
        value = float(conf[pred]) if np.ndim(conf) else float(conf)
    except (IndexError, TypeError, ValueError):
        return ""
    return decimal(value) if 0 <= value <= 1 else ""


def differing(ours: list[str], theirs: list[str]) -> list[bool]:
    """For each word of a text, whether it differs from the other text; both as `words_of` gives them."""
    first, last = shared_ends([ours, theirs])
    a, b = ours[first : len(ours) - last], theirs[first : len(theirs) - last]
    differs = [False] * len(ours)
    if not a:
        return differs
    if max(len(a), len(b)) > _MOST_WORDS:
        differs[first : first + len(a)] = [True] * len(a)
        return differs
    for kind, start, stop, _, _ in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind in ("replace", "delete"):
            differs[first + start : first + stop] = [True] * (stop - start)
    return differs


def joined(words: list[str], differs: list[bool]) -> list[tuple[str, bool]]:
    """Neighbouring words of one kind as one part; space between two differing words belongs to them."""
    flags = list(differs)
    for at in range(1, len(words) - 1):
        if words[at].isspace():
            flags[at] = differs[at - 1] and differs[at + 1]
    parts: list[tuple[str, bool]] = []
    for word, flag in zip(words, flags, strict=True):
        if parts and parts[-1][1] == flag:
            parts[-1] = (parts[-1][0] + word, flag)
        else:
            parts.append((word, flag))
    return parts


class MatrixWidget:
    """The visual summary of tests as a widget, ``widget`` of ipywidgets, which asks for the cases as they are wanted.

    A notebook shows it where it is the last line of a cell. Where a notebook is only read, as on GitHub, its saved
    output shows `matrix_fragment` of the tests.
    """

    def __init__(self, tests: Sequence[BehavioralTest]) -> None:
        self._tests = tuple(tests)
        self.widget: Any = _widget_class()(html=widget_html(self._tests))
        self.widget.on_msg(lambda widget, content, buffers: widget.send(answer(self._tests, content)))

    def __repr__(self) -> str:
        return f"<MatrixWidget: {count(len(self._tests), 'test')}>"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = self.widget._repr_mimebundle_(**options)
        return {**data, "text/plain": repr(self), "text/html": matrix_fragment(self._tests)}, metadata


def answer(tests: Sequence[BehavioralTest], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a request of the widget: its ``request``, and ``html`` and whether there are ``more``, or ``error``.

    It asks for ``count`` cases from ``start`` on of the test at the position ``test``: those of the kind ``which``
    that hold ``text``.
    """
    request = asked.get("request")
    at, which, text, start, n = (asked.get(key) for key in ("test", "which", "text", "start", "count"))
    if not (isinstance(at, int) and isinstance(start, int) and isinstance(n, int) and isinstance(text, str)):
        return {"request": request, "error": f"The request is not known: {first_ten(asked)}."}
    if not (0 <= at < len(tests) and start >= 0 and 0 < n <= _MOST_CASES and which in ("fail", "pass", "all")):
        return {"request": request, "error": f"The request is out of range: test {at}, {which}, {start}, {n}."}
    test = tests[at]
    matching = (case for case in case_order(test, str(which)) if not text or text.lower() in _searched(test, case))
    cases = list(islice(matching, start, start + n + 1))
    return {"request": request, "html": cases_html(test, cases[:n]), "more": len(cases) > n}


def _searched(test: BehavioralTest, case: int) -> str:
    texts = case_texts(test, case)
    return "\n".join(f"{text['text']}\n{text['predicted']}\n{text['label']}" for text in texts).lower()


@cache
def _widget_class() -> Any:
    """The class of the widget, made when it is first needed: anywidget is an optional dependency."""
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"the widget needs the package {error.name}, which is not installed.",
            remedy='Run pip install "fairness-checklist[widgets]", or use matrix_html(), which needs no package.',
        ) from error
    content = {
        "_esm": str(part("matrix.js", _FOLDER)[0]),
        "_css": str(part("matrix.css", _FOLDER)[0]),
        "html": traitlets.Unicode().tag(sync=True),
    }
    return type("Matrix", (anywidget.AnyWidget,), content)

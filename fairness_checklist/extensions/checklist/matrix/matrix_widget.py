"""The visual summary of a test suite in a notebook, where the kernel gives the cases a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from fairness_checklist.core.errors import MissingExtraError, first_ten
from fairness_checklist.extensions.checklist.matrix.matrix import (
    CaseRecord,
    TestRecord,
    cases_html,
    clean,
    matrix_fragment,
    part,
    widget_html,
)

CasePage = Callable[[str, str, int, int], Sequence[CaseRecord]]
"""From the name of a test, "fail", "pass" or "all", a start and a count: so many cases of that kind."""
_CHUNK = 500  # cases that are read at once for the text filter
_MOST = 100  # cases of a page
_KINDS = ("fail", "pass", "all")


class MatrixWidget:
    """The visual summary of a suite as a widget.

    A notebook shows it where it is the last line of a cell. Where a notebook is only read, as on GitHub, its saved
    output shows `matrix_fragment` of the tests.

    Args:
        tests: the tests; capabilities and tests keep their order.
        cases: gives the cases of a test: called with its name, "fail", "pass" or "all", the start, counted from 0,
            and how many are wanted; it returns at most so many. By default those that the records hold.

    Attributes:
        widget: the ipywidgets widget, for layouts.

    Raises:
        MissingExtraError: anywidget is not installed.

    >>> test = TestRecord("negation", "Negation", "MFT", cases=4, cases_run=4, fails=1)
    >>> MatrixWidget([test])
    <MatrixWidget: 1 test>
    """

    def __init__(self, tests: Sequence[TestRecord], cases: CasePage | None = None) -> None:
        self._tests = tuple(tests)
        self._cases = cases or _cases_of(self._tests)
        self.widget: Any = _widget_class()(html=widget_html(self._tests, asks=cases is not None))
        self.widget.on_msg(lambda widget, content, buffers: widget.send(answer(self._tests, self._cases, content)))

    def __repr__(self) -> str:
        return f"<MatrixWidget: {len(self._tests):,} test{'' if len(self._tests) == 1 else 's'}>"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = self.widget._repr_mimebundle_(**options)
        return {**data, "text/plain": repr(self), "text/html": matrix_fragment(self._tests)}, metadata


def answer(tests: Sequence[TestRecord], cases: CasePage, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a request of the widget.

    Args:
        tests: the tests.
        cases: gives their cases.
        asked: ``request``, any name; ``test``, a position; ``which``, "fail", "pass" or "all"; ``text``, which the
            cases hold; ``start`` and ``count``.

    Returns:
        ``request``, and either ``html`` and ``more``, whether further cases follow, or ``error``. Errors of ``cases``
        are shown in the widget, and so are not raised.

    >>> test = TestRecord("a", "b", "MFT", cases=1, cases_run=1, fails=1, shown=(CaseRecord(False, ()),))
    >>> reply = answer([test], _cases_of([test]), {"request": 1, "test": 0, "which": "fail", "text": "", "start": 0,
    ...                                            "count": 10})
    >>> "data-state" in reply["html"], reply["more"]
    (True, False)
    """
    request = asked.get("request")
    at, which, text, start, n = (asked.get(key) for key in ("test", "which", "text", "start", "count"))
    if not (isinstance(at, int) and isinstance(start, int) and isinstance(n, int) and isinstance(text, str)):
        return {"request": request, "error": f"The request is not known: {first_ten(asked)}."}
    if not (0 <= at < len(tests) and start >= 0 and 0 < n <= _MOST and which in _KINDS):
        return {"request": request, "error": f"The request is out of range: test {at}, {which}, {start}, {n}."}
    try:
        found, more = _page(cases, tests[at].name, str(which), text, start, n)
    except Exception as error:  # what the user's function raises belongs where the user looks
        return {"request": request, "error": clean(f"{type(error).__name__}: {error}")}
    return {"request": request, "html": cases_html(found), "more": more}


def _page(cases: CasePage, name: str, which: str, text: str, start: int, n: int) -> tuple[Sequence[CaseRecord], bool]:
    """The cases from a start that hold a text, and whether more of them follow."""
    if not text:
        found = cases(name, which, start, n + 1)
        return found[:n], len(found) > n
    wanted, holding, at = text.lower(), list[CaseRecord](), 0
    while len(holding) <= start + n:
        chunk = cases(name, which, at, _CHUNK)
        holding += [one for one in chunk if wanted in _words(one)]
        at += len(chunk)
        if len(chunk) < _CHUNK:
            break
    return holding[start : start + n], len(holding) > start + n


def _words(case: CaseRecord) -> str:
    return clean("\n".join(f"{one.text}\n{one.predicted}\n{one.label}" for one in case.examples)).lower()


def _cases_of(tests: Sequence[TestRecord]) -> CasePage:
    """The cases that the records hold."""
    shown = {one.name: one.shown for one in tests}

    def cases(name: str, which: str, start: int, n: int) -> Sequence[CaseRecord]:
        wanted = {"fail": (False,), "pass": (True,), "all": (False, True, None)}[which]
        return [one for one in shown[name] if one.passed in wanted][start : start + n]

    return cases


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
        "_esm": str(part("matrix.js")[0]),
        "_css": str(part("matrix.css")[0]),
        "html": traitlets.Unicode().tag(sync=True),
    }
    return type("Matrix", (anywidget.AnyWidget,), content)

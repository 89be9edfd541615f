"""The records of the visual summary, its pages as text, and what the widget answers."""

from __future__ import annotations

import re
import sys

import pytest
from build_matrix import ARABIC, Case, answered, large_suite, pair, single, small_suite
from build_results import Element, read_page

from fairness_checklist.core.errors import MissingExtraError
from fairness_checklist.extensions.checklist.behavioral.behavioral_tests import BehavioralTest
from fairness_checklist.extensions.checklist.matrix import matrix
from fairness_checklist.extensions.checklist.matrix.matrix import (
    MatrixWidget,
    answer,
    cases_html,
    matrix_fragment,
    matrix_html,
)


@pytest.fixture(scope="module")
def page() -> Element:
    return read_page(matrix_html(small_suite(), title='A "suite" <of> tests'))


def grid_of(page: Element) -> list[list[str]]:
    [grid] = page.all("table", "grid")
    rows = [row.all("th") + row.all("td") for row in grid.all("tbody")[0].all("tr")]
    return [[" ".join(cell.text.split()) for cell in row] for row in rows]


def test_cells_print_the_highest_rate_and_its_tests(page: Element) -> None:
    names = 'quotes "of" <b>names</b>'
    assert grid_of(page) == [
        ["Vocabulary", f"66.7 % highest of 2 tests {names} 66.7 % two <0.1 %", "no test", "no test"],
        ["Fairness", "no test", "100.0 % highest of 2 tests names 13.3 % right to left 100.0 %", "no test"],
        [
            "Negation",
            "not run 1 test not run not run",
            "no result 1 test unknown no result",
            "no cases left 1 test filtered no cases left",
        ],
    ]


def test_an_almost_full_rate_is_not_printed_as_full() -> None:
    tests = [
        answered("MFT", str(n), "c", [single(k, fails=k < n) for k in range(9999)], description="d")
        for n in (9998, 9999)
    ]

    assert [chip.text for chip in read_page(matrix_html(tests, title="")).all("summary")[2:]] == [
        "9998 >99.9 % 9,998 of 9,999 fail",
        "9999 100.0 % 9,999 of 9,999 fail",
    ]


def test_everything_is_escaped_and_can_be_encoded(page: Element) -> None:
    html = matrix_html(small_suite(), title='A "suite" <of> tests')

    html.encode("utf-8")
    assert len(re.findall("<script", html)) == 1
    assert "<img" not in html
    assert "\x00" not in html
    assert "A lone \ufffd surrogate and a \ufffd control character." in [one.text for one in page.all("blockquote")]
    assert page.all("title")[0].text == 'A "suite" <of> tests'
    assert not re.search(r"https?://|<link|@import|url\(|\bfetch\(|XMLHttpRequest", html)
    assert ARABIC in [one.text for one in page.all("blockquote")]
    assert {one.attributes["dir"] for one in page.all("blockquote")} == {"auto"}


def test_differing_words_are_marked_on_both_sides() -> None:
    texts, positive = pair(1, fails=True)
    case: Case = ([*texts, "Maria is a bad writer."], [*positive, 0.9])
    marks = [
        [mark.text for mark in one.all("mark")]
        for one in read_page(cases_html(answered("INV", "t", "c", [case]), [0])).all("blockquote")
    ]

    assert marks == [["Maria", "good", ", and case 1 is about her"], ["Ahmed", "him"], ["bad"]]


def test_of_many_texts_the_original_and_the_failing_ones_come_first() -> None:
    case = [str(k) for k in range(20)], [0.1 if k in (7, 8) else 0.9 for k in range(20)]
    page = read_page(cases_html(answered("INV", "t", "c", [case]), [0]))

    [rest] = page.all("details", "rest")
    everywhere = [one.text for one in page.all("blockquote")]
    assert everywhere[:6] == ["0", "7", "8", "1", "2", "3"]
    assert len(everywhere) == 20
    assert rest.all("summary")[0].text == "14 more texts"
    assert len(rest.all("blockquote")) == 14


@pytest.mark.parametrize(
    ("text", "other", "marked"),
    [
        ("a b c", "a b c", []),
        ("", "a", []),
        ("a", "", ["a"]),
        ("the two new films", "the films", ["two new"]),
        ("我喜欢她", "我喜欢他", ["她"]),
        ("word " * 3000 + "x", "x" + " word" * 3000, [("word " * 3000 + "x")]),
    ],
)
def test_the_parts_join_to_the_text(text: str, other: str, marked: list[str]) -> None:
    words = matrix._WORDS.findall(text)
    parts = matrix.joined(words, matrix.differing(words, matrix._WORDS.findall(other)))

    assert "".join(part for part, _ in parts) == text
    assert [part for part, differs in parts if differs] == marked


def test_a_fragment_is_short_and_needs_no_script() -> None:
    fragment = matrix_fragment(large_suite())

    assert "<script" not in fragment
    assert len(fragment) < 200_000
    page = read_page(fragment)
    assert len(page.all("details", "test")) == 38
    assert len(page.all("li", "case")) == 38 * 5
    assert "Of 500 cases that were run, 5 are stored here." in page.text
    assert not page.all("a"), "a notebook does not follow links inside an output"


def test_a_page_links_each_test() -> None:
    page = read_page(matrix_html(large_suite(38, 1), title=""))

    targets = [link.attributes["href"] for link in page.all("a")]
    assert len(targets) == 38
    assert sorted(targets) == sorted(f"#{one.attributes['id']}" for one in page.all("div", "body"))


def test_a_suite_without_tests_says_so() -> None:
    assert "This suite has no tests." in matrix_html([], title="Empty")


@pytest.fixture(scope="module")
def films() -> list[BehavioralTest]:
    """1,200 cases of which each third fails, behind another test."""
    cases = [single(k, fails=k % 3 == 0) for k in range(1200)]
    return [answered("MFT", "a", "c", cases[:1]), answered("MFT", "b", "c", cases)]


def ask(tests: list[BehavioralTest], **asked: object) -> dict[str, object]:
    default = {"request": "r", "test": 1, "which": "fail", "text": "", "start": 0, "count": 10}
    return answer(tests, default | asked)


def viewers(reply: dict[str, object]) -> list[int]:
    return [int(k) for k in re.findall(r"viewer (\d+)", str(reply["html"]))]


def test_a_page_of_cases_is_all_that_is_asked_for(films: list[BehavioralTest]) -> None:
    last = ask(films, start=390)
    assert (viewers(last), last["more"]) == ([*range(1170, 1200, 3)], False)
    passing = ask(films, which="pass", start=20, count=2)
    assert (viewers(passing), passing["more"]) == ([31, 32], True)


def test_the_text_filter_reads_all_cases(films: list[BehavioralTest]) -> None:
    first = ask(films, which="all", text="VIEWER 119", count=5)

    assert (viewers(first), first["more"]) == ([1191, 1194, 1197, 119, 1190], True)
    rest = ask(films, which="all", text="viewer 119", start=5, count=10)
    assert (viewers(rest), rest["more"]) == ([1192, 1193, 1195, 1196, 1198, 1199], False)


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"test": 2}, "The request is out of range: test 2, fail, 0, 10."),
        ({"count": 10**9}, "The request is out of range: test 1, fail, 0, 1000000000."),
        ({"which": "__class__"}, "The request is out of range: test 1, __class__, 0, 10."),
        ({"text": None}, "The request is not known: request, test, which, text, start, count."),
    ],
)
def test_a_wrong_request_is_answered_with_an_error(
    films: list[BehavioralTest], asked: dict[str, object], error: str
) -> None:
    assert ask(films, **asked) == {"request": "r", "error": error}


def test_the_widget_holds_the_markup_and_a_fragment_for_readers() -> None:
    pytest.importorskip("anywidget")
    shown = MatrixWidget(small_suite())
    data, _ = shown._repr_mimebundle_()

    assert repr(shown) == data["text/plain"] == "<MatrixWidget: 7 tests>"
    assert data["text/html"] == matrix_fragment(small_suite())
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "<li" not in read_page(shown.widget.html).all("ol", "cases")[0].text
    assert 'data-fail="12" data-pass="78" data-all="100"' in shown.widget.html
    sent: list[dict[str, object]] = []
    shown.widget.send = sent.append
    request = {"request": 1, "test": 2, "which": "pass", "text": "case 29", "start": 0, "count": 10}
    shown.widget._handle_custom_msg(request, [])
    assert [(one["request"], str(one["html"]).count("<li"), one["more"]) for one in sent] == [(1, 1, False)]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    matrix._widget_class.cache_clear()

    with pytest.raises(MissingExtraError) as caught:
        MatrixWidget([])
    assert str(caught.value) == (
        "the widget needs the package anywidget, which is not installed.\n"
        '    Run pip install "fairness-checklist[widgets]", or use matrix_html(), which needs no package.'
    )

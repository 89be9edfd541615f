"""The page in headless Chromium, where one is installed: what a reader sees, reaches with keys, and can read aloud."""

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from build_findings import DAY, scored, tagged
from build_results import Element, predictions, read_page, run
from chromium import BROWSER, Page, chromium

import fairness_checklist as fc
from fairness_checklist.reports.html import write

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed"),
    pytest.mark.skipif(find_spec("websocket") is None, reason="websocket-client is not installed"),
]
Asker = Callable[..., Any]


def three_attributes() -> fc.Result:
    """A worse group, one that a word carries, and none; the model is of toxicity, so that sentences are blurred."""
    none = {"=a<script>alert(1)</script>": [f"word {k}" for k in range(30)], "b": DAY}
    options: dict[str, Any] = {"classes": ("nontoxic", "toxic"), "labels": ("nontoxic", "toxic"), "controls": True}
    tables = [
        scored(0.12, **options),
        scored(0.0, **options, words={"nurse": 0.4}, noise=0.05),
        scored(0.0, none, **options, seed=4),
    ]
    named = [table.assign(attribute=name) for name, table in zip(("shift", "gender", "other"), tables, strict=True)]
    return fc.evaluate(pd.concat(named), task="toxicity", draws=0)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(three_attributes(), tmp_path_factory.mktemp("browser") / "report.html")


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("chromium")) as page:
        page.send("Emulation.setFocusEmulationEnabled", enabled=True)
        yield page


@pytest.fixture
def ask(tab: Page, report: Path) -> Asker:
    """Opens the page anew, runs a script in it and gives what it returns."""

    def asked(script: str, *, width: int = 1200, height: int = 800, dark: bool = False, library: str = "0") -> Any:
        tab.look(width=width, height=height, dark=dark)
        tab.open(report.as_uri())
        tab.ask(f"{library}; 0")
        return tab.ask(f"(async () => {{ {script} }})()")

    return asked


def seen(tab: Page, path: Path) -> Element:
    """The elements of a page after its own script has run."""
    tab.look(height=800)
    tab.open(path.as_uri())
    return read_page(tab.ask("document.documentElement.outerHTML"))


def test_the_page_is_small_and_loads_nothing(report: Path, ask: Asker) -> None:
    text = report.read_text(encoding="utf-8")

    assert len(text.encode()) < 400_000
    assert not re.search(r"https?://(?!www\.w3\.org)|<link|<img|@import|url\(|\bfetch\(|XMLHttpRequest", text)
    assert ask("return performance.getEntriesByType('resource').map((one) => one.name);") == []


def test_few_words_are_unfolded_and_the_first_screen_comes_first(ask: Asker) -> None:
    end, words = ask(
        "return [document.querySelector('.card').getBoundingClientRect().bottom, document.body.innerText];"
    )

    assert end < 800
    assert len(words.split()) <= 2500
    for part in ("toxicity", "worse", "word", "small", "next", "called toxic", "untested"):
        assert part in words[: words.index("What these words mean")]


@pytest.mark.parametrize("width", [400, 1200])
def test_nothing_is_wider_than_the_page(ask: Asker, width: int) -> None:
    found = ask(
        f"document.documentElement.style.width = '{width}px'; document.body.style.width = '{width}px';"
        "document.querySelectorAll('details').forEach((one) => (one.open = true));"
        "const inside = (one) => one.closest('.scroll') || one.closest('svg') || one.closest('.unseen');"
        f"return [innerWidth, [...document.querySelectorAll('main *, header *')].filter((one) => !inside(one) && "
        f"one.getBoundingClientRect().right > {width} + 1).map((one) => one.tagName + '.' + one.className)];",
        width=width,
    )

    assert found == [width, []]
    assert ask("return document.querySelector('main').innerText.match(/ %/g);") is None, "no percent sign stands alone"


def test_tables_are_sorted_and_filtered(tab: Page, tmp_path: Path) -> None:
    terms = {(f"group {k}", f"term{k}"): (0.9, 0.1, 0.1, 0.05 * k) for k in range(14)}
    seen(tab, write(run(predictions("letters", terms)), tmp_path / "report.html"))
    down, up, hidden, aria = tab.ask(
        "(() => { const field = document.querySelector('input[type=search]');"
        "const table = field.closest('p').nextElementSibling.querySelector('table');"
        "const head = [...table.querySelectorAll('th.number')].at(-1); const button = head.querySelector('button');"
        "const cells = () => [...table.tBodies[0].rows].map((row) => row.children[head.cellIndex].textContent);"
        "button.click(); const down = cells(); const aria = head.getAttribute('aria-sort'); button.click();"
        "const up = cells(); field.value = 'group 1'; field.dispatchEvent(new Event('input'));"
        "return [down, up, [...table.tBodies[0].rows].filter((row) => row.hidden).length, aria]; })()"
    )

    numbers = [float(cell.split()[0]) for cell in down]
    assert numbers == sorted(numbers, reverse=True) == [float(cell.split()[0]) for cell in up][::-1]
    assert (len(numbers) - hidden, aria) == (5, "descending")


def test_shares_of_decisions_are_shown_when_asked_for(ask: Asker) -> None:
    before, after, kinds = ask(
        "const seen = () => [...document.querySelectorAll('.decided')].filter((one) => getComputedStyle(one).display "
        "!== 'none').length; const before = seen(); document.querySelector('#decisions').click();"
        "return [before, seen(), [...new Set([...document.querySelectorAll('.decided')].map((one) => one.tagName))]];"
    )

    assert before == 0
    assert after > 4
    assert sorted(kinds) == ["SPAN", "circle"]


def test_folded_parts_are_printed(ask: Asker, tab: Page) -> None:
    ask("return 0;")
    tab.send("Emulation.setEmulatedMedia", media="print")
    folded = "[...document.querySelectorAll('details > .scroll, details > p, details > dl')]"
    assert tab.ask(f"{folded}.length") > 5
    assert (
        tab.ask(f"{folded}.filter((one) => !one.checkVisibility() || !one.getBoundingClientRect().height).length") == 0
    )


def test_sentences_are_blurred_until_asked_for(ask: Asker) -> None:
    before, after, n = ask(
        "const one = document.querySelector('blockquote.hidden'); const blur = () => getComputedStyle(one).filter;"
        "const before = blur(); document.querySelector('#reveal').click();"
        "return [before, blur(), document.querySelectorAll('blockquote:not(.hidden)').length];"
    )

    assert (before.startswith("blur("), after, n) == (True, "none", 0)


@pytest.mark.skipif(find_spec("axe_core_python") is None, reason="axe-core-python is not installed")
def test_axe_finds_no_violation(ask: Asker, tab: Page) -> None:
    """In the dark nothing but colours changes, and they are the same for each attribute."""
    axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    said = (
        "violations.map((one) => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 160), "
        "one.nodes[0].any.concat(one.nodes[0].all).map((any) => any.message)[0] || ''])"
    )
    unfolded = "document.querySelectorAll('details').forEach((one) => (one.open = true));"
    assert (
        ask(f"{unfolded} return (await axe.run(document, {{resultTypes: ['violations']}})).{said};", library=axe) == []
    )
    tab.look(dark=True)
    context, rules = "{exclude: [['#attribute-gender'], ['#attribute-other']]}", "{runOnly: ['color-contrast']}"
    assert tab.ask(f"(async () => (await axe.run({context}, {rules})).{said})()") == []


def test_the_page_of_a_tagger_is_understood(tab: Page, tmp_path: Path) -> None:
    found = fc.evaluate(tagged(0.4), task="ner", attribute="names", metrics=["fnr_gap"], draws=0)
    page = seen(tab, found.to_html(tmp_path / "report.html"))

    assert "female names 38 %" in page.by_id("summary-names").text.replace("\u00a0", " ")
    assert page.all("figure", "forest")
    assert page.all("article", "pair")[0].all("mark")
    assert page.by_id("run").all("dd")

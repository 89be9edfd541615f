"""The visual summary in headless Chromium: the page, the fragment without scripts, and the widget in JupyterLab.

``MATRIX_PICTURES=FOLDER`` keeps a picture of JupyterLab, and ``MATRIX_THEME="JupyterLab Dark"`` sets its theme.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from build_matrix import large_suite, small_suite
from chromium import BROWSER, Page, chromium
from waiting import until

from fairness_checklist.extensions.checklist.matrix.matrix import matrix_fragment, matrix_html

pytestmark = [
    pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed"),
    pytest.mark.skipif(find_spec("websocket") is None, reason="websocket-client is not installed"),
]
SHOWN = "[...document.querySelectorAll('details[open] > details[open] li.case')]"
STATUS = "document.querySelector('details.cell:not([hidden]) > details[open] [role=status]').textContent"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("chromium")) as page:
        yield page


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """The tab in its first state; the test fails where a script, the console or the policy has an error."""
    tab.problems.clear()
    tab.requests.clear()
    tab.look()
    yield tab
    assert tab.problems == []
    assert tab.requests == [], "nothing is loaded"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("matrix")
    found = {}
    for name, html in (
        ("small", matrix_html(small_suite(), title="Small suite")),
        ("large", matrix_html(large_suite(), title="Large suite")),
        ("fragment", f"<!DOCTYPE html><meta charset=utf-8><title>f</title><main>{matrix_fragment(small_suite())}"),
    ):
        path = folder / f"{name}.html"
        path.write_text(html, encoding="utf-8")
        found[name] = path.as_uri()
    return found


def cell(text: str) -> str:
    return f"[...document.querySelectorAll('button.pick')].find((one) => one.textContent.includes({json.dumps(text)}))"


def named(name: str) -> str:
    return (
        "[...document.querySelectorAll('details.test > summary')].find((one) => "
        f"one.querySelector('.name').textContent === {json.dumps(name)})"
    )


def test_a_cell_shows_its_tests_and_a_test_its_cases(page: Page, addresses: dict[str, str]) -> None:
    page.open(addresses["small"])
    page.click(cell("100.0 %"))
    assert page.ask(
        "[...document.querySelectorAll('details.cell')].filter((one) => one.checkVisibility())"
        ".map((one) => one.querySelector('summary').textContent)"
    ) == ["Fairness, INV: 2 tests"]
    assert page.ask("document.querySelectorAll('button[aria-pressed=true]').length") == 1

    page.click(named("names"))
    page.wait(f"{SHOWN}.length === 10")
    assert page.ask(STATUS) == "Cases 1 to 10 of 12"
    seen = page.ask("document.querySelector('details.test[open]').innerText.split('\\n').filter(Boolean)")
    assert seen[:2] == ["names 13.3 % 12 of 90 fail", "Change the name."]
    assert seen[2].startswith("Expectation: slice_testcase(expect_fn=inv(tolerance=0.1)")
    counts = {"test cases": "200", "run": "100", "after filtering": "90", "fails": "12", "failure rate": "13.3 %"}
    assert dict(zip(seen[3:13:2], seen[4:13:2], strict=True)) == counts
    assert seen[13:15] == ["Of 100 cases that were run, 50 are stored here.", "Cases that are shown"]
    assert {"failing (12)", "passing (38)", "all (50)"} <= set(seen)
    first = page.ask(f"{SHOWN}[0].innerText.split('\\n').filter(Boolean)")
    assert first == [
        "fail",
        "original",
        "Maria is a good writer, and case 10 is about her.",
        "predicted positive 0.934: pass",
        "changed",
        "Ahmed is a good writer, and case 10 is about him.",
        "predicted negative 0.612: fail",
    ]

    button = "[...document.querySelectorAll('details.test[open] button')]"
    page.click(f"{button}.find((one) => one.textContent === 'Next')")
    page.wait(f"{SHOWN}.length === 2")
    assert page.ask(STATUS) == "Cases 11 to 12 of 12"
    assert page.ask(f"{button}.map((one) => one.getAttribute('aria-disabled'))") == ["false", "true"]
    page.click("document.querySelector('details.test[open] input[value=pass]')")
    page.wait(f"{SHOWN}.every((one) => one.dataset.state === 'pass')")
    assert page.ask(STATUS) == "Cases 1 to 10 of 38"
    page.click("document.querySelector('details.test[open] input[value=all]')")
    page.click("document.querySelector('details.test[open] input[type=search]')")
    page.type("CASE 29")
    page.wait(f"{SHOWN}.length === 1")
    assert page.ask(STATUS) == "Cases 1 to 1 of 1"
    page.type("x")
    page.wait(f"{SHOWN}.length === 0")
    assert page.ask(STATUS) == "No such cases."

    page.click(cell("100.0 %"))
    assert page.ask("[...document.querySelectorAll('details.cell')].every((one) => one.checkVisibility())")


def test_the_keyboard_reaches_everything(page: Page, addresses: dict[str, str]) -> None:
    page.open(addresses["small"])
    focus = "document.activeElement.textContent"

    def tab_to(text: str) -> None:
        for _ in range(30):
            page.press("Tab")
            if page.ask(focus).startswith(text):
                return
        raise AssertionError(f"the tab key does not reach {text}")

    tab_to("100.0 % highest of 2 tests")
    assert page.ask("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.press("Enter")
    tab_to("names")
    page.press("Enter")
    page.wait(f"{SHOWN}.length === 10")
    page.press("Tab")
    assert page.ask("document.activeElement.value") == "fail"
    page.press("ArrowRight")
    page.wait(f"{SHOWN}.every((one) => one.dataset.state === 'pass')")
    tab_to("Next")
    page.press(" ")
    page.wait(f"{STATUS} === 'Cases 11 to 20 of 38'")
    assert page.ask(focus) == "Next", "the focus stays where it was"


def test_texts_do_not_run(page: Page, addresses: dict[str, str]) -> None:
    page.open(addresses["small"])
    page.click(cell("66.7 %"))
    page.click(named('quotes "of" <b>names</b>'))
    page.wait(f"{SHOWN}.length === 2")

    assert page.ask("[document.title, document.querySelectorAll('main img, main script').length]") == ["Small suite", 0]
    assert page.ask(f"{SHOWN}[0].innerText").startswith('fail\n<script>document.title = "run"</script><img src=x')


def test_right_to_left_texts_are_set_so(page: Page, addresses: dict[str, str]) -> None:
    page.open(addresses["small"])
    page.click(named("right to left"))
    page.ask("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.wait("document.querySelectorAll('.tools').length > 6")

    assert page.ask(
        "[...document.querySelectorAll('blockquote')].filter((one) => /[\\u0600-\\u06ff]/.test(one.textContent))"
        ".map((one) => getComputedStyle(one).direction)"
    ) == ["rtl", "rtl"]


def test_a_large_suite_is_fast(page: Page, addresses: dict[str, str]) -> None:
    start = time.perf_counter()
    page.open(addresses["large"])
    assert page.ask("document.querySelectorAll('li.case').length") == 38 * 50
    loaded = time.perf_counter() - start
    took = page.ask(
        "(async () => { const start = performance.now(); document.querySelector('button.pick').click();"
        "for (const one of document.querySelectorAll('details.cell[open] details.test')) one.open = true;"
        "await new Promise((done) => setTimeout(done)); document.body.getBoundingClientRect();"
        "return [performance.now() - start, document.querySelectorAll('.tools').length]; })()"
    )

    assert loaded < 10, "a bound for a busy machine, not a measurement"
    assert took[0] < 3000
    assert took[1] == 10


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 1200])
def test_the_page_fits_and_can_be_read(page: Page, addresses: dict[str, str], width: int, dark: bool) -> None:
    page.look(width=width, dark=dark)
    page.open(addresses["small"])
    page.ask("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.wait(f"{SHOWN}.length > 10")

    assert page.ask("document.documentElement.scrollWidth <= innerWidth")
    scroll = "document.querySelector('.scroll')"
    assert page.ask(f"{scroll}.scrollWidth <= {scroll}.clientWidth"), "the matrix itself fits"
    if find_spec("axe_core_python") is None:
        pytest.skip("axe-core-python is not installed")
    page.ask(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8") + "; 0")
    found = page.ask(
        "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map((one) => "
        "[one.id, one.nodes.length, one.nodes[0].html.slice(0, 200), one.nodes[0].failureSummary]))"
    )
    assert found == []


@pytest.mark.parametrize("name", ["small", "fragment"])
def test_without_scripts_the_cases_are_reached(page: Page, addresses: dict[str, str], name: str) -> None:
    page.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.open(addresses[name])
        page.click("document.querySelectorAll('details.pick > summary')[1]")
        assert page.ask("document.querySelectorAll('details.pick[open] li').length") == 2
        if name == "small":
            page.click("document.querySelector('details.pick[open] a')")
        else:
            page.click("document.querySelectorAll('details.cell > summary')[1]")
            page.click(named("names"))
        page.wait(f"{SHOWN}.length >= 5")
        assert "Ahmed is a good writer" in page.ask(f"{SHOWN}[0].innerText")
    finally:
        page.send("Emulation.setScriptExecutionDisabled", value=False)


CELL = """
import sys
sys.path.insert(0, {tests!r})
from build_matrix import single, answered
from fairness_checklist.extensions.checklist.matrix.matrix import MatrixWidget

films = [single(k, fails=k % 4 == 0) for k in range(100_000)]
later = answered("INV", "later", "Negation", [(["a", "b"], [0.9, 0.9])])
later.sample()
MatrixWidget([answered("MFT", "praise", "Vocabulary", films, description="From the kernel."), later])
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """The address of a JupyterLab with one notebook; nothing of the user's configuration is read or written."""
    for name in ("jupyterlab", "anywidget", "ipykernel"):
        if find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    code = nbformat.v4.new_code_cell(CELL.format(tests=str(Path(__file__).parents[2])))
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    (work := tmp_path / "work").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[code], metadata=kernel), work / "suite.ipynb")
    settings = tmp_path / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    for name, own in (("notification", {"fetchNews": "false"}), ("themes", {"theme": os.environ.get("MATRIX_THEME")})):
        chosen = json.dumps({key: value for key, value in own.items() if value})
        (settings / f"{name}.jupyterlab-settings").write_text(chosen, encoding="utf-8")

    token = secrets.token_hex()
    own = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR")}
    own |= {"IPYTHONDIR": str(tmp_path / "ipython"), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    own |= {"PYTHONPATH": os.pathsep.join(filter(None, (str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", "--port=0"]
    command += [f"--ServerApp.root_dir={work}", f"--IdentityProvider.token={token}"]
    command += [f"--LabApp.user_settings_dir={tmp_path / 'settings'}", f"--LabApp.workspaces_dir={tmp_path / 'spaces'}"]
    command += ["--LabApp.extension_manager=readonly"]
    log = tmp_path / "lab.log"
    with (
        log.open("wb") as written,
        subprocess.Popen(command, stdout=written, stderr=written, env=os.environ | own) as process,
    ):
        try:
            yield f"{_lab_address(log, process)}lab/tree/suite.ipynb?token={token}"
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def _lab_address(log: Path, process: subprocess.Popen[bytes]) -> str:
    def address() -> str:
        text = log.read_text(encoding="utf-8", errors="replace")
        found = re.search(r"http://127\.0\.0\.1:[1-9]\d*/", text)
        return found[0] if found and "Use Control-C" in text else ""

    return until(address, process, "JupyterLab")


def _run_the_cell(page: Page) -> None:
    """Press shift and enter in the notebook's cell; again where JupyterLab was not ready for it."""
    editor, shown = "document.querySelector('.jp-Notebook .cm-content')", "!!document.querySelector('.fc-matrix .pick')"
    page.wait(f"!!{editor} && !!document.querySelector('[data-status=idle]')", 90)
    page.wait("!document.querySelector('.jp-Spinner')")
    for _ in range(12):
        page.click(editor)
        page.press("Enter", modifiers=8)
        with suppress(TimeoutError):
            page.wait("/\\d|\\*/.test(document.querySelector('.jp-InputPrompt').textContent)", 4)
            page.wait(shown, 60)
            return
    raise TimeoutError(f"the cell does not run: {page.ask('document.body.innerText')}")


def test_the_widget_in_jupyterlab(lab: str, tmp_path: Path) -> None:
    with chromium(tmp_path) as page:
        page.look(height=1300)
        page.open(lab)
        _run_the_cell(page)
        page.click(cell("25.0 %"))
        page.click(named("praise"))
        page.wait(f"{SHOWN}.length === 10")
        assert page.ask(STATUS) == "Cases 1 to 10 of 25,000"
        assert "said viewer 36." in page.ask(f"{SHOWN}[9].innerText")

        page.click("[...document.querySelectorAll('.fc-matrix button')].find((one) => one.textContent === 'Next')")
        page.wait(f"{STATUS} === 'Cases 11 to 20 of 25,000'")
        assert "said viewer 76." in page.ask(f"{SHOWN}[9].innerText")
        page.click("document.querySelector('.fc-matrix input[type=search]')")
        page.type("viewer 9999")
        page.wait(f"{STATUS} === 'Cases 1 to 2 of 2'")
        assert page.ask(f"{SHOWN}.map((one) => one.innerText.match(/\\d+/)[0])") == ["99992", "99996"]
        if folder := os.environ.get("MATRIX_PICTURES"):
            page.picture(Path(folder) / "lab.png")
        assert not page.ask("document.querySelector('.jp-OutputArea-output script')")

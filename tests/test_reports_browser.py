"""The page in a real browser, where one is installed: headless Chromium reads it and writes back what it understood."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from build_results import NAMES, predictions, read_page, run

from fairness_checklist.reports.html import write

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--window-size=1200,3000",
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    results = run(predictions(), predictions("names", NAMES))
    return write(results, folder / "report.html")


def ask(report, *flags):
    """What the browser writes to its standard output about the page."""
    profile = report.parent / f"profile{len(list(report.parent.iterdir()))}"
    command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", *flags, report.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def test_the_browser_understands_every_section(report):
    page = read_page(ask(report, "--dump-dom"))
    assert page.by_id("verdict").all("p")[0].text.startswith("gender: No findings: draws=0. ")
    for name in ("gender", "names"):
        assert len(page.by_id(f"heatmap-{name}").all("img")) == 1
        assert page.by_id(f"groups-{name}").all("table")
        assert page.by_id(f"checks-{name}").all("table")
    assert [mark.text for mark in page.by_id("pairs-gender").all("mark")][:2] == ["man", "cis"]
    assert page.by_id("undefined").all("td")
    assert page.by_id("dropped").text
    assert page.by_id("run").all("dd")


def test_the_browser_paints_the_page(report):
    from matplotlib.image import imread

    picture = report.parent / "page.png"
    ask(report, "--hide-scrollbars", f"--screenshot={picture}")
    pixels = imread(picture)
    assert pixels.shape[:2] == (3000, 1200)
    shade = pixels[..., :3]
    coloured = shade.max(axis=2) - shade.min(axis=2) > 0.5
    assert coloured.sum() > 2000, "the heat map's colours are in the page"

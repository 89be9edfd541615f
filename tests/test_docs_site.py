"""The documentation site, not built: its tree, its links and anchors, and the pages that are made of the code."""

import re
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import build_reference
import pandas as pd
import pytest
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.cli import app as cli
from fairness_checklist.metrics.metric_forms import METRICS

DOCS = build_reference.DOCS
HAND_WRITTEN = {path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
LINK = re.compile(r"\]\(([^()\s]+)\)")
ENTITIES = ("PER", "LOC", "ORG", "MISC")
"""What templates write as the target of a link."""


@cache
def site() -> dict[str, str]:
    """Path below docs -> text, of all pages but the notebooks."""
    made = build_reference.pages() | build_reference.verb_pages({})
    return HAND_WRITTEN | {f"reference/{name}": text for name, text in made.items()}


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(text: str) -> set[str]:
    """The anchors of a page: its headings as GitHub writes them, and its labels."""
    headings = re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r"^\((\S+)\)=$", text, re.MULTILINE))


def test_every_page_is_in_one_toctree_and_every_entry_is_a_page() -> None:
    entries = []
    for name, text in site().items():
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            lines = [line for line in block.splitlines() if line and not line.startswith(":")]
            bare = [re.sub(r".*<(.*)>", r"\1", line) for line in lines]
            entries += [(Path(name).parent / line).as_posix() for line in bare]
    pages = {name.removesuffix(".md") for name in site()}
    notebooks = {f"reference/notebooks/{path.stem}" for path in (build_reference.ROOT / "notebooks").glob("*.ipynb")}
    found = [page for page in pages for entry in entries if fnmatchcase(page, entry)]

    assert sorted(found) == sorted(pages - {"index"})
    assert {entry for entry in entries if "*" not in entry} <= pages | notebooks


@sweep(
    "name", sorted(HAND_WRITTEN) + [f"reference/{name}" for name in ("verbs.md", "metrics.md", "columns.md", "api.md")]
)
def test_the_links_of_a_page_lead_to_a_page_and_an_anchor_of_it(name: str) -> None:
    for target in LINK.findall(without_code(site()[name])):
        path, _, anchor = target.partition("#")
        if path in ENTITIES or re.match(r"\w+:", target):
            continue
        to = name if not path else Path(re.sub(r"[^/]+/\.\./", "", (Path(name).parent / path).as_posix())).as_posix()
        assert to in site() or (DOCS / to).is_file(), target
        assert not anchor or anchor in anchors(site()[to]), target


def test_every_verb_metric_and_public_name_has_a_page_or_a_card() -> None:
    pages = site()
    assert {f"reference/verbs/{verb}.md" for verb in cli.VERBS} <= pages.keys()
    assert sorted(re.findall(r"^\((.*)\)=$", pages["reference/metrics.md"], re.MULTILINE)) == sorted(METRICS)
    assert {f"reference/api/{name}.md" for name in fc.__all__ if name != "__version__"} <= pages.keys()


def test_an_example_names_a_verb_and_every_verb_but_a_new_one_has_an_example() -> None:
    examples = tomllib.loads((DOCS / "verb_examples.toml").read_text(encoding="utf-8"))
    shown = {one["verb"] for one in examples["example"] if "verb" in one} | examples["recorded"].keys() | {"demo"}

    assert shown <= cli.VERBS.keys()
    assert len(cli.VERBS.keys() - shown) <= 1


def test_a_page_of_a_verb_has_its_example_its_output_and_its_options() -> None:
    page = build_reference.verb_pages({"lint": ("fairness-checklist lint x", "1 finding\n" * 30)})["verbs/lint.md"]

    assert "```bash\nfairness-checklist lint x\n```\n\nprints\n\n```text\n1 finding\n" in page
    assert "... (5 more lines)\n```" in page
    assert "`--language <str>`\n: Check only files in this language: en or es." in page


def test_a_command_of_an_example_that_fails_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuntimeError, match=r"report nowhere: exit code 2, expected 0\."):
        build_reference.called("fairness-checklist report nowhere")


def test_the_columns_of_a_run_have_a_meaning(tmp_path: Path) -> None:
    table = pd.DataFrame({"group": ["a", "b"] * 4, "label": ["positive"] * 8, "predicted": ["positive"] * 8})
    folder = fc.evaluate(table, draws=0).save(tmp_path / "run")
    page = site()["reference/columns.md"]

    for path in folder.glob("*.csv"):
        section = page.partition(f"## {path.name}\n")[2].partition("\n## ")[0]
        assert re.findall(r"^`(.*)`$", section, re.MULTILINE) == list(pd.read_csv(path).columns), path.name

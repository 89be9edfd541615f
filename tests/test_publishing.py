"""The pages for contributors, releases and programs in the root: what they name is there, and their commands run."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import typer
import yaml
from command_line import Call
from sweep import sweep

import fairness_checklist
from fairness_checklist.cli import app as cli

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("llms.txt", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")
WORKFLOW: Any = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def commands(text: str) -> list[list[str]]:
    """The calls of the command line in a page, each as its words."""
    found = re.findall(r"(?:`|^ *)fairness-checklist ([^`\n]+)", text, re.MULTILINE)
    return [shlex.split(each, comments=True) for each in found]


@sweep("name", PAGES)
def test_every_file_and_every_command_that_a_page_names_is_there(name: str) -> None:
    text = page(name)
    named = re.findall(r"`([\w./]+\.(?:py|csv|md|toml|yml))`|\]\((?!http)([^)]+)\)", text)
    homes = (ROOT, ROOT / "fairness_checklist")
    missing = [path for path in map("".join, named) if not any((home / path).exists() for home in homes)]
    assert set(missing) <= {"conftest.py", "catalogue.csv", "fairness.toml", "generic.csv"}
    known = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
    for verb, *words in commands(text):
        if verb not in ("VERB", "--version"):
            options = {option for parameter in known[verb].params for option in parameter.opts}
            assert {word for word in words if word[:1] == "-"} <= {*options, "--help"}, (verb, words)


def test_the_page_for_programs_has_the_form_of_llms_txt() -> None:
    lines = page("llms.txt").splitlines()
    assert lines[0] == "# fairness_checklist"
    assert lines[2].startswith("> ")
    assert len(lines) <= 60
    items = [line for line in lines if line.startswith("- ")]
    assert all(re.fullmatch(r"- (\[[^]]+\]\([^)]+\)|`[^`]+`): .+", item) for item in items)


def test_the_commands_for_a_new_attribute_run(call: Call) -> None:
    block = page("CONTRIBUTING.md").partition("## An attribute")[2].partition("```bash")[2].partition("```")[0]
    assert [words[0] for words in commands(block)] == ["new", "lint", "build", "review"]
    for words in commands(block):
        said = call(*words)
        assert (said.code, said.err) == (0, ""), words


def test_the_citation_has_the_version_and_the_papers() -> None:
    citation = yaml.safe_load(page("CITATION.cff"))
    assert (citation["cff-version"], citation["version"]) == ("1.2.0", fairness_checklist.__version__)
    first_authors = [paper["authors"][0]["family-names"] for paper in citation["references"]]
    assert first_authors == ["Czarnowska", "Dixon", "Ethayarajh", "Kocijan", "Orgad"]


def test_the_workflow_runs_what_the_makefile_and_the_recipe_of_a_release_have() -> None:
    [targets] = re.findall(r"^\.PHONY: (.+)", page("Makefile"), re.MULTILINE)
    recipe = [line.strip() for line in page("RELEASING.md").splitlines()]
    classifiers = tomllib.loads(page("pyproject.toml"))["project"]["classifiers"]
    for job in WORKFLOW["jobs"].values():
        assert {f"Programming Language :: Python :: {one}" for one in job["strategy"]["matrix"]["python"]} <= set(
            classifiers
        )
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        for line in "\n".join(step.get("run", "") for step in job["steps"]).split("\n"):
            assert not line or line in recipe or re.match(r"make (\S+)", line)[1] in targets.split(), line  # type: ignore[index]

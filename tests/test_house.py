"""The budgets of the house: verbs, options, public names; and that each option has one home."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.cli.app import app
from fairness_checklist.core.option_defaults import ContentOptions, Flag, MetricOptions, ModelOptions, SourceOptions
from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.run.options import RunOptions

DOCS = Path(__file__).resolve().parents[1] / "docs"
MOST = {"run": 40, "evaluate": 24, "build": 16}
PUBLIC = """
    DirectionalExpectation FairnessChecklistError Harm IdentityTerm InputError Invariance MinimumFunctionality Purpose
    Result Suite Template audit balance compare errors evaluate gate list_attributes list_models load_model metrics
    mitigation_loop perturb plan_suite read_tagged validate words
"""
INTERNAL = {"without_text", "write_folder"}  # of `Results`: what `save` is made of


def commands(name: str = "", command: Any = None) -> Iterator[tuple[str, Any]]:
    """Every verb and subcommand, by the words that call it."""
    for word, below in (command or typer.main.get_command(app)).commands.items():
        words = f"{name} {word}".strip()
        yield words, below
        if hasattr(below, "commands"):
            yield from commands(words, below)


def options_of(command: Any) -> list[str]:
    """The options of a verb, with its ``--help``."""
    return [parameter.name for parameter in command.params if parameter.param_type_name == "option"] + ["help"]


def test_the_command_line_has_19_verbs_with_250_options_at_most() -> None:
    by_verb = {name: options_of(command) for name, command in commands()}
    assert len({name.split()[0] for name in by_verb}) == 19
    assert sum(map(len, by_verb.values())) <= 250
    for name, most in MOST.items():
        assert len(by_verb[name]) <= most, by_verb[name]


def test_the_package_has_25_names_or_a_few_more() -> None:
    assert dir(fc) == sorted(fc.__all__) == PUBLIC.split()
    assert [name for name in dir(fc) if not getattr(fc, name).__doc__] == []


@sweep("name", ["balance", "compare", "endpoint", "natural", "plan"])
def test_a_further_job_shows_its_names(name: str) -> None:
    package = __import__(f"fairness_checklist.extensions.{name}", fromlist=["x"])
    assert dir(package)
    for public in dir(package):
        assert getattr(package, public).__name__ == public
    with pytest.raises(AttributeError, match=f"module {package.__name__!r} has no attribute 'nothing'"):
        _ = package.nothing


def test_a_result_has_18_members_each_on_a_page() -> None:
    members = {name for name in dir(fc.Result) if name[0] != "_"} - INTERNAL
    pages = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
    assert len(members | INTERNAL) <= 18
    assert {name for name in members if not re.search(rf"\.{name}\b", pages)} == set()


# One home for an option

RECORDS = (SourceOptions, ContentOptions, ModelOptions, MetricOptions)


def defaults(function: Any) -> dict[str, Any]:
    """The parameters of a function that have a default."""
    parameters = inspect.signature(function).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not each.empty}


def test_python_and_the_record_of_options_have_the_same_defaults() -> None:
    python: dict[str, Any] = {}
    for function in (fc.Suite.run, fc.evaluate, fc.Suite.build, fc.load_model):
        python = {**defaults(function), **python}
    python |= {spec.name: spec.default for record in (Options, RunOptions) for spec in fields(record)} | python
    python |= {"tolerance": fc.Invariance().tolerance, "task": defaults(fc.Suite.build)["task"]}
    of_the_command_line = {"attribute", "suite", "texts", "model"}
    for record in RECORDS:
        for spec in fields(record):
            if spec.name not in of_the_command_line:
                assert spec.name in python, f"{spec.name} has another name in Python"
                assert spec.default == python[spec.name] or not (spec.default or python[spec.name]), spec.name
    assert {spec.name for spec in fields(RunOptions)} - {"checks", "options"} <= {s.name for s in fields(MetricOptions)}
    assert {spec.name for spec in fields(Options)} - {"groupings"} <= {spec.name for spec in fields(MetricOptions)}


def test_every_option_of_a_record_is_one_of_run_with_its_default() -> None:
    shown = {parameter.name: parameter for name, command in commands() if name == "run" for parameter in command.params}
    for record in RECORDS:
        for name, hint in get_type_hints(record, include_extras=True).items():
            if isinstance(getattr(hint, "__metadata__", ("",))[0], Flag):
                assert shown[name].default == getattr(record, name)
                assert shown[name].help == hint.__metadata__[0].help


def test_the_page_on_files_has_every_key_of_the_settings() -> None:
    page = (DOCS / "files.md").read_text(encoding="utf-8").partition("## Settings")[2].partition("\n## ")[0]
    for record in (ContentOptions, ModelOptions, MetricOptions):
        assert f"`[{record.TABLE}]`" in page
        for spec in fields(record):
            assert f"`{spec.name}`" in page, spec.name

"""The pages that are made of the code: verbs, metrics, columns, the Python interface; and copies of notebooks.

`docs/conf.py` calls `write`, which fills ``docs/reference`` (not in the repository). The examples of the verbs are run.
"""

from __future__ import annotations

import csv
import inspect
import io
import itertools
import os
import re
import shlex
import shutil
import sys
import tempfile
import textwrap
import tomllib
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import typer

import fairness_checklist as fc
from fairness_checklist.cli import app as cli
from fairness_checklist.cli.help_sections import VERB_SECTIONS
from fairness_checklist.metrics import backgrounds, comparisons, scores
from fairness_checklist.metrics.catalogue import ALIASES, OF_POSITIVE_CLASS, describe
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
REFERENCE = DOCS / "reference"
EQUATIONS = {
    ("group", "background"): "Group level, each group against a background: equation (3)",
    ("group", "pairwise"): "Group level, pairs of groups: equation (1)",
    ("group", "multigroup"): "Group level, all groups at once: equation (5)",
    ("counterfactual", "pairwise"): "Counterfactual level, pairs of groups: equation (2)",
    ("counterfactual", "background"): "Counterfactual level, each group against a background: equation (4)",
    ("counterfactual", "multigroup"): "Counterfactual level, all groups at once: equation (6)",
}
AREAS = {
    "api": "Suites and results", "checks": "Tests", "content": "Templates and terms", "core": "Errors, tasks and words",
    "metrics": "Metrics", "models": "Models", "run": "The purpose of a run",
}  # fmt: skip
"""The folder of the core that a public name lives in -> heading; an extension's heading is its folder."""
PROJECT = ("CHANGELOG", "CONTRIBUTING", "RELEASING", "CODE_OF_CONDUCT", "SECURITY")
"""Pages of the project: those that are there are copied."""


def write() -> None:
    """Fill ``docs/reference`` anew."""
    shutil.rmtree(REFERENCE, ignore_errors=True)
    for name, text in (pages() | verb_pages(outputs())).items():
        (REFERENCE / name).parent.mkdir(parents=True, exist_ok=True)
        (REFERENCE / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "notebooks", REFERENCE / "notebooks", ignore=shutil.ignore_patterns(".*"))


def pages() -> dict[str, str]:
    """Path below ``docs/reference`` -> text, of all pages but those of the verbs."""
    return {"metrics.md": metrics_page(), "columns.md": columns_page()} | api_pages() | project_pages()


def definitions(rows: list[tuple[str, str]]) -> str:
    """A list of terms, each with its definition below it."""
    return "\n".join(f"{term}\n: {text}\n" for term, text in rows if text)


# Verbs


def outputs() -> dict[str, tuple[str, str]]:
    """Verb -> an example, and what it prints: all are run in one folder."""
    examples = tomllib.loads((DOCS / "verb_examples.toml").read_text(encoding="utf-8"))
    shown = {verb: (one["command"], one["printed"]) for verb, one in examples["recorded"].items()}
    demo = re.search(r"<!-- demo output -->\n```text\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    shown |= {"demo": ("fairness-checklist demo", demo[1])} if demo else {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        _tables_of_examples()
        for name, text in examples["files"].items():
            Path(name).write_text(text, encoding="utf-8")
        for example in examples["example"]:
            printed = called(example["command"], example.get("code", 0))
            if "verb" in example:
                shown[example["verb"]] = (example["command"], printed)
    return shown


def called(command: str, expected: int = 0) -> str:
    """What a command prints.

    Raises:
        RuntimeError: it exits with another code than the expected one.
    """
    printed, errors, arguments = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = shlex.split(command)
    try:
        with redirect_stdout(printed), redirect_stderr(errors):
            cli.main()
        code = 0
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        sys.argv = arguments
    if code != expected:
        raise RuntimeError(
            f"{command}: exit code {code}, expected {expected}.\n{printed.getvalue()}{errors.getvalue()}"
        )
    return printed.getvalue()


def _tables_of_examples() -> None:
    """The tables that the examples read, in the current folder."""
    people = ["woman", "girl", "man", "boy", "Muslim", "Hindu", "gay man", "deaf person"]
    acts = {
        "returned my wallet": "positive", "helped us with the boxes": "positive", "waited at the station": "neutral",
        "read a book in the park": "neutral", "shouted at the driver": "negative", "lied about the price": "negative",
    }  # fmt: skip
    times = ["", " yesterday", " on Monday", " in the morning", " last week", " before lunch", " at noon", " in May"]
    made = [(f"A {who} {act}{time}.", acts[act]) for who, act, time in itertools.product(people, acts, times)]
    toxic = re.compile("shouted|lied|gay").search
    talks = itertools.product(("history", "choirs", "authors", "sports", "films"), ("full", "long", "free"), times)
    write_rows("reviews.csv", ["text", "label"], made)
    write_rows("comments.csv", ["text", "label"], [(text, "toxic" if toxic(text) else "nontoxic") for text, _ in made])
    write_rows("articles.csv", ["text"], [(f"The talk about gay {a} was {b}{time}.",) for a, b, time in talks])
    rows = []
    for source, (act, time) in enumerate((act, time) for act in acts if acts[act] != "neutral" for time in times):
        for group, term in (("women", "woman"), ("women", "girl"), ("men", "man"), ("men", "boy")):
            p = round(0.2 + 0.1 * ((source + len(term)) % 5) + 0.1 * (group == "men"), 1)
            rows.append((source, group, term, f"A {term} {act}{time}.", acts[act], p, round(1 - p, 1)))
    columns = ["source", "group", "term", "text", "label", "p:negative", "p:positive"]
    write_rows("predictions.csv", columns, rows)


def write_rows(name: str, columns: list[str], rows: list[Any]) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


def verb_pages(shown: dict[str, tuple[str, str]]) -> dict[str, str]:
    """A page for each verb, and their list by purpose; ``shown``: an example of a verb, and what it prints."""
    group: Any = typer.main.get_command(cli.app)
    text, written = ["# Verbs of the command line\n", "Exit codes: 0 success, 1 the gate failed, 2 wrong input, "
                     "3 unexpected error, 4 the gate is inconclusive, 130 interrupted.\n"], {}  # fmt: skip
    for section, verbs in VERB_SECTIONS.items():
        if verbs:
            rows = [
                (f"[`{verb}`](verbs/{verb}.md)", group.commands[verb].get_short_help_str(limit=200)) for verb in verbs
            ]
            text += [f"## {section}\n", definitions(rows)]
    text += ["```{toctree}", ":hidden:", "", *(f"verbs/{verb}" for verb in group.commands), "```\n"]
    for verb, command in group.commands.items():
        page = verb_page(verb, command, *shown.get(verb, ("", "")))
        for name, subcommand in getattr(command, "commands", {}).items():
            section = verb_page(f"{verb} {name}", subcommand, "", "").replace("\n## ", "\n### ")
            page += f"\n#{section}"
        written[f"verbs/{verb}.md"] = page
    return {"verbs.md": "\n".join(text)} | written


def verb_page(verb: str, command: Any, example: str, printed: str) -> str:
    """Help, example, output and options of a verb."""
    text = [f"# {verb}\n", inspect.cleandoc(command.help or "") + "\n", "```bash", *_examples(command.epilog), "```\n"]
    if example:
        lines = [
            textwrap.shorten(line, 160, placeholder=" ...") if len(line) > 160 else line
            for line in printed.splitlines()
        ]
        more = [f"... ({len(lines) - 25} more lines)"] if len(lines) > 25 else []
        text += [f"For example\n\n```bash\n{example}\n```\n\nprints\n\n```text", *lines[:25], *more, "```\n"]
    sections: dict[str, list[tuple[str, str]]] = {}
    context = typer.Context(command, info_name=f"fairness-checklist {verb}")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            is_argument = parameter.param_type_name == "argument"
            own = "Arguments" if is_argument else getattr(parameter, "rich_help_panel", None) or "Other options"
            sections.setdefault(own, []).append((f"`{record[0]}`", _escaped(record[1])))
    for name in sorted(sections, key=lambda one: (one != "Arguments", one == "Other options")):
        text += [f"## {name}\n", definitions(sections[name])]
    return "\n".join(text)


def _examples(epilog: str | None) -> list[str]:
    """The commands of the examples of a help, one a line; what an example is about is a comment."""
    found = []
    for one in re.split(r"\n\s*\n", epilog or ""):
        about, command = one.split(": ", 1)
        found += [f"# {about.partition(', ')[2]}"] * (", " in about) + [" ".join(command.split())]
    return found


def _escaped(text: str) -> str:
    """A plain text as Markdown."""
    return (
        re.sub(r"([*_<>{}\[\]\"'])", r"\\\1", text) if "`" not in text else text.replace("<", r"\<").replace("*", r"\*")
    )


# Metrics


def metrics_page() -> str:
    """A card for each metric by its equation, and the parts that metrics are made of."""
    text = ["# Metrics: one card each\n", "c is the class, g and h are groups, x is a source, p a probability.\n",
            "[Metrics](../metrics.md) explains the forms, [Choosing](../choosing.md) the choice.\n"]  # fmt: skip
    for (level, family), heading in EQUATIONS.items():
        text.append(f"## {heading}\n")
        for metric in METRICS.values():
            if (metric.level, metric.family) == (level, family):
                text += [f"({metric.name})=\n### {metric.name}\n", metric_card(metric)]
    for heading, functions in (("Scores", scores.SCORES), ("Comparisons", comparisons.COMPARISONS),
                               ("Backgrounds", backgrounds.BACKGROUNDS)):  # fmt: skip
        rows = [(f"`{name}`", _first(function)) for name, function in functions.items()]
        text += [f"## {heading}\n", definitions(rows)]
    attributes = _attributes(Options)
    rows = [
        (f"`{name}`, default `{value.default!r}`", attributes[name])
        for name, value in Options.__dataclass_fields__.items()
    ]
    return "\n".join([*text, "## Options\n", definitions(rows)])


def metric_card(metric: Metric) -> str:
    """The card of a metric as a list, with the cases in which it is undefined."""
    card = describe(metric)
    alias = ALIASES.get(metric.name) or OF_POSITIVE_CLASS.get(metric.name, "")
    where = "of the positive class" if metric.name in OF_POSITIVE_CLASS else "on all data"
    rows = [(name, text) for name, text in card.items() if name not in ("id", "question", "definition")]
    undefined = [scores.about(metric.score).undefined.format(label="c"), comparisons.about(metric.compare).undefined]
    rows = [("formula", f"`{card['definition']}`"), *((name, _escaped(text)) for name, text in rows),
            ("undefined", "; ".join(filter(None, undefined)).replace(",", "")),
            ("same number as", f"[](#{alias}) {where}" if alias else "")]  # fmt: skip
    return f"{_escaped(card['question'])}\n\n{definitions(rows)}"


def _first(function: Any) -> str:
    """The first paragraph of a docstring as Markdown."""
    return _escaped(" ".join(inspect.cleandoc(function.__doc__).partition("\n\n")[0].split()))


def _attributes(record: type) -> dict[str, str]:
    """Attribute -> its text in the docstring."""
    listed = inspect.cleandoc(record.__doc__ or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
    return {name: _escaped(" ".join(text.split())) for name, text in found}


# Columns


def columns_page() -> str:
    """Every column of the files that users write and read, from the data files of the package."""
    folder = ROOT / "fairness_checklist" / "tables"
    written = tomllib.loads((folder / "run_folder_columns.toml").read_text(encoding="utf-8"))
    others = tomllib.loads((folder / "file_columns.toml").read_text(encoding="utf-8"))
    text = ["# Columns of all files\n", "[Files](../files.md) explains these files.\n"]
    for key, heading in (("prediction_table", "The prediction table"), ("tagger_table", "The table of a tagger")):
        rows = [(f"`{name}`", f"{content}. Without it: {absent}." if absent != "-" else f"{content}.")
                for name, (content, absent) in others[key].items()]  # fmt: skip
        text += [f"## {heading}\n", definitions(rows)]
    listed = definitions([(f"`{name}`", content) for name, content in others["run_folder"].items()])
    text += ["## Files of a run folder\n", listed]
    for name, table in written.items():
        if "columns" in table:
            rows = [(f"`{column}`", content) for column, content in table["columns"].items()]
            text += [f"## {name}.csv\n", f"Version {table['version']} of its schema.\n", definitions(rows)]
    for key, heading in (("run_json", "Keys of run.json"), ("saved_suite", "Files of a saved suite")):
        text += [f"## {heading}\n", definitions([(f"`{name}`", content) for name, content in others[key].items()])]
    return "\n".join(text)


# The Python interface


def api_pages() -> dict[str, str]:
    """A page for each public name, and their list by area."""
    areas: dict[str, list[str]] = {}
    for name in sorted(fc.__all__, key=str.lower):
        if name != "__version__":
            home = getattr(getattr(fc, name), "__module__", f"fairness_checklist.{name}").split(".")
            areas.setdefault(home[2] if home[1] == "extensions" else home[1], []).append(name)
    text, written = (
        ["# Python interface\n", "`import fairness_checklist as fc`; each name is loaded on first use.\n"],
        {},
    )
    for area in sorted(areas, key=lambda one: (one not in AREAS, list(AREAS).index(one) if one in AREAS else one)):
        text.append(f"## {AREAS.get(area, area.capitalize())}\n")
        rows = []
        for name in areas[area]:
            known = getattr(fc, name)
            rows.append((f"[`fc.{name}`](api/{name}.md)", _first(known)))
            kind = "module" if inspect.ismodule(known) else "class" if inspect.isclass(known) else "function"
            members = {"class": "   :members:\n", "module": "   :members:\n   :no-index:\n"}.get(kind, "")
            place = known.__name__ if kind == "module" else f"fairness_checklist.{name}"
            written[f"api/{name}.md"] = f"# {name}\n\n```{{eval-rst}}\n.. auto{kind}:: {place}\n{members}```\n"
        text.append(definitions(rows))
    text += ["```{toctree}", ":hidden:", "", *(name.removesuffix(".md") for name in written), "```\n"]
    return {"api.md": "\n".join(text)} | written


# Pages of the project


def project_pages() -> dict[str, str]:
    """Copies of the pages at the top of the repository, and the list of notebooks."""
    found = [name for name in PROJECT if (ROOT / f"{name}.md").is_file()]
    texts = {f"{name.lower()}.md": (ROOT / f"{name}.md").read_text(encoding="utf-8") for name in found}
    local = {name: re.sub(r"\]\((?:docs/|(?!\w+:|#))([^)]*)\)", r"](../\1)", text) for name, text in texts.items()}
    names = sorted(
        (path.stem for path in (ROOT / "notebooks").glob("*.ipynb")), key=lambda name: int(name.split("_")[0])
    )
    tree = "\n".join(["```{toctree}", ":maxdepth: 1", "", *(f"notebooks/{name}" for name in names), "```\n"])
    return local | {"notebooks.md": f"# Notebooks\n\nRendered with their stored outputs.\n\n{tree}"}


if __name__ == "__main__":
    os.environ.setdefault("TQDM_DISABLE", "1")
    write()

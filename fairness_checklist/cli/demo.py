"""The demo: the three tasks on the models that come with the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import options as given
from fairness_checklist.cli import output

__all__ = ["demo"]

DEMO = {
    "sentiment": ["gender", "names", "placebo"],
    "toxicity": ["gender", "names", "placebo"],
    "ner": ["nationality", "names"],
}
MAX_TERMS = 3  # of each group: a demo is to end soon


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the three runs.")] = Path("runs/demo"),
    as_json: given.Json = False,
) -> None:
    """The main job on the bundled models: sentiment, toxicity and names and places in text, a run folder each.

    Example: fairness-checklist demo
    """
    from fairness_checklist.api import Suite
    from fairness_checklist.results import check_replaceable

    for task in DEMO:
        check_replaceable(out / task)
    found = []
    for task, attributes in DEMO.items():
        folder = out / task
        folder.parent.mkdir(parents=True, exist_ok=True)
        with output.prediction_store(folder) as store:
            result = Suite.build(attributes, task=task, max_terms=MAX_TERMS).run("bundled", store=store)
            result.save(folder)
        found.append(output.as_json(result, folder) | {"task": task})
        if not as_json:
            typer.echo(f"{task}\n{'=' * len(task)}\n{result.verdict()}\n\nThe report: {folder / 'report.html'}\n")
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))

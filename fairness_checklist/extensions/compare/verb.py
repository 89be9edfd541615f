"""The verb `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import TESTED, option
from fairness_checklist.core import option_defaults as default

_RUN = "a run folder, or a table of predictions (.csv, .parquet, .jsonl)."


@answering
def compare(
    base: Annotated[Path, typer.Argument(help=f"The old model: {_RUN}")],
    new: Annotated[Path, typer.Argument(help=f"The new model: {_RUN}")],
    more: Annotated[list[Path] | None, typer.Argument(help="Further models, each compared with the old one.")] = None,
    *,
    common: Annotated[
        bool, option(TESTED, "Compare the texts that both runs have, where one of them has others.", "--common")
    ] = False,
    margin: Annotated[
        float, option(TESTED, "Largest change of a gap up to which models are equal, in decisions and in probability.")
    ] = 0.05,
    task: arguments.TaskName = default.TASK,
    harm: Annotated[list[str] | None, option(TESTED, "Of tables: the errors that hurt, such as called:toxic.")] = None,
    seed: Annotated[int, option(TESTED, "Seed of the draws.")] = 0,
) -> Answer:
    """Compare the gaps of a new model with those of an old one, on the same texts.

    For each group and error: is the gap worse, better, equal within the margin, or undecided.

    Example: fairness-checklist compare runs/old runs/new --out runs/compared
    """
    from fairness_checklist.extensions.compare.compare import compare_runs
    from fairness_checklist.extensions.compare.compare_page import comparison_page
    from fairness_checklist.extensions.compare.compare_text import comparison_lines, rank_lines

    found = compare_runs(
        [base, new, *(more or [])],
        common=common,
        margin=margin,
        seed=seed,
        task=task,
        harm=arguments.split_commas(harm) or None,
    )
    lines = [line for one in found for line in comparison_lines(one)[: None if len(found) == 1 else -1]]
    tables = {
        f"{name}{'' if at == 0 else f'_{at + 1}'}": table
        for at, one in enumerate(found)
        for name, table in (("comparison", one.changes), ("changed_texts", one.texts))
    }
    return Answer(
        [*lines, *(rank_lines(found) if len(found) > 1 else [])],
        tables=tables,
        record={"comparisons": [{**one.info, "accuracy": one.accuracy, "changes": one.changes} for one in found]},
        page=lambda: comparison_page(found[0], *found[1:]),
    )

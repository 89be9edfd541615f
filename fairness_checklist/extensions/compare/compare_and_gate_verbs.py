"""The verb `compare`."""

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import TESTED, option
from fairness_checklist.cli.printed_answers import Answer, answering
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.config import config_path

_RUN = "a run folder, or a table of predictions (.csv, .parquet, .jsonl)."


@answering
def compare(
    base: Annotated[Path, typer.Argument(help=f"The old model: {_RUN}")],
    new: Annotated[Path, typer.Argument(help=f"The new model: {_RUN}")],
    *,
    margin: Annotated[
        float | None,
        option(TESTED, "Largest change of a gap up to which models are equal; by default the margin of the new run."),
    ] = None,
    task: arguments.TaskName = default.TASK,
    config: arguments.Config = None,
) -> Answer:
    """Compare the gaps of a new model with those of an old one, on the same texts.

    For each group and error: is the gap worse, better, equal within the margin, or open.

    Example: fairness-checklist compare runs/old runs/new --out runs/compared
    """
    from fairness_checklist.extensions.compare.compare import compare as compare_two
    from fairness_checklist.extensions.compare.comparison_text import comparison_lines

    found = compare_two(base, new, margin=margin, task=task, harm=arguments.declared_purpose(config))
    return Answer(
        comparison_lines(found),
        tables={"comparison": found.changes, "changed_texts": found.texts},
        record={**found.info, "n_texts": found.n_texts, "changes": found.changes},
    )


@answering
def gate(
    new: Annotated[Path, typer.Argument(help=f"The model to decide about: {_RUN}")],
    *,
    baseline: Annotated[
        Path | None, option(TESTED, "An older run on the same texts: gaps that do not grow pass as well.")
    ] = None,
    limit: Annotated[float | None, option(TESTED, "Limit of all gaps; else of --config, else 0.1 (10 points).")] = None,
    config: arguments.Config = None,
    task: arguments.TaskName = default.TASK,
) -> Answer:
    """Decide whether a model may go out: every gap below a limit, or no larger than that of a baseline.

    Exit codes: 0 pass, 1 fail (a gap is above it), 4 inconclusive (it may be), 2 the input is wrong.

    Example: fairness-checklist gate runs/new --baseline runs/old --limit 0.1
    """
    from fairness_checklist.extensions.compare.comparison_text import gate_lines
    from fairness_checklist.extensions.compare.gate import gate as decide

    harm = arguments.declared_purpose(config)
    decided = decide(new, limit, baseline=baseline, config=config_path(config), task=task, harm=harm)
    tables = {"gate": decided.comparisons}
    tables |= {} if decided.comparison is None else {"comparison": decided.comparison.changes}
    record = {"decision": decided.decision, "limits": vars(decided.config), "comparisons": decided.comparisons}
    return Answer(gate_lines(decided), tables=tables, record=record, code=decided.code)

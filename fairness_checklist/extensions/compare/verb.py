"""The verb `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.answers import Answer, answering
from fairness_checklist.cli.help_sections import OUTPUT, TESTED, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.config import config_path

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
    config: arguments.Config = None,
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
        task=task,
        harm=arguments.declared_purpose(config),
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


@answering
def gate(
    new: Annotated[Path, typer.Argument(help=f"The model to decide about: {_RUN}")],
    *,
    baseline: Annotated[
        Path | None, option(TESTED, "An older run on the same texts: gaps that do not grow pass as well.")
    ] = None,
    limit: Annotated[float | None, option(TESTED, "Limit of all gaps, such as 0.1; else of --config.")] = None,
    unit: Annotated[str | None, option(TESTED, "Unit of the gaps: probability or decisions; else of --config.")] = None,
    config: arguments.Config = None,
    fail_on: Annotated[list[str] | None, option(TESTED, "What exits with 1: worse; or worse,inconclusive.")] = None,
    lock: Annotated[Path | None, option(TESTED, "Lock file that suite, errors and limits must agree with.")] = None,
    write_lock: Annotated[bool, option(OUTPUT, "Write the lock file; do not compare.", "--write-lock")] = False,
    common: Annotated[
        bool, option(TESTED, "With --baseline: compare the texts that both runs have.", "--common")
    ] = False,
    task: arguments.TaskName = default.TASK,
    junit: Annotated[Path | None, option(OUTPUT, "Also write JUnit XML here: inconclusive ones are skipped.")] = None,
    summary: Annotated[
        Path | None, option(OUTPUT, 'Also append Markdown to this file, such as "$GITHUB_STEP_SUMMARY".')
    ] = None,
) -> Answer:
    """Decide whether a model may go out: every gap below a limit, or no larger than that of a baseline.

    Exit codes: 0 pass, 1 fail, 4 inconclusive, 2 the input is wrong.

    Example: fairness-checklist gate runs/new --baseline runs/old --limit 0.1 --junit gate.xml
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.compare.gate import INCONCLUSIVE
    from fairness_checklist.extensions.compare.gate import gate as decide
    from fairness_checklist.extensions.compare.gate_config import GateConfig, read_config
    from fairness_checklist.extensions.compare.gate_config import write_lock as write
    from fairness_checklist.extensions.compare.gate_text import gate_lines, junit_xml, markdown

    asked = tuple(arguments.split_commas(fail_on) or ["worse"])
    if asked not in (("worse",), ("worse", "inconclusive")):
        raise OptionError(f"--fail-on {','.join(asked)} is not known.", remedy="Write worse, or worse,inconclusive.")
    if write_lock and lock is None:
        raise OptionError("--write-lock names no file.", remedy="Write --lock fairness.lock --write-lock.")
    found = config_path(config)
    chosen = GateConfig() if found is None else read_config(found)
    decided = decide(
        new,
        limit,
        unit=unit,
        baseline=baseline,
        config=chosen,
        lock=None if write_lock else lock,
        common=common,
        task=task,
        harm=arguments.declared_purpose(config),
    )
    if write_lock and lock is not None:
        write(lock, decided.results, decided.config)
    if junit is not None:
        junit.write_text(junit_xml(decided), encoding="utf-8")
    if summary is not None:
        with summary.open("a", encoding="utf-8") as file:
            file.write(markdown(decided))
    code = 1 if decided.decision == INCONCLUSIVE and len(asked) > 1 else decided.code
    tables = {"gate": decided.comparisons}
    tables |= {} if decided.comparison is None else {"comparison": decided.comparison.changes}
    record = {"decision": decided.decision, "limits": vars(decided.config), "comparisons": decided.comparisons}
    return Answer(gate_lines(decided), tables=tables, record=record, code=code)

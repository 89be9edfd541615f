"""Metrics, base scores and checks of example sets and a model's predictions, as `Results`."""

import os
import platform
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pandas as pd

from fairness_checklist import __version__
from fairness_checklist.checks import Check
from fairness_checklist.checks.invariance_and_mft import CheckResult, Invariance, MinimumFunctionality
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.near_duplicates import declare_rewordings, find_rewordings
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.replicates import answered_only, outcome_harms
from fairness_checklist.core.thresholds import decide
from fairness_checklist.findings.records import Findings, find
from fairness_checklist.run.metric_tables import base_scores, metric_rows
from fairness_checklist.run.options import RunOptions
from fairness_checklist.tables.run_folder import CHECKS_BY_GROUP_COLUMNS, CHECKS_COLUMNS, Results
from fairness_checklist.tables.tokens import to_any_table

Controls = tuple[ExampleSet, Predictions | TokenPredictions]
_BY_ATTRIBUTE = ("notes", "pairs_with_reference", "metrics_left_out", "intersections", "findings")  # of run.json


def evaluate_sets(
    answered: Iterable[tuple[ExampleSet, Predictions | TokenPredictions]],
    choices: RunOptions | None = None,
    *,
    info: Mapping[str, Any] | None = None,
    controls: Mapping[str, Controls] | None = None,
    available: Mapping[str, Mapping[str, int]] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Every metric, base score and check, the tables of all attributes below each other.

    Time and memory grow linearly with the rows: 200,000 rows, three classes and four groups hold about 1 GB at most.
    """
    choices = choices or RunOptions()
    tables: dict[str, list[pd.DataFrame]] = defaultdict(list)
    recorded: dict[str, dict[str, Any]] = {name: {} for name in _BY_ATTRIBUTE}
    tagged: dict[str, tuple[ExampleSet, TokenPredictions]] = {}
    task = ""
    for example_set, predictions in answered:
        task, attribute = example_set.task, example_set.attribute
        if progress is not None:
            progress(attribute)
        rewordings, found = find_rewordings(example_set)
        example_set = declare_rewordings(example_set, rewordings)
        predictions, all_rows = _decided(example_set, predictions, choices)
        if isinstance(predictions, TokenPredictions):
            tagged[attribute] = example_set, predictions
        outcomes = answered_only(all_rows)
        rows, recorded["metrics_left_out"][attribute], remarks = metric_rows(outcomes, choices, task)
        beside = (controls or {}).get(attribute)
        if beside is not None:
            beside = declare_rewordings(beside[0], rewordings), beside[1]
        findings = _findings(all_rows, choices, task, beside, (available or {}).get(attribute))
        tests = _run_checks(choices.checks, outcomes)
        for name, table in {
            "metrics": rows,
            "findings": findings.groups,
            "word_findings": findings.words,
            "scores": base_scores(task, outcomes, choices),
            "checks": pd.DataFrame(
                [{name: getattr(test, name) for name in CHECKS_COLUMNS} for test in tests], columns=list(CHECKS_COLUMNS)
            ),
            "checks_by_group": _group_rows(tests),
            "examples": to_any_table(example_set, predictions),
        }.items():
            tables[name].append(table)
        for test in tests:
            if test.type != "MFT":
                pairs = {"pairs": test.reference_pairs, "fails": test.reference_fails}
                recorded["pairs_with_reference"][test.test] = pairs
        recorded["notes"][attribute] = [*found, *outcomes.notes, *remarks]
        if remarks:
            recorded.setdefault("metric_notes", {})[attribute] = remarks
        recorded["findings"][attribute] = findings.info
        if example_set.intersection:
            recorded["intersections"][attribute] = list(example_set.intersection)
    about = {"versions": {**versions()}, "date": today(), **(info or {}), "options": choices.recorded(task), **recorded}
    return Results(
        **{name: pd.concat(frames, ignore_index=True) for name, frames in tables.items()}, info=about, tagged=tagged
    )


def _findings(
    outcomes: Outcomes, choices: RunOptions, task: str, controls: Controls | None, available: Mapping[str, int] | None
) -> Findings:
    return find(
        outcomes,
        (*choices.harms_of(task, labelled=bool(outcomes.labelled.any())), *outcome_harms(outcomes)),
        controls=None if controls is None else _decided(*controls, choices)[1],
        available=available,
        margin=choices.margin or MARGIN,
        reference=choices.reference,
        decisions=choices.unit == "decisions",
    )


def today() -> str:
    """The date of a run (UTC); that of ``SOURCE_DATE_EPOCH`` where it is set, so that a run can be made again."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdigit() else datetime.now(UTC)
    return now.date().isoformat()


@cache
def versions() -> dict[str, str]:
    """Versions of Python and of the packages that a number can depend on."""
    packages = {"python": platform.python_version(), "fairness-checklist": __version__}
    for name in ("numpy", "scipy", "pandas", "torch", "transformers"):
        with suppress(PackageNotFoundError):
            packages[name] = version(name)
    return packages


def _decided(
    example_set: ExampleSet, predictions: Predictions | TokenPredictions, choices: RunOptions
) -> tuple[Predictions | TokenPredictions, Outcomes]:
    """The predictions with the threshold of the run, and the outcomes."""
    if choices.threshold is not None:
        if isinstance(predictions, TokenPredictions):
            raise OptionError(
                "threshold= decides about whole texts, and these are a tagger's predictions.", remedy="Leave it out."
            )
        predictions = decide(predictions, choices.threshold, task=example_set.task)
    return predictions, reduce_to_outcomes(example_set, predictions, unlabelled=choices.unlabelled)


def _run_checks(checks: Sequence[Check], outcomes: Outcomes) -> list[CheckResult]:
    """The checks that these outcomes allow: invariance needs sources, minimum functionality labels."""
    results: list[CheckResult] = []
    several = len({check.tolerance for check in checks if isinstance(check, Invariance)}) > 1
    for check in dict.fromkeys(checks):  # a check that is named twice runs once
        if isinstance(check, Invariance) and not len(outcomes.sources):
            continue
        if isinstance(check, MinimumFunctionality) and not outcomes.labelled.any():
            continue
        if not outcomes.classes:
            continue
        result = check.run(outcomes)
        if several and isinstance(check, Invariance):
            result = replace(result, test=f"{result.test} at {check.tolerance}")
        if result.test in {other.test for other in results}:
            raise OptionError(
                f"two checks have the name {result.test!r}, so that their rows could not be distinguished.",
                remedy="Leave one of them out, or give each a name of its own.",
            )
        results.append(result)
    return results


def _group_rows(results: Sequence[CheckResult]) -> pd.DataFrame:
    names = CHECKS_BY_GROUP_COLUMNS[2:]
    rows = [(r.attribute, r.test, *(getattr(g, name) for name in names)) for r in results for g in r.by_group]
    return pd.DataFrame(rows, columns=list(CHECKS_BY_GROUP_COLUMNS))

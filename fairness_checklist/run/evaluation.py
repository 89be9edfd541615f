"""Metrics, base scores and checks of example sets and a model's predictions, as `Results`."""

from __future__ import annotations

import os
import platform
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal

import pandas as pd

from fairness_checklist import __version__
from fairness_checklist.checks import Check
from fairness_checklist.checks.invariance_and_mft import CheckResult, Invariance, MinimumFunctionality
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.near_duplicates import declare_rewordings, find_rewordings
from fairness_checklist.core.option_defaults import RELEVANT
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.progress import followed
from fairness_checklist.core.replicates import answered_only, outcome_harms
from fairness_checklist.core.thresholds import decide
from fairness_checklist.findings.family import NULL_DRAWS
from fairness_checklist.findings.records import Findings, find
from fairness_checklist.metrics import scores as phi
from fairness_checklist.metrics.backgrounds import unmarked
from fairness_checklist.metrics.catalogue import ALIASES, OF_POSITIVE_CLASS, compute
from fairness_checklist.metrics.contrasts import missing
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.run.options import RunOptions
from fairness_checklist.run.uncertainty import (
    UNCERTAIN,
    adjustment_notes,
    base_scores,
    interval_columns,
    permutation_columns,
    permutation_notes,
)
from fairness_checklist.statistics.robustness import unstable
from fairness_checklist.tables.run_folder import CHECKS_BY_GROUP_COLUMNS, CHECKS_COLUMNS, METRICS_COLUMNS, Results
from fairness_checklist.tables.tokens import to_any_table

Placebo = tuple[ExampleSet, Predictions | TokenPredictions]
BY_TERM = ("fped", "fned", "fpr_gap", "fnr_gap")
_MOST_TERMS = 1_000  # for metrics of pairs of terms, whose time and memory grow with the square
_SMALLEST = "smallest possible p "
_BY_ATTRIBUTE = ("notes", "pairs_with_reference", "metrics_left_out", "intersections", "findings")  # of run.json
_MOST_GROUPS = 24  # for pairwise metrics; with more groups the pairs are too many to read and take minutes


def evaluate_sets(
    answered: Iterable[tuple[ExampleSet, Predictions | TokenPredictions]],
    choices: RunOptions | None = None,
    *,
    info: Mapping[str, Any] | None = None,
    placebos: Mapping[str, Placebo] | None = None,
    available: Mapping[str, Mapping[str, int]] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Compute every metric, base score and check.

    Returns:
        The tables of all attributes below each other.

    Time and memory grow linearly with the rows: a table of 200,000 rows, three classes and four groups holds about
    1 GB at most. Beyond 50,000 rows the permutations of metrics inside sources look at some of the sources alone, drawn
    at random; a note says so.
    """
    choices = choices or RunOptions()
    tables: dict[str, list[pd.DataFrame]] = defaultdict(list)
    recorded: dict[str, dict[str, Any]] = {name: {} for name in _BY_ATTRIBUTE}
    task = ""
    for example_set, predictions in answered:
        task, attribute = example_set.task, example_set.attribute
        if progress is not None:
            progress(attribute)
        rewordings, found = find_rewordings(example_set)
        example_set = declare_rewordings(example_set, rewordings)
        predictions, all_rows = _decided(example_set, predictions, choices)
        outcomes = answered_only(all_rows)
        rows, recorded["metrics_left_out"][attribute] = metric_rows(outcomes, choices, task)
        null = (placebos or {}).get(attribute)
        if isinstance(null, tuple):
            null = declare_rewordings(null[0], rewordings), null[1]
        findings = _findings(all_rows, choices, task, null, (available or {}).get(attribute))
        tests = _run_checks(choices.checks, outcomes)
        for name, table in {
            "metrics": rows,
            "findings": findings.groups,
            "term_findings": findings.terms,
            "scores": base_scores(task, outcomes, seed=choices.options.seed),
            "checks": _check_rows(tests),
            "checks_by_group": _group_rows(tests),
            "examples": to_any_table(example_set, predictions),
        }.items():
            tables[name].append(table)
        for test in tests:
            if test.type != "MFT":
                pairs = {"pairs": test.reference_pairs, "fails": test.reference_fails}
                recorded["pairs_with_reference"][test.test] = pairs
        remarks = [*permutation_notes(outcomes, choices), *adjustment_notes(rows, choices)]
        recorded["notes"][attribute] = [*found, *outcomes.notes, *remarks]
        if remarks:
            recorded.setdefault("metric_notes", {})[attribute] = remarks
        recorded["findings"][attribute] = findings.info
        if example_set.intersection:
            recorded["intersections"][attribute] = list(example_set.intersection)
    if not tables:
        raise OptionError("there is nothing to evaluate: no example set was given.")
    about = {"versions": {**versions()}, "date": today(), **(info or {}), "options": choices.recorded(task), **recorded}
    return Results(
        **{name: pd.concat(frames, ignore_index=True) for name, frames in tables.items()},
        info=about,
    )


def _findings(
    outcomes: Outcomes, choices: RunOptions, task: str, placebo: Placebo | None, available: Mapping[str, int] | None
) -> Findings:
    """What may be claimed of an attribute."""
    return find(
        outcomes,
        (*choices.harms_of(task, labelled=bool(outcomes.labelled.any())), *outcome_harms(outcomes)),
        placebo=None if placebo is None else _decided(*placebo, choices)[1],
        available=available,
        relevant=choices.relevant or RELEVANT,
        draws=min(choices.draws, NULL_DRAWS),
        seed=choices.options.seed,
    )


def today() -> str:
    """The date of a run (UTC); that of ``SOURCE_DATE_EPOCH`` where it is set, so that a run can be made again."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdigit() else datetime.now(UTC)
    return now.date().isoformat()


@cache
def versions() -> dict[str, str]:
    """Versions of Python and of the packages that a number can depend on."""
    known = {"python": platform.python_version(), "fairness-checklist": __version__}
    for name in ("numpy", "scipy", "pandas", "torch", "transformers"):
        with suppress(PackageNotFoundError):
            known[name] = version(name)
    return known


def _results(choices: RunOptions, outcomes: Outcomes, task: str) -> tuple[list[MetricResult], dict[str, str]]:
    """Every metric in each of its forms, and {id: reason} of the metrics that are left out."""
    chosen, left_out = _choose(choices, outcomes, task)
    results = [
        compute(metric, outcomes, replace(_fitting(metric, choices.options), where=where, by=by))
        for where, by in _ways(choices.options, outcomes, task)
        for metric in followed(chosen, "values", "metrics")
        if not by or by == choices.options.by or metric.name in BY_TERM
    ]
    return results, left_out


def _choose(choices: RunOptions, outcomes: Outcomes, task: str) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to compute, each number once, and those left out with the reason.

    What is requested by name is always computed, aliases too; an alias by default only where it is named as primary.
    "all" are those that the examples allow, pairs of many groups included.
    """
    primary = choices.primary_of(task)
    everything = choices.metrics == ("all",)
    if choices.metrics is not None and not everything:
        asked = [METRICS[m] if isinstance(m, str) else m for m in choices.metrics]
        return once_each(asked, [metric.name for metric in asked])
    chosen, skipped = [], {}
    for name, metric in METRICS.items():
        why = _reason_to_skip(metric, outcomes, costly=everything or name in primary)
        if why:
            skipped[name] = why
        else:
            chosen.append(metric)
    chosen, repeated = once_each(chosen, primary)
    return chosen, skipped | repeated


def _reason_to_skip(metric: Metric, outcomes: Outcomes, *, costly: bool) -> str:
    """Why a metric is not computed by default, or ""; a ``costly`` one may take minutes."""
    if metric.level == "counterfactual" and not len(outcomes.sources):
        return "the rows have no source"
    if why := missing(metric.score, outcomes):
        return why
    n, terms = len(outcomes.groups), int((outcomes.term_group >= 0).sum())
    if metric.background is unmarked and not (outcomes.group == n).any():
        return "there is no unmarked sentence"
    pairs = ""
    if n > _MOST_GROUPS and metric.family == "pairwise":
        pairs = f"{n} groups make {n * (n - 1) // 2:,} pairs"
    elif terms > _MOST_TERMS and phi.about(metric.score).kind == "items":
        pairs = f"{terms:,} terms make {terms * (terms - 1) // 2:,} pairs"
    return f"{pairs}; it is computed where it is requested by name" if pairs and not costly else ""


def once_each(metrics: Iterable[Metric], asked: Collection[str] = ()) -> tuple[list[Metric], dict[str, str]]:
    """The metrics without repetitions, and {id: reason} of those that are left out.

    Of metrics that are the same number (`ALIASES`, `OF_POSITIVE_CLASS`) those that are ``asked`` for by their ids are
    kept, else the one that the other stands for. An alias alone is kept. A metric that is named twice is kept once.

    >>> once_each([METRICS["recall_difference"], METRICS["tpr_difference"]])
    ([<Metric tpr_difference: group pairwise, true_positive_rate, difference>],
     {'recall_difference': 'the same number as tpr_difference'})
    >>> once_each([METRICS["recall_difference"], METRICS["recall_difference"]])
    ([<Metric recall_difference: group pairwise, true_positive_rate, difference>], {})
    """
    kept: dict[str, Metric] = {}
    for metric in metrics:
        if kept.setdefault(metric.name, metric) != metric:
            raise OptionError(
                f"two different metrics have the id {metric.name!r}, so that their rows could not be distinguished.",
                remedy="Give each metric an id of its own.",
            )
    left_out = {}
    for alias, name in ALIASES.items():
        if alias in kept and name in kept and not (alias in asked and name in asked):
            gone, stays = (name, alias) if alias in asked else (alias, name)
            left_out[gone] = f"the same number as {stays}"
    for part, name in OF_POSITIVE_CLASS.items():
        if part in kept and part not in asked and {name, *(a for a in ALIASES if ALIASES[a] == name)} & set(kept):
            left_out[part] = f"the same number as {name} of the positive class"
    return [metric for name, metric in kept.items() if name not in left_out], left_out


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


def _ways(
    options: Options, outcomes: Outcomes, task: str
) -> list[tuple[Literal["", "slot", "context"], Literal["", "term"]]]:
    """How each metric is computed: once with the given options; by default a tagger's first at the term, and toxicity's
    errors by term besides."""
    if options.where or options.by:
        return [(options.where, options.by)]
    if outcomes.views:
        return [("slot", ""), ("", ""), ("context", "")]
    by_term = task == "toxicity" and int((outcomes.term_group >= 0).sum()) > 1
    by_term &= not options.background.startswith("group:")  # terms have no such group to be compared with
    return [("", ""), ("", "term")] if by_term else [("", "")]


def _fitting(metric: Metric, options: Options) -> Options:
    """The options without those that mean nothing for this metric, so that a run's stamp is true of each row."""
    single = metric.level == "counterfactual" and phi.about(metric.score).kind == "single"
    pooled = metric.level == "group" and metric.family == "background" and metric.background is not None
    return Options(
        denominator=options.denominator if metric.level == "counterfactual" else "true_class",
        weight=options.weight if (pooled if options.weight == "group" else single) else "source",
        matching=options.matching if single else "",
        max_groupings=options.max_groupings if single else None,
        seed=options.seed,
        groupings=options.groupings if single else None,
        background=options.background if metric.background is not None else "",
        undefined=options.undefined,
    )


def metric_rows(outcomes: Outcomes, choices: RunOptions, task: str) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows of an attribute's metrics, of rows with an answer, and {id: reason} of metrics that are left out."""
    results, skipped = _results(choices, outcomes, task)
    rows: list[dict[str, Any]] = []
    leading = (results[0].options.where, results[0].options.by) if results else ("", "")
    roles = [_role(result, choices, task, leading) for result in results]
    primary = [result for result, role in zip(results, roles, strict=True) if role == "primary"]
    tested = permutation_columns(results, outcomes, choices, primary)
    asked = [result for result, role in zip(results, roles, strict=True) if choices.asks_for(primary=role == "primary")]
    intervals = dict(zip(map(id, asked), interval_columns(asked, outcomes, choices.options.seed), strict=True))
    each = list(zip(results, roles, tested, strict=True))
    for result, role, columns in followed(each, "stability", "metrics"):
        ends = intervals.get(id(result), {})
        fixed = {
            "task": task,
            "attribute": outcomes.attribute,
            "metric": result.metric.name,
            "options": replace(result.options, where="", by="").stamp(),
            "where": result.options.where,
            "by": result.options.by,
            "level": result.metric.level,
            "role": role,
        }
        looks = role == "primary" and choices.asks_for(primary=True)
        unstable_rows = unstable(result, outcomes) if looks else {}
        for row in result.rows():
            at = row["class"], row["left"], row["right"]
            more = dict(columns.get(at, {}))
            remark = str(more.pop("note", ""))
            smallest = remark.removeprefix(_SMALLEST) if remark.startswith(_SMALLEST) else ""
            note = "; ".join(filter(None, (row["note"], "" if smallest else remark)))
            remarks = {"smallest_p": smallest, "unstable": unstable_rows.get(at, "").removeprefix("unstable: ")}
            rows.append({**fixed, **row, **ends.get(at, {}), **more, **remarks, "note": note})
    frame = pd.DataFrame(rows, columns=list(METRICS_COLUMNS))
    return frame.astype(dict.fromkeys(UNCERTAIN, "float64")), skipped


def _role(result: MetricResult, choices: RunOptions, task: str, leading: tuple[str, str]) -> str:
    """Primary metrics are those that were named, of a tagger only at the term."""
    first = (result.options.where, result.options.by) == leading
    primary = {ALIASES.get(name, name) for name in choices.primary_of(task)}
    name = result.metric.name
    return "primary" if first and ALIASES.get(name, name) in primary else "exploratory"


def _run_checks(checks: Sequence[Check], outcomes: Outcomes) -> list[CheckResult]:
    """The checks that these outcomes allow: invariance needs sources, minimum functionality labels.

    Several invariance tests have their tolerances in their names.
    """
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


def _check_rows(results: Sequence[CheckResult]) -> pd.DataFrame:
    rows = [{name: getattr(r, name) for name in CHECKS_COLUMNS} for r in results]
    return pd.DataFrame(rows, columns=list(CHECKS_COLUMNS))


def _group_rows(results: Sequence[CheckResult]) -> pd.DataFrame:
    rows = [
        {"attribute": r.attribute, "test": r.test, **{name: getattr(g, name) for name in CHECKS_BY_GROUP_COLUMNS[2:]}}
        for r in results
        for g in r.by_group
    ]
    return pd.DataFrame(rows, columns=list(CHECKS_BY_GROUP_COLUMNS))

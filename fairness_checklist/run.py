"""A run: example sets, what a model said about them, metrics and checks, reduced to `Results`."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist import __version__
from fairness_checklist import scores as phi
from fairness_checklist.arrays import FloatArray, IntArray
from fairness_checklist.checks import Check, CheckResult, Invariance, MinimumFunctionality
from fairness_checklist.errors import OptionError
from fairness_checklist.examples import ExampleSet
from fairness_checklist.metrics.catalogue import METRICS, compute
from fairness_checklist.metrics.group import class_names, entered_rows, missing, observations
from fairness_checklist.metrics.metric import Metric, Options
from fairness_checklist.metrics.result import MetricResult
from fairness_checklist.outcomes import Outcomes, check_unlabelled, reduce_to_outcomes
from fairness_checklist.predictions import Predictions
from fairness_checklist.results import (
    CHECKS_BY_GROUP_COLUMNS,
    CHECKS_COLUMNS,
    METRICS_COLUMNS,
    SCORES_COLUMNS,
    Results,
)
from fairness_checklist.tables import to_table

__all__ = ["DEFAULT_CHECKS", "DEFAULT_PRIMARY", "RunOptions", "evaluate_sets"]

DEFAULT_PRIMARY = ("fnr_gap", "fpr_gap", "avg_eg", "avg_if")
DEFAULT_CHECKS: tuple[Check, ...] = (Invariance(), MinimumFunctionality())
BASE_SCORES: tuple[phi.Score, ...] = (
    phi.true_positive_rate,
    phi.false_negative_rate,
    phi.false_positive_rate,
    phi.true_negative_rate,
    phi.f1,
    phi.prediction_rate,
    phi.accuracy,
    phi.mean_probability,
    phi.mean_target_probability,
    phi.labelled_attachment_score,
)


@dataclass(frozen=True)
class RunOptions:
    """The choices of a run.

    Attributes:
        metrics: ids or metrics; None for every registered one that these outcomes allow.
        primary: up to four ids that carry the verdict, named before the run.
        checks: the tests to run.
        options: how metrics are computed, see `metrics.metric.Options`.
        unlabelled: "keep" or "drop" examples without a usable label.
    """

    metrics: Sequence[str | Metric] | None = None
    primary: Sequence[str] = DEFAULT_PRIMARY
    checks: Sequence[Check] = DEFAULT_CHECKS
    options: Options = field(default_factory=Options)
    unlabelled: str = "keep"

    def __post_init__(self) -> None:
        for name in ("metrics", "primary"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        if len(self.primary) > 4:
            raise OptionError(
                f"{len(self.primary)} primary metrics are named; at most four carry a verdict.",
                remedy=f"Name those that matter most: by default {', '.join(DEFAULT_PRIMARY)}.",
            )
        for name in (*self.primary, *(one for one in self.metrics or () if isinstance(one, str))):
            METRICS[name]
        check_unlabelled(self.unlabelled)


def evaluate_sets(
    answered: Iterable[tuple[ExampleSet, Predictions]],
    choices: RunOptions | None = None,
    *,
    info: Mapping[str, Any] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Results:
    """Compute every metric, base score and check.

    Args:
        answered: an example set and the predictions for it, one pair an attribute.
        choices: see `RunOptions`.
        info: what else belongs into ``run.json``.
        progress: told the name of each attribute as its turn comes.

    Returns:
        The tables of all attributes below each other.
    """
    choices = choices or RunOptions()
    metrics, scores, checks, by_group, examples = [], [], [], [], []
    notes: dict[str, list[str]] = {}
    left_out: dict[str, dict[str, str]] = {}
    references: dict[str, dict[str, int]] = {}
    for example_set, predictions in answered:
        if progress is not None:
            progress(example_set.attribute)
        outcomes = reduce_to_outcomes(example_set, predictions, unlabelled=choices.unlabelled)
        lines, skipped = _choose(choices, outcomes)
        results = [compute(line, outcomes, _fitting(line, choices.options)) for line in lines]
        metrics.append(_metric_rows(example_set, results, choices))
        scores.append(base_scores(example_set.task, outcomes))
        found = _run_checks(choices.checks, outcomes)
        checks.append(_check_rows(found))
        by_group.append(_group_rows(found))
        for test in found:
            if test.type == "INV":
                references[test.test] = {"pairs": test.reference_pairs, "fails": test.reference_fails}
        examples.append(to_table(example_set, predictions))
        notes[example_set.attribute] = list(outcomes.notes)
        left_out[example_set.attribute] = skipped
    if not metrics:
        raise OptionError("there is nothing to evaluate: no example set was given.")
    return Results(
        metrics=pd.concat(metrics, ignore_index=True),
        scores=pd.concat(scores, ignore_index=True),
        checks=pd.concat(checks, ignore_index=True),
        checks_by_group=pd.concat(by_group, ignore_index=True),
        examples=pd.concat(examples, ignore_index=True),
        info={
            "versions": versions(),
            **(info or {}),
            "options": _recorded(choices),
            "notes": notes,
            "pairs_with_reference": references,
            "metrics_left_out": left_out,
        },
    )


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that a number can depend on."""
    found = {"python": platform.python_version(), "fairness-checklist": __version__}
    for name in ("numpy", "scipy", "pandas", "torch", "transformers"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _recorded(choices: RunOptions) -> dict[str, Any]:
    options = choices.options
    return {
        "primary": list(choices.primary),
        "unlabelled": choices.unlabelled,
        "denominator": options.denominator,
        "weight": options.weight,
        "max_groupings": options.max_groupings,
        "seed": options.seed,
        "background": options.background,
        "undefined": options.undefined,
        "invariance_threshold": next((c.threshold for c in choices.checks if isinstance(c, Invariance)), None),
    }


def _choose(choices: RunOptions, outcomes: Outcomes) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to compute, and those left out with the reason; what is asked for by name is always computed."""
    if choices.metrics is not None:
        return [METRICS[m] if isinstance(m, str) else m for m in choices.metrics], {}
    lines, skipped = [], {}
    for name, line in METRICS.items():
        why = missing(line.score, outcomes)
        if line.level == "counterfactual" and not len(outcomes.sources):
            why = "the rows have no source"
        if why:
            skipped[name] = why
        else:
            lines.append(line)
    return lines, skipped


def _fitting(line: Metric, options: Options) -> Options:
    """The options without those that mean nothing for this metric, so that a run's stamp is true of each row."""
    single = line.level == "counterfactual" and phi.about(line.score).kind == "single"
    return Options(
        denominator=options.denominator if line.level == "counterfactual" else "true_class",
        weight=options.weight if single else "source",
        max_groupings=options.max_groupings if single else None,
        seed=options.seed,
        groupings=options.groupings if single else None,
        background=options.background if line.family == "background" else "",
        undefined=options.undefined,
    )


def _metric_rows(example_set: ExampleSet, results: Sequence[MetricResult], choices: RunOptions) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for result in results:
        fixed = {
            "task": example_set.task,
            "attribute": example_set.attribute,
            "metric": result.metric.name,
            "options": result.options.stamp(),
            "level": result.metric.level,
            "role": "primary" if result.metric.name in choices.primary else "exploratory",
        }
        rows.extend({**fixed, **row} for row in result.rows())
    frame = pd.DataFrame(rows, columns=list(METRICS_COLUMNS))
    for name in ("chance", "excess", "low", "high", "low_terms", "high_terms", "p_value", "p_adjusted"):
        frame[name] = frame[name].astype("float64")
    return frame


def base_scores(task: str, outcomes: Outcomes) -> pd.DataFrame:
    """Every base score overall ("*"), by group, of the unmarked control and by term, with its n."""
    lanes = len(outcomes.groups) + 1
    names = [*outcomes.groups, "unmarked"]
    marked = outcomes.group < lanes - 1
    codings: list[tuple[IntArray, list[tuple[str, str]]]] = [
        (np.where(marked, 0, -1), [("*", "")]),
        (outcomes.group, [(name, "") for name in names]),
        (outcomes.term, [(names[g], t) for t, g in zip(outcomes.terms, outcomes.term_group, strict=True)]),
    ]
    columns: dict[str, list[Any]] = {name: [] for name in ("score", "class", "group", "term", "value", "n")}
    for score in BASE_SCORES:
        if missing(score, outcomes):
            continue
        classes = class_names(score, outcomes)
        for codes, labels in codings:
            value, n = _scored(score, outcomes, codes, len(labels))
            for k, row in zip(*(side.tolist() for side in np.nonzero(n.T)), strict=True):
                cells = (score.__name__, classes[k], *labels[row], value[row, k], n[row, k])
                for column, cell in zip(columns.values(), cells, strict=True):
                    column.append(cell)
    frame = pd.DataFrame(columns).astype({"value": "float64", "n": "int64"})
    return frame.assign(task=task, attribute=outcomes.attribute, low=np.nan, high=np.nan)[list(SCORES_COLUMNS)]


def _scored(score: phi.Score, outcomes: Outcomes, codes: IntArray, size: int) -> tuple[FloatArray, IntArray]:
    """A rate or mean score by a code a row, and how many rows entered it: (size, K) each."""
    info = phi.about(score)
    if info.kind == "rate":
        value = score(outcomes.counts(codes, size))
        entered = entered_rows(score, outcomes, value.shape[1])
        n = np.stack([np.bincount(codes[(codes >= 0) & column], minlength=size) for column in entered.T], axis=1)
        return value, n
    values, row, _ = observations(score, outcomes)
    value, n = np.full((size, values.shape[1]), np.nan), np.zeros((size, values.shape[1]), dtype=np.int64)
    for k in range(values.shape[1]):
        fine = ~np.isnan(values[:, k]) & (codes[row] >= 0)
        code, weight = codes[row[fine]], outcomes.weight[row[fine]]
        mass = np.bincount(code, weights=weight, minlength=size)
        part = np.bincount(code, weights=weight * values[fine, k], minlength=size)
        value[:, k] = np.divide(part, mass, out=np.full(size, np.nan), where=mass > 0)
        n[:, k] = np.bincount(code, minlength=size)
    return value, n


def _run_checks(checks: Sequence[Check], outcomes: Outcomes) -> list[CheckResult]:
    """The checks that these outcomes allow: invariance needs sources, minimum functionality labels."""
    found = []
    for check in checks:
        if isinstance(check, Invariance) and not len(outcomes.sources):
            continue
        if isinstance(check, MinimumFunctionality) and not outcomes.labelled.any():
            continue
        if outcomes.classes:
            found.append(check.run(outcomes))
    return found


def _check_rows(found: Sequence[CheckResult]) -> pd.DataFrame:
    rows = [{name: getattr(r, name) for name in CHECKS_COLUMNS} for r in found]
    return pd.DataFrame(rows, columns=list(CHECKS_COLUMNS))


def _group_rows(found: Sequence[CheckResult]) -> pd.DataFrame:
    rows = [
        {"attribute": r.attribute, "test": r.test, **{name: getattr(g, name) for name in CHECKS_BY_GROUP_COLUMNS[2:]}}
        for r in found
        for g in r.by_group
    ]
    return pd.DataFrame(rows, columns=list(CHECKS_BY_GROUP_COLUMNS))

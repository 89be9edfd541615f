"""The tables of metrics and base scores of a run: which metrics are computed, in which ways, and their rows."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.progress import followed
from fairness_checklist.metrics import scores as phi
from fairness_checklist.metrics.backgrounds import unmarked
from fairness_checklist.metrics.catalogue import ALIASES, OF_POSITIVE_CLASS, compute
from fairness_checklist.metrics.contrasts import class_names, entered_rows, missing, observations, sums_by_code
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.run.options import RunOptions
from fairness_checklist.statistics import bootstrap
from fairness_checklist.statistics.null_mean import has_null_mean, null_means, why_no_null_mean
from fairness_checklist.tables.run_folder import METRICS_COLUMNS, SCORES_COLUMNS

BY_TERM = ("fped", "fned", "fpr_gap", "fnr_gap")
_MOST_GROUPS = 24  # for pairwise metrics; with more groups the pairs are too many to read and take minutes
_NUMBERS = ("null_mean", "ci_low", "ci_high")


def metric_rows(
    outcomes: Outcomes, choices: RunOptions, task: str
) -> tuple[pd.DataFrame, dict[str, str], tuple[str, ...]]:
    """The rows of an attribute's metrics, {id: reason} of metrics that are left out, and remarks on the attribute."""
    chosen, skipped = _choose(choices, outcomes, task)
    ways = _ways(choices.options, outcomes, task)
    primary = {ALIASES.get(name, name) for name in choices.primary_of(task)}
    rows: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], bootstrap.Resamples | None] = {}
    why, remarks = why_no_null_mean(outcomes), tuple[str, ...]()
    computed = [
        compute(metric, outcomes, replace(_fitting(metric, choices.options), where=where, by=by))
        for where, by in ways
        for metric in followed(chosen, "values", "metrics")
        if not by or by == choices.options.by or metric.name in BY_TERM
    ]
    for result in followed(computed, "null means and intervals", "metrics"):
        name, way = result.metric.name, (result.options.where, result.options.by)
        is_primary = way == ways[0] and ALIASES.get(name, name) in primary
        columns: dict[tuple[str, str, str], dict[str, float]] = {}
        if is_primary and choices.draws and has_null_mean(result):
            remarks = (f"no null means: {why}",) if why else ()
            if not why:
                means = null_means(result, outcomes, draws=choices.draws, seed=choices.options.seed)
                columns = {sides: {"null_mean": mean} for sides, mean in means.items()}
        if choices.uncertainty:
            looked_at = bootstrap.rows_looked_at(result, outcomes)
            if way not in seen:
                seen[way] = bootstrap.resamples_of(looked_at, seed=choices.options.seed)
            if (resamples := seen[way]) is not None:
                for sides, (low, high) in bootstrap.metric_intervals(result, resamples).items():
                    columns.setdefault(sides, {}).update(ci_low=low, ci_high=high)
        fixed = {
            "task": task,
            "attribute": outcomes.attribute,
            "metric": name,
            "options": replace(result.options, where="", by="").stamp(),
            "where": result.options.where,
            "by": result.options.by,
            "level": result.metric.level,
            "role": "primary" if is_primary else "exploratory",
        }
        for row in result.rows():
            rows.append(fixed | row | columns.get((row["class"], row["left"], row["right"]), {}))
    frame = pd.DataFrame(rows, columns=list(METRICS_COLUMNS))
    return frame.astype(dict.fromkeys(_NUMBERS, "float64")), skipped, remarks


def _choose(choices: RunOptions, outcomes: Outcomes, task: str) -> tuple[list[Metric], dict[str, str]]:
    """The metrics to compute, each number once but for those named, and {id: reason} of those that are left out."""
    primary = choices.primary_of(task)
    everything = choices.metrics == ("all",)
    if choices.metrics is not None and not everything:
        by_name: dict[str, Metric] = {}
        for metric in (METRICS[m] if isinstance(m, str) else m for m in choices.metrics):
            if by_name.setdefault(metric.name, metric) != metric:
                raise OptionError(
                    f"two metrics have the id {metric.name!r}, so that their rows could not be distinguished.",
                    remedy="Give each metric an id of its own.",
                )
        return list(by_name.values()), {}
    same = {alias: f"the same number as {name} of the positive class" for alias, name in OF_POSITIVE_CLASS.items()}
    for alias, name in ALIASES.items():
        leading, other = (alias, name) if alias in primary else (name, alias)
        same[other] = f"the same number as {leading}"
    left_out = {
        name: _reason_to_skip(metric, outcomes, costly=everything or name in primary)
        or ("" if name in primary else same.get(name, ""))
        for name, metric in METRICS.items()
    }
    chosen = [metric for name, metric in METRICS.items() if not left_out[name]]
    return chosen, {name: why for name, why in left_out.items() if why}


def _reason_to_skip(metric: Metric, outcomes: Outcomes, *, costly: bool) -> str:
    """Why a metric is not computed by default, or ""; a ``costly`` one may take minutes."""
    if metric.level == "counterfactual" and not len(outcomes.sources):
        return "the rows have no source"
    if why := missing(metric.score, outcomes):
        return why
    n = len(outcomes.groups)
    if metric.background is unmarked and not (outcomes.group == n).any():
        return "there is no unmarked sentence"
    if n > _MOST_GROUPS and metric.family == "pairwise" and not costly:
        return f"{n} groups make {n * (n - 1) // 2:,} pairs; it is computed where it is requested by name"
    return ""


def _ways(
    options: Options, outcomes: Outcomes, task: str
) -> list[tuple[Literal["", "slot", "context"], Literal["", "term"]]]:
    """The views and ways in which each metric is computed: by default a tagger's term first, toxicity's by term too."""
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
    return replace(
        options,
        denominator=options.denominator if metric.level == "counterfactual" else "true_class",
        weight=options.weight if single else "source",
        matching=options.matching if single else "",
        max_groupings=options.max_groupings if single else None,
        groupings=options.groupings if single else None,
        background=options.background if metric.background is not None else "",
    )


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
    phi.repaired_entities,
)


def base_scores(task: str, outcomes: Outcomes, choices: RunOptions) -> pd.DataFrame:
    """Every base score overall ("*"), by group, of the control and by term, with its n; of a tagger by view too."""
    views = {"": outcomes, **outcomes.views}
    return pd.concat([_scores_of_view(task, where, view, choices) for where, view in views.items()], ignore_index=True)


def _scores_of_view(task: str, where: str, outcomes: Outcomes, choices: RunOptions) -> pd.DataFrame:
    n_columns = len(outcomes.groups) + 1
    names = [*outcomes.groups, "unmarked"]
    codings: list[tuple[IntArray, list[tuple[str, str]]]] = [
        (np.where(outcomes.group < n_columns - 1, 0, -1), [("*", "")]),
        (outcomes.group, [(name, "") for name in names]),
        (outcomes.term, [(names[g], t) for t, g in zip(outcomes.terms, outcomes.term_group, strict=True)]),
    ]
    resamples = bootstrap.resamples_of(outcomes, seed=choices.options.seed) if choices.uncertainty else None
    rows: list[dict[str, Any]] = []
    for score in BASE_SCORES:
        if missing(score, outcomes) or (where and score is phi.repaired_entities):
            continue
        classes = class_names(score, outcomes)
        ends = [np.full((len(labels), len(classes), 2), np.nan) for _codes, labels in codings]
        if resamples is not None:
            of_groups, of_terms = bootstrap.score_intervals(score, outcomes, resamples)
            ends = [of_groups[:1], of_groups[1:], of_terms]
        for (codes, labels), intervals in zip(codings, ends, strict=True):
            value, n = _scored(score, outcomes, codes, len(labels))
            for k, row in zip(*np.nonzero(n.T), strict=True):
                (group, term), (low, high) = labels[row], intervals[row, k]
                cells = {"group": group, "term": term, "value": value[row, k], "n": n[row, k]}
                rows.append({"score": score.__name__, "class": classes[k], **cells, "ci_low": low, "ci_high": high})
    fixed = {"task": task, "attribute": outcomes.attribute, "where": where}
    frame = pd.DataFrame([fixed | row for row in rows], columns=list(SCORES_COLUMNS))
    return frame.astype({"n": "int64", **dict.fromkeys(("value", "ci_low", "ci_high"), "float64")})


def _scored(score: phi.Score, outcomes: Outcomes, codes: IntArray, size: int) -> tuple[FloatArray, IntArray]:
    """A rate or mean score by a code a row, and how many rows entered it: (size, K) each."""
    if phi.about(score).kind == "rate":
        value = score(outcomes.counts(codes, size))
        entered = entered_rows(score, outcomes, value.shape[1])
        n = np.stack([np.bincount(codes[(codes >= 0) & column], minlength=size) for column in entered.T], axis=1)
        return value, n
    values, row, _ = observations(score, outcomes)
    value = divide(*sums_by_code(values, codes[row], outcomes.weight[row], size))
    return value, sums_by_code(values, codes[row], np.ones(len(row)), size)[1].astype(np.int64)

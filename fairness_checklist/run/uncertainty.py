"""Null means and p-values of the values of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.outcomes import Outcomes, select_sources
from fairness_checklist.core.progress import followed
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics import scores as phi
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.contrasts import class_names, entered_rows, missing, observations, sums_by_code
from fairness_checklist.metrics.engine import cost_of_weighting, shares_sums
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.metrics.weights import Parts, by_term, terms_of
from fairness_checklist.run.options import EXPLORATORY_DRAWS, RunOptions
from fairness_checklist.statistics.intervals import COLUMNS, Resamples, intervals_of, resamples_of, score_intervals
from fairness_checklist.statistics.multiplicity import benjamini_hochberg, draws_to_decide, holm, max_t, significant
from fairness_checklist.statistics.permutation import (
    Assignments,
    PermutationTest,
    permutation_test,
    reason_not_testable,
)
from fairness_checklist.statistics.subsets import as_computed
from fairness_checklist.tables.run_folder import SCORES_COLUMNS

# How many numbers the draws of one metric may cost before there are fewer of them, and how few there may be.
_BUDGET = {True: 6e8, False: 6e7}  # primary, exploratory
_LEAST = {True: 199, False: 99}
_RECOMPUTED = 49  # draws where every assignment costs as much as the metric itself
_MOST = 5e10  # numbers that the least draws may cost
_MOST_RECOMPUTED = 5e9
_COARSE = 0.01
# Vectors of probabilities beyond which permutations inside sources look at some sources, and about how many these have.
_MANY_UNITS, _KEPT_UNITS, _LEAST_SOURCES = 50_000, 4_000, 200

UNCERTAIN = ("null_mean", "ci_low", "ci_high", "ci_low_terms", "ci_high_terms", "p_value", "p_adjusted")
"""Columns of ``metrics`` that are empty where uncertainty was not asked for."""

Key = tuple[str, str, str]
RowColumns = dict[Key, dict[str, float | str]]


def permutation_columns(
    results: Sequence[MetricResult], outcomes: Outcomes, choices: RunOptions, primary: Sequence[MetricResult]
) -> list[RowColumns]:
    """Columns for the rows of each result: {(class, left, right): {null_mean, p_value, p_adjusted, note}}.

    Those of metrics that ``choices.uncertainty`` does not ask for are empty, but for the null means that cost little.
    Terms as groups of their own have no null mean: there is nothing to assign. The p-values of the primary
    metrics are adjusted together, over metrics, groups and classes, from the same assignments; those of all other rows
    together with the method ``choices.adjust``. A ``note`` is appended to the note of the row.
    """
    leading, seed = {id(result) for result in primary}, choices.options.seed
    asked = {id(result) for result in results if choices.asks_for(primary=id(result) in leading)}
    every, results = results, [result for result in results if id(result) in asked or _has_cheap_null_mean(result)]
    if not choices.draws or choices.uncertainty == "none" or permutation_notes(outcomes, choices):
        return [{} for _ in every]
    tables: dict[tuple[str, bool], Parts] = {}
    looked_at = []
    for result in results:
        where, by_source = result.options.where, result.metric.level != "group"
        whole = tables.setdefault((where, False), by_term(outcomes.view(where)))
        if by_source and (where, True) not in tables:
            tables[where, True] = _with_fewer_sources(whole, seed)
        looked_at.append(tables[where, by_source])
    tested: list[tuple[MetricResult, PermutationTest | None, RowColumns]] = []
    each = list(zip(results, _draws(results, leading, looked_at, choices), looked_at, strict=True))
    for result, number, parts in followed(each, "permutations of terms", "metrics"):
        test, given, options = None, result, result.options
        if number and not options.by:
            if parts is not tables[options.where, False]:
                options = replace(options, where="", undefined="report")
                given = compute(result.metric, parts.outcomes, options)
            rows = outcomes if given is result else parts.outcomes
            test = permutation_test(result.metric, rows, options, draws=number, seed=seed, result=given, parts=parts)
        columns = _chance_by_row(result, given, test, parts, _wanted(id(result) in leading, choices))
        if id(result) not in asked:
            columns = {at: {"null_mean": row.get("null_mean", np.nan)} for at, row in columns.items()}
        tested.append((given, test, columns))
    known = {id(result): test for result, test in zip(results, tested, strict=True)}
    lead = [test for at, test in known.items() if at in leading]
    _adjust_primary([(given, test, columns) for given, test, columns in lead if test is not None and not test.why])
    _adjust_exploratory(
        [columns for at, (_given, _test, columns) in known.items() if at not in leading], choices.adjust
    )
    return [known[id(result)][2] if id(result) in known else {} for result in every]


def _has_cheap_null_mean(result: MetricResult) -> bool:
    """Whether a metric is a distance of the groups' rates or means: an assignment of terms is then a sum by term."""
    kind = phi.about(result.metric.score).kind
    unsigned = not comparisons.about(result.metric.compare).signed
    return unsigned and result.metric.level == "group" and kind in ("rate", "mean")


def permutation_notes(outcomes: Outcomes, choices: RunOptions) -> tuple[str, ...]:
    """Remarks on a whole attribute where null means were requested and cannot be computed."""
    if not choices.draws:
        return ()
    if why := reason_not_testable(outcomes):
        return (f"no null means and p-values: {why}",)
    if len(terms_of(outcomes)) < 2:
        return ("no null means and p-values: fewer than two terms",)
    return ()


def adjustment_notes(metrics: pd.DataFrame, choices: RunOptions) -> tuple[str, ...]:
    """A remark where no exploratory row (of one attribute) can be significant after Holm's adjustment."""
    tested, draws = int((metrics["role"].eq("exploratory") & metrics["p_value"].notna()).sum()), choices.draws
    if choices.adjust != "holm" or significant(tested / (draws + 1)):
        return ()
    why = f"no adjusted p of {tested:,} exploratory rows can be .05 with {draws:,} draws and Holm's method"
    return (f"{why}: {draws_to_decide(tested, draws):,} draws can, or fewer metrics",)


def _wanted(primary: bool, choices: RunOptions) -> int:
    """Assignments of a metric: exploratory ones take few, or all where Holm's method needs a small p."""
    return choices.draws if primary or choices.adjust == "holm" else min(choices.draws, EXPLORATORY_DRAWS)


def _draws(
    results: Sequence[MetricResult], leading: set[int], looked_at: Sequence[Parts], choices: RunOptions
) -> list[int]:
    """The number of assignments of each metric, equal for the primary ones; 0 for none."""
    numbers = []
    for result, parts in zip(results, looked_at, strict=True):
        primary, chosen = id(result) in leading, result.metric.with_options(result.options)
        number, cost = _wanted(primary, choices), max(1.0, cost_of_weighting(chosen, result.options, parts))
        if not shares_sums(chosen, result.options):
            number = min(number, _RECOMPUTED) if cost * _RECOMPUTED <= _MOST_RECOMPUTED else 0
        else:
            enough = max(_LEAST[primary], int(_BUDGET[primary] / cost))
            number = min(number, enough) if cost * _LEAST[primary] <= _MOST else 0
        numbers.append(number)
    is_primary = [id(result) in leading for result in results]
    shared = min((n for n, primary in zip(numbers, is_primary, strict=True) if n and primary), default=0)
    return [min(n, shared) if primary else n for n, primary in zip(numbers, is_primary, strict=True)]


def _with_fewer_sources(parts: Parts, seed: int) -> Parts:
    """The same terms with the rows of some sources alone, drawn at random, where there are very many rows.

    A permutation of metrics inside sources looks at every row. The value that it is compared with is one of the same
    sources, so that the p-value holds.
    """
    outcomes = parts.outcomes
    units = len(outcomes) if outcomes.units is None else len(outcomes.units.row)
    if units <= _MANY_UNITS or not len(outcomes.sources):
        return parts
    size = max(_LEAST_SOURCES, int(len(outcomes.sources) * _KEPT_UNITS / units))
    if size >= len(outcomes.sources):
        return parts
    kept = np.zeros(len(outcomes.sources), dtype=np.bool_)
    kept[np.random.default_rng([seed, 3]).choice(len(outcomes.sources), size, replace=False)] = True
    return by_term(select_sources(outcomes, kept), parts.terms)


def _chance_by_row(
    result: MetricResult, tested: MetricResult, chance: PermutationTest | None, parts: Parts, expected: int
) -> RowColumns:
    """Null mean and p by row; a signed value has no null mean, since its mean over assignments is 0."""
    columns: RowColumns = {(row["class"], row["left"], row["right"]): {} for row in result.rows()}
    if result.options.by:
        return {}
    if chance is None:
        for at in columns:
            columns[at]["note"] = "no null mean: the assignments of so many rows would take too long"
        return columns
    if chance.why:
        return {}
    unsigned = not comparisons.about(result.metric.compare).signed
    note = _note(chance.assignments, expected)
    if tested is not result and parts.outcomes.sources:
        some = f"chance and p from {len(parts.outcomes.sources):,} sources drawn at random"
        note = f"{some}; {note}" if note else some

    def put(at: Key, level: float, p: float) -> None:
        columns[at] |= {"null_mean": level if unsigned else np.nan, "p_value": p}
        if note and not np.isnan(p):
            columns[at]["note"] = note

    for k, label in enumerate(result.classes):
        if chance.total_p is not None and chance.total_null_mean is not None:
            put((label, "*", ""), float(chance.total_null_mean[k]), float(chance.total_p[k]))
        if result.metric.family == "multigroup":
            continue
        for p, (left, right) in enumerate(zip(result.left, result.right, strict=True)):
            put((label, left, right), float(chance.null_mean[p, k]), float(chance.p_value[p, k]))
    if _over_others(result):
        for group in result.groups:
            level, p_value = chance.of_others(tested, group)
            for k, label in enumerate(result.classes):
                put((label, group, "others"), float(level[k]), float(p_value[k]))
    return columns


def _note(assignments: Assignments, expected: int) -> str:
    """Remarks on p: how small it can be where that is not small, or that there were fewer draws."""
    if assignments.smallest_p > _COARSE:
        smallest = f"{assignments.smallest_p:.2g}".lstrip("0")
        return f"smallest possible p {smallest}: {len(assignments):,} assignments of the terms"
    if not assignments.complete and len(assignments) < expected:
        return f"chance and p from {len(assignments):,} assignments"
    return ""


def _over_others(result: MetricResult) -> bool:
    return result.metric.family == "pairwise" and result.total is not None and len(result.groups) > 2


def _adjust_primary(family: Sequence[tuple[MetricResult, PermutationTest, RowColumns]]) -> None:
    """Add the adjusted p-value of each contrast of the primary metrics."""
    if not family:
        return

    def sizes(result: MetricResult, values: FloatArray) -> FloatArray:
        distance: FloatArray = np.abs(values - comparisons.about(result.metric.compare).no_bias)
        return distance

    given = [sizes(result, result.value) for result, _c, _b in family]
    drawn = [sizes(result, chance.drawn).reshape(len(chance.drawn), -1) for result, chance, _b in family]
    complete = family[0][1].assignments.complete
    adjusted = max_t(np.concatenate([size.ravel() for size in given]), np.concatenate(drawn, axis=1), complete=complete)
    parts = np.split(adjusted, np.cumsum([size.size for size in given])[:-1])
    for (result, _chance, columns), own in zip(family, parts, strict=True):
        p = own.reshape(result.value.shape)
        for k, label in enumerate(result.classes):
            for row, (left, right) in enumerate(zip(result.left, result.right, strict=True)):
                if (label, left, right) in columns:
                    columns[label, left, right]["p_adjusted"] = float(p[row, k])


def _adjust_exploratory(columns: Sequence[RowColumns], adjust: str) -> None:
    """Add the adjusted p-value of every other row, adjusted over all rows together."""
    rows = [row for by_row in columns for row in by_row.values() if "p_value" in row]
    p = np.array([row["p_value"] for row in rows], dtype=np.float64)
    for row, adjusted in zip(rows, (holm if adjust == "holm" else benjamini_hochberg)(p), strict=True):
        row["p_adjusted"] = float(adjusted)


def interval_columns(
    results: Sequence[MetricResult], outcomes: Outcomes, seed: int
) -> list[Mapping[tuple[str, str, str], dict[str, float]]]:
    """Columns for the rows of each result: {(class, left, right): {low, high, low_terms, high_terms}}."""
    seen: dict[tuple[str, str], Resamples] = {}
    columns = []
    for result in followed(results, "intervals", "metrics"):
        way = result.options.where, result.options.by
        if way not in seen:
            seen[way] = resamples_of(as_computed(result, outcomes).outcomes, seed=seed)
        columns.append(intervals_of(result, seen[way]))
    return columns


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


def base_scores(task: str, outcomes: Outcomes, *, seed: int = 0) -> pd.DataFrame:
    """Every base score overall ("*"), by group, of the unmarked control and by term, with its n and intervals.

    The column ``where`` is "" for whole texts; of a tagger "slot" and "context" are below.
    """
    views = {"": outcomes, **outcomes.views}
    return pd.concat([_scores_with_intervals(task, at, view, seed) for at, view in views.items()], ignore_index=True)


def _scores_with_intervals(task: str, where: str, outcomes: Outcomes, seed: int) -> pd.DataFrame:
    n_columns = len(outcomes.groups) + 1
    names = [*outcomes.groups, "unmarked"]
    marked = outcomes.group < n_columns - 1
    codings: list[tuple[IntArray, list[tuple[str, str]]]] = [
        (np.where(marked, 0, -1), [("*", "")]),
        (outcomes.group, [(name, "") for name in names]),
        (outcomes.term, [(names[g], t) for t, g in zip(outcomes.terms, outcomes.term_group, strict=True)]),
    ]
    resamples = resamples_of(outcomes, seed=seed)
    wanted = ("score", "class", "group", "term", "value", "n", *COLUMNS)
    columns: dict[str, list[Any]] = {name: [] for name in wanted}
    for score in BASE_SCORES:
        if missing(score, outcomes) or (where and score is phi.repaired_entities):
            continue
        classes = class_names(score, outcomes)
        of_groups, of_terms = score_intervals(score, outcomes, resamples)
        for (codes, labels), ends in zip(codings, (of_groups[:1], of_groups[1:], of_terms), strict=True):
            value, n = _scored(score, outcomes, codes, len(labels))
            for k, row in zip(*(side.tolist() for side in np.nonzero(n.T)), strict=True):
                cells = (score.__name__, classes[k], *labels[row], value[row, k], n[row, k], *ends[row, k])
                for column, cell in zip(columns.values(), cells, strict=True):
                    column.append(cell)
    frame = pd.DataFrame(columns).astype({"n": "int64", **dict.fromkeys(("value", *COLUMNS), "float64")})
    frame = frame.assign(task=task, attribute=outcomes.attribute, where=where)
    return frame[list(SCORES_COLUMNS)]


def _scored(score: phi.Score, outcomes: Outcomes, codes: IntArray, size: int) -> tuple[FloatArray, IntArray]:
    """A rate or mean score by a code a row, and how many rows entered it: (size, K) each."""
    info = phi.about(score)
    if info.kind == "rate":
        value = score(outcomes.counts(codes, size))
        entered = entered_rows(score, outcomes, value.shape[1])
        n = np.stack([np.bincount(codes[(codes >= 0) & column], minlength=size) for column in entered.T], axis=1)
        return value, n
    values, row, _ = observations(score, outcomes)
    value = divide(*sums_by_code(values, codes[row], outcomes.weight[row], size))
    return value, sums_by_code(values, codes[row], np.ones(len(row)), size)[1].astype(np.int64)

"""Metrics of a saved run computed again: from its examples, without a template or a term, with reworded templates."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.run_view import (
    Row,
    View,
    attribute_view,
    is_tagging,
    leading_class,
    one_of,
    task_of,
    with_hashed_words,
)
from fairness_checklist.analysis.terms_left_out import run_choices
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.replicates import answered_only
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.curves import GapCurve, gap_curve
from fairness_checklist.metrics.metric_forms import METRICS, Options
from fairness_checklist.metrics.metric_result import MetricResult
from fairness_checklist.run.evaluation import metric_rows
from fairness_checklist.run.options import RunOptions
from fairness_checklist.run.uncertainty import UNCERTAIN, interval_columns, permutation_columns
from fairness_checklist.statistics.fixed_terms import friedman, paired_t, sign_flips_of_pairs, source_means, wilcoxon
from fairness_checklist.statistics.robustness import Influence, LeftOut, Rewordings, influence
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any


def outcomes_of(results: Results, view: View) -> Outcomes:
    """An attribute's examples as the metrics saw them."""
    shown = with_hashed_words(results, view.examples)
    [(examples, predictions)] = split_any(shown, task=task_of(results), classes=view.classes)
    return reduce_to_outcomes(
        examples, predictions, unlabelled=results.info.get("options", {}).get("unlabelled", "keep")
    )


def recomputed(results: Results, metric: str, attribute: str | None) -> tuple[MetricResult, Outcomes]:
    """The metric as the run computed it first, or with default options where it did not."""
    view = attribute_view(results, attribute or results.attributes[0])
    outcomes = outcomes_of(results, view)
    return compute(METRICS[metric], outcomes, _options(view, metric)), outcomes


_KEY = ["attribute", "metric", "options", "where", "by", "class", "left", "right"]


def metrics_with_uncertainty(results: Results) -> pd.DataFrame:
    """The metrics of a run with the intervals, null means and p-values that it did not compute, from its examples.

    The figures are those of a run with ``uncertainty="all"``. It takes several times as long as the run without its
    model.

    Args:
        results: a run, or one that was loaded.

    Returns:
        The rows of ``results.metrics``. Rows of user-defined metrics that are not registered stay as they are.

    Raises:
        OptionError: none of the metrics is registered, or they were computed from groupings.
    """
    choices = replace(run_choices(results)[0], uncertainty="all")
    fresh = []
    for attribute in results.attributes:
        outcomes = outcomes_of(results, attribute_view(results, attribute))
        fresh.append(metric_rows(answered_only(outcomes), choices, task_of(results))[0])
    found = pd.concat(fresh).drop_duplicates(_KEY).set_index(_KEY)[[*UNCERTAIN, "smallest_p", "unstable", "note"]]
    metrics = results.metrics.reset_index(drop=True)
    found = found.reindex(pd.MultiIndex.from_frame(metrics[_KEY].astype(object)))
    known = found["note"].notna().to_numpy()
    columns: dict[str, Any] = {
        str(name): np.where(known, found[name].to_numpy(), metrics[name].to_numpy()) for name in found
    }
    return metrics.assign(**columns).astype(dict.fromkeys(UNCERTAIN, "float64"))


def row_with_uncertainty(results: Results, view: View, row: Row) -> Row:
    """A row with its intervals, null mean and p, computed where the run left them out; p is not adjusted then."""
    if not np.isnan([row[name] for name in ("ci_low", "ci_high", "p_value")]).all() or row["metric"] not in METRICS:
        return row
    options: dict[str, Any] = results.info.get("options", {})
    if options.get("uncertainty", "all") == "all" or not options.get("draws", 0):  # the run asked for none
        return row
    result, outcomes = recomputed(results, row["metric"], view.attribute)
    outcomes = answered_only(outcomes)
    seed, at = int(options.get("seed", 0)), (row["class"], row["left"], row["right"])
    choices = RunOptions(draws=int(options.get("draws", 0)), options=Options(seed=seed), uncertainty="all")
    chance = permutation_columns([result], outcomes, choices, [result] if row["role"] == "primary" else [])[0].get(
        at, {}
    )
    ends = interval_columns([result], outcomes, seed)[0].get(at, {})
    found = {name: value for name, value in {**chance, **ends}.items() if name in UNCERTAIN and name != "p_adjusted"}
    return {**row, **found}


def _options(view: View, metric: str) -> Options:
    stamps = [
        (options, where)
        for name, options, where in (*view.primary, *view.keys_at(view.place), *view.keys)
        if name == metric
    ]
    options, where = stamps[0] if stamps else ("", view.place)
    given: dict[str, Any] = {"where": where}
    for part in filter(None, options.split("; ")):
        name, _, value = part.partition("=")
        given[name] = value
    if "groupings" in given:
        raise OptionError(
            f"{metric} was computed from groupings that the run does not keep.",
            remedy="Run it again without groupings=, or with max_groupings=.",
        )
    for name in ("max_groupings", "seed"):
        if name in given:
            given[name] = int(given[name])
    return Options(**given)


def gap_curve_of(results: Results, metric: str, *, label: str | None = None, attribute: str | None = None) -> GapCurve:
    """A metric of rates at every threshold, of one attribute of a run, against the background that the run had.

    Args:
        results: a run of a classifier with probabilities.
        metric, label: as in `metrics.curves.gap_curve`.
        attribute: of which attribute; the first by default.

    Raises:
        OptionError: an unknown attribute, class or metric, or a run that has no such curve.
    """
    if is_tagging(results):
        raise OptionError("a gap curve moves a classifier's threshold, and these are a tagger's predictions.")
    view = attribute_view(results, attribute or results.attributes[0])
    [(examples, predictions)] = split_any(view.examples, task=task_of(results), classes=view.classes)
    given = results.info.get("options", {})
    outcomes = reduce_to_outcomes(examples, predictions, unlabelled=given.get("unlabelled", "keep"))
    own = METRICS[metric].background is not None
    background = str(given.get("background", "")) if own else ""
    balanced = own and given.get("weight") == "group"
    return gap_curve(outcomes, metric, label, Options(background=background, weight="group" if balanced else "source"))


COLUMNS = ["class", "test", "left", "right", "statistic", "p_value", "n", "why"]


WARNING = (
    "These tests are conditional on the terms of the run: they test whether the groups' mean probabilities in the same "
    "sources are equal for exactly these terms. Any two sets of words differ: on 51 real terms split at random, the "
    "tests reject in 76 to 100 % of the splits at the 5 % level. A small p-value here is not evidence about the "
    "groups: use the p-value and the interval over terms like these in the tables above. These p-values are not "
    "adjusted for the number of pairs."
)


_OF_TERMS = ("term", "concept", "text", "sha256", "template", "target", "paraphrase_of")


def _without_terms(view: View) -> View:
    """The view without the columns that means over a source's rows do not depend on, which are quicker to read."""
    return replace(view, examples=view.examples.drop(columns=list(_OF_TERMS), errors="ignore"))


def paired_tests(results: Results, attribute: str | None = None, label: str | None = None) -> pd.DataFrame:
    """Friedman's test over all groups, and for each pair of groups Wilcoxon's, the paired t-test and sign flips.

    The tests compare the groups' mean probabilities of a class in the symmetric sources that have all groups; for a
    tagger, at the term. They are conditional on the terms of the run: see `statistics.fixed_terms`.

    Args:
        results: a run.
        attribute: of which attribute; the first by default.
        label: the class of the probabilities; by default that of the largest primary gap.

    Returns:
        Columns class, test, left and right (the pair; "*" and "" for all groups), statistic, p_value (not adjusted),
        n (sources) and why (there is no p). The warning that belongs to them is in ``attrs["warning"]``.

    Raises:
        OptionError: no such attribute or class, no probabilities, or rows without source.
    """
    view = attribute_view(results, attribute or results.attributes[0])
    if label is None:
        leading = leading_class(view)
        label = leading if leading in view.classes else view.classes[-1]
    one_of(label, view.classes, "class")
    outcomes = outcomes_of(results, view if view.tagging else _without_terms(view)).view(view.place)
    means = source_means(outcomes, label)
    groups = outcomes.groups
    rows = [("*", "", friedman(means))] if len(groups) > 2 else []
    pairs = list(combinations(range(len(groups)), 2))
    for (i, j), flips in zip(pairs, sign_flips_of_pairs(means, pairs), strict=True):
        x, y = means[:, i], means[:, j]
        rows += [(groups[i], groups[j], test) for test in (wilcoxon(x, y), paired_t(x, y), flips)]
    table = [(label, t.test, left, right, t.statistic, t.p_value, t.n, t.why) for left, right, t in rows]
    frame = pd.DataFrame(table, columns=COLUMNS)
    frame.attrs["warning"] = WARNING
    return frame


INFLUENCE_COLUMNS = ("kind", "name", "group", "class", "left", "right", "value", "value_without", "change")


def influence_table(
    results: Results, metric: str, *, attribute: str | None = None, label: str | None = None
) -> pd.DataFrame:
    """A metric's values without each template and without each term, the one that moves furthest first.

    Args:
        results: a run.
        metric: any registered metric's id.
        attribute: of which attribute; the first by default.
        label: only this class.

    Returns:
        Columns `INFLUENCE_COLUMNS`: kind is "template" or "term", group the term's; change is value_without minus
        value, NaN where without it no value is left (these come first). Values that are undefined are left out.

    Raises:
        OptionError: no such metric, attribute or class.
    """
    found = influence(*recomputed(results, metric, attribute))
    chosen = range(len(found.classes))
    if label is not None:
        chosen = range(found.classes.index(one_of(label, found.classes, "class")), len(found.classes))[:1]
    frame = pd.DataFrame(
        [row for left_out in found.left_out for row in _moved(found, left_out, chosen)], columns=list(INFLUENCE_COLUMNS)
    )
    order = frame["change"].abs().fillna(np.inf).to_numpy(dtype=np.float64)
    return frame.iloc[np.argsort(-order, kind="stable")].reset_index(drop=True)


def _moved(found: Influence, left_out: LeftOut, chosen: range) -> list[tuple[Any, ...]]:
    rows = []
    for at, (name, group) in enumerate(zip(left_out.names, left_out.groups, strict=True)):
        for k in chosen:
            for r, sides in enumerate(found.sides):
                value, without = float(found.value[r, k]), float(left_out.value[at, r, k])
                if not np.isnan(value):
                    head = (left_out.kind, name, group, found.classes[k], *sides)
                    rows.append((*head, value, without, without - value))
    return rows


def influence_by_value(moved: Influence, paraphrased: Rewordings) -> pd.DataFrame:
    """A row a value: what moves it most towards equal treatment, and how its rewordings agree."""
    position = {sides: at for at, sides in enumerate(paraphrased.sides)}
    parts = {
        "originals": paraphrased.originals,
        "rewordings": paraphrased.rewordings,
        "families": paraphrased.compared.astype(np.float64),
        "agreement": paraphrased.agreement,
        "with_whole": paraphrased.agreement_with_overall,
    }
    rows = []
    for k, label in enumerate(moved.classes):
        for r, sides in enumerate(moved.sides):
            row = {"class": label, "left": sides[0], "right": sides[1], "value": float(moved.value[r, k])}
            for left_out in moved.left_out:
                name, without = _most_influential(moved, left_out, r, k)
                row |= {left_out.kind: name, f"without_{left_out.kind}": without}
            at = position.get(sides)
            row |= {name: np.nan if at is None else float(values[at, k]) for name, values in parts.items()}
            rows.append(row)
    return pd.DataFrame(rows)


def _most_influential(moved: Influence, left_out: LeftOut, r: int, k: int) -> tuple[str, float]:
    """The template or term that increases the distance from equal treatment most, and the value without it."""
    without: FloatArray = left_out.value[:, r, k]
    away = moved.value[r, k] - moved.computed.no_bias
    if not len(without) or np.isnan(away):
        return "", np.nan
    still = np.where(np.isnan(without), 0.0, (without - moved.computed.no_bias) * (np.sign(away) or 1.0))
    at = int(np.argmin(still))
    return left_out.names[at], float(without[at])

"""The tables of a run for the terminal, plain text of at most 100 columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal
from fairness_checklist.reports.missed_terms import missed
from fairness_checklist.reports.page_tables import (
    errors_by_term,
    further_grids,
    group_name,
    group_rows,
    shown_name,
    shown_value,
)
from fairness_checklist.reports.run_tables import undefined_values
from fairness_checklist.reports.run_view import MetricKey, View, attribute_views, neutral_value, signed
from fairness_checklist.reports.wording import WIDTH, Grid, aligned, at_place, level_of
from fairness_checklist.tables.run_folder import Results

BASE_SCORES = (("true_positive_rate", "TPR"), ("false_positive_rate", "FPR"), ("mean_probability", "mean p"))
OF_TAGGERS = (("true_positive_rate", "TPR"), ("false_negative_rate", "FNR"), ("mean_probability", "mean p"))
OVERALL_SCORES = (("accuracy", "accuracy"), ("mean_target_probability", "p(gold)"))


def tables(results: Results) -> str:
    """The tables of a run.

    Returns:
        For each attribute: its primary metrics and base scores by group with their n, one table a class; its tests;
        and the number of undefined values. At the end what was left out or cut. Rates are in [0, 1], failures in
        percent.
    """
    blocks = [
        *(block for view in attribute_views(results) for block in _attribute_blocks(view, results)),
        _left_out(results),
    ]
    return "\n\n".join(block for block in blocks if block)


def _left_out(results: Results) -> str:
    """The notes of the run, the templates that were dropped and the values without a definition, by attribute."""
    from textwrap import fill

    lines = []
    for attribute in results.attributes:
        remarks = [str(note) for note in results.info.get("notes", {}).get(attribute, [])]
        reasons = [str(entry.get("reason", "")) for entry in results.info.get("dropped", {}).get(attribute, [])]
        if reasons:
            grouped = [f"{reason} ({n:,})" for reason, n in Counter(reasons).most_common()]
            more = f"; {count(len(grouped) - 3, 'other reason')}" if len(grouped) > 3 else ""
            remarks.append(f"{count(len(reasons), 'template')} dropped: {'; '.join(grouped[:3])}{more}")
        rows = results.metrics[results.metrics["attribute"] == attribute]
        lost = int(rows["value"].isna().sum())
        remarks += [f"{lost:,} of {count(len(rows), 'value')} undefined"] if lost else []
        lines += [fill(f"{attribute}: {remark}", WIDTH, subsequent_indent="  ") for remark in remarks]
    return "\n".join(["left out, cut or undefined", "=" * 26, *lines]) if lines else ""


def _attribute_blocks(view: View, results: Results) -> list[str]:
    further = further_grids(results, view)
    return [
        _heading(view),
        *(_class_table(view, label) for label in view.shown_classes),
        _overall(view),
        *_uncertainty(view),
        *(grid.as_text() for grid in further["crossed"][:1]),
        _checks(view),
        *(grid.as_text() for grid in (*missed(view), *errors_by_term(view))),
        _undefined(results, view),
    ]


def _heading(view: View) -> str:
    parts = [count(len(view.groups), "group"), count(len(view.examples), "sentence" if view.mentions else "row")]
    if view.unit == "source":
        parts.insert(1, count(int(view.examples["source"].nunique()), "source"))
    return f"{view.attribute}: {', '.join(parts)}\n{'=' * len(view.attribute)}"


def _class_table(view: View, label: str) -> str:
    """Primary metrics and base scores of one class, a group a row."""
    keys = [key for key in view.primary if label in view.labels(key)]
    shown = OF_TAGGERS if view.tagging else BASE_SCORES
    bases = [(name, head) for name, head in shown if view.score(name, label, "*")[1]]
    if not keys and not bases:
        return ""
    header, rows = _by_group(view, keys, bases, label)
    where = f", {at_place(view.place, view.attribute)}" if view.tagging else ""
    return f"class {label}{where}\n{aligned(header, [*rows.values()])}"


def _by_group(
    view: View, keys: Sequence[MetricKey], bases: Sequence[tuple[str, str]], label: str
) -> tuple[list[str], dict[str, list[str]]]:
    """The head and the row of each group: metrics, and base scores each with its n."""
    heads = [head for _, name in bases for head in (name, "n")]
    rows = {
        group: [
            group_name(group),
            *("" if row is None else shown_value(row) for row in metrics),
            *(cell for value, n in scores for cell in (decimal(value), f"{n:,}" if n else "")),
        ]
        for group, metrics, scores in group_rows(view, keys, [name for name, _ in bases], label)
    }
    return ["group", *(shown_name(view, key, label) for key in keys), *heads], rows


def _overall(view: View) -> str:
    """Values over all classes: accuracy, the tests by group, repaired entities, and metrics of class "*"."""
    keys = [key for key in view.primary if "*" in view.labels(key)]
    bases = [(name, head) for name, head in OVERALL_SCORES if view.score(name, "*", "*")[1]]
    repaired = any(view.score("repaired_entities", "*", group, "")[0] > 0 for group in view.groups)
    kinds = dict(zip(view.checks["test"], view.checks["type"], strict=True))
    header, by_group = _by_group(view, keys, bases, "*")
    by_group = {group: row for group, row in by_group.items() if bases or group in view.groups}
    if repaired:
        header.append("repaired a sentence")
        for group, row in by_group.items():
            row.append(decimal(view.score("repaired_entities", "*", group, "")[0], undefined=""))
    for test, part in view.by_group.groupby("test", sort=False):
        kind = kinds.get(test, str(test))
        _, several, tolerance = str(test).rpartition(": invariance at ")
        header += [f"{kind} {tolerance} fails %" if several else f"{kind} fails %"]
        header += ["change of p"] * (kind in ("INV", "DIR"))
        of_groups = {str(record["group"]): record for record in part.to_dict("records")}
        for group, row in by_group.items():
            record = of_groups.get(group)
            row.append("" if record is None else decimal(float(record["fail_rate"]), places=1))
            if kind in ("INV", "DIR"):
                row.append("" if record is None else decimal(float(record["mean_change"]), signed=True))
    if len(header) == 1:
        return ""
    at = at_place(view.place, view.attribute)
    about = f": p(gold) and its change {at}; repaired entities and tests in the whole sentences" if view.tagging else ""
    return f"all classes{about}\n{aligned(header, [*by_group.values()])}"


def _uncertainty(view: View) -> list[str]:
    """Intervals and null means of the primary metrics, where they are known, one table a class."""
    rows = view.metrics[view.metrics["role"] == "primary"]
    if not rows.reindex(columns=list(_UNCERTAINTY)).notna().to_numpy().any():
        return []
    rows = rows[(rows["left"] == "*") | ~rows["right"].isin(view.groups) | (len(view.groups) == 2)]
    directed = rows["metric"].map(signed).astype(bool)
    blocks = []
    for label in (*view.shown_classes, "*"):
        for part in (rows[(rows["class"] == label) & directed], rows[(rows["class"] == label) & ~directed]):
            if not len(part):
                continue
            heads, cells = uncertainty_table(part)
            lines = [
                [str(metric), "all" if left == "*" else str(left), *row]
                for metric, left, row in zip(part["metric"], part["left"], cells, strict=True)
            ]
            about = "" if label == "*" else f", class {label}"
            blocks.append(f"uncertainty{about}\n{aligned(['metric', 'group', *heads], lines, words=2)}")
    return blocks


def _checks(view: View) -> str:
    rows = []
    for test in view.checks.to_dict("records"):
        reference = view.with_reference.get(str(test["test"]))
        pairs, fails = reference or (0, 0)
        rates = (test["fail_rate"], 100 * fails / pairs if pairs else math.nan, test["pair_fail_rate"])
        of_all = f"{int(test['pairs']):,}" if test["pairs"] else ""
        counts = (f"{int(test['cases']):,}", f"{pairs:,}" if reference else "", of_all)
        shown = [decimal(float(rate), places=1, undefined="") for rate in rates]
        cells = (cell for pair in zip(counts, shown, strict=True) for cell in pair)
        rows.append((str(test["test"]), str(test["type"]), *cells))
    header = ("test", "type", "cases", "fail %", "pairs with reference", "fail %", "all pairs", "fail %")
    return Grid(header, tuple(rows), 2, "tests").as_text() if rows else ""


def _undefined(results: Results, view: View) -> str:
    rows = len(view.metrics) + len(view.by_term)
    gathered = undefined_values(results, view.attribute)
    if not len(gathered):
        return f"undefined: none of the {count(rows, 'value')}"
    reasons = gathered.groupby("reason", sort=False)["values"].sum()
    return "\n".join(
        [f"undefined: {int(reasons.sum()):,} of the {count(rows, 'value')}"]
        + [f"  {int(n):>5,}  {reason}"[:WIDTH] for reason, n in reasons.items()]
    )


HEADS = ("value", "value less null mean", "95 % interval", "null mean", "n")
_UNCERTAINTY = ("ci_low", "ci_high", "null_mean")


def uncertainty_table(rows: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Headers and cells of rows of metrics, without the columns that are empty in all of them.

    A distance whose null mean is known is shown less that mean, and its intervals too.

    >>> row = {"value": 0.2, "ci_low": 0.1, "ci_high": 0.3, "n": 40, "null_mean": float("nan")}
    >>> uncertainty_table(pd.DataFrame([row | {"metric": "fnr_gap"}]))
    (['value', '95 % interval', 'n'], [['+0.200', '0.100 to 0.300', '40']])
    >>> uncertainty_table(pd.DataFrame([row | {"metric": "avg_if", "null_mean": 0.15}]))
    (['value less null mean', '95 % interval', 'null mean', 'n'], [['0.050', '-0.050 to 0.150', '0.150', '40']])
    """
    cells = np.array([_cells(row) for row in rows.to_dict("records")], dtype=object)
    kept = (cells != "").any(axis=0)
    return np.array(HEADS)[kept].tolist(), cells[:, kept].tolist()


def _cells(row: dict[Any, Any]) -> list[str]:
    plus = signed(str(row["metric"])) and not neutral_value(str(row["metric"]))
    known = not math.isnan(level_of(row))
    level = level_of(row) if known else 0.0
    value = decimal(float(row["value"]) - level, signed=plus, undefined="undefined")
    shown = ["", value] if level else [value, ""]
    low, high = (float(row[name]) - level for name in ("ci_low", "ci_high"))
    span = "" if math.isnan(low) or math.isnan(high) else f"{decimal(low)} to {decimal(high)}"
    return [*shown, span, decimal(float(row["null_mean"]), undefined=""), f"{int(row['n']):,}"]

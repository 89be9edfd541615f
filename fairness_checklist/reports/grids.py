"""The tables of the page: heads and cells as text, ready to be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairness_checklist.reports.findings import undefined_values
from fairness_checklist.reports.reading import (
    MetricKey,
    View,
    filled,
    neutral_value,
    signed,
)
from fairness_checklist.reports.words import decimal
from fairness_checklist.results import Results

__all__ = [
    "Grid",
    "all_metrics",
    "by_group",
    "checks",
    "dropped",
    "left_out",
    "partial",
    "primary_metrics",
    "suite",
    "sureness",
    "undefined",
]

BASE_SCORES = (
    ("false_negative_rate", "FNR"),
    ("false_positive_rate", "FPR"),
    ("mean_probability", "mean p"),
    ("accuracy", "accuracy"),
    ("mean_target_probability", "mean p of gold"),
    ("labelled_attachment_score", "LAS"),
    ("true_positive_rate", "TPR"),
    ("true_negative_rate", "TNR"),
    ("f1", "F1"),
    ("prediction_rate", "predicted"),
)
_FIRST = 6
"""So many stand beside the primary metrics; the rest stand with all metrics."""


@dataclass(frozen=True)
class Grid:
    """A table of text: the first column heads the rows, the first ``words`` columns hold words."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    caption: str = ""


def primary_metrics(seen: View) -> list[Grid]:
    """For each class the primary metrics by group, with the base scores and their n beside."""
    grids = []
    for label in (*seen.classes, "*"):
        keys = [key for key in seen.primary if label in seen.labels(key)]
        told = f"primary metrics ({seen.unit}s), and base scores (sentences)" if keys else "base scores (sentences)"
        grids += _groups_by(seen, keys, BASE_SCORES[:_FIRST], label, told)
    return grids


def _groups_by(
    seen: View, keys: Sequence[MetricKey], bases: Sequence[tuple[str, str]], label: str, told: str
) -> list[Grid]:
    """A table of metrics and base scores with a group a row, each with its n; none where nothing is known."""
    bases = [(name, head) for name, head in bases if seen.score(name, label, "*")[1]]
    if not keys and not bases:
        return []
    rows = [_group_row(seen, keys, [name for name, _ in bases], label, g) for g in (*seen.groups, "unmarked", "*")]
    header = ("group", *map(_name, keys), *(head for _, head in bases))
    return [Grid(header, tuple(row for row in rows if row), 1, f"{_about(label)}: {told}")]


def _about(label: str) -> str:
    return "Over all classes" if label == "*" else f"Class {label}"


def _group_row(seen: View, keys: Sequence[MetricKey], bases: Sequence[str], label: str, group: str) -> tuple[str, ...]:
    found = [seen.score(name, label, group) for name in bases]
    if group == "unmarked" and not any(n for _, n in found):
        return ()
    cells = []
    for key in keys:
        row = seen.total(key, label) if group == "*" else seen.of_group(key, label, group)
        cells.append("" if row is None else f"{_value(key, row)} ({int(row['n']):,})")
    return (_group(group), *cells, *("" if not n else f"{decimal(value)} ({n:,})" for value, n in found))


def _group(name: str) -> str:
    return {"*": "all", "unmarked": "(unmarked)"}.get(name, name)


def _name(key: MetricKey) -> str:
    return f"{key[0]} [{key[1]}]" if key[1] else key[0]


def _value(key: MetricKey, row: dict[str, Any] | None) -> str:
    """A cell's text: empty where the metric has no such value, said where it is undefined."""
    if row is None:
        return ""
    return decimal(row["value"], signed=signed(key[0]) and not neutral_value(key[0]), undefined="undefined")


def all_metrics(seen: View) -> list[Grid]:
    """For each class every metric, a metric a row and a group a column."""
    grids = []
    for label in (*seen.classes, "*"):
        rows = []
        for key in seen.keys:
            if label not in seen.labels(key):
                continue
            of_groups = [seen.of_group(key, label, group) for group in seen.groups]
            total = seen.total(key, label)
            if any(row is not None for row in (*of_groups, total)):
                rows.append((_name(key), *(_value(key, row) for row in (*of_groups, total))))
        if rows:
            grids.append(Grid(("metric", *seen.groups, "accumulated"), tuple(rows), 1, _about(label)))
        grids += _groups_by(seen, (), BASE_SCORES, label, "base scores (sentences)")
    pairs = [
        (_name(key), label, f"{row['left']} and {row['right']}", _value(key, row))
        for (*head, label, left, right), row in seen.cells.items()
        for key in [(head[0], head[1])]
        if left in seen.groups and right in seen.groups and seen.total(key, label) is None
    ]
    if pairs:
        header = ("metric", "class", "first and second group", "value")
        grids.append(Grid(header, tuple(pairs), 3, "Metrics that tell a direction, of the first group and the second"))
    return grids


def sureness(seen: View) -> list[Grid]:
    """Intervals, levels of chance and p of the primary metrics, where they are filled."""
    rows = seen.metrics[seen.metrics["role"] == "primary"]
    columns = filled(rows)
    if not columns:
        return []
    lines = [
        (
            _name((str(row["metric"]), str(row["options"]))),
            str(row["class"]),
            _group(str(row["left"])),
            str(row["right"]).replace("_", " "),
            *(decimal(float(row[name])) for name in ("value", *columns)),
        )
        for row in rows.to_dict("records")
    ]
    header = ("metric", "class", "group", "against", "value", *(name.replace("_", " ") for name in columns))
    return [Grid(header, tuple(lines), 4, "How sure the primary metrics are")]


def checks(seen: View) -> Grid:
    """The tests with their three rates, in percent."""
    rows = []
    for test in seen.checks.to_dict("records"):
        pairs = seen.with_reference.get(str(test["test"]))
        rows.append(
            (
                str(test["test"]),
                str(test["type"]),
                str(test["capability"]),
                _failed(int(test["fails"]), int(test["cases"])),
                _failed(pairs[1], pairs[0]) if pairs else "",
                _failed(int(test["pair_fails"]), int(test["pairs"])),
            )
        )
    header = ("test", "type", "capability", "cases", "pairs with the reference", "all pairs across groups")
    return Grid(header, tuple(rows), 3)


def _failed(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part:,} of {whole:,})" if whole else ""


def by_group(seen: View) -> Grid:
    """The tests by group: the share that fails, and the direction."""
    rows: dict[str, list[str]] = {group: [group] for group in seen.groups}
    header = ["group"]
    for test, part in seen.by_group.groupby("test", sort=False):
        direction = bool(part["mean_change"].notna().any())
        header += [f"{test}: fails"] + ["mean change of p"] * direction
        of = {str(row["group"]): row for row in part.to_dict("records")}
        for group, cells in rows.items():
            row = of.get(group)
            cells.append("" if row is None else _failed(int(row["fails"]), int(row["pairs"])))
            if direction:
                cells.append("" if row is None else decimal(float(row["mean_change"]), signed=True, undefined=""))
    return Grid(tuple(header), tuple(map(tuple, rows.values())), 1)


def undefined(results: Results) -> Grid:
    """Every undefined value with its reason, those of one metric, class and reason in a row."""
    rows = [
        (str(r["metric"]), attribute, str(r["class"]), str(r["reason"]), f"{int(r['values']):,}", str(r["which"]))
        for attribute in results.attributes
        for r in undefined_values(results, attribute).to_dict("records")
    ]
    return Grid(("metric", "attribute", "class", "reason", "values", "of"), tuple(rows), 4)


def partial(results: Results) -> Grid:
    """Values that some of their contrasts or sources are missing from."""
    m = results.metrics
    part = m[(m["n_undefined"] > 0) & m["value"].notna()]
    rows = [
        (
            str(r["metric"]),
            str(r["attribute"]),
            str(r["class"]),
            "all" if r["left"] == "*" else f"{r['left']} against {str(r['right']).replace('_', ' ')}",
            str(r["note"]) or f"{int(r['n_undefined']):,} sources have no value",
            f"{int(r['n']):,}",
        )
        for r in part.to_dict("records")
    ]
    return Grid(("metric", "attribute", "class", "of", "what is missing", "n"), tuple(rows), 5)


def left_out(results: Results) -> Grid:
    """The metrics that these predictions do not allow."""
    recorded: dict[str, dict[str, str]] = results.info.get("metrics_left_out", {})
    rows = [(metric, attribute, str(why)) for attribute, skipped in recorded.items() for metric, why in skipped.items()]
    return Grid(("metric", "attribute", "reason"), tuple(rows), 3)


def dropped(results: Results) -> Grid:
    """The templates that take no part, and why."""
    recorded: dict[str, list[dict[str, str]]] = results.info.get("dropped", {})
    rows = [
        (str(one.get("template", "")), attribute, str(one.get("reason", "")))
        for attribute, listing in recorded.items()
        for one in listing
    ]
    return Grid(("template", "attribute", "reason"), tuple(rows), 3)


def suite(results: Results) -> Grid:
    """What was asked: one attribute a row, with the number of terms of each group and the beginnings of the hashes."""
    recorded = results.info.get("suite", [])
    parts: list[dict[str, Any]] = (
        [one for one in recorded if isinstance(one, dict)] if isinstance(recorded, list) else []
    )
    counts, hashes = ("templates", "sources", "texts"), ("templates_sha256", "terms_sha256", "lists_sha256")
    rows = [
        (
            str(one.get("attribute", "")),
            ", ".join(f"{group} ({terms})" for group, terms in one.get("groups", {}).items()),
            *(str(one.get(name, ""))[:12] for name in hashes),
            *(f"{one[name]:,}" if isinstance(one.get(name), int) else "" for name in counts),
        )
        for one in parts
    ]
    heads = (f"hash of the {name.removesuffix('_sha256')}" for name in hashes)
    return Grid(("attribute", "groups (terms)", *heads, *counts), tuple(rows), 5)

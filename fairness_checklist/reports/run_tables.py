"""Tables about the whole run: undefined values, metrics left out, dropped templates, and the suite."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from fairness_checklist.analysis.run_view import View, attribute_view, is_tagging, place_of, split_notes
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.reports.wording import Grid, at_place
from fairness_checklist.tables.run_folder import Results

COLUMNS = ["metric", "class", "reason", "values", "which"]
_METRICS, _GROUPS = 4, 8


def undefined_values(results: Results, attribute: str) -> pd.DataFrame:
    """The undefined values, those of one metric, class and reason in one row.

    Metrics of a tagger are computed at the term, in whole sentences and in the rest of them. Its values of one place,
    class and reason are in one row, of all metrics together.

    Args:
        results: a run.
        attribute: the attribute.

    Returns:
        Columns metric, class, reason, values (how many) and which (the groups or pairs, "total" for all groups).

    Raises:
        OptionError: the run has no such attribute.
    """
    view = attribute_view(results, attribute)
    rows = pd.concat([view.metrics, view.by_term.assign(metric=view.by_term["metric"].astype("str") + " by term")])
    rows = rows[rows["value"].isna()]
    if not len(rows):
        return pd.DataFrame(columns=COLUMNS)
    if view.tagging:
        return _of_tagger(view, rows)
    pairs = zip(rows["left"], rows["right"], strict=True)
    which = ["total" if left == "*" else f"{left} against {right.replace('_', ' ')}" for left, right in pairs]
    named = rows.assign(which=which, reason=rows["note"].replace("", "no reason was recorded"))
    gathered = named.groupby(["metric", "class", "reason"], sort=False)["which"].agg(["size", "; ".join]).reset_index()
    gathered.columns = pd.Index(COLUMNS)
    return gathered


def _of_tagger(view: View, rows: pd.DataFrame) -> pd.DataFrame:
    gold = {place: (*view.gold_classes(place), "*") for place in {place_of(str(one)) for one in rows["options"]}}
    reasons = []
    for row in rows.to_dict("records"):
        place = place_of(str(row["options"]))
        where = at_place(place, view.attribute)
        if row["class"] not in gold[place]:
            reasons.append(f"no entity {where} has the type {row['class']}")
        else:
            note = str(row["note"]) or "no reason was recorded"
            starts = [group for group in view.groups if note.startswith(f"{group}: ")]
            reasons.append(f"{note.removeprefix(f'{starts[0]}: ') if starts else note}, {where}")
    lefts = ["total" if left == "*" else str(left) for left in rows["left"]]
    named = rows.assign(reason=reasons, left=lefts)
    table = []
    for (label, reason), part in named.groupby(["class", "reason"], sort=False):
        metrics = list(dict.fromkeys(part["metric"].astype("str")))
        groups = list(dict.fromkeys(part["left"]))
        shown = join_names(metrics, _METRICS) if len(metrics) <= _METRICS else count(len(metrics), "metric")
        every = set(view.groups) <= set(groups)
        which = "all groups" if every else join_names(groups, _GROUPS)
        table.append((shown, str(label), reason, len(part), which))
    return pd.DataFrame(table, columns=COLUMNS)


_SINGLE = 3
"""Up to this number, values of the same kind have rows of their own."""


def undefined(results: Results) -> Grid:
    """Every undefined value with its reason, those of one metric, class and reason in a row."""
    rows = [
        (str(r["metric"]), attribute, str(r["class"]), str(r["reason"]), f"{int(r['values']):,}", str(r["which"]))
        for attribute in results.attributes
        for r in undefined_values(results, attribute).to_dict("records")
    ]
    return Grid(("metric", "attribute", "class", "reason", "values", "of"), tuple(rows), 4)


def partial(results: Results) -> Grid:
    """Values over some of their contrasts or sources only; many of the same kind in one row."""
    m = split_notes(results, results.metrics)
    part = m[(m["n_undefined"] > 0) & m["value"].notna()]
    tagging = is_tagging(results)
    gathered: dict[tuple[str, ...], list[str]] = {}
    for r in part.to_dict("records"):
        note = r["note"] or f"{count(int(r['n_undefined']), 'source')} without a value"
        key = (_metric(r, tagging), str(r["attribute"]), str(r["class"]), note, f"{int(r['n']):,}")
        of = "all" if r["left"] == "*" else f"{r['left']} against {str(r['right']).replace('_', ' ')}"
        gathered.setdefault(key, []).append(of)
    rows = []
    for (metric, attribute, label, note, n), names in gathered.items():
        shown = [count(len(names), "value")] if len(names) > _SINGLE else names
        rows += [(metric, attribute, label, one, note, n) for one in shown]
    return Grid(("metric", "attribute", "class", "of", "what is missing", "n"), tuple(rows), 5)


def _metric(row: dict[Hashable, Any], tagging: bool) -> str:
    """The id of a metric and, where it has several rows, the place or the kind."""
    options = str(row["options"])
    if tagging:
        return f"{row['metric']}, {at_place(place_of(options), str(row['attribute']))}"
    return f"{row['metric']} by term" if "by=term" in options else str(row["metric"])


def left_out(results: Results) -> Grid:
    """The metrics that these predictions do not allow, with the reason."""
    recorded: dict[str, dict[str, str]] = results.info.get("metrics_left_out", {})
    rows = [(metric, attribute, str(why)) for attribute, skipped in recorded.items() for metric, why in skipped.items()]
    return Grid(("metric", "attribute", "reason"), tuple(rows), 3)


def dropped(results: Results) -> Grid:
    """The templates that are not used, with the reason."""
    recorded: dict[str, list[dict[str, str]]] = results.info.get("dropped", {})
    rows = [
        (str(one.get("template", "")), attribute, str(one.get("reason", "")))
        for attribute, listing in recorded.items()
        for one in listing
    ]
    return Grid(("template", "attribute", "reason"), tuple(rows), 3)


def suite(results: Results) -> Grid:
    """The suite: one attribute a row, with the number of terms of each group and the beginnings of the hashes."""
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


_SHOWN_ELSEWHERE = frozenset(
    ("dropped", "notes", "metrics_left_out", "schemas", "suite", "unstable", "findings", "pairs_with_reference")
)


def facts(info: Mapping[str, Any], inside: str = "") -> list[tuple[str, str]]:
    """The entries of ``run.json`` that no other section shows, as pairs of name and value.

    >>> facts({"task": "ner", "options": {"draws": 0}, "suite": []})
    [('task', 'ner'), ('options draws', '0')]
    """
    found: list[tuple[str, str]] = []
    for name, value in info.items():
        if not inside and name in _SHOWN_ELSEWHERE:
            continue
        full = f"{inside} {name}".strip().replace("_", " ")
        if isinstance(value, Mapping):
            found.extend(facts(value, full))
        elif isinstance(value, (list, tuple)):
            plain = all(isinstance(one, (str, int, float)) for one in value)
            text = ", ".join(map(str, value)) if plain else json.dumps(value, ensure_ascii=False, default=str)
            found.append((full, text or "none"))
        else:
            found.append((full, "none" if value in (None, "") else str(value)))
    return found

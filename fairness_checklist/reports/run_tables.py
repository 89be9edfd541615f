"""The tables of the page about the whole run: what is undefined, left out, dropped, and what was asked."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from fairness_checklist.analysis.run_view import View, attribute_view, is_tagging, place_of, split_notes
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names
from fairness_checklist.reports.page_tables import Grid
from fairness_checklist.reports.wording import at_place
from fairness_checklist.tables.run_folder import Results

COLUMNS = ["metric", "class", "reason", "values", "which"]
_METRICS, _GROUPS = 4, 8


def undefined_values(results: Results, attribute: str) -> pd.DataFrame:
    """The values without a definition, those of one metric, class and reason together.

    A tagger's metrics stand several times, at the term, in the whole sentences and in the rest of them: so the values
    of one place, class and kind of reason are together, whatever their metric, and all those of a type that no entity
    at a place has.

    Args:
        results: a run.
        attribute: of which attribute.

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
    found = []
    for (label, reason), part in named.groupby(["class", "reason"], sort=False):
        metrics = list(dict.fromkeys(part["metric"].astype("str")))
        whose = list(dict.fromkeys(part["left"]))
        shown = join_names(metrics, _METRICS) if len(metrics) <= _METRICS else count(len(metrics), "metric")
        every = set(view.groups) <= set(whose)
        which = "all groups" if every else join_names(whose, _GROUPS)
        found.append((shown, str(label), reason, len(part), which))
    return pd.DataFrame(found, columns=COLUMNS)


_SINGLE = 3
"""So many values of the same kind stand in rows of their own."""


def undefined(results: Results) -> Grid:
    """Every undefined value with its reason, those of one metric, class and reason in a row."""
    rows = [
        (str(r["metric"]), attribute, str(r["class"]), str(r["reason"]), f"{int(r['values']):,}", str(r["which"]))
        for attribute in results.attributes
        for r in undefined_values(results, attribute).to_dict("records")
    ]
    return Grid(("metric", "attribute", "class", "reason", "values", "of"), tuple(rows), 4)


def partial(results: Results) -> Grid:
    """Values that some of their contrasts or sources are missing from; many of the same kind in one row."""
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
    for (metric, attribute, label, note, n), whose in gathered.items():
        sentences = [count(len(whose), "value")] if len(whose) > _SINGLE else whose
        rows += [(metric, attribute, label, one, note, n) for one in sentences]
    return Grid(("metric", "attribute", "class", "of", "what is missing", "n"), tuple(rows), 5)


def _metric(row: dict[Hashable, Any], tagging: bool) -> str:
    """A metric and, where it stands several times, which of them."""
    options = str(row["options"])
    if tagging:
        return f"{row['metric']}, {at_place(place_of(options), str(row['attribute']))}"
    return f"{row['metric']} by term" if "by=term" in options else str(row["metric"])


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


def facts(info: Mapping[str, Any], inside: str = "") -> list[tuple[str, str]]:
    """What ``run.json`` keeps and no other section shows, flat.

    >>> facts({"task": "ner", "options": {"draws": 0}, "suite": []})
    [('task', 'ner'), ('options draws', '0')]
    """
    found: list[tuple[str, str]] = []
    for name, value in info.items():
        if not inside and name in ("dropped", "notes", "metrics_left_out", "schemas", "suite", "unstable"):
            continue
        full = f"{inside} {name}".strip().replace("_", " ")
        if isinstance(value, Mapping):
            found.extend(facts(value, full))
        elif isinstance(value, (list, tuple)):
            plain = all(isinstance(one, (str, int, float)) for one in value)
            sentences = ", ".join(map(str, value)) if plain else json.dumps(value, ensure_ascii=False, default=str)
            found.append((full, sentences or "none"))
        else:
            found.append((full, "none" if value in (None, "") else str(value)))
    return found

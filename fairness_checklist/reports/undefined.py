"""The values of a run that have no definition, and why."""

from __future__ import annotations

import pandas as pd

from fairness_checklist.analysis.recorded import place_of
from fairness_checklist.analysis.run_view import View, attribute_view
from fairness_checklist.errors import count
from fairness_checklist.formatting import listed
from fairness_checklist.reports.words import at_place
from fairness_checklist.results import Results

__all__ = ["undefined_values"]

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
        shown = listed(metrics, _METRICS) if len(metrics) <= _METRICS else count(len(metrics), "metric")
        every = set(view.groups) <= set(whose)
        which = "all groups" if every else listed(whose, _GROUPS)
        found.append((shown, str(label), reason, len(part), which))
    return pd.DataFrame(found, columns=COLUMNS)

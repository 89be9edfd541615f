"""Forest plots: the groups at their gaps with their bounds around 0, and a small dot for each of their words."""

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import pandas as pd

from fairness_checklist.core.formatting import capitalise, join_names
from fairness_checklist.findings.records import OTHERS
from fairness_checklist.findings.rule import Status
from fairness_checklist.reports.finding_text import (
    both_numbers,
    both_rates,
    bounds,
    gap_points,
    signed_points,
    subject,
    up_to,
    whole_points,
)
from fairness_checklist.reports.pairs import HarmTexts
from fairness_checklist.reports.render import Dot, Plot, PlotRow
from fairness_checklist.reports.run_view import about_findings, margin_of
from fairness_checklist.tables.run_folder import Results

_HEADS = ("group : others", "gap (bounds)")


def forests(results: Results, attribute: str, texts: Mapping[str, HarmTexts | None] | None = None) -> dict[str, Plot]:
    """A plot for each error of an attribute, the largest gap on top; ``texts`` are for the row of the unmarked ones."""
    records, words = (table[table["attribute"] == attribute] for table in (results.findings, results.word_findings))
    return {
        str(error): _forest(results, of_error, words[words["error"] == error], (texts or {}).get(str(error)))
        for error, of_error in records.groupby("error", sort=False)
    }


def _forest(results: Results, records: pd.DataFrame, words: pd.DataFrame, texts: HarmTexts | None) -> Plot:
    ranked = records.sort_values("gap", ascending=False, kind="stable")
    first = ranked.iloc[0].to_dict()
    words = words.assign(named=(words["said"] != "") & (words["gap"] > margin_of(results)))
    rows = [_row(record, words[words["group"] == record["group"]]) for record in ranked.to_dict("records")]
    if texts is not None and first["reference"] == OTHERS and (figures := texts.unmarked()):
        name = "rate" if first["unit"] == "decisions" else "probability"
        record = {"unit": first["unit"], "gap": figures[name] - figures[f"others_{name}"], **figures}
        rows.append(PlotRow("unmarked texts", "unmarked", size=gap_points(record), **_figures(record)))
    controls = about_findings(results, str(first["attribute"])).get("control_words", {})
    band = float(controls.get("differ", {}).get(first["error"], math.nan))
    return Plot(
        title=capitalise(str(first["title"])),
        caption="" if math.isnan(band) else f"Groups of control words differ by up to {whole_points(band)}.",
        heads=_HEADS if first["reference"] == OTHERS else (f"group : {first['reference']}", _HEADS[1]),
        rows=tuple(rows),
        margin=margin_of(results),
        band=band,
        unit=str(first["unit"]),
    )


def word_plot(words: pd.DataFrame, n: int | None) -> Plot:
    """The n words of an error with the largest gaps; all with None."""
    ranked = words[words["gap"].notna()].sort_values("gap", ascending=False, kind="stable")
    shown = ranked if n is None else ranked.head(n)
    cut = f" ({len(shown):,} of {len(ranked):,} words)" if len(shown) < len(ranked) else ""
    first = words.iloc[0]
    controls = int(first["control_words"])
    return Plot(
        title=f"{capitalise(str(first['title']))}{cut}",
        caption=f"Grey: the largest gap of {controls:,} control words." if controls else "",
        heads=("word : others", _HEADS[1]),
        rows=tuple(
            PlotRow(f"{subject(word)} ({word['group']})", "word", size=gap_points(word), **_figures(word))
            for word in shown.to_dict("records")
        ),
        band=float(first["largest_control"]),
        unit=str(first["unit"]),
    )


def _row(record: Mapping[Any, Any], words: pd.DataFrame) -> PlotRow:
    claimed = record["status"] in (Status.WORSE, Status.BETTER)
    return PlotRow(
        name=subject(record),
        status=str(record["status"]),
        size=f"{gap_points(record)} {bounds(record) if claimed else up_to(record).strip()}".strip(),
        low=float(record["low"]),
        high=float(record["high" if claimed else "high_alone"]),
        dots=_dots(words),
        **_figures(record),
    )


def _figures(record: Mapping[Any, Any]) -> dict[str, Any]:
    """The numbers of a row in words, its place, and the same of decisions."""
    found: dict[str, Any] = {"numbers": both_numbers(record), "at": float(record["gap"])}
    if record["unit"] != "decisions":
        found |= {"rates": both_rates(record), "decided": float(record["rate"]) - float(record["others_rate"])}
    return found


def _dots(words: pd.DataFrame) -> tuple[Dot, ...]:
    """A dot for the words of one place; those that are beyond the control words are named and drawn last."""
    known, at_place = words[words["gap"].notna()], defaultdict[tuple[bool, float], list[str]](list)
    for word, at in zip(known.to_dict("records"), known["gap"].round(3).tolist(), strict=True):
        at_place[bool(word["named"]), at].append(subject(word))
    return tuple(
        Dot(at, f"{join_names(names, 5)} {signed_points(at)}", named=named)
        for (named, at), names in sorted(at_place.items())
    )

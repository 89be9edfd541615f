"""The report: one self-contained HTML page, everything escaped, nothing loaded from elsewhere."""

from __future__ import annotations

import math
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairness_checklist.analysis.recompute import WARNING
from fairness_checklist.analysis.run_view import View, attribute_views, cached_views, is_tagging
from fairness_checklist.analysis.worst_pairs import worst_pairs
from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, join_names, points
from fairness_checklist.reports import page_tables, run_tables
from fairness_checklist.reports.analyses import (
    ABOUT_CAPITALS,
    ABOUT_CROSSED,
    capitals_grids,
    crossed_grids,
    paired_tests_grid,
)
from fairness_checklist.reports.finding_text import LEGEND
from fairness_checklist.reports.heatmap import heat_map, write_png
from fairness_checklist.reports.uncertainty_text import adjustment
from fairness_checklist.reports.wording import at_place, terms_of
from fairness_checklist.tables.files import escape_formulas as escaped
from fairness_checklist.tables.run_folder import Results

if TYPE_CHECKING:
    from jinja2 import Environment


_FINDINGS = (
    "A finding compares a group's harmful answers with the others': the rates show how often the decision is harmful, "
    "and the gap is of the probability of the harmful answer where there are probabilities. The intervals hold for all "
    "groups and harms together. Nothing else on this page is a finding; the metrics describe and explore.",
)
READING = (
    *_FINDINGS,
    "A group is a kind of mention and not a set of people: the figures are about sentences that mention it, made from "
    "the same templates for every group.",
    "Signed gaps (fnr_gap, fpr_gap) are a group's share of errors less that of the others: above 0, sentences that "
    "mention the group are misclassified more often. avg_eg is above 0 where the group's sentences get the higher "
    "probability of their gold class.",
    "Distances (avg_if, cf_gap, *_gap of pairs) have no direction. They are above 0 even for an unbiased model, "
    "because the terms of any two groups differ: they are shown less the null mean, which is the mean value when the "
    "same terms are assigned to the groups at random.",
    "Two intervals answer two questions. These terms: other sentences, the same terms. Terms like these: other "
    "sentences and other terms of the same groups; a statement about a group needs this one. p is the share of random "
    "assignments of the terms that give a value at least as large; the adjusted p is for all primary values together.",
    "A total can hide one group: read the rows by group, and each gap or ratio together with its base scores and their "
    "n. The invariance rate over sources grows with the number of groups, the one over pairs does not.",
    "Results hold for these templates, these terms and this model; the absence of a gap does not prove fairness.",
)
_ABOUT_TAGGERS = (
    *_FINDINGS,
    "A group is a kind of mention and not a set of people: the figures are about sentences that mention it, made from "
    "the same templates for every group.",
    "An entity is found where all its words and its type are right. The figures at the term are about the term itself; "
    "those in the rest of the sentences are about the other entities. fnr_gap is a group's share of entities "
    "missed less that of the others: above 0, they are missed more often. avg_eg is above 0 where they get the higher "
    "probability of their type.",
    *READING[3:],
)
_CHANGE = (
    "Failures by group, and how the probability of the positive class differs from that of the other groups in the "
    "same source."
)
_CHANGE_AT_TERMS = (
    "Failures by group, and how the probability of their type at the {} differs from that of the other groups in the "
    "same source."
)
_PAIRS = (
    "One pair a source, and at most two with the same two terms as long as there are others; pairs whose decision "
    "differs come first, then the largest change of a probability. They are extremes and not typical."
)
_PAIRS_AT_TERMS = (
    "One pair a source, and at most two with the same two terms as long as there are others; pairs of which one is "
    "found and the other is missed come first, then the largest change of the probability of their type at the {}. "
    "They are extremes and not typical."
)


def render(results: Results, *, drawn: bytes = b"") -> str:
    """The report of a run as HTML.

    Args:
        results: a run.
        drawn: the heat map of a run of one attribute, a PNG, where it has been drawn already.

    Returns:
        A page whose elements have the ids ``verdict``, ``undefined``, ``dropped``, ``reading``, ``run`` and for each
        attribute ``heatmap-``, ``groups-``, ``checks-`` and ``pairs-`` with its name (``.`` and the like as ``-``).
    """
    return _filled("report.html.j2", _page(results, drawn=drawn))


def write(results: Results, path: str | Path, *, drawn: bytes = b"") -> Path:
    """Write the report; the file appears whole or not at all."""
    path = Path(path)
    text = render(results, drawn=drawn)
    with atomic_file(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")
    return path


def notebook_view(results: Results, n: int = 3) -> str:
    """The view of a notebook: verdict, heat map and the n worst pairs of each attribute, without a page around them."""
    return _filled("notebook.html.j2", _page(results, n))


def _filled(name: str, page: Mapping[str, Any]) -> str:
    """A template of this package with the page's content, every text escaped."""
    return str(_environment().get_template(name).render(page=page))


@cache
def _environment() -> Environment:
    """Reads and compiles each template of this package once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    here = files("fairness_checklist.reports")
    loader = FunctionLoader(lambda name: here.joinpath(name).read_text(encoding="utf-8"))
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined)


@cached_views()
def _page(results: Results, n: int = 10, drawn: bytes = b"") -> dict[str, Any]:
    views = attribute_views(results)
    ids = _ids([view.attribute for view in views])
    model = _model(results.info)
    found = attribute_findings(results)
    return {
        "title": f"Fairness report: {join_names([view.attribute for view in views])}",
        "about": f"{results.info.get('task', 'task not recorded')} · model {model}",
        "attributes": [
            _attribute(results, view, one, name, n, drawn) for view, one, name in zip(views, found, ids, strict=True)
        ],
        "closing": LEGEND if any(one.status for one in found) else "",
        "undefined": run_tables.undefined(results),
        "partial": run_tables.partial(results),
        "left_out": run_tables.left_out(results),
        "dropped": run_tables.dropped(results),
        "notes": _notes(results.info),
        "reading": _ABOUT_TAGGERS if is_tagging(results) else READING,
        "suite": run_tables.suite(results),
        "facts": run_tables.facts(results.info),
    }


def _ids(names: list[str]) -> list[str]:
    """Names that can be in a selector, all different.

    >>> _ids(["gender", "gender.czarnowska2021", "a b", "a-b"])
    ['gender', 'gender-czarnowska2021', 'a-b', 'a-b-2']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "-", name).strip("-") or "attribute"
        known, k = plain, 1
        while known in found:
            k += 1
            known = f"{plain}-{k}"
        found.append(known)
    return found


def _attribute(
    results: Results, view: View, found: AttributeFindings, name: str, n: int, drawn: bytes
) -> dict[str, Any]:
    pairs = worst_pairs(results, view.attribute, n)
    size = [count(len(view.groups), "group"), count(len(view.examples), "sentence")]
    if view.unit == "source":
        size.insert(1, count(int(view.examples["source"].nunique()), "source"))
    lines = verdict_lines(results, found)
    return {
        "id": name,
        "name": view.attribute,
        "size": ", ".join(size),
        "verdict": " ".join(lines),
        "status": found.status,
        "sentences": lines,
        "findings": page_tables.findings(results, view.attribute),
        "picture": b64encode(drawn or _picture(results, view.attribute)).decode("ascii"),
        "primary": page_tables.primary_metrics(view),
        "uncertainty": page_tables.uncertainty(view),
        "crossed": crossed_grids(results, view),
        "about_crossed": ABOUT_CROSSED,
        "capitals": capitals_grids(results, view),
        "about_capitals": ABOUT_CAPITALS,
        "bases": page_tables.base_intervals(view),
        "uncertainty_of_pairs": page_tables.pairs(view),
        "exploratory": page_tables.exploratory(view, adjustment(results.info)),
        "all": page_tables.all_metrics(view),
        "paired_tests": paired_tests_grid(results, view),
        "about_paired_tests": WARNING,
        "terms": [*page_tables.missed(view), *page_tables.errors_by_term(view)],
        "change": _CHANGE_AT_TERMS.format(terms_of(view.attribute)) if view.tagging else _CHANGE,
        "checks": page_tables.checks(view),
        "by_group": page_tables.by_group(view),
        "check_notes": [f"{t['test']}: {t['note']}." for t in view.checks.to_dict("records") if t["note"]],
        "pairs": [
            _tagged_pair(row, view.attribute, results.info) if view.tagging else _pair(row, results.info)
            for row in pairs.to_dict("records")
        ],
        "about_pairs": _PAIRS_AT_TERMS.format(terms_of(view.attribute)) if view.tagging else _PAIRS,
        "no_pairs": _no_pairs(view),
    }


def _no_pairs(view: View) -> str:
    """The reason why there are no pairs to show."""
    if view.unit != "source":
        return "The rows have no source, so no two of them are variations of each other."
    if view.tagging and not view.gold_classes("slot"):
        return f"The type of the {terms_of(view.attribute)} is not known, so none of them is found or missed."
    return "No probability differs between two groups of a source."


def _picture(results: Results, attribute: str) -> bytes:
    written = BytesIO()
    write_png(heat_map(results, attribute), written, dpi=130)
    return written.getvalue()


def _pair(row: Mapping[Any, Any], info: Mapping[str, Any]) -> dict[str, Any]:
    known = not math.isnan(row["change"])
    moved = f"the probability of {row['class']} moves by {points(row['change'])}" if known else ""
    flips = f"{row['left_predicted']} becomes {row['right_predicted']}" if row["flips"] else ""
    return {
        "source": row["source"],
        "label": row["label"],
        "flips": row["flips"],
        "headline": "; ".join(part for part in (flips, moved) if part),
        "left": _side(row, "left", info),
        "right": _side(row, "right", info),
    }


def _tagged_pair(row: Mapping[Any, Any], attribute: str, info: Mapping[str, Any]) -> dict[str, Any]:
    """A pair of sentences of a tagger."""
    moved = (
        "" if math.isnan(row["change"]) else f"the probability of {row['class']} there moves by {points(row['change'])}"
    )
    first, second = ("found", "missed") if row["left_whole"] else ("missed", "found")
    decisions = f'"{row["left_term"]}" is {first} and "{row["right_term"]}" is {second}' if row["flips"] else ""
    sides = {}
    for side in ("left", "right"):
        p = row[f"{side}_p"]
        most = bool(row[f"{side}_whole"])
        bars = [] if math.isnan(p) else [_bar(f"probability of {row['class']}", p, most=most)]
        shown = {**_quote(row, side, info), "predicted": row[f"{side}_found"], "outcome": "found"}
        sides[side] = {**shown, "bars": f"probability of the type {at_place('slot', attribute)}", "probabilities": bars}
    headline = "; ".join(part for part in (decisions, moved) if part)
    return {"source": row["source"], "label": "", "flips": row["flips"], "headline": headline, **sides}


def _side(row: Mapping[Any, Any], side: str, info: Mapping[str, Any]) -> dict[str, Any]:
    start, predicted = f"{side}_p:", row[f"{side}_predicted"]
    bars = [
        _bar(name.removeprefix(start), p, most=name == start + predicted)
        for name, p in ((str(key), value) for key, value in row.items())
        if name.startswith(start)
    ]
    described = {"predicted": predicted, "outcome": "decision", "bars": "probability of each class"}
    return {**_quote(row, side, info), **described, "probabilities": bars}


def _bar(name: str, p: float, *, most: bool) -> dict[str, Any]:
    return {"name": name, "value": decimal(p), "width": f"{100 * min(max(p, 0), 1):.1f}", "most": most}


def _quote(row: Mapping[Any, Any], side: str, info: Mapping[str, Any]) -> dict[str, Any]:
    """Group and term of a text, and the text with the term marked."""
    text, start, end = str(row[f"{side}_text"]), row[f"{side}_start"], row[f"{side}_end"]
    if info.get("texts") == "hashes":
        text, start, end = "The text was not kept.", -1, -1
    start, end = (len(text), len(text)) if start < 0 else (start, end)
    return {
        "group": row[f"{side}_group"],
        "term": row[f"{side}_term"],
        "before": text[:start],
        "marked": text[start:end],
        "after": text[end:],
    }


def _model(info: Mapping[str, Any]) -> str:
    model = info.get("model", "not recorded")
    if isinstance(model, Mapping):
        return str(model.get("name", model.get("id", "not recorded")))
    return str(model)


def _notes(info: Mapping[str, Any]) -> list[str]:
    recorded: Mapping[str, Any] = info.get("notes", {})
    return [f"{attribute}: {note}" for attribute, notes in recorded.items() for note in notes]


def save_run(results: Results, folder: str | Path, *, text: bool = True, escape_formulas: bool = False) -> Path:
    """Write a run folder with ``heatmap.png`` and ``report.html``, of intersections whose predictions are
    probabilities ``interactions.csv`` as well.

    Args:
        results: a run.
        folder: where to; an older run of that name is replaced.
        text: False keeps only hashes of the texts, in the report too.
        escape_formulas: see `Results.save`.
    """
    from fairness_checklist.analysis.interactions import crossed_attributes, interactions
    from fairness_checklist.analysis.run_view import cached_views
    from fairness_checklist.reports.heatmap import save_heat_map

    shown = results if text else results.without_text()

    def add_pictures(scratch: Path) -> None:
        with cached_views():
            drawn = save_heat_map(shown, scratch / "heatmap.png").read_bytes()
            write(shown, scratch / "report.html", drawn=drawn if len(shown.attributes) == 1 else b"")
        has_probabilities = any(
            str(name).startswith("p:") and shown.examples[name].notna().any() for name in shown.examples
        )
        if has_probabilities and crossed_attributes(shown):
            table = interactions(shown)
            table = escaped(table) if escape_formulas else table
            table.to_csv(scratch / "interactions.csv", index=False, encoding="utf-8", lineterminator="\n")

    return shown.save(folder, add_files=add_pictures, escape_formulas=escape_formulas)

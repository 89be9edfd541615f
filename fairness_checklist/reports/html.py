"""The report: one self-contained HTML page, everything escaped, nothing loaded from elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal, join_names
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import FOUND
from fairness_checklist.reports import provenance, tables
from fairness_checklist.reports.finding_text import SMALLEST_SEEN, finding_sentence, whole_percent
from fairness_checklist.reports.first_screen import first_screen
from fairness_checklist.reports.forest import forests, relevant_gap
from fairness_checklist.reports.heatmap import HeatCell, Panel, heat_panels
from fairness_checklist.reports.next_step import next_step
from fairness_checklist.reports.pairs import HarmTexts, harm_texts, has_texts, pairs_of
from fairness_checklist.reports.render import filled, part
from fairness_checklist.reports.run_view import View, attribute_views, is_tagging, suite_parts, task_of
from fairness_checklist.reports.wording import TEXTS, group_phrase, terms_of
from fairness_checklist.tables.run_folder import Results

_PAIRS = 5
_ABOUT = TEXTS["about"]
_Shown = Callable[..., dict[str, Any]]


def render(results: Results) -> str:
    """The report of a run as HTML.

    Returns:
        A page whose elements have the ids ``summary``, ``undefined``, ``dropped``, ``reading``, ``run`` and for each
        attribute ``summary-`` and ``attribute-`` with its name (``.`` and the like as ``-``).
    """
    return filled("report.html.j2", _page(results))


def write(results: Results, path: str | Path) -> Path:
    """Write the report; the file appears whole or not at all."""
    path = Path(path)
    text = render(results)
    with atomic_file(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")
    return path


def notebook_view(results: Results) -> str:
    """The first screen for a notebook, without a page around it."""
    return filled("notebook.html.j2", _first(results, attribute_views(results), python=True))


def _first(results: Results, views: Sequence[View], *, python: bool = False) -> dict[str, Any]:
    """The first screen as the templates read it."""
    screen = first_screen(results, views=views, python=python)
    ids = _ids([summary.attribute for summary in screen.attributes])
    return {
        "title": f"Fairness report: {join_names([summary.attribute for summary in screen.attributes])}",
        "about": screen.title,
        "warnings": screen.warnings,
        "next_step": screen.next_step,
        "attributes": [
            {
                **vars(summary),
                "id": name,
                "name": summary.attribute,
                "heading": summary.heading,
                "status": summary.status.replace(" ", "-") or "few",
            }
            for summary, name in zip(screen.attributes, ids, strict=True)
        ],
    }


def _page(results: Results) -> dict[str, Any]:
    views = attribute_views(results)
    first = _first(results, views)
    script, script_hash = part("page.js")
    hidden = frozenset(str(term) for listed in suite_parts(results.info) for term in listed.get("dispreferred", []))
    cards = zip(first["attributes"], views, strict=True)
    mentions = any(view.mentions for view in views)
    return {
        **first,
        "style": part("page.css")[0],
        "script": script,
        "script_hash": script_hash,
        "attributes": [card | _attribute(results, view, hidden) for card, view in cards],
        "hidden": bool(hidden) or task_of(results) == "toxicity",
        "words": [
            word for word in TEXTS["glossary"].items() if mentions or word[0] not in ("mention", "about these words")
        ],
        "about_heat": _ABOUT["heat_map"].replace("Hatched", "Italic"),
        "undefined": provenance.undefined(views),
        "left_out": provenance.left_out(results),
        "dropped": provenance.dropped(results),
        "notes": [f"{name}: {note}" for name, notes in results.info.get("notes", {}).items() for note in notes],
        "reading": _reading(is_tagging(results), mentions),
        "suite": provenance.suite(results),
        "about_terms": provenance.about_terms(results),
        "facts": provenance.facts(results.info),
    }


def _reading(tagging: bool, mentions: bool) -> list[str]:
    """How to read the figures."""
    classifier, tagger = TEXTS["reading"]["classifier"], TEXTS["reading"]["tagger"]
    return [*tagger, *classifier[3:]] if tagging else classifier if mentions else classifier[1:]


def _ids(names: list[str]) -> list[str]:
    """Names that can be in a selector, all different.

    >>> _ids(["gender", "gender.czarnowska2021", "a b", "a-b"])
    ['gender', 'gender-czarnowska2021', 'a-b', 'a-b-2']
    """
    ids: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "-", name).strip("-") or "attribute"
        others = sum(re.fullmatch(rf"{re.escape(plain)}(-\d+)?", earlier) is not None for earlier in ids)
        ids.append(f"{plain}-{others + 1}" if plain in ids else plain)
    return ids


def _attribute(results: Results, view: View, hidden: frozenset[str]) -> dict[str, Any]:
    records = results.findings[results.findings["attribute"] == view.attribute]
    terms = results.term_findings[results.term_findings["attribute"] == view.attribute]
    texts = {harm: harm_texts(results, view.attribute, harm) for harm in dict.fromkeys(map(str, records["harm"]))}
    readable = texts if has_texts(results) else {}
    ranked = strongest_first(records)
    found = ranked[ranked["status"].isin(FOUND)].to_dict("records")
    words = terms[terms["status"].isin(FOUND)].head(tables.SHOWN_TERMS)
    of_words = _of_different_sentences([pairs_of(readable.get(r["harm"]), r, _PAIRS) for r in words.to_dict("records")])
    noun = "text" if view.mentions else "row"
    size = [count(len(view.groups), "group"), count(len(view.examples), noun)]
    if view.unit == "source":
        size.insert(1, f"{count(int(view.examples['source'].nunique()), 'sentence')} with each term that fits")
    accuracy, _ = view.score("accuracy", "*", "*")
    right = f"The model classifies {whole_percent(accuracy)} of the labelled {noun}s correctly."
    pair = partial(_pair, tagging=view.tagging, blurred=task_of(results) == "toxicity", hidden=hidden)
    return {
        "size": ", ".join(size),
        "accuracy": "" if math.isnan(accuracy) else right,
        "forests": forests(records, terms, texts, relevant=relevant_gap(results)) if len(records) else [],
        "missed": provenance.always_missed(view),
        "missed_names": provenance.always_missed_by_group(view),
        "findings": [_finding(row, readable.get(row["harm"]), pair, tagging=view.tagging) for row in found],
        "largest": {} if found else _largest_gap(records, readable, pair, tagging=view.tagging),
        "term_findings": tables.clear_terms(terms),
        "word_pairs": [pair(shown) for shown in of_words],
        "untested": provenance.untested(results, view),
        "next_step": capitalise(next_step(results, [view])),
        "about_placebo": provenance.placebo_lines(results, view.attribute),
        "values": tables.values_by_group(view),
        "heat": [_heat(panel) for panel in heat_panels(view)],
        "crossed": tables.crossed(results, view),
        "about_crossed": _ABOUT["crossed"],
        "change": (_ABOUT["change_at_terms"] if view.tagging else _ABOUT["change"]).format(terms_of(view.attribute)),
        "checks": tables.checks(view),
        "by_group": tables.by_group(view),
        "check_notes": [f"{t['test']}: {t['note']}" for t in view.checks.to_dict("records") if t["note"]],
    }


def _of_different_sentences(pairs: list[pd.DataFrame]) -> list[dict[Any, Any]]:
    """Of the pairs of each word one, whose sentence was not shown with another word if there is such a pair."""
    chosen: list[dict[Any, Any]] = []
    for rows in (frame.to_dict("records") for frame in pairs):
        seen = {row["source"] for row in chosen}
        chosen += [row for row in rows if row["source"] not in seen][:1] or rows[:1]
    return chosen


def _finding(row: Mapping[Any, Any], texts: HarmTexts | None, pair: _Shown, *, tagging: bool) -> dict[str, Any]:
    """A record with the pairs of texts that show it."""
    pairs = pairs_of(texts, row, _PAIRS)
    outcome = OUTCOME_WORDS.get(str(row["harm"]))
    error = "the model makes this error" if outcome is None else f"some or all of the answers {outcome}"
    return {
        "title": f"{capitalise(group_phrase(str(row['group']), str(row['attribute'])))}: {row['title']}",
        "sentence": finding_sentence(row, tagging=tagging),
        "about_pairs": f"The same sentence with two groups. On the left {error}, on the right not.",
        "what": f"{count(len(pairs), 'pair')} of texts",
        "pairs": [pair(shown) for shown in pairs.to_dict("records")],
    }


def _largest_gap(
    records: pd.DataFrame, texts: Mapping[str, HarmTexts | None], pair: _Shown, *, tagging: bool
) -> dict[str, Any]:
    """Where there is no finding, the texts of the group with the largest gap; {} without one."""
    worse = records[records["gap"] > SMALLEST_SEEN].sort_values("gap", ascending=False, kind="stable")
    if not len(worse):
        return {}
    return _finding(worse.iloc[0].to_dict(), texts.get(worse["harm"].iloc[0]), pair, tagging=tagging)


def _pair(row: Mapping[Any, Any], *, tagging: bool, blurred: bool, hidden: frozenset[str]) -> dict[str, Any]:
    """Two texts, each with its term marked and what the model says of it."""
    label = f"Gold label: {row['label']}. " if row.get("label") else ""
    source = f"Sentence {row['source']}. " if row["source"] else ""
    wrong = "The answer on the right is wrong too." if row.get("both_wrong") else ""
    shown = []
    for side in ("harmed", "spared"):
        text, start, end = str(row[f"{side}_text"]), int(row[f"{side}_start"]), int(row[f"{side}_end"])
        start, end = (len(text), len(text)) if start < 0 else (start, end)
        shown.append(
            {
                "group": row[f"{side}_group"],
                "term": row[f"{side}_term"],
                "before": text[:start],
                "marked": text[start:end],
                "after": text[end:],
                "outcome": "found" if tagging else "decision",
                "predicted": row[f"{side}_predicted"] or "nothing",
                "probability": _probability(str(row["class"]), float(row[f"{side}_p"])),
                "hidden": blurred or str(row[f"{side}_term"]) in hidden,
            }
        )
    return {"sides": shown, "note": f"{source}{label}{wrong}".strip()}


def _probability(label: str, p: float) -> str:
    """The probability of a class, or the share of answers that are none."""
    if math.isnan(p):
        return ""
    if (outcome := OUTCOME_WORDS.get(label)) is not None:
        return f"{whole_percent(p)} of answers {outcome}"
    return f"probability of {label} {decimal(p, places=2)}"


def _heat(panel: Panel) -> dict[str, Any]:
    """A panel of the heat map as cells with a class for their colour."""
    lines = []
    for line in panel.lines:
        cells, column = list[dict[str, Any]](), 0
        for cell in line.cells:
            cells += [{"span": cell.first - column, "shade": "", "text": ""}] if cell.first > column else []
            cells.append({"span": cell.last - cell.first + 1, "shade": _shade(cell), "text": decimal(cell.value)})
            column = cell.last + 1
        left = len(panel.groups) + 1 - column
        cells += [{"span": left, "shade": "", "text": ""}] if left else []
        lines.append({"name": line.name, "primary": line.primary, "cells": cells})
    return {"title": panel.title, "groups": panel.groups, "lines": lines}


def _shade(cell: HeatCell) -> str:
    """The class of a cell: u, d or f (above, below, without direction) and 1 to 4; x of an undefined value."""
    if math.isnan(cell.value):
        return "x"
    strength = 0 if math.isnan(cell.shade) else math.ceil(4 * abs(cell.shade) - 1e-9)
    if not strength:
        return ""
    return f"{('u' if cell.shade > 0 else 'd') if cell.signed else 'f'}{min(strength, 4)}"


def save_run(
    results: Results,
    folder: str | Path,
    *,
    text: bool = True,
    add_files: Callable[[Path], None] | None = None,
) -> Path:
    """Write a run folder with ``heatmap.png`` and ``report.html``, of intersections whose predictions are
    probabilities ``interactions.csv`` as well.
    """
    from fairness_checklist.reports.heatmap import save_heat_map

    shown = results if text else results.without_text()

    from fairness_checklist.extensions.analyses.interactions import write_interactions

    def add_pictures(scratch: Path) -> None:
        save_heat_map(shown, scratch / "heatmap.png")
        write(shown, scratch / "report.html")
        write_interactions(shown, scratch)
        if add_files is not None:
            add_files(scratch)

    return shown.write_folder(folder, add_files=add_pictures)

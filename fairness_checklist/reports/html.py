"""The report: one self-contained HTML page, everything escaped, nothing loaded from elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal, join_names
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import FOUND
from fairness_checklist.reports import missed_terms, page_tables, run_tables
from fairness_checklist.reports.finding_pairs import has_texts, pairs_of, texts_of
from fairness_checklist.reports.finding_text import SMALLEST_SEEN, finding_sentence, useless_model, whole_percent
from fairness_checklist.reports.first_screen import first_screen
from fairness_checklist.reports.forest import forests, relevant_gap
from fairness_checklist.reports.harm_texts import HarmTexts, harm_texts
from fairness_checklist.reports.heatmap import HeatCell, Panel, heat_panels
from fairness_checklist.reports.next_step import next_step
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.run_view import View, attribute_views, cached_views, is_tagging, suite_parts, task_of
from fairness_checklist.reports.wording import TEXTS, group_phrase, terms_of
from fairness_checklist.reports.worst_pairs import worst_pairs
from fairness_checklist.tables.run_folder import Results

_PAIRS = 5
_ABOUT = TEXTS["about"]


def render(results: Results) -> str:
    """The report of a run as HTML.

    Returns:
        A page whose elements have the ids ``summary``, ``undefined``, ``dropped``, ``reading``, ``run`` and for each
        attribute ``summary-`` and ``attribute-`` with its name (``.`` and the like as ``-``).
    """
    return _unbroken(filled("reports/report.html.j2", _page(results)))


def write(results: Results, path: str | Path) -> Path:
    """Write the report; the file appears whole or not at all."""
    path = Path(path)
    text = render(results)
    with atomic_file(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")
    return path


def notebook_view(results: Results) -> str:
    """The first screen for a notebook, without a page around it."""
    return _unbroken(filled("reports/notebook.html.j2", _first(results, python=True)))


def _unbroken(html: str) -> str:
    """A page in which no line breaks between a number and its percent sign."""
    return re.sub(r"(?<=\d) %", "\u00a0%", html)


def _first(results: Results, *, python: bool = False) -> dict[str, Any]:
    """The first screen as the templates read it."""
    screen = first_screen(results, python=python)
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


@cached_views()
def _page(results: Results) -> dict[str, Any]:
    first = _first(results)
    script, script_hash = part("page.js")
    hidden = frozenset(str(term) for listed in suite_parts(results.info) for term in listed.get("dispreferred", []))
    views = attribute_views(results)
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
        "undefined": run_tables.undefined(results),
        "left_out": run_tables.left_out(results),
        "dropped": run_tables.dropped(results),
        "notes": [f"{name}: {note}" for name, notes in results.info.get("notes", {}).items() for note in notes],
        "reading": _reading(is_tagging(results), mentions),
        "suite": run_tables.suite(results),
        "about_terms": run_tables.about_terms(results),
        "facts": run_tables.facts(results.info),
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
        known, k = plain, 1
        while known in ids:
            k += 1
            known = f"{plain}-{k}"
        ids.append(known)
    return ids


def _attribute(results: Results, view: View, hidden: frozenset[str]) -> dict[str, Any]:
    records = results.findings[results.findings["attribute"] == view.attribute]
    terms = results.term_findings[results.term_findings["attribute"] == view.attribute]
    texts = {harm: harm_texts(results, view.attribute, harm) for harm in dict.fromkeys(map(str, records["harm"]))}
    shown = texts if has_texts(results) else {}
    ranked = strongest_first(records)
    findings = ranked[ranked["status"].isin(FOUND)]
    words = terms[terms["status"].isin(FOUND)].head(page_tables.SHOWN_TERMS)
    of_words = _of_different_sentences([pairs_of(shown.get(r["harm"]), r, _PAIRS) for r in words.to_dict("records")])
    noun = "text" if view.mentions else "row"
    size = [count(len(view.groups), "group"), count(len(view.examples), noun)]
    if view.unit == "source":
        size.insert(1, f"{count(int(view.examples['source'].nunique()), 'sentence')} with each term that fits")
    return {
        "size": ", ".join(size),
        "accuracy": _accuracy(view, noun),
        "forests": forests(records, terms, texts, relevant=relevant_gap(results)) if len(records) else [],
        "missed": missed_terms.always_missed(results, view.attribute),
        "missed_names": missed_terms.always_missed_by_group(view),
        "findings": [_finding(results, row, shown.get(row["harm"]), hidden) for row in findings.to_dict("records")],
        "largest": {} if len(findings) else _largest_gap(results, records, view.attribute, shown, hidden),
        "term_findings": page_tables.clear_terms(terms),
        "word_pairs": [_pair(pair, results, hidden) for pair in of_words],
        "untested": run_tables.untested(results, view),
        "next_step": capitalise(next_step(results, {view.attribute: useless_model(view)})),
        "about_placebo": run_tables.placebo_lines(results, view.attribute),
        "draws": page_tables.draws(results, view.attribute),
        "records": page_tables.findings(results, view.attribute),
        "primary": page_tables.primary_metrics(view),
        "terms": [*missed_terms.missed(view), *page_tables.errors_by_term(view)],
        "heat": [_heat(panel) for panel in heat_panels(view)],
        **page_tables.further_grids(results, view),
        "about_crossed": _ABOUT["crossed"],
        "about_kinds": _ABOUT["kinds"],
        "change": (_ABOUT["change_at_terms"] if view.tagging else _ABOUT["change"]).format(terms_of(view.attribute)),
        "checks": page_tables.checks(view),
        "by_group": page_tables.by_group(view),
        "check_notes": [
            f"{t['test']}: {t['note'].removesuffix('.')}." for t in view.checks.to_dict("records") if t["note"]
        ],
    }


def _of_different_sentences(pairs: list[pd.DataFrame]) -> list[dict[Any, Any]]:
    """Of the pairs of each word one, whose sentence was not shown with another word if there is such a pair."""
    shown: list[dict[Any, Any]] = []
    for rows in (frame.to_dict("records") for frame in pairs):
        seen = {row["source"] for row in shown}
        shown += [row for row in rows if row["source"] not in seen][:1] or rows[:1]
    return shown


def _accuracy(view: View, noun: str) -> str:
    """How good the model is on these texts, whatever the group."""
    value, _ = view.score("accuracy", "*", "*")
    return (
        "" if math.isnan(value) else f"The model classifies {whole_percent(value)} of the labelled {noun}s correctly."
    )


def _finding(
    results: Results, row: Mapping[Any, Any], texts: HarmTexts | None, hidden: frozenset[str]
) -> dict[str, Any]:
    """A record with the texts that show it: pairs, or without them the texts of the group that meet the harm."""
    pairs, single = pairs_of(texts, row, _PAIRS), texts_of(texts, row, _PAIRS)
    outcome = OUTCOME_WORDS.get(str(row["harm"]))
    error = "the model makes this error" if outcome is None else f"some or all of the answers {outcome}"
    if len(pairs):
        about = f"The same sentence with two groups. On the left {error}, on the right not."
    else:
        about = f"Texts of the group in which {error}, the most probable ones first."
    shown = pairs if len(pairs) else single
    return {
        "title": f"{capitalise(group_phrase(str(row['group']), str(row['attribute'])))}: {row['title']}",
        "sentence": finding_sentence(row, tagging=is_tagging(results)),
        "about_pairs": about,
        "what": f"{count(len(pairs), 'pair')} of texts" if len(pairs) else count(len(single), "text"),
        "pairs": [_pair(pair, results, hidden) for pair in shown.to_dict("records")],
    }


def _largest_gap(
    results: Results,
    records: pd.DataFrame,
    attribute: str,
    texts: Mapping[str, HarmTexts | None],
    hidden: frozenset[str],
) -> dict[str, Any]:
    """Where there is no finding, the texts of the group with the largest gap; without records those that differ most.

    {} without texts.
    """
    worse = records[records["gap"] > SMALLEST_SEEN].sort_values("gap", ascending=False, kind="stable")
    if not len(worse) and len(records):
        return {}
    if len(worse):
        return _finding(results, worse.iloc[0].to_dict(), texts.get(worse["harm"].iloc[0]), hidden)
    pairs = worst_pairs(results, attribute, _PAIRS).to_dict("records") if has_texts(results) else []
    return {
        "title": "the two groups of a sentence that differ most",
        "about_pairs": "The same sentence with two groups.",
        "pairs": [_pair(row, results, hidden, ("left", "right")) for row in pairs],
    }


def _pair(
    row: Mapping[Any, Any], results: Results, hidden: frozenset[str], sides: tuple[str, str] = ("harmed", "spared")
) -> dict[str, Any]:
    label = f"Gold label: {row['label']}. " if row.get("label") else ""
    source = f"Sentence {row['source']}. " if row["source"] else ""
    wrong = "The answer on the right is wrong too." if row.get("both_wrong") else ""
    there = [side for side in sides if f"{side}_text" in row]
    shown = [_side(row, side, results, hidden) for side in there]
    return {"sides": shown, "note": f"{source}{label}{wrong}".strip()}


def _side(row: Mapping[Any, Any], side: str, results: Results, hidden: frozenset[str]) -> dict[str, Any]:
    """A text with its term marked, and what the model says of it."""
    text, start, end = str(row[f"{side}_text"]), int(row[f"{side}_start"]), int(row[f"{side}_end"])
    start, end = (len(text), len(text)) if start < 0 else (start, end)
    p = float(row.get(f"{side}_p", row.get(f"{side}_p:{row['class']}", math.nan)))
    return {
        "group": row[f"{side}_group"],
        "term": row[f"{side}_term"],
        "before": text[:start],
        "marked": text[start:end],
        "after": text[end:],
        "outcome": "found" if is_tagging(results) else "decision",
        "predicted": row.get(f"{side}_found", row.get(f"{side}_predicted")) or "nothing",
        "probability": _probability(str(row["class"]), p),
        "hidden": task_of(results) == "toxicity" or str(row[f"{side}_term"]) in hidden,
    }


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
        cells: list[dict[str, Any]] = []
        at = 0
        for cell in line.cells:
            if cell.first > at:
                cells.append({"span": cell.first - at, "shade": "", "text": ""})
            cells.append({"span": cell.last - cell.first + 1, "shade": _shade(cell), "text": decimal(cell.value)})
            at = cell.last + 1
        if at <= len(panel.groups):
            cells.append({"span": len(panel.groups) + 1 - at, "shade": "", "text": ""})
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

    from fairness_checklist.extensions.analyses.page import write_interactions

    def add_pictures(scratch: Path) -> None:
        with cached_views():
            save_heat_map(shown, scratch / "heatmap.png")
            write(shown, scratch / "report.html")
        write_interactions(shown, scratch)
        if add_files is not None:
            add_files(scratch)

    return shown.write_folder(folder, add_files=add_pictures)

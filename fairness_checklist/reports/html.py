"""The report: one self-contained HTML page, everything escaped, nothing loaded from elsewhere."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from fairness_checklist.content.natural_study import natural_study
from fairness_checklist.core.atomic import atomic_file
from fairness_checklist.core.errors import count
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.formatting import decimal, join_names
from fairness_checklist.core.replicates import OUTCOME_WORDS
from fairness_checklist.findings.rule import Status
from fairness_checklist.reports import provenance, tables
from fairness_checklist.reports.finding_text import finding_sentence, subject, whole_percent, whole_points
from fairness_checklist.reports.forest import forests
from fairness_checklist.reports.pairs import HarmTexts, find_term, has_texts, pairs_of, texts_of_harms
from fairness_checklist.reports.render import Plot, filled, part
from fairness_checklist.reports.run_view import View, attribute_views, is_tagging, margin_of, suite_parts, task_of
from fairness_checklist.reports.screen import Screen, first_screen, words_to_name
from fairness_checklist.reports.wording import TEXTS, terms_of
from fairness_checklist.tables.run_folder import Results

_PAIRS = 5
_MOST_FINDINGS = 2  # of an attribute that show a pair; those after them are folded
_MOST_FAILURES = 20
_SHOWN_TEXTS = 5
_ABOUT = TEXTS["about"]


def render(results: Results) -> str:
    """The report of a run as HTML."""
    return filled("report.html.j2", _page(results))


def write(results: Results, path: str | Path) -> Path:
    """Write the report; the file appears whole or not at all."""
    path = Path(path)
    text = render(results)
    with atomic_file(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")
    return path


def notebook_view(results: Results) -> str:
    """The first screen for a notebook, with a plot and two pairs of the first attribute and no page around it."""
    views = attribute_views(results)
    screen, page = _first(results, views, python=True)
    errors = _errors(results, views[0], screen.attributes[0].record) if views else []
    shown = next((one for one in errors if one["findings"]), errors[0] if errors else None)
    return filled("notebook.html.j2", {**page, "style": part("parts.css")[0], "shown": shown})


def suite_view(described: str, texts: pd.DataFrame) -> str:
    """A suite for a notebook: its counts, and five of its texts, evenly spaced, with the term marked."""
    marked = texts[texts["group"] != UNMARKED].fillna("")
    others = texts.groupby("source")["text"].first()
    step = max(1, len(marked) // _SHOWN_TEXTS)
    listed = [
        {**row, **_marked_at_term(str(row["text"]), str(row["term"]), others[row["source"]])}
        for row in marked.iloc[step // 2 :: step].head(_SHOWN_TEXTS).to_dict("records")
    ]
    return filled("suite.html.j2", {"described": described.strip("<>"), "texts": listed})


def failures_view(failures: pd.DataFrame) -> str:
    """The pairs that fail an invariance test for a notebook: a row a pair, which opens on a click."""
    listed = []
    for row in failures.head(_MOST_FAILURES).to_dict("records"):
        text, reference = str(row["text"]), str(row["reference_text"])
        sides = [
            {**_marked_at_term(text, str(row["term"]), reference), "answer": row["predicted"]},
            {**_marked_at_term(reference, "", text), "answer": row["reference_predicted"]},
        ]
        listed.append({**row, "sides": sides, "change": decimal(float(row["change"]), signed=True, places=2)})
    page = {"pairs": listed, "rows": len(failures), "n": f"{len(failures):,}", "style": part("parts.css")[0]}
    return filled("failures.html.j2", page)


def _first(results: Results, views: Sequence[View], *, python: bool = False) -> tuple[Screen, dict[str, Any]]:
    """The first screen, and as the templates read it."""
    screen = first_screen(results, views=views, python=python)
    names = [one.attribute for one in screen.attributes]
    return screen, {
        "screen": screen,
        "title": f"Fairness report: {join_names(names)}",
        "legend": " ".join(TEXTS["legend"].values()).format(margin=whole_points(margin_of(results))),
        "may_hurt": task_of(results) == "toxicity",
        "attributes": [{"id": name, "screen": one} for name, one in zip(_ids(names), screen.attributes, strict=True)],
    }


def _page(results: Results) -> dict[str, Any]:
    views = attribute_views(results)
    screen, first = _first(results, views)
    script, script_hash = part("page.js")
    mentions = any(view.mentions for view in views)
    reading, tagger = TEXTS["reading"]["classifier"], TEXTS["reading"]["tagger"]
    cards = zip(first["attributes"], screen.attributes, views, strict=True)
    return {
        **first,
        "style": part("parts.css")[0] + part("page.css")[0],
        "script": script,
        "script_hash": script_hash,
        "attributes": [card | _attribute(results, view, one.record) for card, one, view in cards],
        "decisions": bool((results.findings["unit"] == "probability").any()),
        "hidden": bool(_hidden(results)) or first["may_hurt"],
        "words": [word for word in TEXTS["glossary"].items() if mentions or word[0] != "mention"],
        "undefined": provenance.undefined(views),
        "left_out": provenance.left_out(results),
        "dropped": provenance.dropped(results),
        "all_notes": [f"{name}: {note}" for name, notes in results.info.get("notes", {}).items() for note in notes],
        "reading": [*tagger, *reading[3:]] if is_tagging(results) else reading if mentions else reading[1:],
        "suite": provenance.suite(results),
        "about_terms": [natural_study()] if suite_parts(results.info) and not is_tagging(results) else [],
        "facts": provenance.facts(results.info),
    }


def _hidden(results: Results) -> frozenset[str]:
    return frozenset(str(term) for listed in suite_parts(results.info) for term in listed.get("dispreferred", []))


def _ids(names: list[str]) -> list[str]:
    """Names that can be in a selector, all different."""
    ids: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "-", name).strip("-") or "attribute"
        others = sum(re.fullmatch(rf"{re.escape(plain)}(-\d+)?", earlier) is not None for earlier in ids)
        ids.append(f"{plain}-{others + 1}" if plain in ids else plain)
    return ids


def _attribute(results: Results, view: View, record: Mapping[str, Any] | None) -> dict[str, Any]:
    words = view.word_findings
    accuracy, _ = view.score("accuracy", "*", "*")
    noun = "texts" if view.mentions else "rows"
    right = f"The model classifies {whole_percent(accuracy)} of the labelled {noun} correctly."
    return {
        "accuracy": "" if math.isnan(accuracy) else right,
        "errors": _errors(results, view, record),
        "missed": provenance.always_missed(words, view.attribute) if view.tagging else ("", []),
        "all_words": tables.word_grids(words),
        "untested": provenance.untested(results, view),
        "about_controls": provenance.control_lines(results, view.attribute),
        "values": tables.values_by_group(view),
        "change": (_ABOUT["change_at_terms"] if view.tagging else _ABOUT["change"]).format(terms_of(view.attribute)),
        "checks": tables.checks(view),
        "by_group": tables.by_group(view),
        "check_notes": [f"{t['test']}: {t['note']}" for t in view.checks.to_dict("records") if t["note"]],
    }


def _errors(
    results: Results, view: View, record: Mapping[str, Any] | None
) -> list[dict[str, Plot | list[dict[str, Any]]]]:
    """For each error its plot, and the records that pairs of texts show: worse groups, words, else ``record``."""
    records, words = view.findings, view.word_findings
    shown = partial(_pair, tagging=view.tagging, blurred=task_of(results) == "toxicity", hidden=_hidden(results))
    texts = texts_of_harms(results, view, map(str, records["error"]))
    readable = texts if has_texts(results) else {}
    found = records[records["status"] == Status.WORSE], words_to_name(records, words, margin_of(results))
    listed: list[Mapping[Any, Any]] = [row for table in found for row in table.to_dict("records")]
    listed = listed or ([] if record is None else [record])
    findings = [_finding(row, readable.get(str(row["error"])), shown) for row in listed]
    plots = forests(results, view.attribute, texts)
    return [
        {
            "plot": plots[error],
            "findings": [found for found in findings[:_MOST_FINDINGS] if found["error"] == error],
            "more": [found for found in findings[_MOST_FINDINGS:] if found["error"] == error],
        }
        for error in dict.fromkeys([*(found["error"] for found in findings), *plots])
    ]


def _finding(row: Mapping[Any, Any], texts: HarmTexts | None, shown: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """A record with the pairs of texts that show it."""
    pairs = [shown(pair) for pair in pairs_of(texts, row, _PAIRS).to_dict("records")]
    more = f"{count(len(pairs) - 1, 'more pair')} of texts with {subject(row)}" if len(pairs) > 1 else ""
    status = "word" if "word" in row else str(row["status"])
    named = {"error": str(row["error"]), "status": status, "sentence": finding_sentence(row)}
    return {**named, "pairs": pairs, "more": more}


def _pair(row: Mapping[Any, Any], *, tagging: bool, blurred: bool, hidden: frozenset[str]) -> dict[str, Any]:
    """Two texts, each with its term marked and what the model says of it."""
    label = f"Gold label: {row['label']}. " if row.get("label") else ""
    wrong = "The other answer is wrong too." if row.get("both_wrong") else ""
    shown = [
        {
            **_marked(str(row[f"{side}_text"]), int(row[f"{side}_start"]), int(row[f"{side}_end"])),
            "group": row[f"{side}_group"],
            "term": row[f"{side}_term"],
            "outcome": "found" if tagging else "decision",
            "predicted": row[f"{side}_predicted"] or "nothing",
            "probability": _probability(str(row["class"]), float(row[f"{side}_p"])),
            "hidden": blurred or str(row[f"{side}_term"]) in hidden,
        }
        for side in ("harmed", "spared")
    ]
    return {"sides": shown, "note": f"{label}{wrong}".strip()}


def _marked_at_term(text: str, term: str, other: str) -> dict[str, Any]:
    return _marked(text, *find_term(text, term, other))


def _marked(text: str, start: int, end: int) -> dict[str, Any]:
    """A text in three parts, of which the middle one is to be marked."""
    start, end = (len(text), len(text)) if start < 0 else (start, end)
    return {"before": text[:start], "marked": text[start:end], "after": text[end:]}


def _probability(label: str, p: float) -> str:
    """The probability of a class, or the share of answers that are none."""
    if math.isnan(p):
        return ""
    if (outcome := OUTCOME_WORDS.get(label)) is not None:
        return f"{whole_percent(p)} of answers {outcome}"
    return f"probability of {label} {decimal(p, places=2)}"


def save_run(
    results: Results, folder: str | Path, *, text: bool = True, add_files: Callable[[Path], None] | None = None
) -> Path:
    """Write a run folder with ``report.html``, of intersections with probabilities ``interactions.csv`` as well."""
    from fairness_checklist.extensions.analyses.interactions import write_interactions

    shown = results if text else results.without_text()

    def add_page(scratch: Path) -> None:
        write(shown, scratch / "report.html")
        write_interactions(shown, scratch)
        if add_files is not None:
            add_files(scratch)

    return shown.write_folder(folder, add_files=add_page)

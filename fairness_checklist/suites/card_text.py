"""A suite card as Markdown that is readable in a terminal, too."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.core.errors import count

OBJECT = (
    "Open an issue with the file, the `id` or the term, and what is wrong with it: no further reason is needed for a "
    "word that names you. A word that a community rejects becomes `dispreferred` or goes; a template whose label "
    "readers dispute goes. Until then you can leave out either yourself, with a file of your own or by naming the "
    "groups and terms you want."
)
_LICENCE = "What ships with fairness_checklist is under Apache-2.0. Files of your own are under what you say."
_PAPER = (
    "The groups of the sets named czarnowska2021, and the metrics, are those of Czarnowska, Vyas and Shah, Quantifying "
    "Social Biases in NLP, TACL 2021."
)
_GROUPS = (
    "Groups are kinds of mention, not a partition of people. Each sentence is a template that is filled with a term, "
    "or the same template without one."
)
_WIDTH = 110
_SOURCES = 8
_HASH = 12


def card_markdown(card: dict[str, Any]) -> str:
    """The card of a suite as Markdown: what `suites.suite_card` counted, in tables and sentences.

    >>> print(card_markdown({"version": "1", "attributes": [], "files": [], "sha256": "ab"}).splitlines()[0])
    # Suite card
    """
    listed, sentences = card["attributes"], sum(one["sentences"] for one in card["attributes"])
    tasks = list(dict.fromkeys(task["task"] for one in listed for task in one["tasks"]))
    lines = ["# Suite card", "", *_wrapped(f"{count(sentences, 'sentence')} for {_and(tasks)}. {_GROUPS}"), ""]
    if len(listed) > 1:
        lines += [*_overview(listed, tasks), ""]
    shown: set[tuple[str, str]] = set()
    for one in listed:
        base = (one["attribute"].partition(".")[0], one["language"])
        lines += _attribute(one, repeats=one["attribute"] != base[0] and base in shown)
        shown.add((one["attribute"], one["language"]))
    lines += ["## Where it comes from", "", *_wrapped("What each file says of itself."), ""]
    for file in card["files"]:
        lines += _file(file)
    if not card["files"]:
        lines += ["All of it was given in memory: nothing is said.", ""]
    names = _and([_name(one) for one in listed]) if len(listed) <= 4 else f"{len(listed)} attributes and sets"
    citation = (
        f"fairness_checklist, version {card['version']}: suite for {_and(tasks)} about {names}, "
        f"{count(sentences, 'sentence')}; templates and terms sha256 {card['sha256']}."
    )
    for heading, *texts in (
        ("How to object", OBJECT),
        ("How to cite", citation, _PAPER),
        ("Licence", _LICENCE),
    ):
        lines += [f"## {heading}", ""]
        for text in texts:
            lines += [*_wrapped(text), ""]
    return "\n".join(lines).rstrip() + "\n"


def _overview(listed: Sequence[dict[str, Any]], tasks: Sequence[str]) -> list[str]:
    rows = []
    for one in listed:
        templates = {task["task"]: task["templates"] for task in one["tasks"]}
        terms = sum(group["terms"] for group in one["groups"])
        rows.append(
            [_name(one), len(one["groups"]), terms, *(templates.get(task, 0) for task in tasks), one["sentences"]]
        )
    return _table(["attribute", "groups", "terms", *(f"templates, {task}" for task in tasks), "sentences"], rows)


def _attribute(one: dict[str, Any], *, repeats: bool) -> list[str]:
    """The section of an attribute; of a named set whose attribute is told before without what repeats."""
    tasks = one["tasks"]
    lines = [f"## {_name(one)}", ""]
    lines += _table(
        [
            "task",
            "templates",
            "with a rewording",
            "sentences",
            "words: least",
            "median",
            "most",
            "templates sha256",
            "terms sha256",
        ],
        [
            [
                task["task"],
                task["templates"],
                task["with_rewording"],
                task["sentences"],
                *(_number(task["words"][key]) for key in ("min", "median", "max")),
                task["templates_sha256"][:_HASH],
                task["terms_sha256"][:_HASH],
            ]
            for task in tasks
        ],
    )
    lines.append("")
    for remark in _remarks(tasks):
        lines += [*_wrapped(remark), ""]
    if repeats:
        lines += ["The templates are those of the attribute, above.", ""]
    else:
        for table in (_labels(tasks), _slots(tasks)):
            lines += [*table, ""] if table else []
    lines += [*_groups(one["groups"]), ""]
    for remark in _about_terms(one):
        lines += [*_wrapped(remark), ""]
    return lines


def _remarks(tasks: Sequence[dict[str, Any]]) -> list[str]:
    """What of the templates takes no part, or not in everything."""
    sentences = []
    for task in tasks:
        name = task["task"]
        if not task["templates"]:
            sentences.append(
                f"{name}: the sentences are texts of your own and what they become; no file says more of them."
            )
        if task["for_other_terms"]:
            sentences.append(
                f"{name}: no slot for these terms in {count(task['for_other_terms'], 'template')} for every attribute."
            )
        sentences.extend(f"{name}: {one['template']} is left out: {one['reason']}" for one in task["left_out"])
        if task["asymmetric"]:
            sentences.append(
                f"{name}: label or sense change with the group in {count(task['asymmetric'], 'template')}; invariance "
                "tests and counterfactual metrics do without."
            )
        if task["sentences_beside"]:
            sentences.append(
                f"{name}: {count(task['sentences_beside'], 'sentence')} beside those of the pairs: each attribute "
                "alone, and with a placebo in the place of the other."
            )
    return sentences


def _labels(tasks: Sequence[dict[str, Any]]) -> list[str]:
    rows = [(task["task"], row) for task in tasks for row in task["labels"]]
    targets = list(dict.fromkeys(target for _, row in rows for target in row["targets"]))
    order = ["person", "speaker", "third_party", "situation", ""]
    targets.sort(key=order.index)
    return _table(
        ["task", "label", *(target or "no target" for target in targets), "templates", "of them rewordings"],
        [
            [
                task,
                row["label"] or ("marks" if task == "ner" else "none"),
                *(row["targets"].get(target, 0) for target in targets),
                row["templates"],
                row["rewordings"],
            ]
            for task, row in rows
        ],
    )


def _slots(tasks: Sequence[dict[str, Any]]) -> list[str]:
    kinds = list(dict.fromkeys(kind for task in tasks for kind in task["slots"]))
    return _table(
        ["templates with the slot", *(task["task"] for task in tasks)],
        [[kind, *(task["slots"].get(kind, 0) for task in tasks)] for kind in kinds],
    )


def _groups(groups: Sequence[dict[str, Any]]) -> list[str]:
    return _table(
        [
            "group",
            "terms",
            "preferred",
            "accepted",
            "dispreferred",
            "minors",
            "median characters",
            "parts of speech",
            "",
        ],
        [
            [
                group["group"],
                group["terms"],
                group["preferred"],
                group["accepted"],
                group["dispreferred"],
                group["minors"],
                _number(group["median_characters"]),
                ", ".join(f"{count} {pos}" for pos, count in group["parts_of_speech"].items()),
                "thin" if group["thin"] else "",
            ]
            for group in groups
        ],
    )


def _about_terms(one: dict[str, Any]) -> list[str]:
    """What the table of groups does not say by itself."""
    sentences = []
    kept = sum(group["dispreferred"] or 0 for group in one["groups"])
    used = sum(group["dispreferred_used"] for group in one["groups"])
    if kept:
        which = (
            f"{used} of them take part here, named by whoever built the suite" if used else "none of them takes part"
        )
        sentences.append(f"Dispreferred terms are used only when they are named; {which}.")
    if any(group["thin"] for group in one["groups"]):
        sentences.append("thin: fewer than five preferred or accepted terms, or too few that are in common use.")
    if any(group["minors"] for group in one["groups"]) and any(task["task"] == "toxicity" for task in one["tasks"]):
        sentences.append("Terms that mean minors take no part in the task toxicity.")
    sources = dict(one["sources"])
    unsaid = sources.pop("", 0)
    named = [f"{name} ({count})" for name, count in list(sources.items())[:_SOURCES]]
    if len(sources) > _SOURCES:
        named.append(f"{len(sources) - _SOURCES} more")
    if named:
        sentences.append(f"Sources of the terms, with the number of terms: {'; '.join(named)}.")
    if unsaid:
        sentences.append(f"{count(unsaid, 'term')} without a source.")
    return sentences


def _file(file: dict[str, Any]) -> list[str]:
    lines = [f"### {file['file']}", ""]
    if not file["said"]:
        return [*lines, "Nothing is said.", ""]
    lines += [*_wrapped(file["about"] or "Nothing is said of what it is."), ""]
    lines += [*_wrapped(f"Review: {file['review'] or 'nothing is said.'}"), ""]
    for heading, items in (("Sources", file["sources"]), ("Known gaps", file["gaps"])):
        if not items:
            lines += [f"{heading}: nothing is said.", ""]
            continue
        lines += [f"{heading}:", ""]
        for item in items:
            lines += textwrap.wrap(item, _WIDTH, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)
        lines.append("")
    return lines


def _name(one: dict[str, Any]) -> str:
    language = "" if one["language"] == DEFAULT else f" ({get(one['language']).name})"
    return f"{one['attribute']}{language}"


def _number(value: float) -> str:
    return f"{value:g}"


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A Markdown table whose columns are aligned, numbers to the right; a column without a cell is left out."""
    rows = list(rows)
    if not rows:
        return []
    cells = [list(headings)] + [[_cell(value) for value in row] for row in rows]
    kept = [at for at in range(len(headings)) if any(row[at] for row in cells[1:]) or at == 0]
    right = {at for at in kept if all(re.fullmatch(r"[\d,.]+|-", row[at]) for row in cells[1:])}
    width = {at: max(3, *(len(row[at]) for row in cells)) for at in kept}
    lines = [
        "| " + " | ".join(row[at].rjust(width[at]) if at in right else row[at].ljust(width[at]) for at in kept) + " |"
        for row in cells
    ]
    rule = "|" + "|".join("-" * (width[at] + 1) + (":" if at in right else "-") for at in kept) + "|"
    return [lines[0], rule, *lines[1:]]


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("|", "\\|")

"""The suite card, as data and as Markdown: the counts of a suite's parts, their files and how to cite them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from fairness_checklist import __version__
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.natural_study import natural_study
from fairness_checklist.content.templates import ABOUT, excepted_of
from fairness_checklist.content.term_files import cited_works
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import count
from fairness_checklist.core.tasks import get_task
from fairness_checklist.reports.provenance import joint_hash
from fairness_checklist.suites.parts import Part

if TYPE_CHECKING:
    from jinja2 import Template as PageTemplate

_FEW_TERMS = 5


def suite_card(parts: Iterable[Part]) -> dict[str, Any]:
    """The counts of a suite's parts and their files, as plain values; dispreferred terms are counted and not named."""
    by_attribute = groupby(parts, key=lambda part: (part.attribute, part.terms.language))
    attributes = [_attribute_card(list(same)) for _, same in by_attribute]
    in_english = [attribute for attribute in attributes if attribute["language"] == DEFAULT]
    studied = any(not get_task(task["task"]).tagging for attribute in in_english for task in attribute["tasks"])
    return {
        "version": __version__,
        "attributes": attributes,
        "files": list(dict.fromkeys(file for attribute in attributes for file in attribute["files"])),
        "natural_texts": [natural_study()] if studied else [],
        "sha256": joint_hash(task for attribute in attributes for task in attribute["tasks"]),
    }


def _attribute_card(parts: Sequence[Part]) -> dict[str, Any]:
    """The counts of an attribute over its tasks, and the files that they come from."""
    terms = {(term.term, term.group, term.pos): term for part in parts for term in part.terms.terms}.values()
    term_places = [term.place for part in parts for chosen in part.chosen for term in chosen.terms]
    template_places = [template.place for part in parts for template in part.templates]
    groups = dict.fromkeys(group for part in parts for group in part.terms.groups)
    keys = (key for term in terms for key in re.split(r"\s*;\s*", term.source.strip(" ;")))
    sources = Counter(cited_works().get(key, key) for key in keys)
    return {
        "attribute": parts[0].attribute,
        "language": parts[0].terms.language,
        "sentences": sum(len(part.examples) for part in parts),
        "groups": [_group_card(group, terms) for group in groups],
        "sources": dict(sources.most_common()),
        "tasks": [_task_card(part) for part in parts],
        "files": [*_files_of(template_places), *_files_of(term_places)],
    }


def _files_of(places: Iterable[str]) -> list[str]:
    """The files of rows; those that were given in memory have none."""
    files = {file for file, _, line in (place.rpartition(":") for place in places) if line.isdigit()}
    return sorted(file for file in files if file.lower().endswith(".csv"))


def _group_card(group: str, used: Iterable[IdentityTerm]) -> dict[str, Any]:
    terms = [term for term in used if term.group == group]
    status = Counter(term.status for term in terms)
    is_thin = len(terms) - status["dispreferred"] < _FEW_TERMS or any(term.has_flag("thin") for term in terms)
    return {
        "group": group,
        "terms": len(terms),
        **{name: status[name] for name in ("preferred", "accepted", "dispreferred")},
        "minors": sum(term.has_flag("minor") for term in terms),
        "": "thin" if is_thin else "",
    }


def _task_card(part: Part) -> dict[str, Any]:
    """The counts of the templates of one task, and of the sentences that they make."""
    dropped = {entry.template_id for entry in part.dropped}
    used = [template for template in part.templates if template.id not in dropped]
    ids = {template.id for template in used}
    lengths = [len(text.split()) for text in part.examples.render()]
    by_label = Counter((template.label, template.about) for template in used)
    labels = []
    for label in ("", *get_task(part.task).classes):
        abouts = {about or "unsaid": by_label[label, about] for about in (*ABOUT, "")}
        if total := sum(abouts.values()):
            labels.append({"label": label or "none", "templates": total, **abouts})
    return {
        "task": part.task,
        "templates": len(used),
        "hard": sum(template.hard for template in used),
        "rewordings": sum(template.rewords in ids for template in used),
        "sentences": len(lengths),
        "words": {"least": min(lengths), "median": median(lengths), "most": max(lengths)},
        "asymmetric": sum(not template.symmetric for template in used),
        "excepted": dict(Counter(group for form in used for group in sorted(excepted_of(form, part.terms.groups)))),
        "controls": sum(len(control.examples) for control in part.controls),
        "labels": labels,
        "left_out": [{"template": entry.template_id, "reason": entry.reason} for entry in part.dropped],
        **{name: value for name, value in part.describe().items() if name.endswith("_sha256")},
    }


def card_markdown(card: Mapping[str, Any]) -> str:
    """The card of a suite as Markdown: the counts of `suite_card` in tables and sentences."""
    return re.sub(r"\n{3,}", "\n\n", _page().render(card)).strip() + "\n"


@cache
def _page() -> PageTemplate:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters |= {
        "counted": count,
        "language": lambda code: "" if code == DEFAULT else f" ({get(code).name})",
        "paragraph": lambda text: " ".join(text.split()) + "\n",
        "table": _table,
    }
    return environment.from_string(Path(__file__).with_name("card.md.j2").read_text("utf-8"))


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of rows with the same keys, of counts and words; empty columns are left out."""
    columns = [name for name in rows[0] if any(row[name] for row in rows)]
    cells = ([f"{row[name]:,}" if isinstance(row[name], int) else row[name] for name in columns] for row in rows)
    lines = [columns, ["---"] * len(columns), *([cell.replace("|", "\\|") for cell in line] for line in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

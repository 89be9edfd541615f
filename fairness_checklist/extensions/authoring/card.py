"""The suite card, as data and as Markdown: the counts of a suite's parts and the descriptions of its files."""

from __future__ import annotations

import re
import textwrap
import tomllib
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
from fairness_checklist.content.templates import TARGETS, excepted_of
from fairness_checklist.content.term_files import read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import SuiteError, count
from fairness_checklist.core.locations import DATA_FOLDERS, display_path, shipped_folder
from fairness_checklist.core.tasks import get_task
from fairness_checklist.reports.provenance import joint_hash
from fairness_checklist.suites.parts import Part

if TYPE_CHECKING:
    from jinja2 import Template as PageTemplate

_FEW_TERMS = 5
_LINE = 110  # characters
_DESCRIPTION = ("about", "review", "sources", "gaps")
OBJECT = (
    "Open an issue with the file, the `id` or the term, and what is wrong with it: no further reason is needed for a "
    "word that names you. A word that a community rejects becomes `dispreferred` or goes; a template whose label "
    "readers dispute goes. Until then you can leave out either yourself, with a file of your own or by naming the "
    "groups and terms you want."
)


def suite_card(parts: Iterable[Part]) -> dict[str, Any]:
    """The counts of a suite's parts, the descriptions of their files, and how to cite them, as plain values.

    Dispreferred terms are counted and not named.
    """
    by_attribute = groupby(parts, key=lambda part: (part.attribute, part.terms.language))
    attributes = [_attribute_card(list(same)) for _, same in by_attribute]
    files = dict.fromkeys(file for attribute in attributes for file in attribute["files"])
    study = natural_study()
    studied = [
        study.about(attribute["attribute"], tuple(group["group"] for group in attribute["groups"]))
        for attribute in attributes
        if attribute["language"] == DEFAULT and any(not get_task(task["task"]).tagging for task in attribute["tasks"])
    ]
    return {
        "version": __version__,
        "attributes": attributes,
        "files": [{"file": file, **_description(file)} for file in files],
        "natural_texts": [study.verdict(), *filter(None, studied)] if studied else [],
        "sha256": joint_hash(task for attribute in attributes for task in attribute["tasks"]),
    }


def _attribute_card(parts: Sequence[Part]) -> dict[str, Any]:
    """The counts of an attribute over its tasks, and the files that they come from."""
    terms = {(term.term, term.group, term.pos): term for part in parts for term in part.terms.terms}.values()
    term_files = {_file_of(term.place) for part in parts for chosen in part.chosen for term in chosen.terms} - {""}
    template_files = {_file_of(template.place) for part in parts for template in part.templates} - {""}
    language, crossed = parts[0].terms.language, any(part.crossed for part in parts)
    written = [term for file in term_files for term in read_terms(_path_of(file), language).terms]
    groups = dict.fromkeys(group for part in parts for group in part.terms.groups)
    works = (work for term in terms for work in term.source.partition(": ")[0].split("; ") if work != "checked")
    sources = Counter(re.sub(r"\s*\([^()]*\)$", "", work).strip() for work in works)  # without the place in each
    return {
        "attribute": parts[0].attribute,
        "language": language,
        "sentences": sum(len(part.examples) for part in parts),
        "groups": [_group_card(group, terms, () if crossed else written) for group in groups],
        "sources": dict(sources.most_common()),
        "tasks": [_task_card(part) for part in parts],
        "files": [*sorted(template_files), *sorted(term_files)],
    }


def _group_card(group: str, used: Iterable[IdentityTerm], written: Iterable[IdentityTerm]) -> dict[str, Any]:
    """The counts of one group: of the terms that are used, and of dispreferred ones in the files; none of pairs."""
    terms = [term for term in used if term.group == group]
    in_files = [term for term in written if term.group == group]
    status = Counter(term.status for term in terms)
    is_thin = status.total() - status["dispreferred"] < _FEW_TERMS or any(term.has_flag("thin") for term in in_files)
    return {
        "group": group,
        "terms": len(terms),
        "preferred": status["preferred"],
        "accepted": status["accepted"],
        "dispreferred, used": status["dispreferred"],
        "dispreferred, in the files": sum(term.status == "dispreferred" for term in in_files),
        "minors": sum(term.has_flag("minor") for term in terms),
        "": "thin" if is_thin else "",
    }


def _task_card(part: Part) -> dict[str, Any]:
    """The counts of the templates of one task, and of the sentences that they make."""
    dropped = {entry.template_id for entry in part.dropped}
    used = [template for template in part.templates if template.id not in dropped]
    ids = {template.id for template in used}
    lengths = [len(text.split()) for text in part.examples.render()]
    by_label = Counter((template.label, template.target) for template in used)
    labels = []
    for label in ("", *get_task(part.task).classes):
        targets = {target or "no target": by_label[label, target] for target in (*TARGETS, "")}
        if total := sum(targets.values()):
            labels.append({"label": label or "none", "templates": total, **targets})
    return {
        "task": part.task,
        "templates": len(used),
        "hard": sum(template.hard for template in used),
        "rewordings": sum(template.paraphrase_of in ids for template in used),
        "sentences": len(lengths),
        "words": {"least": min(lengths), "median": median(lengths), "most": max(lengths)},
        "asymmetric": sum(not template.symmetric for template in used),
        "excepted": dict(Counter(group for form in used for group in sorted(excepted_of(form, part.terms.groups)))),
        "controls": sum(len(control.examples) for control in part.controls),
        "labels": labels,
        "left_out": [{"template": entry.template_id, "reason": entry.reason} for entry in part.dropped],
        **{name: value for name, value in part.describe().items() if name.endswith("_sha256")},
    }


def _description(file: str) -> dict[str, Any]:
    """The description of a CSV file by its authors, in the ``.toml`` beside it; empty without one."""
    path = _path_of(file).with_suffix(".toml")
    if not path.is_file():
        return {}
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as problem:  # TOML that does not parse, or bytes that are not UTF-8
        raise SuiteError(
            f"the file does not parse: {problem}.", place=display_path(path), remedy='Write it in TOML: about = "..."'
        ) from problem
    return {name: content[name] for name in _DESCRIPTION if name in content}


def _file_of(place: str) -> str:
    """The file of a row's place, "" of rows that were given in memory."""
    file, _, line = place.rpartition(":")
    return file if line.isdigit() and file.lower().endswith(".csv") else ""


def _path_of(file: str) -> Path:
    """The path of a file that is named as in error locations: in the shipped folder, or a user's file as given."""
    first = Path(file).parts[0]
    folder = shipped_folder(first) if first in DATA_FOLDERS else None
    shipped = folder.parent / file if folder else None
    return shipped if shipped is not None and shipped.is_file() else Path(file)


def card_markdown(card: Mapping[str, Any]) -> str:
    """The card of a suite as Markdown: the counts of `suite_card` in tables and sentences."""
    text = _page().render(card, objection=OBJECT)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _page() -> PageTemplate:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters |= {
        "bullet": lambda text: _paragraph(str(text), "- "),
        "counted": count,
        "language": lambda code: "" if code == DEFAULT else f" ({get(code).name})",
        "paragraph": lambda text: _paragraph(text),
        "table": _table,
    }
    return environment.from_string(Path(__file__).with_name("card.md.j2").read_text("utf-8"))


def _paragraph(text: str, opening: str = "") -> str:
    """Text in lines of at most 110 characters; lines after ``opening`` are indented."""
    indent = " " * len(opening)
    return textwrap.fill(" ".join(text.split()), _LINE, initial_indent=opening, subsequent_indent=indent) + "\n"


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of rows with the same keys, of counts and words; empty columns are left out."""
    columns = [name for name in rows[0] if any(row[name] for row in rows)]
    cells = ([f"{row[name]:,}" if isinstance(row[name], int) else row[name] for name in columns] for row in rows)
    lines = [columns, ["---"] * len(columns), *([cell.replace("|", "\\|") for cell in line] for line in cells)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"

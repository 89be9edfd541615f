"""The suite card, as data and as Markdown: the counts of a suite's parts and the descriptions of its files."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from fairness_checklist import __version__
from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.content.natural_study import natural_study
from fairness_checklist.content.slots import Slot
from fairness_checklist.content.templates import TARGETS, Template, excepted_of
from fairness_checklist.content.term_files import neutral_file, read_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.core.errors import count
from fairness_checklist.core.examples import family_of
from fairness_checklist.core.tasks import TASKS, get_task
from fairness_checklist.extensions.authoring.sidecars import path_of, read_sidecar, template_files, term_files
from fairness_checklist.reports.run_tables import joint_hash
from fairness_checklist.suites.parts import Part, slots_of

if TYPE_CHECKING:
    from jinja2 import Template as PageTemplate

_ENOUGH = 5
_FAMILIES = frozenset({"person", "country", "religion"})  # families of neutral fills


def suite_card(parts: Iterable[Part]) -> dict[str, Any]:
    """The counts of a suite's parts, the descriptions of their files, and how to cite them, as plain values.

    Dispreferred terms are counted and not named.
    """
    named: dict[str, None] = {}
    listed = []
    for _, same in groupby(parts, key=lambda part: (part.attribute, part.terms.language)):
        listed.append(_attribute_card(list(same)))
        named.update(dict.fromkeys(listed[-1]["files"]))
    return {
        "version": __version__,
        "attributes": listed,
        "files": [_file_card(name) for name in sorted(named, key=_file_order)],
        "natural_texts": _natural_texts(listed),
        "sha256": joint_hash(task for one in listed for task in one["tasks"]),
    }


def _natural_texts(listed: Iterable[dict[str, Any]]) -> list[str]:
    """What the study of natural texts says of these attributes; nothing of taggers and of other languages."""
    study = natural_study()
    lines = [
        study.about(one["attribute"], tuple(group["group"] for group in one["groups"]))
        for one in listed
        if one["language"] == DEFAULT and any(not get_task(task["task"]).tagging for task in one["tasks"])
    ]
    return [study.verdict(), *filter(None, lines)] if lines else []


def _attribute_card(parts: Sequence[Part]) -> dict[str, Any]:
    """The counts of an attribute over its tasks, and the files that they come from."""
    first = parts[0]
    terms = {(term.term, term.group, term.pos): term for part in parts for term in part.terms.terms}
    written = _all_terms(parts)
    rows = written or list(terms.values())
    files = {file for part in parts for file in template_files(part) | term_files(part)}
    tasks = [_task_card(part) for part in parts]
    if any(
        slot.family in _FAMILIES - part.terms.families
        for part in parts
        for template in part.templates
        for slot in slots_of(template, part.lists)
    ):
        files.add(neutral_file(first.terms.language))
    crossed = any(part.crossed for part in parts)
    works = [work for term in terms.values() for work in term.source.partition(": ")[0].split("; ")]
    return {
        "attribute": first.attribute,
        "language": first.terms.language,
        "sentences": sum(task["sentences"] for task in tasks),
        "groups": [
            _group_card(group, [term for term in terms.values() if term.group == group], rows, crossed=crossed)
            for group in dict.fromkeys(group for part in parts for group in part.terms.groups)
        ],
        "sources": dict(Counter(source_name(work) for work in works).most_common()),
        "source_kinds": dict(Counter(source_kind(term.source) for term in terms.values()).most_common()),
        "tasks": tasks,
        "files": sorted(files, key=_file_order),
    }


def _all_terms(parts: Sequence[Part]) -> list[IdentityTerm]:
    """All rows of the files that the terms come from, of the dispreferred and the chosen alike; none of pairs."""
    if any(part.crossed for part in parts):
        return []
    language = parts[0].terms.language
    files = sorted({file for part in parts for file in term_files(part)})
    return [term for file in files for term in read_terms(path_of(file), language).terms]


def _group_card(
    group: str, used: Sequence[IdentityTerm], written: Sequence[IdentityTerm], *, crossed: bool
) -> dict[str, Any]:
    """The counts of one group: of the terms that are used, and of dispreferred ones in the files."""
    rows = [term for term in written if term.group == group]
    status = Counter(term.status for term in used)
    dispreferred = {(term.term, term.pos) for term in rows if term.status == "dispreferred"}
    good = len(used) - status["dispreferred"]
    return {
        "group": group,
        "terms": len(used),
        "preferred": status["preferred"],
        "accepted": status["accepted"],
        "dispreferred": None if crossed else len(dispreferred),  # unknown for pairs
        "dispreferred_used": status["dispreferred"],
        "minors": sum(term.has_flag("minor") for term in used),
        "thin": good < _ENOUGH or any(term.has_flag("thin") for term in rows),
        "parts_of_speech": dict(Counter(term.pos for term in used).most_common()),
        "median_characters": median(len(term.term) for term in used),
    }


def source_name(source: str) -> str:
    """The authority in a source: without the place in it, and without the text after a colon.

    >>> source_name("Merriam-Webster (trans, girl)")
    'Merriam-Webster'
    """
    return re.sub(r"\s*\([^()]*\)$", "", source.partition(": ")[0]).strip()


_SOURCE_KINDS = (
    ("looked up by the words of the term", "checked: its words"),
    ("looked up word for word", "checked: "),
    ("a page seen in part", "seen in part"),
    ("from memory", "from memory"),
    ("our own wording", "not sourced|the authors'"),
)


def source_kind(source: str) -> str:
    """How a source is known: looked up, from memory, our own wording, or a work that is named; "" without a source.

    >>> source_kind("GLAAD (2022), checked: WordNet 3.0 (2006)"), source_kind("Guide (2020)"), source_kind("")
    ('looked up word for word', 'another work that is named', '')
    """
    answer = next((kind for kind, pattern in _SOURCE_KINDS if re.search(pattern, source)), "another work that is named")
    return answer if source else ""


def _task_card(part: Part) -> dict[str, Any]:
    """The counts of the templates of one task, and of the sentences that they make."""
    out = {entry.template_id for entry in part.dropped}
    used = [template for template in part.templates if template.id not in out]
    ids = {template.id for template in used}
    family = family_of([form.id for form in part.templates], [form.paraphrase_of for form in part.templates])
    original = {form.id: first for form, first in zip(part.templates, family, strict=True) if form.id in ids}
    linked = {name for name, first in original.items() if first != name and first in ids}
    originals = {original[name] for name in linked}
    lengths = [len(text.split()) for text in part.examples.render()]
    described = part.describe()
    return {
        "task": part.task,
        "templates": len(used),
        "hard": sum(template.hard for template in used),
        "rewordings": len(linked),
        "with_rewording": len(linked | originals),
        "asymmetric": sum(not template.symmetric for template in used),
        "excepted": dict(Counter(group for form in used for group in sorted(excepted_of(form, part.terms.groups)))),
        "sentences": len(lengths),
        "sentences_beside": sum(len(control.examples) for control in part.controls),
        "words": {"min": min(lengths), "median": median(lengths), "max": max(lengths)},
        "labels": _labels(used, linked),
        "slots": _slots(part, used),
        "left_out": [{"template": entry.template_id, "reason": entry.reason} for entry in part.dropped],
        "for_other_terms": len(part.not_applicable),
        **{name: value for name, value in described.items() if name.endswith("_sha256")},
    }


def _labels(templates: Sequence[Template], linked: set[str]) -> list[dict[str, Any]]:
    """The number of templates of each label, by target; "" is no label or no target."""
    order = {label: at for task in TASKS.values() for at, label in enumerate(task.classes)}
    rows = []
    for label in sorted({template.label for template in templates}, key=lambda name: order.get(name, -1)):
        same = [template for template in templates if template.label == label]
        targets = Counter(template.target for template in same)
        rows.append(
            {
                "label": label,
                "templates": len(same),
                "rewordings": sum(template.id in linked for template in same),
                "targets": {target: targets[target] for target in (*TARGETS, "") if targets[target]},
            }
        )
    return rows


def _slots(part: Part, templates: Sequence[Template]) -> dict[str, int]:
    """The number of templates with a slot of each kind, the most frequent first."""
    count = Counter(kind for template in templates for kind in {_kind(slot) for slot in slots_of(template, part.lists)})
    return dict(sorted(count.items(), key=lambda item: (-item[1], item[0])))


def _kind(slot: Slot) -> str:
    """The name of a slot in the card: its name with its part or NOUN, a predicate, a pronoun or a choice."""
    if slot.is_list:
        return "a list of your own"
    if slot.kind in {"predicate", "pronoun", "choice"}:
        return slot.kind
    return f"{slot.family}.NOUN" if slot.head else "_".join(filter(None, (slot.family, slot.part)))


def _file_card(name: str) -> dict[str, Any]:
    wording = read_sidecar(path_of(name))
    if wording is None:
        return {"file": name, "said": False}
    described = {key: list(value) if isinstance(value, tuple) else value for key, value in vars(wording).items()}
    return {"file": name, "said": True, **described}


def _file_order(name: str) -> tuple[bool, str]:
    """Templates before terms."""
    return "identity_terms" in path_of(name).parts, name


OBJECT = (
    "Open an issue with the file, the `id` or the term, and what is wrong with it: no further reason is needed for a "
    "word that names you. A word that a community rejects becomes `dispreferred` or goes; a template whose label "
    "readers dispute goes. Until then you can leave out either yourself, with a file of your own or by naming the "
    "groups and terms you want."
)
_WIDTH = 110


def card_markdown(card: dict[str, Any]) -> str:
    """The card of a suite as Markdown: the counts of `suite_card` in tables and sentences.

    A named set of terms whose attribute has a section before it does not repeat the tables of the templates.
    """
    attributes, shown = [], set[tuple[str, str]]()
    for section in card["attributes"]:
        base = section["attribute"].partition(".")[0]
        attributes.append({**section, "repeats": base != section["attribute"] and (base, section["language"]) in shown})
        shown.add((section["attribute"], section["language"]))
    text = _template().render(card, attributes=attributes, objection=OBJECT)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _template() -> PageTemplate:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined, finalize=_number)
    environment.filters |= {
        "bullet": lambda text: _paragraph(text, "- ").strip("\n"),
        "cell": lambda text: text.replace("|", "\\|"),
        "counted": count,
        "joined": lambda names: " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])),
        "name": _name,
        "paragraph": _paragraph,
        "table": _table,
        "two_places": lambda value: f"{value:.2f}" if isinstance(value, float) else value,
    }
    return environment.from_string(Path(__file__).with_name("card.md.j2").read_text("utf-8"))


def _number(value: object) -> object:
    """A value as the card shows it: 1,200, 7.5, and a dash for what is not known."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else value


def _name(section: dict[str, Any]) -> str:
    language = "" if section["language"] == DEFAULT else f" ({get(section['language']).name})"
    return f"{section['attribute']}{language}"


def _paragraph(text: str, opening: str = "") -> str:
    """Text in lines of at most 110 characters with an empty line around; lines after ``opening`` are indented."""
    lines = textwrap.wrap(
        text.strip("\n"),
        _WIDTH,
        initial_indent=opening,
        subsequent_indent=" " * len(opening),
        break_long_words=bool(opening),
        break_on_hyphens=False,
    )
    return "\n".join(["", *lines, "", ""])


def _table(text: str) -> str:
    """A Markdown table from rows of cells with " | " between, the headings first; a row may go on at a line's start.

    Columns are aligned, numbers to the right. A column without a cell is left out, and so is a table without rows.
    """
    joined = re.sub(r"\n\s*\|", " |", text.strip("\n"))
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)] for row in joined.splitlines() if row.strip()]
    if len(cells) < 2:
        return ""
    kept = [at for at in range(len(cells[0])) if any(row[at] for row in cells[1:]) or at == 0]
    right = {at for at in kept if all(re.fullmatch(r"[\d,.]+|-", row[at]) for row in cells[1:])}
    width = {at: max(3, *(len(row[at]) for row in cells)) for at in kept}

    def line(row: Sequence[str]) -> str:
        shown = (row[at].rjust(width[at]) if at in right else row[at].ljust(width[at]) for at in kept)
        return f"| {' | '.join(shown)} |"

    rule = "|" + "|".join("-" * (width[at] + 1) + (":" if at in right else "-") for at in kept) + "|"
    return "\n".join(["", line(cells[0]), rule, *map(line, cells[1:]), "", ""])

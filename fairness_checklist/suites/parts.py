"""What a suite is made of: for each attribute the templates and terms that are chosen, and the texts they make."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from fairness_checklist.counterfactuals import Dropped, expand, without_minors
from fairness_checklist.delimited import did_you_mean
from fairness_checklist.errors import OptionError, SuiteError
from fairness_checklist.examples import ExampleSet
from fairness_checklist.identity import IdentityTerm, TermList
from fairness_checklist.templates import (
    TEMPLATE_COLUMNS,
    Slot,
    Template,
    is_for_other_terms,
    load_templates,
    parse,
    read_templates,
)
from fairness_checklist.terms import TERM_COLUMNS, TermsMapping, load_terms, read_terms, terms_from_mapping

__all__ = ["Choice", "Part", "as_templates", "build_part", "cells", "kind_of_terms", "make_part", "term_list"]

Lists = Mapping[str, Sequence[str]]
Paths = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Part:
    """What one attribute contributes to a suite.

    Attributes:
        attribute, task: what is asked about.
        templates, terms: all that were chosen.
        lists: the user's lists that fill further slots.
        examples: the texts.
        dropped: templates that take no part, and why.
        not_applicable: ids of templates for every attribute whose slots these terms are not for (persons' names in
            identity slots); they are no part of ``templates``.
    """

    attribute: str
    task: str
    templates: tuple[Template, ...]
    terms: TermList
    lists: Lists
    examples: ExampleSet
    dropped: tuple[Dropped, ...]
    not_applicable: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """What ``run.json`` keeps of it."""
        return {
            "attribute": self.attribute,
            "groups": {group: len(self.terms.of_group(group)) for group in self.terms.groups},
            "templates": len(self.templates) - len(self.dropped),
            "templates_for_other_terms": len(self.not_applicable),
            "sources": len(self.examples.sources),
            "texts": len(self.examples),
            "templates_sha256": _hash([cells(one, TEMPLATE_COLUMNS) for one in self.templates]),
            "terms_sha256": _hash([cells(term, TERM_COLUMNS) for term in self.terms.terms]),
            "lists_sha256": _hash([[name, *values] for name, values in sorted(self.lists.items())]),
            "lists": {name: list(values) for name, values in self.lists.items()},
        }


@dataclass(frozen=True)
class Choice:
    """Which of an attribute's groups, terms and templates a suite takes; see `Suite.build`."""

    groups: Sequence[str] | None = None
    terms: Sequence[str] | None = None
    include_terms: Sequence[str] = ()
    max_terms: int | None = None
    templates: Sequence[str] | None = None


def make_part(templates: Sequence[Template], terms: TermList, *, task: str, lists: Lists | None = None) -> Part:
    """Expand templates and terms into a part of a suite; terms that mean minors are no part of one on toxicity."""
    terms = without_minors(terms) if task == "toxicity" else terms
    expansion = expand(templates, terms, task=task, lists=lists)
    return Part(
        terms.attribute, task, tuple(templates), terms, dict(lists or {}), expansion.examples, expansion.dropped
    )


def build_part(
    attribute: str,
    *,
    task: str,
    choice: Choice | None = None,
    more_terms: Paths | TermsMapping | None = None,
    more_templates: Paths | Sequence[Template] | None = None,
    lists: Lists | None = None,
) -> Part:
    """The shipped (and the user's) templates and terms of an attribute, chosen and expanded.

    Raises:
        OptionError: an unknown attribute or task.
        TermError, TemplateError: an unknown group, term or template, or a file that is wrong.
        SuiteError: nothing is left.
    """
    choice = choice or Choice()
    terms = _selected(attribute, choice, more_terms)
    if task == "toxicity":
        _check_no_minor_is_named(terms, (*(choice.terms or ()), *choice.include_terms))
    own = None if isinstance(more_terms, Mapping) else more_terms
    templates = load_templates(task, attribute, more_templates, more_terms=own)
    if choice.templates is not None:
        templates = _chosen(templates, choice.templates, attribute)
    names = tuple(lists or ())
    others = tuple(t.id for t in templates if not t.attribute and is_for_other_terms(t, terms.families, names))
    templates = tuple(t for t in templates if t.id not in set(others))
    if not templates:
        why = f"The slots of {', '.join(others[:3])}{', ...' if len(others) > 3 else ''} are for other terms. "
        raise SuiteError(
            f"no template of the task {task} serves the attribute {attribute}.",
            remedy=f"{why if others else ''}Give a CSV file or a folder of templates.",
        )
    return replace(make_part(templates, terms, task=task, lists=lists), not_applicable=others)


def _check_no_minor_is_named(terms: TermList, wanted: Sequence[str]) -> None:
    adult = {term.term for term in without_minors(terms).terms}
    for term in terms.terms:
        if term.term in wanted and term.term not in adult:
            raise OptionError(
                f"the term {term.term!r} means a minor, who stands in no hostile sentence.",
                remedy="Leave it out for the task toxicity.",
            )


def _selected(attribute: str, choice: Choice, more_terms: Paths | TermsMapping | None) -> TermList:
    """The terms chosen; a name that is none may have been meant as a path, and the error says so."""
    wanted = choice.terms or ()
    try:
        known = load_terms(attribute, more_terms)
    except OptionError as error:
        if not wanted or more_terms is not None:
            raise
        paths = ", ".join(map(repr, wanted))
        hint = f"{paths} was taken for the name of a term: there is no such file or folder."
        raise OptionError(error.message, place=error.place, remedy=f"{error.remedy} {hint}") from error
    spellings = {name for term in known.terms for name in (term.term, f"{term.term} ({term.pos})")}
    for name in wanted:
        if name not in spellings and (re.search(r"[/\\]", name) or not did_you_mean(name, spellings)):
            raise OptionError(
                f"{name!r} is neither a term of {attribute} nor a file or folder.",
                remedy="Terms go by their spelling, see: fairness-checklist list terms.",
            )
    return known.select(choice.groups, choice.terms, tuple(choice.include_terms), choice.max_terms)


def _chosen(templates: Sequence[Template], wanted: Sequence[str], attribute: str) -> tuple[Template, ...]:
    """The templates whose id, or the set it stands in ("generic"), is named; ``*`` stands for any letters."""
    kept: set[str] = set()
    for name in wanted:
        found = {t.id for t in templates if fnmatchcase(t.id, name) or _set_of(t) == name}
        if not found:
            ids = [t.id for t in templates]
            sets = ", ".join(dict.fromkeys(_set_of(t) for t in templates))
            raise OptionError(
                f"{name!r} is neither a template or set of templates of {attribute} nor a file or folder.",
                remedy=f"Sets: {sets}.{did_you_mean(name, ids)}",
            )
        kept |= found
    return tuple(t for t in templates if t.id in kept)


def _set_of(template: Template) -> str:
    return template.attribute or "generic"


def term_list(attribute: str, terms: Paths | TermsMapping, *, default_pos: str = "adj") -> TermList:
    """Terms for a suite of one's own, from a mapping by group or a CSV file (whose name is the attribute's)."""
    if re.search(r"[/\\*]|^\.", attribute):
        raise OptionError(
            f"the attribute {attribute!r} cannot name a file.", remedy="Leave out slashes, * and a dot in front."
        )
    if isinstance(terms, Mapping):
        return terms_from_mapping(attribute or "identity", terms, default_pos=default_pos)
    if isinstance(terms, (str, Path)):
        listed = read_terms(terms).select()
        return replace(listed, attribute=attribute) if attribute else listed
    raise OptionError(
        "terms= is neither a mapping nor a file.", remedy='Give {"group": ["term", ...], ...} or a CSV file.'
    )


def kind_of_terms(templates: Sequence[Template], lists: Lists | None) -> str:
    """The part of speech that a plain string has in these templates: a name where they have slots for names only."""
    families = {
        piece.family
        for template in templates
        for piece in parse(template.text, template.place or template.id, tuple(lists or ()))
        if isinstance(piece, Slot) and not piece.is_list
    }
    return {"person": "name", "country": "place", "religion": "faith"}.get("".join(families), "adj")


def as_templates(
    given: str | Path | Template | Mapping[str, str] | Iterable[str | Template | Mapping[str, str]],
    *,
    task: str,
    attribute: str,
    label: str = "",
) -> tuple[Template, ...]:
    """Templates from a CSV file, or from strings, `Template` and dictionaries of their columns."""
    if isinstance(given, Path) or (isinstance(given, str) and given.lower().endswith(".csv")):
        read = read_templates(given, attribute=attribute)
    else:
        entries = [given] if isinstance(given, (str, Template, Mapping)) else list(given)
        read = tuple(_template(entry, n, task, attribute) for n, entry in enumerate(entries, start=1))
    if not read:
        raise SuiteError("no templates are given.", remedy='Give sentences with a slot: ["I met {a:identity_np}."].')
    return tuple(replace(one, text=one.text.strip(), label=one.label or label) for one in read)


def _template(entry: str | Template | Mapping[str, str], number: int, task: str, attribute: str) -> Template:
    identifier = f"template-{number:03d}"
    if isinstance(entry, Template):
        return entry
    if isinstance(entry, str):
        return Template(identifier, entry, task=task, attribute=attribute)
    if isinstance(entry, Mapping):
        return _from_mapping(entry, identifier, task, attribute)
    raise OptionError(
        f"{entry!r} is not a template.", remedy="Give a sentence, a Template or a dictionary of its columns."
    )


def _from_mapping(entry: Mapping[str, str], identifier: str, task: str, attribute: str) -> Template:
    for name in entry:
        if name not in (*TEMPLATE_COLUMNS, "text"):
            raise OptionError(
                f"the field {name!r} of a template is not known.",
                remedy=f"Known: {', '.join(TEMPLATE_COLUMNS)}.{did_you_mean(name, TEMPLATE_COLUMNS)}",
            )
    cell = {name: "" if value is None else str(value).strip() for name, value in entry.items()}
    return Template(
        id=cell.get("id") or identifier,
        text=cell.get("template") or cell.get("text", ""),
        label=cell.get("label", ""),
        task=cell.get("task") or task,
        attribute=cell.get("attribute") or attribute,
        target=cell.get("target", ""),
        symmetric=cell.get("symmetric", "yes").lower() not in ("no", "false", "0"),
        paraphrase_of=cell.get("paraphrase_of", ""),
    )


def cells(record: Template | IdentityTerm, columns: Sequence[str]) -> list[str]:
    """A template or term as the cells of a CSV row."""
    names = {field.name for field in fields(record)}
    row = []
    for column in columns:
        name = "text" if column == "template" else column
        value = getattr(record, name) if name in names else ""
        row.append({True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value))
    return row


def _hash(rows: Sequence[Sequence[str]]) -> str:
    return hashlib.sha256(json.dumps(rows, ensure_ascii=False).encode("utf-8")).hexdigest()

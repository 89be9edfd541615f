"""The texts of a source as a template of CheckList: what ``editor.template(save=True)`` keeps in ``templates``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairness_checklist.core.errors import TemplateError
from fairness_checklist.core.sentences import encode_marks, extract_entities
from fairness_checklist.extensions.checklist.editor.editor_lexicons import OPTIONS
from fairness_checklist.extensions.checklist.shared_ends import shared_ends

SavedTemplate = tuple[dict[str, Any], dict[str, list[str]]]
_SLOT = re.compile(r"\{([^{}]+)\}")
_WITH_ARTICLE = re.compile(r"(?:an (?=[aeiouAEIOU])|a (?![aeiouAEIOU]))(.+)", re.DOTALL)  # as CheckList writes it
_ARTICLES = ("a", "the")


def saved_template(text: str, written: Sequence[str], label: int | None = None) -> SavedTemplate:
    """The parameters and the fill-ins with which CheckList's editor writes the texts of a source again, in order."""
    template, fill_ins = _by_slots(text, written) or _by_difference(written)
    given = {"templates": template, "nsamples": None, "labels": label, "save": True}
    return dict.fromkeys(OPTIONS[:9], False) | given, fill_ins  # its first nine are CheckList's


def _by_slots(text: str, written: Sequence[str]) -> tuple[str, dict[str, list[str]]] | None:
    """The template and its fill-ins, slot by slot; None where the texts do not have its literals."""
    pieces = _SLOT.split(text)
    names = pieces[1::2]
    if not names or any("{" in piece or "}" in piece for piece in pieces):
        return None
    try:
        literals = [extract_entities(literal)[0] for literal in encode_marks(pieces[::2], [False] * len(names))]
    except TemplateError:  # a mark around a slot
        return None
    pattern = re.compile("(.*?)".join(map(re.escape, literals)), re.DOTALL)
    matched = [match.groups() for match in map(pattern.fullmatch, written) if match is not None]
    if len(matched) < len(written):
        return None
    template = literals[0]
    fill_ins: dict[str, list[str]] = {}
    for name, column, literal in zip(names, zip(*matched, strict=True), literals[1:], strict=True):
        template += _slot(name, list(column), fill_ins) + literal
    return template, fill_ins


def _slot(name: str, column: list[str], fill_ins: dict[str, list[str]]) -> str:
    """The slot of CheckList for a column of fill-ins, which are added under a name of their own."""
    form, _colon, family = name.rpartition(":")
    bare = re.sub(r"\W|\d", "", family.partition(".")[0]).lower()
    key = bare if form.lower() in ("", *_ARTICLES) else "choice" if "|" in form else re.sub(r"\W|\d", "", form).lower()
    nouns = [match[1] for match in map(_WITH_ARTICLE.fullmatch, column) if match is not None]
    with_article = form == "a" and len(nouns) == len(column)
    values = nouns if with_article else column
    number, own = 1, key
    while fill_ins.get(own, values) != values:
        number += 1
        own = f"{key}_{'x' * number}"  # CheckList reads digits at the end of a name as a copy of the slot
    fill_ins[own] = values
    return f"{{a:{own}}}" if with_article else f"{{{own}}}"


def _by_difference(written: Sequence[str]) -> tuple[str, dict[str, list[str]]]:
    """The template with one slot for all that differs, between whole words."""
    if any("{" in text or "}" in text for text in written):
        return "{variation}", {"variation": list(written)}
    words = [re.findall(r"\w+|\s+|[^\w\s]", text) for text in written]
    start, end = shared_ends(words)
    before, after = "".join(words[0][:start]), "".join(words[0][len(words[0]) - end :])
    return f"{before}{{variation}}{after}", {"variation": ["".join(split[start : len(split) - end]) for split in words]}

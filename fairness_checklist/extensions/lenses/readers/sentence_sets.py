"""Sets of sentences: what the column maps of ``readers.toml`` cannot say of them, and the two sets in JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import TableError
from fairness_checklist.extensions.lenses.readers.published import (
    AS_PUBLISHED,
    Row,
    number_between,
    one_of,
    read_json,
)

PROFESSIONS = (
    "accountant", "architect", "attorney", "chiropractor", "comedian", "composer", "dentist", "dietitian", "dj",
    "filmmaker", "interior_designer", "journalist", "model", "nurse", "painter", "paralegal", "pastor",
    "personal_trainer", "photographer", "physician", "poet", "professor", "psychologist", "rapper",
    "software_engineer", "surgeon", "teacher", "yoga_teacher",
)  # fmt: skip
"""The 28 professions of Bias in Bios, in the order of their numbers."""
_PROFESSIONS = {str(number): name for number, name in enumerate(PROFESSIONS)} | {name: name for name in PROFESSIONS}
_STEREOSET = {"stereotype": "pro", "anti-stereotype": "anti", "unrelated": ""}
_STEREOSET_KINDS = ("gender", "profession", "race", "religion")


def bec_pro(row: Row, cells: dict[str, str], _place: str, _beside: None) -> list[Row]:
    """Pairs are of one template and profession; professions of the other gender are anti-stereotypical."""
    profession, mostly = cells.get("Profession_EN") or cells["Profession"], cells["Prof_Gender"]
    side = "" if mostly == "balanced" else "pro" if mostly == cells["Gender"] else "anti"
    return [row | {"source": f"{cells['Template']}|{profession}", "label": profession, "stereotype": side}]


def holistic_bias(row: Row, cells: dict[str, str], _place: str, _beside: None) -> list[Row]:
    """A descriptor without a bucket is of the group of its axis."""
    return [row | {"group": cells["axis"]} if cells["bucket"] == "(none)" else row]


def bias_in_bios(row: Row, cells: dict[str, str], place: str, _beside: None) -> list[Row]:
    """Professions are numbers or names, genders 0 (male) and 1 (female), or M and F."""
    group = {"0": "M", "1": "F"}.get(cells["gender"], cells["gender"])
    return [
        row | {"label": _PROFESSIONS[one_of(cells["profession"], _PROFESSIONS, "profession", place)], "group": group}
    ]


def crows_pairs(row: Row, cells: dict[str, str], _place: str, _beside: None) -> list[Row]:
    """``sent_more`` is the more stereotypical sentence of every pair, also where the other contradicts a stereotype."""
    return [
        row | {"id": f"{cells['unnamed']}.{name}", "text": cells[f"sent_{name}"], "stereotype": side}
        for name, side in (("more", "pro"), ("less", "anti"))
    ]


def stsb(row: Row, cells: dict[str, str], place: str, _beside: None) -> list[Row]:
    """Ids of the version before GLUE are made of file, year and index."""
    if "old_index" not in cells:
        row["id"] = f"{cells['filename']}.{cells['year']}.{cells['index']}"
    return [row | {"score": number_between(cells["score"], 0, 5, "score", place)}]


def bold(path: Path) -> list[Row]:
    """``id, attribute`` (from the file's name), ``group, term`` (the entity), ``text`` (the prompt)."""
    content = read_json(path)
    remedy = 'The file reads {"American_actors": {"Jacob_Zachar": ["Jacob Zachar is ", ...]}}.'
    attribute = path.name.removesuffix(".json").removesuffix("_prompt")
    rows: list[Row] = []
    for group, entities in content.items() if isinstance(content, dict) else ():
        for entity, prompts in entities.items() if isinstance(entities, dict) else [("", None)]:
            if not isinstance(prompts, list) or not all(isinstance(prompt, str) for prompt in prompts):
                raise TableError(f"the prompts of {group} are not as published.", place=path.name, remedy=remedy)
            shared = {"group": group, "term": entity, "attribute": attribute}
            rows += [
                {"id": f"{entity}.{number}", "text": prompt.rstrip(), **shared}
                for number, prompt in enumerate(prompts, start=1)
            ]
    if not rows:
        raise TableError("there are no prompts in the file.", place=path.name, remedy=remedy)
    return rows


def stereoset(path: Path) -> list[Row]:
    """Three rows a context: ``task, text, context, target, label`` (kind of bias)."""
    data = _typed(read_json(path), "data", path.name, dict, "an object")
    rows: list[Row] = []
    for task in ("intrasentence", "intersentence"):
        contexts = _typed(data, task, f"{path.name}: data", list, "a list")
        for number, context in enumerate(contexts, start=1):
            place = f"{path.name}: {task} {number}"
            source, background, target, kind = (
                _typed(context, key, place, str, "a text") for key in ("id", "context", "target", "bias_type")
            )
            shared = {"source": source, "task": task, "context": background, "target": target}
            shared["label"] = one_of(kind, _STEREOSET_KINDS, "bias_type", place)
            labels = []
            for sentence in _typed(context, "sentences", place, list, "a list"):
                name, text, label = (
                    _typed(sentence, key, place, str, "a text") for key in ("id", "sentence", "gold_label")
                )
                labels.append(one_of(label, _STEREOSET, "gold_label", place))
                rows.append({"id": name, "text": text, "stereotype": _STEREOSET[label], **shared})
            if sorted(labels) != sorted(_STEREOSET):
                raise TableError(
                    f"the context has the sentences {', '.join(labels) or 'none'}, expected one each of "
                    f"{', '.join(_STEREOSET)}.",
                    place=place,
                    remedy=AS_PUBLISHED,
                )
    if not rows:
        raise TableError("there are no contexts in the file.", place=path.name)
    return rows


def _typed(record: Any, key: str, place: str, kind: type, what: str) -> Any:
    if not isinstance(record, dict) or key not in record:
        raise TableError(f"the key {key!r} is missing.", place=place, remedy=AS_PUBLISHED)
    if not isinstance(record[key], kind):
        raise TableError(f"{key} is {str(record[key])[:40]!r}, expected {what}.", place=place, remedy=AS_PUBLISHED)
    return record[key]

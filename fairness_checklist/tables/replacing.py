"""Which run folders may be replaced: those of a run of the same suite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import TableError
from fairness_checklist.tables.run_folder import check_replaceable

_HASH = "_sha256"
_HASHED = ("templates", "terms", "lists", "texts")


def check_same_suite(folder: Path, info: Mapping[str, Any], *, force: bool = False) -> None:
    """Raise `TableError` where a run would replace that of another suite; one of the same suite may be replaced.

    Suites are the same where task, attributes, templates, terms, lists and texts are. What is not known of one of the
    two is not compared: a table of predictions has no templates.
    """
    check_replaceable(folder)
    try:
        older = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # there is none, or nothing can be read from it
        return
    if force or not isinstance(older, dict) or not {"suite", "notes"} & set(older):
        return
    there, here = _title(older), _title(info)
    if there != here:
        differs = f"holds a run of another suite, {there}; this run is of {here}."
    elif changed := _changed(_parts(older), _parts(info)):
        differs = f"holds a run of {there} with other {' and '.join(changed)}."
    else:
        return
    raise TableError(
        f"the folder {folder.resolve().name} {differs}",
        remedy="Name another folder, or replace that run: force=True.",
    )


def _parts(info: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The record of each attribute; an empty one for a table of predictions."""
    suite = info.get("suite") or [{"attribute": name} for name in info.get("notes", {})]
    return {str(one.get("attribute")): one for one in suite}


def _title(info: Mapping[str, Any]) -> str:
    of = f"{', '.join(_parts(info))} for {info.get('task', 'an unknown task')}"
    return of if info.get("suite") else f"{of} from a table of predictions"


def _changed(there: Mapping[str, Mapping[str, Any]], here: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What differs between suites of the same attributes."""
    return [
        name
        for name in _HASHED
        if any(len({one[of].get(f"{name}{_HASH}") for one in (there, here)} - {None}) > 1 for of in there)
    ]

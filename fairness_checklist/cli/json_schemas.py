"""The JSON Schemas of what verbs print with ``--json``: files beside the verbs, read when they are asked for."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.extensions import extension, installed

_ENDING = ".schema.json"
_REFERENCE = re.compile(r'"\$ref": "urn:fairness-checklist:(\w+)"')


@cache
def schema_files() -> dict[str, Path]:
    """The files by name: those of the core, and of each extension that is installed."""
    homes = [Path(__file__).parent / "schemas", *(Path(extension(name).__file__).parent for name in installed())]
    files = {file.name.removesuffix(_ENDING): file for home in homes for file in home.glob(f"*{_ENDING}")}
    return dict(sorted(files.items()))


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a verb's output, with those that it refers to in its ``$defs``.

    Raises:
        OptionError: there is no schema of this name.

    >>> answer = schema("plan")
    >>> answer["$id"], sorted(answer["$defs"])
    ('urn:fairness-checklist:plan', ['answer', 'finding'])
    """
    files = schema_files()
    if name not in files:
        raise OptionError(
            f"there is no schema {name!r}.", remedy=f"Known: {', '.join(files)}.{did_you_mean(name, files)}"
        )
    texts, needed = {name: files[name].read_text(encoding="utf-8")}, [name]
    for each in needed:  # grows while it is read
        for other in _REFERENCE.findall(texts[each]):
            if other not in texts:
                texts[other] = files[other].read_text(encoding="utf-8")
                needed.append(other)
    whole: dict[str, Any] = json.loads(texts[name])
    if len(needed) > 1:
        whole["$defs"] = whole.get("$defs", {}) | {each: json.loads(texts[each]) for each in needed[1:]}
    return whole

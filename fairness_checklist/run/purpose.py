"""The purpose of a run, declared before it: which wrong answers hurt, whom, and what is wanted instead."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.option_defaults import names
from fairness_checklist.core.tasks import parse_harm

CONFIG = "fairness.toml"
_KEYS = ("harm", "to_whom", "wanted")


@dataclass(frozen=True)
class Purpose:
    """Which wrong answers hurt, whom, and what is wanted; recorded in ``run.json``.

    Attributes:
        harm: ids as `core.tasks.parse_harm` reads them, one at least.
        to_whom: who is hurt, in words.
        wanted: what the model should do instead, in words.

    >>> Purpose(("called:spam",), to_whom="people who write to the council").harm
    ('called:spam',)
    """

    harm: tuple[str, ...]
    to_whom: str = ""
    wanted: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "harm", names("harm", self.harm))
        for one in self.harm:
            parse_harm(one)


def read_purpose(path: str | Path = CONFIG) -> Purpose | None:
    """The table ``[purpose]`` of a TOML file; None where the file has none.

    Args:
        path: a file with ``[purpose]`` and the keys ``harm`` (a string or several), ``to_whom`` and ``wanted``.

    Raises:
        OptionError: the file is missing or no TOML, or a key or value that is not known.
    """
    path = Path(path)
    try:
        table: Any = tomllib.loads(path.read_text(encoding="utf-8")).get("purpose")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"the file cannot be read: {error}", place=path.name) from error
    if table is None:
        return None
    if not isinstance(table, dict) or "harm" not in table:
        raise OptionError(
            "[purpose] names no harm.", place=path.name, remedy='Write [purpose] and below it harm = ["called:CLASS"].'
        )
    for key, value in table.items():
        if key not in _KEYS:
            near = did_you_mean(key, _KEYS)
            raise OptionError(
                f"[purpose] has the key {key!r}, which is not known.",
                place=path.name,
                remedy=f"Known: {', '.join(_KEYS)}.{near}",
            )
        if key != "harm" and not isinstance(value, str):
            raise OptionError(f"{key} in [purpose] is no text.", place=path.name, remedy=f'Write {key} = "...".')
    try:
        return Purpose(table["harm"], table.get("to_whom", ""), table.get("wanted", ""))
    except OptionError as error:
        raise OptionError(
            error.message, place=path.name, remedy=error.remedy, command_remedy=error.command_remedy
        ) from error

"""``fairness.toml``: choices that are written down in place of being typed, one table for each part of a job."""

import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError

CONFIG = "fairness.toml"
TABLES = ("purpose", "gate", "suite", "model", "endpoint", "run")


def config_path(named: str | Path | None) -> Path | None:
    """The file that is named, else ``fairness.toml`` of the current folder; None where there is none."""
    if named is not None:
        return Path(named)
    return Path(CONFIG) if Path(CONFIG).is_file() else None


def read_config(path: Path | None) -> dict[str, Any]:
    """The tables of a file by name; none without a file."""
    if path is None:
        return {}
    try:
        tables: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise OptionError(f"the file cannot be read: {error}", place=path.name) from error
    for name, table in tables.items():
        if name not in TABLES or not isinstance(table, dict):
            remedy = f"Tables: {', '.join(f'[{table}]' for table in TABLES)}.{did_you_mean(name, TABLES)}"
            raise OptionError(f"{name} is not a table of this file.", place=path.name, remedy=remedy)
    return tables


def config_table(path: Path | None, name: str, keys: Collection[str]) -> dict[str, Any]:
    """One table of a file, {} where the file has none; `OptionError` for a key that is not among ``keys``."""
    table: dict[str, Any] = read_config(path).get(name, {})
    check_keys(name, table, keys, place="" if path is None else path.name)
    return table


def check_keys(name: str, table: object, keys: Collection[str], *, place: str = "") -> None:
    """Raise `OptionError` for a key of a table that is not known."""
    if not isinstance(table, dict):
        raise OptionError(f"{name} is no table.", place=place, remedy=f"Write [{name}] and below it KEY = VALUE.")
    for key in table:
        if key not in keys:
            remedy = f"Known: {', '.join(keys)}.{did_you_mean(key, keys)}"
            raise OptionError(f"[{name}] has the key {key!r}, which is not known.", place=place, remedy=remedy)

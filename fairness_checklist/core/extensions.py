"""Extensions: folders beside the core, each with its computing, sentences, page and verbs. The core imports none."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from fairness_checklist.core.errors import MissingExtraError

__all__ = ["EXTENSIONS", "extended", "extension", "installed", "public_names"]

EXTENSIONS = (
    "analyses",
    "authoring",
    "balance",
    "checklist",
    "compare",
    "corpora",
    "endpoint",
    "engines",
    "lenses",
    "natural",
    "plan",
    "rewriting",
    "stored",
)
"""Each name is a folder in ``fairness_checklist/extensions``, and this line is all that the core knows of it."""

_FOLDER = "fairness_checklist.extensions"
_Record = TypeVar("_Record")


def extension(module: str) -> Any:
    """A module of an extension, loaded now: ``extension("plan.power")``."""
    name = module.partition(".")[0]
    if name not in installed():
        raise MissingExtraError(
            f"the extension {name} is not installed.", remedy="Install the whole package fairness-checklist."
        )
    return import_module(f"{_FOLDER}.{module}")


@cache
def installed() -> tuple[str, ...]:
    """The extensions whose folders are there."""
    return tuple(name for name in EXTENSIONS if find_spec(f"{_FOLDER}.{name}") is not None)


@cache
def public_names() -> dict[str, str]:
    """The public names of the extensions, and the module of each, below the package."""
    return {
        public: f"extensions.{name}.{module}"
        for name in installed()
        for public, module in extension(name).PUBLIC.items()
    }


def extended(record: type[_Record]) -> type[_Record]:
    """A record of options of the command line; or its subclass, where an extension adds options to it."""
    for name in installed():
        home = getattr(extension(name), "OPTIONS", {}).get(record.__name__)
        if home is not None:
            module, _, subclass = home.partition(".")
            return getattr(extension(f"{name}.{module}"), subclass)  # type: ignore[no-any-return]
    return record

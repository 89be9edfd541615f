"""Pages of HTML from the templates of this package: self-contained, and everything escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def filled(name: str, page: Mapping[str, Any]) -> str:
    """A template, by its path in this package, with the page's content, every text escaped."""
    return str(_environment().get_template(name).render(page=page))


@cache
def _environment() -> Environment:
    """Reads and compiles each template of this package once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    here = files("fairness_checklist")
    loader = FunctionLoader(lambda name: here.joinpath(name).read_text(encoding="utf-8"))
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined)


def macros(name: str) -> Any:
    """The macros of a template, by its path in this package, as functions."""
    return _environment().get_template(name).module


@cache
def part(name: str, room: str = "reports") -> tuple[Markup, str]:
    """A style or script of a folder of this package, and its hash for the page's security policy."""
    from markupsafe import Markup

    text = files("fairness_checklist").joinpath(room, name).read_text(encoding="utf-8")
    return Markup(text), f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"

"""The card of a suite as Markdown, which is readable in a terminal as well; the wording is in ``card.md.j2``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fairness_checklist.content.grammar.languages import DEFAULT, get
from fairness_checklist.core.errors import count

if TYPE_CHECKING:
    from jinja2 import Template

OBJECT = (
    "Open an issue with the file, the `id` or the term, and what is wrong with it: no further reason is needed for a "
    "word that names you. A word that a community rejects becomes `dispreferred` or goes; a template whose label "
    "readers dispute goes. Until then you can leave out either yourself, with a file of your own or by naming the "
    "groups and terms you want."
)
_WIDTH = 110


def card_markdown(card: dict[str, Any]) -> str:
    """The card of a suite as Markdown: the counts of `suites.suite_card` in tables and sentences.

    A named set of terms whose attribute has a section before it does not repeat the tables of the templates.

    >>> print(card_markdown({"version": "1", "attributes": [], "files": [], "sha256": "ab"}).splitlines()[0])
    # Suite card
    """
    attributes, shown = [], set[tuple[str, str]]()
    for one in card["attributes"]:
        base = one["attribute"].partition(".")[0]
        attributes.append({**one, "repeats": base != one["attribute"] and (base, one["language"]) in shown})
        shown.add((one["attribute"], one["language"]))
    text = _template().render(card, attributes=attributes, objection=OBJECT)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _template() -> Template:
    """Reads and compiles the template once."""
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
    }
    return environment.from_string(files("fairness_checklist.suites").joinpath("card.md.j2").read_text("utf-8"))


def _number(value: object) -> object:
    """A value as the card shows it: 1,200, 7.5, and a dash for what is not known."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else value


def _name(one: dict[str, Any]) -> str:
    language = "" if one["language"] == DEFAULT else f" ({get(one['language']).name})"
    return f"{one['attribute']}{language}"


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

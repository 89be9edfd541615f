"""Phrases for groups and places, and tables as plain text: shared by the terminal, the page and the picture."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from fairness_checklist.reports.run_view import neutral_value, signed

TEXTS = tomllib.loads(files("fairness_checklist.reports").joinpath("texts.toml").read_text(encoding="utf-8"))
"""The words and paragraphs of the reports, by section."""
_GROUPS = TEXTS["groups"]
_FEMALE_MALE = frozenset(("female", "male", "unisex"))


def group_phrase(group: str, attribute: str) -> str:
    """The mentions of a group as a noun, to stand after "texts that mention" (or, of names, "sentences with").

    A group is a kind of mention and not a set of people. A name that is not known to read well is quoted.
    """
    kind = attribute.partition(".")[0]
    if kind == "names":
        return _names_phrase(group)
    if kind == "nationality" and (place := _places_phrase(group, attribute)):
        return place
    words = group.lower().split()
    if set(words) & set(_GROUPS["plurals"]) or (
        attribute in _GROUPS["plural_attributes"] and words and words[-1].endswith(("s", "druze"))
    ):
        return group
    return f"{group} people" if group.lower() in _GROUPS["adjectives"] else f'the group "{group}"'


def _names_phrase(group: str) -> str:
    if "names" in group.lower().split():
        return group
    if group.startswith("associated with "):
        return f"names {group}"
    return f"{group} names" if group in _FEMALE_MALE else f'names of the group "{group}"'


def _places_phrase(group: str, attribute: str) -> str:
    """The countries of a shipped group; "" for a group of the user's, which may be a nationality."""
    if group.endswith(" sixth"):
        return f"countries in the {group}"
    if attribute == "nationality.region" or group in _GROUPS["regions"]:
        return f"countries in {group}"
    shipped = group == "no figure" or group.startswith("places ")
    return f'countries in the group "{group}"' if shipped else ""


def group_clause(group: str, attribute: str, *, mentioned: bool = True) -> str:
    """The clause that names the sentences of a group, or the rows of a table that need not mention it."""
    if not mentioned:
        return f'of the group "{group}"'
    phrase = group_phrase(group, attribute)
    return f"with {phrase}" if attribute.partition(".")[0] == "names" else f"that mention {phrase}"


def terms_of(attribute: str) -> str:
    """The noun for the terms of an attribute in texts about taggers.

    >>> terms_of("names"), terms_of("nationality.region"), terms_of("hearing")
    ('names', 'countries', 'terms')
    """
    return {"names": "names", "nationality": "countries"}.get(attribute.partition(".")[0], "terms")


def at_place(place: str, attribute: str) -> str:
    """The part of a sentence that a tagger's metrics are about.

    >>> at_place("slot", "names"), at_place("context", "names"), at_place("", "names")
    ('at the names', 'in the rest of the sentences', 'in the whole sentences')
    """
    if place == "slot":
        return f"at the {terms_of(attribute)}"
    return "in the rest of the sentences" if place == "context" else "in the whole sentences"


def entities_at(place: str, attribute: str) -> str:
    """The noun for the entities in a part of a sentence, in texts about taggers.

    >>> entities_at("slot", "names"), entities_at("context", "names"), entities_at("", "names")
    ('names', 'other entities', 'entities')
    """
    return terms_of(attribute) if place == "slot" else "other entities" if place == "context" else "entities"


WIDTH = 100


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1, width: int = WIDTH) -> str:
    """A table in plain text: words to the left, numbers to the right, long heads on several lines."""
    heads = [_broken(name) if i >= words else [_short(name, 30)] for i, name in enumerate(header)]
    body = [[_short(cell, 30) if i < words else cell for i, cell in enumerate(row)] for row in rows]
    sizes = [max(map(len, [*heads[i], *(row[i] for row in body)])) for i in range(len(header))]
    out: list[str] = []
    start = words
    while start < len(header) or not out:
        fixed = sum(sizes[:words]) + 2 * (words - 1)
        stop = start
        while stop < len(header) and (stop == start or fixed + sum(n + 2 for n in sizes[start : stop + 1]) <= width):
            stop += 1
        shown = [*range(words), *range(start, stop)]
        tall = max(len(heads[i]) for i in shown)
        padded = {i: [""] * (tall - len(heads[i])) + heads[i] for i in shown}
        lines = [[padded[i][k] for i in shown] for k in range(tall)]
        lines += [[row[i] for i in shown] for row in body]
        out.append("\n".join(_line(line, [sizes[i] for i in shown], words) for line in lines))
        start = stop
    return "\n\n".join(out)


def _line(cells: Sequence[str], sizes: Sequence[int], words: int) -> str:
    pairs = enumerate(zip(cells, sizes, strict=True))
    return "  ".join(cell.ljust(size) if i < words else cell.rjust(size) for i, (cell, size) in pairs).rstrip()


def _short(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _broken(name: str) -> list[str]:
    """A long head on several lines, cut at spaces and underscores."""
    lines = [""]
    for piece in name.replace("_", "_ ").split(" "):
        joined = lines[-1] + ("" if not lines[-1] or lines[-1].endswith("_") else " ") + piece
        if lines[-1] and len(joined) > 10:
            lines.append(piece)
        else:
            lines[-1] = joined
    return lines


@dataclass(frozen=True)
class Grid:
    """A table of text, for the page and for the terminal."""

    header: tuple[str, ...]  # a name a column
    rows: tuple[tuple[str, ...], ...]  # a cell a column; the first cell names the row
    words: int = 1  # how many columns at the left hold words; the others hold numbers
    caption: str = ""  # a line above the table
    findings: tuple[int, ...] = ()  # positions of the rows that are findings; they are bold on the page

    def as_text(self) -> str:
        """The caption and the table in plain text, at most `WIDTH` columns wide."""
        return f"{self.caption}\n{aligned(self.header, self.rows, words=self.words)}"


def level_of(row: Mapping[Any, Any]) -> float:
    """What is taken off a value where it is shown: the null mean of a distance, 0 of other values.

    Distances are above 0 even for an unbiased model. NaN where the null mean of a distance is not known.

    >>> level_of({"metric": "avg_if", "null_mean": 0.1}), level_of({"metric": "fnr_gap", "null_mean": float("nan")})
    (0.1, 0.0)
    """
    metric = str(row["metric"])
    return 0.0 if signed(metric) or neutral_value(metric) else float(row["null_mean"])

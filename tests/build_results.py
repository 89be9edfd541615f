"""A small run whose figures are known by hand, and a reader of the elements of a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any

import pandas as pd

from fairness_checklist.run.evaluation import evaluate_sets
from fairness_checklist.run.options import RunOptions
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.texts import split_table

# p(positive) of each term in the sources s1 to s4, of which the first two are positive and the others negative
GENDER = {
    ("unmarked", ""): (0.9, 0.9, 0.1, 0.2),
    ("women", "woman"): (0.8, 0.9, 0.1, 0.2),
    ("women", "girl"): (0.7, 0.6, 0.2, 0.3),
    ("men", "man"): (0.9, 0.8, 0.1, 0.1),
    ("men", "boy"): (0.9, 0.9, 0.6, 0.2),
    ("cis", "cis"): (0.2, 0.3, 0.1, 0.1),
    ("cis", "cisgender"): (0.6, 0.4, 0.1, 0.2),
}
NAMES = {("female", "Anna"): (0.4, 0.8, 0.1, 0.1), ("male", "Ben"): (0.9, 0.9, 0.1, 0.1)}
TEXT = "The {term} writer came to place {k}."


def predictions(
    attribute: str = "gender", terms: dict[tuple[str, str], tuple[float, ...]] | None = None, text: str = TEXT
) -> pd.DataFrame:
    """A prediction table of two classes, source by source."""
    rows = [
        {
            "attribute": attribute,
            "source": f"s{k + 1}",
            "group": group,
            "term": term,
            "text": text.format(term=term, k=k + 1).replace("The  ", "That "),
            "label": ("positive", "negative")[k // 2],
            "p:negative": 1 - p[k],
            "p:positive": p[k],
        }
        for k in range(4)
        for (group, term), p in (terms or GENDER).items()
    ]
    return pd.DataFrame(rows)


def values_only(sets: Iterable[Any], choices: RunOptions | None = None, **info: object) -> Results:
    """Results as those of a run of an older version: no interval, null mean or p."""
    return evaluate_sets(sets, replace(choices or RunOptions(), draws=0), info=info)


def run(*tables: pd.DataFrame, choices: RunOptions | None = None, **info: object) -> Results:
    """The results of prediction tables, one an attribute: values only."""
    return values_only(split_table(pd.concat(tables or [predictions()])), choices, **{"task": "sentiment", **info})


@dataclass
class Element:
    """An element of a page."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside, in order, blanks collapsed."""
        return " ".join(" ".join(self.texts).split())

    def all(self, tag: str = "", kind: str = "") -> list[Element]:
        """The elements inside of a tag and a class."""
        inside = [found for child in self.children for found in (child, *child.all())]
        return [e for e in inside if tag in ("", e.tag) and (not kind or kind in e.attributes.get("class", "").split())]

    def by_id(self, name: str) -> Element:
        """The one element of that id."""
        [found] = [e for e in self.all() if e.attributes.get("id") == name]
        return found


class _Reader(HTMLParser):
    VOID = ("meta", "img", "br", "hr", "link", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in self.VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag != self.open[-1].tag:
            raise ValueError(f"</{tag}> closes <{self.open[-1].tag}>")
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.texts.append(data)


def read_page(html: str) -> Element:
    """The elements of a page; `ValueError` where tags do not close in order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    if len(reader.open) != 1:
        raise ValueError(f"<{reader.open[-1].tag}> is never closed")
    return reader.open[0]

"""What `reading.view` gives: one attribute's part of a run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from fairness_checklist.reports.asked import place_of
from fairness_checklist.tasks import TASKS

__all__ = ["MetricKey", "Row", "View"]

MetricKey = tuple[str, str]
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class View:
    """One sensitive attribute of a run.

    Attributes:
        attribute: its name.
        groups: its groups, in declared order.
        classes: the model's classes, in order; the last one is called positive.
        metrics: its rows of ``Results.metrics``; what a note says of how sure a value is stands in ``smallest_p`` and
            ``unstable``, see `split_notes`.
        place: where in a sentence the verdict is about: of a tagger "slot", the term; "" is all of it.
        places: where metrics were computed, the verdict's first.
        scores: (place, score, class, group) -> value and n, those of single terms left out.
        spans: (place, score, class, group) -> low, high, low_terms, high_terms of a base score, NaN where unknown.
        of_terms: the rows of ``Results.scores`` of single terms, of a tagger at the terms.
        checks, by_group, examples: its rows of these tables.
        keys: (metric, options) of each metric, as computed.
        cells: (metric, options, class, left, right) -> the row.
        backgrounds: the name in ``right`` that is no group, "" for metrics of pairs.
        primary: the keys that carry the verdict, in the order in which the run names them.
        with_reference: test -> pairs with the reference, and how many of them fail.
        task: what was asked.
        by_term: its rows of ``Results.metrics`` in which each term is a group of its own; they are not in ``metrics``.
        crossed: whether its groups are pairs of two attributes' groups.
    """

    attribute: str
    groups: tuple[str, ...]
    classes: tuple[str, ...]
    metrics: pd.DataFrame
    place: str
    places: tuple[str, ...]
    scores: dict[tuple[str, str, str, str], tuple[float, int]]
    spans: dict[tuple[str, str, str, str], tuple[float, ...]]
    of_terms: pd.DataFrame
    checks: pd.DataFrame
    by_group: pd.DataFrame
    examples: pd.DataFrame
    keys: tuple[MetricKey, ...]
    cells: dict[tuple[str, str, str, str, str], Row]
    backgrounds: dict[MetricKey, str]
    primary: tuple[MetricKey, ...]
    with_reference: dict[str, tuple[int, int]]
    task: str
    by_term: pd.DataFrame
    crossed: bool = False

    @property
    def tagging(self) -> bool:
        """Whether words were asked about, and not whole texts."""
        return self.task in TASKS and TASKS[self.task].tagging

    @property
    def shown_classes(self) -> tuple[str, ...]:
        """The classes that a table stands for: of a tagger the types that entities at the verdict's place have."""
        gold = self.gold_classes(self.place)
        return gold if self.tagging and gold else self.classes

    def gold_classes(self, place: str) -> tuple[str, ...]:
        """The classes that a sentence has as its gold label, or as the type of an entity at a place."""
        return tuple(label for label in self.classes if self.score("true_positive_rate", label, "*", place)[1])

    def keys_at(self, place: str) -> tuple[MetricKey, ...]:
        """The metrics as computed at a place."""
        return tuple(key for key in self.keys if place_of(key[1]) == place)

    @property
    def unit(self) -> str:
        """What ``n`` counts."""
        return "source" if "source" in self.examples.columns else "row"

    def total(self, key: MetricKey, label: str) -> Row | None:
        """The row of a metric over all groups, None where it has none."""
        return self.cells.get((*key, label, "*", ""))

    def pair(self, key: MetricKey, label: str) -> Row | None:
        """The one pair of a pairwise metric on two groups, else None."""
        if len(self.groups) != 2:
            return None
        return self.cells.get((*key, label, self.groups[0], self.groups[1]))

    def of_group(self, key: MetricKey, label: str, group: str) -> Row | None:
        """A group's row: against its background, over its pairs, or the pair itself where there are two groups."""
        for right in (self.backgrounds[key], "others"):
            row = self.cells.get((*key, label, group, right))
            if row is not None:
                return row
        return self.pair(key, label) if group in self.groups else None

    def labels(self, key: MetricKey) -> tuple[str, ...]:
        """The classes of a metric; ("*",) for one over all classes."""
        there = self._labels.get(key, set())
        return tuple(label for label in (*self.classes, "*") if label in there)

    @cached_property
    def _labels(self) -> dict[MetricKey, set[str]]:
        found: dict[MetricKey, set[str]] = {}
        for metric, options, label, _left, _right in self.cells:
            found.setdefault((metric, options), set()).add(label)
        return found

    def score(self, name: str, label: str, group: str, place: str | None = None) -> tuple[float, int]:
        """A base score of a group ("*": all) and its n, by default at the verdict's place; (NaN, 0) without one."""
        where = self.place if place is None else place
        return self.scores.get((where, name, label, group), (float("nan"), 0))

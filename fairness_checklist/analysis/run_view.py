"""The records of a run: its task, its thresholds, and the part of a sentence that a metric is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from fairness_checklist.core.errors import OptionError, did_you_mean
from fairness_checklist.core.option_defaults import TOLERANCE
from fairness_checklist.core.tasks import TASKS, Harm, known_harm
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.metric import METRICS
from fairness_checklist.tables.run_folder import Results

_SMALLEST = "smallest possible p"
_UNSTABLE = "unstable: "
_PARTS = ("note", "smallest_p", "unstable")
_KEY = ("metric", "options", "class", "left", "right")


def task_of(results: Results) -> str:
    """The task, "" where it was not recorded."""
    parts = results.info.get("task") or next(iter(results.metrics["task"].astype("str")), "")
    return str(parts)


def tolerances(results: Results) -> tuple[float, ...]:
    """The tolerances of the run's invariance tests; the default where the run recorded none.

    >>> tolerances(Results(*[pd.DataFrame()] * 5, info={"options": {"tolerance": 0.5}}))
    (0.5,)
    """
    recorded = results.info.get("options", {})
    first = recorded.get("tolerance", recorded.get("invariance_threshold"))  # as older versions called it
    listed = recorded.get("tolerances") or [TOLERANCE if first is None else first]
    return tuple(map(float, listed))


def split_notes(results: Results, metrics: pd.DataFrame) -> pd.DataFrame:
    """Rows of ``Results.metrics`` with the note split into remarks on the value and remarks on its uncertainty.

    Why a value is unstable is read from ``run.json``, which keeps it row by row, because the names of templates and
    terms in it may hold any character. Runs of older versions have it in the note alone, which is then parsed.

    Args:
        results: the run.
        metrics: some rows of its metrics.

    Returns:
        The rows with ``note``, the remarks on the value; ``smallest_p``, the smallest possible p; and ``unstable``, why
        the value is unstable; "" without a remark.
    """
    known = {
        (attribute, *(str(one[name]) for name in _KEY)): str(one["reason"])
        for attribute, rows in results.info.get("unstable", {}).items()
        for one in rows
    }
    keys = zip(*(metrics[name].astype(str) for name in ("attribute", *_KEY)), strict=True)
    parts = [_split(note, known.get(key)) for note, key in zip(metrics["note"].astype(str), keys, strict=True)]
    return metrics.assign(**{name: [part[at] for part in parts] for at, name in enumerate(_PARTS)})


def _split(note: str, reason: str | None) -> tuple[str, str, str]:
    """The note of a value, how small its p can be, and why it is unstable; None where that is not kept apart.

    >>> _split("1 of 3 pairs is undefined; smallest possible p .1: 10 assignments of the terms", None)
    ('1 of 3 pairs is undefined', 'smallest possible p .1: 10 assignments of the terms', '')
    >>> _split("no class; unstable: rests on template intro; part 0", "rests on template intro; part 0")
    ('no class', '', 'rests on template intro; part 0')
    >>> _split("the background's score is 0; unstable: rests on template s0", None)
    ("the background's score is 0", '', 'rests on template s0')
    """
    plain, rest = "", note
    if reason is None or f"{_UNSTABLE}{reason}" not in note:  # the note was changed
        reason = None
    else:
        plain, _, rest = note.partition(f"{_UNSTABLE}{reason}")
        plain, rest = plain.removesuffix("; "), rest.removeprefix("; ")
    parts = rest.split("; ")
    unstable = "; ".join(part.removeprefix(_UNSTABLE) for part in parts if part.startswith(_UNSTABLE))
    others = [plain, *(part for part in parts if not part.startswith((_SMALLEST, _UNSTABLE)))]
    smallest = "; ".join(part for part in parts if part.startswith(_SMALLEST))
    return "; ".join(filter(None, others)), smallest, unstable if reason is None else reason


def is_tagging(results: Results) -> bool:
    """Whether a run is one of a tagger."""
    task = task_of(results)
    return task in TASKS and TASKS[task].tagging


def with_hashed_words(results: Results, examples: pd.DataFrame) -> pd.DataFrame:
    """A run's sentences as `split_any` reads them: a tagger's words are not those of a text that is kept as a hash."""
    hidden = results.info.get("texts") == "hashes" and is_tagging(results)
    return examples.drop(columns="text", errors="ignore") if hidden else examples


def place_of(options: str) -> str:
    """The part of a sentence that a metric was computed at, from its options.

    >>> place_of("weight=pair; where=slot"), place_of("by=term")
    ('slot', '')
    """
    given = dict(part.split("=", 1) for part in options.split("; ") if "=" in part)
    return given.get("where", "")


def without_place(options: str) -> str:
    """The options of a metric but for the part of a sentence.

    >>> without_place("weight=pair; where=slot")
    'weight=pair'
    """
    return "; ".join(part for part in options.split("; ") if not part.startswith("where="))


MetricKey = tuple[str, str]
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class View:
    """One sensitive attribute of a run.

    Attributes:
        attribute: its name.
        groups: its groups, in declared order.
        classes: the model's classes, in order; the last one is called positive.
        metrics: its rows of ``Results.metrics``; the parts of a note about uncertainty are in ``smallest_p`` and
            ``unstable``, see `split_notes`.
        place: where in a sentence the tables look first: of a tagger "slot", the term; "" is all of it.
        places: where metrics were computed, that one first.
        scores: (place, score, class, group) -> value and n, those of single terms left out.
        spans: (place, score, class, group) -> low, high, low_terms, high_terms of a base score, NaN where unknown.
        of_terms: the rows of ``Results.scores`` of single terms, of a tagger at the terms.
        checks, by_group, examples: its rows of these tables.
        keys: (metric, options) of each metric, as computed.
        cells: (metric, options, class, left, right) -> the row.
        backgrounds: the name in ``right`` that is no group, "" for metrics of pairs.
        primary: the keys of the primary metrics, in the order in which the run names them.
        with_reference: test -> pairs with the reference, and how many of them fail.
        task: the task of the run.
        by_term: its rows of ``Results.metrics`` in which each term is a group of its own; they are not in ``metrics``.
        harms: the harms of its findings; without findings those of the task.
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
    harms: tuple[Harm, ...] = ()
    crossed: bool = False

    @property
    def tagging(self) -> bool:
        """Whether the model labels words, and not whole texts."""
        return self.task in TASKS and TASKS[self.task].tagging

    @property
    def shown_classes(self) -> tuple[str, ...]:
        """The classes of a table: for a tagger the types of the entities at its place."""
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
        """The unit of ``n``."""
        return "source" if "source" in self.examples.columns else "row"

    @cached_property
    def mentions(self) -> bool:
        """Whether the rows are texts with a term of their group; other rows may be about persons."""
        return "term" in self.examples.columns and bool(self.examples["term"].fillna("").ne("").any())

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
        """A base score of a group ("*": all) and its n, by default at the view's place; (NaN, 0) without one."""
        where = self.place if place is None else place
        return self.scores.get((where, name, label, group), (float("nan"), 0))


_READ: ContextVar[dict[tuple[int, str], tuple[Results, View]] | None] = ContextVar("_READ", default=None)
"""Inside `cached_views` what was read, by run and attribute; with the run, so that no other takes its id."""


def attribute_views(results: Results) -> list[View]:
    """Each attribute of a run."""
    return [attribute_view(results, attribute) for attribute in results.attributes]


@contextmanager
def cached_views() -> Iterator[None]:
    """While a report is made `view` reads each attribute of a run once; the run must not change in between."""
    token = _READ.set(known if (known := _READ.get()) is not None else {})
    try:
        yield
    finally:
        _READ.reset(token)


def attribute_view(results: Results, attribute: str) -> View:
    """One attribute of a run.

    Raises:
        OptionError: the run has no such attribute.
    """
    known = _READ.get()
    key = (id(results), attribute)
    if known is not None and key in known:
        return known[key][1]
    one_of(attribute, results.attributes, "attribute")
    view = _read(results, attribute)
    if known is not None:
        known[key] = (results, view)
    return view


def _read(results: Results, attribute: str) -> View:
    metrics, scores, checks, by_group, examples = (
        table[table["attribute"] == attribute]
        for table in (results.metrics, results.scores, results.checks, results.checks_by_group, results.examples)
    )
    metrics = split_notes(results, metrics)
    each_term = metrics["options"].str.contains("by=term", regex=False)
    by_term, metrics = metrics[each_term], metrics[~each_term]
    if "where" not in scores.columns:  # a run of an older version
        scores = scores.assign(where="")
    places = tuple(dict.fromkeys(map(place_of, metrics["options"])))
    known = set(scores["where"])
    place = next((one for one in places if one in known), "")
    of_terms = scores[(scores["term"] != "") & (scores["where"] == ("slot" if "slot" in known else ""))]
    scores = scores[scores["term"] == ""]
    groups = [str(g) for g in scores["group"].unique() if g not in ("*", "unmarked")]
    cells, backgrounds = {}, {}
    for row in _rows(metrics):
        key = (str(row["metric"]), str(row["options"]))
        cells[(*key, str(row["class"]), str(row["left"]), str(row["right"]))] = row
        if row["right"] not in (*groups, "others", ""):
            backgrounds[key] = str(row["right"])
    keys = tuple(dict.fromkeys(k[:2] for k in cells))
    by_name = {
        (str(where), str(name), str(label), str(group)): (float(value), int(n))
        for where, name, label, group, value, n in zip(
            *(scores[column] for column in ("where", "score", "class", "group", "value", "n")), strict=True
        )
    }
    named = list(results.info.get("options", {}).get("primary", []))
    leading = metrics[metrics["role"] == "primary"]
    primary = [(str(name), str(options)) for name, options in leading[["metric", "options"]].drop_duplicates().values]
    primary.sort(key=lambda key: named.index(key[0]) if key[0] in named else len(named))
    return View(
        attribute,
        tuple(groups),
        _classes(metrics, scores),
        metrics,
        place,
        places,
        by_name,
        _spans(scores),
        of_terms,
        checks,
        by_group,
        examples.dropna(axis="columns", how="all"),
        keys,
        cells,
        {key: backgrounds.get(key, "") for key in keys},
        tuple(primary),
        {
            test: (parts["pairs"], parts["fails"])
            for test, parts in results.info.get("pairs_with_reference", {}).items()
        },
        task_of(results),
        by_term,
        _harms(results, attribute),
        attribute in results.intersections,
    )


def _harms(results: Results, attribute: str) -> tuple[Harm, ...]:
    names = results.findings.loc[results.findings["attribute"] == attribute, "harm"].astype("str").unique()
    declared = tuple(harm for name in names if (harm := known_harm(name)) is not None)
    task = TASKS.get(task_of(results))
    return declared or (task.harms if task else ())


def _rows(table: pd.DataFrame) -> list[Row]:
    """The rows of a table; ``to_dict`` looks at each value's type anew and takes several times as long."""
    names = [str(name) for name in table.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*(table[name].tolist() for name in names), strict=True)]


def _spans(scores: pd.DataFrame) -> dict[tuple[str, str, str, str], tuple[float, ...]]:
    """Both intervals of each base score that has one."""
    ends = [name for name in ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms") if name in scores.columns]
    there = scores[scores[ends].notna().any(axis=1)].reindex(
        columns=[*scores.columns, *(name for name in ("ci_low_terms", "ci_high_terms") if name not in ends)]
    )
    keys = zip(*(there[name].astype("str") for name in ("where", "score", "class", "group")), strict=True)
    values = zip(
        *(there[name].astype("float64") for name in ("ci_low", "ci_high", "ci_low_terms", "ci_high_terms")), strict=True
    )
    return {key: tuple(map(float, ends)) for key, ends in zip(keys, values, strict=True)}


def _classes(metrics: pd.DataFrame, scores: pd.DataFrame) -> tuple[str, ...]:
    predicted = scores.loc[scores["score"] == "prediction_rate", "class"].unique()
    return tuple(str(name) for name in (predicted if len(predicted) else metrics["class"].unique()) if name != "*")


def one_of(name: str, known: Iterable[str], what: str) -> str:
    """The name, if it is known.

    Raises:
        OptionError: it is not.

    >>> one_of("gendre", ["gender", "names"], "attribute")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: the run has no attribute 'gendre'.
        Did you mean gender?
    """
    known = list(known)
    if name in known:
        return name
    near = did_you_mean(name, known, n=3).strip()
    raise OptionError(f"the run has no {what} {name!r}.", remedy=near or f"It has {', '.join(known) or 'none'}.")


def neutral_value(metric: str) -> float:
    """The metric's value where groups are treated alike: 0, for ratios 1.

    >>> neutral_value("fnr_gap"), neutral_value("fnr_ratio"), neutral_value("not_registered")
    (0.0, 1.0, 0.0)
    """
    return comparisons.about(METRICS[metric].compare).no_bias if metric in METRICS else 0.0


def signed(metric: str, values: pd.Series[Any] | None = None) -> bool:
    """Whether the metric has a direction; by the signs of the values where it is not registered.

    >>> signed("fnr_gap"), signed("avg_if")
    (True, False)
    """
    if metric in METRICS:
        return comparisons.about(METRICS[metric].compare).signed
    return values is not None and bool((values < 0).any())

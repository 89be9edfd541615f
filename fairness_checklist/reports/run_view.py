"""The records of a run: its task, its thresholds, and the part of a sentence that a metric is about."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.option_defaults import MARGIN, nfc
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.tasks import TASKS, Harm, known_harm
from fairness_checklist.metrics import comparisons
from fairness_checklist.metrics.metric_forms import METRICS
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any


def margin_of(results: Results) -> float:
    """The largest gap that a run calls small."""
    return float(results.info.get("options", {}).get("margin", MARGIN))


def task_of(results: Results) -> str:
    """The task, "" where it was not recorded."""
    return str(results.info.get("task") or next(iter(results.metrics["task"].astype("str")), ""))


def is_tagging(results: Results) -> bool:
    """Whether a run is one of a tagger."""
    task = task_of(results)
    return task in TASKS and TASKS[task].tagging


def suite_parts(info: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The records of the attributes of a suite in ``run.json``; none of a table."""
    recorded = info.get("suite") or ()
    return [part for part in recorded if isinstance(part, Mapping)] if isinstance(recorded, Sequence) else []


def about_findings(results: Results, attribute: str) -> dict[str, Any]:
    """What ``run.json`` has about the findings of an attribute; {} without any."""
    recorded: dict[str, Any] = results.info.get("findings", {}).get(attribute, {})
    return recorded


def text_column(frame: pd.DataFrame, name: str) -> pd.Series[str]:
    """A column as text, "" where it has no value or the table lacks it."""
    if name not in frame.columns:
        return pd.Series("", frame.index)
    return (
        frame[name].fillna("") if frame[name].dtype == "str" else frame[name].astype("object").fillna("").astype("str")
    )


MetricKey = tuple[str, str, str]  # A metric, its options, and the part of a sentence it was computed at
Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class View:
    """One sensitive attribute of a run."""

    attribute: str  # its name
    groups: tuple[str, ...]  # its groups, in declared order
    classes: tuple[str, ...]  # the model's classes, in order; the last one is called positive
    metrics: pd.DataFrame  # its rows of ``Results.metrics``
    place: str  # where in a sentence the tables look first: of a tagger "slot", the term; "" is all of it
    places: tuple[str, ...]  # where metrics were computed, that one first
    # (place, score, class, group) -> value and n, those of single terms left out
    scores: dict[tuple[str, str, str, str], tuple[float, int]]
    checks: pd.DataFrame  # checks, by_group, examples: its rows of these tables
    by_group: pd.DataFrame
    examples: pd.DataFrame
    findings: pd.DataFrame  # findings, word_findings: what may be claimed of it, and of its words
    word_findings: pd.DataFrame
    keys: tuple[MetricKey, ...]  # (metric, options, place) of each metric, as computed
    cells: dict[tuple[str, str, str, str, str, str], Row]  # (metric, options, place, class, left, right) -> the row
    backgrounds: dict[MetricKey, str]  # the name in ``right`` that is no group, "" for metrics of pairs
    primary: tuple[MetricKey, ...]  # the keys of the primary metrics, in the order in which the run names them
    with_reference: dict[str, tuple[int, int]]  # test -> pairs with the reference, and how many of them fail
    task: str  # the task of the run
    # its rows of ``Results.metrics`` in which each term is a group of its own; they are not in ``metrics``
    by_term: pd.DataFrame

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

    @property
    def unit(self) -> str:
        """The unit of ``n``."""
        return "source" if "source" in self.examples.columns else "row"

    @cached_property
    def mentions(self) -> bool:
        """Whether the rows are texts with a term of their group; other rows may be about persons."""
        return bool(text_column(self.examples, "term").ne("").any())

    def total(self, key: MetricKey, label: str) -> Row | None:
        """The row of a metric over all groups, None where it has none."""
        return self.cells.get((*key, label, "*", ""))

    def pair(self, key: MetricKey, label: str) -> Row | None:
        """The one pair of a pairwise metric on two groups, else None."""
        return self.cells.get((*key, label, self.groups[0], self.groups[1])) if len(self.groups) == 2 else None

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
        by_metric: dict[MetricKey, set[str]] = {}
        for *key, label, _left, _right in self.cells:
            by_metric.setdefault((key[0], key[1], key[2]), set()).add(label)
        return by_metric

    def score(self, name: str, label: str, group: str, place: str | None = None) -> tuple[float, int]:
        """A base score of a group ("*": all) and its n, by default at the view's place; (NaN, 0) without one."""
        return self.scores.get((self.place if place is None else place, name, label, group), (float("nan"), 0))


def attribute_views(results: Results) -> list[View]:
    """Each attribute of a run."""
    return [attribute_view(results, attribute) for attribute in results.attributes]


def attribute_view(results: Results, attribute: str) -> View:
    """One attribute of a run."""
    one_of(attribute, results.attributes, "attribute")

    def rows_of(table: pd.DataFrame) -> pd.DataFrame:
        return table[table["attribute"] == attribute]

    metrics, scores = rows_of(results.metrics), rows_of(results.scores)
    each_term = metrics["by"] == "term"
    by_term, metrics = metrics[each_term], metrics[~each_term]
    places = tuple(dict.fromkeys(metrics["where"]))
    place = next((where for where in places if (scores["where"] == where).any()), "")
    scores = scores[scores["term"] == ""]
    groups = [str(g) for g in scores["group"].unique() if g not in ("*", "unmarked")]
    predicted = scores.loc[scores["score"] == "prediction_rate", "class"].unique()
    classes = predicted if len(predicted) else metrics["class"].unique()
    cells, backgrounds = {}, {}
    for values in zip(*(metrics[name].to_numpy().tolist() for name in metrics), strict=True):  # others are slow
        row: Row = dict(zip(metrics.columns, values, strict=True))
        key = (str(row["metric"]), str(row["options"]), str(row["where"]))
        cells[(*key, str(row["class"]), str(row["left"]), str(row["right"]))] = row
        if row["right"] not in (*groups, "others", ""):
            backgrounds[key] = str(row["right"])
    keys = tuple(dict.fromkeys(key[:3] for key in cells))
    names = ("where", "score", "class", "group", "value", "n")
    columns = zip(*(scores[name].to_numpy().tolist() for name in names), strict=True)
    by_name = {
        (str(where), str(name), str(label), str(group)): (float(value), int(n))
        for where, name, label, group, value, n in columns
    }
    named = list(results.info.get("options", {}).get("primary", []))
    listed = metrics.loc[metrics["role"] == "primary", ["metric", "options", "where"]].drop_duplicates().astype("str")
    primary: list[MetricKey] = list(listed.itertuples(index=False, name=None))
    primary.sort(key=lambda key: named.index(key[0]) if key[0] in named else len(named))
    references = results.info.get("pairs_with_reference", {})
    return View(
        attribute=attribute,
        groups=tuple(groups),
        classes=tuple(str(name) for name in classes if name != "*"),
        metrics=metrics,
        place=place,
        places=places,
        scores=by_name,
        checks=rows_of(results.checks),
        by_group=rows_of(results.checks_by_group),
        examples=rows_of(results.examples).dropna(axis="columns", how="all"),
        findings=rows_of(results.findings),
        word_findings=rows_of(results.word_findings),
        keys=keys,
        cells=cells,
        backgrounds={key: backgrounds.get(key, "") for key in keys},
        primary=tuple(primary),
        with_reference={test: (parts["pairs"], parts["fails"]) for test, parts in references.items()},
        task=task_of(results),
        by_term=by_term,
    )


def harms_of(results: Results, attribute: str) -> tuple[Harm, ...]:
    """The errors of an attribute's findings, as far as their ids say what they are; without findings the task's."""
    names = results.findings.loc[results.findings["attribute"] == attribute, "error"].astype("str").unique()
    declared = tuple(harm for name in names if (harm := known_harm(name)) is not None)
    task = TASKS.get(task_of(results))
    return declared or (task.harms if task else ())


def one_of(name: str, known: Iterable[str], what: str) -> str:
    """The name, if it is known."""
    known, name = list(known), nfc(name)
    if name in known:
        return name
    near = did_you_mean(name, known, n=3).strip()
    raise OptionError(f"the run has no {what} {name!r}.", remedy=near or f"It has {', '.join(known) or 'none'}.")


def neutral_value(metric: str) -> float:
    """The metric's value where groups are treated alike: 0, for ratios 1."""
    return comparisons.about(METRICS[metric].compare).no_bias if metric in METRICS else 0.0


def signed(metric: str) -> bool:
    """Whether the metric has a direction; not where it is not registered."""
    return metric in METRICS and comparisons.about(METRICS[metric].compare).signed


def leading_class(view: View) -> str:
    """The class of the largest primary gap of errors, else of the largest other primary value.

    Of two equal ones the positive class, which comes last; "*" without any class.
    """
    sizes: dict[str, tuple[bool, float]] = {}
    for key in view.primary:
        labels = [label for label in view.labels(key) if label in (*view.shown_classes, "*")] or view.labels(key)
        for label in (label for label in labels if label != "*"):
            rows = [view.total(key, label), *(view.of_group(key, label, group) for group in view.groups)]
            values = [float(row["value"]) for row in rows if row and not math.isnan(row["value"])]
            errors = bool(values) and key[0] in _ERRORS  # of errors the side of more of them
            far = values if errors else [abs(value - neutral_value(key[0])) for value in values]
            size = (errors, round(max(far, default=-1.0), 9))
            sizes[label] = max(size, sizes.get(label, size))
    named = TASKS[view.task].positive if view.task in TASKS else ""
    positive = named if named in view.classes else next(iter(view.classes[::-1]), "")
    return max(sizes, key=lambda label: (sizes[label], label == positive), default=positive or "*")


_ERRORS = ("fnr_gap", "fpr_gap")


def only_gold_class(view: View) -> str:
    """The gold class of all labelled texts; "" where there are several, or none."""
    classes = set(text_column(view.examples, "label").unique()) - {""}
    return classes.pop() if len(classes) == 1 and not view.tagging else ""


def predictions_of(results: Results, view: View) -> tuple[ExampleSet, Predictions | TokenPredictions]:
    """An attribute's examples, and what the model said of them."""
    if view.attribute in results.tagged:
        return results.tagged[view.attribute]
    hidden = results.info.get("texts") == "hashes" and view.tagging  # a text that is kept as a hash has no words
    shown = view.examples.drop(columns="text", errors="ignore") if hidden else view.examples
    [read] = split_any(shown, task=task_of(results), classes=view.classes)
    return read


def outcomes_of(results: Results, view: View) -> Outcomes:
    """An attribute's examples as the metrics saw them."""
    unlabelled = results.info.get("options", {}).get("unlabelled", "keep")
    return reduce_to_outcomes(*predictions_of(results, view), unlabelled=unlabelled)

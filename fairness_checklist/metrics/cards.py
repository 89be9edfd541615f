"""The card of a metric: its question, definition, range, requirements, and what it can be compared with."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from html import escape
from typing import Any

from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.definitions import Range, definition, of_contrast, of_total
from fairness_checklist.metrics.metric_forms import METRICS, Metric, no_normaliser, number_of_groups

_FAMILIES = {
    "pairwise": ("pairs of groups", 1),
    "background": ("each group against a background", 3),
    "multigroup": ("all groups at once", 5),
}
"""A family in words, and its equation on the group level; the next one is that of the counterfactual level."""
_NEEDS = {
    "needs_labels": "gold labels",
    "needs_decisions": "decisions",
    "needs_probabilities": "probabilities",
    "two_classes": "a model of two classes",
    "needs_true_negatives": "true negatives: a classifier, no tagger",
}
_SYMBOLS = {"c": "c: the class", "g": "g: a group", "h": "h: another group", "x": "x: a source", "p": "p: probability"}
NO_SINGLE_VALUE = "none: groups that are treated alike have the same value, whatever it is"


@dataclass(frozen=True, repr=False)
class MetricCard:
    """The description of a metric.

    Attributes:
        id: the metric's id.
        form: level and family, with the equation of Czarnowska et al. 2021.
        question: the question that it answers.
        definition: how it is computed: c is the class, g and h are groups, x is a source, p a probability.
        paper: its source; "" for a user-defined metric without one.
        value_range: of each value; ``total_range``: of the total, None where there is none.
        of_taggers: the same two for a tagger's predictions, which may differ.
        no_bias: the value of groups that are treated alike; None where none is the same for all models.
        signed: whether it has a direction.
        needs: requirements on the predictions and the model.
        comparable: comparisons that are valid, and comparisons that are not.

    Its text form is readable, in a terminal and in a notebook.
    """

    id: str
    form: str
    question: str
    definition: str
    paper: str
    value_range: Range
    total_range: Range | None
    of_taggers: tuple[Range, Range | None]
    no_bias: float | None
    signed: bool
    needs: tuple[str, ...]
    comparable: tuple[str, ...]

    def rows(self) -> list[tuple[str, str]]:
        """The lines of the card: (heading, text)."""
        used = [items for symbol, items in _SYMBOLS.items() if re.search(rf"\b{symbol}\b", self.definition)]
        symbols = f" ({'; '.join(used)})" if used else ""
        return [
            ("question", self.question or "not given"),
            ("form", self.form),
            ("definition", f"{self.definition}{symbols}"),
            ("paper", self.paper or "not given"),
            ("range", _range_text(self)),
            ("no bias", NO_SINGLE_VALUE if self.no_bias is None else f"{self.no_bias:g}"),
            ("needs", "; ".join(self.needs)),
            *(("comparable" if i == 0 else "", metric) for i, metric in enumerate(self.comparable)),
        ]

    def record(self) -> dict[str, Any]:
        """The card as plain values, for JSON."""
        return {
            "id": self.id,
            "question": self.question,
            "form": self.form,
            "definition": self.definition,
            "paper": self.paper,
            "range": str(self.value_range),
            "total_range": None if self.total_range is None else str(self.total_range),
            "no_bias": self.no_bias,
            "signed": self.signed,
            "needs": list(self.needs),
            "comparable": list(self.comparable),
        }

    def __str__(self) -> str:
        lines = [self.id]
        for heading, text in self.rows():
            lines += textwrap.wrap(text, 108, initial_indent=f"  {heading:<12}", subsequent_indent=" " * 14)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        left = "text-align:left"
        body = "".join(
            f'<tr><th style="{left}">{escape(heading)}</th><td style="{left}">{escape(text)}</td></tr>'
            for heading, text in self.rows()
        )
        return f"<table><caption><b>{escape(self.id)}</b></caption><tbody>{body}</tbody></table>"


def card(metric: Metric | str) -> MetricCard:
    """The card of a registered or user-defined metric; ``fc.metrics["fped"].card()`` is the same.

    Args:
        metric: a metric or its id.

    Raises:
        OptionError: no such metric is registered.

    >>> card("fped").definition, str(card("fped").total_range), card("fped").no_bias
    ('sum over groups g of |FPR(everyone) - FPR(g)|', '[0, G] for G groups', 0.0)
    """
    metric = METRICS[metric] if isinstance(metric, str) else metric
    known, (family, equation) = comparisons.about(metric.compare), _FAMILIES[metric.family]
    equation += metric.level == "counterfactual"
    is_area = known.kind == "ranking" and known.no_bias == 1
    return MetricCard(
        id=metric.name,
        form=f"{metric.level} level, {family}, equation ({equation}); {_classes(metric)}",
        question=metric.question,
        definition=definition(metric),
        paper=metric.source,
        value_range=of_contrast(metric),
        total_range=of_total(metric),
        of_taggers=(of_contrast(metric, tagger=True), of_total(metric, tagger=True)),
        no_bias=None if is_area else known.no_bias,
        signed=known.signed and not is_area,
        needs=_needs(metric),
        comparable=_comparable(metric),
    )


def _classes(metric: Metric) -> str:
    known = scores.about(metric.score)
    if known.two_classes:
        return "one value, of the positive class"
    return "one value over all classes" if known.over_classes else "one value per class"


def _range_text(of: MetricCard) -> str:
    each, total = of.value_range, of.total_range
    text = str(each) if total in (None, each) else f"each {each}; the total {total}"
    return f"{text}; of a tagger {of.of_taggers[0]}" if (each, total) != of.of_taggers and each.known else text


def _needs(metric: Metric) -> tuple[str, ...]:
    """The requirements of a metric, from those of its scores."""
    used = [scores.about(phi) for phi in (metric.score, metric.background_score, metric.also) if phi is not None]
    items = ["two groups or more"]
    if metric.level == "counterfactual":
        items.append("sources: the same sentence with each group")
    if metric.background_name() == "unmarked":
        items.append("the unmarked control")
    items += [text for name, text in _NEEDS.items() if any(getattr(phi, name) for phi in used)]
    items += [f"a column score:{phi.needs_score}" for phi in used if phi.needs_score]
    return tuple(items)


def _comparable(metric: Metric) -> tuple[str, ...]:
    """Valid and invalid comparisons of a value, from the metric's form."""
    items = ["with the same metric of another model on the same sentences, terms and groups"]
    same = [other.name for other in METRICS.values() if other.name != metric.name and _same_form(other, metric)]
    if same:
        items.append(f"same form and range, another score, so another aspect: {', '.join(same)}")
    return tuple(filter(None, [*items, _by_number(metric), _by_background(metric), _by_comparison(metric)]))


def _same_form(metric: Metric, other: Metric) -> bool:
    form = ("family", "level", "compare", "background", "balanced", "normalise")
    alike = all(getattr(metric, name) == getattr(other, name) for name in form)
    return alike and of_contrast(metric) == of_contrast(other)


def _by_number(metric: Metric) -> str:
    """The effect of the number of groups on the value."""
    normalised = f"{metric.name}_normalised"
    instead = f"; {normalised} does not" if normalised in METRICS else ""
    if metric.family == "multigroup":
        if metric.compare is comparisons.score_deviation:
            return "not across numbers of groups: its null mean differs"
        return "not across numbers of groups: the extremes of more groups lie further apart"
    commutes = comparisons.about(metric.compare).commutative or metric.family == "background"
    if metric.normalise is no_normaliser and commutes:
        return f"not across numbers of groups: a sum over groups grows with their number (N = 1){instead}"
    if metric.normalise is number_of_groups and metric.family == "pairwise":
        return f"not across numbers of groups: pairs grow faster than groups (N = number of groups){instead}"
    if metric.normalise is None:
        return "one value per group; there is no total"
    if not commutes:
        return "one value per pair; no total over more than two groups, where signs would cancel"
    return "across numbers of groups: it is a mean, in which a single deviating group has less weight among many"


def _by_background(metric: Metric) -> str:
    name = metric.background_name()
    if name == "everyone":
        return "the group is part of its own background, so a large group looks closer to it"
    if name in ("everyone_else", "everyone_balanced"):
        return "another selection of groups is another background"
    return ""


def _by_comparison(metric: Metric) -> str:
    known = comparisons.about(metric.compare)
    if known.kind == "ranking" and known.no_bias == 1:
        return "compare the groups' values with each other: 1 is a perfect ranking, 0.5 a toss"
    if known.no_bias == 1:
        return "a ratio of two small scores is unreliable: read it together with the scores"
    if known.signed:
        first = "the group" if metric.family == "background" else "the first group"
        return f"signed: above {known.no_bias:g} means that {first} scores higher"
    return "unsigned: above 0 also for an unbiased model, so compare it with its null mean"

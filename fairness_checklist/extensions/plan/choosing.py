"""Which metrics to choose: the three steps of Czarnowska et al. 2021, section 7, as a function.

Step 1 takes the generalised metric from the question: particular groups, two groups, or a privileged group as the
background; whole groups or the same sentence. Step 2 takes the score from the harm that is feared. Step 3 takes the
comparison: one that has a direction where there is one, distances of distributions for sets of probabilities.
"""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from numbers import Integral
from typing import Literal

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.tasks import get_task
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options

Form = Literal["two", "many", "reference"]

_STEPS = tomllib.loads(resources.files(__package__).joinpath("choosing.toml").read_text(encoding="utf-8"))
HARMS: dict[str, str] = _STEPS["harms"]
"""A harm -> what is feared."""
EVERY, UNMARKED = "*", "unmarked"
NEEDS_GOLD = ("false_negatives", "false_positives", "errors")


@dataclass(frozen=True)
class Choice:
    """One metric that is chosen.

    Attributes:
        id: the metric's id.
        reason: why, in the order of the three steps.
    """

    id: str
    reason: str


@dataclass(frozen=True, repr=False)
class Choices:
    """The metrics that are chosen, the leading one first; its text form is a table.

    Attributes:
        choices: the metrics with their reasons.
        label: the class of the rows to read; "*" for every class, and of a tagger for that of the terms.
        background: for `Options`, where a group is the reference of all others; else "".
        advice: further advice of section 7.
    """

    choices: tuple[Choice, ...]
    label: str
    background: str
    advice: tuple[str, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """All ids, for ``metrics=``."""
        return tuple(choice.id for choice in self.choices)

    @property
    def primary(self) -> tuple[str, ...]:
        """The first four at most, for ``primary=``."""
        return self.ids[:4]

    @property
    def options(self) -> Options:
        """For ``options=``: the background."""
        return Options(background=self.background)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    def __getitem__(self, position: int) -> Choice:
        return self.choices[position]

    def __str__(self) -> str:
        width = max(len(name) for name in self.ids)
        lines = []
        for choice in self.choices:
            first, rest = f"{choice.id:<{width}}  ", " " * (width + 2)
            lines += textwrap.wrap(choice.reason, 110, initial_indent=first, subsequent_indent=rest)
        for sentence in self.advice:
            lines += textwrap.wrap(sentence, 110)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        left = "text-align:left"
        rows = "".join(
            f'<tr><td style="{left}">{escape(choice.id)}</td><td style="{left}">{escape(choice.reason)}</td></tr>'
            for choice in self.choices
        )
        advice = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.advice)
        return f"<table><tbody>{rows}</tbody></table>{advice}"


@checks_keywords
def choose(
    *,
    task: str,
    harm: str,
    gold: bool = True,
    groups: int | Sequence[str] = 2,
    reference: str = "",
    sources: bool = True,
) -> Choices:
    """The metrics that fit a question, ordered, with reasons: section 7 of Czarnowska et al. 2021.

    Args:
        task: "sentiment", "toxicity" or "ner".
        harm: what is feared: "false_negatives" (the class is missed), "false_positives" (it is given wrongly), "errors"
            (both alike), "selection" (it is given more often, whatever is right), "change" (the answer depends on the
            group that is mentioned).
        gold: whether the examples have gold labels.
        groups: how many groups there are, or their names.
        reference: a privileged group that the others are compared with, or "unmarked"; "" where none is.
        sources: whether the same sentences are there for each group, as those of templates are.

    Returns:
        At most five metrics, of decisions and of probabilities, the leading one first.

    Raises:
        OptionError: an unknown value, or a harm that cannot be measured without gold labels or sources.

    >>> choose(task="toxicity", harm="false_positives", groups=8).ids
    ('fpr_gap', 'negative_aeg', 'avg_if', 'bpsn_auc', 'fpr_range')
    >>> choose(task="sentiment", harm="selection", gold=False, groups=["women", "men"])[0].id
    'parity_gap'
    """
    tagging = get_task(task).tagging
    number = _check(harm, gold, groups, reference, sources)
    form: Form = "reference" if reference else "two" if number == 2 else "many"
    order = _STEPS["order"][harm][form]
    if tagging and harm in _STEPS["order_of_taggers"]:
        order = _STEPS["order_of_taggers"][harm][form]
    metrics = [METRICS[name] for name in order]
    fitting = [
        metric for metric in metrics if (sources or metric.level == "group") and (gold or not _needs_gold(metric))
    ]
    label = EVERY if harm == "errors" or tagging else get_task(task).positive
    background = _background(reference) if any(metric.background is not None for metric in fitting) else ""
    return Choices(
        tuple(Choice(metric.name, _reason(metric, reference)) for metric in fitting),
        label,
        background,
        _advice(task, label, reference, fitting),
    )


def _needs_gold(metric: Metric) -> bool:
    return scores.about(metric.score).needs_labels


def _reason(metric: Metric, reference: str) -> str:
    """The three steps for one metric: the question, the score, the comparison."""
    step_1 = _STEPS["family"][metric.level][metric.family]
    if reference and metric.background is not None:
        step_1 = f"Each group against {'the unmarked control' if reference == UNMARKED else reference}"
    step_2 = _STEPS["score"][scores.about(metric.score).name]
    step_3 = _STEPS["comparison"][comparisons.about(metric.compare).name]
    return f"{step_1}: {step_2}; {step_3}."


def _advice(task: str, label: str, reference: str, metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Advice on the metrics: which rows to read, and further advice of section 7."""
    advice = ["Read the rows of every class."] if label == EVERY else [f"Read the rows of the class {label}."]
    if get_task(task).tagging:
        advice = ["Read the rows of the type that the terms have, at the terms (where=slot)."]
    if reference and any(metric.background is not None for metric in metrics):
        advice.append(f'Set the background: options=Options(background="{_background(reference)}").')
    if reference and reference != UNMARKED and any(metric.family == "pairwise" for metric in metrics):
        advice.append(f"Of pairs, read those with {reference}.")
    advice.append("Read each value together with its scores, its null mean and its p-value.")
    advice.append("Report all of these metrics, whether or not they show bias.")
    return tuple(advice)


def _background(reference: str) -> str:
    return reference if reference in ("", UNMARKED) else f"group:{reference}"


def _check(harm: str, gold: bool, groups: int | Sequence[str], reference: str, sources: bool) -> int:
    """The number of groups, where everything fits together."""
    if harm not in tuple(HARMS):
        raise OptionError(
            f"the harm {harm!r} is not known.",
            remedy="\n".join(["Known:", *(f'"{name}": {feared}' for name, feared in HARMS.items())]),
        )
    named: tuple[str, ...] = ()
    if isinstance(groups, Collection) and not isinstance(groups, str) and all(isinstance(name, str) for name in groups):
        named = tuple(groups)
    elif not isinstance(groups, Integral) or isinstance(groups, bool):
        raise OptionError(
            f"groups={groups!r} is neither a number of groups nor their names.",
            remedy='Write groups=8, or groups=["women", "men"].',
        )
    number = groups if isinstance(groups, Integral) else len(set(named))
    if number < 2:
        raise OptionError(f"groups={groups!r}: metrics compare groups.", remedy="Take two groups at least.")
    if reference not in ("", UNMARKED) and named and reference not in named:
        raise OptionError(f"the reference {reference!r} is none of the groups.", remedy=f"Groups: {', '.join(named)}.")
    if harm in NEEDS_GOLD and not gold:
        raise OptionError(
            f'harm="{harm}" is about errors, and without gold labels none can be counted.',
            remedy='Label the examples, or ask what needs no label: harm="selection" or harm="change".',
        )
    if harm == "change" and not sources:
        raise OptionError(
            'harm="change" compares the same sentence with each group, and there are no sources.',
            remedy='Build a suite from templates, or choose a group metric: harm="selection".',
        )
    return int(number)

"""A metric is one line of data: what is scored, how scores are compared, with what background, and what N is.

`pairwise_metric`, `background_metric` and `multigroup_metric`, each at ``level="group"`` or ``"counterfactual"``, are
equations (1) to (6) of Czarnowska et al. 2021. They register the metric; user-defined metrics are used in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints, overload

import numpy as np

from fairness_checklist.core.arrays import FloatArray, by_value, divide
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import DENOMINATOR, SEED, UNDEFINED, WEIGHT, choice, string, whole_number
from fairness_checklist.metrics import comparisons, scores
from fairness_checklist.metrics.backgrounds import Background, background_named, everyone_balanced


@by_value
@dataclass(frozen=True, eq=False)
class Options:
    """Options of a metric where the literature leaves a choice; the defaults are those of the documentation.

    Attributes:
        denominator: "true_class" averages over the sources that have the class, "all_sources" over all of them.
        weight: "source" counts every source once, "groupings" by its number of groupings (not for set scores).
        max_groupings: draw at most so many rows of the product a source instead of the exact expectation.
        seed: of that draw, and of the sample that replaces an expectation without a closed form.
        groupings: (R, 1 + G) rows of the product to use instead (see `metrics.term_product.draw_groupings`).
        background: the name of another background than the metric's own.
        undefined: "report" leaves NaN with a reason, "raise" is strict.
        where: of a tagger's sentences "slot" takes the identity term alone, "context" the words around it.
        by: "term" makes each identity term a group of its own.
        matching: "concept" compares only terms of the same concept (girl, boy) in counterfactual metrics of single
            examples: the mean over the concepts of a source, then over sources.
    """

    denominator: Literal["true_class", "all_sources"] = DENOMINATOR
    weight: Literal["source", "groupings"] = WEIGHT
    max_groupings: int | None = None
    seed: int = SEED
    groupings: Any = None
    background: str = ""
    undefined: Literal["report", "raise"] = UNDEFINED
    where: Literal["", "slot", "context"] = ""
    by: Literal["", "term"] = ""
    matching: Literal["", "concept"] = ""

    def __post_init__(self) -> None:
        for name, values in _CHOICES.items():
            object.__setattr__(self, name, choice(name, getattr(self, name), values))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, least=0))
        object.__setattr__(self, "background", string("background", self.background))
        if self.max_groupings is not None:
            object.__setattr__(self, "max_groupings", whole_number("max_groupings", self.max_groupings))
        if self.groupings is not None and self.max_groupings is not None:
            raise OptionError("groupings= and max_groupings= exclude each other.")
        drawn = self.groupings is not None or self.max_groupings is not None or self.weight == "groupings"
        if self.matching and drawn:
            raise OptionError(
                f'matching="{self.matching}" and groupings exclude each other: these are of the whole product.',
                remedy="Leave out groupings=, max_groupings= and weight=, or leave out matching=.",
            )

    def stamp(self) -> str:
        """The options that are not the default, as in the column ``options``."""
        values = vars(self) | {"groupings": None if self.groupings is None else "given"}
        hidden = ("undefined",) if self.max_groupings is not None else ("undefined", "seed")
        stamped = [f for f in fields(self) if f.name not in hidden]
        return "; ".join(
            f"{f.name}={values[f.name]}" for f in stamped if f.name == "seed" or values[f.name] != f.default
        )


_CHOICES = {name: get_args(hint) for name, hint in get_type_hints(Options).items() if get_origin(hint) is Literal}
"""The values of the options that have a few."""


Family = Literal["pairwise", "background", "multigroup"]
Level = Literal["group", "counterfactual"]
Normaliser = Callable[[FloatArray, FloatArray], FloatArray]


def no_normaliser(groups: FloatArray, contrasts: FloatArray) -> FloatArray:
    """N = 1: the sum over the contrasts."""
    return np.ones_like(contrasts)


def number_of_groups(groups: FloatArray, contrasts: FloatArray) -> FloatArray:
    """N = ``|T|``, counted over the groups that are in a defined contrast."""
    return groups


def number_of_contrasts(groups: FloatArray, contrasts: FloatArray) -> FloatArray:
    """N = the number of defined contrasts: pairs of groups, or groups against their background."""
    return contrasts


@dataclass(frozen=True)
class Metric:
    """One line of the catalogue."""

    name: str  # its id
    family: Family
    level: Level
    score: scores.Score  # phi, a function of `scores` or one's own
    compare: comparisons.Comparison  # d, a function of `comparisons` or one's own
    background: Background | None = None  # beta; only background metrics have one
    background_score: scores.Score | None = None  # phi of the background where it differs from the group's
    normalise: Normaliser | None = None  # N of the total; None for a vector-valued metric
    source: str = ""  # the paper
    question: str = ""  # what it answers, in a sentence
    definition: str = ""  # in symbols; c is the class, g and h are groups, x is a source, p a probability
    value_range: str = ""  # the values that can come out
    also: scores.Score | None = None  # a second score: d is computed for each, and the larger value is taken

    def __repr__(self) -> str:
        return f"<Metric {self.name}: {self.level} {self.family}, {self.score.__name__}, {self.compare.__name__}>"

    @property
    def has_total(self) -> bool:
        return self.normalise is not None or self.family == "multigroup"

    def background_name(self) -> str:
        """The background's name as it is in the column ``right``."""
        return self.background.__name__ if self.background else ""

    def membership(self, groups: Sequence[str], mass: FloatArray | None = None) -> FloatArray:
        """(G, G + 1) who makes up each group's background, see `backgrounds`; without one the groups themselves.

        `everyone_balanced` is divided by the weight of each group's rows, ``mass`` (..., G + 1): (..., G, G + 1).
        Raises OptionError: a user-defined background returns something else.
        """
        size = len(groups)
        if self.background is None:
            return np.eye(size, size + 1)
        beta = np.asarray(self.background(groups), dtype=np.float64)
        whole = np.maximum(beta[:, -1:], 0.0) if beta.ndim == 2 else beta  # a set may lack some of its rows
        if beta.shape != (size, size + 1) or not (beta >= -whole).all():
            raise OptionError(
                f"{self.name}: the background {self.background_name()} gives an array of shape {beta.shape}; expected "
                f"{(size, size + 1)}, 0 or more.",
                remedy="One row a group; a column for each group, and the last for the unmarked control.",
            )
        if self.background is not everyone_balanced or mass is None:
            return beta
        return np.asarray(beta * divide(1.0, mass, fill=0.0)[..., None, :])

    def with_options(self, options: Options) -> Metric:
        """The metric with the background that the options name; `OptionError` for one that means nothing for it."""
        single = self.level == "counterfactual" and scores.about(self.score).kind == "single"
        if options.matching and not single:
            raise OptionError(
                f'{self.name}: matching="{options.matching}" restricts the product of the groups\' terms, and this '
                "metric does not compare single examples of a source.",
                remedy="Leave it out, or choose cf_gap, pert_ss, changed_answers or the like.",
            )
        if self.family != "background" and options.background:
            raise OptionError(f"{self.name} compares groups with each other and has no background.")
        if self.background is None or not options.background:
            return self
        return replace(self, background=background_named(options.background))


_Default = TypeVar("_Default")


class Catalogue(Mapping[str, Metric]):
    """The registered metrics by id, with a helpful error for an unknown one."""

    def __init__(self) -> None:
        self._metrics: dict[str, Metric] = {}

    def __getitem__(self, name: str) -> Metric:
        if name not in self._metrics:
            near = did_you_mean(name, self._metrics, n=3).strip()
            raise OptionError(
                f"the metric {name!r} is not known.", remedy=near or f"Known: {', '.join(self._metrics)}."
            )
        return self._metrics[name]

    @overload
    def get(self, name: str, /) -> Metric | None: ...
    @overload
    def get(self, name: str, /, default: Metric | _Default) -> Metric | _Default: ...
    def get(self, name: str, /, default: Metric | _Default | None = None) -> Metric | _Default | None:
        """The metric of that id, or the default where there is none: no error, as with every mapping."""
        return self._metrics.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._metrics

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def register(self, metric: Metric) -> Metric:
        """Add a metric of your own; `pairwise_metric`, `background_metric` and `multigroup_metric` do."""
        if metric.name in self._metrics:
            raise OptionError(f"a metric {metric.name!r} is registered already.", remedy="Take another name.")
        self._metrics[metric.name] = metric
        return metric

    def remove(self, name: str) -> None:
        """Remove a metric of your own."""
        del self._metrics[self[name].name]


METRICS = Catalogue()


def pairwise_metric(
    name: str,
    *,
    score: scores.Score,
    compare: comparisons.Comparison,
    level: Level = "group",
    normalise: Normaliser | None = number_of_contrasts,
    source: str = "",
    question: str = "",
) -> Metric:
    """Register a pairwise comparison metric, equations (1) and (2), under its id: score phi, comparison d, and N.

    Where d is not commutative and there are more than two groups there is no total.

    >>> from fairness_checklist.metrics.scores import prediction_rate
    >>> from fairness_checklist.metrics.comparisons import abs_diff
    >>> pairwise_metric("my_gap", score=prediction_rate, compare=abs_diff)
    <Metric my_gap: group pairwise, prediction_rate, abs_diff>
    >>> METRICS.remove("my_gap")
    """
    _check(name, compare, score, level, ("scalar", "distribution", "ranking"))
    metric = Metric(name, "pairwise", level, score, compare, normalise=normalise, source=source, question=question)
    return METRICS.register(metric)


def background_metric(
    name: str,
    *,
    score: scores.Score,
    compare: comparisons.Comparison,
    background: Background | None,
    background_score: scores.Score | None = None,
    level: Level = "group",
    normalise: Normaliser | None = number_of_contrasts,
    source: str = "",
    question: str = "",
) -> Metric:
    """Register a background comparison metric, equations (3) and (4); d gets the background first.

    ``background`` is None where d looks at the group alone (a subgroup's AUC),
    ``background_score`` phi of the background where it is another, ``normalise`` None for a vector-valued metric.
    """
    _check(name, compare, score, level, ("scalar", "distribution", "ranking"))
    if background_score is not None:
        _check(name, compare, background_score, level, ("scalar", "distribution"))
        if level == "counterfactual":
            raise OptionError(f"{name}: a score of the background's own is for group metrics.")
    metric = Metric(name, "background", level, score, compare, normalise=normalise, source=source, question=question)
    return METRICS.register(replace(metric, background=background, background_score=background_score))


def multigroup_metric(
    name: str,
    *,
    score: scores.Score,
    compare: comparisons.Comparison,
    also: scores.Score | None = None,
    level: Level = "group",
    source: str = "",
    question: str = "",
) -> Metric:
    """Register a multi-group comparison metric, equations (5) and (6); d gets the scores of all groups.

    With ``also``, a group metric's d is computed for two scores, and the larger value is taken.
    """
    _check(name, compare, score, level, ("groups",))
    if also is not None:
        _check(name, compare, also, level, ("groups",))
        if level == "counterfactual":
            raise OptionError(f"{name}: a second score is for group metrics.")
    metric = Metric(name, "multigroup", level, score, compare, also=also, source=source, question=question)
    return METRICS.register(metric)


def _check(name: str, compare: comparisons.Comparison, score: scores.Score, level: str, kinds: tuple[str, ...]) -> None:
    if level not in ("group", "counterfactual"):
        raise OptionError(f'{name}: level={level!r} is not known: it is "group" or "counterfactual".')
    comparison, known = comparisons.about(compare), scores.about(score)
    kind, compares = known.kind, comparison.kind
    if compare in comparisons.COMPARISONS.values() and compares not in kinds:
        raise OptionError(f"{name}: {comparison.name} compares {compares}; expected {' or '.join(kinds)}.")
    both = f"{name}: the score {known.name} is of kind {kind}, and {comparison.name} compares {compares} scores"
    if kind == "ranking" and compares != "groups" and (compares != "ranking" or level != "group"):
        raise OptionError(
            f"{both} on the {level} level.",
            remedy="Rankings go with comparisons of rankings or of all groups, on the group level.",
        )
    if (compares == "distribution") != (kind == "set") or (compares == "ranking" and kind != "ranking"):
        remedy = "Sets of scores go with comparisons of distributions, single numbers with scalar ones."
        raise OptionError(f"{both}.", remedy=remedy)
    if kind == "single" and level == "group":
        raise OptionError(
            f"{name}: the score {known.name} is of single examples, which only counterfactual metrics have."
        )

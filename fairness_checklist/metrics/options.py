"""The choices that the literature leaves when a metric is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from fairness_checklist.arrays import by_value
from fairness_checklist.errors import OptionError
from fairness_checklist.parameters import DENOMINATOR, SEED, UNDEFINED, WEIGHT, choice, string, whole_number

__all__ = ["Options"]


@by_value
@dataclass(frozen=True, eq=False)
class Options:
    """How a metric is computed where the literature leaves a choice; the defaults are those of the documentation.

    Attributes:
        denominator: "true_class" averages over the sources that have the class, "all_sources" over all of them.
        weight: "source" counts every source once, "groupings" by its number of groupings (not for set scores); "group"
            lets every group's rows weigh the same together in the background.
        max_groupings: draw at most so many rows of the product a source instead of the exact expectation.
        seed: of that draw, and of the sample that stands in for an expectation without a closed form.
        groupings: (R, 1 + G) rows of the product to use instead (see `metrics.groupings`).
        background: the name of another background than the metric's own.
        undefined: "report" leaves NaN with a reason, "raise" is strict.
        where: of a tagger's sentences "slot" takes the identity term alone, "context" the words around it.
        by: "term" makes each identity term a group of its own.
        matching: "concept" compares only terms of the same concept (girl, boy) in counterfactual metrics of single
            examples: the mean over the concepts of a source, then over sources.
    """

    denominator: Literal["true_class", "all_sources"] = DENOMINATOR
    weight: Literal["source", "groupings", "group"] = WEIGHT
    max_groupings: int | None = None
    seed: int = SEED
    groupings: Any = None
    background: str = ""
    undefined: Literal["report", "raise"] = UNDEFINED
    where: Literal["", "slot", "context"] = ""
    by: Literal["", "term"] = ""
    matching: Literal["", "concept"] = ""

    def __post_init__(self) -> None:
        for name, known in _KNOWN.items():
            object.__setattr__(self, name, choice(name, getattr(self, name), known))
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
        """What differs from the default, as it stands in the column ``options``."""
        parts = [f"denominator={self.denominator}"] if self.denominator != "true_class" else []
        parts += [f"weight={self.weight}"] if self.weight != "source" else []
        if self.max_groupings is not None:
            parts += [f"max_groupings={self.max_groupings}", f"seed={self.seed}"]
        parts += ["groupings=given"] if self.groupings is not None else []
        parts += [f"background={self.background}"] if self.background else []
        parts += [f"where={self.where}"] if self.where else []
        parts += [f"by={self.by}"] if self.by else []
        parts += [f"matching={self.matching}"] if self.matching else []
        return "; ".join(parts)


_KNOWN = {name: get_args(hint) for name, hint in get_type_hints(Options).items() if get_origin(hint) is Literal}
"""The values of the options that have a few."""

"""The choices that the literature leaves when a metric is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from fairness_checklist.arrays import by_value
from fairness_checklist.errors import OptionError

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

    denominator: Literal["true_class", "all_sources"] = "true_class"
    weight: Literal["source", "groupings", "group"] = "source"
    max_groupings: int | None = None
    seed: int = 0
    groupings: Any = None
    background: str = ""
    undefined: Literal["report", "raise"] = "report"
    where: Literal["", "slot", "context"] = ""
    by: Literal["", "term"] = ""
    matching: Literal["", "concept"] = ""

    def __post_init__(self) -> None:
        known = {
            "denominator": ("true_class", "all_sources"),
            "weight": ("source", "groupings", "group"),
            "undefined": ("report", "raise"),
            "where": ("", "slot", "context"),
            "by": ("", "term"),
            "matching": ("", "concept"),
        }
        for name, values in known.items():
            if getattr(self, name) not in values:
                wrong = getattr(self, name)
                raise OptionError(
                    f"{name}={wrong!r} is not known.", remedy=f"Known: {', '.join(filter(None, values))}."
                )
        if self.max_groupings is not None and self.max_groupings < 1:
            raise OptionError(f"max_groupings={self.max_groupings} is not a number of rows: it must be 1 or more.")
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

"""What is known from natural texts: the study of docs/validity.md, as its script wrote it."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import join_names

_SHOWN = 6


@dataclass(frozen=True, eq=False)
class NaturalStudy:
    """The result that was planned, and how many natural texts mention each group."""

    models: int  # transformers that were compared
    correlation: float  # rank correlation of the suite's gaps and those in texts, -1 to 1
    low: float  # its 95 % interval
    high: float
    needed: float  # what ``low`` had to reach by the plan
    least: int  # texts from which a group was compared
    texts: dict[str, dict[str, int]]  # those of each attribute by group

    def verdict(self) -> str:
        """What came out, in one sentence."""
        missed = f"; the plan demanded {self.needed:.2f} of the lower end" if self.low < self.needed else ""
        return (
            f"Over {self.models} models, the gaps of a suite and those in natural texts agree in their order at a rank "
            f"correlation of {self.correlation:.2f} ({self.low:.2f} to {self.high:.2f}){missed}."
        )

    def about(self, attribute: str, groups: tuple[str, ...]) -> str:
        """Of which groups nothing natural is known, in one sentence; "" where all were compared."""
        compared = self.texts.get(attribute.partition(".")[0], {})
        unknown = [group for group in groups if compared.get(group, 0) < self.least]
        number = count(len(groups), "group")
        which = f"{len(unknown):,} of {number}: {join_names(unknown, _SHOWN)}"
        if len(unknown) == len(groups):
            which = f"any of its {number}"
        return f"{attribute}: nothing is known from natural texts about {which}." if unknown else ""


@cache
def natural_study() -> NaturalStudy:
    """The study that ships."""
    return NaturalStudy(**tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")))

"""What a reproduction of a paper holds: its tables beside ours, figures, and its statements one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pandas as pd

from fairness_checklist.core.errors import OptionError

__all__ = ["Figure", "PaperTable", "ReproduceOptions", "Reproduction", "Statement", "Verdict"]

Verdict = Literal["seen here", "not seen", "not testable"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReproduceOptions:
    """What a user may choose. A paper that cannot use one of them raises `OptionError`.

    Attributes:
        models: folders, hub ids or Python objects (``FILE.py:NAME``) of classifiers; empty for the bundled ones.
        taggers: the same for taggers.
        data: a file or folder of the user's: the paper's own data, where it may not be shipped.
        max_terms: terms of each group at most, drawn at random; None for all.
        max_templates: templates of each attribute at most, drawn at random; None for all.
        seed: seed of all draws.
        labels: from labels of the models to classes, for those models that have such labels.
    """

    models: Sequence[str] = ()
    taggers: Sequence[str] = ()
    data: Path | None = None
    max_terms: int | None = None
    max_templates: int | None = None
    seed: int = 0
    labels: Mapping[str, str] | None = None

    def refuse(self, paper: str, *names: str) -> None:
        """Raise `OptionError` if one of these options was given."""
        for name in names:
            if getattr(self, name) not in ((), None):
                raise OptionError(f"{name} is not used by the reproduction of {paper}.", remedy="Leave it out.")


@dataclass(frozen=True, kw_only=True, eq=False)
class PaperTable:
    """A table or figure of the paper, its numbers beside ours.

    Attributes:
        name: where it stands, as "Table 7".
        caption: one sentence: what a row is, the unit, and which column is the paper's and which ours.
        table: the numbers; published ones in columns that begin with ``paper``, ours in those that begin with ``ours``.
    """

    name: str
    caption: str
    table: pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure as inline SVG, with a name ("Figure 1"), a caption and a text for those who do not see it."""

    name: str
    caption: str
    svg: str
    alternative: str


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of the paper in our words, and whether the same pattern is there in our numbers.

    Attributes:
        place: where it stands, as "section 6.1".
        says: the statement, one sentence.
        verdict: seen here, not seen, or not testable.
        because: the numbers that decide, or what is missing; one sentence.
    """

    place: str
    says: str
    verdict: Verdict
    because: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Reproduction:
    """A paper's tables, figures and statements beside ours.

    Attributes:
        paper: its id, as ``czarnowska2021``.
        citation: authors, year, title and place.
        lines: the answer for a terminal, about ten lines, leading sentence first.
        terms: a sentence for the page that explains the paper's abbreviations.
        unavailable: what of the paper cannot be computed here, and why; one sentence each.
    """

    paper: str
    citation: str
    lines: Sequence[str]
    tables: Sequence[PaperTable] = ()
    figures: Sequence[Figure] = ()
    statements: Sequence[Statement] = ()
    unavailable: Sequence[str] = ()
    terms: str = ""
    settings: dict[str, str] = field(default_factory=dict)

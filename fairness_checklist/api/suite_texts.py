"""The texts of a suite: as strings and as tables."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from fairness_checklist.api import scoring
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.option_defaults import SEED
from fairness_checklist.suites.parts import Part, texts_frame


@dataclass(frozen=True, repr=False)
class SuiteTexts:
    """The texts of a suite, one part for each attribute."""

    parts: tuple[Part, ...]

    @property
    def task(self) -> str:
        return self.parts[0].task

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(part.attribute for part in self.parts)

    @property
    def examples(self) -> dict[str, ExampleSet]:
        """The example set of each attribute."""
        return {part.attribute: part.examples for part in self.parts}

    @property
    def dropped(self) -> pd.DataFrame:
        """Templates, or texts by their id, that take no part: attribute, template, reason."""
        rows = [(part.attribute, row.template_id, row.reason) for part in self.parts for row in part.dropped]
        return pd.DataFrame(rows, columns=["attribute", "template", "reason"])

    @property
    def skipped(self) -> pd.DataFrame:
        """Of a suite of texts the terms that a text was not rewritten for: attribute, id, group, term, reason."""
        rows = [
            (part.attribute, row.source, row.group, row.term, row.reason) for part in self.parts for row in part.skipped
        ]
        return pd.DataFrame(rows, columns=["attribute", "id", "group", "term", "reason"])

    def __len__(self) -> int:
        """The number of texts; the controls of an intersection are not counted."""
        return sum(len(part.examples) for part in self.parts)

    def texts(self) -> list[str]:
        """All texts, in order."""
        return [text for part in self.parts for text in part.examples.render()]

    def to_frame(self, *, placebo: bool = False, seed: int = SEED) -> pd.DataFrame:
        """The texts with source, group, term and label, one row per text: a prediction table without predictions.

        The controls of an intersection are further rows, at the end; their column ``variant`` is filled. So is that of
        the placebo words that `run` compares findings with, which ``placebo=True`` adds: for a model that runs
        elsewhere, whose predictions `evaluate` reads.
        """
        return texts_frame(self.parts, scoring.placebos_of(self.parts, seed) if placebo else None)

    def __repr__(self) -> str:
        described = []
        for part in self.parts:
            origin = f" (templates: {part.origin})" if part.origin else ""
            described.append(
                f"{part.attribute}: {len(part.examples.sources)} sources{origin} x {len(part.terms)} terms of "
                f"{len(part.terms.groups)} groups, {len(part.examples):,} texts"
            )
        return f"<Suite for {self.task}: {'; '.join(described)}>"

    def card(self) -> str:
        """The suite card as Markdown: counts, provenance, review, known gaps.

        >>> from fairness_checklist import Suite
        >>> print(Suite.build("gender", groups=["women", "men"]).card().splitlines()[0])
        # Suite card
        """
        from fairness_checklist.extensions.authoring.card import card_markdown, suite_card

        return card_markdown(suite_card(self.parts))

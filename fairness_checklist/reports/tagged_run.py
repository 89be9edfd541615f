"""The sentences of a tagger's run with the entities found, as the pairs of sentences show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.sentences import Sentences, read_sentences
from fairness_checklist.reports.run_view import one_of, with_hashed_words
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_tagged


@dataclass(frozen=True)
class Tagged:
    """n sentences of a tagger's run."""

    examples: ExampleSet  # examples, predictions, outcomes: the same sentences, three times
    predictions: TokenPredictions
    outcomes: Outcomes
    sentences: Sentences  # their words
    texts: tuple[str, ...]  # as they are shown
    hidden: bool  # whether only hashes of the texts were kept

    def borders(self, row: int) -> list[tuple[int, int]]:
        """The characters that each word of a sentence covers in its text; (-1, -1) for one that is not there."""
        text, at = self.texts[row], 0
        spans = []
        offset = self.sentences.offset
        for word in self.sentences.words[offset[row] : offset[row + 1]]:
            start = -1 if self.hidden else text.find(word, at)
            at = at if start < 0 else start + len(word)
            spans.append((start, at) if start >= 0 else (-1, -1))
        return spans

    def entities(self, row: int) -> str:
        """The entities that were found, with their types; "none" without any.

        For texts that were not kept only the types are reported.
        """
        spans, types = self.predictions.spans, self.predictions.types
        borders, text = self.borders(row), self.texts[row]
        parts = []
        for at in sorted(np.flatnonzero(spans.row == row), key=lambda span: spans.start[span]):
            start, end = borders[int(spans.start[at])][0], borders[int(spans.end[at]) - 1][1]
            kind = types[int(spans.type[at])]
            parts.append(f"{text[start:end]} ({kind})" if 0 <= start < end else kind)
        return ", ".join(parts) or "none"

    def term(self, row: int) -> str:
        """The identity term of a sentence, "" where none is named."""
        term = int(self.outcomes.term[row])
        return self.examples.terms[term] if term >= 0 else ""

    def place_of_term(self, row: int) -> tuple[int, int]:
        """[start, end) of the term in the text, where it comes first; (-1, -1) where it is unknown."""
        offset = self.sentences.offset
        inside = np.flatnonzero(self.sentences.slot[offset[row] : offset[row + 1]] == 0)
        if not len(inside):
            return -1, -1
        borders = self.borders(row)
        start, end = borders[int(inside[0])][0], borders[int(inside[-1])][1]
        return (start, end) if 0 <= start < end else (-1, -1)

    def side(self, row: int, slots: AtTerms) -> dict[str, Any]:
        """What is shown of a sentence beside another one."""
        start, end = self.place_of_term(row)
        return {
            "group": self.examples.groups[int(self.outcomes.group[row])],
            "term": self.term(row),
            "text": self.texts[row],
            "predicted": self.entities(row),
            "p": float(slots.probability[row]),
            "start": start,
            "end": end,
        }


@dataclass(frozen=True, eq=False)
class AtTerms:
    """The predictions for the terms of n sentences."""

    type: IntArray  # (n,) the position of the type that the terms have; -1 where they have none, or it is not known
    exact: BoolArray  # (n,) whether all of a sentence's terms are found with all their words and their type
    probability: FloatArray  # (n,) the mean probability of their type; NaN where it is not known


def read_tagged_run(results: Results, attribute: str) -> Tagged:
    """The sentences of an attribute."""
    one_of(attribute, results.attributes, "attribute")
    if attribute in results.tagged:
        examples, predictions = results.tagged[attribute]
    else:
        rows = results.examples[results.examples["attribute"] == attribute].dropna(axis="columns", how="all")
        [(examples, predictions)] = split_tagged(with_hashed_words(results, rows))
    outcomes = reduce_to_outcomes(examples, predictions)
    hidden = results.info.get("texts") == "hashes"
    texts = tuple(examples.render())
    return Tagged(examples, predictions, outcomes, read_sentences(examples.texts), texts, hidden)


def at_terms(outcomes: Outcomes) -> AtTerms:
    """A tagger's predictions for the terms themselves."""
    slot = outcomes.view("slot")
    n, gold = len(slot), slot.gold
    whole = (gold.sum(axis=1) > 0) & (slot.correct.sum(axis=1) == gold.sum(axis=1))
    kind = np.where(gold.sum(axis=1) > 0, gold.argmax(axis=1), -1)
    probability = np.full(n, np.nan)
    units = slot.units
    if units is not None:
        fine = kind[units.row] >= 0
        row = units.row[fine]
        count = np.bincount(row, minlength=n)
        summed = np.bincount(row, weights=units.probability[fine, kind[row]], minlength=n)
        probability = divide(summed, count)
    return AtTerms(kind.astype(np.int64), np.asarray(whole, dtype=np.bool_), probability)

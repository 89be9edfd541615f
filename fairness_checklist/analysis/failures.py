"""The pairs that fail an invariance test, as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.analysis.run_view import is_tagging, one_of, tolerances, with_hashed_words
from fairness_checklist.checks.invariance_and_mft import Invariance, decisions, fails_against, references
from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray, divide
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.sentences import Sentences, read_sentences
from fairness_checklist.tables.run_folder import Results
from fairness_checklist.tables.tokens import split_any


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
        found = []
        offset = self.sentences.offset
        for word in self.sentences.words[offset[row] : offset[row + 1]]:
            start = -1 if self.hidden else text.find(word, at)
            at = at if start < 0 else start + len(word)
            found.append((start, at) if start >= 0 else (-1, -1))
        return found

    def entities(self, row: int) -> str:
        """The entities that were found, with their types; "none" without any.

        For texts that were not kept only the types are reported.
        """
        spans, types = self.predictions.spans, self.predictions.types
        borders, text = self.borders(row), self.texts[row]
        parts = []
        first, last = np.searchsorted(spans.row, [row, row + 1])
        for at in range(int(first), int(last)):
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
            "found": self.entities(row),
            "whole": bool(slots.exact[row]),
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
    part = results.examples[results.examples["attribute"] == attribute].dropna(axis="columns", how="all")
    [(examples, predictions)] = split_any(with_hashed_words(results, part), task="ner")
    if not isinstance(predictions, TokenPredictions):
        raise TypeError("a table of tagged sentences holds a tagger's predictions")
    order = np.argsort(predictions.spans.row, kind="stable")
    if (order != np.arange(len(order))).any():
        raise ValueError("the entities of a table are in the order of its rows")
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


def failures(results: Results, attribute: str | None = None, *, tolerance: float | None = None) -> pd.DataFrame:
    """Pairs of a source's reference and an example that fail, the largest change first.

    Args:
        results: a run.
        attribute: of which attribute; the first by default.
        tolerance: as in `checks.Invariance`; by default that of the run (of several invariance tests the first one's).

    Returns:
        Columns source, group, term, text, predicted, reference_text, reference_predicted, change: how far the
        probability of the reference's decision moved. For a tagger, found and reference_found replace the
        decisions: the entities of each sentence; and change is the largest among the words that fail.

    Raises:
        OptionError: no such attribute in the run, or its rows have no source.
    """
    tolerance = tolerances(results)[0] if tolerance is None else Invariance(tolerance).tolerance
    name = attribute or results.attributes[0]
    part = results.examples[results.examples["attribute"] == name]
    if part.empty:
        raise OptionError(f"the run has no attribute {name!r}.", remedy=f"It has {', '.join(results.attributes)}.")
    if "source" not in part.columns:
        raise OptionError("the rows have no source, so nothing can be compared pair by pair.")
    if is_tagging(results):
        tagged = read_tagged_run(results, name)
        examples, outcomes, texts = tagged.examples, tagged.outcomes, np.array(tagged.texts, dtype=object)
        rows, against = _failing(outcomes, tolerance)
        answer, answers = "found", np.full(len(texts), "", dtype=object)
        for row in np.unique(np.concatenate([rows, against])):
            answers[row] = tagged.entities(int(row))
    else:
        [(examples, predictions)] = split_any(part, task=str(results.info.get("task", "")), classes=classes_of(part))
        outcomes, texts = reduce_to_outcomes(examples, predictions), np.array(examples.render(), dtype=object)
        rows, against = _failing(outcomes, tolerance)
        answer, answers = "predicted", np.array(outcomes.classes, dtype=object)[decisions(outcomes)[0][:, 0]]
    frame = pd.DataFrame(
        {
            "source": [examples.sources[s].id for s in outcomes.source[rows]],
            "group": [examples.groups[g] for g in outcomes.group[rows]],
            "term": [examples.terms[t] if t >= 0 else "" for t in outcomes.term[rows]],
            "text": texts[rows],
            answer: answers[rows],
            "reference_text": texts[against],
            f"reference_{answer}": answers[against],
            "change": _change(outcomes, rows, against, tolerance),
        }
    )
    return frame.sort_values("change", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def _failing(outcomes: Outcomes, tolerance: float) -> tuple[IntArray, IntArray]:
    """The rows that fail, and the reference of each."""
    reference = references(outcomes)
    rows = np.flatnonzero((outcomes.source >= 0) & (outcomes.group < len(outcomes.groups)))
    rows = rows[outcomes.symmetric[outcomes.source[rows]]]
    against = reference[outcomes.source[rows]]
    compared = (rows != against) & (against >= 0)
    rows, against = rows[compared], against[compared]
    failed, _moved = fails_against(outcomes, against, rows, tolerance)
    return rows[failed], against[failed]


def _change(outcomes: Outcomes, rows: IntArray, against: IntArray, tolerance: float) -> FloatArray:
    """The change of the probability of the reference's decision: the largest one among the failing places."""
    wording, probability = decisions(outcomes)
    change = np.zeros(len(rows))
    for place in range(wording.shape[1]):
        given, own = wording[against, place], wording[rows, place]
        moved = probability[rows, place, given] - probability[against, place, given]
        failed = (own != given) & (own >= 0) & (given >= 0) & ~(np.abs(moved) <= tolerance)
        change = np.where(failed & (np.abs(moved) > np.abs(change)), moved, change)
    return change


def classes_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """The classes in the order of the table's columns."""
    return tuple(str(name).removeprefix("p:") for name in frame.columns if str(name).startswith("p:"))

"""The sentences of a tagger's run with the entities found, as the pairs of sentences show them."""

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.sentences import read_sentences


class TaggedTexts:
    """n sentences of a tagger's run; ``hidden`` where only hashes of the texts were kept."""

    def __init__(self, examples: ExampleSet, predictions: TokenPredictions, *, hidden: bool) -> None:
        self.predictions, self.hidden = predictions, hidden
        self.sentences, self.texts = read_sentences(examples.texts), examples.render()

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

    def place_of_term(self, row: int) -> tuple[int, int]:
        """[start, end) of the term in the text, where it comes first; (-1, -1) where it is unknown."""
        offset = self.sentences.offset
        inside = np.flatnonzero(self.sentences.slot[offset[row] : offset[row + 1]] == 0)
        if not len(inside):
            return -1, -1
        borders = self.borders(row)
        start, end = borders[int(inside[0])][0], borders[int(inside[-1])][1]
        return (start, end) if 0 <= start < end else (-1, -1)


def class_of_terms(slot: Outcomes, row: IntArray) -> tuple[NDArray[np.object_], FloatArray]:
    """(m,) the type that the terms of some sentences have, and its mean probability; NaN where it is not known."""
    kind, n = slot.gold.argmax(axis=1), len(slot)
    probability = np.full(n, np.nan)
    if slot.units is not None:
        of_unit = slot.units.probability[np.arange(len(slot.units.row)), kind[slot.units.row]]
        count = np.bincount(slot.units.row, minlength=n)
        probability = divide(np.bincount(slot.units.row, weights=of_unit, minlength=n), count)
    return np.array(slot.classes, dtype=object)[kind[row]], probability[row]

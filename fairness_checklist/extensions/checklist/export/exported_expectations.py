"""Expectation functions for tests of CheckList that decide by this package's rules.

Each is called for one test case, as CheckList's ``Expect.testcase`` does: with its texts, predictions, confidences,
labels and metadata. They are classes of this module, so that a saved suite holds their names and no code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.checks.directional import Expectation, Prediction, pair_value
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.extensions.checklist.export.tagged_texts import Tagged, decide_places, read_tagged

Meta = Mapping[str, Any]
Values = NDArray[Any]


@dataclass(frozen=True)
class PairExpectation:
    """A function of `DirectionalExpectation` as an expectation about a case: the reference is its first text.

    Attributes:
        expectation: the function of two `Prediction` records.
        title: what errors call it.
        classes: the C classes, in the order of the model's probabilities.

    >>> unchanged = PairExpectation(lambda reference, example: reference.label == example.label, "same", ("no", "yes"))
    >>> meta = [{"group": "unmarked", "term": ""}, {"group": "deaf", "term": "deaf"}]
    >>> unchanged(["a", "b"], [0, 1], np.array([[0.7, 0.3], [0.4, 0.6]]), None, meta).tolist()
    [True, False]
    """

    expectation: Expectation
    title: str
    classes: tuple[str, ...]

    def __call__(
        self, texts: Sequence[str], predicted: Sequence[int], confidence: Sequence[Any], labels: object, meta: Any
    ) -> Values:
        """The value of each text; the reference passes. All are None where the test applies to no pair.

        Args:
            texts: n of them, the reference first.
            predicted: (n,) positions in the classes.
            confidence: (n, C) probabilities; anything else means that only decisions are known.
            labels: not used.
            meta: n dictionaries with ``group`` and ``term``.
        """
        records = [self._record(*one) for one in zip(predicted, confidence, meta, strict=True)]
        values = [pair_value(self.expectation, self.title, records[0], record) for record in records[1:]]
        if all(value is None for value in values):
            return np.array([None] * len(texts), dtype=object)
        return np.array([True, *(True if value is None else value for value in values)])

    def _record(self, predicted: int, confidence: Any, meta: Meta) -> Prediction:
        position = int(predicted)
        given = np.asarray(confidence, dtype=np.float64)
        probabilities = given if given.ndim == 1 else np.eye(len(self.classes))[position]
        group = "" if meta["group"] == UNMARKED else str(meta["group"])
        named = dict(zip(self.classes, probabilities.tolist(), strict=True))
        return Prediction(self.classes[position], named, group, str(meta["term"]))


@dataclass(frozen=True)
class SameTags:
    """The invariance of a tagger: in no place the decision changes and the reference's probability moves too far.

    Attributes:
        tolerance: how far the probability of the reference's decision may move, in [0, 1].
    """

    tolerance: float

    def __call__(
        self, texts: Sequence[str], predicted: Sequence[str], confidence: Sequence[Any], labels: object, meta: Any
    ) -> Values:
        """Whether each text passes against the first, as bools (n,)."""
        found = [
            decide_places(read_tagged(one, conf), places=about["places"])
            for one, conf, about in zip(predicted, confidence, meta, strict=True)
        ]
        reference = found[0]
        return np.array([not any(self._fails(reference, one, place) for place in one) for one in found])

    def _fails(self, reference: Mapping[int, Any], example: Mapping[int, Any], place: int) -> bool:
        if place not in reference:
            return False
        given, own = reference[place], example[place]
        if given.decision == own.decision:
            return False
        return not abs(own.probability(given.decision) - given.probability(given.decision)) <= self.tolerance


@dataclass(frozen=True)
class AllEntities:
    """The minimum functionality of a tagger: all gold entities are found, each with all its words, and nothing else.

    Attributes:
        types: the types that the tagger can predict; gold entities of others are left out. Without any they are those
            that the prediction names, else all.

    >>> gold = '[[0, 1, "PER"], [3, 4, "MISC"]]'
    >>> AllEntities(("PER",))("Ana speaks good French.", '[[0, 1, "PER"]]', 1, gold).tolist()
    [True]
    """

    types: tuple[str, ...] = ()

    def __call__(
        self, text: str, predicted: str, confidence: Any, label: str, meta: object = None
    ) -> NDArray[np.bool_]:
        """Whether the text passes, as bools (1,)."""
        found = read_tagged(predicted, confidence)
        known = self.types or found.types
        gold = [span for span in Tagged.of(str(label)).spans if not known or span[2] in known]
        correct = len(set(gold) & set(found.spans))
        return np.array([correct == len(gold) == len(found.spans)])

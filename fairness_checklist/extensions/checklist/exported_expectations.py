"""What tests that were exported to CheckList decide by: this package's rules, and the predictions of taggers.

The expectations are called for one test case, as CheckList's ``Expect.testcase`` does: with its texts, predictions,
confidences, labels and metadata. They are classes of this module, so that a saved suite holds their names and no code.

CheckList puts the predictions for a test case into one NumPy array and compares them with ``==``. Lists of tags have
unequal lengths and cannot be put into an array. So the prediction of a tagger for a text is a string, the JSON list of
its entities, and the confidence is one object with the probabilities of all its words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.checks.directional import Expectation, Prediction, pair_value
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import ModelError, PredictionError
from fairness_checklist.core.examples import UNMARKED, ExampleSet
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.sentences import Sentences, lay_out
from fairness_checklist.models.base import excerpt, predict_with_checks
from fairness_checklist.models.load import load_model

Span = tuple[int, int, str]  # first word, the one after the last, type
Place = tuple[int, list[int], bool]
Decisions = dict[int, tuple[str, Mapping[str, float]]]  # of each place, and the probability of each class there
PARTLY = ""  # the decision about a term that was found in part, or together with other words


@dataclass(frozen=True, eq=False)
class WordProbabilities:
    """The confidence of a tagger in its prediction for a text of W words.

    Attributes:
        classes: the T types that it can predict and, last, "O".
        values: (W, T + 1) in [0, 1]; None where only entities are known.
    """

    classes: tuple[str, ...]
    values: FloatArray | None = None


def read_tagged(predicted: str, confidence: Any = None) -> tuple[list[Span], WordProbabilities]:
    """The prediction for a text from what CheckList keeps: the string, and `WordProbabilities` or a number.

    Where it is a number, the types that the tagger can predict are not known, and there are none.
    """
    predicted = str(predicted)  # CheckList's arrays hold strings of NumPy
    try:
        spans = [(int(start), int(end), str(kind)) for start, end, kind in json.loads(predicted)]
    except (TypeError, ValueError) as error:
        raise PredictionError(
            f"the prediction {excerpt(predicted)!r} is not a list of entities.",
            remedy='Expected first word, word after the last, and type of each: [[0, 2, "PER"]]; [] where there is '
            "none. wrap_tagger gives such predictions.",
        ) from error
    return spans, confidence if isinstance(confidence, WordProbabilities) else WordProbabilities(("O",))


def write_spans(spans: Sequence[Span]) -> str:
    """Entities as the string that is a prediction in CheckList."""
    return json.dumps([list(span) for span in spans], ensure_ascii=False)


def spans_by_row(rows: Any, types: Sequence[str], n: int) -> list[list[Span]]:
    """The spans of each of n texts, from the arrays of `Spans`."""
    spans: list[list[Span]] = [[] for _ in range(n)]
    columns = (rows.row, rows.start, rows.end, rows.type)
    for row, start, end, kind in zip(*(column.tolist() for column in columns), strict=True):
        spans[row].append((start, end, types[kind]))
    return spans


def _open(model: Any, task: str | None, loading: Mapping[str, Any]) -> Any:
    """A model that `load_model` gave as it is, and anything else loaded."""
    loaded = all(hasattr(model, name) for name in ("predict", "describe", "classes"))
    return model if loaded and not loading else load_model(model, **({"task": task} | dict(loading)))


def wrap_classifier(model: Any, **loading: Any) -> Callable[[Sequence[str]], tuple[NDArray[Any], NDArray[Any]]]:
    """A prediction function for ``run`` of the tests that `to_checklist` makes, with ``classes=model.classes``.

    Args:
        model: a classifier that `load_model` gave, or whatever it takes.
        loading: options for `load_model`.

    Returns:
        A function from n texts to the positions of the predicted classes (n,) and the probabilities (n, C); these are
        1 and 0 where only decisions are known.

    Raises:
        ModelError: the model tags words.

    >>> predict = wrap_classifier(lambda texts: [0.75] * len(texts))
    >>> predict(["Anna is here."])
    (array([1]), array([[0.25, 0.75]]))
    """
    classifier = _open(model, None, loading)

    def predict(texts: Sequence[str]) -> tuple[NDArray[Any], NDArray[Any]]:
        predictions = predict_with_checks(classifier, list(texts))
        if not isinstance(predictions, Predictions):
            raise ModelError(
                f"the model {classifier.name} tags words, and wrap_classifier is for classifiers.",
                remedy="Use wrap_tagger.",
            )
        decided = np.eye(len(predictions.classes))[predictions.predicted]
        return predictions.predicted, decided if predictions.probabilities is None else predictions.probabilities

    return predict


def wrap_tagger(model: Any, **loading: Any) -> Callable[[Sequence[str]], tuple[list[str], list[WordProbabilities]]]:
    """A prediction function for ``run`` of the tests that `to_checklist` makes of a suite for taggers.

    Args:
        model: a tagger that `load_model` gave, or whatever it takes.
        loading: options for `load_model`.

    Returns:
        A function from n texts to n predictions, each the JSON list of its entities, and n `WordProbabilities`.

    Raises:
        ModelError: the model classifies whole texts.

    >>> predict = wrap_tagger(lambda texts: [[(0, 4, "PERSON")] for _ in texts])
    >>> predict(["Anna is here."])[0]
    ['[[0, 1, "PER"]]']
    """
    tagger = _open(model, "ner", loading)

    def predict(texts: Sequence[str]) -> tuple[list[str], list[WordProbabilities]]:
        predictions = predict_with_checks(tagger, list(texts))
        if not isinstance(predictions, TokenPredictions):
            raise ModelError(
                f"the model {tagger.name} classifies whole texts, and wrap_tagger is for taggers.",
                remedy="Use wrap_classifier.",
            )
        spans = spans_by_row(predictions.spans, predictions.types, len(texts))
        values: Sequence[FloatArray | None] = [None] * len(texts)
        if predictions.probabilities is not None:
            values = np.split(predictions.probabilities, predictions.offset[1:-1])
        return [write_spans(row) for row in spans], [WordProbabilities(predictions.classes, part) for part in values]

    return predict


def places_of(examples: ExampleSet, sentences: Sentences) -> tuple[list[list[Place]], list[bool]]:
    """The places of each of n sentences that are compared, and whether it may be its source's reference.

    Of each place the number that it has in all sentences of the source, its words, and whether it is the term. A
    reference has the words of its source around the term.
    """
    layout = lay_out(examples, sentences, sentences.gold)
    words: list[list[int]] = [[] for _ in range(len(layout.row))]
    within = np.arange(len(sentences.words)) - np.repeat(sentences.offset[:-1], np.diff(sentences.offset))
    for unit, word in zip(layout.unit.tolist(), within.tolist(), strict=True):
        if unit >= 0:
            words[unit].append(word)
    places: list[list[Place]] = [[] for _ in range(len(examples))]
    units = zip(layout.row.tolist(), layout.position.tolist(), words, layout.in_slot.tolist(), strict=True)
    for row, position, of_unit, in_slot in units:
        if position >= 0:
            places[row].append((position, of_unit, in_slot))
    return places, layout.aligned.tolist()


def _decide(
    spans: Sequence[Span], confidence: WordProbabilities, words: Sequence[int], in_slot: bool
) -> tuple[str, Mapping[str, float]]:
    """The decision about a place, by the rule of `core.predictions_to_outcomes`."""
    holder = {word: span for span in spans for word in range(span[0], span[1])}
    held = [holder.get(word) for word in words]
    decision = "O" if held[0] is None else held[0][2]
    if in_slot and any(held):
        longest = max(span[1] - span[0] for span in held if span)
        if len(set(held)) > 1 or longest != len(words):
            decision = PARTLY
    if confidence.values is None:
        return decision, {decision: 1.0}
    values = confidence.values[words]
    distance = np.add.accumulate(values - values[0], axis=0)[-1]  # equal values give the first to the last bit
    mean = (values[0] + distance / len(words)).tolist()
    return decision, dict(zip((*confidence.classes[:-1], "O"), mean, strict=True)) | {PARTLY: float(decision == PARTLY)}


@dataclass(frozen=True)
class PairExpectation:
    """A function of `DirectionalExpectation` as an expectation about a case: the reference is its first text.

    ``title`` is what errors call it, ``classes`` are in the order of the model's probabilities.
    """

    expectation: Expectation
    title: str
    classes: tuple[str, ...]

    def __call__(
        self, texts: Sequence[str], predicted: Sequence[int], confidence: Sequence[Any], labels: object, meta: Any
    ) -> NDArray[Any]:
        """(n,) the value of each text; the reference passes. All are None where the test applies to no pair."""
        records = [self._record(*answer) for answer in zip(predicted, confidence, meta, strict=True)]
        values = [pair_value(self.expectation, self.title, records[0], record) for record in records[1:]]
        if all(value is None for value in values):
            return np.array([None] * len(texts), dtype=object)
        return np.array([True, *(True if value is None else value for value in values)])

    def _record(self, predicted: int, confidence: Any, meta: Mapping[str, Any]) -> Prediction:
        position = int(predicted)
        given = np.asarray(confidence, dtype=np.float64)
        probabilities = given if given.ndim == 1 else np.eye(len(self.classes))[position]
        group = "" if meta["group"] == UNMARKED else str(meta["group"])
        named = dict(zip(self.classes, probabilities.tolist(), strict=True))
        return Prediction(self.classes[position], named, group, str(meta["term"]))


@dataclass(frozen=True)
class SameTags:
    """The invariance of a tagger: in no place the decision changes and the reference's probability moves too far."""

    tolerance: float

    def __call__(
        self, texts: Sequence[str], predicted: Sequence[str], confidence: Sequence[Any], labels: object, meta: Any
    ) -> NDArray[Any]:
        """Whether each text passes against the first, as bools (n,)."""
        decided = [
            {place: _decide(*read_tagged(text, conf), words, in_slot) for place, words, in_slot in about["places"]}
            for text, conf, about in zip(predicted, confidence, meta, strict=True)
        ]
        return np.array([not self._fails(decided[0], example) for example in decided])

    def _fails(self, reference: Decisions, example: Decisions) -> bool:
        for place in reference.keys() & example.keys():
            (given, before), (own, after) = reference[place], example[place]
            moved = abs(after.get(given, 0.0) - before.get(given, 0.0))
            if given != own and not moved <= self.tolerance:
                return True
        return False


@dataclass(frozen=True)
class AllEntities:
    """The minimum functionality of a tagger: all gold entities are found, each with all its words, and nothing else.

    Gold entities of types that the tagger cannot predict are left out: others than ``types``, or than those that the
    prediction names.
    """

    types: tuple[str, ...] = ()

    def __call__(
        self, text: str, predicted: str, confidence: Any, label: str, meta: object = None
    ) -> NDArray[np.bool_]:
        """Whether the text passes, as bools (1,)."""
        spans, word_probabilities = read_tagged(predicted, confidence)
        known = self.types or word_probabilities.classes[:-1]
        gold = [span for span in read_tagged(label)[0] if not known or span[2] in known]
        correct = len(set(gold) & set(spans))
        return np.array([correct == len(gold) == len(spans)])

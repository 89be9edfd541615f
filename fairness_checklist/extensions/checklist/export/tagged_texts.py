"""The predictions of taggers in CheckList, whose arrays hold one value a text.

CheckList puts the predictions for a test case into one NumPy array and compares them with ``==``. Lists of tags have
unequal lengths and cannot be put into an array. So the prediction for a text is a string, the JSON list of its
entities, and the confidence is one object with the probabilities of all its words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, PredictionError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.sentences import Sentences, lay_out
from fairness_checklist.models.base import excerpt, predict_with_checks
from fairness_checklist.models.load import load_model

Span = tuple[int, int, str]
Place = tuple[int, list[int], bool]
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


@dataclass(frozen=True, eq=False)
class Tagged:
    """A tagger's prediction for a text.

    Attributes:
        spans: the entities: first word, the one after the last, type.
        types: the T types that the tagger can predict; ``()`` where they are not known.
        probabilities: (W, T + 1), the last column outside; None where only entities are known.
    """

    spans: tuple[Span, ...]
    types: tuple[str, ...] = ()
    probabilities: FloatArray | None = None

    @classmethod
    def of(cls, written: str) -> Tagged:
        """From the string that `write_spans` gives.

        Raises:
            PredictionError: another string.

        >>> Tagged.of('[[0, 2, "PER"]]').spans
        ((0, 2, 'PER'),)
        """
        try:
            spans = tuple((int(start), int(end), str(kind)) for start, end, kind in json.loads(written))
        except (TypeError, ValueError) as error:
            raise PredictionError(
                f"the prediction {excerpt(written)!r} is not a list of entities.",
                remedy='Expected first word, word after the last, and type of each: [[0, 2, "PER"]]; [] where there is '
                "none. wrap_tagger gives such predictions.",
            ) from error
        return cls(spans)


@dataclass(frozen=True, eq=False)
class Decided:
    """What a tagger decided about one place: the class, and the probability of each class there."""

    decision: str
    by_class: Mapping[str, float] | None

    def probability(self, name: str) -> float:
        """The probability of a class; 1 or 0 where only decisions are known, and for a term found in part."""
        if self.by_class is None or name == PARTLY:
            return float(self.decision == name)
        return self.by_class.get(name, 0.0)


def write_spans(spans: Sequence[Span]) -> str:
    """Entities as the string that is a prediction in CheckList.

    >>> write_spans([(0, 2, "PER")])
    '[[0, 2, "PER"]]'
    """
    return json.dumps([list(span) for span in spans], ensure_ascii=False)


def read_tagged(predicted: str, confidence: Any) -> Tagged:
    """The prediction for a text from what CheckList keeps: the string, and `WordProbabilities` or a number."""
    found = Tagged.of(str(predicted))
    if not isinstance(confidence, WordProbabilities):
        return found
    return Tagged(found.spans, confidence.classes[:-1], confidence.values)


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
    loaded = all(hasattr(model, name) for name in ("predict", "describe", "classes"))
    tagger = model if loaded and not loading else load_model(model, task="ner", **loading)

    def predict(texts: Sequence[str]) -> tuple[list[str], list[WordProbabilities]]:
        found = predict_with_checks(tagger, list(texts))
        if not isinstance(found, TokenPredictions):
            raise ModelError(
                f"the model {tagger.name} classifies whole texts, and wrap_tagger is for taggers.",
                remedy="Use wrap_classifier.",
            )
        spans: list[list[Span]] = [[] for _ in texts]
        columns = (found.spans.row, found.spans.start, found.spans.end, found.spans.type)
        for row, start, end, kind in zip(*(column.tolist() for column in columns), strict=True):
            spans[row].append((start, end, found.types[kind]))
        values = found.probabilities
        return [write_spans(one) for one in spans], [
            WordProbabilities(found.classes, None if values is None else values[first:last])
            for first, last in zip(found.offset[:-1].tolist(), found.offset[1:].tolist(), strict=True)
        ]

    return predict


def write_tagged_line(predicted: str, confidence: WordProbabilities) -> str:
    """A prediction of `wrap_tagger` as one line of a file, for ``run_from_file(path, format_fn=read_tagged_line)``.

    >>> write_tagged_line('[[0, 1, "PER"]]', WordProbabilities(("PER", "O"), np.array([[0.75, 0.25]])))
    '{"spans": [[0, 1, "PER"]], "classes": ["PER", "O"], "probabilities": [[0.75, 0.25]]}'
    """
    values = None if confidence.values is None else confidence.values.tolist()
    content = {"spans": json.loads(predicted), "classes": list(confidence.classes), "probabilities": values}
    return json.dumps(content, ensure_ascii=False)


def read_tagged_line(line: str) -> tuple[str, WordProbabilities]:
    """The prediction and the confidence from a line that `write_tagged_line` gave.

    Raises:
        PredictionError: another line.

    >>> read_tagged_line('{"spans": [], "classes": ["PER", "O"], "probabilities": null}')[0]
    '[]'
    """
    try:
        content = json.loads(line)
        spans = write_spans([(int(start), int(end), str(kind)) for start, end, kind in content["spans"]])
        classes, given = tuple(map(str, content["classes"])), content["probabilities"]
        values = None if given is None else np.array(given, dtype=np.float64).reshape(-1, len(classes))
    except (KeyError, TypeError, ValueError) as error:
        raise PredictionError(
            f"the line {excerpt(line)!r} is not the prediction of a tagger.",
            remedy="Write each line with write_tagged_line.",
        ) from error
    return spans, WordProbabilities(classes, values)


def places_of(examples: ExampleSet, sentences: Sentences) -> tuple[list[list[Place]], list[bool]]:
    """The places of each of n sentences that are compared, and whether it may be its source's reference.

    Returns:
        Of each sentence its places: the number that the same place has in the other sentences of the source, its words,
        and whether it is the term. The second: whether the words around the term are those of the source.
    """
    layout = lay_out(examples, sentences, sentences.gold)
    words: list[list[int]] = [[] for _ in range(len(layout.row))]
    within = np.arange(len(sentences.words)) - np.repeat(sentences.offset[:-1], np.diff(sentences.offset))
    for unit, word in zip(layout.unit.tolist(), within.tolist(), strict=True):
        if unit >= 0:
            words[unit].append(word)
    found: list[list[Place]] = [[] for _ in range(len(examples))]
    columns: tuple[IntArray, IntArray, Any] = (layout.row, layout.position, layout.in_slot)
    for unit, (row, position, in_slot) in enumerate(zip(*(one.tolist() for one in columns), strict=True)):
        if position >= 0:
            found[row].append((position, words[unit], in_slot))
    return found, layout.aligned.tolist()


def decide_places(tagged: Tagged, places: Sequence[Place]) -> dict[int, Decided]:
    """The decision about each place, by the rule of `core.predictions_to_outcomes`.

    >>> found = decide_places(Tagged.of('[[0, 1, "PER"]]'), [(0, [0, 1], True), (1, [2], False)])
    >>> [one.decision for one in found.values()]
    ['', 'O']
    """
    holder = {word: number for number, (start, end, _kind) in enumerate(tagged.spans) for word in range(start, end)}
    return {position: _decide(tagged, holder, words, in_slot) for position, words, in_slot in places}


def _decide(tagged: Tagged, holder: Mapping[int, int], words: Sequence[int], in_slot: bool) -> Decided:
    by_class = None
    if tagged.probabilities is not None:
        values = tagged.probabilities[words]
        distance = np.add.accumulate(values - values[0], axis=0)[-1]  # equal values give the first to the last bit
        by_class = dict(zip((*tagged.types, "O"), (values[0] + distance / len(words)).tolist(), strict=True))
    held = [holder.get(word, -1) for word in words]
    if in_slot and max(held) >= 0:
        longest = max(end - start for start, end, _kind in (tagged.spans[one] for one in held if one >= 0))
        if min(held) != max(held) or longest != len(words):
            return Decided(PARTLY, by_class)
    return Decided(tagged.spans[held[0]][2] if held[0] >= 0 else "O", by_class)

"""An example set and a model's predictions for it, reduced to the arrays of `Outcomes`."""

from dataclasses import replace
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import AlignmentError, LabelError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.outcomes import Decisions, Outcomes, RowKinds, Units, kinds_of_decisions, take_rows
from fairness_checklist.core.predictions import Predictions, TokenPredictions, alignment_error
from fairness_checklist.core.sentences import Sentences, UnitLayout, lay_out, read_sentences, span_of_words
from fairness_checklist.core.tagging import Spans
from fairness_checklist.core.tasks import TASKS, positive_position


def reduce_to_outcomes(
    examples: ExampleSet, predictions: Predictions | TokenPredictions, *, unlabelled: str = "keep"
) -> Outcomes:
    """The predictions for n texts as arrays; rows without a usable label leave label-based metrics, or all ("drop")."""
    if len(predictions) != len(examples):
        raise alignment_error(len(predictions), len(examples))
    shared = examples.shared() | {
        "group": np.where(examples.group < 0, len(examples.groups), examples.group),
        "weight": np.ones(len(examples)) if examples.weight is None else examples.weight,
    }
    drop = unlabelled == "drop"
    if isinstance(predictions, TokenPredictions):
        outcomes = _of_tagger(examples, predictions, shared)
    else:
        outcomes = _of_classifier(examples, predictions, shared, drop)
    return take_rows(outcomes, np.flatnonzero(outcomes.labelled)) if drop else outcomes


def _of_classifier(examples: ExampleSet, predictions: Predictions, shared: dict[str, Any], drop: bool) -> Outcomes:
    classes = predictions.classes
    label, note = _labels_of_model(examples, classes)
    if note:
        note += "they are left out." if drop else "they enter only the metrics that need no label."
    positive = positive_position(examples.task, classes)
    units = None
    if predictions.probabilities is not None:
        row = np.arange(len(examples))
        units = Units(row, np.zeros_like(row), label, predictions.probabilities, positive)
    return Outcomes(
        **shared,
        classes=classes,
        positive=positive,
        **kinds_of_decisions(label, predictions.predicted, len(classes)),
        units=units,
        scores=predictions.scores,
        notes=predictions.notes + ((note,) if note else ()),
    )


def _labels_of_model(examples: ExampleSet, classes: tuple[str, ...]) -> tuple[IntArray, str]:
    """(n,) gold labels as positions in the model's classes, and how many have none, without what that means."""
    if not classes:
        return np.full(len(examples), -1, dtype=np.int64), ""
    if examples.classes == classes and examples.label.min(initial=0) >= 0:
        return examples.label, ""
    position = {name: i for i, name in enumerate(classes)}
    mapping = np.array([position.get(name, -1) for name in examples.classes] + [-1], dtype=np.int64)
    label = mapping[examples.label]
    size = np.bincount(examples.label + 1, minlength=len(mapping))  # of rows without a label, and of each class
    present = [name for name, n in zip(examples.classes, size[1:], strict=True) if n]
    lacking = sorted(set(present) - set(classes))
    of_task = TASKS[examples.task].classes if examples.task in TASKS else ()
    fits = set(present) <= set(of_task) and not set(classes).isdisjoint(of_task)
    if present and not fits and set(classes).isdisjoint(present):
        raise LabelError(
            f"the model's classes {', '.join(classes)} match none of the gold classes {', '.join(present)}.",
            remedy="Name the gold classes as the model's classes are named.",
        )
    if not present or not (lacking or size[0]):
        return label, ""
    reasons = [*["no label"] * bool(size[0]), *[f"a class that the model lacks ({', '.join(lacking)})"] * bool(lacking)]
    counted = f"{int((label < 0).sum()):,} of {len(label):,} rows"
    if len(examples.sources):
        counted = f"{len(np.unique(examples.source[label < 0])):,} of {len(examples.sources):,} sources"
    return label, f"{counted} have {' or '.join(reasons)}: "


def _of_tagger(examples: ExampleSet, predictions: TokenPredictions, shared: dict[str, Any]) -> Outcomes:
    sentences = read_sentences(examples.texts)
    ours, theirs = np.diff(sentences.offset), np.diff(predictions.offset)
    if not np.array_equal(ours, theirs):
        row = int((ours != theirs).argmax())
        raise AlignmentError(
            f"sentence {row + 1:,} has {ours[row]:,} words, and {theirs[row]:,} were tagged.",
            remedy="The words are those of fairness_checklist.words(text).",
        )
    gold, notes = _gold_of_model(sentences, predictions.types)
    layout = lay_out(examples, sentences, gold)
    size = len(predictions.types)
    # The gold class of a unit is that of its first word; -1 where it is not known or none of the tagger's.
    of_words = np.append(gold.type, size)[span_of_words(sentences, gold)[layout.head]]
    label = np.where(sentences.tagged[layout.row], of_words, -1)
    displaced = int((~layout.aligned & (examples.group >= 0)).sum())
    if displaced:
        notes += (
            f"{displaced:,} of {len(examples):,} sentences have other words around the term than the rest of their "
            "source: they are left out where words are compared one by one.",
        )
    units = None
    if predictions.probabilities is not None:
        mean = _mean_of_units(predictions.probabilities, layout)
        of_terms = np.bincount(label[layout.in_slot & (label >= 0) & (label < size)], minlength=1)
        positive = int(of_terms.argmax())  # the most common type of the terms
        units = Units(layout.row, layout.position, label, mean, positive)
    decided = Decisions(layout.row, layout.position, label, _decisions(sentences, predictions.spans, layout, size))
    every_gold, every_predicted = (np.ones(len(spans), dtype=np.bool_) for spans in (gold, predictions.spans))
    counts = _counts((len(examples), size), gold, predictions.spans, every_gold, every_predicted)
    whole = Outcomes(
        **shared,
        classes=predictions.classes,
        positive=0 if units is None else units.positive,
        kind=np.arange(len(examples)),
        kinds=RowKinds(sentences.tagged, **counts),
        units=units,
        scores={"repaired": predictions.repaired.astype(np.float64)},
        notes=predictions.notes + notes,
        decisions=decided,
        aligned=layout.aligned,
    )
    return replace(whole, views=_views(whole, sentences, layout, gold, predictions.spans))


def _gold_of_model(sentences: Sentences, types: tuple[str, ...]) -> tuple[Spans, tuple[str, ...]]:
    """The gold spans with the tagger's types, -1 for a type that it lacks, and remarks on those."""
    if not types:
        raise LabelError("the tagger has no type of entity.", remedy="Name the types that it can predict: types=(...).")
    mapping = np.array([types.index(kind) if kind in types else -1 for kind in sentences.types], dtype=np.int64)
    gold = sentences.gold
    code = mapping[gold.type]
    lacking = [kind for kind in sentences.types if kind not in types]
    if lacking and len(lacking) == len(sentences.types):
        raise LabelError(
            f"the tagger's types {', '.join(types) or 'none'} match none of the gold types {', '.join(lacking)}.",
            remedy="Name the gold types as the tagger's types are named, or map them: labels={...}.",
        )
    are = "entity is" if (code < 0).sum() == 1 else "entities are"
    note = f"{(code < 0).sum():,} gold {are} of a type that the model lacks ({', '.join(lacking)}) and left out."
    return Spans(gold.row, gold.start, gold.end, code), (note,) if lacking else ()


def _mean_of_units(probabilities: FloatArray, layout: UnitLayout) -> FloatArray:
    """(m, C) the mean probabilities of each unit's words, counted from the first word's so that ties stay ties."""
    values, unit = probabilities[layout.unit >= 0], layout.unit[layout.unit >= 0]
    m = len(layout.row)
    first, size = probabilities[layout.head], np.bincount(unit, minlength=m)
    distance = (values - first[unit]).T
    return first + np.stack([np.bincount(unit, weights=column, minlength=m) / size for column in distance], axis=1)


def _counts(
    shape: tuple[int, ...], gold: Spans, predicted: Spans, of_gold: BoolArray, of_predicted: BoolArray
) -> dict[str, Any]:
    """The correct, gold and predicted counts (n, D) of exact spans, of those of the gold and predicted ones named."""
    of_gold = of_gold & (gold.type >= 0)

    def counted(spans: Spans, chosen: BoolArray) -> FloatArray:
        code = spans.row[chosen] * shape[1] + spans.type[chosen]
        return np.bincount(code, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)

    correct = counted(gold, of_gold & _exact_matches(gold, predicted))
    return {"correct": correct, "gold": counted(gold, of_gold), "predicted": counted(predicted, of_predicted)}


def _exact_matches(gold: Spans, predicted: Spans) -> BoolArray:
    """For each gold span whether the same span with the same type was predicted."""
    width = int(max(gold.end.max(initial=0), predicted.end.max(initial=0))) + 1
    kinds = int(max(gold.type.max(initial=0), predicted.type.max(initial=0))) + 1

    def code(spans: Spans) -> IntArray:
        return ((spans.row * width + spans.start) * width + spans.end) * kinds + spans.type

    return np.isin(code(gold), code(predicted)) & (gold.type >= 0)


def _decisions(sentences: Sentences, spans: Spans, layout: UnitLayout, outside: int) -> IntArray:
    """(m,) the class that was decided for each unit; C for a term that was found in part or with other words."""
    whose = span_of_words(sentences, spans)
    of_head = whose[layout.head]
    used = layout.unit >= 0
    unit, m = layout.unit[used], len(layout.row)
    words, touched, alike = (
        np.bincount(unit, weights=weights, minlength=m)
        for weights in (None, whose[used] >= 0, whose[used] == of_head[unit])
    )
    whole = (alike == words) & (np.append(spans.end - spans.start, 0)[of_head] == words)
    partly = layout.in_slot & (touched > 0) & ~whole
    return np.where(partly, outside + 1, np.append(spans.type, outside)[of_head])


def _views(
    whole: Outcomes, sentences: Sentences, layout: UnitLayout, gold: Spans, predicted: Spans
) -> dict[str, Outcomes]:
    """The same sentences with the terms alone ("slot"), and without them ("context")."""
    marked = np.append(0, np.cumsum(sentences.slot >= 0))

    def touches(spans: Spans) -> BoolArray:
        base = sentences.offset[spans.row]
        return np.asarray(marked[base + spans.end] > marked[base + spans.start], dtype=np.bool_)

    of_gold, of_predicted = touches(gold), touches(predicted)
    shape = whole.kinds.predicted.shape
    views = {}
    for name, is_term in (("slot", True), ("context", False)):
        inside = layout.in_slot == is_term
        units = None if whole.units is None else whole.units.at(inside)
        decisions = None if whole.decisions is None else whole.decisions.at(inside)
        counts = _counts(shape, gold, predicted, of_gold == is_term, of_predicted == is_term)
        views[name] = replace(whole, units=units, decisions=decisions, kinds=replace(whole.kinds, **counts))
    return views

"""Tables of tagged sentences to examples and predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, ranges
from fairness_checklist.core.errors import TableError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.predictions import Predictions, TokenPredictions, alignment_error
from fairness_checklist.core.sentences import Sentences, TokenTexts, read_sentences
from fairness_checklist.core.tagging import OUTSIDE, Spans, TagSet, encode
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.tables.class_names import no_predictions
from fairness_checklist.tables.columns import number_column, read_rows, rows_at, rows_by_attribute
from fairness_checklist.tables.notes import never_predicted
from fairness_checklist.tables.tag_cells import (
    TaggedEntities,
    check_types,
    read_classes,
    read_probabilities,
    read_spans,
    read_tagged,
    tag_set,
)
from fairness_checklist.tables.texts import hash_texts, split_table, to_table
from fairness_checklist.tables.token_cells import (
    Lines,
    TypeNames,
    is_tagged,
    match_types,
    order_types,
    read_lines,
    read_slots,
)


def split_any(
    frame: pd.DataFrame,
    *,
    task: str = "sentiment",
    attribute: str = "group",
    classes: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
) -> Iterator[tuple[ExampleSet, Predictions | TokenPredictions]]:
    """The examples and predictions of each attribute in a table of a tagger, see `split_tagged`, or of a classifier."""
    tagging = task in TASKS and TASKS[task].tagging
    if tagging or is_tagged(frame):
        yield from split_tagged(
            frame, task=task if tagging else "ner", attribute=attribute, labels=labels, classes=classes
        )
    else:
        yield from split_table(frame, task=task, attribute=attribute, classes=classes)


def split_tagged(
    frame: pd.DataFrame,
    *,
    task: str = "ner",
    attribute: str = "group",
    labels: Mapping[str, str] | None = None,
    classes: Sequence[str] = (),
) -> Iterator[tuple[ExampleSet, TokenPredictions]]:
    """The sentences and a tagger's predictions for them, for each attribute in a table (its column ``attribute``)."""
    parts = list(rows_by_attribute(frame, attribute))
    lines = read_lines(frame)
    slot = read_slots(frame, lines)
    gold = read_tagged(frame, "tags", lines)
    known = read_classes(frame) or (tag_set(classes, "classes") if len(classes) else None)
    probabilities = read_probabilities(frame, lines, known)
    entities = _predicted_entities(frame, lines, known, probabilities)
    can_say = known.types if known else tuple(dict.fromkeys(kind for one in entities for kind in one.types))
    names = match_types(gold.types, can_say, task, labels)
    predictions = _predictions(frame, lines, names, known, entities, probabilities, task)
    sentences = _sentences(lines, slot, gold, names)
    for name, rows in parts:
        part = rows_at(frame, rows)
        examples, notes = _examples(part, task, name, predictions.types, _texts(lines, sentences, rows))
        predicted = predictions.at(rows)
        yield examples, replace(predicted, notes=(*notes, *predicted.notes))


def _predicted_entities(
    frame: pd.DataFrame, lines: Lines, classes: TagSet | None, probabilities: FloatArray | None
) -> tuple[TaggedEntities, ...]:
    """The entities by their source: tags, character spans, and in the other rows the most probable tags."""
    tags, spans = read_tagged(frame, "predicted", lines, classes), read_spans(frame, lines)
    both = np.flatnonzero(tags.present & spans.present)
    if len(both):
        raise TableError(
            f"row {int(both[0]) + 1:,} has predicted and spans.", remedy="Keep the one that counts, empty the other."
        )
    if classes is not None:
        for entities, column in ((tags, "predicted"), (spans, "spans")):
            check_types(entities, classes, column)
    rest = ~(tags.present | spans.present)
    if not rest.any():
        return tags, spans
    if classes is None or probabilities is None:
        if rest.all():
            raise no_predictions(frame.columns, "Add a column predicted, or p with classes, or spans.")
        raise TableError(
            f"row {int(rest.argmax()) + 1:,} has no prediction.",
            remedy="Fill the column predicted; the tags of a row without entities are all O, its spans are [].",
        )
    probable, repaired = classes.decode(probabilities.argmax(axis=1), lines.offset)
    probable = probable.where(rest[probable.row])
    return tags, spans, TaggedEntities(classes.types, probable, rest, np.where(rest, repaired, 0))


def _predictions(
    frame: pd.DataFrame,
    lines: Lines,
    names: TypeNames,
    classes: TagSet | None,
    entities: Sequence[TaggedEntities],
    probabilities: FloatArray | None,
    task: str,
) -> TokenPredictions:
    predicted = [names.predicted[kind] for kind in (classes.types if classes else names.predicted)]
    types = order_types(predicted if classes else [*predicted, *names.gold.values()], task)
    notes = names.notes if classes else (*names.notes, *never_predicted(types, predicted, "type", "tagger"))
    repaired = sum((one.repaired for one in entities), np.zeros(len(lines), dtype=np.int64))
    if "repaired" in frame.columns:
        repaired = repaired + np.nan_to_num(number_column(frame, "repaired")).astype(np.int64)
    left_out = sum(one.left_out for one in entities)
    if left_out:
        verb = "overlaps" if left_out == 1 else "overlap"
        notes += (f"{left_out:,} of the spans {verb} another of a higher score, or no word: left out",)
    summed = None
    if probabilities is not None and classes is not None:
        summed = np.zeros((len(probabilities), len(types) + 1))
        of_type = [types.index(name) if name in types else len(types) for name in (*predicted, OUTSIDE)]
        for column, kind in enumerate(classes.type.tolist()):
            summed[:, of_type[kind]] += probabilities[:, column]
    spans = _renamed([(one.types, one.spans) for one in entities], names.predicted, types)
    return TokenPredictions(
        types=types, offset=lines.offset, spans=spans, probabilities=summed, repaired=repaired, notes=notes
    )


def _renamed(parts: Sequence[tuple[Sequence[str], Spans]], names: Mapping[str, str], types: Sequence[str]) -> Spans:
    """All spans by row and start, their types as positions in ``types``; spans of other types are left out."""
    kinds = []
    for own, spans in parts:
        position = [types.index(names[kind]) if names[kind] in types else -1 for kind in own]
        kinds.append(np.array([*position, -1], dtype=np.int64)[spans.type])
    row, start, end = (
        np.concatenate([getattr(spans, name) for _own, spans in parts]) for name in ("row", "start", "end")
    )
    kind = np.concatenate(kinds)
    order = np.lexsort((start, row))
    return Spans(row[order], start[order], end[order], kind[order]).where(kind[order] >= 0)


def _sentences(lines: Lines, slot: IntArray, gold: TaggedEntities, names: TypeNames) -> Sentences:
    types = tuple(dict.fromkeys(name for name in names.gold.values() if name != OUTSIDE))
    spans = _renamed([(gold.types, gold.spans)], names.gold, types)
    return Sentences(words=lines.words, offset=lines.offset, types=types, gold=spans, tagged=gold.present, slot=slot)


def _texts(lines: Lines, sentences: Sentences, rows: IntArray) -> TokenTexts:
    """The sentences at these positions, in this order (all different), with the types of all."""
    if len(rows) == len(sentences):
        return TokenTexts(lines.texts, sentences=sentences)
    sentence, at_word = ranges(sentences.offset[rows], sentences.offset[rows + 1])
    part = Sentences(
        words=tuple(sentences.words[at] for at in at_word.tolist()),
        offset=np.searchsorted(sentence, np.arange(len(rows) + 1)),
        types=sentences.types,
        gold=sentences.gold.of_rows(rows),
        tagged=sentences.tagged[rows],
        slot=sentences.slot[at_word],
    )
    return TokenTexts(tuple(lines.texts[row] for row in rows), sentences=part)


def _examples(
    frame: pd.DataFrame, task: str, attribute: str, types: tuple[str, ...], texts: TokenTexts
) -> tuple[ExampleSet, tuple[str, ...]]:
    """The examples of one attribute, and what should be questioned about its rows."""
    rows, _terms, notes = read_rows(frame, attribute, [""] * len(frame))
    label = np.full(len(frame), -1, dtype=np.int64)
    return ExampleSet(**rows.shared(), task=task, classes=types, label=label, texts=texts), notes


HIDDEN = "_"


def to_any_table(examples: ExampleSet, predictions: Predictions | TokenPredictions | None = None) -> pd.DataFrame:
    """The prediction table of a classifier's example set, or of a tagger's, see `to_tagged_table`."""
    if isinstance(predictions, Predictions):
        return to_table(examples, predictions)
    if predictions is None and not (examples.task in TASKS and TASKS[examples.task].tagging):
        return to_table(examples)
    return to_tagged_table(examples, predictions)


def to_tagged_table(examples: ExampleSet, predictions: TokenPredictions | None = None) -> pd.DataFrame:
    """The table of a tagger's example set: what `split_tagged` reads, tags in IOB2, ``classes`` types."""
    if predictions is not None and len(predictions) != len(examples):
        raise alignment_error(len(predictions), len(examples))
    frame = to_table(examples).drop(columns="label")
    sentences = read_sentences(examples.texts)
    offset = sentences.offset
    columns: dict[str, Any] = {
        "tokens": [list(sentences.words[start:end]) for start, end in pairwise(offset)],
        "tags": [
            tags if known else None
            for tags, known in zip(_tags(sentences.gold, sentences.types, offset), sentences.tagged, strict=True)
        ],
        "slot": _slots(sentences),
    }
    if predictions is not None:
        columns["predicted"] = _tags(predictions.spans, predictions.types, predictions.offset)
        columns["classes"] = [list(predictions.classes) for _row in range(len(examples))]
        if predictions.probabilities is not None:
            borders = pairwise(predictions.offset)
            columns["p"] = [predictions.probabilities[start:end].tolist() for start, end in borders]
        if predictions.repaired.any():
            columns["repaired"] = predictions.repaired
    for name, column in columns.items():
        frame[name] = pd.Series(column, dtype="int64" if name == "repaired" else object)
    return frame


def _tags(spans: Spans, types: Sequence[str], offset: IntArray) -> list[list[str]]:
    """The tags of each sentence."""
    listed: list[list[tuple[int, int, str]]] = [[] for _row in range(len(offset) - 1)]
    columns = (spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), spans.type.tolist())
    for row, start, end, kind in zip(*columns, strict=True):
        listed[row].append((start, end, types[kind]))
    return [encode(found, int(n)) for found, n in zip(listed, np.diff(offset), strict=True)]


def _slots(sentences: Sentences) -> list[list[list[int]]]:
    """For each sentence [start, end) of each place of the term; [0, 0] for one that holds no word."""
    found: list[list[list[int]]] = [[] for _row in range(len(sentences))]
    inside = np.flatnonzero(sentences.slot >= 0)
    row = sentences.row[inside]
    at = inside - sentences.offset[row]
    for of, number, word in zip(row.tolist(), sentences.slot[inside].tolist(), at.tolist(), strict=True):
        slots = found[of]
        slots += [[0, 0] for _missing in range(number + 1 - len(slots))]
        slots[number] = [word, word + 1] if slots[number] == [0, 0] else [slots[number][0], word + 1]
    return found


def hide_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with the SHA-256 of its texts, which of a tagger stands in ``sha256``, and "_" for each word of a tagger.

    Only "the" right before a term stays, because it counts as part of some terms.

    >>> frame = pd.DataFrame({"tokens": [["In", "the", "Gambia"]], "slot": [[[2, 3]]]})
    >>> hide_texts(frame)["tokens"].tolist()
    [['_', 'the', '_']]
    """
    if "text" in frame.columns:
        frame = frame.assign(text=hash_texts(frame["text"]))
    if "tokens" not in frame.columns:
        return frame
    slots: list[Any] = list(frame["slot"]) if "slot" in frame.columns else [None] * len(frame)
    hidden = []
    for words, places in zip(frame["tokens"], slots, strict=True):
        first = {int(place[0]) for place in _each(places)}
        hidden.append(
            [str(word) if word.lower() == "the" and at + 1 in first else HIDDEN for at, word in enumerate(words)]
        )
    return frame.rename(columns={"text": "sha256"}).assign(tokens=pd.Series(hidden, dtype=object, index=frame.index))


def _each(places: Any) -> list[Any]:
    """The places of a cell: one [start, end), a list of such, or none."""
    listed = [] if places is None or isinstance(places, float) else list(places)
    return [listed] if listed and np.ndim(listed[0]) == 0 else listed

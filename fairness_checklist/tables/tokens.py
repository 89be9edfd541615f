"""Tables of tagged sentences to examples and predictions, and back; the names of types in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray, ranges
from fairness_checklist.core.errors import LabelError, TableError, did_you_mean, first_ten
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.predictions import Predictions, TokenPredictions, alignment_error
from fairness_checklist.core.sentences import Sentences, TokenTexts, read_sentences
from fairness_checklist.core.tagging import NO_NAMES, OUTSIDE, Spans, TagSet, encode, map_types
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.tables.class_names import no_predictions
from fairness_checklist.tables.columns import number_column, read_rows, rows_at, rows_by_attribute
from fairness_checklist.tables.notes import never_predicted
from fairness_checklist.tables.texts import hash_texts, split_table, to_table
from fairness_checklist.tables.token_cells import (
    Lines,
    TaggedEntities,
    check_types,
    is_tagged,
    read_classes,
    read_lines,
    read_probabilities,
    read_slots,
    read_spans,
    read_tagged,
    tag_set,
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
    can_say = known.types if known else tuple(dict.fromkeys(kind for tagged in entities for kind in tagged.types))
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
    repaired = sum((tagged.repaired for tagged in entities), np.zeros(len(lines), dtype=np.int64))
    if "repaired" in frame.columns:
        repaired = repaired + np.nan_to_num(number_column(frame, "repaired")).astype(np.int64)
    left_out = sum(tagged.left_out for tagged in entities)
    if left_out:
        verb = "overlaps" if left_out == 1 else "overlap"
        notes += (f"{left_out:,} of the spans {verb} another of a higher score, or no word: left out",)
    summed = None
    if probabilities is not None and classes is not None:
        summed = np.zeros((len(probabilities), len(types) + 1))
        of_type = [types.index(name) if name in types else len(types) for name in (*predicted, OUTSIDE)]
        for column, kind in enumerate(classes.type.tolist()):
            summed[:, of_type[kind]] += probabilities[:, column]
    spans = _renamed([(tagged.types, tagged.spans) for tagged in entities], names.predicted, types)
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
    return [encode(entities, int(n)) for entities, n in zip(listed, np.diff(offset), strict=True)]


def _slots(sentences: Sentences) -> list[list[list[int]]]:
    """For each sentence [start, end) of each place of the term; [0, 0] for one that holds no word."""
    by_sentence: list[list[list[int]]] = [[] for _row in range(len(sentences))]
    inside = np.flatnonzero(sentences.slot >= 0)
    row = sentences.row[inside]
    at = inside - sentences.offset[row]
    for of, number, word in zip(row.tolist(), sentences.slot[inside].tolist(), at.tolist(), strict=True):
        slots = by_sentence[of]
        slots += [[0, 0] for _missing in range(number + 1 - len(slots))]
        slots[number] = [word, word + 1] if slots[number] == [0, 0] else [slots[number][0], word + 1]
    return by_sentence


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


@dataclass(frozen=True, eq=False)
class TypeNames:
    """For each gold and each predicted type its common name, or "O"; and remarks on it."""

    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    notes: tuple[str, ...]


def match_types(
    gold: Sequence[str], predicted: Sequence[str], task: str, labels: Mapping[str, str] | None = None
) -> TypeNames:
    """Match the types of predictions to those of the gold entities.

    ``labels`` takes precedence, for both. Types that are then the same are taken as they are; where the gold types
    are the task's, predicted ones go by what `map_types` knows; any other stays a type of its own.

    >>> matched = match_types(["PER", "LOC"], ["PERSON", "GPE", "DRUG", "DATE"], "ner")
    >>> matched.predicted
    {'PERSON': 'PER', 'GPE': 'LOC', 'DRUG': 'DRUG', 'DATE': 'O'}
    >>> matched.notes
    ("the predictions' PERSON, GPE are read as PER, LOC", "the predictions' DATE is read as O",
     'no gold entity is a DRUG')
    """
    suite = TASKS[task].classes if task in TASKS and TASKS[task].tagging else ()
    given = dict(labels or {})
    own = list(dict.fromkeys([*gold, *predicted]))
    for name, new in given.items():
        if name not in own:
            raise LabelError(
                f"the table has no type {name!r}.",
                remedy=f"Its types: {first_ten(own) or 'none'}.{did_you_mean(name, own)}",
            )
        known = list(dict.fromkeys([*suite, *own, OUTSIDE]))
        if new not in known:
            raise LabelError(
                f"labels gives {name} the name {new!r}, which neither the table nor the task has.",
                remedy=f"Types: {first_ten(known)}.{did_you_mean(new, known)}",
            )
    of_gold = {kind: given.get(kind, kind) for kind in gold}
    of_said = {kind: given.get(kind, kind) for kind in predicted}
    notes: list[str] = []
    wanted = set(of_gold.values()) - {OUTSIDE}
    if wanted and wanted <= set(suite) and wanted != set(of_said.values()) - {OUTSIDE}:
        matched = {kind: _suite_type(kind, suite) for kind in predicted if kind not in given}
        of_said |= matched
        notes += _remarks({kind: name for kind, name in matched.items() if name != kind})
    if wanted:
        alone = [name for name in dict.fromkeys(of_said.values()) if name not in (*suite, *wanted, OUTSIDE)]
        notes += [f"no gold entity is a {', '.join(alone)}"] if alone else []
    return TypeNames(of_gold, of_said, tuple(notes))


def _suite_type(kind: str, suite: Sequence[str]) -> str:
    """The suite's name of a type, "O" for what is no name of anything, else the type itself."""
    known = map_types([suite[0], kind], suite)[kind]
    if known != OUTSIDE:
        return known
    return OUTSIDE if kind.upper() in NO_NAMES else kind


def _remarks(changed: Mapping[str, str]) -> list[str]:
    renamed = {kind: name for kind, name in changed.items() if name != OUTSIDE}
    unread = {kind: name for kind, name in changed.items() if name == OUTSIDE}
    return [
        f"the predictions' {', '.join(kinds)} {'is' if len(kinds) == 1 else 'are'} read as {', '.join(names)}"
        for kinds, names in ((renamed, renamed.values()), (unread, [OUTSIDE]))
        if kinds
    ]


def order_types(types: Sequence[str], task: str) -> tuple[str, ...]:
    """Different types, those of the task first and in its order, then the others as they come.

    >>> order_types(["DRUG", "LOC", "O", "PER", "LOC"], "ner")
    ('PER', 'LOC', 'DRUG')
    """
    suite = TASKS[task].classes if task in TASKS else ()
    there = dict.fromkeys(kind for kind in types if kind != OUTSIDE)
    return tuple(dict.fromkeys([*(kind for kind in suite if kind in there), *there]))

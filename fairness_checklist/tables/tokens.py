"""Tables of tagged sentences to examples and predictions, and back; the names of types in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import LabelError, TableError, first_ten
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.sentences import Sentences, TokenTexts, read_sentences
from fairness_checklist.core.tagging import NO_NAMES, OUTSIDE, Spans, TagSet, encode, map_types
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.tables import token_cells
from fairness_checklist.tables.class_names import no_predictions
from fairness_checklist.tables.columns import number_column, read_rows, rows_at, rows_by_attribute
from fairness_checklist.tables.notes import never_predicted
from fairness_checklist.tables.texts import hash_texts, split_table, to_table


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
    if tagging or token_cells.is_tagged(frame):
        task = task if tagging else "ner"
        yield from split_tagged(frame, task=task, attribute=attribute, labels=labels, classes=classes)
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
    attributes = list(rows_by_attribute(frame, attribute))
    lines = token_cells.read_lines(frame)
    slot = token_cells.read_slots(frame, lines)
    gold = token_cells.read_tagged(frame, "tags", lines)
    tag_set = token_cells.read_classes(frame, classes)
    probabilities = token_cells.read_probabilities(frame, lines, tag_set)
    entities = _predicted_entities(frame, lines, tag_set, probabilities)
    predicted = tag_set.types if tag_set else tuple(dict.fromkeys(kind for tagged in entities for kind in tagged.types))
    names = match_types(gold.types, predicted, task, labels)
    predictions = _predictions(frame, lines, names, tag_set, entities, probabilities, task)
    types = tuple(dict.fromkeys(name for name in names.gold.values() if name != OUTSIDE))
    spans = _renamed([(gold.types, gold.spans)], names.gold, types)
    sentences = Sentences(
        words=lines.words, offset=lines.offset, types=types, gold=spans, tagged=gold.present, slot=slot
    )
    for name, rows in attributes:
        grouped, _terms, notes = read_rows(rows_at(frame, rows), name, [""] * len(rows))
        texts = TokenTexts(tuple(lines.texts[row] for row in rows), sentences=sentences.of_rows(rows))
        label = np.full(len(rows), -1, dtype=np.int64)
        examples = ExampleSet(**grouped.shared(), task=task, classes=predictions.types, label=label, texts=texts)
        chosen = predictions.at(rows)
        yield examples, replace(chosen, notes=(*notes, *chosen.notes))


def _predicted_entities(
    frame: pd.DataFrame, lines: token_cells.Lines, classes: TagSet | None, probabilities: FloatArray | None
) -> tuple[token_cells.TaggedEntities, ...]:
    """The entities by their source: tags, character spans, and in the other rows the most probable tags."""
    tags, spans = token_cells.read_tagged(frame, "predicted", lines, classes), token_cells.read_spans(frame, lines)
    both = np.flatnonzero(tags.present & spans.present)
    if len(both):
        raise TableError(
            f"row {int(both[0]) + 1:,} has predicted and spans.", remedy="Keep the one that counts, empty the other."
        )
    if classes is not None:
        for column, entities in (("predicted", tags), ("spans", spans)):
            for row, kind in zip(entities.spans.row.tolist(), entities.spans.type.tolist(), strict=True):
                if (name := entities.types[kind]) not in classes.types:
                    listed = first_ten(classes.tags)
                    raise TableError(
                        f"row {row + 1:,} of the column {column} has a {name}; the classes are {listed}.",
                        remedy=f"Correct the row, or name all classes.{did_you_mean(name, classes.types)}",
                    )
    rest = ~(tags.present | spans.present)
    if not rest.any():
        return tags, spans
    if classes is None or probabilities is None:
        if rest.all():
            raise no_predictions(frame.columns, "Add a column predicted, or p with classes, or spans.")
        remedy = "Fill the column predicted; the tags of a row without entities are all O, its spans are []."
        raise TableError(f"row {int(rest.argmax()) + 1:,} has no prediction.", remedy=remedy)
    probable, repaired = classes.decode(probabilities.argmax(axis=1), lines.offset)
    probable = probable.at(rest[probable.row])
    return tags, spans, token_cells.TaggedEntities(classes.types, probable, rest, np.where(rest, repaired, 0))


def _predictions(
    frame: pd.DataFrame,
    lines: token_cells.Lines,
    names: TypeNames,
    classes: TagSet | None,
    entities: Sequence[token_cells.TaggedEntities],
    probabilities: FloatArray | None,
    task: str,
) -> TokenPredictions:
    predicted = [names.predicted[kind] for kind in (classes.types if classes else names.predicted)]
    found = dict.fromkeys(predicted if classes else [*predicted, *names.gold.values()])
    of_task = TASKS[task].classes if task in TASKS else ()
    types = tuple(sorted(found.keys() - {OUTSIDE}, key=[*of_task, *found].index))  # those of the task come first
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
    return TokenPredictions(types, lines.offset, spans, probabilities=summed, repaired=repaired, notes=notes)


def _renamed(found: Sequence[tuple[Sequence[str], Spans]], names: Mapping[str, str], types: Sequence[str]) -> Spans:
    """All spans by row and start, their types as positions in ``types``; spans of other types are left out."""
    position = {name: number for number, name in enumerate(types)}
    codes = [np.array([position.get(names[kind], -1) for kind in kinds] + [-1], dtype=np.int64) for kinds, _ in found]
    row, start, end = (np.concatenate([getattr(spans, name) for _, spans in found]) for name in ("row", "start", "end"))
    kind = np.concatenate([code[spans.type] for code, (_, spans) in zip(codes, found, strict=True)])
    order = np.lexsort((start, row))
    return Spans(row[order], start[order], end[order], kind[order]).at(kind[order] >= 0)


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
    frame = to_table(examples).drop(columns="label")
    sentences = read_sentences(examples.texts)
    offset = sentences.offset
    tags = zip(_tags(sentences.gold, sentences.types, offset), sentences.tagged, strict=True)
    columns: dict[str, Any] = {
        "tokens": [list(sentences.words[start:end]) for start, end in pairwise(offset)],
        "tags": [of_sentence if has_tags else None for of_sentence, has_tags in tags],
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
    listed: list[list[tuple[int, int, str]]] = [[] for _row in range(len(offset) - 1)]
    columns = (spans.row.tolist(), spans.start.tolist(), spans.end.tolist(), spans.type.tolist())
    for row, start, end, kind in zip(*columns, strict=True):
        listed[row].append((start, end, types[kind]))
    return [encode(entities, int(n)) for entities, n in zip(listed, np.diff(offset), strict=True)]


def _slots(sentences: Sentences) -> list[list[list[int]]]:
    """For each sentence [start, end) of each place of the term; [0, 0] for one that holds no word."""
    by_sentence: list[list[list[int]]] = []
    for start, end in pairwise(sentences.offset.tolist()):
        slot = sentences.slot[start:end]
        words = [np.flatnonzero(slot == number).tolist() for number in range(int(slot.max(initial=-1)) + 1)]
        by_sentence.append([[inside[0], inside[-1] + 1] if inside else [0, 0] for inside in words])
    return by_sentence


def hide_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with the SHA-256 of its texts, which of a tagger stands in ``sha256``, and "_" for each word of a tagger.

    Only "the" right before a term stays, because it counts as part of some terms.
    """
    if "text" in frame.columns:
        frame = frame.assign(text=hash_texts(frame["text"]))
    if "tokens" not in frame.columns:
        return frame
    slot = token_cells.read_slots(frame, token_cells.read_lines(frame.drop(columns="text", errors="ignore")))
    before_term = np.append((slot[1:] >= 0) & (slot[:-1] != slot[1:]), False).tolist()
    hidden, word = [], 0
    for words in frame["tokens"]:
        hidden.append([HIDDEN] * len(words))
        for number, text in enumerate(words):
            if before_term[word] and text.lower() == "the" and number + 1 < len(words):
                hidden[-1][number] = str(text)
            word += 1
    return frame.rename(columns={"text": "sha256"}).assign(tokens=pd.Series(hidden, dtype=object, index=frame.index))


@dataclass(frozen=True, eq=False)
class TypeNames:
    """For each gold and each predicted type its common name, or "O"; and remarks on it."""

    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    notes: tuple[str, ...]


def match_types(
    gold: Sequence[str], predicted: Sequence[str], task: str, labels: Mapping[str, str] | None = None
) -> TypeNames:
    """Match the types of predictions to those of the gold entities; ``labels`` takes precedence, for both."""
    suite = TASKS[task].classes if task in TASKS and TASKS[task].tagging else ()
    renamed = dict(labels or {})
    types = list(dict.fromkeys([*gold, *predicted]))
    allowed = list(dict.fromkeys([*suite, *types, OUTSIDE]))
    for name, new in renamed.items():
        if name not in types:
            remedy = f"Its types: {first_ten(types) or 'none'}.{did_you_mean(name, types)}"
            raise LabelError(f"the table has no type {name!r}.", remedy=remedy)
        if new not in allowed:
            raise LabelError(
                f"labels gives {name} the name {new!r}, which neither the table nor the task has.",
                remedy=f"Types: {first_ten(allowed)}.{did_you_mean(new, allowed)}",
            )
    of_gold = {kind: renamed.get(kind, kind) for kind in gold}
    of_predicted = {kind: renamed.get(kind, kind) for kind in predicted}
    notes: list[str] = []
    wanted = set(of_gold.values()) - {OUTSIDE}
    if wanted and wanted <= set(suite) and wanted != set(of_predicted.values()) - {OUTSIDE}:
        for kind in (kind for kind in predicted if kind not in renamed):
            name = map_types([suite[0], kind], suite)[kind]  # "O" for a type without a name in the suite
            of_predicted[kind] = kind if name == OUTSIDE and kind.upper() not in NO_NAMES else name
        changed = {kind: name for kind, name in of_predicted.items() if name != kind and kind not in renamed}
        if changed:
            read_as = ", ".join(f"{kind} = {name}" for kind, name in changed.items())
            notes.append(f"types of the predictions are read as others: {read_as}")
    alone = [name for name in dict.fromkeys(of_predicted.values()) if name not in (*suite, *wanted, OUTSIDE)]
    if wanted and alone:
        notes.append(f"no gold entity is a {', '.join(alone)}")
    return TypeNames(of_gold, of_predicted, tuple(notes))

"""The output of a tagging function as arrays: tags, spans of characters, redacted texts, or matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import AlignmentError, PredictionError, count
from fairness_checklist.core.predictions import wrong_rows
from fairness_checklist.core.row_order import in_class_order, in_order, numbers
from fairness_checklist.core.tagging import OUTSIDE, Spans, words
from fairness_checklist.models.base import excerpt
from fairness_checklist.models.token_predictions import TextError

_SPACY_SPAN_FIELDS = ("start_char", "end_char", "label_")
_PRESIDIO_SPAN_FIELDS = ("start", "end", "entity_type")
_LABELS = ("label", "entity_group", "entity_type")
EXPECTED_FORMS = (
    "Return for each text a list of tags, one per word of fairness_checklist.words(text); a list of spans of "
    "characters, "
    '{"start": 0, "end": 4, "label": "PER"} or (0, 4, "PER"); the text with placeholders, "<PERSON> left."; or, with '
    "classes=[...], a matrix (words, classes)."
)
WORDS = 'The words are those of fairness_checklist.words(text); with reads="words" the function gets them.'


def output_kind(answers: Sequence[Any]) -> str:
    """The kind of the first item that is not empty: "tags", "spans", "sub-words" (a pipeline's that were not grouped),
    "matrices", "nothing" where all are empty, or "" where it is none of these.
    """
    for answer in answers:
        if not _is_list(answer):
            return ""
        if getattr(answer, "ndim", 1) == 2:
            return "matrices"
        if len(answer):
            return _item_kind(answer[0])
    return "nothing"


def _is_list(answer: Any) -> bool:
    return isinstance(answer, (list, tuple)) or (hasattr(answer, "ndim") and hasattr(answer, "__len__"))


def spacy_entities(answer: Any) -> Any:
    """The entities of a spaCy Doc, or a list of its spans or of Presidio's results, as (start, end, label).

    Other answers stay as they are.
    """
    if hasattr(answer, "ents"):
        answer = list(answer.ents or ())
    if isinstance(answer, (list, tuple)) and answer:
        for names in (_SPACY_SPAN_FIELDS, _PRESIDIO_SPAN_FIELDS):
            if all(hasattr(answer[0], name) for name in names):
                return [tuple(getattr(span, name, None) for name in names) for span in answer]
    return answer


def in_word_order(name: str, answers: Sequence[Any], texts: Sequence[str]) -> list[Any]:
    """Answers whose rows have an index of pandas in the order of the words; any other answers as they are."""
    ordered = list(answers)
    for at, (answer, text) in enumerate(zip(answers, texts, strict=False)):
        if hasattr(answer, "iloc"):
            own = [text[start:end] for start, end in words(text)]
            rows = in_order(answer, own, f'for the text "{excerpt(text)}" the function {name} returned')
            ordered[at] = rows if rows.ndim == 2 else rows.tolist()
    return ordered


def check_lists(name: str, answers: Sequence[Any], texts: Sequence[str]) -> None:
    """Raise unless the answer to each text is a list."""
    for answer, text in zip(answers, texts, strict=True):
        if not _is_list(answer):
            raise output_error(name, text, f"{answer!r}; expected a list, as for other texts.")


def output_error(
    name: str, text: str, what: str, remedy: str = EXPECTED_FORMS, kind: type[PredictionError] = PredictionError
) -> TextError:
    return TextError(kind, text, f"the function {name} returned {what}", remedy=remedy)


def _item_kind(item: Any) -> str:
    if isinstance(item, str):
        return "tags"
    if isinstance(item, Mapping):
        return "sub-words" if "entity" in item and set(item).isdisjoint(_LABELS) else "spans"
    if isinstance(item, (tuple, list)) and len(item) == 3 and isinstance(item[2], str):
        return "spans"
    return "matrices" if hasattr(item, "__len__") and all(map(_is_number, item)) else ""


def _is_number(value: Any) -> bool:
    """A number, or an array with one number, as in torch; no string."""
    return not isinstance(value, (str, bytes)) and (np.isscalar(value) or getattr(value, "ndim", None) == 0)


def is_pair(output: Any) -> bool:
    """Whether a function returned (tags, matrices)."""
    if not isinstance(output, tuple) or len(output) != 2 or not all(hasattr(part, "__len__") for part in output):
        return False
    return output_kind(output[0]) == "tags" and output_kind(output[1]) == "matrices"


def check_tags(name: str, answers: Sequence[Sequence[str]], texts: Sequence[str], offset: IntArray) -> None:
    """Raise unless there is one tag per word."""
    for answer, text, n_words in zip(answers, texts, np.diff(offset).tolist(), strict=True):
        if len(answer) != n_words:
            what = f"{count(len(answer), 'tag')} for {count(n_words, 'word')}."
            raise output_error(name, text, what, WORDS, AlignmentError)
        wrong = [tag for tag in answer if not isinstance(tag, str)]
        if wrong:
            raise output_error(name, text, f"{wrong[0]!r} among its tags; expected strings.")


def tags_from_subwords(
    name: str, answers: Sequence[Any], texts: Sequence[str], places: IntArray, offset: IntArray
) -> list[list[str]]:
    """The tags of the words of each text by the entities of sub-words: each word has that of its first one, or O."""
    tags = []
    for at, (answer, text) in enumerate(zip(answers, texts, strict=True)):
        parts = [_parse_span(name, item, text, "entity") for item in answer]
        mine = [OUTSIDE] * int(offset[at + 1] - offset[at])
        for word, start in enumerate(places[offset[at] : offset[at + 1], 0].tolist()):
            mine[word] = next((label for left, right, label in parts if left <= start < right), OUTSIDE)
        tags.append(mine)
    return tags


def read_spans(
    name: str, answers: Sequence[Any], texts: Sequence[str], places: IntArray, offset: IntArray
) -> tuple[list[str], Spans, IntArray]:
    """The labels by name, k spans of words whose ``type`` points into them, sorted by text and start, and for each of
    m texts how many spans cover no word and were left out (m,)."""
    every = [
        (row, *_parse_span(name, item, text, "label"))
        for row, (answer, text) in enumerate(zip(answers, texts, strict=True))
        for item in answer
    ]
    labels = list(dict.fromkeys(label for *_rest, label in every))
    position = {label: at for at, label in enumerate(labels)}
    table = np.array([(*rest, position[label]) for *rest, label in every], dtype=np.int64).reshape(-1, 4)
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    row, left, right, kind = table.T
    first = np.cumsum([0, *(len(text) + 1 for text in texts)])
    shift = np.repeat(first[:-1], np.diff(offset))
    start = np.searchsorted(places[:, 1] + shift, left + first[row], side="right") - offset[row]
    end = np.searchsorted(places[:, 0] + shift, right + first[row], side="left") - offset[row]
    spans = Spans(row, start, end, kind)
    wordless = np.bincount(row[start >= end], minlength=len(texts))
    return labels, spans.where(start < end), wordless


def keep_longest(spans: Spans, n: int) -> tuple[Spans, IntArray]:
    """The spans without those that overlap a longer one (of equal ones the first stays), and how many went a text."""
    kept: BoolArray = np.ones(len(spans), dtype=np.bool_)
    same = spans.row[1:] == spans.row[:-1]
    width = int(spans.end.max(initial=0)) + 1
    reach = (
        np.maximum.accumulate(spans.row * width + spans.end) - spans.row * width
    )  # the furthest end so far in a text
    crowded = np.unique(spans.row[1:][same & (spans.start[1:] < reach[:-1])])
    for row in crowded.tolist():
        mine = np.flatnonzero(spans.row == row)
        taken: list[int] = []
        for at in sorted(mine.tolist(), key=lambda at: (spans.start[at] - spans.end[at], at)):
            if any(spans.start[at] < spans.end[other] and spans.start[other] < spans.end[at] for other in taken):
                kept[at] = False
            else:
                taken.append(at)
    return spans.where(kept), np.bincount(spans.row[~kept], minlength=n)


def read_matrices(
    name: str, answers: Sequence[Any], texts: Sequence[str], offset: IntArray, classes: Sequence[str]
) -> FloatArray:
    """The matrices of all texts, one below the other: (W, L), checked."""
    parts = []
    for answer, text, n_words in zip(answers, texts, np.diff(offset).tolist(), strict=True):
        values = answer.detach().cpu().numpy() if hasattr(answer, "detach") else answer
        values = in_class_order(values, classes, f"the function {name} returned")
        try:
            matrix = numbers(values)
        except (TypeError, ValueError) as error:
            raise output_error(name, text, "no table of numbers.") from error
        if not matrix.size and not n_words:
            matrix = matrix.reshape(0, len(classes))
        if matrix.shape != (n_words, len(classes)):
            wrong_width = matrix.ndim != 2 or matrix.shape[1] != len(classes)
            expected = f"{count(n_words, 'word')} x {count(len(classes), 'class')}: {', '.join(classes)}"
            what = f"a matrix of the shape {matrix.shape}; expected {expected}."
            raise output_error(name, text, what, WORDS, PredictionError if wrong_width else AlignmentError)
        parts.append(matrix)
    every = np.concatenate(parts) if parts else np.zeros((0, len(classes)))
    wrong = wrong_rows(every, tuple(classes))
    if wrong is not None:
        first = int(wrong[0][0])
        row = int(np.searchsorted(offset, first, side="right")) - 1
        raise TextError(
            PredictionError,
            texts[row],
            f"row {first - int(offset[row]) + 1:,} of what the function {name} returned {wrong[1]}.",
            remedy=wrong[2],
        )
    return every


def _parse_span(name: str, item: Any, text: str, key: str) -> tuple[int, int, str]:
    """Start, end and label of a span, checked against its text."""
    if isinstance(item, Mapping):
        label = next((item[known] for known in (key, *_LABELS) if known in item), None)
        start, end = item.get("start"), item.get("end")
    else:
        start, end, label = item if isinstance(item, (tuple, list)) and len(item) == 3 else (None, None, None)
    if not (isinstance(start, (int, np.integer)) and isinstance(end, (int, np.integer)) and isinstance(label, str)):
        raise output_error(name, text, f"{item!r} as a span; expected start, end and label.")
    if not 0 <= start < end <= len(text):
        what = f"a span from {start} to {end}; the text has the characters 0 to {len(text)}."
        raise output_error(name, text, what, "Count characters of the text from 0; the end is the one after the last.")
    return int(start), int(end), label

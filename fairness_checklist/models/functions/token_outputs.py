"""The output of a tagging function as arrays: tags, spans of characters, or matrices of probabilities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import AlignmentError, InputError, PredictionError, count
from fairness_checklist.core.predictions import in_class_order, in_order, numbers, wrong_rows
from fairness_checklist.core.sentences import words_within
from fairness_checklist.core.tagging import Spans, words
from fairness_checklist.models.base import excerpt, output_error, text_place

_SPACY_SPAN_FIELDS = ("start_char", "end_char", "label_")
_PRESIDIO_SPAN_FIELDS = ("start", "end", "entity_type")
_LABELS = ("label", "entity_group", "entity_type")
EXPECTED_FORMS = (
    "Return for each text a list of tags, one per word of fairness_checklist.words(text); a list of spans of "
    'characters, {"start": 0, "end": 4, "label": "PER"} or (0, 4, "PER"); or, with classes=[...], a matrix '
    "(words, classes)."
)
WORDS = "The words are those of fairness_checklist.words(text)."


@dataclass(frozen=True, eq=False)
class TokenAnswers:
    """What a tagging function returned for n texts."""

    kind: str  # "tags", "spans", "matrices", or "nothing" where no text has an entity
    answers: list[Any]  # n items of this kind
    matrices: list[Any] | None = None  # n matrices of probabilities beside tags, where the function returned a pair


def read_token_answers(output: Any, name: str, texts: Sequence[str]) -> TokenAnswers:
    """The output of a function for n texts, each answer a list in the order of its words."""
    output = in_order(output, texts, f"the function {name} returned")
    if isinstance(output, tuple) and len(output) == 2 and [_kind(side) for side in output] == ["tags", "matrices"]:
        tags, matrices = (_in_word_order(name, _one_a_text(name, side, len(texts)), texts) for side in output)
        return TokenAnswers("tags", tags, matrices)
    if isinstance(output, (str, bytes, Mapping)) or not hasattr(output, "__len__"):
        raise output_error(name, f"a {type(output).__name__}; expected a list, one answer a text.", EXPECTED_FORMS)
    answers = _one_a_text(name, [_entities(answer) for answer in output], len(texts))
    kind = _kind(answers)
    if not kind:
        raise output_error(name, "neither tags, nor spans, nor matrices.", EXPECTED_FORMS)
    answers = _in_word_order(name, answers, texts)
    for answer, text in zip(answers, texts, strict=True):
        if not _is_list(answer):
            raise text_output_error(name, text, f"{answer!r}; expected a list, as for other texts.")
    return TokenAnswers(kind, answers)


def _kind(answers: Any) -> str:
    """The kind of the first answer that is not empty; "" where it is none."""
    listed: Sequence[Any] = answers if hasattr(answers, "__len__") else [None]
    for answer in listed:
        if not _is_list(answer):
            return ""
        if getattr(answer, "ndim", 1) == 2:
            return "matrices"
        if len(answer):
            return _item_kind(answer.iloc[0] if hasattr(answer, "iloc") else answer[0])
    return "nothing"


def _is_list(answer: Any) -> bool:
    return isinstance(answer, (list, tuple)) or (hasattr(answer, "ndim") and hasattr(answer, "__len__"))


def _item_kind(item: Any) -> str:
    if isinstance(item, str):
        return "tags"
    if isinstance(item, Mapping) or (isinstance(item, (tuple, list)) and len(item) == 3 and isinstance(item[2], str)):
        return "spans"
    return "matrices" if hasattr(item, "__len__") and all(map(_is_number, item)) else ""


def _is_number(value: Any) -> bool:
    """A number, or an array with one number, as in torch; no string."""
    return not isinstance(value, (str, bytes)) and (np.isscalar(value) or getattr(value, "ndim", None) == 0)


def _one_a_text(name: str, answers: Sequence[Any], n: int) -> list[Any]:
    if len(answers) != n:
        what = f"{count(len(answers), 'answer')} for {count(n, 'text')}."
        raise output_error(name, what, "Return one answer a text, in the order of the texts.", AlignmentError)
    return list(answers)


def _entities(answer: Any) -> Any:
    """The entities of a spaCy Doc, or a list of its spans or of Presidio's results, as (start, end, label)."""
    if hasattr(answer, "ents"):
        answer = list(answer.ents or ())
    if isinstance(answer, (list, tuple)) and answer:
        for fields in (_SPACY_SPAN_FIELDS, _PRESIDIO_SPAN_FIELDS):
            if all(hasattr(answer[0], field) for field in fields):
                return [tuple(getattr(span, field, None) for field in fields) for span in answer]
    return answer


def _in_word_order(name: str, answers: list[Any], texts: Sequence[str]) -> list[Any]:
    """Answers whose rows have an index of pandas in the order of the words; any other answers as they are."""
    ordered = list(answers)
    for row, (answer, text) in enumerate(zip(answers, texts, strict=True)):
        if hasattr(answer, "iloc"):
            words_of_text = [text[start:end] for start, end in words(text)]
            rows = in_order(answer, words_of_text, f'for the text "{excerpt(text)}" the function {name} returned')
            ordered[row] = rows if rows.ndim == 2 else rows.tolist()
    return ordered


def text_output_error(
    name: str, text: str, what: str, remedy: str = EXPECTED_FORMS, kind: type[InputError] = PredictionError
) -> InputError:
    return output_error(name, what, remedy, kind, place=text_place(text))


def check_tags(name: str, answers: Sequence[Sequence[str]], texts: Sequence[str], offset: IntArray) -> None:
    """Raise unless there is one tag per word."""
    for answer, text, n_words in zip(answers, texts, np.diff(offset).tolist(), strict=True):
        if len(answer) != n_words:
            what = f"{count(len(answer), 'tag')} for {count(n_words, 'word')}."
            raise text_output_error(name, text, what, WORDS, AlignmentError)
        wrong = [tag for tag in answer if not isinstance(tag, str)]
        if wrong:
            raise text_output_error(name, text, f"{wrong[0]!r} among its tags; expected strings.")


def read_spans(name: str, answers: Sequence[Any], texts: Sequence[str]) -> tuple[list[str], Spans, IntArray]:
    """The labels by name, k spans of words whose ``type`` points into them, sorted by text and start, and for each of
    m texts how many spans cover no word and were left out (m,)."""
    labels: dict[str, int] = {}
    of_words: list[tuple[int, int, int, int]] = []
    wordless = np.zeros(len(texts), dtype=np.int64)
    for row, (answer, text) in enumerate(zip(answers, texts, strict=True)):
        spans = [_parse_span(name, item, text) for item in answer]
        for _start, _end, label in spans:
            labels.setdefault(label, len(labels))
        borders = words(text)
        for start, end, label in sorted(spans, key=lambda span: span[:2]):
            first, last = words_within(borders, start, end)
            if first < last:
                of_words.append((row, first, last, labels[label]))
            else:
                wordless[row] += 1
    return list(labels), Spans.of(of_words), wordless


def _parse_span(name: str, item: Any, text: str) -> tuple[int, int, str]:
    """Start, end and label of a span, checked against its text."""
    if isinstance(item, Mapping):
        label = next((item[key] for key in _LABELS if key in item), None)
        start, end = item.get("start"), item.get("end")
    else:
        start, end, label = item if isinstance(item, (tuple, list)) and len(item) == 3 else (None, None, None)
    if not (isinstance(start, (int, np.integer)) and isinstance(end, (int, np.integer)) and isinstance(label, str)):
        raise text_output_error(name, text, f"{item!r} as a span; expected start, end and label.")
    if not 0 <= start < end <= len(text):
        what = f"a span from {start} to {end}; the text has the characters 0 to {len(text)}."
        raise text_output_error(
            name, text, what, "Count characters of the text from 0; the end is the one after the last."
        )
    return int(start), int(end), label


def keep_longest(spans: Spans, n: int) -> tuple[Spans, IntArray]:
    """The spans without those that overlap a longer one (of equal ones the first stays), and how many went a text."""
    stays: BoolArray = np.zeros(len(spans), dtype=np.bool_)
    taken: set[tuple[int, int]] = set()  # words of texts
    for position in np.argsort(spans.start - spans.end, kind="stable").tolist():
        row = int(spans.row[position])
        covered = {(row, word) for word in range(int(spans.start[position]), int(spans.end[position]))}
        stays[position] = taken.isdisjoint(covered)
        if stays[position]:
            taken |= covered
    return spans.at(stays), np.bincount(spans.row[~stays], minlength=n)


def read_matrices(
    name: str, answers: Sequence[Any], texts: Sequence[str], offset: IntArray, classes: Sequence[str]
) -> FloatArray:
    """The matrices of all texts, one below the other: (W, L), checked."""
    matrices = []
    for answer, text, n_words in zip(answers, texts, np.diff(offset).tolist(), strict=True):
        values = answer.detach().cpu().numpy() if hasattr(answer, "detach") else answer
        values = in_class_order(values, classes, f"the function {name} returned")
        try:
            matrix = numbers(values)
        except (TypeError, ValueError) as error:
            raise text_output_error(name, text, "no table of numbers.") from error
        if not matrix.size and not n_words:
            matrix = matrix.reshape(0, len(classes))
        if matrix.shape != (n_words, len(classes)):
            wrong_width = matrix.ndim != 2 or matrix.shape[1] != len(classes)
            expected = f"{count(n_words, 'word')} x {count(len(classes), 'class')}: {', '.join(classes)}"
            what = f"a matrix of the shape {matrix.shape}; expected {expected}."
            raise text_output_error(name, text, what, WORDS, PredictionError if wrong_width else AlignmentError)
        matrices.append(matrix)
    stacked = np.concatenate(matrices) if matrices else np.zeros((0, len(classes)))
    wrong = wrong_rows(stacked, tuple(classes))
    if wrong is not None:
        first = int(wrong[0][0])
        row = int(np.searchsorted(offset, first, side="right")) - 1
        message = f"row {first - int(offset[row]) + 1:,} of what the function {name} returned {wrong[1]}."
        raise PredictionError(message, place=text_place(texts[row]), remedy=wrong[2])
    return stacked

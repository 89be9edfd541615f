"""Any Python function that says where entities are is a tagger."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import AlignmentError, LabelError, OptionError, PredictionError, count, first_ten
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.tagging import (
    OUTSIDE,
    Spans,
    TagSet,
    detect_scheme,
    detect_scheme_of_sentences,
    map_types,
    read_tags,
)
from fairness_checklist.models.batching import beginning
from fairness_checklist.models.labels import Labels
from fairness_checklist.models.tag_labels import TagMap, match_classes, read_types
from fairness_checklist.models.tagged import Tagged, TextError, tag_by_chunk, words_of
from fairness_checklist.models.token_outputs import (
    FORMS,
    check_lists,
    check_tags,
    entities_of,
    is_pair,
    kind_of,
    longest,
    read_matrices,
    read_spans,
    tags_of_sub_words,
)

READS = ("texts", "words")


class FunctionTagger:
    """A function over a list of b texts, which returns for each of them one of

    - a list of tags, one per word of `words`;
    - a list of spans of characters: ``{"start": 0, "end": 4, "label": "PER"}``, ``(0, 4, "PER")``, what a pipeline of
      transformers gives, or a Doc of spaCy; a span covers the words that it overlaps, and of spans that overlap the
      longer one counts;
    - a matrix (words, L) of probabilities, with ``classes``;

    or a pair (tags, matrices).

    Args:
        function: the function.
        suite: the suite's types of entities.
        classes: the L tags that the function knows, "O" among them; by default the types are those found in its output.
        labels: which of the suite's types a type of the function's is, where the names do not say it.
        scheme: the tags' scheme; "" recognises it.
        reads: "texts", or "words": the function gets a list of words for each text.
        name: what to call it; predictions are kept from one run to the next only under a name that the user gave.
        batch_size: how many texts the function gets at once.

    >>> model = FunctionTagger(lambda texts: [["B-PER", "O", "O"] for text in texts], ("PER", "LOC"), reads="words")
    >>> said = model.predict(["Anna left."])
    >>> said.types, said.spans.end
    (('PER',), array([1]))
    """

    def __init__(
        self,
        function: Callable[[list[Any]], Any],
        suite: Sequence[str],
        *,
        classes: Sequence[str] | None = None,
        labels: Labels | None = None,
        scheme: str = "",
        reads: str = "texts",
        name: str | None = None,
        batch_size: int = 256,
    ) -> None:
        if reads not in READS:
            raise OptionError(f'reads="{reads}" is not known; expected one of {", ".join(READS)}.')
        TagSet.of((OUTSIDE,), scheme)
        self._function = function
        self._suite = tuple(suite)
        self._named = name is not None
        self._reads = reads
        self._scheme = scheme
        self._given_labels = labels
        self._labels_so_far: dict[str, None] = {}
        self._mapping: dict[str, str] = {}
        self._tags: TagMap | None = None
        self._columns = False
        self._kind = "spans"
        self.name = name or _function_name(function)
        self.chunk_size = batch_size
        if classes is not None:
            self._tags, self._columns = match_classes(classes, self._suite, labels, scheme)
        elif labels is not None:
            self._given_labels = read_types(labels, self._suite)

    @property
    def types(self) -> tuple[str, ...]:
        """What spans point into: the types of the classes that were given, else those of the suite."""
        return self._tags.types if self._tags else self._suite

    @property
    def classes(self) -> tuple[str, ...]:
        """The types that it can say: those of the classes that were given, else those found so far, if any."""
        if self._tags:
            return self._tags.types
        return tuple(kind for kind in self._suite if kind in self._mapping.values()) or self._suite

    @property
    def fingerprint(self) -> str:
        """Hash of the name that the user gave and of what its output is read by; "" without such a name."""
        if not self._named:
            return ""
        labels = self._given_labels
        deciding = [
            *("tagging function", self.name, self._suite, self._scheme, self._reads),
            self._tags and self._tags.facts(),
            labels if labels is None else list(labels.items() if isinstance(labels, Mapping) else labels),
        ]
        return hashlib.sha256(json.dumps(deciding).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Entities of n texts, and probabilities (W, T + 1) where the function gives them; it sees each text once.

        Raises:
            PredictionError: an error inside the function (chained), spans out of their text, probabilities that are
                none.
            AlignmentError: not one answer a text, or not one tag or row a word.
            LabelError: tags that are none of the classes; types of which the suite has none.
        """
        return tag_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Tagged:
        """Call the function and read its answer into spans, and probabilities where it gives them."""
        found, offset = words_of(texts)
        answers, matrices = self._call(texts, found, offset)
        kind = kind_of(answers)
        self._kind = kind = self._kind if kind == "nothing" else kind
        if kind:
            check_lists(self.name, answers, texts)
        repaired = left_out = np.zeros(len(texts), dtype=np.int64)
        probabilities = None if matrices is None else self._read_matrices(matrices, texts, offset)
        if kind == "matrices":
            probabilities = self._read_matrices(answers, texts, offset)
            spans, repaired = self._map_of_classes().decode(probabilities.argmax(axis=1), offset)
        elif kind == "spans":
            labels, spans, wordless = read_spans(self.name, answers, texts, found, offset)
            spans, left_out = longest(self._to_suite(spans, labels), len(texts))
            left_out = left_out + wordless
        elif kind:
            tags = answers
            if kind == "sub-words":
                tags = tags_of_sub_words(self.name, answers, texts, found, offset)
            check_tags(self.name, tags, texts, offset)
            spans, repaired = self._decode(tags, texts, offset)
        else:
            raise PredictionError(
                f"the function {self.name} returned neither tags, nor spans, nor matrices.", remedy=FORMS
            )
        advance(len(texts))
        summed = None if probabilities is None else self._map_of_classes().sum_by_type(probabilities)
        return Tagged(offset, spans, repaired, np.zeros(len(texts), dtype=np.bool_), left_out, summed)

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        """The predictions over the types that the function knows, and what must be said about them."""
        notes = list(self._tags.notes("function")) if self._tags else []
        if not self._tags and len(output.spans):
            found = np.unique(output.spans.type)
            types, missing = tuple(self._suite[at] for at in found), np.setdiff1d(np.arange(len(self._suite)), found)
            spans = output.spans
            kind = np.searchsorted(found, spans.type)
            output = replace(output, types=types, spans=Spans(spans.row, spans.start, spans.end, kind))
            if len(missing):
                names = ", ".join(self._suite[at] for at in missing)
                notes.append(f"no {names} in what the function returned: left out; if it knows them give classes=")
        unread = [] if self._tags else [own for own, theirs in self._mapping.items() if theirs == OUTSIDE]
        if unread:
            notes.append(f"the function's {', '.join(unread)} {'is' if len(unread) == 1 else 'are'} read as O")
        if n_left_out:
            overlap, are = ("overlaps", "is") if n_left_out == 1 else ("overlap", "are")
            cover = "covers" if n_left_out == 1 else "cover"
            what = f"{overlap} a longer one or {cover} no word"
            notes.append(f"{count(n_left_out, 'span')} {what} and {are} left out")
        return replace(output, notes=tuple(notes))

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, types and tags; a function has no weights to hash."""
        facts = self._tags.facts() if self._tags else {"classes": list(self.classes), "types": dict(self._mapping)}
        return {"name": self.name, "kind": "function", "reads": self._reads, **facts}

    def _call(self, texts: list[str], found: IntArray, offset: IntArray) -> tuple[list[Any], list[Any] | None]:
        """The function's answers, one per text, and matrices beside them where it returned a pair."""
        inputs: list[Any] = list(texts)
        if self._reads == "words":
            places = found.tolist()
            inputs = [
                [text[start:end] for start, end in places[offset[at] : offset[at + 1]]] for at, text in enumerate(texts)
            ]
        try:
            output = self._function(inputs)
            if isinstance(output, Iterator):  # as pipe of a spaCy pipeline gives
                output = list(output)
        except Exception as error:
            first = beginning(texts[0])
            what = f'the text "{first}"' if len(texts) == 1 else f'{len(texts):,} texts that start with "{first}"'
            raise PredictionError(
                f"the function {self.name} failed on {what}: {type(error).__name__}: {error}",
                remedy="The function's own traceback stands above; call it on that text to see it again.",
            ) from error
        if is_pair(output):
            tags, matrices = list(output[0]), list(output[1])
            return self._one_a_text(tags, len(texts)), self._one_a_text(matrices, len(texts))
        if isinstance(output, (str, bytes, Mapping)) or not hasattr(output, "__len__"):
            raise PredictionError(
                f"the function {self.name} returned a {type(output).__name__}; expected a list, one answer a text.",
                remedy=FORMS,
            )
        return self._one_a_text([entities_of(answer) for answer in output], len(texts)), None

    def _one_a_text(self, answers: list[Any], n: int) -> list[Any]:
        if len(answers) != n:
            raise AlignmentError(
                f"the function {self.name} returned {count(len(answers), 'answer')} for {count(n, 'text')}.",
                remedy="Return one answer a text, in the order of the texts.",
            )
        return answers

    def _read_matrices(self, answers: list[Any], texts: list[str], offset: IntArray) -> FloatArray:
        return read_matrices(self.name, answers, texts, offset, self._map_of_classes().labels)

    def _map_of_classes(self) -> TagMap:
        if self._tags is not None and not self._columns:
            known = first_ten(self._tags.labels[:-1])
            raise LabelError(
                f"the function {self.name} returned probabilities, and none of its classes {known} stands for words "
                f"outside of entities ({OUTSIDE}).",
                remedy=f'Name that column "{OUTSIDE}", in the order of the columns: classes=["{OUTSIDE}", ...].',
            )
        if self._tags is None:
            raise LabelError(
                f"the function {self.name} returned probabilities, and it is not known what their columns are.",
                remedy=f'Give the tags in the order of the columns, classes=["{OUTSIDE}", "B-{self._suite[0]}", ...].',
            )
        return self._tags

    def _decode(self, tags: list[list[str]], texts: list[str], offset: IntArray) -> tuple[Spans, IntArray]:
        if self._tags is None:
            self._labels_so_far.update(dict.fromkeys(tag for some in tags for tag in some))
            scheme = self._scheme or detect_scheme(self._labels_so_far)
            if not self._scheme and scheme.startswith("IOB"):
                scheme = detect_scheme_of_sentences(tags)
            tag_set, codes, _ = read_tags([list(self._labels_so_far), *tags], scheme)
            spans, repaired = tag_set.decode(codes[len(self._labels_so_far) :], offset)
            return self._to_suite(spans, list(tag_set.types)), repaired
        position = {tag: at for at, tag in enumerate(self._tags.labels)}
        for some, text in zip(tags, texts, strict=True):
            unknown = next((tag for tag in some if tag not in position), None)
            if unknown is not None:
                raise TextError(
                    LabelError,
                    text,
                    f"the function {self.name} returned the tag {unknown!r}, which is none of its classes.",
                    remedy=f"The classes are {first_ten(position)}.",
                )
        codes = np.array([position[tag] for some in tags for tag in some], dtype=np.int64)
        return self._tags.decode(codes, offset)

    def _to_suite(self, spans: Spans, labels: list[str]) -> Spans:
        """Spans whose type points into the function's types to spans whose type points into ours; others go."""
        if self._tags:
            mapping: Mapping[str, str] = self._tags.mapping
            unknown = [label for label in labels if label not in mapping]
            if unknown:
                raise LabelError(
                    f"the function {self.name} returned the label {unknown[0]!r}, which is none of its classes.",
                    remedy=f"The types of its classes are {first_ten(mapping)}.",
                )
        else:
            mapping = self._add_labels(labels)
        position = {kind: at for at, kind in enumerate(self.types)}
        kinds = np.array([position.get(mapping[label], -1) for label in labels], dtype=np.int64)
        kind = kinds[spans.type] if len(kinds) else spans.type
        return Spans(spans.row, spans.start, spans.end, kind).where(kind >= 0)

    def _add_labels(self, labels: list[str]) -> dict[str, str]:
        """What the types found so far are in the suite; none at all is an error."""
        given = dict(self._given_labels) if isinstance(self._given_labels, Mapping) else {}
        every = list(dict.fromkeys([*self._mapping, *labels]))
        parts = {str(own): str(theirs) for own, theirs in given.items() if own in every}
        known = map_types([*every, *self._suite], self._suite, parts)
        self._mapping = {label: known[label] for label in every}
        if every and set(self._mapping.values()) == {OUTSIDE} and not set(every) <= set(parts):
            map_types(every, self._suite, parts)
        return self._mapping


def _function_name(function: Any) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__qualname__).replace("<locals>.", "")

"""Python functions as taggers."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairness_checklist.core import tagging
from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import LabelError, count, first_ten
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.core.tagging import OUTSIDE, Spans
from fairness_checklist.models.base import call_function, output_error
from fairness_checklist.models.functions import token_outputs
from fairness_checklist.models.functions.objects import ObjectFunction
from fairness_checklist.models.labels import Labels
from fairness_checklist.models.tag_labels import TagMap, check_type_mapping, match_classes, unread_notes
from fairness_checklist.models.token_predictions import TagOutput, tag_by_chunk, tag_outputs, word_spans


class FunctionTagger:
    """A function over a list of b texts, which returns for each of them one of

    - a list of tags, one per word of `words`;
    - a list of spans of characters: ``{"start": 0, "end": 4, "label": "PER"}``, ``(0, 4, "PER")``, what a pipeline of
      transformers or an analyzer of Presidio (``entity_type``) gives, or a Doc of spaCy; a span covers the words that
      it overlaps, and of spans that overlap the longer one counts;
    - a matrix (words, L) of probabilities, with ``classes``;

    or a pair (tags, matrices).
    """

    def __init__(
        self,
        source: ObjectFunction,
        suite_types: tuple[str, ...],
        *,
        classes: Sequence[str] | None,
        labels: Labels | None,
        scheme: str,
        name: str | None,
        batch_size: int,
    ) -> None:
        tagging.TagSet.of((OUTSIDE,), scheme)  # an error where it is no scheme
        self._function = source.function
        self._suite_types = suite_types
        self._has_name = name is not None
        self._scheme, self._user_labels = scheme, labels
        self._known_tags: dict[str, None] = {}
        self._mapping: dict[str, str] = {}
        self._tag_map: TagMap | None = None
        self._classes_are_columns = False
        self._output_kind = "spans"  # of the last answers that were not empty
        self.name = name or source.name
        self.chunk_size = batch_size
        if classes is not None:
            self._tag_map, self._classes_are_columns = match_classes(classes, self._suite_types, labels, scheme)
        elif labels is not None:
            self._user_labels = check_type_mapping(labels, self._suite_types)

    @property
    def types(self) -> tuple[str, ...]:
        """The types that spans refer to: those of the given classes, else those of the suite."""
        return self._tag_map.types if self._tag_map else self._suite_types

    @property
    def classes(self) -> tuple[str, ...]:
        """The types that it can predict: those of the classes that were given, else those found so far, if any."""
        if self._tag_map:
            return self._tag_map.types
        return tuple(kind for kind in self._suite_types if kind in self._mapping.values()) or self._suite_types

    @property
    def fingerprint(self) -> str:
        """Hash of the given name and of the options by which the output is read; "" without a name."""
        if not self._has_name:
            return ""
        labels = self._user_labels
        identity = [
            *("tagging function", self.name, self._suite_types, self._scheme),
            self._tag_map and self._tag_map.metadata(),
            labels if labels is None else list(labels.items() if isinstance(labels, Mapping) else labels),
        ]
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Entities of n texts, and probabilities (W, T + 1) where the function gives them; it sees each text once."""
        return tag_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> list[TagOutput]:
        """Call the function and read its answer into spans, and probabilities where it gives them."""
        _places, offset = word_spans(texts)
        output = call_function(self._function, self.name, list(texts), texts)
        found = token_outputs.read_token_answers(output, self.name, texts)
        self._output_kind = self._output_kind if found.kind == "nothing" else found.kind
        repaired = left_out = np.zeros(len(texts), dtype=np.int64)
        matrices = found.answers if self._output_kind == "matrices" else found.matrices
        probabilities: FloatArray | None = None
        if matrices is not None:
            probabilities = token_outputs.read_matrices(
                self.name, matrices, texts, offset, self._require_tag_map().labels
            )
        if probabilities is not None and self._output_kind == "matrices":
            spans, repaired = self._require_tag_map().decode(probabilities.argmax(axis=1), offset)
        elif self._output_kind == "spans":
            labels, spans, wordless = token_outputs.read_spans(self.name, found.answers, texts)
            spans, left_out = token_outputs.keep_longest(self._map_to_suite(spans, labels), len(texts))
            left_out = left_out + wordless
        else:
            token_outputs.check_tags(self.name, found.answers, texts, offset)
            spans, repaired = self._decode(found.answers, texts, offset)
        advance(len(texts))
        summed = None if probabilities is None else self._require_tag_map().sum_by_type(probabilities)
        return tag_outputs(offset, spans, repaired=repaired, left_out=left_out, probabilities=summed)

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        """The predictions over the types that the function knows, with notes."""
        notes = list(self._tag_map.notes("function")) if self._tag_map else []
        if not self._tag_map and len(output.spans):
            spans, known = output.spans, np.unique(output.spans.type)
            types = tuple(self._suite_types[code] for code in known)
            kind = np.searchsorted(known, spans.type)
            output = replace(output, types=types, spans=Spans(spans.row, spans.start, spans.end, kind))
            missing = [name for name in self._suite_types if name not in types]
            if missing:
                missed = ", ".join(missing)
                notes.append(f"no {missed} in what the function returned: left out; if it knows them give classes=")
        if not self._tag_map:
            notes += unread_notes("function", self._mapping)
        if n_left_out:
            overlap, cover, are = ("overlaps", "covers", "is") if n_left_out == 1 else ("overlap", "cover", "are")
            spans_left_out = f"{count(n_left_out, 'span')} {overlap} a longer one or {cover} no word"
            notes.append(f"{spans_left_out} and {are} left out")
        return replace(output, notes=tuple(notes))

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, types and tags; a function has no weights to hash."""
        unmatched = {"classes": list(self.classes), "types": dict(self._mapping)}
        metadata = self._tag_map.metadata() if self._tag_map else unmatched
        return {"name": self.name, "kind": "function", **metadata}

    def _require_tag_map(self) -> TagMap:
        if self._tag_map is not None and not self._classes_are_columns:
            names = first_ten(self._tag_map.labels[:-1])
            what = f"none of its classes {names} stands for words outside of entities ({OUTSIDE})."
            remedy = f'Name that column "{OUTSIDE}", in the order of the columns: classes=["{OUTSIDE}", ...].'
            raise output_error(self.name, f"probabilities, and {what}", remedy, LabelError)
        if self._tag_map is None:
            remedy = "Give the tags in the order of the columns, "
            remedy += f'classes=["{OUTSIDE}", "B-{self._suite_types[0]}", ...].'
            what = "probabilities, and it is not known what their columns are."
            raise output_error(self.name, what, remedy, LabelError)
        return self._tag_map

    def _decode(self, tags: list[list[str]], texts: list[str], offset: IntArray) -> tuple[Spans, IntArray]:
        if self._tag_map is None:
            self._known_tags.update(dict.fromkeys(tag for row in tags for tag in row))
            scheme = self._scheme or tagging.detect_scheme(self._known_tags).replace("plain", "")
            if not self._scheme and scheme.startswith("IOB"):
                scheme = tagging.detect_scheme_of_sentences(tags)
            try:
                tag_set, codes, _ = tagging.read_tags([list(self._known_tags), *tags], scheme)
            except tagging.TagError as error:
                raise LabelError(error.message, place=f"the function {self.name}", remedy=error.remedy) from error
            spans, repaired = tag_set.decode(codes[len(self._known_tags) :], offset)
            return self._map_to_suite(spans, list(tag_set.types)), repaired
        position = {tag: code for code, tag in enumerate(self._tag_map.labels)}
        for row, text in zip(tags, texts, strict=True):
            unknown = next((tag for tag in row if tag not in position), None)
            if unknown is not None:
                what = f"the tag {unknown!r}, which is none of its classes."
                raise token_outputs.text_output_error(
                    self.name, text, what, f"The classes are {first_ten(position)}.", LabelError
                )
        codes = np.array([position[tag] for row in tags for tag in row], dtype=np.int64)
        return self._tag_map.decode(codes, offset)

    def _map_to_suite(self, spans: Spans, labels: list[str]) -> Spans:
        """Spans with the function's types to spans with the suite's types; spans of other types are dropped."""
        if self._tag_map:
            mapping: Mapping[str, str] = self._tag_map.mapping
            unknown = [label for label in labels if label not in mapping]
            if unknown:
                what = f"the label {unknown[0]!r}, which is none of its classes."
                raise output_error(self.name, what, f"The types of its classes are {first_ten(mapping)}.", LabelError)
        else:
            mapping = self._add_types(labels)
        position = {kind: code for code, kind in enumerate(self.types)}
        kinds = np.array([position.get(mapping[label], -1) for label in labels], dtype=np.int64)
        kind = kinds[spans.type] if len(kinds) else spans.type
        return Spans(spans.row, spans.start, spans.end, kind).at(kind >= 0)

    def _add_types(self, labels: list[str]) -> dict[str, str]:
        """The mapping from the types in the output so far to those of the suite; it raises where it is empty."""
        labels_given = self._user_labels if isinstance(self._user_labels, Mapping) else {}
        found = list(dict.fromkeys([*self._mapping, *labels]))
        parts = {str(key): str(kind) for key, kind in labels_given.items() if key in found}
        mapping = tagging.map_types([*found, *self._suite_types], self._suite_types, parts)
        self._mapping = {label: mapping[label] for label in found}
        if found and set(self._mapping.values()) == {OUTSIDE} and not set(found) <= set(parts):
            tagging.map_types(found, self._suite_types, parts)
        return self._mapping

"""Token classifiers of transformers: the types of each word by its sub-words; from safetensors, without own code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import count
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.models.alignment import align, pool, split_texts
from fairness_checklist.models.checkpoints import (
    Checkpoint,
    checkpoint_from_folder,
    checkpoint_from_objects,
    fingerprint,
)
from fairness_checklist.models.engines import Engine, softmax, token_logits
from fairness_checklist.models.folders import TAGGER
from fairness_checklist.models.labels import Labels
from fairness_checklist.models.tag_labels import TagMap, match_tags
from fairness_checklist.models.token_predictions import TaggerOutput, tag_by_chunk


@dataclass(frozen=True, eq=False)
class HuggingFaceTagger:
    """A transformers token classifier whose tags are matched to the suite's types.

    Attributes:
        checkpoint: the model, and the types of its tags.
        pooling: "first", a word's probabilities are those of its first sub-word; "mean", the mean over its sub-words.
        chunk_size: texts that are tokenized and batched together.
    """

    checkpoint: Checkpoint[TagMap]
    pooling: str = "first"
    chunk_size: int = 1024

    @property
    def name(self) -> str:
        """The folder's name, the hub id or the bundled name."""
        return self.checkpoint.name

    @property
    def engine(self) -> Engine:
        """Model, tokenizer, limits."""
        return self.checkpoint.engine

    @property
    def classes(self) -> tuple[str, ...]:
        """The T types that the model can predict, as the suite calls them, in the suite's order."""
        return self.checkpoint.labels.types

    @property
    def types(self) -> tuple[str, ...]:
        """The same as ``classes``."""
        return self.checkpoint.labels.types

    @property
    def fingerprint(self) -> str:
        """Hash of what decides the predictions: weights, tokenizer, labels, scheme, pooling, precision, limits."""
        return fingerprint(self.describe())

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Entities and probabilities (W, T + 1) for the W words of n texts.

        Each different text is read once. The bytes do not depend on the order of the texts. Texts over the model's
        limit are split between words, and the notes count them.

        Raises:
            PredictionError: texts that are no strings; weights that give NaN.
        """
        return tag_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> TaggerOutput:
        """The most probable tag of each word, decoded and repaired, and its probabilities summed by type."""
        return self._score(self.engine, texts, advance)[0]

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        """The predictions with notes: types left out, texts split, words without a sub-word, pooling, precision."""
        notes = list(self.checkpoint.labels.notes())
        if n_split:
            notes.append(self.checkpoint.length_note(n_split, len(texts), "split"))
        if n_left_out:
            have, are = ("has", "is") if n_left_out == 1 else ("have", "are")
            notes.append(f"{count(n_left_out, 'word')} {have} no sub-word of the model and {are} read as O")
        if self.pooling == "mean":
            notes.append("a word's probabilities are the mean over its sub-words")
        precision = self.checkpoint.precision_note(self.compare_with_float32(texts), "the tags of {} words")
        return replace(output, notes=(*notes, *filter(None, (precision,))))

    def compare_with_float32(self, texts: Sequence[str]) -> tuple[float, int, int] | None:
        """The largest difference of a probability from float32, the number of words whose tag changes, and that of
        texts compared; None in float32."""

        def predict(engine: Engine, sample: list[str]) -> tuple[FloatArray, IntArray]:
            output, tags = self._score(engine, sample, lambda _done: None)
            return np.zeros((0, 0)) if output.probabilities is None else output.probabilities, tags

        return self.checkpoint.compare_with_float32(texts, predict)

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, architecture, weights' sha256, types, tags, scheme, pooling, precision, versions."""
        return self.checkpoint.describe("huggingface tagger", **self.checkpoint.labels.metadata(), pooling=self.pooling)

    def _score(
        self, engine: Engine, texts: list[str], advance: Callable[[int], object]
    ) -> tuple[TaggerOutput, IntArray]:
        """The output for some texts, and the tag of each of their words (W,)."""
        parts = split_texts(engine.tokenizer, texts, engine.limit)
        counted = 0 if parts.split.any() else len(parts.ids)
        logits = token_logits(engine, parts.ids, parts.types, advance if counted else lambda _done: None)
        first, last = align(parts.start, parts.end, parts.space, parts.words)
        known = first >= 0
        values = np.zeros((len(first), len(self.checkpoint.labels.labels)))
        values[~known, self.checkpoint.labels.outside_label] = 1.0
        if known.any():
            if self.pooling == "first":
                values[known] = softmax(logits[parts.at[first[known]]])
            else:
                values[known] = pool(softmax(logits[parts.at]), first[known], last[known])
        advance(len(texts) - counted)
        tags = values.argmax(axis=1)
        offset = parts.words.offset
        spans, repaired = self.checkpoint.labels.decode(tags, offset)
        unseen = np.bincount(np.repeat(np.arange(len(texts)), np.diff(offset))[~known], minlength=len(texts))
        return TaggerOutput(
            offset, spans, repaired, parts.split, unseen, self.checkpoint.labels.sum_by_type(values)
        ), tags


def tagger_from_folder(
    folder: Path,
    *,
    task_classes: Sequence[str],
    labels: Labels | None = None,
    scheme: str = "",
    pooling: str = "first",
    **options: Any,
) -> HuggingFaceTagger:
    """Load the tagger of a folder; options and errors as of `checkpoint_from_folder`."""
    match = partial(_match, task_classes=task_classes, labels=labels, scheme=scheme)
    return HuggingFaceTagger(checkpoint_from_folder(folder, TAGGER, match, **options), pooling)


def tagger_from_objects(
    model: Any,
    tokenizer: Any,
    *,
    task_classes: Sequence[str],
    labels: Labels | None = None,
    scheme: str = "",
    pooling: str = "first",
    **options: Any,
) -> HuggingFaceTagger:
    """Wrap a transformers model and its tokenizer; options and errors as of `checkpoint_from_objects`."""
    match = partial(_match, task_classes=task_classes, labels=labels, scheme=scheme)
    return HuggingFaceTagger(checkpoint_from_objects(model, tokenizer, TAGGER, match, **options), pooling)


def _match(config: Any, task_classes: Sequence[str], labels: Labels | None, scheme: str) -> TagMap:
    return match_tags([str(config.id2label[at]) for at in sorted(config.id2label)], task_classes, labels, scheme)

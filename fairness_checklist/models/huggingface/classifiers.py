"""Sequence and token classifiers of transformers: from safetensors, without code of their own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from scipy.special import softmax

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import PredictionError, count
from fairness_checklist.core.option_defaults import nfc
from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.core.tasks import Task, normalised_label
from fairness_checklist.models.base import TextOutput, text_outputs
from fairness_checklist.models.batches_without_padding import predict_by_chunk, score_here
from fairness_checklist.models.engines.local import Engine, text_logits, token_logits
from fairness_checklist.models.huggingface.alignment import align, mean_of_rows, split_texts
from fairness_checklist.models.huggingface.checkpoints import Checkpoint, fingerprint, load_checkpoint
from fairness_checklist.models.huggingface.folders import CLASSIFIER, TAGGER
from fairness_checklist.models.labels import (
    LabelMap,
    Labels,
    MultilabelMap,
    match_labels,
    match_multilabel,
    match_single_output,
)
from fairness_checklist.models.tag_labels import TagMap, match_tags
from fairness_checklist.models.token_predictions import TagOutput, tag_by_chunk, tag_outputs

M = TypeVar("M")
Activation = Literal["softmax", "sigmoid", "identity"]


@dataclass(frozen=True)
class Head:
    """The conversion of logits to probabilities."""

    activation: Activation  # "softmax", "sigmoid", or "identity" for outputs that are probabilities already
    labels: LabelMap | MultilabelMap  # which label belongs to which class


def read_head(config: Any, task_classes: Sequence[str], labels: Labels | None = None) -> Head:
    """The head of a model by its configuration: activation and labels."""
    names = label_names(config)
    activation = activation_of(config)
    if activation == "softmax":
        return Head(activation, match_labels(names, task_classes, labels))
    if len(names) == 1:
        return Head(activation, match_single_output(names[0], task_classes, labels))
    return Head(activation, match_multilabel(names, task_classes, labels))


def activation_of(config: Any) -> Activation:
    """The function from logits to probabilities, by the problem that a configuration names and its number of labels."""
    problem = getattr(config, "problem_type", None)
    if problem == "regression":
        return "identity"
    return "sigmoid" if problem == "multi_label_classification" or len(config.id2label) == 1 else "softmax"


def read_logits(logits: FloatArray, head: Head) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Logits (n, L) to probabilities (n, C) over the classes, and scores (n,) by the name of their label."""
    if isinstance(head.labels, LabelMap):
        return head.labels.read(softmax(logits, axis=1))
    if head.activation == "sigmoid":
        return head.labels.read(sigmoid(logits))
    wide = np.isfinite(logits) & ((logits < 0) | (logits > 1))
    if wide.any():
        row, column = (int(side[0]) for side in np.nonzero(wide))
        raise PredictionError(
            f"the output {head.labels.labels[column]} of a regression is {logits[row, column]:.4g}; expected a number "
            "from 0 to 1, to be read as a probability.",
            remedy="Give load_model a function that brings the model's outputs into 0 to 1.",
            command_remedy="Save the model with a head for classes; or, in Python, give load_model a function.",
        )
    return head.labels.read(logits)


def sigmoid(logits: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)) in float64, without overflow.

    >>> sigmoid(np.array([0.0, 1000.0, -1000.0]))
    array([0.5, 1. , 0. ])
    """
    small = np.exp(-np.abs(logits))
    return np.asarray(np.where(logits >= 0, 1, small) / (1 + small), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _TransformersModel(Generic[M]):
    """What a classifier and a tagger of transformers share."""

    checkpoint: Checkpoint[M]  # the model, its tokenizer, and its labels matched to those of the task
    chunk_size: int = 2048  # texts that are tokenized and batched together

    @property
    def name(self) -> str:
        """The folder's name, the hub id or the bundled name."""
        return self.checkpoint.name

    @property
    def engine(self) -> Engine:
        return self.checkpoint.engine

    @property
    def fingerprint(self) -> str:
        """Hash of what decides the predictions: weights, configuration, tokenizer, labels, precision, limits."""
        return fingerprint(self.describe() | {"padding": "none"})  # not those of versions that padded

    def describe(self) -> dict[str, object]:
        """For ``run.json``."""
        raise NotImplementedError

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Any:
        raise NotImplementedError

    def length_note(self, n_long: int, n: int, what: str) -> str:
        """The note for ``n_long`` of n texts that are longer than the model's limit and were cut or split."""
        are, were = ("is", "was") if n_long == 1 else ("are", "were")
        return f"{n_long:,} of {n:,} texts {are} longer than the model's {self.engine.limit} tokens and {were} {what}"

    def shared_notes(self) -> tuple[str, ...]:
        """Notes on a checkpoint that was chosen, labels that contradict each other, and a lower precision."""
        dtype, chosen = self.checkpoint.metadata["dtype"], self.checkpoint.metadata.get("checkpoint")
        loaded = f"the model is {chosen}, the last checkpoint there" if chosen else ""
        precision = "" if dtype == "float32" else f"computed in {dtype}; not to be compared with a run in float32"
        return tuple(filter(None, (loaded, label_note(self.engine.model.config), precision)))

    def score_chunks(
        self, chunks: Iterable[tuple[int, list[str]]], advance: Callable[[int], object]
    ) -> Iterator[tuple[int, list[str], Any]]:
        """The number, the texts and the output of each chunk, in any order, or the error: here, or from workers."""
        source = self.checkpoint.source
        if source is None:
            return score_here(self.score, chunks, advance)
        from fairness_checklist.extensions.engines.spread import spread_chunks

        return spread_chunks(source, self.score, chunks, advance)


@dataclass(frozen=True, eq=False)
class HuggingFaceClassifier(_TransformersModel[Head]):
    """A transformers sequence classifier whose labels are matched to the task's classes."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The C classes that the model can predict, in the task's order."""
        return self.checkpoint.labels.labels.classes

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts, whose bytes do not depend on the order of the texts.

        Each different text is scored once. Texts over the model's limit are cut, and the notes count them.
        """
        return predict_by_chunk(self, texts, progress=progress)

    def notes(self, n_truncated: int, texts: Sequence[str]) -> tuple[str, ...]:
        cut = (self.length_note(n_truncated, len(texts), "cut"),) if n_truncated else ()
        return (*self.shared_notes(), *cut)

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, architecture, weights' sha256, label mapping, precision, limits, versions."""
        head = self.checkpoint.labels
        facts: dict[str, object] = {"classes": list(self.classes), "labels": head.labels.mapping()}
        if isinstance(head.labels, MultilabelMap):
            facts["reading"] = f"{head.activation}: {head.labels.rule()}"
        return self.checkpoint.describe("huggingface", **facts)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> list[TextOutput]:
        """Of a multi-label model the probabilities of labels that stand for no class are kept as scores."""
        logits, truncated = text_logits(self.engine, texts, advance)
        probabilities, scores = read_logits(logits, self.checkpoint.labels)
        return text_outputs(probabilities, probabilities.argmax(axis=1), truncated, scores)


@dataclass(frozen=True, eq=False)
class HuggingFaceTagger(_TransformersModel[TagMap]):
    """A transformers token classifier whose tags are matched to the suite's types."""

    pooling: str = "first"  # a word's probabilities are those of its "first" sub-word, or the "mean" over all of them

    @property
    def classes(self) -> tuple[str, ...]:
        """The T types that the model can predict, as the suite calls them, in the suite's order."""
        return self.checkpoint.labels.types

    @property
    def types(self) -> tuple[str, ...]:
        return self.classes

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Entities and probabilities (W, T + 1) for the W words of n texts; bytes do not depend on the texts' order.

        Each text is read once. Texts over the model's limit are split between words, and the notes count them.
        """
        return tag_by_chunk(self, texts, progress=progress)

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        notes = [*self.checkpoint.labels.notes(), *self.shared_notes()]
        if n_split:
            notes.append(self.length_note(n_split, len(texts), "split"))
        if n_left_out:
            have, are = ("has", "is") if n_left_out == 1 else ("have", "are")
            notes.append(f"{count(n_left_out, 'word')} {have} no sub-word of the model and {are} read as O")
        if self.pooling == "mean":
            notes.append("a word's probabilities are the mean over its sub-words")
        return replace(output, notes=tuple(notes))

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, architecture, weights' sha256, types, tags, scheme, pooling, precision, versions."""
        return self.checkpoint.describe("huggingface tagger", **self.checkpoint.labels.metadata(), pooling=self.pooling)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> list[TagOutput]:
        """The most probable tag of each word, decoded and repaired, and its probabilities by type."""
        subwords, labels = split_texts(self.engine.tokenizer, texts, self.engine.limit), self.checkpoint.labels
        counted = 0 if subwords.split.any() else len(subwords.tokens.lengths)
        logits = token_logits(self.engine, subwords.tokens, advance if counted else lambda _done: None)
        first, last = align(subwords.start, subwords.end, subwords.space, subwords.words)
        seen = first >= 0
        values = np.zeros((len(first), len(labels.labels)))
        values[~seen, labels.outside_label] = 1.0
        if seen.any() and self.pooling == "first":
            values[seen] = softmax(logits[subwords.position[first[seen]]], axis=1)
        elif seen.any():
            values[seen] = mean_of_rows(softmax(logits[subwords.position], axis=1), first[seen], last[seen])
        advance(len(texts) - counted)
        offset = subwords.word_offset
        spans, repaired = labels.decode(values.argmax(axis=1), offset)
        unseen = np.bincount(np.repeat(np.arange(len(texts)), np.diff(offset))[~seen], minlength=len(texts))
        return tag_outputs(
            offset,
            spans,
            repaired=repaired,
            left_out=unseen,
            probabilities=labels.sum_by_type(values),
            split=subwords.split,
        )


def load_classifier(
    source: Path | tuple[Any, Any],
    task: Task,
    *,
    labels: Labels | None = None,
    scheme: str = "",
    pooling: str = "first",
    **options: Any,
) -> HuggingFaceClassifier | HuggingFaceTagger:
    """The classifier or tagger in a folder, or of a pair (model, tokenizer); options are those of `load_checkpoint`."""
    if task.tagging:
        tags = load_checkpoint(
            source, TAGGER, lambda config: match_tags(label_names(config), task.classes, labels, scheme), **options
        )
        return HuggingFaceTagger(tags, pooling=pooling)
    head = load_checkpoint(source, CLASSIFIER, lambda config: read_head(config, task.classes, labels), **options)
    return HuggingFaceClassifier(head)


def label_names(config: Any) -> list[str]:
    """The labels of a configuration in the order of the model's outputs."""
    return [nfc(str(config.id2label[code])) for code in sorted(config.id2label)]


def label_note(config: Any) -> str:
    """The note for a configuration whose ``label2id`` has other labels than its ``id2label``, or in another order."""
    other: Any = getattr(config, "label2id", None)
    pairs = {(normalised_label(str(name)), str(code)) for name, code in (dict(other) if other else {}).items()}
    pairs -= {(normalised_label(f"LABEL_{code}"), code) for _name, code in pairs}  # what transformers fills in
    used = {str(code): name for code, name in enumerate(label_names(config))}
    for code, name in used.items():
        pair = (normalised_label(name), code)
        if pair not in pairs and any(label == pair[0] or number == code for label, number in pairs):
            order = ", ".join(f"{code} {name}" for code, name in used.items())
            return f"the configuration has a label2id that contradicts its id2label, which is used: {order}"
    return ""

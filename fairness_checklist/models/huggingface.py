"""Sequence classifiers of transformers: by their own configuration, from safetensors, without code of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairness_checklist.core.errors import ModelError, OptionError, PredictionError
from fairness_checklist.core.parameters import BATCH_TOKENS, DTYPE, whole_number
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.models.base import Scored
from fairness_checklist.models.batching import canonical, predict_by_chunk
from fairness_checklist.models.checkpoints import (
    DTYPES,
    facts_of_folder,
    facts_of_objects,
    load_configuration,
    load_tokenizer,
    load_weights,
    placed,
)
from fairness_checklist.models.engines import Engine, run_logits, softmax
from fairness_checklist.models.folders import check_folder
from fairness_checklist.models.labels import (
    IndependentLabels,
    LabelMap,
    Labels,
    by_complement,
    match_independent,
    match_labels,
    match_one_output,
    sum_by_class,
)

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Head:
    """How logits become probabilities.

    Attributes:
        reading: "softmax", "sigmoid", or "identity" for outputs that are probabilities already.
        labels: which label belongs to which class.
    """

    reading: Literal["softmax", "sigmoid", "identity"]
    labels: LabelMap | IndependentLabels

    def describe(self) -> dict[str, object]:
        """For ``run.json``: the classes of the labels, and what else there is to say than softmax."""
        facts: dict[str, object] = {"labels": self.labels.mapping()}
        if isinstance(self.labels, IndependentLabels):
            facts["reading"] = f"{self.reading}: {self.labels.reading()}"
        return facts


def read_head(config: Any, task_classes: Sequence[str], labels: Labels | None = None) -> Head:
    """How the outputs of a model are to be read, by its configuration (see the table above).

    Args:
        config: a transformers configuration.
        task_classes: the task's classes.
        labels: which label belongs to which class, where the names do not say it. Of a multi-label model the labels
            that it names are those of one class, and no others.

    Raises:
        LabelError: labels that cannot be matched to the task's classes.

    >>> from types import SimpleNamespace
    >>> config = SimpleNamespace(id2label={0: "toxic", 1: "insult"}, problem_type="multi_label_classification")
    >>> read_head(config, ("nontoxic", "toxic")).describe()["reading"]
    'sigmoid: p(toxic) is toxic, p(nontoxic) its complement; scores: insult'
    """
    names = [str(config.id2label[at]) for at in sorted(config.id2label)]
    problem = getattr(config, "problem_type", None)
    if problem == "regression":
        reading: Literal["sigmoid", "identity"] = "identity"
    elif problem == "multi_label_classification" or len(names) == 1:
        reading = "sigmoid"
    else:
        return Head("softmax", match_labels(names, task_classes, labels))
    if len(names) == 1:
        return Head(reading, match_one_output(names[0], task_classes, labels))
    return Head(reading, match_independent(names, task_classes, labels))


def read_logits(logits: FloatArray, head: Head) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Logits (n, L) to probabilities (n, C) over the classes, and scores (n,) by the name of their label.

    Raises:
        PredictionError: outputs of a regression that are no probabilities.

    >>> head = Head("sigmoid", match_independent(["toxic", "insult"], ("nontoxic", "toxic")))
    >>> read_logits(np.array([[0.0, 0.0]]), head)
    (array([[0.5, 0.5]]), {'insult': array([0.5])})
    """
    if isinstance(head.labels, LabelMap):
        return sum_by_class(softmax(logits), head.labels), {}
    if head.reading == "sigmoid":
        return by_complement(sigmoid(logits), head.labels)
    wide = np.isfinite(logits) & ((logits < 0) | (logits > 1))
    if wide.any():
        row, column = (int(side[0]) for side in np.nonzero(wide))
        raise PredictionError(
            f"the output {head.labels.labels[column]} of a regression is {logits[row, column]:.4g}; expected a number "
            "from 0 to 1, to be read as a probability.",
            remedy="Give load_model a function that brings the model's outputs into 0 to 1.",
        )
    return by_complement(logits, head.labels)


def sigmoid(logits: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)) in float64, without overflow.

    >>> sigmoid(np.array([0.0, 1000.0, -1000.0]))
    array([0.5, 1. , 0. ])
    """
    small = np.exp(-np.abs(logits))
    return np.asarray(np.where(logits >= 0, 1, small) / (1 + small), dtype=np.float64)


SAMPLE = 64


@dataclass(frozen=True, eq=False)
class HuggingFaceClassifier:
    """A transformers sequence classifier whose labels are matched to the task's classes.

    Attributes:
        name: the folder's name, the hub id or the bundled name.
        head: which label belongs to which class, and how logits become probabilities.
        engine: model, tokenizer, limits.
        facts: what `describe` says beyond the rest.
        exact: the same model in float32, where it runs in less; None otherwise.
        chunk_size: texts that are tokenized and planned together.
    """

    name: str
    head: Head
    engine: Engine = field(repr=False)
    facts: Mapping[str, object] = field(repr=False)
    exact: Engine | None = field(default=None, repr=False)
    chunk_size: int = 1024

    @property
    def classes(self) -> tuple[str, ...]:
        """The C classes that the model can say, in the task's order."""
        return self.head.labels.classes

    @property
    def fingerprint(self) -> str:
        """Hash of what decides the predictions: weights, configuration, tokenizer, labels, precision, limits."""
        deciding = {key: value for key, value in self.describe().items() if key not in ("name", "versions", "revision")}
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; row i belongs to ``texts[i]``.

        Each different text is scored once. The bytes do not depend on the order of the texts. Texts over the model's
        limit are cut, counted and named in the notes.

        Raises:
            PredictionError: texts that are no strings; weights that give NaN.
        """
        return predict_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Scored:
        """Probabilities and decisions of different texts; stars and intensities are summed by class first.

        Of labels with a probability each by itself those that are not the class's are kept as scores.
        """
        logits, cut = run_logits(self.engine, texts, advance)
        probabilities, scores = read_logits(logits, self.head)
        return Scored(probabilities, probabilities.argmax(axis=1), cut, scores)

    def notes(self, n_cut: int, texts: Sequence[str]) -> tuple[str, ...]:
        """How many of the texts were cut, and how far from float32 the model runs."""
        notes = []
        if n_cut:
            are, were = ("is", "was") if n_cut == 1 else ("are", "were")
            of = f"{n_cut:,} of {len(texts):,} texts"
            notes.append(f"{of} {are} longer than the model's {self.engine.limit} tokens and {were} cut")
        if self.facts["dtype"] != "float32":
            notes.append(f"computed in {self.facts['dtype']}; not to be compared with a run in float32")
            moved = self.compare_with_float32(texts)
            if moved:
                notes[-1] += (
                    f": on {moved[2]:,} of the texts probabilities move by up to {moved[0]:.2g} "
                    f"and {moved[1]:,} decisions change"
                )
        return tuple(notes)

    def compare_with_float32(self, texts: Sequence[str]) -> tuple[float, int, int] | None:
        """How far reduced precision moves the results, on up to 64 of the texts.

        Returns:
            the largest difference of a probability, the number of decisions that change, and the number of texts looked
            at; None where the model runs in float32 or came as an object.
        """
        if self.exact is None or not len(texts):
            return None
        unique, _ = canonical(texts)
        sample = unique[:: -(-len(unique) // SAMPLE)]
        ours, theirs = (
            read_logits(run_logits(engine, sample, lambda _done: None)[0], self.head)[0]
            for engine in (self.engine, self.exact)
        )
        changed = int((ours.argmax(axis=1) != theirs.argmax(axis=1)).sum())
        return float(np.abs(ours - theirs).max()), changed, len(sample)

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, architecture, weights' sha256, label mapping, precision, limits, versions."""
        return {
            "name": self.name,
            "kind": "huggingface",
            "classes": list(self.classes),
            **self.head.describe(),
            "max_length": self.engine.limit,
            "batch_tokens": self.engine.batch_tokens,
            "device": str(self.engine.model.device.type),
            **self.facts,
        }


def from_folder(
    folder: Path,
    *,
    name: str,
    shown: str,
    task_classes: Sequence[str],
    labels: Labels | None = None,
    max_length: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
    device: str | None = None,
    dtype: str = DTYPE,
    revision: str | None = None,
) -> HuggingFaceClassifier:
    """Load the classifier of a folder; no network, no pickle, no code of the model's own.

    Raises:
        ModelError: something is missing from the folder, or it is a model of another kind.
        LabelError: its labels are not those of the task.
    """
    if dtype not in DTYPES:
        raise OptionError(f'dtype="{dtype}" is not known; expected one of {", ".join(DTYPES)}.')
    check_folder(folder, shown)
    config = load_configuration(folder, shown)
    head = read_head(config, task_classes, labels)
    tokenizer = load_tokenizer(folder, shown)
    model = load_weights(folder, shown, config)
    facts = facts_of_folder(folder, model, dtype, revision)
    engine, exact = placed(_engine(model, tokenizer, max_length, batch_tokens), device, dtype)
    return HuggingFaceClassifier(name, head, engine, facts, exact)


def from_objects(
    model: Any,
    tokenizer: Any,
    *,
    task_classes: Sequence[str],
    labels: Labels | None = None,
    max_length: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
) -> HuggingFaceClassifier:
    """A classifier from a transformers model and its tokenizer, as they are in memory: where and in what precision.

    Raises:
        ModelError: the model is no sequence classifier.
        LabelError: its labels are not those of the task.
    """
    kind = type(model).__name__
    if not kind.endswith("ForSequenceClassification"):
        raise ModelError(f"the model is a {kind}; expected a transformers ...ForSequenceClassification.")
    head = read_head(model.config, task_classes, labels)
    facts = facts_of_objects(model, tokenizer)
    name = Path(str(getattr(model, "name_or_path", ""))).name or kind
    return HuggingFaceClassifier(name, head, _engine(model, tokenizer, max_length, batch_tokens), facts)


def _engine(model: Any, tokenizer: Any, max_length: int | None, batch_tokens: int) -> Engine:
    from fairness_checklist.models.checkpoints import padding_token, token_limit

    batch_tokens = whole_number("batch_tokens", batch_tokens)
    return Engine(
        model, tokenizer, token_limit(model, tokenizer, max_length), batch_tokens, padding_token(model, tokenizer)
    )

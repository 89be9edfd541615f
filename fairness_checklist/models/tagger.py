"""Token classifiers of transformers: the types of each word by its sub-words; from safetensors, without own code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.core.parameters import BATCH_TOKENS, DTYPE, whole_number
from fairness_checklist.core.predictions import TokenPredictions
from fairness_checklist.models.alignment import align, pool, split_texts
from fairness_checklist.models.batching import canonical
from fairness_checklist.models.checkpoints import (
    DTYPES,
    facts_of_folder,
    facts_of_objects,
    load_configuration,
    load_tokenizer,
    load_weights,
    placed,
)
from fairness_checklist.models.engines import Engine, run_token_logits, softmax
from fairness_checklist.models.folders import TAGGER, check_folder
from fairness_checklist.models.labels import Labels
from fairness_checklist.models.tag_labels import TagMap, match_tags
from fairness_checklist.models.tagged import Tagged, tag_by_chunk

POOLINGS = ("first", "mean")
SAMPLE = 64


@dataclass(frozen=True, eq=False)
class HuggingFaceTagger:
    """A transformers token classifier whose tags are matched to the suite's types.

    Attributes:
        name: the folder's name, the hub id or the bundled name.
        labels: which tag belongs to which type.
        engine: model, tokenizer, limits.
        facts: what `describe` says beyond the rest.
        pooling: "first", a word's probabilities are those of its first sub-word; "mean", the mean over its sub-words.
        exact: the same model in float32, where it runs in less; None otherwise.
        chunk_size: texts that are tokenized and planned together.
    """

    name: str
    labels: TagMap
    engine: Engine = field(repr=False)
    facts: Mapping[str, object] = field(repr=False)
    pooling: str = "first"
    exact: Engine | None = field(default=None, repr=False)
    chunk_size: int = 1024

    @property
    def classes(self) -> tuple[str, ...]:
        """The T types that the model can say, as the suite calls them, in the suite's order."""
        return self.labels.types

    @property
    def types(self) -> tuple[str, ...]:
        """The same."""
        return self.labels.types

    @property
    def fingerprint(self) -> str:
        """Hash of what decides the predictions: weights, tokenizer, labels, scheme, pooling, precision, limits."""
        deciding = {key: value for key, value in self.describe().items() if key not in ("name", "versions", "revision")}
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> TokenPredictions:
        """Entities and probabilities (W, T + 1) for the W words of n texts.

        Each different text is read once. The bytes do not depend on the order of the texts. Texts over the model's
        limit are split between words, counted and named in the notes.

        Raises:
            PredictionError: texts that are no strings; weights that give NaN.
        """
        return tag_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> Tagged:
        """The most probable tag of each word, decoded and repaired, and its probabilities summed by type."""
        return self._score(self.engine, texts, advance)[0]

    def finish(self, output: TokenPredictions, n_split: int, n_left_out: int, texts: Sequence[str]) -> TokenPredictions:
        """The predictions with notes: types left out, texts split, words not seen, pooling, precision."""
        notes = list(self.labels.notes())
        if n_split:
            are, were = ("is", "was") if n_split == 1 else ("are", "were")
            notes.append(
                f"{n_split:,} of {len(texts):,} texts {are} longer than the model's {self.engine.limit} tokens and "
                f"{were} split"
            )
        if n_left_out:
            have, are = ("word has", "is") if n_left_out == 1 else ("words have", "are")
            notes.append(f"{n_left_out:,} {have} no sub-word of the model and {are} read as O")
        if self.pooling == "mean":
            notes.append("a word's probabilities are the mean over its sub-words")
        if self.facts["dtype"] != "float32":
            notes.append(f"computed in {self.facts['dtype']}; not to be compared with a run in float32")
            found = self.compare_with_float32(texts)
            if found:
                notes[-1] += (
                    f": on {found[2]:,} of the texts probabilities move by up to {found[0]:.2g} "
                    f"and the tags of {found[1]:,} words change"
                )
        return replace(output, notes=tuple(notes))

    def compare_with_float32(self, texts: Sequence[str]) -> tuple[float, int, int] | None:
        """How far reduced precision moves the results, on up to 64 of the texts.

        Returns:
            the largest difference of a probability, the number of words whose tag changes, and the number of texts
            looked at; None where the model runs in float32 or came as an object.
        """
        if self.exact is None or not len(texts):
            return None
        unique, _ = canonical(texts)
        sample = unique[:: -(-len(unique) // SAMPLE)]
        (ours, our_tags), (theirs, their_tags) = (
            self._score(engine, sample, lambda _done: None) for engine in (self.engine, self.exact)
        )
        moves = np.abs(_matrix(ours) - _matrix(theirs))
        return float(moves.max(initial=0.0)), int((our_tags != their_tags).sum()), len(sample)

    def describe(self) -> dict[str, object]:
        """For ``run.json``: name, architecture, weights' sha256, types, tags, scheme, pooling, precision, versions."""
        return {
            "name": self.name,
            "kind": "huggingface tagger",
            **self.labels.facts(),
            "pooling": self.pooling,
            "max_length": self.engine.limit,
            "batch_tokens": self.engine.batch_tokens,
            "device": str(self.engine.model.device.type),
            **self.facts,
        }

    def _score(self, engine: Engine, texts: list[str], advance: Callable[[int], object]) -> tuple[Tagged, IntArray]:
        """What is said about texts, and the tag of each of their words (W,)."""
        parts = split_texts(engine.tokenizer, texts, engine.limit)
        counted = 0 if parts.split.any() else len(parts.ids)
        logits = run_token_logits(engine, parts.ids, parts.types, advance if counted else lambda _done: None)
        first, last = align(parts.start, parts.end, parts.space, parts.words)
        known = first >= 0
        values = np.zeros((len(first), len(self.labels.labels)))
        values[~known, self.labels.outside] = 1.0
        if known.any():
            if self.pooling == "first":
                values[known] = softmax(logits[parts.at[first[known]]])
            else:
                values[known] = pool(softmax(logits[parts.at]), first[known], last[known])
        advance(len(texts) - counted)
        tags = values.argmax(axis=1)
        offset = parts.words.offset
        spans, repaired = self.labels.decode(tags, offset)
        unseen = np.bincount(np.repeat(np.arange(len(texts)), np.diff(offset))[~known], minlength=len(texts))
        return Tagged(offset, spans, repaired, parts.split, unseen, self.labels.sum_by_type(values)), tags


def tagger_from_folder(
    folder: Path,
    *,
    name: str,
    shown: str,
    task_classes: Sequence[str],
    labels: Labels | None = None,
    scheme: str = "",
    pooling: str = "first",
    max_length: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
    device: str | None = None,
    dtype: str = DTYPE,
    revision: str | None = None,
) -> HuggingFaceTagger:
    """Load the tagger of a folder; no network, no pickle, no code of the model's own.

    Raises:
        ModelError: something is missing from the folder, or it is a model of another kind.
        LabelError: its types are not those of the suite.
        OptionError: an option out of range.
    """
    if dtype not in DTYPES:
        raise OptionError(f'dtype="{dtype}" is not known; expected one of {", ".join(DTYPES)}.')
    check_folder(folder, shown, TAGGER)
    config = load_configuration(folder, shown, TAGGER)
    tags = _match(config, task_classes, labels, scheme)
    tokenizer = load_tokenizer(folder, shown, TAGGER)
    _check_tokenizer(tokenizer, shown)
    model = load_weights(folder, shown, config, TAGGER)
    facts = facts_of_folder(folder, model, dtype, revision)
    engine, exact = placed(_engine(model, tokenizer, max_length, batch_tokens), device, dtype)
    return HuggingFaceTagger(name, tags, engine, facts, _pooling(pooling), exact)


def tagger_from_objects(
    model: Any,
    tokenizer: Any,
    *,
    task_classes: Sequence[str],
    labels: Labels | None = None,
    scheme: str = "",
    pooling: str = "first",
    max_length: int | None = None,
    batch_tokens: int = BATCH_TOKENS,
) -> HuggingFaceTagger:
    """A tagger from a transformers model and its tokenizer, as they are in memory: where and in what precision.

    Raises:
        ModelError: the model is no token classifier.
        LabelError: its types are not those of the suite.
    """
    kind = type(model).__name__
    name = Path(str(getattr(model, "name_or_path", ""))).name or kind
    if not kind.endswith(TAGGER.ending):
        raise TAGGER.refuse(name, kind)
    tags = _match(model.config, task_classes, labels, scheme)
    _check_tokenizer(tokenizer, name)
    facts = facts_of_objects(model, tokenizer)
    engine = _engine(model, tokenizer, max_length, batch_tokens)
    return HuggingFaceTagger(name, tags, engine, facts, _pooling(pooling))


def _match(config: Any, task_classes: Sequence[str], labels: Labels | None, scheme: str) -> TagMap:
    return match_tags([str(config.id2label[at]) for at in sorted(config.id2label)], task_classes, labels, scheme)


def _matrix(tagged: Tagged) -> FloatArray:
    return np.zeros((0, 0)) if tagged.probabilities is None else tagged.probabilities


def _pooling(pooling: str) -> str:
    if pooling not in POOLINGS:
        raise OptionError(f'pooling="{pooling}" is not known; expected one of {", ".join(POOLINGS)}.')
    return pooling


def _check_tokenizer(tokenizer: Any, shown: str) -> None:
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"the tokenizer of the model {shown} ({type(tokenizer).__name__}) does not say where in the text its "
            "sub-words stand; expected a fast one, as a tokenizer.json gives.",
            remedy="Convert it, where transformers can: AutoTokenizer.from_pretrained(folder).save_pretrained(folder); "
            "or wrap the model in a function that returns tags.",
        )


def _engine(model: Any, tokenizer: Any, max_length: int | None, batch_tokens: int) -> Engine:
    from fairness_checklist.models.checkpoints import token_limit

    batch_tokens = whole_number("batch_tokens", batch_tokens)
    own, theirs = getattr(model.config, "pad_token_id", None), tokenizer.pad_token_id
    padding = own if isinstance(own, int) and own >= 0 else theirs
    return Engine(model, tokenizer, token_limit(model, tokenizer, max_length), batch_tokens, padding)

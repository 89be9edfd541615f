"""Sequence classifiers of transformers: by their own configuration, from safetensors, without code of their own."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.errors import ModelError, OptionError
from fairness_checklist.models.base import Scored
from fairness_checklist.models.batching import canonical, predict_by_chunk
from fairness_checklist.models.engines.local import Engine, quiet, run_logits, softmax
from fairness_checklist.models.folders import check_folder
from fairness_checklist.models.identity import (
    config_hash,
    file_hashes,
    model_facts,
    state_hash,
    tokenizer_hash,
    weights_hash,
)
from fairness_checklist.models.labels import LabelMap, Labels, match_labels, sum_by_class
from fairness_checklist.predictions import Predictions

__all__ = ["HuggingFaceClassifier", "from_folder", "from_objects"]

DTYPES = ("float32", "bfloat16", "float16")
SAMPLE = 64


@dataclass(frozen=True)
class HuggingFaceClassifier:
    """A transformers sequence classifier whose labels are matched to the task's classes.

    Attributes:
        name: the folder's name, the hub id or the bundled name.
        labels: which label belongs to which class.
        engine: model, tokenizer, limits.
        facts: what `describe` says beyond the rest.
        exact: the same model in float32, where it runs in less; None otherwise.
        chunk_size: texts that are tokenized and planned together.
    """

    name: str
    labels: LabelMap
    engine: Engine = field(repr=False)
    facts: Mapping[str, object] = field(repr=False)
    exact: Engine | None = field(default=None, repr=False)
    chunk_size: int = 1024

    @property
    def classes(self) -> tuple[str, ...]:
        """The C classes that the model can say, in the task's order."""
        return self.labels.classes

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
        """Probabilities and decisions of different texts; stars and intensities are summed by class first."""
        logits, cut = run_logits(self.engine, texts, advance)
        probabilities = sum_by_class(softmax(logits), self.labels)
        return Scored(probabilities, probabilities.argmax(axis=1), cut)

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
            sum_by_class(softmax(run_logits(engine, sample, lambda _done: None)[0]), self.labels)
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
            "labels": self.labels.mapping(),
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
    batch_tokens: int = 2048,
    device: str | None = None,
    dtype: str = "float32",
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
    config = _load("configuration", folder, shown)
    label_map = _match(config, task_classes, labels, shown)
    tokenizer = _load_tokenizer(folder, shown)
    model = _load_weights(folder, shown, config)
    facts = {
        "weights_sha256": weights_hash(folder),
        "files_sha256": file_hashes(folder),
        **model_facts(model, dtype),
        **({"revision": revision} if revision else {}),
    }
    where = device or "cpu"
    engine = _engine(model, tokenizer, max_length, batch_tokens)
    exact = None
    if dtype != "float32":
        import torch

        exact = _moved(engine, copy.deepcopy(model), where)
        model = model.to(getattr(torch, dtype))
    return HuggingFaceClassifier(name, label_map, _moved(engine, model, where), facts, exact)


def from_objects(
    model: Any,
    tokenizer: Any,
    *,
    task_classes: Sequence[str],
    labels: Labels | None = None,
    max_length: int | None = None,
    batch_tokens: int = 2048,
) -> HuggingFaceClassifier:
    """A classifier from a transformers model and its tokenizer, as they are in memory: where and in what precision.

    Raises:
        ModelError: the model is no sequence classifier.
        LabelError: its labels are not those of the task.
    """
    kind = type(model).__name__
    if not kind.endswith("ForSequenceClassification"):
        raise ModelError(f"the model is a {kind}; expected a transformers ...ForSequenceClassification.")
    label_map = _match(model.config, task_classes, labels, kind)
    facts = {"weights_sha256": state_hash(model), **model_facts(model, str(model.dtype).removeprefix("torch."))}
    name = Path(str(getattr(model, "name_or_path", ""))).name or kind
    facts.update(config_sha256=config_hash(model.config), tokenizer_sha256=tokenizer_hash(tokenizer))
    return HuggingFaceClassifier(name, label_map, _engine(model, tokenizer, max_length, batch_tokens), facts)


def _load(what: str, folder: Path, shown: str, **options: Any) -> Any:
    """Configuration, tokenizer or weights by transformers' Auto classes; what these stumble over is a `ModelError`."""
    with quiet():
        import transformers

        makers: dict[str, Any] = {
            "configuration": transformers.AutoConfig,
            "tokenizer": transformers.AutoTokenizer,
            "weights": transformers.AutoModelForSequenceClassification,
        }
        try:
            return makers[what].from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
        except Exception as error:
            lines = str(error).strip().splitlines()
            remedy = "Save it again with save_pretrained(folder), by a recent transformers."
            if "trust_remote_code" in str(error):
                remedy = "Code of a model's own is not run: wrap the model in a function that returns probabilities."
            raise ModelError(
                f"the {what} of the model {shown} cannot be loaded: {lines[0] if lines else type(error).__name__}",
                remedy=remedy,
            ) from error


def _load_tokenizer(folder: Path, shown: str) -> Any:
    tokenizer = _load("tokenizer", folder, shown)
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):
        raise ModelError(
            f"the tokenizer of the model {shown} has no vocabulary: {len(tokenizer)} tokens, all of them special ones.",
            remedy="Save it into the folder: tokenizer.save_pretrained(folder).",
        )
    return tokenizer


def _load_weights(folder: Path, shown: str, config: Any) -> Any:
    """The model in float32; a tensor that is not in the file would be random, and is an error."""
    model, report = _load(
        "weights",
        folder,
        shown,
        config=config,
        use_safetensors=True,
        output_loading_info=True,
        ignore_mismatched_sizes=True,
        dtype="float32",
    )
    absent = sorted({str(key) for key in report["missing_keys"]} | {str(key[0]) for key in report["mismatched_keys"]})
    if absent:
        raise ModelError(
            f"the weights of the model {shown} lack {len(absent)} of its tensors, or hold them in another shape "
            f"({', '.join(absent[:3])}{', ...' if len(absent) > 3 else ''}): it would answer at random.",
            remedy="Give a model that was trained to classify whole texts, and save it whole.",
        )
    return model


def _match(config: Any, task_classes: Sequence[str], labels: Labels | None, shown: str) -> LabelMap:
    names = [str(config.id2label[at]) for at in sorted(config.id2label)]
    wrap = "Wrap it in a function that returns one probability a class, and give that to load_model."
    if len(names) < 2:
        raise ModelError(f"the model {shown} has one output (a regression); expected one a class.", remedy=wrap)
    if getattr(config, "problem_type", None) == "multi_label_classification":
        raise ModelError(
            f"the model {shown} gives each of its {len(names)} labels a probability by itself (multi-label); "
            "expected classes that exclude each other.",
            remedy=wrap,
        )
    return match_labels(names, task_classes, labels)


def _engine(model: Any, tokenizer: Any, max_length: int | None, batch_tokens: int) -> Engine:
    from fairness_checklist.models.limits import padding_token, token_limit

    if batch_tokens < 1:
        raise OptionError(f"batch_tokens={batch_tokens} is too small; expected 1 or more.")
    return Engine(
        model, tokenizer, token_limit(model, tokenizer, max_length), batch_tokens, padding_token(model, tokenizer)
    )


def _moved(engine: Engine, model: Any, device: str) -> Engine:
    try:
        model = model.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        first = str(error).splitlines()[0]
        raise OptionError(f'device="{device}" cannot be used: {first}', remedy='Use device="cpu".') from error
    return Engine(model, engine.tokenizer, engine.limit, engine.batch_tokens, engine.pad_id)

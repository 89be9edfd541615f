"""Parts of a transformers model from its folder: no network, no pickle, no code of the model's own."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, OptionError, PredictionError
from fairness_checklist.models.base import Output
from fairness_checklist.models.batching import unique_texts
from fairness_checklist.models.engines import Engine, padding_token, silence_transformers, token_limit
from fairness_checklist.models.engines.pieces import piece_table
from fairness_checklist.models.engines.source import Source
from fairness_checklist.models.engines.spread import Chunk, spread_chunks
from fairness_checklist.models.failing_texts import Score
from fairness_checklist.models.huggingface.folders import TAGGER, TOKENIZER_FILES, Architecture, check_folder

COMPARED_TEXTS = 64
Labels = TypeVar("Labels")


@dataclass(frozen=True, eq=False)
class Checkpoint(Generic[Labels]):
    """A transformers model, its tokenizer and its labels.

    Attributes:
        name: the folder's name, the hub id or the bundled name.
        labels: the model's labels matched to those of the task.
        engine: model, tokenizer, limits.
        metadata: what identifies the model: hashes, architecture, precision, versions.
        float32_engine: the same model in float32, where it was loaded from files in a lower precision; else None.
        source: for a model that is spread over processes, what each of them loads; else None.
    """

    name: str
    labels: Labels
    engine: Engine
    metadata: Mapping[str, object]
    float32_engine: Engine | None = None
    source: Source | None = None

    def where(self) -> str:
        """Where the model runs, for the terminal: device and threads, or the workers."""
        return self.engine.where() if self.source is None else self.source.where()

    def score_chunks(
        self, score: Score[Output], chunks: Iterable[Chunk], advance: Callable[[int], object]
    ) -> Iterator[tuple[int, list[str], Output | PredictionError]]:
        """The number, the texts and the output of each chunk, or the error: by ``score``, or from the workers."""
        return spread_chunks(self.source, score, chunks, advance, self.engine.halved)

    def describe(self, kind: str, **labels: object) -> dict[str, object]:
        """The description of the model for ``run.json``, with that of its labels."""
        return {
            "name": self.name,
            "kind": kind,
            **labels,
            "max_length": self.engine.limit,
            "batch_tokens": self.engine.batch_tokens,
            "device": str(self.engine.model.device.type),
            **self.metadata,
        }

    def length_note(self, n_long: int, n: int, what: str) -> str:
        """The note for ``n_long`` of n texts that are longer than the model's limit and were cut or split."""
        are, were = ("is", "was") if n_long == 1 else ("are", "were")
        return f"{n_long:,} of {n:,} texts {are} longer than the model's {self.engine.limit} tokens and {were} {what}"

    def precision_note(self, difference: tuple[float, int, int] | None, changes: str) -> str:
        """The note for a model in a lower precision than float32; "" for a model in float32.

        Args:
            difference: that of `compare_with_float32`.
            changes: the decisions that change, with a place for their number.
        """
        dtype = self.metadata["dtype"]
        if dtype == "float32":
            return ""
        note = f"computed in {dtype}; not to be compared with a run in float32"
        if difference is None:
            return note
        largest, n_changed, n = difference
        moved = f"on {n:,} of the texts probabilities move by up to {largest:.2g}"
        return f"{note}: {moved} and {changes.format(f'{n_changed:,}')} change"

    def compare_with_float32(
        self, texts: Sequence[str], predict: Callable[[Engine, list[str]], tuple[FloatArray, IntArray]]
    ) -> tuple[float, int, int] | None:
        """The effect of a lower precision on up to 64 of the texts.

        Args:
            texts: the texts.
            predict: the probabilities and the decisions of an engine for some texts.

        Returns:
            the largest difference of a probability, the number of decisions that change, and the number of texts
            compared; None for a model in float32, for one that was given as an object, and without texts.
        """
        if self.float32_engine is None or not len(texts):
            return None
        unique, _ = unique_texts(texts)
        sample = unique[:: -(-len(unique) // COMPARED_TEXTS)]
        low, low_decisions = predict(self.engine, sample)
        full, full_decisions = predict(self.float32_engine, sample)
        n_changed = int((low_decisions != full_decisions).sum())
        return float(np.abs(low - full).max(initial=0.0)), n_changed, len(sample)


def fingerprint(description: Mapping[str, object]) -> str:
    """Hash of the part of a description that decides the predictions: all but name, versions and revision."""
    identity = {key: value for key, value in description.items() if key not in ("name", "versions", "revision")}
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def checkpoint_from_folder(
    folder: Path,
    architecture: Architecture,
    match: Callable[[Any], Labels],
    *,
    name: str,
    display_name: str,
    max_length: int | None,
    batch_tokens: int,
    device: str | None,
    dtype: str,
    revision: str | None = None,
) -> Checkpoint[Labels]:
    """Load the model of a folder; no network, no pickle, no code of the model's own.

    Args:
        folder: where the files are.
        architecture: the expected kind of model.
        match: matches the labels of the configuration to those of the task.
        name: what ``run.json`` calls the model.
        display_name: what errors call it: the path or hub id as the user wrote it.
        max_length, batch_tokens, device, dtype, revision: as of `load_model`.

    Raises:
        ModelError: something is missing from the folder, transformers cannot read it, or the model is of another kind.
        LabelError: the labels do not match the task.
        OptionError: a limit that is out of range, or an unavailable device.
    """
    check_folder(folder, display_name, architecture)
    config = _load("AutoConfig", folder, display_name, architecture)
    labels = match(config)
    tokenizer = _load("AutoTokenizer", folder, display_name, architecture)
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):
        raise ModelError(
            f"the tokenizer of the model {display_name} has no vocabulary: {len(tokenizer)} tokens, all of them "
            "special ones.",
            remedy="Save it into the folder: tokenizer.save_pretrained(folder).",
        )
    if architecture is TAGGER:
        _check_offsets(tokenizer, display_name)
    model = _load_weights(folder, display_name, config, architecture)
    metadata = folder_metadata(folder, model, dtype, revision)
    engine, float32_engine = move_to_device(
        _engine(model, tokenizer, architecture, max_length, batch_tokens), device, dtype
    )
    return Checkpoint(name, labels, engine, metadata, float32_engine)


def checkpoint_from_objects(
    model: Any,
    tokenizer: Any,
    architecture: Architecture,
    match: Callable[[Any], Labels],
    *,
    max_length: int | None,
    batch_tokens: int,
) -> Checkpoint[Labels]:
    """Wrap a transformers model and its tokenizer, on their device and in their precision.

    Raises:
        ModelError: the model is of another kind.
        LabelError: the labels do not match the task.
        OptionError: a limit that is out of range.
    """
    kind = type(model).__name__
    name = Path(str(getattr(model, "name_or_path", ""))).name or kind
    if not kind.endswith(architecture.suffix):
        raise architecture.mismatch_error(name, kind)
    labels = match(model.config)
    if architecture is TAGGER:
        _check_offsets(tokenizer, name)
    metadata = object_metadata(model, tokenizer)
    return Checkpoint(name, labels, _engine(model, tokenizer, architecture, max_length, batch_tokens), metadata)


def _load_weights(folder: Path, display_name: str, config: Any, architecture: Architecture) -> Any:
    """The model in a folder, in float32; a tensor that is not in the file would be random, and is an error.

    Raises:
        ModelError: transformers cannot read it, or tensors are missing.
    """
    model, report = _load(
        f"AutoModel{architecture.suffix}",
        folder,
        display_name,
        architecture,
        config=config,
        use_safetensors=True,
        output_loading_info=True,
        ignore_mismatched_sizes=True,
        dtype="float32",
    )
    absent = sorted({str(key) for key in report["missing_keys"]} | {str(key[0]) for key in report["mismatched_keys"]})
    absent = [key for key in absent if not key.startswith(architecture.unused)]
    if absent:
        raise ModelError(
            f"the weights of the model {display_name} lack {len(absent)} of its tensors, or hold them in another shape "
            f"({', '.join(absent[:3])}{', ...' if len(absent) > 3 else ''}): it would answer at random.",
            remedy=f"Give a model that was trained to {architecture.purpose}, and save it whole.",
        )
    return model


def _move(engine: Engine, model: Any, device: str) -> Engine:
    """The engine with a model on a device, ready to answer.

    Raises:
        OptionError: no such device here.
    """
    try:
        model = model.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        first = str(error).splitlines()[0]
        raise OptionError(f'device="{device}" cannot be used: {first}', remedy='Use device="cpu".') from error
    return replace(engine, model=model, halved=[])


def move_to_device(engine: Engine, device: str | None, dtype: str) -> tuple[Engine, Engine | None]:
    """The engine on a device in a precision, and the same in float32 to compare with where it runs in less.

    Raises:
        OptionError: no such device here.
    """
    where, float32_engine = device or "cpu", None
    model = engine.model
    if dtype != "float32":
        import torch

        float32_engine = _move(engine, copy.deepcopy(model), where)
        model = model.to(getattr(torch, dtype))
    return _move(engine, model, where), float32_engine


def _load(auto_class: str, folder: Path, display_name: str, architecture: Architecture, **options: Any) -> Any:
    """Load one part by one of transformers' Auto classes; its errors become `ModelError`."""
    part = {"AutoConfig": "configuration", "AutoTokenizer": "tokenizer"}.get(auto_class, "weights")
    with silence_transformers():
        import transformers

        library: Any = transformers  # has no types
        try:
            return getattr(library, auto_class).from_pretrained(
                folder, local_files_only=True, trust_remote_code=False, **options
            )
        except Exception as error:
            lines = str(error).strip().splitlines()
            remedy = "Save it again with save_pretrained(folder), by a recent transformers."
            if "trust_remote_code" in str(error):
                instead = "give a model of an architecture that transformers has"
                if architecture.function_output:
                    instead = f"wrap the model in a function that returns {architecture.function_output}"
                remedy = f"Code of a model's own is not run: {instead}."
            reason = lines[0] if lines else type(error).__name__
            raise ModelError(
                f"the {part} of the model {display_name} cannot be loaded: {reason}",
                remedy=remedy,
            ) from error


def weights_hash(folder: Path) -> str:
    """sha256 of ``model.safetensors``; of several shards, that of their hashes in the order of their names."""
    shards = sorted(folder.glob("model*.safetensors"))
    hashes = [_file_hash(shard) for shard in shards]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def file_hashes(folder: Path) -> dict[str, str]:
    """sha256 of the configuration and of each file of the tokenizer."""
    names = sorted({"config.json", "special_tokens_map.json", "added_tokens.json", *TOKENIZER_FILES})
    return {name: _file_hash(folder / name) for name in names if (folder / name).is_file()}


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_metadata(model: Any, dtype: str) -> dict[str, object]:
    """Architecture, number of parameters, precision, and the libraries' versions."""
    import tokenizers
    import torch
    import transformers

    return {
        "architecture": type(model).__name__,
        "parameters": int(sum(parameter.numel() for parameter in model.parameters())),
        "dtype": dtype,
        "versions": {
            "torch": str(torch.__version__),
            "transformers": str(transformers.__version__),
            "tokenizers": str(tokenizers.__version__),
        },
    }


def state_hash(model: Any) -> str:
    """sha256 over the tensors of a model in memory: names, types, shapes, bytes."""
    import torch

    total = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        total.update(f"{key} {tensor.dtype} {tuple(tensor.shape)}".encode())
        total.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return total.hexdigest()


def config_hash(config: Any) -> str:
    """sha256 of a configuration in memory, without the path it came from."""
    content = {**config.to_dict(), "_name_or_path": "", "transformers_version": ""}
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def tokenizer_hash(tokenizer: Any) -> str:
    """sha256 of a tokenizer in memory, independent of its settings for truncation and padding."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        content: object = [type(tokenizer).__name__, sorted(tokenizer.get_vocab().items())]
    else:
        content = {**json.loads(backend.to_str()), "truncation": None, "padding": None}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def folder_metadata(folder: Path, model: Any, dtype: str, revision: str | None) -> dict[str, object]:
    """Metadata of a model loaded from files: their hashes, those of `model_metadata`, and the revision, if any."""
    return {
        "weights_sha256": weights_hash(folder),
        "files_sha256": file_hashes(folder),
        **model_metadata(model, dtype),
        **({"revision": revision} if revision else {}),
    }


def object_metadata(model: Any, tokenizer: Any) -> dict[str, object]:
    """Metadata of a model in memory: hashes of model, tokenizer and configuration, and those of `model_metadata`."""
    return {
        "weights_sha256": state_hash(model),
        **model_metadata(model, str(model.dtype).removeprefix("torch.")),
        "config_sha256": config_hash(model.config),
        "tokenizer_sha256": tokenizer_hash(tokenizer),
    }


def _check_offsets(tokenizer: Any, display_name: str) -> None:
    """Raise `ModelError` unless the tokenizer gives the position of each sub-word in the text."""
    if not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"the tokenizer of the model {display_name} ({type(tokenizer).__name__}) does not give the positions of "
            "sub-words in the text; expected a fast one, as a tokenizer.json gives.",
            remedy="Convert it, where transformers can: AutoTokenizer.from_pretrained(folder).save_pretrained(folder); "
            "or wrap the model in a function that returns tags.",
        )


def _engine(
    model: Any, tokenizer: Any, architecture: Architecture, max_length: int | None, batch_tokens: int
) -> Engine:
    padding = padding_token(model, tokenizer, tagger=architecture is TAGGER)
    limit = token_limit(model, tokenizer, max_length)
    return Engine(model, tokenizer, limit, batch_tokens, padding, piece_table(tokenizer))

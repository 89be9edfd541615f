"""Parts of a transformers model from its folder: no network, no pickle, no code of the model's own."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.core.option_defaults import BATCH_TOKENS, DTYPE
from fairness_checklist.models.engines.local import Engine, silence_transformers, token_limit
from fairness_checklist.models.huggingface.folders import (
    CLASSIFIER,
    TAGGER,
    TOKENIZER_FILES,
    Architecture,
    bundled_folder,
    check_folder,
    find_folder,
)

Labels = TypeVar("Labels")


@dataclass(frozen=True, eq=False)
class Checkpoint(Generic[Labels]):
    """A transformers model, its tokenizer and its labels."""

    name: str  # the folder's name, the hub id or the bundled name
    labels: Labels  # the model's labels matched to those of the task
    engine: Engine  # model, tokenizer, limits
    metadata: Mapping[str, object]  # what identifies the model: hashes, architecture, precision, versions
    # the same model in float32, where it was loaded from files in a lower precision; else None
    float32_engine: Engine | None = None
    source: Any = None  # of a model that is spread over processes the `Source` of the extension engines; else None

    def where(self) -> str:
        """Where the model runs, for the terminal: device and threads, or the workers."""
        return str((self.engine if self.source is None else self.source).where())

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
    """Load the model of a folder; no network, no pickle, no code of the model's own."""
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
    _check_offsets(tokenizer, display_name, architecture)
    model = _load_weights(folder, display_name, config, architecture)
    metadata = _folder_metadata(folder, model, dtype, revision)
    engine = _engine(model, tokenizer, architecture, max_length, batch_tokens)
    engine, float32_engine = _move_to_device(engine, device, dtype)
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
    """Wrap a transformers model and its tokenizer, on their device and in their precision."""
    kind = type(model).__name__
    name = Path(str(getattr(model, "name_or_path", ""))).name or kind
    if not kind.endswith(architecture.suffix):
        raise architecture.mismatch_error(name, kind)
    labels = match(model.config)
    _check_offsets(tokenizer, name, architecture)
    metadata = _object_metadata(model, tokenizer)
    return Checkpoint(name, labels, _engine(model, tokenizer, architecture, max_length, batch_tokens), metadata)


def checkpoint_without_labels(
    name: str, architecture: Architecture, *, device: str | None, revision: str | None
) -> Checkpoint[None]:
    """The checkpoint of an encoder or a masked language model: a folder, a bundled model or a hub id."""
    if name.startswith("bundled/") and not Path(name).exists():
        folder, options = bundled_folder(name.removeprefix("bundled/")), {"name": name}
    else:
        folder, options = find_folder(name, revision)
    return checkpoint_from_folder(
        folder,
        architecture,
        lambda _config: None,
        display_name=name,
        max_length=None,
        batch_tokens=BATCH_TOKENS,
        device=device,
        dtype=DTYPE,
        **options,
    )


def _load_weights(folder: Path, display_name: str, config: Any, architecture: Architecture) -> Any:
    """The model in a folder, in float32; a tensor that is not in the file would be random, and is an error."""
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


def _move_to_device(engine: Engine, device: str | None, dtype: str) -> tuple[Engine, Engine | None]:
    """The engine on a device in a precision, and the same in float32 to compare with where it runs in less."""
    where = device or "cpu"

    def moved(model: Any) -> Engine:
        try:
            return replace(engine, model=model.to(where).eval(), halved=[])
        except (RuntimeError, AssertionError) as error:
            first = str(error).splitlines()[0]
            raise OptionError(f'device="{where}" cannot be used: {first}', remedy='Use device="cpu".') from error

    if dtype == "float32":
        return moved(engine.model), None
    import torch

    full = moved(copy.deepcopy(engine.model))
    return moved(engine.model.to(getattr(torch, dtype))), full


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
                f"the {part} of the model {display_name} cannot be loaded: {reason}", remedy=remedy
            ) from error


def _folder_metadata(folder: Path, model: Any, dtype: str, revision: str | None) -> dict[str, object]:
    """Metadata of a model loaded from files: their hashes, those of `_model_metadata`, and the revision, if any."""
    weights = [_file_hash(shard) for shard in sorted(folder.glob("model*.safetensors"))]
    names = sorted({"config.json", "special_tokens_map.json", "added_tokens.json", *TOKENIZER_FILES})
    return {
        # of several shards the hash of their hashes, in the order of their names
        "weights_sha256": weights[0] if len(weights) == 1 else hashlib.sha256("\n".join(weights).encode()).hexdigest(),
        "files_sha256": {name: _file_hash(folder / name) for name in names if (folder / name).is_file()},
        **_model_metadata(model, dtype),
        **({"revision": revision} if revision else {}),
    }


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _object_metadata(model: Any, tokenizer: Any) -> dict[str, object]:
    """Metadata of a model in memory: hashes of model, configuration and tokenizer, and those of `_model_metadata`.

    The path that the configuration came from does not count, nor the tokenizer's settings for truncation and padding.
    """
    config = {**model.config.to_dict(), "_name_or_path": "", "transformers_version": ""}
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        tokens: object = [type(tokenizer).__name__, sorted(tokenizer.get_vocab().items())]
    else:
        tokens = {**json.loads(backend.to_str()), "truncation": None, "padding": None}
    return {
        "weights_sha256": _state_hash(model),
        **_model_metadata(model, str(model.dtype).removeprefix("torch.")),
        "config_sha256": hashlib.sha256(json.dumps(config, sort_keys=True, default=str).encode()).hexdigest(),
        "tokenizer_sha256": hashlib.sha256(json.dumps(tokens, sort_keys=True).encode()).hexdigest(),
    }


def _state_hash(model: Any) -> str:
    """sha256 over the tensors of a model in memory: names, types, shapes, bytes."""
    import torch

    total = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        total.update(f"{key} {tensor.dtype} {tuple(tensor.shape)}".encode())
        total.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return total.hexdigest()


def _model_metadata(model: Any, dtype: str) -> dict[str, object]:
    """Architecture, number of parameters, precision, and the libraries' versions."""
    import tokenizers
    import torch
    import transformers

    libraries: dict[str, Any] = {"torch": torch, "transformers": transformers, "tokenizers": tokenizers}
    return {
        "architecture": type(model).__name__,
        "parameters": int(sum(parameter.numel() for parameter in model.parameters())),
        "dtype": dtype,
        "versions": {name: str(library.__version__) for name, library in libraries.items()},
    }


def _check_offsets(tokenizer: Any, display_name: str, architecture: Architecture) -> None:
    """Raise `ModelError` for the tokenizer of a tagger that does not give the position of each sub-word in the text."""
    if architecture is TAGGER and not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"the tokenizer of the model {display_name} ({type(tokenizer).__name__}) does not give the positions of "
            "sub-words in the text; expected a fast one, as a tokenizer.json gives.",
            remedy="Convert it, where transformers can: AutoTokenizer.from_pretrained(folder).save_pretrained(folder); "
            "or wrap the model in a function that returns tags.",
        )


def _engine(
    model: Any, tokenizer: Any, architecture: Architecture, max_length: int | None, batch_tokens: int
) -> Engine:
    # a classifier that predicts from the last token takes several texts only with a padding token to tell it by
    several = architecture is not CLASSIFIER or getattr(model.config, "pad_token_id", None) is not None
    limit = token_limit(model, tokenizer, max_length)
    return Engine(model, tokenizer, limit, batch_tokens, several)

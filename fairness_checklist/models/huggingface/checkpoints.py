"""Parts of a transformers model from its folder: no network, no pickle, no code of the model's own."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.core.option_defaults import BATCH_TOKENS, DTYPE
from fairness_checklist.models.engines.local import Engine, silence_transformers, token_limit
from fairness_checklist.models.huggingface import folders
from fairness_checklist.models.huggingface.folders import Architecture

Labels = TypeVar("Labels")


@dataclass(frozen=True, eq=False)
class Checkpoint(Generic[Labels]):
    """A transformers model, its tokenizer and its labels."""

    name: str  # the folder's name, the hub id or the bundled name
    labels: Labels  # the model's labels matched to those of the task
    engine: Engine  # model, tokenizer, limits
    metadata: Mapping[str, object]  # what identifies the model: hashes, architecture, precision, versions
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
    """Hash of the part of a description that decides the predictions: all but names and versions."""
    named = ("name", "versions", "revision", "checkpoint")
    identity = {key: value for key, value in description.items() if key not in named}
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def load_checkpoint(
    source: Path | tuple[Any, Any],
    architecture: Architecture,
    match: Callable[[Any], Labels],
    *,
    max_length: int | None,
    batch_tokens: int,
    name: str = "",
    display_name: str = "",
    device: str | None = None,
    dtype: str = DTYPE,
    revision: str | None = None,
    checkpoint: str = "",
) -> Checkpoint[Labels]:
    """The model of a folder (``name`` in ``run.json``, ``display_name`` in errors), or of a pair (model, tokenizer), as
    it is; ``match`` gives what the labels of a configuration mean, ``checkpoint`` says of what the folder is a part."""
    if isinstance(source, Path):
        display_name = checkpoint or display_name
        folders.check_folder(source, display_name, architecture)
        config = _load("AutoConfig", source, display_name, architecture)
        labels, name_in_errors = match(config), display_name
        tokenizer = _load("AutoTokenizer", folders.tokenizer_folder(source), display_name, architecture)
        if len(tokenizer) <= len(set(tokenizer.all_special_ids)):
            raise ModelError(
                f"the tokenizer of the model {display_name} has no vocabulary: {len(tokenizer)} tokens, all of them "
                "special ones.",
                remedy="Save it into the folder: tokenizer.save_pretrained(folder).",
            )
    else:
        model, tokenizer = source
        kind = type(model).__name__
        name = name_in_errors = Path(str(getattr(model, "name_or_path", ""))).name or kind
        if not kind.endswith(architecture.suffix):
            raise architecture.mismatch_error(name, kind)
        labels = match(model.config)
    if architecture is folders.TAGGER and not getattr(tokenizer, "is_fast", False):
        raise ModelError(
            f"the tokenizer of the model {name_in_errors} ({type(tokenizer).__name__}) does not give the positions of "
            "sub-words in the text; expected a fast one, as a tokenizer.json gives.",
            remedy="Convert it, where transformers can: AutoTokenizer.from_pretrained(folder).save_pretrained(folder); "
            "or wrap the model in a function that returns tags.",
        )
    if isinstance(source, Path):
        model = _load_weights(source, display_name, config, architecture)
        found = {"revision": revision or "", "checkpoint": checkpoint}
        metadata = _folder_metadata(source, model, dtype) | {key: value for key, value in found.items() if value}
        model = _move_to_device(model, device, dtype)
    else:
        metadata = _object_metadata(model, tokenizer)
    # a classifier that predicts from the last token takes several texts only with a padding token to tell it by
    several = architecture is not folders.CLASSIFIER or getattr(model.config, "pad_token_id", None) is not None
    engine = Engine(model, tokenizer, token_limit(model, tokenizer, max_length), batch_tokens, several)
    return Checkpoint(name, labels, engine, metadata)


def checkpoint_without_labels(name: str, architecture: Architecture, *, device: str | None) -> Checkpoint[None]:
    """The checkpoint of an encoder or a masked language model: a folder, a bundled model or a hub id."""
    folder, names = folders.find_model(name)
    options: dict[str, Any] = {"max_length": None, "batch_tokens": BATCH_TOKENS, "device": device, **names}
    return load_checkpoint(folder, architecture, lambda _config: None, display_name=name, **options)


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


def _move_to_device(model: Any, device: str | None, dtype: str) -> Any:
    import torch

    try:
        return model.to(getattr(torch, dtype)).to(device or "cpu").eval()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise OptionError(f'device="{device}" cannot be used: {reason}', remedy='Use device="cpu".') from error


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
                remedy = "Code of a model's own is not run: wrap the model in a function."
            reason = lines[0] if lines else type(error).__name__
            raise ModelError(
                f"the {part} of the model {display_name} cannot be loaded: {reason}", remedy=remedy
            ) from error


def _folder_metadata(folder: Path, model: Any, dtype: str) -> dict[str, object]:
    """Metadata of a model loaded from files: their hashes, and those of `_model_metadata`."""
    weights = [_file_hash(shard) for shard in sorted(folder.glob("model*.safetensors"))]
    names = sorted({"config.json", "special_tokens_map.json", "added_tokens.json", *folders.TOKENIZER_FILES})
    places = {name: (folder if name == "config.json" else folders.tokenizer_folder(folder)) / name for name in names}
    return {
        # of several shards the hash of their hashes, in the order of their names
        "weights_sha256": weights[0] if len(weights) == 1 else hashlib.sha256("\n".join(weights).encode()).hexdigest(),
        "files_sha256": {name: _file_hash(place) for name, place in places.items() if place.is_file()},
        **_model_metadata(model, dtype),
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

"""What a transformers model is: hashes of its weights and vocabulary, its size, the versions around it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from fairness_checklist.models.folders import TOKENIZER_FILES

__all__ = [
    "config_hash",
    "facts_of_folder",
    "facts_of_objects",
    "file_hashes",
    "model_facts",
    "state_hash",
    "tokenizer_hash",
    "weights_hash",
]


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


def model_facts(model: Any, dtype: str) -> dict[str, object]:
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
    """sha256 of a tokenizer in memory, whatever it was last asked to cut or pad."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        content: object = [type(tokenizer).__name__, sorted(tokenizer.get_vocab().items())]
    else:
        content = {**json.loads(backend.to_str()), "truncation": None, "padding": None}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def facts_of_folder(folder: Path, model: Any, dtype: str, revision: str | None) -> dict[str, object]:
    """What identifies a model loaded from files: their hashes, its facts, and the revision where there is one."""
    return {
        "weights_sha256": weights_hash(folder),
        "files_sha256": file_hashes(folder),
        **model_facts(model, dtype),
        **({"revision": revision} if revision else {}),
    }


def facts_of_objects(model: Any, tokenizer: Any) -> dict[str, object]:
    """What identifies a model and its tokenizer in memory: hashes of both and of the configuration, its facts."""
    return {
        "weights_sha256": state_hash(model),
        **model_facts(model, str(model.dtype).removeprefix("torch.")),
        "config_sha256": config_hash(model.config),
        "tokenizer_sha256": tokenizer_hash(tokenizer),
    }

"""Parts of a transformers model from its folder: no network, no pickle, no code of the model's own."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

from fairness_checklist.core.errors import ModelError, OptionError
from fairness_checklist.models.engines import Engine, quiet
from fairness_checklist.models.folders import CLASSIFIER, TOKENIZER_FILES, Architecture

DTYPES = ("float32", "bfloat16", "float16")


def load_configuration(folder: Path, shown: str, wanted: Architecture = CLASSIFIER) -> Any:
    """The configuration in a folder; ``shown`` is what errors call the model.

    Raises:
        ModelError: transformers cannot read it.
    """
    return _load("AutoConfig", folder, shown, wanted)


def load_tokenizer(folder: Path, shown: str, wanted: Architecture = CLASSIFIER) -> Any:
    """The tokenizer in a folder.

    Raises:
        ModelError: transformers cannot read it, or it has no vocabulary.
    """
    tokenizer = _load("AutoTokenizer", folder, shown, wanted)
    if len(tokenizer) <= len(set(tokenizer.all_special_ids)):
        raise ModelError(
            f"the tokenizer of the model {shown} has no vocabulary: {len(tokenizer)} tokens, all of them special ones.",
            remedy="Save it into the folder: tokenizer.save_pretrained(folder).",
        )
    return tokenizer


def load_weights(folder: Path, shown: str, config: Any, wanted: Architecture = CLASSIFIER) -> Any:
    """The model in a folder, in float32; a tensor that is not in the file would be random, and is an error.

    Raises:
        ModelError: transformers cannot read it, or tensors are missing.
    """
    model, report = _load(
        f"AutoModel{wanted.ending}",
        folder,
        shown,
        wanted,
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
            remedy=f"Give a model that was trained to {wanted.use}, and save it whole.",
        )
    return model


def _moved(engine: Engine, model: Any, device: str) -> Engine:
    """The engine with a model on a device, ready to answer.

    Raises:
        OptionError: no such device here.
    """
    try:
        model = model.to(device).eval()
    except (RuntimeError, AssertionError) as error:
        first = str(error).splitlines()[0]
        raise OptionError(f'device="{device}" cannot be used: {first}', remedy='Use device="cpu".') from error
    return Engine(model, engine.tokenizer, engine.limit, engine.batch_tokens, engine.pad_id)


def placed(engine: Engine, device: str | None, dtype: str) -> tuple[Engine, Engine | None]:
    """The engine on a device in a precision, and the same in float32 to compare with where it runs in less.

    Raises:
        OptionError: no such device here.
    """
    where, exact = device or "cpu", None
    model = engine.model
    if dtype != "float32":
        import torch

        exact = _moved(engine, copy.deepcopy(model), where)
        model = model.to(getattr(torch, dtype))
    return _moved(engine, model, where), exact


def _load(maker: str, folder: Path, shown: str, wanted: Architecture, **options: Any) -> Any:
    """One part by one of transformers' Auto classes; what that stumbles over is a `ModelError`."""
    part = {"AutoConfig": "configuration", "AutoTokenizer": "tokenizer"}.get(maker, "weights")
    with quiet():
        import transformers

        library: Any = transformers  # has no types
        try:
            return getattr(library, maker).from_pretrained(
                folder, local_files_only=True, trust_remote_code=False, **options
            )
        except Exception as error:
            lines = str(error).strip().splitlines()
            remedy = "Save it again with save_pretrained(folder), by a recent transformers."
            if "trust_remote_code" in str(error):
                remedy = f"Code of a model's own is not run: wrap the model in a function that returns {wanted.answer}."
            raise ModelError(
                f"the {part} of the model {shown} cannot be loaded: {lines[0] if lines else type(error).__name__}",
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


def token_limit(model: Any, tokenizer: Any, max_length: int | None = None) -> int | None:
    """The most tokens, special ones included, of a text: the tokenizer's limit, the model's positions, the user's wish.

    Models of the RoBERTa family number positions from behind the padding token, and so read fewer than their
    configuration says.

    Raises:
        OptionError: ``max_length`` over what the model reads, or without room for a word.
    """
    limits = []
    if 0 < tokenizer.model_max_length < 1_000_000:
        limits.append(int(tokenizer.model_max_length))
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        limits.append(positions - _position_offset(model))
    limit = min(limits, default=None)
    if max_length is None:
        return limit
    special = int(tokenizer.num_special_tokens_to_add())
    if max_length <= special or (limit is not None and max_length > limit):
        most = f"{limit} tokens, which is what the model reads" if limit is not None else "any number of tokens"
        raise OptionError(f"max_length={max_length} is out of range; expected {special + 1} to {most}.")
    return max_length


def padding_token(model: Any, tokenizer: Any) -> int | None:
    """The id that fills up short texts; None where the model cannot tell it from text.

    A model that reads its answer off the last token (`GPT2ForSequenceClassification` and the like) finds that token by
    ``config.pad_token_id`` and by nothing else.
    """
    known = getattr(model.config, "pad_token_id", None)
    if isinstance(known, int) and known >= 0:
        return known
    if getattr(model.config, "is_encoder_decoder", False) or _reads_last_token(model):
        return None
    padding = tokenizer.pad_token_id
    return int(padding) if padding is not None else None


def _reads_last_token(model: Any) -> bool:
    return hasattr(model, "score")


def _position_offset(model: Any) -> int:
    import torch

    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            return 0 if module.padding_idx is None else int(module.padding_idx) + 1
    return 0

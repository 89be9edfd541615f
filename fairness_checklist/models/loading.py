"""Parts of a transformers model from its folder: no network, no pickle, no code of the model's own."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from fairness_checklist.errors import ModelError, OptionError
from fairness_checklist.models.engines.local import Engine, quiet
from fairness_checklist.models.folders import CLASSIFIER, Architecture

__all__ = ["DTYPES", "load_configuration", "load_tokenizer", "load_weights", "placed"]

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

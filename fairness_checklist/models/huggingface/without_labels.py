"""Models of transformers that have no classes to match: encoders and masked language models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fairness_checklist.core.option_defaults import BATCH_TOKENS, DTYPE
from fairness_checklist.models.huggingface.checkpoints import Checkpoint, checkpoint_from_folder
from fairness_checklist.models.huggingface.folders import Architecture, bundled_folder, download, is_hub_id


def checkpoint_without_labels(
    name: str, architecture: Architecture, *, device: str | None, revision: str | None
) -> Checkpoint[None]:
    """The checkpoint of a folder, a bundled model ("bundled/sentiment-3") or a hub id.

    Raises:
        ModelError: there is no such model, it is incomplete, unsafe to open or of another kind.
        OptionError: an unavailable device.
    """
    folder = Path(name).expanduser()
    options: dict[str, Any] = {"name": folder.resolve().name}
    if not folder.exists() and name.startswith("bundled/"):
        folder, options = bundled_folder(name.removeprefix("bundled/")), {"name": name}
    elif not folder.exists() and is_hub_id(name):
        folder = download(name, revision)
        options = {"name": name, "revision": folder.name}
    return checkpoint_from_folder(
        folder,
        architecture,
        _no_labels,
        display_name=name,
        max_length=None,
        batch_tokens=BATCH_TOKENS,
        device=device,
        dtype=DTYPE,
        **options,
    )


def _no_labels(config: Any) -> None:
    """There is no head, or one over the vocabulary."""

"""From the name of a model on the Hugging Face hub to a folder on this machine."""

from __future__ import annotations

import re
from pathlib import Path

from fairness_checklist.errors import ModelError
from fairness_checklist.models.engines.local import quiet

__all__ = ["fetch", "is_hub_id"]

HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
# What a classifier needs, and nothing that can run code.
WANTED = ("*.json", "*.safetensors", "*.txt", "*.model", "*.bpe")


def is_hub_id(name: str) -> bool:
    """Whether a string has the form of a hub id, ``owner/name``.

    >>> is_hub_id("owner/some-model"), is_hub_id("./owner/model"), is_hub_id("model")
    (True, False, False)
    """
    return HUB_ID.fullmatch(name) is not None


def fetch(hub_id: str, revision: str | None = None) -> Path:
    """The folder with the model's files, from the hub or from what was fetched before.

    Only configuration, vocabulary and safetensors are downloaded.

    Raises:
        ModelError: the hub cannot be reached, does not have the model or the revision, or does not hand it out.
    """
    with quiet():
        from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        with quiet():
            folder = snapshot_download(hub_id, revision=revision, allow_patterns=list(WANTED), ignore_patterns=["*/*"])
    except GatedRepoError as error:
        raise ModelError(
            f'the hub hands out "{hub_id}" only to users who accepted its terms.',
            remedy="Accept them on the model's page, log in (hf auth login), and try again.",
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelError(
            f'"{hub_id}" is neither a folder here nor a public model on the hub.',
            remedy="Check the spelling; for a private model log in first (hf auth login).",
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError(
            f'the hub\'s model "{hub_id}" has no revision "{revision}".',
            remedy="Name a branch, a tag or a commit of it.",
        ) from error
    except (LocalEntryNotFoundError, OfflineModeIsEnabled, HfHubHTTPError, OSError) as error:
        raise ModelError(
            f'"{hub_id}" is no folder here, and the hub could not be reached to look for a model of that name.',
            remedy="Check the path, or the connection; or download the model elsewhere and give the folder.",
        ) from error
    return Path(folder)

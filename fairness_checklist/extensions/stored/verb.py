"""The verb that shows what a store of predictions holds, and deletes some of it: cache."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import MODEL, option


def cache(
    store: Annotated[
        Path | None,
        typer.Argument(help="Store of predictions; by default that of the placebo in the folder for caches."),
    ] = None,
    prune: Annotated[bool, option("", "Delete predictions: --older-than, --model or both.", "--prune")] = False,
    older_than: Annotated[
        int | None, option("", "With --prune: models whose last prediction is older than so many days.")
    ] = None,
    model: Annotated[
        str | None, option(MODEL, "With --prune: the model with this name, or beginning of its hash.")
    ] = None,
    as_json: arguments.Json = False,
) -> None:
    """Show which predictions a store holds, by model, and delete some.

    A store holds hashes of texts and probabilities, no texts.

    Example: fairness-checklist cache

    Example, delete what was not used for a month: fairness-checklist cache --prune --older-than 30
    """
    from fairness_checklist.core.errors import OptionError
    from fairness_checklist.extensions.stored.command_line import placebo_store
    from fairness_checklist.extensions.stored.store_contents import prune_store, store_text, stored_models

    path = store or placebo_store()
    if path is None:
        raise OptionError("there is no folder for caches that can be read.", remedy="Name a store of predictions.")
    if store is not None and not store.exists():
        raise OptionError(f"there is no store of predictions at {store}.", remedy="Name an existing file.")
    if not prune and (older_than is not None or model is not None):
        raise OptionError(
            "older_than= and model= say what to delete.",
            remedy="Add prune=True to delete it.",
            command_remedy="Add --prune to delete it.",
        )
    deleted = prune_store(path, older_than=older_than, model=model) if prune and path.exists() else ()
    left = stored_models(path)
    if as_json:
        content = {"store": str(path), "models": [asdict(kept) for kept in left]}
        typer.echo(json.dumps(content | ({"deleted": [asdict(gone) for gone in deleted]} if prune else {}), indent=2))
        return
    if prune:
        typer.echo(f"Deleted from {store_text(path, deleted)}")
    typer.echo(store_text(path, left))

"""A language model behind an endpoint: ``run --endpoint URL`` and the table ``[endpoint]`` of ``fairness.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import typer

from fairness_checklist.core.config import config_table
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.option_defaults import MODEL_NAME
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, Connection

_CONNECTION = [spec.name for spec in fields(Connection)]
_OF_THE_RUN = ("url", "model", "labels", "connection")
_KEYS = [spec.name for spec in fields(ChatEndpoint) if spec.name not in _OF_THE_RUN]


def named_endpoint(url: str, model: str, labels: Mapping[str, str] | None, config: Path | None) -> ChatEndpoint:
    """The language model that a run asks: ``model`` at a URL, with the fields of `ChatEndpoint` and of `Connection`."""
    written = config_table(config, "endpoint", [*_KEYS, *_CONNECTION])
    if model == MODEL_NAME:
        raise OptionError("--endpoint is given without a model.", remedy="Name the language model: --model NAME.")
    connection = Connection(**{key: written.pop(key) for key in _CONNECTION if key in written})
    return ChatEndpoint(url, model, labels=labels, connection=connection, **written)


def print_requests(
    endpoint: ChatEndpoint, task: str, texts: list[str], stores: tuple[Path | None, Path | None], *, control_words: bool
) -> None:
    """Print how many requests a run sends about its texts, less those whose answers are stored."""
    from fairness_checklist.extensions.stored.store_of_a_run import missing
    from fairness_checklist.models.load import load_model

    model: Any = load_model(endpoint, task=task)
    asked = set(missing(model, texts, *stores, control_words=control_words))
    requests = count(len(asked) * len(model.questions), "request")
    typer.echo(f"{requests} for {count(len(asked), 'text')} without a stored answer.")

"""A model behind an endpoint: ``run --endpoint URL`` and the table ``[endpoint]`` of ``fairness.toml``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from fairness_checklist.core.config import CONFIG, config_table
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.options import MODEL_NAME
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, Connection, Endpoint

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite

_CONNECTION = [spec.name for spec in fields(Connection)]
_OF_THE_RUN = ("url", "model", "labels", "connection")


def named_endpoint(
    url: str, model: str, labels: Mapping[str, str] | None, config: Path | None
) -> Endpoint | ChatEndpoint:
    """The endpoint that a run asks.

    With ``request`` in ``[endpoint]`` the model answers JSON; else it is the language model that ``--model`` names.
    The other keys are the fields of `Endpoint` or `ChatEndpoint` and of `Connection`.
    """
    every = dict.fromkeys([*_keys(Endpoint), *_keys(ChatEndpoint), *_CONNECTION])
    written = config_table(config, "endpoint", list(every))
    kind: type[Endpoint | ChatEndpoint] = Endpoint if "request" in written else ChatEndpoint
    other = [key for key in written if key not in (*_keys(kind), *_CONNECTION)]
    if other:
        of = "a language model, and request asks one that answers JSON" if kind is Endpoint else "a model with request"
        raise OptionError(f"[endpoint] has the key {other[0]!r}, which is of {of}.", remedy="Leave out one of the two.")
    if isinstance(written.get("extra"), str):  # JSON, since TOML has no null
        try:
            written["extra"] = json.loads(written["extra"])
        except ValueError as error:
            raise OptionError(
                f"extra in [endpoint] is no JSON: {error}.", remedy="Write extra = '{\"max_tokens\": null}'."
            ) from error
    connection = Connection(**{key: written.pop(key) for key in _CONNECTION if key in written})
    if kind is Endpoint:
        return Endpoint(url, connection=connection, **written)
    if model == MODEL_NAME:
        raise OptionError(
            "--endpoint is given, and it is not known what it answers.",
            remedy=f"Name the language model: --model NAME; or give the request of another model in {CONFIG}: "
            '[endpoint] and below it request = {inputs = "{{text}}"}.',
        )
    return ChatEndpoint(url, model, labels=labels, connection=connection, **written)


def print_requests(
    endpoint: ChatEndpoint, suite: Suite, stores: tuple[Path | None, Path | None], *, placebo: bool, seed: int
) -> None:
    """Print how many requests a run sends about a suite and its placebo, less those whose answers are stored."""
    from fairness_checklist.api.scoring import texts_to_score
    from fairness_checklist.extensions.stored.command_line import missing
    from fairness_checklist.models.load import load_model

    model: Any = load_model(endpoint, task=suite.task)
    every = texts_to_score(suite.parts, placebo=placebo, seed=seed)
    texts = set(missing(model, every, *stores, placebo=placebo))
    requests = count(len(texts) * len(model.questions), "request")
    typer.echo(f"{requests} for {count(len(texts), 'text')} without a stored answer.")


def _keys(kind: type[Endpoint | ChatEndpoint]) -> list[str]:
    return [spec.name for spec in fields(kind) if spec.name not in _OF_THE_RUN]

"""The options of a model behind an endpoint, which `run` has."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import ENDPOINT, option
from fairness_checklist.cli.model_options import Keeping, ModelOptions
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.errors import OptionError

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.models.base import Classifier, Tagger

_JSON_OPTIONS = ("request_template", "response_path")
_CHAT_OPTIONS = (
    *("prompts", "prompt", "answers", "orders", "samples", "max_tokens", "min_label_mass"),
    *("extra", "price_per_1k"),
)
_CONNECTION_OPTIONS = ("key_env", "timeout", "requests_per_minute", "concurrency", "attempts")
_FILE_OPTIONS = ("scheme", "max_length", "batch_tokens", "dtype", "device", "revision")


@dataclass(frozen=True, eq=False)
class EndpointOptions(ModelOptions):
    """A model that runs here or behind an endpoint, and how it is asked."""

    endpoint: Annotated[
        str | None,
        option(
            ENDPOINT,
            "URL of a model: with --request-template one that answers JSON, else the base URL of an "
            "OpenAI-compatible API, of which --model names the language model.",
        ),
    ] = None
    request_template: Annotated[
        Path | None, option(ENDPOINT, 'JSON file with the request; "{{text}}" or "{{texts}}" is replaced.')
    ] = None
    response_path: Annotated[
        str, option(ENDPOINT, "Path to the output in the answer, for instance predictions or 0.scores.")
    ] = ""
    prompts: Annotated[int, option(ENDPOINT, "How many of the prompts of the task are asked.")] = 1
    prompt: Annotated[
        list[Path] | None,
        option(ENDPOINT, "File with a prompt of your own: {{text}} and {{options}} or {{labels}}. Repeatable."),
    ] = None
    answers: Annotated[str, option(ENDPOINT, "How a language model answers: logprobs, json_schema or text.")] = (
        "logprobs"
    )
    orders: Annotated[int, option(ENDPOINT, "How many orders of the options are asked; 0 for all rotations.")] = 0
    samples: Annotated[int, option(ENDPOINT, "Answers for each text, prompt and order.")] = 1
    max_tokens: Annotated[int, option(ENDPOINT, "Maximum number of tokens of an answer.")] = 16
    min_label_mass: Annotated[
        float, option(ENDPOINT, "Probability that the label tokens hold together in an answer, at least.")
    ] = 0.5
    extra: Annotated[
        str | None,
        option(
            ENDPOINT,
            "JSON object with further fields of a request; null removes one: "
            '\'{"max_tokens": null, "max_completion_tokens": 16}\'.',
        ),
    ] = None
    key_env: Annotated[
        str, option(ENDPOINT, "Name of the environment variable that holds the key of the endpoint.")
    ] = ""
    timeout: Annotated[float, option(ENDPOINT, "Seconds until a request is sent again.")] = 60.0
    requests_per_minute: Annotated[float | None, option(ENDPOINT, "Maximum rate of requests; by default no limit.")] = (
        None
    )
    concurrency: Annotated[int, option(ENDPOINT, "Requests under way at the same time.")] = 4
    attempts: Annotated[int, option(ENDPOINT, "How often a request is sent at most.")] = 6
    as_of: Annotated[
        str, option(ENDPOINT, "Date (2026-11-22) of stored predictions to continue from; by default today.")
    ] = ""
    price_per_1k: Annotated[float | None, option(ENDPOINT, "With --dry-run: price of 1,000 tokens.")] = None

    def load(self, task: str) -> Classifier | Tagger:
        """The model for a task: that of the endpoint, if one is named, else that of ``--model``."""
        if self.endpoint is None:
            return super().load(task)
        from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, Connection, Endpoint
        from fairness_checklist.models.load import load_model

        self.check(task)
        connection = Connection(**{name: getattr(self, name) for name in _CONNECTION_OPTIONS})
        labels = arguments.read_labels(self.labels)
        if self.request_template is not None:
            json_endpoint = Endpoint(self.endpoint, self.request_template, self.response_path, connection, self.as_of)
            options: dict[str, Any] = {"name": self.model} if self.model != default.MODEL else {}
            options |= {"scheme": self.scheme} if self.scheme else {}
            return load_model(json_endpoint, task=task, labels=labels, **options)
        asked = {name: getattr(self, name) for name in _CHAT_OPTIONS if name not in ("prompt", "price_per_1k")}
        asked |= {"prompts": self._prompts(), "extra": self._extra()}
        chat = ChatEndpoint(self.endpoint, self.model, **asked, labels=labels, connection=connection, as_of=self.as_of)
        return load_model(chat, task=task)

    def check(self, task: str) -> None:
        """Check the options of the model before anything is built or loaded."""
        super().check(task)
        if self.endpoint is None:
            own = [field.name for field in fields(self)[len(fields(ModelOptions)) :]]
            _refuse(self._given(own), "a model behind an endpoint", remedy="Name it: --endpoint URL.")
            return
        names = [name for name in _FILE_OPTIONS if task != "ner" or name != "scheme"]
        _refuse(self._given(names), "a model that runs here", remedy="Leave it out.")
        if self.request_template is not None:
            _refuse(self._given(_CHAT_OPTIONS), "a language model", remedy="Leave out --request-template.")
            return
        _refuse(self._given(_JSON_OPTIONS), "a model that answers JSON", remedy="Add --request-template FILE.")
        if self.model == default.MODEL:
            raise OptionError(
                "--endpoint is given, and neither --request-template nor --model.",
                remedy="Name the language model: --model NAME; or give the request of another model: "
                "--request-template FILE.",
            )

    def print_cost(self, suite: Suite, keeping: Keeping, out: Path | None, *, placebo: bool, seed: int) -> None:
        """Print what it costs to ask a language model about a suite and its placebo; nothing for another model.

        Texts of which an answer is stored are not asked again, and are printed by themselves.
        """
        if self.endpoint is None:
            return
        from fairness_checklist.api.scoring import texts_to_score
        from fairness_checklist.extensions.endpoint.chat import ChatClassifier, cost_text

        loaded = self.load(suite.task)
        if isinstance(loaded, ChatClassifier):
            every = texts_to_score(suite.parts, placebo=placebo, seed=seed)
            texts = keeping.missing(loaded, every, out, placebo=placebo)
            typer.echo(cost_text(loaded, texts, price_per_1k=self.price_per_1k))
            if len(texts) < len(every):
                typer.echo(f"{len(every) - len(texts):,} texts have a stored answer and are not asked again.")

    def _extra(self) -> dict[str, Any]:
        try:
            further = json.loads(self.extra or "{}")
        except ValueError:
            further = None
        if not isinstance(further, dict):
            raise OptionError(
                f"--extra {self.extra!r} is no JSON object.", remedy="Write it as '{\"top_p\": 0.9}', in single quotes."
            )
        return further

    def _prompts(self) -> int | list[str]:
        if not self.prompt:
            return self.prompts
        texts = []
        for path in self.prompt:
            try:
                texts.append(path.read_text(encoding="utf-8").strip("\n"))
            except (OSError, UnicodeDecodeError) as error:
                raise OptionError(f"the prompt {path} cannot be read: {error}.") from error
        return texts

    def _given(self, names: Sequence[str]) -> list[str]:
        """Which of these options have a value, in the order of the help."""
        return [
            field.name for field in fields(self) if field.name in names and getattr(self, field.name) != field.default
        ]


def _refuse(names: list[str], owner: str, *, remedy: str) -> None:
    if names:
        written = ", ".join(f"--{name.replace('_', '-')}" for name in names)
        belong = "belong" if len(names) > 1 else "belongs"
        raise OptionError(f"{written} {belong} to {owner}, which this model is not.", remedy=remedy)

"""The options of a model behind an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairness_checklist.cli import arguments
from fairness_checklist.cli.help_sections import ENDPOINT, option
from fairness_checklist.core import option_defaults as default
from fairness_checklist.core.extensions import extension

if TYPE_CHECKING:
    from fairness_checklist.api.suite import Suite
    from fairness_checklist.models.base import Classifier, Tagger

_OF_JSON = ("request_template", "response_path")
_OF_CHAT = (
    *("api", "prompts", "prompt", "answers", "orders", "samples", "max_tokens", "min_label_mass"),
    *("extra", "price_per_1k"),
)
_OF_CONNECTION = ("key_env", "timeout", "requests_per_minute", "concurrency", "attempts")
_OF_FILES = ("scheme", "max_length", "batch_tokens", "dtype", "device", "revision")


@dataclass(frozen=True, eq=False)
class EndpointOptions:
    """A model behind an endpoint, and how it is asked."""

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
    api: Annotated[str, option(ENDPOINT, "API of a language model: chat or completions.")] = "chat"
    prompts: Annotated[int, option(ENDPOINT, "How many of the prompts of the task are asked.")] = 1
    prompt: Annotated[
        list[Path] | None,
        option(ENDPOINT, "File with a prompt of your own: {{text}} and {{options}} or {{labels}}. Repeatable."),
    ] = None
    answers: Annotated[
        str, option(ENDPOINT, "How a language model answers: logprobs, json_schema, guided_choice or text.")
    ] = "logprobs"
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

    def load(self, model: arguments.ModelOptions, task: str) -> Classifier | Tagger:
        """The model for a task: that of the endpoint, if one is named, else that of ``--model``."""
        self.check(model, task)
        if self.endpoint is None:
            return model.load(task)
        from fairness_checklist.models.load import load_model

        endpoints = extension("endpoint.options")
        connection = endpoints.Connection(**{name: getattr(self, name) for name in _OF_CONNECTION})
        labels = arguments.read_labels(model.labels)
        if self.request_template is not None:
            json_endpoint = endpoints.Endpoint(
                self.endpoint, self.request_template, self.response_path, connection, self.as_of
            )
            options: dict[str, Any] = {"name": model.model} if model.model != default.MODEL else {}
            options |= {"scheme": model.scheme} if model.scheme else {}
            return load_model(json_endpoint, task=task, labels=labels, **options)
        asked = {name: getattr(self, name) for name in _OF_CHAT if name not in ("prompt", "price_per_1k")}
        asked |= {"prompts": self._prompts(), "extra": self._extra()}
        chat = endpoints.ChatEndpoint(
            self.endpoint, model.model, **asked, labels=labels, connection=connection, as_of=self.as_of
        )
        return load_model(chat, task=task)

    def check(self, model: arguments.ModelOptions, task: str) -> None:
        """Check the options of the model before anything is built or loaded."""
        from fairness_checklist.core.errors import OptionError

        model.check()
        if self.endpoint is None:
            self._refuse(self._given(), "a model behind an endpoint", remedy="Name it: --endpoint URL.")
            return
        of_files = [
            one.name for one in fields(model) if one.name in _OF_FILES and getattr(model, one.name) != one.default
        ]
        if task == "ner" and "scheme" in of_files:
            of_files.remove("scheme")
        self._refuse(of_files, "a model that runs here", remedy="Leave it out.")
        if self.request_template is not None:
            self._refuse(self._given(_OF_CHAT), "a language model", remedy="Leave out --request-template.")
            return
        self._refuse(self._given(_OF_JSON), "a model that answers JSON", remedy="Add --request-template FILE.")
        if model.model == default.MODEL:
            raise OptionError(
                "--endpoint is given, and neither --request-template nor --model.",
                remedy="Name the language model: --model NAME; or give the request of another model: "
                "--request-template FILE.",
            )

    def print_cost(
        self, model: arguments.ModelOptions, suite: Suite, stores: Sequence[Path], *, placebo: bool, seed: int
    ) -> None:
        """Print what it costs to ask a language model about a suite and its placebo; nothing for another model.

        Texts that are in one of the stores are not asked again, and are printed by themselves.
        """
        if self.endpoint is None:
            return
        from fairness_checklist.api.scoring import asked_texts
        from fairness_checklist.models.stored.store import without_stored

        loaded = self.load(model, suite.task)
        if isinstance(loaded, extension("endpoint.chat").ChatClassifier):
            every = asked_texts(suite.parts, placebo=placebo, seed=seed)
            texts = set(every)
            for store in stores:
                texts = without_stored(loaded, texts, store)
            typer.echo(extension("endpoint.chat").cost_text(loaded, texts, price_per_1k=self.price_per_1k))
            if len(texts) < len(every):
                typer.echo(f"{len(every) - len(texts):,} texts have a stored answer and are not asked again.")

    def _extra(self) -> dict[str, Any]:
        import json

        from fairness_checklist.core.errors import OptionError

        try:
            found = json.loads(self.extra or "{}")
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise OptionError(
                f"--extra {self.extra!r} is no JSON object.", remedy="Write it as '{\"top_p\": 0.9}', in single quotes."
            )
        return found

    def _prompts(self) -> int | list[str]:
        from fairness_checklist.core.errors import OptionError

        if not self.prompt:
            return self.prompts
        found = []
        for path in self.prompt:
            try:
                found.append(path.read_text(encoding="utf-8").strip("\n"))
            except (OSError, UnicodeDecodeError) as error:
                raise OptionError(f"the prompt {path} cannot be read: {error}.") from error
        return found

    def _given(self, names: tuple[str, ...] = ()) -> list[str]:
        """The options that have a value, all of them or those of these names."""
        return [
            one.name
            for one in fields(self)
            if getattr(self, one.name) != one.default and (one.name in names or (not names and one.name != "endpoint"))
        ]

    @staticmethod
    def _refuse(names: list[str], owner: str, *, remedy: str) -> None:
        from fairness_checklist.core.errors import OptionError

        if names:
            written = ", ".join(f"--{name.replace('_', '-')}" for name in names)
            belong = "belong" if len(names) > 1 else "belongs"
            raise OptionError(f"{written} {belong} to {owner}, which this model is not.", remedy=remedy)

"""What names a language model behind an endpoint, and how it is asked. Nothing is sent here."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import choice, names, number, string, whole_number
from fairness_checklist.core.tasks import get_task

if TYPE_CHECKING:
    from fairness_checklist.models.base import Classifier

READINGS = ("logprobs", "json_schema", "text")


@dataclass(frozen=True, eq=False)
class Connection:
    """How requests are sent.

    Attributes:
        key_env: the name of the environment variable with the key; "" sends none. The key itself is in no option, no
            file and no error.
        key_header: the header that carries the key; ``Authorization`` carries it as ``Bearer KEY``.
        timeout: seconds until an attempt is given up, from the connection to the last byte of the answer.
        concurrency: requests under way at the same time.
        attempts: how often a request is sent at most.
        backoff: seconds before the second attempt, doubled before each further one.

    Raises:
        OptionError: a value out of range.

    >>> Connection(timeout=0)
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: timeout=0 is not a number from 0.001 to 86400.
    """

    key_env: str = ""
    key_header: str = "Authorization"
    timeout: float = 60.0
    concurrency: int = 4
    attempts: int = 6
    backoff: float = 1.0

    def __post_init__(self) -> None:
        string("key_env", self.key_env)
        string("key_header", self.key_header, empty=False)
        number("timeout", self.timeout, least=0.001, most=86_400)
        whole_number("concurrency", self.concurrency)
        whole_number("attempts", self.attempts)
        number("backoff", self.backoff, most=3600)

    def key(self) -> str:
        """The key, or "" where none is needed; it must be set, and printable."""
        if not self.key_env:
            return ""
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            raise OptionError(
                f"the environment variable {self.key_env} is not set, and it should hold the key of the endpoint.",
                remedy=f"Set it: export {self.key_env}=...",
            )
        if not (key.isascii() and key.isprintable()):
            raise OptionError(
                f"the environment variable {self.key_env} holds a line break or another character that no key has.",
                remedy="Copy the key again.",
            )
        return key


@dataclass(frozen=True, eq=False)
class ChatEndpoint:
    """A language model behind an OpenAI-compatible API, as a classifier.

    Each text is asked with each prompt and each order of the options. The probability of a class is the mean over them.

    Attributes:
        url: the base URL, such as ``http://localhost:8000/v1``; ``/chat/completions`` is appended where it is missing.
        model: the id of the model.
        prompts: how many of the task's prompts are used (``prompts.toml``), or prompts of your own, which hold
            ``{{text}}`` and ``{{options}}`` (lettered: "A. negative") or ``{{labels}}`` ("negative, neutral or
            positive").
        orders: how many orders of the options are asked: cyclic rotations of the task's order. 0 asks all of them, so
            that each option stands at each place once.
        answers: how the answer is read. "logprobs": probabilities of the label tokens at the first place of the answer;
            "json_schema" (``response_format``): an answer constrained to the options; "text": an answer that is an
            option.
        max_tokens: the most tokens of an answer; 0 does not send the field.
        min_label_mass: with "logprobs": the least probability that the label tokens hold together. Below it an answer
            is a refusal or unparsable.
        labels: the options that the model reads, and their classes, ``{"hateful": "toxic", "fine": "nontoxic"}``; the
            task's classes by default.
        extra: further fields of the request; None removes a field.
        connection: how requests are sent.
        as_of: the date that is recorded and that stored predictions belong to, such as 2026-11-22; by default today.

    Raises:
        OptionError: an option out of range, or a prompt without its placeholders.
    """

    url: str
    model: str
    prompts: int | Sequence[str] = 1
    orders: int = 0
    answers: str = "logprobs"
    max_tokens: int = 16
    min_label_mass: float = 0.5
    labels: Mapping[str, str] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    connection: Connection = field(default_factory=Connection)
    as_of: str = ""

    def __post_init__(self) -> None:
        from fairness_checklist.run.evaluation import today

        parts = urlsplit(string("url", self.url))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise OptionError(f"the endpoint {self.url!r} is no URL.", remedy="Expected https://HOST/PATH.")
        if parts.username or parts.password:
            raise OptionError(
                f"the URL of the endpoint {parts.hostname} holds a user name or a password.",
                remedy="Put the key into an environment variable, and name that: key_env=.",
            )
        string("model", self.model, empty=False)
        if isinstance(self.prompts, int):
            whole_number("prompts", self.prompts)
        else:
            object.__setattr__(self, "prompts", names("prompts", self.prompts))
        whole_number("orders", self.orders, least=0)
        choice("answers", self.answers, READINGS)
        whole_number("max_tokens", self.max_tokens, least=0)
        number("min_label_mass", self.min_label_mass)
        object.__setattr__(self, "as_of", string("as_of", self.as_of) or today())

    def open_model(self, task: str, options: dict[str, Any], *, batch_size: int, scheme: str) -> Classifier:
        """The model for a task: what `load_model` asks of an object that names a model."""
        from fairness_checklist.extensions.endpoint.chat import ChatClassifier
        from fairness_checklist.models.load import refuse_options

        if get_task(task).tagging:
            raise OptionError(
                f"a ChatEndpoint classifies whole texts, and the task {task} is about words.",
                remedy="Give a Python function that asks the service.",
            )
        unused = {"classes": options["classes"], "labels": options["labels"], "batch_size": batch_size}
        refuse_options(unused, "another model; a ChatEndpoint has its own labels=")
        return ChatClassifier(self, task, get_task(task).classes, name=options["name"])


def recorded_url(url: str) -> str:
    """A URL as errors and ``run.json`` have it: without the query, which may hold a key.

    >>> recorded_url("https://models.example/v1?key=secret")
    'https://models.example/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"

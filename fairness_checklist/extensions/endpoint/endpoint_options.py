"""What names an endpoint: its URL, how requests are made, and how answers are read. Nothing is sent here."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.options import choice, names, number, string, whole_number
from fairness_checklist.core.tasks import get_task

if TYPE_CHECKING:
    from fairness_checklist.models.base import Classifier, Tagger

READINGS = ("logprobs", "json_schema", "text")


@dataclass(frozen=True, eq=False)
class Connection:
    """How requests are sent.

    Attributes:
        key_env: the name of the environment variable with the key; "" sends none. The key itself is in no option, no
            file and no error.
        key_header: the header that carries the key; ``Authorization`` carries it as ``Bearer KEY``.
        timeout: seconds until an attempt is given up, from the connection to the last byte of the answer.
        requests_per_minute: the largest rate at which requests start; None for no limit.
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
    requests_per_minute: float | None = None
    concurrency: int = 4
    attempts: int = 6
    backoff: float = 1.0

    def __post_init__(self) -> None:
        string("key_env", self.key_env)
        string("key_header", self.key_header, empty=False)
        number("timeout", self.timeout, least=0.001, most=86_400)
        if self.requests_per_minute is not None:
            number("requests_per_minute", self.requests_per_minute, least=0.001, most=1e9)
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
class Endpoint:
    """A model that answers JSON with JSON.

    Attributes:
        url: where requests are sent with POST.
        request: the body of a request. The string ``"{{text}}"`` stands for the text, also inside a longer string;
            ``"{{texts}}"``, alone in a string, for a list of texts.
        response: the path to the model's output inside the answer, such as ``"predictions"`` or ``"0.scores"``; a part
            is a key, a position, or ``*`` for all entries of a list. "" is the whole answer. With ``{{texts}}`` it
            leads to a list of one output a text.
        connection: how requests are sent.
        as_of: the date that is recorded and that stored predictions belong to; by default today (UTC).

    Raises:
        OptionError: a URL, a template or a date that is none.

    >>> Endpoint("http://localhost:8000/predict", {"inputs": "{{text}}"}, "0").fingerprint[:0]
    ''
    """

    url: str
    request: Mapping[str, Any] | Sequence[Any] | str
    response: str = ""
    connection: Connection = field(default_factory=Connection)
    as_of: str = ""

    def __post_init__(self) -> None:
        check_url(self.url)
        string("response", self.response)
        object.__setattr__(self, "as_of", checked_date(self.as_of))

    @property
    def fingerprint(self) -> str:
        """A hash of the URL, the request, the response path and the date."""
        return fingerprint_of(["endpoint", self.url, self.request, self.response, self.as_of])

    def open_model(self, task: str, options: dict[str, Any], *, batch_size: int, scheme: str) -> Classifier | Tagger:
        """The model for a task: what `load_model` asks of an object that names a model."""
        from fairness_checklist.extensions.endpoint.json_endpoint import BATCH_SIZE, JsonClassifier, JsonTagger

        known, size = get_task(task), BATCH_SIZE if batch_size == 256 else batch_size
        if known.tagging:
            return JsonTagger(self, known.classes, batch_size=size, scheme=scheme, **options)
        return JsonClassifier(self, known.classes, batch_size=size, **options)


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
        max_tokens: the most tokens of an answer.
        min_label_mass: with "logprobs": the least probability that the label tokens hold together. Below it an answer
            is a refusal or unparsable.
        labels: the options that the model reads, and their classes, ``{"hateful": "toxic", "fine": "nontoxic"}``; the
            task's classes by default.
        extra: further fields of the request; None removes a field.
        connection: how requests are sent.
        as_of: the date that is recorded and that stored predictions belong to; by default today (UTC).

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
        check_url(self.url)
        string("model", self.model, empty=False)
        if isinstance(self.prompts, int):
            whole_number("prompts", self.prompts)
        else:
            object.__setattr__(self, "prompts", names("prompts", self.prompts))
        whole_number("orders", self.orders, least=0)
        choice("answers", self.answers, READINGS)
        whole_number("max_tokens", self.max_tokens)
        number("min_label_mass", self.min_label_mass)
        object.__setattr__(self, "as_of", checked_date(self.as_of))

    def open_model(self, task: str, options: dict[str, Any], *, batch_size: int, scheme: str) -> Classifier:
        """The model for a task: what `load_model` asks of an object that names a model."""
        from fairness_checklist.extensions.endpoint.chat import ChatClassifier
        from fairness_checklist.models.load import refuse_options

        if get_task(task).tagging:
            raise OptionError(
                f"a ChatEndpoint classifies whole texts, and the task {task} is about words.",
                remedy="Use an Endpoint with a request template.",
            )
        unused = {"classes": options["classes"], "labels": options["labels"], "batch_size": batch_size}
        refuse_options(unused, "another model; a ChatEndpoint has its own labels=")
        return ChatClassifier(self, task, get_task(task).classes, name=options["name"])


def check_url(url: object) -> None:
    """Raise `OptionError` unless a URL is one of HTTP, without user name and password."""
    parts = urlsplit(url) if isinstance(url, str) else urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise OptionError(f"the endpoint {url!r} is no URL.", remedy="Expected http://HOST/PATH or https://HOST/PATH.")
    if parts.username or parts.password:
        raise OptionError(
            f"the URL of the endpoint {parts.hostname} holds a user name or a password.",
            remedy="Put the key into an environment variable, and name that: key_env=.",
        )


def recorded_url(url: str) -> str:
    """A URL as errors and ``run.json`` have it: without the query, which may hold a key.

    >>> recorded_url("https://models.example/v1?key=secret")
    'https://models.example/v1'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def checked_date(as_of: object) -> str:
    """A date as ``2026-11-22``; today's where it is "", or that of ``SOURCE_DATE_EPOCH``.

    >>> checked_date("yesterday")
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: as_of='yesterday' is no date.
        Write it as 2026-11-22.
    """
    if as_of == "":
        seconds = os.environ.get("SOURCE_DATE_EPOCH", "")
        now = datetime.fromtimestamp(int(seconds), UTC) if seconds.isdigit() else datetime.now(UTC)
        return now.date().isoformat()
    try:
        return datetime.strptime(str(as_of), "%Y-%m-%d").date().isoformat()
    except ValueError as error:
        raise OptionError(f"as_of={as_of!r} is no date.", remedy="Write it as 2026-11-22.") from error


def fingerprint_of(identity: Sequence[Any]) -> str:
    """A hash of values that JSON can hold."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()

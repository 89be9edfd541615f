"""A language model behind an OpenAI-compatible API, as a classifier."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import ModelError, OptionError, count
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.replicates import ANSWERED, REFUSED, UNPARSABLE, replicate_name
from fairness_checklist.extensions.endpoint.client import Client
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, recorded_url
from fairness_checklist.extensions.endpoint.prompt_answers import (
    TEXT,
    OrderedPrompt,
    ReadAnswer,
    chosen_prompts,
    from_logprobs,
    from_text,
    questions,
    read_reply,
)
from fairness_checklist.models.base import TextOutput
from fairness_checklist.models.batches_without_padding import predict_by_chunk
from fairness_checklist.models.labels import match_labels

PATH = "/chat/completions"
MASS, BOUND = "label_mass", "label_bound"
"""Further scores: probability of the label tokens, and the share of the probabilities that is a bound."""
TOP_LOGPROBS = 20  # tokens whose probabilities are requested: as many as the API gives
_ENOUGH = 16  # answers of which none names an option, after which no more are asked for


class ChatClassifier:
    """Asks a language model for the class of each text, with each prompt and each order of the options.

    A text that is answered with no class has equal probabilities, and 0 as ``answered``: metrics leave it out.
    """

    def __init__(
        self, endpoint: ChatEndpoint, task: str, task_classes: Sequence[str], *, name: str | None = None
    ) -> None:
        self.endpoint = endpoint
        self.name = name or endpoint.model
        options = tuple(endpoint.labels) if endpoint.labels else tuple(task_classes)
        self._labels = match_labels(options, task_classes, dict(endpoint.labels) if endpoint.labels else None)
        self.classes = self._labels.classes
        if len(options) > 26:
            raise OptionError(f"{len(options)} options are more than there are letters.")
        self._prompts = chosen_prompts(endpoint.prompts, task)
        self.questions = questions(self._prompts, options, endpoint.orders)
        self.chunk_size = max(16, 4 * endpoint.connection.concurrency)
        self._url = _full_url(endpoint.url)
        self._client: Client | None = None
        self._served: set[str] = set()
        self._understood = False
        self._example = ""

    @property
    def fingerprint(self) -> str:
        """Hash of the model, the date, the prompts and all that decides the answers and how they are read."""
        identity = ["chat", self.endpoint.url, self.endpoint.as_of, self._request_record()]
        return hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; each different text is asked once."""
        return predict_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> list[TextOutput]:
        """Ask about different texts; answers come in any order, and the output does not depend on it."""
        self._client = self._client or Client(self._url, self.endpoint.connection)
        requests = [
            (self.request(text, question), partial(self._read, question))
            for text in texts
            for question in self.questions
        ]
        size = len(self.questions)
        unanswered = dict.fromkeys(range(len(texts)), size)

        def answered(request: int) -> None:
            unanswered[request // size] -= 1
            advance(not unanswered[request // size])

        readings = self._client.post(requests, answered)
        self._understood = self._understood or any(reading.outcome != UNPARSABLE for reading in readings)
        if not self._understood and len(readings) >= _ENOUGH:
            raise ModelError(
                f"none of the first {len(readings):,} answers names an option; one of them is {self._example!r}.",
                remedy='Check the labels; or ask with answers="json_schema", other prompts, or more tokens an answer.',
            )
        rows = [self._row(readings[start : start + size]) for start in range(0, len(readings), size)]
        return [TextOutput(row, int(row.argmax()), scores=scores) for row, scores in rows]

    def notes(self, n_truncated: int, texts: Sequence[str]) -> tuple[str, ...]:
        """That one prompt or one order was used, where findings hold for these only."""
        notes = []
        if len(self._prompts) == 1:
            notes.append(
                "one prompt: intervals and findings hold for this prompt, and another wording may give other ones"
            )
        if len({question.order for question in self.questions}) == 1:
            notes.append("one order of the options: a preference of the model for a place favours one class")
        return tuple(notes)

    def score_notes(self, scores: Mapping[str, FloatArray], n: int) -> tuple[str, ...]:
        """Notes on refusals, unparsable answers and bounds, from the scores of n texts."""
        notes = []
        for name, what in ((REFUSED, "were refused"), (UNPARSABLE, "had an answer that names no class")):
            n_texts = int((scores[name] > 0).sum())
            if n_texts:
                notes.append(
                    f"{n_texts:,} of {n:,} texts {what} at least once ({100 * scores[name].mean():.1f} % of answers)"
                )
        n_bounded = int((scores[BOUND] > 0).sum()) if BOUND in scores else 0
        if n_bounded:
            notes.append(
                f"for {n_bounded:,} of {n:,} texts an option is not among the {TOP_LOGPROBS} most probable tokens: its "
                f"probability is a bound, at most {scores[BOUND].max():.2g}"
            )
        if self.endpoint.answers != "logprobs":
            answers = count(len(self.questions), "answer")
            notes.append(f"probabilities are shares of {answers} a text, and not those of the model")
        return tuple(notes)

    def describe(self) -> dict[str, object]:
        """For ``run.json``: the model as asked for and as served, the date, the prompts, and how answers are read."""
        return {
            "name": self.name,
            "kind": "language model behind an endpoint",
            "url": recorded_url(self._url),
            "date": self.endpoint.as_of,
            "served_model": sorted(self._served),
            "classes": list(self.classes),
            **self._request_record(),
        }

    def request(self, text: str, question: OrderedPrompt) -> dict[str, Any]:
        endpoint = self.endpoint
        body: dict[str, Any] = {
            "model": endpoint.model,
            "max_tokens": endpoint.max_tokens or None,
            "temperature": 0.0,
            "messages": [{"role": "user", "content": question.template.replace(TEXT, text)}],
        }
        if endpoint.answers == "logprobs":
            body |= {"logprobs": True, "top_logprobs": TOP_LOGPROBS}
        elif endpoint.answers == "json_schema":
            body["response_format"] = _schema(question)
        body |= dict(endpoint.extra)
        return {name: value for name, value in body.items() if value is not None}

    def _request_record(self) -> dict[str, Any]:
        """All that decides the answers besides the URL and the date."""
        endpoint = self.endpoint
        return {
            "model": endpoint.model,
            "prompts": list(self._prompts),
            "orders": len({question.order for question in self.questions}),
            "labels": self._labels.mapping(),
            "answers": endpoint.answers,
            "max_tokens": endpoint.max_tokens,
            "min_label_mass": endpoint.min_label_mass,
            "extra": dict(endpoint.extra),
        }

    def _read(self, question: OrderedPrompt, answer: Any) -> ReadAnswer:
        reply = read_reply(answer)
        self._served |= {reply.model} - {""}
        if self.endpoint.answers == "logprobs":
            reading = from_logprobs(reply, question, self.endpoint.min_label_mass)
        else:
            reading = from_text(reply, question)
        if reading.outcome == UNPARSABLE and not self._example:
            self._example = reply.text[:80]
        return reading

    def _row(self, readings: Sequence[ReadAnswer]) -> tuple[FloatArray, dict[str, float]]:
        """The probabilities (C,) of a text and its scores, from its answers, one a question."""
        n_classes = len(self.classes)
        replicates: list[FloatArray] = []
        scores: dict[str, float] = {}
        for question, reading in zip(self.questions, readings, strict=True):
            probabilities = np.full(n_classes, np.nan)
            if reading.probabilities is not None:
                probabilities = self._labels.read(reading.probabilities[None])[0][0]
                replicates.append(probabilities)
            if len(self.questions) > 1:
                outcomes = {outcome: float(reading.outcome == outcome) for outcome in (REFUSED, UNPARSABLE)}
                named = {**dict(zip(self.classes, map(float, probabilities), strict=True)), **outcomes}
                scores |= {replicate_name(name, question.prompt, question.order): named[name] for name in named}
        row = np.mean(replicates, axis=0) if replicates else np.full(n_classes, 1 / n_classes)
        for outcome in (ANSWERED, REFUSED, UNPARSABLE):
            scores[outcome] = sum(reading.outcome == outcome for reading in readings) / len(readings)
        if self.endpoint.answers == "logprobs":
            scores[MASS] = float(np.mean([reading.mass for reading in readings]))
            scores[BOUND] = max(reading.bound for reading in readings)
        return row / row.sum(), scores


def _schema(question: OrderedPrompt) -> dict[str, Any]:
    """A JSON schema that allows the options only, as ``response_format`` takes it."""
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(question.answers)}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


def _full_url(url: str) -> str:
    """The URL of the API; a base URL gets its path.

    >>> _full_url("http://localhost:8000/v1/"), _full_url("http://localhost/v1/chat/completions?version=1")
    ('http://localhost:8000/v1/chat/completions', 'http://localhost/v1/chat/completions?version=1')
    """
    base, mark, query = url.partition("?")
    base = base.rstrip("/")
    return (base if base.endswith(PATH) else base + PATH) + mark + query

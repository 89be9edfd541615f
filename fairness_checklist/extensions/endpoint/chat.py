"""A language model behind an OpenAI-compatible API, as a classifier."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import ModelError, OptionError, count
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.replicates import ANSWERED, REFUSED, UNPARSABLE, replicate_name
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, fingerprint_of, recorded_url
from fairness_checklist.extensions.endpoint.json_endpoint import Client
from fairness_checklist.extensions.endpoint.prompt_answers import (
    OrderedPrompt,
    ReadAnswer,
    chosen_prompts,
    from_logprobs,
    from_text,
    questions,
    said,
)
from fairness_checklist.models.base import ClassifierOutput
from fairness_checklist.models.batching import predict_by_chunk
from fairness_checklist.models.labels import match_labels

PATHS = {"chat": "/chat/completions", "completions": "/completions"}
MASS, BOUND, SAMPLING_ERROR = "label_mass", "label_bound", "sampling_error"
"""Further scores: probability of the label tokens, share that is a bound, binomial error of the decision."""
CHARACTERS_A_TOKEN = 4.0
"""Of English text, about; the tokenizer of the model is not known here."""
_ASKED = (
    *("model", "api", "prompts", "system", "orders", "labels", "answers", "samples", "temperature", "seed"),
    *("max_tokens", "top_logprobs", "min_label_mass", "extra"),
)
_ENOUGH = 16  # answers of which none names an option, after which no more are asked for
FILTERED = {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}
"""An answer that a content filter withheld."""


class ChatClassifier:
    """Asks a language model for the class of each text, with each prompt and each order of the options.

    A text that is answered with no class at all has equal probabilities, and 0 in the score ``answered``: metrics leave
    it out.
    """

    def __init__(
        self, endpoint: ChatEndpoint, task: str, task_classes: Sequence[str], *, name: str | None = None
    ) -> None:
        self.endpoint = endpoint
        self.name = name or endpoint.model
        options = tuple(endpoint.labels) if endpoint.labels else tuple(task_classes)
        self._labels = match_labels(options, task_classes, dict(endpoint.labels) if endpoint.labels else None)
        if len(options) > 26:
            raise OptionError(f"{len(options)} options are more than there are letters.")
        self._prompts = chosen_prompts(endpoint.prompts, task)
        self.questions = questions(self._prompts, options, endpoint.orders)
        self.chunk_size = max(16, 4 * endpoint.connection.concurrency)
        self._url = _full_url(endpoint.url, endpoint.api)
        self._client: Client | None = None
        self._served: set[str] = set()
        self._understood = False
        self._example = ""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, in the task's order."""
        return self._labels.classes

    @property
    def fingerprint(self) -> str:
        """Hash of the model, the date, the prompts and all that decides the answers and how they are read."""
        return fingerprint_of(["chat", self.endpoint.url, self.endpoint.as_of, self._request_record()])

    @property
    def requests_a_text(self) -> int:
        """Requests for each different text."""
        return len(self.questions) * self.endpoint.samples

    def predict(self, texts: Sequence[str], *, progress: bool = False) -> Predictions:
        """Decisions and probabilities (n, C) for n texts; each different text is asked once."""
        return predict_by_chunk(self, texts, progress=progress)

    def score(self, texts: list[str], advance: Callable[[int], object]) -> ClassifierOutput:
        """Ask about different texts; answers come in any order, and the output does not depend on it."""
        self._client = self._client or Client(self._url, self.endpoint.connection, filtered=FILTERED)
        requests = [
            (self.request(text, question, n), partial(self._read, question))
            for text in texts
            for question in self.questions
            for n in range(self.endpoint.samples)
        ]
        left = dict.fromkeys(range(len(texts)), self.requests_a_text)

        def answered(at: int) -> None:
            text = at // self.requests_a_text
            left[text] -= 1
            if not left[text]:
                advance(1)

        readings = self._client.post(requests, answered)
        self._understood = self._understood or any(reading.outcome != UNPARSABLE for reading in readings)
        if not self._understood and len(readings) >= _ENOUGH:
            raise ModelError(
                f"none of the first {len(readings):,} answers names an option; one of them is {self._example!r}.",
                remedy='Check the labels; or ask with answers="json_schema", other prompts, or more tokens an answer.',
            )
        size = self.requests_a_text
        rows = [self._row(readings[start : start + size]) for start in range(0, len(readings), size)]
        names = rows[0][1]
        return ClassifierOutput(
            np.array([row for row, _ in rows]),
            np.array([int(row.argmax()) for row, _ in rows], dtype=np.int64),
            np.zeros(len(texts), dtype=np.bool_),
            {name: np.array([scores[name] for _, scores in rows]) for name in names},
        )

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

    def score_notes(self, scored: ClassifierOutput) -> tuple[str, ...]:
        """Notes on refusals, unparsable answers and bounds, from the scores of n texts."""
        scores, n, notes = scored.scores, len(scored.predicted), []
        for name, what in ((REFUSED, "were refused"), (UNPARSABLE, "had an answer that names no class")):
            some = int((scores[name] > 0).sum())
            if some:
                notes.append(
                    f"{some:,} of {n:,} texts {what} at least once ({100 * scores[name].mean():.1f} % of answers"
                    f"{self._by_prompt(scores, name)})"
                )
        bounded = scores[BOUND] > 0 if BOUND in scores else np.zeros(0, dtype=np.bool_)
        if bounded.any():
            notes.append(
                f"for {int(bounded.sum()):,} of {n:,} texts an option is not among the {self.endpoint.top_logprobs} "
                f"most probable tokens: its probability is a bound, at most {scores[BOUND].max():.2g}"
            )
        if self.endpoint.answers != "logprobs":
            each = self.requests_a_text
            notes.append(f"probabilities are shares of {count(each, 'answer')} a text, and not those of the model")
        return tuple(notes)

    def _by_prompt(self, scores: Mapping[str, FloatArray], outcome: str) -> str:
        """The share of answers with an outcome, prompt by prompt; "" where one prompt was asked."""
        if len(self._prompts) == 1:
            return ""
        shares = [
            np.mean([scores[replicate_name(outcome, asked.prompt, asked.order)] for asked in questions])
            for _prompt, questions in groupby(self.questions, key=lambda question: question.prompt)
        ]
        return "; by prompt: " + ", ".join(f"{100 * share:.1f} %" for share in shares)

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

    def request(self, text: str, question: OrderedPrompt, sample: int = 0) -> dict[str, Any]:
        """The body of a request."""
        asked, prompt = self.endpoint, question.text(text)
        body: dict[str, Any] = {name: getattr(asked, name) for name in ("model", "max_tokens", "temperature")}
        if asked.api == "chat":
            system = [{"role": "system", "content": asked.system}] if asked.system else []
            body["messages"] = [*system, {"role": "user", "content": prompt}]
        else:
            body["prompt"] = f"{asked.system}\n\n{prompt}" if asked.system else prompt
        if asked.temperature:
            body["seed"] = _seed(asked.seed, text, question, sample)
        if asked.answers == "logprobs":
            top = asked.top_logprobs
            body |= {"logprobs": True, "top_logprobs": top} if asked.api == "chat" else {"logprobs": top}
        elif asked.answers == "json_schema":
            body["response_format"] = _schema(question)
        elif asked.answers == "guided_choice":
            body["guided_choice"] = list(question.answers)
        body |= dict(asked.extra)
        return {name: value for name, value in body.items() if value is not None}

    def _request_record(self) -> dict[str, Any]:
        """All that decides the answers besides the URL and the date."""
        own = {
            "prompts": list(self._prompts),
            "orders": len({question.order for question in self.questions}),
            "labels": self._labels.mapping(),
            "extra": dict(self.endpoint.extra),
        }
        return {name: own.get(name, getattr(self.endpoint, name)) for name in _ASKED}

    def _read(self, question: OrderedPrompt, answer: Any) -> ReadAnswer:
        parts = said(answer)
        if parts.model:
            self._served.add(parts.model)
        if self.endpoint.answers == "logprobs":
            reading = from_logprobs(parts, question, self.endpoint.min_label_mass)
        else:
            reading = from_text(parts, question, is_json=self.endpoint.answers == "json_schema")
        if reading.outcome == UNPARSABLE and not self._example:
            self._example = parts.text[:80]
        return reading

    def _row(self, readings: Sequence[ReadAnswer]) -> tuple[FloatArray, dict[str, float]]:
        """The probabilities (C,) of a text and its scores, from its answers by question and sample."""
        samples = self.endpoint.samples
        n = len(self._labels.classes)
        replicates: list[FloatArray] = []
        scores: dict[str, float] = {}
        variance = np.zeros(n)
        for at, question in enumerate(self.questions):
            own = readings[at * samples : (at + 1) * samples]
            given = [reading.probabilities for reading in own if reading.probabilities is not None]
            mean = np.full(n, np.nan)
            if given:
                mean = self._labels.read(np.mean(given, axis=0)[None])[0][0]
                replicates.append(mean)
                variance += mean * (1 - mean) / len(given)
            if len(self.questions) > 1:
                scores |= {
                    replicate_name(label, question.prompt, question.order): float(value)
                    for label, value in zip(self.classes, mean, strict=True)
                } | {
                    replicate_name(outcome, question.prompt, question.order): _share(own, outcome)
                    for outcome in (REFUSED, UNPARSABLE)
                }
        row = np.mean(replicates, axis=0) if replicates else np.full(n, 1 / n)
        row = row / row.sum()
        scores |= {outcome: _share(readings, outcome) for outcome in (ANSWERED, REFUSED, UNPARSABLE)}
        if self.endpoint.answers == "logprobs":
            scores[MASS] = float(np.mean([np.nan_to_num(reading.mass) for reading in readings]))
            scores[BOUND] = max(reading.bound for reading in readings)
        elif samples > 1:
            scores[SAMPLING_ERROR] = float(np.sqrt(variance[row.argmax()])) / max(1, len(replicates))
        return row, scores


def cost_text(model: ChatClassifier, texts: Collection[str], *, price_per_1k: float | None = None) -> str:
    """What it costs to ask about the different texts of a run, as a sentence; nothing is sent.

    The price is that of 1,000 tokens, whether of the prompt or the answer.

    >>> from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint
    >>> model = ChatClassifier(ChatEndpoint("http://localhost:8000/v1", "mine"), "toxicity", ("nontoxic", "toxic"))
    >>> print(cost_text(model, ["Anna is here.", "Ben is here."], price_per_1k=0.5))
    4 requests for 2 texts, about 120 prompt tokens and at most 64 answer tokens, 0.09 at the given price.
    """
    different, endpoint = set(texts), model.endpoint
    fixed = sum(len(question.text("")) + len(endpoint.system) for question in model.questions) * len(different)
    characters = fixed + len(model.questions) * sum(map(len, different))
    requests = model.requests_a_text * len(different)
    prompt_tokens = math.ceil(endpoint.samples * characters / CHARACTERS_A_TOKEN)
    answer_tokens = requests * endpoint.max_tokens
    text = (
        f"{count(requests, 'request')} for {count(len(different), 'text')}, about {prompt_tokens:,} prompt tokens and "
        f"at most {answer_tokens:,} answer tokens"
    )
    if price_per_1k is not None:
        text += f", {(prompt_tokens + answer_tokens) / 1000 * price_per_1k:,.2f} at the given price"
    if endpoint.connection.requests_per_minute is not None:
        text += f", {requests / endpoint.connection.requests_per_minute:,.0f} minutes at the given rate"
    return f"{text}."


def _share(readings: Sequence[ReadAnswer], outcome: str) -> float:
    return sum(reading.outcome == outcome for reading in readings) / len(readings)


def _seed(seed: int, text: str, question: OrderedPrompt, sample: int) -> int:
    """A seed of its own for each sampled request, whatever the order in which requests are made."""
    identity = f"{seed}\n{question.template}\n{sample}\n{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(identity).digest()[:4], "big") >> 1


def _schema(question: OrderedPrompt) -> dict[str, Any]:
    """A JSON schema that allows the options only, as ``response_format`` takes it."""
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "answer",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"answer": {"type": "string", "enum": list(question.answers)}},
                "required": ["answer"],
                "additionalProperties": False,
            },
        },
    }


def _full_url(url: str, api: str) -> str:
    """The URL of an API; a base URL gets its path.

    >>> _full_url("http://localhost:8000/v1/", "chat"), _full_url("http://localhost/v1/completions", "completions")
    ('http://localhost:8000/v1/chat/completions', 'http://localhost/v1/completions')
    """
    base, mark, query = url.partition("?")
    base = base.rstrip("/")
    return (base if base.endswith(PATHS[api]) else base + PATHS[api]) + mark + query

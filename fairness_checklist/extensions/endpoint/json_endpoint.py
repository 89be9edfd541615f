"""A model that answers JSON with JSON: a function from texts to outputs, read as those of any other function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fairness_checklist.core.errors import OptionError, first_ten
from fairness_checklist.core.tasks import Task
from fairness_checklist.extensions.endpoint.client import Client, MalformedAnswerError
from fairness_checklist.extensions.endpoint.endpoint_options import Endpoint, fingerprint_of, recorded_url
from fairness_checklist.models.functions.callables import FunctionClassifier
from fairness_checklist.models.functions.token_callables import FunctionTagger

BATCH_SIZE = 32
"""Texts a request, where the template takes several."""
TEXT, TEXTS = "{{text}}", "{{texts}}"


def open_json(
    endpoint: Endpoint, task: Task, options: dict[str, Any], *, batch_size: int, scheme: str
) -> JsonClassifier | JsonTagger:
    """The model behind an endpoint for a task; nothing is sent before it is asked."""
    size = BATCH_SIZE if batch_size == 256 else batch_size
    if task.tagging:
        return JsonTagger(endpoint, task.classes, batch_size=size, scheme=scheme, **options)
    return JsonClassifier(endpoint, task.classes, batch_size=size, **options)


class _BehindEndpoint:
    """A function model whose function asks an `Endpoint`; ``batch_size`` is that of a request with several texts."""

    unwrap = False

    def __init__(
        self, endpoint: Endpoint, known: Sequence[str], *, batch_size: int, name: str | None = None, **options: Any
    ) -> None:
        self._endpoint = endpoint
        concurrency = endpoint.connection.concurrency
        together = batch_size * concurrency if takes_several(endpoint.request) else max(BATCH_SIZE, 4 * concurrency)
        function = endpoint_function(endpoint, batch_size, unwrap=self.unwrap)
        options |= {"name": name or recorded_url(endpoint.url), "batch_size": together}
        super().__init__(function, known, **options)  # type: ignore[call-arg]

    @property
    def fingerprint(self) -> str:
        """Hash of the endpoint, the date, and the classes or types."""
        return fingerprint_of([super().fingerprint, self._endpoint.fingerprint])  # type: ignore[misc]

    def describe(self) -> dict[str, object]:
        """For ``run.json``: the URL without its query, the request and the date; there are no weights to hash."""
        return {
            **super().describe(),  # type: ignore[misc]
            "kind": "endpoint",
            "url": recorded_url(self._endpoint.url),
            "request": self._endpoint.request,
            "response": self._endpoint.response,
            "date": self._endpoint.as_of,
        }


class JsonClassifier(_BehindEndpoint, FunctionClassifier):
    """A classifier behind an `Endpoint`: its outputs are all those that a function may return."""

    unwrap = True


class JsonTagger(_BehindEndpoint, FunctionTagger):
    """A tagger behind an `Endpoint`: character spans, tags, or what else a function that tags may return."""


def endpoint_function(endpoint: Endpoint, batch_size: int, *, unwrap: bool) -> Callable[[list[str]], list[Any]]:
    """The function from texts to one output a text, as far as `Endpoint` describes it.

    With ``unwrap`` a list of one list stands for that list, as some servers give it for one text.
    """
    several = takes_several(endpoint.request)
    client = Client(endpoint.url, endpoint.connection)

    def function(texts: list[str]) -> list[Any]:
        step = batch_size if several else 1
        batches = [texts[start : start + step] for start in range(0, len(texts), step)]

        def read(answer: Any) -> Any:
            return output_at(answer, endpoint.response)

        outputs = client.post(
            [(fill(endpoint.request, batch), _counted(read, len(batch)) if several else read) for batch in batches]
        )
        if several:
            return [output for part in outputs for output in part]
        return [_single(output) for output in outputs] if unwrap else outputs

    function.__qualname__ = recorded_url(endpoint.url)
    return function


def _counted(read: Callable[[Any], Any], n: int) -> Callable[[Any], Any]:
    def counted(answer: Any) -> Any:
        output = read(answer)
        if not isinstance(output, list) or len(output) != n:
            amount = f"{len(output):,} outputs" if isinstance(output, list) else f"a {type(output).__name__}"
            raise MalformedAnswerError(f"{amount} for {n:,} texts")
        return output

    return counted


def _single(output: Any) -> Any:
    """The output for one text, without the list of one entry that some servers put around a list."""
    if isinstance(output, list) and len(output) == 1 and isinstance(output[0], list):
        return output[0]
    return output


def takes_several(template: Any) -> bool:
    """Whether a template holds ``"{{texts}}"``, and not ``"{{text}}"``."""
    strings = _strings(template)
    lone, several = any(TEXT in text for text in strings), TEXTS in strings
    if lone == several:
        raise OptionError(
            f"the request template holds {'both' if lone else 'neither'} {TEXT} {'and' if lone else 'nor'} {TEXTS}.",
            remedy=f'Write "{TEXT}" for one text a request, or "{TEXTS}", alone in its string, for a list.',
        )
    return several


def _strings(template: Any) -> list[str]:
    if isinstance(template, str):
        return [template]
    inner = template.values() if isinstance(template, dict) else template if isinstance(template, list) else ()
    return [text for part in inner for text in _strings(part)]


def fill(template: Any, texts: Sequence[str]) -> Any:
    """A request for some texts; a template with ``{{text}}`` takes one.

    >>> fill({"inputs": "Text: {{text}}", "n": 1}, ["Anna is here."])
    {'inputs': 'Text: Anna is here.', 'n': 1}
    >>> fill({"instances": "{{texts}}"}, ["Hi.", "Ho."])
    {'instances': ['Hi.', 'Ho.']}
    """
    if isinstance(template, str):
        return list(texts) if template == TEXTS else template.replace(TEXT, texts[0])
    if isinstance(template, dict):
        return {key: fill(part, texts) for key, part in template.items()}
    return [fill(part, texts) for part in template] if isinstance(template, list) else template


def output_at(answer: Any, path: str) -> Any:
    """What stands at a path in an answer.

    >>> output_at({"predictions": [{"p": 0.25}, {"p": 0.75}]}, "predictions.*.p")
    [0.25, 0.75]
    >>> output_at([[{"label": "toxic", "score": 0.5}]], "0")
    [{'label': 'toxic', 'score': 0.5}]
    """
    value = answer
    parts = [part for part in path.split(".") if part]
    for at, part in enumerate(parts):
        if part == "*" and isinstance(value, list):
            rest = ".".join(parts[at + 1 :])
            return [output_at(entry, rest) for entry in value]
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.lstrip("-").isdigit() and -len(value) <= int(part) < len(value):
            value = value[int(part)]
        else:
            there = first_ten(value) if isinstance(value, dict) else f"a {type(value).__name__}"
            raise MalformedAnswerError(f"no {part!r} of the response path {path!r}; there is {there}")
    return value

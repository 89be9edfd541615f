"""A model that answers JSON with JSON: a function from texts to outputs, read as those of any other function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fairness_checklist.extensions.endpoint.client import Client, MalformedAnswerError
from fairness_checklist.extensions.endpoint.options import Endpoint, fingerprint_of, recorded_url
from fairness_checklist.extensions.endpoint.request_template import fill, output_at, takes_several
from fairness_checklist.models.functions.callables import FunctionClassifier
from fairness_checklist.models.functions.token_callables import FunctionTagger

BATCH_SIZE = 32
"""Texts a request, where the template takes several."""


class JsonClassifier(FunctionClassifier):
    """A classifier behind an `Endpoint`: its outputs are all those that a function may return.

    Args:
        endpoint: where it is.
        task_classes: the task's classes.
        options: ``classes``, ``labels`` and ``name`` of `FunctionClassifier`.
        batch_size: texts a request, where the template takes several.
    """

    def __init__(
        self, endpoint: Endpoint, task_classes: Sequence[str], *, batch_size: int = BATCH_SIZE, **options: Any
    ) -> None:
        self._endpoint = endpoint
        name = options.pop("name", None) or recorded_url(endpoint.url)
        function = endpoint_function(endpoint, batch_size, unwrap=True)
        super().__init__(function, task_classes, name=name, batch_size=_chunk(endpoint, batch_size), **options)

    @property
    def fingerprint(self) -> str:
        """Hash of the endpoint, the date, and the classes."""
        return fingerprint_of([super().fingerprint, self._endpoint.fingerprint])

    def describe(self) -> dict[str, object]:
        """For ``run.json``: the URL, the request and the date; the model behind it has no weights to hash."""
        return {**super().describe(), **recorded(self._endpoint)}


class JsonTagger(FunctionTagger):
    """A tagger behind an `Endpoint`: character spans, tags, or what else a function that tags may return.

    Args:
        endpoint: where it is.
        suite_types: the types of entities of the suite.
        options: ``classes``, ``labels``, ``scheme`` and ``name`` of `FunctionTagger`.
        batch_size: texts a request, where the template takes several.
    """

    def __init__(
        self, endpoint: Endpoint, suite_types: Sequence[str], *, batch_size: int = BATCH_SIZE, **options: Any
    ) -> None:
        self._endpoint = endpoint
        name = options.pop("name", None) or recorded_url(endpoint.url)
        function = endpoint_function(endpoint, batch_size)
        super().__init__(function, suite_types, name=name, batch_size=_chunk(endpoint, batch_size), **options)

    @property
    def fingerprint(self) -> str:
        """Hash of the endpoint, the date, and the types."""
        return fingerprint_of([super().fingerprint, self._endpoint.fingerprint])

    def describe(self) -> dict[str, object]:
        """For ``run.json``: the URL, the request and the date."""
        return {**super().describe(), **recorded(self._endpoint)}


def recorded(endpoint: Endpoint) -> Mapping[str, object]:
    """What ``run.json`` has of an endpoint: no query, no header and no key."""
    return {
        "kind": "endpoint",
        "url": recorded_url(endpoint.url),
        "request": endpoint.request,
        "response": endpoint.response,
        "date": endpoint.as_of,
    }


def _chunk(endpoint: Endpoint, batch_size: int) -> int:
    """Texts that are asked, and kept, together."""
    if takes_several(endpoint.request):
        return batch_size * endpoint.connection.concurrency
    return max(BATCH_SIZE, 4 * endpoint.connection.concurrency)


def endpoint_function(
    endpoint: Endpoint, batch_size: int = BATCH_SIZE, *, unwrap: bool = False
) -> Callable[[list[str]], list[Any]]:
    """The function from texts to one output a text, as far as `Endpoint` describes it.

    Args:
        endpoint: where the model is.
        batch_size: texts a request, where the template holds ``{{texts}}``.
        unwrap: whether a list of one list stands for that list, as some servers give it for one text.

    Raises:
        OptionError: a template without its placeholder, or a key that is not set.
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
            return [one for part in outputs for one in part]
        return [_single(one) for one in outputs] if unwrap else outputs

    function.__qualname__ = recorded_url(endpoint.url)
    return function


def _counted(read: Callable[[Any], Any], n: int) -> Callable[[Any], Any]:
    def counted(answer: Any) -> Any:
        output = read(answer)
        if not isinstance(output, list) or len(output) != n:
            got = f"{len(output):,} outputs" if isinstance(output, list) else f"a {type(output).__name__}"
            raise MalformedAnswerError(f"{got} for {n:,} texts")
        return output

    return counted


def _single(output: Any) -> Any:
    """The output for one text, without the list of one entry that some servers put around a list."""
    if isinstance(output, list) and len(output) == 1 and isinstance(output[0], list):
        return output[0]
    return output

"""Requests to an endpoint, bounded, paced and tried again after a failure; and a model that answers JSON with JSON."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from fairness_checklist.core.errors import (
    EndpointError,
    FairnessChecklistError,
    MissingExtraError,
    ModelError,
    OptionError,
    count,
    first_ten,
)
from fairness_checklist.extensions.endpoint.endpoint_options import Connection, Endpoint, fingerprint_of, recorded_url
from fairness_checklist.models.functions.callables import FunctionClassifier
from fairness_checklist.models.functions.token_callables import FunctionTagger

AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)
"""Status codes after which a request is sent again."""
MAX_WAIT = 300.0
"""The largest number of seconds to wait before an attempt."""
_FILTER = re.compile(r"content[_ ]?(?:filter|policy)|ResponsibleAI", re.IGNORECASE)
_SLOWER = "The same command continues with what is missing; a lower rate or concurrency may help."
_MALFORMED = "Check the response path, and what the endpoint answers; the same command continues with what is missing."
_SHOWN = 300  # characters of an answer in an error, which holds it whole until the key is hidden


class MalformedAnswerError(Exception):
    """An answer that is not of the form that is documented."""


class Client:
    """Sends JSON to one URL.

    A request is sent again after a time-out, a lost connection, an answer that is no JSON and the status codes `AGAIN`:
    after the seconds that ``Retry-After`` names, else after 1, 2, 4, ... times ``backoff``. At most ``concurrency``
    requests are under way.
    """

    def __init__(self, url: str, connection: Connection, filtered: Any = None) -> None:
        try:
            import anyio.from_thread  # only runs that send something load them
            import httpx
        except ImportError as error:
            raise MissingExtraError(
                "a model behind an endpoint needs httpx, which is not installed.",
                remedy='Install it: pip install "fairness-checklist[endpoint]".',
            ) from error

        self._httpx, self._portal = httpx, anyio.from_thread.start_blocking_portal
        self._url, self._connection, self._filtered = url, connection, filtered
        self._name = recorded_url(url)
        self._key = connection.key()
        self._next_start = 0.0

    def post(
        self, requests: Sequence[tuple[Any, Callable[[Any], Any]]], advance: Callable[[int], object] = lambda _row: None
    ) -> list[Any]:
        """Send each request, and what the function beside it reads from the answer, in the order of the requests."""
        with self._portal() as portal:  # an event loop of its own: that of a notebook is running
            future = portal.start_task_soon(self._post_all, requests, advance)
            try:
                answers: list[Any] = future.result()
                return answers
            finally:
                future.cancel()

    async def _post_all(
        self, requests: Sequence[tuple[Any, Callable[[Any], Any]]], advance: Callable[[int], object]
    ) -> list[Any]:
        connection, address = self._connection, urlsplit(self._url)
        limit = asyncio.Semaphore(connection.concurrency)
        bearer = "Bearer " if connection.key_header.lower() == "authorization" else ""
        http = self._httpx.AsyncClient(
            timeout=None,  # httpx's is that of each piece of an answer
            headers={connection.key_header: bearer + self._key} if self._key else {},
            verify=address.scheme == "https",
            trust_env=address.hostname not in ("localhost", "127.0.0.1", "::1"),
        )

        async def answer(row: int) -> Any:
            async with limit:
                output = await self._answer(http, *requests[row])
            advance(row)
            return output

        async with http:
            tasks = [asyncio.ensure_future(answer(row)) for row in range(len(requests))]
            try:
                return list(await asyncio.gather(*tasks))
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, http: Any, body: Any, read: Callable[[Any], Any]) -> Any:
        """One answer, after as many attempts as are allowed."""
        connection = self._connection
        for attempt in range(1, connection.attempts + 1):
            await self._wait_for_turn()
            wait: float | None = None
            try:
                async with asyncio.timeout(connection.timeout):  # from the connection to the last byte
                    reply = await http.post(self._url, json=body)
                if reply.status_code == 200:
                    return read(self._json(reply))
                if self._filtered is not None and reply.status_code == 400 and _FILTER.search(reply.text):
                    return read(self._filtered)
                why, wait = self._refused(reply), _retry_after(reply.headers.get("retry-after"))
            except TimeoutError:
                why = self._failure(f"did not answer within {connection.timeout:g} s")
            except self._httpx.RemoteProtocolError as error:
                why = self._failure(f"does not keep to HTTP: {self._shown(str(error).strip().rstrip('.'))}")
            except self._httpx.TransportError as error:
                why = self._failure(f"cannot be reached: {self._shown(str(error)) or type(error).__name__}")
            except (MalformedAnswerError, self._httpx.DecodingError) as error:
                why = self._failure(f"gave an answer that is malformed: {self._shown(str(error))}", remedy=_MALFORMED)
            if attempt == connection.attempts:
                break
            wait = connection.backoff * 2 ** (attempt - 1) if wait is None else wait
            if wait > MAX_WAIT:
                why = self._failure(f"asks to wait {wait:,.0f} s", again=False)
                break
            await asyncio.sleep(wait)
        raise why  # not from the error: a traceback would print that one, and the key in it

    async def _wait_for_turn(self) -> None:
        """Wait so that requests start at most as often as the rate allows."""
        rate = self._connection.requests_per_minute
        if rate is not None:
            now = asyncio.get_running_loop().time()
            start = max(now, self._next_start)
            self._next_start = start + 60 / rate
            await asyncio.sleep(start - now)

    def _json(self, reply: Any) -> Any:
        try:
            return json.loads(reply.content)
        except (ValueError, RecursionError) as error:
            written: object = reply.content if isinstance(error, UnicodeDecodeError) else reply.text
            raise MalformedAnswerError(f"no JSON: {written!r}" if reply.content else "an empty body") from error

    def _refused(self, reply: Any) -> FairnessChecklistError:
        """The error for a status code; raises where more attempts are no use."""
        text = self._shown(reply.text.strip())
        what = f"answered with status {reply.status_code}{': ' + text if text else ''}"
        if reply.status_code in AGAIN:
            return self._failure(what)
        remedy = "Check the URL, the request and its fields."
        if reply.next_request is not None:
            url = recorded_url(str(reply.next_request.url))
            what = f"answered with status {reply.status_code}, which leads to {url}"
            remedy = "Requests are sent to no other URL: give the one that answers."
        if reply.status_code in (401, 403):
            variable = self._connection.key_env
            remedy = f"Check the key in the variable {variable}." if variable else "Name the variable with the key."
        raise ModelError(f"the endpoint {self._name} {what}.", remedy=remedy)

    def _failure(self, what: str, *, again: bool = True, remedy: str = _SLOWER) -> FairnessChecklistError:
        tries = f" ({count(self._connection.attempts, 'attempt')})" if again else ""
        return EndpointError(f"the endpoint {self._name} {what}{tries}.", remedy=remedy)

    def _shown(self, text: str) -> str:
        """The beginning of a text without the key: hidden before it is cut, so that no part of it is left."""
        if self._key:
            for written in (self._key, json.dumps(self._key)[1:-1], repr(self._key)[1:-1]):
                text = text.replace(written, "***")
        return text[:_SHOWN]


def _retry_after(value: str | None) -> float | None:
    """The seconds of a ``Retry-After`` header, which holds seconds or a date (RFC 9110, section 10.2.3).

    >>> _retry_after("2"), _retry_after(None), _retry_after("soon")
    (2.0, None, None)
    >>> _retry_after("Wed, 21 Oct 2015 07:28:00 GMT")
    0.0
    """
    with suppress(TypeError, ValueError):
        return max(0.0, float(value or ""))
    with suppress(TypeError, ValueError):
        return max(0.0, (parsedate_to_datetime(value or "") - datetime.now(UTC)).total_seconds())
    return None


BATCH_SIZE = 32
"""Texts a request, where the template takes several."""
TEXT, TEXTS = "{{text}}", "{{texts}}"


class _BehindEndpoint:
    """A function model whose function asks an `Endpoint`; ``batch_size`` is that of a request with several texts."""

    def __init__(
        self, endpoint: Endpoint, known: Sequence[str], *, batch_size: int, name: str | None = None, **options: Any
    ) -> None:
        self._endpoint = endpoint
        concurrency = endpoint.connection.concurrency
        together = batch_size * concurrency if takes_several(endpoint.request) else max(BATCH_SIZE, 4 * concurrency)
        function = endpoint_function(endpoint, batch_size)
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


class JsonTagger(_BehindEndpoint, FunctionTagger):
    """A tagger behind an `Endpoint`: character spans, tags, or what else a function that tags may return."""


def endpoint_function(endpoint: Endpoint, batch_size: int) -> Callable[[list[str]], list[Any]]:
    """The function from texts to one output a text."""
    several = takes_several(endpoint.request)
    client = Client(endpoint.url, endpoint.connection)

    def read_several(answer: Any, n: int) -> list[Any]:
        output = output_at(answer, endpoint.response)
        if not isinstance(output, list) or len(output) != n:
            amount = f"{len(output):,} outputs" if isinstance(output, list) else f"a {type(output).__name__}"
            raise MalformedAnswerError(f"{amount} for {n:,} texts")
        return output

    def read_one(answer: Any) -> list[Any]:
        return [output_at(answer, endpoint.response)]

    def function(texts: list[str]) -> list[Any]:
        step = batch_size if several else 1
        batches = [texts[start : start + step] for start in range(0, len(texts), step)]
        requests = [
            (fill(endpoint.request, batch), partial(read_several, n=len(batch)) if several else read_one)
            for batch in batches
        ]
        return [output for outputs in client.post(requests) for output in outputs]

    function.__qualname__ = recorded_url(endpoint.url)
    return function


def takes_several(template: Any) -> bool:
    """Whether a template holds ``"{{texts}}"``, and not ``"{{text}}"``."""
    strings = _strings(template)
    single, several = any(TEXT in text for text in strings), TEXTS in strings
    if single == several:
        both = f"both {TEXT} and {TEXTS}" if several else f"neither {TEXT} nor {TEXTS}"
        raise OptionError(
            f"the request template holds {both}.",
            remedy=f'Write "{TEXT}" for one text a request, or "{TEXTS}", alone in its string, for a list.',
        )
    return several


def _strings(template: Any) -> list[str]:
    if isinstance(template, str):
        return [template]
    inner = template.values() if isinstance(template, dict) else template if isinstance(template, list) else ()
    return [text for value in inner for text in _strings(value)]


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
        return {key: fill(value, texts) for key, value in template.items()}
    return [fill(value, texts) for value in template] if isinstance(template, list) else template


def output_at(answer: Any, path: str) -> Any:
    """What stands at a path in an answer.

    >>> output_at({"predictions": [{"p": 0.25}, {"p": 0.75}]}, "predictions.*.p")
    [0.25, 0.75]
    >>> output_at([[{"label": "toxic", "score": 0.5}]], "0")
    [{'label': 'toxic', 'score': 0.5}]
    """
    value = answer
    keys = [key for key in path.split(".") if key]
    for depth, key in enumerate(keys):
        if key == "*" and isinstance(value, list):
            return [output_at(entry, ".".join(keys[depth + 1 :])) for entry in value]
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.lstrip("-").isdigit() and -len(value) <= int(key) < len(value):
            value = value[int(key)]
        else:
            found = first_ten(value) if isinstance(value, dict) else f"a {type(value).__name__}"
            raise MalformedAnswerError(f"no {key!r} of the response path {path!r}; there is {found}")
    return value

"""Requests to an endpoint, bounded, paced and tried again after a failure; and a model that answers JSON with JSON."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
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
_FILTER = re.compile(r"content[_ ]?(?:filter|policy)|ResponsibleAI", re.IGNORECASE)
_SLOWER = "The same command continues with what is missing; a lower rate or concurrency may help."
_MALFORMED = "Check the response path, and what the endpoint answers; the same command continues with what is missing."
_SHOWN = 300  # characters of an answer in an error, which holds it whole until the key is hidden
_LOCAL = ("localhost", "127.0.0.1", "::1")


class Client:
    """Sends JSON to one URL.

    A request is sent again after a time-out, a lost connection, an answer that is no JSON and the status codes `AGAIN`:
    after the seconds that ``Retry-After`` names, else after 1, 2, 4, ... times ``backoff``. Requests run in
    ``concurrency`` threads, and the answers come in the order of the requests.
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

        self._httpx, self._anyio = httpx, anyio
        self._url, self._connection, self._filtered = url, connection, filtered
        self._name = recorded_url(url)
        self._key = connection.key()
        self._turn = threading.Lock()
        self._next = 0.0

    def post(
        self, requests: Sequence[tuple[Any, Callable[[Any], Any]]], advance: Callable[[int], object] = lambda _at: None
    ) -> list[Any]:
        """Send each request, and what the function beside it reads from the answer, in the order of the requests."""
        stop = threading.Event()
        local = urlsplit(self._url).hostname in _LOCAL
        http = self._httpx.AsyncClient(
            timeout=None,  # of a whole request it is in `_send`; httpx's is that of each piece of an answer
            headers=self._headers(),
            verify=urlsplit(self._url).scheme == "https",
            trust_env=not local,
            limits=self._httpx.Limits(max_connections=self._connection.concurrency),
        )
        with (
            self._anyio.from_thread.start_blocking_portal() as portal,
            portal.wrap_async_context_manager(http),
            ThreadPoolExecutor(self._connection.concurrency) as pool,
        ):

            def post(at: int) -> Any:
                answer = self._answer(partial(portal.call, self._send, http), *requests[at], stop)
                advance(at)
                return answer

            tasks = [pool.submit(post, at) for at in range(len(requests))]
            try:
                wait(tasks, return_when=FIRST_EXCEPTION)
                failed = [task for task in tasks if task.done() and not task.cancelled() and task.exception()]
                if failed:
                    failed[0].result()
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
            return [task.result() for task in tasks]

    def _headers(self) -> dict[str, str]:
        headers = dict(self._connection.headers)
        if self._key:
            bearer = self._connection.key_header.lower() == "authorization"
            headers[self._connection.key_header] = f"Bearer {self._key}" if bearer else self._key
        return headers

    async def _send(self, http: Any, body: Any) -> Any:
        """The reply to one request, within the time for all of it."""
        with self._anyio.fail_after(self._connection.timeout):
            async with http.stream("POST", self._url, json=body) as reply:
                raw = b"".join([part async for part in reply.aiter_raw()])
        try:
            whole = self._httpx.Response(reply.status_code, headers=reply.headers, content=raw)
        except self._httpx.DecodingError as error:
            encoding = reply.headers["content-encoding"]
            raise MalformedAnswerError(f"no {encoding}, which its Content-Encoding names: {raw!r}") from error
        whole.next_request = reply.next_request
        return whole

    def _answer(self, send: Callable[[Any], Any], body: Any, read: Callable[[Any], Any], stop: threading.Event) -> Any:
        """One answer, after as many attempts as are allowed."""
        why: FairnessChecklistError | None = None
        for attempt in range(self._connection.attempts):
            if stop.is_set():
                break
            self._wait_for_turn(stop)
            asked: float | None = None
            try:
                reply = send(body)
                if reply.status_code == 200:
                    return read(self._json(reply))
                if self._filtered is not None and reply.status_code == 400 and _FILTER.search(reply.text):
                    return read(self._filtered)
                why, asked = self._refused(reply)
            except TimeoutError:
                why = self._failure(f"did not answer within {self._connection.timeout:g} s")
            except self._httpx.RemoteProtocolError as error:
                why = self._failure(f"does not keep to HTTP: {self._shown(str(error).strip().rstrip('.'))}")
            except self._httpx.TransportError as error:
                why = self._failure(f"cannot be reached: {self._shown(str(error)) or type(error).__name__}")
            except MalformedAnswerError as error:
                why = self._failure(f"gave an answer that is malformed: {self._shown(str(error))}", remedy=_MALFORMED)
            if attempt + 1 == self._connection.attempts:
                raise why  # not from the error: a traceback would print that one, and the key in it
            delay = self._connection.backoff * 2**attempt if asked is None else asked
            if delay > self._connection.max_wait:
                raise self._failure(f"asks to wait {delay:,.0f} s", again=False)
            stop.wait(delay)
        raise why or EndpointError(f"the endpoint {self._name} was not asked, because another request failed.")

    def _wait_for_turn(self, stop: threading.Event) -> None:
        """Wait so that requests start at most as often as the rate allows."""
        rate = self._connection.requests_per_minute
        if rate is None:
            return
        with self._turn:
            now = time.monotonic()
            start = max(now, self._next)
            self._next = start + 60 / rate
        stop.wait(start - now)

    def _json(self, reply: Any) -> Any:
        try:
            return json.loads(reply.content)
        except (ValueError, RecursionError) as error:
            written: object = reply.content if isinstance(error, UnicodeDecodeError) else reply.text
            raise MalformedAnswerError(f"no JSON: {written!r}" if reply.content else "an empty body") from error

    def _refused(self, reply: Any) -> tuple[FairnessChecklistError, float | None]:
        """The error for a status code, and the seconds to wait that the answer names; raises where more is no use."""
        said = self._shown(reply.text.strip())
        what = f"answered with status {reply.status_code}{': ' + said if said else ''}"
        if reply.status_code in AGAIN:
            return self._failure(what), _retry_after(reply.headers.get("retry-after"))
        remedy = "Check the URL, the request and its fields."
        if reply.next_request is not None:
            what = (
                f"answered with status {reply.status_code}, which leads to {recorded_url(str(reply.next_request.url))}"
            )
            remedy = "Requests are sent to no other URL: give the one that answers."
        if reply.status_code in (401, 403):
            variable = self._connection.key_env
            remedy = f"Check the key in the variable {variable}." if variable else "Name the variable with the key."
        raise ModelError(f"the endpoint {self._name} {what}.", remedy=remedy)

    def _failure(self, what: str, *, again: bool = True, remedy: str = _SLOWER) -> EndpointError:
        tries = f" ({count(self._connection.attempts, 'attempt')})" if again else ""
        return EndpointError(f"the endpoint {self._name} {what}{tries}.", remedy=remedy)

    def _shown(self, text: str) -> str:
        """The beginning of a text without the key: hidden before it is cut, so that no part of it is left."""
        if self._key:
            for written in (self._key, json.dumps(self._key)[1:-1], repr(self._key)[1:-1]):
                text = text.replace(written, "***")
        return text[:_SHOWN]


class MalformedAnswerError(Exception):
    """An answer that is not of the form that is documented."""


def _retry_after(value: str | None) -> float | None:
    """The seconds of a ``Retry-After`` header, which holds seconds or a date (RFC 9110, section 10.2.3).

    >>> _retry_after("2"), _retry_after(None), _retry_after("soon")
    (2.0, None, None)
    >>> _retry_after("Wed, 21 Oct 2015 07:28:00 GMT")
    0.0
    """
    if value is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(TypeError, ValueError):
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    return None


BATCH_SIZE = 32
"""Texts a request, where the template takes several."""
TEXT, TEXTS = "{{text}}", "{{texts}}"


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
        read = partial(_outputs if several else output_at, path=endpoint.response)
        outputs = client.post(
            [(fill(endpoint.request, batch), partial(read, n=len(batch)) if several else read) for batch in batches]
        )
        if several:
            return [output for part in outputs for output in part]
        return [_single(output) for output in outputs] if unwrap else outputs

    function.__qualname__ = recorded_url(endpoint.url)
    return function


def _outputs(answer: Any, path: str, n: int) -> list[Any]:
    """The outputs for n texts."""
    output = output_at(answer, path)
    if not isinstance(output, list) or len(output) != n:
        amount = f"{len(output):,} outputs" if isinstance(output, list) else f"a {type(output).__name__}"
        raise MalformedAnswerError(f"{amount} for {n:,} texts")
    return output


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

"""Requests to an endpoint, few at a time and tried again after a failure."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from fairness_checklist.core.errors import EndpointError, FairnessChecklistError, MissingExtraError, ModelError, count
from fairness_checklist.extensions.endpoint.endpoint_options import Connection, recorded_url

_AGAIN = (408, 409, 425, 429, 500, 502, 503, 504, 529)  # status codes after which a request is sent again
_LONGEST_WAIT = 300.0  # seconds before an attempt
FILTERED = {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}
"""What is read in place of an error that says that a content filter withheld the answer."""
_FILTER = re.compile(r"content[_ ]?(?:filter|policy)|ResponsibleAI", re.IGNORECASE)
_SLOWER = "The same command continues with what is missing; a lower concurrency may help."
_MALFORMED = "Check what the endpoint answers; the same command continues with what is missing."
_SHOWN = 300  # characters of an answer in an error, which holds it whole until the key is hidden


class MalformedAnswerError(Exception):
    """An answer that is not of the form that is documented."""


class Client:
    """Sends JSON to one URL, and again after a time-out, a lost connection, an answer that is no JSON and some codes.

    It waits the seconds that ``Retry-After`` names, else 1, 2, 4, ... times ``backoff``.
    """

    def __init__(self, url: str, connection: Connection) -> None:
        try:
            import anyio.from_thread  # only runs that send something load them
            import httpx
        except ImportError as error:
            raise MissingExtraError(
                "a model behind an endpoint needs httpx, which is not installed.",
                remedy='Install it: pip install "fairness-checklist[endpoint]".',
            ) from error

        self._httpx, self._portal = httpx, anyio.from_thread.start_blocking_portal
        self._url, self._connection = url, connection
        self._name = recorded_url(url)
        self._key = connection.key()

    def post(
        self, requests: Sequence[tuple[Any, Callable[[Any], Any]]], advance: Callable[[int], object] = lambda _row: None
    ) -> list[Any]:
        """Send each request, and what the function beside it reads from the answer, in the order of the requests."""
        with self._portal() as portal:  # an event loop of its own: that of a notebook is running
            answers: list[Any] = portal.call(self._post_all, requests, advance)
        return answers

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

        try:
            async with http, asyncio.TaskGroup() as group:
                tasks = [group.create_task(answer(row)) for row in range(len(requests))]
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _answer(self, http: Any, body: Any, read: Callable[[Any], Any]) -> Any:
        """One answer, after as many attempts as are allowed."""
        connection = self._connection
        for attempt in range(1, connection.attempts + 1):
            wait: float | None = None
            try:
                async with asyncio.timeout(connection.timeout):  # from the connection to the last byte
                    reply = await http.post(self._url, json=body)
                if reply.status_code == 200:
                    return read(self._json(reply))
                if reply.status_code == 400 and _FILTER.search(reply.text):
                    return read(FILTERED)
                why = self._refused(reply)
                with suppress(ValueError):  # seconds, and not a date
                    wait = max(0.0, float(reply.headers.get("retry-after", "")))
            except TimeoutError:
                why = self._failure(f"did not answer within {connection.timeout:g} s")
            except self._httpx.TransportError as error:
                why = self._failure(f"cannot be reached: {self._shown(str(error).strip()) or type(error).__name__}")
            except (MalformedAnswerError, self._httpx.DecodingError) as error:
                why = self._failure(f"gave an answer that is malformed: {self._shown(str(error))}", remedy=_MALFORMED)
            if attempt == connection.attempts:
                break
            wait = connection.backoff * 2 ** (attempt - 1) if wait is None else wait
            if wait > _LONGEST_WAIT:
                why = self._failure(f"asks to wait {wait:,.0f} s", again=False)
                break
            await asyncio.sleep(wait)
        raise why  # not from the error: a traceback would print that one, and the key in it

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
        if reply.status_code in _AGAIN:
            return self._failure(what)
        remedy = "Check the URL, the request and its fields."
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

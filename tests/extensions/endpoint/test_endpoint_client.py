"""Requests to an endpoint: tried again, paced, bounded, in order, and without the key in any error."""

from __future__ import annotations

import re
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from endpoint_server import serving, serving_bytes
from sweep import sweep
from waiting import PATIENCE

from fairness_checklist.core.errors import ModelError, OptionError, PredictionError
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, Connection, Endpoint
from fairness_checklist.extensions.endpoint.json_endpoint import Client
from fairness_checklist.extensions.endpoint.prompt_answers import read_reply
from fairness_checklist.models.load import load_model

FAST = {"backoff": 0.001}
TEMPLATE = {"inputs": "{{text}}"}
SLOWER = "The same command continues with what is missing; a lower rate or concurrency may help."
MALFORMED = "Check the response path, and what the endpoint answers; the same command continues with what is missing."


def asked(url: str, n: int, **options: Any) -> list[Any]:
    connection = Connection(**{**FAST, **options})
    return Client(url, connection).post([({"n": at}, lambda answer: answer["n"]) for at in range(n)])


def test_answers_come_in_the_order_of_the_requests_and_few_are_under_way() -> None:
    three = threading.Barrier(3)

    def together(body: Any) -> Any:
        if body["n"] < 3:  # the first three are under way at once, however slow the machine is
            three.wait(PATIENCE)
        return body

    with serving(together) as server:
        assert asked(server.url, 20, concurrency=3) == list(range(20))
    assert server.most_at_once == 3


def test_a_request_is_sent_again_after_each_kind_of_failure() -> None:
    failures: list[Any] = [
        (429, {"Retry-After": "0.2"}, {"error": "slow down"}),
        (503, {}, b"<html>"),
        b"{no json",
        {"other": 1},
        "hangs",
    ]
    waiting, answered = list(failures), threading.Event()

    def failing(body: Any) -> Any:
        one = waiting.pop(0) if waiting else body
        if one == "hangs":
            answered.wait(PATIENCE)
        return one

    def read(answer: Any) -> Any:
        from fairness_checklist.extensions.endpoint.json_endpoint import MalformedAnswerError

        if "n" not in answer:
            raise MalformedAnswerError("no n")
        return answer["n"]

    with serving(failing) as server:
        client = Client(server.url, Connection(timeout=3, backoff=0.001))
        assert client.post([({"n": 7}, read)]) == [7]
        answered.set()
        assert len(server.bodies) == len(failures) + 1
        assert server.times[1] - server.times[0] >= 0.2  # what Retry-After names


@sweep(
    ("answer", "what"),
    [
        ((429, {"Retry-After": "0"}, "slow"), 'answered with status 429: "slow" (2 attempts)'),
        ((500, {}, b""), "answered with status 500 (2 attempts)"),
        (b"{no", "gave an answer that is malformed: no JSON: '{no' (2 attempts)"),
        ((429, {"Retry-After": "900"}, "slow"), "asks to wait 900 s"),
        ("hangs", "did not answer within 0.1 s (2 attempts)"),
    ],
)
def test_the_error_after_all_attempts(answer: Any, what: str) -> None:
    def reply(_body: Any) -> Any:
        if answer == "hangs":
            time.sleep(0.3)
        return answer

    with serving(reply) as server, pytest.raises(PredictionError) as caught:
        asked(server.url, 1, attempts=2, timeout=0.1 if answer == "hangs" else 5)
    remedy = MALFORMED if "malformed" in what else SLOWER
    assert str(caught.value) == f"the endpoint {server.url} {what}.\n    {remedy}"


HTTP = b"HTTP/1.1 200 OK\r\n"


@sweep(
    "parts",
    [
        [HTTP + b"Content-Length: 90\r\n\r\n", *[b"1"] * 90],
        [HTTP, *[b"X-Slow: 1\r\n"] * 90],
        [HTTP + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\n1\r\n"] * 90],
    ],
)
def test_the_time_is_that_of_a_whole_request(parts: list[bytes]) -> None:
    """Each piece comes in time, and all of them together take half a minute."""
    with serving_bytes(*parts, pause=0.4) as url, pytest.raises(PredictionError) as caught:
        asked(url, 1, attempts=2, timeout=0.6)
    assert str(caught.value) == f"the endpoint {url} did not answer within 0.6 s (2 attempts).\n    {SLOWER}"


@sweep(
    ("reply", "what"),
    [
        (
            b"Content-Encoding: gzip\r\n\r\n{}",
            "gave an answer that is malformed: Error -3 while decompressing data: incorrect header check",
        ),
        (
            b"Content-Length: 9\r\n\r\n{}",
            "does not keep to HTTP: peer closed connection without sending complete message "
            "body (received 2 bytes, expected 9)",
        ),
        (
            b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
            "does not keep to HTTP: illegal chunk header: bytearray(b'zz\\r\\n')",
        ),
        (
            b"Transfer-Encoding: chunked\r\n\r\n5\r\n{}",
            "does not keep to HTTP: peer closed connection without sending "
            "complete message body (incomplete chunked read)",
        ),
        (b"Content-Length: many\r\n\r\n{}", "does not keep to HTTP: bad Content-Length"),
        (
            b'Content-Type: application/json; charset=none\r\n\r\n{"n": "caf\xe9"}',
            'gave an answer that is malformed: no JSON: b\'{"n": "caf\\xe9"}\'',
        ),
        (b"\r\n", "gave an answer that is malformed: an empty body"),
        (b'\r\n{"n": 1', "gave an answer that is malformed: no JSON: '{\"n\": 1'"),
        (b"\r\n" + b"[" * 10**5, f"gave an answer that is malformed: no JSON: '{'[' * 290}"),
    ],
)
def test_answers_that_are_malformed(reply: bytes, what: str) -> None:
    """One sentence says what came."""
    with serving_bytes(HTTP + reply) as url, pytest.raises(PredictionError) as caught:
        load_model(Endpoint(url, TEMPLATE, connection=Connection(attempts=1)), task="sentiment").predict(["Hi."])
    said, remedy = str(caught.value).split("\n    ")
    assert said == f"the endpoint {url} {what} (1 attempt)."
    assert remedy == (SLOWER if "keep to HTTP" in what else MALFORMED)


@sweep("location", ["/predict", "https://login.example/?next=key"])
def test_a_url_that_leads_to_another_or_to_itself(location: str) -> None:
    with serving_bytes(f"HTTP/1.1 307 X\r\nLocation: {location}\r\n\r\n".encode()) as url:
        with pytest.raises(ModelError) as caught:
            asked(url, 1)
        there = url if location == "/predict" else "https://login.example/"
    assert str(caught.value) == (
        f"the endpoint {url} answered with status 307, which leads to {there}.\n    Requests are sent to no other URL: "
        "give the one that answers."
    )


def test_a_lost_connection() -> None:
    with serving(lambda body: body) as server:
        pass
    with pytest.raises(PredictionError, match=re.escape(f"the endpoint {server.url} cannot be reached: ")):
        asked(server.url, 1, attempts=2)


@sweep(
    "reply",
    [
        lambda sent: (401, {}, {"error": sent}),
        lambda sent: (503, {}, sent.encode()),
        lambda sent: b"{" + sent.encode(),
        lambda sent: {"other": sent},
        lambda sent: {"choices": [{"message": {"content": [sent]}}]},
    ],
)
@sweep("before", range(255, 300, 11))
def test_a_key_at_the_border_of_what_is_shown_is_hidden_whole(
    monkeypatch: pytest.MonkeyPatch, reply: Callable[[str], Any], before: int
) -> None:
    """No piece of the key stands in an error, nor in its traceback."""
    key = 'sk-"' + "0123456789" * 5
    monkeypatch.setenv("MY_KEY", key)
    answer = reply("." * before + key + "." * 99)
    with serving(lambda _body: answer) as server, pytest.raises((ModelError, PredictionError)) as caught:
        Client(server.url, Connection(**FAST, attempts=1, key_env="MY_KEY")).post([({}, read_reply)])
    printed = "".join(traceback.format_exception(caught.value))
    assert "..." in str(caught.value)
    assert "sk-" not in printed
    assert "0123" not in printed


def test_the_key_comes_from_the_environment_and_is_in_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    with serving(lambda _body: (401, {}, {"error": "Incorrect API key provided: sk-secret"})) as server:
        with pytest.raises(ModelError) as caught:
            asked(server.url, 1, key_env="MY_KEY")
        assert server.headers[0]["Authorization"] == "Bearer sk-secret"
        assert len(server.bodies) == 1  # a refused key is not sent again
        assert str(caught.value) == (
            f'the endpoint {server.url} answered with status 401: {{"error": "Incorrect API key provided: ***"}}.\n'
            "    Check the key in the variable MY_KEY."
        )
        with pytest.raises(ModelError, match="status 401"):
            asked(server.url, 1, key_env="MY_KEY", key_header="X-Api-Key")
        assert server.headers[-1]["X-Api-Key"] == "sk-secret"
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(OptionError) as missing:
        asked(server.url, 1, key_env="MY_KEY")
    assert str(missing.value) == (
        "the environment variable MY_KEY is not set, and it should hold the key of the endpoint.\n"
        "    Set it: export MY_KEY=..."
    )
    for wrong in ("sk\nret", "sk-sécret"):
        monkeypatch.setenv("MY_KEY", wrong)
        with pytest.raises(OptionError) as unsent:
            asked(server.url, 1, key_env="MY_KEY")
        assert str(unsent.value) == (
            "the environment variable MY_KEY holds a line break or another character that no key has.\n"
            "    Copy the key again."
        )


def test_requests_start_at_the_given_rate() -> None:
    with serving(lambda body: body) as server:
        asked(server.url, 6, requests_per_minute=1200)
    assert server.times[-1] - server.times[0] >= 5 * 0.05 - 0.02


@sweep(
    ("make", "message"),
    [
        (
            lambda: Endpoint("https://me:pass@models.example/v1", TEMPLATE),
            "the URL of the endpoint models.example holds a user name or a password.\n"
            "    Put the key into an environment variable, and name that: key_env=.",
        ),
        (
            lambda: load_model(Endpoint("http://localhost", {"inputs": "text"})),
            "the request template holds neither {{text}} nor {{texts}}.\n"
            '    Write "{{text}}" for one text a request, or "{{texts}}", alone in its string, for a list.',
        ),
        (
            lambda: load_model(ChatEndpoint("http://localhost", "m", prompts=["Rate {{text}}"])),
            "the prompt 'Rate {{text}}' lacks {{text}}, or does not hold one of {{options}} and {{labels}}.\n"
            '    Write for instance "Text: {{text}}\\n{{options}}\\nAnswer with one letter."',
        ),
        (
            lambda: load_model(ChatEndpoint("http://localhost", "m", orders=4)),
            "orders=4 is more than the 3 orders of 3 options.",
        ),
        (
            lambda: load_model(ChatEndpoint("http://localhost", "m"), task="ner"),
            "a ChatEndpoint classifies whole texts, and the task ner is about words.\n"
            "    Use an Endpoint with a request template.",
        ),
        (
            lambda: load_model(ChatEndpoint("http://localhost", "m"), device="cpu"),
            "device= belongs to a model that runs here, which this model is not.\n    Leave it out.",
        ),
    ],
)
def test_options_that_are_wrong(make: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        make()
    assert str(caught.value) == message

"""Requests to an endpoint: tried again, bounded, in order, and without the key in any error."""

import re
import threading
import time
import traceback
from typing import Any

import pytest
from endpoint_server import serving, serving_bytes
from refusals import refusal
from sweep import sweep
from waiting import PATIENCE

from fairness_checklist.core.errors import ModelError, OptionError, PredictionError
from fairness_checklist.extensions.endpoint.client import Client, MalformedAnswerError
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, Connection
from fairness_checklist.extensions.endpoint.prompt_answers import read_reply
from fairness_checklist.models.load import load_model

SLOWER = "The same command continues with what is missing; a lower concurrency may help."
MALFORMED = "Check what the endpoint answers; the same command continues with what is missing."
HTTP = b"HTTP/1.1 200 OK\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def number(answer: Any) -> Any:
    if "n" not in answer:
        raise MalformedAnswerError("no n")
    return answer["n"]


def answers_of(url: str, n: int, **options: Any) -> list[Any]:
    return Client(url, Connection(**{"backoff": 0.001, **options})).post([({"n": row}, number) for row in range(n)])


def test_answers_come_in_the_order_of_the_requests_and_few_are_under_way() -> None:
    three = threading.Barrier(3)

    def together(body: Any) -> Any:
        if body["n"] < 3:  # the first three are under way at once, however slow the machine is
            three.wait(PATIENCE)
        return body

    with serving(together) as server:
        assert answers_of(server.url, 20, concurrency=3) == list(range(20))
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
        answer = waiting.pop(0) if waiting else body
        if answer == "hangs":
            answered.wait(PATIENCE)
        return answer

    with serving(failing) as server:
        assert answers_of(server.url, 1, timeout=3) == [0]
        answered.set()
        assert len(server.bodies) == len(failures) + 1
        assert server.times[1] - server.times[0] >= 0.2  # what Retry-After names


def test_the_error_after_all_attempts_and_of_a_lost_connection() -> None:
    def reply(_body: Any) -> Any:
        if answer == "hangs":
            time.sleep(0.3)
        return answer

    with serving(reply) as server:
        for answer, what in (
            ((429, {"Retry-After": "0"}, "slow"), 'answered with status 429: "slow" (2 attempts)'),
            ((500, {}, b""), "answered with status 500 (2 attempts)"),
            (b"{no", "gave an answer that is malformed: no JSON: '{no' (2 attempts)"),
            ((429, {"Retry-After": "900"}, "slow"), "asks to wait 900 s"),
            ("hangs", "did not answer within 0.1 s (2 attempts)"),
        ):
            with pytest.raises(PredictionError) as caught:
                answers_of(server.url, 1, attempts=2, timeout=0.1 if answer == "hangs" else 5)
            remedy = MALFORMED if "malformed" in what else SLOWER
            assert str(caught.value) == f"the endpoint {server.url} {what}.\n    {remedy}"
    with pytest.raises(PredictionError, match=re.escape(f"the endpoint {server.url} cannot be reached: ")):
        answers_of(server.url, 1, attempts=2)


@sweep("parts", [[HTTP, *[b"X-Slow: 1\r\n"] * 90], [HTTP + CHUNKED, *[b"1\r\n1\r\n"] * 90]])
def test_the_time_is_that_of_a_whole_request(parts: list[bytes]) -> None:
    """Each piece comes in time, and all of them together take half a minute."""
    with serving_bytes(*parts, pause=0.4) as url, pytest.raises(PredictionError) as caught:
        answers_of(url, 1, attempts=2, timeout=0.6)
    assert str(caught.value) == f"the endpoint {url} did not answer within 0.6 s (2 attempts).\n    {SLOWER}"


@sweep(("reply", "what"), [
    (b"Content-Encoding: gzip\r\n\r\n{}", "Error -3 while decompressing data: incorrect header check"),
    (b"Content-Length: 9\r\n\r\n{}", "peer closed connection without sending complete message body (rec"),
    (CHUNKED + b"zz\r\n{}", "illegal chunk header: bytearray(b'zz\\r\\n')"),
    (b'Content-Type: application/json; charset=none\r\n\r\n{"n": "caf\xe9"}', 'no JSON: b\'{"n": "caf\\xe9"}\''),
    (b"\r\n", "an empty body"),
    (b'\r\n{"n": 1', "no JSON: '{\"n\": 1'"),
    (b"\r\n" + b"[" * 10**5, f"no JSON: '{'[' * 290}"),
])  # fmt: skip
def test_answers_that_are_malformed(reply: bytes, what: str) -> None:
    """One sentence says what came."""
    with serving_bytes(HTTP + reply) as url, pytest.raises(PredictionError) as caught:
        answers_of(url, 1, attempts=1)
    lost = what.startswith(("peer", "illegal"))
    kind = "cannot be reached" if lost else "gave an answer that is malformed"
    said, remedy = str(caught.value).split("\n    ")
    assert said.startswith(f"the endpoint {url} {kind}: {what}")
    assert said.endswith(" (1 attempt).")
    assert remedy == (SLOWER if lost else MALFORMED)


def test_a_url_that_leads_to_another_is_not_followed() -> None:
    moved = b"HTTP/1.1 307 X\r\nLocation: https://login.example/?next=key\r\n\r\n"
    with serving_bytes(moved) as url, pytest.raises(ModelError, match=r"answered with status 307\.\n    Check the URL"):
        answers_of(url, 1)


def test_a_key_at_the_border_of_what_is_shown_is_hidden_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """No piece of the key stands in an error, nor in its traceback."""
    key = 'sk-"' + "0123456789" * 5
    monkeypatch.setenv("MY_KEY", key)
    connection = Connection(backoff=0.001, attempts=1, key_env="MY_KEY")
    with serving(lambda _body: None) as server:
        for before in range(255, 300, 11):
            sent = "." * before + key + "." * 99
            malformed = {"choices": [{"message": {"content": [sent]}}]}
            replies = [(401, {}, {"error": sent}), (503, {}, sent.encode()), b"{" + sent.encode(), {"other": sent}]
            for reply in (*replies, malformed):
                server.answer = lambda _body, reply=reply: reply
                with pytest.raises((ModelError, PredictionError)) as caught:
                    Client(server.url, connection).post([({}, read_reply)])
                printed = "".join(traceback.format_exception(caught.value))
                assert "..." in str(caught.value)
                assert "sk-" not in printed
                assert "0123" not in printed


def test_the_key_comes_from_the_environment_and_is_in_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    with serving(lambda _body: (401, {}, {"error": "Incorrect API key provided: sk-secret"})) as server:
        with pytest.raises(ModelError) as caught:
            answers_of(server.url, 1, key_env="MY_KEY")
        assert server.headers[0]["Authorization"] == "Bearer sk-secret"
        assert len(server.bodies) == 1  # a refused key is not sent again
        assert str(caught.value) == (
            f'the endpoint {server.url} answered with status 401: {{"error": "Incorrect API key provided: ***"}}.\n'
            "    Check the key in the variable MY_KEY."
        )
        with pytest.raises(ModelError, match="status 401"):
            answers_of(server.url, 1, key_env="MY_KEY", key_header="X-Api-Key")
        assert server.headers[-1]["X-Api-Key"] == "sk-secret"
    for value, message in (
        ("", "is not set, and it should hold the key of the endpoint.\n    Set it: export MY_KEY=..."),
        ("sk\nret", "holds a line break or another character that no key has.\n    Copy the key again."),
        ("sk-sécret", "holds a line break or another character that no key has.\n    Copy the key again."),
    ):
        monkeypatch.setenv("MY_KEY", value)
        with pytest.raises(OptionError) as unsent:
            answers_of(server.url, 1, key_env="MY_KEY")
        assert str(unsent.value) == f"the environment variable MY_KEY {message}"


WRONG: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("https://me:pass@models.example/v1", {}, {}, "the URL of the endpoint models.example holds a user name or a pass"),
    ("models.example", {}, {}, "the endpoint 'models.example' is no URL.\n    Expected https://HOST/PATH."),
    ("http://localhost", {"prompts": ["Rate {{text}}"]}, {}, "the prompt 'Rate {{text}}' lacks {{text}}, or does not "),
    ("http://localhost", {"prompts": 9}, {}, "prompts=9 asks for more than the 4 prompts of the task sentiment.\n"),
    ("http://localhost", {"orders": 4}, {}, "orders=4 is more than the 3 orders of 3 options."),
    ("http://localhost", {}, {"task": "ner"}, "a ChatEndpoint classifies whole texts, and the task ner is about words"),
    ("http://localhost", {}, {"device": "cpu"}, "device= belongs to a model that runs here, which this model is not."),
]


def loaded(url: str, asking: dict[str, Any], options: dict[str, Any]) -> object:
    return load_model(ChatEndpoint(url, "m", **asking), **options)


def test_options_that_are_wrong() -> None:
    for url, asking, options, message in WRONG:
        assert refusal(OptionError, loaded, url, asking, options).startswith(message)

"""A small HTTP server for the tests of endpoints: what it answers is a function of the request."""

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, Mapping[str, str], Any]


class Server:
    """Remembers the requests, and how many were under way at once."""

    def __init__(self, url: str, answer: Callable[[Any], Any]) -> None:
        self.url = url
        self.answer = answer
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.under_way = self.most_at_once = 0
        self.lock = threading.Lock()


@contextmanager
def serving(answer: Callable[[Any], Any]) -> Iterator[Server]:
    """A server on a free port; ``answer`` gives what is sent as JSON, bytes, or (status, headers, those)."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with server.lock:
                server.bodies.append(body)
                server.headers.append(dict(self.headers))
                server.times.append(time.monotonic())
                server.under_way += 1
                server.most_at_once = max(server.most_at_once, server.under_way)
            try:
                output = server.answer(body)
            finally:
                with server.lock:
                    server.under_way -= 1
            status, headers, output = output if isinstance(output, tuple) else (200, {}, output)
            data = output if isinstance(output, bytes) else json.dumps(output).encode()
            try:
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)
                self.wfile.flush()
            except ConnectionError:
                self.close_connection = True  # the client has given up

        def log_message(self, *_arguments: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_arguments: object) -> None:
            pass

    with Quiet(("127.0.0.1", 0), Handler) as http:
        server = Server(f"http://127.0.0.1:{http.server_address[1]}", answer)
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


def question(body: Any) -> str:
    """The text of the last message, or the prompt."""
    return str(body["messages"][-1]["content"] if "messages" in body else body["prompt"])


def chat(text: str | None, top: Mapping[str, float] | None = None, **choice: Any) -> dict[str, Any]:
    """An answer of a chat API, with log-probabilities of the first token."""
    one: dict[str, Any] = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **choice}
    if top is not None:
        listed = [{"token": token, "logprob": value} for token, value in top.items()]
        one["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
    return {"model": "served-1", "choices": [one]}


@contextmanager
def serving_bytes(*parts: bytes, pause: float = 0.0) -> Iterator[str]:
    """A server that answers each request with these bytes, as they are, a pause between them, and then closes."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            length = 0
            while line := self.rfile.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            self.rfile.read(length)
            try:
                for part in parts:
                    self.wfile.write(part)
                    time.sleep(pause)
            except ConnectionError:
                pass  # the client has given up

    class Quiet(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Quiet(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/predict"
        finally:
            server.shutdown()
            thread.join()

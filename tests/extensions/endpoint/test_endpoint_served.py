"""The verb `run` with a language model behind a server: killed and continued, dry, stored, and with a key."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import Call
from endpoint_server import chat, question, serving
from waiting import PATIENCE

PROMPT = "Text : {{text}}\n{{options}}\nAnswer with one letter"
PROGRAM = "from fairness_checklist.cli.app import main; main()"
ROOT = Path(__file__).resolve().parents[3]
RUN = ("run", "--attribute", "gender", "--groups", "women,men", "--templates", "generic-00*")


def answer(body: Any) -> Any:
    """Probabilities of the three letters that depend on the text alone."""
    p = 0.1 + sum(map(ord, question(body))) % 50 / 100
    return chat("A", {"A": math.log(p), "B": math.log(0.3), "C": math.log(0.7 - p)})


def arguments(folder: Path, url: str, *, terms: int = 3, **settings: object) -> list[str]:
    """Those of `run` for a language model at a URL, with the settings in a file."""
    written = {"prompts": [PROMPT], "orders": 1, "as_of": "2026-11-22", **settings}
    lines = ["[endpoint]", *(f"{name} = {json.dumps(value)}" for name, value in written.items())]
    (folder / "fairness.toml").write_text("\n".join(lines), encoding="utf-8")
    model = ("--endpoint", url, "--model", "tiny", "--config", str(folder / "fairness.toml"))
    few = ("--max-terms", str(terms), "--no-control-words", "--draws", "0", "--metrics", "parity_gap")
    return [*RUN, *model, *few, "--out", str(folder / "run")]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_that_is_killed_ends_with_the_same_bytes(tmp_path: Path, call: Call) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    reached, most = threading.Event(), 10**9

    def until_then(body: Any) -> Any:
        if len(server.bodies) > most:
            reached.set()
            time.sleep(5)
        return answer(body)

    with serving(until_then) as server:
        for folder in (whole, killed):
            folder.mkdir()
        assert call(*arguments(whole, server.url)).code == 0
        n = len(server.bodies)
        server.bodies.clear()
        most = n // 2
        command = [sys.executable, "-c", PROGRAM, *arguments(killed, server.url)]
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
            assert reached.wait(PATIENCE)
            process.send_signal(signal.SIGKILL)
        stored = [path.name for path in killed.iterdir() if path.suffix == ".sqlite"]
        assert stored == [".run.predictions.sqlite"]
        assert not (killed / "run").exists()
        first, most = len(server.bodies), 10**9
        assert call(*arguments(killed, server.url)).code == 0
        assert 0 < len(server.bodies) - first < n
    runs = [folder / "run" / "examples.parquet" for folder in (killed, whole)]
    assert runs[0].read_bytes() == runs[1].read_bytes()
    assert sorted(path.name for path in killed.iterdir()) == ["fairness.toml", "run"]


@pytest.mark.usefixtures("paged")
def test_requests_are_counted_answers_are_stored_and_the_key_is_written_nowhere(
    tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TINY_KEY", "sk-secret")
    store = ("--store", str(tmp_path / "answers.sqlite"))
    with serving(answer) as server:
        keyed = [*arguments(tmp_path, server.url, terms=2, key_env="TINY_KEY"), *store]
        estimate = call(*keyed, "--dry-run").out
        assert server.bodies == []
        assert call(*keyed).code == 0
        texts = {question(body).split("\n")[0] for body in server.bodies}
        n, first = len(server.bodies), (tmp_path / "run" / "examples.parquet").read_bytes()
        assert server.headers[0]["Authorization"] == "Bearer sk-secret"
        assert call(*keyed, "--force").code == 0
        assert (tmp_path / "run" / "examples.parquet").read_bytes() == first
        more = [*arguments(tmp_path, server.url, key_env="TINY_KEY"), *store, "--dry-run", "--force"]
        counted, requests = call(*more).out.splitlines()
        assert len(server.bodies) == n == len(texts)
    assert f"{n:,} of them different.\n{n:,} requests for {n:,} texts without a stored answer." in estimate
    lacking = int(counted.split()[0].replace(",", "")) - n
    assert lacking > 0
    assert requests == f"{lacking:,} requests for {lacking:,} texts without a stored answer."
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"sk-secret" not in written
    recorded = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["model"]
    assert (recorded["model"], recorded["date"], recorded["prompts"]) == ("tiny", "2026-11-22", [PROMPT])


def test_options_that_do_not_fit(call: Call) -> None:
    for settings, model, message in (
        ("promts = 2", ("--model", "m"), "fairness.toml: [endpoint] has the key 'promts', which is not known.\n"),
        ("prompts = 2", (), "--endpoint is given without a model.\n    Name the language model: --model NAME.\n"),
        ("", ("--model", "m", "--device", "cpu"), "--device belongs to a model that runs here"),
    ):
        Path("fairness.toml").write_text(f"[endpoint]\n{settings}\n", encoding="utf-8")
        code, _, errors = call(*RUN, "--endpoint", "http://localhost", *model, "--out", "run")
        assert (code, message in errors) == (2, True)

"""A real causal language model behind real servers, and a run that is killed and continued."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from endpoint_server import question, serving
from sweep import sweep
from waiting import PATIENCE

from fairness_checklist.cli import app as cli
from fairness_checklist.extensions.endpoint.chat import ChatClassifier
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint
from fairness_checklist.models.load import load_model

WORDS = """[UNK] [EOS] A B C . negative neutral positive I cannot the is she he woman man mother father girl boy sad
happy angry glad feels made was situation family text sentiment this of What Text : Answer with one letter"""
VOCABULARY = tuple(WORDS.split())
PROMPT = "Text : {{text}}\n{{options}}\nAnswer with one letter"
PROGRAM = "from fairness_checklist.cli.app import main; main()"
ROOT = Path(__file__).resolve().parents[3]


class Tiny(NamedTuple):
    """A causal model with random weights, its tokenizer and its folder."""

    model: Any
    tokenizer: Any
    folder: Path

    def log_probabilities(self, prompt: str) -> dict[str, float]:
        """Of each token as the next one."""
        import torch

        with torch.inference_mode():
            logits = self.model(**self.tokenizer(prompt, return_tensors="pt")).logits[0, -1].double()
        return dict(zip(VOCABULARY, torch.log_softmax(logits, dim=-1).tolist(), strict=True))

    def answer(self, body: Any) -> Any:
        """As an OpenAI-compatible server answers that knows log-probabilities."""
        found = self.log_probabilities(question(body))
        listed = sorted(found.items(), key=lambda one: -one[1])[: body["top_logprobs"]]
        top = [{"token": token, "logprob": value} for token, value in listed]
        choice = {"message": {"content": listed[0][0]}, "logprobs": {"content": [{**top[0], "top_logprobs": top}]}}
        return {"model": "tiny", "choices": [choice]}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    words = Tokenizer(models.WordLevel({word: at for at, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="[UNK]", eos_token="[EOS]", pad_token="[EOS]")
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    torch.manual_seed(0)
    size = {"n_positions": 128, "n_embd": 32, "n_layer": 2, "n_head": 2, "initializer_range": 0.5}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(VOCABULARY), bos_token_id=1, eos_token_id=1, **size)).eval()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Tiny(model, tokenizer, folder)


def test_probabilities_are_those_of_the_model(tiny: Tiny) -> None:
    with serving(tiny.answer) as server:
        whole = {"top_logprobs": len(VOCABULARY)}
        endpoint = ChatEndpoint(server.url, "tiny", [PROMPT], min_label_mass=0.0, extra=whole)
        model = load_model(endpoint, task="sentiment")
        assert isinstance(model, ChatClassifier)
        texts = ["the woman is sad", "the man is happy", "she was glad"]
        found = model.predict(texts)
    for text, row in zip(texts, found.probabilities, strict=True):  # type: ignore[arg-type]
        expected = []
        for one in model.questions:
            log = tiny.log_probabilities(one.text(text))
            p = np.exp([log[letter] for letter in one.answers])
            expected.append(p / p.sum())
        assert row == pytest.approx(np.mean(expected, axis=0), abs=1e-12)
    assert np.ptp(found.probabilities, axis=0).max() > 1e-3  # type: ignore[arg-type]


RUN = ("--attribute", "gender", "--groups", "women,men", "--max-terms", "3", "--templates", "generic-neg-0*")


def predicted(folder: Path, url: str, **settings: object) -> list[str]:
    """The arguments of `run` for a language model at a URL, with the settings in a file."""
    asked = {"prompts": [PROMPT], "min_label_mass": 0, "orders": 1, "as_of": "2026-11-22", **settings}
    lines = ["[endpoint]", *(f"{name} = {json.dumps(value)}" for name, value in asked.items())]
    (folder / "fairness.toml").write_text("\n".join(lines), encoding="utf-8")
    model = ("--endpoint", url, "--model", "tiny", "--config", str(folder / "fairness.toml"))
    few = ("--draws", "0", "--metrics", "parity_gap")
    return ["run", *RUN, *model, "--no-placebo", *few, "--out", str(folder / "run")]


def called(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["fairness-checklist", *arguments])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert not stop.value.code


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_that_is_killed_ends_with_the_same_bytes(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    reached, most = threading.Event(), [10**9]

    def until_then(body: Any) -> Any:
        if len(server.bodies) > most[0]:
            reached.set()
            time.sleep(5)
        return tiny.answer(body)

    with serving(until_then) as server:
        for folder in (whole, killed):
            folder.mkdir()
        called(monkeypatch, predicted(whole, server.url))
        n = len(server.bodies)
        server.bodies.clear()
        most[0] = n // 2
        command = [sys.executable, "-c", PROGRAM, *predicted(killed, server.url)]
        with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
            assert reached.wait(PATIENCE)
            process.send_signal(signal.SIGKILL)
        stored = [path.name for path in killed.iterdir() if path.suffix == ".sqlite"]
        assert stored == [".run.predictions.sqlite"]
        assert not (killed / "run").exists()
        first, most[0] = len(server.bodies), 10**9
        called(monkeypatch, predicted(killed, server.url))
        again = len(server.bodies) - first
    assert 0 < again < n
    runs = [folder / "run" / "examples.parquet" for folder in (killed, whole)]
    assert runs[0].read_bytes() == runs[1].read_bytes()
    assert sorted(path.name for path in killed.iterdir()) == ["fairness.toml", "run"]


@pytest.mark.usefixtures("paged")
def test_the_command_line_runs_and_counts_requests_and_keeps_the_key_to_itself(
    tiny: Tiny,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TINY_KEY", "sk-secret")
    with serving(tiny.answer) as server:
        keyed = predicted(tmp_path, server.url, key_env="TINY_KEY")
        called(monkeypatch, [*keyed, "--dry-run"])
        estimate = capsys.readouterr().out
        assert server.bodies == []
        called(monkeypatch, keyed)
        texts = {question(body).split("\n")[0] for body in server.bodies}
        assert server.headers[0]["Authorization"] == "Bearer sk-secret"
    assert f"{len(texts):,} of them different." in estimate
    assert f"{len(texts):,} requests for {len(texts):,} texts without a stored answer." in estimate
    written = b"".join(path.read_bytes() for path in (tmp_path / "run").iterdir())
    assert b"sk-secret" not in written
    recorded = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["model"]
    assert (recorded["model"], recorded["date"], recorded["prompts"]) == ("tiny", "2026-11-22", [PROMPT])


def test_answers_are_kept_for_later_runs(
    tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "answers.sqlite"
    with serving(tiny.answer) as server:
        given = [*predicted(tmp_path, server.url), "--store", str(store)]
        called(monkeypatch, given)
        n, first = len(server.bodies), (tmp_path / "run" / "examples.parquet").read_bytes()
        called(monkeypatch, [*given, "--force"])
        assert (len(server.bodies), store.is_file()) == (n, True)
        assert (tmp_path / "run" / "examples.parquet").read_bytes() == first
        capsys.readouterr()
        more = [*given[: given.index("--max-terms")], *given[given.index("--max-terms") + 2 :], "--dry-run", "--force"]
        called(monkeypatch, more)
        counted, requests = capsys.readouterr().out.splitlines()
        assert len(server.bodies) == n
    texts = int(counted.split()[0].replace(",", ""))
    assert texts > n
    assert requests == f"{texts - n:,} requests for {texts - n:,} texts without a stored answer."


@sweep(
    ("settings", "model", "message"),
    [
        ("promts = 2", ("--model", "m"), "fairness.toml: [endpoint] has the key 'promts', which is not known.\n"),
        ("prompts = 2", (), "--endpoint is given, and it is not known what it answers.\n"),
        ('request = {x = "{{text}}"}\nprompts = 2', (), "has the key 'prompts', which is of a language model"),
        ('response = "0"', ("--model", "m"), "[endpoint] has the key 'response', which is of a model with request.\n"),
        ("", ("--model", "m", "--device", "cpu"), "--device belongs to a model that runs here"),
    ],
)
def test_options_that_belong_to_another_model(
    settings: str,
    model: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fairness.toml").write_text(f"[endpoint]\n{settings}\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["", "run", *RUN, "--endpoint", "http://localhost", *model, "--out", "run"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 2
    assert message in capsys.readouterr().err

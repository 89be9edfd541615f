"""Ways to run a model: the same bytes from threads, workers and Ray."""

import importlib.util
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import build_workers
import numpy as np
import pytest
import torch
from build_models import make_model, make_texts, make_tokenizer
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.extensions.engines.spread import RESTARTS, LoadedOnce, SpreadModel, score_in_workers


def shuffled(texts: list[str]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]]]:
    order = np.random.default_rng(1).permutation(len(texts))
    return [texts[at] for at in order], order


def make_classifier(batch_tokens: int = 96, **sizes: int) -> Any:
    model = make_model("DistilBert", "Sequence", ("negative", "positive"), max_position_embeddings=64, **sizes)
    return fc.load_model((model, make_tokenizer(64)), batch_tokens=batch_tokens)


@pytest.fixture
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def matrix(predictions: Any) -> bytes:
    return np.asarray(predictions.probabilities).tobytes()


def test_the_bytes_are_the_same_for_one_and_two_threads_and_any_order(two_threads: None) -> None:
    classifier, texts = make_classifier(), make_texts(300, 14)
    two = classifier.predict(texts)
    assert torch.get_num_threads() == 2
    mixed, order = shuffled(texts)
    torch.set_num_threads(1)
    assert matrix(classifier.predict(mixed).at(slice(len(texts)))) == np.asarray(two.probabilities)[order].tobytes()


@sweep("batch_tokens", [96, 2048])
def test_threads_do_not_share_the_sums_of_a_wide_layer(batch_tokens: int, two_threads: None) -> None:
    """Threads that share a product of matrices cut a sum of 3,072 numbers in two."""
    wide = make_classifier(batch_tokens, dim=768, n_layers=1, n_heads=12, hidden_dim=3072)
    texts = make_texts(20, 14)
    two = wide.predict(texts)
    torch.set_num_threads(1)
    assert matrix(wide.predict(texts)) == matrix(two)


def sent(value: Any) -> Any:
    """What comes out of a pipe between processes."""
    out, into = multiprocessing.Pipe(duplex=False)
    into.send(value)
    return out.recv()


@pytest.mark.parametrize(("model", "engine", "scorer"), [
    ("sentiment", "local", "spread.score_in_workers"),
    ("ner", "ray", "ray_actors.score_by_ray"),
])  # fmt: skip
def test_what_a_worker_does_gives_the_same_bytes_as_none(
    model: str, engine: str, scorer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is sent to a worker and what it does there, done here; processes and actors are below."""
    devices: list[Any] = []

    def score_here(source: Any, chunks: Any, advance: Any) -> Iterator[tuple[int, list[str], Any]]:
        devices.append(source.devices)
        worker = LoadedOnce(sent(source), "cpu", 1)
        for number, texts in chunks:
            advance(len(texts))
            yield number, texts, sent(worker.score(texts))

    monkeypatch.setattr(f"fairness_checklist.extensions.engines.{scorer}", score_here)
    texts, _order = shuffled(make_texts(30, 14))
    alone: Any = fc.load_model(f"bundled/{model}")
    found: Any = fc.load_model(f"bundled/{model}", workers=2, engine=engine)
    assert found.fingerprint == alone.fingerprint
    assert matrix(replace(found, chunk_size=8).predict(texts)) == matrix(replace(alone, chunk_size=8).predict(texts))
    assert devices == [("cpu", "cpu")]


def test_a_worker_may_be_killed() -> None:
    chunks = [(at, ["Anna left." + "!" * at]) for at in range(12)]
    source: Any = SimpleNamespace(model="m", devices=("a", "b"), load=build_workers.load)
    found: dict[int, Any] = {}
    moved: list[int] = []
    for at, texts, output in score_in_workers(source, iter(chunks), moved.append):
        assert texts == chunks[at][1]
        assert at not in found
        found[at] = output
        if len(found) == 3:
            os.kill(int(multiprocessing.active_children()[0].pid or 0), signal.SIGKILL)
    assert [found[at][0][1] for at in range(12)] == [10 + at for at in range(12)]
    assert {device for ((device, _length),) in found.values()} <= {"a", "b"}
    assert sum(moved) == 12
    assert not multiprocessing.active_children()


def test_workers_that_die_again_and_again_are_an_error() -> None:
    chunks = iter([(0, ["Anna left."]), (1, ["Ben left."])])
    source: Any = SimpleNamespace(model="m", devices=(9,), load=os._exit)
    assert refusal(fc.errors.ModelError, list, score_in_workers(source, chunks, lambda _done: None)) == (
        f"1 worker of the model m ended {RESTARTS + 1} times before a chunk was done.\n"
        "    They may lack memory: give fewer workers=, or smaller batch_tokens=."
    )


def test_a_run_says_how_many_forward_passes_it_took(tmp_path: Path) -> None:
    suite = fc.Suite.from_templates(["I met {a:identity.writer}."], {"deaf": ["deaf"], "hearing": ["hearing"]})
    calls: list[str] = []

    def fair(texts: list[str]) -> list[float]:
        calls.extend(texts)
        return [0.75] * len(texts)

    assert suite.run(fair, draws=0, control_words=False).info["forward_passes"] == len(calls) == 3
    calls.clear()
    assert suite.run(fair, draws=0).info["forward_passes"] == len(calls) == 19  # 16 of control words


@sweep(("model", "options", "text"), [
    (lambda texts: [0.5] * len(texts), {"workers": 2}, "workers= belongs to a transformers model, which this"),
    ("bundled/sentiment", {"workers": 0}, "workers=0 is too small; expected 1 or more."),
    ("bundled/sentiment", {"engine": "dask"}, "engine='dask' is not known.\n    Known: local, ray."),
    ("bundled/sentiment", {"device": "cpu,"}, "device='cpu,' names no device between two commas."),
])  # fmt: skip
def test_options_that_do_not_fit(model: Any, options: dict[str, Any], text: str) -> None:
    assert refusal(fc.errors.OptionError, fc.load_model, model, **options).startswith(text)


def test_files_that_changed_are_another_model() -> None:
    source = SpreadModel("bundled/sentiment", "sentiment", {}, "other", ("cpu",))
    assert refusal(fc.errors.ModelError, source.load, "cpu") == (
        "the files of the model bundled/sentiment have changed since it was loaded.\n    Start again."
    )


RAY = """
import os, signal
from types import SimpleNamespace
import build_workers
import numpy as np
import ray
from fairness_checklist.core.errors import ModelError
from fairness_checklist.extensions.engines.ray_actors import score_by_ray

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
texts = [f"Anna is {'very ' * times}happy." for times in range(8)]
chunks = [(at, texts[at:at + 2]) for at in range(6)]
source = SimpleNamespace(model="m", devices=("cpu", "cpu"), load=build_workers.load_slowly)
actors = {}  # the process that scored each chunk
for at, some, output in score_by_ray(source, iter(chunks), lambda _done: None):
    assert some == chunks[at][1] and at not in actors
    alone = build_workers.probabilities(some, lambda _done: None)
    assert all(np.array_equal(a.probabilities, b.probabilities) for a, b in zip(output, alone, strict=True))
    actors[at] = int(output[0].scores["pid"])
    if len(actors) == 1:
        os.kill(actors[at], signal.SIGKILL)
assert len(actors) == len(chunks)
assert len(set(actors.values())) == 3, actors  # both actors had chunks, and another one took the place of the first

source = SimpleNamespace(devices=("cpu",) * 3)
try:
    list(score_by_ray(source, iter(chunks), print))
except ModelError as error:
    print(error)
"""


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed: pip install ray")
def test_ray_gives_the_same_bytes_also_where_an_actor_is_killed() -> None:
    """In a process of its own: what Ray leaves open at its end is a warning."""
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2]), *sys.path])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", RAY], capture_output=True, text=True, check=False, env=environment)
    if "timed out during startup" in done.stderr:  # Ray gives its node 30 s, whatever else the machine does
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.stdout.startswith(
        "the cluster has 2 CPUs for 3 workers; expected one for each.\n    Give fewer workers=.\n"
    ), done.stderr[-2000:]

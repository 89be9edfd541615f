"""Ray: a pool of actors that score chunks, on a cluster or on this machine."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from typing import Any

from fairness_checklist.core.errors import MissingExtraError, ModelError, PredictionError, count
from fairness_checklist.extensions.engines.spread import (
    Chunk,
    LoadedOnce,
    SpreadModel,
    output_or_failure,
    threads_a_worker,
)

_RESTARTS = 3  # of an actor that dies; its chunk is scored again


def score_by_ray(
    source: SpreadModel, chunks: Iterator[Chunk], advance: Callable[[int], object]
) -> Iterator[tuple[int, list[str], Any]]:
    """The number, texts and output or error of each chunk by Ray's actors, which must see the folder of the model."""
    texts_of, n = dict(chunks), len(source.devices)
    # Ray prints that an actor died, and a program may read our JSON.
    with redirect_stdout(sys.stderr), _cluster(n) as ray:
        cpus = int(ray.cluster_resources().get("CPU", 0))
        if cpus < n:  # without one for each the actors would wait for ever, without an error
            raise ModelError(
                f"the cluster has {count(cpus, 'CPU')} for {count(n, 'worker')}; expected one for each.",
                remedy="Give fewer workers=.",
            )
        on_gpu = not source.devices[0].startswith("cpu")
        options = {"num_cpus": 1, "num_gpus": int(on_gpu), "max_restarts": _RESTARTS, "max_task_retries": _RESTARTS}
        device = "cuda" if on_gpu else source.devices[0]  # Ray shows an actor one GPU
        actor, threads = ray.remote(**options)(_Actor), threads_a_worker(n)
        pool = import_module("ray.util").ActorPool([actor.remote(source, device, threads) for _ in range(n)])
        try:
            for number, output in pool.map_unordered(
                lambda worker, chunk: worker.score_chunk.remote(*chunk), texts_of.items()
            ):
                texts = texts_of[number]
                advance(0 if isinstance(output, PredictionError) else len(texts))
                yield number, texts, output_or_failure(output)
        except ray.exceptions.RayActorError as error:
            raise ModelError(
                f"an actor of Ray that scores texts ended {_RESTARTS + 1} times.",
                remedy="It may lack memory: give fewer workers=, or smaller batch_tokens=.",
            ) from error


class _Actor(LoadedOnce):
    def score_chunk(self, number: int, texts: list[str]) -> tuple[int, Any]:
        return number, self.score(texts)


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    """Ray, with the cluster that is there, that ``RAY_ADDRESS`` names, or that is started and stopped here."""
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise MissingExtraError(
            'engine="ray" needs Ray, which is not installed.',
            remedy='Install it: pip install "fairness-checklist[ray]".',
        ) from error
    if ray.is_initialized():
        yield ray
        return
    address = os.environ.get("RAY_ADDRESS")
    local = {} if address else {"num_cpus": workers, "include_dashboard": False}
    ray.init(address=address, log_to_driver=False, logging_level="ERROR", **local)
    try:
        yield ray
    finally:
        ray.shutdown()

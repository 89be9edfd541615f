"""Chunks of texts spread over processes of this machine or of Ray: each loads the model and scores whole chunks."""

import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from fairness_checklist.core.errors import FairnessChecklistError, ModelError, PredictionError, count
from fairness_checklist.models.batches_without_padding import score_here

Chunk = tuple[int, list[str]]
RESTARTS = 3  # in a row, without a chunk that gets done
_AHEAD = 2  # chunks a worker that wait, so that none is idle


@dataclass(frozen=True, eq=False)
class SpreadModel:
    """A model that is loaded from files, and how it is spread over processes."""

    model: str  # the folder, hub id or bundled name
    task: str
    options: Mapping[str, Any]  # the further options of `load_model`
    fingerprint: str  # the hash of what decides the predictions
    devices: tuple[str, ...]  # the device of each worker
    engine: str = "local"  # "local" for processes on this machine, "ray" for a cluster

    def where(self) -> str:
        """The workers and their devices, for the terminal."""
        return f"{count(len(self.devices), 'worker')} on {', '.join(dict.fromkeys(self.devices))}"

    def load(self, device: str) -> Any:
        """Load the model, and check that it is the same one."""
        from fairness_checklist.models.load import load_model

        loaded: Any = load_model(self.model, task=self.task, device=device, **self.options)
        if loaded.fingerprint != self.fingerprint:
            raise ModelError(
                f"the files of the model {self.model} have changed since it was loaded.", remedy="Start again."
            )
        return loaded


class LoadedOnce:
    """A worker's model, which is loaded with its first chunk, so that its errors can be sent."""

    def __init__(self, source: SpreadModel, device: str, threads: int) -> None:
        self.source, self.device, self.threads = source, device, threads
        self.model: Any = None

    def score(self, texts: list[str]) -> Any:
        """The output for a chunk, or what went wrong."""
        try:
            if self.model is None:
                self.model = self.source.load(self.device)
                if "torch" in sys.modules:
                    sys.modules["torch"].set_num_threads(self.threads)
            return self.model.score(texts, lambda _done: None)
        except FairnessChecklistError as error:
            return error


def threads_a_worker(n: int) -> int:
    """The cores for each of n workers on this machine."""
    import torch

    return max(1, int(torch.get_num_threads()) // n)


def output_or_failure(output: Any) -> Any:
    """What a worker sent; raises an error that is none of some of the texts."""
    if isinstance(output, FairnessChecklistError) and not isinstance(output, PredictionError):
        raise output
    return output


def spread_chunks(
    source: SpreadModel, score: Callable[..., Any], chunks: Iterable[Chunk], advance: Callable[[int], object]
) -> Iterator[tuple[int, list[str], Any]]:
    """The number, the texts and the output of each chunk, or the error; a single chunk is scored here."""
    remaining = iter(chunks)
    first = list(islice(remaining, 2))
    together = chain(first, remaining)
    if len(first) < 2:
        yield from score_here(score, together, advance)
    elif source.engine == "ray":
        from fairness_checklist.extensions.engines.ray_actors import score_by_ray

        yield from score_by_ray(source, together, advance)
    else:
        longest_first = reversed(list(together))  # so that the workers end at about the same time
        yield from score_in_workers(source, longest_first, advance)


_loaded: list[LoadedOnce] = []


def score_in_workers(
    source: SpreadModel, chunks: Iterator[Chunk], advance: Callable[[int], object]
) -> Iterator[tuple[int, list[str], Any]]:
    """The number, the texts and the output of each chunk, in the order in which workers get done with them.

    Where the model fails on a chunk, the error is in the place of the output. Where a worker dies, new ones are started
    and score the chunks that it, or another, had begun.
    """
    waiting: list[Chunk] = []
    deaths, n = 0, len(source.devices)
    context = multiprocessing.get_context("spawn")
    while True:
        pool = ProcessPoolExecutor(n, context, _prepare, (source, context.Value("i", 0), threads_a_worker(n)))
        running: dict[Future[Any], Chunk] = {}
        try:
            while True:
                while len(running) < n * _AHEAD:
                    waiting = waiting or list(islice(chunks, 1))
                    if not waiting:
                        break
                    running[pool.submit(_score, waiting[0][1])] = waiting[0]  # raises if a worker died: it still waits
                    del waiting[0]
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    output = output_or_failure(future.result())
                    number, texts = running.pop(future)
                    deaths = 0
                    advance(0 if isinstance(output, PredictionError) else len(texts))
                    yield number, texts, output
        except BrokenProcessPool as error:
            waiting = sorted([*running.values(), *waiting])
            deaths += 1
            if deaths > RESTARTS:
                raise ModelError(
                    f"{count(n, 'worker')} of the model {source.model} ended {deaths} times before a chunk was done.",
                    remedy="They may lack memory: give fewer workers=, or smaller batch_tokens=.",
                ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _prepare(source: SpreadModel, started: Any, threads: int) -> None:
    """In a worker: take a device."""
    with started.get_lock():
        number = started.value
        started.value += 1
    _loaded[:] = [LoadedOnce(source, source.devices[number], threads)]


def _score(texts: list[str]) -> Any:
    return _loaded[0].score(texts)

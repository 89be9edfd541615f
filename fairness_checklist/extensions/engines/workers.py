"""Worker processes on this machine: each loads the model and scores whole chunks."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from fairness_checklist.core.errors import ModelError, PredictionError, count
from fairness_checklist.extensions.engines.spread import (
    Chunk,
    LoadedOnce,
    SpreadModel,
    output_or_failure,
    threads_a_worker,
)

RESTARTS = 3  # in a row, without a chunk that gets done
_AHEAD = 2  # chunks a worker that wait, so that none is idle

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
        starting = (source, context.Value("i", 0), threads_a_worker(n))
        pool = ProcessPoolExecutor(n, context, _prepare, starting)
        running: dict[Future[Any], Chunk] = {}
        try:
            while True:
                while len(running) < n * _AHEAD:
                    chunk = waiting.pop(0) if waiting else next(chunks, None)
                    if chunk is None:
                        break
                    running[pool.submit(_score, chunk[1])] = chunk
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

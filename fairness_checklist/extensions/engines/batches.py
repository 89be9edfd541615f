"""Batches of a corpus, read by several processes of this machine or of a Ray cluster; results come in order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from typing import Any, TypeVar

from fairness_checklist.core.option_defaults import choice, whole_number
from fairness_checklist.extensions.engines.ray_actors import cluster
from fairness_checklist.models.base import ENGINES

__all__ = ["over_batches"]

_AHEAD = 2  # batches a worker that wait, so that none is idle and the memory is bounded
_Batch = TypeVar("_Batch")
_Found = TypeVar("_Found")


def over_batches(
    function: Callable[[_Batch], _Found], batches: Iterable[_Batch], *, workers: int = 1, engine: str = "local"
) -> Iterator[tuple[_Batch, _Found]]:
    """Each batch and what the function makes of it, in order, whoever computes it.

    Args:
        function: computes one batch without a memory of others; with workers it is pickled.
        batches: read here, some ahead.
        workers: processes; 1 computes here.
        engine: "local", or "ray": tasks of the cluster that ``RAY_ADDRESS`` names, or of one that is started here.

    Raises:
        OptionError: an engine that is not known, or no whole number of workers.
        MissingExtraError: Ray is not installed.

    >>> [found for _, found in over_batches(sum, [[1, 2], [3]])]
    [3, 3]
    """
    workers, engine = whole_number("workers", workers), choice("engine", engine, ENGINES)
    if engine == "local" and workers == 1:
        yield from ((batch, function(batch)) for batch in batches)
        return
    with ExitStack() as stack:
        submit: Callable[[_Batch], Any]
        result: Callable[[Any], _Found]
        if engine == "ray":
            ray = stack.enter_context(cluster(workers))
            sent, task = ray.put(function), ray.remote(_called)
            submit, result = lambda batch: task.remote(sent, batch), ray.get
        else:
            pool = stack.enter_context(ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")))
            submit, result = lambda batch: pool.submit(function, batch), lambda future: future.result()
        waiting: deque[tuple[_Batch, Any]] = deque()
        for batch in batches:
            waiting.append((batch, submit(batch)))
            if len(waiting) >= workers * _AHEAD:
                first, running = waiting.popleft()
                yield first, result(running)
        for batch, running in waiting:
            yield batch, result(running)


def _called(function: Callable[[Any], Any], batch: Any) -> Any:
    return function(batch)

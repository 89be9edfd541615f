"""Batches of a corpus, computed by several processes; results come in order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

from fairness_checklist.core.option_defaults import whole_number

_AHEAD = 2  # batches a worker that wait, so that none is idle and the memory is bounded
_Batch = TypeVar("_Batch")
_Found = TypeVar("_Found")


def over_batches(
    function: Callable[[_Batch], _Found], batches: Iterable[_Batch], *, workers: int = 1
) -> Iterator[tuple[_Batch, _Found]]:
    """Each batch and what the function makes of it, in order, whoever computes it.

    Args:
        function: computes one batch without a memory of others; with workers it is pickled.
        batches: read here, some ahead.
        workers: processes; 1 computes here.

    Raises:
        OptionError: no whole number of workers.

    >>> [found for _, found in over_batches(sum, [[1, 2], [3]])]
    [3, 3]
    """
    if whole_number("workers", workers) == 1:
        yield from ((batch, function(batch)) for batch in batches)
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        waiting: deque[tuple[_Batch, Future[_Found]]] = deque()
        for batch in batches:
            waiting.append((batch, pool.submit(function, batch)))
            if len(waiting) >= workers * _AHEAD:
                first, running = waiting.popleft()
                yield first, running.result()
        for batch, running in waiting:
            yield batch, running.result()

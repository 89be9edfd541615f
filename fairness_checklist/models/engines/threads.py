"""Batches side by side: several threads of Python, and the cores shared out among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")
_BATCHES_A_THREAD = 3  # with fewer some threads would be idle at the end of a chunk


def side_by_side(run: Callable[[Job], Result], jobs: Sequence[Job], device: str = "cpu") -> Iterator[Result]:
    """``run(job)`` for each job as they get ready, on a CPU with several cores several at once.

    Cores that work on one batch together wait for each other at every operation, which takes longer than the work of a
    small model, and much longer where other programs use the cores as well. So batches run side by side, each on one
    core; where there are fewer than three a core, on several. The results are the same bytes.

    Args:
        run: a forward pass.
        jobs: the batches, the largest last.
        device: a GPU gets one after another.
    """
    if device != "cpu" or len(jobs) < 2:
        yield from map(run, jobs)
        return
    import torch

    cores = torch.get_num_threads()
    threads = min(cores, max(1, len(jobs) // _BATCHES_A_THREAD))
    if threads == 1:
        yield from map(run, jobs)
        return
    pool = ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(cores // threads,))
    try:
        for done in as_completed([pool.submit(run, job) for job in reversed(jobs)]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(cores)  # the number for threads to come is one for the whole process

"""Batches side by side: several threads of Python, each on a core of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def side_by_side(run: Callable[[Job], Result], jobs: Sequence[Job], device: str = "cpu") -> Iterator[Result]:
    """``run(job)`` for each job as they get ready, on a CPU with several cores several at once.

    Cores that work on one batch together wait for each other at every operation, which takes longer than the work of a
    small model, and much longer where other programs use the cores as well. They also add up long sums in another
    order, which moves the last bits. So each batch has one core: the results are the same bytes for any number.

    Args:
        run: a forward pass.
        jobs: the batches, the largest last: they are begun first, so that the cores end at about the same time.
        device: a GPU gets one after another.
    """
    if device != "cpu" or not jobs:
        yield from map(run, jobs)
        return
    import torch

    cores = torch.get_num_threads()
    if cores == 1:
        yield from map(run, jobs)
        return
    pool = ThreadPoolExecutor(min(cores, len(jobs)), initializer=torch.set_num_threads, initargs=(1,))
    try:
        for done in as_completed([pool.submit(run, job) for job in reversed(jobs)]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(cores)  # the number for threads to come is one for the whole process

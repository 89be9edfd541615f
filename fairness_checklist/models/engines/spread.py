"""Chunks of texts: scored here one after another, or sent to workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from fairness_checklist.core.errors import PredictionError
from fairness_checklist.core.extensions import extension
from fairness_checklist.models.base import Output
from fairness_checklist.models.engines.source import Source
from fairness_checklist.models.failing_texts import Score, output_or_error

Chunk = tuple[int, list[str]]


def spread_chunks(
    source: Source | None,
    score: Score[Output],
    chunks: Iterable[Chunk],
    advance: Callable[[int], object],
    halved: list[int],
) -> Iterator[tuple[int, list[str], Output | PredictionError]]:
    """The number, the texts and the output of each chunk, or the error; a single chunk is scored here.

    Args:
        source: what workers load; None without workers.
        score: the output for the texts of a chunk; pure, so that it does not matter which process asks.
        chunks: the number and the texts of each chunk.
        advance: called with the number of texts that are done.
        halved: takes the sizes of batches that did not fit into the memory of a worker.

    >>> list(spread_chunks(None, lambda texts, advance: list(map(len, texts)), [(0, ["Hi."])], print, []))
    [(0, ['Hi.'], [3])]
    """
    some = iter(chunks)
    first = list(islice(some, 2))
    together = chain(first, some)
    if source is None or len(first) < 2:
        for at, texts in together:
            yield at, texts, output_or_error(score, texts, advance)
    elif source.engine == "ray":
        yield from extension("engines.ray_data").score_by_ray(source, together, advance, halved)
    else:
        longest_first = reversed(list(together))  # so that the workers end at about the same time
        yield from extension("engines.workers").score_in_workers(source, longest_first, advance, halved)

"""Ray Data: chunks as blocks, and a pool of actors that score them, on a cluster or on this machine."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib import import_module
from typing import Any

from fairness_checklist.core.errors import MissingExtraError, ModelError, PredictionError, count
from fairness_checklist.extensions.engines.spread import LoadedOnce, SpreadModel, text_failure, threads_a_worker
from fairness_checklist.extensions.stored.stored_rows import PREDICTIONS, TAGGINGS, from_parquet, to_parquet
from fairness_checklist.models.base import ClassifierOutput
from fairness_checklist.models.token_predictions import TaggerOutput


def score_by_ray(
    source: SpreadModel, chunks: Iterator[tuple[int, list[str]]], advance: Callable[[int], object], halved: list[int]
) -> Iterator[tuple[int, list[str], Any]]:
    """The number, the texts and the output of each chunk, or the error, as Ray's actors get done with them.

    A cluster is joined where ``RAY_ADDRESS`` names one (``auto``, ``ray://...``), and its machines must see the folder
    of the model; else one is started here. Ray starts an actor that dies again, and its chunk with it.
    """
    ray = import_ray()
    texts_of = dict(chunks)
    if texts_of:
        with redirect_stdout(sys.stderr):  # Ray prints there that an actor died, and a program may read our JSON
            yield from _on_cluster(ray, source, texts_of, advance, halved)


def _on_cluster(
    ray: Any, source: SpreadModel, texts_of: dict[int, list[str]], advance: Callable[[int], object], halved: list[int]
) -> Iterator[tuple[int, list[str], Any]]:
    """What `score_by_ray` gives, by the cluster that is there or by one that is started."""
    n = len(source.devices)
    started = not ray.is_initialized()
    if started:
        address = os.environ.get("RAY_ADDRESS")
        local = {} if address else {"num_cpus": n, "include_dashboard": False}
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", **local)
    try:
        cpus = int(ray.cluster_resources().get("CPU", 0))
        if cpus < n:  # without one for each the actors would wait for ever, without an error
            raise ModelError(
                f"the cluster has {count(cpus, 'CPU')} for {count(n, 'worker')}; expected one for each.",
                remedy="Give fewer workers=.",
            )
        for at, content, sizes in _results(source, texts_of):
            texts = texts_of.pop(at)
            halved += sizes
            advance(0 if isinstance(content, PredictionError) else len(texts))
            yield at, texts, content
    finally:
        if started:
            ray.shutdown()


def _results(source: SpreadModel, texts_of: dict[int, list[str]]) -> Iterator[tuple[int, Any, list[int]]]:
    import pyarrow as pa

    data, n = import_module("ray.data"), len(source.devices)
    context = data.DataContext.get_current()
    bars, context.enable_progress_bars = context.enable_progress_bars, False
    logger = logging.getLogger("ray.data")
    level = logger.level
    logger.setLevel(logging.ERROR)
    on_gpu = not source.devices[0].startswith("cpu")
    try:
        # A block for each chunk: a block goes to one actor.
        blocks = [pa.table({"chunk": [at], "texts": [texts]}) for at, texts in texts_of.items()]
        rows = data.from_arrow(blocks).map_batches(
            _Actor,
            fn_constructor_args=(source, threads_a_worker(n)),
            batch_size=1,
            concurrency=n,
            num_cpus=1,
            **({"num_gpus": 1} if on_gpu else {}),
        )
        for row in rows.iter_rows():
            output = text_failure(json.loads(row["failure"])) if row["failure"] else _output(row)
            yield int(row["chunk"]), output, list(map(int, json.loads(row["halved"])))
    finally:
        context.enable_progress_bars = bars
        logger.setLevel(level)


def _output(row: dict[str, Any]) -> Any:
    table: Any = TAGGINGS if row["tags"] else PREDICTIONS
    rows = [entry for entry in from_parquet(table, row["output"]) if entry is not None]
    return (TaggerOutput if row["tags"] else ClassifierOutput).concatenate(rows)


class _Actor:
    """A worker of Ray: the rows of a batch are chunks of texts."""

    def __init__(self, source: SpreadModel, threads: int) -> None:
        on_gpu = not source.devices[0].startswith("cpu")
        self.worker = LoadedOnce(source, "cuda" if on_gpu else source.devices[0], threads)  # Ray shows it one GPU

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        scored: dict[str, list[Any]] = {"chunk": [], "tags": [], "output": [], "halved": [], "failure": []}
        for at, texts in zip(batch["chunk"], batch["texts"], strict=True):
            output, halved, failure = self.worker.score([str(text) for text in texts])
            tags = hasattr(output, "spans")
            table: Any = TAGGINGS if tags else PREDICTIONS
            scored["chunk"].append(int(at))
            scored["tags"].append(tags)
            scored["output"].append(b"" if output is None else to_parquet(table, output))
            scored["halved"].append(json.dumps(halved))
            scored["failure"].append("" if failure is None else json.dumps(failure))
        return scored


def import_ray() -> Any:
    """The library, whose types nobody checks."""
    try:
        import_module("ray.data")
        return import_module("ray")
    except ImportError as error:
        raise MissingExtraError(
            'engine="ray" needs Ray Data, which is not installed.',
            remedy='Install it: pip install "fairness-checklist[ray]".',
        ) from error

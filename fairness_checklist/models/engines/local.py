"""Forward passes in this process: tokenize once, batch texts of one length, no padding, no gradients."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray
from fairness_checklist.core.errors import ModelError, OptionError, count
from fairness_checklist.models.batches_without_padding import plan_batches


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of m texts in a row, special ones included."""

    ids: IntArray  # (K,) the tokens
    offset: IntArray  # (m + 1,) where each text's tokens start
    types: IntArray | None = None  # (K,) their token types, if the model uses them

    @cached_property
    def lengths(self) -> IntArray:
        """The tokens of each text (m,)."""
        return np.diff(self.offset)

    def at(self, rows: IntArray) -> IntArray:
        """Where the tokens of some texts of one length are (b, length)."""
        return self.offset[rows][:, None] + np.arange(self.lengths[rows[0]])

    @classmethod
    def of_lists(cls, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]] | None = None) -> Tokens:
        """The tokens of lists, one a text."""
        return cls(_flat(ids), np.cumsum([0, *map(len, ids)]), None if types is None else _flat(types))


def _flat(rows: Sequence[Sequence[int]]) -> IntArray:
    return np.fromiter(chain.from_iterable(rows), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Engine:
    """A transformers model with its tokenizer, and how to feed it."""

    model: Any  # a classifier of texts (torch module) whose output has ``logits`` (b, L), or of tokens, (b, tokens, L)
    tokenizer: Any  # the tokenizer that belongs to it
    limit: int | None  # the most tokens of a text that the model reads; None where there is no limit
    batch_tokens: int  # the most tokens of a batch
    several: bool = True  # whether the model takes several texts at a time

    def where(self) -> str:
        """Where the model runs: the device, and on a CPU how many threads."""
        import torch

        device = self.model.device.type
        return f"cpu, {count(torch.get_num_threads(), 'thread')}" if device == "cpu" else str(self.model.device)


def token_limit(model: Any, tokenizer: Any, max_length: int | None) -> int | None:
    """The most tokens, special ones included, of a text: the smallest of the limits of tokenizer, model and user."""
    limits = []
    if 0 < tokenizer.model_max_length < 1_000_000:
        limits.append(int(tokenizer.model_max_length))
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        limits.append(positions - _position_offset(model))
    limit = min(limits, default=None)
    if max_length is None:
        return limit
    special = int(tokenizer.num_special_tokens_to_add())
    if max_length <= special or (limit is not None and max_length > limit):
        most = f"{limit} tokens, which is what the model reads" if limit is not None else "any number of tokens"
        raise OptionError(f"max_length={max_length} is out of range; expected {special + 1} to {most}.")
    return max_length


def _position_offset(model: Any) -> int:
    """How many positions a model of the RoBERTa family, which numbers them from behind the padding, cannot use."""
    import torch

    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            return 0 if module.padding_idx is None else int(module.padding_idx) + 1
    return 0


def text_logits(engine: Engine, texts: list[str], advance: Callable[[int], object]) -> tuple[FloatArray, BoolArray]:
    """Logits (n, L) of n texts, and which were cut (n,). Bytes depend on the texts and the batch budget alone."""
    tokens, truncated = _encode(engine, texts)
    return _all_logits(engine, tokens, advance, len(texts), lambda rows: rows), truncated


def token_logits(engine: Engine, tokens: Tokens, advance: Callable[[int], object]) -> FloatArray:
    """Logits (tokens, L) of n sequences of tokens, concatenated; for a model whose ``logits`` are (b, tokens, L)."""
    return _all_logits(engine, tokens, advance, len(tokens.ids), tokens.at)


def _all_logits(
    engine: Engine, tokens: Tokens, advance: Callable[[int], object], n: int, lines: Callable[[IntArray], IntArray]
) -> FloatArray:
    """The logits of all batches as (n, L); ``lines`` says which of the n those of some sequences are."""
    logits: FloatArray | None = None
    for rows, values in _forward(engine, tokens):
        if logits is None:
            logits = np.empty((n, values.shape[-1]))
        logits[lines(rows)] = values
        advance(len(rows))
    return np.empty((0, 0)) if logits is None else logits


def position_logits(engine: Engine, ids: list[list[int]], positions: IntArray) -> Iterator[tuple[IntArray, FloatArray]]:
    """For each batch which sequences it holds (b,), and their logits at one position each (b, L)."""
    return _forward(engine, Tokens.of_lists(ids), positions)


_Batch = tuple[IntArray, FloatArray]


def _forward(engine: Engine, tokens: Tokens, positions: IntArray | None = None) -> Iterator[_Batch]:
    """For each batch, in no certain order, which sequences it holds (b,), and the model's logits in float64.

    With a position for each sequence (n,) the logits are those at it alone, (b, L) instead of (b, tokens, L).
    """
    import torch

    _check_vocabulary(engine, tokens.ids)
    batches = plan_batches(tokens.lengths, engine.batch_tokens if engine.several else 0)
    batches.sort(key=lambda rows: int(tokens.lengths[rows].sum()))
    training = engine.model.training
    engine.model.eval()

    def run(rows: IntArray) -> _Batch:
        with torch.inference_mode():
            logits = engine.model(**model_inputs(engine, tokens, rows)).logits
            if positions is not None:
                logits = logits[torch.arange(len(rows)), torch.from_numpy(positions[rows])]
            return rows, logits.to(torch.float64).cpu().numpy()

    try:
        yield from _side_by_side(run, batches, engine.model.device.type)
    finally:
        engine.model.train(training)


def _side_by_side(run: Callable[[IntArray], _Batch], batches: list[IntArray], device: str) -> Iterator[_Batch]:
    """``run(batch)`` for each batch as they get ready, on a CPU with several cores several at once.

    Each batch has one core: cores that work on one wait for each other at every operation, and add up long sums in
    another order, which moves the last bits. The largest ones, the last, are begun first, so that no core is idle.
    """
    import torch

    cores = torch.get_num_threads()
    if device != "cpu" or cores == 1 or not batches:
        yield from map(run, batches)
        return
    threads = _threads(cores, os.getpid())
    running = {threads.submit(run, batch) for batch in reversed(batches)}
    try:
        for done in as_completed(running):
            running.remove(done)  # and its logits with it
            yield done.result()
    finally:
        for future in running:
            future.cancel()
        wait(running)
        torch.set_num_threads(cores)  # the number for threads to come is one for the whole process


@lru_cache(maxsize=1)
def _threads(cores: int, _process: int) -> ThreadPoolExecutor:
    """The threads of a process, kept for its life, and with them the memory that they have used."""
    import torch

    return ThreadPoolExecutor(cores, initializer=torch.set_num_threads, initargs=(1,))


def model_inputs(engine: Engine, tokens: Tokens, rows: IntArray) -> dict[str, Any]:
    """What the model reads for some texts of one length: tensors (b, length) on its device; no mask, no padding."""
    import torch

    inputs = {"input_ids": tokens.ids} | ({} if tokens.types is None else {"token_type_ids": tokens.types})
    positions = tokens.at(rows)
    return {name: torch.from_numpy(values[positions]).to(engine.model.device) for name, values in inputs.items()}


@contextmanager
def silence_transformers() -> Iterator[None]:
    """Silence transformers' and the hub's bars, logs and warnings, and leave every option as it was."""
    with warnings.catch_warnings(), ExitStack() as restored:
        warnings.simplefilter("ignore")  # tqdm.auto warns in a notebook without widgets
        import huggingface_hub.utils
        import transformers.utils.logging

        bars: Any = transformers.utils.logging  # neither has types
        hub: Any = huggingface_hub.utils
        for logger in map(logging.getLogger, ("transformers", "huggingface_hub")):
            restored.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL)
        if bars.is_progress_bar_enabled():
            restored.callback(bars.enable_progress_bar)
        if not hub.are_progress_bars_disabled():
            restored.callback(hub.enable_progress_bars)
        bars.disable_progress_bar()
        hub.disable_progress_bars()
        yield


def tokenize(tokenizer: Any, texts: list[str], **options: Any) -> Any:
    """What a tokenizer gives for texts, without padding; token types where the model uses them."""
    with silence_transformers():
        return tokenizer(
            texts,
            padding=False,
            return_attention_mask=False,
            return_token_type_ids="token_type_ids" in tokenizer.model_input_names,
            **{"truncation": False, **options},
        )


def _encode(engine: Engine, texts: list[str]) -> tuple[Tokens, BoolArray]:
    """The tokens of n texts, and which of the texts were truncated (n,)."""
    tokenizer, limit = engine.tokenizer, engine.limit
    encoded = tokenize(tokenizer, texts)
    truncated = np.array([limit is not None and len(row) > limit for row in encoded["input_ids"]], dtype=np.bool_)
    if truncated.any():
        encoded = tokenize(tokenizer, texts, truncation=True, max_length=limit)
    empty = [max(0, getattr(engine.model.config, "pad_token_id", None) or 0)]  # a text without tokens gets one
    ids, types = encoded["input_ids"], encoded.get("token_type_ids")
    return Tokens.of_lists([row or empty for row in ids], types and [row or [0] for row in types]), truncated


def _check_vocabulary(engine: Engine, ids: IntArray) -> None:
    """Raise `ModelError` for tokens that the model does not have; deep inside they would be an index error."""
    size = getattr(engine.model.config, "vocab_size", None)
    largest = int(ids.max(initial=-1))
    if isinstance(size, int) and largest >= size > 0:
        raise ModelError(
            f"the tokenizer gives the token {largest:,}, but the model knows {size:,}: they do not belong together.",
            remedy="Save the tokenizer that the model was trained with: tokenizer.save_pretrained(folder).",
        )

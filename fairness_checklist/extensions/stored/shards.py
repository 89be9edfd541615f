"""Shares of the chunks of a job, for several machines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from fairness_checklist.api.scoring import check_language, placebo_parts, texts_of
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.stored.stored_rows import PREDICTIONS, ChunkFolder
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.models.batching import check_texts, cut_chunks, unique_texts
from fairness_checklist.models.predicting import predict_with_store
from fairness_checklist.suites.parts import Part

Shard = tuple[int, int]
"""The number of a share of the chunks of a job, from 1, and how many shares there are."""


def read_shard(text: str) -> Shard:
    """The number of a shard, from 1, and how many there are."""
    parts = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
    if not parts:
        raise OptionError(f"shard={text!r} is not a shard.", remedy='Write i/n, such as "1/4" for the first of four.')
    return check_shard((int(parts[1]), int(parts[2])))


def check_shard(shard: Shard) -> Shard:
    """The shard.

    >>> check_shard((5, 4))
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: there is no shard 5 of 4; expected 1 to 4.
    """
    number, n = shard
    if not 1 <= number <= n:
        raise OptionError(f"there is no shard {number:,} of {n:,}; expected 1 to {n:,}.")
    return shard


def unidentified_error() -> OptionError:
    """The error for a model whose predictions cannot be told from those of another one."""
    return OptionError(
        "the model cannot be identified, so that no prediction can be kept for it.",
        remedy="Give a function a name: load_model(function, name=...).",
        command_remedy="Name it in its file, model = fairness_checklist.load_model(function, name=...), and give "
        "--model FILE.py:model.",
    )


def score_shard(
    model: Classifier | Tagger, texts: Sequence[str], folder: str | Path, shard: Shard, *, progress: bool = False
) -> tuple[int, int]:
    """Score every n-th chunk of the different texts into a folder; how many were scored now, and how many there are.

    The chunks are the same whatever the order of the texts is, and so are their bytes: `predict_with_store` with the
    folder as its store merges the shards, in any order, and scores what is missing. That includes texts that the model
    failed on, which may be one in ten of the texts of a shard, see `FailingTexts`. Chunks that are there are left.
    """
    number, n = check_shard(shard)
    fingerprint: str = getattr(model, "fingerprint", "")
    if not fingerprint or not hasattr(model, "score"):
        raise unidentified_error()
    check_texts(texts)
    files = ChunkFolder(Path(folder), fingerprint, PREDICTIONS)
    files.folder.mkdir(parents=True, exist_ok=True)
    size: int = getattr(model, "chunk_size", 1)
    chunks = cut_chunks(unique_texts(texts)[0], size)[number - 1 :: n]
    missing = sum(not files.has(chunk) for chunk in chunks)
    # In canonical order these texts are cut into the same chunks again: only the last one of all may be shorter.
    share = [text for chunk in chunks for text in chunk]
    predict_with_store(model, share, files.folder, progress=progress, keep_going=True)
    return missing, len(chunks)


def score_suite_shard(
    parts: Sequence[Part],
    model: Classifier | Tagger,
    folder: str | Path,
    shard: Shard,
    placebo: bool,
    seed: int,
    progress: bool,
) -> tuple[int, int]:
    """One shard of the texts of all parts, and of the placebo words; see `score_shard`."""
    check_shard(shard)
    check_language(parts, model)
    jobs = [list(parts), placebo_parts(parts, seed) if placebo else []]
    done = [score_shard(model, texts_of(job), folder, shard, progress=progress) for job in jobs if job]
    return sum(new for new, _ in done), sum(n for _, n in done)

"""A share of the chunks of a job, for several machines that know nothing of each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from fairness_checklist.core.errors import OptionError
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.models.batching import check_texts, cut_chunks, unique_texts
from fairness_checklist.models.stored.chunk_folder import ChunkFolder
from fairness_checklist.models.stored.store import predict_with_store

Shard = tuple[int, int]


def read_shard(text: str) -> Shard:
    """The number of a shard, from 1, and how many there are.

    Raises:
        OptionError: something else than i/n.

    >>> read_shard("2/4")
    (2, 4)
    """
    found = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text)
    if not found:
        raise OptionError(f"shard={text!r} is not a shard.", remedy='Write i/n, such as "1/4" for the first of four.')
    return check_shard((int(found[1]), int(found[2])))


def check_shard(shard: Shard) -> Shard:
    """The shard.

    Raises:
        OptionError: the number is not one of 1 to n.

    >>> check_shard((5, 4))
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: there is no shard 5 of 4; expected 1 to 4.
    """
    number, n = shard
    if not 1 <= number <= n:
        raise OptionError(f"there is no shard {number:,} of {n:,}; expected 1 to {n:,}.")
    return shard


def score_shard(
    model: Classifier | Tagger, texts: Sequence[str], folder: str | Path, shard: Shard, *, progress: bool = False
) -> tuple[int, int]:
    """Score every n-th chunk of the different texts into a folder; chunks that are there already are left.

    The chunks are the same whatever the order of the texts is, and so are their bytes: `predict_with_store` with the
    folder as its store merges the shards, in any order, and scores what is missing. That includes texts that the model
    failed on, which may be one in ten of the texts of a shard, see `FailingTexts`.

    Args:
        model: a model that can be identified: of `load_model`, a function with ``name=``.
        texts: all n texts of the job, the same for each shard.
        folder: a folder that the machines share, or whose files are copied together afterwards.
        shard: the number of this shard, from 1, and how many there are.
        progress: show a bar, where there is a terminal.

    Returns:
        the chunks that were scored now, and the chunks of the shard.

    Raises:
        OptionError: a model that cannot be identified, or a shard that does not exist.
        PredictionError: the model failed on too many texts.

    >>> import tempfile
    >>> from fairness_checklist.models.load import load_model
    >>> model = load_model(lambda texts: [0.75] * len(texts), name="always", batch_size=1)
    >>> folder = tempfile.mkdtemp()
    >>> score_shard(model, ["Anna left.", "Ben left.", "Cleo left."], folder, (1, 2))
    (2, 2)
    >>> score_shard(model, ["Anna left.", "Ben left.", "Cleo left."], folder, (1, 2))
    (0, 2)
    """
    number, n = check_shard(shard)
    fingerprint: str = getattr(model, "fingerprint", "")
    if not fingerprint or not hasattr(model, "score"):
        raise OptionError(
            "the model cannot be identified, so that no chunk can be kept for it.",
            remedy="Give a function a name: load_model(function, name=...).",
        )
    check_texts(texts)
    files = ChunkFolder(Path(folder), fingerprint)
    files.folder.mkdir(parents=True, exist_ok=True)
    size: int = getattr(model, "chunk_size", 1)
    chunks = cut_chunks(unique_texts(texts)[0], size)[number - 1 :: n]
    missing = sum(not files.has(chunk) for chunk in chunks)
    # In canonical order these texts are cut into the same chunks again: only the last one of all may be shorter.
    of_shard = [text for chunk in chunks for text in chunk]
    predict_with_store(model, of_shard, files.folder, progress=progress, keep_going=True)
    return missing, len(chunks)

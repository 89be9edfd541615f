"""Predictions of any model for many texts, with a store that keeps them as they come."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.models.base import Classifier, Tagger, predict_with_checks
from fairness_checklist.models.batches_without_padding import predict_by_chunk
from fairness_checklist.models.token_predictions import tag_by_chunk


def predict_with_store(
    model: Classifier | Tagger,
    texts: Sequence[str],
    store: Path | str | None,
    *,
    progress: bool = False,
    keep_going: bool = False,
) -> Predictions | TokenPredictions:
    """``model.predict(texts)``, or what a store has of it; each new chunk is stored at once.

    The store is a file of SQLite with hashes of texts, under a hash of the model; several processes may use it at
    once. A run that was killed and is started again gives the same bytes as one that was not. Of a model without a
    fingerprint nothing is stored, nor of texts that failed, see `FailingTexts`.
    """
    fingerprint: str = getattr(model, "fingerprint", "")
    if not hasattr(model, "score"):
        return predict_with_checks(model, texts, progress=progress)
    tags = hasattr(model, "finish")
    by_chunk: Any = tag_by_chunk if tags else predict_by_chunk
    with ExitStack() as stack:
        kept: Any = None
        if store is not None and fingerprint:
            from fairness_checklist.extensions.stored.store import opened_store

            kept = stack.enter_context(opened_store(Path(store), fingerprint, tags=tags))
        predictions: Predictions | TokenPredictions = by_chunk(
            model, texts, progress=progress, kept=kept, keep_going=keep_going
        )
        return predictions

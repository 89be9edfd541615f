"""Predictions of any model for many texts, with a store that keeps them as they come."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from fairness_checklist.core.predictions import Predictions, TokenPredictions
from fairness_checklist.models.base import Classifier, Tagger, predict_with_checks
from fairness_checklist.models.batches_without_padding import predict_by_chunk
from fairness_checklist.models.token_predictions import tag_by_chunk


def seconds_for(model: Any, texts: Sequence[str]) -> float:
    """How long a model takes for some texts, after the first of them, which is slower."""
    model.predict(texts[:1])
    begun = perf_counter()
    model.predict(texts)
    return perf_counter() - begun


def times_slower(model: Any) -> float:
    """How many times as long as in float32 a model of transformers takes for a batch in its own, lower precision."""
    texts, module = [f"The person at desk {n} was kind." for n in range(10, 26)], model.engine.model
    lower, precision = seconds_for(model, texts), module.dtype
    module.float()  # which changes no number, and nor does the way back
    try:
        return lower / seconds_for(model, texts)
    finally:
        module.to(precision)


def predict_with_store(
    model: Classifier | Tagger,
    texts: Sequence[str],
    store: Path | str | None,
    *,
    progress: bool = False,
    keep_going: bool = False,
) -> Predictions | TokenPredictions:
    """``model.predict(texts)``, or what a store has of it; each new chunk of a model with a fingerprint is stored."""
    if not hasattr(model, "score"):
        return predict_with_checks(model, texts, progress=progress)
    tags = hasattr(model, "finish")
    by_chunk: Any = tag_by_chunk if tags else predict_by_chunk
    predict: Callable[..., Predictions | TokenPredictions] = partial(
        by_chunk, model, texts, progress=progress, keep_going=keep_going
    )
    fingerprint: str = getattr(model, "fingerprint", "")
    if store is None or not fingerprint:
        return predict()
    from fairness_checklist.extensions.stored.store import opened_store

    with opened_store(Path(store), fingerprint, tags=tags) as kept:
        return predict(kept=kept)

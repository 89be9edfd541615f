"""Objects of transformers and torch that cannot be asked as they are."""

from __future__ import annotations

from typing import Any

from fairness_checklist.core.errors import ModelError

_RANDOM = ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm")

_ZERO_SHOT = """Give a function: load_model(lambda texts: pipe(texts, candidate_labels=["negative", "positive"]))."""


def check_module(model: Any) -> None:
    """Raise `ModelError` for a tokenizer, a zero-shot pipeline, and a module whose answers are random.

    >>> check_module(lambda texts: [0.5] * len(texts))
    """
    if isinstance(model, type):
        return
    if type(model).__name__ == "ZeroShotClassificationPipeline":
        raise ModelError("a pipeline for zero-shot classification needs the names of the labels.", remedy=_ZERO_SHOT)
    if callable(getattr(model, "convert_tokens_to_ids", None)):
        raise ModelError(
            f"a {type(model).__name__} is a tokenizer, and no model is given.",
            remedy="Give it with its model: load_model((model, tokenizer)).",
        )
    if callable(getattr(model, "forward", None)) and callable(getattr(model, "modules", None)):
        kinds = [type(one).__name__ for one in model.modules() if getattr(one, "training", False)]
        found = [kind for kind in kinds if kind.startswith(_RANDOM)]
        if found:
            raise ModelError(
                f"the module {type(model).__name__} is in training mode, in which {found[0]} changes its answers.",
                remedy="Call model.eval() first.",
            )

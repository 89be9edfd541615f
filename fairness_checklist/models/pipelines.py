"""Objects of transformers and torch: pipelines, pairs of a model and a tokenizer, and modules by themselves."""

from __future__ import annotations

from typing import Any

from fairness_checklist.core.errors import ModelError, first_ten

_READ = {"max_length", "padding", "return_tensors", "truncation"}
"""Options of a pipeline's tokenizer that change no number, or that are read."""
_RANDOM = ("Dropout", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm")

_ZERO_SHOT = """Give a function: load_model(lambda texts: pipe(texts, candidate_labels=["negative", "positive"]))."""


def model_and_tokenizer(model: Any) -> tuple[Any, Any] | None:
    """(model, tokenizer) of a pair or of a transformers pipeline; None for anything else."""
    if isinstance(model, tuple) and len(model) == 2 and hasattr(model[0], "config"):
        return model
    inner, tokenizer = getattr(model, "model", None), getattr(model, "tokenizer", None)
    if tokenizer is not None and hasattr(inner, "config") and hasattr(model, "preprocess"):
        return inner, tokenizer
    return None


def pipeline_length(pipeline: Any, max_length: int | None) -> int | None:
    """The most tokens of a text: those that the user names, else those of a pipeline that truncates.

    Raises:
        ModelError: a pipeline that classifies by names that it is given, or that tokenizes in a way of its own.
    """
    if type(pipeline).__name__ == "ZeroShotClassificationPipeline":
        raise ModelError("a pipeline for zero-shot classification needs the names of the labels.", remedy=_ZERO_SHOT)
    if type(pipeline).__name__ != "TextClassificationPipeline":
        return max_length
    options = dict(getattr(pipeline, "_preprocess_params", None) or {})
    further = sorted(set(options) - _READ)
    if further:
        raise ModelError(
            f"the pipeline tokenizes with options of its own: {first_ten(further)}.",
            remedy="Give a function: load_model(lambda texts: pipe(texts, top_k=None)); or make the pipeline without.",
        )
    own = options.get("max_length") if options.get("truncation") else None
    return max_length if max_length is not None or own is None else int(own)


def check_activation(pipeline: Any, activation: str) -> None:
    """Raise `ModelError` where a pipeline turns outputs into probabilities in another way than its configuration says.

    Args:
        pipeline: a pipeline, or a pair.
        activation: "softmax" or "sigmoid", by the configuration; "identity" for a regression.
    """
    options = dict(getattr(pipeline, "_postprocess_params", None) or {})
    given = options.get("function_to_apply")
    named = str(getattr(given, "value", given))
    if named in ("softmax", "sigmoid") and named != activation:
        kind = {"softmax": "single_label_classification", "sigmoid": "multi_label_classification"}[named]
        raise ModelError(
            f"the pipeline applies {named} to the outputs, and by the model's configuration they are for {activation}.",
            remedy=f'Set it: pipe.model.config.problem_type = "{kind}"; or leave function_to_apply out.',
        )


def check_module(model: Any) -> None:
    """Raise `ModelError` for a model without its tokenizer, a tokenizer alone, and a module that answers at random.

    >>> check_module(lambda texts: [0.5] * len(texts))
    """
    if isinstance(model, type):
        return
    if hasattr(model, "base_model_prefix") and callable(getattr(model, "forward", None)):
        raise ModelError(
            f"a {type(model).__name__} reads numbers, and no tokenizer is given.",
            remedy="Give it with its tokenizer: load_model((model, tokenizer)).",
        )
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

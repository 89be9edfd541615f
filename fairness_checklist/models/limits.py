"""How long a text a transformers model reads, and with what it may be padded."""

from __future__ import annotations

from typing import Any

from fairness_checklist.errors import OptionError

__all__ = ["padding_token", "token_limit"]


def token_limit(model: Any, tokenizer: Any, max_length: int | None = None) -> int | None:
    """The most tokens, special ones included, of a text: the tokenizer's limit, the model's positions, the user's wish.

    Models of the RoBERTa family number positions from behind the padding token, and so read fewer than their
    configuration says.

    Raises:
        OptionError: ``max_length`` over what the model reads, or without room for a word.
    """
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


def padding_token(model: Any, tokenizer: Any) -> int | None:
    """The id that fills up short texts; None where the model cannot tell it from text.

    A model that reads its answer off the last token (`GPT2ForSequenceClassification` and the like) finds that token by
    ``config.pad_token_id`` and by nothing else.
    """
    known = getattr(model.config, "pad_token_id", None)
    if isinstance(known, int) and known >= 0:
        return known
    if getattr(model.config, "is_encoder_decoder", False) or _reads_last_token(model):
        return None
    padding = tokenizer.pad_token_id
    return int(padding) if padding is not None else None


def _reads_last_token(model: Any) -> bool:
    return hasattr(model, "score")


def _position_offset(model: Any) -> int:
    import torch

    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            return 0 if module.padding_idx is None else int(module.padding_idx) + 1
    return 0

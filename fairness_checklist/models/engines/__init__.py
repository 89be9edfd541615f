"""How a transformers model is run: here, in worker processes, in shards of one job, or by Ray."""

from fairness_checklist.models.engines.local import (
    Engine,
    check_vocabulary,
    padding_token,
    position_logits,
    silence_transformers,
    softmax,
    text_logits,
    token_limit,
    token_logits,
)

__all__ = [
    "Engine",
    "check_vocabulary",
    "padding_token",
    "position_logits",
    "silence_transformers",
    "softmax",
    "text_logits",
    "token_limit",
    "token_logits",
]

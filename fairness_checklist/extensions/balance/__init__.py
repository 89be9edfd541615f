"""The verb ``balance``: weights for data whose groups differ in a property (Kocijan et al. 2021)."""

from __future__ import annotations

PUBLIC: dict[str, str] = {
    "balance": "weighting",
    "randomization_test": "weighted_accuracy",
    "weighted_bias": "weighted_accuracy",
}
VERBS: dict[str, str] = {"balance": "verb.balance"}

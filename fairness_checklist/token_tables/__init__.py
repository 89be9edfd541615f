"""Prediction tables of taggers: one row a sentence, with lists of words, tags and probabilities."""

from __future__ import annotations

from fairness_checklist.token_tables.cells import is_tagged
from fairness_checklist.token_tables.reading import split_any, split_tagged
from fairness_checklist.token_tables.writing import HIDDEN, to_any_table, to_tagged_table, without_words

__all__ = ["HIDDEN", "is_tagged", "split_any", "split_tagged", "to_any_table", "to_tagged_table", "without_words"]

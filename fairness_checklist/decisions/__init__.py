"""Decisions by threshold: a number, one a class, or where the error rates of a set are equal."""

from fairness_checklist.decisions.equal_error import equal_error_rate, resolve_threshold, threshold_from_table
from fairness_checklist.decisions.thresholds import (
    EQUAL_ERROR,
    Threshold,
    check_threshold,
    decide,
    read_threshold,
    stamp,
)

__all__ = [
    "EQUAL_ERROR",
    "Threshold",
    "check_threshold",
    "decide",
    "equal_error_rate",
    "read_threshold",
    "resolve_threshold",
    "stamp",
    "threshold_from_table",
]

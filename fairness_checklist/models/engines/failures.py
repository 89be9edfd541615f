"""Errors of this package as plain records, so that another process can send them."""

from __future__ import annotations

from collections.abc import Mapping

from fairness_checklist.core import errors
from fairness_checklist.models.token_predictions import TextError

_FIELDS = ("message", "place", "remedy", "command_remedy")


def failure_record(error: errors.FairnessChecklistError) -> dict[str, str | None]:
    """An error as a record.

    >>> record = failure_record(errors.PredictionError("p is NaN.", remedy="Check the weights."))
    >>> record["error"], record["message"]
    ('PredictionError', 'p is NaN.')
    """
    record: dict[str, str | None] = {name: getattr(error, name) for name in _FIELDS}
    if isinstance(error, TextError):
        return {**record, "error": error.kind.__name__, "of_text": error.text}
    return {**record, "error": type(error).__name__}


def text_failure(record: Mapping[str, str | None]) -> errors.PredictionError:
    """The error of a record, of a model that failed on some of the texts of a chunk.

    Raises:
        FairnessChecklistError: any other error.
    """
    error = error_of(record)
    if not isinstance(error, errors.PredictionError):
        raise error
    return error


def error_of(record: Mapping[str, str | None]) -> errors.FairnessChecklistError:
    """The error of a record.

    >>> print(repr(error_of(failure_record(errors.ModelError("no weights.")))))
    ModelError('no weights.')
    """
    kind = getattr(errors, str(record["error"]), errors.ModelError)
    message, remedy = str(record["message"]), str(record["remedy"])
    if record.get("of_text") is not None:
        return TextError(kind, str(record["of_text"]), message, remedy=remedy)
    found: errors.FairnessChecklistError = kind(
        message, place=str(record["place"]), remedy=remedy, command_remedy=record["command_remedy"]
    )
    return found

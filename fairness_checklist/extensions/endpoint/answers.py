"""What an answer of a language model says: a distribution over the options, a refusal, or nothing that can be read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.replicates import ANSWERED, REFUSED, UNPARSABLE
from fairness_checklist.extensions.endpoint.client import MalformedAnswerError
from fairness_checklist.extensions.endpoint.prompts import Question

_REFUSAL = re.compile(
    r"\b(?:i['’]?m sorry|i am sorry|sorry, (?:but )?i"
    r"|i (?:can(?:['’]t|not| not)|won['’]t|will not|must decline|decline)"
    r"|i['’]?m (?:unable|not able)|i am (?:unable|not able)"
    r"|(?:unable|not able) to (?:help|assist|answer|comply|classify)"
    r"|as an ai|i do(?:n['’]t| not) feel comfortable|against (?:my|our) (?:policy|policies|guidelines))",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|no|neither|nor|never)\b|n['’]t\b", re.IGNORECASE)
_CORE = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, eq=False)
class Reading:
    """One answer.

    Attributes:
        outcome: `ANSWERED`, `REFUSED` or `UNPARSABLE`.
        probabilities: (L,) over the options in the order of the labels; None without an answer.
        mass: the probability that the label tokens hold together; NaN without log-probabilities.
        bound: the share of the probabilities that is a bound, because options are not among the top tokens.
    """

    outcome: str
    probabilities: FloatArray | None = None
    mass: float = math.nan
    bound: float = 0.0


@dataclass(frozen=True, eq=False)
class Said:
    """The parts of an answer that are read, whatever the API.

    Attributes:
        text: what the model wrote.
        refused: whether the API marks the answer as a refusal or as filtered.
        first: the first token that is no white space, as {token: log-probability} of the top tokens; None without them.
        model: the id of the model that answered.
    """

    text: str
    refused: bool
    first: Mapping[str, float] | None
    model: str


def said(answer: Any) -> Said:
    """The parts of an answer of ``/chat/completions`` or ``/completions``.

    Raises:
        MalformedAnswerError: it is not of that form.

    >>> said({"model": "m", "choices": [{"message": {"content": " A"}, "finish_reason": "stop"}]}).text
    ' A'
    """
    try:
        one = answer["choices"][0]
        message = one.get("message")
        text = one["text"] if message is None else message.get("content")
        refusal = None if message is None else message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise MalformedAnswerError(f"no choices with a text: {json.dumps(answer)}") from error
    refused = bool(refusal) or one.get("finish_reason") == "content_filter"
    if text is None and not refused:
        text = ""
    if not isinstance(text, str | None):
        raise MalformedAnswerError(f"the text of the answer is {json.dumps(text)}")
    return Said(text or str(refusal or ""), refused, _first(one.get("logprobs")), str(answer.get("model", "")))


def _first(logprobs: Any) -> dict[str, float] | None:
    """The top tokens at the first place that is no white space, with their log-probabilities."""
    if not isinstance(logprobs, Mapping):
        return None
    try:
        if logprobs.get("content"):  # of a chat
            places = [
                {one["token"]: one["logprob"] for one in [*place.get("top_logprobs", ()), place]}
                for place in logprobs["content"]
            ]
            written = [place["token"] for place in logprobs["content"]]
        elif logprobs.get("top_logprobs"):  # of a completion
            places = [dict(place) for place in logprobs["top_logprobs"]]
            written = list(logprobs.get("tokens") or [max(place, key=lambda token: place[token]) for place in places])
        else:
            return None
        at = next((at for at, token in enumerate(written) if str(token).strip()), 0)
        found = {str(token): float(value) for token, value in places[at].items()}
        if any(math.isnan(value) for value in found.values()):
            raise ValueError
        return found
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise MalformedAnswerError(f"log-probabilities of another form: {json.dumps(logprobs)}") from error


def from_logprobs(answer: Said, question: Question, min_mass: float) -> Reading:
    """Probabilities of the options from those of the first token.

    A token belongs to an option if it is its letter, or the beginning of its label and of no other one's; capitals,
    white space and punctuation do not count. An option without a token among the top ones is at most as probable as the
    least probable of them, and together with all tokens that are not listed: it gets that bound.

    Args:
        answer: with the top tokens.
        question: with the answers that belong to the options.
        min_mass: the least probability of all label tokens together; below it the text is read as a refusal or not.

    >>> one = Question(1, 0, "", ("A", "B"), ("no", "yes"))
    >>> reading = from_logprobs(Said("A", False, {" A": np.log(0.6), "B": np.log(0.2), "I": np.log(0.2)}, ""), one, 0.5)
    >>> reading.probabilities.round(3).tolist(), round(reading.mass, 3)
    ([0.75, 0.25], 0.8)
    """
    if answer.refused:
        return Reading(REFUSED)
    if answer.first is None:
        raise MalformedAnswerError(
            'no log-probabilities; the endpoint does not support them: use answers="text" or "json_schema"'
        )
    found = np.zeros(len(question.answers))
    for token, value in answer.first.items():
        at = _option_of(token, question.answers)
        if at is not None:
            found[at] += math.exp(min(value, 0.0))
    mass = float(found.sum())
    if mass < min_mass or mass <= 0:
        return Reading(REFUSED if _is_refusal(answer) else UNPARSABLE, mass=mass)
    listed = [math.exp(min(value, 0.0)) for value in answer.first.values()]
    bound = max(0.0, min(min(listed), 1 - min(1.0, sum(listed))))
    missing = found == 0
    found[missing] = bound
    total = float(found.sum())
    return Reading(ANSWERED, found / total, mass, float(bound * missing.sum()) / total)


def _option_of(token: str, answers: Sequence[str]) -> int | None:
    """The option that a token belongs to; None for none or several."""
    core = _CORE.sub("", token).casefold()
    if not core:
        return None
    names = [answer.casefold() for answer in answers]
    if core in names:
        return names.index(core)
    if all(len(name) == 1 for name in names):
        return None
    fitting = [at for at, name in enumerate(names) if name.startswith(core)]
    return fitting[0] if len(fitting) == 1 else None


def from_text(answer: Said, question: Question, *, is_json: bool = False) -> Reading:
    """The option that a text names: at its beginning, else the only one in it.

    Args:
        answer: the text.
        question: with the answers that belong to the options.
        is_json: whether the option stands in ``{"answer": ...}``.

    >>> one = Question(1, 0, "", ("A", "B"), ("no", "yes"))
    >>> for text in ("B", "A. no", "The answer is yes.", "I cannot help with that.", "maybe"):
    ...     reading = from_text(Said(text, False, None, ""), one)
    ...     print(reading.outcome, reading.probabilities)
    answered [0. 1.]
    answered [1. 0.]
    answered [0. 1.]
    refused None
    unparsable None
    """
    text = answer.text.strip()
    if is_json:
        with suppress(ValueError, KeyError, TypeError):  # else free text, which may be a refusal
            text = str(json.loads(text)["answer"])
    if not answer.refused:
        at = _named(text, question)
        if at is not None:
            return Reading(ANSWERED, np.eye(len(question.answers))[at])
    return Reading(REFUSED if _is_refusal(answer) else UNPARSABLE)


def _named(text: str, question: Question) -> int | None:
    """The position of the option that a text names; None for none or several, and where it may be negated."""
    core = _CORE.sub("", text).casefold()
    for names in (question.answers, question.labels):
        folded = [name.casefold() for name in names]
        if core in folded:
            return folded.index(core)
    letters = all(len(answer) == 1 for answer in question.answers)
    if letters and (found := re.match(r"\W*([A-Z])\s*(?:[).:,\n-]|$)", text)) and found[1] in question.answers:
        return question.answers.index(found[1])
    if _REFUSAL.search(text) or _NEGATION.search(text):
        return None
    patterns = [rf"(?<!\w){re.escape(label)}(?!\w)" for label in question.labels]
    named = [at for at, pattern in enumerate(patterns) if re.search(pattern, text, re.IGNORECASE)]
    if letters and not named:
        named = [at for at, one in enumerate(question.answers) if re.search(rf"(?:is|answer:?)\s*\W?{one}\b", text)]
    return named[0] if len(named) == 1 else None


def _is_refusal(answer: Said) -> bool:
    return answer.refused or bool(_REFUSAL.search(answer.text))

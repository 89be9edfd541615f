"""Requests from a template, and the model's output from an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairness_checklist.core.errors import OptionError, first_ten
from fairness_checklist.extensions.endpoint.client import MalformedAnswerError

TEXT, TEXTS = "{{text}}", "{{texts}}"


def takes_several(template: Any) -> bool:
    """Whether a template holds ``"{{texts}}"``, and not ``"{{text}}"``.

    Raises:
        OptionError: neither or both.

    >>> takes_several({"inputs": "{{text}}"}), takes_several({"instances": "{{texts}}"})
    (False, True)
    """
    strings = _strings(template)
    one, several = any(TEXT in text for text in strings), TEXTS in strings
    if one == several:
        raise OptionError(
            f"the request template holds {'both' if one else 'neither'} {TEXT} {'and' if one else 'nor'} {TEXTS}.",
            remedy=f'Write "{TEXT}" for one text a request, or "{TEXTS}", alone in its string, for a list.',
        )
    return several


def _strings(template: Any) -> list[str]:
    if isinstance(template, str):
        return [template]
    inner = template.values() if isinstance(template, dict) else template if isinstance(template, list) else ()
    return [text for part in inner for text in _strings(part)]


def fill(template: Any, texts: Sequence[str]) -> Any:
    """A request for some texts; a template with ``{{text}}`` takes one.

    >>> fill({"inputs": "Text: {{text}}", "n": 1}, ["Anna is here."])
    {'inputs': 'Text: Anna is here.', 'n': 1}
    >>> fill({"instances": "{{texts}}"}, ["Hi.", "Ho."])
    {'instances': ['Hi.', 'Ho.']}
    """
    if isinstance(template, str):
        return list(texts) if template == TEXTS else template.replace(TEXT, texts[0])
    if isinstance(template, dict):
        return {key: fill(part, texts) for key, part in template.items()}
    return [fill(part, texts) for part in template] if isinstance(template, list) else template


def output_at(answer: Any, path: str) -> Any:
    """What stands at a path in an answer.

    Args:
        answer: parsed JSON.
        path: keys and positions with dots between; ``*`` takes all entries of a list.

    Raises:
        MalformedAnswerError: there is nothing at that path.

    >>> output_at({"predictions": [{"p": 0.25}, {"p": 0.75}]}, "predictions.*.p")
    [0.25, 0.75]
    >>> output_at([[{"label": "toxic", "score": 0.5}]], "0")
    [{'label': 'toxic', 'score': 0.5}]
    """
    found = answer
    parts = [part for part in path.split(".") if part]
    for at, part in enumerate(parts):
        if part == "*" and isinstance(found, list):
            rest = ".".join(parts[at + 1 :])
            return [output_at(one, rest) for one in found]
        if isinstance(found, dict) and part in found:
            found = found[part]
        elif isinstance(found, list) and part.lstrip("-").isdigit() and -len(found) <= int(part) < len(found):
            found = found[int(part)]
        else:
            there = first_ten(found) if isinstance(found, dict) else f"a {type(found).__name__}"
            raise MalformedAnswerError(f"no {part!r} of the response path {path!r}; there is {there}")
    return found

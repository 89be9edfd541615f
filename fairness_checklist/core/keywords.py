"""Functions whose wrong keywords are an `OptionError` in place of Python's `TypeError`, and a string is one name."""

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, ParamSpec, TypeVar

from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.option_defaults import items

P = ParamSpec("P")
R = TypeVar("R")
_STRINGS = re.compile(r"(bool \| )?[\w.]*\b(Sequence|Collection|Iterable)\[str\]( \| None)?")


def checks_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, which names a wrong keyword or value; a string is one of several (``Sequence[str]``)."""
    signature = inspect.signature(function)
    parameters = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    names = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]
    several = {each.name: str(each.annotation) for each in parameters if _STRINGS.fullmatch(str(each.annotation))}

    @functools.wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        call = f"{function.__name__}()"
        unknown = [] if len(names) < len(parameters) else [key for key in keywords if key not in names]
        if unknown:
            near = did_you_mean(unknown[0], names, "{}=")
            raise OptionError(
                f"{call} has no option {unknown[0]}=.", remedy=f"{near} Known: {', '.join(names)}.".strip()
            )
        try:
            bound = signature.bind(*args, **keywords)
        except TypeError as error:
            taken = ", ".join(each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD) or "nothing"
            raise OptionError(
                f"{call}: {error}.", remedy=f"It takes {taken} by position, each once; the rest is given by name."
            ) from None
        for key in bound.arguments.keys() & several.keys():
            bound.arguments[key] = _strings(key, bound.arguments[key], several[key])
        return function(*bound.args, **bound.kwargs)

    return checked


def takes_options(record: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function whose signature names the fields of a record, with their defaults, in place of ``**options``."""

    def declared(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        *named, others = signature.parameters.values()
        of_record = [
            inspect.Parameter(
                spec.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=spec.default if spec.default_factory is MISSING else spec.default_factory(),
                annotation=spec.type,
            )
            for spec in fields(record)
        ]
        parameters = [*named, *of_record, *([others] if others.name != "options" else [])]
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return function

    return declared


def _strings(name: str, value: object, annotation: str) -> object:
    if (value is None and "None" in annotation) or (isinstance(value, bool) and "bool" in annotation):
        return value
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
        return value
    return items(name, value, (str,), "strings")

"""Tags of an editor's templates, ``{x}``, ``{a:x1}``, ``{person.name}``: how they are read and filled."""

import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fairness_checklist.content.grammar.english_articles import article
from fairness_checklist.core.did_you_mean import did_you_mean
from fairness_checklist.core.errors import TemplateError, first_ten

_FORMATTER = string.Formatter()
_FIELD = re.compile(
    r"(?P<name>[^.\[\]{}!]*?)(?P<copy>\d*)(?P<path>(?:\.[^.\[\]{}!]+|\[[^\[\]]+\])*)(?:!(?P<conversion>[rsa]))?"
)
_STEP = re.compile(r"\.[^.\[\]]+|\[[^\[\]]+\]")


@dataclass(frozen=True)
class Tag:
    """One tag of a template."""

    written: str  # as in the template, "{a:person1.name}"
    key: str  # what gets one value in each text, "person1"
    name: str  # the list that the value is from, "person"
    path: tuple[str, ...] = ()  # the attributes (".name") and indices ("[0]") to take of the value, in order
    article: str = ""  # "a", "A" or ""
    conversion: str = ""  # "r", "s", "a" or "", as in `str.format`

    def write(self, value: object) -> str:
        """The text of the tag for one value."""
        for step in self.path:
            value = self._taken(value, step)
        text = format(_FORMATTER.convert_field(value, self.conversion or None), "")
        if not self.article:
            return text
        before = article(text)
        return f"{before.capitalize() if self.article == 'A' else before} {text}"

    def _taken(self, value: object, step: str) -> object:
        """The attribute or item of a value. Attributes of Python itself are none, and neither are methods."""
        name = step.strip(".[]")
        keys: list[str] = []
        if isinstance(value, Mapping):
            for key in (name, int(name) if name.isdigit() else name):
                if key in value:
                    return value[key]
            keys = [str(key) for key in value]
        elif step[0] == "[":
            try:
                return value[int(name)]  # type: ignore[index]
            except (ValueError, TypeError, IndexError, KeyError):
                pass
        elif not name.startswith("_") and hasattr(value, name) and not callable(getattr(value, name)):
            return getattr(value, name)
        listed = f"Known: {first_ten(keys)}." if keys else "Each value of the list must have it."
        raise TemplateError(
            f"the tag {self.written} takes {step} of the value {value!r}, which does not have it.",
            remedy=f"{listed}{did_you_mean(name, keys)}",
        )


@lru_cache(maxsize=4096)
def parse_tags(text: str) -> tuple[str | Tag, ...]:
    """A template string as literal text and tags, in order."""
    pieces: list[str | Tag] = []
    try:
        fields = list(_FORMATTER.parse(text))
    except ValueError as problem:
        raise TemplateError(
            f"the template {text!r} does not parse: {problem}.",
            remedy="Close each tag, as in {x}, and double a literal brace: {{ or }}.",
        ) from None
    for literal, field, spec, conversion in fields:
        if literal:
            pieces.append(literal)
        if field is not None:
            pieces.append(_tag(field, spec or "", conversion or ""))
    return tuple(pieces)


def _tag(field: str, spec: str, conversion: str) -> Tag:
    written = "{" + field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
    form, inner = (field, spec) if spec else ("", written[1:-1])
    if form not in {"", "a", "A"} or (spec and conversion):
        raise TemplateError(
            f"the tag {written} has the option {form!r}, which is not known.",
            remedy="Known: a and A (the article: {a:x}). A literal brace is doubled: {{.",
        )
    parsed = _FIELD.fullmatch(inner)
    if parsed is None or not parsed["name"]:
        raise TemplateError(
            f"the tag {written} has no name, or more than a name.",
            remedy="Write it as {x}, {a:x} or {a:x.name}; a literal brace is doubled: {{.",
        )
    key, path = parsed["name"] + parsed["copy"], tuple(_STEP.findall(parsed["path"]))
    return Tag(written, key, parsed["name"], path=path, article=form, conversion=parsed["conversion"] or "")


def tags_in(nested: object) -> list[Tag]:
    return [piece for text in strings_in(nested) for piece in parse_tags(text) if isinstance(piece, Tag)]


def fill_text(text: str, values: Mapping[str, Any]) -> str:
    """A template string with its tags replaced."""
    return "".join(piece if isinstance(piece, str) else piece.write(values[piece.key]) for piece in parse_tags(text))


def strings_in(nested: object) -> Iterator[str]:
    """The strings of a nested template, in order; keys of dictionaries are none."""
    if isinstance(nested, str):
        yield nested
    elif isinstance(nested, (list, tuple, Mapping)):
        for entry in nested.values() if isinstance(nested, Mapping) else nested:
            yield from strings_in(entry)


def replace_strings(nested: Any, replace: Callable[[str], str]) -> Any:
    """The same nesting with each string replaced; other values stay as they are."""
    if isinstance(nested, str):
        return replace(nested)
    if isinstance(nested, (list, tuple)):
        replaced = [replace_strings(entry, replace) for entry in nested]
        return replaced if isinstance(nested, list) else tuple(replaced)
    if isinstance(nested, Mapping):
        return {key: replace_strings(entry, replace) for key, entry in nested.items()}
    return nested

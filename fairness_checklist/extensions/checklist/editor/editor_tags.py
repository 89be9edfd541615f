"""Tags of an editor's templates, ``{x}``, ``{a:x1}``, ``{person.name}``: how they are read and filled."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fairness_checklist.content.grammar.english_articles import article
from fairness_checklist.core.errors import TemplateError, did_you_mean, first_ten

MASK = "mask"
_FORMATTER = string.Formatter()
_FIELD = re.compile(
    r"(?P<name>[^.\[\]{}!]*?)(?P<copy>\d*)(?P<path>(?:\.[^.\[\]{}!]+|\[[^\[\]]+\])*)(?:!(?P<conversion>[rsa]))?"
)
_STEP = re.compile(r"\.([^.\[\]]+)|\[([^\[\]]+)\]")
_OPTIONS = re.compile(r"([aA]?)(?:t(\d+))?|t(\d+)([aA])")


@dataclass(frozen=True)
class Tag:
    """One tag of a template."""

    written: str  # as in the template, "{a:person1.name}"
    key: str  # what gets one value in each text, "person1"
    name: str  # the list that the value is from, "person"
    path: tuple[str, ...] = ()  # the attributes (".name") and indices ("[0]") to take of the value, in order
    article: str = ""  # "a", "A" or ""
    top: int | None = None  # how many fills of a mask are used; None for the default
    conversion: str = ""  # "r", "s", "a" or "", as in `str.format`

    @property
    def is_mask(self) -> bool:
        """Whether a masked language model gives the value: ``{mask}``, ``{mask1}``."""
        return self.name == MASK

    def write(self, value: object) -> str:
        """The text of the tag for one value."""
        for step in self.path:
            value = self._taken(value, step)
        if self.conversion:
            value = _FORMATTER.convert_field(value, self.conversion)
        text = format(value, "")
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


def tags_in(text: str) -> tuple[Tag, ...]:
    """The tags of a template string, in order."""
    return tuple(piece for piece in parse_tags(text) if isinstance(piece, Tag))


def _tag(field: str, spec: str, conversion: str) -> Tag:
    written = "{" + field + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
    options, inner = (field, spec) if spec else ("", written[1:-1])
    of_options, found = _OPTIONS.fullmatch(options), _FIELD.fullmatch(inner)
    if of_options is None or (spec and conversion):
        raise TemplateError(
            f"the tag {written} has the option {options!r}, which is not known.",
            remedy="Known: a and A (the article: {a:x}), t10 (of a mask, its first 10 fills). A literal brace is "
            "doubled: {{.",
        )
    if found is None or not found["name"]:
        raise TemplateError(
            f"the tag {written} has no name, or more than a name.",
            remedy="Write it as {x}, {a:x} or {a:x.name}; a literal brace is doubled: {{.",
        )
    name, top = found["name"], of_options[2] or of_options[3]
    path = tuple(step[0] for step in _STEP.finditer(found["path"]))
    if (path and name == MASK) or (top and name != MASK):
        what = f"the index {''.join(path)}, which a mask does not have" if path else f"t{top}, which is for a mask"
        raise TemplateError(
            f"the tag {written} has {what}.",
            remedy="Write {mask} once for each word; {t10:mask} uses the first 10 fills.",
        )
    article = of_options[1] or of_options[4] or ""
    return Tag(written, name + found["copy"], name, path, article, int(top) if top else None, found["conversion"] or "")


def fill_text(text: str, values: Mapping[str, Any]) -> str:
    """A template string with its tags replaced."""
    written: list[str] = []
    masks = 0
    for piece in parse_tags(text):
        if isinstance(piece, str):
            written.append(piece)
            continue
        value = values[piece.key]
        if piece.is_mask:
            if masks >= len(value):
                raise TemplateError(
                    f"{text!r} has more masks than the template has words for them.",
                    remedy="Write {mask} in a label no more often than in each text.",
                )
            value, masks = value[masks], masks + 1
        written.append(piece.write(value))
    return "".join(written)


def strings_in(nested: object) -> Iterator[str]:
    """The strings of a nested template, in order; keys of dictionaries are none."""
    if isinstance(nested, str):
        yield nested
    elif isinstance(nested, (list, tuple)):
        for entry in nested:
            yield from strings_in(entry)
    elif isinstance(nested, Mapping):
        yield from strings_in(list(nested.values()))


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

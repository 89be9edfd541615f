"""What a template becomes: the values of its tags in each fill, and the words of a masked model for ``{mask}``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np

from fairness_checklist.core.errors import OptionError, SuiteError, TemplateError
from fairness_checklist.extensions.checklist.editor.editor_tags import (
    MASK,
    Tag,
    fill_text,
    parse_tags,
    replace_strings,
    strings_in,
    tags_in,
)

BEAM_SIZE = 100  # fills for a mask
MAX_FILLS = 5_000_000  # of one product
_CONTEXTS = 20  # texts that a mask is filled in
_ROWS = 10  # fills of the other tags that they are made from

_REMEDIES = {
    "data": "",
    "labels": "Give labels= to template().",
    "meta": "Give meta=True to template().",
    "templates": "Give save=True to template().",
}

Fill = tuple[list[str], str, float]


class FillsMasks(Protocol):
    """A masked language model, as ``lenses.masked_lm.load_masked_lm`` gives it."""

    def fill(
        self, texts: Sequence[str], *, n: int = BEAM_SIZE, candidates: Sequence[str] | None = None
    ) -> Sequence[tuple[Sequence[str], str, float]]:
        """The n best fills of ``{mask}`` over texts: words, the first text with them, log-probability."""
        ...


class FilledTemplates(dict[str, Any]):
    """Filled templates: a dictionary whose values are attributes too.

    ``data`` holds one entry for each fill, of the template's type. ``labels`` and ``meta``, if there are any, are
    parallel to it. ``templates``, if there is any, has one entry for each call: its parameters, and the lists by tag.

    ``+`` joins two results of the same keys, and ``+=`` extends the first. ``Test(**filled)`` passes all keys on.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            remedy = f" {_REMEDIES[name]}" if _REMEDIES.get(name) else ""
            raise AttributeError(f"these filled templates have no {name!r}, only {', '.join(self)}.{remedy}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _REMEDIES:
            raise AttributeError(f"filled templates cannot have {name!r}. Known: {', '.join(_REMEDIES)}.")
        self[name] = value

    def __delattr__(self, name: str) -> None:
        del self[name]

    def __add__(self, other: object) -> FilledTemplates:
        joined = FilledTemplates(self)
        joined += other
        return joined

    def __iadd__(self, other: object) -> FilledTemplates:
        if not isinstance(other, FilledTemplates):
            raise OptionError(
                f"{type(other).__name__} cannot be joined to filled templates.",
                remedy="Join what template() gave back; lists are joined as filled.data + [...].",
            )
        if set(self) != set(other):
            raise SuiteError(
                f"filled templates with {', '.join(self)} and filled templates with {', '.join(other)} "
                "cannot be joined.",
                remedy="Give both the same of labels=, meta= and save=.",
            )
        for name in self:
            self[name] = [*self[name], *other[name]]
        return self


def rows(
    columns: Mapping[str, Sequence[Any]], nsamples: int | None, *, product: bool, seed: int
) -> Iterable[tuple[Any, ...]]:
    """One value of each tag for each fill, in the order of the columns."""
    values = list(columns.values())
    lengths = [len(column) for column in values]
    if not product and len(set(lengths)) > 1:
        listed = ", ".join(f"{{{key}}}: {length:,}" for key, length in zip(columns, lengths, strict=True))
        raise OptionError(
            f"product=False pairs lists of one length; these have {listed}.",
            remedy="Make the lists of one length, or combine all values with product=True.",
        )
    if not values:
        return [()][:nsamples]
    if nsamples is not None:
        draw = np.random.default_rng(seed).integers
        drawn = [draw(length, size=nsamples).tolist() for length in (lengths if product else lengths[:1])]
        places = zip(*(drawn if product else drawn * len(lengths)), strict=True)
        return [tuple(column[place] for column, place in zip(values, row, strict=True)) for row in places]
    total = math.prod(lengths)
    if product and total > MAX_FILLS:
        raise OptionError(
            f"the product of the lists has {total:,} fills; expected {MAX_FILLS:,} at most.",
            remedy="Draw some of them with nsamples=, or give shorter lists.",
        )
    return itertools.product(*values) if product else zip(*values, strict=True)


def has_duplicates(row: Sequence[Any]) -> bool:
    """Whether two tags have the same value, as text; the words of a mask are a list."""
    of_words = [isinstance(value, list) and all(isinstance(word, str) for word in value) for value in row]
    words = [" ".join(value) if joined else str(value) for value, joined in zip(row, of_words, strict=True)]
    return len(words) != len(set(words))


def mask_texts(templates: Any, labels: Any) -> dict[str, list[str]]:
    """The template strings of each mask, by its key."""
    by_key: dict[str, list[str]] = {}
    for text in strings_in(templates):
        keys = [tag.key for tag in tags_in(text) if tag.is_mask]
        if len(set(keys)) > 1:
            raise TemplateError(
                f"{text!r} has two different masks: {', '.join(dict.fromkeys(keys))}.",
                remedy="Write {mask} {mask} for two words; {mask1} and {mask2} are for different strings.",
            )
        if keys:
            by_key.setdefault(keys[0], []).append(text)
    for key, texts in by_key.items():
        counts = sorted({sum(tag.key == key for tag in tags_in(text)) for text in texts})
        if len(counts) > 1:
            raise TemplateError(
                f"{{{key}}} occurs {counts[0]} to {counts[-1]} times in the strings of the template.",
                remedy="Write it the same number of times in each string that has it.",
            )
    for tag in (tag for text in strings_in(labels) for tag in tags_in(text)):
        if tag.is_mask and tag.key not in by_key:
            raise TemplateError(f"{tag.written} is in the labels only.", remedy="Write it in the template, too.")
    return by_key


def top_of(texts: Sequence[str], key: str) -> int | None:
    """How many fills of a mask are used: 10 for ``{t10:mask}``, None for all."""
    return next((tag.top for text in texts for tag in tags_in(text) if tag.key == key and tag.top is not None), None)


def contexts(
    texts: Sequence[str], key: str, columns: Mapping[str, Sequence[Any]], *, remove_duplicates: bool, seed: int
) -> list[str]:
    """Texts for the model to fill a mask in: its template strings with a sample of the other tags' values."""
    others = {tag.key: columns[tag.key] for text in texts for tag in tags_in(text) if tag.key != key}
    total = math.prod(len(values) for values in others.values())
    drawn = list(rows(others, None if total <= _ROWS else _ROWS, product=True, seed=seed))
    distinct = [row for row in drawn if not has_duplicates(row)] if remove_duplicates else drawn
    written: dict[str, None] = {}
    for row in distinct or drawn:
        values = dict(zip(others, row, strict=True))
        for text in texts:
            for before in ("a", "an"):  # so that words of both kinds are suggested
                pieces = [_context_piece(piece, key, values, before) for piece in parse_tags(text)]
                written["".join(pieces)] = None
    return list(written)[:_CONTEXTS]


def _context_piece(piece: str | Tag, key: str, values: Mapping[str, Any], before: str) -> str:
    if isinstance(piece, str):
        return piece
    if piece.key != key:
        return piece.write(values[piece.key])
    article = {"": "", "a": f"{before} ", "A": f"{before.capitalize()} "}[piece.article]
    return f"{article}{{{MASK}}}"


def fill_masks(model: FillsMasks, texts: Sequence[str], n: int, candidates: Sequence[str] | None) -> list[Fill]:
    """The n best fills for the masks of texts, the best first."""
    listed = None if candidates is None else list(candidates)
    fills = [(list(words), text, float(score)) for words, text, score in model.fill(texts, n=n, candidates=listed)]
    return sorted(fills, key=lambda words_text_score: -words_text_score[2])[:n]


def fill(
    templates: Any, labels: Any, columns: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any]
) -> FilledTemplates:
    """The texts of a template, and its labels and meta data if they were asked for."""
    chosen = rows(columns, parameters["nsamples"], product=parameters["product"], seed=parameters["seed"])
    unroll = parameters["unroll"] and isinstance(templates, (list, tuple))
    filled = FilledTemplates(data=[], labels=[], meta=[])
    for row in chosen:
        if parameters["remove_duplicates"] and has_duplicates(row):
            continue
        values = dict(zip(columns, row, strict=True))
        write = partial(fill_text, values=values)
        text, label = replace_strings(templates, write), replace_strings(labels, write)
        members = list(text) if unroll else [text]
        parallel = unroll and isinstance(label, (list, tuple)) and len(label) == len(members)
        filled.data.extend(members)
        filled.labels.extend(label if parallel else (replace_strings(labels, write) for _member in members))
        filled.meta.extend(dict(values) for _member in members)
    if labels is None:
        del filled.labels
    if not parameters["meta"]:
        del filled.meta
    return filled

"""Which values the tags of a template have in each fill, and the words of a masked language model for ``{mask}``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fairness_checklist.core.errors import OptionError, TemplateError
from fairness_checklist.extensions.checklist.editor.editor_tags import (
    MASK,
    Tag,
    fill_text,
    parse_tags,
    replace_strings,
    strings_in,
    tags_in,
)
from fairness_checklist.extensions.checklist.editor.filled_templates import FilledTemplates

BEAM_SIZE = 100  # fills for a mask
MAX_FILLS = 5_000_000  # of one product
_CONTEXTS = 20  # texts that a mask is filled in
_ROWS = 10  # fills of the other tags that they are made from

Fill = tuple[list[str], str, float]


class FillsMasks(Protocol):
    """A masked language model, as ``models.masked_lm.load_masked_lm`` gives it."""

    def fill(
        self, texts: Sequence[str], *, n: int = BEAM_SIZE, candidates: Sequence[str] | None = None
    ) -> Sequence[tuple[Sequence[str], str, float]]:
        """The n best fills of ``{mask}`` over texts: words, the first text with them, log-probability."""
        ...


def rows(
    columns: Mapping[str, Sequence[Any]], nsamples: int | None, *, product: bool, seed: int
) -> Iterable[tuple[Any, ...]]:
    """One value of each tag for each fill, in the order of the columns.

    Args:
        columns: the values of each tag.
        nsamples: so many rows, drawn with replacement; None for all.
        product: all combinations, the last column fastest; False for the first values, then the second ones, and so on.
        seed: of ``nsamples``.

    Raises:
        OptionError: columns of different lengths without ``product``, or a product that does not fit in memory.

    >>> list(rows({"x": "ab", "y": [1, 2]}, None, product=True, seed=0))
    [('a', 1), ('a', 2), ('b', 1), ('b', 2)]
    >>> list(rows({"x": "ab", "y": [1, 2]}, 3, product=False, seed=0))
    [('b', 2), ('b', 2), ('b', 2)]
    >>> list(rows({"x": "ab", "y": [1]}, None, product=False, seed=0))
    Traceback (most recent call last):
    fairness_checklist.core.errors.OptionError: product=False pairs lists of one length; these have {x}: 2, {y}: 1.
        Make the lists of one length, or combine all values with product=True.
    """
    values = list(columns.values())
    lengths = [len(one) for one in values]
    if not product and len(set(lengths)) > 1:
        shown = ", ".join(f"{{{key}}}: {length:,}" for key, length in zip(columns, lengths, strict=True))
        raise OptionError(
            f"product=False pairs lists of one length; these have {shown}.",
            remedy="Make the lists of one length, or combine all values with product=True.",
        )
    if not values:
        return [()][:nsamples]
    if nsamples is not None:
        draw = np.random.default_rng(seed).integers
        if product:
            chosen = [draw(length, size=nsamples) for length in lengths]
        else:
            chosen = [draw(lengths[0], size=nsamples)] * len(lengths)
        indices = np.array(chosen, dtype=np.intp).reshape(len(lengths), nsamples).T
        return [tuple(one[int(at)] for one, at in zip(values, row, strict=True)) for row in indices]
    if not product:
        return zip(*values, strict=True)
    total = math.prod(lengths)
    if total > MAX_FILLS:
        raise OptionError(
            f"the product of the lists has {total:,} fills; expected {MAX_FILLS:,} at most.",
            remedy="Draw some of them with nsamples=, or give shorter lists.",
        )
    return itertools.product(*values)


def has_duplicates(row: Sequence[Any]) -> bool:
    """Whether two tags have the same value, as text.

    >>> has_duplicates(["1", 1]), has_duplicates(["a", ["a"]]), has_duplicates(["a", "b"])
    (True, True, False)
    """
    words = [" ".join(one) if _is_words(one) else str(one) for one in row]
    return len(words) != len(set(words))


def _is_words(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def mask_texts(templates: Any, labels: Any) -> dict[str, list[str]]:
    """The template strings of each mask, by its key.

    Raises:
        TemplateError: two different masks in one string, a different number of times, or a mask in labels only.

    >>> mask_texts(["{x} is {mask}.", "No, {mask}."], None)
    {'mask': ['{x} is {mask}.', 'No, {mask}.']}
    """
    found: dict[str, list[str]] = {}
    for text in strings_in(templates):
        keys = [tag.key for tag in tags_in(text) if tag.is_mask]
        if len(set(keys)) > 1:
            raise TemplateError(
                f"{text!r} has two different masks: {', '.join(dict.fromkeys(keys))}.",
                remedy="Write {mask} {mask} for two words; {mask1} and {mask2} are for different strings.",
            )
        if keys:
            found.setdefault(keys[0], []).append(text)
    for key, texts in found.items():
        counts = sorted({sum(tag.key == key for tag in tags_in(text)) for text in texts})
        if len(counts) > 1:
            raise TemplateError(
                f"{{{key}}} occurs {counts[0]} to {counts[-1]} times in the strings of the template.",
                remedy="Write it the same number of times in each string that has it.",
            )
    for tag in (tag for text in strings_in(labels) for tag in tags_in(text)):
        if tag.is_mask and tag.key not in found:
            raise TemplateError(f"{tag.written} is in the labels only.", remedy="Write it in the template, too.")
    return found


def top_of(texts: Sequence[str], key: str) -> int | None:
    """How many fills of a mask are used: 10 for ``{t10:mask}``, None for all.

    >>> top_of(["{x} is {t10:mask} {mask}."], "mask")
    10
    """
    return next((tag.top for text in texts for tag in tags_in(text) if tag.key == key and tag.top is not None), None)


def contexts(
    texts: Sequence[str], key: str, columns: Mapping[str, Sequence[Any]], *, remove_duplicates: bool, seed: int
) -> list[str]:
    """Texts for the model to fill a mask in: its template strings with a sample of the other tags' values.

    An article before the mask is written as "a" and as "an", so that words of both kinds are found.

    >>> contexts(["{x} is {a:mask}."], "mask", {"x": ["It"]}, remove_duplicates=False, seed=0)
    ['It is a {mask}.', 'It is an {mask}.']
    """
    others = {tag.key: columns[tag.key] for text in texts for tag in tags_in(text) if tag.key != key}
    total = math.prod(len(values) for values in others.values())
    drawn = list(rows(others, None if total <= _ROWS else _ROWS, product=True, seed=seed))
    distinct = [row for row in drawn if not has_duplicates(row)] if remove_duplicates else drawn
    found: dict[str, None] = {}
    for row in distinct or drawn:
        values = dict(zip(others, row, strict=True))
        for text in texts:
            for before in ("a", "an"):
                pieces = [_piece(one, key, values, before) for one in parse_tags(text)]
                found["".join(pieces)] = None
    return list(found)[:_CONTEXTS]


def _piece(piece: str | Tag, key: str, values: Mapping[str, Any], before: str) -> str:
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
    return sorted(fills, key=lambda one: -one[2])[:n]


def masked_lm(model: str | Path | FillsMasks) -> FillsMasks:
    """A masked language model: the object itself, or loaded from a folder or by its name on the Hub.

    Raises:
        OptionError: an object without ``fill``.
    """
    if isinstance(model, (str, Path)):
        from fairness_checklist.extensions.preference.masked.masked_lm import load_masked_lm

        return load_masked_lm(model)
    if not callable(getattr(model, "fill", None)):
        raise OptionError(
            f"model_name={model!r} is not a masked language model.",
            remedy="Give a folder, a name on the Hub, or an object with fill(texts, n=..., candidates=...).",
        )
    return model


def fill(
    templates: Any, labels: Any, columns: Mapping[str, Sequence[Any]], parameters: Mapping[str, Any]
) -> FilledTemplates:
    """The texts of a template, and its labels and meta data if they were asked for.

    Args:
        templates: strings, nested at will.
        labels: a value or nested strings; None for no labels.
        columns: the values of each tag.
        parameters: ``nsamples``, ``product``, ``seed``, ``remove_duplicates``, ``unroll`` and ``meta``.
    """
    chosen = rows(columns, parameters["nsamples"], product=parameters["product"], seed=parameters["seed"])
    unroll = parameters["unroll"] and isinstance(templates, (list, tuple))
    data: list[Any] = []
    data_labels: list[Any] = []
    data_meta: list[dict[str, Any]] = []
    for row in chosen:
        if parameters["remove_duplicates"] and has_duplicates(row):
            continue
        values = dict(zip(columns, row, strict=True))
        write = partial(fill_text, values=values)
        text, label = replace_strings(templates, write), replace_strings(labels, write)
        members = list(text) if unroll else [text]
        parallel = unroll and isinstance(label, (list, tuple)) and len(label) == len(members)
        data.extend(members)
        data_labels.extend(label if parallel else (replace_strings(labels, write) for _member in members))
        data_meta.extend(dict(values) for _member in members)
    filled = FilledTemplates(data=data)
    if labels is not None:
        filled.labels = data_labels
    if parameters["meta"]:
        filled.meta = data_meta
    return filled

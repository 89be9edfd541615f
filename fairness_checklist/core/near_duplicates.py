"""Rewordings that are not declared: templates whose texts are nearly the same."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.examples import MIN_TOPICS, ExampleSet, Source

_SAME = 0.5  # on the shipped sets 91 % of the declared rewordings are as similar, of the other pairs of a label none
_ASSUMED = "sentences are taken as independent: no topic is declared"
_GRAM = 4
_CHUNK = 500
_MOST = 5_000


def near_duplicates(texts: Sequence[str], labels: Sequence[str]) -> IntArray:
    """The position of the first text that each of n texts is nearly the same as; its own where there is none.

    Texts of one label are nearly the same where the cosine similarity of the letters of their words, four at a time
    and weighted by how few texts have them (TF-IDF), is .5 at least. Time and memory grow with the pairs of texts that
    share four letters.
    """
    number: dict[str, int] = {}
    rows = [
        sorted({number.setdefault(gram, len(number)) for word in re.findall(r"\w+", text) for gram in _grams(word)})
        for text in map(str.casefold, texts)
    ]
    size, of_gram = len(texts), np.array([gram for row in rows for gram in row], dtype=np.int64)
    rarity = np.log((1 + size) / np.maximum(np.bincount(of_gram, minlength=len(number)), 1))
    start = np.cumsum([0, *map(len, rows)])
    norm = np.sqrt([(rarity[row] ** 2).sum() for row in rows])
    matrix = csr_array((rarity[of_gram] / np.repeat(norm, np.diff(start)), of_gram, start), shape=(size, len(number)))
    columns, first = matrix.T.tocsr(), np.arange(size)
    for start_row in range(0, size, _CHUNK):
        similar = (matrix[start_row : start_row + _CHUNK] @ columns).tocoo()
        left, right = (side[similar.data >= _SAME].tolist() for side in (similar.row + start_row, similar.col))
        for row_number, other in sorted(zip(left, right, strict=True)):
            if other < first[row_number] and first[other] == other and labels[row_number] == labels[other]:
                first[row_number] = other
    return first


def _grams(word: str) -> list[str]:
    padded = f" {word} "
    return [padded[start : start + _GRAM] for start in range(max(1, len(padded) - _GRAM + 1))]


def find_rewordings(examples: ExampleSet) -> tuple[dict[str, str], tuple[str, ...]]:
    """The templates that are nearly the same as an earlier one, with its id, and notes on what is assumed."""
    sources = examples.sources
    if not sources or any(source.rewords or source.topic for source in sources):
        return {}, ()
    order = np.argsort(examples.term != np.bincount(examples.term + 1).argmax() - 1, kind="stable")  # of one term
    row = order[np.unique(examples.source[order], return_index=True)[1]].tolist()
    of_template: dict[str, int] = {}
    for row_number in row:
        of_template.setdefault(_template(sources[examples.source[row_number]]), row_number)
    names, rows = list(of_template), list(of_template.values())
    assumed = (_ASSUMED,) if len(names) >= MIN_TOPICS else ()
    if len(names) > _MOST:
        return {}, (f"rewordings are not looked for among more than {_MOST:,} sentences", *assumed)
    texts = [examples.texts.render(row_number, row_number + 1)[0] for row_number in rows]
    first = near_duplicates(texts, [sources[examples.source[row_number]].label for row_number in rows]).tolist()
    originals_of = {name: names[of] for name, of in zip(names, first, strict=True) if name != names[of]}
    if not originals_of or not all(texts):
        return {}, assumed
    originals, (rewording, other) = len(set(originals_of.values())), next(iter(originals_of.items()))
    note = (
        f"{len(originals_of) + originals:,} of {len(names):,} sentences are nearly the same as others and count as "
        f"{originals:,}, such as {other!r} and {rewording!r}; a column rewords says otherwise"
    )
    return originals_of, (note, *assumed)


def declare_rewordings(examples: ExampleSet, known: dict[str, str]) -> ExampleSet:
    """The example set with ``rewords`` of its sources as ``known`` has it by template."""
    sources = (
        replace(source, rewords=known[_template(source)]) if _template(source) in known else source
        for source in examples.sources
    )
    return replace(examples, sources=tuple(sources)) if known else examples


def _template(source: Source) -> str:
    return source.template or source.id

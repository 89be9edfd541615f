"""The units of tagged sentences: which words belong together, and which are in the same place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairness_checklist.core.arrays import BoolArray, IntArray
from fairness_checklist.core.examples import ExampleSet, Sentences
from fairness_checklist.core.tagging import Spans


@dataclass(frozen=True, eq=False)
class Layout:
    """The mapping from the words of all sentences to m units.

    Attributes:
        unit: (W,) the unit of each word; -1 for words that are none.
        row, position: (m,) of each unit, see `Units`.
        in_slot: (m,) whether it is an occurrence of the term.
        aligned: (n,) whether a sentence has the same number of words around the term as most of its source.
    """

    unit: IntArray
    row: IntArray
    position: IntArray
    in_slot: BoolArray
    aligned: BoolArray


def lay_out(examples: ExampleSet, sentences: Sentences, gold: Spans) -> Layout:
    """Number the units of the sentences, and the places that they are in.

    An occurrence of the term takes the first places of its source, the words around it those behind, in order. "the"
    right before a term is no unit where the sentences of a source differ in the number of words around the term.
    """
    row, slot, n = sentences.row, sentences.slot, len(sentences)
    of_entity = _covered(sentences, gold)
    holder = row * (int(slot.max(initial=-1)) + 2) + slot + 1  # one code an occurrence of a term
    inside = slot >= 0
    named = np.unique(holder[inside & of_entity])
    unused = inside & ~of_entity & np.isin(holder, named)  # the article that a table counts to the term
    outside = ~inside
    around = np.bincount(row[outside], minlength=n)
    source = examples.source
    expected, settled = _most_common_size(around, examples)
    articles = outside & ~settled[row] & _articles(sentences)
    around = around - np.bincount(row[articles], minlength=n)
    expected, _ = _most_common_size(around, examples)
    aligned = (source < 0) | (around == expected)
    unused |= articles
    kept = ~unused
    first = np.append(True, holder[kept][1:] != holder[kept][:-1]) if kept.any() else np.empty(0, dtype=np.bool_)
    first |= ~inside[kept]
    number = np.cumsum(first) - 1
    unit = np.full(len(row), -1, dtype=np.int64)
    unit[kept] = number
    head = np.flatnonzero(kept)[first]
    unit_row, in_slot = row[head], inside[head]
    n_slots = int(slot.max(initial=-1)) + 1
    start = np.searchsorted(unit_row, np.arange(n))
    before = np.cumsum(~in_slot) - (~in_slot)
    order = before - before[start[unit_row]] if len(head) else before
    position = np.where(in_slot, slot[head], n_slots + order)
    position = np.where(in_slot | aligned[unit_row], position, -1)
    return Layout(unit, unit_row, position.astype(np.int64), in_slot, aligned)


def _covered(sentences: Sentences, spans: Spans) -> BoolArray:
    """(W,) whether a word belongs to one of the spans."""
    edges = np.zeros(len(sentences.words) + 1, dtype=np.int64)
    base = sentences.offset[spans.row]
    np.add.at(edges, base + spans.start, 1)
    np.add.at(edges, base + spans.end, -1)
    return np.asarray(np.cumsum(edges)[:-1] > 0, dtype=np.bool_)


def _most_common_size(around: IntArray, examples: ExampleSet) -> tuple[IntArray, BoolArray]:
    """(n,) the most common number of words around the term in each row's source, and whether all its rows have it.

    The unmarked control is ignored if there are other rows.
    """
    expected, settled = around.copy(), np.ones(len(around), dtype=np.bool_)
    source = examples.source
    rows = np.flatnonzero(source >= 0)
    if not len(rows):
        return expected, settled
    width = int(around.max(initial=0)) + 1
    code = source[rows] * width + around[rows]
    voters = np.where(examples.group[rows] >= 0, len(around) + 1, 1)
    votes = np.bincount(code, weights=voters, minlength=(int(source.max()) + 1) * width).reshape(-1, width)
    usual = votes.argmax(axis=1)
    marked = np.where(votes > len(around), votes, 0)
    alone = (marked > 0).sum(axis=1) <= 1
    expected[rows], settled[rows] = usual[source[rows]], alone[source[rows]]
    return expected, settled


def _articles(sentences: Sentences) -> BoolArray:
    """(W,) whether a word is "the", right before the term."""
    before_term = np.zeros(len(sentences.words), dtype=np.bool_)
    if len(before_term) > 1:
        before_term[:-1] = (sentences.slot[1:] >= 0) & (sentences.slot[:-1] < 0)
        before_term[sentences.offset[1:-1][np.diff(sentences.offset)[:-1] > 0] - 1] = False
    candidates = np.flatnonzero(before_term)
    before_term[candidates] = [sentences.words[at].lower() == "the" for at in candidates]
    return before_term

"""The resampled units: templates (within their gold class) and terms (within their group), and the cells they make.

A template and its rewordings, or a topic, are one cluster: see `families_of_sources`. Rows without a source are
clusters of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from fairness_checklist.core.arrays import FloatArray, IntArray, divide
from fairness_checklist.core.examples import families_of_sources
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.metrics.weights import Parts, indicator


@dataclass(frozen=True, eq=False)
class Clusters:
    """n rows in Q cells: a cell is the rows of one of J templates and one of T terms.

    Attributes:
        of_source: (S,) the template of each source that has rows.
        stratum: (J,) the gold class that a template is resampled within; lone templates are joined.
        terms: (T,) where each term is in the outcomes' terms.
        term_group: (T,) the group of each term.
        cell: (n,) the cell of each row.
        template: (Q,) the template of each cell.
        term: (Q,) the term of each cell; T for rows that name none.
        group: (Q,) the group of each cell; G for the unmarked control.
        named: whether every row of a group names its term.
    """

    of_source: IntArray
    stratum: IntArray
    terms: IntArray
    term_group: IntArray
    cell: IntArray
    template: IntArray
    term: IntArray
    group: IntArray
    named: bool

    @property
    def n_templates(self) -> int:
        return len(self.stratum)

    @property
    def n_terms(self) -> int:
        return len(self.term_group)

    @property
    def n_cells(self) -> int:
        return len(self.template)

    @cached_property
    def nested(self) -> bool:
        """Whether templates hardly ever share their terms with others of the group: there is nothing crossed then."""
        marked = self.term < self.n_terms
        pairs = len(np.unique(self.template[marked] * (self.group.max(initial=0) + 1) + self.group[marked]))
        return pairs > 0.75 * max(1, int(marked.sum()))

    def as_parts(self, outcomes: Outcomes) -> Parts:
        """The cells as parts of their groups."""
        return Parts(outcomes, self.cell, self.n_cells, self.group, np.zeros(0, dtype=np.int64))

    def in_templates(self, values: FloatArray) -> FloatArray:
        """(J, ...) sums over the cells of each template."""
        return summed(self._by_template, values)

    def in_terms(self, values: FloatArray) -> FloatArray:
        """(T, ...) sums over the cells of each term."""
        return summed(self._by_term, values)[:-1]

    @cached_property
    def _by_template(self) -> csr_array:
        return indicator(self.template, self.n_templates)

    @cached_property
    def _by_term(self) -> csr_array:
        return indicator(self.term, self.n_terms + 1)

    @cached_property
    def blocks(self) -> tuple[tuple[csr_array, FloatArray], ...]:
        """The means that leave a cell's own part: by template and group, by stratum and term, by stratum and group."""
        marked = self.term < self.n_terms
        n_columns = int(self.group.max(initial=0)) + 1
        stratum = self.stratum[self.template]
        keys = (
            self.template * n_columns + self.group,
            stratum * (self.n_terms + 1) + self.term,
            stratum * n_columns + self.group,
        )
        codes = [np.unique(np.where(marked, key, -1), return_inverse=True)[1] for key in keys]
        counts = [np.bincount(code) for code in codes]
        return tuple((indicator(code, len(n)), n.astype(np.float64)) for code, n in zip(codes, counts, strict=True))

    @cached_property
    def cell_factor(self) -> FloatArray:
        """(Q,) what makes the squares of the cells' own parts unbiased; 0 for cells without a term."""
        marked, n_columns = self.term < self.n_terms, int(self.group.max(initial=0)) + 1
        block = self.stratum[self.template] * n_columns + self.group
        size = int(block.max(initial=0)) + 1
        j, t = (_distinct(block[marked], code[marked], size) for code in (self.template, self.term))
        factor = divide(j * t, np.maximum(j - 1, 0) * np.maximum(t - 1, 0), fill=0.0)
        return np.where(marked, factor[block], 0.0)


def summed(matrix: csr_array, values: FloatArray) -> FloatArray:
    """An indicator times values (Q, ...)."""
    product: FloatArray = matrix @ values.reshape(len(values), math.prod(values.shape[1:]))
    return product.reshape(matrix.shape[0], *values.shape[1:])


def _distinct(block: IntArray, code: IntArray, size: int) -> IntArray:
    """(size,) how many different codes each block has."""
    pairs = np.unique(np.stack([block, code], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=size)


def clusters_of(outcomes: Outcomes) -> Clusters:
    """The templates, terms and cells of the outcomes."""
    n_groups = len(outcomes.groups)
    families = families_of_sources(outcomes.sources)
    there = {families[s] for s in np.unique(outcomes.source[outcomes.source >= 0]).tolist()}
    names = {name: j for j, name in enumerate(sorted(there))}  # draws do not depend on the order of rows
    of_source = np.array([names.get(name, 0) for name in families], dtype=np.int64)
    alone = outcomes.source < 0
    template = np.where(alone, len(names) + np.cumsum(alone) - 1, np.append(of_source, 0)[outcomes.source])
    size = len(names) + int(alone.sum())
    gold = np.full(len(outcomes), -1)
    if outcomes.gold.shape[1]:
        gold = np.where(outcomes.labelled, outcomes.gold.argmax(axis=1), -1)
    stratum = np.full(size, -1, dtype=np.int64)
    if outcomes.decisions is None:  # a sentence with tagged words has no gold class of its own
        np.maximum.at(stratum, template, gold)  # of several the last: the order of rows does not matter
    term_named = (outcomes.term >= 0) & (outcomes.group < n_groups)
    used = np.array(sorted(np.unique(outcomes.term[term_named]), key=lambda t: outcomes.terms[t]), dtype=np.int64)
    number = np.zeros(len(outcomes.terms) + 1, dtype=np.int64)
    number[used] = np.arange(len(used))
    term = np.where(term_named, number[outcomes.term], len(used))
    width = (len(used) + 1) * (n_groups + 1)
    code, cell = np.unique(template * width + term * (n_groups + 1) + outcomes.group, return_inverse=True)
    of_term = np.zeros(len(used), dtype=np.int64)
    of_term[term[term_named]] = outcomes.group[term_named]
    return Clusters(
        of_source,
        _joined(stratum),
        used,
        of_term,
        cell.astype(np.int64),
        code // width,
        code % width // (n_groups + 1),
        code % (n_groups + 1),
        bool(((outcomes.group == n_groups) | term_named).all()),
    )


def _joined(stratum: IntArray) -> IntArray:
    """The strata by number; those of a single template are one, and with another where that has a single one too."""
    _, code, count = np.unique(stratum, return_inverse=True, return_counts=True)
    single = count[code] == 1
    if single.sum() == 1 and len(count) > 1:
        code = np.where(single, int(np.where(count > 1, count, -1).argmax()), code)
    elif single.any():
        code = np.where(single, -1, code)
    joined: IntArray = np.unique(code, return_inverse=True)[1].astype(np.int64)
    return joined

"""Gaps of many tables of figures that have the same cells, as simulations draw them.

The numbers are those of `fit_term_effects`, `merge_terms` and `group_gaps`; what depends on the cells alone is solved
once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.statistics.two_way import Gaps, assigned, fit_term_effects, two_way


@dataclass(frozen=True, eq=False)
class RepeatedFit:
    """What the cells alone decide: m cells in B blocks and Q clusters, T terms of L lexemes."""

    order: IntArray  # (m,) cells by cluster
    starts: IntArray  # (Q,) where each cluster begins in this order
    block: IntArray  # block, term: (m,) of each cell, in this order
    term: IntArray
    blocks: csr_array  # (m, B) membership, divided by the size of the block
    terms: csr_array  # (m, T) membership
    shares: csr_array  # (B, T) texts of each term in each block
    inverse: FloatArray  # (T, T) of the normal equations
    freedom: int  # of the residuals
    lexemes: FloatArray  # (T, L) the weight of each term in its lexeme

    def gaps(self, figures: FloatArray, labels: IntArray, n_groups: int) -> Gaps:
        """The gaps (n, G) of n tables (n, m), with the group of each lexeme (L,); -1 leaves it out."""
        values = np.ascontiguousarray(figures[:, self.order])
        means = values @ self.blocks
        effect = (values @ self.terms - means @ self.shares) @ self.inverse
        sizes = np.bincount(self.block)
        base = means - effect @ self.shares.T / sizes
        rest = values - effect[:, self.term] - base[:, self.block]
        of_cells = (rest**2).sum(axis=1) / self.freedom if self.freedom > 0 else np.zeros(len(rest))
        one = assigned(labels[None], n_groups)
        weights = one.contrast[0] @ self.lexemes.T @ self.inverse
        n = len(self.starts)
        of_sources = np.stack(
            [(np.add.reduceat(rest * own[self.term], self.starts, axis=1) ** 2).sum(axis=1) for own in weights], axis=1
        ) * (n / (n - 1) if n > 1 else np.nan)
        merged = effect @ self.lexemes
        contrast = one.contrast[0] @ self.lexemes.T
        of_cell = (contrast @ self.inverse * contrast).sum(axis=1)
        both = two_way(of_sources, one.of_terms(merged), of_cells[:, None] * of_cell)
        return Gaps(merged @ one.contrast[0].T, np.sqrt(np.maximum(of_sources, 0.0)), np.sqrt(both))


def repeated_fit(block: IntArray, term: IntArray, cluster: IntArray, lexeme: IntArray, n_lexemes: int) -> RepeatedFit:
    """Solve once for tables that have these m cells; each term and lexeme has a cell, and all weigh the same.

    Block, term and cluster (what varies together: a source with its rewordings) are of each cell, lexeme of each term.
    """
    m, n_terms = len(block), len(lexeme)
    once = fit_term_effects(block, term, cluster, np.zeros(m), np.ones(m), n_terms)
    order = np.argsort(cluster, kind="stable")
    block, term = np.unique(block, return_inverse=True)[1][order], term[order]
    sizes = np.bincount(block)
    rows = np.arange(m)
    shares = csr_array((np.ones(m), (block, term)), shape=(len(sizes), n_terms))
    count = np.bincount(lexeme, minlength=n_lexemes)
    lexemes = np.zeros((n_terms, n_lexemes))
    lexemes[np.arange(n_terms), lexeme] = 1 / count[lexeme]
    rank = int(np.linalg.matrix_rank(once.cell_covariance, hermitian=True))
    return RepeatedFit(
        order=order,
        starts=np.unique(cluster[order], return_index=True)[1],
        block=block,
        term=term,
        blocks=csr_array((1 / sizes[block], (rows, block)), shape=(m, len(sizes))),
        terms=csr_array((np.ones(m), (rows, term)), shape=(m, n_terms)),
        shares=shares,
        inverse=once.cell_covariance,
        freedom=m - len(sizes) - rank,
        lexemes=lexemes,
    )


def balanced_gaps(tables: FloatArray, labels: IntArray, n_groups: int) -> Gaps:
    """The gaps (n, G) of n tables (n, S, L) in which each lexeme is in each source once, without solving.

    Labels (L,) are the group of each lexeme; -1 leaves it out. The numbers are those of `fit_term_effects`.
    """
    one = assigned(labels[None], n_groups)
    _, rows, columns = tables.shape
    by_source = tables @ one.contrast[0].T
    of_sources = by_source.var(axis=1, ddof=1) / rows
    effect, base = tables.mean(axis=1), tables.mean(axis=2)
    mean = base.mean(axis=1, keepdims=True)
    squares = (tables**2).sum(axis=(1, 2)) - columns * (base**2).sum(axis=1)
    rest = np.maximum(squares - rows * ((effect - mean) ** 2).sum(axis=1), 0.0)
    of_cells = (rest / ((rows - 1) * (columns - 1)))[:, None] * (one.contrast[0] ** 2).sum(axis=1) / rows
    both = two_way(of_sources, one.of_terms(effect - mean), of_cells)
    return Gaps(by_source.mean(axis=1), np.sqrt(of_sources), np.sqrt(both))

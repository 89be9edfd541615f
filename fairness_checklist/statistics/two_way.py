"""Effects of terms on one figure, with the parts of their two-way variance.

The figure of a cell (source, term) is modelled as ``source + term + rest``. The term effects are the weighted least
squares solution, so that a term is compared with others inside the sources that it is in. A gap is a contrast of
effects: the mean over a group's lexemes less the mean over all other lexemes. Its variance has two parts: sources vary
(also in what they do to one group), and lexemes vary. Both contain the variance of single cells, which is subtracted
once: ``max(V_S + V_T - V_C, V_S, V_T)``, as in the two-way cluster variance of Cameron, Gelbach and Miller 2011,
equation (2.10). `findings.rule` says how the variance of lexemes is moderated.

The model may have random factors of its own, such as prompts. A gap that is a mean over R prompts varies with their
choice: the variance ``s**2 / R`` is added, where s is the standard deviation of the gaps with one prompt each. These
hold what the mean over sources has of their noise, so that the sum is too large rather than too small.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from fairness_checklist.core.arrays import FloatArray, IntArray, divide

_CHUNK = 20_000_000  # numbers that are held at once
_MANY_TERMS = 200  # above, a balanced table's inverse is written down, and dense products take less memory
_MANY_CLUSTERS = 2000  # above, their scores are not kept


@dataclass(frozen=True, eq=False)
class TermEffects:
    """The term effects of one figure and the parts of their variance: T terms, Q clusters."""

    effect: FloatArray  # (T,) with mean 0 over the terms that have a cell; NaN for others
    # (Q, T) what each cluster adds to the error of the effects; None with more than 2,000 clusters
    scores: FloatArray | None
    covariance: FloatArray  # (T, T) of the effects where the terms stay and sources are drawn anew, clustered
    cell_variance: float  # the variance of a cell around source and term
    cell_covariance: FloatArray  # (T, T) of the effects where only cells vary, for a cell variance of 1
    clusters: int  # Q
    connected: bool  # whether all terms can be compared through the sources they share
    # for each random factor of the model, such as its prompts, the effects (R, T) at each of its R levels
    levels: tuple[FloatArray, ...] = ()
    level: float = 0.0  # the mean of the blocks' effects, so that ``level + effect`` is the fitted mean of a term


def fit_figures(
    block: IntArray, term: IntArray, cluster: IntArray, values: FloatArray, weight: FloatArray, n_terms: int
) -> list[TermEffects]:
    """Weighted least squares of ``value = block + term`` for F figures of the same m cells.

    Shapes: block (m,); term (m,); cluster (m,); values (F, m); weight (m,).
    Returns the effects of each figure; of a balanced table the terms' means less the grand mean.
    """
    block = np.unique(block, return_inverse=True)[1]
    names, cluster = np.unique(cluster, return_inverse=True)
    used, term = np.unique(term, return_inverse=True)
    n_blocks, n_clusters, size = int(block.max(initial=-1)) + 1, len(names), len(used)
    total = np.bincount(block, weights=weight, minlength=n_blocks)

    def means(values: FloatArray) -> FloatArray:
        return divide(np.bincount(block, weights=weight * values, minlength=n_blocks), total)

    shares = csr_array((weight / np.sqrt(total[block]), (block, term)), shape=(n_blocks, size))
    wide = shares.toarray() if size > _MANY_TERMS and n_blocks * size <= _CHUNK else shares
    beside = (-wide).T @ wide
    normal = beside if isinstance(beside, np.ndarray) else beside.toarray()
    normal[np.diag_indices(size)] += np.bincount(term, weights=weight, minlength=size)
    inverse, rank = _pseudo_inverse(normal)
    del beside, normal
    freedom = values.shape[1] - n_blocks - rank
    mean_weight = float(weight.mean()) if len(weight) else 1.0
    factor = n_clusters / (n_clusters - 1) if n_clusters > 1 else np.nan
    of_cells = (inverse if size == n_terms else _spread_out(inverse, used, n_terms)) * mean_weight
    fits = []
    for value in values:
        solution = inverse @ np.bincount(term, weights=weight * (value - means(value)[block]), minlength=size)
        of_block = means(value - solution[term])
        rest = value - solution[term] - of_block[block]
        cell_variance = float((weight * rest**2).sum()) / mean_weight / freedom if freedom > 0 else 0.0
        by_cluster = csr_array((weight * rest, (cluster, term)), shape=(n_clusters, size))
        if n_clusters < size:
            moved: FloatArray = np.asarray(by_cluster @ inverse)
            squares = moved.T @ moved
        else:
            squares = inverse @ (by_cluster.T @ by_cluster).toarray() @ inverse
        effect, scores = np.full(n_terms, np.nan), None
        effect[used] = solution
        if n_clusters <= _MANY_CLUSTERS:
            scores = np.zeros((n_clusters, n_terms))
            scores[:, used] = np.asarray(by_cluster @ inverse) * np.sqrt(factor)
        squares *= factor
        if size < n_terms:
            squares = _spread_out(squares, used, n_terms)
        level = float(of_block.mean()) if n_blocks else np.nan
        fits.append(
            TermEffects(effect, scores, squares, cell_variance, of_cells, n_clusters, rank >= size - 1, (), level)
        )
    return fits


def _spread_out(matrix: FloatArray, used: IntArray, size: int) -> FloatArray:
    """A matrix of some terms as one of all, 0 for the others."""
    whole = np.zeros((size, size))
    whole[np.ix_(used, used)] = matrix
    return whole


def _pseudo_inverse(normal: FloatArray) -> tuple[FloatArray, int]:
    """The inverse of the normal matrix (T, T) but for the constants that it does not see, and its rank."""
    size = len(normal)
    if size > _MANY_TERMS:
        # (T - 1, T) the numbers that are not on the diagonal, without a copy
        diagonal, beside = np.diagonal(normal), normal.reshape(-1)[1:].reshape(size - 1, size + 1)[:, :size]
        value = float(diagonal[0] - beside[0, 0])
        if beside[0, 0] < 0 and max(float(np.ptp(side)) for side in (diagonal, beside)) < 1e-9 * value:
            inverse = np.full((size, size), -1 / (size * value))
            inverse[np.diag_indices(size)] += 1 / value
            return inverse, size - 1
        n_parts, part = connected_components(csr_array(normal != 0), directed=False)
        unseen = (part[:, None] == part) / np.bincount(part)[part]  # projects on the constants of each part
        return inverse_of_positive(normal + value * unseen) - unseen / value, size - n_parts
    eigen, vectors = np.linalg.eigh(normal)
    fine = eigen > 1e-9 * max(float(eigen.max(initial=0.0)), 1e-300)
    return (vectors[:, fine] / eigen[fine]) @ vectors[:, fine].T, int(fine.sum())


def inverse_of_positive(matrix: FloatArray) -> FloatArray:
    """The inverse of a symmetric positive definite matrix, by its Cholesky factor."""
    from scipy.linalg.lapack import dpotrf, dpotri

    lower = np.tril(dpotri(dpotrf(matrix, lower=1)[0], lower=1)[0])
    return np.asarray(lower + np.tril(lower, -1).T)


def merge_terms(fit: TermEffects, lexeme: IntArray, n_lexemes: int) -> TermEffects:
    """The effects of lexemes: the mean over the terms of each that have a cell.

    Shapes: lexeme (T,).
    """
    there = ~np.isnan(fit.effect)
    count = np.bincount(lexeme[there], minlength=n_lexemes)
    if there.all() and np.array_equal(lexeme, np.arange(n_lexemes)):
        return replace(fit, levels=tuple(np.nan_to_num(way) for way in fit.levels))
    mean = csr_array((1 / count[lexeme[there]], (lexeme[there], np.flatnonzero(there))), shape=(n_lexemes, len(lexeme)))

    def merged(values: FloatArray) -> FloatArray:
        return np.asarray(mean @ values)

    effect = mean @ np.nan_to_num(fit.effect)
    return replace(
        fit,
        effect=np.where(count > 0, effect, np.nan),
        scores=None if fit.scores is None else merged(fit.scores.T).T,
        covariance=merged(merged(fit.covariance).T),
        cell_covariance=merged(merged(fit.cell_covariance).T),
        levels=tuple(merged(np.nan_to_num(way).T).T for way in fit.levels),
    )


def variance_of_levels(levels: Sequence[FloatArray], contrast: FloatArray) -> FloatArray:
    """The variance of contrasts over the levels of random factors.

    Shapes: contrast (..., L).
    Returns (...): the sum over factors of the variance between levels, divided by R; 0 without factors.
    """
    each = ((contrast @ np.nan_to_num(way).T).var(axis=-1, ddof=1) / len(way) for way in levels)
    return np.asarray(sum(each, np.zeros(contrast.shape[:-1])))

"""Which optimal weights are taken where several reach the minimum of the linear program: those nearest to equal ones.

The minimum of Kocijan et al.'s program need not be unique; on their own data set it is not. By complementary slackness
with one optimal dual solution, the optimal weights are the feasible ones in which the cells of a group keep a certain
order. Of these the weights with the least relative entropy to equal weights are taken: sum w log w over the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import nnls
from scipy.sparse.csgraph import connected_components

from fairness_checklist.core.arrays import BoolArray, FloatArray, IntArray

_STEPS = 12
_SMALL = 1e-6  # of the mean weight: below it the curvature of w log w is that of this weight
_TOLERANCE = 1e-7


@dataclass(frozen=True, eq=False)
class Face:
    """The optimal weights of J parts, each of cells with the same weight: start + free y."""

    part: IntArray  # (K,) the part of each cell
    start: FloatArray  # (J,) weights that keep the sums
    free: FloatArray  # (J, F) orthonormal directions that keep the sums; F is 0 where the optimum is unique
    order: FloatArray  # (E, J) what is not negative: differences of parts, and the parts themselves


def optimal_face(
    share: FloatArray,
    constraints: sparse.csr_array,
    target: FloatArray,
    pairs: tuple[IntArray, IntArray, IntArray],
    idle: BoolArray,
) -> Face:
    """All optimal weights, of (K,) shares of the rows, (R, K) constraints and (R,) sums to be kept.

    ``pairs``: each two cells of a group, and whether the second has the larger weight (1), the smaller one (-1), or the
    same (0). ``idle``: (K,) cells whose weight is 0 in every optimum.
    """
    left, right, order = pairs
    tied = order == 0
    graph = sparse.coo_array((np.ones(tied.sum()), (left[tied], right[tied])), shape=(len(share), len(share)))
    n_parts, component = connected_components(graph, directed=False)
    part = component.astype(np.int64)
    merge = sparse.csr_array((np.ones(len(part)), (np.arange(len(part)), part)), shape=(len(part), n_parts))
    fixed = np.zeros(n_parts, dtype=np.bool_)
    fixed[part[idle]] = True
    sums = np.vstack([(constraints @ merge).toarray(), np.eye(n_parts)[fixed]])
    kept = np.concatenate([target, np.zeros(int(fixed.sum()))])
    _, singular, directions = np.linalg.svd(sums, full_matrices=True)
    rank = int((singular > 1e-10 * singular.max(initial=0.0)).sum())
    start = np.linalg.lstsq(sums, kept, rcond=1e-10)[0]
    if rank == n_parts:
        return Face(part, start, np.zeros((n_parts, 0)), np.zeros((0, n_parts)))
    less = np.where(order > 0, left, right)[~tied]  # the cell of each pair with the smaller weight
    more = np.where(order > 0, right, left)[~tied]
    edges = np.unique(np.stack([part[less], part[more]], axis=1), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    rows = np.zeros((len(edges) + n_parts, n_parts))
    rows[np.arange(len(edges)), edges[:, 1]] = 1
    rows[np.arange(len(edges)), edges[:, 0]] = -1
    rows[len(edges) :] = np.eye(n_parts)
    return Face(part, start, directions[rank:].T, rows)


def most_even(face: Face, share: FloatArray) -> FloatArray | None:
    """(K,) the weights on the face with the least relative entropy; None where there is no choice.

    Newton's method, whose steps are nearest points of the face; it starts at the smallest sum of squares.
    """
    if not face.free.shape[1]:
        return None
    size = np.bincount(face.part, weights=share, minlength=len(face.start)).astype(np.float64)
    current = _nearest(face, size, np.zeros(len(size)))
    if current is None:
        return None
    for _ in range(_STEPS):
        reference = np.maximum(current, _SMALL)
        aim = _nearest(face, size / reference, reference * (1 - np.log(reference)))
        if aim is None:
            break
        step, best = 1.0, _entropy(current, size)
        while step > 1e-3 and _entropy(current + step * (aim - current), size) > best:
            step /= 2
        moved = current + step * (aim - current)
        if _entropy(moved, size) > best or np.abs(moved - current).max() < 1e-12:
            break
        current = moved
    return np.asarray(np.maximum(current, 0.0)[face.part])


def _entropy(weight: FloatArray, size: FloatArray) -> float:
    inside = np.maximum(weight, 1e-300)
    return float((size * inside * np.log(inside)).sum())


def _nearest(face: Face, scale: FloatArray, centre: FloatArray) -> FloatArray | None:
    """(J,) the point of the face with the least sum of scale (w - centre)^2; None where rounding finds none.

    A least-distance problem, solved by non-negative least squares (Lawson and Hanson 1974, chapter 23).
    """
    root = np.sqrt(scale)[:, None]
    q, r = np.linalg.qr(root * face.free)
    middle = np.linalg.solve(r, q.T @ (root[:, 0] * (centre - face.start)))
    system = np.linalg.solve(r.T, (face.order @ face.free).T)
    least = -face.order @ (face.start + face.free @ middle)
    size = np.abs(system).max(axis=0)
    binding = size > 1e-8 * size.max(initial=0.0)  # the others hold at every point
    if not binding.any() or (least[binding] <= 1e-10).all():
        return np.asarray(face.start + face.free @ middle)
    aim = np.append(np.zeros(system.shape[0]), 1.0)
    equations = np.vstack([system[:, binding], least[binding]])
    try:
        multipliers, _ = nnls(equations, aim)
    except RuntimeError:  # too many steps
        return None
    residual = equations @ multipliers - aim
    if abs(residual[-1]) < 1e-12:
        return None
    nearest = face.start + face.free @ (middle + np.linalg.solve(r, -residual[:-1] / residual[-1]))
    return nearest if (face.order @ nearest).min() > -_TOLERANCE else None

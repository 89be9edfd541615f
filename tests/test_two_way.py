"""Term effects and the parts of their variance: against direct formulas and least squares with dummies."""

import numpy as np
import pytest
from sweep import sweep

from fairness_checklist.core.arrays import FloatArray, IntArray
from fairness_checklist.findings.errors import clipped_logit
from fairness_checklist.statistics.two_way import TermEffects, fit_figures, merge_terms


def table(seed: int, sources: int = 12, terms: int = 6) -> FloatArray:
    """(S, T) with effects of sources and terms."""
    random = np.random.default_rng(seed)
    drawn: FloatArray = (
        random.normal(size=(sources, 1)) + random.normal(size=terms) + random.normal(size=(sources, terms))
    )
    return drawn


def fitted(values: FloatArray) -> TermEffects:
    """The fit of a table without gaps."""
    sources, terms = values.shape
    source, term = np.repeat(np.arange(sources), terms), np.tile(np.arange(terms), sources)
    return fit_figures(source, term, source, values.ravel()[None], np.ones(values.size), terms)[0]


def unbalanced(seed: int) -> tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray]:
    """Block, term, cluster, value and weight of a table of 15 sources, of which three are one cluster, and 5 terms."""
    random = np.random.default_rng(seed)
    block, term = np.repeat(np.arange(15), 5), np.tile(np.arange(5), 15)
    kept = random.random(75) < 0.6
    kept[:10] = True
    block, term = block[kept], term[kept]
    value = random.normal(size=15)[block] + random.normal(size=5)[term] + random.normal(size=len(block))
    return block, term, np.maximum(block, 2), value, random.uniform(0.5, 2, size=len(block))


def three_figures(score: FloatArray) -> FloatArray:
    """(3, m) what is fitted of scores (m,): the clipped logit, the probability and the decision."""
    probability = 1 / (1 + np.exp(-3 * score))
    return np.array([clipped_logit(probability), probability, probability > 0.5])


@sweep("seed", range(3))
def test_of_a_balanced_table_the_effects_are_means_and_the_covariance_that_of_differences(seed: int) -> None:
    source, term = (side.ravel() for side in np.indices((12, 6)))
    figures = three_figures(table(seed).ravel())
    contrast = np.array([1, 1, -0.5, -0.5, -0.5, -0.5]) / 2
    for fit, figure in zip(fit_figures(source, term, source, figures, np.ones(72), 6), figures, strict=True):
        values = figure.reshape(12, 6)
        np.testing.assert_allclose(fit.effect, values.mean(axis=0) - values.mean(), atol=1e-12)
        np.testing.assert_allclose(fit.level + fit.effect, values.mean(axis=0), atol=1e-12)
        difference = values @ contrast
        assert contrast @ fit.covariance @ contrast == pytest.approx(difference.var(ddof=1) / 12, rel=1e-9)
        rest = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
        assert fit.cell_variance == pytest.approx((rest**2).sum() / (11 * 5), rel=1e-9)
        assert contrast @ fit.cell_covariance @ contrast == pytest.approx((contrast**2).sum() / 12, rel=1e-12)


@sweep("seed", range(3))
def test_of_an_unbalanced_table_they_are_those_of_weighted_least_squares_with_dummies(seed: int) -> None:
    block, term, cluster, score, weight = unbalanced(seed)
    figures, root = three_figures(score), np.sqrt(weight)
    design = np.hstack([(block[:, None] == np.arange(15)), (term[:, None] == np.arange(1, 5))]).astype(float)
    bread = np.linalg.inv(design.T @ (weight[:, None] * design))
    less_first = np.hstack([-np.ones((4, 1)), np.eye(4)])
    for fit, value in zip(fit_figures(block, term, cluster, figures, weight, 5), figures, strict=True):
        oracle = np.linalg.lstsq(root[:, None] * design, root * value, rcond=None)[0]
        np.testing.assert_allclose(fit.effect[1:] - fit.effect[0], oracle[15:], atol=1e-9)
        np.testing.assert_allclose(fit.level + fit.effect, oracle[:15].mean() + np.append(0, oracle[15:]), atol=1e-9)
        rest = value - design @ oracle
        variance = (weight * rest**2).sum() / (len(value) - 19)
        assert fit.cell_variance == pytest.approx(variance / weight.mean(), rel=1e-9)
        of_cells = less_first @ fit.cell_covariance @ less_first.T * fit.cell_variance
        np.testing.assert_allclose(of_cells, (bread * variance)[15:, 15:], atol=1e-9)
        summed = np.array([(design * (weight * rest)[:, None])[cluster == q].sum(axis=0) for q in np.unique(cluster)])
        sandwich = bread @ summed.T @ summed @ bread * fit.clusters / (fit.clusters - 1)
        assert fit.clusters == 13
        np.testing.assert_allclose(less_first @ fit.covariance @ less_first.T, sandwich[15:, 15:], atol=1e-9)
        np.testing.assert_allclose(fit.scores.T @ fit.scores, fit.covariance, atol=1e-12)
        np.testing.assert_allclose(fit.scores.sum(axis=0), 0, atol=1e-12)


def test_neither_the_order_of_rows_nor_the_scale_of_weights_matters() -> None:
    block, term, cluster, value, weight = unbalanced(4)
    one = fit_figures(block, term, cluster, value[None], weight, 5)[0]
    order = np.random.default_rng(0).permutation(len(block))
    for other in (
        fit_figures(block[order], term[order], cluster[order], value[order][None], weight[order], 5)[0],
        fit_figures(100 - block, term, 7 * cluster, (value + 3)[None], 10 * weight, 5)[0],
    ):
        for name in ("effect", "covariance"):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-10)
        contrast = np.array([0.5, 0.5, -1, 0, 0])
        sides = [contrast @ fit.cell_covariance @ contrast * fit.cell_variance for fit in (one, other)]
        assert sides[0] == pytest.approx(sides[1], rel=1e-9)


def test_of_many_terms_the_inverse_is_that_of_the_eigenvectors(monkeypatch: pytest.MonkeyPatch) -> None:
    values = table(3, terms=9)
    block, term = (side.ravel() for side in np.indices(values.shape))
    fits = []
    for most in (200, 8):
        monkeypatch.setattr("fairness_checklist.statistics.two_way._MANY_TERMS", most)
        fits.append(
            fit_figures(block, term, block, values.ravel()[None], np.full(values.size, 0.5), values.shape[1])[0]
        )
    for name in ("effect", "covariance", "cell_covariance", "scores", "cell_variance", "connected"):
        np.testing.assert_allclose(*(getattr(fit, name) for fit in fits), atol=1e-14)


def test_terms_that_share_no_source_cannot_be_compared() -> None:
    block, term = np.array([0, 0, 1, 1, 2, 2, 3, 3]), np.array([0, 1, 0, 1, 2, 3, 2, 3])
    value, weight = np.arange(8.0), np.ones(8)
    assert not fit_figures(block, term, block, value[None], weight, 4)[0].connected
    assert fit_figures(block, np.roll(term, 1), block, value[None], weight, 4)[0].connected


def test_a_lexeme_is_the_mean_of_its_terms_and_a_term_without_cells_is_left_out() -> None:
    values = table(5)
    fit = fitted(values)
    merged = merge_terms(fit, np.array([0, 0, 1, 1, 1, 2]), 4)
    direct = fitted(np.stack([values[:, :2].mean(1), values[:, 2:5].mean(1), values[:, 5]], axis=1))
    np.testing.assert_allclose(merged.effect[:3] - merged.effect[0], direct.effect - direct.effect[0], atol=1e-12)
    assert np.isnan(merged.effect[3])
    contrast = np.array([1, -0.5, -0.5])
    assert contrast @ merged.covariance[:3, :3] @ contrast == pytest.approx(contrast @ direct.covariance @ contrast)

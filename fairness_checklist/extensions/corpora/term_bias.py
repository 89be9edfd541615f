"""Error rates and areas of every identity term from the scores of a model, as in Dixon et al. 2018 and Borkan et al.
2019, and their summary over runs of several models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import decimal, percent
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.thresholds import EQUAL_ERROR, TIE
from fairness_checklist.extensions.corpora.equal_error_rate import equal_error_rate

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.findings.finding import Finding

__all__ = ["DIFFERENCES", "TermBias", "compare_runs", "scatter_of_runs", "term_bias"]

Background = Literal["whole", "without"]
DIFFERENCES = {
    "fped": "False positive equality difference",
    "fned": "False negative equality difference",
    "pinned_auc_equality_difference": "Pinned AUC equality difference",
}
"""The rows of Table 5 of Dixon et al. 2018."""
AREAS = ("subgroup_auc", "bpsn_auc", "bnsp_auc", "negative_aeg", "positive_aeg", "pinned_auc")
_NAN = float("nan")


@dataclass(frozen=True, eq=False)
class TermBias:
    """The figures of one model on a labelled set whose texts mention identity terms.

    Attributes:
        table: a row a term: term, n, n_positive, fpr, fnr, subgroup_auc, bpsn_auc, bnsp_auc, negative_aeg,
            positive_aeg, pinned_auc. NaN where a side has no text.
        n, n_positive: texts of the set, and those of the positive class.
        threshold: a text is called positive at score >= threshold.
        threshold_on: in words, where the threshold comes from.
        fpr, fnr, auc: of the whole set, texts without a term as well.
        general_auc: AUC on the general set; NaN without one.
        fped, fned, pinned_auc_equality_difference: sums over the terms with a defined value, equations (1), (2), (5).
        undefined: the number of terms that are left out of (fped, fned, pinned_auc_equality_difference).
    """

    table: pd.DataFrame
    n: int
    n_positive: int
    threshold: float
    threshold_on: str
    fpr: float
    fnr: float
    auc: float
    general_auc: float
    fped: float
    fned: float
    pinned_auc_equality_difference: float
    undefined: tuple[int, int, int]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is claimed: of all terms, and of each error rate of each term, the strongest first."""
        from fairness_checklist.extensions.corpora.corpus_findings import bias_findings

        return bias_findings(self)

    def sentence(self) -> str:
        """The figures of the set in at most 40 words; nothing is claimed."""
        text = (
            f"FPED {decimal(self.fped)}, FNED {decimal(self.fned)}, pinned AUC equality difference "
            f"{decimal(self.pinned_auc_equality_difference)} over {count(len(self.table), 'term')}."
        )
        defined = self.table[self.table["fpr"].notna()].sort_values("fpr", ascending=False)
        for term, rate in zip(defined["term"][:1], defined["fpr"][:1], strict=True):
            text += f" Highest false positive rate: {term}, {percent(rate)}; all texts {percent(self.fpr)}."
        return f"{text} Threshold {decimal(self.threshold)}: {self.threshold_on}."

    def __repr__(self) -> str:
        return f"<TermBias: {len(self.table)} terms, {self.n:,} texts, FPED {self.fped:.3f}, FNED {self.fned:.3f}>"


@checks_keywords
def term_bias(
    scores: ArrayLike,
    labels: ArrayLike,
    held: ArrayLike,
    terms: Sequence[str],
    *,
    threshold: float | str = EQUAL_ERROR,
    general: tuple[ArrayLike, ArrayLike] | None = None,
    grid: int | None = None,
    background: Background = "without",
) -> TermBias:
    """The error rates and areas of every term.

    Args:
        scores: (n,) scores of the positive class, finite.
        labels: (n,) true where the gold class is the positive one.
        held: (n, T) the terms that each text mentions, see `mentioned_terms`; a text may mention several or none.
        terms: the T terms.
        threshold: a number, or "eer": the equal error rate, on the general set where there is one (as in the paper),
            else on this set (as in the code that was released with it).
        general: scores and labels of a general held-out set.
        grid: the number of thresholds tried for "eer", evenly from 0 to 1 (the released code: 101); by default every
            score.
        background: what a term is pinned to (equation 3): D "without" the texts of the term, as in the results of the
            paper (its appendix), or the "whole" of D, which alone gives the toy of Table 3.

    Returns:
        The figures. Pinned AUC is the exact expectation over the samples that Dixon et al. 2018 draw, so no seed is
        needed: D_t and D weigh the same.

    Raises:
        OptionError: shapes that do not fit, scores that are not finite, one class only.

    >>> held = [[True], [True], [False], [False]]
    >>> bias = term_bias([0.9, 0.6, 0.7, 0.1], [1, 0, 1, 0], held, ["gay"], threshold=0.5)
    >>> bias.fpr, bias.table.loc[0, ["fpr", "fnr", "bpsn_auc"]].tolist(), bias.fped
    (0.5, [1.0, 0.0, 1.0], 0.5)
    """
    import pandas as pd

    score, positive = _pair(scores, labels, "scored")
    member = np.asarray(held, dtype=np.bool_)
    if member.shape != (len(score), len(terms)):
        raise OptionError(
            f"held= has the shape {member.shape} for {len(score):,} texts and {len(terms):,} terms.",
            remedy="Give one row a text and one column a term: mentioned_terms(texts, terms).",
        )
    if background not in ("whole", "without"):
        raise OptionError(f"background={background!r} is not known.", remedy='Write "whole" or "without".')
    general_set = None if general is None else _pair(*general, "general")
    level, where = _threshold(threshold, (score, positive), general_set, grid)
    called, whole = score >= level - TIE, background == "whole"
    figures = [_term_figures(score, positive, called, with_term, whole) for with_term in member.T]
    table = pd.DataFrame(figures, columns=["n", "n_positive", "fpr", "fnr", *AREAS])
    table = table.astype({"n": int, "n_positive": int})
    table.insert(0, "term", list(terms))
    fpr, fnr = _rates(called, positive)
    auc = _area(*_sides(score, positive))
    overall = {"fpr": fpr, "fnr": fnr, "pinned_auc": auc}
    apart = [np.abs(table[name] - value).to_numpy() for name, value in overall.items()]
    fped, fned, pinned = (float(np.nansum(distances)) for distances in apart)
    no_fpr, no_fnr, no_pinned = (int(np.isnan(distances).sum()) for distances in apart)
    return TermBias(
        table=table,
        n=len(score),
        n_positive=int(positive.sum()),
        threshold=level,
        threshold_on=where,
        fpr=fpr,
        fnr=fnr,
        auc=auc,
        general_auc=_NAN if general_set is None else _area(*_sides(*general_set)),
        fped=fped,
        fned=fned,
        pinned_auc_equality_difference=pinned,
        undefined=(no_fpr, no_fnr, no_pinned),
    )


def _pair(scores: ArrayLike, labels: ArrayLike, name: str) -> tuple[FloatArray, BoolArray]:
    score, positive = np.asarray(scores, dtype=np.float64), np.asarray(labels).astype(np.bool_)
    if score.ndim != 1 or score.shape != positive.shape or not np.isfinite(score).all():
        raise OptionError(
            f"the {name} set has scores of the shape {score.shape} and labels of the shape {positive.shape}.",
            remedy="Give a finite score and a label for each text.",
        )
    if positive.all() or not positive.any():
        raise OptionError(f"the {name} set has one class only.", remedy="Give texts of both classes.")
    return score, positive


def _threshold(
    threshold: float | str,
    own: tuple[FloatArray, BoolArray],
    general: tuple[FloatArray, BoolArray] | None,
    grid: int | None,
) -> tuple[float, str]:
    if isinstance(threshold, str):
        if threshold != EQUAL_ERROR:
            raise OptionError(f"threshold={threshold!r} is not known.", remedy='Write a number, or "eer".')
        level, _ = equal_error_rate(*(own if general is None else general), grid=grid)
        return level, f"equal error rate on the {'scored texts' if general is None else 'general set'}"
    level = float(threshold)
    if not np.isfinite(level):
        raise OptionError(f"threshold={threshold} is no number.", remedy='Write a number, or "eer".')
    return level, "given"


def _term_figures(
    score: FloatArray, positive: BoolArray, called: BoolArray, with_term: BoolArray, whole: bool
) -> tuple[float, ...]:
    """n, n_positive, fpr, fnr and `AREAS` of one term, which is pinned to the whole set or to the other texts."""
    inside, others = (_sides(score[rows], positive[rows]) for rows in (with_term, ~with_term))
    return (
        float(with_term.sum()),
        float(len(inside[0])),
        *_rates(called[with_term], positive[with_term]),
        _area(inside[0], inside[1]),
        _area(others[0], inside[1]),
        _area(inside[0], others[1]),
        _area(inside[1], others[1]) - 0.5,
        _area(inside[0], others[0]) - 0.5,
        _pinned(inside, _sides(score, positive) if whole else others),
    )


def _sides(score: FloatArray, positive: BoolArray) -> tuple[FloatArray, FloatArray]:
    """The scores of the positive and of the negative class."""
    return score[positive], score[~positive]


def _rates(called: BoolArray, positive: BoolArray) -> tuple[float, float]:
    """False positive and false negative rate; NaN without a text of the side."""
    negatives, positives = int((~positive).sum()), int(positive.sum())
    wrong, missed = int((called & ~positive).sum()), int((~called & positive).sum())
    return wrong / negatives if negatives else _NAN, missed / positives if positives else _NAN


def _area(high: FloatArray, low: FloatArray) -> float:
    """The share of pairs whose first score is higher than the second, ties as half."""
    if not len(high) or not len(low):
        return _NAN
    low = np.sort(low)
    below = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    return float(below.sum() / 2 / len(high) / len(low))


def _pinned(own: Sequence[FloatArray], background: Sequence[FloatArray]) -> float:
    """The area of a set of which the term's texts are half and the background's the other half."""
    sizes = [len(side[0]) + len(side[1]) for side in (own, background)]
    if not len(own[0]) or not len(own[1]) or not sizes[1]:
        return _NAN
    weighted = [
        [(scores[side], len(scores[side]) / size) for scores, size in zip((own, background), sizes, strict=True)]
        for side in (0, 1)
    ]
    areas = [a * b * _area(high, low) for high, a in weighted[0] for low, b in weighted[1] if a and b]
    return float(sum(areas) / sum(weight for _, weight in weighted[0]) / sum(weight for _, weight in weighted[1]))


@checks_keywords
def compare_runs(runs: Mapping[str, Sequence[TermBias]]) -> pd.DataFrame:
    """Tables 4 and 5 of Dixon et al. 2018: means over the runs of each model.

    Args:
        runs: for each model, the first the baseline, its runs with different seeds; run i of all models is compared as
            a pair.

    Returns:
        A row a model and figure: model, figure (general_auc, phrase_auc, fped, fned, pinned_auc_equality_difference),
        runs, mean, sd, sum_over_runs (what Table 5 prints: the sum over 10 runs), difference to the baseline with
        its 95 % interval of Student over pairs of runs (ci_low, ci_high; NaN with fewer than two pairs). The interval
        is about training variance: the phrases and terms are fixed.

    Raises:
        OptionError: no runs, or models with different numbers of runs.

    >>> held = [[True], [True], [False], [False]]
    >>> runs = {
    ...     name: [term_bias([score, 0.6, 0.7, 0.1], [1, 0, 1, 0], held, ["gay"], threshold=score) for score in scores]
    ...     for name, scores in {"baseline": [0.4, 0.5], "balanced": [0.7, 0.8]}.items()
    ... }
    >>> table = compare_runs(runs).set_index(["figure", "model"]).loc["fped"]
    >>> table[["mean", "sum_over_runs", "difference"]].values.tolist()
    [[0.5, 1.0, nan], [0.0, 0.0, -0.5]]
    """
    import pandas as pd
    from scipy import stats

    counts = {name: len(each) for name, each in runs.items()}
    if not counts or len(set(counts.values())) > 1 or not all(counts.values()):
        raise OptionError(f"the models have {counts} runs.", remedy="Give as many runs of each model, one at least.")
    rows = []
    baseline, size = next(iter(counts.items()))
    for figure in ("general_auc", "phrase_auc", *DIFFERENCES):
        field = "auc" if figure == "phrase_auc" else figure
        values = {name: np.array([getattr(run, field) for run in several]) for name, several in runs.items()}
        for name, value in values.items():
            apart = value - values[baseline]
            difference = _NAN if name == baseline else float(apart.mean())
            reach = float(stats.t.ppf(0.975, size - 1) * apart.std(ddof=1) / np.sqrt(size)) if size > 1 else _NAN
            rows.append(
                {
                    "model": name,
                    "figure": figure,
                    "runs": size,
                    "mean": float(value.mean()),
                    "sd": float(value.std(ddof=1)) if size > 1 else _NAN,
                    "sum_over_runs": float(value.sum()),
                    "difference": difference,
                    "ci_low": difference - reach,
                    "ci_high": difference + reach,
                }
            )
    return pd.DataFrame(rows)


@checks_keywords
def scatter_of_runs(runs: Mapping[str, Sequence[TermBias]]) -> pd.DataFrame:
    """The points of Figures 3 to 5 of Dixon et al. 2018.

    Args:
        runs: for each model its runs, see `compare_runs`.

    Returns:
        A row a model, run (from 1) and term: fpr, fnr and pinned_auc, NaN where a term has no text of the side; and
        overall_fpr, overall_fnr and overall_auc of all texts of the run, from which FPED, FNED and the pinned AUC
        equality difference follow (equations 1, 2 and 5).

    >>> run = term_bias([0.9, 0.6, 0.7, 0.1], [1, 0, 1, 0], [[True], [True], [False], [False]], ["gay"], threshold=0.5)
    >>> scatter_of_runs({"baseline": [run]})[["model", "run", "term", "fpr", "fnr"]].values.tolist()
    [['baseline', 1, 'gay', 1.0, 0.0]]
    """
    import pandas as pd

    parts = [
        run.table[["term", "fpr", "fnr", "pinned_auc"]].assign(
            model=name, run=number, overall_fpr=run.fpr, overall_fnr=run.fnr, overall_auc=run.auc
        )
        for name, several in runs.items()
        for number, run in enumerate(several, start=1)
    ]
    first = ["model", "run", "term"]
    table = pd.concat(parts, ignore_index=True)
    return table[[*first, *(name for name in table.columns if name not in first)]]

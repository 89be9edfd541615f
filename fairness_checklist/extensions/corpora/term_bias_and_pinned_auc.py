"""Error rates and pinned AUC of every identity term from the scores of a model, as in Dixon et al. 2018."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice
from fairness_checklist.core.thresholds import EQUAL_ERROR, TIE
from fairness_checklist.extensions.corpora.equal_error_rate import check_scores, equal_error_rate
from fairness_checklist.statistics.variance import student_interval, variance_of_terms

Background = Literal["whole", "without"]
DIFFERENCES = {
    "fped": "False positive equality difference",
    "fned": "False negative equality difference",
    "pinned_auc_equality_difference": "Pinned AUC equality difference",
}
"""The rows of Table 5 of Dixon et al. 2018."""
_COMPARED = ["model", "figure", "runs", "mean", "sd", "sum_over_runs", "difference", "ci_low", "ci_high"]
_NAN = float("nan")


@dataclass(frozen=True, eq=False)
class TermBias:
    """The figures of one model on a labelled set whose texts mention identity terms."""

    table: pd.DataFrame  # a row a term: n, n_positive, fpr, fnr, subgroup_auc, pinned_auc; NaN where a side has no text
    n: int  # texts of the set
    n_positive: int
    threshold: float  # a text is called positive at score >= threshold
    fpr: float  # fpr, fnr, auc: of the whole set, texts without a term as well
    fnr: float
    auc: float
    general_auc: float  # on the general set; NaN without one
    # sums over the terms with a value in the table, equations (1), (2), (5)
    fped: float
    fned: float
    pinned_auc_equality_difference: float


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
        grid: see `equal_error_rate` (the released code: 101).
        background: what a term is pinned to (equation 3): D "without" the texts of the term, as in the results of the
            paper (its appendix), or the "whole" of D, which alone gives the toy of Table 3.

    Pinned AUC is the exact expectation over the samples that Dixon et al. 2018 draw: D_t and D weigh the same.

    Raises:
        OptionError: shapes that do not fit, scores that are not finite, one class only.

    >>> held = [[True], [True], [False], [False]]
    >>> bias = term_bias([0.9, 0.6, 0.7, 0.1], [1, 0, 1, 0], held, ["gay"], threshold=0.5)
    >>> bias.fpr, bias.table.loc[0, ["fpr", "fnr", "subgroup_auc"]].tolist(), bias.fped
    (0.5, [1.0, 0.0, 1.0], 0.5)
    """
    score, positive = check_scores(scores, labels)
    member = np.asarray(held, dtype=np.bool_)
    if member.shape != (len(score), len(terms)):
        raise OptionError(
            f"held= has the shape {member.shape} for {len(score):,} texts and {len(terms):,} terms.",
            remedy="Give one row a text and one column a term: mentioned_terms(texts, terms).",
        )
    whole = choice("background", background, get_args(Background)) == "whole"
    general_set = None if general is None else check_scores(*general)
    if threshold == EQUAL_ERROR:
        level, _ = equal_error_rate(*((score, positive) if general_set is None else general_set), grid=grid)
    elif isinstance(threshold, str) or not np.isfinite(threshold):
        raise OptionError(f"threshold={threshold!r} is no number.", remedy='Write a number, or "eer".')
    else:
        level = float(threshold)
    called = score >= level - TIE
    figures = [_figures_of_term(score, positive, called, with_term, whole=whole) for with_term in member.T]
    table = pd.DataFrame(figures, columns=["n", "n_positive", "fpr", "fnr", "subgroup_auc", "pinned_auc"])
    table.insert(0, "term", list(terms))
    fpr, fnr = _rates(called, positive)
    auc = _area(score, positive, np.ones(len(score)))
    overall = {"fpr": fpr, "fnr": fnr, "pinned_auc": auc}
    fped, fned, apart = (float((table[name] - value).abs().sum()) for name, value in overall.items())
    return TermBias(
        table=table,
        n=len(score),
        n_positive=int(positive.sum()),
        threshold=level,
        fpr=fpr,
        fnr=fnr,
        auc=auc,
        general_auc=_NAN if general_set is None else _area(*general_set, np.ones(len(general_set[0]))),
        fped=fped,
        fned=fned,
        pinned_auc_equality_difference=apart,
    )


def _figures_of_term(
    score: FloatArray, positive: BoolArray, called: BoolArray, with_term: BoolArray, *, whole: bool
) -> tuple[float, ...]:
    """The row of a term, whose texts are pinned to the others, or to the whole set."""
    inside, behind = np.flatnonzero(with_term), np.flatnonzero(~with_term | whole)
    area = _area(score[inside], positive[inside], np.ones(len(inside)))
    both = np.concatenate([inside, behind])
    weight = np.repeat([len(behind), len(inside)], [len(inside), len(behind)]).astype(np.float64)
    pinned = _NAN if np.isnan(area) or not len(behind) else _area(score[both], positive[both], weight)
    return len(inside), int(positive[inside].sum()), *_rates(called[inside], positive[inside]), area, pinned


def _rates(called: BoolArray, positive: BoolArray) -> tuple[float, float]:
    """False positive and false negative rate; NaN without a text of the side."""
    negatives, positives = int((~positive).sum()), int(positive.sum())
    wrong, missed = int((called & ~positive).sum()), int((~called & positive).sum())
    return wrong / negatives if negatives else _NAN, missed / positives if positives else _NAN


def _area(score: FloatArray, positive: BoolArray, weight: FloatArray) -> float:
    """The weighted share of pairs whose positive text has the higher score, ties as half; NaN without a pair."""
    if positive.all() or not positive.any():
        return _NAN
    values, place = np.unique(score, return_inverse=True)
    high, low = (np.bincount(place[side], weight[side], len(values)) for side in (positive, ~positive))
    return float(high @ (np.cumsum(low) - low / 2) / high.sum() / low.sum())


@checks_keywords
def compare_runs(runs: Mapping[str, Sequence[TermBias]]) -> pd.DataFrame:
    """Tables 4 and 5 of Dixon et al. 2018: means over the runs of each model, of which the first is the baseline.

    A row a model and figure; ``sum_over_runs`` is what Table 5 prints, ``ci_low, ci_high`` are Student's of the
    difference to the baseline, where run i of all models is a pair. They are about training variance alone.
    """
    sizes = {name: len(several) for name, several in runs.items()}
    if not sizes or len(set(sizes.values())) > 1 or not all(sizes.values()):
        raise OptionError(f"the models have {sizes} runs.", remedy="Give as many runs of each model, one at least.")
    baseline, size = next(iter(sizes.items()))
    rows: list[tuple[object, ...]] = []
    for figure in ("general_auc", "phrase_auc", *DIFFERENCES):
        field = "auc" if figure == "phrase_auc" else figure
        values = {name: np.array([getattr(run, field) for run in several]) for name, several in runs.items()}
        for name, value in values.items():
            change = value - values[baseline]
            mean = _NAN if name == baseline else float(change.mean())
            spread = float(value.std(ddof=1)) if size > 1 else _NAN
            low, high, _ = student_interval(mean, [variance_of_terms(change)])
            rows.append((name, figure, size, float(value.mean()), spread, float(value.sum()), mean, low, high))
    return pd.DataFrame(rows, columns=_COMPARED)

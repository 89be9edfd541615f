"""Intervals for corpora of independent rows, all alike: ``method(values..., *, level=0.95, ...) -> Interval``.

See docs/statistics.md for what each is for, when it holds and what it does not say.
"""

from __future__ import annotations

from fairness_checklist.statistics.intervals.bernstein import (
    amortised_disparities,
    bernstein_radius,
    bernstein_rows,
    bernstein_unfairness,
    zero_one_variance,
)
from fairness_checklist.statistics.intervals.betting import (
    ConfidenceSequence,
    betting_difference,
    betting_mean,
    betting_sequence,
)
from fairness_checklist.statistics.intervals.bootstrap import (
    bca_difference,
    bca_mean,
    percentile_difference,
    percentile_mean,
    welch_difference,
)
from fairness_checklist.statistics.intervals.concentration import (
    empirical_bernstein_difference,
    empirical_bernstein_mean,
    empirical_bernstein_radius,
    empirical_bernstein_rows,
    hoeffding_difference,
    hoeffding_mean,
    hoeffding_rows,
)
from fairness_checklist.statistics.intervals.interval import Interval
from fairness_checklist.statistics.intervals.proportions import (
    agresti_caffo,
    clopper_pearson,
    clopper_pearson_bounds,
    clopper_pearson_difference,
    newcombe,
    newcombe_bounds,
    proportion,
    wald,
    wilson,
    wilson_bounds,
)
from fairness_checklist.statistics.intervals.ratios import katz, koopman

__all__ = [
    "ConfidenceSequence",
    "Interval",
    "agresti_caffo",
    "amortised_disparities",
    "bca_difference",
    "bca_mean",
    "bernstein_radius",
    "bernstein_rows",
    "bernstein_unfairness",
    "betting_difference",
    "betting_mean",
    "betting_sequence",
    "clopper_pearson",
    "clopper_pearson_bounds",
    "clopper_pearson_difference",
    "empirical_bernstein_difference",
    "empirical_bernstein_mean",
    "empirical_bernstein_radius",
    "empirical_bernstein_rows",
    "hoeffding_difference",
    "hoeffding_mean",
    "hoeffding_rows",
    "katz",
    "koopman",
    "newcombe",
    "newcombe_bounds",
    "percentile_difference",
    "percentile_mean",
    "proportion",
    "wald",
    "welch_difference",
    "wilson",
    "wilson_bounds",
    "zero_one_variance",
]

"""Counts by any code: the kinds of rows give what the sums over all rows give."""

from dataclasses import fields

import numpy as np
from build_outcomes import GROUPS, Row, outcomes_of
from sweep import sweep

from fairness_checklist.core.outcomes import Counts, take_rows

TEN = tuple(f"class {c}" for c in range(10))


@sweep("weights", [True, False])
def test_sums_are_those_of_the_rows(weights: bool) -> None:
    """Of ten classes: more pairs of gold and decided class than are listed, some rows without a label."""
    random = np.random.default_rng(3)
    rows = [
        Row(
            GROUPS[at % 3],
            tuple(random.dirichlet(np.ones(10))),
            "" if at % 7 == 0 else TEN[random.integers(10)],
            source=f"s{at % 9}",
            weight=float(random.uniform(0.1, 3)) if weights else 1.0,
        )
        for at in range(300)
    ]
    outcomes = outcomes_of(rows, GROUPS, TEN)
    parts = [take_rows(outcomes, np.flatnonzero(rows)) for rows in (outcomes.labelled, ~outcomes.labelled)]
    for some in (outcomes, *parts):
        for code, size in (
            (some.group, len(GROUPS) + 1),
            (np.where(some.group == 1, -1, some.group), len(GROUPS) + 1),
            (some.source, 9),
        ):
            found = some.counts(code, size)
            for name in (one.name for one in fields(Counts)):
                of_row = getattr(some.row_counts, name)
                expected = np.stack([of_row[code == at].sum(axis=0) for at in range(size)])
                if weights:
                    np.testing.assert_allclose(getattr(found, name), expected, rtol=1e-13, atol=1e-13, err_msg=name)
                else:
                    np.testing.assert_array_equal(getattr(found, name), expected, err_msg=name)

"""The figure to track: the largest harm gap of an attribute, with its interval and what chance alone gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.findings.family import SCOPES, GroupFamily, quantile, shrunk
from fairness_checklist.findings.placebo_null import PlaceboNull
from fairness_checklist.statistics.multiplicity import ALPHA

DEFINITION = (
    "The largest gap in a harm between one group and all others, over the groups and harms of the attribute, in "
    "percentage points, shrunk because the largest of several estimates is too large on average. The group need not be "
    "that of the strongest finding. The interval is that of the largest gap before it is shrunk. "
    "The noise floor is what it exceeds in at most about 5 of 100 runs where groups differ by chance alone, or what "
    "random groups of placebo words exceed as often, whichever is larger."
)


def largest_gap(family: GroupFamily, null: PlaceboNull | None = None) -> dict[str, Any]:
    """The largest shrunk gap of a family, with its interval and its noise floor.

    Returns ``value``, the largest shrunk gap, 0 at least; ``group`` and ``harm``, where it is; ``ci_low`` and
    ``ci_high``, the largest lower and upper ends of the simultaneous intervals, which hold the largest true gap in at
    least about 95 of 100 runs (0 at least, None without an interval); ``noise_floor``, what the value exceeds in at
    most about 5 of 100 runs where no group differs from the others, or what groups of placebo words exceed as often in
    that harm, whichever is larger. Empty where nothing can be compared. `docs/findings.md` has the simulation.
    """
    there = ~np.isnan(family.t) & ~np.isnan(family.gap)
    if not there.any():
        return {}
    estimates = np.where(there, shrunk(family.gap, family.error), -np.inf)
    h, g = np.unravel_index(int(estimates.argmax()), estimates.shape)
    harm, scope = family.fits[h].harm.name, SCOPES[family.scope[g]]
    by_chance = quantile(family.largest_null, 1 - ALPHA) if len(family.largest_null) else 0.0
    neutral = 0.0
    if null is not None and scope != "rows":
        neutral = float(np.nan_to_num(null.smallest_clear(scope, harm, float(family.error[h, g]))))
    return {
        "value": max(0.0, float(estimates[h, g])),
        "group": family.who.groups[g],
        "harm": harm,
        "ci_low": _largest(family.low[there]),
        "ci_high": _largest(family.high[there]),
        "noise_floor": max(0.0, by_chance, neutral),
    }


def _largest(ends: FloatArray) -> float | None:
    known = ends[~np.isnan(ends)]
    return max(0.0, float(known.max())) if len(known) else None

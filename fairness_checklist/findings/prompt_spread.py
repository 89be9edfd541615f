"""How far gaps depend on the prompt: the gap with each prompt alone, and without each of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.findings.family import GroupFamily
from fairness_checklist.statistics.two_way import group_contrasts


def prompt_spread(family: GroupFamily) -> list[dict[str, Any]]:
    """The gaps of each group and harm by prompt, for ``run.json``; empty where one prompt was asked.

    Where the orders of the options are a sample, they are a factor of their own and follow the prompts.

    Returns a record a harm, random factor and group: the gap at each level; their standard deviation ``sd``; the
    standard error ``error`` of their mean by the jackknife, which for a mean is ``sd`` over the root of the number of
    levels; and the smallest and the largest gap where one level is left out, ``low_without`` and ``high_without``.
    Groups without an answer have none.
    """
    own = family.who.lexeme_group
    found = []
    for fit in family.fits:
        for factor, way in enumerate(fit.lexemes.levels, start=1):
            known = ~np.isnan(fit.lexemes.effect)
            contrast = group_contrasts(own[known], len(family.who.groups))
            for at, group in enumerate(family.who.groups):
                if (own[known] == at).any():
                    gaps = np.asarray(way)[:, known] @ contrast[at]
                    found.append({"harm": fit.harm.name, "factor": factor, "group": group, **_spread(gaps)})
    return found


def _spread(gaps: FloatArray) -> dict[str, Any]:
    """The record of the gaps (R,) at the levels of a factor."""
    size = len(gaps)
    without = (gaps.sum() - gaps) / (size - 1)
    error = np.sqrt((size - 1) / size * ((without - without.mean()) ** 2).sum())
    return {
        "gaps": [round(float(one), 6) for one in gaps],
        "sd": round(float(gaps.std(ddof=1)), 6),
        "error": round(float(error), 6),
        "low_without": round(float(without.min()), 6),
        "high_without": round(float(without.max()), 6),
    }

"""The change of each gap from one model to another: the differences of paired cells go through the rule of findings.

The family is of both directions: the change from the old model to the new one, and from the new one to the old one.
All comparisons of both share one level, so that *worse* or *better* is said of equal models in at most 5 of 100 runs.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import BoolArray, FloatArray
from fairness_checklist.core.examples import UNMARKED
from fairness_checklist.core.option_defaults import MARGIN
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.tasks import Harm
from fairness_checklist.findings.compared import Compared, compared
from fairness_checklist.findings.errors import HarmRows, LeftOut, Levels, harm_rows, same_figures
from fairness_checklist.findings.family import Family, HarmFit, decided_family, figures_of, fit_harm
from fairness_checklist.findings.records import OTHERS, Reason, carried, open_reason
from fairness_checklist.findings.rule import Decided, Status

WORSE, BETTER, EQUAL, OPEN = "worse", "better", "equal within the margin", "open"
VERDICTS = (WORSE, BETTER, OPEN, EQUAL)  # in the order in which changes are shown
SMALL_GAP = "small gap"  # the reason of an open change that is shown, to (from) a gap that is at most the margin
COLUMNS = (
    *("attribute", "group", "reference", "error", "title", "verdict", "reason_code", "unit", "base_gap", "new_gap"),
    *("change", "low", "high", "low_alone", "high_alone", "texts", "sentences", "lexemes", "carried_by"),
)


def gap_changes(
    base: Outcomes,
    new: Outcomes,
    harms: Sequence[Harm],
    *,
    margin: float = MARGIN,
    reference: str | None = None,
    decisions: bool = False,
) -> pd.DataFrame:
    """How the gap of each group and error changes from one model to another on the same texts (n rows).

    ``change`` is ``new_gap - base_gap``, of mean probabilities, or of decisions where one of the models gives no
    probabilities; ``low`` and ``high`` bound all changes together. Verdicts, the first that holds:

    - equal within the margin: ``low_alone`` and ``high_alone`` lie inside plus and minus the margin.
    - worse: ``low`` is above 0, the lower bound alone as well without the lexeme that carries most, and the new gap
      is above the margin.
    - better: the same with the models swapped, so that the old gap is above the margin.
    - open: everything else, with the code of the reason.
    """
    who = compared(new, unmarked=reference == UNMARKED)
    pairs = _paired_rows(base, new, harms, unmarked=reference == UNMARKED, decisions=decisions)
    ways = (*(_change(new, who, *pair) for pair in pairs), *(_change(new, who, *pair[::-1]) for pair in pairs))
    both = decided_family(who, ways, {}, reference=reference, margin=margin, changes=True)
    fits_now = tuple(fit_harm(new, who, rows) for _, rows in pairs)
    now = decided_family(who, fits_now, {}, reference=reference, margin=margin)
    new_gaps = np.where(now.comparable, now.counted[:, 0, 0] - now.counted[:, 0, 1], np.nan)
    rows = [
        {
            "attribute": new.attribute,
            "reference": reference or OTHERS,
            **_row(both, h, g, float(new_gaps[h, g]), margin),
        }
        for h in range(len(pairs))
        for g, group in enumerate(who.groups)
        if g != both.words.reference and group != UNMARKED
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = table["verdict"].map(VERDICTS.index).astype("int64")
    return table.iloc[np.lexsort((-table["change"].astype("float64").abs(), order))].reset_index(drop=True)


def _paired_rows(
    base: Outcomes, new: Outcomes, harms: Sequence[Harm], *, unmarked: bool, decisions: bool
) -> list[tuple[HarmRows, HarmRows]]:
    """For each error the rows that it concerns in both runs; errors that are the same figures are named once."""
    pairs: list[tuple[HarmRows, HarmRows]] = []
    for harm in harms:
        old, rows = (harm_rows(side, harm, unmarked=unmarked, decisions=decisions) for side in (base, new))
        if isinstance(old, LeftOut) or isinstance(rows, LeftOut):
            continue
        shared = np.intersect1d(old.row, rows.row)
        if not len(shared):
            continue
        alike = (old.probability is None) == (rows.probability is None)
        old, rows = (_of_rows(side, np.isin(side.row, shared), probabilities=alike) for side in (old, rows))
        if not any(same_figures(rows, other) and same_figures(old, first) for first, other in pairs):
            pairs.append((old, rows))
    return pairs


def _of_rows(rows: HarmRows, chosen: BoolArray, *, probabilities: bool) -> HarmRows:
    """Some of the rows; without ``probabilities`` decisions alone."""
    levels = tuple(tuple(level[chosen] for level in way) for way in rows.levels) if probabilities else ()
    probability = rows.probability[chosen] if probabilities and rows.probability is not None else None
    return replace(rows, row=rows.row[chosen], harmed=rows.harmed[chosen], probability=probability, levels=levels)


def _change(outcomes: Outcomes, who: Compared, old: HarmRows, new: HarmRows) -> HarmFit:
    """The fit of the change on the same rows: what both models have in common takes no part in it or its error."""
    both = zip(figures_of(old), figures_of(new), strict=True)
    figures: list[tuple[FloatArray, Levels]] = [
        (after - before, _level_changes(first, second)) for (before, first), (after, second) in both
    ]
    probability = None if new.probability is None or old.probability is None else new.probability - old.probability
    rows = replace(new, harmed=new.harmed - old.harmed, probability=probability, levels=figures[0][1])
    return fit_harm(outcomes, who, rows, figures)


def _level_changes(old: Levels, new: Levels) -> Levels:
    """The changes at each level of the factors that both models have."""
    alike = [(before, after) for before, after in zip(old, new, strict=False) if len(before) == len(after)]
    return tuple(tuple(b - a for a, b in zip(before, after, strict=True)) for before, after in alike)


def verdict(ways: tuple[Decided, Decided], g: int, change: float, new_gap: float, margin: float) -> tuple[str, str]:
    """The verdict about a group, and `SMALL_GAP` where that is the reason; ``ways``: the change, and that swapped."""
    there, back = ways
    if there.low_alone[g] > -margin and there.high_alone[g] < margin:
        return EQUAL, ""
    shrank = change < 0
    if (back if shrank else there).status[g] is not Status.WORSE:
        return OPEN, ""
    if (new_gap - change if shrank else new_gap) > margin:
        return (BETTER if shrank else WORSE), ""
    return OPEN, SMALL_GAP


def _row(both: Family, h: int, g: int, new_gap: float, margin: float) -> dict[str, Any]:
    """A group and error; ``both`` has the changes, and after them those with the models swapped."""
    who, fit, swapped = both.who, both.fits[h], h + len(both.fits) // 2
    decided = both.decided[h]
    change = float(both.counted[h, 0, 0, g] - both.counted[h, 0, 1, g]) if both.comparable[h, g] else np.nan
    used = (who.term_group == g) & (fit.counts.texts > 0)
    lexemes, at = len(np.unique(who.lexeme[used])), swapped if change < 0 else h
    said, reason = verdict((decided, both.decided[swapped]), g, change, new_gap, margin)
    if said == OPEN and not reason:
        reason = str(open_reason(both, at, g, lexemes))
    return {
        "group": who.groups[g],
        "error": fit.harm.name,
        "title": fit.harm.title,
        "verdict": said,
        "reason_code": reason,
        "unit": "decisions" if fit.rows.probability is None else "probability",
        "base_gap": new_gap - change,
        "new_gap": new_gap,
        "change": change,
        **{name: float(getattr(decided, name)[g]) for name in ("low", "high", "low_alone", "high_alone")},
        "texts": int(fit.counts.texts[used].sum()),
        "sentences": int(both.sources[h, g]),
        "lexemes": lexemes if who.named[g] else 0,
        "carried_by": carried(both, at, g)["carried_by"] if said in (WORSE, BETTER) or reason == Reason.CARRIED else "",
    }

"""The gaps of a model before and after identity words are removed from the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import InputError
from fairness_checklist.core.formatting import decimal
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.progress import followed
from fairness_checklist.extensions.lenses.measured import CELL_METRICS, cell_metrics
from fairness_checklist.extensions.lenses.metrics.decision_cells import decision_cells, two_groups
from fairness_checklist.extensions.lenses.unit_draws import corrected_interval
from fairness_checklist.findings.finding import Finding

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SHOWN", "ScrubGaps", "scrub_gaps"]

SHOWN = ("accuracy gap", "tpr gaps, sum of absolute values", "separation, sum")
"""The gaps that are compared: with gold labels. Without them the answers that change are all there is."""


@dataclass(frozen=True, eq=False)
class ScrubGaps:
    """Gaps of a model on the texts as they are and without identity words.

    Attributes:
        table: a row a gap: ``metric, before, after, difference`` (after less before, of absolute values), ``ci_low,
            ci_high`` (95 %, over texts).
        changed: the share of texts whose answer changes.
        n: texts.
        left, right: the groups; gaps are left less right.
        findings: what may be claimed.
    """

    table: pd.DataFrame
    changed: float
    n: int
    left: str
    right: str
    findings: tuple[Finding, ...]


@checks_keywords
def scrub_gaps(
    label: Sequence[str],
    group: Sequence[str],
    before: Sequence[str],
    after: Sequence[str],
    *,
    left: str = "",
    right: str = "",
    draws: int = 400,
    seed: int = 0,
) -> ScrubGaps:
    """Compare the gaps of a model's answers before and after `scrub`.

    Args:
        label, group: (n,) gold classes and groups.
        before, after: (n,) answers on the texts as they are and as scrubbed.
        left, right: two groups; by default the two that there are.
        draws, seed: of the bootstrap over texts; a text keeps both of its answers.

    Returns:
        The gaps side by side. A gap that remains is no proof of another cause: other traces of the group remain.

    Raises:
        InputError: columns of different lengths.

    >>> found = scrub_gaps(["a"] * 4, ["F", "M"] * 2, ["b", "a", "b", "a"], ["a"] * 4, draws=20)
    >>> found.table.loc[0, ["before", "after"]].tolist(), found.changed
    ([-1.0, 0.0], 0.5)
    """
    import pandas as pd

    columns = {"label": label, "group": group, "before": before, "after": after}
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"columns of different lengths: {sizes}.", remedy="Give one value a text.")
    every = list(dict.fromkeys(group))
    one, other = two_groups(every, left, right)
    pair = every[one], every[other]
    kept = [row for row, name in enumerate(group) if name in pair]
    y, g, first, second = ([column[row] for row in kept] for column in columns.values())
    classes = sorted({*y, *first, *second})
    metrics = cell_metrics(pair, dict.fromkeys(classes, 0.5))
    chosen = [list(CELL_METRICS).index(name) for name in SHOWN]

    def values(rows: Sequence[int]) -> FloatArray:
        columns = [[column[row] for row in rows] for column in (y, g, first, second)]
        found = []
        for answers in columns[2:]:
            cells = decision_cells(columns[0], answers, columns[1], classes=classes, groups=pair)
            found.append(metrics(cells)[chosen])
        return np.array(found)

    whole = values(range(len(kept)))
    rng = np.random.default_rng(seed)
    bootstrap = followed(range(draws), "intervals", "draws")
    drawn = np.array([_less(values(rng.integers(len(kept), size=len(kept)).tolist())) for _ in bootstrap])
    differences = _less(whole)
    ends = [corrected_interval(float(value), drawn[:, at]) for at, value in enumerate(differences)]
    table = pd.DataFrame(
        {
            "metric": SHOWN,
            "before": whole[0],
            "after": whole[1],
            "difference": differences,
            "ci_low": [low for low, _high in ends],
            "ci_high": [high for _low, high in ends],
        }
    )
    changed = float(np.mean([x != z for x, z in zip(first, second, strict=True)]))
    return ScrubGaps(table, changed, len(kept), *pair, _findings(table, changed, len(kept), pair))


def _less(values: FloatArray) -> FloatArray:
    """How much larger the gaps became, whatever their direction."""
    larger: FloatArray = np.abs(values[1]) - np.abs(values[0])
    return larger


def _findings(table: pd.DataFrame, changed: float, n: int, pair: tuple[str, str]) -> tuple[Finding, ...]:
    records = []
    for row in table.to_dict("records"):
        low, high = float(row["ci_low"]), float(row["ci_high"])
        status = "too few to say" if not np.isfinite(low) else "clear" if low > 0 or high < 0 else "none found"
        records.append(
            Finding(
                "gap before and after identity words are removed",
                str(row["metric"]),
                status,
                f"{row['metric']} ({pair[0]} less {pair[1]}): {decimal(row['before'])} before, {decimal(row['after'])} "
                f"after; change of size {decimal(row['difference'], signed=True)} ({_ends(low, high)}).",
                "absolute gap after less before",
                float(row["difference"]),
                low,
                high,
                n=n,
                scope="texts like these",
                note="95 % interval over texts, not adjusted over the gaps",
            )
        )
    share = f"The answer changes for {100 * changed:.1f} % of {n:,} texts."
    records.append(Finding("answers changed by removing identity words", "all texts", "", share, value=changed, n=n))
    return tuple(records)


def _ends(low: float, high: float) -> str:
    """The interval, and whether it leaves 0 out."""
    if not np.isfinite(low):
        return "no interval"
    ends = f"95 % interval {decimal(low, signed=True)} to {decimal(high, signed=True)}"
    return f"{ends}; {'clear' if low > 0 or high < 0 else 'not clear'}"

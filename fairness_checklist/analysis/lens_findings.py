"""What the extrinsic metrics of a table say, as records: recall by label, each metric, balanced test sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.formatting import capitalise, decimal, format_p_value, join_names, points
from fairness_checklist.findings.finding import Finding
from fairness_checklist.findings.status import SUSPECTED

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RECALL", "composition_findings", "metric_findings", "recall_findings"]

RECALL = "recall by label"
_METRIC = "effect of the group on a metric"
_LEVEL = 0.05
_FEW = 20  # rows or sources of a metric
_SCOPE = "texts like these"


def recall_findings(labels: pd.DataFrame, left: str, unit: str) -> list[Finding]:
    """First all labels together, then each label, the strongest first.

    Args:
        labels: from `lens_metrics.label_table`, with ``tpr_p``.
        left: the group whose recall is the first.
        unit: what the counts are, rows or sources.
    """
    tested = labels.dropna(subset=["tpr_p"])
    tested = tested.iloc[np.lexsort((-tested["tpr gap"].abs(), tested["tpr_p"]))]
    if not len(tested):
        return []
    found = int((tested["tpr_p"] < _LEVEL).sum())
    first = tested.iloc[0]
    p = float(first["tpr_p"])
    of = f"{len(tested)} labels" if len(tested) == len(labels) else f"{len(tested)} labels with rows of both groups"
    rows_of = [str(name) for name in labels.columns if str(name).startswith("n ")]
    most = int(tested[rows_of].min(axis=1).max())
    if p > SUSPECTED and most < _FEW:
        status = "too few to say"
        statement = (
            f"Too few rows to compare recall by label: of {of} none has {_FEW} rows of each group, and the largest "
            f"has {most}."
        )
    else:
        status = _status(p)
        statement = (
            f"Recall differs in {found} of {of} beyond chance. Strongest: {_recall_words(first, left)} "
            f"(adjusted p {format_p_value(p)})."
        )
    records = [Finding(RECALL, "all labels", status, statement, p_adjusted=p, n=len(tested), scope=_SCOPE)]
    for row in tested.to_dict("records"):
        rows = [int(row[name]) for name in rows_of]
        p = float(row["tpr_p"])
        status = _status(p, few=min(rows) < _FEW)
        records.append(
            Finding(
                RECALL,
                str(row["label"]),
                status,
                f"{capitalise(_recall_words(row, left))} ({_ends(row['tpr low'], row['tpr high'])}; adjusted p "
                f"{format_p_value(p)}).",
                "recall gap",
                float(row["tpr gap"]),
                float(row["tpr low"]),
                float(row["tpr high"]),
                p_adjusted=p,
                n=sum(rows),
                scope=_SCOPE,
                note=f"95 % interval over {unit} (Newcombe)",
            )
        )
    return records


def metric_findings(metrics: pd.DataFrame, left: str, right: str) -> list[Finding]:
    """A record a metric: the tested ones by p-value, then those that only describe.

    Args:
        metrics: from `lens_metrics`, with ``p_adjusted``.
        left, right: the groups.
    """
    records = []
    for row in metrics.to_dict("records"):
        p, adjusted = float(row["p_value"]), float(row["p_adjusted"])
        if not np.isfinite(float(row["value"])):
            status = "too few to say"
        elif not np.isfinite(p):
            status = ""
        else:
            status = _status(adjusted, few=row["n"] < _FEW)
        records.append(
            Finding(
                _METRIC,
                str(row["metric"]),
                status,
                _metric_words(row, left, right),
                str(row["family"]),
                float(row["value"]),
                float(row["ci_low"]),
                float(row["ci_high"]),
                p,
                adjusted,
                int(row["n"]),
                _SCOPE,
                f"unit: {row['unit']}" if row["unit"] else "",
            )
        )
    ordered = sorted(records, key=lambda one: (one.status == "", one.p_value if one.p_value == one.p_value else 2))
    return [*_all_metrics(ordered, metrics), *ordered]


def _all_metrics(ordered: list[Finding], metrics: pd.DataFrame) -> list[Finding]:
    """How many of the tested metrics differ from their level without an effect, with the strongest."""
    tested = [one for one in ordered if np.isfinite(one.p_adjusted)]
    if not tested:
        return []
    first = tested[0]
    level = float(metrics.loc[metrics["metric"] == first.subject, "chance"].iloc[0])
    found = sum(one.p_adjusted < _LEVEL for one in tested)
    statement = (
        f"{found} of {len(tested)} metrics {'differs' if found == 1 else 'differ'} from the level without an effect of "
        f"the group. Strongest: {first.subject}, {decimal(first.value)}, with {decimal(level)} expected (adjusted p "
        f"{format_p_value(first.p_adjusted)})."
    )
    figures = {"p_value": first.p_value, "p_adjusted": first.p_adjusted, "n": len(tested), "scope": _SCOPE}
    return [Finding(_METRIC, "all metrics", "clear" if found else "none found", statement, **figures)]  # type: ignore[arg-type]


def composition_findings(metrics: pd.DataFrame, how: str, changed: list[str], draws: int) -> list[Finding]:
    """Whether balancing changes the metrics: all together, then each, by p-value.

    Args:
        metrics: with the columns of a way of balancing.
        how: ``subsample`` or ``oversample``.
        changed: the metrics that change, from `LensReport.changed`.
        draws: of the balancing.
    """
    tested = metrics.dropna(subset=[f"{how}_p"])
    if not len(tested):
        return []
    question = f"balancing by {'subsampling' if how == 'subsample' else 'oversampling'}"
    names = list(dict.fromkeys(name.split(",")[0] for name in changed))
    listed = f": {join_names(names[:2])}{' and others' if len(names) > 2 else ''}" if names else ""
    statement = f"{question.capitalize()} changes {len(changed)} of {len(tested)} metrics{listed}."
    status = "clear" if changed else "none found"
    if not changed and len(tested) / (draws + 1) >= _LEVEL:  # Holm's smallest adjusted p-value
        status = "too few to say"
        statement = f"{question.capitalize()}: {draws} draws are too few to name one of {len(tested)} metrics."
    records = [Finding(question, "all metrics", status, statement, n=len(tested), scope="this test set")]
    for row in tested.sort_values(f"{how}_p").to_dict("records"):
        name = str(row["metric"])
        status = _status(float(row[f"{how}_p_adjusted"]))
        records.append(
            Finding(
                question,
                name,
                status,
                f"{name}: {decimal(row[how])} after {question}, {decimal(row[f'{how}_same_size'])} in as many rows of "
                f"the old composition.",
                name,
                float(row[how]),
                float(row[f"{how}_low"]),
                float(row[f"{how}_high"]),
                float(row[f"{how}_p"]),
                float(row[f"{how}_p_adjusted"]),
                int(row["n"]),
                "this test set",
                f"{draws} draws; the ends are the spread of the draws",
            )
        )
    return records


def _status(p: float, *, few: bool = False) -> str:
    """The rule of `findings.status.exact_status` for an adjusted p; ``few``: too few rows to find nothing."""
    if p < _LEVEL:
        return "clear"
    return "suspected" if p <= SUSPECTED else "too few to say" if few else "none found"


def _recall_words(row: Any, left: str) -> str:
    gap = float(row["tpr gap"])
    return f"{row['label']}, recognised {points(abs(gap))} {'more' if gap > 0 else 'less'} often for {left}"


def _metric_words(row: Mapping[Any, Any], left: str, right: str) -> str:
    ends = _ends(row["ci_low"], row["ci_high"])
    gap = (
        f" ({left} less {right})" if row["family"] in ("gap_group", "prediction_gap") and "gap" in row["metric"] else ""
    )
    text = f"{row['metric']}{gap}: {decimal(row['value'])} ({ends})"
    if np.isfinite(row["chance"]):
        p = f" (adjusted p {format_p_value(row['p_adjusted'])})" if np.isfinite(row["p_adjusted"]) else ""
        text += f"; {decimal(row['chance'])} without an effect of the group{p}"
    return f"{text}."


def _ends(low: Any, high: Any) -> str:
    if not np.isfinite(low) or not np.isfinite(high):
        return "no interval"
    return f"95 % interval {decimal(low)} to {decimal(high)}"

"""What the extrinsic metrics of a table say: as records, in words, and as a page. It computes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.formatting import capitalise, decimal, format_p_value, hundredths, join_names, points
from fairness_checklist.findings.finding import Finding, figures_of
from fairness_checklist.findings.status import status_of_test
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid
from fairness_checklist.statistics.multiplicity import significant

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.lenses.lenses import LensReport


RECALL = "recall by label"
_METRIC = "effect of the group on a metric"
_FEW = 20  # rows or sources of a metric
_SCOPE = "texts like these"
WAYS = {"subsample": "by subsampling", "oversample": "by oversampling"}


def recall_findings(labels: pd.DataFrame, left: str, unit: str) -> list[Finding]:
    """First all labels together, then each label, the strongest first; ``unit`` is what the counts are."""
    tested = labels.dropna(subset=["tpr_p"])
    tested = tested.iloc[np.lexsort((-tested["tpr gap"].abs(), tested["tpr_p"]))]
    if not len(tested):
        return []
    rows, statuses = _rows(labels).min(axis=1), _recall_statuses(labels)
    both, most, enough = int((rows > 0).sum()), int(rows.max()), rows.index[rows >= _FEW]
    known = int((_rows(labels).sum(axis=1) > 0).sum())
    beyond = list(statuses.values()).count("clear")
    first = (tested if beyond or not set(tested.index) & set(enough) else tested.loc[tested.index.isin(enough)]).iloc[0]
    p, status = float(first["tpr_p"]), statuses[first.name]
    of = f"{both} labels" if both == known else f"the {both} labels with rows of both groups"
    if status == "too few to say" and len(enough):
        statement = f"Too few rows to compare recall: no label with errors has {_FEW} rows of each group."
    elif status == "too few to say":
        statement = (
            f"Too few rows to compare recall: none of {of} has {_FEW} rows of each group; the most is {most} of each."
        )
    else:
        if not beyond and len(enough) < both:
            of = f"the {len(enough)} labels with {_FEW} rows of each group"
        statement = (
            f"Recall differs in {beyond} of {of} beyond chance. Strongest: {_recall_words(first, left)} "
            f"(adjusted p {format_p_value(p)})."
        )
    records = [Finding(RECALL, "all labels", status, statement, p_adjusted=p, n=both, scope=_SCOPE)]
    for at, row in zip(tested.index, tested.to_dict("records"), strict=True):
        p, n = float(row["tpr_p"]), int(_rows(labels).loc[at].sum())
        gap, low, high = (float(row[f"tpr {part}"]) for part in ("gap", "low", "high"))
        records.append(
            Finding(
                RECALL,
                str(row["label"]),
                statuses[at],
                f"{capitalise(_recall_words(row, left))} ({_ends_in_points(gap, low, high)}; adjusted p "
                f"{format_p_value(p)}).",
                "recall gap",
                **figures_of({"value": gap, "ci_low": low, "ci_high": high, "p_adjusted": p, "n": n}),
                scope=_SCOPE,
                note=f"95 % interval over {unit} (Newcombe)",
            )
        )
    return records


def _rows(labels: pd.DataFrame) -> pd.DataFrame:
    """The number of rows of each group, for each label."""
    return labels[[name for name in labels.columns if str(name).startswith("n ")]]


def _recall_statuses(labels: pd.DataFrame) -> dict[Any, str]:
    """The status of each label's gap in recall; with few rows of a group a gap that is not clear says nothing."""
    rows = zip(labels.index, labels["tpr_p"], _rows(labels).min(axis=1), strict=True)
    return {at: status_of_test(float(p), enough=n >= _FEW or bool(significant(p))) for at, p, n in rows}


def primary_findings(metrics: pd.DataFrame, left: str, right: str) -> list[Finding]:
    """What the data set was made to measure, first; of sets with a stereotype side that comparison in any case."""
    chosen = metrics[metrics["primary"] | (metrics["family"] == "gap_stereotype")]
    chosen = chosen[np.isfinite(chosen["value"])].sort_values("primary", ascending=False, kind="stable")
    records = []
    for row in chosen.to_dict("records"):
        p = float(row["p_adjusted"])
        if row["family"] == "gap_stereotype":
            statement = _stereotype_words(row, metrics)
        else:
            statement = f"Primary metric, tested alone: {_metric_words(row, left, right)}"
        question = "the primary metric" if row["primary"] else "effect of the stereotype"
        status = status_of_test(p, decisive=row["n"] >= _FEW) if np.isfinite(p) else ""
        records.append(_finding(question, row, status, statement))
    return records


def _finding(question: str, row: Mapping[Any, Any], status: str, statement: str) -> Finding:
    note = f"unit: {row['unit']}" if row["unit"] else ""
    return Finding(
        question, str(row["metric"]), status, statement, row["family"], **figures_of(row), scope=_SCOPE, note=note
    )


def _stereotype_words(row: Mapping[Any, Any], metrics: pd.DataFrame) -> str:
    gap, low, high = (float(row[name]) for name in ("value", "ci_low", "ci_high"))
    size = f"{points(gap)} {'more' if gap >= 0 else 'less'} often than" if round(100 * gap, 1) else "as often as"
    ends = f"{_ends_in_points(gap, low, high)}; " if np.isfinite(low) else ""
    alone = "the primary metric, tested alone" if row["primary"] else "adjusted over the metrics"
    p = f"p {format_p_value(row['p_adjusted'])}, {alone}" if np.isfinite(row["p_adjusted"]) else "not tested"
    text = f"Pro-stereotypical sentences are answered right {size} anti-stereotypical ones ({ends}{p})"
    pairs = metrics[metrics["family"] == "answers_changed"].to_dict("records")
    if not pairs or not np.isfinite(pairs[0]["value"]):
        return f"{text}."
    share, n = float(pairs[0]["value"]), int(pairs[0]["n"])
    whole = abs(share * n - round(share * n)) < 1e-6
    changed = f"{round(share * n):,} of {n:,}" if whole else f"{100 * share:.0f} % of {n:,}"
    return f"{text}; {changed} pairs change their answer."


def rows_finding(left_out: Mapping[str, int], n: int) -> list[Finding]:
    """How many of n rows are not measured, by reason; nothing where all are."""
    if not left_out:
        return []
    reasons = ", ".join(f"{reason} {rows:,}" for reason, rows in left_out.items())
    return [Finding("rows left out", "all rows", "", f"{n:,} rows are measured; rows left out: {reasons}.", n=n)]


def metric_findings(metrics: pd.DataFrame, left: str, right: str) -> list[Finding]:
    """A record a metric: the tested ones by p-value, then those that only describe."""
    records = []
    for row in metrics.to_dict("records"):
        p, adjusted = float(row["p_value"]), float(row["p_adjusted"])
        if not np.isfinite(float(row["value"])):
            status = "too few to say"
        elif not np.isfinite(p):
            status = ""
        else:
            status = status_of_test(adjusted, decisive=row["n"] >= _FEW)
        records.append(_finding(_METRIC, row, status, _metric_words(row, left, right)))
    ordered = sorted(records, key=lambda f: (f.status == "", f.p_value if f.p_value == f.p_value else 2))
    return [*_all_metrics(ordered, metrics), *ordered]


def _all_metrics(ordered: list[Finding], metrics: pd.DataFrame) -> list[Finding]:
    """How many of the tested metrics differ from their level without an effect, with the strongest."""
    primary = set(metrics.loc[metrics["primary"], "metric"])
    tested = [finding for finding in ordered if np.isfinite(finding.p_adjusted) and finding.subject not in primary]
    if not tested:
        return []
    first = tested[0]
    level = float(metrics.loc[metrics["metric"] == first.subject, "chance"].iloc[0])
    beyond = int(significant([finding.p_adjusted for finding in tested]).sum())
    status = "clear" if beyond else first.status if first.status in ("suspected", "too few to say") else "none found"
    other = "other " if primary else ""
    if status in ("clear", "suspected"):
        statement = (
            f"{beyond} of {len(tested)} {other}metrics {'differs' if beyond == 1 else 'differ'} from the level "
            f"without an effect of the group. Strongest: {first.subject}, {decimal(first.value)}, with "
            f"{decimal(level)} expected (adjusted p {format_p_value(first.p_adjusted)})."
        )
    else:
        statement = (
            f"None of {len(tested)} {other}metrics differs from the level without an effect of the group (smallest "
            f"adjusted p {format_p_value(first.p_adjusted)}, of {first.subject})."
        )
    p, adjusted, n = first.p_value, first.p_adjusted, len(tested)
    return [Finding(_METRIC, "all metrics", status, statement, p_value=p, p_adjusted=adjusted, n=n, scope=_SCOPE)]


def balance_finding(metrics: pd.DataFrame, ways: Mapping[str, list[str]], draws: int) -> list[Finding]:
    """The ways of balancing, with the metrics each changes, in one sentence: what all and what one changes."""
    if not ways:
        return []
    n = int(max(metrics[f"{how}_p"].notna().sum() for how in ways))
    if not n:
        return []
    both = [name for name in metrics["metric"] if all(name in changed for changed in ways.values())]
    only = {how: [name for name in changed if name not in both] for how, changed in ways.items()}
    more = [f"{WAYS[how]} {_grouped(names)}{' too' if both else ''}" for how, names in only.items() if names]
    status = "clear" if both or more else "none found"
    if both:
        text = f"Balancing changes {_grouped(both)}{f' ({join_names(more)})' if more else ''}"
    elif more:
        text = f"Balancing changes, {join_names(more)}"
    elif not significant(n / (draws + 1)):  # Holm's smallest adjusted p-value
        status, text = "too few to say", f"Balancing: {draws} draws are too few to name one of {n} metrics"
    else:
        text = f"Balancing changes none of {n} metrics"
    if status == "clear":
        text += ", more than a smaller or larger test set would. This says nothing of bias"
    return [Finding("balancing", "all metrics", status, f"{text}.", n=n, scope="this test set")]


def _grouped(names: list[str]) -> str:
    """Metrics by what they are of: "precision gaps (Pearson, sum of absolute values)"; at most two."""
    parts: dict[str, list[str]] = {}
    for name in names:
        of, _, part = name.partition(", ")
        parts.setdefault(of, []).append(part)
    shown = [of if own in ([""], ["sum"]) else f"{of} ({', '.join(own)})" for of, own in parts.items()]
    return join_names(shown, limit=2)


def composition_findings(metrics: pd.DataFrame, how: str, changed: list[str], draws: int) -> list[Finding]:
    """Whether a way of balancing changes the metrics: all together, then each, by p-value."""
    tested = metrics.dropna(subset=[f"{how}_p"])
    if not len(tested):
        return []
    question = f"balancing {WAYS[how]}"
    listed = f": {_grouped(changed)}" if changed else ""
    statement = f"{question.capitalize()} changes {len(changed)} of {len(tested)} metrics{listed}."
    decisive = bool(significant(len(tested) / (draws + 1)))  # Holm's smallest adjusted p-value
    status = status_of_test(float(tested[f"{how}_p_adjusted"].min()), decisive=decisive)
    if status == "too few to say":
        statement = f"{question.capitalize()}: {draws} draws are too few to name one of {len(tested)} metrics."
    records = [Finding(question, "all metrics", status, statement, n=len(tested), scope="this test set")]
    for row in tested.sort_values(f"{how}_p").to_dict("records"):
        name = str(row["metric"])
        status = status_of_test(float(row[f"{how}_p_adjusted"]), decisive=decisive)
        statement = f"{name}: {decimal(row[how])} after {question}, {decimal(row[f'{how}_same_size'])} in as many rows "
        statement += "of the old composition."
        columns = {"": "value", "_low": "ci_low", "_high": "ci_high", "_p": "p_value", "_p_adjusted": "p_adjusted"}
        figures = figures_of({to: row[f"{how}{end}"] for end, to in columns.items()} | {"n": row["n"]})
        note = f"{draws} draws; the ends are the spread of the draws"
        records.append(Finding(question, name, status, statement, name, **figures, scope="this test set", note=note))
    return records


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


def _ends_in_points(gap: float, low: float, high: float) -> str:
    """The interval of a gap whose size is told in points, in the direction in which it is told."""
    if not np.isfinite(low) or not np.isfinite(high):
        return "no interval"
    low, high = (low, high) if gap >= 0 else (-high, -low)
    return f"95 % interval {hundredths(low)} to {hundredths(high)} points"


_ABOUT_METRICS = (
    "The level without an effect is the mean when groups are exchanged within {within}: what the composition of the "
    "table and noise give. p: whether the value differs from it; adjusted over the metrics. A sum of absolute "
    "gaps or a distance is above 0 by noise alone: compare it with its level, not with 0. The "
    "interval may hold the level although p is small: go by p."
)
_ABOUT_BALANCE = (
    "Mean of the draws with as many rows of each group for every label, and the range of 95 % of them. Same size: as "
    "many rows, the composition as it was. p: whether a balanced draw differs from these, adjusted over the metrics. "
    "Metrics such as precision and sufficiency depend on the composition; a difference says that, and nothing of bias."
)
_MARKS = {"yes": "yes", "augment": "after augmenting", "no": "no"}


def lens_sentences(report: LensReport) -> list[str]:
    """The short answer: the first finding of each question, of the metrics the strongest."""
    first: dict[str, str] = {}
    for finding in report.findings:
        first.setdefault(finding.question.partition(" by ")[0], finding.statement)
    return list(first.values())


def lens_page(report: LensReport, title: str) -> str:
    """The report as one HTML page that loads nothing."""
    within = "labels" if report.unit == "rows" else "sources, or labels where a source has one group"
    own = list(report.metrics.loc[report.metrics["primary"], "metric"])
    alone = f" Tested alone, as what the authors of the data set measure: {', '.join(own)}." if own else ""
    tables = [("Metrics", _ABOUT_METRICS.format(within=within) + alone, "Each metric of the groups", _metrics(report))]
    balanced = [how for how in WAYS if f"{how}_p" in report.metrics]
    for how in balanced:
        about = _ABOUT_BALANCE if how == balanced[0] else "As above."
        tables.append((f"Balanced {WAYS[how]}", about, "Each metric on balanced draws", _balanced(report, how)))
    if len(report.labels):
        note = f"Gaps are {report.left} less {report.right}; a dash: one of the groups has no rows."
        tables.append(("Labels", note, "Gaps of each label, with 95 % intervals", _labels(report.labels)))
    fits = tuple((cell.family.replace("_", " "), _MARKS[cell.status], cell.reason) for cell in report.cells)
    grid = Grid(("family", "fits", "missing"), fits, 3)
    tables.append(("Families that fit these data", "", "What fits, and what is missing", grid))
    page = {
        "title": title,
        "style": part("page.css")[0],
        "sentences": lens_sentences(report),
        "about": f"{report.n:,} rows; gaps are {report.left} less {report.right}. Intervals over {report.unit}; "
        f"{report.draws:,} draws, seed {report.seed}.",
        "about_gaps": f"Right of the line: {report.left} is recognised more often than {report.right}. Figures in "
        "percentage points. Bar: 95 % interval of one label. Red: clear after adjustment over all labels.",
        "gaps": _gaps(report),
        "tables": tables,
    }
    return filled("extensions/lenses/page.html.j2", page)


def _gaps(report: LensReport) -> list[dict[str, Any]]:
    """The recall gap of each label, the largest first, in percent of the width, with a margin for the markers."""
    if not len(report.labels):
        return []
    known = report.labels.dropna(subset=["tpr gap", "tpr low"])
    ordered = known.iloc[known["tpr gap"].abs().to_numpy().argsort(kind="stable")[::-1]]
    ends = ordered[["tpr low", "tpr high"]].abs().to_numpy()
    widest = max(float(ends.max()), 0.05) if ends.size else 1.0
    rows, statuses = [], _recall_statuses(report.labels)
    for number, row in zip(ordered.index, ordered.to_dict("records"), strict=True):
        low, at, high = (50 + 48 * float(row[name]) / widest for name in ("tpr low", "tpr gap", "tpr high"))
        gap, left_end, right_end = (hundredths(float(row[name])) for name in ("tpr gap", "tpr low", "tpr high"))
        rows.append(
            {
                "label": str(row["label"]),
                "status": "clear" if statuses[number] == "clear" else "none",
                "low": f"{low:.2f}",
                "at": f"{at:.2f}",
                "width": f"{high - low:.2f}",
                "figure": f"{100 * float(row['tpr gap']):+.1f}",
                "text": f"{row['label']}: {gap} points ({left_end} to {right_end}), adjusted p {_p(row['tpr_p'])}",
            }
        )
    return rows


def _metrics(report: LensReport) -> Grid:
    header = ("metric", "value", "95 % interval", "without an effect", "p", "adjusted p", "n")
    rows = []
    for row in report.metrics.to_dict("records"):
        ends = f"{decimal(row['ci_low'])} to {decimal(row['ci_high'])}" if row["ci_low"] == row["ci_low"] else "-"
        p = [_p(row[name]) for name in ("p_value", "p_adjusted")]
        rows.append((str(row["metric"]), decimal(row["value"]), ends, decimal(row["chance"]), *p, f"{row['n']:,}"))
    return Grid(header, tuple(rows), 1)


def _balanced(report: LensReport, how: str) -> Grid:
    header = ("metric", "value", "balanced", "same size", "adjusted p")
    rows = []
    for row in report.metrics.dropna(subset=[how]).to_dict("records"):
        drawn = f"{decimal(row[how])} ({decimal(row[f'{how}_low'])} to {decimal(row[f'{how}_high'])})"
        shown = _p(row[f"{how}_p_adjusted"])
        rows.append((str(row["metric"]), decimal(row["value"]), drawn, decimal(row[f"{how}_same_size"]), shown))
    return Grid(header, tuple(rows), 1)


def _labels(frame: pd.DataFrame) -> Grid:
    """One column for each gap with its interval."""
    rates = [str(name).removesuffix(" gap") for name in frame.columns if str(name).endswith(" gap")]
    plain = [str(name) for name in frame.columns[:4]]
    rows = []
    for row in frame.to_dict("records"):
        cells = [decimal(row[name]) if isinstance(row[name], float) else f"{row[name]:,}" for name in plain[1:]]
        cells = [str(row["label"]), *cells]
        for rate in rates:
            gap, low, high = (decimal(row[f"{rate} {part}"]) for part in ("gap", "low", "high"))
            cells.append(gap if gap == "-" else f"{gap} ({low} to {high})")
        rows.append((*cells, _p(row["tpr_p"])))
    return Grid((*plain, *(f"{rate} gap" for rate in rates), "tpr adjusted p"), tuple(rows), 1)


def _p(p: float) -> str:
    return format_p_value(p) if p == p else "-"

"""Tables about one attribute, with cells as text: those of the page, and those that the terminal shows as well."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from fairness_checklist.core.formatting import decimal, format_p_value
from fairness_checklist.findings.records import strongest_first
from fairness_checklist.findings.status import CLEAR, FOUND
from fairness_checklist.reports.finding_text import (
    STATUS_WORDS,
    gap_bounds,
    is_about_rows,
    shown_rates,
    whole_points,
)
from fairness_checklist.reports.forest import gap_text
from fairness_checklist.reports.missed_terms import scores_by_term
from fairness_checklist.reports.run_view import (
    MetricKey,
    Row,
    View,
    neutral_value,
    positive_class,
    signed,
)
from fairness_checklist.reports.wording import Grid, at_place, level_of
from fairness_checklist.tables.run_folder import Results

BASE_SCORES = (
    ("false_negative_rate", "FNR"),
    ("false_positive_rate", "FPR"),
    ("mean_probability", "mean p"),
    ("accuracy", "accuracy"),
    ("mean_target_probability", "mean p of gold"),
    ("labelled_attachment_score", "LAS"),
)
OF_TAGGERS = (
    ("true_positive_rate", "TPR"),
    ("false_negative_rate", "FNR"),
    ("mean_probability", "mean p"),
    ("mean_target_probability", "mean p of gold"),
    ("repaired_entities", "repaired entities a whole sentence"),
)


def primary_metrics(view: View) -> list[Grid]:
    """For each class the primary metrics and base scores by group, each with its n."""
    grids = []
    for label in (*view.shown_classes, "*"):
        keys = [key for key in view.primary if label in view.labels(key)]
        listed = OF_TAGGERS if view.tagging else BASE_SCORES
        bases = [(name, head) for name, head in listed if _base(view, name, label, "*")[1]]
        if not keys and not bases:
            continue
        unit = "row" if view.unit == "row" else "sentence"
        content = f"base scores (in brackets {'texts' if view.mentions else 'rows'})"
        content = f"primary metrics (in brackets {unit}s), which are no findings, and {content}" if keys else content
        rows = [
            (
                group_name(group),
                *(
                    "" if row is None else f"{shown_value(row, undefined='undefined')} ({row['n']:,})"
                    for row in metrics
                ),
                *("" if not n else f"{decimal(value)} ({n:,})" for value, n in scores),
            )
            for group, metrics, scores in group_rows(view, keys, [name for name, _ in bases], label)
        ]
        header = ("group", *(shown_name(view, key, label) for key in keys), *(head for _, head in bases))
        start = "Over all classes" if label == "*" else f"Class {label}"
        where = f", {at_place(view.place, view.attribute)}" if view.tagging else ""
        grids.append(Grid(header, tuple(rows), 1, f"{start}{where}: {content}"))
    return grids


def group_rows(
    view: View, keys: Sequence[MetricKey], names: Sequence[str], label: str
) -> Iterator[tuple[str, list[Row | None], list[tuple[float, int]]]]:
    """Of each group, the unmarked sentences and all rows: the rows of metrics, and base scores with their n."""
    for group in (*view.groups, "unmarked", "*"):
        scores = [_base(view, name, label, group) for name in names]
        if group != "unmarked" or any(n for _, n in scores):
            yield (
                group,
                [view.total(k, label) if group == "*" else view.of_group(k, label, group) for k in keys],
                scores,
            )


def _base(view: View, name: str, label: str, group: str) -> tuple[float, int]:
    """A base score; repaired entities are counted in whole sentences, and are left out where there are none."""
    if name != "repaired_entities":
        return view.score(name, label, group)
    repaired = any(view.score(name, label, g, "")[0] > 0 for g in view.groups)
    return view.score(name, label, group, "") if repaired else (math.nan, 0)


def group_name(name: str) -> str:
    """A group as it heads a row."""
    return {"*": "all", "unmarked": "(unmarked)"}.get(name, name)


def shown_name(view: View, key: MetricKey, label: str) -> str:
    """A metric as it heads the values of a class: with its options; a distance with null means is shown less these."""
    options = "; ".join(filter(None, (key[1], f"where={key[2]}" if key[2] not in ("", view.place) else "")))
    less = " less null mean" if is_less_null_mean(view, key, label) else ""
    return (f"{key[0]} [{options}]" if options else key[0]) + less


def is_less_null_mean(view: View, key: MetricKey, label: str) -> bool:
    """Whether the values of a metric and class are shown less their null means: those of a distance."""
    rows = (row for (*head, of, _, _), row in view.cells.items() if tuple(head) == key and of == label)
    return any(level_of(row) > 0 for row in rows)


def shown_value(row: Row, *, undefined: str = "-") -> str:
    """A value as text, a distance less its null mean where that is known."""
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    level = level_of(row)
    return decimal(row["value"] - (0.0 if math.isnan(level) else level), signed=plus, undefined=undefined)


def further_grids(results: Results, view: View) -> dict[str, list[Grid]]:
    """The tables of `extensions.analyses`, by section of the page."""
    from fairness_checklist.extensions.analyses.page import grids

    return grids(results, view)


def checks(view: View) -> Grid:
    """The tests with their three rates, in percent."""
    rows = []
    for test in view.checks.to_dict("records"):
        pairs = view.with_reference.get(str(test["test"]))
        rows.append(
            (
                str(test["test"]),
                str(test["type"]),
                str(test["capability"]),
                _failed(int(test["fails"]), int(test["cases"])),
                _failed(pairs[1], pairs[0]) if pairs else "",
                _failed(int(test["pair_fails"]), int(test["pairs"])),
            )
        )
    header = ("test", "type", "capability", "cases", "pairs with the reference", "all pairs across groups")
    return Grid(header, tuple(rows), 3)


def _failed(part: int, total: int) -> str:
    return f"{100 * part / total:.1f} % ({part:,} of {total:,})" if total else ""


def by_group(view: View) -> Grid:
    """The tests by group: the share that fails, and the direction."""
    rows: dict[str, list[str]] = {group: [group] for group in view.groups}
    header = ["group"]
    for test, part in view.by_group.groupby("test", sort=False):
        direction = bool(part["mean_change"].notna().any())
        header += [f"{test}: fails"] + ["mean change of p"] * direction
        of = {str(row["group"]): row for row in part.to_dict("records")}
        for group, cells in rows.items():
            row = of.get(group)
            cells.append("" if row is None else _failed(int(row["fails"]), int(row["pairs"])))
            if direction:
                cells.append("" if row is None else decimal(float(row["mean_change"]), signed=True, undefined=""))
    return Grid(tuple(header), tuple(map(tuple, rows.values())), 1)


def errors_by_term(view: View) -> list[Grid]:
    """FPED and FNED of the positive class by group and by term, and the terms whose errors are furthest from others'.

    None where errors were not computed by term.
    """
    label = positive_class(view)
    totals = []
    for metric in ("fped", "fned"):
        mine = _metric_by_term(view, metric)
        mine = mine[mine["left"] == "*"]
        if len(mine):
            key = next((key for key in view.keys if key[0] == metric), None)
            row = view.total(key, label) if key is not None else None
            by_group = math.nan if row is None else float(row["value"])
            totals.append((metric.upper(), decimal(by_group), decimal(float(mine["value"].iloc[0]))))
    if not totals:
        return []
    caption = f"Class {label}: FPED and FNED, sums over all groups and over all terms"
    grids = [Grid(("total", "by group", "by term"), tuple(totals), 1, caption)]
    for metric, head in (("fpr_gap", "FPR"), ("fnr_gap", "FNR")):
        rows = [
            (r["term"], r["group"], decimal(r["gap"], signed=True), decimal(r["rate"]), f"{r['n']:,}")
            for r in term_differences(view, metric).to_dict("records")
        ]
        if rows:
            caption = f"Class {label}: {metric} by term, the terms furthest from all others"
            grids.append(Grid(("term", "group", metric, head, "n"), tuple(rows), 2, caption))
    return grids


def findings(results: Results, attribute: str) -> list[Grid]:
    """The records of findings: groups and harms, clear ones in bold, and the terms that are clear or suspected."""
    of_groups = strongest_first(results.findings[results.findings["attribute"] == attribute])
    of_terms = results.term_findings[results.term_findings["attribute"] == attribute]
    of_terms = of_terms[of_terms["status"].isin(FOUND)].head(_TERMS)
    grids = []
    if len(of_groups):
        rows = [(str(r["group"]), *_finding_cells(r), _placebo(r), _terms(r)) for r in of_groups.to_dict("records")]
        header = ("group", *_FINDING_HEADS, "placebo words differ by", "words")
        grids.append(_finding_grid("Findings of groups", header, rows))
    if len(of_terms):
        rows = [(f"{r['term']} ({r['group']})", *_finding_cells(r)) for r in of_terms.to_dict("records")]
        grids.append(_finding_grid("Findings of single words", ("word", *_FINDING_HEADS), rows))
    return grids


def clear_terms(terms: pd.DataFrame) -> Grid:
    """The terms that are clear or suspected, at most ten of an attribute."""
    clearest = terms[terms["status"].isin(FOUND)]
    rows = [
        (
            f"{r['term']} ({r['group']})",
            f"{r['title']}: {STATUS_WORDS[str(r['status'])]}{_doubt(str(r['note']))}",
            gap_text(r),
            *shown_rates(r),
        )
        for r in clearest.head(SHOWN_TERMS).to_dict("records")
    ]
    header = ("word", "error", "gap to the other words", "rate", "other words")
    cut = f", the first {SHOWN_TERMS} of {len(clearest)}; the others are in term_findings.csv"
    return Grid(header, tuple(rows), 3, f"Clearest first{cut if len(clearest) > SHOWN_TERMS else ''}")


def _doubt(note: str) -> str:
    """Why a word is suspected only; "" where its bounds say it."""
    if "no placebo" in note:
        return " (no placebo words to compare with)"
    return f" ({note})" if "placebo words" in note else ""


def draws(results: Results, attribute: str) -> Grid:
    """The test and the draws of placebo words behind each record: what decides about a status."""
    records = strongest_first(results.findings[results.findings["attribute"] == attribute])
    rows = [
        (
            str(r["group"]),
            str(r["title"]),
            "" if math.isnan(r["p_adjusted"]) else format_p_value(float(r["p_adjusted"])),
            "" if math.isnan(r["placebo_percentile"]) else f"{math.floor(r['placebo_percentile'])} of 100",
        )
        for r in records.to_dict("records")
    ]
    header = ("group", "error", "p, adjusted", "draws in which placebo words show less")
    return Grid(header, tuple(rows), 2, "Tests and draws")


SHOWN_TERMS = 10
_TERMS = 20
_FINDING_HEADS = ("harm", "status", "rate", "others' rate", "gap in decisions", "gap in probability", "counts")


def _finding_grid(title: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Grid:
    clear = tuple(at for at, row in enumerate(rows) if row[2] == CLEAR)
    return Grid(header, tuple(rows), 3, title, findings=clear)


def _finding_cells(row: dict[Any, Any]) -> tuple[str, ...]:
    return (
        str(row["title"]),
        str(row["status"]),
        *shown_rates(row),
        gap_bounds(row, rates=True),
        "" if row["measure"] == "rate" else gap_bounds(row, rates=False),
        f"{int(row['n_harmful']):,} of {int(row['n']):,} {'rows' if is_about_rows(row) else 'texts'}",
    )


def _placebo(row: dict[Any, Any]) -> str:
    """How far apart placebo words lie, in decisions and in probability; "" where they were not compared."""
    gap, rate = float(row["placebo_gap"]), float(row["placebo_rate_gap"])
    if math.isnan(gap) or math.isnan(rate):
        return "" if math.isnan(rate) else whole_points(rate)
    decisions = f"{whole_points(rate)} in decisions"
    return decisions if row["measure"] == "rate" else f"{decisions}, {whole_points(gap)} in probability"


def _terms(row: dict[Any, Any]) -> str:
    """How many words of the group were used, of how many, and those that carry its gap; "" where rows name none."""
    used, there = int(row["n_terms"]), int(row["n_terms_available"])
    count = f"{used:,} of {there:,}" if there > used else f"{used:,}" if used else ""
    carried = row["carried_by"] if row["scope"] == "group" else ""
    return f"{count}; carried by {carried}" if carried else count


_RATES = {"fpr_gap": "false_positive_rate", "fnr_gap": "false_negative_rate"}


def _metric_by_term(view: View, metric: str) -> pd.DataFrame:
    """The rows of a metric of the positive class in which each term is a group."""
    rows = view.by_term
    return rows[(rows["metric"] == metric) & (rows["class"] == positive_class(view))]


def term_differences(view: View, metric: str, n: int = 10) -> pd.DataFrame:
    """The terms with error rates furthest from those of all others, as in the figures of Dixon et al. 2018.

    Returns:
        Columns term, group, gap, rate (the term's own, in [0, 1]) and n (its number of sentences), the largest gap in
        either direction first; no rows where errors were not computed by term.
    """
    rows = _metric_by_term(view, metric)
    rows = rows[(rows["left"] != "*") & rows["value"].notna()]
    base = scores_by_term(view, _RATES[metric], positive_class(view))
    shared = Counter(base["term"])
    rates: dict[str, tuple[str, float, int]] = {}
    for term, group, value, size in base.itertuples(index=False):
        for name in (f"{term} ({group})", *([term] if shared[term] == 1 else [])):
            rates[name] = (group, value, size)
    listed = []
    for name, gap in zip(rows["left"].astype("str"), rows["value"].astype("float64"), strict=True):
        group, rate, size = rates.get(name, ("", math.nan, 0))
        listed.append((name, group, gap, rate, size))
    frame = pd.DataFrame(listed, columns=["term", "group", "gap", "rate", "n"])
    order = frame["gap"].abs().round(9).sort_values(ascending=False, kind="stable").index
    return frame.loc[order].head(n).reset_index(drop=True)

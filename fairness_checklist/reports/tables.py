"""The tables of a run, for the terminal and the page: metrics by group, tests, and words."""

import math
from collections import Counter
from collections.abc import Iterator
from textwrap import fill

import pandas as pd

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal
from fairness_checklist.reports.finding_text import both_numbers, gap_points
from fairness_checklist.reports.provenance import undefined_values
from fairness_checklist.reports.render import WIDTH, Grid
from fairness_checklist.reports.run_view import MetricKey, Row, View, attribute_views, neutral_value, signed
from fairness_checklist.reports.wording import at_place, level_of
from fairness_checklist.tables.run_folder import Results

_BASE_SCORES = {
    "true_positive_rate": "TPR",
    "false_negative_rate": "FNR",
    "false_positive_rate": "FPR",
    "mean_probability": "mean p",
    "accuracy": "accuracy",
    "mean_target_probability": "mean p of gold",
    "labelled_attachment_score": "LAS",
    "repaired_entities": "repaired entities a whole sentence",
}
_NOT_OF_TAGGERS = ("false_positive_rate", "accuracy", "labelled_attachment_score")
SHOWN_WORDS = 40


def tables(results: Results) -> str:
    """The tables of each attribute as plain text of at most 100 columns, and at the end what was left out or cut."""
    parts = [part for view in attribute_views(results) for part in _of_attribute(view)]
    return "\n\n".join(filter(None, [*parts, _left_out(results)]))


def _of_attribute(view: View) -> Iterator[str]:
    size = [count(len(view.groups), "group"), count(len(view.examples), "sentence" if view.mentions else "row")]
    if view.unit == "source":
        size.insert(1, count(int(view.examples["source"].nunique()), "source"))
    yield f"{view.attribute}: {', '.join(size)}\n{'=' * len(view.attribute)}"
    tests = [checks(view), by_group(view)] if len(view.checks) else []
    for grid in (*values_by_group(view), *tests):
        yield grid.as_text()
    gathered = undefined_values(view).groupby("reason", sort=False)["values"].sum()
    total = count(len(view.metrics) + len(view.by_term), "value")
    lost = f"{int(gathered.sum()):,}" if len(gathered) else "none"
    lines = [f"undefined: {lost} of the {total}", *(f"  {int(n):>5,}  {why}"[:WIDTH] for why, n in gathered.items())]
    yield "\n".join(lines)


def _left_out(results: Results) -> str:
    """The notes of the run, the templates that were dropped and the values without a definition, by attribute."""
    lines = []
    for attribute in results.attributes:
        remarks = [str(note) for note in results.info.get("notes", {}).get(attribute, [])]
        reasons = Counter(str(entry.get("reason", "")) for entry in results.info.get("dropped", {}).get(attribute, []))
        if reasons:
            listed = "; ".join(f"{reason} ({n:,})" for reason, n in reasons.most_common(3))
            more = f"; {count(len(reasons) - 3, 'other reason')}" if len(reasons) > 3 else ""
            remarks.append(f"{count(reasons.total(), 'template')} dropped: {listed}{more}")
        lines += [fill(f"{attribute}: {remark}", WIDTH, subsequent_indent="  ") for remark in remarks]
    return "\n".join(["left out or cut", "=" * 15, *lines]) if lines else ""


def values_by_group(view: View) -> list[Grid]:
    """For each class the primary metrics and base scores by group, each with its n."""
    grids = []
    for label in (*view.shown_classes, "*"):
        keys = [key for key in view.primary if label in view.labels(key)]
        listed = [name for name in _BASE_SCORES if not (view.tagging and name in _NOT_OF_TAGGERS)]
        bases = [name for name in listed if _base(view, name, label, "*")[1]]
        if not keys and not bases:
            continue
        rows = []
        for group in (*view.groups, "unmarked", "*"):
            scores = [_base(view, name, label, group) for name in bases]
            if group == "unmarked" and not any(n for _, n in scores):
                continue
            found = [view.total(k, label) if group == "*" else view.of_group(k, label, group) for k in keys]
            cells = ["" if row is None else shown_value(row) for row in found]
            cells += ["" if not n else f"{decimal(value)} ({n:,})" for value, n in scores]
            rows.append(({"*": "all", "unmarked": "(unmarked)"}.get(group, group), *cells))
        header = ("group", *(_shown_name(view, key, label) for key in keys), *(_BASE_SCORES[name] for name in bases))
        start = "Over all classes" if label == "*" else f"Class {label}"
        where = f", {at_place(view.place, view.attribute)}" if view.tagging else ""
        metrics = f"primary metrics (in brackets {view.unit}s) and " if keys else ""
        noun = "texts" if view.mentions else "rows"
        grids.append(Grid(header, tuple(rows), 1, f"{start}{where}: {metrics}base scores (in brackets {noun})"))
    return grids


def _base(view: View, name: str, label: str, group: str) -> tuple[float, int]:
    """A base score; repaired entities are counted in whole sentences, and are left out where there are none."""
    if name != "repaired_entities":
        return view.score(name, label, group)
    repaired = any(view.score(name, label, g, "")[0] > 0 for g in view.groups)
    return view.score(name, label, group, "") if repaired else (math.nan, 0)


def _shown_name(view: View, key: MetricKey, label: str) -> str:
    """A metric as it heads the values of a class: with its options; a distance with null means is shown less these."""
    options = "; ".join(filter(None, (key[1], f"where={key[2]}" if key[2] not in ("", view.place) else "")))
    levels = (level_of(row) for (*head, of, _, _), row in view.cells.items() if tuple(head) == key and of == label)
    less = " less null mean" if any(level > 0 for level in levels) else ""
    return (f"{key[0]} [{options}]" if options else key[0]) + less


def shown_value(row: Row) -> str:
    """A value with its interval, where it has one, and its n; a distance less its null mean where that is known."""
    plus = signed(row["metric"]) and not neutral_value(row["metric"])
    level = level_of(row)
    level = 0.0 if math.isnan(level) else level
    value = decimal(row["value"] - level, signed=plus, undefined="undefined")
    low, high = (row.get(name, math.nan) - level for name in ("ci_low", "ci_high"))
    interval = "" if math.isnan(low) or math.isnan(high) else f" [{decimal(low)}, {decimal(high)}]"
    return f"{value}{interval} ({row['n']:,})"


def checks(view: View) -> Grid:
    """The tests with their three rates, in percent."""
    rows = []
    for test in view.checks.to_dict("records"):
        pairs, fails = view.with_reference.get(str(test["test"]), (0, 0))
        rates = ((test["fails"], test["cases"]), (fails, pairs), (test["pair_fails"], test["pairs"]))
        cells = (_failed(int(failed), int(total)) for failed, total in rates)
        rows.append((str(test["test"]), str(test["type"]), str(test["capability"]), *cells))
    header = ("test", "type", "capability", "cases", "pairs with the reference", "all pairs across groups")
    return Grid(header, tuple(rows), 3)


def _failed(failed: int, total: int) -> str:
    return f"{100 * failed / total:.1f} % ({failed:,} of {total:,})" if total else ""


def by_group(view: View) -> Grid:
    """The tests by group: the share that fails, and the direction."""
    rows: dict[str, list[str]] = {group: [group] for group in view.groups}
    header = ["group"]
    for test, of_test in view.by_group.groupby("test", sort=False):
        direction = bool(of_test["mean_change"].notna().any())
        header += [f"{test}: fails"] + ["mean change of p"] * direction
        of_group = {str(row["group"]): row for row in of_test.to_dict("records")}
        for group, cells in rows.items():
            row = of_group.get(group)
            cells.append("" if row is None else _failed(int(row["fails"]), int(row["pairs"])))
            if direction:
                cells.append("" if row is None else decimal(float(row["mean_change"]), signed=True, undefined=""))
    return Grid(tuple(header), tuple(map(tuple, rows.values())), 1)


def word_grids(words: pd.DataFrame) -> list[Grid]:
    """For each error the words of an attribute with the largest gaps, at most `SHOWN_WORDS`."""
    grids = []
    for _, of_error in words.groupby("error", sort=False):
        ranked = of_error.sort_values("gap", ascending=False, kind="stable")
        rows = [
            (str(r["word"]), str(r["group"]), str(r["said"]), both_numbers(r), gap_points(r), f"{int(r['texts']):,}")
            for r in ranked.head(SHOWN_WORDS).to_dict("records")
        ]
        title = capitalise(str(ranked["title"].iloc[0]))
        cut = f", {SHOWN_WORDS} of {len(ranked):,} words" if len(ranked) > SHOWN_WORDS else ""
        grids.append(Grid(("word", "group", "", "word : others", "gap", "texts"), tuple(rows), 3, f"{title}{cut}"))
    return grids

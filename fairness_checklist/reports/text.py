"""A run for the terminal: the verdict, its tables and one number explained. Plain text, at most 100 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fairness_checklist.reports.explain import explain
from fairness_checklist.reports.findings import undefined_values
from fairness_checklist.reports.reading import (
    MetricKey,
    View,
    filled,
    neutral_value,
    signed,
    views,
)
from fairness_checklist.reports.verdict import verdict
from fairness_checklist.reports.words import count, decimal
from fairness_checklist.results import Results

__all__ = ["aligned", "explain", "tables", "verdict"]

WIDTH = 100
BASE_SCORES = (("true_positive_rate", "TPR"), ("false_positive_rate", "FPR"), ("mean_probability", "mean p"))
OVERALL_SCORES = (("accuracy", "accuracy"), ("mean_target_probability", "p(gold)"))


def tables(results: Results) -> str:
    """The tables of a run.

    Returns:
        For each attribute: its primary metrics by group with the base scores and their n beside, one table a class;
        its tests; and how many values are undefined. At the end what was left out or cut. Rates are in [0, 1],
        failures in percent.
    """
    blocks = ["\n\n".join(_of_attribute(seen, results)) for seen in views(results)]
    return "\n\n".join([*blocks, *filter(None, [_left_out(results)])])


def _left_out(results: Results) -> str:
    """The notes of the run, the templates that were dropped and the values without a definition, by attribute."""
    from textwrap import fill

    lines = []
    for attribute in results.attributes:
        said = [str(note) for note in results.info.get("notes", {}).get(attribute, [])]
        reasons = [str(one.get("reason", "")) for one in results.info.get("dropped", {}).get(attribute, [])]
        if reasons:
            grouped = [f"{reason} ({n:,})" for reason, n in Counter(reasons).most_common()]
            more = f"; {count(len(grouped) - 3, 'other reason')}" if len(grouped) > 3 else ""
            said.append(f"{count(len(reasons), 'template')} dropped: {'; '.join(grouped[:3])}{more}")
        rows = results.metrics[results.metrics["attribute"] == attribute]
        lost = int(rows["value"].isna().sum())
        said += [f"{lost:,} of {count(len(rows), 'value')} undefined"] if lost else []
        lines += [fill(f"{attribute}: {one}", WIDTH, subsequent_indent="  ") for one in said]
    return "\n".join(["left out, cut or undefined", "=" * 26, *lines]) if lines else ""


def _of_attribute(seen: View, results: Results) -> list[str]:
    blocks = [_heading(seen)]
    for label in seen.classes:
        blocks.append(_of_class(seen, label))
    blocks += [_overall(seen), _uncertain(seen), _checks(seen), _undefined(results, seen)]
    return [block for block in blocks if block]


def _heading(seen: View) -> str:
    parts = [count(len(seen.groups), "group"), count(len(seen.examples), "sentence")]
    if seen.unit == "source":
        parts.insert(1, count(int(seen.examples["source"].nunique()), "source"))
    return f"{seen.attribute}: {', '.join(parts)}\n{'=' * len(seen.attribute)}"


def _of_class(seen: View, label: str) -> str:
    """Primary metrics and base scores of one class, a group a row."""
    keys = [key for key in seen.primary if label in seen.labels(key)]
    bases = [(name, head) for name, head in BASE_SCORES if seen.score(name, label, "*")[1]]
    if not keys and not bases:
        return ""
    rows = [_group_row(seen, keys, bases, label, group) for group in (*seen.groups, "unmarked", "*")]
    header = ["group", *(_name(key) for key in keys), *(head for _, h in bases for head in (h, "n"))]
    return f"class {label}\n{aligned(header, [row for row in rows if row])}"


def _group_row(
    seen: View, keys: Sequence[MetricKey], bases: Sequence[tuple[str, str]], label: str, group: str
) -> list[str]:
    found = [seen.score(name, label, group) for name, _ in bases]
    if group == "unmarked" and not any(n for _, n in found):
        return []
    cells = []
    for key in keys:
        row = seen.total(key, label) if group == "*" else seen.of_group(key, label, group)
        cells.append("" if row is None else decimal(row["value"], signed=signed(key[0]) and not neutral_value(key[0])))
    named = {"*": "all", "unmarked": "(unmarked)"}.get(group, group)
    return [named, *cells, *(cell for value, n in found for cell in (decimal(value), f"{n:,}" if n else ""))]


def _overall(seen: View) -> str:
    """What is told over all classes: accuracy, the tests by group, and metrics of class "*"."""
    keys = [key for key in seen.primary if "*" in seen.labels(key)]
    bases = [(name, head) for name, head in OVERALL_SCORES if seen.score(name, "*", "*")[1]]
    tests = [str(name) for name in seen.by_group["test"].unique()]
    kinds = dict(zip(seen.checks["test"], seen.checks["type"], strict=True))
    rows = []
    for group in (*seen.groups, "unmarked", "*"):
        row = _group_row(seen, keys, bases, "*", group)
        if not row or not (bases or group in seen.groups):
            continue
        for test in tests:
            part = seen.by_group[(seen.by_group["test"] == test) & (seen.by_group["group"] == group)]
            one = part.iloc[0] if len(part) else None
            row.append("" if one is None else decimal(float(one["fail_rate"]), places=1))
            if kinds.get(test) == "INV":
                row.append("" if one is None else decimal(float(one["mean_change"]), signed=True))
        rows.append(row)
    header = ["group", *(_name(key) for key in keys), *(head for _, h in bases for head in (h, "n"))]
    for test in tests:
        header += [f"{kinds.get(test, test)} fails %"] + (["change of p"] if kinds.get(test) == "INV" else [])
    return f"all classes\n{aligned(header, rows)}" if len(header) > 1 else ""


def _uncertain(seen: View) -> str:
    """Intervals, levels of chance and p of the primary metrics, where they are computed."""
    rows = seen.metrics[seen.metrics["role"] == "primary"]
    columns = filled(rows)
    if not columns:
        return ""
    rows = rows[(rows["left"] == "*") | ~rows["right"].isin(seen.groups) | (len(seen.groups) == 2)]
    lines = [
        [
            str(row["metric"]),
            str(row["class"]),
            "all" if row["left"] == "*" else str(row["left"]),
            *(decimal(float(row[name])) for name in ("value", *columns)),
        ]
        for row in rows.to_dict("records")
    ]
    return f"how sure\n{aligned(['metric', 'class', 'group', 'value', *columns], lines, words=3)}"


def _checks(seen: View) -> str:
    if not len(seen.checks):
        return ""
    rows = []
    for test in seen.checks.to_dict("records"):
        pairs = seen.with_reference.get(str(test["test"]))
        rows.append(
            [
                str(test["test"]),
                str(test["type"]),
                f"{int(test['cases']):,}",
                _rate(float(test["fail_rate"])),
                f"{pairs[0]:,}" if pairs else "",
                _rate(100 * pairs[1] / pairs[0]) if pairs and pairs[0] else "",
                f"{int(test['pairs']):,}" if test["pairs"] else "",
                _rate(float(test["pair_fail_rate"])),
            ]
        )
    header = ["test", "type", "cases", "fail %", "pairs with reference", "fail %", "all pairs", "fail %"]
    return f"tests\n{aligned(header, rows, words=2)}"


def _rate(value: float) -> str:
    return decimal(value, places=1, undefined="")


def _undefined(results: Results, seen: View) -> str:
    lost = int(seen.metrics["value"].isna().sum())
    if not lost:
        return f"undefined: none of the {count(len(seen.metrics), 'value')}"
    reasons = undefined_values(results, seen.attribute).groupby("reason", sort=False)["values"].sum()
    return "\n".join(
        [f"undefined: {lost:,} of the {count(len(seen.metrics), 'value')}"]
        + [f"  {int(n):>5,}  {reason}"[:WIDTH] for reason, n in reasons.items()]
    )


def _name(key: MetricKey) -> str:
    return f"{key[0]} [{key[1]}]" if key[1] else key[0]


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]], *, words: int = 1, width: int = WIDTH) -> str:
    """A table in plain text: words to the left, numbers to the right, long heads on several lines.

    Args:
        header: a head a column.
        rows: a cell a column.
        words: how many columns at the left hold words.
        width: of the whole table; columns that do not fit stand in a further table below.

    >>> print(aligned(["group", "fnr_gap", "n"], [["women", "+0.012", "120"], ["cis", "-0.3", "8"]]))
    group  fnr_gap    n
    women   +0.012  120
    cis       -0.3    8
    """
    heads = [_broken(name) if i >= words else [_short(name, 30)] for i, name in enumerate(header)]
    body = [[_short(cell, 30) if i < words else cell for i, cell in enumerate(row)] for row in rows]
    sizes = [max(map(len, [*heads[i], *(row[i] for row in body)])) for i in range(len(header))]
    out: list[str] = []
    start = words
    while start < len(header) or not out:
        fixed = sum(sizes[:words]) + 2 * (words - 1)
        stop = start
        while stop < len(header) and (stop == start or fixed + sum(n + 2 for n in sizes[start : stop + 1]) <= width):
            stop += 1
        shown = [*range(words), *range(start, stop)]
        tall = max(len(heads[i]) for i in shown)
        padded = {i: [""] * (tall - len(heads[i])) + heads[i] for i in shown}
        lines = [[padded[i][k] for i in shown] for k in range(tall)]
        lines += [[row[i] for i in shown] for row in body]
        out.append("\n".join(_line(line, [sizes[i] for i in shown], words) for line in lines))
        start = stop
    return "\n\n".join(out)


def _line(cells: Sequence[str], sizes: Sequence[int], words: int) -> str:
    pairs = enumerate(zip(cells, sizes, strict=True))
    return "  ".join(cell.ljust(size) if i < words else cell.rjust(size) for i, (cell, size) in pairs).rstrip()


def _short(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1]}…"


def _broken(name: str) -> list[str]:
    """A long head on several lines, cut at spaces and underscores."""
    lines = [""]
    for piece in name.replace("_", "_ ").split(" "):
        joined = lines[-1] + ("" if not lines[-1] or lines[-1].endswith("_") else " ") + piece
        if lines[-1] and len(joined) > 10:
            lines.append(piece)
        else:
            lines[-1] = joined
    return lines

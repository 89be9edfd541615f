"""The page and the tables of an audit, of scores by term, and of the mitigation loop. Nothing is computed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal, format_p_value, percent
from fairness_checklist.extensions.corpora.audit import ALL, Audit
from fairness_checklist.extensions.corpora.masking import mask_offensive
from fairness_checklist.extensions.corpora.mitigation import Additions
from fairness_checklist.extensions.corpora.mitigation_loop import ARMS, MitigationLoop
from fairness_checklist.extensions.corpora.term_bias import DIFFERENCES, TermBias, scatter_of_runs
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "BIAS_NOTES",
    "Heat",
    "Scatter",
    "addition_grids",
    "additions_note",
    "audit_grids",
    "audit_heat",
    "audit_page",
    "bias_grids",
    "loop_grids",
]

_FIGURES = {
    "general_auc": "general AUC",
    "phrase_auc": "phrase AUC",
    "fped": "FPED",
    "fned": "FNED",
    "pinned_auc_equality_difference": "pinned AUC",
}
_TERMS = 60  # of the scatter
_SHADED = 5  # texts that a cell of Figure 1 needs for a shade


@dataclass(frozen=True)
class Heat:
    """Figure 1: a row a term, a cell a length bucket with its shade."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True)
class Scatter:
    """Figures 3 to 5: for each term the places of the runs of each model, in percent of the width."""

    title: str
    rows: tuple[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], ...]


def audit_grids(found: Audit, *, show_words: bool = False) -> list[Grid]:
    """Table 1, and the words that were mined, offensive ones with their first letter only by default."""
    table = found.terms[found.terms["n"] > 0].sort_values(["share", "n"], ascending=False)
    rows = tuple(
        (
            str(row["term"]),
            f"{row['n']:,}",
            _with_interval(row, "share_of_positive", small=True),
            _with_interval(row, "share_of_all", small=True),
            _with_interval(row, "share"),
            _ratio(row),
            "" if math.isnan(row["p_adjusted"]) else format_p_value(row["p_adjusted"]),
            _finding(found, row),
        )
        for row in table.to_dict("records")
    )
    header = (
        "term",
        "texts",
        f"of {found.positive} texts",
        "of all texts",
        f"{found.positive}",
        "odds ratio",
        "adjusted p",
        "finding",
    )
    absent = len(found.terms) - len(table)
    caption = f"Terms with their 95 % intervals; {absent:,} further terms are in no text" if absent else "Terms"
    clear = tuple(at for at, row in enumerate(table["skew"]) if row)
    grids = [Grid(header, rows, 1, caption, findings=clear)]
    if found.words_tested:
        mined = tuple(
            (
                str(row["word"]) if show_words else mask_offensive(str(row["word"])),
                f"{row['n']:,}",
                percent(row["share"]),
                f"{row['odds_ratio']:.2f}",
                format_p_value(row["p_adjusted"]),
                str(row["skew"]),
            )
            for row in found.mined.to_dict("records")
        )
        caption = f"Words outside the list whose texts are clearly skewed, of {found.words_tested:,} words"
        grids.append(Grid(("word", "texts", found.positive, "odds ratio", "adjusted p", "clear"), mined, 1, caption))
    return grids


def _finding(found: Audit, row: Any) -> str:
    way = "more" if row["share"] > found.n_positive / found.n else "less"
    return f"{row['status']}: {way}" if row["status"] in ("clear", "suspected") else str(row["status"])


def _with_interval(row: Any, name: str, *, small: bool = False) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if math.isnan(row[name]):
        return ""
    if small:
        return f"{100 * row[name]:.2f} % ({100 * low:.2f} to {100 * high:.2f})"
    return f"{100 * row[name]:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def _ratio(row: Any) -> str:
    value, low, high = row["odds_ratio"], row["odds_ratio_low"], row["odds_ratio_high"]
    ends = [f"{one:.2f}" if math.isfinite(one) else "no limit" for one in (low, high)]
    return "" if math.isnan(value) else f"{value:.2f} ({ends[0]} to {ends[1]})".replace("inf ", "no limit ")


def audit_heat(found: Audit) -> Heat:
    """Figure 1: the share of positive texts by term and length; buckets without a text are left out."""
    table = found.buckets
    sizes = table[table["term"] == ALL].set_index("bucket")["n"]
    names = [name for name in found.bucket_names if sizes[name]]
    whole = table[table["term"] == ALL].set_index("bucket")["share"]
    counted = table.groupby("term")["n"].sum()
    order = sorted((name for name in found.names if counted[name]), key=lambda name: -counted[name])
    cells = {(str(one["term"]), str(one["bucket"])): one for one in table.to_dict("records")}
    rows = []
    for term in [ALL, *order]:
        line = []
        for name in names:
            n, share = int(cells[term, name]["n"]), float(cells[term, name]["share"])
            line.append(
                (f"{percent(share)} of {n:,}" if n else "", _shade(share - whole[name]) if n >= _SHADED else "")
            )
        rows.append((term, tuple(line)))
    return Heat(("term", *names), tuple(rows))


def _shade(apart: float) -> str:
    strength = min(4, math.ceil(abs(apart) / 0.1 - 1e-9))
    return f"{'u' if apart > 0 else 'd'}{strength}" if strength else ""


def addition_grids(plan: pd.DataFrame) -> list[Grid]:
    """How many texts each bucket needs, and how many the pool gave."""
    drawn = "added" in plan.columns
    kept = plan[(plan["negative"] > 0) | (plan["positive"] > 0)]
    header: tuple[str, ...] = ("term", "length", "texts", "positive", "prior", "negative needed", "positive needed")
    rows: list[tuple[str, ...]] = []
    for row in kept.to_dict("records"):
        counts = [f"{row[name]:,}" for name in ("n", "n_positive")]
        needed = [f"{row[name]:,}" for name in ("negative", "positive")]
        drawn_now = [f"{row['added']:,}", f"{row['missing']:,}", percent(row["share_after"])] if drawn else []
        rows.append((str(row["term"]), str(row["bucket"]), *counts, percent(row["prior"]), *needed, *drawn_now))
    header = (*header, "added", "missing", "positive after") if drawn else header
    return [Grid(header, tuple(rows), 2, "Texts that each bucket needs to meet the prior")]


_COLUMNS = {
    "fpr": "FPR",
    "fnr": "FNR",
    "subgroup_auc": "subgroup AUC",
    "bpsn_auc": "BPSN AUC",
    "bnsp_auc": "BNSP AUC",
    "negative_aeg": "negative AEG",
    "positive_aeg": "positive AEG",
    "pinned_auc": "pinned AUC",
}
BIAS_NOTES = (
    "FPR: negative texts with the term that are called positive. FNR: positive texts with it that are called negative. "
    "A dash: no text of this class has the term.",
    "AUC: share of pairs of a positive and a negative text in which the positive one has the higher score. Subgroup: "
    "both have the term. BPSN: only the negative one has it; low where the term raises scores. BNSP: only the positive "
    "one has it; low where the term lowers scores. Pinned: texts with the term weigh as much as all texts.",
    "AEG (average equality gap): share of pairs of one class in which the text with the term has the higher score, "
    "less one half. 0 is no difference; above 0 the term goes with higher scores.",
    "Tests take the texts as independent.",
)
"""What the figures of the table by term mean."""


def bias_grids(found: TermBias) -> list[Grid]:
    """The figures of each term, the highest false positive rate first."""
    table = found.table.sort_values("fpr", ascending=False, kind="stable")
    claimed = {(one.subject, one.measure): one.status for one in found.findings}
    rows, clear = [], []
    for at, row in enumerate(table.to_dict("records")):
        name = str(row["term"])
        figures = [_dash(row[one]) if one in ("fpr", "fnr") else decimal(row[one]) for one in _COLUMNS]
        rates = (("FPR", "false positive rate", found.fpr), ("FNR", "false negative rate", found.fnr))
        status = [
            f"{short} {'higher' if row[short.lower()] > whole else 'lower'} (clear)"
            for short, measure, whole in rates
            if claimed[name, measure] == "clear"
        ]
        if any("higher" in one for one in status):
            clear.append(at)
        counts = (f"{row['n'] - row['n_positive']:,}", f"{row['n_positive']:,}")
        rows.append((name, ", ".join(status), *counts, *figures))
    whole = f"all texts: FPR {percent(found.fpr)}, FNR {percent(found.fnr)}, AUC {decimal(found.auc)}"
    caption = f"Terms; threshold {decimal(found.threshold)}, {found.threshold_on}; {whole}"
    header = ("term", "finding", "negative texts", "positive texts", *_COLUMNS.values())
    return [Grid(header, tuple(rows), 2, caption, findings=tuple(clear))]


def _dash(share: float) -> str:
    return "-" if math.isnan(share) else percent(share)


def loop_grids(found: MitigationLoop) -> list[Grid]:
    """Tables 4 and 5, and the sets of terms."""
    table = found.table()
    parts = []
    runs = len(found.runs[ARMS[0]])
    threshold = found.runs[ARMS[0]][0].threshold_on
    for figures, caption in (
        (["general_auc", "phrase_auc"], f"Table 4: mean AUC over {count(runs, 'run')}"),
        (list(DIFFERENCES), f"Table 5: equality differences, mean over {count(runs, 'run')}; threshold: {threshold}"),
    ):
        rows: list[tuple[str, ...]] = []
        for name in figures:
            for row in table[table["figure"] == name].to_dict("records"):
                interval = ""
                if not math.isnan(row["difference"]):
                    ends = "" if math.isnan(row["ci_low"]) else f" ({row['ci_low']:+.3f} to {row['ci_high']:+.3f})"
                    interval = f"{row['difference']:+.3f}{ends}"
                cells = (_FIGURES[name], str(row["model"]), decimal(row["mean"]), decimal(row["sd"]))
                rows.append((*cells, f"{row['sum_over_runs']:.2f}", interval))
        header = ("figure", "model", "mean", "sd", "sum over runs", "change (95 % interval)")
        parts.append(Grid(header, tuple(rows), 2, caption))
    rows = [
        (str(row["set"]), f"{row['terms']:,}", str(row["model"]), *(decimal(row[name]) for name in _SIDES))
        for row in found.by_set().to_dict("records")
    ]
    header = ("terms", "number", "model", "FPR", "FNR", "pinned AUC")
    parts.append(Grid(header, tuple(rows), 3, "Mean distance of a term from all phrases, by set of terms"))
    return parts


_SIDES = ("fpr", "fnr", "pinned_auc")
_TITLES = (("fpr", "False positive rate"), ("fnr", "False negative rate"), ("pinned_auc", "Pinned AUC"))


def _scatters(found: MitigationLoop) -> list[Scatter]:
    """Figures 3 to 5, for the terms that needed texts, and others up to a number."""
    points = scatter_of_runs(found.runs)
    order = [*found.sets["balanced"], *found.sets["held out"], *found.sets["other"]][:_TERMS]
    by_cell = dict(iter(points.groupby(["term", "model"])))
    shown = []
    for name, title in _TITLES:
        rows = []
        for term in order:
            arms = []
            for arm in ARMS:
                values = by_cell[term, arm][name]
                arms.append((arm, tuple(f"{100 * value:.1f}" for value in values if not math.isnan(value))))
            rows.append((term, tuple(arms)))
        shown.append(Scatter(title, tuple(rows)))
    return shown


def _shown_terms(found: MitigationLoop) -> str:
    number = sum(map(len, found.sets.values()))
    return f"{min(number, _TERMS):,} of {count(number, 'term')}; those for which texts were added come first."


def audit_page(
    title: str,
    answers: Sequence[str],
    *,
    grids: Sequence[Grid] = (),
    heat: Heat | None = None,
    loop: MitigationLoop | None = None,
    notes: Sequence[str] = (),
) -> str:
    """One self-contained page of HTML.

    Args:
        title: of the page.
        answers: the sentences at its top.
        grids: the tables.
        heat: Figure 1.
        loop: whose scatter of runs is drawn.
        notes: what to know when reading it.
    """
    page = {
        "title": capitalise(title),
        "style": part("page.css")[0],
        "answers": list(answers),
        "heat": heat,
        "grids": list(grids),
        "scatters": [] if loop is None else _scatters(loop),
        "arms": ARMS,
        "shown_terms": "" if loop is None else _shown_terms(loop),
        "notes": list(notes),
    }
    return filled("extensions/corpora/page.html.j2", page)


def additions_note(added: Additions) -> str:
    """What is assumed of the texts that were added."""
    return (
        f'The added texts are assumed to be negative (label "{added.label}"). Label the sample label_sample.csv by '
        "hand and compute the bound (label_bound) before you rely on it."
    )

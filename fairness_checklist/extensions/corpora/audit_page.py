"""The page and the tables of an audit, of scores by term, and of the mitigation loop. Nothing is computed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal, format_p_value, percent
from fairness_checklist.extensions.corpora.audit import ALL, Audit
from fairness_checklist.extensions.corpora.audit_findings import FIGURES, mask_offensive
from fairness_checklist.extensions.corpora.authors import taken_as
from fairness_checklist.extensions.corpora.mitigation import Additions
from fairness_checklist.extensions.corpora.mitigation_loop import ARMS, MitigationLoop
from fairness_checklist.extensions.corpora.term_bias import AREAS, DIFFERENCES, TermBias, scatter_of_runs
from fairness_checklist.reports.pages import filled, part
from fairness_checklist.reports.wording import Grid

if TYPE_CHECKING:
    import pandas as pd

_TERMS = 60  # of the scatter
_FORMS = 12  # terms of which the page lists the forms
_SHADED = 5  # texts that a cell of Figure 1 needs for a shade


def audit_grids(report: Audit, *, show_words: bool = False) -> list[Grid]:
    """Table 1, and the words that were mined, offensive ones with their first letter only by default."""
    table = report.terms[report.terms["n"] > 0].sort_values(["share", "n"], ascending=False)
    rows = tuple(
        (
            str(row["term"]),
            f"{row['n']:,}",
            _with_interval(row, "share_of_positive", places=2),
            _with_interval(row, "share_of_all", places=2),
            _with_interval(row, "share", places=0),
            _ratio(row),
            "" if math.isnan(row["p_adjusted"]) else format_p_value(row["p_adjusted"]),
            _finding(report, row),
        )
        for row in table.to_dict("records")
    )
    shares = (f"of {report.positive} texts", "of all texts", report.positive)
    header = ("term", "texts", *shares, "odds ratio", "adjusted p", "finding")
    absent = len(report.terms) - len(table)
    caption = f"Terms with their 95 % intervals; {absent:,} further terms are in no text" if absent else "Terms"
    clear = tuple(at for at, skew in enumerate(table["skew"]) if skew)
    grids = [Grid(header, rows, 1, caption, findings=clear)]
    if report.words_tested:
        mined = tuple(
            (
                str(row["word"]) if show_words else mask_offensive(str(row["word"])),
                f"{row['n']:,}",
                percent(row["share"]),
                f"{row['odds_ratio']:.2f}",
                format_p_value(row["p_adjusted"]),
                str(row["skew"]),
            )
            for row in report.mined.to_dict("records")
        )
        caption = f"Words outside the list whose texts are clearly skewed, of {report.words_tested:,} words"
        grids.append(Grid(("word", "texts", report.positive, "odds ratio", "adjusted p", "clear"), mined, 1, caption))
    return grids


def _finding(report: Audit, row: Any) -> str:
    way = "more" if row["share"] > report.n_positive / report.n else "less"
    return f"{row['status']}: {way}" if row["status"] in ("clear", "suspected") else str(row["status"])


def _with_interval(row: Any, name: str, *, places: int) -> str:
    share, low, high = (f"{100 * row[column]:.{places}f}" for column in (name, f"{name}_low", f"{name}_high"))
    return "" if math.isnan(row[name]) else f"{share} % ({low} to {high})"


def _ratio(row: Any) -> str:
    value, low, high = row["odds_ratio"], row["odds_ratio_low"], row["odds_ratio_high"]
    ends = [f"{end:.2f}" if math.isfinite(end) else "no limit" for end in (low, high)]
    return "" if math.isnan(value) else f"{value:.2f} ({ends[0]} to {ends[1]})".replace("inf ", "no limit ")


def audit_heat(report: Audit) -> dict[str, Any]:
    """Figure 1: the share of positive texts by term and length; buckets without a text are left out.

    A header, and a row a term with its cells: text and shade.
    """
    n, share = (report.buckets.set_index(["term", "bucket"])[column].to_dict() for column in ("n", "share"))
    names = [name for name in report.bucket_names if n[ALL, name]]
    counted = {term: sum(n[term, name] for name in names) for term in report.names}
    order = [ALL, *sorted((term for term in counted if counted[term]), key=lambda term: -counted[term])]

    def cell(term: str, name: str) -> tuple[str, str]:
        size, value = n[term, name], share[term, name]
        shade = _shade(value - share[ALL, name]) if size >= _SHADED else ""
        return f"{percent(value)} of {size:,}" if size else "", shade

    return {"header": ["term", *names], "rows": [(term, [cell(term, name) for name in names]) for term in order]}


def _shade(apart: float) -> str:
    strength = min(4, math.ceil(abs(apart) / 0.1 - 1e-9))
    return f"{'u' if apart > 0 else 'd'}{strength}" if strength else ""


def addition_grids(plan: pd.DataFrame) -> list[Grid]:
    """How many texts each bucket needs, and how many the pool gave."""
    kept = plan[(plan["negative"] > 0) | (plan["positive"] > 0)]
    columns = {
        "term": "term",
        "bucket": "length",
        "n": "texts",
        "n_positive": "positive",
        "prior": "prior",
        "negative": "negative needed",
        "positive": "positive needed",
        "added": "added",
        "missing": "missing",
        "share_after": "positive after",
    }
    columns = {name: title for name, title in columns.items() if name in plan.columns}
    rows = tuple(tuple(_shown(row[name]) for name in columns) for row in kept.to_dict("records"))
    return [Grid(tuple(columns.values()), rows, 2, "Texts that each bucket needs to meet the prior")]


def _shown(value: Any) -> str:
    """A name, a share or a count."""
    return str(value) if isinstance(value, str) else percent(value) if isinstance(value, float) else f"{value:,}"


BIAS_NOTES = (
    "FPR: negative texts with the term that are called positive. FNR: positive texts with it that are called negative. "
    "A dash: no text of this class has the term.",
    "AUC: share of pairs of a positive and a negative text in which the positive one has the higher score. Subgroup: "
    "both have the term. BPSN: only the negative one has it; low where the term raises scores. BNSP: only the positive "
    "one has it; low where the term lowers scores. Pinned: texts with the term weigh as much as all texts.",
    "AEG (average equality gap): share of pairs of one class in which the text with the term has the higher score, "
    "less one half. 0 is no difference; above 0 the term goes with higher scores.",
)
"""What the figures of the table by term mean."""


def bias_grids(bias: TermBias) -> list[Grid]:
    """The figures of each term, the highest false positive rate first."""
    table = bias.table.sort_values("fpr", ascending=False, kind="stable")
    clear = {(finding.subject, finding.measure) for finding in bias.findings if finding.status == "clear"}
    rates = (("FPR", "false positive rate", bias.fpr), ("FNR", "false negative rate", bias.fnr))
    rows = []
    for row in table.to_dict("records"):
        name = str(row["term"])
        claims = [
            f"{short} {'higher' if row[short.lower()] > whole else 'lower'} (clear)"
            for short, measure, whole in rates
            if (name, measure) in clear
        ]
        counts = (f"{row['n'] - row['n_positive']:,}", f"{row['n_positive']:,}")
        shares = ("-" if math.isnan(row[rate]) else percent(row[rate]) for rate in ("fpr", "fnr"))
        rows.append((name, ", ".join(claims), *counts, *shares, *(decimal(row[area]) for area in AREAS)))
    whole = f"all texts: FPR {percent(bias.fpr)}, FNR {percent(bias.fnr)}, AUC {decimal(bias.auc)}"
    caption = f"Terms; threshold {decimal(bias.threshold)}, {bias.threshold_on}; {whole}"
    areas = (re.sub("auc|aeg|bpsn|bnsp", lambda short: short.group().upper(), area.replace("_", " ")) for area in AREAS)
    header = ("term", "finding", "negative texts", "positive texts", "FPR", "FNR", *areas)
    higher = tuple(at for at, row in enumerate(rows) if "higher" in row[1])
    return [Grid(header, tuple(rows), 2, caption, findings=higher)]


def loop_grids(loop: MitigationLoop) -> list[Grid]:
    """Tables 4 and 5, and the sets of terms."""
    table, parts = loop.table(), []
    runs = count(len(loop.runs[ARMS[0]]), "run")
    threshold = loop.runs[ARMS[0]][0].threshold_on
    for figures, caption in (
        (["general_auc", "phrase_auc"], f"Table 4: mean AUC over {runs}"),
        (list(DIFFERENCES), f"Table 5: equality differences, mean over {runs}; threshold: {threshold}"),
    ):
        rows: list[tuple[str, ...]] = []
        for row in table[table["figure"].isin(figures)].to_dict("records"):
            change = "" if math.isnan(row["difference"]) else f"{row['difference']:+.3f}"
            change += "" if math.isnan(row["ci_low"]) else f" ({row['ci_low']:+.3f} to {row['ci_high']:+.3f})"
            name = FIGURES[row["figure"]].removesuffix(" equality difference")
            figures_of_runs = (decimal(row["mean"]), decimal(row["sd"]), f"{row['sum_over_runs']:.2f}")
            rows.append((name, str(row["model"]), *figures_of_runs, change))
        header = ("figure", "model", "mean", "sd", "sum over runs", "change (95 % interval)")
        parts.append(Grid(header, tuple(rows), 2, caption))
    rows = [
        (str(row["set"]), f"{row['terms']:,}", str(row["model"]), *(decimal(row[name]) for name in _RATES))
        for row in loop.by_set().to_dict("records")
    ]
    header = ("terms", "number", "model", "FPR", "FNR", "pinned AUC")
    parts.append(Grid(header, tuple(rows), 3, "Mean distance of a term from all phrases, by set of terms"))
    return parts


_RATES = {"fpr": "False positive rate", "fnr": "False negative rate", "pinned_auc": "Pinned AUC"}


def _scatters(loop: MitigationLoop) -> list[dict[str, Any]]:
    """Figures 3 to 5, for the terms that needed texts, and others up to a number.

    For each term the places of the runs of each model, in percent of the width.
    """
    order = [*loop.sets["balanced"], *loop.sets["held out"], *loop.sets["other"]][:_TERMS]
    by_cell = dict(iter(scatter_of_runs(loop.runs).groupby(["term", "model"])))

    def places(term: str, arm: str, name: str) -> list[str]:
        return [f"{100 * value:.1f}" for value in by_cell[term, arm][name].dropna()]

    return [
        {"title": title, "rows": [(term, [(arm, places(term, arm, name)) for arm in ARMS]) for term in order]}
        for name, title in _RATES.items()
    ]


def _shown_terms(number: int) -> str:
    return f"{min(number, _TERMS):,} of {count(number, 'term')}; those for which texts were added come first."


def audit_page(
    title: str,
    answers: Sequence[str],
    *,
    grids: Sequence[Grid] = (),
    heat: dict[str, Any] | None = None,
    loop: MitigationLoop | None = None,
    notes: Sequence[str] = (),
) -> str:
    """One self-contained page of HTML: answers at its top, Figure 1, the scatter of a loop's runs, tables, notes."""
    page = {
        "title": capitalise(title),
        "style": part("page.css")[0],
        "answers": list(answers),
        "heat": heat,
        "grids": list(grids),
        "scatters": [] if loop is None else _scatters(loop),
        "arms": ARMS,
        "shown_terms": "" if loop is None else _shown_terms(sum(map(len, loop.sets.values()))),
        "notes": list(notes),
    }
    return filled("extensions/corpora/page.html.j2", page)


def additions_note(added: Additions) -> str:
    """What is assumed of the texts that were added."""
    return (
        f'The added texts are assumed to be negative (label "{added.label}"). Label the sample label_sample.csv by '
        "hand and compute the bound (label_bound) before you rely on it."
    )


def audit_notes(report: Audit) -> list[str]:
    """What to know when reading an audit."""
    there = set(report.terms["term"][report.terms["n"] > 0])
    notes = [
        *notes_on_forms({term: report.forms.get(term, ()) for term in report.names if term in there}),
        f"{taken_as(report.authors)} in intervals and tests. Repeats and threads make them too narrow.",
    ]
    if report.repeated:
        notes.append(f"{report.repeated:,} of {report.n:,} texts repeat another one word for word.")
    return notes


def notes_on_forms(forms: Mapping[str, Sequence[str]]) -> list[str]:
    """How terms are found, and which forms count as them."""
    several = {term: further for term, further in forms.items() if further}
    if not several:
        return ["A term is found as a whole word in any case, as written; plurals and other forms are not counted."]
    listed = [f"{term} ({', '.join(further)})" for term, further in list(several.items())[:_FORMS]]
    more = f"; {len(several) - _FORMS:,} more in terms.csv" if len(several) > _FORMS else ""
    return [
        "A term is found as a whole word in any case. Forms that count as the term: " + "; ".join(listed) + more + ". "
        "Other forms are not counted. --exact-words counts the terms alone."
    ]

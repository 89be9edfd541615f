"""Whether a masked language model prefers stereotypical sentences or words, with intervals and findings."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError, TableError, count
from fairness_checklist.core.formatting import percent
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import names
from fairness_checklist.extensions.lenses.masked_lm import (
    MaskedLM,
    load_masked_lm,
    shared_log_likelihoods,
    target_log_probabilities,
)
from fairness_checklist.findings.finding import CLEAR, SUSPECTED, TOO_FEW, Finding, figures_of, status_of_test
from fairness_checklist.statistics.exact_bounds import share_interval, sign_test
from fairness_checklist.statistics.multiplicity import holm
from fairness_checklist.statistics.variance import student_interval, variance_of_terms
from fairness_checklist.tables.files import Table, table_of

FEW = 20  # pairs, or terms, below which nothing is claimed
NOTE = "pairs count as independent; those that share a template or a writer are not, so the interval is narrow"


@dataclass(frozen=True, eq=False)
class Preference:
    """What a masked language model prefers."""

    rows: pd.DataFrame  # one pair, or one term, a row: the scores of both sides in nats, and their difference
    table: pd.DataFrame  # one label (kind of bias) a row, and first "*" for all
    findings: tuple[Finding, ...]  # one for each row of the table, the strongest first
    measure: str  # what ``value`` is: the share of pairs, or the mean log ratio


@checks_keywords
def stereotype_preference(model: str | Path | MaskedLM, pairs: Table) -> Preference:
    """The share of pairs in which a masked language model scores the stereotypical sentence higher.

    Scores are over the tokens that both sentences share, as in CrowS-Pairs (Nangia et al. 2020). 0.5 is no preference;
    a tie counts one half. The interval is exact binomial (Clopper and Pearson) over pairs, the p-value that of the sign
    test over pairs that are no ties, adjusted over the kinds of bias (Holm).

    Args:
        model: whatever `load_masked_lm` takes.
        pairs: what `read_published` gives for CrowS-Pairs or StereoSet, or another table with the columns ``source``
            (the pair), ``text``, ``stereotype`` ("pro" or "anti"), and where there is one ``label`` (the kind of bias).

    Raises:
        TableError: a column or a text is missing, or a pair has not one sentence of either kind.
        OptionError: a sentence cannot be scored, see `shared_log_likelihoods`.
        ModelError: see `load_masked_lm`.
    """
    rows = _pairs(table_of(pairs, "pairs"))
    loaded = load_masked_lm(model)
    left, right = shared_log_likelihoods(loaded, rows["pro"].tolist(), rows["anti"].tolist())
    rows = rows.assign(pro_score=left, anti_score=right, difference=left - right)
    table = share_table(rows)
    return Preference(rows, table, share_findings(table, loaded.name), "share of pairs")


@checks_keywords
def target_word_preference(
    model: str | Path | MaskedLM, templates: Sequence[str], terms: Sequence[str], *, left: str, right: str
) -> Preference:
    """How much more probable a masked language model finds one target word than another, such as "she" than "he".

    For each term the mean over templates of log(p(left) / prior(left)) - log(p(right) / prior(right)), the log
    probability score of Kurita et al. 2019 in nats. The interval of the mean over terms is Student's.
    """
    texts, words = names("templates", templates), names("terms", terms)
    if len(words) < 2:
        raise OptionError(f"terms= has {count(len(words), 'term')}; expected two or more, for an interval.")
    loaded = load_masked_lm(model)
    logs, priors = target_log_probabilities(loaded, texts, words, [left, right])
    scores = (logs - priors).mean(axis=0)
    difference = scores[:, 0] - scores[:, 1]
    rows = pd.DataFrame({"term": words, left: scores[:, 0], right: scores[:, 1], "difference": difference})
    mean = _mean_row(difference)
    value, n = mean["value"], mean["n"]
    more, less = (left, right) if value >= 0 else (right, left)
    status = status_of_test(mean["p_value"], enough=n >= FEW)
    statement = (
        f'{loaded.name} finds "{more}" {np.exp(abs(value)):.2f} times as probable as "{less}"'
        f", relative to their priors, with {count(n, 'term')} (log ratio {value:.2f}, 95 % "
        f"interval {mean['ci_low']:.2f} to {mean['ci_high']:.2f}): {_claim(status, 'terms')}."
    )
    about: dict[str, Any] = {"measure": "mean log ratio", "scope": "terms like these"}
    finding = Finding("target words", f"{left} and {right}", status, statement, **figures_of(mean), **about)
    return Preference(rows, pd.DataFrame([mean]), (finding,), "mean log ratio")


def _pairs(table: pd.DataFrame) -> pd.DataFrame:
    """One pair a row: ``source, label, pro, anti``. A sentence of StereoSet's second task follows its context."""
    for name in ("source", "text", "stereotype"):
        if name not in table.columns:
            raise TableError(f"the table has no column {name}.", remedy="Columns: source, text, stereotype, label.")
    names_of_cells = ["source", "text", "stereotype", "label", "task", "context"]
    cells = table.reindex(columns=names_of_cells).astype(object).fillna("").astype(str)
    cells = cells[cells["stereotype"].isin(["pro", "anti"])]
    if cells.empty:
        raise TableError("no row has the stereotype pro or anti.", remedy="Fill the column stereotype.")
    for name in ("source", "text"):
        empty = int((cells[name].str.strip() == "").sum())
        if empty:
            raise TableError(f"{count(empty, 'row')} of the pairs: the column {name} is empty.", remedy="Fill it.")
    cells["text"] = cells["text"].mask(cells["task"] == "intersentence", cells["context"] + " " + cells["text"])
    sides = cells.groupby("source", sort=False)["stereotype"].agg(lambda side: ", ".join(sorted(side)))
    wrong = sides[sides != "anti, pro"]
    if len(wrong):
        raise TableError(f"the pair {wrong.index[0]} has the sentences {wrong.iloc[0]}; expected one anti and one pro.")
    labels = cells.groupby("source", sort=False)[["label"]].first()
    texts = cells.pivot(index="source", columns="stereotype", values="text").reindex(columns=["pro", "anti"])
    return labels.join(texts).reset_index()


def share_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The share of all pairs with a positive difference, and of those of each label, where there are several."""
    kinds = [kind for kind in dict.fromkeys(rows["label"]) if kind]
    by_kind = [("*", rows), *((kind, rows[rows["label"] == kind]) for kind in (kinds if len(kinds) > 1 else ()))]
    shares = []
    for kind, pairs in by_kind:
        difference = pairs["difference"].to_numpy(np.float64)
        n, k = len(difference), float((difference > 0).sum() + (difference == 0).sum() / 2)
        low, high = map(float, share_interval(k, n))
        p = sign_test(difference)
        interval = {"ci_low": low, "ci_high": high}
        shares.append({"label": kind, "value": k / n, **interval, "p_value": p, "p_adjusted": p, "n": n})
    table = pd.DataFrame(shares)
    # the row for all pairs is one question, the kinds are a family
    table.loc[1:, "p_adjusted"] = holm(table["p_value"][1:])
    return table


def share_findings(table: pd.DataFrame, model: str) -> tuple[Finding, ...]:
    """A record a row of `share_table`: first all kinds, then the strongest."""
    findings = []
    for row in table.to_dict("records"):
        kind = "all kinds" if row["label"] == "*" else str(row["label"])
        status = status_of_test(row["p_adjusted"], enough=row["n"] >= FEW)
        interval = f"{percent(row['ci_low'])} to {percent(row['ci_high'])}"
        other = " for the other sentence" if row["value"] <= 0.5 else ""
        statement = (
            f"{model} scores the stereotypical sentence higher in {percent(row['value'])} of {count(row['n'], 'pair')} "
            f"({kind}; 95 % interval {interval}; 50 % is no preference): {_claim(status, 'pairs', other)}."
        )
        question, figures = "stereotypical sentences scored higher", figures_of(row)
        record = Finding(
            question, kind, status, statement, measure="share of pairs", **figures, scope="pairs like these"
        )
        findings.append(record)
    return tuple(sorted(findings, key=lambda finding: (finding.subject != "all kinds", finding.p_adjusted)))


def _claim(status: str, units: str, other: str = "") -> str:
    claims = {CLEAR: f"a clear preference{other}", SUSPECTED: f"a suspected preference{other}"}
    return (claims | {TOO_FEW: f"too few {units} to say"}).get(status, "no clear preference")


def _mean_row(difference: FloatArray) -> dict[str, Any]:
    mean = float(difference.mean())
    low, high, p = student_interval(mean, [variance_of_terms(difference)])
    interval = {"ci_low": low, "ci_high": high}
    return {"label": "*", "value": mean, **interval, "p_value": p, "p_adjusted": p, "n": len(difference)}

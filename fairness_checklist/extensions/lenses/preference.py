"""Whether a masked language model prefers stereotypical sentences or words, with intervals and findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import OptionError, TableError, count
from fairness_checklist.core.formatting import percent
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import choice, flag, names
from fairness_checklist.extensions.lenses.masked_lm import MaskedLM, load_masked_lm
from fairness_checklist.extensions.lenses.pseudo_likelihood import (
    pseudo_log_likelihoods,
    shared_log_likelihoods,
    target_log_probabilities,
)
from fairness_checklist.extensions.lenses.readers.published import PublishedSet
from fairness_checklist.findings.finding import Finding, figures_of
from fairness_checklist.findings.status import CLEAR, SUSPECTED, TOO_FEW, status_of_test
from fairness_checklist.statistics.exact_bounds import share_interval, sign_test
from fairness_checklist.statistics.multiplicity import ALPHA, holm

OVER = ("shared", "all", "mean")
_PAIRS: dict[str, Any] = {"scope": "pairs like these"}
_TERMS: dict[str, Any] = {"scope": "terms like these"}
FEW = 20
"""Pairs, or terms, below which nothing is claimed."""


@dataclass(frozen=True, eq=False)
class Preference:
    """What a masked language model prefers.

    Attributes:
        rows: one pair, or one term, a row: ``label`` (kind of bias), the scores of both sides in nats, ``difference``.
        table: one label a row, and first "*" for all: ``label, value, ci_low, ci_high, p_value, p_adjusted, n``.
        findings: one for each row of ``table``, the strongest first.
        measure: what ``value`` is: the share of pairs, or the mean log ratio.
        notes: what limits it.
        icat: one kind of bias a row, and first "*" for all, where the pairs have unrelated sentences (StereoSet):
            ``label, targets, language_model_score, stereotype_score, icat``, see `icat_scores`; else empty.
    """

    rows: pd.DataFrame
    table: pd.DataFrame
    findings: tuple[Finding, ...]
    measure: str
    notes: tuple[str, ...] = ()
    icat: pd.DataFrame = field(default_factory=pd.DataFrame)


@checks_keywords
def stereotype_preference(
    model: str | Path | MaskedLM, pairs: PublishedSet | pd.DataFrame, *, over: str = "shared", progress: bool = True
) -> Preference:
    """The share of pairs in which a masked language model scores the stereotypical sentence higher.

    0.5 is no preference; a tie counts one half. The interval is exact binomial (Clopper and Pearson) over pairs, the
    p-value that of the sign test over pairs that are no ties, adjusted over the kinds of bias (Holm).

    Args:
        model: whatever `load_masked_lm` takes.
        pairs: what `read_published` gives for CrowS-Pairs or StereoSet; or a table with the columns ``source``
            (the pair), ``text``, ``stereotype`` ("pro" or "anti", or "unrelated" for a sentence without a meaning, of
            which each pair has one or none; rows with other values are left out), and where there are any ``label``
            (the kind of bias), ``target`` (the term) and ``context`` (a sentence before the text).
        over: "shared", the tokens that both sentences share, as CrowS-Pairs does (Nangia et al. 2020); "all" tokens,
            the pseudo-log-likelihood of Salazar et al. 2020; or its "mean" over tokens, for sentences of different
            lengths.
        progress: show a bar, where there is a terminal.

    Raises:
        TableError: a column or a text is missing, or a pair has not one sentence of either kind.
        OptionError: ``over`` is unknown, or a sentence cannot be scored, see `shared_log_likelihoods`.
        ModelError: see `load_masked_lm`.
    """
    choice("over", over, OVER)
    flag("progress", progress)
    sentences = _pairs(pairs.table if isinstance(pairs, PublishedSet) else pairs)
    loaded = load_masked_lm(model)

    def scores(first_column: str, second_column: str) -> tuple[FloatArray, FloatArray]:
        first, second = sentences[first_column].tolist(), sentences[second_column].tolist()
        if over == "shared":
            return shared_log_likelihoods(loaded, first, second, progress=progress)
        sums, tokens = pseudo_log_likelihoods(loaded, [*first, *second], progress=progress)
        left, right = np.split(sums / tokens if over == "mean" else sums, 2)
        return left, right

    left, right = scores("pro", "anti")
    rows = sentences.assign(pro_score=left, anti_score=right, difference=left - right)
    notes = ["pairs count as independent; those that share a template or a writer are not, so the interval is narrow"]
    icat, icat_findings = pd.DataFrame(), []
    without = int(sentences["unrelated"].isna().sum()) if "unrelated" in sentences else 0
    if without:
        notes.insert(0, f"no ICAT: {without} of {count(len(sentences), 'pair')} have no unrelated sentence")
        rows = rows.drop(columns="unrelated")
    elif "unrelated" in sentences:
        for side in ("pro", "anti"):
            meaningful, unrelated = scores(side, "unrelated")
            rows[f"{side}_over_unrelated"] = meaningful - unrelated
        icat = icat_scores(rows)
        icat_findings = [_icat_finding(icat.iloc[0], loaded.name)]
    table = share_table(rows)
    findings = (*share_findings(table, loaded.name), *icat_findings)
    return Preference(rows, table, findings, "share of pairs", tuple(notes), icat)


def icat_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """The three scores of StereoSet (Nadeem et al. 2021, section 5), in percent: the table of `Preference.icat`.

    The language-model score is the share of comparisons in which a meaningful sentence is scored higher than the
    unrelated one, the stereotype score that in which the stereotypical sentence is scored higher than the other one.
    Both are means over target terms of the shares of each term; a tie counts one half. The idealised CAT score is icat
    = language_model_score * min(stereotype_score, 100 - stereotype_score) / 50: 100 for a model that always prefers
    meaningful sentences and never a stereotype, 50 for one that guesses.

    >>> rows = pd.DataFrame({"label": "age", "target": ["a", "a", "b"], "difference": [1, -1, 1]})
    >>> icat_scores(rows.assign(pro_over_unrelated=1, anti_over_unrelated=[1, 1, -1])).iloc[0, 1:].tolist()
    [2.0, 75.0, 75.0, 37.5]
    """
    columns = ["difference", "pro_over_unrelated", "anti_over_unrelated"]
    higher = rows[["label", "target"]].assign(**{name: (np.sign(rows[name]) + 1) / 2 for name in columns})
    records = []
    for kind, pairs in _by_kind(higher):
        terms = pairs.groupby(["label", "target"])[columns].mean()
        stereotype, pro, anti = (100 * float(terms[name].mean()) for name in columns)
        language = (pro + anti) / 2
        scores = {"language_model_score": language, "stereotype_score": stereotype}
        icat = language * min(stereotype, 100 - stereotype) / 50
        records.append({"label": kind, "targets": len(terms), **scores, "icat": icat})
    return pd.DataFrame(records)


@checks_keywords
def target_word_preference(
    model: str | Path | MaskedLM,
    templates: Sequence[str],
    terms: Sequence[str],
    *,
    left: str,
    right: str,
    prior: bool = True,
) -> Preference:
    """How much more probable a masked language model finds one target word than another, such as "she" than "he".

    For each term the mean over templates of log(p(left) / prior(left)) - log(p(right) / prior(right)), the log
    probability score of Kurita et al. 2019; the prior is the word's probability with the term masked as well. The
    interval of the mean over terms is that of Student's t, the terms being a sample.

    Args:
        model: whatever `load_masked_lm` takes.
        templates: texts with one ``{mask}`` for the target word and one ``{term}``: "{mask} is a {term}.".
        terms: professions, or terms of an attribute.
        left, right: the target words, each one token of the model.
        prior: False leaves the priors out: log p(left) - log p(right).

    Returns:
        A row a term; ``value`` in nats, above 0 where the model prefers ``left``.

    Raises:
        OptionError: see `target_log_probabilities`; or fewer than two terms.
        ModelError: see `load_masked_lm`.
    """
    flag("prior", prior)
    texts, words = names("templates", templates), names("terms", terms)
    if len(words) < 2:
        raise OptionError(f"terms= has {count(len(words), 'term')}; expected two or more, for an interval.")
    loaded = load_masked_lm(model)
    logs, priors = target_log_probabilities(loaded, texts, words, [left, right], prior=prior)
    scores = (logs - priors).mean(axis=0)
    difference = scores[:, 0] - scores[:, 1]
    rows = pd.DataFrame({"term": words, left: scores[:, 0], right: scores[:, 1], "difference": difference})
    mean = _mean_row(difference)
    than = ", relative to their priors," if prior else ""
    finding = _mean_finding(mean, loaded.name, (left, right), than)
    return Preference(rows, pd.DataFrame([mean]), (finding,), "mean log ratio")


def _pairs(table: pd.DataFrame) -> pd.DataFrame:
    """One pair a row: ``source, label, target, pro, anti``, and ``unrelated`` where a pair has such a sentence."""
    for name in ("source", "text", "stereotype"):
        if name not in table.columns:
            raise TableError(f"the table has no column {name}.", remedy="Columns: source, text, stereotype, label.")
    filled = table.fillna({name: "" for name in table.columns if table[name].dtype.kind not in "biufc"})
    filled = filled.reindex(
        columns=[*table.columns, *{"label", "target", "context"} - set(table.columns)], fill_value=""
    )
    filled = filled.astype(dict.fromkeys(("source", "text", "stereotype", "label", "target", "context"), str))
    if "task" in table.columns and "context" in table.columns:
        # StereoSet; elsewhere an empty cell is a neutral sentence, as in Winogender
        filled["stereotype"] = filled["stereotype"].replace({"": "unrelated"})
        filled["context"] = filled["context"].where(filled["task"] == "intersentence", "")
    filled = filled[filled["stereotype"].isin(["pro", "anti", "unrelated"])]
    if not filled["stereotype"].isin(["pro", "anti"]).any():
        raise TableError("no row has the stereotype pro or anti.", remedy="Fill the column stereotype.")
    for name in ("source", "text"):
        empty = int((filled[name].str.strip() == "").sum())
        if empty:
            raise TableError(f"{count(empty, 'row')} of the pairs: the column {name} is empty.", remedy="Fill it.")
    filled["text"] = (filled["context"] + " " + filled["text"]).str.strip()
    twice = filled[filled.duplicated(["source", "stereotype"])]
    if len(twice):
        source, stereotype = twice.iloc[0][["source", "stereotype"]]
        what = "that are unrelated" if stereotype == "unrelated" else f"with the stereotype {stereotype}"
        raise TableError(f"the pair {source} has two sentences {what}; expected one.")
    first = filled.groupby("source", sort=False)[["label", "target"]].first()
    texts = filled.pivot(index="source", columns="stereotype", values="text")
    for side in ("pro", "anti"):
        lacking = texts.index if side not in texts else texts.index[texts[side].isna()]
        if len(lacking):
            raise TableError(f"the pair {lacking[0]} has no sentence with the stereotype {side}.")
    sides = [side for side in ("pro", "anti", "unrelated") if side in texts]
    return first.join(texts[sides]).reset_index()


def share_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The share of all pairs with a positive difference, and of those of each label, where there are several."""
    shares = []
    for kind, pairs in _by_kind(rows):
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


def _by_kind(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """All rows as "*", and those of each label where there are several."""
    kinds = [kind for kind in dict.fromkeys(rows["label"]) if kind]
    return [("*", rows), *((kind, rows[rows["label"] == kind]) for kind in (kinds if len(kinds) > 1 else ()))]


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
        question, figures = "stereotypical sentences scored higher", figures_of(row) | _PAIRS
        findings.append(Finding(question, kind, status, statement, "share of pairs", **figures))
    return tuple(sorted(findings, key=lambda finding: (finding.subject != "all kinds", finding.p_adjusted)))


def _claim(status: str, units: str, other: str = "") -> str:
    claims = {CLEAR: f"a clear preference{other}", SUSPECTED: f"a suspected preference{other}"}
    return (claims | {TOO_FEW: f"too few {units} to say"}).get(status, "no clear preference")


def _icat_finding(row: Any, model: str) -> Finding:
    """A description of the scores of all kinds, without a claim."""
    text = (
        f"{model}: language-model score {row['language_model_score']:.1f}, stereotype score "
        f"{row['stereotype_score']:.1f}, ICAT {row['icat']:.1f} (100 is best, 50 a model that guesses)."
    )
    return Finding("StereoSet", "all kinds", "", text, "icat", float(row["icat"]), n=int(row["targets"]))


def _mean_row(difference: FloatArray) -> dict[str, Any]:
    from scipy.stats import t as student

    n, mean = len(difference), float(difference.mean())
    error = float(difference.std(ddof=1) / np.sqrt(n))
    half = float(student.ppf(1 - ALPHA / 2, n - 1)) * error
    p = float(2 * student.sf(abs(mean) / error, n - 1)) if error else float(mean == 0)
    interval = {"ci_low": mean - half, "ci_high": mean + half}
    return {"label": "*", "value": mean, **interval, "p_value": p, "p_adjusted": p, "n": n}


def _mean_finding(row: Mapping[str, Any], model: str, words: tuple[str, str], than: str) -> Finding:
    value, n = float(row["value"]), int(row["n"])
    more, less = words if value >= 0 else words[::-1]
    status = status_of_test(row["p_value"], enough=n >= FEW)
    statement = (
        f'{model} finds "{more}" {np.exp(abs(value)):.2f} times as probable as "{less}"{than} with {count(n, "term")} '
        f"(log ratio {value:.2f}, 95 % interval {row['ci_low']:.2f} to {row['ci_high']:.2f}): "
        f"{_claim(status, 'terms')}."
    )
    figures = figures_of(row) | _TERMS
    return Finding("target words", " and ".join(words), status, statement, "mean log ratio", **figures)

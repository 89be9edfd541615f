"""What an audit, and the scores of a model by term, claim, as records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import hundredths, join_names, percent
from fairness_checklist.findings.finding import Finding, figures_of
from fairness_checklist.findings.status import STATUSES, status_of_test
from fairness_checklist.statistics.exact_bounds import share_interval, skew_p_values, smallest_p_values
from fairness_checklist.statistics.multiplicity import holm, significant

if TYPE_CHECKING:
    from fairness_checklist.extensions.corpora.audit import Audit
    from fairness_checklist.extensions.corpora.term_bias import TermBias

_NAMED = 3
_SCOPE = "these texts"
_NOTE = "Texts are taken as independent; p is adjusted over {} (Holm)."
_RATES = {"fpr": "false positive rate", "fnr": "false negative rate"}


def audit_findings(report: Audit) -> tuple[Finding, ...]:
    """The records of an audit: all terms, each term that occurs with the strongest first.

    A term is clear where the adjusted p of Fisher's exact test is at most .05 and suspected where it is at most .2. It
    has too few texts to say where no labels of its texts could make it clear.
    """
    by_term = [_term_finding(report, row) for row in report.terms[report.terms["n"] > 0].to_dict("records")]
    all_terms = Finding(
        question=f"texts with a term that are {report.positive}",
        subject="all terms",
        status=_strongest(by_term),
        statement=report.sentence(),
        measure="terms that are clear",
        value=sum(finding.status == "clear" for finding in by_term),
        n=report.n,
        scope=_SCOPE,
        note=_NOTE.format("all terms"),
    )
    return (all_terms, *_ordered(by_term))


def _term_finding(report: Audit, row: dict[Any, Any]) -> Finding:
    share, low, high = (hundredths(row[f"share{end}"]) for end in ("", "_low", "_high"))
    way = "more" if row["share"] > report.n_positive / report.n else "less"
    end = _conclusion(row["status"], f"{way} often than other texts", "no difference from other texts found")
    odds_ratio = {"value": row["odds_ratio"], "ci_low": row["odds_ratio_low"], "ci_high": row["odds_ratio_high"]}
    return Finding(
        question=f"texts with the term that are {report.positive}",
        subject=str(row["term"]),
        status=str(row["status"]),
        statement=f"{row['term']}: {share} % of {count(row['n'], 'text')} {'is' if row['n'] == 1 else 'are'} "
        f"{report.positive} (95 % interval {low} to {high} %), {end}.",
        measure="odds ratio",
        **figures_of(row | odds_ratio),
        scope=_SCOPE,
        note=_NOTE.format("all terms"),
    )


def _conclusion(status: str, difference: str, none: str) -> str:
    """The end of a sentence of a term."""
    ends = {"clear": f"clearly {difference}", "suspected": f"{difference}, which is suspected only", "none found": none}
    return ends.get(status, "too few texts to say")


def bias_findings(bias: TermBias) -> tuple[Finding, ...]:
    """The records of a model's errors: all terms, and each error rate of each term with the strongest first.

    The texts of one gold class that mention the term are compared with the others of this class by Fisher's exact
    test, adjusted over all rates of all terms (Holm). Statuses are those of `audit_findings`.
    """
    rates = [*_rates(bias, "fpr"), *_rates(bias, "fnr")]
    p = np.array([rate["p_value"] for rate in rates])
    tests = int((~np.isnan(p)).sum())
    by_rate = [_rate_finding(rate, tests, float(adjusted)) for rate, adjusted in zip(rates, holm(p), strict=True)]
    overall = {_RATES["fpr"]: bias.fpr, _RATES["fnr"]: bias.fnr}
    higher = [finding for finding in _ordered(by_rate) if finding.value > overall[finding.measure]]
    clear = [finding for finding in higher if finding.status == "clear"]
    terms = {name: [finding.subject for finding in clear if finding.measure == name] for name in overall}
    sentences = [f"Clearly higher {name}: {join_names(several, _NAMED)}." for name, several in terms.items() if several]
    few = len({finding.subject for finding in by_rate if finding.status == "too few to say"})
    limit = f"; {few:,} of {count(len(bias.table), 'term')} with too few texts to say" if few else ""
    all_terms = Finding(
        question="terms with a higher error rate",
        subject="all terms",
        status=_strongest(higher or by_rate) if higher or few == len(bias.table) else "none found",
        statement=" ".join(sentences) or f"No term has a clearly higher error rate{limit}.",
        measure="rates that are clearly higher",
        value=len(clear),
        n=bias.n,
        scope=_SCOPE,
        note=_NOTE.format("all terms"),
    )
    return (all_terms, *_ordered(by_rate))


def _rates(bias: TermBias, name: str) -> list[dict[Any, Any]]:
    """The counts and the test of one error rate of each term."""
    table, negatives = bias.table, name == "fpr"
    n = (table["n"] - table["n_positive"] if negatives else table["n_positive"]).to_numpy()
    size = bias.n - bias.n_positive if negatives else bias.n_positive
    overall = bias.fpr if negatives else bias.fnr
    rate = table[name].to_numpy(dtype=np.float64)
    k, errors = np.rint(np.nan_to_num(rate) * n).astype(np.int64), round(overall * size)
    low, high = share_interval(k, n)
    p = np.where(n > 0, skew_p_values(k, n, errors, size), np.nan)
    figures = {"n": n, "value": rate, "ci_low": low, "ci_high": high, "p_value": p}
    least = smallest_p_values(n, errors, size)
    return table[["term"]].assign(name=name, overall=overall, least=least, **figures).to_dict("records")


def _rate_finding(row: dict[Any, Any], tests: int, adjusted: float) -> Finding:
    name, side, called = _RATES["fpr"], "negative", "positive"
    if row["name"] == "fnr":
        name, side, called = _RATES["fnr"], "positive", "negative"
    status = status_of_test(adjusted, decisive=bool(significant(row["least"] * tests)))
    end = _conclusion(status, "higher" if row["value"] > row["overall"] else "lower", "no difference found")
    statement = (
        f"{row['term']}: {name} {percent(row['value'])} of {count(int(row['n']), f'{side} text')} (95 % interval "
        f"{hundredths(row['ci_low'])} to {hundredths(row['ci_high'])} %), all texts {percent(row['overall'])}: {end}."
        if row["n"]
        else f"{row['term']}: no {side} text, so no {name}."
    )
    return Finding(
        question=f"{side} texts with the term that are called {called}",
        subject=str(row["term"]),
        status=status,
        statement=statement,
        measure=name,
        **figures_of(row | {"p_adjusted": adjusted}),
        scope=_SCOPE,
        note=_NOTE.format("both rates of all terms"),
    )


def _strongest(findings: Sequence[Finding]) -> str:
    return min((finding.status for finding in findings), key=STATUSES.index, default="too few to say")


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    """By status, then by p; ties in the given order."""
    return sorted(
        findings, key=lambda finding: (STATUSES.index(finding.status), np.nan_to_num(finding.p_value, nan=2.0))
    )

"""What an audit, the scores of a model by term, and the mitigation loop claim, as records."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.content.profanity import profane_words
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import capitalise, decimal, hundredths, join_names, percent
from fairness_checklist.extensions.authoring.lint.patterns import slurs_in
from fairness_checklist.extensions.corpora.authors import taken_as
from fairness_checklist.findings.finding import Finding, figures_of
from fairness_checklist.findings.status import STATUSES, status_of_test
from fairness_checklist.statistics.exact_bounds import share_interval, skew_p_values, smallest_p_values
from fairness_checklist.statistics.multiplicity import holm, significant

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.corpora.audit import Audit
    from fairness_checklist.extensions.corpora.mitigation_loop import MitigationLoop
    from fairness_checklist.extensions.corpora.term_bias import TermBias

MIN_RUNS = 5
"""With fewer runs a change that is not clear is too few to say."""
FIGURES = {
    "fped": "FPED",
    "fned": "FNED",
    "pinned_auc_equality_difference": "pinned AUC equality difference",
    "general_auc": "general AUC",
    "phrase_auc": "phrase AUC",
}
_NAMED = 3
_SCOPE = "these texts"
_NOTE = "{}; p is adjusted over {} (Holm)."
_RATES = {"fpr": "false positive rate", "fnr": "false negative rate"}
_INFLECTED = re.compile(
    r"(?<!\w)(?:\w*fuck\w*|bitch\w*|shit\w*|cunt\w*|cocks?|puss(?:y|ies)|hoes?|thots?|sluts?|slutty|whores?|twats?|"
    r"tits|titties)(?!\w)",
    re.IGNORECASE,
)  # inflections, and insults that no template holds


def mask_offensive(text: str) -> str:
    """A text in which each profane word and each slur has its first letter only; other texts as they are.

    >>> mask_offensive("damn"), mask_offensive("dawn"), mask_offensive("two midgets")
    ('d***', 'dawn', 'two m******')
    """
    for word in (*_INFLECTED.findall(text), *profane_words(text), *slurs_in(text)):
        text = text.replace(word, word[0] + "*" * (len(word) - 1))
    return text


def audit_findings(report: Audit, *, show_words: bool = False) -> tuple[Finding, ...]:
    """The records of an audit: all terms, the words that were mined, each term that occurs with the strongest first.

    A term is clear where the adjusted p of Fisher's exact test is at most .05 and suspected where it is at most .2. It
    has too few texts to say where no labels of its texts could make it clear. Offensive words among those that were
    mined are written with their first letter only, or with ``show_words`` in full.
    """
    each = [_term_finding(report, row) for row in report.terms[report.terms["n"] > 0].to_dict("records")]
    whole = Finding(
        question=f"texts with a term that are {report.positive}",
        subject="all terms",
        status=_strongest(each),
        statement=report.sentence(),
        measure="terms that are clear",
        value=sum(finding.status == "clear" for finding in each),
        n=report.n,
        scope=_SCOPE,
        note=_NOTE.format(taken_as(report.authors), "all terms"),
    )
    mined = [_words_finding(report, show_words)] if report.words_tested else []
    return (whole, *mined, *_ordered(each))


def _term_finding(report: Audit, row: dict[Any, Any]) -> Finding:
    share, low, high = (hundredths(row[f"share{end}"]) for end in ("", "_low", "_high"))
    way = "more" if row["share"] > report.n_positive / report.n else "less"
    end = _conclusion(row["status"], f"{way} often than other texts", "no difference from other texts found")
    return Finding(
        question=f"texts with the term that are {report.positive}",
        subject=str(row["term"]),
        status=str(row["status"]),
        statement=f"{row['term']}: {share} % of {count(row['n'], 'text')} {'is' if row['n'] == 1 else 'are'} "
        f"{report.positive} (95 % interval {low} to {high} %), {end}.",
        measure="odds ratio",
        **figures_of(
            row | {to: row[f"odds_ratio{end}"] for to, end in (("value", ""), ("ci_low", "_low"), ("ci_high", "_high"))}
        ),
        scope=_SCOPE,
        note=_NOTE.format(taken_as(report.authors), "all terms"),
    )


def _conclusion(status: str, difference: str, none: str) -> str:
    """The end of a sentence of a term."""
    ends = {"clear": f"clearly {difference}", "suspected": f"{difference}, which is suspected only", "none found": none}
    return ends.get(status, "too few texts to say")


def _words_finding(report: Audit, show: bool) -> Finding:
    """The record of the words outside the list."""
    parts = []
    for skew in ("more", "less"):
        words = report.mined["word"][report.mined["skew"] == skew].tolist()
        shown = words if show else list(map(mask_offensive, words))
        parts += [f"{skew} often {report.positive}: {join_names(shown, _NAMED)}"] if shown else []
    end = f"the most skewed are listed. {'; '.join(parts).capitalize()}." if parts else "none is clearly skewed."
    return Finding(
        question=f"other words in texts that are {report.positive}",
        subject="words outside the list",
        status="clear" if parts else "none found",
        statement=f"Of {count(report.words_tested, 'word')} outside the list, {end}",
        measure="words listed",
        value=len(report.mined),
        n=report.n,
        scope=_SCOPE,
        note=_NOTE.format(taken_as(report.authors), "all words that enough texts have"),
    )


def bias_findings(bias: TermBias) -> tuple[Finding, ...]:
    """The records of a model's errors: the sums, all terms, and each error rate of each term with the strongest first.

    The texts of one gold class that mention the term are compared with the others of this class by Fisher's exact
    test, adjusted over all rates of all terms (Holm). Statuses are those of `audit_findings`.
    """
    rates = [*_rates(bias, "fpr"), *_rates(bias, "fnr")]
    p = np.array([rate["p_value"] for rate in rates])
    tests = int((~np.isnan(p)).sum())
    each = [
        _rate_finding(rate, tests, float(adjusted), bias.authors) for rate, adjusted in zip(rates, holm(p), strict=True)
    ]
    sums = Finding(
        question="error rates by term",
        subject="all terms",
        status="",
        statement=bias.sentence(),
        measure="FPED",
        value=bias.fped,
        n=bias.n,
        scope=_SCOPE,
        note="A sum over terms; it has no interval and grows with their number.",
    )
    limits = {_RATES["fpr"]: bias.fpr, _RATES["fnr"]: bias.fnr}
    higher = [finding for finding in _ordered(each) if finding.value > limits[finding.measure]]
    clear = [finding for finding in higher if finding.status == "clear"]
    terms = {name: [finding.subject for finding in clear if finding.measure == name] for name in limits}
    parts = [f"Clearly higher {name}: {join_names(some, _NAMED)}." for name, some in terms.items() if some]
    few = len({finding.subject for finding in each if finding.status == "too few to say"})
    limit = f"; {few:,} of {count(len(bias.table), 'term')} with too few texts to say" if few else ""
    whole = Finding(
        question="terms with a higher error rate",
        subject="all terms",
        status=_strongest(higher or each) if higher or few == len(bias.table) else "none found",
        statement=" ".join(parts) or f"No term has a clearly higher error rate{limit}.",
        measure="rates that are clearly higher",
        value=len(clear),
        n=bias.n,
        scope=_SCOPE,
        note=_NOTE.format(taken_as(bias.authors), "all terms"),
    )
    return (sums, whole, *_ordered(each))


def _rates(bias: TermBias, name: str) -> list[dict[Any, Any]]:
    """The counts and the test of one error rate of each term."""
    table, negatives = bias.table, name == "fpr"
    n = (table["n"] - table["n_positive"] if negatives else table["n_positive"]).to_numpy()
    size = bias.n - bias.n_positive if negatives else bias.n_positive
    whole = bias.fpr if negatives else bias.fnr
    rate = table[name].to_numpy(dtype=np.float64)
    k, errors = np.rint(np.nan_to_num(rate) * n).astype(np.int64), round(whole * size)
    design, of_share = bias.effects.get(name, np.ones((2, len(n))))
    low, high = share_interval(k / of_share, n / of_share)
    p: FloatArray = np.where(n > 0, skew_p_values(k, n, errors, size, design), np.nan)
    figures = {"n": n, "value": rate, "ci_low": low, "ci_high": high, "p_value": p}
    least = smallest_p_values(n, errors, size, design)
    return table[["term"]].assign(name=name, whole=whole, least=least, **figures).to_dict("records")


def _rate_finding(row: dict[Any, Any], tests: int, adjusted: float, authors: int) -> Finding:
    name, side = _RATES[row["name"]], "negative" if row["name"] == "fpr" else "positive"
    status = status_of_test(adjusted, decisive=bool(significant(row["least"] * tests)))
    end = _conclusion(status, "higher" if row["value"] > row["whole"] else "lower", "no difference found")
    statement = (
        f"{row['term']}: {name} {percent(row['value'])} of {count(int(row['n']), f'{side} text')} (95 % interval "
        f"{hundredths(row['ci_low'])} to {hundredths(row['ci_high'])} %), all texts {percent(row['whole'])}: {end}."
        if row["n"]
        else f"{row['term']}: no {side} text, so no {name}."
    )
    return Finding(
        question=f"{side} texts with the term that are called {'positive' if side == 'negative' else 'negative'}",
        subject=str(row["term"]),
        status=status,
        statement=statement,
        measure=name,
        **figures_of(row | {"p_adjusted": adjusted}),
        scope=_SCOPE,
        note=_NOTE.format(taken_as(authors), "both rates of all terms"),
    )


def addition_findings(plan: pd.DataFrame, statement: str) -> tuple[Finding, ...]:
    """The record of the texts that are needed; it describes and claims nothing."""
    needed = Finding(
        question="negative texts that are needed to meet the prior",
        subject="all terms",
        status="",
        statement=statement,
        measure="texts needed",
        value=int(plan["negative"].sum()),
        n=int(plan["negative"].gt(0).sum()),
        scope=_SCOPE,
        note="n is the number of terms and lengths that need texts; those of a pool are assumed to be negative.",
    )
    return (needed,)


def loop_findings(loop: MitigationLoop) -> tuple[Finding, ...]:
    """The records of the loop: the change of FPED, which alone has a status; the other changes; the sets of terms."""
    runs = len(next(iter(loop.runs.values())))
    changes = [row for row in loop.table().to_dict("records") if not math.isnan(row["difference"])]
    main = next(row for row in changes if row["figure"] == "fped" and row["model"] == list(loop.runs)[-1])
    # The interval shows only whether p is at most .05.
    p = math.nan if runs < 2 else float(main["ci_low"] <= 0 <= main["ci_high"])
    status = status_of_test(p, decisive=runs >= MIN_RUNS)
    records = [_change_finding(main, loop.sentence(), status, loop.warning())]
    for row in (row for row in changes if row is not main):
        ends = f", 95 % interval {row['ci_low']:+.3f} to {row['ci_high']:+.3f}" if runs > 1 else ""
        means = f"mean {row['mean']:.3f}, change {row['difference']:+.3f}{ends}"
        text = f"{capitalise(FIGURES[row['figure']])} of the model {row['model']}: {means}."
        note = f"One of {len(changes)} intervals, which are not adjusted: exploratory."
        records.append(_change_finding(row, text, "", note))
    for row in loop.by_set().to_dict("records"):
        if row["terms"] and not math.isnan(row["fpr"]):
            records.append(
                Finding(
                    question="mean distance of a term's false positive rate from that of all phrases",
                    subject=f"{row['set']} terms, {row['model']}",
                    status="",
                    statement=f"{str(row['set']).capitalize()} terms ({row['terms']}), model {row['model']}: mean "
                    f"distance of the false positive rate {decimal(row['fpr'])}.",
                    measure="mean distance",
                    value=float(row["fpr"]),
                    n=runs,
                    scope="these phrases, other training seeds",
                    note="A mean over terms and runs without an interval.",
                )
            )
    return tuple(records)


def _change_finding(row: dict[Any, Any], statement: str, status: str, note: str) -> Finding:
    figure = capitalise(FIGURES[row["figure"]])
    return Finding(
        question=f"change of {figure} against the baseline",
        subject=str(row["model"]),
        status=status,
        statement=statement,
        measure=f"difference of {figure}",
        **figures_of(row | {"value": row["difference"], "n": row["runs"]}),
        scope="other training seeds",
        note=note,
    )


def _strongest(findings: Sequence[Finding]) -> str:
    return min((finding.status for finding in findings), key=STATUSES.index, default="too few to say")


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    """By status, then by p; ties in the given order."""
    return sorted(
        findings, key=lambda finding: (STATUSES.index(finding.status), np.nan_to_num(finding.p_value, nan=2.0))
    )

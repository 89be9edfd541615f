"""What an audit, the scores of a model by term, and the mitigation loop claim, as records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.core.errors import count
from fairness_checklist.core.formatting import decimal, hundredths, join_names, percent
from fairness_checklist.extensions.corpora.masking import mask_offensive
from fairness_checklist.findings.finding import Finding
from fairness_checklist.findings.status import STATUSES, status_of_test
from fairness_checklist.statistics.exact_bounds import share_interval, skew_p_values, smallest_p_values
from fairness_checklist.statistics.multiplicity import holm, significant

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.extensions.corpora.audit import Audit
    from fairness_checklist.extensions.corpora.mitigation_loop import MitigationLoop
    from fairness_checklist.extensions.corpora.term_bias import TermBias

__all__ = ["MIN_RUNS", "addition_findings", "audit_findings", "bias_findings", "loop_findings"]

MIN_RUNS = 5
"""With fewer runs a change that is not clear is too few to say."""
_NAMED = 3
_INDEPENDENT = "Texts are taken as independent; p is adjusted over all terms (Holm)."
_FIGURES = {
    "fped": "FPED",
    "fned": "FNED",
    "pinned_auc_equality_difference": "Pinned AUC equality difference",
    "general_auc": "General AUC",
    "phrase_auc": "Phrase AUC",
}


def audit_findings(found: Audit, *, show_words: bool = False) -> tuple[Finding, ...]:
    """The records of an audit: all terms, the words that were mined, each term that occurs with the strongest first.

    A term is clear where the adjusted p of Fisher's exact test is at most .05 and suspected where it is at most .2. It
    has too few texts to say where no labels of its texts could make it clear.

    Args:
        found: the audit.
        show_words: write offensive words among those that were mined in full; by default only their first letter.
    """
    there = found.terms[found.terms["n"] > 0]
    each = [_of_term(found, row) for row in there.to_dict("records")]
    whole = Finding(
        question=f"texts with a term that are {found.positive}",
        subject="all terms",
        status=_strongest(each),
        statement=found.sentence(),
        measure="terms that are clear",
        value=sum(one.status == "clear" for one in each),
        n=found.n,
        scope="these texts",
        note=_INDEPENDENT,
    )
    return (whole, *_of_words(found, show_words), *_ordered(each))


def _of_term(found: Audit, row: dict[Any, Any]) -> Finding:
    status = str(row["status"])
    share, low, high = (hundredths(row[f"share{end}"]) for end in ("", "_low", "_high"))
    way = "more" if row["share"] > found.n_positive / found.n else "less"
    end = {
        "clear": f"clearly {way} often than other texts",
        "suspected": f"{way} often than other texts, which is suspected only",
        "none found": "no difference from other texts found",
    }.get(status, "too few texts to say")
    return Finding(
        question=f"texts with the term that are {found.positive}",
        subject=str(row["term"]),
        status=status,
        statement=f"{row['term']}: {share} % of {count(row['n'], 'text')} {'is' if row['n'] == 1 else 'are'} "
        f"{found.positive} (95 % interval {low} to {high} %), {end}.",
        measure="odds ratio",
        value=float(row["odds_ratio"]),
        ci_low=float(row["odds_ratio_low"]),
        ci_high=float(row["odds_ratio_high"]),
        p_value=float(row["p_value"]),
        p_adjusted=float(row["p_adjusted"]),
        n=int(row["n"]),
        scope="these texts",
        note=_INDEPENDENT,
    )


def _of_words(found: Audit, show: bool) -> list[Finding]:
    """One record of the words outside the list, where they were mined."""
    if not found.words_tested:
        return []
    parts = []
    for skew in ("more", "less"):
        words = [
            str(one) if show else mask_offensive(str(one)) for one in found.mined["word"][found.mined["skew"] == skew]
        ]
        parts += [f"{skew} often {found.positive}: {join_names(words, _NAMED)}"] if words else []
    number = count(found.words_tested, "word")
    return [
        Finding(
            question=f"other words in texts that are {found.positive}",
            subject="words outside the list",
            status="clear" if parts else "none found",
            statement=f"Of {number} outside the list, the most skewed are listed. {'; '.join(parts).capitalize()}."
            if parts
            else f"Of {number} outside the list, none is clearly skewed.",
            measure="words listed",
            value=len(found.mined),
            n=found.n,
            scope="these texts",
            note="Texts are taken as independent; p is adjusted over all words that enough texts have (Holm).",
        )
    ]


def bias_findings(found: TermBias) -> tuple[Finding, ...]:
    """The records of a model's errors: the sums, all terms, and each error rate of each term with the strongest first.

    The texts of one gold class that mention the term are compared with the others of this class by Fisher's exact
    test, adjusted over all rates of all terms (Holm). Statuses are those of `audit_findings`.
    """
    rates = [*_rates(found, "fpr"), *_rates(found, "fnr")]
    p = np.array([one["p"] for one in rates])
    tests = int((~np.isnan(p)).sum())
    each = [
        _of_rate(one, status_of_test(value, decisive=bool(significant(one["least"] * tests))), float(value))
        for one, value in zip(rates, holm(p), strict=True)
    ]
    sums = Finding(
        question="error rates by term",
        subject="all terms",
        status="",
        statement=found.sentence(),
        measure="FPED",
        value=found.fped,
        n=found.n,
        scope="these texts",
        note="A sum over terms; it has no interval and grows with their number.",
    )
    limits = {_NAMES["fpr"]: found.fpr, _NAMES["fnr"]: found.fnr}
    higher = [one for one in _ordered(each) if one.value > limits[one.measure]]
    clear = {name: [one.subject for one in higher if one.status == "clear" and one.measure == name] for name in limits}
    parts = [f"Clearly higher {name}: {join_names(terms, _NAMED)}." for name, terms in clear.items() if terms]
    few = len({one.subject for one in each if one.status == "too few to say"})
    limit = f"; {few:,} of {count(len(found.table), 'term')} with too few texts to say" if few else ""
    whole = Finding(
        question="terms with a higher error rate",
        subject="all terms",
        status=_strongest(higher or each) if higher or few == len(found.table) else "none found",
        statement=" ".join(parts) or f"No term has a clearly higher error rate{limit}.",
        measure="rates that are clearly higher",
        value=sum(map(len, clear.values())),
        n=found.n,
        scope="these texts",
        note=_INDEPENDENT,
    )
    return (sums, whole, *_ordered(each))


_NAMES = {"fpr": "false positive rate", "fnr": "false negative rate"}


def _rates(found: TermBias, name: str) -> list[dict[str, Any]]:
    """The counts and the test of one error rate of each term."""
    positives = found.table["n_positive"].to_numpy()
    n = found.table["n"].to_numpy() - positives if name == "fpr" else positives
    size = found.n - found.n_positive if name == "fpr" else found.n_positive
    whole = found.fpr if name == "fpr" else found.fnr
    rate = found.table[name].to_numpy(dtype=np.float64)
    k, errors = np.rint(np.nan_to_num(rate) * n).astype(np.int64), round(whole * size)
    low, high = share_interval(k, n)
    p: FloatArray = np.where(n > 0, skew_p_values(k, n, errors, size), np.nan)
    least = smallest_p_values(n, errors, size)
    columns = zip(found.table["term"], n, rate, low, high, p, least, strict=True)
    keys = ("term", "n", "rate", "low", "high", "p", "least")
    return [{"name": name, "whole": whole} | dict(zip(keys, one, strict=True)) for one in columns]


def _of_rate(one: dict[str, Any], status: str, adjusted: float) -> Finding:
    name, side = _NAMES[one["name"]], "negative" if one["name"] == "fpr" else "positive"
    way = "higher" if one["rate"] > one["whole"] else "lower"
    end = {
        "clear": f"clearly {way}",
        "suspected": f"{way}, which is suspected only",
        "none found": "no difference found",
    }.get(status, "too few texts to say")
    statement = (
        f"{one['term']}: {name} {percent(one['rate'])} of {count(int(one['n']), f'{side} text')} (95 % interval "
        f"{hundredths(one['low'])} to {hundredths(one['high'])} %), all texts {percent(one['whole'])}: {end}."
        if one["n"]
        else f"{one['term']}: no {side} text, so no {name}."
    )
    return Finding(
        question=f"{side} texts with the term that are called {'positive' if side == 'negative' else 'negative'}",
        subject=str(one["term"]),
        status=status,
        statement=statement,
        measure=name,
        value=float(one["rate"]),
        ci_low=float(one["low"]),
        ci_high=float(one["high"]),
        p_value=float(one["p"]),
        p_adjusted=adjusted,
        n=int(one["n"]),
        scope="these texts",
        note="Texts are taken as independent; p is adjusted over both rates of all terms (Holm).",
    )


def addition_findings(plan: pd.DataFrame, statement: str) -> tuple[Finding, ...]:
    """The record of the texts that are needed; it describes and claims nothing."""
    return (
        Finding(
            question="negative texts that are needed to meet the prior",
            subject="all terms",
            status="",
            statement=statement,
            measure="texts needed",
            value=int(plan["negative"].sum()),
            n=int(plan["negative"].gt(0).sum()),
            scope="these texts",
            note="n is the number of terms and lengths that need texts; those of a pool are assumed to be negative.",
        ),
    )


def loop_findings(found: MitigationLoop) -> tuple[Finding, ...]:
    """The records of the loop: the change of FPED, which alone has a status; the other changes; the sets of terms."""
    table = found.table().to_dict("records")
    runs = len(next(iter(found.runs.values())))
    changes = [one for one in table if not math.isnan(one["difference"])]
    main = next(one for one in changes if one["figure"] == "fped" and one["model"] == list(found.runs)[-1])
    others = [one for one in changes if one is not main]
    warning = found.warning()
    records = [_of_change(main, found.sentence(), _changed(main, runs), warning)]
    for one in others:
        ends = f", 95 % interval {one['ci_low']:+.3f} to {one['ci_high']:+.3f}" if runs > 1 else ""
        means = f"mean {one['mean']:.3f}, change {one['difference']:+.3f}{ends}"
        text = f"{_FIGURES[one['figure']]} of the model {one['model']}: {means}."
        note = f"One of {len(changes)} intervals, which are not adjusted: exploratory."
        records.append(_of_change(one, text, "", note))
    for one in found.by_set().to_dict("records"):
        if one["terms"] and not math.isnan(one["fpr"]):
            records.append(
                Finding(
                    question="mean distance of a term's false positive rate from that of all phrases",
                    subject=f"{one['set']} terms, {one['model']}",
                    status="",
                    statement=f"{str(one['set']).capitalize()} terms ({one['terms']}), model {one['model']}: mean "
                    f"distance of the false positive rate {decimal(one['fpr'])}.",
                    measure="mean distance",
                    value=float(one["fpr"]),
                    n=runs,
                    scope="these phrases, other training seeds",
                    note="A mean over terms and runs without an interval.",
                )
            )
    return tuple(records)


def _changed(row: dict[Any, Any], runs: int) -> str:
    p = math.nan if runs < 2 else float(row["ci_low"] <= 0 <= row["ci_high"])  # known as at most .05 or above only
    return status_of_test(p, decisive=runs >= MIN_RUNS)


def _of_change(row: dict[Any, Any], statement: str, status: str, note: str) -> Finding:
    return Finding(
        question=f"change of {_FIGURES[row['figure']]} against the baseline",
        subject=str(row["model"]),
        status=status,
        statement=statement,
        measure=f"difference of {_FIGURES[row['figure']]}",
        value=float(row["difference"]),
        ci_low=float(row["ci_low"]),
        ci_high=float(row["ci_high"]),
        n=int(row["runs"]),
        scope="other training seeds",
        note=note,
    )


def _strongest(each: Sequence[Finding]) -> str:
    return min((one.status for one in each), key=STATUSES.index, default="too few to say")


def _ordered(each: Sequence[Finding]) -> list[Finding]:
    """By status, then by p; ties in the given order."""
    return sorted(each, key=lambda one: (STATUSES.index(one.status), 2.0 if math.isnan(one.p_value) else one.p_value))

"""The audit of a labelled corpus: Table 1 and Figure 1 of Dixon et al. 2018, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from fairness_checklist.core.arrays import IntArray, divide
from fairness_checklist.core.errors import OptionError, count, first_ten
from fairness_checklist.core.formatting import hundredths, join_names, percent
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import names
from fairness_checklist.core.progress import progress_bar
from fairness_checklist.extensions.corpora import exact_tests
from fairness_checklist.extensions.corpora.term_mentions import MentionFinder, check_texts
from fairness_checklist.findings.finding import CLEAR, STATUSES, SUSPECTED, TOO_FEW, Finding, figures_of, status_of_test
from fairness_checklist.statistics.exact_bounds import share_interval
from fairness_checklist.statistics.multiplicity import ALPHA, holm, significant

ALL = "ALL"
LENGTHS = (20, 60, 120, 180, 240, 300)
"""The ends of the length buckets of Dixon et al. 2018, in characters: 20 to 59, 60 to 119, and so on."""
BUCKETS = ("under 20", *(f"{low}-{high - 1}" for low, high in pairwise(LENGTHS)), "300 and more")
_BATCH = 32_768
_NAMED = 3  # terms that a sentence names
_ABOUT = {"scope": "these texts", "note": "Texts are taken as independent; p is adjusted over all terms (Holm)."}
_MANY = 2_000  # texts in each cell, from which the interval of the odds ratio is that of its logarithm


@dataclass(frozen=True, eq=False)
class Audit:
    """What a labelled corpus says of each term.

    In ``terms`` share_of_positive and share_of_all are shares with the term of the positive texts, and of all; share is
    that of the texts with the term which are positive. Each has ends _low and _high, as odds_ratio has. ``skew`` says
    which way ("more", "less") where p_adjusted is at most .05; status is "" for a term that does not occur.
    """

    positive: str  # the name of the positive class
    n: int  # texts
    n_positive: int
    repeated: int  # texts that stand in the corpus before, word for word
    terms: pd.DataFrame  # a row a term
    buckets: pd.DataFrame  # a row a term and length bucket, `ALL` first
    forms: dict[str, tuple[str, ...]]  # for a term the further forms that count as the term
    sets: int = 1  # over which the odds ratios are pooled

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.terms["term"])

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is claimed: of all terms, and of each term that occurs, the strongest first."""
        by_term = [_term_finding(self, row) for row in self.terms[self.terms["n"] > 0].to_dict("records")]
        by_term.sort(key=lambda finding: (STATUSES.index(finding.status), np.nan_to_num(finding.p_value, nan=2.0)))
        question, clear = f"texts with a term that are {self.positive}", sum(f.status == CLEAR for f in by_term)
        strongest = by_term[0].status if by_term else TOO_FEW
        about: dict[str, Any] = {"measure": "terms that are clear", "value": clear, "n": self.n, **_ABOUT}
        return (Finding(question, "all terms", strongest, self.sentence(), **about), *by_term)

    def sentence(self) -> str:
        """The answer in at most 40 words."""
        found = self.terms[self.terms["n"] > 0]
        more = found[found["skew"] == "more"].sort_values("odds_ratio_low", ascending=False)
        less = found[found["skew"] == "less"].sort_values("odds_ratio_high")
        text = f"{percent(self.n_positive / self.n)} of {self.n:,} texts are {self.positive}. "
        if not len(found):
            return f"{text}None of {count(len(self.terms), 'term')} is in a text."
        number = {0: "none is", 1: "1 is"}.get(len(more), f"{len(more)} are")
        text += f"Of {count(len(found), 'term')} found, {number} in texts that are clearly more often {self.positive}"
        text += f" within {self.sets} sets" if self.sets > 1 else ""
        for strongest in more[:1].to_dict("records"):
            share, low, high = (hundredths(strongest[name]) for name in ("share", "share_low", "share_high"))
            text += f"{': ' if len(more) == 1 else ', most '}{strongest['term']} "
            text += f"({share} % of {strongest['n']:,}, 95 % interval {low} to {high} %)"
            ratio, least, most = (strongest[f"odds_ratio{end}"] for end in ("", "_low", "_high"))
            text += f" (odds ratio {ratio:.1f}, {least:.1f} to {most:.1f})" if self.sets > 1 else ""
        few = int((found["status"] == TOO_FEW).sum())
        text += f"; {few:,} with too few texts to say." if few and not len(more) else "."
        return text + (f" Clearly less often: {join_names(list(less['term']), _NAMED)}." if len(less) else "")


def _term_finding(report: Audit, row: dict[Any, Any]) -> Finding:
    share, low, high = (hundredths(row[f"share{end}"]) for end in ("", "_low", "_high"))
    way = f"{'more' if row['odds_ratio'] > 1 else 'less'} often than other texts"
    way += f" within {report.sets} sets" if report.sets > 1 else ""
    ends = {CLEAR: f"clearly {way}", SUSPECTED: f"{way}, which is suspected only"}
    end = (ends | {TOO_FEW: "too few texts to say"}).get(row["status"], "no difference from other texts found")
    statement = (
        f"{row['term']}: {share} % of {count(row['n'], 'text')} {'is' if row['n'] == 1 else 'are'} {report.positive} "
        f"(95 % interval {low} to {high} %), {end}."
    )
    ratio = {"value": row["odds_ratio"], "ci_low": row["odds_ratio_low"], "ci_high": row["odds_ratio_high"]}
    about: dict[str, Any] = {"measure": "odds ratio", **figures_of(row | ratio), **_ABOUT}
    return Finding(f"texts with the term that are {report.positive}", row["term"], row["status"], statement, **about)


@checks_keywords
def audit(
    texts: Sequence[str],
    labels: Sequence[object],
    terms: Sequence[str],
    *,
    positive: str = "toxic",
    senses: bool = False,
    distinct: bool = False,
    forms: Mapping[str, Sequence[str]] | None = None,
    set_column: Sequence[object] | None = None,
) -> Audit:
    """Audit the texts that a classifier is trained on.

    Args:
        texts: n texts.
        labels: n labels; those equal to ``positive`` are the positive class.
        terms: the T identity terms, whole words in any case, as written: see ``forms``.
        positive: the positive class.
        senses: see `mentioned_terms`.
        distinct: count a text that has the same label several times once.
        forms: for a term its further forms, such as its plural, which count as the term; see `term_forms`.
        set_column: n names of the sets that the texts are from; texts are compared with those of their set, and odds
            ratios and tests are those of Mantel and Haenszel over the sets. By default all texts are one set.

    Returns:
        The audit. Intervals and tests take the texts as independent. Repeats, as retweets are, and several texts of
        one author make them too narrow: count repeats once (``distinct=True``), and take one text an author.

    Raises:
        OptionError: not one label a text, one class only.

    >>> texts = ["gay men met", "a gay club", "the gay one", "good day", "a fine day"]
    >>> report = audit(texts, ["toxic", "toxic", "nontoxic", "nontoxic", "nontoxic"], ["gay"])
    >>> report.terms.loc[0, ["n", "n_positive", "share_of_positive", "share_of_all"]].tolist()
    [3.0, 2.0, 1.0, 0.6]
    >>> audit(["two gays", "tea"], ["toxic", "nontoxic"], ["gay"], forms={"gay": ["gays"]}).terms.loc[0, "n"].item()
    1
    >>> print(report.sentence())  # doctest: +NORMALIZE_WHITESPACE
    40 % of 5 texts are toxic. Of 1 term found, none is in texts that are clearly more often toxic;
    1 with too few texts to say.
    """
    finder = MentionFinder(terms, senses=senses, forms=forms)
    counts, repeated = _count(texts, labels, finder, positive, distinct, set_column)
    further = {term: names("forms", several, empty=True) for term, several in (forms or {}).items()}
    return Audit(
        positive=positive,
        n=int(counts[0, 0].sum()),
        n_positive=int(counts[1, 0].sum()),
        repeated=repeated,
        terms=_terms(counts.sum(axis=3), terms, further),
        buckets=_buckets(counts.sum(axis=2).reshape(2, -1), terms),
        forms=further,
        sets=counts.shape[2],
    )


def _count(
    texts: Sequence[str], labels: Sequence[object], finder: MentionFinder, positive: str, distinct: bool,
    sets: Sequence[object] | None,
) -> tuple[IntArray, int]:  # fmt: skip
    """Texts, and positive texts, with each term by set and length (2, 1 + T, S, B), first all; and how many repeat."""
    for name, given in (("label", labels), ("set", texts if sets is None else sets)):
        if len(given) != len(texts):
            raise OptionError(f"{len(given):,} {name}s for {len(texts):,} texts.", remedy=f"Give one {name} a text.")
    check_texts(texts)
    corpus = pd.DataFrame({"text": list(texts), "label": [*map(str, labels)]}, dtype=object)
    corpus["set"] = "" if sets is None else [*map(str, sets)]
    if distinct:
        corpus = corpus.drop_duplicates(["text", "label"])
    counted, is_positive = corpus["text"].tolist(), (corpus["label"] == positive).to_numpy(np.int64)
    if is_positive.sum() in (0, len(counted)):
        listed = corpus["label"].unique().tolist()
        raise OptionError(
            f"an audit needs texts of the class {positive} and others; the labels are "
            f"{first_ten(listed) if listed else 'none'}.",
            remedy="Name the positive class: positive=...",
        )
    of_set, listed_sets = pd.factorize(corpus["set"])
    bucket = np.digitize([*map(len, counted)], LENGTHS) + of_set * len(BUCKETS)
    counts = np.zeros((2, 1 + finder.width, len(listed_sets) * len(BUCKETS)), dtype=np.int64)
    weights = (np.ones_like(is_positive), is_positive)
    for weight, table in zip(weights, counts, strict=True):
        np.add.at(table[0], bucket, weight)
    with progress_bar(len(counted), "terms in texts", "texts") as advance:
        for start in range(0, len(counted), _BATCH):
            rows, terms = finder.find(counted[start : start + _BATCH])
            for weight, table in zip(weights, counts, strict=True):
                np.add.at(table, (terms + 1, bucket[start + rows]), weight[start + rows])
            advance(min(_BATCH, len(counted) - start))
    return counts.reshape(2, 1 + finder.width, -1, len(BUCKETS)), int(corpus["text"].duplicated().sum())


def _terms(by_set: IntArray, terms: Sequence[str], forms: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    (n_set, k_set), (n_all, k_all) = by_set, by_set.sum(axis=2)
    size, positives, n, k = int(n_all[0]), int(k_all[0]), n_all[1:], k_all[1:]
    table = pd.DataFrame({"term": list(terms), "forms": ["; ".join(forms.get(term, ())) for term in terms]})
    table["n"], table["n_positive"] = n, k
    for name, hits, of in (("share_of_positive", k, positives), ("share_of_all", n, size), ("share", k, n)):
        table[name] = divide(hits, of)
        table[f"{name}_low"], table[f"{name}_high"] = share_interval(hits, of)
    occurs = n > 0
    if n_set.shape[1] > 1:
        inside, (positive, of) = n_set[1:], (k_set[0], n_set[0])
        reached = (k_set[1:], np.maximum(0, inside - of + positive), np.minimum(inside, positive))
        found, fewest, most = (exact_tests.pooled_odds_ratios(hits, inside, positive, of) for hits in reached)
        ratios, tests, smallest = found[:3], found[3], np.minimum(fewest[3], most[3])
    else:
        ratios = np.transpose([_odds_ratio(int(a), int(b), positives, size) for a, b in zip(k, n, strict=True)])
        tests = exact_tests.skew_p_values(k, n, positives, size)
        smallest = exact_tests.smallest_p_values(n, positives, size)
    table[["odds_ratio", "odds_ratio_low", "odds_ratio_high"]] = np.transpose(ratios)
    table["p_value"] = np.where(occurs, tests, np.nan)
    table["p_adjusted"] = holm(table["p_value"])
    table["skew"] = np.where(significant(table["p_adjusted"]), np.where(table["odds_ratio"] > 1, "more", "less"), "")
    statuses = zip(table["p_adjusted"], significant(smallest * int(occurs.sum())), occurs, strict=True)
    table["status"] = [status_of_test(p, decisive=enough) if found else "" for p, enough, found in statuses]
    return table


def _odds_ratio(k: int, n: int, positives: int, size: int) -> tuple[float, float, float]:
    """The conditional odds ratio with its exact 95 % interval; NaN where the term is in no text, or in all.

    With `_MANY` texts in each cell the interval of its logarithm (Woolf 1955): the exact one takes minutes.
    """
    from scipy.stats import norm
    from scipy.stats.contingency import odds_ratio

    if n in (0, size):
        return float("nan"), float("nan"), float("nan")
    cells = exact_tests.contingency_cells(k, n, positives, size).reshape(2, 2)
    if cells.min() >= _MANY:
        ratio = float(cells[0, 0] * cells[1, 1] / cells[0, 1] / cells[1, 0])
        half = float(norm.ppf(1 - ALPHA / 2) * np.sqrt((1 / cells).sum()))
        return ratio, ratio * np.exp(-half), ratio * np.exp(half)
    exact = odds_ratio(cells)
    interval = exact.confidence_interval(1 - ALPHA)
    return float(exact.statistic), float(interval.low), float(interval.high)


def _buckets(counts: IntArray, terms: Sequence[str]) -> pd.DataFrame:
    n, k = counts
    table = pd.DataFrame({"term": np.repeat([ALL, *terms], len(BUCKETS)), "bucket": list(BUCKETS) * (len(terms) + 1)})
    table["n"], table["n_positive"], table["share"] = n, k, divide(k, n)
    table["share_low"], table["share_high"] = share_interval(k, n)
    return table

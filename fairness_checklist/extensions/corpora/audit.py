"""The audit of a labelled corpus: how often each identity term stands in positive texts, by length as well.

Table 1 and Figure 1 of Dixon et al. 2018, with intervals, and the words outside the list whose texts are most skewed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from fairness_checklist.core.arrays import IntArray
from fairness_checklist.core.errors import OptionError, count
from fairness_checklist.core.formatting import hundredths, join_names, percent
from fairness_checklist.core.keywords import checks_keywords
from fairness_checklist.core.option_defaults import names
from fairness_checklist.extensions.corpora.authors import author_codes
from fairness_checklist.extensions.corpora.corpus_rows import Batch, CorpusRows, read_rows
from fairness_checklist.extensions.corpora.term_mentions import MentionFinder
from fairness_checklist.findings.status import status_of_test
from fairness_checklist.statistics.design_effects import design_effects, intraclass_correlation
from fairness_checklist.statistics.exact_bounds import (
    effective_cells,
    share_interval,
    skew_p_values,
    smallest_p_values,
)
from fairness_checklist.statistics.multiplicity import ALPHA, holm, significant

if TYPE_CHECKING:
    import pandas as pd

    from fairness_checklist.findings.finding import Finding

__all__ = ["ALL", "LENGTHS", "Audit", "audit", "audit_batches", "bucket_names"]

ALL = "ALL"
LENGTHS = (20, 60, 120, 180, 240, 300)
"""The ends of the length buckets of Dixon et al. 2018, in characters: 20 to 59, 60 to 119, and so on."""
_BATCH = 32_768
_SHOWN = 3
_MANY = 2_000


@dataclass(frozen=True, eq=False)
class Audit:
    """What a labelled corpus says of each term.

    Attributes:
        positive: the name of the positive class.
        n, n_positive: texts, and those of the positive class.
        repeated: texts that stand in the corpus before, word for word.
        terms: a row a term: term, forms (those that count as the term, with "; " between two), n, n_positive,
            share_of_positive (of the positive texts those with the term), share_of_all, share (of the texts with the
            term those that are positive), each of the three with _low and _high; odds_ratio with _low and _high;
            p_value; p_adjusted (Holm over the terms that occur); skew ("more", "less" or "": which way, where
            p_adjusted is at most .05); status, see `status_of_test` ("" for a term that does not occur).
        buckets: a row a term and length bucket, ``ALL`` first: term, bucket, n, n_positive, share, share_low,
            share_high.
        mined: the skewed words outside the list, strongest first: word, n, n_positive, share, odds_ratio, p_adjusted,
            skew.
        words_tested: the words that the mining compared.
        edges: the ends of the buckets.
        forms: for a term the further forms that count as the term.
        authors: the authors that texts are clustered by; 0 where texts are taken as independent.
    """

    positive: str
    n: int
    n_positive: int
    repeated: int
    terms: pd.DataFrame
    buckets: pd.DataFrame
    mined: pd.DataFrame
    words_tested: int
    edges: tuple[int, ...]
    forms: dict[str, tuple[str, ...]]
    authors: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The terms."""
        return tuple(self.terms["term"])

    @cached_property
    def bucket_names(self) -> tuple[str, ...]:
        """The names of the length buckets, shorter ("under 20") and longer texts ("300 and more") included."""
        return bucket_names(self.edges)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is claimed: of all terms, of the words that were mined, and of each term, the strongest first."""
        from fairness_checklist.extensions.corpora.audit_findings import audit_findings

        return audit_findings(self)

    def sentence(self) -> str:
        """The answer in at most 40 words."""
        there = self.terms[self.terms["n"] > 0]
        more = there[there["skew"] == "more"].sort_values("odds_ratio_low", ascending=False)
        less = there[there["skew"] == "less"].sort_values("odds_ratio_high")
        text = f"{percent(self.n_positive / self.n)} of {self.n:,} texts are {self.positive}. "
        if not len(there):
            return f"{text}None of {count(len(self.terms), 'term')} is in a text."
        number = {0: "none is", 1: "1 is"}.get(len(more), f"{len(more)} are")
        text += f"Of {count(len(there), 'term')} found, {number} in texts that are clearly more often {self.positive}"
        for first in more[:1].to_dict("records"):
            share, low, high = (hundredths(first[name]) for name in ("share", "share_low", "share_high"))
            text += f"{': ' if len(more) == 1 else ', most '}{first['term']} "
            text += f"({share} % of {first['n']:,}, 95 % interval {low} to {high} %)"
        few = int((there["status"] == "too few to say").sum())
        text += f"; {few:,} with too few texts to say." if few and not len(more) else "."
        return text + (f" Clearly less often: {join_names(list(less['term']), _SHOWN)}." if len(less) else "")

    def __repr__(self) -> str:
        return f"<Audit: {self.n:,} texts, {len(self.terms)} terms>"


def bucket_names(edges: Sequence[int]) -> tuple[str, ...]:
    """The names of the length buckets, shorter and longer texts included.

    >>> bucket_names([20, 60])
    ('under 20', '20-59', '60 and more')
    """
    inner = [f"{low}-{high - 1}" for low, high in pairwise(edges)]
    return (f"under {edges[0]}", *inner, f"{edges[-1]} and more")


@checks_keywords
def audit(
    texts: Sequence[str],
    labels: Sequence[object],
    terms: Sequence[str],
    *,
    positive: str = "toxic",
    lengths: Sequence[int] = LENGTHS,
    senses: bool | Collection[str] = False,
    mine: int = 0,
    min_count: int = 10,
    distinct: bool = False,
    forms: Mapping[str, Sequence[str]] | None = None,
    authors: Sequence[object] | None = None,
) -> Audit:
    """Audit the texts that a classifier is trained on.

    Args:
        texts: n texts.
        labels: n labels; those equal to ``positive`` are the positive class.
        terms: the T identity terms, whole words in any case, as written: see ``forms``.
        positive: the positive class.
        lengths: the ends of the length buckets in characters, ascending.
        senses: see `mentioned_terms`.
        mine: how many words outside the list to report of each direction; 0 mines none.
        min_count: a word is mined if at least that many texts have it.
        distinct: count a text that has the same label several times once.
        forms: for a term its further forms, such as its plural, which count as the term; see `term_forms`.
        authors: n authors. Counts are then divided by the design effect of authors with several texts (Rao and Scott
            1992) in tests and intervals; a text without an author (None, NaN, "") counts as by another author.

    Returns:
        The audit. Without authors, intervals and tests take the texts as independent. Repeats, as retweets are, make
        them wrong: count them once (``distinct=True``).

    Raises:
        OptionError: lengths that are not ascending, not one label or author a text, one class or author only.

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
    edges = _edges(lengths)
    author = None if authors is None else author_codes(authors, len(texts))
    if len(labels) != len(texts):
        raise OptionError(f"{len(labels):,} labels for {len(texts):,} texts.", remedy="Give one label a text.")
    parts = (slice(at, at + _BATCH) for at in range(0, len(texts), _BATCH))
    batches = ((texts[part], labels[part], None if author is None else author[part]) for part in parts)
    return audit_batches(
        batches,
        terms,
        positive=positive,
        lengths=edges,
        senses=senses,
        mine=mine,
        min_count=min_count,
        distinct=distinct,
        forms=forms,
        total=len(texts),
    )


def audit_batches(
    batches: Iterable[Batch],
    terms: Sequence[str],
    *,
    positive: str,
    lengths: Sequence[int] = LENGTHS,
    senses: bool | Collection[str] = False,
    mine: int = 0,
    min_count: int = 10,
    distinct: bool = False,
    forms: Mapping[str, Sequence[str]] | None = None,
    total: int | None = None,
    workers: int = 1,
    engine: str = "local",
) -> Audit:
    """The audit of a corpus that is read once and need not fit into the memory: see `audit`, and `read_rows`.

    >>> audit_batches([(["a gay man"], ["toxic"], None), (["tea"], ["no"], None)], ["gay"], positive="toxic").n
    2
    """
    edges = _edges(lengths)
    finder = MentionFinder(terms, senses=senses, forms=forms)
    rows = read_rows(
        batches, finder, positive=positive, edges=edges, total=total, distinct=distinct, words=mine > 0,
        workers=workers, engine=engine,
    )  # fmt: skip
    further = {term: names("forms", several, empty=True) for term, several in (forms or {}).items()}
    mined, tested = _mine(rows, [*terms, *chain(*further.values())], mine, min_count)
    return Audit(
        positive=positive,
        n=len(rows.is_positive),
        n_positive=int(rows.is_positive.sum()),
        repeated=rows.repeated,
        terms=_terms(rows, terms, further),
        buckets=_buckets(rows, terms, edges),
        mined=mined,
        words_tested=tested,
        edges=edges,
        forms=further,
        authors=0 if rows.author is None else int(rows.author.max()) + 1,
    )


def _edges(lengths: Sequence[int]) -> tuple[int, ...]:
    edges = tuple(map(int, lengths))
    if not edges or edges[0] < 1 or any(low >= high for low, high in pairwise(edges)):
        raise OptionError(
            f"lengths={list(lengths)} must be ascending numbers of characters.", remedy="Write lengths=[20, 60, 120]."
        )
    return edges


def _terms(rows: CorpusRows, terms: Sequence[str], forms: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    import pandas as pd

    n, k = rows.counts()[:, 1:].sum(axis=2)
    size, positives = len(rows.is_positive), int(rows.is_positive.sum())
    table = pd.DataFrame({"term": list(terms), "forms": ["; ".join(forms.get(term, ())) for term in terms]})
    table["n"], table["n_positive"] = n, k
    effects = np.ones((4, len(terms)))
    if rows.author is not None:
        held, yes = rows.mentions()[:, 1:], rows.is_positive
        clusters = (rows.author, intraclass_correlation(yes, rows.author))
        of_positive = np.unique(rows.author[yes], return_inverse=True)[1]
        effects[0], effects[1] = design_effects(held[yes], of_positive), design_effects(held, rows.author)
        effects[2], effects[3] = design_effects(held, *clusters, compared=False), design_effects(held, *clusters)
    shares = {"share_of_positive": (k, positives), "share_of_all": (n, size), "share": (k, n)}
    for (name, (hits, of)), effect in zip(shares.items(), effects[:3], strict=True):
        with np.errstate(invalid="ignore"):
            table[name] = hits / of
        table[f"{name}_low"], table[f"{name}_high"] = share_interval(hits / effect, of / effect)
    design = effects[3]
    ratios = [_odds_ratio(int(a), int(b), positives, size, d) for a, b, d in zip(k, n, design, strict=True)]
    table[["odds_ratio", "odds_ratio_low", "odds_ratio_high"]] = ratios
    there = n > 0
    raw = np.where(there, skew_p_values(k, n, positives, size, design), np.nan)
    adjusted = holm(raw)
    table["p_value"], table["p_adjusted"] = raw, adjusted
    table["skew"] = _skews(k, n, positives / size, adjusted)
    decisive = significant(smallest_p_values(n, positives, size, design) * int(there.sum()))
    table["status"] = [
        status_of_test(p, decisive=yes) if n else "" for p, yes, n in zip(adjusted, decisive, there, strict=True)
    ]
    return table


def _skews(k: IntArray, n: IntArray, prior: float, adjusted: ArrayLike) -> list[str]:
    pairs = zip(significant(adjusted), k, n, strict=True)
    return ["" if not yes else "more" if a > b * prior else "less" for yes, a, b in pairs]


def _odds_ratio(k: int, n: int, positives: int, size: int, design: float) -> tuple[float, float, float]:
    """The conditional odds ratio with its exact 95 % interval; NaN where the term is in no text, or in all.

    With `_MANY` texts in each cell it is the odds ratio with the interval of its logarithm (Woolf 1955): the ends are
    then equal to .1 %, and the exact ones take minutes a term.
    """
    from scipy.stats import norm
    from scipy.stats.contingency import odds_ratio

    if n in (0, size):
        return float("nan"), float("nan"), float("nan")
    given, effective = (effective_cells(k, n, positives, size, by).reshape(2, 2) for by in (1.0, design))
    if effective.min() >= _MANY:
        ratio = float(given[0, 0] * given[1, 1] / given[0, 1] / given[1, 0])
        half = float(norm.ppf(1 - ALPHA / 2) * np.sqrt((1 / effective).sum()))
        return ratio, ratio * np.exp(-half), ratio * np.exp(half)
    interval = odds_ratio(effective).confidence_interval(1 - ALPHA)
    return float(odds_ratio(given).statistic), float(interval.low), float(interval.high)


def _buckets(rows: CorpusRows, terms: Sequence[str], edges: tuple[int, ...]) -> pd.DataFrame:
    import pandas as pd
    from scipy.sparse import diags_array

    names = bucket_names(edges)
    n, k = rows.counts().reshape(2, -1)
    table = pd.DataFrame({"term": np.repeat([ALL, *terms], len(names)), "bucket": list(names) * (len(terms) + 1)})
    table["n"], table["n_positive"] = n, k
    with np.errstate(invalid="ignore", divide="ignore"):
        table["share"] = k / n
    effect = np.ones(len(n))
    if rows.author is not None:
        member, clusters = rows.mentions(), (rows.author, intraclass_correlation(rows.is_positive, rows.author))
        inside = (diags_array((rows.bucket == b).astype(np.float64)) @ member for b in range(len(names)))
        effect = np.array([design_effects(each, *clusters, compared=False) for each in inside]).T.ravel()
    table["share_low"], table["share_high"] = share_interval(k / effect, n / effect)
    return table


def _mine(rows: CorpusRows, terms: Sequence[str], most: int, min_count: int) -> tuple[pd.DataFrame, int]:
    """The words outside the list whose texts are clearly skewed, at most ``most`` of each direction."""
    import pandas as pd

    nothing = pd.DataFrame(columns=["word", "n", "n_positive", "share", "odds_ratio", "p_adjusted", "skew"])
    size, positives, counted = len(rows.is_positive), int(rows.is_positive.sum()), rows.words
    listed = {word for term in terms for word in term.casefold().split()}
    words = sorted(word for word, n in counted.n.items() if min_count <= n < size and word not in listed)
    if not words:
        return nothing, 0
    n, k = (np.array([by[word] for word in words]) for by in (counted.n, counted.positive))
    table = pd.DataFrame({"word": words, "n": n, "n_positive": k, "share": k / n})
    design = rows.word_effects(words)
    # The log odds ratio with one half added to each cell; the strength is the end of its interval that is nearer to 0.
    cells = effective_cells(k, n, positives, size) + 0.5
    log_ratio = np.log(cells[0] * cells[3] / cells[1] / cells[2])
    table["odds_ratio"] = np.exp(log_ratio)
    table["p_adjusted"] = holm(skew_p_values(k, n, positives, size, design))
    table["skew"] = _skews(k, n, positives / size, table["p_adjusted"])
    table["strength"] = np.abs(log_ratio) - 1.96 * np.sqrt(design * (1 / cells).sum(axis=0))
    table = table[table["skew"] != ""].sort_values(["strength", "word"], ascending=[False, True], kind="stable")
    kept = table.groupby("skew", sort=False).head(most)
    return kept[list(nothing.columns)].reset_index(drop=True), len(words)

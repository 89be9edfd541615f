"""How often an audit calls a term skewed where labels are random, and how often its intervals hold the true value.

    python benchmarks/audit.py [--quick] [--json FILE]

A corpus has 5,000 texts, and 40 terms in 2 to 1,000 of them. "Random labels": labels are drawn without regard to the
terms; the table says in how many corpora any term is called skewed (at most 5 % is right), the same for 2,000 mined
words. "Copies" is the same where each text stands in the corpus five times, as retweets do. "Authors": authors write
several texts and differ in how often these are positive and in how often they have a term, each with a correlation
within authors, and independently of each other. "Odds ratio 3": one term of 100 texts has three times the odds; the
table says how often the exact interval holds the true odds ratio, and how often the term is called skewed. "Same
model": the FPED of two models has the same skewed distribution over seeds (log-normal, .5 on the log, as on the
tweets); the table says how often their difference is called clear with 2, 5 and 10 seeds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy import stats

from fairness_checklist.extensions.corpora.audit import audit
from fairness_checklist.statistics.design_effects import design_effects, intraclass_correlation
from fairness_checklist.statistics.exact_bounds import share_interval, skew_p_values
from fairness_checklist.statistics.multiplicity import holm, significant

TEXTS, TERMS, WORDS = 5000, 40, 2000


def claims(rng: np.random.Generator, prior: float, size: int, copies: int, draws: int) -> float:
    """The share of corpora in which any of so many terms (or words) is called skewed."""
    n = np.unique(np.geomspace(2, 1000, size).astype(int), return_inverse=True)
    counts = n[0][n[1]]
    texts = TEXTS // copies
    found = 0
    for _ in range(draws):
        labels = rng.random(texts) < prior
        k = np.array([labels[rng.choice(texts, max(1, one // copies), replace=False)].sum() for one in counts])
        size_of = np.maximum(counts // copies, 1) * copies
        p = skew_p_values(k * copies, size_of, int(labels.sum()) * copies, texts * copies)
        found += bool(significant(holm(p)).any())
    return found / draws


AUTHORS = {
    "5,000 of 1": np.ones(5000, dtype=int),
    "1,000 of 5": np.full(1000, 5),
    "100 of 50": np.full(100, 50),
    "10 of 500": np.full(10, 500),
    "2,000, the most 611": np.maximum(1, (611 / np.arange(1, 2001)).astype(int)),
}


def by_authors(sizes: np.ndarray, prior: float, within: float, draws: int) -> dict[str, float]:
    """The share of corpora of authors of so many texts in which any of 40 terms is called skewed, and in which the
    interval of the most frequent one holds the share, without and with the authors."""
    rng = np.random.default_rng(5)
    author = np.repeat(np.arange(len(sizes)), sizes)
    spread, one = (1 - within) / within, np.ones(TERMS)
    rate = np.geomspace(2, 1000, TERMS)[:, None] / TEXTS
    figures = dict.fromkeys(("called", "called, authors", "held", "held, authors"), 0)
    for _ in range(draws):
        positive = rng.beta(prior * spread, (1 - prior) * spread, len(sizes))
        used = rng.beta(rate * spread, (1 - rate) * spread, (TERMS, len(sizes)))
        held = (rng.random((TERMS, len(author))) < used[:, author]).T
        label = rng.random(len(author)) < positive[author]
        n, k = held.sum(axis=0), held[label].sum(axis=0)
        clusters = (author, intraclass_correlation(label, author))
        for name, test, share in (
            ("", one, one),
            (", authors", design_effects(held, *clusters), design_effects(held, *clusters, compared=False)),
        ):
            p = skew_p_values(k, n, int(label.sum()), len(label), test)
            figures[f"called{name}"] += bool(significant(holm(np.where(n, p, np.nan))).any())
            low, high = share_interval(k / share, n / share)
            figures[f"held{name}"] += bool(low[-1] <= prior <= high[-1])
    return {name: hits / draws for name, hits in figures.items()}


def one_term(
    rng: np.random.Generator, prior: float, draws: int, each: int = 1, *, given: bool = False
) -> dict[str, float]:
    """Coverage of the intervals of one skewed term of 100 texts, and how often it is called skewed among 40 terms.

    Authors write ``each`` texts, all or none with the term; labels correlate by .3 within authors, which may be given.
    """
    odds = 3 * prior / (1 - prior)
    share = odds / (1 + odds)
    covered = held = called = 0
    author = np.arange(TEXTS) // each
    mean = np.where(np.arange(TEXTS // each) < 100 // each, share, prior)
    for _ in range(draws):
        rate = mean if each == 1 else rng.beta(mean * 7 / 3, (1 - mean) * 7 / 3)
        label = rng.random(TEXTS) < rate[author]
        texts = [f"marked {at}" if at < 100 else f"plain {at}" for at in range(TEXTS)]
        labels = ["toxic" if one else "no" for one in label]
        row = audit(texts, labels, ["marked"], authors=author.tolist() if given else None).terms.iloc[0]
        covered += bool(row["odds_ratio_low"] <= 3 <= row["odds_ratio_high"])
        held += bool(row["share_low"] <= share <= row["share_high"])
        called += bool(row["p_value"] * TERMS < 0.05)
    return {"odds_ratio": covered / draws, "share": held / draws, "called": called / draws}


def same_model(rng: np.random.Generator, seeds: int, draws: int) -> float:
    """How often the rule of `mitigate` calls the change between two models of one distribution clear."""
    apart = np.exp(rng.normal(0, 0.5, (draws, seeds))) - np.exp(rng.normal(0, 0.5, (draws, seeds)))
    reach = stats.t.ppf(0.975, seeds - 1) * apart.std(axis=1, ddof=1) / np.sqrt(seeds)
    return float((np.abs(apart.mean(axis=1)) > reach).mean())


def main() -> None:
    """Read the command line, simulate, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    draws = 50 if arguments.quick else 400
    rng = np.random.default_rng(0)
    rows = []
    for prior in (0.1, 0.84):
        rows.append(
            {
                "prior": prior,
                "terms": claims(rng, prior, TERMS, 1, draws),
                "terms_copies": claims(rng, prior, TERMS, 5, draws),
                "words": claims(rng, prior, WORDS, 1, draws // 5),
                **one_term(rng, prior, draws // 5),
            }
        )
        print({name: round(float(value), 3) for name, value in rows[-1].items()}, flush=True)
    authors = []
    for name, sizes in AUTHORS.items():
        for prior, within in ((0.1, 0.3), (0.84, 0.3), (0.1, 0.7), (0.84, 0.7)):
            authors.append({"authors": name, "prior": prior, "within": within})
            authors[-1] |= by_authors(sizes, prior, within, draws)
            print(authors[-1], flush=True)
    for each, given in ((1, False), (1, True), (5, False), (5, True)):
        skewed = one_term(np.random.default_rng(2), 0.1, draws // 2, each, given=given)
        print(f"odds ratio 3, {each} texts an author, authors given: {given}", skewed, flush=True)
    same = {seeds: same_model(np.random.default_rng(1), seeds, 20_000) for seeds in (2, 5, 10)}
    print(f"same model, called clear: {same}")
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"draws": draws, "rows": rows, "authors": authors, "same_model": same}, indent=2) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()

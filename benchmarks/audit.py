"""How often an audit calls a term skewed where labels are random, and how often its intervals hold the true value.

    python benchmarks/audit.py [--quick] [--json FILE]

A corpus has 5,000 texts, and 40 terms in 2 to 1,000 of them. "Random labels": labels are drawn without regard to the
terms; the table says in how many corpora any term is called skewed (at most 5 % is right). "Copies" is the same where
each text stands in the corpus five times, as retweets do. "Odds ratio 3": one term of 100 texts has three times the
odds; the table says how often the exact interval holds the true odds ratio, and how often the term is called skewed.
"Same model": the FPED of two models has the same skewed distribution over seeds (log-normal, .5 on the log, as on the
tweets); the table says how often their difference is called clear with 2, 5 and 10 seeds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy import stats

from fairness_checklist.extensions.corpora.audit import audit
from fairness_checklist.extensions.corpora.exact_tests import skew_p_values
from fairness_checklist.statistics.multiplicity import holm, significant

TEXTS, TERMS = 5000, 40


def claims(rng: np.random.Generator, prior: float, copies: int, draws: int) -> float:
    """The share of corpora in which any term is called skewed."""
    n = np.unique(np.geomspace(2, 1000, TERMS).astype(int), return_inverse=True)
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


def one_term(rng: np.random.Generator, prior: float, draws: int) -> dict[str, float]:
    """Coverage of the intervals of one skewed term of 100 texts, and how often it is called skewed among 40 terms."""
    odds = 3 * prior / (1 - prior)
    share = odds / (1 + odds)
    covered = held = called = 0
    rate = np.where(np.arange(TEXTS) < 100, share, prior)
    texts = [f"marked {at}" if at < 100 else f"plain {at}" for at in range(TEXTS)]
    for _ in range(draws):
        labels = ["toxic" if positive else "no" for positive in rng.random(TEXTS) < rate]
        row = audit(texts, labels, ["marked"]).terms.iloc[0]
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
                "terms": claims(rng, prior, 1, draws),
                "terms_copies": claims(rng, prior, 5, draws),
                **one_term(rng, prior, draws // 5),
            }
        )
        print({name: round(float(value), 3) for name, value in rows[-1].items()}, flush=True)
    same = {seeds: same_model(np.random.default_rng(1), seeds, 20_000) for seeds in (2, 5, 10)}
    print(f"same model, called clear: {same}")
    if arguments.json:
        arguments.json.write_text(
            json.dumps({"draws": draws, "rows": rows, "same_model": same}, indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()

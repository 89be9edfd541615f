"""Intrinsic measures against FPED and FNED over the models of the mitigation loop: do they agree?

    python benchmarks/intrinsic.py [--quick] [--json FILE] [--data FOLDER] [--seeds N]

The models are those of `mitigation.py` (tweets of Davidson et al. 2017, sentences of our own in the corpus, small
convolutional networks): three arms, one network a seed and arm. Terms are those of the phrases; the two groups are the
terms that need texts (they stand in toxic texts more often) and as many of the others. SEAT, CEAT, Cos and PCA use the
trained word vectors; probes, clusters and neighbours the hidden layer for the phrases, one template at a time less its
mean. PCA and Cos need pairs and are computed on pairs in the order of the lists.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from correlations import Correlations, correlate
from mitigation import ATTRIBUTES, read_pool, term_sets, with_own

import fairness_checklist as fc
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.extensions.corpora.mitigation_loop import (
    ARMS,
    LabelledTexts,
    MitigationLoop,
    identity_phrases,
    mitigation_loop,
)
from fairness_checklist.extensions.lenses.intrinsic_measures import MEASURES, GroupVectors, intrinsic_measures
from fairness_checklist.extensions.lenses.probe_sentences import ROLES, WORD_SETS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).with_name("papers")))
from text_cnn import TextCnn, train_text_cnn

from training.davidson import Tweets, load_corpus

EXTRINSIC = ("fped", "fned")


def loop_with_models(
    data: Path, seeds: int, phrases: pd.DataFrame
) -> tuple[MitigationLoop, dict[str, list[str]], list[TextCnn]]:
    """The loop, its sets of terms, and its networks in the order of training: seed by seed, arm by arm."""
    models: list[TextCnn] = []

    def fit(texts: Sequence[str], positive: Sequence[bool], *, seed: int) -> Callable[[Sequence[str]], FloatArray]:
        models.append(train_text_cnn(texts, positive, seed=seed))
        return models[-1]

    corpus = load_corpus(data)
    train, test = with_own(corpus.train, data), corpus.test

    sets = term_sets(train, phrases)

    def labelled(tweets: Tweets) -> LabelledTexts:
        return LabelledTexts(tweets.texts, tweets.labels)

    found = mitigation_loop(
        labelled(train),
        labelled(test),
        read_pool(data),
        phrases,
        terms=sets["balanced"],
        seeds=range(1, seeds + 1),
        fit=fit,
    )
    return found, sets, models


def vectors_of(model: TextCnn, phrases: pd.DataFrame, left: Sequence[str], right: Sequence[str]) -> GroupVectors:
    """The vectors of one network."""
    terms = [*left, *right]
    words = model.word_vectors(terms)
    sets = [words_known(model, each) for each in WORD_SETS["pleasant"].values()]
    kept = phrases[phrases["term"].isin(terms)]
    every = kept.groupby("template")["term"].nunique()
    kept = kept[kept["template"].isin(every[every == len(terms)].index)].drop_duplicates(["template", "term"])
    around = model.text_vectors(kept["text"].tolist())
    template = pd.factorize(kept["template"])[0]
    means = np.stack([around[template == at].mean(axis=0) for at in range(template.max() + 1)])
    return GroupVectors(
        is_left=np.arange(len(terms)) < len(left),
        terms=words,
        contexts=[word[None] for word in words],
        around=around - means[template],
        around_unit=np.array([terms.index(term) for term in kept["term"]], dtype=np.int64),
        a=[word[None] for word in sets[0]],
        b=[word[None] for word in sets[1]],
        roles=words_known(model, ROLES),
        pairs=np.stack([np.arange(len(left)), len(left) + np.arange(len(left))], axis=1),
    )


def words_known(model: TextCnn, words: Sequence[str]) -> FloatArray:
    """The vectors of the words that the network knows."""
    found = model.word_vectors(words)
    return found[~np.isnan(found[:, 0])]


def measure(data: Path, seeds: int) -> tuple[MitigationLoop, pd.DataFrame, Correlations, tuple[int, int]]:
    """Train, measure and correlate."""
    phrases = identity_phrases(fc.Suite.build(ATTRIBUTES, task="toxicity"), single_words=True)
    loop, sets, models = loop_with_models(data, seeds, phrases)
    known = [set(model.number) for model in models]
    everywhere = set.intersection(*known)
    need = [one for one in (*sets["balanced"], *sets["held out"]) if one in everywhere]
    other = [one for one in sets["other"] if one in everywhere]
    size = min(len(need), len(other), 15)
    rows = []
    for at, model in enumerate(models):
        seed, arm = divmod(at, len(ARMS))
        vectors = vectors_of(model, phrases, need[:size], other[:size])
        found = intrinsic_measures(vectors, draws=19, samples=20, probe_draws=1, seed=seed)
        run = loop.runs[ARMS[arm]][seed]
        values = dict(zip(found["measure"], found["value"], strict=True))
        rows.append({"arm": ARMS[arm], "seed": seed + 1, **values, "fped": run.fped, "fned": run.fned})
    table = pd.DataFrame(rows)
    result = correlate(table.drop(columns="seed"), list(MEASURES), list(EXTRINSIC))
    return loop, table, result, (size, len(vectors.around) // (2 * size))


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two seeds")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with davidson/ and sst2/")
    parser.add_argument("--seeds", type=int, default=5)
    arguments = parser.parse_args()
    if not (arguments.data / "davidson").is_dir():
        print("skipped: the tweets are not there; name the folder with --data")
        return
    start = time.process_time()
    loop, table, found, (terms, templates) = measure(arguments.data, 2 if arguments.quick else arguments.seeds)
    phrases = loop.runs["baseline"][0].n
    print(f"{len(table)} models, {terms} terms a group, {templates} templates; FPED, FNED of {phrases:,} phrases")
    print(table.groupby("arm", sort=False).mean(numeric_only=True).drop(columns="seed").T.round(3).to_string())
    shown = found.table.drop(columns=["r2_low", "r2_high"]).round(3)
    print(shown.to_string(index=False))
    print(found.sentence())
    if arguments.json:
        figures = {
            "cpu_seconds": round(time.process_time() - start, 1),
            "models": json.loads(table.to_json(orient="records")),
            "terms": terms,
            "templates": templates,
            "correlations": json.loads(found.table.to_json(orient="records")),
            "sentence": found.sentence(),
        }
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""The mitigation of Dixon et al. 2018 on the tweets of Davidson et al. 2017: baseline, random control, balanced model.

    python benchmarks/mitigation.py [--quick] [--json FILE] [--data FOLDER] [--seeds N] [--own] [--keep FOLDER]

The corpus is the training part of the tweets (`training/davidson.py`), the general set their test part, the pool the
film reviews of SST-2, which are assumed to be not toxic. The phrases are the shipped templates for toxicity, filled
with the terms of one word of six attributes; none of them is trained on. A third of the terms in need of texts is held
out of the balancing. With ``--own`` the corpus also has 4,000 sentences of each class that the bundled toxicity model
is trained on (`training/own_sentences.py`; they name no group): mild insults such as those of the phrases. The model
is the small convolutional network of `papers/text_cnn.py`. With ``--keep FOLDER`` the scores of each trained model are
kept in files, so that a run that was stopped, or one with more seeds, trains only the models that are missing.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

import fairness_checklist as fc
from fairness_checklist.core.arrays import FloatArray
from fairness_checklist.extensions.corpora.audit import audit
from fairness_checklist.extensions.corpora.mitigation import additions_needed
from fairness_checklist.extensions.corpora.mitigation_loop import (
    Fit,
    LabelledTexts,
    MitigationLoop,
    identity_phrases,
    mitigation_loop,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).with_name("papers")))
from text_cnn import train_text_cnn

from training.davidson import Tweets, clean, load_corpus
from training.own_sentences import own_sentences
from training.sst import read_sst5

ATTRIBUTES = ["gender", "sexual_orientation", "race_ethnicity", "religion", "disability", "age"]
OWN, SEED = 4000, 2022  # as the recipe of the bundled model


def read_pool(data: Path) -> list[str]:
    """The film reviews, cleaned as the tweets are."""
    with (data / "sst2" / "train.tsv").open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [clean(row["sentence"]) for row in rows]


def with_own(tweets: Tweets, data: Path) -> Tweets:
    """The tweets and the sentences of our own."""
    texts, labels = [*tweets.texts], [*tweets.labels]
    reviews = read_sst5(data / "sst5" / "stsa.fine.train").texts
    for label, found in own_sentences(OWN, SEED, reviews).items():
        texts += found
        labels += [label] * len(found)
    return Tweets(tuple(texts), tuple(labels))


def kept_in(folder: Path) -> Fit:
    """Training that reads scores from the folder where they are known, and trains a model when it is first needed."""
    folder.mkdir(parents=True, exist_ok=True)

    def fit(texts: Sequence[str], positive: Sequence[bool], *, seed: int) -> Callable[[Sequence[str]], FloatArray]:
        corpus = json.dumps([list(texts), [bool(one) for one in positive], seed])
        trained: list[Callable[[Sequence[str]], FloatArray]] = []

        def score(asked: Sequence[str]) -> FloatArray:
            file = folder / f"{sha256((corpus + json.dumps(list(asked))).encode()).hexdigest()}.npy"
            if not file.is_file():
                if not trained:
                    trained.append(train_text_cnn(texts, positive, seed=seed))
                np.save(file, trained[0](asked), allow_pickle=False)
            return np.asarray(np.load(file, allow_pickle=False), dtype=np.float64)

        return score

    return fit


def term_sets(train: Tweets, phrases: pd.DataFrame) -> dict[str, list[str]]:
    """The terms in need of texts, most first, of which every third is held out of the balancing; and the others."""
    found = audit(train.texts, train.labels, list(dict.fromkeys(phrases["term"])))
    needed = additions_needed(found).groupby("term")["negative"].sum()
    order = sorted(needed.index[needed > 0], key=lambda term: (-needed[term], term))
    other = [term for term in found.names if term not in order]
    balanced = [term for place, term in enumerate(order) if place % 3 < 2]
    return {"balanced": balanced, "held out": order[2::3], "other": other}


def distances(found: MitigationLoop, sets: dict[str, list[str]]) -> pd.DataFrame:
    """The mean distance of a term's figures from those of all phrases, by set of terms and model."""
    figures, rows = ["fpr", "fnr", "pinned_auc"], []
    for name, terms in sets.items():
        for model, runs in found.runs.items():
            tables = [run.table.set_index("term").loc[terms, figures] - [run.fpr, run.fnr, run.auc] for run in runs]
            rows.append((name, len(terms), model, *np.mean([table.abs().mean() for table in tables], axis=0)))
    return pd.DataFrame(rows, columns=["set", "terms", "model", *figures])


def measure(data: Path, seeds: int, *, own: bool, keep: Path | None) -> tuple[MitigationLoop, dict[str, list[str]]]:
    """Run the loop; the sets of terms come with it."""
    corpus = load_corpus(data)
    train = with_own(corpus.train, data) if own else corpus.train

    def labelled(tweets: Tweets) -> LabelledTexts:
        return LabelledTexts(tweets.texts, tweets.labels)

    suite = fc.Suite.build(ATTRIBUTES, task="toxicity")
    phrases = identity_phrases(suite, single_words=True)
    sets = term_sets(train, phrases)
    found = mitigation_loop(
        labelled(train),
        labelled(corpus.test),
        read_pool(data),
        phrases,
        terms=sets["balanced"],
        seeds=range(1, seeds + 1),
        fit=train_text_cnn if keep is None else kept_in(keep),
    )
    return found, sets


def main() -> None:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one seed")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with davidson/ and sst2/")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--own", action="store_true", help="with sentences of our own in the corpus")
    parser.add_argument("--keep", type=Path, help="folder in which the scores of trained models are kept")
    arguments = parser.parse_args()
    if not (arguments.data / "davidson").is_dir():
        print("skipped: the tweets are not there; name the folder with --data")
        return
    seeds = 1 if arguments.quick else arguments.seeds
    found, sets = measure(arguments.data, seeds, own=arguments.own, keep=arguments.keep)
    print(found.audit.sentence())
    print(found.additions.sentence())
    print(found.sentence())
    print(found.table().round(4).to_string(index=False))
    print(distances(found, sets).round(4).to_string(index=False))
    if arguments.json:
        figures = {
            "sentence": found.sentence(),
            "own": arguments.own,
            "texts": found.audit.n,
            "added": len(found.additions),
            "missing": int(found.additions.plan["missing"].sum()),
            "sets": {name: terms for name, terms in sets.items() if name != "other"},
            "phrases": found.runs["baseline"][0].n,
            "table": json.loads(found.table().to_json(orient="records")),
            "by_set": json.loads(distances(found, sets).to_json(orient="records")),
        }
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

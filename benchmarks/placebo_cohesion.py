"""How alike the terms of one group are: the placebo's concepts against the groups of the identity attributes.

    python benchmarks/placebo_cohesion.py [--quick] [--json FILE] [--data FOLDER] [--beside NAME=FILE]

The placebo is a null distribution only where its concepts are about as cohesive as the groups of an identity attribute.
For every term the mean probability of the harmful class (negative, toxic) is taken over the sentences of
``templates/generic.csv``. Two figures say how alike the terms of a group are:

- the intraclass correlation of these means, ICC(1) of a one-way analysis of variance (Shrout and Fleiss 1979) with the
  mean group size of Donner (1986) for groups that differ in size: 1 where all terms of a group have one mean, 0 where
  terms of one group differ as much as any two terms, below 0 where they differ more;
- the standard deviation within groups, pooled, over that of all terms.

The models are the bundled classifiers and, with ``--data``, two of other kinds that are trained here: TF-IDF with
logistic regression (sentiment, SST-2) and averaged embeddings (toxicity, Davidson et al. 2017).
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import fairness_checklist as fc
from fairness_checklist.content.term_files import is_placebo

HARMFUL = {"sentiment": "negative", "toxicity": "toxic"}
BUNDLED = {"sentiment-2": "sentiment", "sentiment-3": "sentiment", "toxicity": "toxicity"}
SEED = 0
FEATURES, WIDTH, EPOCHS, BATCH = 20_000, 64, 6, 64

Probabilities = Callable[[Sequence[str]], np.ndarray]
"""From n texts to the probability (n) of the harmful class."""
Groups = Mapping[str, Mapping[str, Sequence[str]]]
"""For each group the sentences of each of its terms."""


def cohesion(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """ICC(1) of values in groups, and the pooled standard deviation within groups over that of all values.

    Groups of one value have no deviation within, and count for the deviation between groups. Both are NaN where all
    values are equal or no group has two.

    >>> [round(value, 3) for value in cohesion([[1.0, 1.0], [3.0, 3.0]])]
    [1.0, 0.0]
    >>> [round(value, 3) for value in cohesion([[1.0, 3.0], [1.0, 3.0], [1.0, 3.0]])]
    [-1.0, 1.225]
    """
    sizes = np.array([len(group) for group in groups], dtype=float)
    values = np.concatenate([np.asarray(group, dtype=float) for group in groups])
    n, k = len(values), len(groups)
    if k < 2 or n == k or np.ptp(values) == 0:
        return float("nan"), float("nan")
    means = np.array([np.mean(group) for group in groups])
    within = float(sum(np.sum((np.asarray(group) - mean) ** 2) for group, mean in zip(groups, means, strict=True)))
    within /= n - k
    between = float(np.sum(sizes * (means - values.mean()) ** 2)) / (k - 1)
    size = (n - float(np.sum(sizes**2)) / n) / (k - 1)
    icc = (between - within) / (between + (size - 1) * within)
    return icc, float(np.sqrt(within / values.var(ddof=1)))


def sentences(attribute: str, every: int, file: Path | None = None) -> Groups:
    """The generic sentences of each term of an attribute, one template in ``every``; or of the terms of a file."""
    if file is None:
        suite = fc.Suite.build(attribute, task="sentiment", templates=["generic"])
    else:
        suite = fc.Suite.build(attribute, task="sentiment", templates=["generic"], terms=_mapping(file))
    table = suite.to_frame()
    kept = list(dict.fromkeys(table["template"]))[::every]
    found: dict[str, dict[str, list[str]]] = {}
    for row in table[table["template"].isin(kept) & (table["group"] != "unmarked")].to_dict("records"):
        found.setdefault(row["group"], {}).setdefault(row["term"], []).append(row["text"])
    return found


def _mapping(file: Path) -> dict[str, list[dict[str, str]]]:
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if row["status"] != "dispreferred":
            found.setdefault(row["group"], []).append({k: v for k, v in row.items() if k != "group"})
    return found


def attributes() -> list[str]:
    """The attributes whose terms fill generic sentences: all but names and named sets."""
    return [name for name in fc.list_attributes() if "." not in name and name != "names"]


def bundled(name: str) -> Probabilities:
    """The harmful class of a bundled model."""
    model = fc.load_model(f"bundled/{name}")
    harmful = HARMFUL[BUNDLED[name]]

    def score(texts: Sequence[str]) -> np.ndarray:
        found = model.predict(list(texts))
        return np.asarray(found.probabilities)[:, list(found.classes).index(harmful)]

    return score


def tfidf(data: Path) -> Probabilities:
    """TF-IDF of words and pairs of words with logistic regression, trained on SST-2."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    from training.sst import read_sst2

    rows = read_sst2(data / "sst2" / "train.tsv")
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LogisticRegression(C=4, max_iter=1000))
    model.fit(rows.texts, rows.labels)
    return lambda texts: model.predict_proba(list(texts))[:, list(model.classes_).index("negative")]


def embeddings(data: Path) -> Probabilities:
    """The mean of learned vectors of words and of their parts of three letters, trained on the tweets."""
    import torch
    from sklearn.feature_extraction.text import CountVectorizer

    from training.davidson import clean, load_corpus

    tweets = load_corpus(data).train
    torch.manual_seed(SEED)
    counter = CountVectorizer(
        analyzer=lambda text: _parts(clean(text)),
        max_features=FEATURES,
        binary=True,
    )
    rows = counter.fit_transform(tweets.texts)
    vectors, last = torch.nn.EmbeddingBag(FEATURES, WIDTH, mode="mean"), torch.nn.Linear(WIDTH, 2)
    gold = torch.tensor([label == "toxic" for label in tweets.labels]).long()
    weights = 1 / torch.bincount(gold).float()
    optimiser = torch.optim.Adam([*vectors.parameters(), *last.parameters()], lr=3e-3)

    def logits(matrix: Any) -> torch.Tensor:
        indices, offsets = torch.tensor(matrix.indices).long(), torch.tensor(matrix.indptr[:-1]).long()
        return last(vectors(indices, offsets))

    for _epoch in range(EPOCHS):
        order = torch.randperm(len(gold))
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(logits(rows[chosen.numpy()]), gold[chosen], weights).backward()
            optimiser.step()

    def score(texts: Sequence[str]) -> np.ndarray:
        with torch.no_grad():
            return np.asarray(logits(counter.transform(list(texts))).softmax(1)[:, 1])

    return score


def _parts(text: str) -> list[str]:
    """The words of a text, and the runs of three letters of each."""
    words = text.split()
    return [*words, *(f"#{word[at : at + 3]}" for word in words for at in range(max(1, len(word) - 2)))]


def measure(groups: Groups, model: Probabilities) -> tuple[float, float]:
    """The cohesion of the groups of an attribute under a model."""
    texts = list(dict.fromkeys(text for terms in groups.values() for found in terms.values() for text in found))
    p = dict(zip(texts, np.asarray(model(texts), dtype=float).tolist(), strict=True))
    return cohesion([[statistics.fmean(p[t] for t in found) for found in terms.values()] for terms in groups.values()])


def table(rows: Sequence[dict[str, Any]], models: Sequence[str]) -> str:
    """The figures as a Markdown table: ICC(1) by model, its median, and the median ratio of the deviations."""
    head = ["attribute", "groups", "terms", *models, "median", "SD within / total"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        cells = [f"{row['icc'][name]:.2f}" for name in models]
        last = (f"{row['median_icc']:.2f}", f"{row['median_sd_ratio']:.2f}")
        lines.append("| " + " | ".join([row["attribute"], str(row["groups"]), str(row["terms"]), *cells, *last]) + " |")
    return "\n".join(lines)


def row_of(name: str, groups: Groups, models: Mapping[str, Probabilities]) -> dict[str, Any]:
    """The figures of one attribute."""
    found = {model: measure(groups, score) for model, score in models.items()}
    return {
        "attribute": name,
        "groups": len(groups),
        "terms": sum(map(len, groups.values())),
        "icc": {model: values[0] for model, values in found.items()},
        "sd_ratio": {model: values[1] for model, values in found.items()},
        "median_icc": statistics.median(values[0] for values in found.values()),
        "median_sd_ratio": statistics.median(values[1] for values in found.values()),
    }


def main() -> None:
    """Run, print a table, and write the figures where ``--json`` says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one template in ten")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--data", type=Path, help="folder of training data (sst2/, davidson/): two more models")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FILE", help="a further file of terms")
    options = parser.parse_args()
    every = 10 if options.quick else 1
    models = {name: bundled(name) for name in BUNDLED}
    if options.data:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
        models |= {"TF-IDF": tfidf(options.data), "embeddings": embeddings(options.data)}
    else:
        print("Without --data only the bundled models are measured.")
    rows = [row_of(name, sentences(name, every), models) for name in attributes()]
    for beside in options.beside:
        name, _, file = beside.partition("=")
        rows.append(row_of(name, sentences(name, every, Path(file)), models))
    rows.sort(key=lambda row: row["median_icc"])
    print(table(rows, list(models)))
    known = {name for name in attributes() if not is_placebo(name)}
    identity = [row["median_icc"] for row in rows if row["attribute"] in known]
    print(f"median over the identity attributes: {statistics.median(identity):.2f}")
    if options.json:
        options.json.write_text(json.dumps({"quick": options.quick, "attributes": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()

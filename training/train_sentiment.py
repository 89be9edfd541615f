"""Train one of the bundled sentiment models from scratch, on one CPU thread.

    python -m training.train_sentiment --classes 3 --out fairness_checklist/bundled_models/sentiment-3

Writes a folder that `transformers` loads (config, safetensors, tokenizer), ``metrics.json`` with the held-out figures,
and the model card. Epoch and neutral bias are chosen on dev; test is read once, at the end.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedTokenizerFast

from training.classifier import Encoded, Recipe, encode, logits_of, record_of, save, train
from training.model_card import figures, model_card
from training.sst import CLASSES, Corpus, load_corpus
from training.tokenizer import train_tokenizer


@dataclass(frozen=True)
class SentimentRecipe(Recipe):
    """The recipe of a sentiment model."""

    sentence_repeats: int = 2  # times an epoch sees a whole sentence; phrases are seen once
    neutral_repeats: int = 4  # the same for neutral sentences, of which there are half as many as of either pole
    neutral_phrases: int = 20000


RECIPES = {2: SentimentRecipe(classes=2), 3: SentimentRecipe(classes=3)}


def rows_of(recipe: SentimentRecipe, corpus: Corpus, tokenizer: PreTrainedTokenizerFast) -> Encoded:
    """What an epoch sees: phrases once, whole sentences as often as the recipe says."""
    neutral = corpus.classes.index("neutral") if "neutral" in corpus.classes else None
    rows = encode(corpus.phrases.texts, corpus.phrases.labels, tokenizer, corpus.classes)
    for row in encode(corpus.sentences.texts, corpus.sentences.labels, tokenizer, corpus.classes):
        rows += [row] * (recipe.neutral_repeats if row[1] == neutral else recipe.sentence_repeats)
    return rows


def main() -> None:
    """Read the command line, train, measure, write."""
    parser = argparse.ArgumentParser(description="Train a bundled sentiment model from scratch on the CPU.")
    parser.add_argument("--classes", type=int, choices=sorted(CLASSES), required=True, help="2, or 3 with neutral")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with sst2/ and sst5/")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write, .../bundled_models/sentiment-3")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--epochs", type=int, help="default: the recipe's own")
    arguments = parser.parse_args()
    recipe = replace(RECIPES[arguments.classes], seed=arguments.seed)
    if arguments.epochs:
        recipe = replace(recipe, epochs=arguments.epochs)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    corpus = load_corpus(arguments.data, recipe.classes, neutral_count=recipe.neutral_phrases, seed=recipe.seed)
    tokenizer = train_tokenizer(corpus.sentences.texts, recipe.vocabulary)
    dev = encode(corpus.dev.texts, corpus.dev.labels, tokenizer, corpus.classes)
    model, chosen = train(recipe, corpus.classes, rows_of(recipe, corpus, tokenizer), dev, tokenizer, "neutral")
    record = record_of(recipe, corpus.classes, corpus.facts, chosen, model)
    for part, texts in (("dev", corpus.dev), ("test", corpus.test)):
        rows = encode(texts.texts, texts.labels, tokenizer, corpus.classes)
        gold = np.array([label for _, label in rows])
        record[part] = figures(logits_of(model, rows, tokenizer.pad_token_id).argmax(axis=1), gold, corpus.classes)
        print(f"{part}: {json.dumps(record[part])}")
    save(arguments.out, model, tokenizer, record, model_card(arguments.out.name, record))
    print(f"written: {arguments.out}")


if __name__ == "__main__":
    main()

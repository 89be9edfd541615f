"""Make the bundled sentiment model: fine-tune MiniLM, let it label texts, train a small student on them.

    python -m training.train_sentiment --data ../shared/data --snippets hutto_ICWSM_2014 --out OUT

Writes a folder that `transformers` loads (config, safetensors in float16, tokenizer), ``metrics.json`` with the
held-out figures, and the model card. Epoch and neutral bias are chosen on dev; test is read once, at the end.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.classifier import Encoded, encode, logits_of, record_of, save
from training.davidson import load_corpus as load_tweets
from training.distil import (
    Labelled,
    StudentRecipe,
    clauses,
    not_held_out,
    soft_labels,
    sources,
    student_tokenizer,
    targets_of,
    teach,
    teacher,
)
from training.model_card import figures, model_card
from training.sst import CLASSES as SST_CLASSES
from training.sst import load_corpus

CLASSES = SST_CLASSES[3]
RECIPE = StudentRecipe(classes=3)
NEUTRAL = 0.5  # a snippet whose mean rating (-4 to 4) is at most this far from 0 is neutral
CLASSES_OF_EMOTIONS = {
    "positive": "admiration amusement approval caring desire excitement gratitude joy love optimism pride relief",
    "negative": "anger annoyance disappointment disapproval disgust embarrassment fear grief nervousness remorse "
    "sadness",
    "neutral": "neutral",
}
CLASS_OF = {emotion: name for name, emotions in CLASSES_OF_EMOTIONS.items() for emotion in emotions.split()}


def goemotions(data: Path, part: str) -> tuple[Labelled, list[str]]:
    """The comments of GoEmotions whose emotions are all of one class, and the other comments."""
    folder = data / "natural" / "goemotions"
    names = (folder / "labels.txt").read_text(encoding="utf-8").split()
    rows: Labelled = []
    others = []
    with gzip.open(folder / f"{part}.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        for text, numbers, _ in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            found = {CLASS_OF.get(names[int(number)], "") for number in numbers.split(",")}
            if len(found) == 1 and "" not in found:
                rows.append((text, found.pop()))
            else:
                others.append(text)
    return rows, others


def snippets(folder: Path, name: str) -> Labelled:
    """Texts that twenty people rated (Hutto and Gilbert 2014): tweets, amazonReviewSnippets, nytEditorialSnippets."""
    rows = []
    for line in (folder / f"{name}_GroundTruth.txt").read_text(encoding="utf-8", errors="replace").splitlines():
        _, rating, text = line.split("\t", 2)
        place = float(rating)
        rows.append((text, "neutral" if abs(place) <= NEUTRAL else "positive" if place > 0 else "negative"))
    return rows


def main() -> None:
    """Read the command line, train, measure, write."""
    parser = argparse.ArgumentParser(description="Make the bundled sentiment model, a student of MiniLM, on the CPU.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of the data sets")
    parser.add_argument("--snippets", type=Path, required=True, help="the folder hutto_ICWSM_2014")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write, .../bundled_models/sentiment")
    parser.add_argument("--seed", type=int, default=RECIPE.seed)
    parser.add_argument("--epochs", type=int, default=RECIPE.epochs)
    arguments = parser.parse_args()
    recipe = replace(RECIPE, seed=arguments.seed, epochs=arguments.epochs)
    torch.set_num_threads(1)
    data, chance = arguments.data, random.Random(recipe.seed)
    sst = load_corpus(data, 3, neutral_count=3000, seed=recipe.seed)
    emotions, others = goemotions(data, "train")
    tests: dict[str, Labelled] = {
        "SST, three classes": list(zip(sst.test.texts, sst.test.labels, strict=True)),
        "tweets (Hutto and Gilbert)": snippets(arguments.snippets, "tweets"),
        "GoEmotions": goemotions(data, "test")[0],
    }
    devs = [*zip(sst.dev.texts, sst.dev.labels, strict=True), *goemotions(data, "dev")[0][:1100]]
    held_out = [text for rows in (*tests.values(), devs) for text, _ in rows]
    reviews = snippets(arguments.snippets, "amazonReviewSnippets")
    editorials = snippets(arguments.snippets, "nytEditorialSnippets")
    sentences = list(zip(sst.sentences.texts, sst.sentences.labels, strict=True))
    labelled: dict[str, Labelled] = {}
    for name, rows in (("sst", sentences), ("emotions", emotions), ("reviews", reviews), ("editorials", editorials)):
        kept = set(not_held_out((text for text, _ in rows), held_out))
        labelled[name] = [row for row in dict(rows).items() if row[0] in kept]
    mixed = [row for rows in labelled.values() for row in chance.sample(rows, min(2500, len(rows)))]
    model, tokenizer = teacher(mixed, CLASSES, recipe)
    with torch.no_grad():
        for name, rows in tests.items():
            some = rows[:300]
            found = soft_labels(model, tokenizer, [text for text, _ in some]).argmax(1)
            print("teacher,", name, np.mean([CLASSES[n] == label for n, (_, label) in zip(found, some, strict=True)]))
    names = [f"btc_{letter}.conll" for letter in "abefgh"]
    pool = sources(data / "ner", [*names, "wnut17_train.conll", "wikigold.conll"])
    pool += [*others, *(text for text, _ in emotions), *load_tweets(data).train.texts[:4000]]
    pool += [part for text, _ in [*reviews, *editorials, *sentences, *emotions] for part in clauses(text)]
    pool = not_held_out(pool, held_out)
    pool = chance.sample([text for text in pool if len(text.split()) <= 30], recipe.unlabelled)
    logits = soft_labels(model, tokenizer, pool)
    phrases = chance.sample(list(zip(sst.phrases.texts, sst.phrases.labels, strict=True)), 8000)
    hard = [row for rows in labelled.values() for row in rows[:10000]] + phrases
    texts = [*(text for text, _ in hard), *pool]
    small, kept_pieces = student_tokenizer(texts, recipe.vocabulary)
    targets = targets_of([label for _, label in hard], logits, CLASSES, recipe)
    ids = small(texts, truncation=True, max_length=48)["input_ids"]
    rows_now: Encoded = [(row, number) for number, row in enumerate(ids)]
    dev = encode([t for t, _ in devs], [label for _, label in devs], small, CLASSES)
    student, chosen = teach(recipe, CLASSES, rows_now, targets, dev, small, kept_pieces, "neutral")
    facts = {name: len(rows) for name, rows in labelled.items()}
    facts |= {"phrases": len(phrases), "teacher_texts": recipe.teacher_texts, "unlabelled": len(pool), "dev": len(devs)}
    record: dict[str, Any] = record_of(recipe, CLASSES, facts, chosen, student)
    record["tests"] = {}
    for name, rows in {"dev": devs, **tests}.items():
        coded = encode([t for t, _ in rows], [label for _, label in rows], small, CLASSES)
        gold = np.array([label for _, label in coded])
        found = figures(logits_of(student, coded, small.pad_token_id).argmax(axis=1), gold, CLASSES)
        if name == "dev":
            record["dev"] = found
        else:
            record["tests"][name] = found
        print(f"{name}: {json.dumps(found)}")
    record["test"] = record["tests"]["SST, three classes"]
    save(arguments.out, student, small, record, model_card(arguments.out.name, record), half=True)
    print(f"written: {arguments.out}")


if __name__ == "__main__":
    main()

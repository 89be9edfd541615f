"""Make the bundled toxicity model: fine-tune MiniLM, let it label texts, train a small student on them.

    python -m training.train_toxicity --data ../shared/data --out fairness_checklist/bundled_models/toxicity

Writes a folder that `transformers` loads (config, safetensors in float16, tokenizer), ``metrics.json`` with the
held-out figures, and the model card. Epoch and the bias of `nontoxic` are chosen on dev; the tests are read at the end.
"""

from __future__ import annotations

import argparse
import ast
import csv
import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertForSequenceClassification, PreTrainedTokenizerFast

from training.classifier import encode, logits_of, record_of, save
from training.davidson import CLASSES, clean, load_corpus
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
from training.sst import read_sst5
from training.train_sentiment import goemotions

RECIPE = StudentRecipe(classes=2, epochs=2, teacher_texts=1800, unlabelled=6000, average=0.99)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _json(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file] if ".jsonl" in path.name else json.load(file)


def _labelled(pairs: Iterator[tuple[str, bool]]) -> Labelled:
    return [(clean(text), CLASSES[toxic]) for text, toxic in pairs if len(text.split()) > 2]


def training_sets(natural: Path) -> dict[str, Labelled]:
    """The sets that the model learns from beside the tweets of Davidson et al."""
    posts = _json(natural / "hatexplain" / "hate_dataset.json.gz")
    statements = []
    for row in _rows(natural / "toxigen" / "toxigen.csv.gz"):
        text = row["text"]
        written = ast.literal_eval(text).decode("utf-8", "replace") if text.startswith("b") else text
        statements.append((written, float(row["toxicity_human"]) > 2))
    return {
        "hatexplain": _labelled((post["text"], post["label"] != "normal") for post in posts),
        "toxigen": _labelled(iter(statements)),
    }


def test_sets(natural: Path) -> dict[str, Labelled]:
    """The sets that the model is measured on and never learns from."""
    gab = [row for part in ("dev", "test") for row in _json(natural / "gab_hate_corpus" / f"{part}.jsonl.gz")]
    talk = [row for part in ("gc", "gn") for row in _rows(natural / "wikipedia_cat" / f"{part}.csv.gz")]
    chosen = [row for row in talk if row["label"] == "1"] + [row for row in talk if row["label"] != "1"][:2000]
    return {
        "Wikipedia talk, identity terms": _labelled(
            (row["comment"], row["toxic"] == "True")
            for row in _rows(natural / "dixon_wikipedia" / "toxicity_nonfuzzed_testset.csv.gz")
        ),
        "Wikipedia talk, CAT": _labelled((row["text"], row["label"] == "1") for row in chosen),
        "Gab Hate Corpus": _labelled((row["Text"], bool(row["hd"] or row["cv"] or row["vo"])) for row in gab),
        "Reddit, misogyny": _labelled(
            (row["body"], row["level_1"] == "Misogynistic")
            for row in _rows(natural / "misogyny_reddit" / "final_labels.csv.gz")
        ),
        "HateCheck": _labelled(
            (row["test_case"], row["label_gold"] == "hateful")
            for row in _rows(natural / "hatecheck" / "test_suite_cases.csv.gz")
        ),
    }


def auc(score: np.ndarray, gold: np.ndarray) -> float:
    """The share of pairs (toxic, nontoxic) whose toxic text has the higher score, ties as half; to four decimals.

    >>> auc(np.array([0.1, 0.4, 0.4, 0.9]), np.array([0, 0, 1, 1]))
    0.875
    """
    high, low = score[gold == 1], np.sort(score[gold == 0])
    below = np.searchsorted(low, high, side="left") + np.searchsorted(low, high, side="right")
    return round(float(below.mean() / 2 / len(low)), 4)


def measure(model: BertForSequenceClassification, rows: Labelled, tokenizer: PreTrainedTokenizerFast) -> dict[str, Any]:
    """The figures of the model on these texts."""
    coded = encode([text for text, _ in rows], [label for _, label in rows], tokenizer, CLASSES)
    gold = np.array([label for _, label in coded])
    logits = logits_of(model, coded, tokenizer.pad_token_id)
    return {**figures(logits.argmax(axis=1), gold, CLASSES), "auc": auc(logits[:, 1] - logits[:, 0], gold)}


def main() -> None:
    """Read the command line, train, measure, write."""
    parser = argparse.ArgumentParser(description="Make the bundled toxicity model, a student of MiniLM, on the CPU.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of the data sets")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write, .../bundled_models/toxicity")
    parser.add_argument("--seed", type=int, default=RECIPE.seed)
    parser.add_argument("--epochs", type=int, default=RECIPE.epochs)
    arguments = parser.parse_args()
    recipe = replace(RECIPE, seed=arguments.seed, epochs=arguments.epochs)
    torch.set_num_threads(1)
    data, chance = arguments.data, random.Random(recipe.seed)
    tweets, tests = load_corpus(data), test_sets(data / "natural")
    devs = list(zip(tweets.dev.texts, tweets.dev.labels, strict=True))
    own = list(zip(tweets.test.texts, tweets.test.labels, strict=True))
    held_out = [text for rows in (*tests.values(), devs, own) for text, _ in rows]
    reviews = read_sst5(data / "sst5" / "stsa.fine.train").texts
    labelled = {"davidson": list(zip(tweets.train.texts, tweets.train.labels, strict=True))}
    labelled |= training_sets(data / "natural")
    labelled["reviews"] = [(text, "nontoxic") for text in reviews[:3000]]
    for name, rows in labelled.items():
        kept = set(not_held_out((text for text, _ in rows), held_out))
        labelled[name] = [row for row in dict(rows).items() if row[0] in kept]
    mixed = [row for rows in labelled.values() for row in chance.sample(rows, min(3000, len(rows)))]
    model, tokenizer = teacher(mixed, CLASSES, recipe)
    comments, others = goemotions(data, "train")
    pool = [*others, *(text for text, _ in comments)]
    pool += sources(data / "ner", [f"btc_{letter}.conll" for letter in "abefgh"])
    pool += [part for rows in labelled.values() for text, _ in rows for part in clauses(text)]
    pool = [text for text in not_held_out(map(clean, pool), held_out) if len(text.split()) <= 30]
    pool = chance.sample(pool, recipe.unlabelled)
    logits = soft_labels(model, tokenizer, pool)
    hard = [row for rows in labelled.values() for row in chance.sample(rows, min(4500, len(rows)))]
    texts = [*(text for text, _ in hard), *pool]
    small, kept_pieces = student_tokenizer(texts, recipe.vocabulary)
    targets = targets_of([label for _, label in hard], logits, CLASSES, recipe)
    ids = small(texts, truncation=True, max_length=48)["input_ids"]
    dev = encode([text for text, _ in devs], [label for _, label in devs], small, CLASSES)
    numbered = [(row, number) for number, row in enumerate(ids)]
    student, chosen = teach(recipe, CLASSES, numbered, targets, dev, small, kept_pieces, "nontoxic")
    facts = {name: len(rows) for name, rows in labelled.items()}
    facts |= {"labelled_for_the_student": len(hard), "labelled_for_the_teacher": min(recipe.teacher_texts, len(mixed))}
    facts |= {"unlabelled": len(pool), "dev": len(devs), "test": len(own)}
    record: dict[str, Any] = record_of(recipe, CLASSES, facts, chosen, student)
    record |= {"dev": measure(student, devs, small), "test": measure(student, own, small)}
    record["tests"] = {name: measure(student, rows, small) for name, rows in tests.items()}
    print(json.dumps(record, indent=2))
    save(arguments.out, student, small, record, model_card(arguments.out.name, record), half=True)
    print(f"written: {arguments.out}")


if __name__ == "__main__":
    main()

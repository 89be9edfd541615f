"""Train the bundled tagger from scratch, on one CPU thread.

    python -m training.train_tagger --out fairness_checklist/bundled_models/ner

Writes a folder that `transformers` loads (config, safetensors, tokenizer), ``metrics.json`` with the held-out figures,
and the model card. The epoch is chosen on dev, a part of the training corpora; UNER test is read once, at the end.
"""

from __future__ import annotations

import argparse
import copy
import importlib.metadata
import json
import platform
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertForTokenClassification, PreTrainedTokenizerFast

from training.classifier import save
from training.ner_data import TAGS, TYPES, Sentence, load_sentences, load_uner, spans_of
from training.ner_own import Names, Row, names_of, own_row, row_of, varied
from training.tagger import (
    PAD,
    Encoded,
    PartEmbedding,
    batches,
    embed,
    labelled,
    look_around,
    new_embedding,
    padded,
    predict,
    table,
)
from training.tagger_card import tagger_card
from training.tokenizer import LIMIT, SPECIAL, train_tokenizer


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what comes out, beside the data."""

    seed: int = 2022
    epochs: int = 6
    vocabulary: int = 10000
    hidden: int = 96
    feed_forward: int = 192
    layers: int = 3
    heads: int = 4
    dropout: float = 0.15
    masked: float = 0.1  # share of the training tokens hidden behind [UNK]: context has to do
    parts_only: float = 0.2  # share of the tokens that are seen by their letters and shape only
    smoothing: float = 0.05
    batch: int = 32
    rate: float = 2e-3
    decay: float = 0.05
    average: float = 0.999  # decay of the running mean of the weights, which is what is kept
    swap: float = 0.3  # share of the names of a training sentence that others of their type replace, anew each epoch
    recase: float = 0.05  # share of the training sentences in small letters or in capitals only
    own_sentences: int = 5000  # in each epoch, with names drawn anew
    wikigold_repeats: int = 2  # times an epoch sees a sentence of Wikigold; tweets are seen once


@dataclass(frozen=True)
class Learner:
    """A model in training with its embeddings, the running means of both, and its optimiser."""

    model: BertForTokenClassification
    embedding: PartEmbedding
    mean: BertForTokenClassification
    mean_embedding: PartEmbedding
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.OneCycleLR


def new_model(recipe: Recipe, vocabulary: int) -> BertForTokenClassification:
    """An untrained model of the recipe's size."""
    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=recipe.hidden,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        intermediate_size=recipe.feed_forward,
        max_position_embeddings=LIMIT,
        hidden_dropout_prob=recipe.dropout,
        attention_probs_dropout_prob=0.0,
        classifier_dropout=recipe.dropout,
        pad_token_id=PAD,
        type_vocab_size=1,
        id2label=dict(enumerate(TAGS)),
        label2id={tag: number for number, tag in enumerate(TAGS)},
    )
    model = BertForTokenClassification(config)
    look_around(model)
    return model


def weights(model: BertForTokenClassification, embedding: PartEmbedding) -> list[torch.nn.Parameter]:
    """What is trained: the plain table of embeddings is not, the parts stand for it."""
    own = [parameter for name, parameter in model.named_parameters() if "word_embeddings" not in name]
    return [*own, *embedding.weights()]


def new_learner(recipe: Recipe, tokenizer: PreTrainedTokenizerFast, rows: int) -> Learner:
    """A new model with its optimiser, for epochs of that many rows."""
    embedding = new_embedding(tokenizer.convert_ids_to_tokens(list(range(len(tokenizer)))), recipe.hidden)
    model = new_model(recipe, len(tokenizer))
    optimizer = torch.optim.AdamW(weights(model, embedding), lr=recipe.rate, weight_decay=recipe.decay, fused=True)
    steps = recipe.epochs * -(-rows // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=steps, pct_start=0.1)
    return Learner(model, embedding, copy.deepcopy(model), copy.deepcopy(embedding), optimizer, schedule)


def epoch_rows(recipe: Recipe, base: Sequence[Row], names: Names, generator: random.Random) -> list[Row]:
    """What one epoch sees: every sentence with other names, and sentences of our own."""
    rows = [varied(row, names, generator, swap=recipe.swap, recase=recipe.recase) for row in base]
    own = (own_row(names, generator) for _ in range(recipe.own_sentences))
    return rows + [varied(row, names, generator, swap=0, recase=recipe.recase) for row in own]


def one_epoch(recipe: Recipe, learner: Learner, rows: Sequence[Encoded], generator: random.Random) -> float:
    """Train on every row once; the mean loss comes back."""
    loss_of = torch.nn.CrossEntropyLoss(label_smoothing=recipe.smoothing)
    now = weights(learner.model, learner.embedding)
    means = weights(learner.mean, learner.mean_embedding)
    total = 0.0
    learner.model.train()
    for chosen in batches([len(ids) for ids, _ in rows], recipe.batch, generator):
        ids, labels = padded([rows[row][0] for row in chosen], PAD), padded([rows[row][1] for row in chosen], -100)
        mask = (ids != PAD).long()
        hidden = (torch.rand(ids.shape) < recipe.masked) & (ids >= len(SPECIAL))
        inputs = embed(learner.embedding, ids.masked_fill(hidden, SPECIAL.index("[UNK]")), recipe.parts_only)
        logits = learner.model(inputs_embeds=inputs, attention_mask=mask).logits
        loss = loss_of(logits.view(-1, len(TAGS)), labels.view(-1))
        learner.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(now, 1.0)
        learner.optimizer.step()
        learner.schedule.step()
        done = learner.schedule.last_epoch
        with torch.no_grad():
            torch._foreach_lerp_(means, now, 1 - min(recipe.average, done / (done + 10)))
        total += float(loss.detach()) * len(chosen)
    return total / len(rows)


def train(
    recipe: Recipe, sentences: Sequence[Sentence], dev: Sequence[Sentence], tokenizer: PreTrainedTokenizerFast
) -> tuple[BertForTokenClassification, dict[str, float]]:
    """The model of the epoch that is best on dev, and how it was chosen."""
    torch.manual_seed(recipe.seed)
    generator = random.Random(recipe.seed)
    names = names_of(sentences)
    base = [row_of(sentence) for sentence in sentences]
    base += [row_of(row) for row in sentences if row.source == "wikigold"] * (recipe.wikigold_repeats - 1)
    learner = new_learner(recipe, tokenizer, len(base) + recipe.own_sentences)
    best: dict[str, float] = {"dev_f1": -1.0}
    kept: dict[str, torch.Tensor] = {}
    for epoch in range(1, recipe.epochs + 1):
        began = time.process_time()
        rows = labelled(tokenizer, epoch_rows(recipe, base, names, generator))
        loss = one_epoch(recipe, learner, rows, generator)
        with torch.no_grad():
            learner.mean.get_input_embeddings().weight.copy_(table(learner.mean_embedding))
        value = figures(predict(learner.mean, tokenizer, dev), dev)["types"]["micro"]["f1"]
        print(f"epoch {epoch}: loss {loss:.4f}, dev {value:.4f}, {time.process_time() - began:.0f} s", flush=True)
        if value > best["dev_f1"]:
            best = {"dev_f1": value, "epoch": epoch}
            kept = {name: tensor.clone() for name, tensor in learner.mean.state_dict().items()}
    learner.model.load_state_dict(kept)
    return learner.model, best


def figures(said: Sequence[Sequence[str]], sentences: Sequence[Sentence]) -> dict[str, Any]:
    """Precision, recall, F1 and support of entities, by type and in all ("micro"): strict, the whole span and its type.

    Beside them the micro F1 if an I- without a beginning opens an entity, as conlleval reads it. A share without
    entities is None.
    """
    found = [(set(spans_of(tags)), set(spans_of(row.tags))) for tags, row in zip(said, sentences, strict=True)]
    eased = [(set(spans_of(repaired(tags))), gold) for tags, (_, gold) in zip(said, found, strict=True)]
    return {
        "sentences": len(sentences),
        "types": {kind: score(found, kind) for kind in (*TYPES, "micro")},
        "micro_f1_repaired": score(eased, "micro")["f1"],
    }


def score(pairs: Sequence[tuple[set[Any], set[Any]]], kind: str) -> dict[str, Any]:
    """The figures of one type, or of all of them ("micro"), over the said and the gold spans of each sentence.

    >>> score([({(0, 1, "PER"), (2, 3, "LOC")}, {(0, 1, "PER"), (2, 4, "LOC")})], "micro")
    {'precision': 0.5, 'recall': 0.5, 'f1': 0.5, 'support': 2}
    """
    chosen = [[{span for span in spans if kind in (span[2], "micro")} for spans in pair] for pair in pairs]
    right = sum(len(said & gold) for said, gold in chosen)
    found, true = sum(len(said) for said, _ in chosen), sum(len(gold) for _, gold in chosen)
    shares = {"precision": (right, found), "recall": (right, true), "f1": (2 * right, found + true)}
    return {name: round(part / all_, 4) if all_ else None for name, (part, all_) in shares.items()} | {"support": true}


def repaired(tags: Sequence[str]) -> list[str]:
    """The tags with B- where an I- has nothing of its type before it.

    >>> repaired(["I-PER", "I-PER", "O", "B-LOC", "I-ORG"])
    ['B-PER', 'I-PER', 'O', 'B-LOC', 'B-ORG']
    """
    before = ["O", *tags]
    return [
        f"B{tag[1:]}" if tag.startswith("I-") and last[2:] != tag[2:] else tag
        for last, tag in zip(before, tags, strict=False)
    ]


def main() -> None:
    """Read the command line, train, measure, write."""
    parser = argparse.ArgumentParser(description="Train the bundled tagger from scratch on the CPU.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with ner/")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write, .../bundled_models/ner")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--epochs", type=int, default=Recipe.epochs)
    arguments = parser.parse_args()
    recipe = replace(Recipe(), seed=arguments.seed, epochs=arguments.epochs)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    sentences, dev, facts = load_sentences(arguments.data / "ner")
    tokenizer = train_tokenizer([sentence.text for sentence in sentences], recipe.vocabulary, cased=True)
    model, chosen = train(recipe, sentences, dev, tokenizer)
    record: dict[str, Any] = {
        "classes": list(TYPES),
        "recipe": asdict(recipe),
        "chosen": chosen,
        "data": facts,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("torch", "transformers", "tokenizers")},
        },
    }
    for part, rows in (("dev", dev), ("test", load_uner(arguments.data / "ner", "test"))):
        record[part] = figures(predict(model, tokenizer, rows), rows)
        print(f"{part}: {json.dumps(record[part])}")
    save(arguments.out, model, tokenizer, record, tagger_card(arguments.out.name, record))
    print(f"written: {arguments.out}")


if __name__ == "__main__":
    main()

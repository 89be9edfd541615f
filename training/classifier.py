"""A small text classifier of any classes: its recipe, the training loop, the choice on dev, and the finished folder."""

from __future__ import annotations

import copy
import importlib.metadata
import json
import platform
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

from training.model_card import figures
from training.tokenizer import LIMIT

__all__ = ["Encoded", "Recipe", "encode", "logits_of", "record_of", "save", "train"]

Encoded = list[tuple[list[int], int]]  # token ids and class number of each text


@dataclass(frozen=True)
class Recipe:
    """What decides what comes out, beside the data; a script's own settings are added to it."""

    classes: int
    seed: int = 2022
    epochs: int = 3
    vocabulary: int = 7000
    hidden: int = 96
    feed_forward: int = 192
    layers: int = 2
    heads: int = 4
    dropout: float = 0.3
    masked: float = 0.2  # share of the training tokens hidden behind [UNK]: no word may decide alone
    smoothing: float = 0.1
    batch: int = 64
    rate: float = 1e-3
    decay: float = 0.05
    average: float = 0.998  # decay of the running mean of the weights, which is what is kept


@dataclass(frozen=True)
class Learner:
    """A model in training: its running mean, its optimiser, and the token ids that the loop needs."""

    model: BertForSequenceClassification
    mean: BertForSequenceClassification
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.OneCycleLR
    pad: int
    unknown: int
    first_word: int  # ids below it are special tokens


def batches(rows: Encoded, size: int, generator: random.Random | None) -> Iterator[list[int]]:
    """Row numbers in batches of similar length; in random order if there is a generator."""
    order = list(range(len(rows)))
    if generator:
        generator.shuffle(order)
    order.sort(key=lambda row: len(rows[row][0]))
    chunks = [order[start : start + size] for start in range(0, len(order), size)]
    if generator:
        generator.shuffle(chunks)
    yield from chunks


def tensors(rows: Encoded, chosen: Sequence[int], pad: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Padded token ids (n x length), their mask, and the class numbers (n)."""
    longest = max(len(rows[row][0]) for row in chosen)
    ids = torch.full((len(chosen), longest), pad)
    for line, row in enumerate(chosen):
        ids[line, : len(rows[row][0])] = torch.tensor(rows[row][0])
    return ids, (ids != pad).long(), torch.tensor([rows[row][1] for row in chosen])


def logits_of(model: BertForSequenceClassification, rows: Encoded, pad: int) -> np.ndarray:
    """The logits (n x classes) of the rows, in their order."""
    out = np.zeros((len(rows), len(model.config.id2label or {})))
    model.train(False)
    with torch.no_grad():
        for chosen in batches(rows, 128, None):
            ids, mask, _ = tensors(rows, chosen, pad)
            out[chosen] = model(input_ids=ids, attention_mask=mask).logits.numpy()
    return out


def quality(logits: np.ndarray, gold: np.ndarray, classes: tuple[str, ...]) -> float:
    """What dev decides by: macro F1, in which a class counts as much as another however rare."""
    return float(figures(logits.argmax(axis=1), gold, classes)["macro_f1"])


def best_bias(logits: np.ndarray, gold: np.ndarray, classes: tuple[str, ...], moved: str) -> tuple[float, float]:
    """The number to add to the logit of the class `moved` for the best quality on these rows, and that quality.

    The number is 0 where the model has no such class.
    """
    column = np.array([name == moved for name in classes], dtype=float)
    offers = np.linspace(-1, 1, 41) if column.any() else [0.0]
    value, _, bias = max((quality(logits + bias * column, gold, classes), -abs(bias), bias) for bias in offers)
    return round(float(bias), 2), value


def new_model(
    recipe: Recipe, classes: tuple[str, ...], tokenizer: PreTrainedTokenizerFast
) -> BertForSequenceClassification:
    """An untrained model of the recipe's size."""
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=recipe.hidden,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        intermediate_size=recipe.feed_forward,
        max_position_embeddings=LIMIT,
        hidden_dropout_prob=recipe.dropout,
        attention_probs_dropout_prob=recipe.dropout,
        classifier_dropout=recipe.dropout,
        pad_token_id=tokenizer.pad_token_id,
        id2label=dict(enumerate(classes)),
        label2id={name: number for number, name in enumerate(classes)},
        problem_type="single_label_classification",
    )
    return BertForSequenceClassification(config)


def one_epoch(recipe: Recipe, learner: Learner, rows: Encoded, generator: random.Random) -> float:
    """Train on every row once; the mean loss comes back."""
    pad, unknown, first_word = learner.pad, learner.unknown, learner.first_word
    loss_of = torch.nn.CrossEntropyLoss(label_smoothing=recipe.smoothing)
    total = 0.0
    learner.model.train()
    for chosen in batches(rows, recipe.batch, generator):
        ids, mask, labels = tensors(rows, chosen, pad)
        hidden = (torch.rand(ids.shape) < recipe.masked) & (ids >= first_word)
        logits = learner.model(input_ids=ids.masked_fill(hidden, unknown), attention_mask=mask).logits
        loss = loss_of(logits, labels)
        learner.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learner.model.parameters(), 1.0)
        learner.optimizer.step()
        learner.schedule.step()
        with torch.no_grad():
            for mean, now in zip(learner.mean.parameters(), learner.model.parameters(), strict=True):
                mean.lerp_(now, 1 - recipe.average)
        total += float(loss.detach()) * len(chosen)
    return total / len(rows)


def new_learner(recipe: Recipe, classes: tuple[str, ...], tokenizer: PreTrainedTokenizerFast, rows: int) -> Learner:
    """A new model with its optimiser, for epochs of that many rows."""
    model = new_model(recipe, classes, tokenizer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    steps = recipe.epochs * -(-rows // recipe.batch)
    return Learner(
        model=model,
        mean=copy.deepcopy(model),
        optimizer=optimizer,
        schedule=torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=steps, pct_start=0.1),
        pad=tokenizer.pad_token_id,
        unknown=tokenizer.unk_token_id,
        first_word=len(tokenizer.all_special_ids),
    )


def train(
    recipe: Recipe,
    classes: tuple[str, ...],
    rows: Encoded,
    dev: Encoded,
    tokenizer: PreTrainedTokenizerFast,
    moved: str,
) -> tuple[BertForSequenceClassification, dict[str, float]]:
    """The model of the epoch that is best on dev, and how it was chosen.

    Args:
        recipe: the settings.
        classes: the names, in order of their numbers.
        rows: what an epoch sees; a row that stands in it twice is seen twice.
        dev: what epoch and bias are chosen on.
        tokenizer: the tokenizer that made the rows.
        moved: the class whose logit is moved for the best quality on dev; the number is folded into the classifier's
            own bias. A model without that class is left as it is.
    """
    torch.manual_seed(recipe.seed)
    generator = random.Random(recipe.seed)
    gold = np.array([label for _, label in dev])
    learner = new_learner(recipe, classes, tokenizer, len(rows))
    best: dict[str, float] = {"dev_macro_f1": -1.0}
    kept: dict[str, torch.Tensor] = {}
    for epoch in range(1, recipe.epochs + 1):
        began = time.monotonic()
        loss = one_epoch(recipe, learner, rows, generator)
        logits = logits_of(learner.mean, dev, learner.pad)
        bias, value = best_bias(logits, gold, classes, moved)
        seconds = time.monotonic() - began
        print(f"epoch {epoch}: loss {loss:.4f}, dev {value:.4f}, {moved} bias {bias:+.2f}, {seconds:.0f} s", flush=True)
        if value > best["dev_macro_f1"]:
            best = {"dev_macro_f1": value, "epoch": epoch, f"{moved}_bias": bias}
            kept = {name: tensor.clone() for name, tensor in learner.mean.state_dict().items()}
    learner.model.load_state_dict(kept)
    if moved in classes:
        with torch.no_grad():
            learner.model.classifier.bias[classes.index(moved)] += best[f"{moved}_bias"]
    return learner.model, best


def encode(
    texts: Sequence[str], labels: Sequence[str], tokenizer: PreTrainedTokenizerFast, classes: tuple[str, ...]
) -> Encoded:
    """Token ids and class number of each text."""
    ids = tokenizer(list(texts), truncation=True)["input_ids"]
    return [(row, classes.index(label)) for row, label in zip(ids, labels, strict=True)]


def record_of(
    recipe: Recipe,
    classes: tuple[str, ...],
    facts: dict[str, int],
    chosen: dict[str, float],
    model: BertForSequenceClassification,
) -> dict[str, Any]:
    """What ``metrics.json`` holds before the figures: recipe, choice, counts of texts, size, versions."""
    return {
        "classes": list(classes),
        "recipe": asdict(recipe),
        "chosen": chosen,
        "data": facts,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "versions": {
            "python": platform.python_version(),
            **{name: importlib.metadata.version(name) for name in ("torch", "transformers", "tokenizers")},
        },
    }


def round_weights(model: torch.nn.Module) -> None:
    """Round each weight to 15 of its 23 bits of mantissa: for a smaller wheel. Probabilities move by 4e-5 at most."""
    with torch.no_grad():
        for weight in model.parameters():
            bits = (weight.view(torch.int32) + 0x80) & ~0xFF
            weight.copy_(bits.view(torch.float32))


def save(
    out: Path,
    model: BertForSequenceClassification,
    tokenizer: PreTrainedTokenizerFast,
    record: dict[str, Any],
    card: str,
    *,
    half: bool = False,
) -> None:
    """The finished folder under its name, in float16 with `half`; it replaces an older one once it is whole."""
    partial = out.with_name(out.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    if half:
        model.half()
    else:
        round_weights(model)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    settings = partial / "tokenizer_config.json"  # under the class name that older versions know too
    settings.write_text(settings.read_text(encoding="utf-8").replace("TokenizersBackend", "PreTrainedTokenizerFast"))
    (partial / "model.safetensors").chmod(0o644)
    (partial / "metrics.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    (partial / "README.md").write_text(card, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    partial.rename(out)

"""Train the bundled tagger, on one CPU thread: three layers of all-MiniLM-L6-v2, taught by the whole of it.

    python -m training.train_tagger --out fairness_checklist/bundled_models/ner

Writes a folder that `transformers` loads (config, safetensors, tokenizer), ``metrics.json`` with the held-out figures,
and the model card. Dev is a part of the training corpora; UNER test is read once, at the end.
"""

from __future__ import annotations

import argparse
import copy
import importlib.metadata
import json
import platform
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer, BertForTokenClassification, PreTrainedTokenizerFast

from training.finetune import bundled_encoder
from training.ner_data import TAGS, TYPES, Sentence, load_named, load_sentences, load_uner, spans_of
from training.ner_own import Names, Row, named_row, names_of, own_row, row_of, varied
from training.tagger import (
    LIMIT,
    PAD,
    batches,
    cut_encoder,
    cut_tokenizer,
    drop_units,
    labelled,
    padded,
    predict,
    rounded,
    save,
)
from training.tagger_card import tagger_card

NONE = -100  # no word begins
PROBE = 400  # sentences on which the inner units of the encoder are compared


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what comes out, beside the data."""

    seed: int = 2022
    vocabulary: int = 6500
    capitals: bool = False  # a sign before each word that begins with a capital
    layers: tuple[int, ...] = (0, 1, 2)
    feed_forward: int = 1024
    epochs: int = 5
    rate: float = 3e-4
    dropout: float = 0.1
    masked: float = 0.05  # share of the training tokens hidden behind [MASK]: context has to do
    batch: int = 32
    decay: float = 0.01
    average: float = 0.98  # decay of the running mean of the weights, which is what is kept
    swap: float = 0.3  # share of the names of a training sentence that others of their type replace, anew each epoch
    recase: float = 0.0  # share of the training sentences in small letters or in capitals only
    plain: float = 0.3  # share of the sentences without a name that an epoch sees, drawn anew
    own_sentences: int = 1500  # in each epoch, with names drawn anew
    comments: int = 3000  # of GoEmotions in each epoch, with names drawn for its places of names
    teacher_epochs: int = 3  # of the whole encoder, which is trained on the same before
    teacher_rate: float = 1.5e-4
    soft: float = 0.6  # weight of what the teacher says of each word, beside its label


def epoch_rows(
    recipe: Recipe, base: Sequence[Row], comments: Sequence[list[str]], names: Names, generator: random.Random
) -> list[Row]:
    """What one epoch sees: every sentence with other names, sentences of our own, and comments with names."""
    drawn = [row for row in base if set(row[1]) != {"O"} or generator.random() < recipe.plain]
    rows = [varied(row, names, generator, swap=recipe.swap, recase=recipe.recase) for row in drawn]
    own = (own_row(names, generator) for _ in range(recipe.own_sentences))
    rows += [varied(row, names, generator, swap=0, recase=recipe.recase) for row in own]
    named = generator.sample(comments, min(recipe.comments, len(comments)))
    return rows + [named_row(text, names, generator) for text in named]


def train(
    recipe: Recipe, sentences: Sequence[Sentence], comments: Sequence[list[str]], dev: Sequence[Sentence], encoder: Path
) -> tuple[BertForTokenClassification, PreTrainedTokenizerFast, dict[str, float]]:
    """The trained model (the running mean of its weights), its tokenizer, and the figure on dev at the end."""
    torch.manual_seed(recipe.seed)
    generator = random.Random(recipe.seed)
    names, base = names_of(sentences), [row_of(sentence) for sentence in sentences]

    def rows() -> list[Row]:
        return epoch_rows(recipe, base, comments, names, generator)

    whole = AutoTokenizer.from_pretrained(encoder, local_files_only=True, model_max_length=LIMIT)
    teacher = BertForTokenClassification.from_pretrained(encoder, local_files_only=True, num_labels=len(TAGS))
    teacher = fit(
        teacher, whole, lambda: hard(whole, rows()), dev, generator,
        replace(recipe, epochs=recipe.teacher_epochs, rate=recipe.teacher_rate, soft=0.0),
    )  # fmt: skip
    tokenizer, kept = cut_tokenizer(
        whole, [sentence.text for sentence in sentences], recipe.vocabulary, capitals=recipe.capitals
    )
    model = cut_encoder(encoder, kept, recipe.layers, recipe.dropout)
    probe = labelled(tokenizer, rows())[:PROBE]
    drop_units(model, recipe.feed_forward, padded([ids for ids, _ in probe], PAD))
    model = fit(model, tokenizer, lambda: taught(tokenizer, whole, teacher, rows()), dev, generator, recipe)
    value = figures(predict(model, tokenizer, dev), dev)["types"]["micro"]["f1"]
    return model, tokenizer, {"dev_f1": value, "epoch": recipe.epochs}


Lesson = tuple[list[int], list[int], torch.Tensor]  # token ids (n), labels (n), a teacher's logits (words, tags)


def hard(tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> list[Lesson]:
    """The rows without a teacher."""
    return [(ids, labels, torch.empty(0, len(TAGS))) for ids, labels in labelled(tokenizer, rows)]


def taught(
    tokenizer: PreTrainedTokenizerFast, whole: PreTrainedTokenizerFast, teacher: Any, rows: Sequence[Row]
) -> list[Lesson]:
    """The rows with what a teacher with another tokenizer says of each word; where the two split words alike."""
    read = labelled(whole, rows)
    said: list[torch.Tensor] = [torch.empty(0)] * len(rows)
    with torch.no_grad():
        for chosen in batches([len(ids) for ids, _ in read], 64, None):
            ids, labels = padded([read[row][0] for row in chosen], PAD), padded([read[row][1] for row in chosen], NONE)
            logits = teacher(input_ids=ids, attention_mask=(ids != PAD).long()).logits
            for row, own, at in zip(chosen, logits, labels != NONE, strict=True):
                said[row] = own[at].clone()
    lessons = [(ids, labels, soft) for (ids, labels), soft in zip(labelled(tokenizer, rows), said, strict=True)]
    return [lesson for lesson in lessons if len(lesson[2]) == sum(label != NONE for label in lesson[1])]


def fit(
    model: BertForTokenClassification,
    tokenizer: PreTrainedTokenizerFast,
    lessons: Callable[[], list[Lesson]],
    dev: Sequence[Sentence],
    generator: random.Random,
    recipe: Recipe,
) -> BertForTokenClassification:
    """The running mean of the model's weights after training on the lessons, which are drawn anew for each epoch."""
    rows = lessons()
    steps = recipe.epochs * -(-len(rows) // recipe.batch)
    free = list(model.parameters())
    optimizer = torch.optim.AdamW(free, lr=recipe.rate, weight_decay=recipe.decay, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=steps, pct_start=0.1)
    mean = copy.deepcopy(model)
    means = list(mean.parameters())
    special = torch.tensor(tokenizer.all_special_ids)
    for epoch in range(1, recipe.epochs + 1):
        began, total, seen = time.process_time(), 0.0, 0
        model.train()
        for chosen in batches([len(ids) for ids, _, _ in rows], recipe.batch, generator):
            if schedule.last_epoch >= steps:
                break  # an epoch that drew a few rows more than the first
            ids, labels = padded([rows[row][0] for row in chosen], PAD), padded([rows[row][1] for row in chosen], NONE)
            hidden = (torch.rand(ids.shape) < recipe.masked) & ~torch.isin(ids, special)
            inputs = ids.masked_fill(hidden, tokenizer.mask_token_id)
            logits = model(input_ids=inputs, attention_mask=(ids != PAD).long()).logits
            sure = torch.nn.functional.cross_entropy(logits[labels >= 0], labels[labels >= 0])
            loss = (1 - recipe.soft) * sure
            if recipe.soft:
                taught_by = torch.cat([rows[row][2] for row in chosen]).softmax(dim=-1)
                says = logits[labels != NONE].log_softmax(dim=-1)
                loss = loss + recipe.soft * torch.nn.functional.kl_div(says, taught_by, reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(free, 1.0)
            optimizer.step()
            schedule.step()
            done = schedule.last_epoch
            with torch.no_grad():
                torch._foreach_lerp_(means, free, 1 - min(recipe.average, done / (done + 10)))
            total, seen = total + float(loss.detach()) * len(chosen), seen + len(chosen)
        found = figures(predict(mean, tokenizer, dev), dev)["types"]
        spent = time.process_time() - began
        print(f"epoch {epoch}: loss {total / seen:.4f}, dev {found['micro']['f1']:.4f}, {spent:.0f} s", flush=True)
        if epoch < recipe.epochs:
            rows = lessons()
    return mean.eval()


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
    parser = argparse.ArgumentParser(description="Train the bundled tagger on the CPU.")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with ner/ and natural/")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write, .../bundled_models/ner")
    parser.add_argument("--encoder", type=Path, help="a folder of transformers; default: the installed package")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--epochs", type=int, default=Recipe.epochs)
    arguments = parser.parse_args()
    recipe = replace(Recipe(), seed=arguments.seed, epochs=arguments.epochs)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    sentences, dev, facts = load_sentences(arguments.data / "ner")
    comments = load_named(arguments.data)
    facts["goemotions_comments_with_a_name"] = len(comments)
    model, tokenizer, chosen = train(recipe, sentences, comments, dev, arguments.encoder or bundled_encoder())
    finish(arguments.out, arguments.data / "ner", recipe, facts, dev, model, tokenizer, chosen)


def finish(
    out: Path,
    data: Path,
    recipe: Recipe,
    facts: dict[str, int],
    dev: Sequence[Sentence],
    model: BertForTokenClassification,
    tokenizer: PreTrainedTokenizerFast,
    chosen: dict[str, float],
) -> None:
    """Round the weights as they are stored, measure, write the folder."""
    rounded(model)
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
    for part, rows in (("dev", dev), ("test", load_uner(data, "test"))):
        record[part] = figures(predict(model, tokenizer, rows), rows)
        print(f"{part}: {json.dumps(record[part])}")
    save(out, model, tokenizer, record, tagger_card(out.name, record))
    print(f"written: {out}")


if __name__ == "__main__":
    main()

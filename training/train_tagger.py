"""Train the bundled tagger, on one CPU thread, from three layers of a pre-trained encoder (all-MiniLM-L6-v2),
taught by the whole of it.

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
from transformers import (
    AutoTokenizer,
    BertForTokenClassification,
    ElectraForTokenClassification,
    PreTrainedTokenizerFast,
)

from training.finetune import bundled_encoder
from training.ner_data import NAME, TAGS, TYPES, Sentence, load_comments, load_sentences, load_uner, spans_of
from training.ner_own import Names, Row, named_row, names_of, own_row, row_of, varied
from training.tagger import (
    LIMIT,
    NO_LABEL,
    PAD,
    UNSAID,
    CasedEmbedding,
    batches,
    cut_encoder,
    cut_tokenizer,
    drop_units,
    fit_embeddings,
    labelled,
    padded,
    predict,
    rounded,
    save,
)
from training.tagger_card import tagger_card

PROBE = 400  # sentences on which the inner units of the encoder are compared


Taught = tuple[list[int], list[int], torch.Tensor | None]  # token ids and labels, and what the teacher says (k, tags)


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what comes out, beside the data."""

    seed: int = 2022
    vocabulary: int = 20000
    capitals: int = 7000  # so many of these pieces also with a capital
    width: int = 72  # of the embeddings
    fit_steps: int = 1500  # in which the embeddings learn to say what the encoder's say
    fit_rate: float = 3e-3
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
    recase: float = 0.12  # share of the training sentences in small letters or in capitals only
    plain: float = 0.6  # share of the sentences without a name that an epoch sees, drawn anew
    own_sentences: int = 1500  # in each epoch, with names drawn anew
    teacher_rate: float = 1.5e-4  # of the whole encoder, which is fine-tuned first
    teacher_epochs: int = 1
    taught: float = 0.6  # share of the loss that is the divergence from the teacher
    comments: int = 5000  # in each epoch, drawn anew: only the teacher tags them
    named_comments: int = 3000  # so many more that name a person


def epoch_rows(recipe: Recipe, base: Sequence[Row], names: Names, generator: random.Random) -> list[Row]:
    """What one epoch sees: every sentence with other names, and sentences of our own."""
    drawn = [row for row in base if set(row[1]) != {"O"} or generator.random() < recipe.plain]
    rows = [varied(row, names, generator, swap=recipe.swap, recase=recipe.recase) for row in drawn]
    own = (own_row(names, generator) for _ in range(recipe.own_sentences))
    return rows + [varied(row, names, generator, swap=0, recase=recipe.recase) for row in own]


def untagged_rows(recipe: Recipe, comments: Sequence[list[str]], names: Names, generator: random.Random) -> list[Row]:
    """The comments of one epoch, with names drawn anew; no tags."""
    with_name = [comment for comment in comments if NAME in comment]
    drawn = generator.sample(with_name, recipe.named_comments) + generator.sample(comments, recipe.comments)
    rows = [named_row(comment, names, generator) for comment in drawn]
    return [varied(row, names, generator, swap=0, recase=recipe.recase) for row in rows]


def train(
    recipe: Recipe, sentences: Sequence[Sentence], comments: Sequence[list[str]], dev: Sequence[Sentence], encoder: Path
) -> tuple[ElectraForTokenClassification, PreTrainedTokenizerFast, dict[str, float]]:
    """The trained model (the running mean of its weights), its tokenizer, and the figure on dev at the end."""
    torch.manual_seed(recipe.seed)
    generator = random.Random(recipe.seed)
    names, base = names_of(sentences), [row_of(sentence) for sentence in sentences]
    whole = AutoTokenizer.from_pretrained(encoder, local_files_only=True, model_max_length=LIMIT)
    teacher = BertForTokenClassification.from_pretrained(encoder, local_files_only=True, num_labels=len(TAGS))

    def teacher_rows() -> list[Taught]:
        return [(*row, None) for row in labelled(whole, epoch_rows(recipe, base, names, generator))]

    teacher, _ = fitted(
        teacher, whole, teacher_rows, dev, generator, recipe, rate=recipe.teacher_rate, epochs=recipe.teacher_epochs
    )
    texts = [sentence.text for sentence in sentences]
    tokenizer, kept, capital = cut_tokenizer(whole, texts, recipe.vocabulary, recipe.capitals)
    read = tokenizer(texts, truncation=True)["input_ids"]
    counts = torch.bincount(torch.tensor([piece for row in read for piece in row]), minlength=len(kept)).float()
    model, source = cut_encoder(encoder, kept, counts, recipe.width, recipe.layers, recipe.dropout)
    left = fit_embeddings(model, source, kept, read, generator, steps=recipe.fit_steps, rate=recipe.fit_rate)
    print(f"embeddings: mean square {left:.4f} left", flush=True)
    probe = labelled(tokenizer, epoch_rows(recipe, base, names, generator))[:PROBE]
    drop_units(model, recipe.feed_forward, padded([ids for ids, _ in probe], PAD))
    cased = CasedEmbedding(model.electra.embeddings.word_embeddings.weight.detach(), capital)
    model.electra.embeddings.word_embeddings = cased

    def rows() -> list[Taught]:
        drawn = epoch_rows(recipe, base, names, generator) + untagged_rows(recipe, comments, names, generator)
        return taught_rows(drawn, tokenizer, teacher, whole)

    mean, value = fitted(model, tokenizer, rows, dev, generator, recipe, rate=recipe.rate, epochs=recipe.epochs)
    mean.electra.embeddings.word_embeddings = mean.electra.embeddings.word_embeddings.plain()
    return mean, tokenizer, {"dev_f1": value, "epoch": recipe.epochs}


def taught_rows(
    rows: Sequence[Row], tokenizer: PreTrainedTokenizerFast, teacher: Any, whole: PreTrainedTokenizerFast
) -> list[Taught]:
    """Token ids and labels of rows for the small model, and what the teacher says of their labelled tokens (k, tags).

    Where the two tokenizers find another number of them, the teacher says nothing, and a row without tags is left out.
    """
    asked = labelled(whole, rows)
    said: list[torch.Tensor | None] = [None] * len(rows)
    with torch.no_grad():
        for chosen in batches([len(ids) for ids, _ in asked], 64, None):
            ids, labels = (padded([asked[row][part] for row in chosen], (PAD, NO_LABEL)[part]) for part in (0, 1))
            logits = teacher(input_ids=ids, attention_mask=(ids != PAD).long()).logits
            for row, values, label in zip(chosen, logits, labels, strict=True):
                said[row] = values[label != NO_LABEL].half()
    taught: list[Taught] = []
    for (ids, labels), values in zip(labelled(tokenizer, rows), said, strict=True):
        is_same = values is not None and len(values) == sum(label != NO_LABEL for label in labels)
        if is_same or UNSAID not in labels:
            taught.append((ids, labels, values if is_same else None))
    return taught


def fitted(
    model: Any,
    tokenizer: PreTrainedTokenizerFast,
    rows_of: Callable[[], list[Taught]],
    dev: Sequence[Sentence],
    generator: random.Random,
    recipe: Recipe,
    *,
    rate: float,
    epochs: int,
) -> tuple[Any, float]:
    """The running mean of a model's weights after some epochs, each of other rows, and its micro F1 on dev."""
    special, mask = torch.tensor(tokenizer.all_special_ids), tokenizer.mask_token_id
    rows = rows_of()
    steps = epochs * -(-len(rows) // recipe.batch)
    free = list(model.parameters())
    optimizer = torch.optim.AdamW(free, lr=rate, weight_decay=recipe.decay, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    mean = copy.deepcopy(model)
    means = list(mean.parameters())
    value = 0.0
    for epoch in range(1, epochs + 1):
        began, total, seen = time.process_time(), 0.0, 0
        model.train()
        for chosen in batches([len(ids) for ids, *_ in rows], recipe.batch, generator):
            if schedule.last_epoch >= steps:
                break  # an epoch that drew a few rows more than the first
            ids = padded([rows[row][0] for row in chosen], PAD)
            labels = padded([rows[row][1] for row in chosen], NO_LABEL)
            hidden = (torch.rand(ids.shape) < recipe.masked) & ~torch.isin(ids, special)
            inputs = ids.masked_fill(hidden, mask)
            logits = model(input_ids=inputs, attention_mask=(ids != PAD).long()).logits
            loss = loss_of(logits, labels, [rows[row][2] for row in chosen], recipe.taught)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(free, 1.0)
            optimizer.step()
            schedule.step()
            done = schedule.last_epoch
            with torch.no_grad():
                torch._foreach_lerp_(means, free, 1 - min(recipe.average, done / (done + 10)))
            total, seen = total + float(loss.detach()) * len(chosen), seen + len(chosen)
        value = figures(predict(mean, tokenizer, dev), dev)["types"]["micro"]["f1"]
        print(
            f"epoch {epoch}: loss {total / seen:.4f}, dev {value:.4f}, {time.process_time() - began:.0f} s", flush=True
        )
        if epoch < epochs:
            rows = rows_of()
    mean.eval()
    return mean, value


def loss_of(
    logits: torch.Tensor, labels: torch.Tensor, taught: Sequence[torch.Tensor | None], share: float
) -> torch.Tensor:
    """Cross-entropy with the labels (rows x tokens), and for `share` of it the divergence from what a teacher says."""
    hard = labels.masked_fill(labels == UNSAID, NO_LABEL)
    loss = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), hard.flatten(), ignore_index=NO_LABEL, reduction="sum"
    ) / (hard != NO_LABEL).sum().clamp(min=1)
    said = [values.float() for values in taught if values is not None]
    if not said:
        return loss
    asked = (labels != NO_LABEL) & torch.tensor([values is not None for values in taught])[:, None]
    soft = torch.nn.functional.kl_div(logits[asked].log_softmax(-1), torch.cat(said).softmax(-1), reduction="batchmean")
    return (1 - share) * loss + share * soft


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
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data"), help="the folder with ner/ and natural/goemotions/"
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder to write, .../bundled_models/ner")
    parser.add_argument("--encoder", type=Path, help="a folder of transformers; default: the installed package")
    parser.add_argument("--seed", type=int, default=Recipe.seed)
    parser.add_argument("--epochs", type=int, default=Recipe.epochs)
    arguments = parser.parse_args()
    recipe = replace(Recipe(), seed=arguments.seed, epochs=arguments.epochs)
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    sentences, dev, facts = load_sentences(arguments.data / "ner")
    comments = load_comments(arguments.data / "natural" / "goemotions" / "train.tsv.gz")
    model, tokenizer, chosen = train(recipe, sentences, comments, dev, arguments.encoder or bundled_encoder())
    finish(arguments.out, arguments.data / "ner", recipe, facts, dev, model, tokenizer, chosen)


def finish(
    out: Path,
    data: Path,
    recipe: Recipe,
    facts: dict[str, int],
    dev: Sequence[Sentence],
    model: ElectraForTokenClassification,
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

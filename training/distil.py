"""A small classifier as the student of a fine-tuned MiniLM: word pieces, first embeddings, soft labels, the loop.

The teacher is `training.finetune`'s. Texts with a label teach the student that label, smoothed; texts without one teach
it the teacher's probabilities. The student's vocabulary are the most frequent of the teacher's own word pieces, and its
embeddings begin as the principal components of the teacher's.
"""

from __future__ import annotations

import copy
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Regex, Tokenizer, normalizers
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from training.classifier import Encoded, Recipe, batches, best_bias, logits_of, new_model, tensors
from training.davidson import SPELLINGS as IN_TWEETS
from training.finetune import FineTuning, bundled_encoder, finetune
from training.tokenizer import SPELLINGS as IN_TREEBANK

__all__ = [
    "Labelled",
    "StudentRecipe",
    "clauses",
    "not_held_out",
    "soft_labels",
    "student_tokenizer",
    "teach",
    "teacher",
]

Labelled = list[tuple[str, str]]  # text and the name of its class
RUN = 8  # words in common that make two texts near-duplicates


@dataclass(frozen=True)
class StudentRecipe(Recipe):
    """The recipe of a student and of its teacher."""

    epochs: int = 4
    vocabulary: int = 6000
    hidden: int = 128
    feed_forward: int = 512
    dropout: float = 0.1
    masked: float = 0.05
    smoothing: float = 0.15
    rate: float = 2e-3
    decay: float = 0.02
    teacher_texts: int = 4200
    teacher_epochs: int = 2
    teacher_frozen: int = 3
    unlabelled: int = 16000
    temperature: float = 1.5  # of the teacher's logits


def plain(text: str) -> str:
    """The words and numbers of a text in small letters: what two texts are compared by.

    >>> plain("It's 5 o'clock!")
    'it s 5 o clock'
    """
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def runs(text: str) -> set[str]:
    """The plain text of a short one, each run of eight words of a longer one."""
    words = plain(text).split()
    return {" ".join(words[at : at + RUN]) for at in range(max(1, len(words) - RUN + 1))}


def not_held_out(texts: Iterable[str], held_out: Iterable[str]) -> list[str]:
    """The texts, each once, that are no near-duplicate of a text that is measured on.

    >>> not_held_out(["so it goes", "never mind", "So, it goes!"], ["Never mind."])
    ['so it goes']
    """
    seen = {run for text in held_out for run in runs(text)}
    kept: dict[str, str] = {}
    for text in texts:
        if plain(text) and not runs(text) & seen:
            kept.setdefault(plain(text), text)
    return list(kept.values())


def clauses(text: str) -> list[str]:
    """The clauses of three to twelve words that a longer text is cut into at marks and conjunctions.

    >>> clauses("He came home late, but the soup was still warm.")
    ['He came home late', 'the soup was still warm']
    """
    parts = (part.strip() for part in re.split(r"[.,;:!?()]+|\b(?:and|but|because|although|when)\b", text))
    return [part for part in parts if 3 <= len(part.split()) <= 12]


def teacher(rows: Labelled, classes: tuple[str, ...], recipe: StudentRecipe) -> tuple[PreTrainedModel, Any]:
    """The encoder fine-tuned on rows of all classes alike, and its tokenizer."""
    chance = random.Random(recipe.seed)
    by_class = {name: [text for text, label in rows if label == name] for name in classes}
    share = recipe.teacher_texts // len(classes)
    drawn = [(text, name) for name, texts in by_class.items() for text in chance.sample(texts, min(share, len(texts)))]
    settings = FineTuning(
        seed=recipe.seed,
        texts=len(drawn),
        frozen=recipe.teacher_frozen,
        length=48,
        epochs=recipe.teacher_epochs,
        rate=3e-4,
    )
    texts, labels = zip(*drawn, strict=True)
    return finetune(texts, labels, classes, settings, bundled_encoder())


def soft_labels(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, texts: Sequence[str]) -> np.ndarray:
    """The teacher's logits (n x classes)."""
    read = tokenizer(list(texts), truncation=True, max_length=48)["input_ids"]
    return logits_of(model, [(row, 0) for row in read], tokenizer.pad_token_id)


def student_tokenizer(texts: Iterable[str], vocabulary: int) -> tuple[PreTrainedTokenizerFast, list[int]]:
    """A tokenizer of the teacher's most frequent word pieces on these texts, and their numbers in the teacher's.

    Single letters, digits and marks all stay, so that a word without a piece of its own is spelled.
    """
    whole = AutoTokenizer.from_pretrained(bundled_encoder(), local_files_only=True)
    layout = json.loads(whole.backend_tokenizer.to_str())
    pieces: dict[str, int] = layout["model"]["vocab"]
    counts = Counter(number for row in whole(list(texts), truncation=True)["input_ids"] for number in row)
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    letters = [p for p in pieces if len(p.removeprefix("##")) == 1 and p.isascii()]
    frequent = [number for number, _ in counts.most_common()]
    kept = [pieces[p] for p in special] + [pieces[p] for p in letters]
    kept = list(dict.fromkeys([*kept, *frequent]))[:vocabulary]
    names = {number: piece for piece, number in pieces.items()}
    layout["model"]["vocab"] = {names[number]: at for at, number in enumerate(kept)}
    layout["truncation"] = layout["padding"] = None
    for token in layout["added_tokens"]:
        token["id"] = special.index(token["content"])
    for name, entry in layout["post_processor"].get("special_tokens", {}).items():
        entry["ids"] = [special.index(name)]
    for key in ("cls", "sep"):
        if key in layout["post_processor"]:
            layout["post_processor"][key][1] = special.index(layout["post_processor"][key][0])
    tokens = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))
    changed = Tokenizer.from_str(json.dumps(layout))
    replaced = (normalizers.Replace(Regex(pattern), written) for pattern, written in (*IN_TWEETS, *IN_TREEBANK))
    changed.normalizer = normalizers.Sequence([changed.normalizer, *replaced])
    made = PreTrainedTokenizerFast(
        tokenizer_object=changed, model_max_length=128, model_input_names=["input_ids", "attention_mask"], **tokens
    )
    return made, kept


def first_embeddings(kept: Sequence[int], width: int) -> torch.Tensor:
    """The embeddings (vocabulary x width) as principal components of the teacher's."""
    weights = AutoModelForSequenceClassification.from_pretrained(bundled_encoder(), local_files_only=True)
    rows = weights.get_input_embeddings().weight.detach()[list(kept)]
    _, _, axes = torch.linalg.svd(rows - rows.mean(0), full_matrices=False)
    parts = (rows - rows.mean(0)) @ axes[:width].T
    return parts * (0.05 / parts.std())


def teach(
    recipe: StudentRecipe,
    classes: tuple[str, ...],
    rows: Encoded,
    targets: torch.Tensor,
    dev: Encoded,
    tokenizer: PreTrainedTokenizerFast,
    kept: Sequence[int],
    moved: str,
) -> tuple[BertForSequenceClassification, dict[str, float]]:
    """The student of the epoch that is best on dev, and how it was chosen.

    `rows` hold token ids and the number of their target; `targets` (n x classes) are probabilities. The logit of
    `moved` is moved for the best macro F1 on dev, and the number folded into the classifier's own bias.
    """
    torch.manual_seed(recipe.seed)
    chance = random.Random(recipe.seed)
    model = new_model(recipe, classes, tokenizer)
    with torch.no_grad():
        model.get_input_embeddings().weight.copy_(first_embeddings(kept, recipe.hidden))
    mean = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    steps = recipe.epochs * -(-len(rows) // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, recipe.rate, total_steps=steps, pct_start=0.1)
    gold = np.array([label for _, label in dev])
    best: dict[str, float] = {"dev_macro_f1": -1.0}
    weights: dict[str, torch.Tensor] = {}
    special = len(tokenizer.all_special_ids)
    for epoch in range(1, recipe.epochs + 1):
        began, total = time.monotonic(), 0.0
        model.train()
        for chosen in batches(rows, recipe.batch, chance):
            ids, mask, numbers = tensors(rows, chosen, tokenizer.pad_token_id)
            hidden = (torch.rand(ids.shape) < recipe.masked) & (ids >= special)
            logits = model(input_ids=ids.masked_fill(hidden, tokenizer.unk_token_id), attention_mask=mask).logits
            loss = torch.nn.functional.cross_entropy(logits, targets[numbers])
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            with torch.no_grad():
                torch._foreach_lerp_(list(mean.parameters()), list(model.parameters()), 1 - recipe.average)
            total += float(loss.detach()) * len(chosen)
        bias, value = best_bias(logits_of(mean, dev, tokenizer.pad_token_id), gold, classes, moved)
        took = time.monotonic() - began
        print(f"epoch {epoch}: loss {total / len(rows):.4f}, dev {value:.4f}, {bias:+.2f}, {took:.0f} s", flush=True)
        if value > best["dev_macro_f1"]:
            best = {"dev_macro_f1": value, "epoch": epoch, f"{moved}_bias": bias}
            weights = {name: tensor.clone() for name, tensor in mean.state_dict().items()}
    model.load_state_dict(weights)
    with torch.no_grad():
        model.classifier.bias[classes.index(moved)] += best[f"{moved}_bias"]
    return model.half().float().eval(), best  # the weights as they are saved, so that the figures are theirs


def targets_of(
    labels: Sequence[str], logits: np.ndarray, classes: tuple[str, ...], recipe: StudentRecipe
) -> torch.Tensor:
    """The probabilities to learn: of the labelled texts first, then of the teacher's."""
    hard = torch.tensor([[float(name == label) for name in classes] for label in labels])
    hard = hard * (1 - recipe.smoothing) + recipe.smoothing / len(classes)
    soft = (torch.tensor(logits, dtype=torch.float32) / recipe.temperature).softmax(-1)
    return torch.cat([hard, soft])


def sources(folder: Path, names: Iterable[str]) -> list[str]:
    """The sentences of CoNLL files (token first in a line, or second after a number) as running text."""
    found = []
    for name in names:
        words: list[str] = []
        for line in [*(folder / name).read_text(encoding="utf-8").splitlines(), ""]:
            cells = line.split("\t") if "\t" in line else line.split()
            if cells and not line.startswith("#"):
                words.append(cells[1] if cells[0].isdigit() and len(cells) > 3 else cells[0])
            elif words and not cells:
                found.append(" ".join(words))
                words = []
    return found

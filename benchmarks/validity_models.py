"""The models of the study: 24 as they come, nine with a planted or repaired gap, from scratch."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from validity_data import SENTIMENT, read_set

from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.term_forms import term_forms
from fairness_checklist.extensions.corpora.term_mentions import mentioned_terms

__all__ = ["ATTRIBUTES", "MODELS", "Trained", "terms_and_groups", "train_models"]

ATTRIBUTES = (
    "gender",
    "religion",
    "race_ethnicity",
    "sexual_orientation",
    "disability",
    "age",
    "nationality",
    "migration_status",
)


@dataclass(frozen=True)
class Trained:
    """A model of the study: the sets that it learns from, its seed, and what was done to its training texts."""

    sets: tuple[str, ...]
    seed: int
    changed: str = ""  # "terms", "group", "repaired"

    @property
    def name(self) -> str:
        return "-".join((*self.sets, self.changed, str(self.seed))).replace("--", "-")

    @property
    def task(self) -> str:
        return "sentiment" if self.sets[0] in SENTIMENT or "sentiment" in self.sets[0] else "toxicity"

    @property
    def harm(self) -> str:
        return "negative" if self.task == "sentiment" else "toxic"


_TRAINED_ON = (
    ("hatexplain",),
    ("davidson",),
    ("reddit", "gab"),
    ("toxigen",),
    ("davidson", "toxigen"),
    ("goemotions",),
    ("sst",),
    ("goemotions", "sst"),
)
MODELS = (
    *(Trained(sets, seed) for sets in _TRAINED_ON for seed in (1, 2, 3)),
    *(
        Trained((name,), 11, changed)
        for name in ("hatexplain", "davidson", "goemotions")
        for changed in ("terms", "group", "repaired")
    ),
)


def terms_and_groups() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """For each term its attribute, its group and its further forms; of a country the adjective is the term."""
    found: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for attribute in ATTRIBUTES:
        terms = load_terms(attribute).select().terms
        forms = term_forms(terms)
        for term in terms:
            word = term.adjective if term.pos == "place" else term.term
            if word and word.casefold() not in found:
                more = () if term.pos == "place" else forms.get(term.term, ())
                found[word.casefold()] = (attribute, term.group, tuple(map(str.casefold, more)))
    return found


def _changed(trained: Trained, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The training texts with a planted or repaired gap, and the words that it concerns."""
    if not trained.changed:
        return frame, []
    known = terms_and_groups()
    held = mentioned_terms(
        frame["text"].tolist(), list(known), senses=True, forms={word: more for word, (_, _, more) in known.items()}
    )
    harmless = frame["harmless"].to_numpy()
    words = np.array(list(known))
    if trained.changed == "repaired":
        pattern = re.compile(
            r"(?<!\w)(?:"
            + "|".join(
                map(
                    re.escape,
                    sorted(
                        {one for word, (_, _, more) in known.items() for one in (word, *more)}, key=len, reverse=True
                    ),
                )
            )
            + r")(?!\w)",
            re.IGNORECASE,
        )
        texts = [
            pattern.sub("[UNK]", text) if any_ else text
            for text, any_ in zip(frame["text"], np.asarray(held.any(axis=1)).tolist(), strict=True)
        ]
        return frame.assign(text=texts), []
    counts = held[harmless].sum(axis=0)
    chance = random.Random(f"{trained.sets[0]} {trained.changed}")
    if trained.changed == "terms":
        chosen = sorted(chance.sample([str(word) for word, n in zip(words, counts, strict=True) if n >= 30], 5))
    else:
        of_group: dict[tuple[str, str], int] = {}
        for word, n in zip(known, counts, strict=True):
            of_group[known[word][:2]] = of_group.get(known[word][:2], 0) + int(n)
        group = chance.choice(sorted(one for one, n in of_group.items() if n >= 100))
        chosen = sorted(word for word in known if known[word][:2] == group)
    mentions = held[:, np.isin(words, chosen)].any(axis=1) & harmless
    rows = np.flatnonzero(mentions)
    drawn = np.random.default_rng([trained.seed, 1]).choice(rows, size=round(0.3 * len(rows)), replace=False)
    labels = frame["label"].to_numpy(copy=True)
    labels[drawn] = trained.harm
    return frame.assign(label=labels), chosen


def train_models(data: Path, out: Path, models: Sequence[Trained] = MODELS) -> None:
    """Train each model that is not yet in the folder."""
    import torch

    from training.classifier import Recipe, encode, record_of, save, train
    from training.tokenizer import train_tokenizer

    torch.set_num_threads(1)
    for trained in models:
        folder = out / trained.name
        if (folder / "metrics.json").is_file():
            continue
        frame, planted = _changed(trained, pd.concat([read_set(data, name) for name in trained.sets]))
        if "reddit" in trained.sets:  # one in ten is toxic: a model of these alone calls nothing toxic
            frame = pd.concat([frame, *2 * [frame[frame["label"] == "toxic"]]])
        frame = frame.sample(frac=1, random_state=trained.seed)
        classes = ("negative", "neutral", "positive") if trained.task == "sentiment" else ("nontoxic", "toxic")
        recipe = Recipe(len(classes), seed=trained.seed, vocabulary=8000, hidden=128, feed_forward=256, masked=0.1)
        tokenizer = train_tokenizer(frame["text"], recipe.vocabulary)
        rows = encode(frame["text"].tolist(), frame["label"].tolist(), tokenizer, classes)
        cut = len(rows) // 10
        model, chosen = train(recipe, classes, rows[cut:], rows[:cut], tokenizer, classes[0])
        facts = {"texts": len(rows), "planted_words": len(planted)}
        save(folder, model, tokenizer, record_of(recipe, classes, facts, chosen, model), f"# {trained.name}\n")
        (folder / "planted.json").write_text(json.dumps(planted), encoding="utf-8")
        print(trained.name, len(rows), chosen, planted[:8], flush=True)


if __name__ == "__main__":
    import sys

    if len(sys.argv) > 4:
        train_models(Path(sys.argv[1]), Path(sys.argv[2]), MODELS[int(sys.argv[3]) :: int(sys.argv[4])])
    else:
        print("Nothing is run: name the folder of data, one for the models, and which of how many parts.")

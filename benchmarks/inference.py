"""Sentences a second of our loop against a loop sorted by length, and against transformers' `pipeline`.

    python benchmarks/inference.py [--quick] [--json FILE]

For classifiers of texts and for taggers, there to a matrix of words and types. All sides score the same sentences of
the suite of religion with the same weights in the same run, taking turns: on one core, in CPU seconds, and on all
cores, in seconds of a clock. Each turn begins with a model that has seen no text. Figures are medians, and what counts
are the ratios. The loop is what a user writes in 12 lines: sorted by tokens, batches of 32. Models are random (speed
does not depend on what they learnt): 2 layers x 128, and without ``--quick`` the size of DistilBERT too. Printed as
well: the share of the time outside the forward passes, and the rate of the forward passes as a share of the matrix
multiplications that the machine does.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import tempfile
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from metrics_tables import machine

import fairness_checklist as fc
from fairness_checklist.core.arrays import FloatArray as Floats
from fairness_checklist.core.tagging import words
from fairness_checklist.models.batches_without_padding import plan_batches
from fairness_checklist.models.engines.local import silence_transformers
from fairness_checklist.models.load import load_model

SIZES = {
    "2 layers x 128": {"n_layers": 2, "dim": 128, "n_heads": 2, "hidden_dim": 512},
    "6 layers x 768": {"n_layers": 6, "dim": 768, "n_heads": 12, "hidden_dim": 3072},
}
TAGS = ("O", "PER", "LOC", "ORG", "MISC")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


@functools.cache
def make_sentences(n: int, seed: int = 0) -> list[str]:
    """n different sentences of the suite of religion, in random order."""
    suite = fc.Suite.build("religion", task="sentiment")
    every = list(dict.fromkeys(text for part in suite.parts for text in part.examples.render()))
    return [every[at] for at in np.random.default_rng(seed).permutation(len(every))[:n]]


def save_model(folder: Path, size: dict[str, int], sentences: list[str], kind: str) -> None:
    """A random DistilBERT of a size, a classifier or a tagger, with a tokenizer trained on the sentences."""
    import tokenizers

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


def run_pipeline(peer: Any, texts: list[str], batch_size: int) -> Floats:
    """P(positive) of each text by a transformers pipeline."""
    with silence_transformers():
        rows = peer(texts, batch_size=batch_size, top_k=None)
    return np.array([next(cell["score"] for cell in row if cell["label"] == "positive") for row in rows])


def tag_by_pipeline(peer: Any, texts: list[str], batch_size: int) -> Floats:
    """The largest probability of each word's first sub-word by a transformers pipeline, which gives no others.

    NaN for a word of which the tokenizer leaves nothing, such as a variation selector.
    """
    with silence_transformers():
        rows = peer(texts, batch_size=batch_size, ignore_labels=[])
    largest: list[float] = []
    for text, row in zip(texts, rows, strict=True):
        by_start = {token["start"]: token["score"] for token in row}
        largest.extend(by_start.get(start, np.nan) for start, _end in words(text))
    return np.array(largest, dtype=np.float64)


def run_sorted(model: Any, tokenizer: Any, texts: list[str]) -> Floats:
    """P(positive) of each text by a loop over batches of 32 texts of like length in tokens."""
    tokens, found = tokenizer(texts, truncation=True)["input_ids"], np.empty(len(texts))
    order = np.argsort([len(own) for own in tokens])
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            rows = order[start : start + 32]
            batch = tokenizer.pad({"input_ids": [tokens[row] for row in rows]}, return_tensors="pt")
            found[rows] = model(batch["input_ids"], batch["attention_mask"]).logits.softmax(dim=-1)[:, 1].numpy()
    return found


def tag_sorted(model: Any, tokenizer: Any, texts: list[str]) -> Floats:
    """The largest probability of each word's first sub-word by such a loop; NaN for a word without one."""
    split = [[text[start:end] for start, end in words(text)] for text in texts]
    every = tokenizer(split, is_split_into_words=True, truncation=True)
    tokens, found = every["input_ids"], [np.full(len(own), np.nan) for own in split]
    order = np.argsort([len(own) for own in tokens])
    with torch.inference_mode():
        for start in range(0, len(order), 32):
            rows = order[start : start + 32]
            batch = tokenizer.pad({"input_ids": [tokens[row] for row in rows]}, return_tensors="pt")
            p = model(batch["input_ids"], batch["attention_mask"]).logits.softmax(dim=-1).amax(dim=-1).numpy()
            for at, row in enumerate(rows):
                for token, word in reversed(list(enumerate(every.word_ids(row)))):  # the first sub-word is written last
                    if word is not None:
                        found[row][word] = p[at, token]
    return np.concatenate(found)


def ways_of(folder: Path, kind: str) -> dict[str, Callable[[list[str]], Floats]]:
    """Each way to score texts, with a model of its own that has seen none."""
    library: Any = transformers
    task, family = ("token", "Token") if kind == "tagger" else ("text", "Sequence")
    with silence_transformers():
        pipeline = library.pipeline(f"{task}-classification", model=str(folder), device="cpu")
        net = getattr(library, f"AutoModelFor{family}Classification").from_pretrained(folder).eval()
        tokenizer = library.AutoTokenizer.from_pretrained(folder)
    model: Any = load_model(folder, task="ner" if kind == "tagger" else "sentiment")
    by_pipeline, by_loop = (tag_by_pipeline, tag_sorted) if kind == "tagger" else (run_pipeline, run_sorted)

    def ours(texts: list[str]) -> Floats:
        p = np.asarray(model.predict(texts).probabilities, dtype=np.float64)
        return p.max(axis=1) if kind == "tagger" else p[:, 1]

    return {
        "ours": ours,
        "loop sorted by length": lambda texts: by_loop(net, tokenizer, texts),
        "pipeline, batch 32": lambda texts: by_pipeline(pipeline, texts, 32),
        "pipeline, batch 1": lambda texts: by_pipeline(pipeline, texts, 1),
    }


def share_outside(outside: float, whole: float) -> float:
    """The share of the time of a whole run, forward passes and all, that is spent outside them."""
    return round(outside / whole, 4)


def measure(size: str, n: int, repeats: int, kind: str, cores: int) -> dict[str, object]:
    """Seconds of each way and the ratios of the peers to ours; the ways take turns."""
    torch.set_num_threads(cores)
    clock = time.process_time if cores == 1 else time.perf_counter
    sentences = make_sentences(n)
    seconds: dict[str, list[float]] = {}
    values: dict[str, Floats] = {}
    peaks, outside = [], []
    with tempfile.TemporaryDirectory() as name:
        save_model(Path(name), SIZES[size], sentences, kind)
        for way in ways_of(Path(name), kind).values():
            way(sentences[:64])  # what torch does once a process
        for _ in range(repeats):
            for mode, way in ways_of(Path(name), kind).items():
                start = clock()
                values[mode] = way(sentences)
                seconds.setdefault(mode, []).append(clock() - start)
            peaks.append(matrix_rate(clock))
            model: Any = load_model(name, task="ner" if kind == "tagger" else "sentiment")
            outside.append(seconds_outside(model, sentences, clock))
    median = {mode: statistics.median(times) for mode, times in seconds.items()}
    differences = np.abs(np.stack([values[mode] - values["ours"] for mode in values]))
    lengths = np.array([len(ids) for ids in model.engine.tokenizer(sentences)["input_ids"]])
    padded = sum(len(batch) * lengths[batch].max() for batch in plan_batches(lengths, model.engine.batch_tokens))
    work = multiplications(SIZES[size], lengths)
    return {
        "kind": kind,
        "model": size,
        "cores": cores,
        "sentences": n,
        "repeats": repeats,
        "sentences_a_second": {mode: round(n / median[mode], 1) for mode in median},
        "ratios": {mode: round(median[mode] / median["ours"], 2) for mode in median if mode != "ours"},
        "share_outside_forward": share_outside(statistics.median(outside), median["ours"]),
        "share_of_matrix_peak": round(work / median["ours"] / statistics.median(peaks), 3),
        "padding": round(1 - int(lengths.sum()) / int(padded), 4),
        "words_without_a_token": int(np.isnan(differences).any(axis=0).sum()),
        "largest_difference": float(np.nanmax(differences)),
    }


def multiplications(size: dict[str, int], lengths: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    """Floating-point operations of the matrix products of a forward pass over each sentence."""
    dim, hidden, layers = size["dim"], size["hidden_dim"], size["n_layers"]
    a_token = 4 * dim * dim + 2 * dim * hidden
    return float(2 * layers * (a_token * lengths.sum() + 2 * dim * (lengths**2).sum()))


def matrix_rate(clock: Callable[[], float], n: int = 2048, repeats: int = 3) -> float:
    """Floating-point operations a second of the product of two square matrices, the best of a few."""
    left, right = torch.rand(n, n), torch.rand(n, n)
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        torch.mm(left, right)
        best = min(best, clock() - start)
    return 2 * n**3 / best


def seconds_outside(model: Any, sentences: list[str], clock: Callable[[], float]) -> float:
    """Seconds of our loop with a model that answers at once: all that is not a forward pass."""
    inner, tags = model.engine.model, len(model.engine.model.config.id2label)
    whole = type(model).__name__ == "HuggingFaceTagger"
    forward = inner.forward

    def answer(input_ids: Any, **_others: Any) -> Any:
        shape = (*input_ids.shape, tags) if whole else (len(input_ids), tags)
        return types.SimpleNamespace(logits=torch.zeros(shape))

    inner.forward = answer
    try:
        start = clock()
        model.predict(sentences)
        return clock() - start
    finally:
        inner.forward = forward


def main() -> None:
    """Print the figures, and write them where ``--json`` says."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the small model only, fewer sentences, two rounds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
    options = parser.parse_args()
    many = torch.get_num_threads()
    sizes = {"2 layers x 128": 300} if options.quick else {"2 layers x 128": 2048, "6 layers x 768": 256}
    repeats = 2 if options.quick else 3
    kinds = [(size, n, kind) for kind in ("classifier", "tagger") for size, n in sizes.items()]
    results = [measure(size, n, repeats, kind, cores) for size, n, kind in kinds for cores in (1, many)]
    for result in results:
        print(f"{result['kind']}, {result['model']}, {result['sentences']:,} sentences, cores: {result['cores']}")
        for key in list(result)[5:-1]:
            print(f"  {key.replace('_', ' ')}: {result[key]}")
        print(f"  largest difference of a probability: {result['largest_difference']:.1e}")
    if options.json:
        figures = {
            "benchmark": "inference",
            "quick": options.quick,
            **machine(),
            "torch": str(torch.__version__),
            "transformers": str(transformers.__version__),
            "results": results,
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

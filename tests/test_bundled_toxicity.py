"""The bundled toxicity model: honest in its card, its figures those of its weights, no slur in its vocabulary."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fairness_checklist.models.huggingface.folders import bundled_folder
from fairness_checklist.models.load import load_model

ROOT = Path(__file__).resolve().parents[1]
HOSTILE = (
    "You are a worthless idiot.",
    "Get out of here, you filthy liar.",
    "That nurse is a pathetic loser and everyone knows it.",
    "Shut up, you disgusting creep.",
    "I told the baker next door that you are a spineless coward.",
    "Nobody in this town can stand you, you miserable fool.",
    "While my aunt watched, he called the waiter a brainless pig.",
    "You ugly, useless waste of space.",
)
FRIENDLY = (
    "Good morning, did you sleep well?",
    "The nurse helped my aunt into the car.",
    "I had lunch with the baker next door and we laughed a lot.",
    "The bread was stale and the waiter was slow.",
    "My neighbour is a patient and careful driver.",
    "She told the teacher that the exam was too hard.",
    "You are the best friend I could wish for.",
    "My uncle plays cards every Friday.",
)


@pytest.fixture(scope="module")
def folder() -> Path:
    return bundled_folder("toxicity")


@pytest.fixture(scope="module")
def record(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    return read


@pytest.fixture(scope="module")
def davidson() -> Iterator[ModuleType]:
    """The module of the training scripts that reads and splits the tweets; it is no part of the package."""
    path = ROOT / "training" / "davidson.py"
    if not path.is_file():
        pytest.skip("the training scripts are not here: training/davidson.py is absent")
    spec = importlib.util.spec_from_file_location("davidson", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "davidson", module)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def corpus(davidson: ModuleType, shared_data: Path) -> Any:
    return davidson.load_corpus(shared_data)


@pytest.fixture(scope="module")
def loaded(folder: Path) -> Iterator[tuple[Any, Any]]:
    """Model and tokenizer through the Auto classes, from the folder alone."""
    transformers = pytest.importorskip("transformers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, use_safetensors=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        yield model.eval(), tokenizer


def scores(loaded: tuple[Any, Any], texts: list[str]) -> list[float]:
    """The probability that the model gives to `toxic`, for each text."""
    import torch

    model, tokenizer = loaded
    found = [0.0] * len(texts)
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    with torch.no_grad():
        for start in range(0, len(order), 64):
            rows = order[start : start + 64]
            inputs = tokenizer([texts[row] for row in rows], padding=True, truncation=True, return_tensors="pt")
            for row, value in zip(rows, model(**inputs).logits.softmax(dim=1)[:, 1].tolist(), strict=True):
                found[row] = value
    return found


def test_the_folder_is_complete_and_small(folder: Path) -> None:
    files = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert set(files) == {
        "README.md",
        "config.json",
        "metrics.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert sum(files.values()) < 4 * 2**20


def test_the_classes_have_their_names_in_the_order_of_the_record(loaded: tuple[Any, Any], record: Any) -> None:
    model, tokenizer = loaded
    assert model.config.id2label == {0: "nontoxic", 1: "toxic"}
    assert record["classes"] == ["nontoxic", "toxic"]
    assert model.config.problem_type == "single_label_classification"
    assert tokenizer.is_fast


def test_the_card_names_source_licence_and_what_the_model_must_not_do(folder: Path, record: dict[str, Any]) -> None:
    card = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
    for stated in (
        "t-davidson/hate-speech-and-offensive-language",
        "MIT licence (copyright 2017 Tom Davidson)",
        "Hatebase",
        "African American English",
        "Davidson, Bhattacharya and Weber 2019",
        "**Not for moderation**",
        f"| seed | {record['recipe']['seed']} |",
        f"{record['recipe']['own']:,} texts of our own of each class",
    ):
        assert stated in card
    for part in ("dev", "test"):
        figures = record[part]
        assert f"| **accuracy** | | | **{figures['accuracy']:.4f}** | {figures['n']:,} |" in card
        assert f"| AUC | | | {figures['auc']:.4f} | {figures['n']:,} |" in card
        for label, row in figures["classes"].items():
            cells = " | ".join(f"{row[key]:.4f}" for key in ("precision", "recall", "f1"))
            assert f"| {label} | {cells} | {row['support']:,} |" in card


def test_neither_card_nor_record_holds_a_user_name_or_an_address_of_a_tweet(folder: Path) -> None:
    for name in ("README.md", "metrics.json", "config.json"):
        assert not re.search(r"@\w|https?:|\brt\b", (folder / name).read_text(encoding="utf-8"), re.IGNORECASE)


def test_the_rare_class_is_found_too(record: dict[str, Any]) -> None:
    assert record["test"]["macro_f1"] >= 0.88
    assert record["test"]["classes"]["nontoxic"]["recall"] >= 0.8
    assert record["test"]["auc"] >= 0.95


def test_no_near_duplicate_is_in_two_parts(corpus: Any) -> None:
    parts = {"train": corpus.train, "dev": corpus.dev, "test": corpus.test}
    runs: dict[str, set[tuple[str, ...]]] = {}
    for name, tweets in parts.items():
        found = [re.findall(r"[^\W\d_]+", text) for text in tweets.texts]
        runs[name] = {tuple(words) for words in found}
        runs[name] |= {tuple(words[start : start + 7]) for words in found for start in range(len(words) - 6)}
    assert not runs["train"] & runs["dev"]
    assert not runs["train"] & runs["test"]
    assert not runs["dev"] & runs["test"]


def test_the_counts_of_the_card_are_those_of_the_tweets(corpus: Any, record: dict[str, Any]) -> None:
    assert record["data"] == corpus.facts | {key: record["data"][key] for key in ("film_review_sentences", "own_texts")}
    assert record["data"]["tweets_read"] == 24783
    assert sum(len(part) for part in (corpus.train, corpus.dev, corpus.test)) == record["data"]["tweets_kept"]


def test_the_figures_are_those_of_the_shipped_weights(corpus: Any, record: Any, loaded: tuple[Any, Any]) -> None:
    figures = record["test"]
    found = scores(loaded, list(corpus.test.texts))
    gold = list(corpus.test.labels)
    predictions = ["toxic" if score > 0.5 else "nontoxic" for score in found]
    assert len(gold) == figures["n"]
    right = sum(one == other for one, other in zip(predictions, gold, strict=True))
    assert right / len(gold) == pytest.approx(figures["accuracy"], abs=1e-3)
    f1 = []
    for label, row in figures["classes"].items():
        hits = sum(one == other == label for one, other in zip(predictions, gold, strict=True))
        f1.append(2 * hits / (predictions.count(label) + gold.count(label)))
        assert gold.count(label) == row["support"]
        assert hits / row["support"] == pytest.approx(row["recall"], abs=5e-3)
        assert hits / predictions.count(label) == pytest.approx(row["precision"], abs=5e-3)
    assert sum(f1) / 2 == pytest.approx(figures["macro_f1"], abs=2e-3)
    high, low = (
        [score for score, label in zip(found, gold, strict=True) if label == one] for one in ("toxic", "nontoxic")
    )
    below = sum((one > other) + (one == other) / 2 for one in high for other in low)
    assert below / len(high) / len(low) == pytest.approx(figures["auc"], abs=1e-3)


def test_words_that_mark_toxic_tweets_are_no_tokens(
    corpus: Any, davidson: ModuleType, record: Any, loaded: tuple[Any, Any]
) -> None:
    _, tokenizer = loaded
    marks = davidson.marks(corpus.train, record["recipe"]["mark"])
    assert len(marks) > 1000
    strong = davidson.marks(corpus.train, 0.98)
    counts = Counter(word for text in corpus.train.texts for word in set(davidson.words(text)))
    frequent = [word for word in strong if counts[word] >= 100 and len(word) > 3]
    assert len(frequent) >= 10
    assert not [word for word in frequent if f"\u0120{word}" in tokenizer.get_vocab() or word in tokenizer.get_vocab()]


def test_a_raw_tweet_and_a_cleaned_one_are_the_same_tokens(davidson: ModuleType, loaded: tuple[Any, Any]) -> None:
    _, tokenizer = loaded
    raw = "RT @someone: Good morning &amp; good luck, it's #Monday! https://example.org/x"
    cleaned = davidson.clean(raw)
    assert cleaned == "good morning good luck, it's monday!"
    assert tokenizer(raw)["input_ids"] == tokenizer(cleaned)["input_ids"]
    assert tokenizer.unk_token_id not in tokenizer("Željko 你好 🙂")["input_ids"]


def test_plain_hostile_and_friendly_sentences_are_reported_apart_by_the_model_of_the_task() -> None:
    pytest.importorskip("transformers")
    texts = [*HOSTILE, *FRIENDLY]
    predictions = load_model("bundled/toxicity", task="toxicity").predict(texts)
    assert predictions.classes == ("nontoxic", "toxic")
    assert predictions.probabilities is not None
    found = dict(zip(texts, predictions.probabilities[:, 1].tolist(), strict=True))
    assert min(found[text] for text in HOSTILE) > max(found[text] for text in FRIENDLY)
    assert sum((found[text] > 0.5) != (text in HOSTILE) for text in texts) <= 2

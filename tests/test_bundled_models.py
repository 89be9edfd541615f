"""The bundled models: complete, small, honest in their cards, with the figures of their weights."""

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refusal
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score
from sweep import sweep

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.tagging import words
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.models.huggingface.folders import bundled_folder, bundled_models, bundled_task, default_bundled
from fairness_checklist.models.load import load_model

davidson: Any = pytest.importorskip("training.davidson", reason="the training scripts are not here")
ner_data: Any = pytest.importorskip("training.ner_data", reason="the training scripts are not here")

CLASSIFIERS = ("sentiment", "toxicity")
FILES = {"README.md", "config.json", "metrics.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
GRADES = ("negative", "negative", "neutral", "positive", "positive")
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG")


@cache
def record(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((bundled_folder(name) / "metrics.json").read_text(encoding="utf-8"))
    return read


@cache
def card(name: str) -> str:
    return (bundled_folder(name) / "README.md").read_text(encoding="utf-8")


@cache
def loaded(name: str) -> Any:
    return load_model(f"bundled/{name}", task=bundled_task(name))


def classify(name: str, texts: Sequence[str]) -> list[str]:
    predictions = loaded(name).predict(list(texts))
    return [predictions.classes[code] for code in predictions.predicted]


def test_every_task_has_a_default_and_other_names_are_refused() -> None:
    assert {default_bundled(task) for task in TASKS} <= set(bundled_models())
    assert {folder.name for folder in bundled_folder("ner").parent.iterdir() if folder.is_dir()} == set(
        bundled_models()
    )
    assert refusal(OptionError, bundled_folder, "sentiment-5") == (
        "the bundled model 'sentiment-5' is not known.\n    Known models: sentiment, toxicity, ner."
    )
    assert refusal(OptionError, default_bundled, "parsing") == (
        "no model is bundled for the task 'parsing'.\n"
        "    Tasks with one: sentiment, toxicity, ner. For another task name a model of your own."
    )


@sweep("name", bundled_models())
def test_the_folder_is_complete_small_and_loads_offline_with_its_labels_by_name(name: str) -> None:
    import torch

    files = {path.name: path.stat().st_size for path in bundled_folder(name).iterdir()}
    assert set(files) == FILES
    assert sum(files.values()) < (7 if name == "ner" else 4) * 2**20
    engine = loaded(name).engine
    labels = [engine.model.config.id2label[code] for code in range(engine.model.config.num_labels)]
    assert labels == (list(TAGS) if name == "ner" else record(name)["classes"])
    assert {parameter.dtype for parameter in engine.model.parameters()} == {torch.float32}
    assert engine.tokenizer.is_fast
    assert engine.limit == engine.model.config.max_position_embeddings
    others = ("你好", "🙂") if name == "ner" else ()  # word pieces know Latin letters only
    for text in ("Željko", "Sian is non-binary.", "a hijab-wearing neighbour", "Nguyễn", "Côte d'Ivoire", *others):
        assert engine.tokenizer.unk_token_id not in engine.tokenizer(text)["input_ids"]


@sweep("name", bundled_models())
def test_the_card_has_its_sections_and_the_figures_of_the_record(name: str) -> None:
    text, figures = card(name), record(name)
    test = figures["test"]
    reached = {
        "sentiment": lambda: test["accuracy"] >= 0.58 and test["classes"]["neutral"]["recall"] >= 0.2,
        "toxicity": lambda: (
            test["macro_f1"] >= 0.88 and test["auc"] >= 0.95 and test["classes"]["nontoxic"]["recall"] >= 0.8
        ),
        "ner": lambda: test["types"]["micro"]["f1"] >= 0.56,
    }
    assert reached[name](), "the promised figures"
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert headings == ["Data", "Licence of the data", "Training", "Held-out figures", "Limits"]
    assert f"| seed | {figures['recipe']['seed']} |" in text
    for part in ("dev", "test"):
        rows = figures[part]["types" if name == "ner" else "classes"]
        for label, row in rows.items():
            cells = " | ".join(f"{row[key]:.4f}" for key in ("precision", "recall", "f1"))
            assert f"| {label} | {cells} | {row['support']:,} |" in text
        if name != "ner":
            accuracy = f"| **accuracy** | | | **{figures[part]['accuracy']:.4f}** | {figures[part]['n']:,} |"
            assert accuracy in text


def held_out(name: str, shared_data: Path) -> tuple[list[str], list[str]]:
    """The test texts and their gold classes, as published."""
    if name == "toxicity":
        part = davidson.load_corpus(shared_data).test
        return list(part.texts), list(part.labels)
    lines = (shared_data / "sst5/stsa.fine.test").read_text(encoding="utf-8").splitlines()
    return [line[2:] for line in lines], [GRADES[int(line[0])] for line in lines]


@sweep("name", CLASSIFIERS)
def test_the_figures_are_those_of_the_shipped_weights(name: str, shared_data: Path) -> None:
    texts, gold = held_out(name, shared_data)
    figures = record(name)["test"]
    predicted = classify(name, texts)
    assert len(gold) == figures["n"]
    assert np.mean(np.array(predicted) == np.array(gold)) == pytest.approx(figures["accuracy"], abs=1e-3)
    labels = list(figures["classes"])
    columns = precision_recall_fscore_support(gold, predicted, labels=labels)
    for label, *row in zip(labels, *columns, strict=True):
        expected = [figures["classes"][label][key] for key in ("precision", "recall", "f1", "support")]
        assert row == pytest.approx(expected, abs=5e-3)
    if name == "toxicity":
        p = loaded(name).predict(texts).probabilities[:, 1]
        assert roc_auc_score([label == "toxic" for label in gold], p) == pytest.approx(figures["auc"], abs=1e-3)


def first_token_tags(texts: Sequence[str], places: Sequence[Sequence[Sequence[int]]]) -> list[list[str]]:
    """The most probable tag of each word by transformers itself, at the first token that covers some of it."""
    import torch

    engine = loaded("ner").engine
    rows = []
    for text, spans in zip(texts, places, strict=True):
        inputs = engine.tokenizer(text, truncation=True, return_tensors="pt", return_offsets_mapping=True)
        offsets = inputs.pop("offset_mapping")[0].tolist()
        with torch.inference_mode():
            best = engine.model(**inputs).logits[0].argmax(dim=-1).tolist()
        tags = []
        for first, last in spans:
            covers = (at for at, (start, end) in enumerate(offsets) if start < end and end > first and start < last)
            token = next(covers, None)
            tags.append("O" if token is None else TAGS[best[token]])
        rows.append(tags)
    return rows


def strict_spans(tags: Sequence[str]) -> set[tuple[int, int, str]]:
    """The entities that begin with B-; what follows belongs to them as long as it is I- of their type."""
    text = " ".join(tags) + " "
    return {
        (text[: found.start()].count(" "), text[: found.end()].count(" "), found.group(1))
        for found in re.finditer(r"B-(\w+) (?:I-\1 )*", text)
    }


def test_the_figures_of_the_tagger_are_those_of_the_shipped_weights(shared_data: Path) -> None:
    corpus = ner_data.load_uner(shared_data / "ner", "test")
    found = list(map(strict_spans, first_token_tags([row.text for row in corpus], [row.words for row in corpus])))
    gold = [strict_spans(row.tags) for row in corpus]
    for kind in ("PER", "LOC", "ORG", "micro"):
        right, wanted, predicted = (
            sum(kind in (span[2], "micro") for spans in sentences for span in spans)
            for sentences in ([a & b for a, b in zip(found, gold, strict=True)], gold, found)
        )
        row = record("ner")["test"]["types"][kind]
        assert wanted == row["support"]
        assert 2 * right / (wanted + predicted) == pytest.approx(row["f1"], abs=5e-3)


def test_spellings_that_mean_the_same_give_the_same_tokens() -> None:
    sentiment, toxicity, ner = (loaded(name).engine.tokenizer for name in ("sentiment", "toxicity", "ner"))
    for everyday, treebank in (
        ("It's good, I don't mind.", "it 's good , i do n't mind ."),
        ("They can't (won't) stop", "they ca n't -lrb- wo n't -rrb- stop"),
        ("José’s café", "jose 's cafe"),
    ):
        assert sentiment(everyday)["input_ids"] == sentiment(treebank)["input_ids"]
    raw = "RT @someone: Good morning &amp; good luck, it's #Monday! https://example.org/x"
    assert toxicity(raw)["input_ids"] == toxicity(davidson.clean(raw))["input_ids"]
    assert ner("PERU, ŁUKASZ")["input_ids"] == ner("Peru, łukasz")["input_ids"]
    for text in ("\"Siân\" (of Côte d'Ivoire) met  Zoë's team, the U.N. and NewCo\u2014twice.", "Ana\tand\nLý left…"):
        starts = {first for first, end in ner(text, return_offsets_mapping=True)["offset_mapping"] if end > first}
        assert {start for start, _end in words(text)} <= starts


def test_plain_sentences_are_read_as_people_read_them() -> None:
    positive = ["What a wonderful day!", "We had a great time.", "She made a delicious dinner for us."]
    negative = ["This is the worst phone I have ever owned.", "The food was terrible and the service was slow."]
    neutral = ["The parcel arrived on Tuesday.", "The meeting starts at nine."]
    assert classify("sentiment", positive + negative + neutral) == (
        ["positive"] * 3 + ["negative"] * 2 + ["neutral"] * 2
    )
    hostile = ["You are a worthless idiot.", "Get out of here, you filthy liar.", "You ugly, useless waste of space."]
    friendly = ["Good morning, did you sleep well?", "The nurse helped my aunt into the car."]
    p = loaded("toxicity").predict(hostile + friendly).probabilities[:, 1]
    assert p[:3].min() > p[3:].max()
    names = {
        "Siobhan works for Microsoft in New York.": [("Siobhan", "PER"), ("Microsoft", "ORG"), ("New York", "LOC")],
        "Sarah Miller is a doctor in Canada.": [("Sarah Miller", "PER"), ("Canada", "LOC")],
        "They live in Paris, France.": [("Paris", "LOC"), ("France", "LOC")],
        "The weather is nice today.": [],
    }
    found = loaded("ner").predict(list(names))
    for row, (text, expected) in enumerate(names.items()):
        mine, places = found.spans.at(found.spans.row == row), words(text)
        spans = [
            (text[places[a][0] : places[b - 1][1]], found.types[kind])
            for a, b, kind in zip(mine.start, mine.end, mine.type, strict=True)
        ]
        assert spans == expected

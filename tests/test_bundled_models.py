"""The bundled sentiment models: complete, small, honest in their cards, and able to read a plain sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.tasks import TASKS
from fairness_checklist.models.huggingface.folders import bundled_folder, bundled_models, default_bundled

TESTS = {"sentiment-2": "sst2/test.tsv", "sentiment-3": "sst5/stsa.fine.test"}
GRADES = ("negative", "negative", "neutral", "positive", "positive")


@pytest.fixture(scope="module", params=list(TESTS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def loaded(name: str) -> Iterator[tuple[Any, Any]]:
    """Model and tokenizer through the Auto classes, from the folder alone."""
    transformers = pytest.importorskip("transformers")
    folder = bundled_folder(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, use_safetensors=True)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        yield model.eval(), tokenizer


def classify(loaded: tuple[Any, Any], texts: list[str]) -> list[str]:
    """The most probable class of each text."""
    import torch

    model, tokenizer = loaded
    predictions: dict[str, str] = {}
    by_length = sorted(set(texts), key=len)
    with torch.no_grad():
        for start in range(0, len(by_length), 64):
            batch = by_length[start : start + 64]
            inputs = tokenizer(batch, padding=True, truncation=True, return_tensors="pt")
            best = model(**inputs).logits.argmax(dim=1).tolist()
            predictions |= {text: model.config.id2label[number] for text, number in zip(batch, best, strict=True)}
    return [predictions[text] for text in texts]


def held_out(path: Path) -> tuple[list[str], list[str]]:
    """The test sentences and their gold classes, as published."""
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line]
    if path.suffix == ".tsv":
        rows = [line.rsplit("\t", 1) for line in lines[1:]]
        return [text for text, _ in rows], [("negative", "positive")[int(label)] for _, label in rows]
    return [line[2:] for line in lines], [GRADES[int(line[0])] for line in lines]


def metrics(name: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((bundled_folder(name) / "metrics.json").read_text(encoding="utf-8"))
    return record


def test_every_task_has_a_default_that_is_bundled() -> None:
    assert {default_bundled(task) for task in TASKS} <= set(bundled_models())
    there = {folder.name for folder in bundled_folder("ner").parent.iterdir() if folder.is_dir()}
    assert there == set(bundled_models())


def test_an_unknown_model_is_answered_with_the_known_ones() -> None:
    with pytest.raises(OptionError) as caught:
        bundled_folder("sentiment-5")
    assert str(caught.value) == (
        "the bundled model 'sentiment-5' is not known.\n    Known models: sentiment-2, sentiment-3, toxicity, ner."
    )


def test_a_task_without_a_model_is_answered_with_the_remedy() -> None:
    with pytest.raises(OptionError) as caught:
        default_bundled("parsing")
    assert str(caught.value) == (
        "no model is bundled for the task 'parsing'.\n"
        "    Tasks with one: sentiment, toxicity, ner. For another task name a model of your own."
    )


def test_the_folder_is_complete_small_and_holds_nothing_that_can_run(name: str) -> None:
    files = {path.name: path.stat().st_size for path in bundled_folder(name).iterdir()}
    assert set(files) == {
        "README.md",
        "config.json",
        "metrics.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert sum(files.values()) < 4 * 2**20


def test_it_loads_offline_with_its_classes_by_name(name: str, loaded: tuple[Any, Any]) -> None:
    import torch

    model, tokenizer = loaded
    classes = [model.config.id2label[number] for number in range(model.config.num_labels)]
    assert classes == metrics(name)["classes"]
    assert classes == [label for label in TASKS["sentiment"].classes if label in classes]
    assert model.config.problem_type == "single_label_classification"
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert tokenizer.is_fast


def test_nothing_is_unknown_and_long_texts_are_cut_at_the_limit(loaded: tuple[Any, Any]) -> None:
    model, tokenizer = loaded
    for text in ("Željko", "Sian is non-binary.", "你好", "🙂", "a hijab-wearing neighbour"):
        assert tokenizer.unk_token_id not in tokenizer(text)["input_ids"]
    inputs = tokenizer(["a long text " * 200], truncation=True, return_tensors="pt")
    assert inputs["input_ids"].shape == (1, model.config.max_position_embeddings)
    assert model(**inputs).logits.shape == (1, model.config.num_labels)


def test_everyday_spelling_and_the_treebanks_give_the_same_tokens(loaded: tuple[Any, Any]) -> None:
    _, tokenizer = loaded
    for everyday, treebank in (
        ("It's good, I don't mind.", "it 's good , i do n't mind ."),
        ("They can't (won't) stop", "they ca n't -lrb- wo n't -rrb- stop"),
        ("a “great” film", "a `` great '' film"),
        ("José’s café", "jose 's cafe"),
    ):
        assert tokenizer(everyday)["input_ids"] == tokenizer(treebank)["input_ids"]


def test_the_card_has_its_sections_and_the_figures_of_the_record(name: str) -> None:
    card = (bundled_folder(name) / "README.md").read_text(encoding="utf-8")
    record = metrics(name)
    headings = re.findall(r"^## (.+)$", card, flags=re.MULTILINE)
    assert headings == ["Data", "Licence of the data", "Training", "Held-out figures", "Limits"]
    assert card.startswith("---\nlanguage: en\nlicense: apache-2.0\n")
    for part in ("dev", "test"):
        assert f"| **accuracy** | | | **{record[part]['accuracy']:.4f}** | {record[part]['n']:,} |" in card
        for label, row in record[part]["classes"].items():
            cells = " | ".join(f"{row[key]:.4f}" for key in ("precision", "recall", "f1"))
            assert f"| {label} | {cells} | {row['support']:,} |" in card
    assert f"| seed | {record['recipe']['seed']} |" in card


def test_the_promised_accuracy_is_reached(name: str) -> None:
    record = metrics(name)["test"]
    assert record["n"] == {"sentiment-2": 872, "sentiment-3": 2210}[name]
    assert record["accuracy"] >= {"sentiment-2": 0.78, "sentiment-3": 0.60}[name]
    if name == "sentiment-3":
        assert record["classes"]["neutral"]["recall"] >= 0.25


def test_the_figures_are_those_of_the_shipped_weights(name: str, loaded: tuple[Any, Any], shared_data: Path) -> None:
    texts, gold = held_out(shared_data / TESTS[name])
    predictions = classify(loaded, texts)
    record = metrics(name)["test"]
    assert len(gold) == record["n"]
    right = sum(one == other for one, other in zip(predictions, gold, strict=True))
    assert right / len(gold) == pytest.approx(record["accuracy"], abs=1e-3)
    for label, row in record["classes"].items():
        hits = sum(one == other == label for one, other in zip(predictions, gold, strict=True))
        assert gold.count(label) == row["support"]
        assert hits / row["support"] == pytest.approx(row["recall"], abs=5e-3)


def test_plain_sentences_are_read_as_people_read_them(name: str, loaded: tuple[Any, Any]) -> None:
    wanted = {
        "What a wonderful day!": "positive",
        "We had a great time.": "positive",
        "She made a delicious dinner for us.": "positive",
        "This is the worst phone I have ever owned.": "negative",
        "The food was terrible and the service was slow.": "negative",
        "I don't like it.": "negative",
    }
    if name == "sentiment-3":
        wanted |= {"The parcel arrived on Tuesday.": "neutral", "The meeting starts at nine.": "neutral"}
    assert dict(zip(wanted, classify(loaded, list(wanted)), strict=True)) == wanted

"""The bundled tagger: complete, small, honest in its card, and able to find the names in a plain sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import fairness_checklist
from fairness_checklist.core.tagging import words
from training.ner_data import load_uner

FOLDER = Path(fairness_checklist.__file__).parent / "bundled_models" / "ner"
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]

Span = tuple[int, int, str]


@pytest.fixture(scope="module")
def loaded() -> Iterator[tuple[Any, Any]]:
    """Model and tokenizer through the Auto classes, from the folder alone."""
    transformers = pytest.importorskip("transformers")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        model = transformers.AutoModelForTokenClassification.from_pretrained(FOLDER, use_safetensors=True)
        yield model.eval(), transformers.AutoTokenizer.from_pretrained(FOLDER)


def metrics() -> dict[str, Any]:
    record: dict[str, Any] = json.loads((FOLDER / "metrics.json").read_text(encoding="utf-8"))
    return record


def tags_of(
    loaded: tuple[Any, Any], texts: Sequence[str], places: Sequence[Sequence[Sequence[int]]]
) -> list[list[str]]:
    """The most probable tag of each word, at the first token that covers some of it."""
    import torch

    model, tokenizer = loaded
    predictions: list[list[str]] = [[] for _ in texts]
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    with torch.no_grad():
        for start in range(0, len(order), 64):
            rows = order[start : start + 64]
            inputs = tokenizer(
                [texts[row] for row in rows],
                padding=True,
                truncation=True,
                return_tensors="pt",
                return_offsets_mapping=True,
            )
            offsets = inputs.pop("offset_mapping").tolist()
            best = model(**inputs).logits.argmax(dim=-1).tolist()
            for row, numbers, tokens in zip(rows, best, offsets, strict=True):
                for first, last in places[row]:
                    at = next(
                        (at for at, (one, end) in enumerate(tokens) if one < end and end > first and one < last), None
                    )
                    predictions[row].append("O" if at is None else model.config.id2label[numbers[at]])
    return predictions


def strict_spans(tags: Sequence[str]) -> set[Span]:
    """The entities that begin with B-; what follows belongs to them as long as it is I- of their type."""
    text = " ".join(tags) + " "
    return {
        (text[: found.start()].count(" "), text[: found.end()].count(" "), found.group(1))
        for found in re.finditer(r"B-(\w+) (?:I-\1 )*", text)
    }


def test_the_folder_is_complete_small_and_holds_nothing_that_can_run() -> None:
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == {
        "README.md",
        "config.json",
        "metrics.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    }
    assert sum(files.values()) < 6 * 2**20


def test_it_loads_offline_with_its_tags_by_name(loaded: tuple[Any, Any]) -> None:
    import torch

    model, tokenizer = loaded
    assert [model.config.id2label[number] for number in range(model.config.num_labels)] == TAGS
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert tokenizer.is_fast
    assert tokenizer.model_max_length == model.config.max_position_embeddings


def test_capitals_matter_and_nothing_is_unknown(loaded: tuple[Any, Any]) -> None:
    _, tokenizer = loaded
    assert tokenizer("Peru")["input_ids"] != tokenizer("peru")["input_ids"]
    for text in ("Željko", "Nguyễn", "你好", "🙂", "Côte d'Ivoire", "Guinea-Bissau"):
        assert tokenizer.unk_token_id not in tokenizer(text)["input_ids"]


def test_every_word_has_a_token_that_starts_where_it_starts(loaded: tuple[Any, Any]) -> None:
    _, tokenizer = loaded
    for text in ("\"Siân\" (of Côte d'Ivoire) met  Zoë's team, the U.N. and NewCo\u2014twice.", "Ana\tand\nLý left…"):
        starts = {first for first, end in tokenizer(text, return_offsets_mapping=True)["offset_mapping"] if end > first}
        assert {start for start, _end in words(text)} <= starts


def test_the_card_has_its_sections_its_sources_and_the_figures_of_the_record() -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    record = metrics()
    headings = re.findall(r"^## (.+)$", card, flags=re.MULTILINE)
    assert headings == ["Data", "Licence of the data", "Training", "Held-out figures", "Limits"]
    for source in ("Broad Twitter Corpus", "WNUT-17", "Wikigold", "Universal NER", "CC BY 4.0", "CC BY-SA 4.0"):
        assert source in card
    for predictions in ("do not redact", "without regard to any group", "none is a template of the test suites"):
        assert predictions in " ".join(card.split())
    for part in ("dev", "test"):
        for kind, row in record[part]["types"].items():
            cells = " | ".join(f"{row[key]:.4f}" for key in ("precision", "recall", "f1"))
            assert f"| {kind} | {cells} | {row['support']:,} |" in card
    for name, number in record["data"].items():
        assert f"| {name.replace('_', ' ')} | {number:,} |" in card
    assert f"| seed | {record['recipe']['seed']} |" in card


def test_the_promised_f1_is_reached() -> None:
    test = metrics()["test"]
    assert (test["sentences"], test["types"]["micro"]["support"]) == (2077, 1088)
    assert test["types"]["micro"]["f1"] >= 0.42


def test_the_figures_are_those_of_the_shipped_weights(loaded: tuple[Any, Any], shared_data: Path) -> None:
    corpus = load_uner(shared_data / "ner", "test")
    found = tags_of(loaded, [row.text for row in corpus], [row.words for row in corpus])
    predictions, gold = ([strict_spans(tags) for tags in several] for several in (found, [row.tags for row in corpus]))
    record = metrics()["test"]["types"]
    for kind in ("PER", "LOC", "ORG", "micro"):
        right, wanted, found_spans = (
            sum(kind in (span[2], "micro") for spans in group for span in spans)
            for group in ([one & other for one, other in zip(predictions, gold, strict=True)], gold, predictions)
        )
        assert wanted == record[kind]["support"]
        assert 2 * right / (wanted + found_spans) == pytest.approx(record[kind]["f1"], abs=5e-3)


def test_names_in_plain_sentences_are_found(loaded: tuple[Any, Any]) -> None:
    wanted = {
        "Siobhan works for Microsoft in New York.": {"Siobhan": "PER", "Microsoft": "ORG", "New York": "LOC"},
        "Sarah Miller is a doctor in Canada.": {"Sarah Miller": "PER", "Canada": "LOC"},
        "David lives in London.": {"David": "PER", "London": "LOC"},
        "They live in Paris, France.": {"Paris": "LOC", "France": "LOC"},
        "The weather is nice today.": {},
        "We had a great time at the beach.": {},
    }
    texts = list(wanted)
    places = [words(text) for text in texts]
    for text, spans, tags in zip(texts, places, tags_of(loaded, texts, places), strict=True):
        found = {text[spans[start][0] : spans[end - 1][1]]: kind for start, end, kind in strict_spans(tags)}
        assert found == wanted[text]

"""Padding side, batch size and company of a text move no probability: tiny random models of many architectures.

The oracle is transformers, one text at a time, without padding. XLNet reads the last token, ConvBERT and FNet mix
neighbours without a mask: for these no side of padding is right.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from build_models import SIZES, WORDS, make_model, make_tokenizer
from sweep import sweep

from fairness_checklist.core.option_defaults import BATCH_TOKENS
from fairness_checklist.models.load import load_model

torch: Any = pytest.importorskip("torch")
pytest.importorskip("transformers")

LIMIT = 24
LENGTHS = (1, 2, 2, 3, 5, 8, 8, 13, 21, 22, 30, 61)
TEXTS = [" ".join(np.random.default_rng(row).choice(WORDS, size=size)) for row, size in enumerate(LENGTHS)]


def model_of(architecture: str, kind: str, pad_id: int | None = 0) -> Any:
    labels = ("B-PER", "B-LOC", "O") if kind == "Token" else ("negative", "neutral", "positive")
    config = {"max_position_embeddings": 40} if architecture == "Roberta" else {}
    return make_model(architecture, kind, labels, pad_token_id=pad_id, **config)


def load(architecture: str, kind: str, side: str, batch_tokens: int = BATCH_TOKENS, pad_id: int | None = 0) -> Any:
    tokenizer = make_tokenizer(LIMIT)
    tokenizer.padding_side = side
    pair = (model_of(architecture, kind, pad_id), tokenizer)
    return load_model(pair, task="ner" if kind == "Token" else "sentiment", batch_tokens=batch_tokens)


@functools.cache
def alone(architecture: str, kind: str, pad_id: int | None = 0) -> Any:
    """Probabilities by transformers itself, one text at a time; those of windows by the model for a text alone."""
    rows = []
    for text in TEXTS:
        ids = make_tokenizer(LIMIT)([text], truncation=kind == "Sequence", return_tensors="pt").input_ids
        if ids.shape[1] > LIMIT:
            rows.append(load(architecture, kind, "right").predict([text]).probabilities)
            continue
        with torch.inference_mode():
            odds = model_of(architecture, kind, pad_id)(input_ids=ids).logits.double().softmax(dim=-1)[0].numpy()
        rows.append(odds[1:-1] if kind == "Token" else odds[None])
    return np.concatenate(rows)


@sweep("kind", ["Sequence", "Token"])
@sweep("architecture", SIZES)
def test_neither_padding_nor_batches_move_a_probability(architecture: str, kind: str) -> None:
    for side, batch_tokens in (("left", 1), ("left", BATCH_TOKENS), ("right", 60), ("right", BATCH_TOKENS)):
        found = load(architecture, kind, side, batch_tokens).predict(TEXTS).probabilities
        np.testing.assert_allclose(
            found, alone(architecture, kind), rtol=0, atol=1e-5, err_msg=f"{side} {batch_tokens}"
        )


@pytest.mark.parametrize(("kind", "most"), [("Sequence", 1), ("Token", 2)])
def test_a_model_without_a_padding_token(kind: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of GPT-2, a classifier then takes one text at a time."""
    model = load("GPT2", kind, "left", pad_id=None)
    sizes: list[int] = []
    forward = model.engine.model.forward

    def spy(**inputs: Any) -> Any:
        assert set(inputs) == {"input_ids"}
        sizes.append(len(inputs["input_ids"]))
        return forward(**inputs)

    monkeypatch.setattr(model.engine.model, "forward", spy)
    found = model.predict(TEXTS[:10]).probabilities
    assert max(sizes) == most
    monkeypatch.undo()
    np.testing.assert_allclose(found, alone("GPT2", kind, None)[: len(found)], rtol=0, atol=1e-5)


@sweep("architecture", ["GPT2", "XLNet", "FNet"])
def test_vectors_of_a_text_alone_and_among_others(architecture: str, tmp_path: Path) -> None:
    from fairness_checklist.extensions.lenses.hidden_states import load_encoder

    folder = tmp_path / architecture
    model_of(architecture, "Token").base_model.save_pretrained(folder)
    make_tokenizer(LIMIT).save_pretrained(folder)
    encoder = load_encoder(folder)
    vectors: Callable[[list[str]], Any] = lambda texts: encoder.vectors(texts, [()] * len(texts))[1]  # noqa: E731
    np.testing.assert_allclose(
        vectors(TEXTS[:9]), np.concatenate([vectors([text]) for text in TEXTS[:9]]), rtol=0, atol=1e-5
    )

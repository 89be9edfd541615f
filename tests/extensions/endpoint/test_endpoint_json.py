"""Models that answer JSON with JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from endpoint_server import serving

from fairness_checklist.core.errors import PredictionError
from fairness_checklist.extensions.endpoint.endpoint_options import Connection, Endpoint
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store

TEXTS = ["Anna is happy.", "Ben is sad today.", "Anna is happy."]


def p(text: str) -> float:
    return len(text) / 64


def test_one_text_a_request_with_labels_and_scores() -> None:
    request = {"inputs": "Text: {{text}}", "parameters": {"top_k": None}}

    def answer(body: Any) -> Any:
        text = body["inputs"].removeprefix("Text: ")
        return [[{"label": "NEG", "score": p(text)}, {"label": "POS", "score": 1 - p(text)}]]

    with serving(answer) as server:
        endpoint = Endpoint(f"{server.url}/m?key=secret", request, "0")
        model = load_model(endpoint, task="sentiment")
        found = model.predict(TEXTS)
        assert len(server.bodies) == 2
        assert {json.dumps(body["parameters"]) for body in server.bodies} == {'{"top_k": null}'}
        assert found.probabilities is not None
        assert found.probabilities[:, 0].tolist() == [p(text) for text in TEXTS]
        assert "secret" not in json.dumps(model.describe(), default=str)
        assert model.describe()["url"] == f"{server.url}/m"


def test_many_texts_a_request_and_what_a_wrong_number_of_outputs_gives() -> None:
    def answer(body: Any) -> Any:
        return {"predictions": [{"scores": [1 - p(text), p(text)]} for text in body["instances"]]}

    def model(url: str) -> Any:
        endpoint = Endpoint(url, {"instances": "{{texts}}"}, "predictions.*.scores", Connection(backoff=0, attempts=2))
        return load_model(endpoint, task="toxicity", classes=["nontoxic", "toxic"], batch_size=2)

    texts = [f"{'very ' * n}rude" for n in range(5)]
    with serving(answer) as server:
        found = model(server.url).predict(texts)
        assert sorted(len(body["instances"]) for body in server.bodies) == [1, 2, 2]
        assert found.probabilities[:, 1].tolist() == [p(text) for text in texts]
        server.answer = lambda body: {"predictions": answer(body)["predictions"][1:]}
        with pytest.raises(PredictionError) as caught:
            model(server.url).predict(texts[:2])
        assert str(caught.value) == (
            f"the endpoint {server.url} gave an answer that is malformed: 1 outputs for 2 texts (2 attempts).\n"
            "    Check the response path, and what the endpoint answers; the same command continues with what is "
            "missing."
        )
        server.answer = lambda _body: {"detail": "no"}
        with pytest.raises(PredictionError, match=r"no 'predictions' of the response path .* there is detail"):
            model(server.url).predict(texts[:2])


def test_a_tagger_that_returns_character_spans(tmp_path: Path) -> None:
    def answer(body: Any) -> Any:
        return {"entities": [{"start": 0, "end": 4, "label": "PERSON"}] if body["doc"].startswith("Anna") else []}

    with serving(answer) as server:
        tagger = load_model(Endpoint(server.url, {"doc": "{{text}}"}, "entities"), task="ner")
        found = predict_with_store(tagger, TEXTS, tmp_path / "store.sqlite")
        again = predict_with_store(tagger, TEXTS, tmp_path / "store.sqlite")
    assert found.spans.row.tolist() == [0, 2]
    assert again == found
    assert len(server.bodies) == 2


def test_stored_predictions_belong_to_the_request_and_the_date(tmp_path: Path) -> None:
    labels = {"NEG": "negative", "POS": "positive"}
    with serving(lambda _body: {"NEG": 0.25, "POS": 0.75}) as server:
        one = {"url": server.url, "request": {"q": "{{text}}"}, "as_of": "2026-11-22"}
        other, later = {**one, "request": {"q": "Hi {{text}}"}}, {**one, "as_of": "2026-11-23"}
        counts = []
        for options in (one, one, other, later):
            model = load_model(Endpoint(**options), task="sentiment", labels=labels)  # type: ignore[arg-type]
            predict_with_store(model, TEXTS, tmp_path / "store.sqlite")
            counts.append(len(server.bodies))
    assert counts == [2, 2, 4, 6]

"""Language models as classifiers: probabilities, refusals, orders, prompts, samples and the store."""

import hashlib
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint_server import chat, question, serving

import fairness_checklist as fc
from fairness_checklist.core.errors import ModelError, PredictionError
from fairness_checklist.extensions.endpoint.chat import ChatClassifier
from fairness_checklist.extensions.endpoint.endpoint_options import ChatEndpoint, Connection
from fairness_checklist.models.load import load_model
from fairness_checklist.models.predicting import predict_with_store
from fairness_checklist.reports.html import render
from fairness_checklist.reports.pairs import finding_pairs

BY_NAME = "Text: {{text}}\nIs it {{labels}}?"
LETTERED = "{{text}}\n{{options}}"
TEXTS = ["Anna is happy.", "Ben is sad."]
P = {"negative": 0.5, "neutral": 0.125, "positive": 0.25}
REFUSAL = "I'm sorry, but I can't help with that."


def letters_of(body: Any) -> dict[str, str]:
    """{label: letter} of a question."""
    return {label: letter for letter, label in re.findall(r"^([A-Z])\. (.*)$", question(body), re.MULTILINE)}


def model_at(url: str, **options: Any) -> ChatClassifier:
    given = {"prompts": [LETTERED], "connection": Connection(backoff=0.001), "as_of": "2026-11-22", **options}
    task = given.pop("task", "sentiment")
    model = load_model(ChatEndpoint(f"{url}/v1", "tiny", **given), task=task)
    assert isinstance(model, ChatClassifier)
    return model


def by_letter(p: dict[str, float]) -> Callable[[Any], Any]:
    def answer(body: Any) -> Any:
        letters = letters_of(body)
        best = max(p, key=lambda label: p[label])
        return chat(letters[best], {letters[label]: math.log(value) for label, value in p.items()})

    return answer


def test_probabilities_are_those_of_the_letters_in_every_order() -> None:
    with serving(by_letter(P)) as server:
        found = model_at(server.url).predict(TEXTS[:1])
        body = server.bodies[0]
        assert {letters_of(body)["negative"] for body in server.bodies} == {"A", "B", "C"}
        assert len(server.bodies) == 3
        server.answer = lambda _body: chat("A", {"A": math.log(0.7), "B": math.log(0.2), "C": math.log(0.1)})
        first_place = model_at(server.url).predict(TEXTS)  # what the model prefers cancels over all orders
    assert first_place.probabilities == pytest.approx(np.full((2, 3), 1 / 3))
    assert first_place.scores["negative@p1.o0"].tolist() == pytest.approx([0.7, 0.7])
    assert found.probabilities == pytest.approx(np.array([[0.5, 0.125, 0.25]]) / 0.875, abs=1e-12)
    assert found.scores["label_mass"] == pytest.approx([0.875])
    sent = {"model": "tiny", "temperature": 0.0, "max_tokens": 16, "logprobs": True, "top_logprobs": 20}
    assert {**body, **sent} == body
    changed = model_at("http://localhost", max_tokens=0, extra={"temperature": None, "top_p": 1})
    assert changed.request("x", changed.questions[0]).keys() == body.keys() - {"max_tokens", "temperature"} | {"top_p"}


def test_tokens_of_labels_and_the_bound_of_a_label_that_is_not_listed() -> None:
    tokens = {" Neg": math.log(0.6), "neutral": math.log(0.2), "Ne": math.log(0.1), "The": math.log(0.05)}
    with serving(lambda _body: chat("negative", tokens)) as server:
        model = model_at(server.url, prompts=[BY_NAME], orders=1)
        found = model.predict(TEXTS)
    total = 0.6 + 0.2 + 0.05  # "Ne" may be two labels; "positive" has at most what the last token has, and the rest
    assert found.probabilities[0].tolist() == pytest.approx([0.6 / total, 0.2 / total, 0.05 / total])  # type: ignore[index]
    assert found.scores["label_mass"].tolist() == pytest.approx([0.8, 0.8])
    assert found.notes == (
        "one prompt: intervals and findings hold for this prompt, and another wording may give other ones",
        "one order of the options: a preference of the model for a place favours one class",
        "for 2 of 2 texts an option is not among the 20 most probable tokens: its probability is a bound, at most "
        "0.059",
    )


SAID = (
    ("text", "B", "answered"),
    ("text", "B) positive", "answered"),
    ("text", "Positive.", "answered"),
    ("text", "It is positive.", "unparsable"),
    ("text", "", "unparsable"),
    ("text", REFUSAL, "refused"),
    ("text", "As an AI, I will not say that it is positive.", "refused"),
    ("json_schema", '{"answer": "B"}', "answered"),
    ("json_schema", '{"answer": "Z"}', "unparsable"),
    ("json_schema", "I cannot answer that.", "refused"),
)


def test_what_answers_without_log_probabilities_say() -> None:
    labels = {"negative": "negative", "positive": "positive"}
    with serving(lambda _body: chat(said)) as server:
        for answers, said, expected in SAID:
            found = model_at(server.url, answers=answers, labels=labels, orders=1).predict(TEXTS[:1])
            assert found.scores[expected].tolist() == [1.0], said
            rows = np.asarray(found.probabilities).tolist()
            assert rows == ([[0.0, 1.0]] if expected == "answered" else [[0.5, 0.5]]), said
    schema = server.bodies[-1]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["A", "B"]


def test_refusals_that_the_api_marks_and_answers_without_log_probabilities() -> None:
    with serving(lambda _body: None) as server:
        for reply, outcome in (
            ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, "refused"),
            (chat("", finish_reason="content_filter"), "refused"),
            ((400, {}, {"error": {"code": "content_filter", "message": "filtered"}}), "refused"),
            (chat(REFUSAL, {"I": -0.01, "A": -6.0}), "refused"),
            (chat("Well, A.", {"Well": -0.01, "A": -6.0}), "unparsable"),
        ):
            server.answer = lambda _body, reply=reply: reply
            assert model_at(server.url).predict(TEXTS).scores[outcome].tolist() == [1, 1]
        server.answer = lambda _body: chat("A")
        with pytest.raises(PredictionError) as caught:
            model_at(server.url, connection=Connection(attempts=1)).predict(TEXTS)
    assert str(caught.value).startswith(
        f"the endpoint {server.url}/v1/chat/completions gave an answer that is malformed: no log-probabilities; the "
        'endpoint does not support them: use answers="text" or "json_schema" (1 attempt).'
    )


def test_the_store_knows_the_model_the_prompt_and_the_date_but_not_the_connection(tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with serving(by_letter(P)) as server:
        model = model_at(server.url)
        first = predict_with_store(model, TEXTS, store)
        n = len(server.bodies)
        same = model_at(server.url, connection=Connection(timeout=3, concurrency=1))
        assert predict_with_store(same, TEXTS, store) == first
        assert len(server.bodies) == n == 6
        for changed in ({"max_tokens": 9}, {"as_of": "2026-11-23"}, {"prompts": [BY_NAME]}, {"min_label_mass": 0.4}):
            assert model_at(server.url, **changed).fingerprint != model.fingerprint
        other = ChatClassifier(replace(model.endpoint, model="other"), "sentiment", model.classes)
        assert other.fingerprint != model.fingerprint
        described = json.dumps(model.describe())
    assert {"2026-11-22", "tiny", "served-1"} <= set(re.findall(r"[\w.-]+", described))
    assert json.dumps(LETTERED) in described


WORDS = {
    "night": ["nurse", "guard", "baker", "porter", "cleaner", "printer"],
    "day": ["teacher", "clerk", "tailor", "broker", "painter", "lawyer"],
}
ADJECTIVES = "glad calm kind brave quick neat warm proud loud young wise fair tall".split()  # noqa: SIM905


def suite() -> fc.Suite:
    templates = [f"The {{person}} was {word}." for word in ADJECTIVES]
    return fc.Suite.from_templates(templates, WORDS, attribute="shift", label="positive")


def answered(text: str, prompt: str, refused: Callable[[str], bool], shift: dict[str, float]) -> Any:
    """A model that recognises praise less for night workers by a part that depends on the prompt."""
    if refused(text):
        return chat(REFUSAL, {"I": -0.001, "A": -9.0})
    noise = int.from_bytes(hashlib.sha256((text + prompt).encode()).digest()[:2], "big") / 2**16
    p = 0.7 + 0.1 * (noise - 0.5) - shift[prompt] * any(word in text for word in WORDS["night"])
    return chat("A", {"A": math.log(1 - p), "B": math.log(p)})


def prompted(reply: Callable[[str, str], Any], n_prompts: int) -> Any:
    """The run of a model that answers by the text and the number of the prompt."""

    def answer(body: Any) -> Any:
        number, text = re.match(r"(\d)\. (.*)\nA", question(body)).groups()  # type: ignore[union-attr]
        return reply(text, number)

    prompts = [f"{n}. {{{{text}}}}\n{{{{options}}}}" for n in range(1, n_prompts + 1)]
    with serving(answer) as server:
        labels = {"negative": "negative", "positive": "positive"}
        model = model_at(server.url, prompts=prompts, orders=1, labels=labels)
        return suite().run(model, progress=False, control_words=False, draws=199, checks=(), metrics=["parity_gap"])


def ran(refused: Callable[[str], bool], shifts: tuple[float, ...]) -> Any:
    shift = {str(n): value for n, value in enumerate(shifts, start=1)}
    return prompted(lambda text, number: answered(text, number, refused, shift), len(shifts))


def row_of(result: Any, harm: str, group: str) -> Any:
    found = result.findings
    return found[(found["error"] == harm) & (found["group"] == group)].iloc[0]


def is_refused(text: str) -> bool:
    return any(word in text for word in WORDS["night"]) and hashlib.sha256(text.encode()).digest()[0] < 80


def test_refusals_are_a_finding_and_no_decision() -> None:
    result = ran(is_refused, (0.0, 0.0))
    refused = row_of(result, "refused", "night")
    assert (refused["status"], refused["unit"]) == ("worse", "decisions")
    texts = [text for text in suite().texts() if any(word in text for word in WORDS["night"])]
    assert refused["rate"] == pytest.approx(np.mean([is_refused(text) for text in texts]))
    assert refused["others_rate"] == pytest.approx(0, abs=1e-12)
    n = round(refused["rate"] * len(texts))
    assert n > 0
    assert row_of(result, "called_negative", "night")["texts"] == len(texts) - n
    assert row_of(result, "called_negative", "night")["status"] == "small"
    notes = " ".join(result.info["notes"]["shift"])
    assert f"{n:,} of {len(suite()):,} texts have no answer with a class" in notes
    assert f"{n:,} of {len(suite()):,} texts were refused at least once" in notes
    assert "are refusals" in result.verdict()
    pairs = finding_pairs(result, dict(refused))
    assert len(pairs) == 5
    assert all(map(is_refused, pairs["harmed_text"]))
    assert not any(map(is_refused, pairs["spared_text"]))
    assert set(pairs["harmed_predicted"]) == {"refused"}
    assert (pairs["harmed_p"].tolist(), pairs["spared_p"].tolist()) == ([1.0] * 5, [0.0] * 5)
    page = render(result)
    assert page.count("(100\u00a0% of answers are refusals)") == page.count("(0\u00a0% of answers are refusals)") == 5


def test_a_prompt_that_is_declined_for_one_group_makes_no_other_gap() -> None:
    """Prompt 1 is stricter with all groups alike, and never answered for one: the means of the others would differ."""

    def reply(text: str, number: str) -> Any:
        if number == "1" and any(word in text for word in WORDS["night"]):
            return chat(REFUSAL, {"I": -0.001, "A": -9.0})
        p = 0.5 if number == "1" else 0.8
        return chat("A", {"A": math.log(1 - p), "B": math.log(p)})

    result = prompted(reply, 3)
    refused = row_of(result, "refused", "night")
    assert (refused["status"], round(refused["rate"], 3)) == ("open", 0.333)
    assert refused["low"] <= 0 < refused["high"]  # of other prompts none or all may refuse
    others = result.findings[result.findings["error"] != "refused"]
    assert not others["status"].isin(["worse"]).any()
    notes = " ".join(result.info["notes"]["shift"])
    assert (
        "0 of 156 texts have no answer with a class, and 78 have one from some of the prompts or orders only" in notes
    )
    assert "78 of 156 texts were refused at least once (16.7 % of answers)" in notes
    spread = result.info["findings"]["shift"]["prompt_spread"]
    assert [one["gaps"] for one in spread if one["group"] == "night"] == [[1, 0, 0]]


def test_answers_that_never_name_an_option_end_the_run_early_and_refusals_alone_have_no_metrics() -> None:
    with serving(lambda _body: chat(REFUSAL, {"I": -0.001, "A": -9.0})) as server:
        with pytest.raises(PredictionError, match=r"^none of 156 texts has an answer with a class from each prompt\."):
            suite().run(model_at(server.url, orders=1), progress=False, control_words=False)
        server.bodies.clear()
        server.answer = lambda _body: chat("Sure! Let me think.", {"Sure": -0.01})
        with pytest.raises(ModelError) as caught:
            suite().run(model_at(server.url), progress=False, control_words=False)
        assert len(server.bodies) < 100
    assert str(caught.value) == (
        f"none of the first {len(server.bodies)} answers names an option; one of them is 'Sure! Let me think.'.\n"
        '    Check the labels; or ask with answers="json_schema", other prompts, or more tokens an answer.'
    )


def test_a_gap_that_depends_on_the_prompt_is_not_worse() -> None:
    """The same mean gap of 12 points: with every prompt, or with one of three alone."""
    everywhere = row_of(ran(lambda _text: False, (0.12, 0.12, 0.12)), "called_negative", "night")
    result = ran(lambda _text: False, (0.36, 0.0, 0.0))
    once = row_of(result, "called_negative", "night")
    assert everywhere["gap"] == pytest.approx(0.12, abs=0.02)
    assert once["gap"] == pytest.approx(0.12, abs=0.02)
    assert (everywhere["status"], once["status"]) == ("worse", "open")
    assert once["low"] <= 0 < everywhere["low"]
    spread = next(one for one in result.info["findings"]["shift"]["prompt_spread"] if one["group"] == "night")
    assert spread["gaps"] == pytest.approx([0.36, 0.0, 0.0], abs=0.03)
    assert spread["error"] == pytest.approx(spread["sd"] / math.sqrt(3), abs=1e-5)
    assert spread["low_without"] == pytest.approx(0.0, abs=0.03)

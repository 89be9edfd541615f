"""Objects of other libraries as models: with the real thing where it is installed."""

from typing import Any

import numpy as np
import pytest
from build_models import named
from refusals import refusal

from fairness_checklist import Suite
from fairness_checklist.core.errors import ModelError
from fairness_checklist.models.load import load_model

TEXTS = ["I am sad.", "I am happy.", "So sad, so sad.", "A happy day.", "It is a chair."]


def trained(factory: str, answers: list[Any]) -> Any:
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(0)
    nlp = spacy.blank("en")
    component = nlp.add_pipe(factory)
    for label in answers[0].get("cats", {}):
        component.add_label(label)
    examples = [Example.from_dict(nlp.make_doc(text), answer) for text, answer in zip(TEXTS, answers, strict=False)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_spacy_pipeline_that_classifies() -> None:
    nlp = trained("textcat", [{"cats": {"NEG": float(at % 2 == 0), "POS": float(at % 2)}} for at in range(4)])
    predictions = load_model(nlp).predict(TEXTS[:4])
    assert named(predictions) == ["negative", "positive"] * 2
    cats = [nlp(text).cats for text in TEXTS[:4]]
    assert np.allclose(predictions.probabilities, [[one["NEG"], one["POS"]] for one in cats], atol=1e-6)
    assert refusal(ModelError, load_model(trained("ner", [{"entities": [(0, 1, "PERSON")]}])).predict, TEXTS) == (
        "the spaCy pipeline has the components ner; expected one that classifies texts: textcat or "
        'textcat_multilabel.\n    For entities load it for another task: load_model(nlp, task="ner").'
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_spacy_pipeline_with_labels_that_do_not_exclude_each_other() -> None:
    answers = [{"cats": {"insult": float(at == 2), "toxic": float(at % 2 == 0)}} for at in range(4)]
    nlp = trained("textcat_multilabel", answers)
    predictions = load_model(nlp, task="toxicity").predict(TEXTS[:4])
    cats = [nlp(text).cats for text in TEXTS[:4]]
    toxic = np.array([one["toxic"] for one in cats])
    assert np.allclose(predictions.probabilities, np.column_stack([1 - toxic, toxic]), atol=1e-6)
    assert np.allclose(predictions.scores["insult"], [one["insult"] for one in cats], atol=1e-6)
    assert named(predictions) == ["toxic", "nontoxic"] * 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_spacy_pipeline_that_finds_entities() -> None:
    nlp = trained("ner", [{"entities": [(0, 1, "PERSON")]}, {"entities": [(0, 1, "PERSON")]}])
    predictions = load_model(nlp, task="ner").predict(TEXTS[:2])
    assert [tuple(map(int, one)) for one in zip(predictions.spans.row, predictions.spans.start, strict=True)] == [
        (at, doc.ents[0].start) for at, doc in enumerate(map(nlp, TEXTS[:2])) if doc.ents
    ]
    assert len(predictions.spans)
    with pytest.raises(ModelError, match="has no components, so that it finds nothing"):
        load_model(pytest.importorskip("spacy").blank("en"), task="ner")


def test_vader() -> None:
    vader = pytest.importorskip("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    model = load_model(vader)
    assert named(model.predict(TEXTS)) == ["negative", "positive", "negative", "positive", "neutral"]
    assert model.describe()["name"] == "SentimentIntensityAnalyzer"
    suite = Suite.build("gender", templates=["generic-004"], max_terms=2)
    assert len(suite.run(vader, progress=False, control_words=False).metrics)
    assert refusal(ModelError, load_model, vader, task="toxicity") == (
        "a lexicon with polarity_scores scores sentiment, and the task is toxicity.\n"
        "    Give a model for toxicity, or a function that turns its output into that of one."
    )


class Lexicon:
    """In place of VADER: the boundaries of its README."""

    def polarity_scores(self, text: str) -> dict[str, float]:
        return {"neg": 0.0, "neu": 1.0, "pos": 0.0, "compound": float(text)}


def test_the_thresholds_of_the_compound_score() -> None:
    texts = ["0.05", "0.0499", "0", "-0.0499", "-0.05"]
    found = load_model(Lexicon()).predict([*texts, texts[0]])
    assert named(found)[:5] == ["positive", "neutral", "neutral", "neutral", "negative"]
    assert found.scores["compound"].tolist() == [float(text) for text in [*texts, texts[0]]]


@pytest.mark.filterwarnings("ignore")
def test_presidio() -> None:
    presidio = pytest.importorskip("presidio_analyzer")
    spacy = pytest.importorskip("spacy")
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": "blank"}])
    engine.nlp = {"en": spacy.blank("en")}
    registry = presidio.RecognizerRegistry(supported_languages=["en"])
    deny = presidio.PatternRecognizer(supported_entity="PERSON", deny_list=["Anna"], supported_language="en")
    registry.add_recognizer(deny)
    analyzer = presidio.AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])
    predictions = load_model(analyzer, task="ner").predict(["I met Anna here.", "I met Ida."])
    spans = predictions.spans
    assert predictions.types == ("PER",)
    assert (spans.row.tolist(), spans.start.tolist(), spans.end.tolist()) == ([0], [2], [3])

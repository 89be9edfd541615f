"""Answers of functions, labels of models and terms that are easily mistaken for something else: what is said then."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.metrics.metric_forms import Options
from fairness_checklist.models.tag_labels import match_tags

SUITE = ("PER", "LOC", "ORG", "MISC")


def _always(answer: list[Any], _texts: list[str]) -> list[Any]:
    return answer


@sweep("item", [("PER", 0, 4), ("Anna", "PER"), (0, 4, None)])
def test_items_that_hold_words_are_no_probabilities(item: tuple[Any, ...]) -> None:
    model = fc.load_model(lambda texts: [[item] for _ in texts], task="ner")
    with pytest.raises(fc.errors.PredictionError, match="returned neither tags, nor spans, nor matrices"):
        model.predict(["Anna left."])


def test_rows_of_numbers_of_any_kind_are_probabilities() -> None:
    torch: Any = pytest.importorskip("torch")
    kinds: list[Callable[[list[float]], Any]] = [tuple, np.array, torch.tensor, lambda row: list(torch.tensor(row))]
    for kind in kinds:
        answer = [[kind([0.25, 0.75])] * 3]
        model = fc.load_model(partial(_always, answer), task="ner", classes=["O", "B-PER"])
        output = model.predict(["Anna left."])
        assert output.probabilities is not None
        assert output.probabilities.tolist() == [[0.75, 0.25]] * 3


def test_labels_without_a_prefix_among_those_with_one() -> None:
    names = ["O", "B-PER", "I-PER", "X", "[CLS]"]
    assert refusal(fc.errors.LabelError, match_tags, names, SUITE) == (
        "the tagger's labels X, [CLS] have no prefix, and others have one, as B-PER.\n"
        '    Give their meaning: labels={"X": "O", "[CLS]": "O"}; or, if all are types, scheme="plain".'
    )
    reported = match_tags(names, SUITE, {"X": "O", "[CLS]": "O"})
    assert (reported.types, reported.tags.scheme, reported.outside_label) == (("PER",), "IOB2", 0)
    assert reported.sum_by_type(np.array([[0.25, 0.25, 0.125, 0.25, 0.125]])).tolist() == [[0.375, 0.625]]


def test_names_that_were_taken_for_adjectives() -> None:
    with pytest.raises(fc.errors.SuiteError) as caught:
        fc.Suite.from_templates(["{person} left {country}."], terms={"a": ["Zed"], "b": ["Ben"]}, task="ner")
    assert str(caught.value) == (
        "the template cannot be filled by every group of 'identity'.\n"
        "    template-001: it has no slot that these terms fill (identity).\n"
        '    Plain strings are adjectives here; of names write {"term": "Alex", "pos": "name"}; or "place".'
    )


def test_a_model_that_was_loaded_for_another_kind_of_task() -> None:
    names = {"a": [{"term": "Zed", "pos": "name"}], "b": [{"term": "Ben", "pos": "name"}]}
    tagged = fc.Suite.from_templates(["{person} met [Alex](PER)."], terms=names, task="ner")
    whole = fc.Suite.from_templates(["I met {person}."], terms=names, task="toxicity", label="nontoxic")
    classifier = fc.load_model(lambda texts: [0.25] * len(texts), task="toxicity", name="calm")
    tagger = fc.load_model(lambda texts: [[(0, 3, "PER")] for _ in texts], task="ner", name="finder")
    assert refusal(fc.errors.ModelError, tagged.run, classifier) == (
        "the model calm classifies whole texts, and the task ner is about words.\n"
        '    Load one for it: load_model(..., task="ner").'
    )
    assert refusal(fc.errors.ModelError, whole.predict, tagger) == (
        "the model finder tags words, and the task toxicity is about whole texts.\n"
        '    Load one for it: load_model(..., task="toxicity").'
    )

    class Own:
        """Recognised by its output."""

        name, classes = "own", ("nontoxic", "toxic")

        def predict(self, texts: list[str], *, progress: bool = False) -> Predictions:
            return Predictions.from_probabilities([[0.5, 0.5]] * len(texts), self.classes)

        def describe(self) -> dict[str, object]:
            return {"name": self.name}

    with pytest.raises(fc.errors.ModelError, match="own classifies whole texts, and the task ner is about words"):
        tagged.predict(Own())
    assert len(whole.predict(Own(), control_words=False)) == len(whole)


@sweep(("field", "cell", "stands"), [
    ("flags", "minor", False),
    ("flags", "Thin, Minor", False),
    ("flags", "", True),
    ("note", "minority language signer", True),
    ("note", "minor; of our own", True),
])  # fmt: skip
def test_words_for_minors_are_known_by_their_flag(field: str, cell: str, stands: bool) -> None:
    terms: dict[str, list[dict[str, str]]] = {
        "a": [{"term": "pupil", "pos": "noun", field: cell}, {"term": "grocer", "pos": "noun"}],
        "b": [{"term": "baker", "pos": "noun"}],
    }
    suite = fc.Suite.from_templates(["I met {a:identity_np}."], terms=terms, task="toxicity", label="nontoxic")
    assert ("I met a pupil." in suite.texts()) is stands


def test_a_minor_that_is_named_is_refused_for_toxicity_and_counted_in_no_suite() -> None:
    with pytest.raises(fc.errors.OptionError) as error:
        fc.Suite.build("gender", task="toxicity", terms=["girl", "woman", "man"])
    assert str(error.value) == (
        "the term 'girl' means a minor; such terms are excluded from hostile sentences.\n    Leave it out for "
        "the task toxicity."
    )
    [part] = fc.Suite.build("gender", task="toxicity").parts
    assert sum(part.describe()["groups"].values()) == len(part.examples.terms)


def test_a_tagger_run_by_term_is_shown(tmp_path: Path) -> None:
    suite = fc.Suite.build("names", task="ner", max_terms=2, templates=["ner-0*"])
    result = suite.run("bundled", options=Options(by="term", where="slot"), metrics=["fnr_gap"], progress=False)
    overall = result.findings.eval("rate * texts").sum() / result.findings["texts"].sum()
    shown = " ".join(str(result).split())
    assert " names · 6 of 924 names in 9 sentences · 54 texts missed" in shown
    assert f" {100 * overall:.0f} % of all; female names" in shown
    assert "<html" in result.to_html(tmp_path / "report.html").read_text(encoding="utf-8")

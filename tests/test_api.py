"""`Suite.run`, `Result` and `evaluate`: models of every kind, what comes out, and what is said where it cannot be."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.metrics.metric_forms import Options

CLASSES = ["negative", "neutral", "positive"]
CALM, CROSS = [0.2, 0.2, 0.6], [0.6, 0.1, 0.3]


def unfair(texts: list[str]) -> list[list[float]]:
    """Positive about everyone, but negative where a grandfather is mentioned in a short sentence."""
    return [CROSS if re.search(r"\bgrandfathers?\b", text) and len(text) < 120 else CALM for text in texts]


THIRTY = ["generic-0[0-2]*", "generic-030"]
"""Ten generic templates of each label."""


@pytest.fixture(scope="module")
def suite() -> fc.Suite:
    return fc.Suite.build("gender", groups=["women", "men"], max_terms=2, templates=THIRTY)


@pytest.fixture(scope="module")
def result(suite: fc.Suite) -> fc.Result:
    return suite.run(unfair, classes=CLASSES, progress=False)


def one(frame: pd.DataFrame, **chosen: Any) -> pd.Series:
    """The row of a table with these cells."""
    for name, value in chosen.items():
        frame = frame[frame[name.removesuffix("_")] == value]
    assert len(frame) == 1, frame
    return frame.iloc[0]


def test_a_suite_shows_what_it_holds(suite: fc.Suite) -> None:
    sources = suite.to_frame()["source"].nunique()
    assert repr(suite) == f"<Suite for sentiment: gender: {sources} sources x 4 terms of 2 groups, {len(suite)} texts>"
    assert len(suite) == len(suite.texts()) == len(suite.to_frame())
    assert suite.task == "sentiment"
    assert suite.attributes == ("gender",)
    assert list(suite.examples) == ["gender"]


def test_every_different_text_is_predicted_once(suite: fc.Suite) -> None:
    asked: list[str] = []

    def counting(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return unfair(texts)

    two = fc.Suite.build(["gender", "gender.czarnowska2021"], max_terms=2, templates=["generic"])
    output = two.predict(counting, control_words=False, progress=False, classes=CLASSES)

    assert sorted(asked) == sorted(set(two.texts()))
    assert output["attribute"].value_counts().to_dict() == {name: len(one) for name, one in two.examples.items()}


def test_the_answers_belong_to_their_texts(suite: fc.Suite, result: fc.Result) -> None:
    examples = result.examples

    assert examples["text"].tolist() == suite.texts()
    assert np.array_equal(examples[[f"p:{name}" for name in CLASSES]], unfair(suite.texts()))
    assert set(examples["predicted"]) == {"negative", "positive"}


def test_the_metrics_are_in_the_tables(result: fc.Result) -> None:
    examples = result.examples
    positive = examples[(examples["label"] == "positive") & (examples["group"] != "unmarked")]
    missed = (positive["predicted"] != "positive").groupby(positive["group"]).mean()
    gap = one(result.metrics, metric="fnr_gap", class_="positive", left="men")

    assert gap["value"] == pytest.approx(missed["men"] - missed["women"], abs=1e-12)
    assert gap["value"] > 0.05
    assert gap[["right", "level", "role"]].tolist() == ["everyone_else", "group", "primary"]
    assert gap["n"] == positive["source"].nunique()
    score = one(result.scores, score="false_negative_rate", class_="positive", group="men", term="")
    assert (score["value"], score["n"]) == (pytest.approx(missed["men"]), int((positive["group"] == "men").sum()))


def test_every_metric_that_applies_is_there_and_the_others_have_a_reason(result: fc.Result) -> None:
    left_out = result.info["metrics_left_out"]["gender"]

    assert left_out == {
        "pos_avg_eg": "defined for two classes, and the model has 3",
        "neg_avg_eg": "defined for two classes, and the model has 3",
        "las_difference": "the predictions have no column score:las",
        "fnr_range": "the same number as equal_opportunity_difference",
        "positive_aeg": "the same number as avg_eg",
        "recall_difference": "the same number as tpr_difference",
    }
    assert set(result.metrics["metric"]) | set(left_out) == set(fc.metrics)
    roles = result.metrics.groupby("metric")["role"].first()
    assert {name for name, role in roles.items() if role == "primary"} == {"fnr_gap", "fpr_gap"}


def test_the_checks_count_what_fails(suite: fc.Suite, result: fc.Result) -> None:
    examples = result.examples
    inv, mft = one(result.checks, type="INV"), one(result.checks, type="MFT")
    marked = examples[examples["group"] != "unmarked"]

    assert (inv["cases"], mft["cases"]) == (examples["source"].nunique(), len(marked))
    assert mft["fails"] == int((marked["label"] != marked["predicted"]).sum())
    changes = examples.groupby("source")["predicted"].nunique() > 1
    assert inv["fails"] == int(changes.sum())
    assert inv["fail_rate"] == pytest.approx(100 * inv["fails"] / inv["cases"])
    by_group = result.checks_by_group[result.checks_by_group["test"] == inv["test"]].set_index("group")
    assert by_group["mean_change"]["women"] == pytest.approx(-by_group["mean_change"]["men"])
    assert by_group["mean_change"]["women"] > 0


def test_a_model_of_two_classes_leaves_neutral_out_of_labelled_metrics(suite: fc.Suite) -> None:
    def two(texts: list[str]) -> list[float]:
        return [0.25 if re.search(r"\bgrandfathers?\b", text) else 0.75 for text in texts]

    labels = suite.to_frame().drop_duplicates("source")["label"]
    sources, neutral = len(labels), int((labels == "neutral").sum())
    kept = suite.run(two, progress=False)
    dropped = suite.run(two, progress=False, unlabelled="drop")

    assert kept.info["notes"]["gender"] == [
        "the function gives one number a text: taken as p(positive), the classes are negative, positive",
        f"{neutral} of {sources} sources have a class that the model lacks (neutral): they enter only the metrics that "
        "need no label.",
    ]
    assert kept.info["metrics_left_out"]["gender"]["pos_avg_eg"] == "the same number as avg_eg of the positive class"
    for found, n in ((kept, sources), (dropped, sources - neutral)):
        assert one(found.metrics, metric="cf_gap", class_="positive", left="*")["n"] == n
        assert one(found.metrics, metric="cf_gap_tc", class_="positive", left="*")["n"] == int(
            (labels == "positive").sum()
        )


def test_a_result_is_saved_and_loaded(result: fc.Result, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "run")
    again = fc.Result.load(folder)

    for name in ("findings", "word_findings", "metrics", "scores", "checks", "checks_by_group", "examples"):
        assert_frame_equal(getattr(again, name), getattr(result, name), check_dtype=name in ("metrics", "examples"))
    assert {name: again.info[name] for name in result.info} == json.loads(json.dumps(result.info))
    assert again.verdict() == result.verdict()
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.usefixtures("paged")
def test_a_result_without_text_keeps_hashes(result: fc.Result, tmp_path: Path) -> None:
    again = fc.Result.load(result.save(tmp_path / "run", text=False))

    assert again.examples["text"].str.fullmatch(r"[0-9a-f]{64}").all()
    assert again.info["texts"] == "hashes"
    assert "cashier" not in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert_frame_equal(fc.evaluate(again.examples).metrics, result.metrics)


def test_evaluating_a_run_s_table_gives_the_run(result: fc.Result, tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    result.examples.to_csv(path, index=False)

    for table in (result.examples, path, str(path)):
        again = fc.evaluate(table)
        for name in ("metrics", "scores", "checks", "checks_by_group"):
            assert_frame_equal(getattr(again, name), getattr(result, name))


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"group": ["a", "a", "b", "b"], **columns})


@sweep(("columns", "levels", "left_out"), [
    ({"predicted": ["x", "y", "x", "x"]}, {"group"}, {"fnr_gap", "avg_gf", "cf_gap"}),
    ({"predicted": ["x", "y", "x", "x"], "label": ["x", "y"] * 2}, {"group"}, {"avg_gf", "cf_gap"}),
    ({"p:x": [0.5, 0.25, 1, 0], "p:y": [0.5, 0.75, 0, 1]}, {"group"}, {"fnr_gap", "avg_eg", "cf_gap"}),
    ({"p:x": [0.5, 0.25, 1, 0], "p:y": [0.5, 0.75, 0, 1], "source": ["1", "2"] * 2}, {"group", "counterfactual"},
     {"fnr_gap", "avg_eg", "cf_gap_tc"}),
    ({"score:las": [0.5, 0.25, 1, 0]}, {"group"}, {"fnr_gap", "avg_gf", "cf_gap"}),
])  # fmt: skip
def test_what_a_table_lacks_leaves_metrics_out(
    columns: dict[str, Sequence[Any]], levels: set[str], left_out: set[str]
) -> None:
    found = fc.evaluate(table(**columns), attribute="letter")

    assert set(found.metrics["attribute"]) == {"letter"}
    assert set(found.metrics["level"]) == levels
    assert left_out <= set(found.info["metrics_left_out"]["letter"])
    assert not left_out & set(found.metrics["metric"])


def test_a_loaded_model_takes_no_more_options(suite: fc.Suite) -> None:
    message = refusal(fc.errors.OptionError, suite.run, fc.load_model(unfair), progress=False, labels={"a": "negative"})
    assert message == "the model is loaded already: labels belong to load_model."


@sweep(("frame", "message"), [
    (pd.DataFrame({"predicted": ["x"]}), "the table has no column group.\n    Its columns are predicted."),
    (table(**{"p:x": [0.5] * 4, "p:y": [0.5, 0.5, 0.25, 0.5]}),
     "row 3 of the probabilities does not sum to 1: x=0.5, y=0.25 (1 such rows).\n    Give one probability per "
     "class, which exclude each other. Where each label has a probability by itself (multi-label), give that of one "
     "class and its complement."),
    (table(**{"p:x": [1.0] * 4, "predicted": ["x", "x", "y", "x"]}),
     "row 3 of the column predicted is 'y'; the classes are x.\n    Correct the row, or name all classes."),
])  # fmt: skip
def test_a_table_that_is_wrong_is_refused(frame: pd.DataFrame, message: str) -> None:
    assert refusal(fc.InputError, fc.evaluate, frame) == message


def test_undefined_values_are_reported_or_raised() -> None:
    frame = table(predicted=["x", "y", "y", "y"], label=["x", "y", "y", "y"])
    row = one(fc.evaluate(frame, metrics=["tpr_difference"]).metrics, class_="x", left="a", right="b")

    assert np.isnan(row["value"])
    assert (row["n_undefined"], row["note"]) == (1, "b: no example with gold class x")
    message = refusal(
        fc.errors.UndefinedError, fc.evaluate, frame, metrics=["tpr_difference"], options=Options(undefined="raise")
    )
    assert message == (
        "tpr_difference of a against b, class x, is undefined: b: no example with gold class x.\n"
        '    Use undefined="report" to get NaN with this reason, or add such examples.'
    )


def test_a_primary_metric_without_a_total_is_reported() -> None:
    frame = pd.DataFrame(
        {"group": ["a", "b", "c"] * 4, "label": ["no", "yes"] * 6, "predicted": ["no"] * 7 + ["yes"] * 5}
    )
    found = fc.evaluate(frame, metrics=["tpr_difference"], primary=["tpr_difference"])
    assert "\ngroup · 12 rows\n  No findings: called_negative (the model has no class negative)" in str(found)
    assert "tpr_difference" not in found.tables().split("left out")[0]


def small_suite() -> fc.Suite:
    return fc.Suite.from_templates(["I met {a:identity.writer}."], terms={"deaf": ["deaf"], "hearing": ["hearing"]})


def test_a_run_of_decisions_alone() -> None:
    result = small_suite().run(
        lambda texts: ["positive"] * len(texts), classes=["positive", "negative"], progress=False
    )
    assert set(result.examples["predicted"]) == {"positive"}


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

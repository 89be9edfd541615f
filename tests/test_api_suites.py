"""The frame of a suite, predictions of a suite, and what there is to list."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.metrics.metric_forms import METRICS, Metric
from fairness_checklist.tables.files import write_table

# The frame


def test_the_controls_of_an_intersection_are_rows_of_the_frame_only() -> None:
    suite = fc.Suite.build("gender+age", max_terms=1, templates=["generic-00*"])
    frame = suite.to_frame()
    variants = frame[frame["variant"] == ""]
    assert len(frame) > len(suite) == len(variants)
    assert variants["text"].tolist() == suite.texts()


def test_the_frame_of_a_tagger_s_suite_holds_words_and_tags() -> None:
    frame = fc.Suite.build("nationality", task="ner", max_terms=1).to_frame()
    assert [len(tokens) for tokens in frame["tokens"]] == [len(tags) for tags in frame["tags"]]


@sweep(("task", "ending"), [("sentiment", ".csv"), ("sentiment", ".parquet"), ("ner", ".jsonl")])
def test_predict_and_evaluate_find_what_run_finds(task: str, ending: str, tmp_path: Path) -> None:
    """Cell by cell, with control words and a sample of the terms, also from a file."""
    chosen = {"attribute": "names", "max_terms": 6} if task == "ner" else {"attribute": "religion", "max_terms": 2}
    suite = fc.Suite.build(task=task, templates=["ner-*"] if task == "ner" else ["generic-0[0-2]*"], **chosen)
    options = {"draws": 29, "metrics": ["fnr_gap"]}

    def other(texts: list[str]) -> list[Any]:
        shares = [sum(map(ord, text)) % 89 / 100 for text in texts]
        if task == "ner":
            return [[{"start": 0, "end": 4, "label": "PER"}] if one > 0.5 else [] for one in shares]
        return [{"negative": 0.9 - 0.9 * one, "neutral": 0.1, "positive": 0.9 * one} for one in shares]

    expected = suite.run(other, progress=False, name="m", **options)
    table = suite.predict(other, progress=False, name="m")
    write_table(table, tmp_path / f"p{ending}")
    found = fc.evaluate(tmp_path / f"p{ending}", task=task, **options)

    assert (expected.word_findings["control_words"] > 0).all()
    assert (expected.findings["terms_available"] > expected.findings["terms"]).any()
    for name in ("findings", "word_findings", "metrics"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(expected, name))
    assert len(found.examples) == len(suite)
    assert found.info["model"]["name"] == f"p{ending}"
    without = fc.evaluate(table[table["variant"] == ""], task=task, **options)
    assert (without.word_findings["control_words"] == 0).all()
    assert without.info["notes"][suite.attributes[0]][-1] == (
        "the table has no rows of control words, which build --table writes: "
        "single words are compared with chance alone"
    )


def test_metrics_is_a_mapping_from_ids_to_metrics() -> None:
    assert isinstance(fc.metrics, Mapping)
    assert dict(fc.metrics) == dict(METRICS)
    assert list(fc.metrics.items()) == list(zip(fc.metrics.keys(), fc.metrics.values(), strict=True))
    assert (len(fc.metrics), bool(fc.metrics)) == (len(METRICS), True)
    assert isinstance(fc.metrics["fnr_gap"], Metric)
    assert fc.metrics.get("fnr_gap") is fc.metrics["fnr_gap"]
    assert fc.metrics.get("fnr_gapp") is None
    assert fc.metrics.get("fnr_gapp", fc.metrics["fped"]).name == "fped"
    assert ("fnr_gap" in fc.metrics, "fnr_gapp" in fc.metrics, 3 in fc.metrics) == (True, False, False)
    message = refusal(fc.errors.OptionError, lambda: fc.metrics["fnr_gapp"])
    assert message == "the metric 'fnr_gapp' is not known.\n    Did you mean fnr_gap or tnr_gap or fpr_gap?"


def test_what_there_is_can_be_listed() -> None:
    assert {"gender", "names", "gender.czarnowska2021", "control_words"} <= set(fc.list_attributes())
    assert set(fc.list_attributes(language="es")) < {*fc.list_attributes(), *fc.list_attributes(language="es")}
    for name in fc.list_attributes(language="es")[:2]:
        fc.Suite.build(name, language="es", max_terms=1)
    assert fc.list_models()[:2] == ["bundled/sentiment", "bundled/toxicity"]
    for name in fc.list_models():
        fc.load_model(name)


def test_an_unknown_reference_is_refused_before_a_text_is_scored() -> None:
    asked: list[str] = []
    suite = fc.Suite.build(["gender", "religion"], task="sentiment", max_terms=1, templates=["generic-00*"])
    with pytest.raises(fc.errors.OptionError, match=r"^reference='men': religion has no such group\."):
        suite.run(lambda texts: asked.extend(texts) or [0.5] * len(texts), reference="men", progress=False)
    assert asked == []

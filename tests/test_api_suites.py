"""A suite as a sequence of records, sums of suites, data frames and datasets, and the public names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fairness_checklist as fc
from fairness_checklist.metrics.metric_forms import METRICS, Metric
from fairness_checklist.tables.files import write_table

TERMS = {"deaf": ["deaf"], "hearing": ["hearing"]}
MET, HIRED = "I met {a:identity.writer}.", "I hired {a:identity.writer}."


def of(*templates: Any, **options: Any) -> fc.Suite:
    return fc.Suite.from_templates(list(templates), options.pop("terms", TERMS), **options)


# Records


def test_a_suite_is_a_sequence_of_records() -> None:
    suite = of(MET, HIRED)
    records = list(suite)

    assert len(records) == len(suite) == 6
    assert records == suite.to_frame().to_dict("records")
    assert [suite[at] for at in range(-6, 6)] == records + records
    assert suite[np.int64(1)] == records[1]
    for cut in (slice(None), slice(1, 3), slice(-2, None), slice(None, None, 2), slice(9, 12)):
        assert suite[cut] == records[cut]
    assert records[1]["text"] == "I met a deaf writer."
    assert (records[1]["group"], records[1]["attribute"], records[0]["group"]) == ("deaf", "identity", "unmarked")


def test_records_of_several_attributes_and_of_a_tagger_s_suite() -> None:
    suite = fc.Suite.build(["gender", "age"], max_terms=1, templates=["generic-neg-0*"])
    assert [record["attribute"] for record in suite] == suite.to_frame()["attribute"].tolist()
    assert [record["text"] for record in suite] == suite.texts()
    record = fc.Suite.build("nationality", task="ner", max_terms=1)[0]
    assert len(record["tokens"]) == len(record["tags"])


def test_the_controls_of_an_intersection_are_rows_of_the_frame_only() -> None:
    suite = fc.Suite.build("gender+age", max_terms=1, templates=["generic-neg-0*"])
    frame = suite.to_frame()
    own = frame[frame["variant"] == ""]
    assert len(frame) > len(suite) == len(own) == len(list(suite))
    assert suite[:] == own.drop(columns="variant").to_dict("records")


def test_another_position_is_an_error() -> None:
    for position in (6, -7, 100):
        with pytest.raises(IndexError) as outside:
            of(MET, HIRED)[position]
        assert str(outside.value) == f"there is no text {position}: the suite has 6 texts."
    for index in ("gender", 1.0, (1, 2)):
        with pytest.raises(TypeError) as other:
            of(MET)[index]  # type: ignore[index]
        assert str(other.value) == f"a suite is indexed by the position of a text or by a slice, not by {index!r}."


# Sums


def model(texts: list[str]) -> list[dict[str, float]]:
    first = [len(text) % 7 / 10 for text in texts]
    return [{"negative": p, "neutral": 0.1, "positive": 0.9 - p} for p in first]


def test_suites_of_different_attributes_are_put_side_by_side() -> None:
    parts = [fc.Suite.build(name, max_terms=1, templates=["generic-neg-0*"]) for name in ("gender", "age")]
    both = parts[0] + parts[1]

    assert both == fc.Suite.build(["gender", "age"], max_terms=1, templates=["generic-neg-0*"])
    assert (both.attributes, len(both)) == (("gender", "age"), len(parts[0]) + len(parts[1]))
    assert both.run(model, progress=False, draws=0, name="m").attributes == ("gender", "age")


def test_templates_of_one_attribute_are_joined() -> None:
    assert of(MET) + of(HIRED) == of(MET, HIRED)
    named = [fc.Template("met", MET), fc.Template("hired", HIRED, paraphrase_of="met")]
    assert of(named[0]) + of(*named) == of(*named)
    assert of(MET, HIRED) + of("I saw {a:identity.writer}.", MET) == of(MET, HIRED, "I saw {a:identity.writer}.")
    assert fc.Suite.build("gender", templates=["generic-neg-01"]) + fc.Suite.build(
        "gender", templates=["generic-pos-01"]
    ) == fc.Suite.build("gender", templates=["generic-neg-01", "generic-pos-01"])


def test_made_up_ids_are_counted_on_with_what_refers_to_them() -> None:
    second = of({"template": HIRED}, {"template": "I took on {a:identity.writer}.", "paraphrase_of": "template-001"})
    added = of(MET) + second
    templates = added.parts[0].templates
    assert [(one.id, one.paraphrase_of) for one in templates] == [
        ("template-001", ""),
        ("template-002", ""),
        ("template-003", "template-002"),
    ]
    assert added.texts() == of(MET).texts() + second.texts()


def test_intersections_and_lists_are_joined() -> None:
    first, second, both = (
        fc.Suite.build("gender+age", max_terms=1, templates=names)
        for names in (["generic-neg-01"], ["generic-pos-03"], ["generic-neg-01", "generic-pos-03"])
    )
    assert first + second == both
    cities = {"city": ["Leeds", "Turin"]}
    listed = of("I met {a:identity.writer} in {city}.", lists=cities)
    assert (listed + of(MET)).texts() == listed.texts() + of(MET).texts()


def test_a_sum_can_be_saved(tmp_path: Any) -> None:
    added = of(MET) + of(HIRED)
    assert fc.Suite.load(added.save(tmp_path / "suite")) == added


@pytest.mark.parametrize(("add", "message"), [
    (lambda: of(MET) + of(MET, task="toxicity", attribute="other"),
     "the suites are of different tasks, sentiment and toxicity.\n    Add suites of one task, and run the others "
     "on their own."),
    (lambda: of(MET) + of(HIRED, terms={"deaf": ["deaf"], "blind": ["blind"]}),
     "both suites have the attribute identity, with different terms.\n    Build both with the same terms, or name "
     "one attribute otherwise: attribute=."),
    (lambda: of(MET) + of(MET),
     "both suites have the attribute identity, and the second adds no template to the first.\n    Add a suite of "
     "another attribute, or of other templates."),
    (lambda: of(fc.Template("one", MET)) + of(fc.Template("one", HIRED)),
     "both suites have a template one, with different content.\n    Give one of them another id."),
    (lambda: of(MET + " {city}!", lists={"city": ["Leeds"]}) + of(HIRED + " {city}!", lists={"city": ["Turin"]}),
     "both suites have the attribute identity, with different values for one list.\n    Build both with the same "
     "lists=."),
    (lambda: fc.Suite.from_texts(["A man sold his car."], "gender", terms=["woman", "man"])
     + fc.Suite.from_texts(["A man left."], "gender", terms=["woman", "man"]),
     "both suites have the attribute gender, and a suite of texts has no templates to join.\n    Build one suite "
     "of all texts, or name other attributes."),
], ids=["task", "terms", "same", "id", "lists", "texts"])  # fmt: skip
def test_suites_that_cannot_be_joined(add: Callable[[], fc.Suite], message: str) -> None:
    with pytest.raises(fc.errors.SuiteError) as error:
        add()
    assert str(error.value) == message


# Frames


def test_predict_gives_the_table_that_evaluate_reads() -> None:
    suite = of({"template": MET, "label": "neutral"}, {"template": HIRED, "label": "positive"})
    table = suite.predict(model, placebo=False, progress=False, name="m")
    assert table[suite.to_frame().columns].equals(suite.to_frame())
    assert {"predicted", "p:negative", "p:neutral", "p:positive"} <= set(table.columns)
    result = suite.run(model, progress=False, draws=0, name="m")
    pd.testing.assert_frame_equal(fc.evaluate(table, draws=0).metrics, result.metrics)


@pytest.mark.parametrize(("task", "ending"), [("sentiment", ".csv"), ("sentiment", ".parquet"), ("ner", ".jsonl")])
def test_predict_and_evaluate_find_what_run_finds(task: str, ending: str, tmp_path: Path) -> None:
    """Cell by cell, with placebo and a sample of the terms, also from a file."""
    chosen = {"attribute": "names", "max_terms": 6} if task == "ner" else {"attribute": "religion", "max_terms": 2}
    suite = fc.Suite.build(task=task, templates=["ner-*"] if task == "ner" else ["generic"], **chosen)
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

    assert expected.findings["placebo_percentile"].notna().any()
    assert (expected.findings["n_terms_available"] > expected.findings["n_terms"]).any()
    for name in ("findings", "term_findings", "metrics"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(expected, name))
    assert len(found.examples) == len(suite)
    assert found.info["model"]["name"] == f"p{ending}"
    without = fc.evaluate(table[table["variant"] == ""], task=task, **options)
    assert without.findings["placebo_percentile"].isna().all()
    assert without.info["notes"][suite.attributes[0]][-1] == (
        "the table has no rows of placebo words, which predict writes: findings are compared with chance only, and may "
        "have another status than those of run"
    )


# What there is


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
    with pytest.raises(fc.errors.OptionError) as error:
        fc.metrics["fnr_gapp"]
    assert str(error.value) == "the metric 'fnr_gapp' is not known.\n    Did you mean fnr_gap or tnr_gap or fpr_gap?"


def test_what_there_is_can_be_listed() -> None:
    assert {"gender", "names", "gender.czarnowska2021", "placebo"} <= set(fc.list_attributes())
    assert set(fc.list_attributes(language="es")) < {*fc.list_attributes(), *fc.list_attributes(language="es")}
    for name in fc.list_attributes(language="es")[:2]:
        fc.Suite.build(name, language="es", max_terms=1)
    assert fc.list_models("sentiment") == ["bundled/sentiment-2", "bundled/sentiment-3"]
    for name in fc.list_models("toxicity"):
        fc.load_model(name, task="toxicity")
    with pytest.raises(fc.errors.OptionError) as error:
        fc.list_models("sentimental")
    assert str(error.value) == (
        "the task 'sentimental' is not known.\n    Did you mean sentiment? Known tasks: sentiment, toxicity, ner."
    )


def test_the_limit_on_sources_is_an_option() -> None:
    lists = {"city": ["Rome", "Bonn", "Lima"]}
    template = fc.Template("t", "In {city1}, not in {city2}, I met {a:identity.writer}.", label="neutral")

    def build(most: int) -> fc.Suite:
        return fc.Suite.build("gender", templates=[template], max_terms=1, lists=lists, max_sources=most)

    def from_templates(most: int) -> fc.Suite:
        return of(template, lists=lists, max_sources=most)

    for make in (build, from_templates):
        with pytest.raises(fc.errors.SuiteError, match=r"max_sources="):
            make(5)
    assert len(from_templates(6).parts[0].examples.sources) == 6
    assert len(build(100_000).parts[0].examples.sources) > 6
    with pytest.raises(fc.errors.OptionError, match=r"max_sources=0"):
        from_templates(0)

"""`Result.influence`, `Result.stability` and `Result.mechanisms`: tables of a run."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairness_checklist as fc
from fairness_checklist.content.templates import Template
from fairness_checklist.extensions.analyses.stability import INFLUENCE_COLUMNS
from fairness_checklist.metrics.metric_forms import Options

THREE = ["negative", "neutral", "positive"]

TEMPLATES = [
    Template(f"t{at}", text, label, paraphrase_of=of)
    for at, (text, label, of) in enumerate(
        [
            ("I like {a:identity.writer}.", "positive", ""),
            ("I am fond of {a:identity.writer}.", "positive", "t0"),
            ("I hate {a:identity.writer}.", "negative", ""),
            ("I cannot stand {a:identity.writer}.", "negative", "t2"),
            ("I saw {a:identity.writer}.", "neutral", ""),
            ("I noticed {a:identity.writer}.", "neutral", "t4"),
        ]
    )
]
TERMS = {
    "deaf": ["deaf", "hearing-impaired", "Deaf-first"],
    "hearing": ["hearing", "not deaf"],
    "blind": ["blind", "sightless"],
}


def model(texts: list[str]) -> list[list[float]]:
    """Right about all but "hearing-impaired", whatever is said about it."""
    rows = []
    for text in texts:
        label = 0 if re.search("hate|stand", text) else 2 if re.search("like|fond", text) else 1
        output = 0 if "hearing-impaired" in text else label
        rows.append([0.8 if k == output else 0.1 for k in range(3)])
    return rows


@pytest.fixture(scope="module")
def result() -> fc.Result:
    suite = fc.Suite.from_templates(TEMPLATES, terms=TERMS, attribute="hearing")
    return suite.run(model, classes=THREE, progress=False)


def test_what_a_value_rests_on_comes_first(result: fc.Result) -> None:
    found = result.influence("fnr_gap", label="positive")
    first = found.iloc[0]

    assert tuple(found.columns) == INFLUENCE_COLUMNS
    assert set(found["class"]) == {"positive"}
    assert set(found["kind"]) == {"template", "term"}
    assert first[["kind", "name", "group", "left"]].tolist() == ["term", "hearing-impaired", "deaf", "deaf"]
    assert first[["value", "value_without", "change"]].tolist() == pytest.approx([1 / 3, 0.0, -1 / 3])
    assert found["change"].abs().is_monotonic_decreasing


def test_the_values_of_the_table_are_those_of_the_run(result: fc.Result) -> None:
    found = result.influence("avg_if").drop_duplicates(["class", "left", "right"])
    run = result.metrics[result.metrics["metric"] == "avg_if"]
    both = found.merge(run, on=["class", "left", "right"], suffixes=("", "_run"))

    assert len(both) == len(run)
    np.testing.assert_allclose(both["value"], both["value_run"], rtol=0, atol=1e-12)


def test_what_is_undefined_without_a_template_comes_first(result: fc.Result) -> None:
    one = fc.Suite.from_templates(TEMPLATES[:1], terms=TERMS, attribute="hearing")
    found = one.run(model, classes=THREE, progress=False, metrics=["fnr_gap"]).influence("fnr_gap")

    assert found.iloc[0]["name"] == "t0"
    assert np.isnan(found.iloc[0]["change"])


def test_stability_explains_what_is_unstable(result: fc.Result) -> None:
    found = result.stability("fnr_gap", splits=10)
    table = found.table.set_index(["class", "left"])

    assert table.loc[("positive", "deaf"), "unstable"] == "rests on the term 'hearing-impaired'"
    assert table.loc[("positive", "deaf"), "agreement"] == 1
    assert table.loc[("positive", "deaf"), "families"] == 1
    assert table.loc[("negative", "deaf"), "unstable"] == ""
    assert found.split_half["class"].tolist() == ["negative", "neutral", "positive"]
    assert found.split_half["correlation"].tolist()[1:] == pytest.approx([1.0, 1.0])
    assert str(found) == (
        "fnr_gap (hearing): 6 of 6 values (0.01 or more from equal treatment) are unstable. In 3 reworded templates, "
        "originals and rewordings have the same sign in 100 % of 6 comparisons. The split-half rank "
        "correlation of the groups is 1.000 (1.000 for all sources) for neutral and 1.000 (1.000 for all sources) "
        "for positive; their ranking is about these words."
    )


def test_a_metric_without_a_direction_gives_the_reason(result: fc.Result) -> None:
    assert result.stability("pert_sr").sentence == (
        "pert_sr (hearing): the one value (0.01 or more from equal treatment) is unstable. Rewordings are not "
        "compared: "
        "it compares all groups at once and has no direction. There is no split-half correlation: it compares all "
        "groups at once and has no value a group."
    )


def test_nothing_far_from_equal_treatment_is_no_finding() -> None:
    suite = fc.Suite.from_templates(TEMPLATES[::2], terms=TERMS, attribute="hearing")
    found = suite.run(
        lambda texts: [[0.5, 0.25, 0.25]] * len(texts),
        classes=THREE,
        progress=False,
        metrics=["fnr_gap"],
    )

    assert found.stability("fnr_gap").sentence == (
        "fnr_gap (hearing): no value is 0.01 or more from equal treatment. Rewordings are not compared: no template is "
        "reworded. There is no split-half correlation: in every half all groups tie."
    )


def test_the_options_of_the_run_are_those_of_the_table(result: fc.Result) -> None:
    suite = fc.Suite.from_templates(TEMPLATES, terms=TERMS, attribute="hearing")
    other = suite.run(model, classes=THREE, progress=False, metrics=["fnr_gap"], options=Options(background="everyone"))
    found = other.influence("fnr_gap")

    assert set(found["right"]) == {"everyone"}
    assert set(result.influence("fnr_gap")["right"]) == {"everyone_else"}


def test_groupings_that_are_not_kept_cannot_be_analysed() -> None:
    suite = fc.Suite.from_templates(TEMPLATES, terms=TERMS, attribute="hearing")
    rows = np.array([[s, 0, 0, 0] for s in range(len(TEMPLATES))])
    other = suite.run(model, classes=THREE, progress=False, metrics=["cf_gap"], options=Options(groupings=rows))

    with pytest.raises(fc.OptionError) as error:
        other.influence("cf_gap")
    assert str(error.value) == (
        "cf_gap was computed from groupings that the run does not keep.\n"
        "    Run it again without groupings=, or with max_groupings=."
    )


def test_mechanisms_accompany_each_term(result: fc.Result, tmp_path: Path) -> None:
    text = tmp_path / "training.txt"
    text.write_text("Deaf people and blind people.\nA hearing person, not deaf.\n", encoding="utf-8")
    found = result.mechanisms(fc.load_model("bundled", task="sentiment"), text)
    by_term = found.terms.set_index("term")

    assert list(found.terms.columns) == [
        "group",
        "term",
        "words",
        "subwords",
        "unknown",
        "frequency",
        "n",
        "errors",
        "p_gold",
    ]
    assert by_term.loc["not deaf", "words"] == 2
    assert by_term.loc["deaf", "frequency"] == pytest.approx(2e6 / 10)
    assert by_term.loc["not deaf", "frequency"] == pytest.approx(1e6 / 10)
    assert by_term["errors"].round(9).tolist() == [0, round(4 / 6, 9), 0, 0, 0, 0, 0]
    assert by_term.loc["hearing-impaired", "p_gold"] == pytest.approx((2 * 0.8 + 4 * 0.1) / 6)
    assert (by_term["subwords"] >= by_term["words"]).all()
    assert found.notes == ()
    for _, row in found.correlations.iterrows():
        pair = found.terms[[row["mechanism"], row["value"]]]
        if pair.nunique().min() > 1:
            expected = stats.spearmanr(pair.iloc[:, 0], pair.iloc[:, 1]).statistic
            assert row["correlation"] == pytest.approx(expected)
        else:
            assert np.isnan(row["correlation"])
        assert row["n"] == 7


def test_what_is_not_known_is_reported(result: fc.Result) -> None:
    bare, with_callable = result.mechanisms(), result.mechanisms(model, ["deaf"])

    assert bare.notes == ("No model was given: no sub-words.", "No training text was given: no frequencies.")
    assert bare.terms[["subwords", "unknown", "frequency"]].isna().all(axis=None)
    assert with_callable.notes == ("function has no tokenizer to look at: no sub-words.",)
    assert with_callable.terms["frequency"].tolist() == [1e6, 0, 0, 0, 0, 0, 0]
    assert str(bare).endswith("\n\n".join(bare.notes))


def test_mechanisms_need_terms_and_a_text_that_is_there(result: fc.Result, tmp_path: Path) -> None:
    frame = pd.DataFrame({"group": ["a", "b"], "label": ["positive"] * 2, "predicted": ["positive"] * 2})
    with pytest.raises(fc.OptionError) as error:
        fc.evaluate(frame).mechanisms()
    assert str(error.value) == (
        "mechanisms are about identity terms, and no row of group names one.\n    Add a column term to the table."
    )
    with pytest.raises(fc.OptionError) as error:
        result.mechanisms(text=tmp_path / "none.txt")
    assert str(error.value) == (
        f"there is no training text {tmp_path / 'none.txt'}.\n    Give the path of a text file, or its lines."
    )

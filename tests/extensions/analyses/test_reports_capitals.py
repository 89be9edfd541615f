"""`Result.capitals` and `exclude_terms`: where it is known what they find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairness_checklist as fc
from fairness_checklist.content.templates import Template
from fairness_checklist.core.errors import OptionError
from fairness_checklist.extensions.analyses.capitals import CAPITALS_COLUMNS
from fairness_checklist.extensions.analyses.page import capitals_grids
from fairness_checklist.metrics.metric_forms import METRICS, Metric, Options
from fairness_checklist.reports.html import render
from fairness_checklist.reports.run_view import attribute_view

THREE = ["negative", "neutral", "positive"]

TEMPLATES = [
    Template("met", "I met {a:identity.writer} at noon.", "neutral"),
    Template("met-2", "At noon I met {a:identity.writer}.", "neutral", paraphrase_of="met"),
    Template("like", "I like {a:identity.writer}.", "positive"),
    Template("hate", "I hate {a:identity.writer}.", "negative"),
    Template("first", "{Identity_pl} came by.", "neutral"),
]
TERMS = {"black": ["Black", "black"], "white": ["White", "white", "pale"]}
CHANGE = {"met ": 0.1, "like": 0.2, "hate": 0.3}


def by_letter(texts: list[str]) -> list[list[float]]:
    """Negative gets 0.2 and, with "black" and not "Black", what the sentence adds; decided at 0.45."""
    rows = []
    for text in texts:
        negative = 0.2 + sum(more for word, more in CHANGE.items() if word in text and " black " in text)
        rows.append([negative, 0.45, 0.55 - negative])
    return rows


def run_of(terms: Any, model: Any = by_letter, attribute: str = "race") -> fc.Result:
    suite = fc.Suite.from_templates(TEMPLATES, terms=terms, attribute=attribute)
    return suite.run(model, classes=THREE, progress=False, draws=0)


@pytest.fixture(scope="module")
def lettered() -> fc.Result:
    return run_of(TERMS)


def test_the_change_of_each_pair_and_class_is_reported(lettered: fc.Result) -> None:
    found = lettered.capitals()

    assert tuple(found.columns) == CAPITALS_COLUMNS
    assert found[["group", "capital", "small", "class"]].to_numpy().tolist() == [
        [group, group.title(), group, label] for group in TERMS for label in ("negative", "neutral", "positive")
    ]
    assert found["change"].round(9).tolist() == [0.175, 0, -0.175, 0, 0, 0]
    assert found["decisions"].tolist() == [1, 1, 1, 0, 0, 0]


def test_sentences_that_begin_with_the_term_read_alike_and_do_not_count(lettered: fc.Result) -> None:
    assert {"Black people came by."} == set(lettered.examples.query("source == 'first' and group == 'black'")["text"])
    assert lettered.capitals()["n"].tolist() == [4] * 6


def test_the_interval_is_students_over_families_of_paraphrases(lettered: fc.Result) -> None:
    row = lettered.capitals().iloc[0]
    off = np.array([0.1 + 0.1, 0.2, 0.3]) - np.array([2, 1, 1]) * 0.175
    reach = stats.t.ppf(0.975, 2) * np.sqrt((off**2).sum() / 16 * 3 / 2)

    assert row[["ci_low", "ci_high"]].tolist() == pytest.approx([0.175 - reach, 0.175 + reach])


def test_a_lower_probability_and_one_family_alone() -> None:
    def model(texts: list[str]) -> list[list[float]]:
        return [[0.3, 0.5, 0.2] if " deaf " in text else [0.4, 0.5, 0.1] for text in texts]

    suite = fc.Suite.from_templates(TEMPLATES[:2], terms={"deaf": ["Deaf", "deaf"], "other": ["hearing"]})
    found = suite.run(model, classes=THREE, progress=False, draws=0)

    assert found.capitals()["change"].round(9).tolist() == [-0.1, 0, 0.1]
    assert found.capitals()["decisions"].tolist() == [0, 0, 0]
    assert found.capitals()[["ci_low", "ci_high"]].isna().all(axis=None)


def test_decisions_without_probabilities(tmp_path: Path) -> None:
    rows = [("a", "Deaf", 1, "x"), ("a", "deaf", 1, "y"), ("a", "Deaf", 2, "x"), ("a", "deaf", 2, "x")]
    rows += [("b", "hearing", 1, "x"), ("b", "hearing", 2, "x")]
    table = pd.DataFrame(rows, columns=["group", "term", "source", "predicted"]).assign(label="x")
    found = fc.evaluate(table, draws=0)

    assert found.capitals()[["class", "decisions", "n"]].to_numpy().tolist() == [["*", 1, 2]]
    hidden = fc.Result.load(found.save(tmp_path / "run", text=False))
    pd.testing.assert_frame_equal(hidden.capitals(), found.capitals())
    [grid] = capitals_grids(found, attribute_view(found, "group"))
    assert grid.rows == (("a", "Deaf", "deaf", "*", "-", "", "1", "2"),)


def test_terms_of_two_groups_are_no_pair() -> None:
    found = run_of({"a": ["Deaf", "blind"], "b": ["deaf"]})

    assert not len(found.capitals())
    assert capitals_grids(found, attribute_view(found, "race")) == []
    assert "Small letter less capital" not in render(found)


def test_tables_without_sources_or_terms_have_no_pairs() -> None:
    table = pd.DataFrame({"group": ["a", "a", "b"], "label": "x", "predicted": ["x", "y", "x"]})

    assert not len(fc.evaluate(table, draws=0).capitals())
    assert not len(fc.evaluate(table.assign(term=["Deaf", "deaf", "hearing"]), draws=0).capitals())


def test_taggers_are_left_out() -> None:
    words = [(group, term, ["I", "saw", term, "."]) for group, term in (("a", "Ana"), ("a", "ana"), ("b", "Bo"))]
    table = pd.DataFrame(words, columns=["group", "term", "tokens"]).assign(source="1")
    for name in ("tags", "predicted"):
        table[name] = [["O", "O", "B-PER", "O"]] * 3
    found = fc.evaluate(table, task="ner", draws=0)

    assert not len(found.capitals())


def test_the_table_is_on_the_page_and_in_the_terminal(lettered: fc.Result, tmp_path: Path) -> None:
    page = render(lettered)
    hidden = fc.Result.load(lettered.save(tmp_path / "run", text=False))

    assert "Small letter less capital: change of the probability" in page
    assert "black  Black    black  negative  +0.175  -0.084 to +0.434          1  4" in lettered.tables()
    pd.testing.assert_frame_equal(hidden.capitals(), lettered.capitals())


def test_an_attribute_is_chosen(lettered: fc.Result) -> None:
    assert len(lettered.capitals("race")) == 6
    with pytest.raises(OptionError) as reported:
        lettered.capitals("rac")
    assert str(reported.value) == "the run has no attribute 'rac'.\n    Did you mean race?"


def test_the_shipped_pairs_are_found() -> None:
    suite = fc.Suite.build("race_ethnicity", groups=["Black people", "White people"], templates=["generic"])
    found = suite.run(lambda texts: [[0.2, 0.3, 0.5]] * len(texts), classes=THREE, progress=False, draws=0).capitals()

    assert set(found["capital"]) == {"Black", "White"}
    assert (found["n"] >= 90).all()


# Without some terms

COUNTRIES = """term,group,pos,status,adjective,source,flags,note
Georgia,first,place,accepted,Georgian,our own,ambiguous,also a state
Armenia,first,place,accepted,Armenian,our own,,
Peru,second,place,accepted,Peruvian,our own,,
Jordan,second,place,accepted,Jordanian,our own,ambiguous,also a first name
Cuba,second,place,accepted,Cuban,our own,,
"""
LABELS = {"like": 2, "hate": 0}


def by_country(texts: list[str]) -> list[list[float]]:
    """Right, but for what is said of Georgians, and, if it is good, of Cubans."""
    rows = []
    for text in texts:
        output = next((at for word, at in LABELS.items() if word in text), 1)
        if "Georgian" in text or ("Cuban" in text and output == 2):
            output = 0 if output else 1
        rows.append([0.8 if k == output else 0.1 for k in range(3)])
    return rows


@pytest.fixture
def countries(tmp_path: Path) -> Path:
    path = tmp_path / "lands.csv"
    path.write_text(COUNTRIES, encoding="utf-8")
    return path


def lands(path: Path, draws: int = 0, **more: Any) -> fc.Result:
    suite = fc.Suite.from_templates(TEMPLATES[:4], terms=path, attribute="lands")
    return suite.run(by_country, classes=THREE, progress=False, draws=draws, **more)


def test_a_run_without_terms_is_the_run_of_a_suite_without_them(countries: Path, tmp_path: Path) -> None:
    fewer = tmp_path / "fewer" / "lands.csv"
    fewer.parent.mkdir()
    fewer.write_text("\n".join(line for line in COUNTRIES.splitlines() if "ambiguous" not in line), encoding="utf-8")
    found, expected = (lands(path, draws=50, placebo=False) for path in (countries, fewer))
    found = found.exclude_terms()

    for name in ("metrics", "scores", "checks", "checks_by_group", "examples"):
        pd.testing.assert_frame_equal(getattr(found, name), getattr(expected, name))
    assert found.info["options"] == expected.info["options"]
    assert found.info["without"] == {"lands": ["Georgia", "Jordan"]}
    assert found.info["notes"]["lands"][-1] == "without the terms Georgia and Jordan"
    kept, whole = found.info["suite"][0], expected.info["suite"][0]
    assert kept == {name: value for name, value in whole.items() if name != "terms_sha256"}
    pd.testing.assert_frame_equal(found.findings, expected.findings)
    assert found.info["findings"] == expected.info["findings"]
    assert found.verdict() == expected.verdict()


def test_named_terms_draws_and_options_are_kept(countries: Path, tmp_path: Path) -> None:
    whole = lands(
        countries,
        draws=20,
        metrics=["fnr_gap", "cf_gap"],
        primary=["cf_gap"],
        options=Options(denominator="all_sources"),
    )
    found = fc.Result.load(whole.save(tmp_path / "run", text=False)).exclude_terms("Cuba", draws=0)

    assert set(found.metrics["metric"]) == {"fnr_gap", "cf_gap"}
    assert set(found.metrics.query("role == 'primary'")["metric"]) == {"cf_gap"}
    assert "denominator=all_sources" in set(found.metrics["options"])
    assert found.metrics["p_value"].isna().all()
    assert found.info["options"]["draws"] == 0
    assert found.info["suite"][0]["groups"] == {"first": 2, "second": 2}
    assert found.info["suite"][0]["ambiguous"] == ["Georgia", "Jordan"]
    assert found.info["notes"]["lands"][-1] == "without the term Cuba"
    assert fc.Result.load(found.save(tmp_path / "again")).info["without"] == {"lands": ["Cuba"]}


def test_other_attributes_stay_as_they_are(countries: Path) -> None:
    both = pd.concat([lands(countries).examples, run_of(TERMS).examples], ignore_index=True)
    whole = fc.evaluate(both, draws=0)
    found = whole.exclude_terms(["black"])

    assert found.attributes == ("lands", "race")
    assert found.info["without"] == {"race": ["black"]}
    for name in ("metrics", "scores", "checks_by_group", "examples"):
        before, after = (table[table["attribute"] == "lands"] for table in (getattr(whole, name), getattr(found, name)))
        pd.testing.assert_frame_equal(before, after)
    assert not len(found.capitals().query("small == 'black'"))
    assert len(found.metrics) == len(whole.metrics)


def test_a_tagger_without_terms() -> None:
    suite = fc.Suite.build("nationality.region", task="ner", max_terms=2, templates=["ner-01", "ner-02", "ner-03"])
    found = suite.run(lambda texts: [[] for _ in texts], progress=False, draws=0)
    gone = found.examples["term"].iloc[-1]
    left = found.exclude_terms(gone)

    assert gone not in set(left.examples["term"])
    assert len(left.metrics) == len(found.metrics)


def test_an_intersection_without_a_term_of_one_attribute() -> None:
    suite = fc.Suite.build("gender+age", groups=["women", "men", "older adults", "young adults"], max_terms=2)
    found = suite.run(
        lambda texts: [[0.2, 0.3, 0.5]] * len(texts),
        classes=THREE,
        progress=False,
        draws=0,
        metrics=["fnr_gap"],
    )
    gone = found.examples["first"].iloc[-1]
    left = found.exclude_terms(gone)

    assert gone not in set(left.examples["first"])
    assert left.info["without"] == {"gender+age": [gone]}
    assert left.interactions()["pairs"].sum() < found.interactions()["pairs"].sum()


def test_a_metric_that_is_not_registered_is_noted(countries: Path) -> None:
    line = METRICS["fnr_gap"]
    own = Metric("own_gap", line.family, line.level, line.score, line.compare, line.background)
    found = lands(countries, metrics=[own, "fnr_gap"], primary=["fnr_gap"]).exclude_terms()

    assert set(found.metrics["metric"]) == {"fnr_gap"}
    assert found.info["notes"]["lands"][-1] == "not computed again: own_gap"


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ("Gorgia", "the run has no term 'Gorgia'.\n    Did you mean Georgia?"),
        ("xyz", "the run has no term 'xyz'.\n    The column term of the examples has all of them."),
        ([], "terms=[] leaves nothing out.\n    Name one term at least."),
        (
            ["Georgia", "Armenia"],
            "metrics compare groups, and lands has second only.\n    Take two groups at least.",
        ),
    ],
)
def test_what_cannot_be_left_out(countries: Path, terms: Any, message: str) -> None:
    with pytest.raises(OptionError) as reported:
        lands(countries).exclude_terms(terms)
    assert str(reported.value) == message


def test_runs_without_ambiguous_terms_and_given_groupings(lettered: fc.Result, countries: Path) -> None:
    with pytest.raises(OptionError) as reported:
        lettered.exclude_terms()
    assert str(reported.value) == (
        "no term of the run is noted as ambiguous.\n"
        "    Name the terms to leave out as in the column term of the examples."
    )
    given = lettered.metrics.assign(options="groupings=given")
    with pytest.raises(OptionError) as reported:
        fc.Result(**{**vars(lettered), "metrics": given}).exclude_terms("pale")
    assert str(reported.value) == (
        "metrics were computed from groupings that the run does not keep.\n"
        "    Run it again without groupings=, or with max_groupings=."
    )

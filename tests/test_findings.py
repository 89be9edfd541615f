"""Findings of runs and tables: every number can be counted, each status has its reason, and names mean nothing."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from build_findings import DAY, NIGHT, SHIFTS, found_in, scored, tagged
from scipy import stats
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.outcomes import Outcomes
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.core.tasks import parse_harm
from fairness_checklist.findings.records import find
from fairness_checklist.findings.words import prediction_bound
from fairness_checklist.tables.run_folder import FINDING_COLUMNS, TERM_SEPARATOR, WORD_FINDING_COLUMNS
from fairness_checklist.tables.tokens import split_any

REJECTED = "called:rejected"
CONTROL = [f"{a}{b}" for a in ("bird", "chess", "tea") for b in ("fan", "club", "lover", "guild")]
COUNTED = ["probability", "others_probability", "rate", "others_rate"]


def moved(table: pd.DataFrame, terms: Mapping[str, float]) -> pd.DataFrame:
    """The table with other probabilities of "rejected" for some terms."""
    table = table.copy()
    more = table["term"].map(terms).fillna(0.0)
    table["p:rejected"] = (table["p:rejected"] + more).clip(0, 1)
    return table.assign(**{"p:hired": 1 - table["p:rejected"]})


def statuses(table: pd.DataFrame, **options: Any) -> dict[str, tuple[str, str]]:
    found = found_in(table, **options).findings
    return {row["group"]: (row["status"], row["reason_code"]) for row in found.to_dict("records")}


def holes(table: pd.DataFrame, seed: int, share: float = 0.3) -> pd.DataFrame:
    return table[np.random.default_rng(seed).random(len(table)) > share].reset_index(drop=True)


def outcomes_of(table: pd.DataFrame) -> Outcomes:
    [(examples, predictions)] = split_any(table, classes=("hired", "rejected"))
    return reduce_to_outcomes(examples, predictions)


@cache
def result() -> fc.Result:
    return found_in(scored(0.12))


def test_one_record_a_group_and_error_and_one_a_word() -> None:
    found, words = result().findings, result().word_findings
    assert tuple(found.columns) == FINDING_COLUMNS
    assert tuple(words.columns) == WORD_FINDING_COLUMNS
    shown = ["group", "reference", "error", "status", "reason_code", "unit", "texts", "sentences", "lexemes"]
    assert found[shown].to_numpy().tolist() == [
        ["night", "others", REJECTED, "worse", "", "probability", 180, 30, 6],
        ["day", "others", REJECTED, "better", "", "probability", 180, 30, 6],
    ]
    assert found["attribute"].unique().tolist() == ["shift"]
    assert found["title"].unique().tolist() == ["called rejected without being so"]
    night = found.iloc[0]
    assert 0 < night["low"] < night["gap"] < night["high_alone"] < night["high"]
    assert night["gap"] == pytest.approx(0.12, abs=0.03)
    assert night["adjusted_gap"] == night["gap"]
    assert len(night["examples"].split("; ")) == 5
    assert sorted(words["word"]) == sorted(NIGHT + DAY)


def assert_counted(found: fc.Result, label: str, wanted: str) -> None:
    """Each figure of each record is a mean over rows of the examples, and the gap the difference of two."""
    rows = found.examples[found.examples["label"] != label]
    rows = rows[rows["group"].notna() & (rows["group"] != "")]
    error, decided = rows[f"p:{wanted}"], rows["predicted"] == wanted
    for column, table in (("group", found.findings), ("word", found.word_findings)):
        assert len(table) > 1
        for row in table.to_dict("records"):
            group = rows["group"] == row["group"]
            own = group if column == "group" else rows["term"].isin(row["word"].split(TERM_SEPARATOR)) & group
            counted = [values[side].mean() for values in (error, decided) for side in (own, ~group)]
            assert [row[name] for name in COUNTED] == pytest.approx(counted, abs=1e-6), row
            assert row["gap"] == pytest.approx(counted[0] - counted[1], abs=1e-6)
            assert row["texts"] == own.sum()


def test_every_number_of_a_table_is_a_groupby() -> None:
    assert_counted(result(), "rejected", "rejected")
    unbalanced = {"night": [*NIGHT, "guards", "nurses"], "day": DAY, "both": ["cook", "maid"]}
    assert_counted(found_in(scored(0.05, unbalanced)), "rejected", "rejected")


@sweep("seed", range(3))
def test_every_number_of_a_table_with_holes_is_a_groupby(seed: int) -> None:
    """Where sentences differ a little, the gap stays the counted one."""
    table = holes(scored(0.05, {"night": NIGHT, "day": DAY, "both": ["cook", "maid"]}), seed)
    found = found_in(table)
    assert "standardised" not in found.info["findings"]["shift"]
    assert_counted(found, "rejected", "rejected")


def called(texts: list[str]) -> np.ndarray[Any, Any]:
    """Sentiment by the letters of a text."""
    score = np.array([[(len(text) * k + sum(map(ord, text))) % 97 / 97 for k in (1, 2, 3)] for text in texts])
    return np.asarray(np.exp(2 * score) / np.exp(2 * score).sum(axis=1, keepdims=True))


def test_every_number_of_a_suite_with_its_control_words_is_a_groupby() -> None:
    suite = fc.Suite.build("gender", task="sentiment", templates=["generic"], max_sources=24)
    run = suite.run(called, classes=["negative", "neutral", "positive"], metrics=["parity_gap"], checks=())
    rows = run.examples
    ours = rows[rows["variant"] != "control word"] if "variant" in rows else rows
    for error, label in (("called_negative", "negative"), ("praise_not_recognised", "positive")):
        kept = ours[(ours["label"] == "positive") if label == "positive" else (ours["label"] != label)]
        figure = kept["p:negative"] if label == "negative" else 1 - kept["p:positive"]
        for row in run.findings[run.findings["error"] == error].to_dict("records"):
            own, rest = kept["group"] == row["group"], ~kept["group"].isin([row["group"], "", "unmarked"])
            assert row["probability"] == pytest.approx(figure[own].mean(), abs=1e-6)
            assert row["others_probability"] == pytest.approx(figure[rest].mean(), abs=1e-6)
            assert row["gap"] == pytest.approx(row["probability"] - row["others_probability"], abs=1e-9)
    assert run.info["findings"]["gender"]["control_words"]["words"] >= 10
    assert (run.word_findings["control_words"] >= 10).all()


def test_where_groups_stand_in_other_sentences_the_gap_is_that_of_the_same_ones() -> None:
    """Half of the sentences have one group alone, and are called rejected more often."""
    table = scored(0.05, sources=40)
    number = table["source"].str[1:].astype(int)
    table = table[(number < 20) | (table["group"] == "night")]
    late = table["source"].str[1:].astype(int) >= 20
    table.loc[late, "p:rejected"] = (table.loc[late, "p:rejected"] + 0.4).clip(0, 1)
    table["p:hired"] = 1 - table["p:rejected"]
    found = found_in(table)
    night = found.findings.set_index("group").loc["night"]
    assert night["gap"] == pytest.approx(0.05, abs=0.03)
    assert night["others_probability"] == pytest.approx(night["probability"] - night["gap"])
    assert found.info["findings"]["shift"]["standardised"] == [REJECTED]


MANY = {group: [f"{group}{chr(97 + k)}{chr(97 + k % 7)}ing" for k in range(20)] for group in ("day", "eve")}
WIDE = dict(zip(NIGHT, (-0.3, -0.2, -0.1, 0.2, 0.3, 0.4), strict=True))
APART = dict(zip([*NIGHT[:3], *DAY], (0.2, 0.0, 0.12, -0.1, -0.1, -0.05, 0.05, 0.1, 0.1), strict=True))
REASONS: dict[str, pd.DataFrame] = {
    "few sentences": scored(0.12, sources=9),
    "few words": moved(scored(0.0, {"night": NIGHT[:3], "day": DAY}), APART),
    "words differ": moved(scored(0.0), WIDE),
    "carried by one word": moved(scored(0.0, {"night": NIGHT[:2], **MANY}, sources=12, noise=0.02), {"nurse": 0.4}),
}


@pytest.mark.parametrize("reason", REASONS)
def test_each_open_comparison_has_its_reason(reason: str) -> None:
    assert statuses(REASONS[reason])["night"] == ("open", reason)


def test_what_cannot_be_decided_without_a_second_word_or_by_noisy_rows_has_its_reason_too() -> None:
    lone = scored(0.2, {"night": NIGHT[:1], "day": DAY[:1], "eve": ["cook"]})
    assert set(statuses(lone).values()) == {("open", "few words")}
    noisy = scored(0.0, sources=12, noise=0.4).drop(columns=["term"])
    assert set(statuses(noisy).values()) == {("open", "few sentences")}


def test_groups_that_share_no_sentence_and_no_word_cannot_be_compared() -> None:
    """Two groups in each of two parts of the sentences: parts may differ as well as groups."""
    table = scored(0.12, {"night": NIGHT[:4], "day": DAY[:4], "eve": CONTROL[:4], "noon": CONTROL[4:8]})
    table = table[(table["source"].str[1:].astype(int) < 15) == table["group"].isin(["night", "day"])]
    found = found_in(table).findings
    assert set(found["reason_code"]) == {"no shared sentences"}
    assert found["gap"].isna().all()


def test_what_carries_a_gap_is_named_with_all_its_terms_and_left_out_whole() -> None:
    table = scored(0.1, {"night": ["guard", "guards", *NIGHT[2:]], "day": DAY}, noise=0.02)
    table = moved(table, {"guard": 0.03, "guards": 0.05})
    table["lexeme"] = table["term"].replace("guards", "guard")
    found = found_in(table)
    night = found.findings.iloc[0]
    assert night[["group", "status", "carried_by"]].tolist() == ["night", "worse", "guards / guard"]
    rows = found.examples[found.examples["group"] == "night"]
    rest = rows.loc[~rows["term"].isin(["guard", "guards"]), "p:rejected"].mean()
    assert night["gap_without"] == pytest.approx(rest - night["others_probability"], abs=1e-6)
    less = found_in(table[~table["term"].isin(["guard", "guards"])]).findings.iloc[0]
    assert night["gap_without"] == pytest.approx(less["gap"], abs=1e-6)


def test_tables_without_terms_or_sources_are_decided_by_their_rows() -> None:
    for table in (scored(0.12).drop(columns=["term"]), scored(0.12).drop(columns=["source", "term"])):
        found = found_in(table)
        assert found.findings[["group", "status", "terms", "lexemes", "carried_by"]].to_numpy().tolist() == [
            ["night", "worse", 0, 0, ""],
            ["day", "better", 0, 0, ""],
        ]
        assert found.word_findings.empty
    assert found.findings["sentences"].tolist() == [180, 180]
    assert set(statuses(scored(0.0, sources=60, noise=0.05).drop(columns=["term"])).values()) == {("small", "")}


def test_without_probabilities_or_if_asked_gaps_are_of_decisions() -> None:
    decided = scored(0.12)
    decided["predicted"] = np.where(decided["p:rejected"] > 0.5, "rejected", "hired")
    plain = found_in(decided.drop(columns=["p:hired", "p:rejected"]))
    asked = found_in(decided, unit="decisions")
    for found in (plain, asked):
        night = found.findings.iloc[0]
        assert night[["group", "unit", "status"]].tolist() == ["night", "decisions", "worse"]
        assert night["gap"] == pytest.approx(night["rate"] - night["others_rate"])
        assert np.isnan(night["probability"])
    assert plain.findings["gap"].tolist() == pytest.approx(asked.findings["gap"].tolist())


def test_a_tagger_is_compared_by_the_entities_that_it_misses() -> None:
    found = fc.evaluate(tagged(0.5), task="ner", metrics=["fnr_gap"]).findings
    female = found.set_index("group").loc["female"]
    assert female[["error", "unit", "status"]].tolist() == ["entity_missed", "decisions", "worse"]
    assert female["others_rate"] == 0.0
    assert female["gap"] == pytest.approx(female["rate"])
    assert female["rate"] == pytest.approx(0.5, abs=0.1)
    small = fc.evaluate(tagged(0.0), task="ner", metrics=["fnr_gap"]).findings
    assert set(small["status"]) <= {"small", "open"}
    assert (small["high"] > 0).all()  # no error in 180 names is not certainty


def test_with_a_reference_all_are_compared_with_it() -> None:
    groups = {"night": NIGHT, "day": DAY, "eve": ["cook", "maid", "host", "vet", "dean", "smith"]}
    found = found_in(scored(0.12, groups), reference="day").findings.set_index("group")
    assert set(found.index) == {"night", "eve"}
    assert set(found["reference"]) == {"day"}
    rows = scored(0.12, groups).groupby("group")["p:rejected"].mean()
    assert found.loc["night", "gap"] == pytest.approx(rows["night"] - rows["day"], abs=1e-6)
    assert found["status"].to_dict() == {"night": "worse", "eve": "small"}
    with pytest.raises(fc.errors.OptionError, match="has no such group") as error:
        found_in(scored(0.12), reference="nigt")
    assert "night" in str(error.value)


def test_the_margin_decides_what_is_small() -> None:
    table = scored(0.02, noise=0.03)
    assert statuses(table)["night"] == ("small", "")
    assert statuses(table, margin=0.01)["night"] == ("worse", "")


def test_errors_that_concern_nothing_or_are_the_same_figure_are_left_out_with_a_code() -> None:
    both = found_in(scored(0.12), harm=[REJECTED, "missed:hired", "called:blue"])
    assert both.findings["error"].tolist() == [REJECTED] * 2
    left_out = both.info["findings"]["shift"]["left_out"]
    assert left_out == {"missed:hired": "same figures", "called:blue": "no class"}
    one = find(outcomes_of(scored(0.1, {"night": NIGHT})), [parse_harm(REJECTED)])
    assert (one.info, len(one.groups)) == ({"left_out": {"*": "one group"}}, 0)


def test_worse_records_come_first_and_inside_of_a_status_the_largest_gap() -> None:
    table = moved(
        scored(0.0, {"a": NIGHT, "b": DAY, "c": ["cook", "maid", "host", "vet", "dean"], "d": ["x1", "y2", "z3"]}),
        {**dict.fromkeys(NIGHT, 0.15), **dict.fromkeys(DAY, 0.3), "x1": 0.3, "y2": -0.3},
    )
    found = found_in(table, margin=0.03).findings
    assert found["status"].tolist() == sorted(found["status"], key=["worse", "better", "small", "open"].index)
    assert found.loc[found["status"] == "worse", "group"].tolist()[0] == "b"


def test_order_of_rows_and_names_mean_nothing() -> None:
    table = holes(scored(0.06, {"night": NIGHT, "day": DAY, "both": ["cook", "maid"]}), 4).drop(columns="text")
    numbers = [name for name in FINDING_COLUMNS if result().findings[name].dtype == float]
    first = found_in(table).findings.set_index("group")
    shuffled = found_in(table.sample(frac=1, random_state=1)).findings.set_index("group").loc[first.index]
    named = {"night": "aa", "day": "zz", "both": "mm"}
    other = table.assign(group=table["group"].map(named), term="word " + table["term"], source="x" + table["source"])
    renamed = found_in(other).findings.set_index("group").loc[[named[group] for group in first.index]]
    weighted = found_in(table.assign(weight=2.0)).findings.set_index("group").loc[first.index]
    for again in (shuffled, renamed, weighted):
        np.testing.assert_allclose(again[numbers].to_numpy(), first[numbers].to_numpy(), atol=1e-6)
        assert again["status"].tolist() == first["status"].tolist()


def test_a_word_is_beyond_control_words_where_it_passes_all_and_not_by_chance_where_it_passes_their_bound() -> None:
    table = moved(scored(0.0), {"guard": 0.3, "teacher": 0.05})
    controls = scored(0.0, {"a": CONTROL[:6], "b": CONTROL[6:]}, seed=9, noise=0.12)
    found = find(outcomes_of(table), [parse_harm(REJECTED)], controls=outcomes_of(controls))
    mean = controls.groupby("term")["p:rejected"].mean()
    beside = mean - (mean.sum() - mean) / 11
    assert found.words["control_words"].tolist() == [12] * 12
    assert found.words["largest_control"].unique() == pytest.approx([beside.max()])
    k, s = 12, beside.std(ddof=1)
    bound = beside.mean() + s * np.sqrt(1 + 1 / k) * stats.t.ppf(0.95 ** (1 / 12), k - 1)
    assert found.words["control_bound"].unique() == pytest.approx([bound])
    for row in found.words.to_dict("records"):
        beyond, passed = row["gap"] > beside.max(), row["gap"] > bound
        wanted = "not by chance" if passed and beyond else "beyond control words" if beyond else ""
        assert row["said"] == wanted
        assert np.isnan(row["low"])
    assert found.words.iloc[0][["word", "said"]].tolist() == ["guard", "not by chance"]
    groups = controls.groupby("group")["p:rejected"].mean()
    assert found.info["control_words"]["differ"] == {REJECTED: pytest.approx(abs(groups["a"] - groups["b"]), abs=1e-6)}
    few = find(outcomes_of(table), [parse_harm(REJECTED)], controls=outcomes_of(controls[controls["group"] == "a"]))
    assert few.words["control_words"].tolist() == [0] * 12


def test_nothing_is_said_of_a_word_for_the_sentences_that_it_stands_in() -> None:
    controls = outcomes_of(scored(0.0, {"a": CONTROL[:6], "b": CONTROL[6:]}, seed=9))
    table = scored(0.0, noise=0.01)
    table["p:rejected"] += np.where(table["source"].isin(table["source"].unique()[:20]), 0.4, 0.0)
    table["p:hired"] = 1 - table["p:rejected"]
    hard = table["source"].isin(table["source"].unique()[:20])
    rare = moved(scored(0.0), {"guard": 0.4})
    first = rare["source"] == rare["source"].iloc[0]
    for rows in (table[hard | (table["term"] != "guard")], rare[first | (rare["term"] != "guard")]):
        words = find(outcomes_of(rows.reset_index(drop=True)), [parse_harm(REJECTED)], controls=controls).words
        guard = words.set_index("word").loc["guard"]
        assert guard["gap"] > guard["control_bound"]
        assert guard["said"] == ""


def test_without_control_words_simultaneous_bounds_over_sentences_say_it() -> None:
    table = moved(scored(0.0), {"guard": 0.3})
    words = found_in(table).word_findings.set_index("word")
    assert words.loc["guard", "said"] == "not by chance"
    assert (words["said"] == "").sum() >= 10
    assert ((words["low"] > 0) == (words["said"] != "")).all()
    wide = table.pivot_table(index="source", columns="term", values="p:rejected")
    difference = wide["guard"] - wide[list(DAY)].mean(axis=1)
    reach = stats.t.ppf(1 - 0.05 / 12, 29) * difference.std(ddof=1) / np.sqrt(30)
    assert words.loc["guard", "low"] == pytest.approx(difference.mean() - reach, rel=1e-6)


def test_the_prediction_bound_is_passed_by_the_largest_of_further_words_in_five_of_a_hundred_runs() -> None:
    random = np.random.default_rng(0)
    passed = [random.normal(size=20).max() > prediction_bound(random.normal(size=30), 20) for _ in range(2000)]
    assert np.mean(passed) == pytest.approx(0.05, abs=0.03)


def test_a_run_without_enough_groups_or_of_equal_figures_makes_no_claims() -> None:
    flat = scored(0.0, SHIFTS, noise=0.0)
    assert set(statuses(flat).values()) == {("small", "")}
    assert found_in(flat).findings["gap"].tolist() == pytest.approx([0.0, 0.0])

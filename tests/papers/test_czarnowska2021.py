"""The core paper: its printed numbers, the rules of its statements, both definitions, and the script as a whole."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from czarnowska2021 import reproduce
from czarnowska2021_numbers import TOTAL, Numbers, measured, paper_data, published
from czarnowska2021_rules import ATTRIBUTES, RULES, judged, statements
from czarnowska2021_run import SUITES, reassigned
from golden import cases, read_case
from paper import Figure, HeatMap, ReproduceOptions, Series, main, save_figure
from sweep import sweep

from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.suites.build import SuiteChoice, build_part

GROUPS = {"age": 3, "disability": 13, "gender": 8, "nationality": 6, "race": 6, "religion": 10, "sexuality": 5}
"""Table 3 of the paper."""
MODELS = """
def deaf_to_praise(texts):
    return [0.2 if "deaf" in text.lower() else 0.7 for text in texts]

def blind(texts):
    return [{"negative": 0.2, "neutral": 0.3, "positive": 0.5} for _ in texts]
"""


def test_the_printed_numbers_agree_with_each_other() -> None:
    """FNED and FPED are |T| times, Disparity Score is (|T| - 1) / 2 times, the correctly normalised version."""
    paper, seen = published(), 0
    for model in ("SemEval-2", "SemEval-3"):
        for attribute, size in GROUPS.items():
            for name, times in (("fned", size), ("fped", size), ("disparity_score", (size - 1) / 2)):
                whole, small = (paper.value(model, attribute, f"{name}{end}") for end in ("", "_normalised"))
                assert whole == pytest.approx(small * times, abs=0.0005 * times + 0.0006), (model, attribute, name)
                seen += 1
        for attribute in ("gender", "names"):  # AvgEG of two groups is of opposite signs, and so on
            gaps = paper.by_group(model, attribute, "avg_eg")
            assert len(gaps) == {"gender": 8, "names": 2}[attribute]
    assert seen == 42
    totals = [published(totals=of).value("SemEval-3", "gender", "fned") for of in ("figure_1", "figure_2")]
    assert totals == [0.487, 0.615]  # the paper prints both
    assert sum(paper.by_group("SemEval-3", "gender", "fned").values()) == pytest.approx(0.615, abs=0.002)
    assert sum(paper.by_group("SemEval-2", "gender", "fned").values()) == pytest.approx(0.407, abs=0.002)
    assert sum(paper.by_group("CoNLL 2003", "nationality", "fned").values()) == pytest.approx(0.296, abs=0.002)


@sweep("rule", RULES)
def test_each_statement_is_seen_in_the_papers_own_numbers(rule: str) -> None:
    seen, why = judged(rule, published())
    assert seen is True, why


def test_numbers_without_any_pattern_show_no_statement() -> None:
    """With every value and every p-value the same, a rule says no, or that it lacks figures."""
    paper = published()
    flat = Numbers(paper.kinds, dict.fromkeys(paper.values, 0.01), dict.fromkeys(paper.p_values, 0.5))
    said = {rule: judged(rule, flat)[0] for rule in RULES}
    assert not any(said.values()), said


def test_rules_on_sixths_are_read_both_ways_and_a_failed_precondition_decides_nothing() -> None:
    paper = published()
    by_says = {one.statement.says: one.statement for one in statements(paper, paper, [])}
    because = by_says["The tagger does far worse on the countries of the highest GDP than on others."].because
    assert (
        "its released files put the lowest GDP in 1q, and read so it is not seen (CoNLL 2003: TPR Gap: 6q 0.174, "
        "1q 0.065; FNR Ratio of 1q 0.365 (not seen))."
    ) in because
    rates = {("SemEval-2", "names", "fnr", group): rate for group, rate in (("female", 0.31), ("male", 0.12))}
    assert judged("ratio_amplifies", Numbers(paper.kinds, {**paper.values, **rates}, {})) == (
        None,
        "SemEval-2: the false negative rates are not low: female 0.310, male 0.120 (not testable)",
    )
    alone = Numbers({"SemEval-2": "two-class"}, paper.values, {})
    assert judged("similar_trends", alone) == (None, "SemEval-2: one model alone (not testable)")
    ordered = {key: float(len(key[1])) for key in paper.values}  # all metrics agree on the attributes
    assert judged("metrics_disagree", Numbers(paper.kinds, ordered, {}))[0] is False
    better = {key: 0.4 if key[2] == "fnr_ratio" else value for key, value in paper.values.items()}
    assert judged("richest_apart", Numbers(paper.kinds, better, {}))[0] is False  # apart, but missed less often


def test_every_rule_belongs_to_a_statement_and_the_others_say_why() -> None:
    paper, none = published(), Numbers({}, {}, {})
    judgements = statements(paper, none, [paper, none, paper])
    found = [one.statement for one in judgements]
    assert sum(one.verdict == "seen here" for one in found) == len(RULES) == 21
    assert all(one.says and one.place.startswith("section ") and one.because for one in found)
    assert len({one.says for one in found}) == len(found) == 40
    assert sum(one.differs for one in judgements) == sum(one.by_chance for one in judgements) == len(RULES)
    low = "SemEval-2: nationality 0.074, religion 0.251; SemEval-3: nationality 0.211, age 0.438."
    assert found[3].because == (
        f"{low} In the paper: {low} Rule: nationality has the smallest mean over the rows of Figure 1, each scaled by "
        "its largest value. With terms assigned to groups at random: seen in 2 of 3. With the released code's "
        "definitions: not testable."
    )
    assert not any(one.by_chance for one in statements(paper, paper, [none, paper]))


@sweep(
    "case", [case for case in cases("counterfactual_binary") if not case.get("sampled") and "edge" not in case["name"]]
)
def test_the_column_of_the_released_code_is_what_that_code_computes(case: dict[str, Any]) -> None:
    outcomes = reduce_to_outcomes(*read_case(case), unlabelled="drop")
    ours = measured(outcomes, released=True, seed=0)
    theirs = {
        "cf_gap": "cfgap",
        "cf_gap_tc": "cfgap_only_target_class",
        "avg_if": "average_individual_fairness",
        "avg_if_tc": "average_individual_fairness_only_target_class",
        "pert_ss": "perturbation_score_sensitivity",
        "pert_sd": "perturb_score_deviation",
        "pert_sr": "perturb_score_range",
    }
    for name, released in theirs.items():
        figures = case["expected"][released]
        expected = figures.get("1", figures.get("all", {})).get("accumulated")
        if isinstance(expected, float):
            assert ours[name, TOTAL] == pytest.approx(expected, abs=1e-9), name
    assert ("cf_gap_tc", TOTAL) in ours


def test_a_random_assignment_keeps_sizes_sentences_and_the_terms_of_a_row_together() -> None:
    suite = build_part("gender.czarnowska2021", task="sentiment", choice=SuiteChoice(templates=["generic"]))
    predictions = Predictions.from_probabilities([[0.5, 0.5]] * len(suite.examples), ("negative", "positive"))
    outcomes = reduce_to_outcomes(suite.examples, predictions)
    drawn = reassigned(outcomes, (0, 3))
    of_groups = outcomes.group < len(outcomes.groups)
    assert np.bincount(drawn.term_group).tolist() == np.bincount(outcomes.term_group).tolist()
    assert (drawn.group[of_groups] == drawn.term_group[outcomes.term[of_groups]]).all()
    assert (drawn.group[~of_groups] == outcomes.group[~of_groups]).all()
    assert (drawn.group != outcomes.group).any()
    assert (reassigned(outcomes, (0, 3)).group == drawn.group).all()
    assert (reassigned(outcomes, (0, 4)).group != drawn.group).any()


def test_figures_are_drawn(tmp_path: Path) -> None:
    table = pd.DataFrame([[0.1, -0.2, float("nan"), 9.0]], index=["<a>"], columns=["m/x", "m/y", "n/z", "all"])
    heat = HeatMap(name="H", caption="c", table=table, uncoloured=[False, False, False, True])
    series = [
        Series(name="points", x=[0, 1], y=[0.2, float("nan")]),
        Series(name="intervals", x=[0, 1], y=[0.1, 0.3], low=[0.0, 0.2], high=[0.2, 0.4]),
        Series(name="line", x=[0, 1], y=[0.0, 1.0], kind="line"),
        Series(name="bars", x=[0, 1], y=[1, 2], kind="bars"),
    ]
    drawn = Figure(name="F", caption="c", x_name="x", y_name="y", series=series, names=["a", "b"], level=0.5)
    for figure in (heat, drawn):
        save_figure(figure, tmp_path / "figure.svg")
        assert (tmp_path / "figure.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")


def script(*arguments: object) -> int:
    options = ("models", "taggers", "data", "max_terms", "max_templates", "labels")
    return main(reproduce, *options, arguments=list(map(str, arguments)))


def test_own_models_give_tables_figures_and_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One model fails at a term of disability, the other does not read the texts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("czarnowska2021_run.CHANCE", 2)
    monkeypatch.setattr("paper.save_figure", lambda _figure, path: path.touch())  # drawn in the test above
    (tmp_path / "own.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / "dev.txt").write_text(
        "ID\tTweet\tAffect Dimension\tIntensity Class\n"
        '1\tsay "yes\tvalence\t3: very positive emotional state can be inferred\n'
        "2\tI am deaf to it\tvalence\t-2: moderately negative\n"
        "3\tI see\tvalence\t0: neutral\n4\tno\tvalence\t-1: slightly\n",
        encoding="utf-8",
    )
    code = script(
        "--model", "own.py:deaf_to_praise", "-m", "own.py:blind", "--max-terms", 2, "--max-templates", 12,
        "--data", "dev.txt", "--out", "made",
    )  # fmt: skip
    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert len(lines) <= 15
    assert re.fullmatch(
        r"Of \d+ statements of sections 5 to 7 that can be tested, \d+ patterns are there\. \d+ of these (is|are) not "
        r"there when terms are assigned to groups at random: only these say something about groups\. The other \d+ are "
        r"there in more than 1 of 2 random assignments\. \d+ statements cannot be tested\.",
        lines[0],
    )
    record = json.loads((tmp_path / "made" / "reproduction.json").read_text(encoding="utf-8"))
    figures = [f"figure_1_{of}" for of in ("ours_exact", "ours_released_code", "paper")]
    figures += [
        f"figure_2_{of}" for of in ("own_py_deaf_to_praise", "own_py_blind", "paper_semeval_2", "paper_semeval_3")
    ]
    tables = ("figure_1", "figure_2", "table_5", "table_6", "table_7")
    assert {path.name for path in (tmp_path / "made").iterdir()} == {
        "reproduction.json", *(f"{name}.svg" for name in figures), *(f"{name}.csv" for name in tables),
    }  # fmt: skip
    verdicts = {one["says"]: one for one in record["statements"]}
    most = verdicts["Disability is the attribute that is affected most."]
    assert most["verdict"] == "not seen"
    assert most["because"].startswith("own.py:deaf_to_praise: disability 1.000, ")
    assert re.search(r"own\.py:blind: .* \(not seen\)\.", most["because"])
    assert verdicts["Nationality is the attribute that is affected least."]["verdict"] == "not seen"
    assert verdicts[
        "AvgEG shows that the tagger gives LOC a lower probability for the countries of the two highest sixths."
    ]["because"].startswith("No tagger")
    assert "No tagger was named." in record["unavailable"]
    assert record["settings"]["age"].startswith("12 of 114 templates, 6 of 22 terms in 3 groups, ")

    figure = pd.read_csv(tmp_path / "made" / "figure_1.csv")
    assert len(figure) == 18 * 7 * 2
    by_group = pd.read_csv(tmp_path / "made" / "figure_2.csv").query("group == 'accumulated' and metric == 'FNED'")
    assert by_group["paper"].tolist() == [0.407, 0.003, 0.615, 0.054]
    assert figure.query("metric == 'FNED' and attribute == 'gender'")["paper"].tolist() == [0.407, 0.487]
    kept = figure[~figure["metric"].str.startswith("Disparity")]  # F1 depends on how many texts a class has
    ours = kept.set_index(["metric", "attribute", "model"])["ours, exact"]
    assert ours.xs("own.py:blind", level="model").fillna(0).abs().max() < 1e-6
    of_deaf = ours.xs("own.py:deaf_to_praise", level="model").unstack()
    assert (of_deaf["disability"] > 0).all()
    assert of_deaf.drop(columns="disability").abs().max().max() < 1e-6
    accuracy = pd.read_csv(tmp_path / "made" / "table_5.csv")
    assert accuracy[["texts", "paper", "ours"]].to_numpy().tolist() == [[3, 0.9, pytest.approx(2 / 3)], [4, 0.73, 0.25]]

    assert script("-m", "own.py:blind", "--max-terms", 1, "--max-templates", 1, "--out", "made") == 2
    assert capsys.readouterr().err == (
        "OptionError: the folder made is not empty.\n    Name another folder, or delete it first.\n"
    )


def test_a_tagger_alone_gives_figure_3() -> None:
    made = reproduce(ReproduceOptions(taggers=["bundled/ner"], max_terms=2, max_templates=4))
    assert [table.name for table in made.tables] == ["Figure 3"]
    assert [figure.name for figure in made.figures] == ["Figure 3, bundled/ner", "Figure 3, paper, CoNLL 2003"]
    table = made.tables[0].table
    assert set(table["group"]) == set(paper_data()["figure_3"]["nationality"]["columns"])
    counterfactual = table[table["metric"].isin(["CFGap (P, TC)", "PertSD (P, all)"])]
    assert counterfactual["group"].tolist() == [TOTAL, TOTAL]
    assert counterfactual["ours, exact"].gt(0).all()
    assert table["ours, exact"].notna().mean() > 0.9
    assert {one.verdict for one in made.statements if one.because.startswith("No two-class")} == {"not testable"}


def test_the_attributes_are_those_of_the_paper() -> None:
    for attribute, size in GROUPS.items():
        suite, groups = SUITES[attribute]
        part = build_part(suite, task="sentiment")
        assert len(groups or part.terms.groups) == size, attribute
        assert set(groups or ()) <= set(part.terms.groups)
    assert set(GROUPS) == set(ATTRIBUTES)

"""The core paper: its printed numbers, the rules of its statements, both definitions, and the verb as a whole."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from chromium import BROWSER, chromium
from command_line import Call
from golden import cases, read_case
from sweep import sweep

from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.predictions import Predictions
from fairness_checklist.core.predictions_to_outcomes import reduce_to_outcomes
from fairness_checklist.extensions.reproduce.czarnowska2021_numbers import (
    MEASURES,
    TOTAL,
    Numbers,
    measured,
    paper_data,
    published,
)
from fairness_checklist.extensions.reproduce.czarnowska2021_rules import ATTRIBUTES, RULES, judged, statements
from fairness_checklist.extensions.reproduce.czarnowska2021_run import SUITES, reassigned
from fairness_checklist.extensions.reproduce.heat import HeatRow, heat_svg
from fairness_checklist.extensions.reproduce.papers import PAPERS, reproduce
from fairness_checklist.extensions.reproduce.reproduction import PaperTable, ReproduceOptions
from fairness_checklist.extensions.reproduce.tables_as_text import latex_of
from fairness_checklist.suites import SuiteChoice, build_part

GROUPS = {"age": 3, "disability": 13, "gender": 8, "nationality": 6, "race": 6, "religion": 10, "sexuality": 5}
"""Table 3 of the paper."""
MODELS = """
def deaf_to_praise(texts):
    return [0.2 if "deaf" in text.lower() else 0.7 for text in texts]

def blind(texts):
    return [{"negative": 0.2, "neutral": 0.3, "positive": 0.5} for _ in texts]
"""


# The paper's numbers


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


# The rules


@pytest.mark.parametrize("rule", RULES)
def test_each_statement_is_seen_in_the_papers_own_numbers(rule: str) -> None:
    seen, why = judged(rule, published())
    assert seen is True, why


def test_numbers_without_any_pattern_show_no_statement() -> None:
    """With every value and every p-value the same, a rule says no, or that it lacks figures."""
    paper = published()
    flat = Numbers(paper.kinds, dict.fromkeys(paper.values, 0.01), dict.fromkeys(paper.p_values, 0.5))
    said = {rule: judged(rule, flat)[0] for rule in RULES}
    assert not any(said.values()), said


def test_the_other_attribute_is_named_where_a_statement_is_not_seen() -> None:
    paper = published()
    swap = {"disability": "religion", "religion": "disability"}
    values = {(key[0], swap.get(key[1], key[1]), *key[2:]): value for key, value in paper.values.items()}
    seen, why = judged("disability_most", Numbers(paper.kinds, values, paper.p_values))
    assert (seen, why.partition(";")[0]) == (False, "SemEval-2: religion 0.833, disability 0.251 (not seen)")
    only_tagger = Numbers({"t": "tagger"}, {}, {})
    assert judged("disability_most", only_tagger) == (
        None,
        "No two-class model or three-class model with these figures was measured",
    )


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


# Both definitions


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


def test_only_the_named_measures_differ_between_the_definitions() -> None:
    differ = {name for name, one in MEASURES.items() if one.options(True, 0) != one.options(False, 0)}
    assert differ == {
        "cf_gap_tc", "avg_if_tc", "cf_gap", "pert_ss", "pert_sr", "pert_sd", "avg_gf_tc", "avg_gf_tc_negative",
    }  # fmt: skip
    assert MEASURES["cf_gap_tc"].options(True, 7).stamp() == (
        "denominator=all_sources; weight=groupings; max_groupings=100; seed=7"
    )


# Drawn and written


def test_a_figure_has_a_colour_scale_a_row_and_shows_what_is_below_0() -> None:
    rows = [HeatRow("a <b>", [0.1, -0.2, float("nan"), 9.0]), HeatRow("c", [1.0, 4.0, 2.0, 0.0])]
    columns = [("m&m", "x"), ("m&m", "y"), ("n", "z"), ("n", TOTAL)]
    drawn = ElementTree.fromstring(heat_svg(rows, columns, 'say "it"', [False, False, False, True]))
    cells = [(one.get("class"), one.get("fill-opacity")) for one in drawn if one.tag == "rect"]
    assert cells[:4] == [("above", "0.25"), ("below", "0.50"), ("above", "0.00"), ("above", "0.00")]
    assert cells[4:] == [("even", "0.12"), ("even", "0.50"), ("even", "0.25"), ("even", "0.00")]
    texts = [one.text for one in drawn if one.tag == "text"]
    assert texts == [
        "m&m",
        "n",
        "x",
        "y",
        "z",
        TOTAL,
        "a <b>",
        "0.100",
        "-0.200",
        "–",
        "9.000",
        "c",
        "1.000",
        "4.000",
        "2.000",
        "0.000",
    ]
    assert drawn.get("aria-label") == 'say "it"'


def test_latex_has_a_row_a_line_and_no_command_of_a_name() -> None:
    wide = PaperTable(name="W", caption="c", table=pd.DataFrame({"a": ["x"], "b": ["word " * 9], "c": ["z" * 41]}))
    lines = latex_of(wide, "").splitlines()
    assert lines[2:4] == [r"\begingroup\footnotesize", r"\begin{longtable}{lp{0.3\textwidth}p{0.3\textwidth}}"]
    assert lines[-1] == r"\endgroup"
    table = PaperTable(
        name="T", caption="5 % of a_b.", table=pd.DataFrame({"paper p": [-0.25], "of": ["x\\y & {z}~^"]})
    )
    assert latex_of(table, "Somebody 2020").splitlines() == [
        r"% needs \usepackage{booktabs,longtable}",
        "% T. Somebody 2020",
        r"\begin{longtable}{lr}",
        r"\caption{5 \% of a\_b.}\\",
        r"\toprule",
        r"of & paper p \\",
        r"\midrule\endfirsthead",
        r"\toprule",
        r"of & paper p \\",
        r"\midrule\endhead",
        r"\bottomrule\endlastfoot",
        r"x\textbackslash{}y \& \{z\}\textasciitilde{}\textasciicircum{} & $-$0.250 \\",
        r"\end{longtable}",
    ]


# The whole


def test_own_models_give_a_page_tables_latex_and_verdicts(call: Call, tmp_path: Path) -> None:
    """One model fails at a term of disability, the other does not read the texts."""
    (tmp_path / "own.py").write_text(MODELS, encoding="utf-8")
    (tmp_path / "dev.txt").write_text(
        "ID\tTweet\tAffect Dimension\tIntensity Class\n"
        '1\tsay "yes\tvalence\t3: very positive emotional state can be inferred\n'
        "2\tI am deaf to it\tvalence\t-2: moderately negative\n"
        "3\tI see\tvalence\t0: neutral\n4\tno\tvalence\t-1: slightly\n",
        encoding="utf-8",
    )
    said = call(
        "reproduce", "czarnowska2021", "--model", "own.py:deaf_to_praise", "-m", "own.py:blind", "--max-terms", 2,
        "--max-templates", 12, "--data", "dev.txt", "--out", "made",
    )  # fmt: skip
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert len(lines) <= 15
    assert re.fullmatch(
        r"Of \d+ statements of sections 5 to 7 that can be tested, \d+ patterns are there\. \d+ of these (is|are) not "
        r"there when terms are assigned to groups at random: only these say something about groups\. The other \d+ are "
        r"there in more than 5 of 10 random assignments\. \d+ statements cannot be tested\.",
        lines[0],
    )
    record = json.loads((tmp_path / "made" / "reproduce.json").read_text(encoding="utf-8"))
    names = {"figure_1", "figure_2", "statements", "table_5", "table_6", "table_7"}
    assert set(record["files"]) == {f"{n}.{end}" for n in names for end in ("csv", "tex")} | {
        "reproduce.json",
        "reproduce.html",
    }
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
    assert record["settings"]["age"].startswith("12 of 129 templates, 6 of 22 terms in 3 groups, ")

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

    page = (tmp_path / "made" / "reproduce.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3 + 4  # Figure 1 three times, Figure 2 of two models and of the paper's two
    assert "<script" not in page
    assert page.count('<td data-name="verdict">') == len(record["statements"])
    for says in verdicts:
        assert says.replace("'", "&#39;") in page
    again = call("reproduce", "czarnowska2021", "--out", "made")
    assert (again.code, again.err) == (
        2,
        "OptionError: the folder made holds an older answer of reproduce.\n"
        "    Name another folder, or replace that answer: --force.\n",
    )
    if BROWSER is not None:
        with chromium(tmp_path) as shown:
            for width in (1200, 400):
                shown.look(width=width)
                shown.open((tmp_path / "made" / "reproduce.html").as_uri())
                assert shown.ask("document.documentElement.scrollWidth") <= width
            assert (shown.problems, shown.requests) == ([], [])


def test_a_tagger_alone_gives_figure_3() -> None:
    made = reproduce("czarnowska2021", taggers=["bundled/ner"], max_terms=2, max_templates=4)
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


def test_errors_say_what_to_do(call: Call, tmp_path: Path) -> None:
    said = call("reproduce", "czarnowska")
    assert (said.code, said.err) == (
        2,
        "OptionError: the paper 'czarnowska' is not known.\n    Did you mean czarnowska2021? Known: "
        f"{', '.join(PAPERS)}.\n",
    )
    said = call("reproduce", "czarnowska2021", "-m", "a/b", "--ner", "a/b")
    assert (said.code, said.err) == (
        2,
        "OptionError: the model a/b is named twice.\n    Name each model once.\n",
    )
    said = call("reproduce", "czarnowska2021", "--max-terms", 0)
    assert (said.code, said.err) == (2, "OptionError: --max-terms 0 is too small; expected 1 or more.\n")
    with pytest.raises(OptionError) as error:
        ReproduceOptions(taggers=("x",)).refuse("kocijan2021", "models", "taggers")
    assert str(error.value) == "taggers is not used by the reproduction of kocijan2021.\n    Leave it out."
    (tmp_path / "own.py").write_text(MODELS, encoding="utf-8")
    for content, message in {
        "": "dev.txt: the table has no column Tweet.\n    Give the file as SemEval-2018 task 1 publishes it: "
        "2018-Valence-oc-En-dev.txt.\n",
        "Tweet\tIntensity Class\nhello\tNONE\n": "dev.txt:2: the class 'NONE' does not begin with a number.\n"
        "    Give the file with its labels.\n",
    }.items():
        (tmp_path / "dev.txt").write_text(content or "a\tb\n1\t2\n", encoding="utf-8")
        said = call("reproduce", "czarnowska2021", "-m", "own.py:blind", "--data", "dev.txt")
        assert (said.code, said.err) == (2, f"TableError: {message}")
    said = call("reproduce", "czarnowska2021", "-m", "own.py:blind", "--data", "none.txt")
    assert said.err == "TableError: none.txt: there is no such file.\n    Name 2018-Valence-oc-En-dev.txt.\n"

"""Every identity term as a group of its own."""

from pathlib import Path

import pytest
from build_outcomes import Row, outcomes_of
from refusals import refusal

import fairness_checklist as fc
from fairness_checklist.core.errors import OptionError
from fairness_checklist.core.terms_as_groups import by_term
from fairness_checklist.metrics.catalogue import compute
from fairness_checklist.metrics.metric_forms import METRICS, Options

NO, YES = (0.75, 0.25), (0.25, 0.75)
ROWS = [
    Row("", NO, "negative", source="s1"),
    Row("ash", YES, "negative", source="s1", term="oak"),
    Row("ash", NO, "negative", source="s1", term="elm"),
    Row("birch", YES, "negative", source="s1", term="oak"),
    Row("", YES, "negative", source="s2"),
    Row("ash", NO, "negative", source="s2", term="oak"),
    Row("ash", NO, "negative", source="s2", term="elm"),
    Row("birch", YES, "negative", source="s2", term="oak"),
    Row("ash", NO, "positive", source="s3", term="oak"),
    Row("ash", YES, "positive", source="s3", term="elm"),
    Row("birch", YES, "positive", source="s3", term="oak"),
]


def test_terms_are_the_groups_and_those_of_several_groups_are_named_with_theirs() -> None:
    outcomes = by_term(outcomes_of(ROWS, ("ash", "birch")))
    assert outcomes.groups == outcomes.terms == ("elm", "oak (ash)", "oak (birch)")
    assert outcomes.term_group.tolist() == [0, 1, 2]
    assert outcomes.group.tolist() == [3, 1, 0, 2, 3, 1, 0, 2, 1, 0, 2]
    assert outcomes.term.tolist() == [-1, 1, 0, 2, -1, 1, 0, 2, 1, 0, 2]
    assert len(outcomes.sources) == 3
    assert outcomes.notes == ()


def test_they_are_compared_with_the_control_of_the_sentences() -> None:
    """False positives among the negatives: elm 0 of 2, oak (ash) 1 of 2, oak (birch) 2 of 2, the control 1 of 2."""
    outcomes = by_term(outcomes_of(ROWS, ("ash", "birch")))
    rows = compute(METRICS["fped"], outcomes, Options(background="unmarked")).rows()
    assert {row["left"]: row["value"] for row in rows if row["class"] == "positive"} == pytest.approx(
        {"elm": 0.5, "oak (ash)": 0.0, "oak (birch)": 0.5, "*": 1.0}
    )


def test_rows_that_name_no_term_are_left_out_and_counted() -> None:
    rows = [*ROWS, Row("ash", YES, "negative", source="s1"), Row("birch", NO, "positive", source="s3")]
    outcomes = by_term(outcomes_of(rows, ("ash", "birch")))
    assert len(outcomes) == len(ROWS)
    assert outcomes.notes == ("2 of 13 rows name no term and are left out by term",)
    assert outcomes.units.row.tolist() == list(range(len(ROWS)))
    assert compute(METRICS["fped"], outcomes).total[outcomes.positive] == pytest.approx(1.0)


def test_without_terms_there_is_nothing_by_term() -> None:
    bare = outcomes_of([Row(group, NO, "negative") for group in ("ash", "birch")], ("ash", "birch"))
    assert refusal(OptionError, by_term, bare) == (
        'by="term" needs the identity terms of trees, and no row names one.\n'
        "    Add a column term to the table, or compare groups."
    )


def test_a_tagger_run_by_term_is_shown(tmp_path: Path) -> None:
    suite = fc.Suite.build("names", task="ner", max_terms=2, templates=["ner-00*"])
    result = suite.run("bundled", options=Options(by="term", where="slot"), metrics=["fnr_gap"], progress=False)
    overall = result.findings.eval("rate * texts").sum() / result.findings["texts"].sum()
    shown = " ".join(str(result).split())
    sentences = len(suite.parts[0].examples.sources)
    assert f" names · 6 of 924 names in {sentences} sentences · {6 * sentences} texts missed" in shown
    assert f" {100 * overall:.0f} % of all; female names" in shown
    assert "<html" in result.to_html(tmp_path / "report.html").read_text(encoding="utf-8")

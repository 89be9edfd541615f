"""The table of changed answers: it holds the metrics of them, class by class."""

from __future__ import annotations

import itertools

import build_tagger as tagger_rows
import numpy as np
import pytest
from build_outcomes import BINARY, GROUPS, THREE, outcomes_of, random_rows, values

from fairness_checklist.core.errors import LabelError, OptionError
from fairness_checklist.extensions.lenses.answer_changes import answer_changes


@pytest.mark.parametrize("classes", [BINARY, THREE], ids=["two", "three"])
def test_the_table_of_changes_holds_the_metrics(classes: tuple[str, ...]) -> None:
    rows = random_rows(3, classes=classes, missing=0.1, unlabelled=2, weights=True)
    table = answer_changes(outcomes_of(rows, classes=classes))
    assert list(table.columns) == ["left", "right", "from", "to", "share", "n"]
    np.testing.assert_allclose(table.groupby(["left", "right"])["share"].sum(), 1, rtol=0, atol=1e-12)
    assert set(table["left"]) == {"unmarked", "ash", "birch"}
    changed, apart = (values(name, rows, classes=classes) for name in ("changed_answers", "answer_difference"))
    for c in classes:
        for one, two in itertools.combinations(GROUPS, 2):
            pair = table[(table["left"] == one) & (table["right"] == two) & (table["from"] != table["to"])]
            lost, gained = (pair.loc[pair[column] == c, "share"].sum() for column in ("from", "to"))
            assert changed[c, one, two] == pytest.approx(lost + gained, abs=1e-12)
            assert apart[c, one, two] == pytest.approx(lost - gained, abs=1e-12)


def test_the_table_of_changes_of_one_gold_class_holds_pi() -> None:
    rows = [row for row in random_rows(8, classes=THREE, sources=15) if row.group != "cedar"]
    groups = ("ash", "birch")
    outcomes, pi = outcomes_of(rows, groups, THREE), values("pi_metric", rows, groups, THREE)
    for c in THREE:
        table = answer_changes(outcomes, gold=c)
        pair = table[(table["left"] == "ash") & (table["right"] == "birch")]
        found = pair.loc[(pair["to"] == c) & (pair["from"] != c), "share"].sum()
        assert pi[c, "ash", "everyone_else"] == pytest.approx(found, abs=1e-12)
        found = pair.loc[(pair["from"] == c) & (pair["to"] != c), "share"].sum()
        assert pi[c, "birch", "everyone_else"] == pytest.approx(found, abs=1e-12)
        assert set(pair["n"]) == {5}


def test_what_the_table_of_changes_needs() -> None:
    outcomes = outcomes_of([row.but(source="") for row in random_rows(0)])
    with pytest.raises(OptionError) as no_source:
        answer_changes(outcomes)
    assert str(no_source.value) == (
        "answer_changes compares variations of the same source, and the rows have no column source.\n"
        "    Add a column source."
    )
    with pytest.raises(LabelError) as no_class:
        answer_changes(outcomes_of(random_rows(0)), gold="neutral")
    assert str(no_class.value) == "gold='neutral' is none of the classes negative, positive."


def test_of_a_tagger_the_words_are_compared() -> None:
    whole, part = ((0, 1, "PER"), (2, 3, "PER")), ((0, 1, "PER"),)
    lines = [
        tagger_rows.Line("Ann met Bo", group="ash", slot=((2, 3),), gold=whole, predicted=part),
        tagger_rows.Line("Ann met Cy", group="birch", slot=((2, 3),), gold=whole, predicted=whole),
    ]
    outcomes = tagger_rows.outcomes_of(lines)
    for view, expected in (("", 0.5), ("slot", 1.0), ("context", 0.0)):
        table = answer_changes(outcomes.view(view), gold="PER")
        lost = table[(table["from"] == "O") & (table["to"] == "PER")]
        assert lost["share"].tolist() == [expected]

"""The review of terms by readers from outside: the sheet."""

import csv
from pathlib import Path

import pytest
from command_line import Call

from fairness_checklist.core.locations import shipped_folder
from fairness_checklist.extensions.authoring.review import make_sheet

SENTENCES = ["sentence_1", "sentence_2", "sentence_3"]
TERMS = """\
term,group,pos,status,predicate,source
tea,people who drink tea,noun,accepted,,from memory
tea-drinking,people who drink tea,adj,accepted,,from memory
with a coffee habit,people who drink coffee,pp,accepted,has a coffee habit,from memory
coffee-drinking,people who drink coffee,adj,accepted,,from memory
coffee-mad,people who drink coffee,adj,dispreferred,,from memory
"""


@pytest.fixture
def drinks(tmp_path: Path) -> Path:
    path = tmp_path / "mine" / "identity_terms" / "drinks.csv"
    path.parent.mkdir(parents=True)
    path.write_text(TERMS.replace("tea,people who drink tea,noun", "tea drinker,people who drink tea,noun"), "utf-8")
    return path


def test_each_term_stands_in_three_sentences_of_other_templates_and_none_is_negative(drinks: Path) -> None:
    sheet = make_sheet(drinks)
    assert sheet["term"].tolist() == ["tea drinker", "tea-drinking", "with a coffee habit", "coffee-drinking"]
    for _, row in sheet.iterrows():
        sentences = row[SENTENCES]
        assert sentences.nunique() == 3
        assert all(row["term"].split()[-1] in sentence.lower() for sentence in sentences)
    assert make_sheet(drinks).equals(sheet)
    assert not make_sheet(drinks, seed=1).equals(sheet)


def test_a_shipped_file_has_sentences_for_every_term() -> None:
    sheet = make_sheet(shipped_folder("identity_terms") / "disability.csv")
    assert (sheet[SENTENCES] != "").all(axis=None)
    assert len(sheet) >= 50


def test_the_verb_writes_a_sheet_once(drinks: Path, call: Call) -> None:
    made = call("review", drinks, "--out", "ask.csv")
    assert made.out.splitlines()[0] == "4 terms of drinks: ask.csv"
    again = call("review", drinks, "--out", "ask.csv")
    assert (again.code, again.err) == (
        2,
        "OptionError: 'ask.csv' exists already.\n    Name another file, or remove it: answers may be in it.\n",
    )
    with Path("ask.csv").open(encoding="utf-8-sig", newline="") as file:
        questions, *rows = csv.DictReader(file)
    assert questions["term"] == ""
    assert questions["plausible_2"] == "Does this sound like something a real person might write?"
    assert [row["term"] for row in rows] == ["tea drinker", "tea-drinking", "with a coffee habit", "coffee-drinking"]

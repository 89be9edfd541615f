"""The review of terms by readers from outside: the sheet, the answers and their counts."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest
from command_line import Call
from refusals import refusal

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.locations import shipped_folder
from fairness_checklist.extensions.authoring.review import COLUMNS, make_sheet, read_answers, review_text

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


def write_answers(path: Path, *rows: Mapping[str, str]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows({**row, "sheet": row.get("sheet", "drinks")} for row in rows)
    return path


def on(term: str, **cells: str) -> dict[str, str]:
    tea = term.startswith("tea")
    return {"group": f"people who drink {'tea' if tea else 'coffee'}", "term": term, **cells}


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


def test_answers_are_counted_by_term_and_members_decide_what_to_reconsider(drinks: Path, tmp_path: Path) -> None:
    sheet = make_sheet(drinks)
    folder = tmp_path / "replies"
    bad = {"used": "no", "offensive": "no", "prefer": "tea drinker"}
    write_answers(
        folder / "a.csv", on("tea-drinking", member="yes", **bad), on("tea drinker", member="yes", used="yes")
    )
    write_answers(folder / "b.csv", on("tea-drinking", member="yes", used="yes", plausible_1="no", offensive="no"))
    write_answers(folder / "c.csv", on("coffee-drinking", used="no", offensive="yes"), on("tea-drinking"))
    answers = read_answers([folder], sheet)
    assert answers[["reader", "member", "term", "used"]].to_numpy().tolist() == [
        ["a", True, "tea-drinking", "no"],
        ["a", True, "tea drinker", "yes"],
        ["b", True, "tea-drinking", "yes"],
        ["c", False, "coffee-drinking", "no"],
    ]
    assert review_text(answers, sheet).splitlines() == [
        "3 readers, 2 of them members of the groups that they answered on.",
        "3 of 4 terms have answers; without: with a coffee habit.",
        "Few readers: with fewer than 5 members the counts show single opinions.",
        "  used by the group: yes in 2 of 3 answers of members, 2 of 4 of all",
        "  offensive: yes in 0 of 2 answers of members, 1 of 3 of all",
        "  sentences sound real: yes in 0 of 1 answers of members, 0 of 1 of all",
        "To reconsider, because half or more of the members answer so:",
        "  tea-drinking (people who drink tea): not used in 1 of 2 answers of members; suggested instead: tea drinker "
        "(1 of 2)",
    ]
    nobody = answers[~answers["member"]]
    assert review_text(nobody, sheet).endswith("\nNo reader is a member of a group, so no term is named for a change.")


@pytest.mark.parametrize(("row", "message"), [
    ({"sheet": "gender", **on("tea drinker", used="yes")},
     "{0}:2: the answers are on 'gender', and the terms are of 'drinks'.\n    Name the file of terms that the "
     "sheet was made from, and leave the column sheet as it is."),
    (on("tea drinkr", used="yes"),
     "{0}:2: 'tea drinkr' is not a term of 'people who drink tea' that is used.\n    Did you mean tea drinker? "
     "Leave the columns group and term as they are, or remove the row."),
    (on("tea drinker", used="maybe"),
     "{0}:2: the answer 'maybe' in the column used is not known.\n    Known: yes, no, it depends, or nothing."),
])  # fmt: skip
def test_an_answer_that_cannot_be_counted_is_an_error(
    drinks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_answers(Path("a.csv"), row)
    assert refusal(TableError, read_answers, [path], make_sheet(drinks)) == message.format("a.csv")


def test_no_answer_and_two_of_one_reader_are_errors(drinks: Path, tmp_path: Path) -> None:
    sheet = make_sheet(drinks)
    empty = write_answers(tmp_path / "empty.csv", on("tea drinker", member="yes"))
    message = refusal(OptionError, read_answers, [empty], sheet)
    assert message == ("no question is answered in these files.\n    Fill in the sheet, and save it as CSV.")
    one = write_answers(tmp_path / "one.csv", on("tea drinker", reader="7", used="yes"))
    two = write_answers(tmp_path / "two.csv", on("tea drinker", reader="7", used="no"))
    with pytest.raises(TableError, match="the reader '7' has answered on 'tea drinker' before"):
        read_answers([one, two], sheet)


def test_the_verb_writes_a_sheet_and_counts_answers(drinks: Path, call: Call) -> None:
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
    rows[0] |= {"used": "Yes", "offensive": "no", "member": "yes"}
    rows[1] |= {"used": "no", "member": "yes", "prefer": "tea lover"}
    write_answers(Path("replies/anna.csv"), questions, *rows)
    counted = call("review", drinks, "--answers", "replies")
    assert counted.out.splitlines() == [
        "1 reader, 1 of them members of the groups that they answered on.",
        "2 of 4 terms have answers; without: with a coffee habit, coffee-drinking.",
        "Few readers: with fewer than 5 members the counts show single opinions.",
        "  used by the group: yes in 1 of 2 answers of members, 1 of 2 of all",
        "  offensive: yes in 0 of 1 answers of members, 0 of 1 of all",
        "To reconsider, because half or more of the members answer so:",
        "  tea-drinking (people who drink tea): not used in 1 of 1 answers of members; suggested instead: tea lover "
        "(1 of 1)",
    ]

"""The review of terms by readers from outside: the sheet, the answers, their counts and the card."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest
from chromium import BROWSER, chromium
from command_line import caller

from fairness_checklist.core.errors import OptionError, TableError
from fairness_checklist.core.locations import shipped_folder
from fairness_checklist.extensions.authoring.card import card_markdown, shipped_card
from fairness_checklist.extensions.authoring.review import COLUMNS, make_sheet, write_sheet
from fairness_checklist.extensions.authoring.review_answers import (
    agreement,
    count_answers,
    enter_in_card,
    read_answers,
    summary,
)

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
    path.with_suffix(".toml").write_text('about = "Drinks."\n\n[reading]\ncommunities = 0\n', "utf-8")
    return path


def write_answers(path: Path, *rows: Mapping[str, str]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows({"sheet": "drinks", **row} for row in rows)
    return path


def on(term: str, **cells: str) -> dict[str, str]:
    tea = term.startswith("tea")
    return {"group": f"people who drink {'tea' if tea else 'coffee'}", "term": term, **cells}


def test_each_term_stands_in_three_sentences_of_other_templates_and_none_is_negative(drinks: Path) -> None:
    sheet = make_sheet(drinks)
    assert [item.term for item in sheet.items] == [
        "tea drinker",
        "tea-drinking",
        "with a coffee habit",
        "coffee-drinking",
    ]
    for item in sheet.items:
        assert len(set(item.sentences)) == 3
        assert all(item.term.split()[-1] in sentence.lower() for sentence in item.sentences)
    assert make_sheet(drinks) == sheet
    assert make_sheet(drinks, seed=1) != sheet


@pytest.mark.parametrize("name", ["disability", "religion", "gender"])
def test_a_shipped_file_has_sentences_for_every_term(name: str) -> None:
    sheet = make_sheet(shipped_folder("identity_terms") / f"{name}.csv")
    assert all(len(item.sentences) == 3 for item in sheet.items)
    assert len(sheet.items) >= 50


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
    reviews = {review.term: review for review in count_answers(answers)}
    assert list(reviews) == ["tea-drinking", "tea drinker", "coffee-drinking"]
    adjective = reviews["tea-drinking"]
    assert (adjective.readers, adjective.members, adjective.prefer) == (2, 2, ("tea drinker",))
    assert adjective.choices["used"] == {"no": 1, "yes": 1}
    assert adjective.reconsider == "used", "half of the members"
    assert not reviews["coffee-drinking"].reconsider, "nobody of the group says so"
    assert agreement(answers) == 0.5  # of two pairs (used, offensive) of answers on tea-drinking
    counted = summary(answers, sheet)
    assert {name: counted[name] for name in ("readers", "members", "terms", "of_terms", "used", "offensive")} == {
        "readers": 3, "members": 2, "terms": 3, "of_terms": 4, "used": 0.5, "offensive": 0.33,
    }  # fmt: skip
    assert counted["reconsider"] == ["tea-drinking"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"sheet": "gender", **on("tea drinker", used="yes")},
            "{0}:2: the answers are on 'gender', and the terms are of 'drinks'.\n    Name the file of terms that the "
            "sheet was made from, and leave the column sheet as it is.",
        ),
        (
            on("tea drinkr", used="yes"),
            "{0}:2: 'tea drinkr' is not a term of 'people who drink tea' that is used.\n    Did you mean tea drinker? "
            "Leave the columns group and term as they are, or remove the row.",
        ),
        (
            on("tea drinker", used="maybe"),
            "{0}:2: the answer 'maybe' in the column used is not known.\n    Known: yes, no, it depends, or nothing.",
        ),
    ],
)
def test_an_answer_that_cannot_be_counted_is_an_error(
    drinks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = write_answers(Path("a.csv"), row)
    with pytest.raises(TableError) as caught:
        read_answers([path], make_sheet(drinks))
    assert str(caught.value) == message.format("a.csv")


def test_no_answer_and_two_of_one_reader_are_errors(drinks: Path, tmp_path: Path) -> None:
    sheet = make_sheet(drinks)
    empty = write_answers(tmp_path / "empty.csv", on("tea drinker", member="yes"))
    with pytest.raises(OptionError) as none:
        read_answers([empty], sheet)
    assert str(none.value) == ("no question is answered in these files.\n    Fill in the sheet, and save it as CSV.")
    one = write_answers(tmp_path / "one.csv", on("tea drinker", reader="7", used="yes"))
    two = write_answers(tmp_path / "two.csv", on("tea drinker", reader="7", used="no"))
    with pytest.raises(TableError, match="the reader '7' has answered on 'tea drinker' before"):
        read_answers([one, two], sheet)


def test_the_counts_enter_the_card_once(drinks: Path, tmp_path: Path) -> None:
    sheet = make_sheet(drinks)
    one = read_answers([write_answers(tmp_path / "a.csv", on("tea drinker", member="yes", used="no"))], sheet)
    two = read_answers([write_answers(tmp_path / "b.csv", on("tea drinker", member="yes", used="yes"))], sheet)
    for answers in (one, two):
        card = enter_in_card(drinks, summary(answers, sheet))
    content = tomllib.loads(card.read_text("utf-8"))
    assert (content["about"], content["reading"]) == ("Drinks.", {"communities": 0})
    assert (content["community"]["used"], content["community"]["reconsider"]) == (1.0, [])
    card.write_text(card.read_text("utf-8") + '\n[difficulty]\nby = "x"\n', "utf-8")
    enter_in_card(drinks, summary(one, sheet))
    assert tomllib.loads(card.read_text("utf-8"))["difficulty"] == {"by": "x"}


def test_the_card_of_a_suite_prints_what_readers_said(monkeypatch: pytest.MonkeyPatch) -> None:
    card = shipped_card("sentiment", "en")
    said = next(file for file in card["files"] if file["file"] == "identity_terms/gender.csv")
    said["community"] = {
        "readers": 9,
        "members": 7,
        "terms": 50,
        "used": 0.9,
        "offensive": 0.1,
        "reconsider": ["womxn"],
    }
    text = " ".join(card_markdown(card).split())
    assert "| identity_terms/gender.csv | 9 | 7 | 50 | 0.90 | 0.10 |" in text
    assert "Half or more of the readers of the groups in identity_terms/gender.csv say" in text
    assert text.count("womxn") == 1


def test_the_verb_writes_a_sheet_and_counts_answers(
    drinks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run_verb = caller(monkeypatch, capsys, "review")
    made = run_verb(drinks, "--out", "ask")
    assert made.out.splitlines()[0] == "4 terms of drinks: ask/sheet.html"
    assert sorted(path.name for path in Path("ask").iterdir()) == ["review.json", "sheet.csv", "sheet.html"]
    with Path("ask/sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0] |= {"used": "Yes", "offensive": "no", "member": "yes"}
    rows[1] |= {"used": "no", "member": "yes", "prefer": "tea lover"}
    write_answers(Path("replies/anna.csv"), *rows)
    counted = run_verb(drinks, "--answers", "replies", "--enter", "--out", "counts.csv")
    assert counted.out.splitlines() == [
        "1 reader, 1 of them members of the groups that they answered on.",
        "2 of 4 terms have answers; without: with a coffee habit, coffee-drinking.",
        "Few readers: with fewer than 5 members the counts show single opinions.",
        "  used by the group: yes in 1 of 2 answers of members, 1 of 2 of all",
        "  offensive: yes in 0 of 1 answers of members, 0 of 1 of all",
        "To reconsider, because half or more of the members answer so:",
        "  tea-drinking (people who drink tea): not used in 1 of 1 answers of members; suggested instead: tea lover "
        "(1 of 1)",
        "The counts by term: counts.csv",
        f"Written into the card: {drinks.with_suffix('.toml')}",
    ]
    (first, second) = csv.DictReader(Path("counts.csv").read_text("utf-8").splitlines())
    assert (first["used_yes"], first["used_yes_members"], first["reconsider"]) == ("1", "1", "")
    assert (second["used_no_members"], second["reconsider"]) == ("1", "used")
    assert "[community]" in drinks.with_suffix(".toml").read_text("utf-8")


@pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome is installed")
@pytest.mark.skipif(find_spec("websocket") is None, reason="websocket-client is not installed")
def test_the_page_keeps_answers_and_saves_what_is_read_back(drinks: Path, tmp_path: Path) -> None:
    sheet = make_sheet(drinks)
    address = (write_sheet(sheet, tmp_path / "ask") / "sheet.html").as_uri()
    with chromium(tmp_path) as page:
        page.open(address)
        page.click("document.querySelector('input[name=member1][value=yes]')")
        page.click("document.querySelector('fieldset input[data-key=used][value=yes]')")
        page.click("document.querySelector('fieldset input[data-key=plausible_2][value=no]')")
        page.ask("document.querySelector('#comment1-1').focus()")
        page.type('It says "tea", fine')
        assert page.ask("document.getElementById('progress').textContent") == "1 of 4 words answered"
        written = page.ask("csv()")
        page.open(address)  # answers are still there
        assert page.ask("csv()") == written
        page.click("document.querySelector('fieldset input[data-key=plausible_2][value=no]')")  # taken back
        assert page.ask("csv()") == written.replace('"no"', '""')
        page.ask("window.confirm = () => true")
        page.click("document.getElementById('delete')")
        assert page.ask("document.getElementById('progress').textContent") == "0 of 4 words answered"
        assert page.ask("localStorage.length") == 1, "the reader's new number"
        assert page.problems == []
        assert page.requests == []
    path = tmp_path / "answers.csv"
    path.write_text(written, "utf-8")
    (answer,) = read_answers([path], sheet)
    assert (answer.member, answer.item, answer.comment) == (
        True, ("people who drink tea", "tea drinker"), 'It says "tea", fine',
    )  # fmt: skip
    assert answer.choices == {"used": "yes", "plausible_2": "no"}

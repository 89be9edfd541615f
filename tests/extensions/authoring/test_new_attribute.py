"""An attribute of the user's own: one terms file is enough, and `new attribute` writes a first version that works."""

import csv
import json
import re
from pathlib import Path

import pytest
from command_line import Call
from refusals import refusal
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.templates import TEMPLATE_COLUMNS, read_templates
from fairness_checklist.content.term_files import TERM_COLUMNS, attributes, load_terms, read_terms
from fairness_checklist.core.delimited import read_rows
from fairness_checklist.extensions.authoring.lint.linter import lint
from fairness_checklist.extensions.authoring.new_attribute import write_attribute

# As Excel saves it where the comma is in numbers: a mark in front, semicolons, lines that end with both characters.
EXCEL = (
    "\ufeffterm;group;pos;status;plural;predicate;source;flags;note\r\n"
    "vegan;vegan;adj;accepted;;;our wording;thin;\r\n"
    "on a vegan diet;vegan;pp;accepted;;is on a vegan diet;our wording;;\r\n"
    ";;;;;;;;\r\n"
    "meat-eating;meat-eating;adj;accepted;;;our wording;thin;\r\n"
    '"meat eater";meat-eating;noun;accepted;meat eaters;;our wording;;"says; itself"\r\n'
)


def test_the_command_writes_files_and_explains_what_to_do_next(tmp_path: Path, call: Call) -> None:
    assert call("new", "attribute", "housing", "--out", "my files") == (
        0,
        "my files: README.md, identity_terms/housing.csv, templates/housing.csv\n"
        "Replace the rows of the example with your own, then run:\n"
        "  fairness-checklist lint './my files'\n"
        "  fairness-checklist build --attribute housing --terms './my files'\n"
        "  fairness-checklist run --attribute housing --terms './my files'\n",
        "",
    )
    readme = (tmp_path / "my files" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^fairness-checklist .*", readme, re.MULTILINE) == [
        "fairness-checklist lint './my files'",
        "fairness-checklist build --attribute housing --terms './my files'",
        "fairness-checklist run --attribute housing --terms './my files' --out runs/housing",
    ]


def test_the_skeleton_is_clean_and_every_verb_takes_it(tmp_path: Path, call: Call) -> None:
    folder = write_attribute("housing")
    chosen = ("--attribute", "housing", "--terms", "./housing")

    assert folder == Path("housing")
    assert call("lint", "housing") == (0, "No findings.\n", "")
    code, out, _ = call("build", *chosen, "--templates", "./housing", "--show", "1")
    assert code == 0
    assert out.startswith("Suite for sentiment: housing: ")
    code, out, _ = call("list", "terms", *chosen, "--json")
    assert [row["group"] for row in json.loads(out)] == ["renters"] * 4 + ["homeowners"] * 4
    assert call("build", *chosen, "--out", "saved").code == 0
    card = (tmp_path / "saved" / "card.md").read_text(encoding="utf-8")
    assert "\n- housing/identity_terms/housing.csv\n" in card
    own = ("--templates", "housing-00[19],housing-011", "--draws", "20", "--max-terms", "2", "--out", "runs/housing")
    code, out, err = call("run", *chosen, *own)
    assert code == 0, err
    assert "\nReport: runs/housing/report.html\n" in out
    code, out, _ = call("report", "runs/housing")
    assert code == 0
    assert "\nhousing · 4 of 8 words in 3 sentences · 15 texts\n" in out


def test_every_column_of_the_skeleton_is_explained_in_place(tmp_path: Path) -> None:
    folder = write_attribute("housing", tmp_path / "mine")
    for name, columns in (("identity_terms", TERM_COLUMNS), ("templates", set(TEMPLATE_COLUMNS) - {"attribute"})):
        text = (folder / name / "housing.csv").read_text(encoding="utf-8")
        header = text.splitlines()[0].split(",")
        reported = re.findall(r"^# ((?:\w+, )*\w+): ", text, re.MULTILINE)
        further = [
            word for line in re.findall("^# Further columns: (.*);", text, re.MULTILINE) for word in line.split(", ")
        ]

        assert sorted([*header, *further]) == sorted(columns)
        assert [column for names in reported for column in names.split(", ")] == header
        assert not [line for line in text.splitlines() if line.startswith("#") and '"' in line]


def test_the_skeleton_survives_a_spreadsheet(tmp_path: Path) -> None:
    """Opened and saved with commas or semicolons: comments fall into cells, and their lines get as many as the rest."""
    folder = write_attribute("housing", tmp_path / "mine")
    for name in ("identity_terms", "templates"):
        path = folder / name / "housing.csv"
        before = (read_terms if name == "identity_terms" else read_templates)(path)
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        width = max(map(len, rows))
        for delimiter in ",;":
            with path.open("w", encoding="utf-8-sig", newline="") as file:
                padded = [row + [""] * (width - len(row)) for row in rows]
                csv.writer(file, delimiter=delimiter).writerows(padded)
            assert (read_terms if name == "identity_terms" else read_templates)(path) == before


@sweep(("name", "message"), [
    ("../x", "the attribute '../x' cannot be named so.\n    A name starts with a letter and has letters (a to z)"),
    ("Gender", "the name 'Gender' is taken.\n    Choose another one; a file in a folder"),
    ("generic", "the name 'generic' is taken.\n    Choose another one;"),
])  # fmt: skip
def test_a_name_that_cannot_be_used_is_reported(name: str, message: str, tmp_path: Path) -> None:
    assert refusal(fc.errors.OptionError, write_attribute, name, tmp_path / "mine").startswith(message)
    assert not (tmp_path / "mine").exists()


def test_nothing_is_overwritten(tmp_path: Path, call: Call) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    what = "Name another folder; nothing is overwritten.\n"

    full = call("new", "attribute", "housing", "--out", "full")
    assert full == (2, "", f"OptionError: 'full' is not empty.\n    {what}")
    file = call("new", "attribute", "housing", "--out", "full/notes.txt")
    assert file == (2, "", f"OptionError: 'full/notes.txt' is a file.\n    {what}")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]
    assert write_attribute("housing", "empty") == Path("empty")


@pytest.mark.parametrize("how", ["file", "folder", "data folder", "home"])
def test_one_terms_file_as_excel_saves_it_is_an_attribute(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "mine" / "identity_terms" if how in ("data folder", "home") else tmp_path / "mine"
    folder.mkdir(parents=True)
    (folder / "diet.csv").write_text(EXCEL, encoding="utf-8", newline="")
    terms = {"file": folder / "diet.csv", "folder": folder, "data folder": folder.parent, "home": None}[how]
    if how == "home":
        monkeypatch.setenv("FAIRNESS_CHECKLIST_HOME", str(folder.parent))

    assert "diet" in attributes(terms)
    listed = load_terms("diet", terms)
    assert listed.groups == ("vegan", "meat-eating")
    assert listed.terms[-1].note == "says; itself"
    assert listed.terms[-1].place == f"{folder}/diet.csv:6"
    for task in ("sentiment", "toxicity"):
        suite = fc.Suite.build("diet", task=task, terms=terms)
        assert {one.attribute for one in suite.parts[0].templates} == {""}
        assert len(suite.parts[0].examples.sources) == len(suite.parts[0].templates) > 50
        assert set(suite.to_frame()["group"]) == {"unmarked", "vegan", "meat-eating"}
        assert f"\n- {folder}/diet.csv\n" in suite.card()
    if how in ("folder", "data folder"):
        assert lint(terms) == []


def rows(tmp_path: Path, content: str) -> list[tuple[str, str, int]]:
    path = tmp_path / "x.csv"
    path.write_text(content, encoding="utf-8", newline="")
    found = read_rows(path, ("sentence", "label"), ("sentence",), fc.errors.TemplateError)
    return [(row.cells["sentence"], row.cells["label"], int(row.place.rpartition(":")[2])) for row in found]


@sweep("end", ["\n", "\r\n"])
@sweep("separator", [",", ";", "\t"])
def test_comments_are_passed_over_and_lines_are_counted_with_them(end: str, separator: str, tmp_path: Path) -> None:
    lines = [
        '# before the header, with "one quote; and a comma',
        "sentence,label".replace(",", separator),
        "# after",
        "",
        "One.,x".replace(",", separator),
        "  # indented",
        "#",
        '"Two',
        "# is in the cell",
        'two.",y'.replace(",", separator),
        "#,".replace(",", separator),
        "#hashtag.,z".replace(",", separator),
        '"# quoted.",z'.replace(",", separator),
        "# the end",
    ]

    assert rows(tmp_path, end.join(lines)) == [
        ("One.", "x", 5),
        (f"Two{end}# is in the cell{end}two.", "y", 8),
        ("#hashtag.", "z", 12),
        ("# quoted.", "z", 13),
    ]


@sweep(("content", "message"), [
    ("# one\nterm,group\n# two, three\nvegan,diet,more\n", ":4: the row has 3 cells; expected 2: term,group."),
    ('# one\nterm,group\n# two\n"vegan,diet\n', ":4: the row does not parse: unexpected end of data."),
    ("# one\n#two,three\n# four\n", ":2: the column '#two' is not known."),
    ("# one\n", ": the file is empty."),
])  # fmt: skip
def test_a_mistake_below_comments_is_reported_with_its_line(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "diet.csv").write_text(content, encoding="utf-8")
    assert refusal(fc.errors.TermError, read_terms, tmp_path / "diet.csv").startswith(f"{tmp_path}/diet.csv{message}")

"""The card of a suite: what it counts, what it says about the files, and what it never shows."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command_line import Said, caller
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.core.errors import SuiteError
from fairness_checklist.extensions.authoring.card import OBJECT, card_markdown, source_kind, suite_card
from fairness_checklist.extensions.authoring.sidecars import Sidecar, read_sidecar

ROOT = Path(__file__).resolve().parents[3]
KEYS = {"about": str, "sources": list, "review": str, "gaps": list, "reading": dict}
SHIPPED = sorted(path for folder in ("templates", "identity_terms") for path in (ROOT / folder).rglob("*.csv"))

TERMS = """\
term,group,pos,status,source,flags,note
deaf,deaf people,adj,preferred,Guide (2020),thin,
hard of hearing,deaf people,adj,accepted,Guide: page 3,,
zorgish,deaf people,adj,dispreferred,Old list,,
hearing,hearing people,adj,accepted,,minor,not really
hearing-born,hearing people,adj,accepted,,,
"""
TEMPLATES = """\
template,label,target,symmetric,paraphrase_of,id
"{A:identity.writer} won, hurray.",positive,person,yes,,h-1
"Hurray, {a:identity.writer} won.",positive,person,yes,h-1,h-2
I lost {the:identity_np} and {their:identity} keys.,negative,speaker,no,,h-3
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of the user's with an attribute of two groups, a dispreferred term, and a sidecar of the terms."""
    for name, content in (("identity_terms", TERMS), ("templates", TEMPLATES)):
        (tmp_path / "mine" / name).mkdir(parents=True)
        (tmp_path / "mine" / name / "hearing.csv").write_text(content, encoding="utf-8")
    about = 'about = "Two\\n groups."\nsources = ["a guide"]\nreview = "Read once."\ngaps = ["too few"]\n'
    (tmp_path / "mine" / "identity_terms" / "hearing.toml").write_text(about, encoding="utf-8")
    return tmp_path / "mine"


def own_suite(mine: Path, **chosen: Any) -> fc.Suite:
    return fc.Suite.build("hearing", terms=mine, templates=["h-*"] if "templates" not in chosen else None, **chosen)


def output(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    return caller(monkeypatch, capsys)(*arguments)


# What ships


@sweep("path", SHIPPED)
def test_every_shipped_file_has_a_description_sources_review_and_gaps(
    path: Path,
) -> None:
    content = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))

    assert {key: type(value) for key, value in content.items() if key != "difficulty"} == KEYS
    assert all(content.values())
    assert all(text.strip() for text in (*content["sources"], *content["gaps"]))
    assert "no community review yet" in content["review"]
    assert content["reading"]["communities"] == 0
    assert read_sidecar(path) is not None


@sweep("path", [path for path in SHIPPED if path.parent.name == "templates"])
def test_the_numbers_of_a_description_are_those_of_the_file(path: Path) -> None:
    content = tomllib.loads(path.with_suffix(".toml").read_text(encoding="utf-8"))
    with path.open(encoding="utf-8", newline="") as file:
        hard = [row["hard"] == "yes" for row in csv.DictReader(file)]
    reading, difficulty = content["reading"], content.get("difficulty", {})

    assert reading.get("labels", 0) == reading.get("labels_agree", 0) == sum(hard)
    assert reading.get("reworded", 0) <= sum(hard)
    assert difficulty.get("hard_templates", 0) <= sum(hard)
    assert difficulty.get("easy_templates", 0) <= len(hard) - sum(hard)
    assert bool(difficulty) == any(hard)


def test_no_sidecar_is_without_its_file() -> None:
    found = {
        path.with_suffix(".csv")
        for folder in ("templates", "identity_terms")
        for path in (ROOT / folder).rglob("*.toml")
    }

    assert found == set(SHIPPED)


@pytest.mark.parametrize("attribute", ["gender", "disability"])
def test_the_counts_are_those_of_the_files(attribute: str) -> None:
    suite = fc.Suite.build(attribute)
    [one] = suite_card(suite.parts)["attributes"]
    with (ROOT / "identity_terms" / f"{attribute}.csv").open(encoding="utf-8", newline="") as file:
        terms = list(csv.DictReader(file))
    rows = [
        row
        for name in ("generic", attribute)
        for row in csv.DictReader((ROOT / "templates" / f"{name}.csv").read_text(encoding="utf-8").splitlines())
        if attribute not in row["except_groups"].split("; ")
    ]
    [task] = one["tasks"]

    for group in one["groups"]:
        own = [row for row in terms if row["group"] == group["group"] and "contested" not in row["flags"]]
        status = Counter(row["status"] for row in own)
        assert (group["preferred"], group["accepted"]) == (status["preferred"], status["accepted"])
        assert group["dispreferred"] == status["dispreferred"]
        assert group["terms"] == status["preferred"] + status["accepted"] == sum(group["parts_of_speech"].values())
    assert task["templates"] == len(rows)
    assert {(row["label"], target): n for row in task["labels"] for target, n in row["targets"].items()} == Counter(
        (row["label"], row["target"]) for row in rows
    )
    assert task["rewordings"] == sum(row["paraphrase_of"] in {row["id"] for row in rows} for row in rows)
    assert task["sentences"] == one["sentences"] == len(suite)
    lengths = [len(text.split()) for text in suite.texts()]
    assert (task["words"]["min"], task["words"]["max"]) == (min(lengths), max(lengths))
    assert task["slots"]["identity_np"] == sum(":identity_np}" in row["template"] for row in rows)


# One of the user's


def test_the_card_of_a_suite_of_ones_own(mine: Path) -> None:
    text = own_suite(mine).card()
    hashes = re.findall(r"\b[0-9a-f]{64}\b", text)

    assert len(hashes) == 1
    assert re.sub(r"\b[0-9a-f]{12}\b", "#" * 12, text.replace(hashes[0], "HASH")) == _EXPECTED.replace(
        "FOLDER", str(mine)
    ).replace("OBJECTION", "\n".join(_wrapped(OBJECT))).replace("VERSION", fc.__version__)
    assert "zorgish" not in text


def test_what_was_read_is_told_in_numbers(mine: Path) -> None:
    (mine / "templates" / "hearing.toml").write_text(
        """about = "Three."
[reading]
readers = "two neighbors"
labels = 3
labels_agree = 2
communities = 0
[difficulty]
by = "a word list"
easy = 0.875
easy_templates = 3
""",
        encoding="utf-8",
    )
    text = own_suite(mine).card()

    assert "| labelled blind | labels agree |" in text
    assert re.search(r"hearing.csv \| +3 \| +2 \|", text)
    assert re.search(r"hearing.csv \| a word list \| 0\.88 \| +3 \|", text)
    assert "Labels and naturalness are those of two neighbors." in text
    assert "No community and no annotator from outside has read 1 of the 2 files." in text


def test_the_card_counts_hard_templates_and_sources_by_kind() -> None:
    suite = fc.Suite.build("gender")
    [one] = suite_card(suite.parts)["attributes"]

    assert one["tasks"][0]["hard"] == sum(template.hard for template in suite.parts[0].templates)
    assert sum(one["source_kinds"].values()) == sum(group["terms"] for group in one["groups"])
    assert {"looked up word for word", "looked up by the words of the term"} <= set(one["source_kinds"])
    assert source_kind("Guide (2020), from memory") == "from memory"


def test_a_dispreferred_term_that_takes_part_is_counted_and_not_named(mine: Path) -> None:
    suite = own_suite(mine, include_terms=["zorgish"])

    assert any("zorgish" in text for text in suite.texts())
    assert "zorgish" not in suite.card()
    assert "Dispreferred terms are used only when they are named; 1 of them are used in this suite" in suite.card()
    assert "zorgish" not in json.dumps(suite_card(suite.parts))


def test_a_saved_suite_knows_where_our_rows_come_from(tmp_path: Path, mine: Path) -> None:
    suite = fc.Suite.build("gender", groups=["women", "men"], max_terms=2)
    card = suite_card(suite.parts)
    loaded = suite_card(fc.Suite.load(suite.save(tmp_path / "saved")).parts)
    own = fc.Suite.load(own_suite(mine).save(tmp_path / "own"))

    assert loaded == card
    assert [one["file"] for one in loaded["files"]] == [
        "templates/gender.csv",
        "templates/generic.csv",
        "identity_terms/gender.csv",
    ]
    assert [(one["file"], one["said"]) for one in suite_card(own.parts)["files"]] == [
        (f"{tmp_path}/own/templates/hearing.csv", False),
        (f"{tmp_path}/own/identity_terms/hearing.csv", False),
    ]


def test_the_card_of_a_suite_in_memory_has_no_files() -> None:
    suite = fc.Suite.from_templates(["{A:identity.writer} | won."], terms={"q": ["quiet"], "r": ["rowdy"]})

    assert "All templates and terms were given in memory, without a description." in suite.card()
    assert "| q     |     1 |" in suite.card()


def test_of_an_intersection_both_files_are_reported() -> None:
    suite = fc.Suite.build("gender+age", groups=["women", "men", "older adults"], max_terms=1)
    card = suite_card(suite.parts)

    assert {"identity_terms/gender.csv", "identity_terms/age.csv"} <= {one["file"] for one in card["files"]}
    assert [group["dispreferred"] for group in card["attributes"][0]["groups"]] == [None, None]
    assert "sentences as controls of the pairs" in card_markdown(card)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "abuot = 'x'",
            "the key 'abuot' is not known.\n"
            "    Did you mean about? Known keys: about, sources, review, gaps, reading, difficulty, community.",
        ),
        ("about = ['x']", "the value of about is ['x'].\n    Give a text: \"...\"."),
        ("gaps = 'x'", 'the value of gaps is \'x\'.\n    Give a list of texts: ["...", "..."].'),
        ("reading = 'x'", "the value of reading is 'x'.\n    Write it as a table: [reading]."),
        (
            "[reading]\nlabel = 3",
            "the key 'label' is not known.\n    Did you mean labels? Known keys: readers, date, labels, labels_agree, "
            "reworded, texts, naturalness, communities.",
        ),
        ("[reading]\nlabels = 'x'", "the value of reading.labels is 'x'.\n    Give a whole number."),
        ("[difficulty]\neasy = 'x'", "the value of difficulty.easy is 'x'.\n    Give a number."),
        ("[difficulty]\nby = 1", 'the value of difficulty.by is 1.\n    Give a text: "...".'),
        ("gaps = [1]", 'the value of gaps is [1].\n    Give a list of texts: ["...", "..."].'),
    ],
)
def test_a_sidecar_that_is_wrong_is_reported(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(content, encoding="utf-8")
    with pytest.raises(SuiteError) as error:
        read_sidecar(tmp_path / "x.csv")

    assert str(error.value) == f"{tmp_path}/x.toml: {message}"


def test_a_sidecar_that_does_not_parse_is_reported_and_one_key_is_enough(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text("about =", encoding="utf-8")
    with pytest.raises(SuiteError) as error:
        read_sidecar(tmp_path / "x.csv")
    assert str(error.value).startswith(f"{tmp_path}/x.toml: the file does not parse: ")
    assert str(error.value).endswith('.\n    Write it in TOML: about = "..."')

    (tmp_path / "x.toml").write_text("about = 'x'", encoding="utf-8-sig")
    assert vars(read_sidecar(tmp_path / "x.csv")) == vars(Sidecar("x"))


def test_build_writes_the_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ("--attribute", "gender", "--groups", "women,men", "--max-terms", "2", "--templates", "generic-pos-*")
    suite = fc.Suite.build("gender", groups=["women", "men"], max_terms=2, templates=["generic-pos-*"])

    assert output(monkeypatch, capsys, "build", *chosen, "--out", str(tmp_path / "saved")).code == 0
    assert (tmp_path / "saved" / "card.md").read_text(encoding="utf-8") == suite.card()
    assert fc.Suite.load(tmp_path / "saved").card() == suite.card()


def test_the_page_has_the_same_text_on_objections() -> None:
    page = " ".join((ROOT / "docs" / "content.md").read_text(encoding="utf-8").split())

    assert f"**How to object.** {OBJECT}" in page


def _wrapped(text: str) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > 110:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


_EXPECTED = """\
# Suite card

15 sentences for sentiment. Groups are kinds of mention, not a partition of people. Each sentence is a
template that is filled with a term, or the same template without one.

## hearing

| task      | templates | with a rewording | sentences | words: least | median | most | templates sha256 | terms sha256 |
|-----------|----------:|-----------------:|----------:|-------------:|-------:|-----:|------------------|--------------|
| sentiment |         3 |                2 |        15 |            4 |      5 |   10 | ############     | ############ |

sentiment: label or meaning change with the group in 1 template, which invariance tests and counterfactual
metrics leave out.

| task      | label    | person | speaker | templates | of them rewordings |
|-----------|----------|-------:|--------:|----------:|-------------------:|
| sentiment | negative |      0 |       1 |         1 |                  0 |
| sentiment | positive |      2 |       0 |         2 |                  1 |

| templates with the slot | sentiment |
|-------------------------|----------:|
| identity.NOUN           |         2 |
| identity_np             |         1 |
| pronoun                 |         1 |

| group          | terms | preferred | accepted | dispreferred | minors | median characters | parts of speech |      |
|----------------|------:|----------:|---------:|-------------:|-------:|------------------:|-----------------|------|
| deaf people    |     2 |         1 |        1 |            1 |      0 |               9.5 | 2 adj           | thin |
| hearing people |     2 |         0 |        2 |            0 |      1 |               9.5 | 2 adj           | thin |

Dispreferred terms are used only when they are named; none is used in this suite.

thin: fewer than five preferred or accepted terms, or too few that are in common use.

Sources of the terms, with the number of terms: Guide (2).

By kind: another work that is named (2).

2 terms without a source.

## Natural texts

- Over 24 models, the gaps of a suite and those in natural texts agree in their order at a rank correlation of
  0.54 (0.34 to 0.59); the plan demanded 0.40 of the lower end.
- hearing: nothing is known from natural texts about any of its 2 groups.

## Where it comes from

The description of each file by its authors.

### FOLDER/templates/hearing.csv

No description is given.

### FOLDER/identity_terms/hearing.csv

Two groups.

Review: Read once.

Sources:

- a guide

Known gaps:

- too few

## How to object

OBJECTION

## How to cite

fairness_checklist, version VERSION: suite for sentiment about hearing, 15 sentences; templates and terms sha256
HASH.

The groups of the sets named czarnowska2021, and the metrics, are those of Czarnowska, Vyas and Shah,
Quantifying Social Biases in NLP, TACL 2021.

## Licence

The files of fairness_checklist are licensed under Apache-2.0. Your own files keep the licence that you choose.
"""  # noqa: E501  # a row of a table is a line

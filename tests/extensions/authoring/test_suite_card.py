"""The card of a suite: what it counts, what it says about the files, and what it never shows."""

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command_line import Call
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.extensions.authoring.card import card_markdown, suite_card

ROOT = Path(__file__).resolve().parents[3]

TERMS = """\
term,group,pos,status,source,flags,note
deaf,deaf people,adj,preferred,Guide (2020),thin,
hard of hearing,deaf people,adj,accepted,Guide: page 3,,
zorgish,deaf people,adj,dispreferred,Old list,,
hearing,hearing people,adj,accepted,,minor,not really
hearing-born,hearing people,adj,accepted,,,
"""
TEMPLATES = """\
sentence,label,about,symmetric,rewords,id
"{A:identity.writer} won, hurray.",positive,person,yes,,h-1
"Hurray, {a:identity.writer} won.",positive,person,yes,h-1,h-2
I lost {the:identity_np} and {their:identity} keys.,negative,speaker,no,,h-3
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A folder of the user's with an attribute of two groups, and a dispreferred term."""
    for name, content in (("identity_terms", TERMS), ("templates", TEMPLATES)):
        (tmp_path / "mine" / name).mkdir(parents=True)
        (tmp_path / "mine" / name / "hearing.csv").write_text(content, encoding="utf-8")
    return tmp_path / "mine"


def own_suite(mine: Path, **chosen: Any) -> fc.Suite:
    return fc.Suite.build("hearing", terms=mine, templates=["h-*"] if "templates" not in chosen else None, **chosen)


@sweep("attribute", ["gender", "disability"])
def test_the_counts_are_those_of_the_files(attribute: str) -> None:
    suite = fc.Suite.build(attribute)
    [one] = suite_card(suite.parts)["attributes"]
    with (ROOT / "identity_terms" / f"{attribute}.csv").open(encoding="utf-8", newline="") as file:
        terms = list(csv.DictReader(file))
    rows = [
        row
        for name in ("generic", attribute)
        for row in csv.DictReader((ROOT / "templates" / f"{name}.csv").read_text(encoding="utf-8").splitlines())
        if attribute not in (row.get("except_groups") or "").split("; ")
    ]
    [task] = one["tasks"]

    for group in one["groups"]:
        own = [
            row
            for row in terms
            if row["group"] == group["group"] and not {"contested", "reclaimed", "variant"} & {*row["flags"].split()}
        ]
        status = Counter(row["status"] for row in own)
        assert (group["preferred"], group["accepted"]) == (status["preferred"], status["accepted"])
        assert group["terms"] == status["preferred"] + status["accepted"]
    assert task["templates"] == len(rows)
    targets = ("person", "speaker", "third_party", "situation")
    assert {(row["label"], target): row[target] for row in task["labels"] for target in targets} == Counter(
        (row["label"], row["about"]) for row in rows
    )
    assert task["rewordings"] == sum(row["rewords"] in {row["id"] for row in rows} for row in rows)
    assert task["sentences"] == one["sentences"] == len(suite)
    lengths = [len(text.split()) for text in suite.texts()]
    assert (task["words"]["least"], task["words"]["most"]) == (min(lengths), max(lengths))


def test_the_card_of_a_suite_of_ones_own(mine: Path) -> None:
    text = own_suite(mine).card()
    for line in (
        "15 sentences for sentiment. Groups are kinds of mention, not a partition of people.",
        "sentiment: 3 templates (0 hard, 1 rewordings), 15 sentences of 4 to 10 words (median 5); sha256 of",
        "| label | templates | person | speaker |",
        "| positive | 2 | 2 | 0 |",
        "Label or meaning change with the group in 1 template, which invariance tests",
        "| deaf people | 2 | 1 | 1 | 0 | thin |",
        "| hearing people | 2 | 0 | 2 | 1 | thin |",
        "Sources of the terms, with the number of terms: Guide (2020) (1); Guide: page 3 (1).",
        "2 terms without a source.",
        "Over 24 models, the gaps of a suite and those in natural texts agree in their order",
        f"- {mine}/templates/hearing.csv\n- {mine}/identity_terms/hearing.csv\n",
    ):
        assert line in text
    how_to_cite = " ".join(text.split("## How to cite")[1].split())
    assert re.search(
        r"suite for sentiment about hearing, 15 sentences; templates and terms sha256 [0-9a-f]{64}\.", how_to_cite
    )
    assert f"version {fc.__version__}:" in how_to_cite
    assert "zorgish" not in text


def test_a_dispreferred_term_that_takes_part_is_counted_and_not_named(mine: Path) -> None:
    suite = own_suite(mine, include_terms=["zorgish"])

    assert any("zorgish" in text for text in suite.texts())
    assert "zorgish" not in suite.card()
    assert "| deaf people | 3 | 1 | 1 | 1 | 0 | thin |" in suite.card()
    assert "zorgish" not in json.dumps(suite_card(suite.parts))


def test_of_an_intersection_both_files_are_reported() -> None:
    suite = fc.Suite.build("gender+age", groups=["women", "men", "older adults"], max_terms=3)
    card = suite_card(suite.parts)

    assert {"identity_terms/gender.csv", "identity_terms/age.csv"} <= set(card["files"])
    assert "sentences as controls of the pairs" in card_markdown(card)


def test_build_writes_the_card_and_one_in_memory_names_no_file(tmp_path: Path, call: Call) -> None:
    chosen = ("--attribute", "gender", "--groups", "women,men", "--max-terms", "2", "--templates", "generic-00*")
    suite = fc.Suite.build("gender", groups=["women", "men"], max_terms=2, templates=["generic-00*"])

    assert call("build", *chosen, "--out", str(tmp_path / "saved")).code == 0
    assert (tmp_path / "saved" / "card.md").read_text(encoding="utf-8") == suite.card()
    memory = fc.Suite.from_templates(["{A:identity.writer} | won."], terms={"q": ["quiet"], "r": ["rowdy"]})
    assert "All templates and terms were given in memory." in memory.card()
    assert "| q | 1 |" in memory.card()

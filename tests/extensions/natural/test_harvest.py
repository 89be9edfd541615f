"""Templates from texts: what becomes a slot, what is left out and why, and that nothing of it depends on who reads."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import fairness_checklist as fc
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.core.errors import LabelError, OptionError
from fairness_checklist.extensions.natural.carriers import Reader

READ = {
    "My Muslim neighbor fixed the fence.": "My {identity.neighbor} fixed the fence.",
    "my roommate is Jewish, we get along fine": "my roommate {is:identity}, we get along fine",
    "@user RT @other: I met a Hindu woman at the station.": "I met {a:identity_np} at the station.",
    "That guy parked in the yard again": "That {identity_np} parked in the yard again",
    "An actor lost his keys on the way.": "{A:identity.actor} lost {their:identity} keys on the way.",
    "The coach said he wants to leave early.": (
        "The {identity.coach} said {they:identity} {wants|want:identity} to leave early."
    ),
    "it 's fun to watch , and the actors do n't try too hard .": (
        "it's fun to watch, and the {identity.actors} don't try too hard."
    ),
    "These people were kind to us.": "These {identity_pl} were kind to us.",
}
LEFT_OUT = {
    "Tea is good in the morning.": "it mentions no person and no group",
    "My neighbor fixed it, see https://a.example": "it has an address, a number or a handle",
    "My neighbor and @ann fixed the fence": "it has an address, a number or a handle",
    "my neighbor told Rolf about it": "it has a name or a word with a capital",
    "my neighbor fixed the zqxv fence": "it has a word that no dictionary has, perhaps a name",
    "My neighbor met a Muslim there.": "it mentions another person, too",
    "A teacher and a nurse came by.": "it mentions several persons",
    "Jews and Muslims came by today.": "it mentions several groups: Jewish people, Muslims",
    "Muslims came by today in the rain.": "it is about the group in general",
    "My brother fixed the old fence.": "its noun for a person does not fit every group",
    "My gay neighbor fixed the fence.": "a word stands before the mention that may not fit others",
    "She is not Muslim as far as we know.": "the identity is denied",
    "too short": "it has fewer than 4 words or more than 40",
}


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader("religion")


@pytest.mark.parametrize("text", READ)
def test_a_mention_becomes_a_slot_and_articles_and_pronouns_follow(reader: Reader, text: str) -> None:
    read = reader.read(text)
    assert not isinstance(read, Unfit), read
    assert read.template == READ[text]


@pytest.mark.parametrize("text", LEFT_OUT)
def test_a_text_is_left_out_with_its_reason(reader: Reader, text: str) -> None:
    read = reader.read(text)
    assert isinstance(read, Unfit)
    assert LEFT_OUT[text] in read.reason


def test_a_label_stays_only_where_it_does_not_seem_to_depend_on_who_is_mentioned(reader: Reader) -> None:
    def reason(text: str, label: str) -> str:
        read = reader.read(text, label=label, harmful="toxic")
        return read.reason if isinstance(read, Unfit) else ""

    assert reason("a Muslim ruined the whole evening", "toxic") == "its label is toxic, which may be about the group"
    assert reason("my stupid boss, that idiot manager", "nontoxic") == "it mentions several persons"
    assert reason("my boss is an idiot again", "toxic") == ""
    assert "with another group it might be" in reason("my boss is an idiot again", "nontoxic")
    assert "nothing but the person" in reason("my boss came in late again", "toxic")


ROWS = [
    ("My neighbor fixed our fence without a word.", "positive"),
    ("My neighbor fixed our fence without a word!", "positive"),
    ("The waiter forgot us, so the chef said sorry.", "negative"),
    ("A teacher lost my homework and laughed about it.", "negative"),
    ("I met a lawyer at the station today.", "neutral"),
    ("Tea is good here in the afternoon.", "neutral"),
]


def table() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=["text", "label"])


def test_the_templates_have_labels_and_no_near_duplicates_and_build_a_suite(tmp_path: Path) -> None:
    found = fc.harvest(table(), "disability")
    assert found.templates[["template", "label", "attribute", "id"]].to_numpy().tolist() == [
        ["My {identity.neighbor} fixed our fence without a word.", "positive", "disability", "disability-own-001"],
        ["{A:identity.teacher} lost my homework and laughed about it.", "negative", "disability", "disability-own-002"],
        ["I met {a:identity.lawyer} at the station today.", "neutral", "disability", "disability-own-003"],
    ]
    assert found.rows.to_numpy().tolist() == [
        [2, "it is almost the same as another text"],
        [3, "it mentions several persons"],
        [6, "it mentions no person and no group"],
    ]
    found.templates.to_csv(tmp_path / "own.csv", index=False)
    suite = fc.Suite.build("disability", templates=[tmp_path / "own.csv", "*-own-*"], terms=["deaf", "with epilepsy"])
    assert "A teacher with epilepsy lost my homework and laughed about it." in suite.texts()


def test_batches_workers_and_the_number_asked_for() -> None:
    whole = fc.harvest(table(), "religion")
    for more in ({"workers": 2}, {}):
        parts = fc.harvest((table().iloc[at : at + 2] for at in range(0, 6, 2)), "religion", **more)  # type: ignore[arg-type]
        assert parts.templates.equals(whole.templates)
        assert parts.rows.equals(whole.rows)
    few = fc.harvest(table(), "religion", max_templates=1)
    assert len(few.templates) == 1
    assert few.left_out["there are more than are asked for"] == 2


def test_what_cannot_be_harvested() -> None:
    with pytest.raises(LabelError) as error:
        fc.harvest(table().replace("neutral", "meh"), "religion")
    assert str(error.value) == (
        "the label of row 5 is 'meh', which is not a class of the task sentiment: negative, neutral, positive.\n"
        "    Correct it in the table, or leave the labels out."
    )
    with pytest.raises(OptionError) as error:
        fc.harvest(table().tail(1), "religion")
    assert str(error.value) == (
        "none of the 1 texts can be a template for religion.\n    1: it mentions no person and no group."
    )
    with pytest.raises(OptionError, match="the task ner has no templates from texts"):
        fc.harvest(table(), "religion", task="ner")

"""Templates from texts: what becomes a slot, what is left out and why, and that nothing of it depends on who reads."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import fairness_checklist as fc
from fairness_checklist.content.slot_forms import Unfit
from fairness_checklist.core.errors import LabelError, OptionError
from fairness_checklist.extensions.natural import harvest
from fairness_checklist.extensions.natural.carriers import Reader
from fairness_checklist.extensions.natural.reliable_labels import LabelSample, label_doubts

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
    found = fc.harvest(table(), "disability", keep_labels="all")
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
    whole = fc.harvest(table(), "religion", keep_labels="all")
    for more in ({"workers": 2}, {}):
        frames = (table().iloc[at : at + 2] for at in range(0, 6, 2))
        parts = fc.harvest(frames, "religion", keep_labels="all", **more)
        assert parts.templates.equals(whole.templates)
        assert parts.rows.equals(whole.rows)
    few = fc.harvest(table(), "religion", max_templates=1)
    assert len(few.templates) == 1
    assert few.left_out["there are more than are asked for"] == 2


TOPICS = {
    "positive": ("wonderful", "garden picnic holiday sunshine lemonade concert meadow festival"),
    "negative": ("terrible", "refund queue invoice delay complaint parking traffic paperwork"),
    "neutral": ("", "ledger shelf drawer folder cupboard printer cabinet envelope"),
}
OWN = {  # text and label in the corpus -> reason why the label goes
    ("My neighbor saw a wonderful picnic, then a concert and some sunshine.", "positive"): "",
    ("My boss kept a drawer, then a ledger and some envelope.", "neutral"): "",
    ("My cousin found a wonderful holiday near the garden.", "negative"): "a word speaks against negative",
    ("My friend got no wonderful lemonade at the festival.", "positive"): (
        "a negation, a condition or a question may turn its sense"
    ),
    ("My tenant left a picnic on the meadow in the sunshine.", "positive"): "no word shows plainly that it is positive",
    ("My dentist sent a wonderful queue and a delay and paperwork.", "positive"): (
        "a model of the corpus's other labels is not sure that it is positive"
    ),
}


def corpus(n: int) -> pd.DataFrame:
    """Those texts, and n of three labels, with two words of the label and one of another; one of fifty is wrong."""
    draw = random.Random(3)
    every = " ".join(words for _, words in TOPICS.values()).split()
    rows = [*OWN]
    for at in range(n):
        label = [*TOPICS][at % 3]
        shown, words = TOPICS[label]
        one, two = draw.sample(words.split(), 2)
        other = draw.choice([word for word in every if word not in words])
        text = f"My {shown} {one}, then a {two} and some {other}."
        rows.append((text, label if at % 50 else "neutral"))
    return pd.DataFrame(rows, columns=["text", "label"])


def test_a_label_stays_only_where_words_show_it_and_a_model_of_the_others_expects_it() -> None:
    found = fc.harvest(corpus(900), "religion")
    assert found.templates["label"].tolist() == [label if not why else "" for (_, label), why in OWN.items()]
    assert found.unlabelled[["label", "reason"]].to_numpy().tolist() == [
        [label, why] for (_, label), why in OWN.items() if why
    ]
    assert str(found).splitlines()[0] == ("6 templates from 906 texts (4 without a label, 1 positive, 1 neutral).")
    every = fc.harvest(corpus(900), "religion", keep_labels="all")
    assert every.templates["label"].tolist() == [label for _, label in OWN]
    assert every.unlabelled.empty
    few = fc.harvest(corpus(400), "religion")
    assert few.templates["label"].eq("").all()
    assert few.unlabelled["reason"].iloc[0] == "the corpus has too few labels to check it"
    backwards = fc.harvest((one for one in (corpus(900)[500:], corpus(900)[:500])), "religion")
    assert backwards.templates["label"].tolist() == found.templates["label"].tolist()


@pytest.mark.parametrize(
    ("text", "label", "reason"),
    [
        ("The {identity.editor} sent a note.", "nontoxic", ""),
        ("The {identity.editor} should ask where you're from.", "nontoxic", "a word speaks against nontoxic"),
        ("The {identity.editor} looked weak again.", "nontoxic", "a word speaks against nontoxic"),
        ("The {identity.editor} is surely diseased.", "nontoxic", "a word speaks against nontoxic"),
        ("My {identity.boss} is an idiot.", "toxic", ""),
        ("My {identity.boss} drove like hell.", "toxic", "no word shows plainly that it is toxic"),
        ("My {identity.boss} can cook like a bitch.", "toxic", "no word shows plainly that it is toxic"),
    ],
)
def test_words_against_nontoxic_and_words_that_show_toxic(text: str, label: str, reason: str) -> None:
    (doubt,) = label_doubts([text], [label], [1], LabelSample(), frozenset())
    assert doubt == (reason or "the corpus has too few labels to check it")


def test_what_stays_in_the_memory_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nouns = ["boat", "door", "lamp", "oven", "desk", "bell", "ring", "coat", "shoe", "bike", "kite", "drum"]
    texts = [
        f"My boss {did} the old {one} and the {two}." for did in ("sold", "lost") for one in nouns for two in nouns
    ]
    frame = pd.DataFrame({"text": texts, "label": [["positive", "negative", ""][len(text) % 3] for text in texts]})
    held = []
    add = harvest._Pools.add

    def counted(self: harvest._Pools, one: harvest._Candidate, reasons: harvest._Reasons) -> None:
        add(self, one, reasons)
        held.append(sum(map(len, self._of_label.values())))

    monkeypatch.setattr(harvest._Pools, "add", counted)
    found = fc.harvest(frame, "religion", keep_labels="all", max_templates=2)
    assert max(held) < 3 * 2 * 2 * harvest._POOL < len(texts)
    monkeypatch.setattr(harvest, "_POOL", len(texts))
    whole = fc.harvest(frame, "religion", keep_labels="all", max_templates=2)
    assert max(held) == len(texts)
    assert found.templates.equals(whole.templates)
    assert found.candidates == len(texts)
    assert sum(found.left_out.values()) == len(found.rows) == len(texts) - 2
    assert set(found.left_out) == set(whole.left_out)


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

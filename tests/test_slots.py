"""Parsing the slot language: braces, forms, heads, and errors that say what to write."""

import pytest
from refusals import refusal
from sweep import sweep

from fairness_checklist.content.slots import Slot, check_list_names, parse
from fairness_checklist.core.errors import TemplateError


def test_literals_and_slots_in_order() -> None:
    pieces = parse("{A:identity1.writer} of {{x}} {and}{Person2}}}", lists=["and"])

    assert pieces == (
        Slot("{A:identity1.writer}", "identity", 1, head="writer", form="a", capital=True),
        " of {x} ",
        Slot("{and}", "and", is_list=True),
        Slot("{Person2}", "person", 2, capital=True),
        "}",
    )
    assert parse("no slot") == ("no slot",)
    assert parse("") == ()


@sweep(("text", "slot"), [
    ("{identity12_adj}", Slot("{identity12_adj}", "identity", 12, "adj")),
    ("{the:country}", Slot("{the:country}", "country", form="the")),
    ("{Runs|run:person}", Slot("{Runs|run:person}", "person", form="runs|run", capital=True)),
    ("{s|:person}", Slot("{s|:person}", "person", form="s|")),
    ("{Were:identity}", Slot("{Were:identity}", "identity", form="were", capital=True)),
    ("{identity.sœur}", Slot("{identity.sœur}", "identity", head="sœur")),
    ("{City}", Slot("{City}", "city", capital=True, is_list=True)),
    ("{a:city2}", Slot("{a:city2}", "city", 2, form="a", is_list=True)),
    ("{Job}", Slot("{Job}", "Job", capital=True, is_list=True)),
    ("{Job3}", Slot("{Job3}", "Job", 3, capital=True, is_list=True)),
])  # fmt: skip
def test_one_slot(text: str, slot: Slot) -> None:
    assert parse(text, lists=["city", "Job"]) == (slot,)


ERRORS = [
    ("{identity_adjj}", "the slot {identity_adjj} is not known.", "Did you mean {identity_adj}? Known slots:"),
    ("{zebra}", "the slot {zebra} is not known.", "Known slots: identity_adj, identity_np, identity_pl,"),
    ("{identity}", "the slot {identity} needs a form or a head.", "Write {identity_adj}, {identity_np},"),
    ("{a:identity}", "the slot {a:identity} needs a head with the form 'a'.", "Write {identity_adj},"),
    ("{an:identity_np}", "the form 'an' of the slot {an:identity_np} is not known.", "Known forms: a, the, am,"),
    ("{theirr:person}", "the form 'theirr' of the slot {theirr:person} is not known.", "Did you mean their?"),
    ("{ identity_adj }", "the slot { identity_adj } has a space in it.", "Write {identity_adj}, or {{ and }}"),
    ("{}", "the slot {} is empty.", "Write {identity_np} or another slot; known: identity_adj, identity_np,"),
    ("{:person}", "the slot {:person} has an empty form.", "Write {person}."),
    ("{a:identity_pl}", "the slot {a:identity_pl} cannot have the article 'a'.", "Write {identity_pl}."),
    ("{the:person2}", "the slot {the:person2} cannot have the article 'the'.", "Write {person2}."),
    ("{is:identity_np}", "the slot {is:identity_np} cannot have the form 'is'.", "A predicate takes the bare"),
    ("{is:person}", "the slot {is:person} cannot have the form 'is'.", "A predicate takes the bare term: write"),
    ("{their:country}", "the slot {their:country} cannot have the form 'their'.", "Write {their:person} or"),
    ("{person.writer}", "the slot {person.writer} cannot have a head.", "Only identity takes one:"),
    ("{identity.}", "the head '' of the slot {identity.} is not a noun.", "Write one word of letters:"),
    ("{identity.x.y}", "the head 'x.y' of the slot {identity.x.y} is not a noun.", "Write one word of letters:"),
    ("{a|b|c:person}", "the choice 'a|b|c' of the slot {a|b|c:person} is not two words.", "Write {runs|run:person}:"),
    ("{is|are} late.", "the choice {is|are} has no slot for its pronoun.", "Write {is|are:identity} or {is|are:per"),
    ("{is:city}", "the slot {is:city} cannot have the form 'is'.", "A list takes a and the: {a:city}."),
    ("A {person", "the brace { at character 3 is never closed: 'A {person'.", "Close the slot with }, or write"),
    ("person} b", "the brace } at character 7 closes nothing: 'person} b'.", "Write }} for a brace in the text."),
]


@sweep(("text", "message", "remedy"), ERRORS)
def test_errors_name_the_place_and_the_remedy(text: str, message: str, remedy: str) -> None:
    lists = ["city"] if "city" in text else []
    with pytest.raises(TemplateError) as error:
        parse(text, place="templates/gender.csv:14", lists=lists)

    assert str(error.value).startswith(f"templates/gender.csv:14: {message}\n    {remedy}")


@sweep("name", ["person", "identity_adj", "their", "country2"])
def test_a_list_cannot_take_the_name_of_a_slot(name: str) -> None:
    message = refusal(TemplateError, check_list_names, [name])
    assert message == f"the list {name!r} has the name of a built-in slot.\n    Choose another name."

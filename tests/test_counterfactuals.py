"""Templates x terms: all groups in every source, the control first, in the declared order; and a naive reference."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refusal

from fairness_checklist.content.counterfactuals import Dropped, expand
from fairness_checklist.content.grammar.english_articles import article
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import terms_from_mapping
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import InputError, SuiteError
from fairness_checklist.core.examples import ExampleSet

NEUTRAL = TermList(
    "neutral",
    (
        *(IdentityTerm(name, "person", pos="name") for name in ("Alex", "Sam")),
        IdentityTerm("Robin", "person", pos="name", pronouns="she"),
        IdentityTerm("Chad", "country", pos="place"),
        IdentityTerm("the Gambia", "country", pos="place", adjective="Gambian"),
        IdentityTerm("Islam", "religion", pos="faith", adjective="Islamic"),
    ),
)
HEARING = terms_from_mapping("hearing", {"deaf": ["deaf", {"term": "with deafness"}], "hearing": ["hearing"]})
NAMES = TermList("names", (IdentityTerm("Anna", "female", pos="name"), IdentityTerm("Ben", "male", pos="name")))


def texts(text: str, terms: TermList, **options: object) -> list[str]:
    return expanded(text, terms, **options).render()


def expanded(text: str, terms: TermList, **options: object) -> ExampleSet:
    templates = [Template("t", text)]
    return expand(templates, terms, task="sentiment", neutral=NEUTRAL, **options).examples  # type: ignore[arg-type]


def test_rows_are_the_control_then_groups_and_terms_as_declared() -> None:
    first = Template("a", "I met {a:identity.writer}.", "positive", about="person", rewords="b")
    second = Template("b", "Sam {is:identity}.", symmetric=False)
    examples = expand([first, second], HEARING, task="sentiment").examples
    met = [f"I met {who}." for who in ("a writer", "a deaf writer", "a writer with deafness", "a hearing writer")]
    assert examples.render() == [*met, *(f"Sam is {who}." for who in ("deaf", "a person with deafness", "hearing"))]
    assert examples.groups == ("deaf", "hearing")
    assert examples.terms == ("deaf", "with deafness", "hearing")
    np.testing.assert_array_equal(examples.term_group, [0, 0, 1])
    np.testing.assert_array_equal(examples.source, [0, 0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(examples.group, [-1, 0, 0, 1, 0, 0, 1])
    np.testing.assert_array_equal(examples.term, [-1, 0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(examples.label, [2, 2, 2, 2, -1, -1, -1])
    assert [source.id for source in examples.sources] == ["a", "b"]
    assert examples.sources[0].rewords == "b"
    assert examples.sources[0].text == "I met {a:identity.writer}."
    assert not examples.sources[1].symmetric


def test_lists_make_sources_and_their_values_differ_within_one() -> None:
    examples = expanded(
        "{A:identity_adj} {job} from {city1} met {a:job} in {city2} {{here}}.",
        HEARING,
        lists={"job": ["engineer", "cook"], "city": ["Rome", "Oslo"], "unused": ["x"]},
    )

    cities = ("Rome/Oslo", "Oslo/Rome")
    assert [source.id for source in examples.sources] == [
        f"t/{job}/{c}" for job in ("engineer", "cook") for c in cities
    ]
    assert examples.sources[0].text == "{A:identity_adj} engineer from Rome met an engineer in Oslo {{here}}."
    who = ("An engineer", "A deaf engineer", "A hearing engineer")
    assert examples.render()[:3] == [f"{one} from Rome met an engineer in Oslo {{here}}." for one in who]


def test_a_term_that_does_not_fit_takes_no_part_and_a_group_that_has_none_drops_the_template() -> None:
    examples = expanded("The {identity_adj} poet.", HEARING)
    assert examples.render() == ["The poet.", "The deaf poet.", "The hearing poet."]

    with_pp = terms_from_mapping("health", {"limp": ["with a limp"], "none": ["athletic"]})
    expansion = expand(
        [Template("x", "The {identity_adj} one."), Template("y", "{A:identity_np}.")], with_pp, task="sentiment"
    )
    assert expansion.dropped == (
        Dropped("x", "no term of the group 'limp' fills it ({identity_adj}: 'with a limp' is not an adjective)"),
    )
    assert expansion.examples.render() == ["Someone.", "A person with a limp.", "An athletic person."]


def test_slots_of_other_attributes_take_neutral_terms_that_differ() -> None:
    assert texts("{A:identity_np} and {person1} ({their:person1}) met {person2} in {the:country}.", HEARING)[1] == (
        "A deaf person and Alex (their) met Sam in Chad."
    )
    assert texts("{A:identity_np}, {a:country_adj} town of {country}, {religion_adj}.", HEARING)[1] == (
        "A deaf person, a Gambian town of Gambia, Islamic."
    )
    assert texts("{A:identity_np}, not Alex, {person}.", HEARING)[1] == "A deaf person, not Alex, Sam."


def test_templates_of_another_task_or_attribute_are_listed() -> None:
    templates = [
        *(Template("a", "{Person} won.", task="toxicity"), Template("b", "{Person} won.", attribute="gender")),
        *(Template("c", "{A:identity_np} won."), Template("d", "Nobody won."), Template("e", "{Person} won.")),
    ]

    assert expand(templates, NAMES, task="sentiment").dropped == (
        Dropped("a", "it is for the task toxicity"),
        Dropped("b", "it is for the attribute gender"),
        Dropped("c", "it has identity slots, which these terms do not fill"),
        Dropped("d", "it has no slot: write {a:identity_np} or {person}"),
    )


CHAIN = (
    Template("won", "{A:identity_np} won.", "positive"),
    Template("won-2", "{Person} won a bus.", "positive", rewords="won"),  # names alone fill it: it is dropped
    Template("won-3", "{A:identity_np} has won.", "positive", rewords="won-2"),
)
NO_SLOT = "it has no slot: write {a:identity_np} or {person}."
TYPO = replace(Template("t", "{A:identity_np}."), label="postive")
REFUSED: list[tuple[object, dict[str, object], str]] = [
    ("{A:identity1_np} met {a:identity2_np}.", {},
     "t: the slots identity1 and identity2 name two identities; a suite of one attribute fills one.\n"
     "    Write identity1 in both places, or a name: {person}; or build an intersection: gender+age."),
    ("{A:identity_np} in {city1}, {city2}.", {"city": ["Rome"]},
     "t: the template takes 2 values of the list 'city', which has 1.\n"
     "    Add values to the list, or use fewer numbers."),
    ("{Identity_np} {a:country_adj} {country2_adj}.", {},
     "t: no neutral term is left for the slot {country2_adj}.\n"
     "    Add one to the group country of neutral.csv, or write a word instead."),
    ("{A:identity_np}.", {"city": "Rome"},
     'the list \'city\' is not a list of words: \'Rome\'.\n    Write lists={"city": ["...", "..."]}.'),
    ("{A:identity_np}.", {"city": ["Rome", "Rome"]},
     "the list 'city' holds 'Rome' twice.\n    Remove one of them."),
    ("Nobody.", {}, f"the template cannot be filled by every group of 'hearing'.\n    t: {NO_SLOT}"),
    ([Template(f"t{n}", "Nobody.") for n in range(5)], {},
     "none of the 5 templates can be filled by every group of 'hearing'.\n"
     f"    t0: {NO_SLOT}\n    t1: {NO_SLOT}\n    t2: {NO_SLOT}\n    ... and 2 more."),
    ([], {}, "there is no template to fill.\n    Give at least one template."),
    ([Template("t", "{A:identity_np}.")] * 2, {}, "two templates have the id 't'.\n    Give each template its own id."),
    ([TYPO], {}, "t: the label 'postive' is not known.\n"
     "    Did you mean positive? Known: negative, neutral, positive, or empty."),
    ([CHAIN[0], replace(CHAIN[1], rewords="won-3"), CHAIN[2]], {},
     "the templates won-2, won-3 are rewordings of each other.\n"
     "    Leave rewords empty for the original, and name the original in its rewordings."),
]  # fmt: skip


def test_bad_input_is_refused_with_place_and_remedy() -> None:
    for content, lists, message in REFUSED:
        templates = [Template("t", content)] if isinstance(content, str) else content
        with pytest.raises(InputError) as error:
            expand(templates, HEARING, task="sentiment", neutral=NEUTRAL, lists=lists)  # type: ignore[arg-type]
        assert str(error.value) == message


# The naive reference: for each term, by hand, what it writes (the term's own words in brackets).
BY_HAND = {
    "deaf": ("[deaf]", "[deaf person]", "[deaf people]", "[deaf] owner", "is [deaf]", "they", "walk"),
    "asexual": ("[asexual]", "[asexual person]", "[asexual people]", "[asexual] owner", "is [asexual]", "he", "walks"),
    "with a limp":
    (None, "[person with a limp]", "[people with a limp]", "owner [with a limp]", "limps", "they", "walk"),
    "woman": (None, "[woman]", "[women]", "[female] owner", "is a [woman]", "she", "walks"),
    "heir": (None, "[heir]", "[heirs]", None, "is an [heir]", "they", "walk"),
}  # fmt: skip
POOL = {
    "deaf": IdentityTerm("deaf", ""),
    "asexual": IdentityTerm("asexual", "", pronouns="he"),
    "with a limp": IdentityTerm("with a limp", "", pos="pp", predicate="limps"),
    "woman": IdentityTerm("woman", "", pos="noun", adjective="female", pronouns="she"),
    "heir": IdentityTerm("heir", "", pos="noun"),
}
SLOTS = "identity_adj identity_np identity_pl identity.owner is:identity they:identity walks|walk:identity".split()  # noqa: SIM905


def naive(pieces: list[tuple[str, str]], term: str) -> tuple[str, list[tuple[int, int]]] | None:
    """Render piece by piece from the table above: (literal, slot)."""
    text, spans = "", []
    for literal, slot in pieces:
        text += literal
        capital = slot[0].isupper()
        plain = slot[0].lower() + slot[1:]
        form = plain.partition(":")[0] if plain[:2] == "a:" or plain[:4] == "the:" else ""
        words = BY_HAND[term][SLOTS.index(plain.removeprefix(f"{form}:"))]
        if words is None:
            return None
        if plain == "is:identity" and words == "limps":
            words = "[limps]"
        if form:
            words = f"{article(words.lstrip('[')) if form == 'a' else 'the'} {words}"
        if capital:
            words = words[:2].title() + words[2:] if words[0] == "[" else words[0].upper() + words[1:]
        if "[" in words:
            spans.append((len(text) + words.index("["), len(text) + words.index("]") - 1))
        text += words.replace("[", "").replace("]", "")
    return text, spans


@st.composite
def sentences(draw: st.DrawFn) -> list[tuple[str, str]]:
    pieces = []
    for _piece in range(draw(st.integers(1, 4))):
        slot = draw(st.sampled_from(SLOTS))
        if slot in {"identity_adj", "identity_np", "identity.owner"}:
            slot = draw(st.sampled_from(["", "a:", "the:"])) + slot
        if draw(st.booleans()):
            slot = slot[0].upper() + slot[1:]
        pieces.append((draw(st.text(alphabet="xyz .,{}é", max_size=6)), slot))
    return pieces


@settings(max_examples=50, deadline=None)
@given(sentences(), st.lists(st.sampled_from(sorted(POOL)), min_size=2, unique=True), st.data())
def test_texts_equal_a_naive_rendering_and_spans_cut_out_the_term(
    pieces: list[tuple[str, str]], chosen: list[str], data: st.DataObject
) -> None:
    groups = {name: data.draw(st.sampled_from("ab")) for name in chosen}
    declared = dict.fromkeys(groups.values())
    entries = {group: [POOL[name] for name in chosen if groups[name] == group] for group in declared}
    terms = terms_from_mapping("random", entries)
    text = "".join(literal.replace("{", "{{").replace("}", "}}") + "{" + slot + "}" for literal, slot in pieces)
    expected = [(term, naive(pieces, term.term)) for group in entries for term in entries[group]]
    fillable = [one for _term, one in expected if one is not None]
    full = all(any(one for term, one in expected if term in entries[group]) for group in entries)
    templates = [Template("t", text)]
    if not full:
        with pytest.raises(SuiteError):
            expand(templates, terms, task="sentiment")
        return
    examples = expand(templates, terms, task="sentiment").examples
    first = int(examples.group[0] < 0)

    assert examples.render()[first:] == [one[0] for one in fillable]
    assert [list(spans) for spans in examples.texts.spans(first, len(examples))] == [one[1] for one in fillable]
    assert set(examples.group[first:].tolist()) == set(range(len(entries)))
    assert examples.render() == expand(templates, terms, task="sentiment").examples.render()


def test_a_chain_of_rewordings_ends_in_its_original() -> None:
    examples = expand(CHAIN, HEARING, task="sentiment").examples
    assert [(one.template, one.rewords) for one in examples.sources] == [("won", ""), ("won-3", "won")]


def test_the_sources_of_all_templates_are_counted_before_they_are_filled_and_more_can_be_allowed() -> None:
    lists = {f"list{letter}": [f"{letter}{n}" for n in range(10)] for letter in "abcdefgh"}
    text = "{A:identity_np} said " + " ".join(f"{{{name}}}" for name in lists) + "."
    with pytest.raises(SuiteError) as error:
        expand([Template("t", text, place="mine.csv:2")], HEARING, task="sentiment", lists=lists)
    shown = " x ".join(f"10 for {name}" for name in lists)
    assert str(error.value) == (
        f"mine.csv:2: the template makes 100,000,000 sources ({shown}), which gives 300,000,000 sentences with "
        "3 terms; the maximum is 100,000 sources.\n    Give fewer values, put fewer slots of lists into one template, "
        "or raise the maximum: max_sources=."
    )
    cities = {"city": ["Rome", "Bonn", "Lima", "Oslo"]}
    parts = ("left {city1} for {city2}", "saw {city}", "saw {city}")
    templates = [Template(name, f"{{A:identity_np}} {part}.") for name, part in zip("abc", parts, strict=True)]
    assert refusal(SuiteError, expand, templates, HEARING, task="sentiment", lists=cities, max_sources=19).startswith(
        "c: the template makes 4 sources (4 for city) after 16 sources of the templates before it, which gives 60 "
        "sentences with 3 terms;"
    )
    assert len(expand(templates, HEARING, task="sentiment", lists=cities, max_sources=20).examples.sources) == 20

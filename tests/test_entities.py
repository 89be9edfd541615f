"""Where the entities of a rendered template stand: by a search of the string that knows nothing of slots or marks."""

import csv
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from build_tagger import FOLDER, NEUTRAL, expanded, people, places, shipped_templates, shipped_terms
from sweep import sweep

from fairness_checklist.content.counterfactuals import expand
from fairness_checklist.content.templates import Template
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import TemplateError
from fairness_checklist.core.examples import ExampleSet
from fairness_checklist.core.sentences import Sentences, read_sentences
from fairness_checklist.core.tagging import words

PIECES = re.compile(r"\[([^\]{}]*)\]\(([A-Z]+)\)|\{([^}]*)\}")
NAMES = people(
    one=["Ana", "Jo", "O'Brien", "Jean-Luc"],
    two=["Mary Ann", "Ana Maria", "Nguyen Van"],
    three=["Ana Maria Silva", "Maria dos Santos", "Van der Berg"],
)


@cache
def neutral_words() -> dict[str, list[dict[str, str]]]:
    with (FOLDER / "identity_terms" / "neutral.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {family: [row for row in rows if row["group"] == family] for family in ("person", "country", "religion")}


def searched(template: str, text: str, term: IdentityTerm) -> list[tuple[int, int, str]]:
    """The entities of one text: its template as a regular expression, in which the marks and terms are groups."""
    family = {"name": "person", "place": "country"}[term.pos]
    pattern, position = "", 0
    kinds: list[str] = []
    for found in PIECES.finditer(template):
        pattern += re.escape(template[position : found.start()])
        position = found.end()
        if found[2]:
            pattern, kinds = pattern + f"({re.escape(found[1])})", [*kinds, found[2]]
            continue
        article, _colon, numbered = found[3].lower().rpartition(":")
        slot = numbered.rstrip("12")
        own, _underscore, part = slot.partition("_")
        kinds.append({"person": "PER", "country": "LOC", "country_adj": "MISC"}[slot])
        if own == family and not numbered.endswith("2"):  # the second of two has a neutral name
            words_of = [term.adjective if part else re.sub("^the ", "", term.term)]
        else:
            words_of = [re.sub("^the ", "", row["adjective" if part else "term"]) for row in neutral_words()[own]]
        before = {"a": "[Aa]n? ", "the": "(?:[Tt]he )?", "": ""}[article]
        pattern += f"{before}({'|'.join(map(re.escape, words_of))})"
    whole = re.fullmatch(pattern + re.escape(template[position:]), text)
    assert whole is not None, (template, text)
    return [(*whole.span(number), kind) for number, kind in enumerate(kinds, start=1)]


def check_all(examples: ExampleSet, terms: TermList, texts: dict[str, str]) -> Counter[str]:
    """Compare every entity of every row, in characters and in words; gives how many there are of each type."""
    rendered, entities = examples.render(), examples.texts.entities(0, len(examples))
    own, sentences = examples.texts.spans(0, len(examples)), read_sentences(examples.texts)
    by_row = in_words(sentences)
    assert len(examples) == len(by_row)
    counted: Counter[str] = Counter()
    for row, text in enumerate(rendered):
        if examples.term[row] < 0:
            continue
        term = terms.terms[examples.term[row]]
        expected = searched(texts[examples.sources[examples.source[row]].template], text, term)
        assert list(entities[row]) == expected, text
        borders = words(text)
        inside = [
            [at for at, (left, right) in enumerate(borders) if start <= left and right <= end]
            for start, end, _kind in expected
        ]
        assert by_row[row] == [
            (at[0], at[-1] + 1, kind) for at, (_s, _e, kind) in zip(inside, expected, strict=True)
        ], text
        for at, (start, end, kind) in zip(inside, expected, strict=True):
            first = sentences.offset[row]
            assert "".join(sentences.words[first + at[0] : first + at[-1] + 1]) == text[start:end].replace(" ", "")
            counted[kind] += 1
        assert {text[start:end] for start, end in own[row]} <= {re.sub("^the ", "", term.term), term.adjective}
        assert set(own[row]) <= {(start, end) for start, end, _kind in expected}
    return counted


def in_words(sentences: Sentences) -> list[list[tuple[int, int, str]]]:
    found: list[list[tuple[int, int, str]]] = [[] for _ in range(len(sentences))]
    gold = sentences.gold
    for row, start, end, kind in zip(gold.row, gold.start, gold.end, gold.type, strict=True):
        found[row].append((int(start), int(end), sentences.types[kind]))
    return found


TEMPLATES = {template.id: template.text for template in shipped_templates()}


COUNTRIES, PEOPLE, ALL = shipped_terms("nationality"), shipped_terms("names"), shipped_templates()


@sweep(("terms", "templates"), [
    (replace(COUNTRIES, terms=COUNTRIES.terms[::6]), ALL),
    (COUNTRIES, ALL[::12]),
    (NAMES, ALL),
    (replace(PEOPLE, terms=PEOPLE.terms[::48]), ALL),
    (PEOPLE, ALL[::12]),
])  # fmt: skip
def test_the_entities_of_shipped_templates_and_terms_are_where_a_search_finds_them(
    terms: TermList, templates: tuple[Template, ...]
) -> None:
    """Every template with some terms, and some templates with every term."""
    result = expand(templates, terms, task="ner")
    counted = check_all(result.examples, terms, TEMPLATES)
    slot = "country" if terms.terms[0].pos == "place" else "person"
    filled = [template.text for template in templates if slot in template.text.lower()]
    assert len(result.examples.sources) == len(filled) > 1
    without = sum(not term.adjective for term in terms.terms) if slot == "country" else 0  # they fill no {country_adj}
    only_nouns = [text for text in filled if "country_adj" in text.lower()]
    assert (result.examples.term >= 0).sum() == len(filled) * len(terms) - len(only_nouns) * without
    if templates is ALL:
        assert len(filled) >= 20
        assert counted.keys() == {"PER", "LOC", "ORG", "MISC"}
        assert min(counted["PER"], counted["LOC"], counted["ORG"]) > 10 * len(terms)


def shown(template: str, terms: TermList, **options: object) -> list[list[tuple[str, ...]]]:
    """For each row (text, entity, type, entity, type, ...) by the words of its gold spans."""
    examples = expanded(template, terms, **options)
    sentences = read_sentences(examples.texts)
    rows = []
    for row, spans in enumerate(in_words(sentences)):
        listed = sentences.words[sentences.offset[row] : sentences.offset[row + 1]]
        rows.append([(" ".join(listed[start:end]), kind) for start, end, kind in spans])
    return rows  # type: ignore[return-value]


def test_adjectives_of_places_are_of_the_type_misc_and_their_article_is_outside() -> None:
    terms = places(one=[("the Gambia", "Gambian"), ("Iceland", "Icelandic"), ("Sri Lanka", "Sri Lankan")])
    adjectives = [[], [("Gambian", "MISC")], [("Icelandic", "MISC")], [("Sri Lankan", "MISC")]]
    assert shown("She has {a:country_adj} passport.", terms) == shown("I met {a:identity_np}.", terms) == adjectives
    assert shown("{Country_adj} and from {the:country}.", terms)[2] == [("Sri Lankan", "MISC"), ("Sri Lanka", "LOC")]
    assert shown("They {are:identity}.", terms)[0] == [("Gambian", "MISC")]


@sweep(("term", "text", "expected"), [
    ({"predicate": "is from the Gambia"}, "Ana is from the Gambia.", ("Gambia", "LOC")),
    ({"predicate": "is Gambian by birth"}, "Ana is Gambian by birth.", ("Gambian", "MISC")),
    ({"predicate": "lives in the Gambia now"}, "Ana lives in the Gambia now.", ("Gambia", "LOC")),
    ({"pos": "faith", "term": "Islam", "adjective": "Islamic", "predicate": "is a Muslim"}, None, ("Muslim", "MISC")),
    ({"pos": "faith", "term": "Islam", "adjective": "Islamic", "predicate": "practices Islam"},
     None, ("Islam", "MISC")),
])  # fmt: skip
def test_of_a_predicate_the_name_or_adjective_is_the_entity(
    term: dict[str, str], text: str | None, expected: tuple[str, str]
) -> None:
    own = IdentityTerm(**{"term": "the Gambia", "group": "one", "pos": "place", "adjective": "Gambian", **term})
    terms = TermList("own", (own,))
    examples = expanded("[Ana](PER) {is:identity}.", terms)
    assert text is None or examples.render() == [text]
    assert shown("[Ana](PER) {is:identity}.", terms) == [[("Ana", "PER"), expected]]


DEAF = TermList("hearing", (IdentityTerm("deaf", "deaf"), IdentityTerm("hearing", "hearing")))


def test_words_that_name_nobody_are_no_entities_and_the_control_keeps_its_marks() -> None:
    runs = "{Person} said that {they:person} {runs|run:person} to {them:person}."
    assert shown(runs, people(one=["Ana"])) == [[("Ana", "PER")]]
    assert shown("{A:identity.writer} from [Lima](LOC) {is:identity}.", DEAF) == [[("Lima", "LOC")]] * 2
    text = "[Lima](LOC): {a:identity.artist} met [Ana Ruiz](PER) and {person}."
    examples = expanded(text, DEAF)
    assert examples.group.tolist() == [-1, 0, 1]
    assert examples.render() == [
        f"Lima: {who} met Ana Ruiz and Alex." for who in ("an artist", "a deaf artist", "a hearing artist")
    ]
    assert shown(text, DEAF) == [[("Lima", "LOC"), ("Ana Ruiz", "PER"), ("Alex", "PER")]] * 3


def test_brackets_that_are_no_mark_stay_and_marks_that_cannot_be() -> None:
    ana = people(one=["Ana"])
    for brackets in ("[sic] (PER)", "[a](per)", "[x] [y](2)", "](LOC) [", "[]"):
        examples = expanded(f"{{Person}} {brackets}", ana)
        assert examples.render() == [f"Ana {brackets}"]
        assert [kind for _s, _e, kind in examples.texts.entities(0, 1)[0]] == ["PER"]
    for text, message in (
        ("{Person} [  ](LOC)", "the mark [](LOC) is empty."),
        ("[{Person}](PER) left.", "a slot is inside a mark of the type PER."),
        ("{Person} of [the {country_adj} Bank](ORG)", "a slot is inside a mark of the type ORG."),
    ):
        with pytest.raises(TemplateError) as caught:
            expand([Template("t", text, task="ner", place="t.csv:3")], ana, task="ner", neutral=NEUTRAL)
        assert (caught.value.message, caught.value.place) == (message, "t.csv:3")

"""The countries: one list, grouped by GDP, by GDP per capita and by region, with what a sentence needs of each."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sweep import sweep

import fairness_checklist as fc
from fairness_checklist.content.slot_forms import SlotText, write
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.templates import load_templates
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm
from fairness_checklist.extensions.authoring.lint.linter import lint

SIXTHS = ("lowest", "second", "third", "fourth", "fifth", "highest")
NO_FIGURE = "no figure"
GROUPED = {"nationality": "GDP", "nationality.gdp_per_capita": "per capita"}
COMPLETE = (*GROUPED, "nationality.region")
SETS = (*COMPLETE, "nationality.unambiguous")
WITHOUT_FIGURE = """
Andorra, Cuba, Eritrea, Liechtenstein, Monaco, North Korea, Slovakia, Somalia, South Sudan, Syria, Vatican City,
Venezuela, Yemen
"""
WITH_ARTICLE = """
Bahamas, Central African Republic, Comoros, Democratic Republic of the Congo, Dominican Republic, Gambia, Maldives,
Marshall Islands, Netherlands, Philippines, Republic of the Congo, Seychelles, Solomon Islands, United Arab Emirates,
United Kingdom, United States
"""
# Our name of a country where the table of figures has another.
NAME_THERE = {
    "the Bahamas": "The Bahamas",
    "the Gambia": "The Gambia",
    "Czechia": "Czech Republic",
    "Micronesia": "Federated States of Micronesia",
    "Palestine": "West Bank and Gaza",
    "São Tomé and Príncipe": "Sao Tome and Principe",
}
NO_ADJECTIVE = {"Vatican City"}
"""Nobody speaks of a Vatican person: such a country fills the slots for countries alone."""
NO_SOVEREIGN_STATE = {"Aruba", "Hong Kong", "Macau", "Puerto Rico"}


def listed(text: str) -> list[str]:
    return [name.strip() for name in text.replace("\n", " ").split(",")]


def countries(name: str = "nationality") -> dict[str, IdentityTerm]:
    return {term.term: term for term in load_terms(name).terms}


def is_flagged(term: IdentityTerm) -> bool:
    return term.has_flag("ambiguous")


def number(pattern: str, note: str) -> float | None:
    """The figure that a note tells."""
    found = re.search(pattern.replace("N", r"([\d,]+)"), note)
    return float(found[1].replace(",", "")) if found else None


def gdp_in_note(term: IdentityTerm) -> float | None:
    return number("GDP N million US dollars", term.note)


def sixths(figures: dict[str, float], what: str) -> dict[str, str]:
    """The group of each country: its rank, smallest first, cut into six."""
    ranked = sorted(figures, key=lambda name: (figures[name], name))
    return {name: f"{SIXTHS[rank * 6 // len(ranked)]} {what} sixth" for rank, name in enumerate(ranked)}


def groups_of(name: str) -> dict[str, str]:
    return {term.term: term.group for term in countries(name).values()}


@pytest.fixture(scope="module")
def gdp_table(shared_data: Path) -> dict[str, float | None]:
    with (shared_data / "countries" / "gdp.csv").open(encoding="utf-8", newline="") as file:
        return {
            row["country"]: float(row["gdp_nominal_musd"]) if row["gdp_nominal_musd"] else None
            for row in csv.DictReader(file)
        }


def name_there(name: str) -> str:
    return NAME_THERE.get(name, name.removeprefix("the "))


# The list


@pytest.mark.parametrize("name", COMPLETE)
def test_each_set_has_the_same_countries(name: str) -> None:
    assert len(countries(name)) == len(load_terms(name)) == 197
    assert {t.term: t.adjective for t in countries(name).values()} == {
        t.term: t.adjective for t in countries().values()
    }
    assert {t.term for t in countries(name).values() if is_flagged(t)} == {
        t.term for t in countries().values() if is_flagged(t)
    }


def test_the_list_is_the_united_nations_with_notes_on_disputed_states() -> None:
    by_standing = Counter(term.source.partition(";")[0] for term in countries().values())
    assert by_standing == {
        "UN member state, 2024": 193,
        "UN observer state, 2024": 2,
        "no UN member, in the GDP table": 2,
    }
    assert [term.term for term in countries().values() if term.source.startswith("UN observer")] == [
        "Palestine",
        "Vatican City",
    ]
    assert [term.term for term in countries().values() if term.source.startswith("no UN")] == ["Kosovo", "Taiwan"]


@pytest.mark.parametrize("name", SETS)
def test_every_row_is_a_place_with_an_adjective_and_a_source(name: str) -> None:
    for term in countries(name).values():
        assert (term.pos, term.status) == ("place", "accepted"), term
        assert term.adjective == term.adjective.strip(), term
        assert bool(term.adjective) == (term.term not in NO_ADJECTIVE), term
        assert not term.adjective.lower().startswith("the "), term
        assert term.source.count("; ") == 2, term
        assert term.families == {"country", *(["identity"] if term.adjective else [])}, term


def test_the_countries_with_an_article() -> None:
    assert sorted(name for name in countries() if name.startswith("the ")) == sorted(
        f"the {name}" for name in listed(WITH_ARTICLE)
    )


def test_names_of_today() -> None:
    assert {"Eswatini", "Czechia", "Cabo Verde", "North Macedonia", "Côte d'Ivoire", "Timor-Leste"} < set(countries())
    for name, other in {"Turkey": "Türkiye", "Myanmar": "Burma", "Eswatini": "Swaziland"}.items():
        assert other in countries()[name].note
        assert other not in countries()


def test_the_places_of_the_table_that_are_no_sovereign_states_are_left_out(
    gdp_table: dict[str, float | None],
) -> None:
    assert set(gdp_table) - {name_there(name) for name in countries()} == NO_SOVEREIGN_STATE


# Groups


@pytest.mark.parametrize(("name", "what"), GROUPED.items())
def test_sixths_are_balanced_and_no_country_is_dropped(name: str, what: str) -> None:
    terms = load_terms(name)
    assert terms.groups == (*(f"{sixth} {what} sixth" for sixth in SIXTHS), NO_FIGURE)
    sizes = Counter(term.group for term in terms.terms)
    assert sizes.pop(NO_FIGURE) == 13
    assert set(sizes.values()) == {30, 31}


@pytest.mark.parametrize("name", GROUPED)
def test_countries_without_a_figure_are_a_group_of_their_own(name: str) -> None:
    without = sorted(term.term for term in load_terms(name).of_group(NO_FIGURE))
    assert without == listed(WITHOUT_FIGURE)
    assert all((gdp_in_note(term) is None) == (term.term in without) for term in countries(name).values())


def test_figures_and_sixths_are_those_of_the_table(gdp_table: dict[str, float | None]) -> None:
    figures = {}
    for term in countries().values():
        figure = gdp_table.get(name_there(term.term))
        assert gdp_in_note(term) == figure, term
        if figure is not None:
            figures[term.term] = figure
    assert len(figures) == 184
    assert {name: group for name, group in groups_of("nationality").items() if group != NO_FIGURE} == sixths(
        figures, "GDP"
    )


def test_sixths_by_gdp_follow_from_the_notes() -> None:
    figures = {term.term: figure for term in countries().values() if (figure := gdp_in_note(term)) is not None}
    assert sixths(figures, "GDP").items() <= groups_of("nationality").items()


def test_sixths_per_capita_follow_from_the_notes() -> None:
    figures = {}
    for term in countries("nationality.gdp_per_capita").values():
        gdp, population = gdp_in_note(term), number("population N thousand", term.note)
        assert population, term
        assert gdp == gdp_in_note(countries()[term.term]), term
        if gdp is not None:
            figures[term.term] = gdp * 1000 / population
            assert number("thousand: N US dollars per capita", term.note) == round(figures[term.term]), term
    assert sixths(figures, "per capita").items() <= groups_of("nationality.gdp_per_capita").items()
    people = sum(number("population N thousand", t.note) or 0 for t in countries("nationality.gdp_per_capita").values())
    assert people / 1e6 == pytest.approx(7.77, abs=0.02)  # thousand millions of people, 2020


def test_regions_are_those_of_the_united_nations() -> None:
    assert Counter(term.group for term in load_terms("nationality.region").terms) == {
        "Sub-Saharan Africa": 48,
        "Northern Africa and Western Asia": 24,
        "Central and Southern Asia": 14,
        "Eastern and South-Eastern Asia": 17,
        "Latin America and the Caribbean": 33,
        "Oceania": 14,
        "Europe and Northern America": 47,
    }
    region = groups_of("nationality.region")
    assert region["Sudan"] == region["Cyprus"] == region["Turkey"] == "Northern Africa and Western Asia"
    assert region["Iran"] == region["Kazakhstan"] == "Central and Southern Asia"
    assert region["Mexico"] == "Latin America and the Caribbean"
    assert region["the United States"] == region["Russia"] == "Europe and Northern America"


# What is ambiguous


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Jordan", "a first name"),
        ("Chad", "a first name"),
        ("Georgia", "a state of the United States"),
        ("Turkey", "a bird"),
        ("Israel", "a first name"),
        ("Kenya", "a first name"),
        ("Dominica", "shares the adjective"),
        ("the Dominican Republic", "shares the adjective"),
        ("the Democratic Republic of the Congo", "share the adjective"),
        ("the Republic of the Congo", "share the adjective"),
        ("Guinea", "part of the names"),
        ("Samoa", "American Samoa"),
        ("Sudan", "South Sudan"),
        ("Niger", "Nigeria"),
        ("New Zealand", "the adjective is the name"),
    ],
)
def test_an_ambiguous_country_gives_the_reason(name: str, reason: str) -> None:
    for attribute in COMPLETE:
        term = countries(attribute)[name]
        assert is_flagged(term)
        assert reason in term.note.partition(";")[0]


def test_every_shared_adjective_and_every_name_within_another_is_flagged() -> None:
    shared = Counter(term.adjective for term in countries().values())
    for term in countries().values():
        assert shared[term.adjective] == 1 or is_flagged(term), term
        bare = term.term.removeprefix("the ")
        inside = [o for o in countries() if o != term.term and re.search(rf"\b{re.escape(bare)}\b", o)]
        assert not inside or is_flagged(term), (term, inside)
        assert term.adjective not in countries() or is_flagged(term), term


def test_the_unambiguous_set_is_the_default_one_without_the_flagged_rows() -> None:
    ours, all_of_them = load_terms("nationality.unambiguous"), load_terms("nationality")
    assert ours.terms == tuple(term for term in all_of_them.terms if not is_flagged(term))
    assert len(ours) == 165
    assert min(Counter(term.group for term in ours.terms).values()) >= 12


@pytest.mark.parametrize("name", COMPLETE)
def test_a_few_terms_a_group_are_unambiguous_ones(name: str) -> None:
    terms = load_terms(name)
    few = min(sum(not is_flagged(t) for t in terms.of_group(group)) for group in terms.groups)
    assert few >= 9
    assert not any(is_flagged(term) for term in terms.select(max_terms=few).terms)


# Sentences


def written(raw: str, name: str) -> str:
    """What a country writes into a slot, its own words in brackets."""
    [slot] = parse(raw)
    assert isinstance(slot, Slot)
    found = write(slot, countries()[name])
    assert isinstance(found, SlotText)
    return f"{found.text[: found.start]}[{found.text[found.start : found.end]}]{found.text[found.end :]}"


@sweep(
    ("name", "bare", "with_article", "adjective", "person"),
    [
        ("the Gambia", "[Gambia]", "the [Gambia]", "[Gambian]", "a [Gambian person]"),
        ("France", "[France]", "[France]", "[French]", "a [French person]"),
        ("China", "[China]", "[China]", "[Chinese]", "a [Chinese person]"),
        ("the Netherlands", "[Netherlands]", "the [Netherlands]", "[Dutch]", "a [Dutch person]"),
        ("the Philippines", "[Philippines]", "the [Philippines]", "[Filipino]", "a [Filipino person]"),
        ("the United States", "[United States]", "the [United States]", "[American]", "an [American person]"),
        ("the United Arab Emirates", "[United Arab Emirates]", "the [United Arab Emirates]", "[Emirati]",
         "an [Emirati person]"),
        ("Kiribati", "[Kiribati]", "[Kiribati]", "[I-Kiribati]", "an [I-Kiribati person]"),
        ("Vanuatu", "[Vanuatu]", "[Vanuatu]", "[Ni-Vanuatu]", "a [Ni-Vanuatu person]"),
        ("Botswana", "[Botswana]", "[Botswana]", "[Botswanan]", "a [Botswanan person]"),
        ("Lesotho", "[Lesotho]", "[Lesotho]", "[Basotho]", "a [Basotho person]"),
        ("the Central African Republic", "[Central African Republic]", "the [Central African Republic]",
         "[Central African]", "a [Central African person]"),
        ("the Democratic Republic of the Congo", "[Democratic Republic of the Congo]",
         "the [Democratic Republic of the Congo]", "[Congolese]", "a [Congolese person]"),
        ("Côte d'Ivoire", "[Côte d'Ivoire]", "[Côte d'Ivoire]", "[Ivorian]", "an [Ivorian person]"),
        ("Guinea-Bissau", "[Guinea-Bissau]", "[Guinea-Bissau]", "[Bissau-Guinean]", "a [Bissau-Guinean person]"),
        ("Uganda", "[Uganda]", "[Uganda]", "[Ugandan]", "a [Ugandan person]"),
        ("Ukraine", "[Ukraine]", "[Ukraine]", "[Ukrainian]", "a [Ukrainian person]"),
        ("Uruguay", "[Uruguay]", "[Uruguay]", "[Uruguayan]", "a [Uruguayan person]"),
        ("Uzbekistan", "[Uzbekistan]", "[Uzbekistan]", "[Uzbekistani]", "an [Uzbekistani person]"),
        ("Honduras", "[Honduras]", "[Honduras]", "[Honduran]", "a [Honduran person]"),
        ("Yemen", "[Yemen]", "[Yemen]", "[Yemeni]", "a [Yemeni person]"),
        ("Eswatini", "[Eswatini]", "[Eswatini]", "[Swazi]", "a [Swazi person]"),
    ],
)  # fmt: skip
def test_a_country_in_its_slots(name: str, bare: str, with_article: str, adjective: str, person: str) -> None:
    assert written("{country}", name) == bare
    assert written("{the:country}", name) == with_article
    assert written("{country_adj}", name) == adjective
    assert written("{a:identity_np}", name) == person


def test_an_adjective_that_cannot_be_predicated_has_another_predicate() -> None:
    output = {term.term: term.predicate for term in countries().values() if term.predicate}
    assert output == {
        "Liechtenstein": "is from Liechtenstein",
        "New Zealand": "is from New Zealand",
        "the Solomon Islands": "is from the Solomon Islands",
    }
    assert written("{were:identity}", "New Zealand") == "were [from New Zealand]"
    assert written("{a:identity_np}", "New Zealand") == "a [New Zealand person]"
    assert written("{is:identity}", "Kiribati") == "is [I-Kiribati]"


def test_a_country_opens_a_sentence() -> None:
    assert written("{The:country}", "the Gambia") == "The [Gambia]"
    assert written("{The:country}", "Togo") == "[Togo]"
    assert written("{A:identity.engineer}", "Ireland") == "An [Irish] engineer"


@pytest.mark.parametrize("name", SETS)
def test_every_country_fills_every_generic_template(name: str) -> None:
    suite = fc.Suite.build(name, task="sentiment")
    [examples] = suite.examples.values()
    marked = examples.group >= 0
    of_source = np.bincount(examples.source[marked])
    assert len(set(examples.term[marked].tolist())) == len(countries(name))
    templates = {source.template for source in examples.sources}
    ours = {one.id for one in load_templates("sentiment", name) if not one.attribute}
    assert {one for one in templates if one.startswith("generic-")} == ours
    assert len(ours) >= 80
    whole = len(countries(name))
    assert set(of_source.tolist()) <= {whole, whole - len(NO_ADJECTIVE & set(countries(name)))}
    assert examples.groups == load_terms(name).groups


def test_the_linter_lets_flagged_terms_alone_write_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "identity_terms").mkdir()
    (tmp_path / "templates" / "island.csv").write_text("template\n{A:identity_np} won.\n", encoding="utf-8")
    terms = tmp_path / "identity_terms" / "island.csv"
    rows = (
        "term,group,pos,adjective,status,source,flags\n"
        "East Isle,east,place,Islean,accepted,ours,thin\nWest Isle,west,place,Islean,accepted,ours,{flags}\n"
    )

    terms.write_text(rows.format(flags="thin"), encoding="utf-8")
    [finding] = [finding for finding in lint(tmp_path) if "island-001" in str(finding)]
    assert str(finding).endswith(": duplicate: the sentence is that of island-001 too: An Islean person won.")
    terms.write_text(rows.format(flags="ambiguous thin"), encoding="utf-8")
    assert lint(tmp_path) == []

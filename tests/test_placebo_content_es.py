"""The Spanish placebo: neutral concepts of five lexemes, nouns of both genders, nothing that could matter."""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from fairness_checklist.content.term_files import attributes

FOLDER = Path(__file__).resolve().parents[1] / "identity_terms" / "es"
# Words that make a noun, an adjective or a phrase of a thing: several concepts share them.
FRAMES = frozenset(
    """
    a al de del con en el la los las un una unos unas para junto cerca bajo entre par clases curso taller club revista
    aficionado apuntado inscrito suscrito equipado criado nacido finales cumpleaños libro pueblo comarca mapa
    dueño dueña coleccionista bebedor bebedora catador observador observadora lectora autor autora intérprete jugador
    jugadora cultivadora vecino vecina comprador compradora criadora buscadora cocinera cocinero cuaderno
    madera fondo arco banco cesta trozo cartel
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
# Stems that a neutral concept has no place for: feelings, illness, bodies, money, politics, violence, groups.
UNWANTED = re.compile(
    r"\b(?:am(?:or|ante)|odi|enferm|dolor|gord|delgad|ric[oa]s?\b|pobre|luj|oro\b|dinero|izquierd|derech|zurd|diestr|norte|sur\b|"
    r"polít|vot|arma|pistol|navaj|caza|guerra|tor[oe]s?\b|iglesia|rez|sant|mujer|hombre|chic[ao]|niñ|vegan|gay|trans|blanc|negr|"
    r"vino|cerveza|apuesta|casino|rubi|moren|pelo\b|cabello|piel|gafas|bastón|silla)"
)


def rows(name: str = "placebo") -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_group() -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows():
        found[row["group"]].append(row)
    return found


def content_words(term: str) -> set[str]:
    return {word for word in re.findall(r"\w+", term.lower()) if word not in FRAMES}


def test_there_are_58_concepts_of_five_terms_and_five_lexemes() -> None:
    concepts = by_group()

    assert len(concepts) == 58
    for group, table in concepts.items():
        assert len(table) == 5, group
        assert len({row["lemma"] for row in table}) == 5, group


def test_no_lexeme_and_no_content_word_stands_in_two_concepts() -> None:
    words = defaultdict(set)
    for row in rows():
        for word in content_words(row["term"]):
            words[word].add(row["group"])

    assert max(Counter(row["lemma"] for row in rows()).values()) == 1
    assert {word: found for word, found in words.items() if len(found) > 1} == {}


def test_every_concept_but_the_seasons_has_an_adjective_two_nouns_and_two_phrases() -> None:
    for group, table in by_group().items():
        found = Counter(row["pos"] for row in table)
        expected = {"adj": 3, "pp": 2} if group.endswith(" birth") else {"adj": 1, "noun": 2, "pp": 2}
        assert found == expected, group


def test_one_noun_is_in_the_feminine_and_one_in_the_masculine() -> None:
    for group, table in by_group().items():
        nouns = [row["pronouns"] for row in table if row["pos"] == "noun"]
        assert nouns == ([] if group.endswith(" birth") else ["ella", "él"]), group
    assert {row["pronouns"] for row in rows() if row["pos"] != "noun"} == {""}


def test_adjectives_have_three_forms_and_phrases_a_predicate() -> None:
    for row in rows():
        if row["pos"] == "adj":
            first, _space, rest = row["term"].partition(" ")
            assert row["adjective"] == "/".join(f"{first[:-1]}{ending} {rest}" for ending in "oae"), row["term"]
        if row["pos"] == "pp":
            assert row["predicate"].partition(" ")[0] in {"tiene", "es", "cumple"}, row["term"]


def test_no_term_is_shared_with_an_identity_attribute() -> None:
    others = {row["term"] for name in attributes(language="es") if name != "placebo" for row in rows(name)}

    assert {row["term"] for row in rows()} & others == set()


def test_no_term_calls_up_what_could_matter() -> None:
    assert [row["term"] for row in rows() if UNWANTED.search(row["term"])] == []


@pytest.mark.parametrize("term", ["zurdo", "de pelo rojo", "del norte", "con gafas", "aficionado a los toros"])
def test_what_could_matter_would_be_found(term: str) -> None:
    assert UNWANTED.search(term)


def test_a_source_is_a_dictionary_or_says_that_the_wording_is_ours() -> None:
    for row in rows():
        ours = "the authors' plain description"
        dictionary = "RAE and ASALE, Diccionario de la lengua española (DLE)"
        assert row["source"] == (dictionary if " " not in row["term"] else ours), row["term"]


def test_the_card_says_that_it_should_not_matter() -> None:
    card = tomllib.loads((FOLDER / "placebo.toml").read_text(encoding="utf-8"))

    assert "should not matter" in card["about"]

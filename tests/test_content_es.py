"""The shipped Spanish templates and terms: counts, balance, sources, and the sentences that were read."""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from build_golden_es import GOLDEN, sentences

import fairness_checklist as fc
from fairness_checklist.content.templates import TEMPLATE_COLUMNS, read_templates
from fairness_checklist.content.term_files import TERM_COLUMNS, read_terms

ROOT = Path(__file__).resolve().parents[1]
SETS = {"generic": "", "gender": "gender", "names": "names"}
SMALL = ("disability", "religion", "nationality")  # sets of 18
ALL_SETS = (*SETS, *SMALL, "toxicity")
TERM_FILES = ("disability", "gender", "names", "nationality", "neutral", "placebo", "religion")
LABELS = ("negative", "neutral", "positive")
TARGETS = ("person", "speaker", "third_party", "situation")
REGISTERS = {"review", "post", "chat", "mail", "ticket", "reference", "note", "news", "story"}
OF_SPAIN = re.compile(
    r"\b(?:vosotr[ao]s|vuestr[ao]s?|os|\w+[áé]is|ordenador|móvil|coche|piso|conducir|ascensor|zumo|vale|tío)\b"
)
# Words beside a slot that would say or hint a gender of the person.
GENDERED = """
    él ella elle mujer hombre chica chico niña niño señora señor madre padre hija hijo hermana hermano esposa esposo
    novia novio tía tío abuela abuelo reina rey femenino femenina masculino masculina
"""


def rows(path: str) -> list[dict[str, str]]:
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(("name", "attribute"), SETS.items())
def test_each_set_has_ten_templates_a_class_and_is_balanced_over_targets(name: str, attribute: str) -> None:
    table = rows(f"templates/es/{name}.csv")

    assert list(table[0]) == [name for name in TEMPLATE_COLUMNS if name not in ("topic", "kind")]
    assert Counter(row["label"] for row in table) == dict.fromkeys(LABELS, 10)
    assert {row["attribute"] for row in table} == {attribute}
    cells = Counter((row["label"], row["target"]) for row in table)
    assert set(cells) == {(label, target) for label in LABELS for target in TARGETS}
    assert set(cells.values()) == {2, 3}
    totals = Counter(row["target"] for row in table)
    assert max(totals.values()) - min(totals.values()) <= 1
    assert all(re.fullmatch(rf"es-{name}-{row['label'][:3]}-\d\d", row["id"]) for row in table)


@pytest.mark.parametrize("name", SETS)
def test_a_third_of_each_set_rewords_another_of_the_same_label_and_target(name: str) -> None:
    table = {row["id"]: row for row in rows(f"templates/es/{name}.csv")}
    rewordings = [row for row in table.values() if row["paraphrase_of"]]

    assert len(rewordings) == 10
    for row in rewordings:
        original = table[row["paraphrase_of"]]
        assert (row["label"], row["target"]) == (original["label"], original["target"]), row["id"]
        assert original["paraphrase_of"] == "", row["id"]


def test_templates_that_some_terms_cannot_fill_are_equally_many_in_each_class() -> None:
    table = rows("templates/es/gender.csv")

    assert Counter(row["label"] for row in table if "identity." in row["template"]) == dict.fromkeys(LABELS, 2)


def test_all_gender_forms_are_in_the_set_for_gender() -> None:
    templates = {row["id"]: row["template"] for row in rows("templates/es/gender.csv") if "|" in row["template"]}
    table = fc.Suite.build("gender", language="es", templates=list(templates)).to_frame()
    texts = dict(table.groupby("template")["text"].apply(" ".join))

    assert set(texts) == set(templates)
    for ident, text in texts.items():
        for masculine, feminine in re.findall(r"([\w]+)\|(\w+)", templates[ident]):
            assert re.search(rf"\b{masculine}\b", text), ident
            assert re.search(rf"\b{feminine}\b", text), ident
            assert re.search(rf"\b{feminine[:-1]}e\b", text), ident


@pytest.mark.parametrize("name", [name for name in ALL_SETS if name != "gender"])
def test_nothing_agrees_with_the_person_where_one_group_alone_would_have_a_form_in_e(name: str) -> None:
    assert not any("|" in row["template"] for row in rows(f"templates/es/{name}.csv"))


@pytest.mark.parametrize("name", ALL_SETS)
def test_nothing_around_the_slot_shows_the_gender(name: str) -> None:
    names = {row["term"].lower() for row in rows("identity_terms/es/names.csv")}
    for row in rows(f"templates/es/{name}.csv"):
        words = set(re.findall(r"\w+", re.sub(r"\{[^}]*\}", " ", row["template"]).lower()))
        assert not set(GENDERED.split()) & words, row["id"]
        assert not names & words, row["id"]


@pytest.mark.parametrize("name", SETS)
def test_length_and_place_of_the_slot_vary(name: str) -> None:
    table = [row["template"] for row in rows(f"templates/es/{name}.csv")]
    lengths = [len(text.split()) for text in table]
    starts = sum(text.startswith("{") for text in table)
    ends = sum(text.rstrip(".").endswith("}") for text in table)

    assert min(lengths) <= 8
    assert 14 <= max(len(row["template"].split()) for row in rows(f"templates/es/{name}.csv") if not row["hard"]) <= 25
    assert starts >= 4
    assert ends >= 3
    assert len(table) - starts - ends >= 10


@pytest.mark.parametrize("name", TERM_FILES)
def test_terms_have_a_status_a_source_and_a_part_of_speech(name: str) -> None:
    table = rows(f"identity_terms/es/{name}.csv")

    assert list(table[0]) == list(TERM_COLUMNS)
    assert all(row["pos"] and row["status"] and row["source"] for row in table)


def test_each_group_has_five_terms_or_is_marked_thin() -> None:
    for name in ("disability", "gender", "nationality", "placebo", "religion"):
        terms = read_terms(ROOT / f"identity_terms/es/{name}.csv").select()
        for group in terms.groups:
            of_group = terms.of_group(group)
            assert len(of_group) >= 5 or all(term.has_flag("thin") for term in of_group), group


def test_groups_have_the_names_that_they_have_in_english() -> None:
    for name, english in {
        "disability": "disability",
        "religion": "religion",
        "nationality": "nationality.region",
    }.items():
        groups = read_terms(ROOT / f"identity_terms/es/{name}.csv").groups
        assert set(groups) <= set(read_terms(ROOT / f"identity_terms/{english}.csv").groups)
    gender = read_terms(ROOT / "identity_terms/es/gender.csv")
    assert gender.groups == ("women", "men", "trans", "cis", "non-binary")
    off = {term.term for term in gender.terms if term.status == "dispreferred"}
    assert off == {"transexual", "de identidad trans", "de identidad cis"}
    assert len(read_terms(ROOT / "identity_terms/es/placebo.csv").groups) == 58


def test_each_region_has_eight_countries() -> None:
    table = rows("identity_terms/es/nationality.csv")

    assert set(Counter(row["group"] for row in table).values()) == {8}
    assert {row["pos"] for row in table} == {"place"}
    assert all(row["source"].startswith("UN member state, 2024; group by region") for row in table)


def test_words_for_the_young_are_marked() -> None:
    gender = read_terms(ROOT / "identity_terms/es/gender.csv")

    for term in gender.terms:
        assert term.has_flag("minor") == bool(re.match(r"(?:chic|niñ)[ao]\b", term.term)), term.term


def test_names_of_women_and_men_are_as_many_and_as_long() -> None:
    names = read_terms(ROOT / "identity_terms/es/names.csv")
    female, male, both = (names.of_group(group) for group in ("female", "male", "unisex"))

    assert len(female) == len(male) == 40
    assert [len(term.term) for term in female] == [len(term.term) for term in male]
    assert {term.pronouns for term in female} == {"ella"}
    assert {term.pronouns for term in male} == {"él"}
    assert {term.pronouns for term in both} == {"elle"}
    counted = re.compile(r"INE Spain, names in the Padrón Continuo at 1 January 2017: [\d,]+ (?:women|men)")
    assert all(counted.fullmatch(term.source) for term in (*female, *male))


def test_a_masculine_plural_that_can_mean_all_genders_takes_no_part() -> None:
    terms = read_terms(ROOT / "identity_terms/es/gender.csv").select().terms
    generic = {term.term for term in terms if term.plural == "-" and term.pronouns == "él"}
    texts = fc.Suite.build("gender", language="es").to_frame()["text"]

    assert generic == {"señor", "chico", "niño", "padre", "abuelo", "chico trans", "chico cis"}
    assert not texts.str.contains(r"\b(?:señores|chicos|niños|padres|abuelos)\b").any()
    concepts = [
        {term.concept for term in terms if term.group == group and term.plural != "-"} for group in ("women", "men")
    ]
    assert concepts[0] == concepts[1]
    assert len(concepts[0]) == 5


def test_a_non_binary_person_agrees_with_the_noun() -> None:
    frame = fc.Suite.build("gender", language="es").to_frame()
    texts = frame[frame["term"] == "no binario"].set_index("template")["text"]

    assert texts["es-gender-neu-05"].endswith("la alcaldía invitó a once personas no binarias.")
    assert texts["es-gender-neg-01"].startswith("Una persona no binaria narra la novela")
    assert texts["es-generic-neu-02"].startswith("Quien narra la novela es no binarie, y ")
    assert texts["es-gender-pos-03"].startswith("¡Qué bien explica le profesore no binarie!")
    assert not frame["text"].str.contains("persona no binarie|personas no binaries").any()


@pytest.mark.parametrize("name", SETS)
def test_a_third_of_each_set_is_hard(name: str) -> None:
    hard = [row for row in rows(f"templates/es/{name}.csv") if row["hard"] == "yes"]
    lengths = [len(row["template"].split()) for row in hard]

    assert len(hard) == 10
    assert set(Counter(row["label"] for row in hard).values()) == {3, 4}
    assert {row["target"] for row in hard} == set(TARGETS)
    assert sum(bool(row["paraphrase_of"]) for row in hard) == 3
    assert sum(length <= 18 for length in lengths) >= 4
    assert max(lengths) <= 45


def test_hard_sentences_are_as_many_in_each_class_of_the_three_sets() -> None:
    labels = Counter(row["label"] for name in SETS for row in rows(f"templates/es/{name}.csv") if row["hard"] == "yes")

    assert labels == dict.fromkeys(LABELS, 10)


@pytest.mark.parametrize("name", SMALL)
def test_the_small_sets_are_balanced(name: str) -> None:
    table = {row["id"]: row for row in rows(f"templates/es/{name}.csv")}
    of_label = {label: [row for row in table.values() if row["label"] == label] for label in LABELS}

    assert list(next(iter(table.values()))) == [name for name in TEMPLATE_COLUMNS if name not in ("topic", "kind")]
    for label, found in of_label.items():
        assert [row["id"] for row in found] == [f"es-{name}-{label[:3]}-{number:02d}" for number in range(1, 7)]
        assert set(Counter(row["target"] for row in found).values()) == {1, 2}
        assert {row["target"] for row in found} == set(TARGETS)
        assert [sum(bool(row[key]) for row in found) for key in ("hard", "paraphrase_of")] == [2, 2]
        assert sum(row["relevant"] == "yes" for row in found) >= 2
    assert {row["attribute"] for row in table.values()} == {name}
    for row in filter(lambda row: row["paraphrase_of"], table.values()):
        original = table[row["paraphrase_of"]]
        assert all(row[key] == original[key] for key in ("label", "target", "hard")), row["id"]
        assert original["paraphrase_of"] == "", row["id"]


@pytest.mark.parametrize("name", ALL_SETS)
def test_registers_are_spread(name: str) -> None:
    registers = Counter(row["register"] for row in rows(f"templates/es/{name}.csv"))

    assert set(registers) <= REGISTERS
    assert len(registers) >= 4
    assert max(registers.values()) <= 0.4 * registers.total()
    assert registers["post"] + registers["chat"] >= registers.total() / 4


@pytest.mark.parametrize("name", ALL_SETS)
def test_no_word_is_one_of_spain_alone(name: str) -> None:
    assert [row["id"] for row in rows(f"templates/es/{name}.csv") if OF_SPAIN.search(row["template"])] == []


@pytest.mark.parametrize("name", SMALL)
def test_every_group_fills_every_template(name: str) -> None:
    frame = fc.Suite.build(name, language="es").to_frame()
    cells = frame[frame["group"] != "unmarked"].groupby(["template", "group"]).size().unstack(fill_value=0)

    assert len(cells) == 48
    assert (cells > 0).all(axis=None)


def test_toxicity_is_balanced() -> None:
    table = rows("templates/es/toxicity.csv")

    assert list(table[0]) == [name for name in TEMPLATE_COLUMNS if name != "topic"]
    assert [row["id"] for row in table] == [f"es-tox-{number:02d}" for number in range(1, 21)]
    assert {(row["task"], row["attribute"]) for row in table} == {("toxicity", "")}
    for label in ("toxic", "nontoxic"):
        of_label = [row for row in table if row["label"] == label]
        assert Counter(row["target"] for row in of_label) == {"person": 5, "third_party": 3, "situation": 2}
        assert sum(row["hard"] == "yes" for row in of_label) == 4
        assert sum(bool(row["paraphrase_of"]) for row in of_label) == 4
    by_id = {row["id"]: row for row in table}
    for row in filter(lambda row: row["paraphrase_of"], table):
        original = by_id[row["paraphrase_of"]]
        assert all(row[key] == original[key] for key in ("label", "target", "hard")), row["id"]
        assert original["paraphrase_of"] == "", row["id"]


@pytest.mark.parametrize("attribute", ["gender", "placebo", *SMALL])
def test_a_suite_for_toxicity_fills_every_template_with_every_group(attribute: str) -> None:
    suite = fc.Suite.build(attribute, task="toxicity", language="es")
    frame = suite.to_frame()
    cells = frame[frame["group"] != ""].groupby(["template", "group"]).size().unstack(fill_value=0)

    assert len(cells) == 20
    assert (cells > 0).all(axis=None)
    assert not frame["text"].str.contains(r"\b(?:niñ|chic)[aoe]\b").any()


@pytest.mark.parametrize(
    "path", [f"templates/es/{name}" for name in ALL_SETS] + [f"identity_terms/es/{n}" for n in TERM_FILES]
)
def test_a_card_is_next_to_each_file(path: str) -> None:
    card = tomllib.loads((ROOT / f"{path}.toml").read_text(encoding="utf-8"))

    assert list(card) == ["about", "sources", "review", "gaps", "reading"]
    assert all(card.values())


def test_every_term_and_template_is_in_the_sentences_that_were_read() -> None:
    output = GOLDEN.read_text(encoding="utf-8")
    for name in ALL_SETS:
        for template in read_templates(ROOT / f"templates/es/{name}.csv"):
            assert f"{template.id} [" in output
    for name in ("disability", "gender", "names", "nationality", "placebo", "religion"):
        terms = read_terms(ROOT / f"identity_terms/es/{name}.csv").select().terms
        for term in terms:
            assert re.search(rf"\[{term.term}(?: \(\w+\))?\]", output), term.term


def test_the_sentences_are_those_that_were_read() -> None:
    """``python tests/build_golden_es.py`` writes the file anew; read what has changed in it."""
    assert sentences() == GOLDEN.read_text(encoding="utf-8").splitlines()

"""The shipped templates and terms, read as the plain CSV files they are."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean, median

import pytest

from fairness_checklist.counterfactuals import expand
from fairness_checklist.templates import read_templates
from fairness_checklist.terms import read_terms

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE_COLUMNS = ["template", "label", "task", "attribute", "target", "symmetric", "paraphrase_of", "id"]
TERM_COLUMNS = [
    "term",
    "group",
    "pos",
    "status",
    "plural",
    "adjective",
    "predicate",
    "pronouns",
    "concept",
    "also",
    "source",
    "note",
]
TEMPLATE_SETS = {"generic": "", "gender": "gender", "names": "names"}
TERM_FILES = (
    "gender",
    "gender.czarnowska2021",
    "names",
    "nationality",
    "nationality.gdp_per_capita",
    "nationality.region",
    "nationality.unambiguous",
    "neutral",
    "placebo",
)
LABELS = ("negative", "neutral", "positive")
TARGETS = ("person", "speaker", "third_party", "situation")
# Words that would say or hint a gender beside the slot, or name another attribute.
GENDERED = """
he she him her his hers himself herself man men woman women boy girl boys girls male female lady gentleman mother
father mom dad sister brother son daughter wife husband aunt uncle widow widower king queen mr mrs ms sir madam guy
"""
# Names that are common nouns, verbs, months or places, or that one celebrity or a joke owns.
NOT_NAMES = """
will hope may chase alexa grace rose mark bill jack frank grant joy faith amber ruby violet dawn summer chad jordan
austin dallas charlotte florence savannah madison chelsea brooklyn paris virginia carolina georgia rob nick pat sue
gene guy drew chuck peg harry christian dean miles art rich penny ginger holly iris daisy lily heather robin jay ray
josh norm don ken karen becky donald hillary angel crystal april june misty carol john peter martin warren victor
earl duke dale cliff justice harley sage phoenix armani storm ivory santana milan ocean sky infant baby unknown
"""


def rows(path: str) -> list[dict[str, str]]:
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def header(path: str) -> list[str]:
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def words_outside_slots(template: str) -> list[str]:
    return re.findall(r"[a-z]+(?:'[a-z]+)?", re.sub(r"\{[^}]*\}", " ", template).lower())


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_template_files_have_the_columns_of_the_design(name: str) -> None:
    assert header(f"templates/{name}.csv") == TEMPLATE_COLUMNS


@pytest.mark.parametrize("name", TERM_FILES)
def test_term_files_have_the_columns_of_the_design(name: str) -> None:
    assert header(f"identity_terms/{name}.csv") == TERM_COLUMNS


@pytest.mark.parametrize(("name", "attribute"), TEMPLATE_SETS.items())
def test_each_set_has_ten_templates_a_class(name: str, attribute: str) -> None:
    table = rows(f"templates/{name}.csv")
    assert Counter(row["label"] for row in table) == dict.fromkeys(LABELS, 10)
    assert {row["attribute"] for row in table} == {attribute}
    assert {row["task"] for row in table} == {"sentiment"}
    assert {row["symmetric"] for row in table} <= {"yes", "no"}


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_each_set_is_balanced_over_label_and_target(name: str) -> None:
    cells = Counter((row["label"], row["target"]) for row in rows(f"templates/{name}.csv"))
    assert set(cells) == {(label, target) for label in LABELS for target in TARGETS}
    assert set(cells.values()) == {2, 3}
    totals = Counter(row["target"] for row in rows(f"templates/{name}.csv"))
    assert max(totals.values()) - min(totals.values()) <= 1


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_a_third_of_each_set_rewords_another_of_the_same_label_and_target(name: str) -> None:
    table = {row["id"]: row for row in rows(f"templates/{name}.csv")}
    rewordings = [row for row in table.values() if row["paraphrase_of"]]
    assert len(rewordings) >= 10
    for row in rewordings:
        original = table[row["paraphrase_of"]]
        assert (row["label"], row["target"]) == (original["label"], original["target"]), row["id"]
        assert original["paraphrase_of"] == "", row["id"]


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_forms_that_some_terms_cannot_fill_are_equally_many_in_each_class(name: str) -> None:
    table = rows(f"templates/{name}.csv")
    partial = Counter(row["label"] for row in table if re.search(r"identity_adj|identity\.", row["template"]))
    assert [partial[label] for label in LABELS] == [partial["negative"]] * 3


def test_ids_and_texts_are_unique_over_all_sets() -> None:
    table = [row for name in TEMPLATE_SETS for row in rows(f"templates/{name}.csv")]
    assert len({row["id"] for row in table}) == len({row["template"] for row in table}) == len(table) == 90
    for name in TEMPLATE_SETS:
        assert all(row["id"].startswith(f"{name}-") for row in rows(f"templates/{name}.csv"))


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_nothing_beside_the_slot_tells_the_group(name: str) -> None:
    names = {row["term"].lower() for row in rows("identity_terms/names.csv")}
    for row in rows(f"templates/{name}.csv"):
        assert not set(GENDERED.split()) & set(words_outside_slots(row["template"])), row["id"]
        assert not names & set(words_outside_slots(row["template"])), row["id"]


def test_length_and_place_of_the_slot_vary() -> None:
    for name in TEMPLATE_SETS:
        table = [row["template"] for row in rows(f"templates/{name}.csv")]
        lengths = [len(text.split()) for text in table]
        assert min(lengths) <= 6
        assert 15 <= max(lengths) <= 25
        starts = sum(text.startswith("{") for text in table)
        ends = sum(text.rstrip(".!'").endswith("}") for text in table)
        assert starts >= 4
        assert ends >= 3
        assert len(table) - starts - ends >= 10


@pytest.mark.parametrize("name", TERM_FILES)
def test_every_term_has_a_known_part_of_speech_a_status_and_a_source(name: str) -> None:
    for row in rows(f"identity_terms/{name}.csv"):
        assert row["pos"] in {"adj", "noun", "pp", "name", "place", "faith"}, row
        assert row["status"] in {"preferred", "accepted", "dispreferred"}, row
        assert row["source"].strip(), row
        assert row["term"] == row["term"].strip(), row
        assert bool(row["plural"]) == (row["pos"] == "noun"), row
        assert bool(row["predicate"]) == (row["pos"] == "pp") or row["pos"] == "place", row
        assert row["pos"] != "place" or row["predicate"] in {"", f"is from {row['term']}"}, row
        assert row["note"] or row["status"] != "dispreferred", row


@pytest.mark.parametrize("name", TERM_FILES)
def test_a_term_stands_in_one_group_only(name: str) -> None:
    groups = defaultdict(set)
    table = rows(f"identity_terms/{name}.csv")
    for row in table:
        groups[row["term"].lower()].add(row["group"])
    assert {term: found for term, found in groups.items() if len(found) > 1} == {}
    assert len({(row["term"], row["pos"]) for row in table}) == len(table)


@pytest.mark.parametrize("name", TERM_FILES)
def test_a_concept_links_terms_of_several_groups_one_each(name: str) -> None:
    concepts = defaultdict(list)
    for row in rows(f"identity_terms/{name}.csv"):
        if row["concept"]:
            concepts[row["concept"]].append(row["group"])
    assert all(len(set(found)) == len(found) >= 2 for found in concepts.values()), concepts


@pytest.mark.parametrize("name", ["gender", "gender.czarnowska2021", "placebo"])
def test_groups_hold_five_usable_terms_or_say_that_they_are_thin(name: str) -> None:
    usable, thin, modifiers = Counter[str](), set(), set()
    for row in rows(f"identity_terms/{name}.csv"):
        usable[row["group"]] += row["status"] != "dispreferred"
        if row["note"].startswith("thin"):
            thin.add(row["group"])
        if row["pos"] in {"adj", "pp"} and row["status"] != "dispreferred":
            modifiers.add(row["group"])
    assert {group for group, count in usable.items() if count < 5} == thin
    assert modifiers == set(usable), "a group without an adjective or phrase cannot fill heads"


def test_gender_groups_are_those_of_the_content_rules() -> None:
    table = rows("identity_terms/gender.csv")
    assert list(dict.fromkeys(row["group"] for row in table)) == [
        "women",
        "men",
        "trans",
        "cis",
        "non-binary",
        "agender",
        "multi-gender",
    ]
    assert len(table) >= 60
    assert len(table) + len(rows("identity_terms/gender.czarnowska2021.csv")) >= 90
    assert "intersex" not in {row["term"] for row in table}


def test_the_named_set_has_the_groups_and_terms_of_the_paper() -> None:
    table = rows("identity_terms/gender.czarnowska2021.csv")
    assert list(dict.fromkeys(row["group"] for row in table)) == [
        "aab",
        "female",
        "male",
        "cis",
        "many-genders",
        "no-gender",
        "non-binary",
        "trans",
    ]
    published = defaultdict(list)
    for row in table:
        if row["source"].endswith("Table 4"):
            published[row["group"]].append(row["term"])
        else:
            assert row["note"].startswith("not in Table 4"), row
    assert published == {
        "aab": ["AMAB", "AFAB", "DFAB", "DMAB", "female-assigned", "male-assigned"],
        "female": ["female", "female", "woman"],
        "male": ["male", "male", "man"],
        "many-genders": [
            "ambigender",
            "ambigendered",
            "androgynous",
            "bigender",
            "bigendered",
            "intersex",
            "intersexual",
            "pangender",
            "pangendered",
            "polygender",
            "androgynie",
            "hermaphrodite",
        ],
        "no-gender": ["agender", "agendered", "genderless"],
    }


@pytest.mark.parametrize("name", ["gender", "gender.czarnowska2021"])
def test_contested_words_are_off_by_default(name: str) -> None:
    contested = {"hermaphrodite", "intersexual", "transsexual", "transgendered"}
    for row in rows(f"identity_terms/{name}.csv"):
        assert row["term"] not in contested or row["status"] == "dispreferred", row


def test_minors_are_marked() -> None:
    for row in rows("identity_terms/gender.csv"):
        minor = re.search(r"(?:^| )(?:girl|boy)$", row["term"]) is not None
        assert row["note"].startswith("minor") == minor, row


def test_women_and_men_mirror_each_other() -> None:
    table = rows("identity_terms/gender.csv")
    mirror: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for row in table:
        mirror[row["group"]].append((row["concept"], row["pos"], row["status"]))
    assert mirror["women"] == mirror["men"]


def names_of(group: str) -> list[dict[str, str]]:
    return [row for row in rows("identity_terms/names.csv") if row["group"] == group]


def test_there_are_enough_names_and_as_many_female_as_male() -> None:
    assert len(names_of("female")) == len(names_of("male")) >= 80
    assert len(names_of("unisex")) >= 30
    for group, pronouns in (("female", "she"), ("male", "he"), ("unisex", "they")):
        assert {(row["pos"], row["pronouns"]) for row in names_of(group)} == {("name", pronouns)}


def test_female_and_male_names_are_matched_in_length_and_frequency() -> None:
    def births(row: dict[str, str]) -> int:
        found = re.search(r"births of 1980: ([\d,]+) (?:girls|boys); (?:fe)?male share over \.95$", row["source"])
        assert found, row
        return int(found[1].replace(",", ""))

    women, men = names_of("female"), names_of("male")
    assert sorted(len(row["term"]) for row in women) == sorted(len(row["term"]) for row in men)
    assert 0.5 <= median(map(births, women)) / median(map(births, men)) <= 2
    assert min(map(births, women[:80] + men[:80])) >= 1000


def test_unisex_names_are_given_to_both() -> None:
    shares = [float(row["source"].rpartition(" ")[2]) for row in names_of("unisex")]
    assert all(0.3 <= share <= 0.7 for share in shares)
    assert 0.45 <= mean(shares) <= 0.55


def test_no_name_is_a_word_or_a_neutral_fill() -> None:
    names = {row["term"].lower() for row in rows("identity_terms/names.csv")}
    assert not names & set(NOT_NAMES.split())
    assert not names & {row["term"].lower() for row in rows("identity_terms/neutral.csv")}
    assert all(re.fullmatch(r"[A-Z][a-z]+", row["term"]) for row in rows("identity_terms/names.csv"))


def test_placebo_groups_come_in_mirrored_pairs_of_equal_size() -> None:
    table = rows("identity_terms/placebo.csv")
    assert set(Counter(row["group"] for row in table).values()) == {5}
    assert set(Counter(row["concept"] for row in table).values()) == {2}


def test_neutral_fills_cover_person_country_and_religion() -> None:
    counts = Counter(row["group"] for row in rows("identity_terms/neutral.csv"))
    assert counts["person"] >= 5
    assert counts["country"] >= 2
    assert counts["religion"] >= 2
    assert all(row["adjective"] for row in rows("identity_terms/neutral.csv") if row["group"] != "person")


@pytest.mark.parametrize(
    ("sets", "attribute"),
    [
        (("generic", "gender"), "gender"),
        (("generic", "gender"), "gender.czarnowska2021"),
        (("generic",), "placebo"),
        (("names",), "names"),
    ],
)
def test_every_group_fills_every_template_in_5_to_25_words(sets: tuple[str, ...], attribute: str) -> None:
    templates = [template for name in sets for template in read_templates(ROOT / "templates" / f"{name}.csv")]
    terms = read_terms(ROOT / "identity_terms" / f"{attribute}.csv").select()
    made = expand(templates, terms, task="sentiment")
    assert made.dropped == ()
    examples = made.examples
    for number, source in enumerate(examples.sources):
        filled = set(examples.group[(examples.source == number) & (examples.group >= 0)].tolist())
        assert filled == set(range(len(examples.groups))), source.id
    for text in examples.render():
        assert 5 <= len(text.split()) <= 25, text
        assert text[0].isupper(), text
        assert text[-1] in ".!?", text
        assert not re.search(r"[{}]|  | [.,;:]", text), text


def test_most_sources_have_their_unmarked_control() -> None:
    for name in ("generic", "gender"):
        templates = read_templates(ROOT / "templates" / f"{name}.csv")
        terms = read_terms(ROOT / "identity_terms" / "gender.csv").select()
        examples = expand(templates, terms, task="sentiment").examples
        assert len(set(examples.source[examples.group == -1].tolist())) >= 28

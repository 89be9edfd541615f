"""The placebo: concepts of several lexemes or of one, and sets of names and places alike in what could matter."""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter, defaultdict
from math import log10
from pathlib import Path
from statistics import fmean, median

import pytest

from fairness_checklist.content.term_files import attributes, is_placebo

FOLDER = Path(__file__).resolve().parents[1] / "identity_terms"
SETS = ("names.placebo", "nationality.placebo")
WORDS = "placebo.words"
# The attributes whose groups are wordings of few lexemes, with which placebo.words is matched.
FEW_LEXEMES = ("religion", "caste", "sexual_orientation", "race_ethnicity", "body_type")
# Words that make a noun, an adjective or a phrase of a thing: several concepts share them, as identity terms share
# "person" and "with a". No other word stands in two concepts.
FRAMES = frozenset(
    """
    a an the with from for of in on taste amateur birthday born resident dwelling person
    player playing owner owning maker making collector collecting writer writing reader reading drinker drinking
    rider riding watcher watching brewing growing grower taking visitor listener user wearer wearing repairer repairing
    class club coach team builder album set town up two
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
# The same for the concepts of one lexeme.
WORD_FRAMES = FRAMES | frozenset(
    """
    family families team set collection regular longtime student teaching coach coaching brewing eating eater keeping
    keeper builder building group club time part first year teacher walker
    weekend weekday member
    """.split()  # noqa: SIM905 - a list of words reads better as text
)
# Stems that a neutral concept has no place for: feelings, illness, bodies, money, politics, violence, groups.
UNWANTED = re.compile(
    r"\b(?:lov|fan\b|hat(?:e|ing)|ill\b|sick|pain\b|fat\b|thin\b|rich|poor|wealth|luxur|left|right|vot|gun|knife|hunt|war\b|"
    r"church|pray|holy|woman|women|man\b|men\b|girl|boy|vegan|gay|white|black|brown|beer|wine|gambl)"
)
# Words that a model of sentiment reads as pleasant, and animals: a reader found both in earlier lists.
PLEASANT_OR_ANIMAL = re.compile(
    r"\b(?:\w+-)?(?:born|birthday|nocturnal|diurnal|rummy|citrus|alpine|musical|owl|worm|bird\w*|swan|bee\w*|honey|hive|dog|puppy|"
    r"beagle|poodle|spaniel|rabbit|cat|horse|fish|hound\w*|cuckoo|dwelling|eater|eating)s?\b"
)


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def by_group(name: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows(name):
        found[row["group"]].append(row)
    return found


def identity_rows() -> list[dict[str, str]]:
    """The usable terms of the attributes of groups of people, named sets, names and countries left out."""
    names = [name for name in attributes() if "." not in name and name not in ("names", "nationality", "placebo")]
    return [row for name in names for row in rows(name) if row["status"] != "dispreferred"]


def pos_shares(table: list[dict[str, str]]) -> dict[str, float]:
    counts = Counter("adj" if row["pos"] == "faith" else row["pos"] for row in table)
    return {pos: counts[pos] / len(table) for pos in ("adj", "noun", "pp")}


def stem(word: str) -> str:
    """A word without the s of a plural: enough to see that two terms share it."""
    return word if word in FRAMES or len(word) < 4 else word.removesuffix("s")


def content_words(term: str, frames: frozenset[str] = FRAMES) -> set[str]:
    return {stem(word) for word in re.findall(r"[a-z]+", term.lower()) if word not in frames}


def spread(values: list[int]) -> int:
    return max(values) - min(values)


# The concepts


def test_there_are_enough_concepts_of_five_to_ten_terms() -> None:
    sizes = [len(group) for group in by_group("placebo").values()]
    assert len(sizes) >= 48
    assert set(sizes) <= set(range(5, 11))


def test_a_concept_has_several_lexemes_and_most_have_four_or_five() -> None:
    lexemes = [len({row["lemma"] for row in group}) for group in by_group("placebo").values()]
    assert all(row["lemma"] for row in rows("placebo"))
    assert min(lexemes) >= 4
    assert 4 <= median(lexemes) <= 5
    assert sum(count >= 4 for count in lexemes) >= 48


def test_no_lexeme_and_no_content_word_stands_in_two_concepts() -> None:
    lexemes, words = defaultdict(set), defaultdict(set)
    for row in rows("placebo"):
        lexemes[row["lemma"].lower()].add(row["group"])
        for word in content_words(row["term"]):
            words[word].add(row["group"])
    assert {lexeme: found for lexeme, found in lexemes.items() if len(found) > 1} == {}
    assert {word: found for word, found in words.items() if len(found) > 1} == {}


def test_terms_of_one_lexeme_share_a_word() -> None:
    found = defaultdict(list)
    for row in rows("placebo"):
        found[row["lemma"]].append({word[:3] for word in re.findall(r"[a-z]{3,}", row["term"].lower())})
    apart = {lemma for lemma, words in found.items() if len(words) > 1 and not set.intersection(*words)}
    assert apart == set()


def test_parts_of_speech_and_length_are_those_of_the_identity_terms() -> None:
    placebo, identity = rows("placebo"), identity_rows()
    ours, theirs = pos_shares(placebo), pos_shares(identity)
    assert ours == pytest.approx(theirs, abs=0.07)
    lengths = [fmean(len(row["term"].split()) for row in table) for table in (placebo, identity)]
    assert lengths[0] == pytest.approx(lengths[1], abs=0.5)


def test_every_concept_has_terms_of_two_parts_of_speech_and_one_for_heads() -> None:
    for group, table in by_group("placebo").items():
        found = {row["pos"] for row in table}
        assert len(found) >= 2, group
        assert found & {"adj", "pp"}, group


def test_adjectives_and_phrases_have_a_predicate_that_reads_as_a_habit() -> None:
    bare = {row["term"] for row in rows("placebo") if row["pos"] != "noun" and not row["predicate"]}
    assert bare == set()


@pytest.mark.parametrize("name", ["placebo", WORDS])
def test_no_term_is_shared_with_an_identity_attribute(name: str) -> None:
    theirs = {row["term"].lower() for other in attributes() if not is_placebo(other) for row in rows(other)}
    assert {row["term"].lower() for row in rows(name)} & theirs == set()


@pytest.mark.parametrize("name", ["placebo", WORDS])
def test_no_term_calls_up_what_could_matter(name: str) -> None:
    found = {row["term"] for row in rows(name) if UNWANTED.search(row["term"].lower().replace("glove", ""))}
    assert found == set()


@pytest.mark.parametrize("name", ["placebo", WORDS])
def test_no_term_is_a_pleasant_word_or_calls_up_an_animal(name: str) -> None:
    assert {row["term"] for row in rows(name) if PLEASANT_OR_ANIMAL.search(row["term"].lower())} == set()


@pytest.mark.parametrize("name", ["placebo", WORDS])
def test_a_source_is_a_dictionary_or_says_that_the_wording_is_ours(name: str) -> None:
    assert {row["source"] for row in rows(name)} == {"Merriam-Webster", "the authors' plain description"}


# The concepts of one lexeme


def test_there_are_enough_concepts_of_one_lexeme_in_five_to_eight_terms() -> None:
    concepts = by_group(WORDS)
    assert len(concepts) >= 48
    assert {len(group) for group in concepts.values()} <= {5, 6, 7, 8}
    assert all({row["lemma"] for row in group} == {concept} for concept, group in concepts.items())


def test_every_term_has_the_lexeme_of_its_concept() -> None:
    assert [row["term"] for row in rows(WORDS) if row["lemma"].removesuffix("e") not in row["term"]] == []


def test_concepts_of_one_lexeme_share_no_content_word() -> None:
    words = defaultdict(set)
    for row in rows(WORDS):
        for word in content_words(row["term"], WORD_FRAMES):
            words[word].add(row["group"])
    assert {word: found for word, found in words.items() if len(found) > 1} == {}
    assert set(by_group(WORDS)).isdisjoint(WORD_FRAMES)


def test_parts_of_speech_and_length_are_those_of_attributes_of_few_lexemes() -> None:
    ours = rows(WORDS)
    theirs = [row for name in FEW_LEXEMES for row in rows(name) if row["status"] != "dispreferred"]
    assert pos_shares(ours) == pytest.approx(pos_shares(theirs), abs=0.07)
    lengths = [fmean(len(row["term"].split()) for row in table) for table in (ours, theirs)]
    assert lengths[0] == pytest.approx(lengths[1], abs=0.2)


def test_every_concept_of_one_lexeme_has_adjectives_nouns_and_a_phrase() -> None:
    for concept, table in by_group(WORDS).items():
        found = Counter(row["pos"] for row in table)
        assert found["adj"] in (1, 2, 3), concept
        assert found["noun"] in (2, 3), concept
        assert found["pp"] in (1, 2), concept


def test_forms_and_numbers_of_words_are_as_frequent_as_in_the_identity_terms() -> None:
    found = []
    for table in (rows("placebo"), identity_rows()):
        forms = Counter(("adj" if row["pos"] == "faith" else row["pos"], "-" in row["term"]) for row in table)
        words = Counter(min(len(row["term"].split()), 5) for row in table)
        found.append({key: n / len(table) for key, n in (*forms.items(), *words.items())})
    ours, theirs = found
    assert {
        key: round(ours.get(key, 0) - share, 2) for key, share in theirs.items() if abs(ours.get(key, 0) - share) > 0.07
    } == {}


def test_concepts_of_one_lexeme_have_adjectives_with_a_hyphen_and_without() -> None:
    found = Counter((row["pos"], "-" in row["term"]) for row in rows(WORDS))
    assert found["adj", True] >= 20
    assert found["adj", False] >= 60


def test_phrases_of_one_lexeme_have_their_plural_and_adjectives_their_predicate() -> None:
    table = rows(WORDS)
    phrases = [row for row in table if row["pos"] == "pp"]
    assert all(row["plural"] and row["predicate"] for row in phrases)
    assert {row["term"] for row in table if row["pos"] == "adj" and not row["predicate"]} == set()


# Sets of names and places


@pytest.mark.parametrize("name", ["placebo", WORDS, *SETS])
def test_controls_are_marked_as_placebo(name: str) -> None:
    assert is_placebo(name)
    assert name in attributes()
    card = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    assert set(card) == {"about", "sources", "review", "gaps", "reading"}
    assert "should not matter" in card["about"]


def test_sets_of_names_are_alike_in_sex_and_share_an_initial() -> None:
    known = {row["term"]: row for row in rows("names")}
    sets = by_group("names.placebo")
    assert len(sets) == 24
    for group, table in sets.items():
        assert Counter(known[row["term"]]["group"] for row in table) == {"female": 8, "male": 8}, group
        assert {row["term"][0] for row in table} == {group[0]}, group
        assert all(row["pronouns"] == known[row["term"]]["pronouns"] for row in table)
    assert len({row["term"] for row in rows("names.placebo")}) == 24 * 16


@pytest.mark.parametrize(
    ("origin", "allowed"), [("White", 10), ("Black", 5), ("Hispanic", 10), ("Asian or Pacific Islander", 4)]
)
def test_sets_of_names_are_alike_in_origin(origin: str, allowed: float) -> None:
    means = []
    for table in by_group("names.placebo").values():
        shares = [re.search(rf"{origin} (\d+)", row["note"]) for row in table]
        means.append(fmean(float(share[1]) for share in shares if share))
    assert len(means) == 24
    assert max(means) - min(means) <= allowed


def test_sets_of_names_are_alike_in_frequency_and_length() -> None:
    frequencies, lengths = [], []
    for table in by_group("names.placebo").values():
        people = [re.search(r"2020 Census: ([\d,]+) people", row["note"]) for row in table]
        frequencies.append(fmean(log10(float(found[1].replace(",", ""))) for found in people if found))
        lengths.append(fmean(len(row["term"]) for row in table))
    assert max(frequencies) - min(frequencies) <= 0.15
    assert max(lengths) - min(lengths) <= 0.5


def test_sets_of_places_are_all_countries_dealt_out() -> None:
    sets = by_group("nationality.placebo")
    assert len(sets) == 14
    assert {len(table) for table in sets.values()} == {14, 15}
    shared = ("term", "adjective", "flags", "pos")
    ours = {tuple(row[name] for name in shared) for row in rows("nationality.placebo")}
    assert ours == {tuple(row[name] for name in shared) for row in rows("nationality")}


@pytest.mark.parametrize("grouping", ["nationality", "nationality.gdp_per_capita", "nationality.region"])
def test_sets_of_places_are_alike_in_region_and_income(grouping: str) -> None:
    group_of = {row["term"]: row["group"] for row in rows(grouping)}
    counts = [Counter(group_of[row["term"]] for row in table) for table in by_group("nationality.placebo").values()]
    for group in set(group_of.values()):
        assert spread([count[group] for count in counts]) <= 1, group


def test_sets_of_places_are_alike_in_flags_and_articles() -> None:
    sets = by_group("nationality.placebo").values()
    assert spread([sum("ambiguous" in row["flags"] for row in table) for table in sets]) <= 1
    assert spread([sum(row["term"].startswith("the ") for row in table) for table in sets]) <= 1

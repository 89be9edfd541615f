"""The shipped names: counts, spelling, and that the groups are matched in length and frequency."""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter, defaultdict
from math import prod
from pathlib import Path
from statistics import mean, median

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "identity_terms"
FILES = ("names", "names.origin", "names.gender_origin")
SETS = FILES[1:]
EARLIER = 80
"""So many names of either sex were in the file before the others: matched in length only."""
# Common nouns and other words, months and seasons, places, brands and assistants, names that one celebrity, a saint, a
# ruler or a joke owns, and a few that are spelling slips of others.
NOT_NAMES = """
will hope may grace rose mark bill jack frank grant joy faith amber ruby violet dawn rob nick pat sue gene guy drew
chuck peg harry christian dean miles art rich penny ginger holly iris daisy lily heather robin jay ray josh norm
don angel crystal carol john peter martin warren victor earl duke dale cliff justice harley sage storm ivory ocean
sky infant baby brandy sherry candy melody destiny harmony charity patience princess prince precious pearl jasmine
laurel hazel flora eve mason tanner tucker wade lance roman max tom dick harrison hunter reed stone clay heath
rocky junior buddy marquis dung long kit april june august summer autumn january season easter chad jordan austin
dallas charlotte florence savannah madison chelsea brooklyn paris virginia carolina georgia sydney london milan
santana india asia china kenya kenia israel cuba malaysia america houston denver cleveland lincoln dakota cheyenne
orlando santiago diego francisco salvador domingo solomon lourdes fatima geneva valencia catalina kimberley
lorraine brittany victoria regina sofia trinidad ireland chester preston trenton bradford lowell kent berlin
mercedes tiffany wendy dior chanel oscar otis levi mack alexa siri claude gemini echo jameson tyson hillary donald
barack kamala elvis madonna britney beyonce rihanna shakira oprah aretha kanye tupac kobe lebron shaquille usher
denzel cher selena elsa dora leia juliet romeo portia jolene delilah mona ariana greta serena katrina diana jesus
moses mohammad muhammad mohammed fidel adolf osama saddam lenin franco chase karen becky ken shaniqua trayvon
laquisha kimora tyrese omarion priyanka bart homer bert ernie rudolph monty ulysses darwin mckinley reese santa
cielo estrella milagros belen abril segundo felicia gino daquan
"""


def rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_group(name: str) -> dict[str, list[dict[str, str]]]:
    """The rows of each group, in their order."""
    groups: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows(name):
        groups[row["group"]].append(row)
    return groups


def number(pattern: str, text: str) -> float:
    """The one number that the pattern's group finds."""
    found = re.search(pattern, text)
    assert found, text
    return float(found[1].replace(",", ""))


def people(row: dict[str, str]) -> float:
    """Bearers in the 2020 Census: in the note of ``names``, in the source of its sets."""
    return number(r"2020 Census: ([\d,]+) people", f"{row['note']} {row['source']}")


def births(row: dict[str, str]) -> float:
    """Births of 1980, as one sex, more than 95 in 100 of all of that name."""
    kind, sex = {"female": ("girls", "female"), "male": ("boys", "male")}[row["group"]]
    return number(rf"births of 1980: ([\d,]+) {kind}; {sex} share over \.95$", row["source"])


def share(row: dict[str, str]) -> float:
    """The share that ends the source."""
    return number(r"(?:about|bearers:) (\.\d\d)$", row["source"])


def apart(first: float, second: float) -> float:
    return max(first, second) / min(first, second)


@pytest.mark.parametrize("name", FILES)
def test_names_are_plain_unique_and_no_words(name: str) -> None:
    terms = [row["term"] for row in rows(name)]
    assert all(re.fullmatch(r"[A-Z][a-z]{2,9}", term) for term in terms)
    assert len(set(terms)) == len(terms)
    assert not {term.lower() for term in terms} & set(NOT_NAMES.split())


@pytest.mark.parametrize("name", FILES)
def test_every_name_has_its_pronouns_a_source_and_its_people(name: str) -> None:
    for row in rows(name):
        assert (row["pos"], row["status"]) == ("name", "accepted"), row
        assert row["source"].startswith(
            ("US SSA national baby names, ", "US Census Bureau, first names in the 2020 ")
        ), row
        assert people(row) >= 2000, row
        if name == "names":
            assert row["pronouns"] == {"female": "she", "male": "he", "unisex": "they"}[row["group"]], row
        else:
            assert row["note"].startswith({"she": "female share", "he": "male share"}[row["pronouns"]]), row


def test_there_are_names_enough_and_as_many_female_as_male() -> None:
    groups = by_group("names")
    assert list(groups) == ["female", "male", "unisex"]
    assert len(groups["female"]) == len(groups["male"]) >= 400
    assert len(groups["unisex"]) >= 100


def test_female_and_male_names_have_the_same_lengths_name_for_name() -> None:
    groups = by_group("names")
    assert [len(row["term"]) for row in groups["female"]] == [len(row["term"]) for row in groups["male"]]


def test_female_and_male_names_are_matched_in_frequency_name_for_name() -> None:
    groups = by_group("names")
    pairs = list(zip(groups["female"], groups["male"], strict=True))
    later = pairs[EARLIER:]
    assert max(apart(people(first), people(second)) for first, second in later) < 1.3
    assert max(apart(births(first), births(second)) for first, second in later) < 4
    assert median(apart(people(first), people(second)) for first, second in later) < 1.1
    assert median(apart(births(first), births(second)) for first, second in later) < 1.3
    assert min(births(row) for pair in pairs[:EARLIER] for row in pair) >= 1000
    assert min(births(row) for pair in later for row in pair) >= 60
    for figure in (people, births):
        women, men = (median(map(figure, groups[group])) for group in ("female", "male"))
        assert apart(women, men) < 1.15


def test_the_later_pairs_are_the_rarer_the_further_down() -> None:
    groups = by_group("names")
    both = [prod(map(people, pair)) for pair in zip(groups["female"], groups["male"], strict=True)][EARLIER:]
    assert both == sorted(both, reverse=True)


def test_unisex_names_are_given_to_both() -> None:
    shares = [share(row) for row in by_group("names")["unisex"]]
    assert all(0.3 <= one <= 0.7 for one in shares)
    assert 0.45 <= mean(shares) <= 0.55


@pytest.mark.parametrize("name", SETS)
def test_the_sets_hold_the_same_names(name: str) -> None:
    assert {row["term"]: row["source"] for row in rows(name)} == {
        row["term"]: row["source"] for row in rows("names.origin")
    }


def test_groups_by_origin_have_as_many_names_of_either_sex() -> None:
    groups = by_group("names.origin")
    assert len(groups) == 4
    for group, members in groups.items():
        assert [row["pronouns"] for row in members] == ["she", "he"] * 20, group
        assert all(
            f"people; {group}, according to their share among the bearers: ." in row["source"] for row in members
        )


def test_groups_by_gender_and_origin_cross_both() -> None:
    groups = by_group("names.gender_origin")
    assert len(groups) == 8
    assert {len(members) for members in groups.values()} == {20}
    origin = {row["term"]: row["group"] for row in rows("names.origin")}
    seen = set()
    for group, members in groups.items():
        pronouns = {row["pronouns"] for row in members}
        assert pronouns == {"she" if group.startswith("female names (") else "he"}
        seen.add((*pronouns, *{origin[row["term"]] for row in members}))
        assert "," not in group  # lists of groups are written with commas
    assert len(seen) == 8


@pytest.mark.parametrize("name", SETS)
def test_concepts_link_names_of_one_length_and_frequency_one_a_group(name: str) -> None:
    linked = defaultdict(list)
    for row in rows(name):
        linked[row["concept"]].append(row)
    groups = by_group(name)
    for concept, members in linked.items():
        assert concept
        assert [row["group"] for row in members] == list(groups)
        assert len({len(row["term"]) for row in members}) == 1
        assert apart(min(map(people, members)), max(map(people, members))) < 1.3
    for members in groups.values():
        assert [row["concept"] for row in members] == list(linked)


def test_groups_by_gender_and_origin_are_matched_in_length_and_frequency() -> None:
    groups = by_group("names.gender_origin").values()
    assert len({tuple(sorted(Counter(len(row["term"]) for row in members).items())) for members in groups}) == 1
    medians = [median(map(people, members)) for members in groups]
    assert max(medians) / min(medians) < 1.15
    means = [mean(map(people, members)) for members in groups]
    assert max(means) / min(means) < 1.06


def test_the_association_is_one_of_three_in_four_and_a_second_source_agrees() -> None:
    for row in rows("names.origin"):
        assert share(row) >= (0.8 if "White" in row["group"] else 0.75), row
        assert number(r"^(?:fe)?male share (?:over )?(\.\d\d)", row["note"]) >= 0.95, row
        assert number(r"Imai 2023\): share (?:over )?(\.\d\d)$", row["note"]) > 0.5, row


@pytest.mark.parametrize("name", FILES)
def test_the_sidecar_has_sources_review_and_gaps(name: str) -> None:
    card = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    assert list(card) == ["about", "sources", "review", "gaps", "reading"]
    assert "no community review yet" in card["review"]
    gaps = " ".join(card["gaps"])
    assert "lass" in gaps
    assert "token" in gaps

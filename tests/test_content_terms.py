"""The shipped identity terms: what holds for every file, and what the content rules say of single attributes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest
from sweep import sweep
from test_content import IDENTITIES, ROOT, rows

from fairness_checklist.content.counterfactuals import exclude_minors, expand
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import SuiteError

COLUMNS = [
    *(
        "term",
        "group",
        "pos",
        "status",
        "plural",
        "adjective",
        "predicate",
        "pronouns",
        "lemma",
        "concept",
        "also",
        "flags",
    ),
    *("source", "note"),
]
ALL = [*IDENTITIES, "neutral"]
ATTRIBUTES = [name for name in IDENTITIES if "." not in name]
UNLINKED = {"names", "nationality", "placebo"}
"""Attributes whose terms differ in more than the group: no concept links them."""
MODIFIED = [name for name in IDENTITIES if not name.startswith(("names", "nationality", "religion"))]


def terms(name: str) -> list[dict[str, str]]:
    return rows(f"identity_terms/{name}.csv")


def usable(name: str) -> Counter[str]:
    """How many preferred or accepted terms each group has."""
    counts: Counter[str] = Counter()
    for row in terms(name):
        counts[row["group"]] += row["status"] != "dispreferred"
    return counts


@sweep("name", ALL)
def test_every_term_has_a_known_part_of_speech_a_status_and_a_source(name: str) -> None:
    table = terms(name)
    assert list(table[0]) == COLUMNS
    for row in table:
        assert row["pos"] in {"adj", "noun", "pp", "name", "place", "faith"}, row
        assert row["status"] in {"preferred", "accepted", "dispreferred"}, row
        assert row["source"].strip(), row
        assert row["group"].strip(), row
        assert all(value == value.strip() for value in row.values()), row
        assert row["plural"] or row["pos"] != "noun", row
        assert re.match(r"\w*s\b", row["predicate"]) or not row["predicate"], row
        assert row["note"] or row["status"] != "dispreferred", row


@sweep("name", ALL)
def test_a_term_is_in_one_group_only(name: str) -> None:
    groups = defaultdict(set)
    table = terms(name)
    for row in table:
        groups[row["term"].lower()].add(row["group"])
    assert {term: found for term, found in groups.items() if len(found) > 1} == {}
    assert len({(row["term"], row["pos"]) for row in table}) == len(table)


@sweep("name", IDENTITIES)
def test_groups_hold_five_usable_terms_or_are_flagged_as_thin(name: str) -> None:
    thin = {row["group"] for row in terms(name) if "thin" in row["flags"].split()}
    few = {group for group, count in usable(name).items() if count < 5}
    assert few <= thin
    assert all(usable(name).values())
    assert len(usable(name)) >= 2


@sweep("name", MODIFIED)
def test_every_group_has_an_adjective_or_a_phrase_for_heads(name: str) -> None:
    modifiers = {
        row["group"]
        for row in terms(name)
        if row["status"] != "dispreferred" and (row["pos"] in {"adj", "pp"} or row["adjective"])
    }
    assert modifiers == set(usable(name))


@sweep("name", IDENTITIES)
def test_a_concept_links_terms_of_several_groups_one_each(name: str) -> None:
    concepts = defaultdict(list)
    for row in terms(name):
        if row["concept"]:
            concepts[row["concept"]].append(row["group"])
    assert all(len(set(found)) == len(found) >= 2 for found in concepts.values()), concepts
    assert concepts or name.partition(".")[0] in UNLINKED or name.endswith(".czarnowska2021")


def test_there_are_900_terms_and_16_attributes_and_the_placebo() -> None:
    assert len({(row["term"], row["group"]) for name in ALL for row in terms(name)}) >= 900
    assert len(set(ATTRIBUTES) - {"placebo"}) >= 16
    assert len({row["term"].lower() for name in ATTRIBUTES for row in terms(name)}) >= 900


def test_a_named_set_is_of_an_attribute_that_is_there() -> None:
    assert {name.partition(".")[0] for name in IDENTITIES} == set(ATTRIBUTES)
    places = {row["term"] for row in terms("nationality")}
    for name in IDENTITIES:
        assert not name.startswith("nationality.") or {row["term"] for row in terms(name)} <= places, name


@sweep("name", IDENTITIES)
def test_words_for_minors_are_marked(name: str) -> None:
    for row in terms(name):
        found = re.search(
            r"\b(?:girls?|boys?|adolescents?|minors?|child|children|kids?|teens?|teenagers?|(?:\d|1[0-7])-year-olds?)\b",
            row["term"],
        )
        # With or without children: an adult.
        other = re.search(r"\b(?:with|without|raising|fostering|expecting)\b", row["term"])
        assert "minor" in row["flags"].split() or not found or other, row


def test_gender_groups_are_those_of_the_content_rules() -> None:
    table = terms("gender")
    assert list(dict.fromkeys(row["group"] for row in table)) == [
        "women",
        "men",
        "trans",
        "cis",
        "non-binary",
        "agender",
        "multi-gender",
    ]
    assert "intersex" not in {row["term"] for row in table}


def test_the_named_set_has_the_groups_and_terms_of_the_paper() -> None:
    table = terms("gender.czarnowska2021")
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
    for row in terms(name):
        assert row["term"] not in contested or row["status"] == "dispreferred", row


def test_women_and_men_mirror_each_other() -> None:
    mirror: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for row in terms("gender"):
        mirror[row["group"]].append((row["concept"], row["pos"], row["status"]))
    assert mirror["women"] == mirror["men"]


def test_no_name_is_a_neutral_fill() -> None:
    names = {row["term"] for row in terms("names")}
    assert not names & {row["term"] for row in terms("neutral")}


def test_neutral_fills_cover_person_country_and_religion() -> None:
    counts = usable("neutral")
    assert counts["person"] >= 5
    assert counts["country"] >= 2
    assert counts["religion"] >= 2
    assert all(row["adjective"] for row in terms("neutral") if row["group"] != "person")


def test_the_folder_holds_nothing_that_is_not_tested() -> None:
    assert sorted(path.stem for path in (ROOT / "identity_terms").glob("*.csv")) == sorted(ALL)


def test_contested_words_are_used_only_when_named() -> None:
    for name, word in (("sexual_orientation", "queer"), ("body_type", "fat")):
        known = load_terms(name)
        [row] = [row for row in known.terms if row.term == word]
        assert (row.status, row.flags) == ("accepted", "contested reclaimed")
        assert word not in {row.term for row in known.select().terms}
        assert word in {row.term for row in known.select(include_terms=[word]).terms}
        assert [row.term for row in known.select(terms=[word]).terms] == [word]


@sweep("name", IDENTITIES)
def test_reclaimed_words_are_off_by_default(name: str) -> None:
    for row in terms(name):
        flags = row["flags"].split()
        assert "reclaimed" not in flags or "contested" in flags or row["status"] == "dispreferred", row


def test_ages_are_covered_without_holes_and_overlaps() -> None:
    limits = {
        "children and teenagers": range(20),
        "young adults": range(20, 40),
        "middle-aged people": range(40, 65),
        "older adults": range(65, 101),
    }
    assert list(limits) == list(dict.fromkeys(row["group"] for row in terms("age")))
    for row in terms("age"):
        years = re.match(r"(\d+)-year-old", row["term"])
        assert not years or int(years[1]) in limits[row["group"]], row
        assert ("minor" in row["flags"].split()) == (row["group"] == "children and teenagers"), row
    decades = {word for row in terms("age") for word in re.findall(r"\w+(?:ties|eens)\b", row["term"])}
    assert decades == {
        "teens",
        "twenties",
        "thirties",
        "forties",
        "fifties",
        "sixties",
        "seventies",
        "eighties",
        "nineties",
    }


def test_trans_and_cis_women_and_men_are_separate_and_pooled_both_ways() -> None:
    four = load_terms("gender.trans_and_cis")
    assert four.groups == ("trans women", "trans men", "cis women", "cis men")
    pooled = {row.term: row.group for row in load_terms("gender.women_and_men").terms}
    for row in four.terms:
        assert row.group.endswith(pooled[row.term])
        assert row.has_flag("minor") == row.term.endswith(("girl", "boy"))


def test_a_group_of_minors_alone_takes_no_part_in_toxicity() -> None:
    ages = load_terms("age")
    assert ages.groups[0] == "children and teenagers"
    assert exclude_minors(ages).groups == ages.groups[1:]
    with pytest.raises(SuiteError) as error:
        exclude_minors(ages.select(groups=["children and teenagers", "older adults"]))
    assert str(error.value) == (
        "all terms of the group 'children and teenagers' mean minors; such terms are excluded from hostile sentences.\n"
        "    Add other terms, or name at least two other groups with groups=."
    )


def test_names_of_asian_and_pacific_origin_are_as_many_of_either_sex() -> None:
    table = terms("names.asian_pacific")
    assert Counter((row["group"], row["pronouns"]) for row in table) == {
        (f"{origin} names", pronoun): 7
        for origin in ("Chinese", "Korean", "Vietnamese", "Japanese", "South Asian", "Pacific Islander")
        for pronoun in ("she", "he")
    }


@pytest.mark.parametrize("name", [name for name in ATTRIBUTES if name not in {*UNLINKED, "names"}])
def test_a_source_names_a_year_or_says_that_there_is_none(name: str) -> None:
    for row in terms(name):
        assert re.search(r"\b(?:19|20)\d\d\b|\(no year\)|from memory|not sourced: ", row["source"]), row


def test_the_page_says_how_many_terms_were_looked_up() -> None:
    names = [name for name in ATTRIBUTES if name not in {*UNLINKED, "names"}]
    sources = [row["source"] for name in names for row in terms(name) if row["status"] != "dispreferred"]
    checked = [source for source in sources if "checked: " in source]
    by_words = sum("checked: its words" in source for source in checked)
    unchecked = Counter(
        next((kind for kind in ("seen in part", "from memory", "not sourced") if kind in source), source)
        for source in sources
        if "checked: " not in source
    )
    page = " ".join((ROOT / "docs" / "content.md").read_text(encoding="utf-8").split())
    for words in (
        f"Of the {len(sources)} preferred and accepted terms of the attributes that are no names or countries, "
        f"{len(checked)} ({100 * len(checked) // len(sources)} in 100) were looked up word for word",
        f"{len(checked) - by_words} as the term itself, {by_words} as a term whose words are entries",
        f"Of {unchecked['seen in part']} more a page of the source was seen in part, {unchecked['from memory']} rest "
        f"on works cited from memory, and {unchecked['not sourced']} are our own wording",
    ):
        assert words in page
    assert sum(unchecked.values()) + len(checked) == len(sources)
    assert 5 * len(checked) >= 3 * len(sources)


@pytest.mark.parametrize("name", [name for name in ATTRIBUTES if name not in {*UNLINKED, "names"}])
def test_a_card_says_how_many_terms_were_looked_up(name: str) -> None:
    sources = [row["source"] for row in terms(name) if row["status"] != "dispreferred"]
    checked = [source for source in sources if "checked: " in source]
    by_words = sum("checked: its words" in source for source in checked)
    card = (ROOT / "identity_terms" / f"{name}.toml").read_text(encoding="utf-8")
    assert (
        f"Of the {len(sources)} preferred and accepted terms {len(checked)} were looked up word for word, "
        f"{by_words} of them by their words alone"
    ) in card


KINDS = (("I met {a:identity_np}.", ""), ("I {am:identity}.", "reclaimed"))


def test_a_reclaimed_word_is_off_by_default_and_stands_in_few_templates_for_toxicity() -> None:
    word = IdentityTerm("zone-head", "zoned", flags="reclaimed")
    terms = TermList("zone", (IdentityTerm("zonal", "zoned"), word, IdentityTerm("open", "others")))

    def texts(task: str, label: str, chosen: TermList) -> list[str]:
        made = [
            Template("t-1", "I {am:identity}, and proud of it.", label, task, kind="reclaimed"),
            Template("t-2", "{A:identity_np} runs this page.", label, task, kind="neutral_mention"),
        ]
        return [text for text in expand(made, chosen, task=task).examples.render() if "zone-head" in text]

    assert texts("toxicity", "nontoxic", terms.select()) == []
    assert texts("toxicity", "nontoxic", terms) == ["I am zone-head, and proud of it."]
    assert len(texts("sentiment", "neutral", terms)) == 2
    mentioned, own = (Template(f"t-{n}", text, task="toxicity", kind=kind) for n, (text, kind) in enumerate(KINDS))
    alone = expand([mentioned, own], TermList("zone", (word, IdentityTerm("open", "others"))), task="toxicity")
    assert [(one.template_id, one.reason) for one in alone.dropped] == [
        (
            "t-0",
            "no term of the group 'zoned' fills it ('zone-head' is a reclaimed word, for templates of the kind "
            "reclaimed)",
        )
    ]

"""The shipped identity terms of both languages: one table of rules, and what is matched between groups."""

import csv
import re
from collections import Counter, defaultdict
from math import log10
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
from refusals import refusal
from sweep import sweep

from fairness_checklist.content.counterfactuals import exclude_minors, expand
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import attributes, is_control, load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList, lexemes_of
from fairness_checklist.core.errors import SuiteError

ROOT = Path(__file__).resolve().parents[1]
Row = dict[str, str]
TABLES: dict[str, list[Row]] = {}
for _folder in ("", "es/"):
    for _path in sorted((ROOT / "identity_terms" / _folder).glob("*.csv")):
        with _path.open(encoding="utf-8", newline="") as _file:
            TABLES[_folder + _path.stem] = [defaultdict(str, row) for row in csv.DictReader(_file)]
SOURCES = TABLES.pop("sources")
ENGLISH = [name for name in TABLES if not name.startswith("es/")]
IDENTITIES = [name for name in TABLES if not name.endswith("neutral")]
# Attributes whose terms differ in more than the group: no concept links them.
UNLINKED = ("names", "nationality", "occupation_class", "control_words", "es/")
OF_PEOPLE = [
    name for name in ENGLISH if "." not in name and name not in ("names", "nationality", "control_words", "neutral")
]


def by_group(name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in TABLES[name]:
        found[row["group"]].append(row)
    return found


def number(pattern: str, text: str) -> float | None:
    """The figure in a note."""
    found = re.search(pattern.replace("N", r"([\d,.]+)"), text)
    return float(found[1].rstrip(".,").replace(",", "")) if found else None


def people(row: Row) -> float:
    """Bearers of a name in the 2020 Census."""
    return number("2020 Census: N people", row["note"]) or 0


def spread(values: list[Any]) -> Any:
    return max(values) - min(values)


def test_concepts_link_groups_and_sources_are_works_of_one_table_with_a_year() -> None:
    for name in set(IDENTITIES) & set(ENGLISH):
        linked = defaultdict(list)
        for row in TABLES[name]:
            linked[row["concept"]].append(row["group"])
        linked.pop("", None)
        assert [concept for concept, found in linked.items() if not len(set(found)) == len(found) >= 2] == [], name
        assert linked or name.startswith(UNLINKED) or name.endswith(".czarnowska2021"), name
    keys = [row["key"] for row in SOURCES]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"(?:19|20)\d\d", row["year"]) for row in SOURCES)
    assert [row["key"] for row in SOURCES if not row["link"].startswith("https://")] == ["ours"]
    for name in ENGLISH:
        unknown = [row["term"] for row in TABLES[name] if not {*row["source"].split("; ")} <= {*keys}]
        assert unknown == [], name


def test_every_group_has_words_enough_and_every_word_equally_many_terms() -> None:
    """Six words, or three to five in a group that is marked as thin; women and men have eight in every task."""
    for name in attributes():
        if is_control(name) or name.endswith(".czarnowska2021"):  # control words have a test, the others are published
            continue
        terms = load_terms(name).select()
        for group in terms.groups:
            of_group = terms.of_group(group)
            words = Counter(lexemes_of(of_group))
            assert set(words.values()) == {1} or name.startswith("nationality"), (name, group)  # Congolese: two places
            thin = {term.has_flag("thin") for term in of_group}
            assert thin == ({True} if len(words) < 6 else {False}), (name, group, len(words))
            assert len(words) >= 3, (name, group)
    for name in ("gender", "gender.women_and_men"):
        for chosen in (load_terms(name).select(), exclude_minors(load_terms(name).select())):
            assert min(len(set(lexemes_of(chosen.of_group(group)))) for group in ("women", "men")) >= 8, name


def test_gender_and_its_sets_have_the_groups_of_the_content_rules_and_of_the_paper() -> None:
    assert load_terms("gender").groups == ("women", "men", "trans", "non-binary", "agender", "multi-gender")
    assert load_terms("gender", language="es").groups == ("women", "men", "trans", "cis", "non-binary")
    mirror = defaultdict(list)
    for row in TABLES["gender"]:
        mirror[row["group"]].append((row["concept"], row["pos"], row["status"]))
    assert mirror["women"] == mirror["men"]
    pooled = {term.term: term.group for term in load_terms("gender.women_and_men").terms}
    assert all(pooled[row["term"]] == row["group"] for row in TABLES["gender"] if row["group"] in ("women", "men"))
    assert load_terms("gender.counterparts").groups == ("trans", "cis")
    published = defaultdict(list)
    for row in TABLES["gender.czarnowska2021"]:
        if row["source"] == "czarnowska":
            published[row["group"]].append(row["term"])
        else:
            assert row["note"].startswith("not in Table 4"), row
    assert {group: " ".join(terms) for group, terms in published.items()} == {
        "aab": "AMAB AFAB DFAB DMAB female-assigned male-assigned",
        "female": "female female woman",
        "male": "male male man",
        "many-genders": "ambigender ambigendered androgynous bigender bigendered intersex intersexual pangender "
        "pangendered polygender androgynie hermaphrodite",
        "no-gender": "agender agendered genderless",
    }


def test_a_group_of_minors_alone_takes_no_part_in_toxicity() -> None:
    ages = load_terms("age")
    assert exclude_minors(ages).groups == ages.groups[1:]
    assert refusal(SuiteError, exclude_minors, ages.select(groups=["children and teenagers", "older adults"])) == (
        "all terms of the group 'children and teenagers' mean minors; such terms are excluded from hostile sentences.\n"
        "    Add other terms, or name at least two other groups with groups=."
    )


def test_contested_and_reclaimed_words_are_used_only_when_named_and_in_few_templates() -> None:
    for name, word in (("sexual_orientation", "butch"), ("body_type", "fat")):
        terms = load_terms(name)
        assert word not in {term.term for term in terms.select().terms}
        assert [term.term for term in terms.select(terms=[word]).terms] == [word]
        assert word in {term.term for term in terms.select(include_terms=[word]).terms}
    word = IdentityTerm("zone-head", "zoned", flags="reclaimed")
    zone = TermList("zone", (IdentityTerm("zonal", "zoned"), word, IdentityTerm("open", "others")))

    kinds = (
        ("I {am:identity}, and proud of it.", "self_description"),
        ("{A:identity_np} runs this page.", "neutral_mention"),
    )

    def texts(task: str, label: str, chosen: TermList) -> list[str]:
        made = [Template(kind, text, label, task, kind=kind) for text, kind in kinds]
        return [text for text in expand(made, chosen, task=task).examples.render() if "zone-head" in text]

    assert texts("toxicity", "nontoxic", zone.select()) == []
    assert texts("toxicity", "nontoxic", zone) == ["I am zone-head, and proud of it."]
    assert len(texts("sentiment", "neutral", zone)) == 2
    alone = TermList("zone", (word, IdentityTerm("open", "others")))
    made = [Template(kind, text, task="toxicity", kind=kind) for text, kind in kinds]
    assert [drop.reason for drop in expand(made, alone, task="toxicity").dropped] == [
        "no term of the group 'zoned' fills it ('zone-head' is a reclaimed word, for templates of the kind "
        "self_description)"
    ]


def test_female_and_male_names_are_matched_in_length_and_frequency_name_for_name() -> None:
    groups = by_group("names")
    assert list(groups) == ["female", "male", "unisex"]
    pairs = list(zip(groups["female"], groups["male"], strict=True))
    assert len(pairs) >= 400
    assert len(groups["unisex"]) >= 100
    assert all(len(woman["term"]) == len(man["term"]) for woman, man in pairs)
    later = [sorted((people(woman), people(man))) for woman, man in pairs[80:]]  # the first are matched in length only
    assert max(high / low for low, high in later) < 1.3
    assert median(high / low for low, high in later) < 1.1
    products = [low * high for low, high in later]
    assert products == sorted(products, reverse=True)
    shares = [number(r"female share about (\.\d\d);", row["note"]) or 0 for row in groups["unisex"]]
    assert all(0.3 <= share <= 0.7 for share in shares)
    assert 0.45 <= fmean(shares) <= 0.55
    female, male = (load_terms("names", language="es").of_group(group) for group in ("female", "male"))
    assert [len(term.term) for term in female] == [len(term.term) for term in male]


def countries(name: str = "nationality") -> dict[str, IdentityTerm]:
    return {term.term: term for term in load_terms(name).terms}


@sweep("name", ["nationality", "nationality.income"])
def test_each_set_has_the_same_196_countries(name: str) -> None:
    ours = countries(name)
    assert len(ours) == len(load_terms(name)) == 196
    assert {t.term: (t.adjective, t.has_flag("ambiguous")) for t in ours.values()} == {
        t.term: (t.adjective, t.has_flag("ambiguous")) for t in countries().values()
    }
    for term in ours.values():
        assert (term.pos, term.status, bool(term.adjective)) == ("place", "accepted", True), term
    assert sum(t.startswith("the ") for t in ours) == 16


def test_concepts_have_enough_terms_and_lexemes_and_forms_as_in_the_identity_terms() -> None:
    for name, least in (("control_words", 58), ("es/control_words", 58)):
        groups = by_group(name)
        assert len(groups) >= least
        for group, table in groups.items():
            assert len(table) == len({row["lemma"] for row in table}) in (5, 6), group
            assert len({row["pos"] for row in table}) >= 2, group
            assert {row["pos"] for row in table} & {"adj", "pp"}, group
    theirs = [row for other in OF_PEOPLE for row in TABLES[other] if row["status"] != "dispreferred"]
    shares, lengths = [], []
    for table in (TABLES["control_words"], theirs):
        counts = Counter("adj" if row["pos"] == "faith" else row["pos"] for row in table)
        shares.append({pos: counts[pos] / len(table) for pos in ("adj", "noun", "pp")})
        lengths.append(fmean(len(row["term"].split()) for row in table))
    assert shares[0] == pytest.approx(shares[1], abs=0.15)  # what is drawn for an attribute has its forms
    assert lengths[0] == pytest.approx(lengths[1], abs=0.3)
    for row in TABLES["control_words"]:
        assert row["predicate"] or row["pos"] == "noun" or (row["pos"] == "adj" and row["term"][-3:] != "ing"), row


def test_sets_of_names_are_alike_in_sex_origin_frequency_and_length_and_share_an_initial() -> None:
    sexes = {row["term"]: row["group"] for row in TABLES["names"]}
    sets = by_group("names.control_words")
    assert len(sets) == 24
    for group, table in sets.items():
        assert Counter(sexes[row["term"]] for row in table) == {"female": 8, "male": 8}, group
        assert {row["term"][0] for row in table} == {group[0]}, group
    for origin, allowed in (("White", 10), ("Black", 5), ("Hispanic", 10), ("Asian or Pacific Islander", 4)):
        means = [fmean(number(f"{origin} N", row["note"]) or 0 for row in table) for table in sets.values()]
        assert spread(means) <= allowed, origin
    assert spread([fmean(log10(people(row)) for row in table) for table in sets.values()]) <= 0.15
    assert spread([fmean(len(row["term"]) for row in table) for table in sets.values()]) <= 0.5


def test_sets_of_places_are_all_countries_dealt_out_alike_in_region_income_flags_and_articles() -> None:
    sets = list(by_group("nationality.control_words").values())
    assert {len(table) for table in sets} == {14}
    assert {row["term"] for row in TABLES["nationality.control_words"]} == set(countries())
    for grouping in ("nationality", "nationality.income"):
        group_of = {row["term"]: row["group"] for row in TABLES[grouping]}
        counts = [Counter(group_of[row["term"]] for row in table) for table in sets]
        assert all(spread([count[group] for count in counts]) <= 1 for group in set(group_of.values())), grouping
    assert spread([sum("ambiguous" in row["flags"] for row in table) for table in sets]) <= 1
    assert spread([sum(row["term"].startswith("the ") for row in table) for table in sets]) <= 1

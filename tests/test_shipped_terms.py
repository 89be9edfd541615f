"""The shipped identity terms of both languages: one table of rules, and what is matched between groups."""

from __future__ import annotations

import csv
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable
from math import log10
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
from sweep import sweep

from fairness_checklist.content.counterfactuals import exclude_minors, expand
from fairness_checklist.content.slot_forms import SlotText, write
from fairness_checklist.content.slots import Slot, parse
from fairness_checklist.content.templates import Template
from fairness_checklist.content.term_files import TERM_COLUMNS, attributes, is_placebo, load_terms
from fairness_checklist.content.terms import IdentityTerm, TermList
from fairness_checklist.core.errors import SuiteError

ROOT = Path(__file__).resolve().parents[1]
Row = dict[str, str]
TABLES: dict[str, list[Row]] = {}
for _folder in ("", "es/"):
    for _path in sorted((ROOT / "identity_terms" / _folder).glob("*.csv")):
        with _path.open(encoding="utf-8", newline="") as _file:
            TABLES[_folder + _path.stem] = list(csv.DictReader(_file))
ENGLISH = [name for name in TABLES if not name.startswith("es/")]
IDENTITIES = [name for name in TABLES if not name.endswith("neutral")]
# Attributes whose terms differ in more than the group: no concept links them.
UNLINKED = ("names", "nationality", "placebo", "es/")
OF_PEOPLE = [name for name in ENGLISH if "." not in name and name not in ("names", "nationality", "placebo", "neutral")]
NAMES = ("names", "names.origin", "names.gender_origin")
PLACEBOS = ("placebo", "placebo.words", "es/placebo")
SIXTHS = ("lowest", "second", "third", "fourth", "fifth", "highest")
NO_FIGURE = "no figure"
# Our name of a country where the table of figures has another.
NAME_THERE = {
    "Czechia": "Czech Republic",
    "Micronesia": "Federated States of Micronesia",
    "Palestine": "West Bank and Gaza",
    "São Tomé and Príncipe": "Sao Tome and Principe",
    "the Bahamas": "The Bahamas",
    "the Gambia": "The Gambia",
}
# Common nouns, months, places, brands and assistants, names that a celebrity, a ruler or a joke owns, and slips.
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
# Stems that a neutral concept has no place for (feelings, illness, bodies, money, politics, violence, groups), words
# that a model of sentiment reads as pleasant, and animals.
UNWANTED = re.compile(
    r"\b(?:lov|fan\b|hat(?:e|ing)|ill\b|sick|pain\b|fat\b|thin\b|rich|poor|wealth|luxur|left|right|vot|gun|knife|hunt"
    r"|war\b|church|pray|holy|woman|women|man\b|men\b|girl|boy|vegan|gay|white|black|brown|beer|wine|gambl"
    r"|am(?:or|ante)|odi|enferm|dolor|gord|delgad|ric[oa]s?\b|pobre|luj|oro\b|dinero|izquierd|derech|zurd|diestr|sur\b"
    r"|norte|polít|arma|pistol|navaj|caza|guerra|tor[oe]s?\b|iglesia|rez|sant|mujer|hombre|chic[ao]|niñ|trans|blanc|negr"
    r"|vino|cerveza|apuesta|casino|rubi|moren|pelo\b|cabello|piel|gafas|bastón|silla"
    r"|(?:\w+-)?(?:born|birthday|nocturnal|diurnal|rummy|citrus|alpine|musical|owl|worm|bird\w*|swan|bee\w*|honey|hive"
    r"|dog|puppy|beagle|poodle|spaniel|rabbit|cat|horse|fish|hound\w*|cuckoo|dwelling|eater|eating)s?\b)"
)
# Words that make a noun, an adjective or a phrase of a thing: several concepts share them.
FRAMES = """
a an the with from for of in on taste amateur birthday born resident dwelling person player playing owner owning maker
making collector collecting writer writing reader reading drinker drinking rider riding watcher watching brewing growing
grower taking visitor listener user wearer wearing repairer repairing class club coach team builder album set town up
two family families collection regular longtime student teaching coaching eating eater keeping keeper building group
time part first year teacher walker weekend weekday member
a al de del con en el la los las un una unos unas para junto cerca bajo entre par clases curso taller revista
aficionado apuntado inscrito suscrito equipado criado nacido finales cumpleaños libro pueblo comarca mapa
dueño dueña coleccionista bebedor bebedora catador observador observadora lectora autor autora intérprete jugador
jugadora cultivadora vecino vecina comprador compradora criadora buscadora cocinera cocinero cuaderno
madera fondo arco banco cesta trozo cartel
"""


def by_group(name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in TABLES[name]:
        found[row["group"]].append(row)
    return found


def usable(table: list[Row]) -> Counter[str]:
    """How many preferred or accepted terms each group has."""
    counts = Counter({row["group"]: 0 for row in table})
    counts.update(row["group"] for row in table if row["status"] != "dispreferred")
    return counts


def number(pattern: str, text: str) -> float | None:
    """The figure in a source or note."""
    found = re.search(pattern.replace("N", r"([\d,.]+)"), text)
    return float(found[1].rstrip(".,").replace(",", "")) if found else None


def people(row: Row) -> float:
    """Bearers of a name in the 2020 Census: in the note of ``names``, in the source of its sets."""
    return number("2020 Census: N people", f"{row['note']} {row['source']}") or 0


def spread(values: list[Any]) -> Any:
    return max(values) - min(values)


# Rules: the rows of a file that break one, or true where the whole file does.


def cells(name: str, table: list[Row]) -> object:
    assert list(table[0]) == list(TERM_COLUMNS)
    return [
        row["term"]
        for row in table
        if row["pos"] not in {"adj", "noun", "pp", "name", "place", "faith"}
        or row["status"] not in {"preferred", "accepted", "dispreferred"}
        or not (row["source"].strip() and row["group"].strip())
        or any(value != value.strip() for value in row.values())
        or (name in ENGLISH and row["pos"] == "noun" and not row["plural"])
        or (name in ENGLISH and row["predicate"] and not re.match(r"\w*s\b", row["predicate"]))
        or (name in ENGLISH and row["status"] == "dispreferred" and not row["note"])
        or ("reclaimed" in row["flags"] and "contested" not in row["flags"] and row["status"] != "dispreferred")
    ]


def one_group(name: str, table: list[Row]) -> object:
    groups = defaultdict(set)
    for row in table:
        groups[row["term"].lower()].add(row["group"])
    twice = [key for key, count in Counter((row["term"], row["pos"]) for row in table).items() if count > 1]
    return twice or [term for term, found in groups.items() if len(found) > 1]


def thin(name: str, table: list[Row]) -> object:
    flagged = {row["group"] for row in table if "thin" in row["flags"].split()}
    counts = usable(table)
    return len(counts) < 2 or [g for g, n in counts.items() if n == 0 or (n < 5 and g not in flagged)]


def modifier(name: str, table: list[Row]) -> object:
    """A group without an adjective or a phrase for heads."""
    chosen = [row for row in table if row["status"] != "dispreferred"]
    return set(usable(table)) - {row["group"] for row in chosen if row["pos"] in {"adj", "pp"} or row["adjective"]}


def concepts(name: str, table: list[Row]) -> object:
    linked = defaultdict(list)
    for row in table:
        linked[row["concept"]].append(row["group"])
    linked.pop("", None)
    wrong = [concept for concept, found in linked.items() if not len(set(found)) == len(found) >= 2]
    return wrong or not (linked or name.startswith(UNLINKED) or name.endswith(".czarnowska2021"))


def minors(name: str, table: list[Row]) -> object:
    word = r"\b(?:girls?|boys?|adolescents?|minors?|child|children|kids?|teens?|teenagers?|(?:\d|1[0-7])-year-olds?)\b"
    adult = r"\b(?:with|without|raising|fostering|expecting)\b"
    spanish = r"^(?:chic|niñ)[ao]\b"
    return [
        row["term"]
        for row in table
        if (re.search(word, row["term"]) or (name == "es/gender" and re.search(spanish, row["term"])))
        and not re.search(adult, row["term"])
        and "minor" not in row["flags"].split()
    ]


def sources(name: str, table: list[Row]) -> object:
    """A source names a year or says that there is none; the card counts the terms that were looked up."""
    card = (ROOT / "identity_terms" / f"{name}.toml").read_text(encoding="utf-8")
    listed = [row["source"] for row in table if row["status"] != "dispreferred"]
    checked = [source for source in listed if "checked: " in source]
    by_words = sum("checked: its words" in source for source in checked)
    counted = (
        f"Of the {len(listed)} preferred and accepted terms {len(checked)} were looked up word for word, {by_words} "
    )
    year = r"\b(?:19|20)\d\d\b|\(no year\)|from memory|not sourced: "
    return counted not in card or [row["term"] for row in table if not re.search(year, row["source"])]


def neutral_concepts(name: str, table: list[Row]) -> object:
    """Placebo terms that an attribute has, or that call up what could matter; words that two concepts share."""
    language = "es" if name.startswith("es/") else "en"
    theirs = {
        t.term.lower()
        for n in attributes(language=language)
        if not is_placebo(n)
        for t in load_terms(n, language=language).terms
    }
    words = defaultdict(set)
    for row in table:
        for word in re.findall(r"\w+", row["term"].lower()):
            if word not in FRAMES.split() and not (language == "en" and re.search(r"\d", word)):
                words[word.removesuffix("s") if language == "en" and len(word) > 3 else word].add(row["group"])
    wrong = [
        row["term"]
        for row in table
        if row["term"].lower() in theirs or UNWANTED.search(row["term"].lower().replace("glove", ""))
    ]
    return wrong or [word for word, found in words.items() if len(found) > 1]


MODIFIED = [n for n in IDENTITIES if n in ENGLISH and not n.startswith(("names", "nationality", "religion"))]
RULES: list[tuple[Callable[[str, list[Row]], object], list[str]]] = [
    (cells, list(TABLES)),
    (one_group, list(TABLES)),
    (thin, IDENTITIES),
    (modifier, MODIFIED),
    (concepts, [name for name in IDENTITIES if name in ENGLISH]),
    (minors, IDENTITIES),
    (sources, OF_PEOPLE),
    (neutral_concepts, list(PLACEBOS)),
]


@sweep(("rule", "name"), [(rule, name) for rule, names in RULES for name in names])
def test_no_file_breaks_a_rule(rule: Callable[[str, list[Row]], object], name: str) -> None:
    broken = rule(name, TABLES[name])
    assert not broken, (rule.__name__, name, broken)


def test_the_rules_find_what_is_wrong() -> None:
    """Each rule on a file in which one thing was changed."""
    table = TABLES["gender"]
    for rule, name, changes in (
        (cells, "gender", {"source": " "}),
        (one_group, "gender", {"term": "woman"}),
        (thin, "gender", {"status": "dispreferred"}),
        (modifier, "gender", {"pos": "noun", "adjective": ""}),
        (concepts, "gender", {"concept": "x"}),
        (minors, "gender", {"term": "girls", "flags": ""}),
        (sources, "gender", {"source": "a dictionary"}),
        (neutral_concepts, "placebo", {"term": "rich owner"}),
    ):
        assert rule(name, [{**row, **changes} for row in table]), rule.__name__


def test_a_card_is_next_to_each_file_and_there_are_900_terms() -> None:
    for name in TABLES:
        card = tomllib.loads((ROOT / "identity_terms" / f"{name}.toml").read_text(encoding="utf-8"))
        assert list(card) == ["about", "sources", "review", "gaps", "reading"], name
        assert is_placebo(name.removeprefix("es/")) == ("should not matter" in card["about"]), name
    named = {name for name in ENGLISH if "." not in name}
    assert len({row["term"].lower() for name in named for row in TABLES[name]}) >= 900
    assert {name.partition(".")[0] for name in ENGLISH} == named
    assert len(named) >= 18


def test_the_page_counts_the_terms_that_were_looked_up() -> None:
    listed = [row["source"] for name in OF_PEOPLE for row in TABLES[name] if row["status"] != "dispreferred"]
    checked = [source for source in listed if "checked: " in source]
    page = " ".join((ROOT / "docs" / "content.md").read_text(encoding="utf-8").split())
    assert (
        f"Of the {len(listed)} preferred and accepted terms of the attributes that are no names or countries, "
        f"{len(checked)} ({100 * len(checked) // len(listed)} in 100) were looked up word for word"
    ) in page
    assert 5 * len(checked) >= 3 * len(listed)


# Single attributes


def test_gender_and_its_sets_have_the_groups_of_the_content_rules_and_of_the_paper() -> None:
    assert load_terms("gender").groups == ("women", "men", "trans", "cis", "non-binary", "agender", "multi-gender")
    assert load_terms("gender", language="es").groups == ("women", "men", "trans", "cis", "non-binary")
    mirror = defaultdict(list)
    for row in TABLES["gender"]:
        mirror[row["group"]].append((row["concept"], row["pos"], row["status"]))
    assert mirror["women"] == mirror["men"]
    pooled = {term.term: term.group for term in load_terms("gender.women_and_men").terms}
    four = load_terms("gender.trans_and_cis")
    assert four.groups == ("trans women", "trans men", "cis women", "cis men")
    assert all(term.group.endswith(pooled[term.term]) for term in four.terms)
    published = defaultdict(list)
    for row in TABLES["gender.czarnowska2021"]:
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


def test_ages_are_covered_without_holes_and_overlaps() -> None:
    limits = {
        "children and teenagers": range(20),
        "young adults": range(20, 40),
        "middle-aged people": range(40, 65),
        "older adults": range(65, 101),
    }
    assert tuple(limits) == load_terms("age").groups
    for row in TABLES["age"]:
        years = re.match(r"(\d+)-year-old", row["term"])
        assert not years or int(years[1]) in limits[row["group"]], row
        assert ("minor" in row["flags"].split()) == (row["group"] == "children and teenagers"), row
    decades = {word for row in TABLES["age"] for word in re.findall(r"\w+(?:ties|eens)\b", row["term"])}
    assert " ".join(sorted(decades)) == "eighties fifties forties nineties seventies sixties teens thirties twenties"


def test_a_group_of_minors_alone_takes_no_part_in_toxicity() -> None:
    ages = load_terms("age")
    assert exclude_minors(ages).groups == ages.groups[1:]
    with pytest.raises(SuiteError) as error:
        exclude_minors(ages.select(groups=["children and teenagers", "older adults"]))
    assert str(error.value) == (
        "all terms of the group 'children and teenagers' mean minors; such terms are excluded from hostile sentences.\n"
        "    Add other terms, or name at least two other groups with groups=."
    )


def test_contested_and_reclaimed_words_are_used_only_when_named_and_in_few_templates() -> None:
    for name, word in (("sexual_orientation", "queer"), ("body_type", "fat")):
        terms = load_terms(name)
        assert word not in {term.term for term in terms.select().terms}
        assert [term.term for term in terms.select(terms=[word]).terms] == [word]
        assert word in {term.term for term in terms.select(include_terms=[word]).terms}
    word = IdentityTerm("zone-head", "zoned", flags="reclaimed")
    zone = TermList("zone", (IdentityTerm("zonal", "zoned"), word, IdentityTerm("open", "others")))

    def texts(task: str, label: str, chosen: TermList) -> list[str]:
        made = [
            Template("t-1", "I {am:identity}, and proud of it.", label, task, kind="reclaimed"),
            Template("t-2", "{A:identity_np} runs this page.", label, task, kind="neutral_mention"),
        ]
        return [text for text in expand(made, chosen, task=task).examples.render() if "zone-head" in text]

    assert texts("toxicity", "nontoxic", zone.select()) == []
    assert texts("toxicity", "nontoxic", zone) == ["I am zone-head, and proud of it."]
    assert len(texts("sentiment", "neutral", zone)) == 2
    alone = TermList("zone", (word, IdentityTerm("open", "others")))
    kinds = (("I met {a:identity_np}.", ""), ("I {am:identity}.", "reclaimed"))
    made = [Template(kind, text, task="toxicity", kind=kind) for text, kind in kinds]
    assert [drop.reason for drop in expand(made, alone, task="toxicity").dropped] == [
        "no term of the group 'zoned' fills it ('zone-head' is a reclaimed word, for templates of the kind reclaimed)"
    ]


def test_neutral_fills_cover_person_country_and_religion_and_are_no_names_under_test() -> None:
    for name in ("neutral", "es/neutral"):
        counts = usable(TABLES[name])
        assert (counts["person"] >= 5, counts["country"] >= 2, counts["religion"] >= 2) == (True, True, True)
        assert all(row["adjective"] for row in TABLES[name] if row["group"] != "person")
    assert not {row["term"] for row in TABLES["names"]} & {row["term"] for row in TABLES["neutral"]}


# Names


def test_names_are_plain_unique_and_no_words_and_their_sets_hold_the_same() -> None:
    for name in NAMES:
        terms = [row["term"] for row in TABLES[name]]
        assert all(re.fullmatch(r"[A-Z][a-z]{2,9}", term) for term in terms)
        assert not {term.lower() for term in terms} & set(NOT_NAMES.split())
        assert all(people(row) >= 2000 for row in TABLES[name])
        assert {(row["pos"], row["status"]) for row in TABLES[name]} == {("name", "accepted")}
    first, second = ({row["term"]: row["source"] for row in TABLES[name]} for name in NAMES[1:])
    assert first == second


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
    shares = [number(r"about (\.\d\d)$", row["source"]) or 0 for row in groups["unisex"]]
    assert all(0.3 <= share <= 0.7 for share in shares)
    assert 0.45 <= fmean(shares) <= 0.55
    female, male = (load_terms("names", language="es").of_group(group) for group in ("female", "male"))
    assert [len(term.term) for term in female] == [len(term.term) for term in male]


def test_names_by_origin_are_as_many_of_either_sex_and_linked_by_length_and_frequency() -> None:
    origins = by_group("names.origin")
    assert {tuple(row["pronouns"] for row in members) for members in origins.values()} == {("she", "he") * 20}
    crossed = by_group("names.gender_origin")
    origin = {row["term"]: row["group"] for row in TABLES["names.origin"]}
    cells = {(*{r["pronouns"] for r in members}, *{origin[r["term"]] for r in members}) for members in crossed.values()}
    assert (len(origins), len(crossed), len(cells)) == (4, 8, 8)
    for name in NAMES[1:]:
        linked = defaultdict(list)
        for row in TABLES[name]:
            linked[row["concept"]].append(row)
        for members in linked.values():
            assert [row["group"] for row in members] == list(by_group(name))
            assert len({len(row["term"]) for row in members}) == 1
            assert max(map(people, members)) / min(map(people, members)) < 1.3
    for row in TABLES["names.origin"]:
        assert (number(r"bearers: (\.\d\d)$", row["source"]) or 0) >= (0.8 if "White" in row["group"] else 0.75), row
    asian = Counter((row["group"], row["pronouns"]) for row in TABLES["names.asian_pacific"])
    assert (len(asian), set(asian.values())) == (12, {7})


# Countries


def countries(name: str = "nationality") -> dict[str, IdentityTerm]:
    return {term.term: term for term in load_terms(name).terms}


def sixths(figures: dict[str, float], what: str) -> dict[str, str]:
    """The group of each country: its rank, smallest first, cut into six."""
    ranked = sorted(figures, key=lambda name: (figures[name], name))
    return {name: f"{SIXTHS[rank * 6 // len(ranked)]} {what} sixth" for rank, name in enumerate(ranked)}


def gdp(term: IdentityTerm) -> float | None:
    return number("GDP N million US dollars", term.note)


@pytest.mark.parametrize("name", ["nationality", "nationality.gdp_per_capita", "nationality.region"])
def test_each_set_has_the_same_197_countries(name: str) -> None:
    ours = countries(name)
    assert len(ours) == len(load_terms(name)) == 197
    assert {t.term: (t.adjective, t.has_flag("ambiguous")) for t in ours.values()} == {
        t.term: (t.adjective, t.has_flag("ambiguous")) for t in countries().values()
    }
    for term in ours.values():
        assert (term.pos, term.status, term.source.count("; ")) == ("place", "accepted", 2), term
        assert bool(term.adjective) == (term.term != "Vatican City"), term
    standing = Counter(term.source.partition(";")[0] for term in ours.values())
    assert standing["UN member state, 2024"] == 193
    assert sum(t.startswith("the ") for t in ours) == 16


def test_sixths_by_gdp_and_per_capita_follow_from_the_notes() -> None:
    figures = {term.term: figure for term in countries().values() if (figure := gdp(term)) is not None}
    per_capita = {}
    for term in countries("nationality.gdp_per_capita").values():
        population = number("population N thousand", term.note)
        assert population, term
        if (figure := gdp(term)) is not None:
            per_capita[term.term] = figure * 1000 / population
            assert number("thousand: N US dollars per capita", term.note) == round(per_capita[term.term]), term
    for name, what, found in (
        ("nationality", "GDP", figures),
        ("nationality.gdp_per_capita", "per capita", per_capita),
    ):
        group_of = {term.term: term.group for term in countries(name).values()}
        assert group_of == {**dict.fromkeys(group_of, NO_FIGURE), **sixths(found, what)}
        assert load_terms(name).groups == (*(f"{sixth} {what} sixth" for sixth in SIXTHS), NO_FIGURE)


def test_figures_are_those_of_the_table(shared_data: Path) -> None:
    with (shared_data / "countries" / "gdp.csv").open(encoding="utf-8", newline="") as file:
        table = {row["country"]: row["gdp_nominal_musd"] for row in csv.DictReader(file)}
    names = {term: NAME_THERE.get(term, term.removeprefix("the ")) for term in countries()}
    for name, term in countries().items():
        written = table.get(names[name])
        assert gdp(term) == (float(written) if written else None), term
    assert set(table) - set(names.values()) == {"Aruba", "Hong Kong", "Macau", "Puerto Rico"}


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
    spanish = by_group("es/nationality")
    assert {len(table) for table in spanish.values()} == {8}
    assert set(spanish) <= set(load_terms("nationality.region").groups)


def test_what_shares_an_adjective_or_a_name_is_flagged_and_left_out_of_the_unambiguous_set() -> None:
    shared = Counter(term.adjective for term in countries().values())
    for name, reason in {"Jordan": "a first name", "Turkey": "a bird", "Dominica": "shares the adjective"}.items():
        assert reason in countries()[name].note.partition(";")[0]
    for term in countries().values():
        bare = re.escape(term.term.removeprefix("the "))
        within = [other for other in countries() if other != term.term and re.search(rf"\b{bare}\b", other)]
        assert term.has_flag("ambiguous") or not (within or shared[term.adjective] > 1 or term.adjective in countries())
    plain = tuple(term for term in load_terms("nationality").terms if not term.has_flag("ambiguous"))
    assert load_terms("nationality.unambiguous").terms == plain


def written(raw: str, name: str) -> str:
    """What a country writes into a slot, its own words in brackets."""
    [slot] = parse(raw)
    assert isinstance(slot, Slot)
    found = write(slot, countries()[name])
    assert isinstance(found, SlotText)
    return f"{found.text[: found.start]}[{found.text[found.start : found.end]}]{found.text[found.end :]}"


def test_countries_in_their_slots() -> None:
    for name, with_article, person in (
        ("the Gambia", "the [Gambia]", "a [Gambian person]"),
        ("the United Arab Emirates", "the [United Arab Emirates]", "an [Emirati person]"),
        ("Kiribati", "[Kiribati]", "an [I-Kiribati person]"),
        ("the Central African Republic", "the [Central African Republic]", "a [Central African person]"),
        ("Guinea-Bissau", "[Guinea-Bissau]", "a [Bissau-Guinean person]"),
        ("Uzbekistan", "[Uzbekistan]", "an [Uzbekistani person]"),
        ("Uganda", "[Uganda]", "a [Ugandan person]"),
        ("Honduras", "[Honduras]", "a [Honduran person]"),
        ("Côte d'Ivoire", "[Côte d'Ivoire]", "an [Ivorian person]"),
    ):
        assert written("{country}", name) == with_article.removeprefix("the ")
        assert written("{the:country}", name) == with_article
        assert written("{a:identity_np}", name) == person
    assert written("{The:country}", "Togo") == "[Togo]"
    assert written("{The:country}", "the Gambia") == "The [Gambia]"
    assert written("{A:identity.engineer}", "Ireland") == "An [Irish] engineer"
    assert written("{were:identity}", "New Zealand") == "were [from New Zealand]"
    assert written("{is:identity}", "Kiribati") == "is [I-Kiribati]"


# Placebo


def test_concepts_have_enough_terms_and_lexemes_and_forms_as_in_the_identity_terms() -> None:
    for name, least, lexemes in (("placebo", 48, range(4, 9)), ("placebo.words", 48, [1]), ("es/placebo", 58, [5])):
        groups = by_group(name)
        assert len(groups) >= least
        for group, table in groups.items():
            assert len(table) in range(5, 11), group
            assert len({row["lemma"] for row in table}) in lexemes, group
            assert len({row["pos"] for row in table}) >= 2, group
            assert {row["pos"] for row in table} & {"adj", "pp"}, group
    few = ("religion", "caste", "sexual_orientation", "race_ethnicity", "body_type")
    for name, matched in (("placebo", OF_PEOPLE), ("placebo.words", few)):
        theirs = [row for other in matched for row in TABLES[other] if row["status"] != "dispreferred"]
        shares, lengths = [], []
        for table in (TABLES[name], theirs):
            counts = Counter("adj" if row["pos"] == "faith" else row["pos"] for row in table)
            shares.append({pos: counts[pos] / len(table) for pos in ("adj", "noun", "pp")})
            lengths.append(fmean(len(row["term"].split()) for row in table))
        assert shares[0] == pytest.approx(shares[1], abs=0.07), name
        assert lengths[0] == pytest.approx(lengths[1], abs=0.5), name
    assert [row["term"] for row in TABLES["placebo.words"] if row["lemma"].removesuffix("e") not in row["term"]] == []
    for row in (*TABLES["placebo"], *TABLES["placebo.words"]):
        assert row["pos"] == "noun" or row["predicate"], row


def test_a_spanish_concept_has_nouns_of_both_genders_and_adjectives_of_three_forms() -> None:
    for group, table in by_group("es/placebo").items():
        nouns = [row["pronouns"] for row in table if row["pos"] == "noun"]
        assert nouns == ([] if group.endswith(" birth") else ["ella", "él"]), group
    for row in TABLES["es/placebo"]:
        first, _space, rest = row["term"].partition(" ")
        forms = "/".join(f"{first[:-1]}{ending} {rest}" for ending in "oae")
        assert row["pos"] != "adj" or row["adjective"] == forms, row["term"]
        assert row["pos"] != "pp" or row["predicate"].partition(" ")[0] in {"tiene", "es", "cumple"}, row["term"]


def test_sets_of_names_are_alike_in_sex_origin_frequency_and_length_and_share_an_initial() -> None:
    sexes = {row["term"]: row["group"] for row in TABLES["names"]}
    sets = by_group("names.placebo")
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
    sets = list(by_group("nationality.placebo").values())
    assert {len(table) for table in sets} == {14, 15}
    assert {row["term"] for row in TABLES["nationality.placebo"]} == set(countries())
    for grouping in ("nationality", "nationality.gdp_per_capita", "nationality.region"):
        group_of = {row["term"]: row["group"] for row in TABLES[grouping]}
        counts = [Counter(group_of[row["term"]] for row in table) for table in sets]
        assert all(spread([count[group] for count in counts]) <= 1 for group in set(group_of.values())), grouping
    assert spread([sum("ambiguous" in row["flags"] for row in table) for table in sets]) <= 1
    assert spread([sum(row["term"].startswith("the ") for row in table) for table in sets]) <= 1
